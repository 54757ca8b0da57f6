/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * iwarp.c - iWARP connections in a report: their selection, their order, and their figures, by the names of other
 * connections' figures.
 */
#include <stdlib.h>
#include <string.h>

#include "iwarp.h"

static int by_first_frame(const void *a, const void *b)
{
	const struct track_iwarp_conn *x = &((const struct pl_iwarp *)a)->record->conn;
	const struct track_iwarp_conn *y = &((const struct pl_iwarp *)b)->record->conn;

	if (x->first_frame != y->first_frame)
		return x->first_frame < y->first_frame ? -1 : 1;
	return x->number < y->number ? -1 : 1;
}

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
	const struct track_iwarp_record *records = track_iwarp_records(iwarp, &all);
	struct pl_iwarp *listed = g_new0(struct pl_iwarp, all + 1);

	for (i = 0; i < all; i++)
		listed[i].record = &records[i];
	qsort(listed, all, sizeof(*listed), by_first_frame);
	for (i = 0; i < all; i++) {
		listed[i].number = first + i;
		if (is_asked_for(chosen, listed[i].record))
			listed[kept++] = listed[i];
	}
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
	unsigned int a = track_iwarp_opener(&c->record->conn);

	return &c->record->conn.dir[way == TRACK_A_TO_B ? a : !a];
}

bool pl_iwarp_figure(const struct track_iwarp_dir *d, enum track_figure figure, uint64_t *n)
{
	const struct track_iwarp_counts *counts = &d->counts;

	switch ((unsigned int)figure) {
	case TRACK_FIGURE_packets:
		*n = counts->segments;
		return true;
	case TRACK_FIGURE_wire_bytes:
		*n = counts->wire_bytes;
		return true;
	case TRACK_FIGURE_payload_bytes:
		*n = counts->payload;
		return true;
	case TRACK_FIGURE_retransmitted_packets:
		*n = counts->retransmitted;
		return true;
	case TRACK_FIGURE_reordered_packets:
		*n = counts->reordered;
		return true;
	case TRACK_FIGURE_duplicated_packets:
		*n = counts->duplicated;
		return true;
	case TRACK_FIGURE_icrc_bad:
		*n = 0; /* it has another CRC */
		return true;
	}
	return false;
}

uint64_t pl_iwarp_messages(const struct track_iwarp_dir *d, enum track_verb verb)
{
	const uint64_t *n = d->counts.messages;

	switch ((unsigned int)verb) {
	case TRACK_VERB_SEND:
		return n[TRACK_IWARP_SEND] + n[TRACK_IWARP_INVALIDATE] + n[TRACK_IWARP_IMMEDIATE];
	case TRACK_VERB_WRITE:
		return n[TRACK_IWARP_WRITE];
	case TRACK_VERB_READ:
		return n[TRACK_IWARP_READ_REQUEST];
	case TRACK_VERB_ATOMIC:
		return n[TRACK_IWARP_ATOMIC_REQUEST];
	}
	return 0;
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
	static const enum track_qp_state states[] = {
		[TRACK_IWARP_REJECTED] = TRACK_QP_REJECTED,
		[TRACK_IWARP_FAILED] = TRACK_QP_FAILED,
		[TRACK_IWARP_CLOSED] = TRACK_QP_CLOSED,
		[TRACK_IWARP_MID_STREAM] = TRACK_QP_MID_STREAM,
		[TRACK_IWARP_SETUP] = TRACK_QP_SETUP,
		[TRACK_IWARP_ESTABLISHED] = TRACK_QP_ESTABLISHED,
	};

	return track_qp_state_names[states[track_iwarp_state(&c->record->conn)]];
}
