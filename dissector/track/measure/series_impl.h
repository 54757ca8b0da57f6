/* SPDX-License-Identifier: GPL-2.0-or-later */
/* series_impl.h - what series.c is told. */
#ifndef IBWIRE_TRACK_SERIES_IMPL_H
#define IBWIRE_TRACK_SERIES_IMPL_H

#include "series.h"
#include "track/way/qp_impl.h"

/* Columns there is room for at first, and marks. */
#define TRACK_SERIES_ROOM 16u
#define TRACK_SERIES_MARKS_FIRST 8u

/* What all series of a capture take together. */
struct track_series_room {
	uint64_t used, most;
	uint64_t left_out; /* directions */
	uint32_t columns;  /* that a series may have */
};

/* False: there is no room for so many bytes more. */
static inline bool track_series_fits(const struct track_series_room *all, uint64_t more)
{
	return all->used + more <= all->most;
}

/* series_column.c: that of a time, which is opened; and room for the first ones of a new series. */
void track_column_open(struct track_qps *s, struct track_series *t, uint64_t time_ns);
bool track_column_begin(struct track_qps *s, struct track_series *t);
void track_column_free(struct track_series *t);

/* A PSN of those from @low to @high. */
static inline void track_column_take(int32_t *low, int32_t *high, int32_t other_low,
				     int32_t other_high)
{
	if (other_low == TRACK_SERIES_NONE)
		return;
	*low = *low == TRACK_SERIES_NONE ? other_low : MIN(*low, other_low);
	*high = MAX(*high, other_high);
}

/* A request of this PSN, once it was looked at but for its being noted; an answer to one, after all of it was. */
void track_series_request(struct track_qps *s, struct track_qp *qp, const struct track_packet *p,
			  uint64_t psn, enum track_psn_class class);
void track_series_answer(struct track_qps *s, struct track_qp *qp, const struct track_packet *p,
			 uint64_t psn);

/* A CNP about requests of @d. */
void track_series_cnp(struct track_dir *d, const struct track_packet *p);

/* ladder.c: a packet. @missing: the first PSN that should have come before it; TRACK_SERIES_NONE: none. */
void track_ladder_add(struct track_series *t, const struct track_packet *p,
		      enum track_rung_kind kind, int32_t psn, int32_t missing);

/* The incident of that frame is over, which began with that one and took so long: the costliest one's runs are kept. */
void track_ladder_over(struct track_series *t, uint64_t frame, uint64_t begin_frame, uint64_t ns);

void track_ladder_free(struct track_series *t);

void track_series_free(struct track_series *t); /* NULL is fine */

#endif /* IBWIRE_TRACK_SERIES_IMPL_H */
