/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ladder.c - runs of packets alike, the last ones of a direction. */
#include <string.h>

#include "incident_impl.h"
#include "series_impl.h"

#define RUNS_FIRST 8u

/* Runs before the one that an incident begins with, which are kept with it. */
#define BEFORE 2u

static bool take(struct track_series_room *all, uint64_t bytes)
{
	if (all->used + bytes > all->most)
		return false;
	all->used += bytes;
	return true;
}

static struct track_rung *last_of(struct track_rungs *runs)
{
	return runs->n ? &runs->run[(runs->first + runs->n - 1) % runs->room] : NULL;
}

/* Whether the ring is longer now; before that it is in order. */
static bool grow(struct track_series_room *all, struct track_rungs *runs)
{
	uint32_t room = runs->room ? 2 * runs->room : RUNS_FIRST;

	if (runs->forgot || room > TRACK_LADDER_RUNS ||
	    !take(all, (room - runs->room) * sizeof(*runs->run)))
		return false;
	runs->run = g_renew(struct track_rung, runs->run, room);
	runs->room = room;
	return true;
}

static void push(struct track_series_room *all, struct track_rungs *runs,
		 const struct track_rung *run)
{
	if (runs->n == runs->room && !grow(all, runs)) {
		if (!runs->room)
			return;
		runs->first = (runs->first + 1) % runs->room;
		runs->n--;
		runs->forgot = true;
	}
	runs->n++;
	*last_of(runs) = *run;
}

/* READ Requests and NAKs are told one by one: what they ask for differs. */
static bool is_alone(const struct track_rung *run)
{
	return run->kind == TRACK_RUNG_NAK || (run->kind <= TRACK_RUNG_AGAIN &&
					       !(ibw_opcodes[run->opcode].flags & IBW_OPF_PAYLOAD));
}

static bool goes_on(const struct track_rung *last, const struct track_rung *run)
{
	if (last->kind != run->kind || is_alone(last) || is_alone(run) ||
	    run->missing != TRACK_SERIES_NONE ||
	    run->time_ns - last->last_ns > TRACK_LADDER_GAP_NS || last->verb != run->verb)
		return false;
	return run->kind == TRACK_RUNG_ACK ? run->psn >= last->last_psn
					   : run->psn == last->last_psn + 1;
}

void track_ladder_add(struct track_series *t, const struct track_rung *run)
{
	struct track_rung *last;

	if (!t->ladder) {
		if (!take(t->all, sizeof(*t->ladder)))
			return;
		t->ladder = g_new0(struct track_ladder, 1);
	}
	last = last_of(&t->ladder->last);
	if (!last || !goes_on(last, run)) {
		push(t->all, &t->ladder->last, run);
		return;
	}
	last->count++;
	last->last_frame = run->frame;
	last->last_ns = run->time_ns;
	last->last_psn = run->psn;
}

static void drop(struct track_series_room *all, struct track_rungs *runs)
{
	all->used -= runs->room * sizeof(*runs->run);
	g_free(runs->run);
	*runs = (struct track_rungs){ .room = 0 };
}

void track_ladder_over(struct track_series *t, uint64_t frame, uint64_t begin_frame, uint64_t ns)
{
	struct track_ladder *l = t->ladder;
	struct track_rungs *from, *to;
	uint32_t i, begin = 0;

	if (!l || (l->frame && ns <= l->ns))
		return;
	from = &l->last;
	to = &l->costliest;
	while (begin + 1 < from->n && track_rung_at(from, begin)->last_frame < begin_frame)
		begin++;
	begin -= MIN(begin, BEFORE);
	drop(t->all, to);
	l->frame = 0;
	if (!take(t->all, (from->n - begin) * sizeof(*to->run)))
		return;
	l->frame = frame;
	l->ns = ns;
	to->n = to->room = from->n - begin;
	to->forgot = from->forgot && !begin;
	to->run = g_new(struct track_rung, to->n);
	for (i = 0; i < to->n; i++)
		to->run[i] = *track_rung_at(from, begin + i);
}

void track_ladder_free(struct track_series *t)
{
	if (!t->ladder)
		return;
	drop(t->all, &t->ladder->last);
	drop(t->all, &t->ladder->costliest);
	t->all->used -= sizeof(*t->ladder);
	g_free(t->ladder);
}
