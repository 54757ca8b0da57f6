/* SPDX-License-Identifier: GPL-2.0-or-later */
/* group.c - groups findings into one line per cause. */
#include <stdlib.h>
#include <string.h>

#include "group.h"
#include "track/base/table.h"
#include "track/track.h"

/* A flow that a group has findings on. No holes: compared as bytes. */
struct on_flow {
	struct track_flow flow;
	uint64_t group;
};

struct pl_groups {
	GHashTable *by_cause; /* of struct pl_group, by "RULE LEVEL cause" */
	GPtrArray *all;       /* the same, in the order they came up */
	struct track_table *flows;
	uint64_t looked_at[LINT_RULE_COUNT];
};

static void group_free(void *p)
{
	struct pl_group *group = p;

	g_free(group->message);
	g_free(group);
}

struct pl_groups *pl_groups_new(void)
{
	struct pl_groups *groups = g_new0(struct pl_groups, 1);

	groups->by_cause = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	groups->all = g_ptr_array_new_with_free_func(group_free);
	groups->flows = track_table_new(sizeof(struct on_flow), 1, PL_GROUPS_FLOWS);
	return groups;
}

void pl_groups_free(struct pl_groups *groups)
{
	if (!groups)
		return;
	track_table_free(groups->flows);
	g_hash_table_unref(groups->by_cause);
	g_ptr_array_unref(groups->all);
	g_free(groups);
}

/* "RC FLUSH: ..." begins with what the packet is, not with what is wrong in it. */
static const char *without_operation(const char *message)
{
	static const char *const services[] = { "RC ", "UC ", "UD ", "RD ", "XRC ", "CNP" };
	const char *colon;
	unsigned int i;

	for (i = 0; i < G_N_ELEMENTS(services); i++)
		if (g_str_has_prefix(message, services[i])) {
			colon = strstr(message, ": ");
			return colon ? colon + 2 : message;
		}
	return message;
}

static bool is_unit(const char *word, size_t n)
{
	static const char *const units[] = { "ns", "us", "ms", "s", "k", "M", "G" };
	unsigned int i;

	for (i = 0; i < G_N_ELEMENTS(units); i++)
		if (strlen(units[i]) == n && strncmp(word, units[i], n) == 0)
			return true;
	return false;
}

static bool has_digit(const char *word, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (g_ascii_isdigit(word[i]))
			return true;
	return false;
}

/*
 * A message without what differs from packet to packet: what has a digit in it, units after it, the
 * plural, and what is in parentheses.
 */
static void add_cause(GString *key, const char *p)
{
	static const char separators[] = " ,;:()";
	unsigned int depth = 0;
	bool number = false;
	size_t n;

	for (p = without_operation(p); *p; p += n) {
		n = strcspn(p, separators);
		if (!n) {
			n = 1;
			depth += *p == '(';
			depth -= *p == ')' && depth;
			continue;
		}
		if (depth || (number && is_unit(p, n)))
			continue;
		number = has_digit(p, n);
		g_string_append_c(key, ' ');
		if (number)
			g_string_append_c(key, '#');
		else
			g_string_append_len(key, p, (gssize)(n - (n > 1 && p[n - 1] == 's')));
	}
}

static struct pl_group *group_of(struct pl_groups *groups, const struct lint_finding *finding,
				 const char *message)
{
	GString *key = g_string_new(NULL);
	struct pl_group *group;

	g_string_printf(key, "%u %u", (unsigned int)finding->rule, (unsigned int)finding->severity);
	if (message)
		add_cause(key, message);
	group = g_hash_table_lookup(groups->by_cause, key->str);
	if (group) {
		g_string_free(key, TRUE);
		return group;
	}
	group = g_new0(struct pl_group, 1);
	g_hash_table_insert(groups->by_cause, g_string_free(key, FALSE), group);
	group->number = groups->all->len;
	g_ptr_array_add(groups->all, group);
	return group;
}

