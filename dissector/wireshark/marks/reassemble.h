/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reassemble.h - messages of several packets. */
#ifndef IW_REASSEMBLE_H
#define IW_REASSEMBLE_H

#include "wireshark/base/compat.h"

#include "wireshark/packet/frame.h"

/* Messages of several packets. A packet that is of none says why instead. */
enum iw_message_state {
	IW_MESSAGE_GROWING,
	IW_MESSAGE_WHOLE,
	IW_MESSAGE_REPEATED, /* the packet was put before */
	IW_MESSAGE_DAMAGED,
	IW_MESSAGE_LACKING,
	IW_MESSAGE_CUT,
	IW_MESSAGE_NO_MEMORY,
	IW_MESSAGE_UNEVEN,
};

struct iw_message {
	uint8_t *data;    /* len bytes, then pad */
	uint32_t *frames; /* in the order of their PSNs */
	struct iw_message *older, *newer;
	uint64_t first, next; /* PSNs: of its first packet, and after the last one that came */
	uint64_t va;          /* of its RETH, as rkey and dmalen */
	uint32_t rkey, dmalen;
	uint32_t len, room, n_frames, frames_room;
	uint32_t mtu;   /* bytes of its first packet */
	uint32_t last;  /* the frame that completed it */
	uint8_t opcode; /* of its last packet, as pad */
	uint8_t pad;
	uint8_t state; /* enum iw_message_state */
	bool in_parts; /* somebody takes its packets one by one */
};

void iw_reassemble_init(void);   /* a file is about to be read */
void iw_reassemble_finish(void); /* every frame has been seen */
void iw_reassemble_cleanup(void);
/* Bytes of a message that is reassembled elsewhere; false: there is no room for them. */
bool iw_reassemble_take(uint64_t bytes);
/* On the first pass, once its stream and its message are known. */
void iw_reassemble_packet(const struct track *trackers, struct iw_frame *frame, packet_info *pinfo);
/* NULL: a message of one packet, or its connection is not known. */
const struct iw_message *iw_message_of(const struct iw_frame *frame, packet_info *pinfo);
/* A packet of it was taken. */
void iw_message_in_parts(const struct iw_frame *frame, packet_info *pinfo);
/* Whether it is one of the packets of a longer message. */
bool iw_message_is_part(uint8_t opcode);
/*
 * Whether a packet of @opcode is one of several of @m, which may be NULL: what is missing of a READ may come as a
 * response of its own, an ONLY.
 */
static inline bool iw_message_has(const struct iw_message *m, uint8_t opcode)
{
	return m && (m->next || iw_message_is_part(opcode));
}
/* The opcode of @n of its packets, from @i on, in one. */
uint8_t iw_message_opcode(const struct iw_message *m, uint32_t i, uint32_t n);

#endif /* IW_REASSEMBLE_H */
