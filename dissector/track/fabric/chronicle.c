/* SPDX-License-Identifier: GPL-2.0-or-later */
/* chronicle.c - records what happens in a subnet. */
#include <string.h>

#include <glib.h>

#include "chronicle.h"

/* Who asks for nodes again after this time begins another sweep. */
#define SWEEP_ENDS_NS UINT64_C(1000000000)

void track_chronicle_free(struct track_chronicle *c)
{
	g_free(c->entry);
}

static bool is_alike(const struct track_told_of *a, const struct track_told_of *b)
{
	if (a->kind != b->kind)
		return false;
	switch (a->kind) {
	case TRACK_HANDOVER:
	case TRACK_SM_STATE:
	case TRACK_SWEEP:
		return false;
	case TRACK_TRAP_SENT:
		return a->lid == b->lid && a->trap_num == b->trap_num;
	default:
		return true;
	}
}

void track_chronicle_add(struct track_chronicle *c, const struct track_told_of *h,
			 const struct track_at *at)
{
	struct track_told_of *last = c->n ? &c->entry[c->n - 1] : NULL;

	if (last && is_alike(last, h)) {
		last->n++;
		last->last_frame = at->frame;
		last->last_ns = at->time_ns;
		return;
	}
	if (c->n == TRACK_CHRONICLE_MAX) {
		c->more++;
		c->more_frame = at->frame;
		return;
	}
	if (!c->entry) /* all of it at once: what comes again and again takes no more */
		c->entry = g_new(struct track_told_of, TRACK_CHRONICLE_MAX);
	last = &c->entry[c->n++];
	*last = *h;
	last->frame = last->last_frame = at->frame;
	last->time_ns = last->last_ns = at->time_ns;
	last->n = 1;
}

void track_chronicle_node(struct track_chronicle *c, uint32_t agent, uint64_t guid,
			  const struct track_at *at)
{
	const struct track_told_of begins = { .kind = TRACK_SWEEP, .guid = guid };
	struct track_told_of *sweep = c->sweep ? &c->entry[c->sweep - 1] : NULL;
	uint32_t n = c->n;

	if (sweep && c->agent == agent && at->time_ns < sweep->last_ns + SWEEP_ENDS_NS) {
		sweep->n++;
		sweep->last_frame = at->frame;
		sweep->last_ns = at->time_ns;
		if (!sweep->guid)
			sweep->guid = guid;
		return;
	}
	track_chronicle_add(c, &begins, at);
	c->sweep = c->n > n ? c->n : 0;
	c->agent = agent;
}
