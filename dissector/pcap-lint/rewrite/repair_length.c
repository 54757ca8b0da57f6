/* SPDX-License-Identifier: GPL-2.0-or-later */
/* repair_length.c - the length fields of a packet: their values, and their correct values. */
#include <ibwire/ibwire.h>
#include <track/view/ends.h>

#include "repair_length.h"

void pl_changed(struct pl_repaired *r, enum ibw_layer layer, const char *field, uint32_t was,
		uint32_t is)
{
	if (was != is && r->n_changes < PL_CHANGES_MAX)
		r->change[r->n_changes++] = (struct pl_change){ layer, field, was, is, 1, false };
}

void pl_length_repair(struct pl_repaired *r, const struct ibw_span *span, uint32_t end)
{
	uint32_t value = track_length_for((enum ibw_layer)span->layer, end - span->off);
	void *at = r->bytes->data + span->off;
	struct ibw_ipv4_wire *ip = at;

	switch (span->layer) {
#define LENGTH(hdr, field, unit, apart)                                                            \
	case IBW_LAYER_##hdr:                                                                      \
		PL_REPAIR_FIELD(r, (struct ibw_##hdr##_wire *)at, hdr, field, (uint16_t)value);    \
		break;
		TRACK_LENGTHS(LENGTH)
#undef LENGTH
	default:
		break;
	}
	if (span->layer == IBW_LAYER_ipv4)
		PL_REPAIR_FIELD(r, ip, ipv4, checksum,
				ibw_ipv4_checksum_of(ip, ibw_ipv4_ihl(ip) * 4u));
}
