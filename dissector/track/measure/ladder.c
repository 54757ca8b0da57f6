/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ladder.c - keeps the last runs of like packets of a direction.
 *
 * They are in a ring, except for the last packet of the current run. Entries are packed, and are unpacked only to show an
 * incident.
 */
#include <string.h>

#include "series_impl.h"
#include "track/incident/incident_impl.h"

#define PLACES_FIRST 16u
#define PLACES (2u * TRACK_LADDER_RUNS)

/* Runs before the one that an incident begins with, which are kept with it. */
#define BEFORE 2u

_Static_assert(!(PLACES & (PLACES - 1)) && !(PLACES_FIRST & (PLACES_FIRST - 1)),
	       "places of a ring");
_Static_assert(TRACK_RUNG_NAK <= TRACK_PLACE_KIND, "bits of a place");

static bool take(struct track_series_room *all, uint64_t bytes)
{
	if (!track_series_fits(all, bytes))
		return false;
	all->used += bytes;
	return true;
}

/* Places: their numbers go on beyond the end of the ring. */

static uint32_t room_of(const struct track_ladder *l)
{
	return l->place ? l->mask + 1 : 0;
}

static struct track_rung_place *place_at(const struct track_ladder *l, uint64_t i)
{
	return &l->place[i & l->mask];
}

/* Until there are as many as there can be, the ring does not turn, and all are where they are in a larger one. */
bool track_ladder_turn(struct track_series *t)
{
	struct track_ladder *l = &t->ladder;
	uint32_t before = room_of(l), room = before ? 2 * before : PLACES_FIRST;

	if (room > PLACES || l->is_full)
		return before;
	if (!take(t->all, (room - before) * sizeof(*l->place))) {
		l->is_full = before;
		return before;
	}
	l->place = g_renew(struct track_rung_place, l->place, room);
	l->mask = room - 1;
	return true;
}

static int32_t count_of(const struct track_rung_now *r)
{
	return (int32_t)(r->key == TRACK_RUN_ACK ? r->acks : r->last - r->first + 1);
}

void track_ladder_settle(struct track_series *t)
{
	const struct track_rung_now *r = &t->run;
	struct track_rung_place *first, *last;

	if (!r->is_long || !t->ladder.end)
		return;
	first = place_at(&t->ladder, t->ladder.end - 1);
	first->frame_what |= TRACK_PLACE_IS_LONG;
	last = track_ladder_next(t);
	*last = (struct track_rung_place){ .frame_what = r->last_frame << TRACK_PLACE_FRAME |
							 TRACK_PLACE_IS_OTHER,
					   .time_ns = r->last_ns,
					   .psn = track_series_since(t, r->last),
					   .other = count_of(r) };
	t->run.is_long = false;
}

void track_ladder_end_nak(struct track_series *t, const struct track_packet *p, int32_t psn)
{
	struct track_rung_place *last;

	if (!t->ladder.end)
		return;
	place_at(&t->ladder, t->ladder.end - 1)->frame_what |= TRACK_PLACE_IS_LONG;
	last = track_ladder_next(t);
	*last = (struct track_rung_place){ .frame_what = p->at.frame << TRACK_PLACE_FRAME |
							 TRACK_PLACE_IS_OTHER | p->syndrome,
					   .time_ns = p->at.time_ns,
					   .psn = psn,
					   .other = 1 };
}

static struct track_rung first_of(const struct track_rung_place *place)
{
	const uint8_t opcode = (uint8_t)(place->frame_what >> TRACK_PLACE_OPCODE);

	return (struct track_rung){ .frame = place->frame_what >> TRACK_PLACE_FRAME,
				    .last_frame = place->frame_what >> TRACK_PLACE_FRAME,
				    .time_ns = place->time_ns,
				    .last_ns = place->time_ns,
				    .count = 1,
				    .psn = place->psn,
				    .last_psn = place->psn,
				    .missing = place->other,
				    .kind = place->frame_what & TRACK_PLACE_KIND,
				    .opcode = opcode,
				    .verb = (uint8_t)track_verb_of(opcode) };
}

static void with_last(struct track_rung *run, const struct track_rung_place *place)
{
	run->last_frame = place->frame_what >> TRACK_PLACE_FRAME;
	run->syndrome = (uint8_t)place->frame_what;
	run->last_ns = place->time_ns;
	run->last_psn = place->psn;
	run->count = (uint32_t)place->other;
}

/* What the run at hand has so far. */
static void with_run(struct track_rung *run, const struct track_series *t)
{
	run->last_frame = t->run.last_frame;
	run->last_ns = t->run.last_ns;
	run->last_psn = track_series_since(t, t->run.last);
	run->count = (uint32_t)count_of(&t->run);
}

struct track_rungs track_ladder_last(const struct track_series *t)
{
	const struct track_ladder *l = &t->ladder;
	const uint64_t room = room_of(l);
	uint64_t at = l->end > room ? l->end - room : 0;
	struct track_rungs last = { .run = g_new(struct track_rung, room + 1), .forgot = at };
	struct track_rung *run = NULL;
	uint32_t i;

	for (; at < l->end; at++) {
		const struct track_rung_place *place = place_at(l, at);

		if (!(place->frame_what & TRACK_PLACE_IS_OTHER)) {
			run = &last.run[last.n++];
			*run = first_of(place);
		} else if (run) {
			with_last(run, place);
		}
	}
	if (t->run.is_long && run)
		with_run(run, t);
	for (i = 0; last.n > TRACK_LADDER_RUNS && i < TRACK_LADDER_RUNS; i++)
		last.run[i] = last.run[last.n - TRACK_LADDER_RUNS + i];
	last.forgot |= last.n > TRACK_LADDER_RUNS;
	last.n = MIN(last.n, TRACK_LADDER_RUNS);
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
	from = track_ladder_last(t);
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
	t->all->used -= room_of(l) * sizeof(*l->place);
	g_free(l->place);
}
