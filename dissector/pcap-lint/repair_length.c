/* SPDX-License-Identifier: GPL-2.0-or-later */
/* repair_length.c - the length fields of a packet: what they say, and what they should. */
#include <ibwire/ibwire.h>
#include <track/ends.h>

#include "repair_length.h"

void pl_changed(struct pl_repaired *r, enum ibw_layer layer, const char *field, uint32_t was,
		uint32_t is)
{
	if (was != is && r->n_changes < PL_CHANGES_MAX)
		r->change[r->n_changes++] = (struct pl_change){ layer, field, was, is, 1, false };
}

static void repair_ipv4(struct pl_repaired *r, uint8_t *at, uint32_t bytes)
{
	struct ibw_ipv4_wire *ip = (struct ibw_ipv4_wire *)at;

	PL_REPAIR_FIELD(r, ip, ipv4, total_len, (uint16_t)bytes);
	PL_REPAIR_FIELD(r, ip, ipv4, checksum, ibw_ipv4_checksum_of(ip, ibw_ipv4_ihl(ip) * 4u));
}

void pl_length_repair(struct pl_repaired *r, const struct ibw_span *span, uint32_t end)
{
	uint8_t *at = r->bytes->data + span->off;
	uint32_t value = track_length_for((enum ibw_layer)span->layer, end - span->off);

	switch (span->layer) {
	case IBW_LAYER_lrh:
		PL_REPAIR_FIELD(r, (struct ibw_lrh_wire *)at, lrh, pktlen, (uint16_t)value);
		break;
	case IBW_LAYER_grh:
		PL_REPAIR_FIELD(r, (struct ibw_grh_wire *)at, grh, paylen, (uint16_t)value);
		break;
	case IBW_LAYER_ipv4:
		repair_ipv4(r, at, value);
		break;
	case IBW_LAYER_ipv6:
		PL_REPAIR_FIELD(r, (struct ibw_ipv6_wire *)at, ipv6, paylen, (uint16_t)value);
		break;
	case IBW_LAYER_udp:
		PL_REPAIR_FIELD(r, (struct ibw_udp_wire *)at, udp, length, (uint16_t)value);
		break;
	default:
		break;
	}
}
