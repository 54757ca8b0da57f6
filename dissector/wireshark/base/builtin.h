/* SPDX-License-Identifier: GPL-2.0-or-later */
/* builtin.h - the built-in dissector, for what it alone knows. */
#ifndef IW_BUILTIN_H
#define IW_BUILTIN_H

#include "compat.h"

void iw_builtin_handoff(void);
/*
 * Whether the built-in dissector has the right name for it: RC and UC up to IBTA 1.3, and UD; from
 * Wireshark 4.4 on FLUSH and ATOMIC WRITE of RC, too.
 */
bool iw_builtin_knows(uint8_t opcode);
/* It sees the packet at @tvb, columns and addresses stay as they are. */
void iw_builtin_show(dissector_handle_t builtin, tvbuff_t *tvb, packet_info *pinfo,
		     proto_tree *tree, void *data);
/* Its fields that ours have no names for, below @tree and hidden, if somebody asks for one. */
void iw_builtin_fields(dissector_handle_t builtin, tvbuff_t *tvb, packet_info *pinfo,
		       proto_tree *tree, void *data);
/* What it calls the payload of an IPoIB packet, which it takes for Ethernet's, if somebody asks. */
void iw_builtin_payload(proto_tree *tree, tvbuff_t *payload);
/* The name of its protocol, if somebody asks for it. */
void iw_builtin_name(proto_tree *tree, tvbuff_t *tvb);

#endif /* IW_BUILTIN_H */
