/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * group.h - one line per cause: groups findings of a rule that differ only in numbers, over all flows.
 *
 * A group keeps its first finding completely, the number of findings, and their flows. Memory is
 * bounded: the texts of a limited number of findings per rule are compared; later ones, and those
 * without a text, are a group of their own.
 */
#ifndef PL_GROUP_H
#define PL_GROUP_H

#include <lint/lint.h>

#include "pcap-lint/report/sink.h"

#define PL_GROUPS_LOOKED_AT 10000u
#define PL_GROUPS_FLOWS 65536u

struct pl_group {
	struct lint_finding
		first; /* the one of the lowest frame; its message is NULL: without words */
	uint64_t count, last_frame;
	uint64_t connections, flows; /* those of no connection */
	bool more_flows;             /* than could be told apart */
	bool told;                   /* as long as it was the only one: live */
	uint32_t number;             /* of the group: they are counted as they come up */
	/* What the finding points to. */
	struct track_flow flow;
	struct track_event event;
	uint64_t related[PL_RELATED_SHOWN];
	char *message;
};

struct pl_groups;

struct pl_groups *pl_groups_new(void);
void pl_groups_free(struct pl_groups *groups); /* NULL is fine */

/* Whether the words of one more finding of this rule are wanted. */
bool pl_groups_wants(const struct pl_groups *groups, enum lint_rule_id rule);

/* One was looked at, and is added by pl_groups_add() if it has to be. */
void pl_groups_look(struct pl_groups *groups, enum lint_rule_id rule);
struct pl_group *pl_groups_add(struct pl_groups *groups, const struct lint_finding *finding);

/* @n without words, as @first is, up to @last_frame. */
void pl_groups_more(struct pl_groups *groups, const struct lint_finding *first, uint64_t n,
		    uint64_t last_frame);

/* All of them, worst first: by level, then by how many there are. Freed by the caller, not what is in it. */
struct pl_group **pl_groups_sorted(struct pl_groups *groups, const struct track *track,
				   unsigned int *n);

#endif /* PL_GROUP_H */
