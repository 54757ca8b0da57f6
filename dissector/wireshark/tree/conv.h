/* SPDX-License-Identifier: GPL-2.0-or-later */
/* conv.h - conversations and endpoints of queue pairs. */
#ifndef IW_CONV_H
#define IW_CONV_H

#include "wireshark/base/compat.h"

#include "wireshark/packet/frame.h"

/* -z conv,ibwire and -z endpoints,ibwire; and what the filters they make ask for. */
void iw_conv_register(void);
/* The queue pair that the packet comes from, if anybody says so. */
bool iw_conv_sqpn(const packet_info *pinfo, const struct iw_frame *frame, uint32_t *qpn);
/* Both ends, for who asks for them; iw_conv_tree() has them, too. */
void iw_conv_ends(proto_tree *tree, const packet_info *pinfo, const struct iw_frame *frame);
void iw_conv_tree(proto_tree *tree, const packet_info *pinfo, const struct iw_frame *frame);

#endif /* IW_CONV_H */
