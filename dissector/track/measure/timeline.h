/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * timeline.h - figures by intervals of time, for each connection and for all together, in one pass: intervals
 * are merged in pairs, and become twice as long, whenever there would be too many.
 *
 * Intervals begin at multiples of their length since 1970, so that those of two timelines are the same.
 */
#ifndef IBWIRE_TRACK_TIMELINE_H
#define IBWIRE_TRACK_TIMELINE_H

#include "track/way/qp.h"

/*
 * The most intervals if their length is not given; then they are 1 us at first. The most if it is
 * given.
 */
#define TRACK_BINS 200u
#define TRACK_BINS_ASKED 10000u
#define TRACK_BIN_NS 1000u

enum track_bin_figure {
#define TRACK_BIN(name, how, definition) TRACK_BIN_##name,
#include "bins.def"
	TRACK_BIN_COUNT
};

extern const char *const track_bin_names[TRACK_BIN_COUNT];

struct track_bin {
	uint64_t way[TRACK_WAYS][TRACK_BIN_COUNT]; /* of all connections: the first one only */
	uint64_t pause, paused_ns; /* frames, how long any priority was; of all connections only */
};

struct track_timeline {
	uint64_t interval_ns, first; /* the first bin begins at first * interval_ns */
	struct track_bin *bin;
	uint32_t n, room, max;
	uint32_t recent;           /* the bin of the last packet, */
	uint64_t begin_ns, end_ns; /* and its time; 0: not known, so that nothing is counted */
};

/* How many bins there are from the lower one of @number and the @n bins from @first on, which is @low, to the last one, but for that one. */
static inline uint64_t track_bins_span(uint64_t first, uint32_t n, uint64_t number, uint64_t *low)
{
	const uint64_t last = first + (n ? n : 1) - 1;

	*low = number < first ? number : first;
	return (number > last ? number : last) - *low;
}

/* From here on; @interval_ns 0: TRACK_BIN_NS, and TRACK_BINS of them at most. Measures are wanted, too. */
void track_qps_want_timeline(struct track_qps *s, uint64_t interval_ns);

/* NULL: nothing was seen. */
const struct track_timeline *track_qps_timeline(const struct track_qps *s);
const struct track_timeline *track_qp_timeline(const struct track_qp *qp);

/* The longest interval of all, which is made that of each; what is paused is so to the end. */
void track_timelines_align(struct track_qps *s);

/* A copy with @max bins at most; freed with track_timeline_free(). */
struct track_timeline *track_timeline_shorter(const struct track_timeline *t, uint32_t max);
void track_timeline_free(struct track_timeline *t); /* NULL is fine */

#endif /* IBWIRE_TRACK_TIMELINE_H */
