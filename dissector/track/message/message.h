/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * message.h - reassembles RDMA messages: SENDs, WRITEs, READs and atomics of RC, UC, XRC and UD, and those of iWARP.
 *
 *	track_messages_packet(t, &place, view, &at, &upper);
 *	while ((m = track_messages_next(t)))
 *		... m is complete, or nothing more comes of it ...
 *	track_messages_finish(t);
 *	while ((m = track_messages_next(t)))
 *		...
 *
 * A packet belongs to the message whose next PSN it has; an early packet waits for the packet before it, and a repeated one
 * is skipped. Segments of iWARP arrive in the order of their stream. Complete messages are delivered in the order of the
 * frames that complete them; one that can be answered waits for its answer, and so do those after it.
 *
 * Memory is bounded: no memory is allocated for announced bytes before they arrive, and only the first 64 KiB of each
 * message are kept. When the limit is reached, messages that wait for an answer are delivered first, then the least recently
 * used one is delivered unfinished.
 */
#ifndef IBWIRE_TRACK_MESSAGE_H
#define IBWIRE_TRACK_MESSAGE_H

#include <stdbool.h>
#include <stdint.h>

#include <ibwire/fpdu.h>

#include "track/base/event.h"
#include "track/base/flow.h"
#include "track/view/view.h"
#include "track/way/upper.h"

/* The most kept per message: its first bytes, and the frames of its packets. */
#define TRACK_MESSAGE_BYTES ((uint32_t)65536)
#define TRACK_MESSAGE_FRAMES ((uint32_t)65536)

/* The memory of all of them, at most and at least. */
#define TRACK_MESSAGES_MEMORY ((uint64_t)64 << 20)
#define TRACK_MESSAGES_MEMORY_MIN ((uint64_t)1 << 20)

/* The most per way: messages that wait for packets, early packets, messages that wait for an answer. */
#define TRACK_MESSAGES_OPEN 16u
#define TRACK_MESSAGES_EARLY 64u
#define TRACK_MESSAGES_ASKED 512u

/* Those that wait for an answer, and ways, of all connections. */
#define TRACK_MESSAGES_WAITING 16384u
#define TRACK_MESSAGES_WAYS 65536u

enum track_message_kind {
	TRACK_MESSAGE_SEND,
	TRACK_MESSAGE_WRITE,
	TRACK_MESSAGE_READ_REQUEST,
	TRACK_MESSAGE_READ_RESPONSE,
	TRACK_MESSAGE_ATOMIC,
	TRACK_MESSAGE_ATOMIC_RESPONSE,
	TRACK_MESSAGE_IMMEDIATE, /* iWARP: Immediate Data */
	TRACK_MESSAGE_TERMINATE, /* iWARP */
	TRACK_MESSAGE_KINDS
};

enum track_message_outcome {
	TRACK_MESSAGE_COMPLETE,
	TRACK_MESSAGE_CUT,        /* the capture has not all bytes of its packets */
	TRACK_MESSAGE_UNFINISHED, /* packets are missing */
	TRACK_MESSAGE_REFUSED,    /* by a NAK or a Terminate */
	TRACK_MESSAGE_OUTCOMES
};

/* "send", "write" ...; "complete", "cut" ... */
extern const char *const track_message_kinds[TRACK_MESSAGE_KINDS];
extern const char *const track_message_outcomes[TRACK_MESSAGE_OUTCOMES];

/* Stands for an unknown connection. */
#define TRACK_MESSAGE_NO_CONNECTION UINT64_MAX

/* Where a packet belongs. */
struct track_message_place {
	struct track_flow flow; /* of normalised addresses */
	/* The caller's number; of iWARP that of struct track_iwarp_conn. TRACK_MESSAGE_NO_CONNECTION: it is not known. */
	uint64_t connection;
	uint64_t last_frame; /* of the connection, after which nothing is answered; 0: not known */
	uint32_t mtu;        /* of the connection; 0: not known */
	uint8_t way;         /* enum track_way; of iWARP the side */
	bool iwarp;
	bool answers; /* packets of the other way are in the capture */
};

