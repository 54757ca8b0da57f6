/* SPDX-License-Identifier: GPL-2.0-or-later */
/* msg.h - which message a packet is of. */
#ifndef IW_MSG_H
#define IW_MSG_H

#include "wireshark/base/compat.h"

#include "wireshark/packet/frame.h"
#include "track/track.h"

void iw_msg_register(void);
void iw_msg_init(void); /* a file is about to be read */
void iw_msg_cleanup(void);
void iw_msg_add(const struct track_reply *r);
/*
 * First frames, uint32_t, of messages that were completed on the first pass since who listens to that tap has emptied the list; as
 * long as nobody does, none.
 */
void iw_msg_tell(int tap);
GArray *iw_msg_completed(void);
/* The enum track_verb of the message that the frame's packet is of. */
bool iw_msg_verb(uint32_t frame, uint32_t *verb);
uint32_t iw_msg_number(uint32_t frame); /* in its direction; 0: it is of none */
/* The first frame of that message, a request; 0: it is of none. */
uint32_t iw_msg_first(uint32_t frame);
/* The enum track_verb, and the time to its completion, of one frame of each message: its first, or the last response. */
bool iw_msg_latency(uint32_t frame, uint32_t *verb, uint64_t *ns);
/* Nothing of that message is missing: it is not completed once more. */
bool iw_msg_is_whole(uint32_t frame);
void iw_msg_tree(proto_tree *tree, packet_info *pinfo, const struct iw_frame *frame);

/* What the tree says of a message that is none of queue pairs, in the fields of those. */
struct iw_msg_said {
	uint64_t va, ns; /* of the part at hand; from the first part to the last */
	uint32_t number, first, last, packets, len, off;
	uint32_t completed; /* 0: nothing completes it, or not yet */
	uint8_t verb;       /* enum track_verb */
	bool ended, has_len, has_off, has_va;
};

void iw_msg_add_said(proto_tree *tree, tvbuff_t *tvb, const struct iw_msg_said *said);
/* Of a READ response whose READ is known: the PSN and the bytes of that. */
bool iw_msg_read(uint32_t frame, uint32_t *psn, uint32_t *bytes);

/* A READ or an atomic, as far as its responses were seen. */
struct iw_read {
	uint32_t last, completed; /* frames of responses: the last new one; that ends it */
	uint32_t packets;         /* responses, repeated ones not counted */
	uint32_t len, brought;    /* bytes asked for, and those that came */
	bool ended, is_atomic;
};

/* That of a request or a response; false: the packet is none. */
bool iw_msg_brought(uint32_t frame, struct iw_read *r);

#endif /* IW_MSG_H */
