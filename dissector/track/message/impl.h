/* SPDX-License-Identifier: GPL-2.0-or-later */
/* impl.h - what the files of this directory share. */
#ifndef IBWIRE_TRACK_MESSAGE_IMPL_H
#define IBWIRE_TRACK_MESSAGE_IMPL_H

#include "message.h"
#include "track/way/psn.h"

struct way;

/* Where a message is. */
enum message_state {
	MESSAGE_OPEN,    /* packets are to come */
	MESSAGE_WAITING, /* for its answer */
	MESSAGE_CLOSED
};

struct message {
	struct track_message_out m; /* what is given out; its lists are these: */
	uint8_t *data;
	uint64_t *frames;
	uint32_t room, frames_room;
	struct track_ulp_of *of;
	uint64_t first, next;       /* PSNs */
	uint64_t begin_frame;       /* iWARP: as track_iwarp_begun has it */
	uint64_t sink_to;           /* iWARP: where a response goes to */
	uint32_t sink_key, request; /* iWARP: likewise; the id of an atomic */
	bool broken;                /* bytes are missing: no more are kept */
	uint8_t state;              /* enum message_state */
	struct way *way;            /* while it is OPEN or WAITING */
	struct message *before,
		*after; /* of those that are open, or of those that are to be given out */
	struct message *asked_before, *asked_after; /* of the way, WAITING */
};

/* A packet to add to a message. */
struct part {
	uint64_t psn, frame;
	const uint8_t *data;
	uint8_t *held;       /* the same, of the ones that are */
	uint32_t n, payload; /* bytes that are there, and that there should be */
	uint32_t immediate, invalidate;
	uint8_t opcode;
	bool solicited, has_immediate, has_invalidate;
};

/* Messages of iWARP that a Terminate may refuse: as many as track/iwarp knows. */
#define REFUSABLE_MAX 16u

/* Requests of one way of a connection, or responses; of iWARP both. */
struct way {
	struct track_message_place place;
	struct track_psns psns; /* of what was put */
	struct message *open[TRACK_MESSAGES_OPEN];
	struct message *slot[TRACK_MESSAGE_SLOT_SINGLE]; /* iWARP */
	struct part *early;                              /* TRACK_MESSAGES_EARLY, or NULL */
	unsigned int n_open, n_early;
	struct message *first_asked,
		*last_asked; /* in the order of their PSNs; of iWARP, in that of the stream */
	unsigned int n_asked;
	bool responses;
};

struct list {
	struct message *first, *last;
};

struct track_table;

struct track_messages {
	struct track_table *ways; /* struct way_key -> struct way * */
	struct list open;         /* the one used longest ago first */
	struct list
		out; /* in the order they are given out; the first one may wait for its answer */
	struct list ready;     /* the first ones of those, which wait for nothing */
	struct message *given; /* by the last track_messages_next() */
	struct way *at_hand;   /* that does not make room */
	unsigned int n_out;
	uint64_t used, max;
	uint64_t evicted, unanswered, headless;
	bool (*is_asked_for)(const void *user, const struct track_flow *flow); /* NULL: all are */
	const void *user;
};

/* message.c: NULL: there is no room. */
struct way *track_message_way(struct track_messages *t, const struct track_message_place *place,
			      bool responses);
/* The same, without creating one. */
struct way *track_message_find_way(struct track_messages *t,
				   const struct track_message_place *place, bool responses);

/* The way of the requests opposite to @place; NULL: there is none, or it is not known. */
struct way *track_message_other_way(struct track_messages *t,
				    const struct track_message_place *place);

/* Makes room for @bytes more; false: there is none. Any message except @but may be delivered for it. */
bool track_message_take(struct track_messages *t, uint64_t bytes, const struct message *but);

/* One that begins, open in @w (NULL: in none). */
struct message *track_message_begin(struct track_messages *t, struct way *w,
				    const struct track_message_place *place, uint8_t kind,
				    const struct track_at *at);
void track_message_upper(struct track_messages *t, struct message *m,
			 const struct track_upper *upper);

/* A frame of it, and bytes, of which @n are there. */
void track_message_frame(struct track_messages *t, struct message *m, uint64_t frame);
void track_message_append(struct track_messages *t, struct message *m, const uint8_t *p, uint32_t n,
			  uint32_t payload);
bool track_message_is_data(const struct message *m);

/* It was used by the current packet. */
void track_message_touch(struct track_messages *t, struct message *m, const struct track_at *at);

/* It is complete, or nothing more of it arrives. @waits: for an answer. */
void track_message_close(struct track_messages *t, struct message *m, bool waits);
void track_message_give_up(struct track_messages *t, struct message *m);

/* A message of the other way answers it, not an acknowledgement. */
static inline bool track_message_has_response(const struct message *m)
{
	return m->m.kind == TRACK_MESSAGE_READ_REQUEST || m->m.kind == TRACK_MESSAGE_ATOMIC;
}

/* Something of the other way answers it, which of iWARP nothing does of a Send or a Write. */
static inline bool track_message_has_answer(const struct message *m)
{
	return !m->m.place.iwarp || track_message_has_response(m);
}

/* It waits no longer; its answer is that of @frame, 0: there is none. */
void track_message_answer(struct track_messages *t, struct message *m, uint64_t frame);
void track_message_refuse(struct track_messages *t, struct message *m, uint64_t frame);

/* Those before the frame at hand whose connection was over by then wait no longer. */
void track_message_settle(struct track_messages *t, uint64_t frame);

/* packets.c: the packets that are early are of no message. */
void track_message_drop_early(struct track_messages *t, struct way *w);

#endif /* IBWIRE_TRACK_MESSAGE_IMPL_H */
