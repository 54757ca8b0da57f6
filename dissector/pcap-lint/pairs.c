/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pairs.c - who sends to whom. */
#include <stdlib.h>
#include <string.h>

#include <glib.h>

#include "pairs.h"

/* Pairs take turns, mostly two. */
#define RECENT 2u

struct pl_pairs {
	GHashTable *by_flow; /* struct track_flow -> struct pl_pair, which has it */
	struct pl_pair *recent[RECENT];
	struct pl_pair rest;
};

static guint hash(gconstpointer p)
{
	const struct track_flow *flow = p;
	guint h = flow->service;
	unsigned int i;

	for (i = 0; i < sizeof(flow->src); i++)
		h = h * 31 + flow->src[i] * 7u + flow->dst[i];
	return h;
}

static gboolean equal(gconstpointer a, gconstpointer b)
{
	return track_flow_equal(a, b);
}

struct pl_pairs *pl_pairs_new(void)
{
	struct pl_pairs *pairs = g_new0(struct pl_pairs, 1);

	pairs->by_flow = g_hash_table_new_full(hash, equal, NULL, g_free);
	return pairs;
}

void pl_pairs_free(struct pl_pairs *pairs)
{
	if (!pairs)
		return;
	g_hash_table_unref(pairs->by_flow);
	g_free(pairs);
}

static struct pl_pair *find(struct pl_pairs *pairs, const struct track_flow *flow)
{
	struct pl_pair *pair = g_hash_table_lookup(pairs->by_flow, flow);

	if (pair)
		return pair;
	if (g_hash_table_size(pairs->by_flow) == PL_PAIRS_MAX)
		return &pairs->rest;
	pair = g_new0(struct pl_pair, 1);
	pair->flow = *flow;
	g_hash_table_insert(pairs->by_flow, &pair->flow, pair);
	return pair;
}

void pl_pairs_add(struct pl_pairs *pairs, const struct ibw_packet *pkt, uint64_t bytes)
{
	struct track_flow flow;
	struct pl_pair *pair;
	unsigned int i;

	if (!track_flow_of(pkt, &flow))
		return;
	flow.dqpn = 0;
	flow.sport = 0;
	for (i = 0; i < RECENT; i++)
		if (pairs->recent[i] && track_flow_equal(&pairs->recent[i]->flow, &flow))
			break;
	pair = i < RECENT ? pairs->recent[i] : find(pairs, &flow);
	pair->packets++;
	pair->bytes += bytes;
	if (i < RECENT || pair == &pairs->rest)
		return;
	pairs->recent[1] = pairs->recent[0];
	pairs->recent[0] = pair;
}

static int most_first(const void *a, const void *b)
{
	const struct pl_pair *x = *(const struct pl_pair *const *)a,
			     *y = *(const struct pl_pair *const *)b;

	if (x->packets != y->packets)
		return x->packets > y->packets ? -1 : 1;
	return memcmp(&x->flow, &y->flow, sizeof(x->flow));
}

const struct pl_pair **pl_pairs_sorted(const struct pl_pairs *pairs, unsigned int *n,
				       struct pl_pair *rest)
{
	const struct pl_pair **sorted =
		g_new(const struct pl_pair *, g_hash_table_size(pairs->by_flow) + 1);
	GHashTableIter iter;
	gpointer pair;

	*n = 0;
	g_hash_table_iter_init(&iter, pairs->by_flow);
	while (g_hash_table_iter_next(&iter, NULL, &pair))
		sorted[(*n)++] = pair;
	qsort(sorted, *n, sizeof(void *), most_first);
	*rest = pairs->rest;
	return sorted;
}
