/* SPDX-License-Identifier: GPL-2.0-or-later */
/* limit.c - how many findings of one rule about one flow are shown. */
#include <string.h>

#include <glib.h>

#include "limit.h"

#define NONE UINT32_MAX

/* Pairs are numbered; the lists they are in hold numbers. */
struct pair {
	struct pl_limited limited; /* its count: findings beyond those shown */
	uint64_t seen;
	uint32_t chain; /* the next with the same hash */
	uint32_t older, newer;
};

struct pl_limit {
	uint64_t shown;
	pl_limit_sum *sum;
	void *user;
	unsigned int capacity;
	uint32_t hash_mask;
	uint32_t *heads; /* by hash */
	GArray *pairs;   /* of struct pair */
	uint32_t oldest, newest;
	uint64_t forgotten;
};

struct pl_limit *pl_limit_new(uint64_t shown, unsigned int pairs, pl_limit_sum *sum, void *user)
{
	struct pl_limit *limit = g_new0(struct pl_limit, 1);
	uint32_t heads = 1;

	while (heads < pairs)
		heads *= 2;
	limit->shown = shown;
	limit->sum = sum;
	limit->user = user;
	limit->capacity = pairs;
	limit->hash_mask = heads - 1;
	limit->heads = g_new(uint32_t, heads);
	memset(limit->heads, 0xff, heads * sizeof(*limit->heads));
	limit->pairs = g_array_new(FALSE, FALSE, sizeof(struct pair));
	limit->oldest = limit->newest = NONE;
	return limit;
}

void pl_limit_free(struct pl_limit *limit)
{
	if (!limit)
		return;
	g_array_unref(limit->pairs);
	g_free(limit->heads);
	g_free(limit);
}

static struct pair *pair_at(const struct pl_limit *limit, uint32_t i)
{
	return &g_array_index(limit->pairs, struct pair, i);
}

static uint32_t *head_of(const struct pl_limit *limit, const struct pl_limited *key)
{
	uint32_t hash = lint_flow_hash(&key->flow) ^ (uint32_t)key->rule * 0x9e3779b1u;

	return &limit->heads[(hash ^ hash >> 16) & limit->hash_mask];
}

static void use_unlink(struct pl_limit *limit, uint32_t i)
{
	struct pair *pair = pair_at(limit, i);

	if (pair->older != NONE)
		pair_at(limit, pair->older)->newer = pair->newer;
	else
		limit->oldest = pair->newer;
	if (pair->newer != NONE)
		pair_at(limit, pair->newer)->older = pair->older;
	else
		limit->newest = pair->older;
}

static void use_append(struct pl_limit *limit, uint32_t i)
{
	struct pair *pair = pair_at(limit, i);

	pair->older = limit->newest;
	pair->newer = NONE;
	if (limit->newest != NONE)
		pair_at(limit, limit->newest)->newer = i;
	else
		limit->oldest = i;
	limit->newest = i;
}

/* Takes the least recently used pair away, its sum said; its number is free then. */
static uint32_t forget_oldest(struct pl_limit *limit)
{
	uint32_t i = limit->oldest, *link;
	struct pair *pair = pair_at(limit, i);

	if (pair->limited.count)
		limit->sum(limit->user, &pair->limited);
	limit->forgotten++;
	use_unlink(limit, i);
	for (link = head_of(limit, &pair->limited); *link != i;
	     link = &pair_at(limit, *link)->chain)
		continue;
	*link = pair->chain;
	return i;
}

static struct pair *pair_of(struct pl_limit *limit, const struct lint_finding *finding)
{
	struct pair new_pair = { .limited.rule = finding->rule,
				 .limited.severity = finding->severity };
	uint32_t *head, i;

	if (finding->flow)
		new_pair.limited.flow = *finding->flow;
	head = head_of(limit, &new_pair.limited);
	for (i = *head; i != NONE; i = pair_at(limit, i)->chain) {
		struct pair *pair = pair_at(limit, i);

		if (pair->limited.rule == finding->rule &&
		    lint_flow_equal(&pair->limited.flow, &new_pair.limited.flow)) {
			use_unlink(limit, i);
			use_append(limit, i);
			return pair;
		}
	}
	if (limit->pairs->len < limit->capacity) {
		i = limit->pairs->len;
		g_array_set_size(limit->pairs, i + 1);
	} else {
		i = forget_oldest(limit);
	}
	new_pair.chain = *head;
	*head = i;
	*pair_at(limit, i) = new_pair;
	use_append(limit, i);
	return pair_at(limit, i);
}

bool pl_limit_show(struct pl_limit *limit, const struct lint_finding *finding)
{
	struct pair *pair;

	if (!limit->shown)
		return true;
	pair = pair_of(limit, finding);
	if (++pair->seen <= limit->shown)
		return true;
	if (!pair->limited.count++) {
		pair->limited.first_frame = finding->frame;
		pair->limited.first_time_ns = finding->time_ns;
		pair->limited.severity = finding->severity;
		pair->limited.layer = finding->layer;
	}
	pair->limited.last_frame = finding->frame;
	if (finding->severity < pair->limited.severity)
		pair->limited.severity = finding->severity;
	return false;
}

void pl_limit_finish(struct pl_limit *limit)
{
	uint32_t i;

	for (i = 0; i < limit->pairs->len; i++)
		if (pair_at(limit, i)->limited.count)
			limit->sum(limit->user, &pair_at(limit, i)->limited);
}

uint64_t pl_limit_forgotten(const struct pl_limit *limit)
{
	return limit->forgotten;
}
