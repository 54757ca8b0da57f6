/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * upper_where.c - finds the connection of an upper layer's queue in a report: the last one of its queue pairs that began before
 * the queue did.
 */
#include <stdlib.h>
#include <string.h>

#include "iwarp.h"
#include "upper.h"

/* One way of a connection. */
struct way {
	struct track_flow flow; /* of normalised addresses, service 0 */
	uint64_t first_frame;
	uint32_t number;
};

static int by_flow(const void *a, const void *b)
{
	const struct way *x = a, *y = b;
	int order = memcmp(&x->flow, &y->flow, sizeof(x->flow));

	if (order)
		return order;
	return x->first_frame < y->first_frame ? -1 : x->first_frame > y->first_frame;
}

static struct way way_of(const struct track_qp *qp, enum track_way direction)
{
	struct way way = { .flow = qp->flow, .first_frame = qp->first_frame, .number = qp->number };

	if (direction == TRACK_B_TO_A)
		track_flow_turn(&way.flow);
	track_flow_as_gids(&way.flow);
	way.flow.dqpn = qp->dir[direction].dqpn;
	way.flow.service = 0;
	return way;
}

static struct way *ways_of(const struct pl_report *report, unsigned int *n)
{
	struct way *ways = g_new(struct way, (size_t)report->n_qps * TRACK_WAYS + 1);
	unsigned int i, k;

	for (*n = 0, i = 0; i < report->n_qps; i++)
		for (k = 0; k < TRACK_WAYS; k++)
			if (report->qps[i]->dir[k].dqpn != TRACK_CM_NO_QPN)
				ways[(*n)++] = way_of(report->qps[i], (enum track_way)k);
	qsort(ways, *n, sizeof(*ways), by_flow);
	return ways;
}

/* The last way of the flow that is not later; NULL: there is none. */
static const struct way *last_before(const struct way *ways, unsigned int n, const struct way *key)
{
	unsigned int from = 0, to = n, middle;

	while (from < to) {
		middle = from + (to - from) / 2;
		if (by_flow(&ways[middle], key) <= 0)
			from = middle + 1;
		else
			to = middle;
	}
	if (!from || memcmp(&ways[from - 1].flow, &key->flow, sizeof(key->flow)) != 0)
		return NULL;
	return &ways[from - 1];
}

static int by_connection(const void *a, const void *b)
{
	const struct track_ulp_queue *q = a;
	const struct track_iwarp_conn *c = &((const struct pl_iwarp *)b)->record->conn;

	if (q->connection_frame != c->first_frame)
		return q->connection_frame < c->first_frame ? -1 : 1;
	return q->connection < c->number ? -1 : q->connection > c->number;
}

/* Those of iWARP are listed by first frame, and those with the same one as they began. */
static uint32_t of_iwarp(const struct pl_report *report, const struct track_ulp_queue *q)
{
	const struct pl_iwarp *c = NULL;

	if (report->n_iwarp)
		c = bsearch(q, report->iwarp, report->n_iwarp, sizeof(*report->iwarp),
			    by_connection);
	return c ? (uint32_t)c->number : PL_UPPER_NOWHERE;
}

uint32_t *pl_upper_where(const struct pl_report *report, const struct track_ulps *ulps)
{
	unsigned int i, n, all = track_ulps_count(ulps);
	struct way *ways = ways_of(report, &n), key = { .number = 0 };
	uint32_t *where = g_new(uint32_t, all + 1);
	const struct track_ulp_queue *q;
	const struct way *way;

	for (i = 0; i < all; i++) {
		q = track_ulps_queue(ulps, i);
		if (q->flow.service == TRACK_SERVICE_IWARP) {
			where[i] = of_iwarp(report, q);
			continue;
		}
		key.flow = q->flow;
		key.first_frame = q->first_frame;
		way = last_before(ways, n, &key);
		where[i] = way ? way->number : PL_UPPER_NOWHERE;
	}
	g_free(ways);
	return where;
}
