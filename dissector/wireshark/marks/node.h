/* SPDX-License-Identifier: GPL-2.0-or-later */
/* node.h - which node of the subnet a packet is from. */
#ifndef IW_NODE_H
#define IW_NODE_H

#include "wireshark/base/compat.h"

#include "wireshark/packet/frame.h"

/* node.c */
void iw_node_register(void);
void iw_node_init(void); /* a file is about to be read */
void iw_node_cleanup(void);
/* The first pass saw the frame. */
void iw_node_keep(const struct track *t, struct iw_frame *frame, uint32_t number);
void iw_node_tree(proto_tree *tree, packet_info *pinfo, const struct iw_frame *frame);

#endif /* IW_NODE_H */
