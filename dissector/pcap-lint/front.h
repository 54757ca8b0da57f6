/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * front.h - what a packet shows by itself, before it is known what came before it.
 *
 * Nothing here is remembered from packet to packet, so it may be found out on any thread, and in any order.
 */
#ifndef PL_FRONT_H
#define PL_FRONT_H

#include <lint/lint.h>

#include "capture/capture.h"
#include "track/view/plain.h"

struct pl_front {
	struct track_plain plain;    /* if it is_plain */
	struct ibw_crc_verdict icrc; /* if it has_icrc */
	bool is_plain;
	bool is_ordinary; /* and no rule about packets has anything to say of it */
	bool has_icrc;
};

/* Fills @front of a packet of @linktype. */
static inline void pl_front_read(struct pl_front *front, const struct capture_packet *record,
				 uint32_t linktype)
{
	front->is_plain = track_plain_read(&front->plain, record->data, record->caplen, record->len,
					   linktype);
	front->has_icrc = front->is_plain;
	if (!front->is_plain)
		return;
	front->is_ordinary = lint_is_ordinary(&front->plain);
	front->icrc = track_plain_icrc(&front->plain);
}

/* The same, with the ICRC of a packet that is not plain, too: what costs most of it. */
static inline void pl_front_read_all(struct pl_front *front, const struct capture_packet *record,
				     uint32_t linktype, const struct ibw_walk_options *options)
{
	struct ibw_packet pkt;

	pl_front_read(front, record, linktype);
	if (front->is_plain)
		return;
	ibw_packet_walk(&pkt, record->data, record->caplen, record->len, linktype, options);
	front->has_icrc = pkt.bth != IBW_NO_SPAN;
	if (front->has_icrc)
		front->icrc = ibw_packet_icrc(&pkt);
}

#endif /* PL_FRONT_H */
