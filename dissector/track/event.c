/* SPDX-License-Identifier: GPL-2.0-or-later */
/* event.c - the tables of events and doubts, and the queue. */
#include <ibwire/ibwire.h>

#include "event.h"

#define TRACK_VALUES(list) const struct ibw_name track_##list##_names[] = {
#define TRACK_VALUE(list, constant, value, name) { (value), (name) },
#define TRACK_VALUES_END(list)                                                                     \
	{                                                                                          \
		0, NULL                                                                            \
	}                                                                                          \
	}                                                                                          \
	;
#include "event.def"

const struct track_event_row track_event_rows[TRACK_EVENT_COUNT] = {
#define TRACK_EVENT(id, say, sentence)                                                             \
	[TRACK_EVENT_##id].name = (say), [TRACK_EVENT_##id].text = (sentence),
#define TRACK_NUMBER(id, at, field, is, list, says)                                                \
	[TRACK_EVENT_##id].number[at] = { #field, says, list, IBW_KIND_##is },
#define TRACK_TELL(id, part, of_one, of_many)                                                      \
	[TRACK_EVENT_##id].role = TRACK_ROLE_##part, [TRACK_EVENT_##id].one = (of_one),            \
	[TRACK_EVENT_##id].many = (of_many),
#include "event.def"
};

const struct track_doubt_row track_doubt_rows[TRACK_DOUBT_COUNT] = {
#define TRACK_DOUBT(id, name, text) { name, text },
#include "doubt.def"
};

unsigned int track_events_room(const struct track_events *q)
{
	return TRACK_EVENTS_MAX - q->n;
}

struct track_event *track_event_add(struct track_events *q, enum track_event_kind kind,
				    const struct track_at *at)
{
	struct track_event *e;

	if (!q)
		return NULL;
	if (!track_events_room(q)) {
		q->lost++;
		return NULL;
	}
	e = &q->event[q->n++];
	*e = (struct track_event){ .frame = at->frame,
				   .time_ns = at->time_ns,
				   .kind = (uint8_t)kind,
				   .doubt = at->doubt | q->doubt };
	return e;
}

void track_event_cause(struct track_event *e, uint64_t frame)
{
	unsigned int i;

	for (i = 0; i < e->n_frames; i++)
		if (e->frames[i] == frame)
			return;
	if (frame && frame != e->frame && e->n_frames < TRACK_EVENT_FRAMES)
		e->frames[e->n_frames++] = frame;
}
