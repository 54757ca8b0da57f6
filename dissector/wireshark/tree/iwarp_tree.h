/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iwarp_tree.h - iWARP in the tree and in the Info column. */
#ifndef IW_IWARP_TREE_H
#define IW_IWARP_TREE_H

#include "wireshark/base/compat.h"

#include <ibwire/out.h>

#include "wireshark/packet/frame.h"

void iw_iwarp_register(void);

/* Whether the frame's segment is of a connection of iWARP, as far as known by now. */
bool iw_iwarp_has(packet_info *pinfo);
/* "RDMA, stream 3, RDMA Write 1408, Send 64" */
void iw_iwarp_title(proto_item *item, packet_info *pinfo);
void iw_iwarp_tree(proto_tree *tree, packet_info *pinfo, const struct iw_frame *frame);
/* "[RDMA Write 1408, Send 64] [CRC incorrect] [NFS 20049]"; @shown: the first part is in the column. */
void iw_iwarp_info(packet_info *pinfo, bool shown);
/* "RDMA Write 1408, Send 64": the Info column where it is ours. */
void iw_iwarp_out(struct ibw_out *o, packet_info *pinfo);

#endif /* IW_IWARP_TREE_H */
