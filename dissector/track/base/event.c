/* SPDX-License-Identifier: GPL-2.0-or-later */
/* event.c - the tables of events and doubts, and the queue. */
#include <glib.h>

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
#define TRACK_SAY(id, of_one) [TRACK_EVENT_##id].one = (of_one),
#include "event.def"
};

const struct track_doubt_row track_doubt_rows[TRACK_DOUBT_COUNT] = {
#define NOTHING 0
#define REQUEST TRACK_ABSENT_REQUEST
#define RESPONSE TRACK_ABSENT_RESPONSE
#define COPY TRACK_ABSENT_COPY
#define START TRACK_ABSENT_START
#define CLOCK TRACK_ABSENT_CLOCK
#define PSNS TRACK_ABSENT_PSNS
#define ROUND_TRIP TRACK_ABSENT_ROUND_TRIP
#define TRACK_DOUBT(id, name, text, of_requests, of_answers, counted, because)                     \
	{ name, text, because, { of_requests, of_answers }, counted },
#include "doubt.def"
};

/* What event.def says of an event. */
#define N(id, name) (e->number[TRACK_##id##_##name])

static unsigned int untrue_by(const struct track_event *e)
{
	switch ((enum track_event_kind)e->kind) {
#define TRACK_UNTRUE(id, shown, by)                                                                \
	case TRACK_EVENT_##id:                                                                     \
		return by;
#include "event.def"
	case TRACK_EVENT_COUNT:
		break;
	}
	return NOTHING;
}

static const uint8_t shown_by[TRACK_EVENT_COUNT] = {
#define TRACK_UNTRUE(id, shown, by) [TRACK_EVENT_##id] = TRACK_SHOWN_##shown,
#include "event.def"
};

/* Packets that would have to be absent; of what compares MADs that one may be what another finding lacks, too. */
static uint64_t needs(const struct track_event *e)
{
	switch (e->kind) {
	case TRACK_EVENT_PSN_GAP:
		return N(PSN_GAP, count) - N(PSN_GAP, damaged);
	case TRACK_EVENT_GROUP_LEFT:
	case TRACK_EVENT_SENT_AFTER_LEAVE:
	case TRACK_EVENT_MLID_OF_BEFORE:
	case TRACK_EVENT_LID_TWICE:
		return 0;
	default:
		return 1;
	}
}

struct track_untrue track_event_untrue(const struct track_event *e)
{
	return (struct track_untrue){ (uint8_t)untrue_by(e), shown_by[e->kind], needs(e) };
}

uint16_t track_event_doubt(const struct track_untrue *untrue, uint16_t doubt)
{
	unsigned int left = doubt & ((1u << TRACK_DOUBT_COUNT) - 1), i;
	uint16_t meets = 0;

	for (; untrue->by && left; left &= left - 1) { /* few are set */
		i = (unsigned int)__builtin_ctz(left);
		if (track_doubt_rows[i].absent[untrue->shown] & untrue->by)
			meets |= (uint16_t)(1u << i);
	}
	return meets;
}

const char *track_event_or(const struct track_event *e, uint16_t doubt)
{
	struct track_untrue cause = { .shown = shown_by[e->kind] };

#define TRACK_CAUSE(id, when, absent, words)                                                       \
	if (e->kind == TRACK_EVENT_##id && (when)) {                                               \
		cause.by = (absent);                                                               \
		if (track_event_doubt(&cause, doubt))                                              \
			return words;                                                              \
	}
#include "event.def"
	return NULL;
}

unsigned int track_events_room(const struct track_events *q)
{
	return TRACK_EVENTS_MAX - q->n;
}

struct track_event *track_event_add(struct track_events *q, enum track_event_kind kind,
				    const struct track_at *at)
{
	struct track_event *e;

	if (!q || q->unread[kind])
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

char *track_event_about(struct track_events *q, struct track_event *e)
{
	char *about;

	if (!q->about)
		q->about = g_malloc(TRACK_EVENTS_MAX * sizeof(*q->about));
	about = q->about[e - q->event];
	*about = '\0';
	e->about = about;
	return about;
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
