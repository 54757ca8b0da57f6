/* SPDX-License-Identifier: GPL-2.0-or-later */
/* candidate.c - the fixed table of connections that may be iWARP. */
#include <string.h>

#include <glib.h>

#include "candidate.h"

struct track_tcp_candidates *track_tcp_candidates_new(void)
{
	return g_new0(struct track_tcp_candidates, 1);
}

void track_tcp_candidates_free(struct track_tcp_candidates *t)
{
	g_free(t);
}

/* The same in each run: what has no room here is found by its MPA frame all the same. */
static uint32_t slot_of(const struct track_tcp_ends *ends)
{
	uint32_t hash = 0, word[10];
	unsigned int i;

	_Static_assert(sizeof(*ends) == sizeof(word), "no holes");
	memcpy(word, ends, sizeof(word));
	for (i = 0; i < 10; i++) {
		hash = (hash ^ word[i]) * 0x9e3779b1u;
		hash ^= hash >> 15;
	}
	return hash % TRACK_TCP_CANDIDATES;
}

struct track_tcp_candidate *track_tcp_candidate_of(struct track_tcp_candidates *t,
						   const struct track_tcp_ends *ends)
{
	uint32_t slot = slot_of(ends);

	return t->used[slot] && !memcmp(&t->candidate[slot].ends, ends, sizeof(*ends))
		       ? &t->candidate[slot]
		       : NULL;
}

struct track_tcp_candidate *track_tcp_candidate_add(struct track_tcp_candidates *t,
						    const struct track_tcp_ends *ends)
{
	uint32_t slot = slot_of(ends);

	if (t->used[slot])
		track_tcp_candidate_drop(t, &t->candidate[slot]);
	t->used[slot] = true;
	track_tcp_watch(t, ends);
	t->candidate[slot] = (struct track_tcp_candidate){ .ends = *ends };
	return &t->candidate[slot];
}

void track_tcp_candidate_drop(struct track_tcp_candidates *t, struct track_tcp_candidate *c)
{
	t->used[c - t->candidate] = false;
	track_tcp_unwatch(t, &c->ends);
}
