/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * front.h - what the bytes of one packet show without the packets before it: whether it is plain, and its ICRC.
 *
 * No state is kept from packet to packet, so any thread may do this, in any order.
 */
#ifndef PL_FRONT_H
#define PL_FRONT_H

#include <lint/lint.h>

#include "capture/capture.h"
#include "track/view/plain.h"

struct pl_front {
	struct track_plain plain; /* if it is_plain; else only plain.icrc */
	bool is_plain;
	bool is_ordinary; /* and no rule about packets has anything to say of it */
};

/* Fills @front of a packet of @linktype. */
static inline void pl_front_read(struct pl_front *front, const struct capture_packet *record,
				 uint32_t linktype)
{
	front->is_plain = track_plain_read(&front->plain, record->data, record->caplen, record->len,
					   linktype);
	if (front->is_plain)
		front->is_ordinary = lint_is_ordinary(&front->plain);
}

/* The same, with the ICRC of a packet that is not plain, too: the ICRC costs the most. */
static inline void pl_front_read_all(struct pl_front *front, const struct capture_packet *record,
				     uint32_t linktype, const struct ibw_walk_options *options)
{
	struct ibw_packet pkt;

	pl_front_read(front, record, linktype);
	if (front->plain.icrc.status != IBW_CRC_ABSENT)
		return;
	ibw_packet_walk(&pkt, record->data, record->caplen, record->len, linktype, options);
	if (pkt.bth != IBW_NO_SPAN)
		front->plain.icrc = ibw_packet_icrc(&pkt);
}

#endif /* PL_FRONT_H */
