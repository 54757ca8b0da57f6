/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pairs.c - who sends to whom. */
#include <stdlib.h>
#include <string.h>

#include <glib.h>

#include "pairs.h"
#include "track/base/fnv.h"

/* Pairs take turns, mostly two, and their CNPs. */
#define RECENT 4u

/* The first of the services that have no meaning; they are one. */
#define RESERVED 0xc0u

/* Pairs of @rest that are counted: 16 bytes each, or twice that. */
#define REST_MAX 65536u

/* Of packets over IPv4, as most are: found by what the packet has, not by its flow. */
struct recent {
	uint8_t ends[8]; /* the source, then the destination */
	uint8_t service;
	struct pl_pair *pair; /* NULL: none */
};

struct pl_pairs {
	GHashTable *by_flow; /* struct track_flow -> struct pl_pair, which has it */
	struct recent recent[RECENT];
	unsigned int turn; /* which of these the next one takes the place of */
	struct pl_pair *last;
	struct pl_pair rest;
	GHashTable *of_rest; /* what those begin with, as a number; NULL: there are none */
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
	if (pairs->of_rest)
		g_hash_table_unref(pairs->of_rest);
	g_free(pairs);
}

static struct pl_pair *one_of_rest(struct pl_pairs *pairs, const struct track_flow *flow)
{
	if (!pairs->of_rest)
		pairs->of_rest = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
	if (g_hash_table_size(pairs->of_rest) < REST_MAX) {
		uint64_t *n = g_new(uint64_t, 1);

		/* Of so many bits that two pairs hardly ever have one number */
		*n = track_fnv(TRACK_FNV_BEGIN, flow, sizeof(*flow));
		g_hash_table_add(pairs->of_rest, n);
	}
	return &pairs->rest;
}

static struct pl_pair *find(struct pl_pairs *pairs, const struct track_flow *flow)
{
	struct pl_pair *pair = g_hash_table_lookup(pairs->by_flow, flow);

	if (pair)
		return pair;
	if (g_hash_table_size(pairs->by_flow) == PL_PAIRS_MAX)
		return one_of_rest(pairs, flow);
	pair = g_new0(struct pl_pair, 1);
	pair->flow = *flow;
	g_hash_table_insert(pairs->by_flow, &pair->flow, pair);
	return pair;
}

const char *pl_pair_service(const struct pl_pair *pair)
{
	return pair->flow.service == RESERVED ? "reserved" : track_service_text(pair->flow.service);
}

/* Its addresses; NULL: it has none, or others. */
static const uint8_t *ipv4_ends(const struct ibw_packet *pkt)
{
	_Static_assert(ibw_ipv4_dst_AT == ibw_ipv4_src_AT + 32, "one after the other");
	if (pkt->net == IBW_NO_SPAN || pkt->span[pkt->net].layer != IBW_LAYER_ipv4)
		return NULL;
	return (const uint8_t *)ibw_packet_at(pkt, pkt->net) + ibw_ipv4_src_AT / 8;
}

static struct pl_pair *recent(const struct pl_pairs *pairs, const uint8_t *ends, uint8_t service)
{
	unsigned int i;

	for (i = 0; i < RECENT; i++) {
		const struct recent *r = &pairs->recent[i];

		if (r->pair && r->service == service && !memcmp(r->ends, ends, sizeof(r->ends)))
			return r->pair;
	}
	return NULL;
}

static void remember(struct pl_pairs *pairs, const uint8_t *ends, struct pl_pair *pair)
{
	struct recent *r = &pairs->recent[pairs->turn++ % RECENT];

	memcpy(r->ends, ends, sizeof(r->ends));
	r->service = pair->flow.service;
	r->pair = pair;
}

/* @flow of normalised addresses. */
static struct pl_pair *pair_of(struct pl_pairs *pairs, struct track_flow flow, const uint8_t *ends)
{
	struct pl_pair *pair;

	if (flow.service >= RESERVED)
		flow.service = RESERVED;
	flow.dqpn = 0;
	flow.sport = 0;
	if (pairs->last && track_flow_equal(&pairs->last->flow, &flow))
		return pairs->last;
	pair = find(pairs, &flow);
	if (pair == &pairs->rest)
		return pair;
	pairs->last = pair;
	if (ends)
		remember(pairs, ends, pair);
	return pair;
}

static void count(struct pl_pair *pair, uint64_t bytes)
{
	pair->packets++;
	pair->bytes += bytes;
}

void pl_pairs_add(struct pl_pairs *pairs, const struct ibw_packet *pkt, uint64_t bytes)
{
	const uint8_t *ends = ipv4_ends(pkt);
	struct pl_pair *pair = NULL;
	struct track_flow flow;

	if (ends)
		pair = recent(pairs, ends, MIN(pkt->opcode & IBW_SERVICE_MASK, RESERVED));
	if (!pair && track_flow_gids_of(pkt, &flow))
		pair = pair_of(pairs, flow, ends);
	if (pair)
		count(pair, bytes);
}

void pl_pairs_add_plain(struct pl_pairs *pairs, const struct track_plain *p)
{
	const uint8_t *ends = track_plain_ipv4(p)->b + ibw_ipv4_src_AT / 8;
	struct pl_pair *pair =
		recent(pairs, ends, MIN(p->packet.opcode & IBW_SERVICE_MASK, RESERVED));

	count(pair ? pair : pair_of(pairs, p->packet.flow, ends), p->packet.wire_len);
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
	rest->more = pairs->of_rest ? g_hash_table_size(pairs->of_rest) : 0;
	return sorted;
}
