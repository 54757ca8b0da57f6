/* SPDX-License-Identifier: GPL-2.0-or-later */
/* held.c - findings that wait until it is known whether they are true. */
#include <stdlib.h>
#include <string.h>

#include <glib.h>

#include "lint_impl.h"
#include "track/table.h"

/* The capture itself lost packets: a gap in it is no gap. */
#define LOST (TRACK_DOUBT_LOSS | TRACK_DOUBT_SAMPLED | TRACK_DOUBT_TWICE | TRACK_DOUBT_LIDS)

/* A packet that would show otherwise may be one that was not captured. */
#define NOT_CAPTURED                                                                               \
	(LOST | TRACK_DOUBT_MID_STREAM | TRACK_DOUBT_ONE_WAY | TRACK_DOUBT_DROPPED |               \
	 TRACK_DOUBT_CUT | TRACK_DOUBT_FILTERED)

/* A finding with its words; or some without, of which only the first is here. */
struct finding {
	struct finding *next; /* of its half */
	struct track_event event;
	uint64_t connection;
	uint64_t n; /* 0: it has words */
	uint64_t last_frame;
	enum lint_rule_id rule;
	enum lint_held_class class;
	char message[];
};

/* Findings without words. */
struct counted {
	uint64_t n;
	uint64_t first_frame, first_ns, last_frame, last_ns;
	uint16_t doubt; /* of any of them */
};

enum { SURE, DOUBTFUL };

/* What is held of a rule and half, of one direction of it. */
struct tally {
	struct tally *next; /* of its half */
	struct track_flow flow;
	uint64_t words;            /* findings that have some */
	uint64_t said;             /* with words, that somebody wanted */
	struct counted counted[2]; /* doubtful or not: that is a step in severity */
	enum lint_rule_id rule;
	enum lint_held_class class;
};

/* Where tables may take little: a finding with its words and a tally for each so many bytes of that. */
#define HELD_BYTES 2048
#define HELD_LEAST 64

/* No holes: compared as bytes. */
struct key {
	uint64_t half;
	struct track_flow flow; /* of half 0 */
};

struct half {
	struct finding *first, *last; /* in file order */
	struct tally *tallies;
	uint16_t doubt;
};

struct lint_held {
	uint64_t words;             /* findings of a tally that keep theirs; 0: all */
	struct track_table *halves; /* struct key -> struct half */
	GPtrArray *settled;         /* struct finding: not handed over yet */
	uint64_t dropped;
	uint32_t n_words, n_tallies;
	uint32_t max_words, max_tallies;
	uint16_t doubt; /* of all halves */
};

struct lint_held *lint_held_new(uint64_t words)
{
	struct lint_held *held = g_new0(struct lint_held, 1);
	const uint64_t may = track_tables_max() / HELD_BYTES;

	held->words = words;
	held->max_words = (uint32_t)CLAMP(may, HELD_LEAST, LINT_HELD_MAX);
	held->max_tallies = (uint32_t)CLAMP(may, HELD_LEAST, LINT_HELD_PAIRS);
	held->halves = track_table_new(sizeof(struct key), sizeof(struct half), LINT_HELD_PAIRS);
	held->settled = g_ptr_array_new_with_free_func(g_free);
	return held;
}

static void free_tallies(struct lint_held *held, struct half *h)
{
	struct tally *t;

	while ((t = h->tallies)) {
		h->tallies = t->next;
		held->n_tallies--;
		g_free(t);
	}
}

void lint_held_free(struct lint_held *held)
{
	struct finding *f;
	struct half *h = NULL;

	if (!held)
		return;
	while ((h = track_table_next(held->halves, h))) {
		while ((f = h->first)) {
			h->first = f->next;
			g_free(f);
		}
		free_tallies(held, h);
	}
	track_table_free(held->halves);
	g_ptr_array_free(held->settled, TRUE);
	g_free(held);
}

uint64_t lint_held_dropped(const struct lint_held *held)
{
	return held->dropped;
}

/* To settle */

/* @f leaves its half, with the doubt there is now. */
static void settle_finding(struct lint_held *held, const struct half *h, struct finding *f)
{
	f->event.doubt |= h->doubt | held->doubt;
	if (f->class == LINT_HELD_LOSS && f->event.doubt & LOST) {
		held->dropped += f->n ? f->n : 1;
		g_free(f);
		return;
	}
	g_ptr_array_add(held->settled, f);
}

