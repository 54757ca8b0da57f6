/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tree.h - a packet as tree items. */
#ifndef IW_TREE_H
#define IW_TREE_H

#include "wireshark/base/compat.h"

#include <ibwire/mad_walk.h>
#include <ibwire/packet.h>

#include "wireshark/packet/frame.h"

/*
 * All of a packet, after its findings: what went wrong; why the walk ended before the packet did, if it did; the
 * verdicts on its CRCs; layers from span @first on; what the packets of its connection show; payload, pad, trailer.
 */
void iw_tree_packet(proto_tree *tree, packet_info *pinfo, struct iw_frame *frame,
		    unsigned int first);

void iw_tree_register(expert_module_t *module);

#endif /* IW_TREE_H */
