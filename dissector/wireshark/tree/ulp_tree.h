/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ulp_tree.h - upper layers in the tree and in the columns. */
#ifndef IW_ULP_TREE_H
#define IW_ULP_TREE_H

#include "wireshark/base/compat.h"

#include "wireshark/packet/frame.h"

struct iw_fpdu;

void iw_ulp_tree_register(void);

/* The message that the packet or the FPDU completes, with its commands. */
void iw_ulp_tree(proto_tree *tree, packet_info *pinfo, struct iw_frame *frame);
void iw_ulp_fpdu_tree(proto_tree *tree, packet_info *pinfo, const struct iw_frame *frame,
		      const struct iw_fpdu *f);

/* Whether Wireshark has no dissector for the message that the packet or the FPDU completes. */
bool iw_ulp_is_ours(const struct iw_frame *frame, packet_info *pinfo);
bool iw_ulp_fpdu_is_ours(const struct iw_fpdu *f);

/* In take-over mode, once the columns say what the transport says: what the packet or the FPDUs are to an upper layer. */
void iw_ulp_columns(packet_info *pinfo, struct iw_frame *frame);
void iw_ulp_fpdu_columns(packet_info *pinfo, const struct iw_frame *frame);

#endif /* IW_ULP_TREE_H */
