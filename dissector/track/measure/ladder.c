/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ladder.c - runs of packets alike, the last ones of a direction.
 *
 * They are in a ring of places, the last one of which grows where it is. What a place has is packed, and read only if an
 * incident wants to be shown.
 */
#include <string.h>

#include "series_impl.h"
#include "track/incident/incident_impl.h"

#define PLACES_FIRST 16u
#define PLACES (2u * TRACK_LADDER_RUNS)

/* Runs before the one that an incident begins with, which are kept with it. */
#define BEFORE 2u

/* How a place has a frame and what it is of. */
#define FRAME_SHIFT 16u
#define OPCODE_SHIFT 8u
#define IS_LONG 0x80u
#define KIND_MASK 7u

_Static_assert(PLACES <= UINT8_MAX && !(PLACES & (PLACES - 1)), "places of a ring");
_Static_assert(TRACK_RUNG_NAK <= KIND_MASK, "bits of a place");

static bool take(struct track_series_room *all, uint64_t bytes)
{
	if (!track_series_fits(all, bytes))
		return false;
	all->used += bytes;
	return true;
}

/* Places: their numbers go on beyond the end of the ring. */

static unsigned int used(const struct track_ladder *l)
{
	return (uint8_t)(l->end - l->first);
}

static struct track_rung_place *place_at(const struct track_ladder *l, unsigned int i)
{
	return &l->place[i & (l->room - 1u)];
}

static bool is_long(const struct track_rung_place *place)
{
	return place->frame_what & IS_LONG;
}

static uint8_t kind_of(const struct track_rung_place *place)
{
	return place->frame_what & KIND_MASK;
}

static uint8_t opcode_of(const struct track_rung_place *place)
{
	return (uint8_t)(place->frame_what >> OPCODE_SHIFT);
}

/* How many places it was in. */
static unsigned int unpack(struct track_rung *run, const struct track_ladder *l, unsigned int i)
{
	const struct track_rung_place *place = place_at(l, i);

	*run = (struct track_rung){ .frame = place->frame_what >> FRAME_SHIFT,
				    .last_frame = place->frame_what >> FRAME_SHIFT,
				    .time_ns = place->time_ns,
				    .last_ns = place->time_ns,
				    .count = 1,
				    .psn = place->psn,
				    .last_psn = place->psn,
				    .missing = place->other,
				    .kind = kind_of(place),
				    .opcode = opcode_of(place),
				    .verb = (uint8_t)track_verb_of(opcode_of(place)) };
	if (!is_long(place))
		return 1;
	place = place_at(l, i + 1);
	run->last_frame = place->frame_what >> FRAME_SHIFT;
	run->syndrome = (uint8_t)place->frame_what;
	run->last_ns = place->time_ns;
	run->last_psn = place->psn;
	run->count = (uint32_t)place->other;
	return 2;
}

static inline void forget_oldest(struct track_ladder *l)
{
	l->first = (uint8_t)(l->first + (is_long(place_at(l, l->first)) ? 2 : 1));
	l->n--;
	l->forgot = true;
}

/* A ring that has turned is put in order. */
static bool grow(struct track_series_room *all, struct track_ladder *l)
{
	unsigned int room = l->room ? 2u * l->room : PLACES_FIRST, n = used(l), i;
	struct track_rung_place *place;

	if (room > PLACES || !take(all, (room - l->room) * sizeof(*place)))
		return false;
	place = g_new0(struct track_rung_place, room);
	for (i = 0; i < n; i++)
		place[i] = *place_at(l, l->first + i);
	g_free(l->place);
	l->place = place;
	l->first = 0;
	l->end = (uint8_t)n;
	l->room = (uint8_t)room;
	return true;
}

/* Room for @places more; what is oldest goes for them. False: there is none. */
static bool make_room(struct track_series_room *all, struct track_ladder *l, unsigned int places)
{
	while (used(l) + places > l->room && !grow(all, l)) {
		if (!l->n)
			return false;
		forget_oldest(l);
	}
	return true;
}

/* Runs */

static bool has_payload(uint8_t opcode)
{
	return ibw_opcodes[opcode].flags & IBW_OPF_PAYLOAD;
}

/* READ Requests and NAKs are told one by one: what they ask for differs. */
static bool goes_on(const struct track_ladder *l, const struct track_packet *p,
		    enum track_rung_kind kind, int32_t psn)
{
	const struct track_rung_place *first = place_at(l, l->end - l->last),
				      *last = place_at(l, l->end - 1u);

	if (kind_of(first) != kind || p->at.time_ns - last->time_ns > TRACK_LADDER_GAP_NS)
		return false;
	switch (kind) {
	case TRACK_RUNG_ACK:
		return psn >= last->psn;
	case TRACK_RUNG_NAK:
		return false;
	case TRACK_RUNG_RESPONSE:
		break;
	default:
		if (!has_payload(opcode_of(first)) || !has_payload(p->opcode))
			return false;
	}
	return psn == last->psn + 1 && track_verb_of(opcode_of(first)) == track_verb_of(p->opcode);
}

