/* SPDX-License-Identifier: GPL-2.0-or-later */
/* quoted.h - what an ICMP error quotes. */
#ifndef IW_QUOTED_H
#define IW_QUOTED_H

#include "wireshark/base/compat.h"

#include "wireshark/packet/frame.h"
#include "track/track.h"
#include "track/view/icmp.h"

/* Whether the frame is an ICMP error that quotes a RoCE v2 packet; fills @icmp. */
bool iw_quoted_find(struct track_icmp *icmp, const struct iw_frame *frame);
/* As much of that packet as there is, from its BTH on. */
void iw_quoted_tree(proto_tree *tree, packet_info *pinfo, const struct iw_frame *frame,
		    const struct track_icmp *icmp);
/* In take-over mode, where Wireshark asks for a dissector of it: whether @off of the frame is its BTH. */
bool iw_quoted_take(proto_tree *tree, tvbuff_t *tvb, packet_info *pinfo, struct iw_frame *frame,
		    uint32_t off);

#endif /* IW_QUOTED_H */
