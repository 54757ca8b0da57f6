/* SPDX-License-Identifier: GPL-2.0-or-later */
/* upper_interval.c - commands of upper layers by intervals: how many were answered, and how many were open at most. */
#include <stdlib.h>

#include "upper.h"

/* A command begins or ends; of those in one packet ends come first. */
struct change {
	uint64_t frame, ns;
	uint32_t connection;
	bool begins, answered;
};

struct pl_upper_changes {
	unsigned int n;
	bool by_connection; /* how they are sorted */
	struct change change[];
};

static int by_frame(const void *a, const void *b)
{
	const struct change *x = a, *y = b;

	if (x->frame != y->frame)
		return x->frame < y->frame ? -1 : 1;
	return x->begins - y->begins;
}

static int by_connection(const void *a, const void *b)
{
	const struct change *x = a, *y = b;

	if (x->connection != y->connection)
		return x->connection < y->connection ? -1 : 1;
	return by_frame(a, b);
}

/* Timelines are of RC. Commands that wait for something to happen load nothing. */
static bool is_counted(const struct track_ulp_queue *q, const struct track_ulp_command *c)
{
	return q->flow.service != TRACK_SERVICE_IWARP && !track_ulp_waits(q, c->code);
}

static unsigned int add(struct change *change, const struct track_ulp_queue *q,
			const struct track_ulp_command *c, uint32_t connection)
{
	change[0] = (struct change){
		.frame = c->frame, .ns = c->time_ns, .connection = connection, .begins = true
	};
	change[1] = (struct change){ .frame = c->end_frame,
				     .ns = c->time_ns + c->ns,
				     .connection = connection,
				     .answered = c->end == TRACK_ULP_DONE };
	if (c->end == TRACK_ULP_CLOSED) {
		change[1].frame = q->closed_frame;
		change[1].ns = q->closed_ns;
	}
	return c->end == TRACK_ULP_OPEN ? 1 : 2;
}

struct pl_upper_changes *pl_upper_changes_of(const struct pl_report *report)
{
	const struct track_ulps *ulps = report->track ? track_commands(report->track) : NULL;
	struct pl_upper_changes *changes;
	const struct track_ulp_command *c;
	const struct track_ulp_queue *q;
	unsigned int i, n = 0;
	uint32_t *where;

	if (!ulps || track_ulps_unlisted(ulps))
		return NULL;
	c = track_ulps_records(ulps, &n);
	if (!n)
		return NULL;
	changes = g_malloc(sizeof(*changes) + 2 * (size_t)n * sizeof(struct change));
	*changes = (struct pl_upper_changes){ .n = 0 };
	where = pl_upper_where(report, ulps);
	for (i = 0; i < n; i++) {
		q = track_ulps_queue(ulps, c[i].queue);
		if (is_counted(q, &c[i]))
			changes->n += add(&changes->change[changes->n], q, &c[i], where[q->number]);
	}
	g_free(where);
	qsort(changes->change, changes->n, sizeof(struct change), by_frame);
	return changes;
}

/* The first one of the connection or a later one. */
static unsigned int first_of(const struct pl_upper_changes *changes, uint64_t connection)
{
	unsigned int from = 0, to = changes->n, middle;

	while (from < to) {
		middle = from + (to - from) / 2;
		if (changes->change[middle].connection < connection)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

/* The bin of a time, which is not before the one at hand: what is open is so until something happens. */
static void count(struct pl_upper_bins *bins, const struct change *change, unsigned int n,
		  uint64_t interval_ns, uint64_t first)
{
	uint64_t number;
	uint32_t at = 0, open = 0;
	unsigned int i;

	for (i = 0; i < n; i++) {
		number = change[i].ns / interval_ns;
		number = number > first ? number - first : 0;
		number = MIN(number, bins->n - 1);
		while (at < number)
			bins->open_max[++at] = open;
		open = change[i].begins ? open + 1 : open - (open > 0);
		bins->open_max[number] = MAX(bins->open_max[number], open);
		bins->answered[number] += change[i].answered;
	}
	while (at + 1 < bins->n)
		bins->open_max[++at] = open;
}

bool pl_upper_bins_of(struct pl_upper_changes *changes, const struct track_timeline *t,
		      uint32_t connection, struct pl_upper_bins *bins)
{
	unsigned int from = 0, to = changes ? changes->n : 0;

	*bins = (struct pl_upper_bins){ .n = t->n };
	if (!changes || !t->n)
		return false;
	if (connection != PL_UPPER_NOWHERE) {
		if (!changes->by_connection)
			qsort(changes->change, changes->n, sizeof(struct change), by_connection);
		changes->by_connection = true;
		from = first_of(changes, connection);
		to = first_of(changes, (uint64_t)connection + 1);
	}
	if (from == to)
		return false;
	bins->answered = g_new0(uint32_t, t->n);
	bins->open_max = g_new0(uint32_t, t->n);
	count(bins, &changes->change[from], to - from, t->interval_ns, t->first);
	return true;
}

void pl_upper_bins_free(struct pl_upper_bins *bins)
{
	g_free(bins->answered);
	g_free(bins->open_max);
}
