/* SPDX-License-Identifier: GPL-2.0-or-later */
/* read.h - what responses of a READ or an atomic brought. */
#ifndef IW_READ_H
#define IW_READ_H

#include "wireshark/base/compat.h"

#include "wireshark/packet/frame.h"

void iw_read_register(void);
void iw_read_tree(proto_tree *tree, packet_info *pinfo, const struct iw_frame *frame);
/* "[READ: 8 packets, 8192 bytes in 143 us]" in the Info column of the last response. */
void iw_read_info(packet_info *pinfo, const struct iw_frame *frame);

#endif /* IW_READ_H */