static struct finding *finding_of(const struct tally *t, const struct counted *c)
{
	struct finding *f = g_new0(struct finding, 1);

	f->event.frame = c->first_frame;
	f->event.time_ns = c->first_ns;
	f->event.flow = t->flow;
	f->event.doubt = c->doubt;
	f->n = c->n;
	f->last_frame = c->last_frame;
	f->rule = t->rule;
	f->class = t->class;
	return f;
}

/* Up to which a half is settled: both hold. */
struct upto {
	uint64_t frame, time_ns;
};

static bool is_upto(uint64_t frame, uint64_t time_ns, const struct upto *upto)
{
	return frame <= upto->frame && time_ns <= upto->time_ns;
}

static void settle_tally(struct lint_held *held, const struct half *h, struct tally *t,
			 const struct upto *upto)
{
	struct counted *c;
	unsigned int i;

	for (i = SURE; i <= DOUBTFUL; i++) {
		c = &t->counted[i];
		if (!c->n || !is_upto(c->last_frame, c->last_ns, upto))
			continue;
		settle_finding(held, h, finding_of(t, c));
		memset(c, 0, sizeof(*c));
	}
}

static struct tally *tally_of(const struct half *h, enum lint_rule_id rule,
			      const struct track_flow *flow)
{
	struct tally *t = h->tallies;

	while (t && (t->rule != rule || !track_flow_equal(&t->flow, flow)))
		t = t->next;
	return t;
}

static void settle(struct lint_held *held, struct half *h, struct upto upto)
{
	struct finding *f;
	struct tally *t;

	while ((f = h->first) && is_upto(f->event.frame, f->event.time_ns, &upto)) {
		h->first = f->next;
		held->n_words--;
		tally_of(h, f->rule, &f->event.flow)->words--;
		settle_finding(held, h, f);
	}
	for (t = h->tallies; t; t = t->next)
		settle_tally(held, h, t, &upto);
}

static void settle_whole(struct lint_held *held, struct half *h)
{
	settle(held, h, (struct upto){ UINT64_MAX, UINT64_MAX });
	free_tallies(held, h);
}

static void settle_each(struct lint_held *held, struct upto upto)
{
	struct half *h = NULL;

	while ((h = track_table_next(held->halves, h)))
		settle(held, h, upto);
}

void lint_held_settle(struct lint *l, uint64_t half, uint64_t upto, uint16_t doubt)
{
	const struct key key = { .half = half };
	struct lint_held *held = l->held;
	struct half *h;

	if (!half) {
		held->doubt |= doubt;
		settle_each(held, (struct upto){ upto, UINT64_MAX });
		return;
	}
	if (!track_table_count(held->halves))
		return;
	h = track_table_get(held->halves, &key);
	if (!h)
		return;
	h->doubt |= doubt;
	if (upto != UINT64_MAX) {
		settle(held, h, (struct upto){ upto, UINT64_MAX });
		return;
	}
	settle_whole(held, h);
	track_table_remove(held->halves, h);
}

void lint_held_settle_before(struct lint *l, uint64_t time_ns)
{
	if (time_ns)
		settle_each(l->held, (struct upto){ UINT64_MAX, time_ns - 1 });
}

void lint_held_settle_all(struct lint *l)
{
	struct half *h;

	while ((h = track_table_oldest(l->held->halves))) {
		settle_whole(l->held, h);
		track_table_remove(l->held->halves, h);
	}
}

/* To hold */

static struct key key_of(const struct track_event *e)
{
	struct key key = { .half = e->half };

	if (!e->half)
		key.flow = e->flow;
	return key;
}

/* Those that go are handed over at once: the packet at hand did not settle them. */
static void make_room(struct lint *l, bool half)
{
	struct lint_held *held = l->held;
	struct half *h;

	while (held->n_tallies == held->max_tallies || (half && track_table_full(held->halves))) {
		h = track_table_oldest(held->halves);
		settle_whole(held, h);
		track_table_remove(held->halves, h);
	}
	lint_held_release(l);
}

static struct tally *new_tally(struct lint_held *held, struct half *h, enum lint_rule_id rule,
			       enum lint_held_class class, const struct track_event *e)
{
	struct tally *t = g_new0(struct tally, 1);

