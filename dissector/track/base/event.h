/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event.h - events, the facts that trackers report as values; event.def lists the kinds.
 *
 * Trackers append to one bounded queue; a reader empties it after each packet:
 *
 *	track_want_events(t);
 *	while (...) {
 *		track_feed(t, &view, &frame);
 *		e = track_events(t, &n);
 *	}
 *	do {
 *		more = track_finish(t);
 *		e = track_events(t, &n);
 *	} while (more);
 *
 * An event is in doubt if something that the capture may lack (doubt.def) could make it untrue (event.def):
 * track_event_doubt(). A NAK that is in the file was sent, whatever is missing.
 */
#ifndef IBWIRE_TRACK_EVENT_H
#define IBWIRE_TRACK_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include <ibwire/tables.h>

#include "flow.h"

enum track_event_kind {
#define TRACK_EVENT(id, name, text) TRACK_EVENT_##id,
#include "event.def"
	TRACK_EVENT_COUNT
};

/* Where a number of an event is: e->number[TRACK_CM_REJ_reason]. */
enum track_event_number {
#define TRACK_NUMBER(id, at, name, kind, names, title) TRACK_##id##_##name = (at),
#include "event.def"
};

#define TRACK_VALUES(list)                                                                         \
	enum track_##list                                                                          \
	{
#define TRACK_VALUE(list, constant, value, name) TRACK_##constant = (value),
#define TRACK_VALUES_END(list)                                                                     \
	}                                                                                          \
	;                                                                                          \
	extern const struct ibw_name track_##list##_names[];
#include "event.def"

/* By its cause: no sender is known to have retransmitted it. */
static inline bool track_is_duplicate(uint64_t resend)
{
	return resend == TRACK_RESEND_DUPLICATE || resend == TRACK_RESEND_EITHER;
}

enum track_doubt_bit {
#define TRACK_DOUBT(id, ...) TRACK_DOUBT_BIT_##id,
#include "doubt.def"
	TRACK_DOUBT_COUNT
};

enum track_doubt {
#define TRACK_DOUBT(id, ...) TRACK_DOUBT_##id = 1 << TRACK_DOUBT_BIT_##id,
#include "doubt.def"
};

enum track_absent_bit {
#define TRACK_ABSENT(id, text) TRACK_ABSENT_BIT_##id,
#include "doubt.def"
	TRACK_ABSENT_COUNT
};

enum track_absent {
#define TRACK_ABSENT(id, text) TRACK_ABSENT_##id = 1 << TRACK_ABSENT_BIT_##id,
#include "doubt.def"
	TRACK_ABSENT_PACKET = TRACK_ABSENT_REQUEST | TRACK_ABSENT_RESPONSE
};

/* Which packets show an event. */
enum track_shown { TRACK_SHOWN_REQUESTS, TRACK_SHOWN_ANSWERS };

#define TRACK_EVENT_NUMBERS 9
#define TRACK_EVENT_FRAMES 4

struct track_event {
	uint64_t frame; /* that shows it; at the end of the capture the last one */
	uint64_t time_ns;
	uint64_t half;          /* its first frame; 0: about none */
	struct track_flow flow; /* of that half, or of another subject; or of address NONE */
	uint8_t kind;           /* enum track_event_kind */
	uint8_t way;            /* of a connection: enum track_way of @flow */
	uint8_t n_frames;
	uint16_t doubt;                      /* enum track_doubt: what the capture may lack */
	uint64_t frames[TRACK_EVENT_FRAMES]; /* others that caused it, the oldest first */
	uint64_t number[TRACK_EVENT_NUMBERS];
	const char *
		about; /* the subject in words, to be appended to the message; NULL: none. Valid until the next packet */
};

struct track_event_number_row {
	const char *name; /* NULL: the event has none here */
	const char *title;
	const struct ibw_name *names; /* NULL: none */
	enum ibw_kind kind;
};

/* What an event is in a story. */
enum track_role { TRACK_ROLE_NONE, TRACK_ROLE_FAULT, TRACK_ROLE_AFTER, TRACK_ROLE_CM };

struct track_event_row {
	const char *name;
	const char *text;
	const char *one;  /* how it is told; NULL: it is not */
	const char *many; /* of several in a row, in a story; NULL: no story tells it */
	enum track_role role;
	struct track_event_number_row number[TRACK_EVENT_NUMBERS];
};

struct track_doubt_row {
	const char *name;
	const char *text;
	const char *because; /* why findings are withheld */
	uint8_t absent[2];   /* enum track_absent, by enum track_shown */
	bool counted;        /* it is known how many packets */
};

/* What may make an event untrue. */
struct track_untrue {
	uint8_t by;     /* enum track_absent; 0: it is in the file */
	uint8_t shown;  /* enum track_shown */
	uint64_t needs; /* packets that have to be absent for that */
};

/*
 * Whether events of this kind need track_want_streams(), which makes them (a range of event.def), or knows where packets are
 * missing that would explain a fault of a command.
 */
static inline bool track_event_needs_streams(enum track_event_kind kind)
{
	return (kind >= TRACK_EVENT_SETTLED && kind <= TRACK_EVENT_SAMPLED) ||
	       kind == TRACK_EVENT_ULP_FAULT;
}

extern const struct track_event_row track_event_rows[TRACK_EVENT_COUNT];
extern const struct track_doubt_row track_doubt_rows[TRACK_DOUBT_COUNT];

/*
 * The queue. A tracker adds a few events per packet; there is room for those of many packets. If no
 * reader empties it, further events are counted and lost.
 */
#define TRACK_EVENTS_MAX 4096

#define TRACK_ABOUT_TEXT 256

struct track_events {
	struct track_event *event;
	char (*about)[TRACK_ABOUT_TEXT]; /* of each; NULL before the first */
	unsigned int n;
	uint16_t doubt; /* of the whole capture, as far as known */
	uint64_t lost;
	bool unread[TRACK_EVENT_COUNT]; /* kinds without a reader: not created */
};

/* Of what packet an event is. */
struct track_at {
	uint64_t frame;
	uint64_t time_ns;
	uint16_t doubt; /* of the packet */
};

struct track_untrue track_event_untrue(const struct track_event *e) __attribute__((cold));

/* The part of @doubt (enum track_doubt) that could make an event untrue. */
uint16_t track_event_doubt(const struct track_untrue *untrue, uint16_t doubt);

/* Another possible cause of @e, with that doubt; NULL: none. It follows ", or ". */
const char *track_event_or(const struct track_event *e, uint16_t doubt) __attribute__((cold));

/*
 * A new event at the end of the queue; NULL: it has no reader (@q is NULL, or this kind is not wanted), or there is no
 * room.
 */
struct track_event *track_event_add(struct track_events *q, enum track_event_kind kind,
				    const struct track_at *at);

/* A frame that caused @e; no frame twice, and not the event's own. */
void track_event_cause(struct track_event *e, uint64_t frame);

/* Room for the subject of @e, of this queue, in words, which are "" now. */
char *track_event_about(struct track_events *q, struct track_event *e);

/* The number of events for which there is still room. */
unsigned int track_events_room(const struct track_events *q);

#endif /* IBWIRE_TRACK_EVENT_H */
