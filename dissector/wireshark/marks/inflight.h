/* SPDX-License-Identifier: GPL-2.0-or-later */
/* inflight.h - what was in flight when a request was sent. */
#ifndef IW_INFLIGHT_H
#define IW_INFLIGHT_H

#include "wireshark/base/compat.h"

#include "wireshark/packet/frame.h"
#include "track/track.h"

void iw_inflight_register(void);
void iw_inflight_add(const struct track_reply *r);
void iw_inflight_tree(proto_tree *tree, packet_info *pinfo, const struct iw_frame *frame);

#endif /* IW_INFLIGHT_H */
