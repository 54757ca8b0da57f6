/* SPDX-License-Identifier: GPL-2.0-or-later */
/* listed.c - connections of queue pairs and of iWARP in one list, worst first. */
#include <stdlib.h>

#include "iwarp.h"

static uint64_t badness(const struct pl_listed *one, uint64_t bad[PL_BADNESS])
{
	if (one->qp) {
		pl_flow_badness(one->qp, bad);
		return one->qp->number;
	}
	pl_iwarp_badness(one->iwarp, bad);
	return one->iwarp->number;
}

static int worse_first(const void *a, const void *b)
{
	uint64_t of_a[PL_BADNESS], of_b[PL_BADNESS];
	uint64_t number_a = badness(a, of_a), number_b = badness(b, of_b);
	int order = pl_badness_compare(of_a, of_b);

	if (order)
		return order;
	return number_a < number_b ? -1 : 1;
}

struct pl_listed *pl_flows_listed(const struct pl_report *report, const struct track_qp *const *qps,
				  unsigned int n)
{
	struct pl_listed *listed =
		g_new0(struct pl_listed, n + report->n_iwarp + 1); /* never NULL */
	unsigned int i;

	for (i = 0; i < n; i++)
		listed[i].qp = qps[i];
	for (i = 0; i < report->n_iwarp; i++)
		listed[n + i].iwarp = &report->iwarp[i];
	qsort(listed, n + report->n_iwarp, sizeof(*listed), worse_first);
	return listed;
}
