/* SPDX-License-Identifier: GPL-2.0-or-later */
/* figure.c - connections of iWARP in the order of their numbers, and their figures by the names of other connections' figures. */
#include <stdlib.h>

#include "figure.h"
#include "track/way/qp_state.h"

static int by_first_frame(const void *a, const void *b)
{
	const struct track_iwarp_conn *x = &(*(const struct track_iwarp_record *const *)a)->conn;
	const struct track_iwarp_conn *y = &(*(const struct track_iwarp_record *const *)b)->conn;

	if (x->first_frame != y->first_frame)
		return x->first_frame < y->first_frame ? -1 : 1;
	return x->number < y->number ? -1 : 1;
}

const struct track_iwarp_record **track_iwarp_sorted(const struct track_iwarp *t, unsigned int *n)
{
	const struct track_iwarp_record *records = track_iwarp_records(t, n), **sorted;
	unsigned int i;

	sorted = g_new(const struct track_iwarp_record *, *n + 1);
	for (i = 0; i < *n; i++)
		sorted[i] = &records[i];
	qsort(sorted, *n, sizeof(const struct track_iwarp_record *), by_first_frame);
	return sorted;
}

const struct track_iwarp_dir *track_iwarp_dir_that(const struct track_iwarp_conn *c,
						   enum track_way way)
{
	unsigned int a = track_iwarp_opener(c);

	return &c->dir[way == TRACK_A_TO_B ? a : !a];
}

bool track_iwarp_figure(const struct track_iwarp_dir *d, enum track_figure figure, uint64_t *n)
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

bool track_iwarp_measure(const struct track_iwarp_dir *d, enum track_measure_figure measure,
			 uint64_t *n)
{
	const struct track_iwarp_counts *counts = &d->counts;

	switch ((unsigned int)measure) {
	case TRACK_MEASURE_duration_ns:
		*n = counts->last_ns - counts->first_ns;
		return true;
	case TRACK_MEASURE_wire_rate:
		*n = track_measure_rate(counts->wire_bytes, counts->first_ns, counts->last_ns);
		return true;
	case TRACK_MEASURE_payload_rate:
	case TRACK_MEASURE_goodput: /* each octet counts once */
		*n = track_measure_rate(counts->payload, counts->first_ns, counts->last_ns);
		return true;
	}
	return false;
}

uint64_t track_iwarp_messages(const struct track_iwarp_dir *d, enum track_verb verb)
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

const char *track_iwarp_state_name(const struct track_iwarp_conn *c)
{
	static const enum track_qp_state states[] = {
		[TRACK_IWARP_REJECTED] = TRACK_QP_REJECTED,
		[TRACK_IWARP_FAILED] = TRACK_QP_FAILED,
		[TRACK_IWARP_CLOSED] = TRACK_QP_CLOSED,
		[TRACK_IWARP_MID_STREAM] = TRACK_QP_MID_STREAM,
		[TRACK_IWARP_SETUP] = TRACK_QP_SETUP,
		[TRACK_IWARP_ESTABLISHED] = TRACK_QP_ESTABLISHED,
	};

	return track_qp_state_names[states[track_iwarp_state(c)]];
}
