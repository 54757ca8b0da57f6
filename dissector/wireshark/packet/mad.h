/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mad.h - management datagrams. */
#ifndef IW_MAD_H
#define IW_MAD_H

#include "wireshark/base/compat.h"

#include <ibwire/mad_walk.h>
#include <ibwire/packet.h>

#include "frame.h"
#include "track/track.h"

/* The MAD in the packet, NULL if there is none. */
static inline const struct track_mad *iw_mad_of(struct iw_frame *frame)
{
	const struct track_mad *mad = track_view_mad(&frame->view);

	return mad && mad->n ? mad : NULL;
}

void iw_mad_tree(proto_tree *tree, packet_info *pinfo, const struct iw_frame *frame,
		 const struct track_mad *mad);
/*
 * If @span[@i] is a block of a forwarding table: after the item just added for it, which LIDs
 * its entries are for.
 */
void iw_mad_block(proto_tree *tree, const uint8_t *p, const struct ibw_span *span, uint32_t i,
		  uint32_t attr_mod);
#endif /* IW_MAD_H */
