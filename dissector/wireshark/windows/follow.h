/* SPDX-License-Identifier: GPL-2.0-or-later */
/* follow.h - -z follow,ibwire: what was carried. */
#ifndef IW_FOLLOW_H
#define IW_FOLLOW_H

#include "wireshark/base/compat.h"

#include "wireshark/packet/frame.h"

/* -z follow,ibwire */
void iw_follow_register(void);
void iw_follow_packet(packet_info *pinfo, const struct iw_frame *frame);
void iw_follow_iwarp(packet_info *pinfo, const struct iw_frame *frame);

#endif /* IW_FOLLOW_H */
