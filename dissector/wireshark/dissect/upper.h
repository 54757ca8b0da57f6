/* SPDX-License-Identifier: GPL-2.0-or-later */
/* upper.h - what the packets carry, handed on. */
#ifndef IW_UPPER_H
#define IW_UPPER_H

#include "wireshark/base/compat.h"

#include "wireshark/packet/frame.h"

void iw_upper_handoff(void);
void iw_upper_init(void); /* a file is about to be read */
/*
 * What the packet at @tvb carries; @builtin and @data are what Wireshark would have called, @ours is
 * our tree.
 */
void iw_upper(proto_tree *tree, proto_tree *ours, tvbuff_t *tvb, packet_info *pinfo,
	      struct iw_frame *frame, dissector_handle_t builtin, void *data);

#endif /* IW_UPPER_H */
