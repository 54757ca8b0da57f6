/* SPDX-License-Identifier: GPL-2.0-or-later */
/* upper.c - selects and sorts the operations of queues that are shown. */
#include <stdlib.h>

#include "pcap-lint/options/chosen.h"
#include "upper.h"

bool pl_upper_is_asked_for(const struct pl_report *report, const struct track_ulp_queue *q)
{
	if (q->given_up)
		return false;
	return !pl_chosen_any(&report->options->chosen) ||
	       pl_chosen_flow(&report->options->chosen, report->track, &q->flow) == PL_CHOSEN_YES;
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

static unsigned int add(struct pl_upper *list, const struct track_ulp_queue *q, uint32_t connection)
{
	struct pl_upper row = { .queue = q, .connection = connection };
	unsigned int i;

	for (i = 0; i < q->n_operations; i++) {
		row.operation = &q->operation[i];
		list[i] = row;
	}
	return q->n_operations;
}

struct pl_upper *pl_upper_list(const struct pl_report *report, const struct track_ulps *ulps,
			       const uint32_t *where, bool slowest, unsigned int *n)
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
			*n += add(list + *n, q, where[i]);
	}
	if (slowest)
		qsort(list, *n, sizeof(*list), by_time);
	return list;
}
