/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * limit.h - limits the findings shown per rule and flow.
 *
 * The first few are shown; the others are counted, with their place, to be summed up in one line.
 * Memory is bounded: if there are too many pairs of rule and flow, the least recently used one is
 * summed up early and evicted.
 */
#ifndef PL_LIMIT_H
#define PL_LIMIT_H

#include <lint/lint.h>

/* Pairs of rule and flow remembered; about 100 bytes each. */
#define PL_LIMIT_PAIRS 65536

/* What was not shown of one rule and flow. */
struct pl_limited {
	struct track_flow flow; /* of address TRACK_ADDRESS_NONE: findings without a flow */
	enum lint_rule_id rule;
	enum lint_severity severity; /* the worst of them */
	const char *layer;           /* of the first */
	uint64_t count;
	uint64_t first_frame, last_frame;
	uint64_t first_time_ns;
};

typedef void pl_limit_sum(void *user, const struct pl_limited *limited);

struct pl_limit;

/* Shows @shown findings of each pair, all with 0, and remembers @pairs pairs. */
struct pl_limit *pl_limit_new(uint64_t shown, unsigned int pairs, pl_limit_sum *sum, void *user);
void pl_limit_free(struct pl_limit *limit);

/* What becomes of a finding: it is shown, or it is part of a sum, of which it may be the first. */
enum pl_limited_to { PL_LIMIT_SHOW, PL_LIMIT_FIRST, PL_LIMIT_SUM };

/* Counts a finding. */
enum pl_limited_to pl_limit_count(struct pl_limit *limit, const struct lint_finding *finding);

/* @n findings as @first is, up to @last_frame, of which there is nothing to show: part of a sum. */
void pl_limit_more(struct pl_limit *limit, const struct lint_finding *first, uint64_t n,
		   uint64_t last_frame);

/* What a sum needs of its first finding next to what was counted: of the last one that was FIRST. */
void pl_limit_first(struct pl_limit *limit, const struct lint_finding *finding);

/* The sums of all pairs that have one, in the order the pairs came up. */
void pl_limit_finish(struct pl_limit *limit);

/* Pairs that were forgotten early. */
uint64_t pl_limit_forgotten(const struct pl_limit *limit);

#endif /* PL_LIMIT_H */
