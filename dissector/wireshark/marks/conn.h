/* SPDX-License-Identifier: GPL-2.0-or-later */
/* conn.h - the messages of the CM that began and ended a connection. */
#ifndef IW_CONN_H
#define IW_CONN_H

#include "wireshark/base/compat.h"

#include "wireshark/packet/frame.h"
#include "track/track.h"

void iw_conn_register(void);
void iw_conn_init(void); /* a file is about to be read */
void iw_conn_cleanup(void);
void iw_conn_add(const struct track_reply *r);
void iw_conn_has_data(uint32_t first_frame); /* a packet of that connection was captured */
/* The messages of the conversation that began at @first_frame, 0: no message of it is known, but this one; who sent this one. */
void iw_conn_tree(proto_tree *tree, packet_info *pinfo, const struct iw_frame *frame,
		  uint32_t first_frame, enum track_cm_side side);

#endif /* IW_CONN_H */
