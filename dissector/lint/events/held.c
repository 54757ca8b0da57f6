/* SPDX-License-Identifier: GPL-2.0-or-later */
/* held.c - holds findings until it is known whether they are true. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <glib.h>

#include "held.h"
#include "lint/base/lint_impl.h"
#include "track/base/table.h"

/* A finding with its words; or some without, of which only the first is here. */
struct finding {
	struct finding *next; /* of its half */
	struct track_event event;
	uint64_t connection;
	uint64_t n; /* 0: it has words */
	uint64_t last_frame;
	struct track_untrue untrue;
	uint16_t doubt;       /* when it left its half: of what happened ... */
	uint16_t cause_doubt; /* ... and of why */
	enum lint_rule_id rule;
	char message[];
};

/* Findings without words, as severe whatever will be known. */
struct counted {
	struct counted *next; /* of its tally */
	uint64_t n;
	uint64_t first_frame, first_ns, last_frame, last_ns;
	struct track_untrue untrue;
	uint8_t way;
	uint16_t doubt; /* what could make them untrue */
};

/* What is held of a rule and half, of one direction of it. */
struct tally {
	struct tally *next; /* of its half */
	struct track_flow flow;
	uint64_t words;  /* findings that have some */
	uint64_t said;   /* with words, that somebody wanted */
	uint64_t newest; /* frame of none of those is later */
	struct counted *counted;
	enum lint_rule_id rule;
};

/* Where tables may take little: a finding with its words and a tally for each so many bytes of that. */
#define HELD_BYTES 2048
#define HELD_LEAST 64

/* No holes: compared as bytes. */
struct key {
	uint64_t half;
	struct track_flow flow; /* of half 0 */
};

/* Packets that findings need to be absent to be untrue. */
struct needs {
	uint64_t events; /* for what happened */
	uint64_t causes; /* or for why */
};

struct half {
	struct finding *first, *last; /* in file order */
	struct tally *tallies;
	/* By whose requests they are: what findings need, of that requests of theirs, and how many of those are absent */
	struct lacks {
		struct needs packets, requests;
		uint64_t lost;
	} lacks[2];
	uint16_t doubt;
};

struct lint_held {
	uint64_t words;             /* findings of a tally that keep theirs; 0: all */
	struct track_table *halves; /* struct key -> struct half */
	struct half
		*last; /* asked for last, of last_half; NULL: none, or it is not there any more */
	uint64_t last_half;
	struct track_untrue met; /* and what met_by() says of it */
	uint16_t meets;
	GPtrArray *settled; /* struct finding: not handed over yet */
	struct needs needs; /* of all halves */
	uint64_t lost;
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

	struct counted *c;

