/* SPDX-License-Identifier: GPL-2.0-or-later */
/* whole.h - what the tree says of those. */
#ifndef IW_WHOLE_H
#define IW_WHOLE_H

#include "wireshark/base/compat.h"

#include "wireshark/packet/frame.h"
#include "wireshark/marks/reassemble.h"

void iw_whole_register(void);
void iw_whole_tree(proto_tree *tree, packet_info *pinfo, struct iw_frame *frame);
/* The message that the frame's packet completes, NULL: none; a data source of its own. */
tvbuff_t *iw_whole_tvb(struct iw_frame *frame, packet_info *pinfo, const struct iw_message *m);

#endif /* IW_WHOLE_H */