	held->n_tallies++;
	t->rule = rule;
	t->class = class;
	t->flow = e->flow;
	t->next = h->tallies;
	h->tallies = t;
	return t;
}

static void count(struct tally *t, const struct track_event *e, uint16_t doubt)
{
	struct counted *c = &t->counted[doubt ? DOUBTFUL : SURE];

	if (!c->n++) {
		c->first_frame = e->frame;
		c->first_ns = e->time_ns;
	}
	c->last_frame = e->frame;
	c->last_ns = e->time_ns;
	c->doubt |= doubt;
}

static void keep(struct lint *l, struct half *h, struct tally *t, const struct track_event *e,
		 const char *format, va_list args)
{
	char message[LINT_MESSAGE_MAX];
	struct finding *f;
	size_t n;

	g_vsnprintf(message, sizeof(message), format, args);
	n = strlen(message) + 1;
	f = g_malloc0(sizeof(*f) + n);
	memcpy(f->message, message, n);
	f->event = *e;
	f->connection = lint_connection_of(l, e);
	f->rule = t->rule;
	f->class = t->class;
	if (h->first)
		h->last->next = f;
	else
		h->first = f;
	h->last = f;
	t->words++;
	l->held->n_words++;
}

void lint_held_add(struct lint *l, enum lint_rule_id rule, enum lint_held_class class,
		   const struct track_event *e, const char *format, va_list args)
{
	struct lint_held *held = l->held;
	const struct key key = key_of(e);
	struct half *h = track_table_get(held->halves, &key);
	struct tally *t = h ? tally_of(h, rule, &e->flow) : NULL;
	uint16_t doubt = e->doubt | held->doubt | (h ? h->doubt : 0);

	if (class == LINT_HELD_LOSS && doubt & LOST) {
		held->dropped++;
		return;
	}
	if (!t) {
		if (held->n_tallies == held->max_tallies ||
		    (!h && track_table_full(held->halves))) {
			make_room(l, !h);
			h = track_table_get(held->halves, &key);
		}
		if (!h)
			h = track_table_add(held->halves, &key);
		t = new_tally(held, h, rule, class, e);
	}
	if (held->n_words == held->max_words || (held->words && t->words + t->said >= held->words))
		count(t, e, doubt);
	else
		keep(l, h, t, e, format, args);
}

/* To hand over */

/* Of later packets of its half: enough of this rule was said. */
static void said(struct lint_held *held, const struct finding *f)
{
	const struct key key = key_of(&f->event);
	const struct half *h = track_table_get(held->halves, &key);
	struct tally *t = h ? tally_of(h, f->rule, &f->event.flow) : NULL;

	if (t)
		t->said++;
}

static void hand_over(struct lint *l, const struct finding *held)
{
	uint16_t doubt = held->event.doubt;
	struct lint_finding f = lint_finding_of(held->rule, &held->event, doubt);
	char message[LINT_MESSAGE_MAX];

	if (held->n) {
		lint_found_more(l, &f, held->n, held->last_frame);
		return;
	}
	g_strlcpy(message, held->message, sizeof(message));
	if (doubt & NOT_CAPTURED)
		g_strlcat(message, ", or not captured", sizeof(message));
	if (lint_found_held(l, &held->event, &f, held->connection, message))
		said(l->held, held);
}

static int order(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int in_order(const void *left, const void *right)
{
	const struct finding *a = *(const struct finding *const *)left;
	const struct finding *b = *(const struct finding *const *)right;
	int by_frame = order(a->event.frame, b->event.frame), by_rule = order(a->rule, b->rule);

	return by_frame ? by_frame : by_rule ? by_rule : order(a->connection, b->connection);
}

/* What is known by now: of a QPN that is in use again, what was known then. */
static void find_connection(const struct lint *l, struct finding *f)
{
	uint64_t now = f->n ? 0 : lint_connection_of(l, &f->event);

	if (now && now < f->connection)
		f->connection = now;
}

void lint_held_release(struct lint *l)
{
	GPtrArray *settled = l->held->settled;
	unsigned int i;

	if (!settled->len)
		return;
	for (i = 0; i < settled->len; i++)
		find_connection(l, settled->pdata[i]);
	qsort(settled->pdata, settled->len, sizeof(*settled->pdata), in_order);
	for (i = 0; i < settled->len; i++)
		hand_over(l, settled->pdata[i]);
	g_ptr_array_set_size(settled, 0);
}
