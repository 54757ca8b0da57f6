/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ladder.c - runs of packets alike, the last ones of a direction.
 *
 * The last run is open: packets change it where it is. As it is over it is packed into a ring, the places of which are
 * written one after the other, and read only if an incident wants to be shown.
 */
#include <string.h>

#include "incident_impl.h"
#include "series_impl.h"

#define PLACES_FIRST 16u
#define PLACES (2u * TRACK_LADDER_RUNS)

/* Runs before the one that an incident begins with, which are kept with it. */
#define BEFORE 2u

/* How a place has a frame and what it is of. */
#define FRAME_SHIFT 16u
#define OPCODE_SHIFT 8u
#define KIND_SHIFT 4u
#define IS_LONG 0x80u
#define KIND_MASK 7u
#define VERB_MASK 15u

_Static_assert(PLACES <= UINT8_MAX && !(PLACES & (PLACES - 1)), "places of a ring");
_Static_assert(TRACK_RUNG_NAK <= KIND_MASK && TRACK_VERB_COUNT <= VERB_MASK + 1, "bits of a place");

static bool take(struct track_series_room *all, uint64_t bytes)
{
	if (!track_series_fits(all, bytes))
		return false;
	all->used += bytes;
	return true;
}

/* Places */

static struct track_rung_place *place_at(const struct track_ladder *l, unsigned int i)
{
	return &l->place[(l->first + i) & (l->room - 1u)];
}

static bool is_long(const struct track_rung_place *place)
{
	return place->frame_what & IS_LONG;
}

static bool needs_two(const struct track_rung *run)
{
	return run->count > 1 || run->kind == TRACK_RUNG_NAK;
}

static void pack(struct track_ladder *l, const struct track_rung *run)
{
	const bool two = needs_two(run);

	*place_at(l, l->used++) = (struct track_rung_place){
		.frame_what = run->frame << FRAME_SHIFT | (uint64_t)run->opcode << OPCODE_SHIFT |
			      (two ? IS_LONG : 0) | (uint64_t)run->kind << KIND_SHIFT | run->verb,
		.time_ns = run->time_ns,
		.psn = run->psn,
		.other = run->missing
	};
	if (two)
		*place_at(l, l->used++) =
			(struct track_rung_place){ .frame_what = run->last_frame << FRAME_SHIFT |
								 run->syndrome,
						   .time_ns = run->last_ns,
						   .psn = run->last_psn,
						   .other = (int32_t)run->count };
	l->n++;
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
				    .kind = place->frame_what >> KIND_SHIFT & KIND_MASK,
				    .opcode = (uint8_t)(place->frame_what >> OPCODE_SHIFT),
				    .verb = place->frame_what & VERB_MASK };
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

static void forget_oldest(struct track_ladder *l)
{
	unsigned int places = is_long(place_at(l, 0)) ? 2 : 1;

	l->first = (uint8_t)((l->first + places) & (l->room - 1u));
	l->used = (uint8_t)(l->used - places);
	l->n--;
	l->forgot = true;
}

/* A ring that has turned is put in order. */
static bool grow(struct track_series_room *all, struct track_ladder *l)
{
	unsigned int room = l->room ? 2u * l->room : PLACES_FIRST, i;
	struct track_rung_place *place;

	if (room > PLACES || !take(all, (room - l->room) * sizeof(*place)))
		return false;
	place = g_new(struct track_rung_place, room);
	for (i = 0; i < l->used; i++)
		place[i] = *place_at(l, i);
	g_free(l->place);
	l->place = place;
	l->first = 0;
	l->room = (uint8_t)room;
	return true;
}

/* The open run is over. */
static void close_run(struct track_series_room *all, struct track_ladder *l)
{
	unsigned int places = needs_two(&l->open) ? 2 : 1;

	if (G_UNLIKELY(l->n == TRACK_LADDER_RUNS - 1))
		forget_oldest(l);
	while (G_UNLIKELY(l->used + places > l->room) && !grow(all, l)) {
		if (!l->n) {
			l->forgot = true;
			return;
		}
		forget_oldest(l);
	}
	pack(l, &l->open);
}

/* Runs */

/* Of packets in the middle of a message, too. */
static enum track_verb verb_of(uint8_t opcode)
{
	switch (TRACK_OPERATION(opcode)) {
	case IBW_OP_RC_RDMA_WRITE_FIRST:
	case IBW_OP_RC_RDMA_WRITE_MIDDLE:
		return TRACK_VERB_WRITE;
	default:
		return track_verb_of(opcode);
	}
}

static bool has_payload(uint8_t opcode)
{
	return ibw_opcodes[opcode].flags & IBW_OPF_PAYLOAD;
}

/* READ Requests and NAKs are told one by one: what they ask for differs. */
static bool goes_on(const struct track_rung *last, const struct track_packet *p,
		    enum track_rung_kind kind, int32_t psn)
{
	if (!last->count || last->kind != kind ||
	    p->at.time_ns - last->last_ns > TRACK_LADDER_GAP_NS)
		return false;
	switch (kind) {
	case TRACK_RUNG_ACK:
		return psn >= last->last_psn;
	case TRACK_RUNG_NAK:
		return false;
	case TRACK_RUNG_RESPONSE:
		break;
	default:
		if (!has_payload(last->opcode) || !has_payload(p->opcode))
			return false;
	}
	return psn == last->last_psn + 1 && last->verb == verb_of(p->opcode);
}

void track_ladder_add(struct track_series *t, const struct track_packet *p,
		      enum track_rung_kind kind, int32_t psn, int32_t missing)
{
	struct track_rung *last = &t->ladder.open;

	if (missing == TRACK_SERIES_NONE && goes_on(last, p, kind, psn)) {
		last->count++;
		last->last_frame = p->at.frame;
		last->last_ns = p->at.time_ns;
		last->last_psn = psn;
		return;
	}
	if (last->count)
		close_run(t->all, &t->ladder);
	*last = (struct track_rung){ .frame = p->at.frame,
				     .last_frame = p->at.frame,
				     .time_ns = p->at.time_ns,
				     .last_ns = p->at.time_ns,
				     .count = 1,
				     .psn = psn,
				     .last_psn = psn,
				     .missing = missing,
				     .kind = (uint8_t)kind,
				     .opcode = p->opcode,
				     .verb = (uint8_t)verb_of(p->opcode),
				     .syndrome = p->syndrome };
}

struct track_rungs track_ladder_last(const struct track_ladder *l)
{
	struct track_rungs last = { .run = g_new(struct track_rung, l->n + 1u),
				    .forgot = l->forgot };
	unsigned int at = 0;

	while (at < l->used)
		at += unpack(&last.run[last.n++], l, at);
	if (l->open.count)
		last.run[last.n++] = l->open;
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
