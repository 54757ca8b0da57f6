/* SPDX-License-Identifier: GPL-2.0-or-later */
/* limit.c - limits the findings shown per rule and flow. */
#include <glib.h>

#include "limit.h"
#include "track/base/table.h"

/* No holes: compared as bytes. */
struct key {
	struct track_flow flow; /* of address TRACK_ADDRESS_NONE: findings without a flow */
	uint64_t rule;
};

/* Its count: findings beyond those shown. */
struct pair {
	struct pl_limited limited;
	uint64_t seen;
};

struct pl_limit {
	uint64_t shown;
	pl_limit_sum *sum;
	void *user;
	struct track_table *pairs;
	struct pair *first; /* of which the sum began last */
};

struct pl_limit *pl_limit_new(uint64_t shown, unsigned int pairs, pl_limit_sum *sum, void *user)
{
	struct pl_limit *limit = g_new0(struct pl_limit, 1);

	limit->shown = shown;
	limit->sum = sum;
	limit->user = user;
	limit->pairs = track_table_new(sizeof(struct key), sizeof(struct pair), pairs);
	return limit;
}

void pl_limit_free(struct pl_limit *limit)
{
	if (!limit)
		return;
	track_table_free(limit->pairs);
	g_free(limit);
}

static void say_sum(struct pl_limit *limit, const struct pair *pair)
{
	if (pair->limited.count)
		limit->sum(limit->user, &pair->limited);
}

static struct pair *pair_of(struct pl_limit *limit, const struct lint_finding *finding)
{
	struct key key = { .rule = finding->rule };
	struct pair *pair;

	if (finding->flow)
		key.flow = *finding->flow;
	pair = track_table_get(limit->pairs, &key);
	if (pair)
		return pair;
	if (track_table_full(limit->pairs)) {
		say_sum(limit, track_table_oldest(limit->pairs));
		track_table_evict(limit->pairs, track_table_oldest(limit->pairs));
	}
	pair = track_table_add(limit->pairs, &key);
	pair->limited.flow = key.flow;
	pair->limited.rule = finding->rule;
	return pair;
}

/* @n findings up to @last_frame become part of a sum; those held come late. */
static void sum_up(struct pair *pair, const struct lint_finding *first, uint64_t n,
		   uint64_t last_frame)
{
	struct pl_limited *sum = &pair->limited;

	if (!sum->count || first->frame < sum->first_frame) {
		sum->first_frame = first->frame;
		sum->first_time_ns = first->time_ns;
	}
	if (!sum->count || first->severity < sum->severity)
		sum->severity = first->severity;
	sum->last_frame = MAX(sum->last_frame, last_frame);
	sum->count += n;
}

enum pl_limited_to pl_limit_count(struct pl_limit *limit, const struct lint_finding *finding)
{
	struct pair *pair;

	if (!limit->shown)
		return PL_LIMIT_SHOW;
	pair = pair_of(limit, finding);
	if (++pair->seen <= limit->shown)
		return PL_LIMIT_SHOW;
	sum_up(pair, finding, 1, finding->frame);
	if (pair->limited.count > 1)
		return PL_LIMIT_SUM;
	limit->first = pair;
	return PL_LIMIT_FIRST;
}

void pl_limit_more(struct pl_limit *limit, const struct lint_finding *first, uint64_t n,
		   uint64_t last_frame)
{
	struct pair *pair = pair_of(limit, first);

	sum_up(pair, first, n, last_frame);
	pair->limited.layer = first->layer;
}

void pl_limit_first(struct pl_limit *limit, const struct lint_finding *finding)
{
	limit->first->limited.layer = finding->layer;
}

void pl_limit_finish(struct pl_limit *limit)
{
	const struct pair *pair = NULL;

	while ((pair = track_table_next(limit->pairs, pair)))
		say_sum(limit, pair);
}

uint64_t pl_limit_forgotten(const struct pl_limit *limit)
{
	return track_table_evicted(limit->pairs);
}
