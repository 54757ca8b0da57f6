/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iwarp.c - iWARP connections in a report: their selection, and how bad they are. */
#include <string.h>

#include "iwarp.h"

static bool is_asked_for(const struct pl_chosen *chosen, const struct track_iwarp_record *r)
{
	struct track_flow flow = { .address = r->ends.v6 ? TRACK_ADDRESS_IPV6 : TRACK_ADDRESS_IPV4,
				   .service = TRACK_SERVICE_IWARP };

	memcpy(flow.src, r->ends.address[0], sizeof(flow.src));
	memcpy(flow.dst, r->ends.address[1], sizeof(flow.dst));
	return pl_chosen_flow(chosen, NULL, &flow) == PL_CHOSEN_YES;
}

struct pl_iwarp *pl_iwarp_listed(const struct track_iwarp *iwarp, const struct pl_chosen *chosen,
				 uint64_t first, unsigned int *n)
{
	unsigned int all, i, kept = 0;
	const struct track_iwarp_record **sorted = track_iwarp_sorted(iwarp, &all);
	struct pl_iwarp *listed = g_new0(struct pl_iwarp, all + 1);

	for (i = 0; i < all; i++)
		if (is_asked_for(chosen, sorted[i]))
			listed[kept++] = (struct pl_iwarp){ sorted[i], first + i };
	g_free(sorted);
	*n = kept;
	return listed;
}

const struct pl_iwarp *pl_iwarp_numbered(const struct pl_report *report, uint64_t number)
{
	unsigned int low = 0, high = report->n_iwarp, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (report->iwarp[middle].number < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low < report->n_iwarp && report->iwarp[low].number == number ? &report->iwarp[low]
									    : NULL;
}

const struct track_iwarp_dir *pl_iwarp_dir(const struct pl_iwarp *c, enum track_way way)
{
	return track_iwarp_dir_that(&c->record->conn, way);
}

void pl_iwarp_badness(const struct pl_iwarp *c, uint64_t bad[PL_BADNESS])
{
	const struct track_iwarp_counts *counts;
	unsigned int i;

	memset(bad, 0, PL_BADNESS * sizeof(*bad));
	bad[PL_FATAL] = track_iwarp_state(&c->record->conn) == TRACK_IWARP_FAILED;
	for (i = 0; i < TRACK_WAYS; i++) {
		counts = &c->record->conn.dir[i].counts;
		bad[PL_RESENT] =
			MAX(bad[PL_RESENT], pl_percent(counts->retransmitted, counts->segments));
		bad[PL_BAD_CRC] += counts->crc_bad;
		bad[PL_PACKETS] += counts->segments;
	}
}

const char *pl_iwarp_state(const struct pl_iwarp *c)
{
	return track_iwarp_state_name(&c->record->conn);
}