static void count_flow(struct pl_groups *groups, struct pl_group *group,
		       const struct track_flow *flow)
{
	struct on_flow key = { .group = group->number };

	if (!flow)
		return;
	key.flow = *flow;
	if (track_table_get(groups->flows, &key))
		return;
	if (track_table_full(groups->flows))
		group->more_flows = true;
	else
		track_table_add(groups->flows, &key);
}

/* A finding becomes the one that stands for all: with its own copy of what it points to. */
static void set_first(struct pl_group *group, const struct lint_finding *finding,
		      const char *message)
{
	char *copy = g_strdup(message);
	unsigned int i;

	g_free(group->message);
	group->first = *finding;
	group->message = copy;
	group->first.message = copy;
	if (finding->flow) {
		group->flow = *finding->flow;
		group->first.flow = &group->flow;
	}
	if (finding->event && message) {
		group->event = *finding->event;
		group->first.event = &group->event;
	} else {
		group->first.event = NULL;
	}
	if (!message) { /* nor what goes with it */
		group->first.n_related = 0;
		group->first.psn = LINT_NO_PSN;
	}
	for (i = 0; i < MIN(group->first.n_related, PL_RELATED_SHOWN); i++)
		group->related[i] = finding->related[i];
	group->first.related = group->related;
}

static struct pl_group *add(struct pl_groups *groups, const struct lint_finding *finding,
			    const char *message, uint64_t n, uint64_t last_frame)
{
	struct pl_group *group = group_of(groups, finding, message);

	if (!group->count || finding->frame < group->first.frame)
		set_first(group, finding, message);
	group->count += n;
	group->last_frame = MAX(group->last_frame, last_frame);
	count_flow(groups, group, finding->flow);
	return group;
}

bool pl_groups_wants(const struct pl_groups *groups, enum lint_rule_id rule)
{
	return groups->looked_at[rule] < PL_GROUPS_LOOKED_AT;
}

void pl_groups_look(struct pl_groups *groups, enum lint_rule_id rule)
{
	groups->looked_at[rule]++;
}

struct pl_group *pl_groups_add(struct pl_groups *groups, const struct lint_finding *finding)
{
	return add(groups, finding, finding->message, 1, finding->frame);
}

void pl_groups_more(struct pl_groups *groups, const struct lint_finding *first, uint64_t n,
		    uint64_t last_frame)
{
	add(groups, first, NULL, n, last_frame);
}

/* The two ways of a connection are one. */
static void count_connections(struct pl_groups *groups, const struct track *track)
{
	GHashTable *seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	const void *value = NULL;
	struct pl_group *group;

	while ((value = track_table_next(groups->flows, value))) {
		const struct on_flow *on = track_table_key(groups->flows, value);
		uint32_t rank;

		group = g_ptr_array_index(groups->all, on->group);
		if (!track || !track_connection_rank(track, &on->flow, &rank))
			group->flows++;
		else if (g_hash_table_add(seen, g_strdup_printf("%" G_GUINT64_FORMAT " %u",
								(guint64)on->group, rank)))
			group->connections++;
	}
	g_hash_table_unref(seen);
}

/* The first of those alike in level and number comes first. */
static int worst_first(const void *a, const void *b)
{
	const struct pl_group *one = *(struct pl_group *const *)a;
	const struct pl_group *other = *(struct pl_group *const *)b;

	if (one->first.severity != other->first.severity)
		return one->first.severity < other->first.severity ? -1 : 1;
	if (one->count != other->count)
		return one->count > other->count ? -1 : 1;
	if (one->first.frame != other->first.frame)
		return one->first.frame < other->first.frame ? -1 : 1;
	if (one->first.rule != other->first.rule)
		return one->first.rule < other->first.rule ? -1 : 1;
	return g_strcmp0(one->message, other->message);
}

struct pl_group **pl_groups_sorted(struct pl_groups *groups, const struct track *track,
				   unsigned int *n)
{
	struct pl_group **sorted;

	count_connections(groups, track);
	*n = groups->all->len;
	sorted = g_new(struct pl_group *, *n + 1);
	if (*n) {
		memcpy(sorted, groups->all->pdata, *n * sizeof(struct pl_group *));
		qsort(sorted, *n, sizeof(struct pl_group *), worst_first);
	}
	return sorted;
}