/* What is the last of a run so far; how many are in it. */
static void end_run(struct track_ladder *l, const struct track_packet *p, int32_t psn,
		    int32_t count)
{
	*place_at(l, l->end - 1u) =
		(struct track_rung_place){ .frame_what = p->at.frame << FRAME_SHIFT | p->syndrome,
					   .time_ns = p->at.time_ns,
					   .psn = psn,
					   .other = count };
}

/* A run of one is in one place: there is room for another, as the first places are more than two. */
static __attribute__((noinline)) void lengthen(struct track_series_room *all,
					       struct track_ladder *l, const struct track_packet *p,
					       int32_t psn)
{
	int32_t count = 1;

	if (l->last == 2) {
		count = place_at(l, l->end - 1u)->other;
	} else if (make_room(all, l, 1)) {
		place_at(l, l->end - 1u)->frame_what |= IS_LONG;
		l->end++;
		l->last = 2;
	}
	end_run(l, p, psn, count + 1);
}

/* A run of one packet. @is_long: in two places. */
static inline void begin_run(struct track_ladder *l, const struct track_packet *p,
			     enum track_rung_kind kind, int32_t psn, int32_t missing,
			     unsigned int is_long)
{
	*place_at(l, l->end) =
		(struct track_rung_place){ .frame_what = p->at.frame << FRAME_SHIFT |
							 (uint64_t)p->opcode << OPCODE_SHIFT |
							 is_long | kind,
					   .time_ns = p->at.time_ns,
					   .psn = psn,
					   .other = missing };
	l->last = is_long ? 2 : 1;
	l->end = (uint8_t)(l->end + l->last);
	l->n++;
}

/* Whatever it is: of a NAK its syndrome is in the second place. */
static __attribute__((noinline)) void
begin_any(struct track_series_room *all, struct track_ladder *l, const struct track_packet *p,
	  enum track_rung_kind kind, int32_t psn, int32_t missing)
{
	if (!make_room(all, l, kind == TRACK_RUNG_NAK ? 2 : 1)) {
		l->forgot = true;
		return;
	}
	begin_run(l, p, kind, psn, missing, kind == TRACK_RUNG_NAK ? IS_LONG : 0);
	if (kind == TRACK_RUNG_NAK)
		end_run(l, p, psn, 1);
}

void track_ladder_add(struct track_series *t, const struct track_packet *p,
		      enum track_rung_kind kind, int32_t psn, int32_t missing)
{
	struct track_ladder *l = &t->ladder;

	if (missing == TRACK_SERIES_NONE && l->n && goes_on(l, p, kind, psn)) {
		lengthen(t->all, l, p, psn);
		return;
	}
	if (l->n == TRACK_LADDER_RUNS)
		forget_oldest(l);
	if (kind == TRACK_RUNG_NAK || used(l) >= l->room)
		begin_any(t->all, l, p, kind, psn, missing);
	else
		begin_run(l, p, kind, psn, missing, 0);
}

struct track_rungs track_ladder_last(const struct track_ladder *l)
{
	struct track_rungs last = { .run = g_new(struct track_rung, l->n + 1u),
				    .forgot = l->forgot };
	unsigned int at = 0;

	while (at < used(l))
		at += unpack(&last.run[last.n++], l, l->first + at);
	return last;
}

/* The costliest incident */

static void drop(struct track_series_room *all, struct track_rungs *rungs)
{
	all->used -= rungs->n * sizeof(*rungs->run);
	g_free(rungs->run);
	*rungs = (struct track_rungs){ .n = 0 };
}

static bool is_costliest(struct track_series *t, uint64_t ns)
{
	struct track_rung_costliest *c = t->ladder.costliest;

	if (c)
		return !c->frame || ns > c->ns;
	if (!take(t->all, sizeof(*c)))
		return false;
	t->ladder.costliest = g_new0(struct track_rung_costliest, 1);
	return true;
}

void track_ladder_over(struct track_series *t, uint64_t frame, uint64_t begin_frame, uint64_t ns)
{
	struct track_rung_costliest *c;
	struct track_rungs from, *to;
	uint32_t begin = 0;

	if (!is_costliest(t, ns))
		return;
	c = t->ladder.costliest;
	to = &c->rungs;
	drop(t->all, to);
	c->frame = 0;
	from = track_ladder_last(&t->ladder);
	while (begin + 1 < from.n && from.run[begin].last_frame < begin_frame)
		begin++;
	begin -= MIN(begin, BEFORE);
	if (take(t->all, (from.n - begin) * sizeof(*to->run))) {
		c->frame = frame;
		c->ns = ns;
		to->n = from.n - begin;
		to->forgot = from.forgot && !begin;
		to->run = g_memdup2(&from.run[begin], to->n * sizeof(*to->run));
	}
	g_free(from.run);
}

void track_ladder_free(struct track_series *t)
{
	struct track_ladder *l = &t->ladder;

	if (l->costliest) {
		drop(t->all, &l->costliest->rungs);
		t->all->used -= sizeof(*l->costliest);
		g_free(l->costliest);
	}
	t->all->used -= l->room * sizeof(*l->place);
	g_free(l->place);
}
