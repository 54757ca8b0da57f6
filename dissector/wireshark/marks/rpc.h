/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rpc.h - which messages the dissector of RPC over RDMA can read, and when. */
#ifndef IW_RPC_H
#define IW_RPC_H

#include "wireshark/base/compat.h"

struct infinibandinfo;

/* Whether @tvb, if it is a SEND, has headers of RPC over RDMA that its dissector can read to their end. */
bool iw_rpc_has_headers(tvbuff_t *tvb, uint8_t opcode);

/* A reply with a chunk that the requester offered for its data, which is not in it then. */
bool iw_rpc_is_reduced(tvbuff_t *tvb, uint8_t opcode);

/*
 * Before the dissector of RPC over RDMA, which alone is in @list then, is given @tvb on the first pass. Of a reply without its
 * data it only takes notes of then, and reads it, without that data, beyond the end; when it sees the packet once more, it has the
 * whole message. So it takes its notes here, and is shown the packet as on a later pass: put pinfo->fd->visited back to what this returns.
 */
bool iw_rpc_first_look(heur_dissector_list_t list, tvbuff_t *tvb, packet_info *pinfo,
		       const struct infinibandinfo *info);

#endif /* IW_RPC_H */
