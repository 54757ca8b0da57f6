/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rewritten.c - holds findings about wrong ICRCs that one rewritten field may explain.
 *
 * CRC011 reports once for a flow, with the cause, what CRC001 would report for each of its packets. Whether
 * it applies is known at the end of the run of packets that agree (track/link/rewritten.h); until then,
 * findings of CRC001 are held.
 */
#include <string.h>

#include <glib.h>

#include "wait.h"
#include "lint/base/lint_impl.h"
#include "track/base/table.h"
#include "track/link/rewritten.h"

/* Findings kept with their words, over all runs; the others are counted. */
#define KEPT_MAX 4096

/* A finding that waits. */
struct kept {
	struct kept *next;
	struct lint_finding finding;
	struct track_flow flow; /* what finding.flow points to */
	char message[];
};

/* What is kept of a run. */
struct run {
	struct kept *first, *last; /* in file order */
	uint64_t words;
	/* Those without words */
	struct lint_finding counted;
	struct track_flow flow;
	uint64_t n, last_frame;
};

struct lint_rewritten_state {
	struct track_table *runs; /* uint64_t: its first frame -> struct run; NULL: none yet */
	uint32_t words;           /* of all */
};

struct lint_rewritten_state *lint_rewritten_new(void)
{
	return g_new0(struct lint_rewritten_state, 1);
}

static void clear(struct lint_rewritten_state *state, struct run *r)
{
	struct kept *k;

	while ((k = r->first)) {
		r->first = k->next;
		state->words--;
		g_free(k);
	}
}

void lint_rewritten_free(struct lint_rewritten_state *state)
{
	struct run *r = NULL;

	if (state->runs)
		while ((r = track_table_next(state->runs, r)))
			clear(state, r);
	track_table_free(state->runs);
	g_free(state);
}

/* Nothing of this run waits any longer; @say: it was true. */
static void release(const struct lint *l, struct run *r, bool say)
{
	struct lint_rewritten_state *state = lint_rewritten_of(l);
	struct kept *k;

	for (k = r->first; say && k; k = k->next) {
		if (k->finding.flow)
			k->finding.flow = &k->flow;
		lint_found_late(l, &k->finding);
	}
	if (say && r->n) {
		if (r->counted.flow)
			r->counted.flow = &r->flow;
		lint_found_more(l, &r->counted, r->n, r->last_frame);
	}
	clear(state, r);
	track_table_remove(state->runs, r);
}

static void release_run(const struct lint *l, uint64_t run, bool say)
{
	struct lint_rewritten_state *state = lint_rewritten_of(l);
	struct run *r = state->runs ? track_table_get(state->runs, &run) : NULL;

	if (r)
		release(l, r, say);
}

/* The run that the packet is of; 0: of none. One that it ended has nothing to wait for. */
static uint64_t run_of(const struct lint_packet *p)
{
	const struct track *t = lint_options_of(p->lint)->track;
	struct track_icrc_run run;

	if (!t || !lint_on(p->lint, LINT_CRC011))
		return 0;
	run = track_icrc_run_of(t, p->frame->number);
	if (run.ended)
		release_run(p->lint, run.ended, true);
	return run.first_frame;
}

bool lint_rewritten_keeps(const struct lint_packet *p, enum lint_rule_id rule)
{
	return rule == LINT_CRC001 && run_of(p);
}

static struct run *run_at(const struct lint *l, uint64_t first_frame)
{
	struct lint_rewritten_state *state = lint_rewritten_of(l);
	struct run *r;

	if (!state->runs)
		state->runs = track_table_new(sizeof(first_frame), sizeof(struct run),
					      TRACK_REWRITTEN_FLOWS);
	r = track_table_get(state->runs, &first_frame);
	if (r)
		return r;
	if (track_table_full(state->runs))
		release(l, track_table_oldest(state->runs), true);
	return track_table_add(state->runs, &first_frame);
}

static void count(struct run *r, const struct lint_finding *f)
{
	if (!r->n++) {
		r->counted = *f;
		if (f->flow)
			r->flow = *f->flow;
	}
	r->last_frame = f->frame;
}

void lint_rewritten_keep(const struct lint_packet *p, const struct lint_finding *f,
			 const char *message)
{
	struct lint_rewritten_state *state = lint_rewritten_of(p->lint);
	struct run *r = run_at(p->lint, run_of(p));
	uint64_t most = lint_options_of(p->lint)->held;
	size_t n = strlen(message) + 1;
	struct kept *k;

	if (state->words == KEPT_MAX || (most && r->words >= most)) {
		count(r, f);
		return;
	}
	k = g_malloc0(sizeof(*k) + n);
	memcpy(k->message, message, n);
	k->finding = *f;
	k->finding.message = k->message;
	if (f->flow)
		k->flow = *f->flow;
	if (r->first)
		r->last->next = k;
	else
		r->first = k;
	r->last = k;
	r->words++;
	state->words++;
}

void lint_rewritten_explained(const struct lint *l, const struct track_event *e)
{
	if (e->number[TRACK_ICRC_REWRITTEN_lengths] > 1)
		release_run(l, e->number[TRACK_ICRC_REWRITTEN_first], false);
}

void lint_rewritten_finish(struct lint *l, const struct lint_rewritten_state *state)
{
	struct run *r;

	while (state->runs && (r = track_table_oldest(state->runs)))
		release(l, r, true);
}
