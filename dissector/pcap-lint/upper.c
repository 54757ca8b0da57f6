/* SPDX-License-Identifier: GPL-2.0-or-later */
/* upper.c - which operations of which queues are shown, in what order. */
#include <stdlib.h>

#include "chosen.h"
#include "iwarp.h"
#include "upper.h"

bool pl_upper_is_asked_for(const struct pl_report *report, const struct track_ulp_queue *q)
{
	return !pl_chosen_any(&report->options->chosen) ||
	       pl_chosen_flow(&report->options->chosen, report->track, &q->flow) == PL_CHOSEN_YES;
}

static int of_queue(const void *a, const void *b)
{
	const struct track_ulp_queue *q = a;
	const struct track_iwarp_conn *c = &((const struct pl_iwarp *)b)->record->conn;

	if (q->connection_frame != c->first_frame)
		return q->connection_frame < c->first_frame ? -1 : 1;
	return q->connection < c->number ? -1 : q->connection > c->number;
}

/* Those of iWARP are listed by first frame, and those with the same one as they began. */
static bool of_iwarp(const struct pl_report *report, const struct track_ulp_queue *q,
		     uint32_t *number)
{
	const struct pl_iwarp *c =
		bsearch(q, report->iwarp, report->n_iwarp, sizeof(*report->iwarp), of_queue);

	if (c)
		*number = (uint32_t)c->number;
	return c != NULL;
}

bool pl_upper_connection(const struct pl_report *report, const struct track_ulp_queue *q,
			 uint32_t *number)
{
	*number = 0;
	if (q->flow.service == TRACK_SERVICE_IWARP)
		return report->n_iwarp && of_iwarp(report, q, number);
	return track_connection_rank(report->track, &q->flow, number);
}

const char *pl_upper_protocol(unsigned int ulp)
{
	switch (ulp) {
	case IBW_ULP_NVME:
		return "NVMe-oF";
	case IBW_ULP_RPCRDMA:
		return "RPC-over-RDMA";
	default:
		return ibw_ulp_text(ulp);
	}
}

const char *pl_upper_status(const struct track_ulp_queue *q, const struct track_ulp_command *c,
			    char buf[TRACK_ULP_STATUS_TEXT])
{
	return track_ulp_status_words((enum ibw_ulp)q->ulp, c->code, c->status, buf,
				      TRACK_ULP_STATUS_TEXT);
}

static int by_time(const void *a, const void *b)
{
	const struct pl_upper *x = a, *y = b;

	if (x->operation->times.max != y->operation->times.max)
		return x->operation->times.max < y->operation->times.max ? 1 : -1;
	if (x->queue != y->queue)
		return x->queue->number < y->queue->number ? -1 : 1;
	return x->operation < y->operation ? -1 : x->operation > y->operation;
}

static unsigned int add(struct pl_upper *list, const struct pl_report *report,
			const struct track_ulp_queue *q)
{
	struct pl_upper row = { .queue = q };
	unsigned int i;

	row.known = pl_upper_connection(report, q, &row.connection);
	for (i = 0; i < q->n_operations; i++) {
		row.operation = &q->operation[i];
		list[i] = row;
	}
	return q->n_operations;
}

struct pl_upper *pl_upper_list(const struct pl_report *report, const struct track_ulps *ulps,
			       bool slowest, unsigned int *n)
{
	const struct track_ulp_queue *q;
	struct pl_upper *list;
	unsigned int i, all = 0;

	for (i = 0; i < track_ulps_count(ulps); i++)
		all += track_ulps_queue(ulps, i)->n_operations;
	list = g_new0(struct pl_upper, all + 1);
	for (i = 0, *n = 0; i < track_ulps_count(ulps); i++) {
		q = track_ulps_queue(ulps, i);
		if (pl_upper_is_asked_for(report, q))
			*n += add(list + *n, report, q);
	}
	if (slowest)
		qsort(list, *n, sizeof(*list), by_time);
	return list;
}