	while ((t = h->tallies)) {
		while ((c = t->counted)) {
			t->counted = c->next;
			g_free(c);
		}
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

/* Doubt */

/* Of whose requests @e is: by enum track_way. */
static unsigned int asks(uint8_t way, const struct track_untrue *untrue)
{
	return untrue->shown == TRACK_SHOWN_ANSWERS ? !way : way;
}

/* As many packets are known to be absent as those who need some do. @lost 0: how many is not known. */
static bool explains(uint64_t lost, const struct needs *needs, bool causes)
{
	return !lost || lost >= needs->events + (causes ? needs->causes : 0);
}

/* Packets that a filter took out, of those whose absence makes @f untrue. */
static uint64_t left_out(const struct lint *l, const struct finding *f, unsigned int absent)
{
	bool answers = f->untrue.shown == TRACK_SHOWN_ANSWERS;
	struct track_flow back = f->event.flow;
	uint64_t there, here;

	if (!l->options.track)
		return 0;
	track_flow_turn(&back);
	there = track_left_out_from(l->options.track, answers ? &back : &f->event.flow);
	here = track_left_out_from(l->options.track, answers ? &f->event.flow : &back);
	return (absent & TRACK_ABSENT_REQUEST ? there : 0) +
	       (absent & TRACK_ABSENT_RESPONSE ? here : 0);
}

/* Of @doubt what is left where so many findings need what is absent. */
static uint16_t of_half(const struct lint *l, const struct half *h, const struct finding *f,
			uint16_t doubt, bool causes)
{
	const struct lacks *own = &h->lacks[asks(f->event.way, &f->untrue)];
	const struct needs *a = &h->lacks[0].packets, *b = &h->lacks[1].packets;
	const struct needs both = { a->events + b->events, a->causes + b->causes };
	uint64_t filtered = left_out(l, f, causes ? TRACK_ABSENT_PACKET : f->untrue.by);

	if (doubt & TRACK_DOUBT_LOSS &&
	    (!own->lost || !explains(own->lost, &own->requests, causes)))
		doubt &= (uint16_t)~TRACK_DOUBT_LOSS;
	doubt &= (uint16_t)~TRACK_DOUBT_FILTERED;
	if (filtered && explains(filtered, &both, causes))
		doubt |= TRACK_DOUBT_FILTERED;
	return doubt;
}

static uint16_t of_capture(const struct lint_held *held, uint16_t doubt, bool causes)
{
	if (doubt & TRACK_DOUBT_DROPPED && !explains(held->lost, &held->needs, causes))
		doubt &= (uint16_t)~TRACK_DOUBT_DROPPED;
	return doubt;
}

/* Halves */

static struct key key_of(const struct track_event *e)
{
	struct key key = { .half = e->half };

	if (!e->half)
		key.flow = e->flow;
	return key;
}

/* The half of @e; NULL: nothing is held of it. Mostly it is that of the event before. */
static struct half *find_half(struct lint_held *held, const struct track_event *e)
{
	struct key key;

	if (held->last && e->half && e->half == held->last_half)
		return held->last;
	key = key_of(e);
	held->last = track_table_get(held->halves, &key);
	held->last_half = e->half;
	return held->last;
}

/* Entries of the table are somewhere else once there is another one. */
static struct half *add_half(struct lint_held *held, const struct track_event *e)
{
	const struct key key = key_of(e);

	held->last = NULL;
	return track_table_add(held->halves, &key);
}

static void remove_half(struct lint_held *held, struct half *h)
{
	held->last = NULL;
	track_table_remove(held->halves, h);
}

/* To settle */

/* @f leaves its half, with the doubt there is now. */
static void settle_finding(const struct lint *l, const struct half *h, struct finding *f)
{
	uint16_t doubt = f->event.doubt | h->doubt | l->held->doubt;

	f->doubt = of_half(l, h, f, doubt, false);
	f->cause_doubt = of_half(l, h, f, doubt, true);
	g_ptr_array_add(l->held->settled, f);
}

static struct finding *finding_of(const struct tally *t, const struct counted *c)
{
	struct finding *f = g_new0(struct finding, 1);

	f->event.frame = c->first_frame;
	f->event.time_ns = c->first_ns;
	f->event.flow = t->flow;
	f->event.way = c->way;
	f->event.doubt = c->doubt;
	f->untrue = c->untrue;
	f->n = c->n;
	f->last_frame = c->last_frame;
	f->rule = t->rule;
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

static void settle_tally(const struct lint *l, const struct half *h, struct tally *t,
			 const struct upto *upto)
{
	struct counted **at = &t->counted, *c;

	while ((c = *at)) {
		if (!is_upto(c->last_frame, c->last_ns, upto)) {
			at = &c->next;
			continue;
		}
		settle_finding(l, h, finding_of(t, c));
		*at = c->next;
		g_free(c);
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

static void settle(const struct lint *l, struct half *h, struct upto upto)
{
	struct finding *f;
	struct tally *t;

	while ((f = h->first) && is_upto(f->event.frame, f->event.time_ns, &upto)) {
		h->first = f->next;
		l->held->n_words--;
		tally_of(h, f->rule, &f->event.flow)->words--;
		settle_finding(l, h, f);
	}
	for (t = h->tallies; t; t = t->next)
		settle_tally(l, h, t, &upto);
}

static void settle_whole(const struct lint *l, struct half *h)
{
	settle(l, h, (struct upto){ UINT64_MAX, UINT64_MAX });
	free_tallies(l->held, h);
}

static void settle_each(const struct lint *l, struct upto upto)
{
	struct half *h = NULL;

	while ((h = track_table_next(l->held->halves, h)))
		settle(l, h, upto);
}

void lint_held_lost(struct lint *l, uint64_t half, const uint64_t lost[2])
{
	const struct key key = { .half = half };
	struct half *h = track_table_get(l->held->halves, &key);
	unsigned int i;

	for (i = 0; h && i < 2; i++)
		h->lacks[i].lost = lost[i];
}

void lint_held_dropped(struct lint *l, uint64_t packets)
{
	l->held->lost += packets;
	l->held->doubt |= TRACK_DOUBT_DROPPED;
}

void lint_held_settle(struct lint *l, uint64_t half, uint64_t upto, uint16_t doubt)
{
	const struct key key = { .half = half };
	struct lint_held *held = l->held;
	struct half *h;

	if (!half) {
		held->doubt |= doubt;
		settle_each(l, (struct upto){ upto, UINT64_MAX });
		return;
	}
	if (!track_table_count(held->halves))
		return;
	h = track_table_get(held->halves, &key);
	if (!h)
		return;
	h->doubt |= doubt;
	if (upto != UINT64_MAX) {
		settle(l, h, (struct upto){ upto, UINT64_MAX });
		return;
	}
	settle_whole(l, h);
	remove_half(held, h);
}

void lint_held_drop(struct lint *l, uint64_t half, enum lint_rule_id rule,
		    const struct track_flow *flow)
{
	const struct key key = { .half = half };
	struct half *h = track_table_get(l->held->halves, &key);
	struct finding *f, **link, *last = NULL;
	struct tally *t = h ? tally_of(h, rule, flow) : NULL;
	struct counted *c;

	if (!t)
		return;
	for (link = &h->first; (f = *link);) {
		if (f->rule != rule || !track_flow_equal(&f->event.flow, flow)) {
			last = f;
			link = &f->next;
			continue;
		}
		*link = f->next;
		l->held->n_words--;
		t->words--;
		g_free(f);
	}
	h->last = last;
	while ((c = t->counted)) {
		t->counted = c->next;
		g_free(c);
	}
}

void lint_held_settle_before(struct lint *l, uint64_t time_ns)
{
	if (time_ns)
		settle_each(l, (struct upto){ UINT64_MAX, time_ns - 1 });
}

void lint_held_settle_all(struct lint *l)
{
	struct half *h;

	while ((h = track_table_oldest(l->held->halves))) {
		settle_whole(l, h);
		remove_half(l->held, h);
	}
}

/* To hold */

/* Those that go are handed over at once: the packet at hand did not settle them. */
static void make_room(struct lint *l, bool half)
{
	struct lint_held *held = l->held;
	struct half *h;

	while (held->n_tallies == held->max_tallies || (half && track_table_full(held->halves))) {
		h = track_table_oldest(held->halves);
		settle_whole(l, h);
		remove_half(held, h);
	}
	lint_held_release(l);
}

/* The half of @e; NULL: there is no room for it. */
static struct half *half_of(struct lint_held *held, const struct track_event *e)
{
	struct half *h = find_half(held, e);

	return h || track_table_full(held->halves) ? h : add_half(held, e);
}

/* By @doubt alone; @meets: the doubts that make what happened untrue. */
static void add_needs(struct needs *needs, const struct track_event *e,
		      const struct track_untrue *untrue, uint16_t meets, uint16_t doubt)
{
	if (meets & doubt)
		needs->events += untrue->needs;
	else if (track_event_or(e, doubt))
		needs->causes++;
}

/* Doubts whose packets are counted, of those that meet @untrue. Mostly it is as that of the event before. */
static uint16_t met_by(struct lint_held *held, const struct track_untrue *untrue)
{
	if (held->met.by == untrue->by && held->met.shown == untrue->shown)
		return held->meets;
	held->met = *untrue;
	held->meets = track_event_doubt(untrue, TRACK_DOUBT_DROPPED | TRACK_DOUBT_FILTERED |
							TRACK_DOUBT_LOSS);
	return held->meets;
}

void lint_held_needs(struct lint *l, const struct track_event *e)
{
	const struct track_untrue untrue = track_event_untrue(e);
	struct lacks *lacks;
	uint16_t meets;
	struct half *h;

	if (!(untrue.by & TRACK_ABSENT_PACKET) && !track_event_or(e, UINT16_MAX))
		return;
	meets = met_by(l->held, &untrue);
	add_needs(&l->held->needs, e, &untrue, meets, TRACK_DOUBT_DROPPED);
	h = half_of(l->held, e);
	if (!h)
		return;
	lacks = &h->lacks[asks(e->way, &untrue)];
	add_needs(&lacks->packets, e, &untrue, meets, TRACK_DOUBT_FILTERED);
	add_needs(&lacks->requests, e, &untrue, meets, TRACK_DOUBT_LOSS);
}

static struct tally *new_tally(struct lint_held *held, struct half *h, enum lint_rule_id rule,
			       const struct track_event *e)
{
	struct tally *t = g_new0(struct tally, 1);

	held->n_tallies++;
	t->rule = rule;
	t->flow = e->flow;
	t->next = h->tallies;
	h->tallies = t;
	return t;
}

static bool is_as(const struct counted *c, const struct track_event *e,
		  const struct track_untrue *untrue, uint16_t doubt)
{
	return c->untrue.by == untrue->by && c->untrue.shown == untrue->shown && c->way == e->way &&
	       c->doubt == doubt;
}

/* Of one rule there are few that differ in what they are counted by: statements, and doubts that meet them. */
static void count(struct tally *t, const struct track_event *e, const struct track_untrue *untrue)
{
	uint16_t doubt = track_event_doubt(untrue, e->doubt);
	struct counted *c = t->counted;

	while (c && !is_as(c, e, untrue, doubt))
		c = c->next;
	if (!c) {
		c = g_new0(struct counted, 1);
		c->first_frame = e->frame;
		c->first_ns = e->time_ns;
		c->untrue = *untrue;
		c->way = e->way;
		c->doubt = doubt;
		c->next = t->counted;
		t->counted = c;
	}
	c->n++;
	if (e->frame < c->first_frame) {
		c->first_frame = e->frame;
		c->first_ns = e->time_ns;
	}
	if (e->frame >= c->last_frame) {
		c->last_frame = e->frame;
		c->last_ns = e->time_ns;
	}
}

static void keep(struct lint *l, struct half *h, struct tally *t, const struct track_event *e,
		 const struct track_untrue *untrue, const char *format, va_list args)
{
	char message[LINT_MESSAGE_MAX];
	struct finding *f;
	size_t n;

	lint_say(message, sizeof(message), format, args);
	n = strlen(message) + 1;
	f = g_malloc0(sizeof(*f) + n);
	memcpy(f->message, message, n);
	f->event = *e;
	f->connection = lint_connection_of(l, e);
	f->untrue = *untrue;
	f->rule = t->rule;
	if (h->first)
		h->last->next = f;
	else
		h->first = f;
	h->last = f;
	t->words++;
	t->newest = MAX(t->newest, e->frame);
	l->held->n_words++;
}

/*
 * The words of a tally are those of its first packets, but some of them are found after later ones: a gap that
 * is closed late. Such a finding takes the place of the last one, which is only counted then.
 */
static bool takes_place(struct lint_held *held, struct half *h, struct tally *t,
			const struct track_event *e)
{
	struct finding **at, **last = NULL, *f, *before = NULL, *before_last = NULL;
	uint64_t frame = 0; /* the latest but that of the last one */

	if (t->newest <= e->frame) /* as nearly always */
		return false;
	for (at = &h->first; (f = *at); before = f, at = &f->next) {
		if (f->rule != t->rule || !track_flow_equal(&f->event.flow, &t->flow))
			continue;
		if (f->event.frame <= (last ? (*last)->event.frame : e->frame)) {
			frame = MAX(frame, f->event.frame);
			continue;
		}
		if (last)
			frame = (*last)->event.frame;
		last = at;
		before_last = before;
	}
	t->newest = frame;
	if (!last)
		return false;
	f = *last;
	*last = f->next;
	if (h->last == f)
		h->last = before_last;
	count(t, &f->event, &f->untrue);
	g_free(f);
	t->words--;
	held->n_words--;
	return true;
}

/* There are enough words of it. */
static bool is_said(const struct lint_held *held, const struct tally *t)
{
	return held->words && t->words + t->said >= held->words;
}

/* There are enough words of its tally, and none of them is of a later packet. */
static bool is_only_counted(const struct lint_held *held, const struct tally *t,
			    const struct track_event *e)
{
	return held->n_words == held->max_words || (is_said(held, t) && t->newest <= e->frame);
}

bool lint_held_counted(struct lint *l, enum lint_rule_id rule, const struct track_event *e)
{
	struct half *h = find_half(l->held, e);
	struct tally *t = h ? tally_of(h, rule, &e->flow) : NULL;
	struct track_untrue untrue;

	if (!t || !is_only_counted(l->held, t, e))
		return false;
	untrue = track_event_untrue(e);
	count(t, e, &untrue);
	return true;
}

void lint_held_add(struct lint *l, enum lint_rule_id rule, const struct track_event *e,
		   const char *format, ...)
{
	const struct track_untrue untrue = track_event_untrue(e);
	struct lint_held *held = l->held;
	struct half *h = find_half(held, e);
	struct tally *t = h ? tally_of(h, rule, &e->flow) : NULL;
	va_list args;

	if (!t) {
		if (held->n_tallies == held->max_tallies ||
		    (!h && track_table_full(held->halves))) {
			make_room(l, !h);
			h = find_half(held, e);
		}
		if (!h)
			h = add_half(held, e);
		t = new_tally(held, h, rule, e);
	}
	if (held->n_words == held->max_words || (is_said(held, t) && !takes_place(held, h, t, e))) {
		count(t, e, &untrue);
		return;
	}
	va_start(args, format);
	keep(l, h, t, e, &untrue, format, args);
	va_end(args);
}

/* To hand over */

/* Of later packets of its half: enough of this rule was said. */
static void said(struct lint_held *held, const struct finding *f)
{
	const struct half *h = find_half(held, &f->event);
	struct tally *t = h ? tally_of(h, f->rule, &f->event.flow) : NULL;

	if (t)
		t->said++;
}

/* What the doubt adds to the words. */
static void add_doubt(const struct finding *f, uint16_t doubt, uint16_t cause_doubt,
		      char message[LINT_MESSAGE_MAX])
{
	const char *other = track_event_or(&f->event, cause_doubt);
	unsigned int i, absent = 0;

	for (i = 0; i < TRACK_DOUBT_COUNT; i++)
		if (doubt & 1u << i)
			absent |= track_doubt_rows[i].absent[f->untrue.shown] & f->untrue.by;
	if (other) {
		g_strlcat(message, ", or ", LINT_MESSAGE_MAX);
		g_strlcat(message, other, LINT_MESSAGE_MAX);
	}
	if (absent & (TRACK_ABSENT_PACKET | TRACK_ABSENT_START))
		g_strlcat(message, ", or not captured", LINT_MESSAGE_MAX);
	else if (absent & TRACK_ABSENT_COPY)
		g_strlcat(message, ", or captured twice", LINT_MESSAGE_MAX);
}

static void hand_over(struct lint *l, const struct finding *held)
{
	uint16_t doubt = track_event_doubt(&held->untrue, of_capture(l->held, held->doubt, false));
	struct lint_finding f = lint_finding_of(held->rule, &held->event, doubt);
	char message[LINT_MESSAGE_MAX];

	if (held->n) {
		lint_found_more(l, &f, held->n, held->last_frame);
		return;
	}
	g_strlcpy(message, held->message, sizeof(message));
	add_doubt(held, doubt, of_capture(l->held, held->cause_doubt, true), message);
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

static void release(struct lint *l)
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

/* Where so many packets were lost in all, how many findings they explain is known at the end. */
void lint_held_release(struct lint *l)
{
	if (!l->held->lost || l->held->settled->len >= l->held->max_words)
		release(l);
}

void lint_held_release_all(struct lint *l)
{
	release(l);
}
