/* SPDX-License-Identifier: GPL-2.0-or-later */
/* repair_length.c - the length fields of a packet: what they say, and what they should. */
#include <ibwire/ibwire.h>

#include "repair_length.h"

void pl_changed(struct pl_repaired *r, enum ibw_layer layer, const char *field, uint32_t was,
		uint32_t is)
{
	if (was != is && r->n_changes < PL_CHANGES_MAX)
		r->change[r->n_changes++] = (struct pl_change){ layer, field, was, is, 1, false };
}

uint32_t pl_length_end(const struct ibw_packet *pkt, unsigned int i)
{
	const void *at = ibw_packet_at(pkt, i);
	uint32_t off = pkt->span[i].off;

	switch (pkt->span[i].layer) {
	case IBW_LAYER_lrh:
		return off + ibw_lrh_pktlen(at) * 4u;
	case IBW_LAYER_grh:
		return off + (uint32_t)ibw_grh_BYTES + ibw_grh_paylen(at);
	case IBW_LAYER_ipv4:
		return off + ibw_ipv4_total_len(at);
	case IBW_LAYER_ipv6:
		return off + (uint32_t)ibw_ipv6_BYTES + ibw_ipv6_paylen(at);
	case IBW_LAYER_udp:
		return off + ibw_udp_length(at);
	default:
		return 0;
	}
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
	uint32_t n = end - span->off;

	switch (span->layer) {
	case IBW_LAYER_lrh:
		PL_REPAIR_FIELD(r, (struct ibw_lrh_wire *)at, lrh, pktlen, n / 4 & 0x7ff);
		break;
	case IBW_LAYER_grh:
		PL_REPAIR_FIELD(r, (struct ibw_grh_wire *)at, grh, paylen,
				(uint16_t)(n - ibw_grh_BYTES));
		break;
	case IBW_LAYER_ipv4:
		repair_ipv4(r, at, n);
		break;
	case IBW_LAYER_ipv6:
		PL_REPAIR_FIELD(r, (struct ibw_ipv6_wire *)at, ipv6, paylen,
				(uint16_t)(n - ibw_ipv6_BYTES));
		break;
	case IBW_LAYER_udp:
		PL_REPAIR_FIELD(r, (struct ibw_udp_wire *)at, udp, length, (uint16_t)n);
		break;
	default:
		break;
	}
}