struct track_message_out {
	struct track_message_place place;
	uint64_t frame,
		answered; /* that completes it, or its last one; that answers it, 0: none does */
	uint64_t begin_ns, end_ns;
	uint64_t address;
	uint64_t immediate; /* of iWARP 64 bits */
	uint64_t length;  /* of its data; of a READ request, of what it asks for; of an atomic 8 */
	uint64_t payload; /* bytes of its packets that are data */
	uint32_t psn, msn, key, invalidate;
	bool has_psn, has_msn, has_key, has_immediate,
		has_invalidate; /* an address comes with a key */
	bool solicited, ipoib;
	bool whole; /* all packets are there */
	uint8_t kind, outcome;
	struct track_upper upper; /* of what it begins with; its commands are the message's own */
	/* The first bytes of the payload, up to where something is missing, and the frames of its packets. */
	const uint8_t *bytes;
	const uint64_t *frames;
	uint32_t n_bytes, n_frames;
};

struct track_messages;

/* For at most @memory bytes. Never NULL: GLib aborts without memory. */
struct track_messages *track_messages_new(uint64_t memory);
void track_messages_free(struct track_messages *t); /* NULL is fine */

/* A packet with a BTH, and the upper layer that it begins a message of. Those of QP 0 and 1, and of RD, are skipped. */
void track_messages_packet(struct track_messages *t, const struct track_message_place *place,
			   struct track_view *view, const struct track_at *at,
			   const struct track_upper *upper);

/* The capture ended: what is not complete is given out. */
void track_messages_finish(struct track_messages *t);

/* The next one, valid until the next call of any function; NULL: there is none by now. */
const struct track_message_out *track_messages_next(struct track_messages *t);

/* Given out unfinished to make room; that could not wait for their answer; packets and segments of no message, as what is before them is missing. */
uint64_t track_messages_evicted(const struct track_messages *t);
uint64_t track_messages_unanswered(const struct track_messages *t);
uint64_t track_messages_headless(const struct track_messages *t);

/*
 * A segment of iWARP, in the order of its stream. A message of several has a slot of its way; one that begins in it
 * ends what is there.
 */
enum track_message_slot {
	TRACK_MESSAGE_SLOT_SEND,
	TRACK_MESSAGE_SLOT_WRITE,
	TRACK_MESSAGE_SLOT_RESPONSE,
	TRACK_MESSAGE_SLOT_SINGLE, /* a message of one segment */
	TRACK_MESSAGE_SLOTS
};

struct track_message_segment {
	struct track_message_place place;
	const struct ibw_fpdu *fpdu;
	const struct ibw_segment *segment;
	const uint64_t *frames; /* that its octets came in */
	unsigned int n_frames;
	const struct track_upper *upper; /* of what begins; NULL: nobody knows */
	enum track_message_slot slot;
	bool begins;
};

void track_messages_segment(struct track_messages *t, const struct track_message_segment *s,
			    const struct track_at *at);

/* A segment whose message did not begin in the capture. */
void track_messages_headless_segment(struct track_messages *t,
				     const struct track_message_place *place);

/* Of iWARP only flows that are asked for are looked at, as @is_asked_for says; the caller does not give others of queue pairs. */
void track_messages_choose(struct track_messages *t,
			   bool (*is_asked_for)(const void *user, const struct track_flow *flow),
			   const void *user);

/* The message that a Terminate refuses, as struct track_iwarp_begun has it. */
struct track_message_refused {
	uint64_t frame, address;
	uint32_t key; /* STag or MSN */
	uint8_t opcode;
};

/* One of this way is refused by the other end. */
void track_messages_refused(struct track_messages *t, const struct track_message_place *place,
			    const struct track_message_refused *r, const struct track_at *at);

/* The connection of the way is over: nothing of it is answered or refused any more. */
void track_messages_over(struct track_messages *t, const struct track_message_place *place);

#endif /* IBWIRE_TRACK_MESSAGE_H */
