/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * histogram.h - histograms of times or sizes, with buckets of at most 1/32 of the value.
 *
 * Values below 64 have a bucket each. Above, each power of two has 32 of them. Histograms can be
 * added. An empty one takes no memory.
 */
#ifndef IBWIRE_TRACK_HISTOGRAM_H
#define IBWIRE_TRACK_HISTOGRAM_H

#include <stdint.h>

struct track_bucket {
	uint32_t number; /* track_bucket_upper() */
	uint32_t count;
};

struct track_histogram {
	struct track_bucket *bucket; /* those with a count, in order */
	uint32_t n, room;
	uint32_t recent; /* the bucket of the last value, */
	uint64_t last;   /* which repeats often: sizes do */
	uint64_t max;
};

/* Frees all its memory; it is empty again. */
void track_histogram_clear(struct track_histogram *h);

void track_histogram_add(struct track_histogram *h, uint64_t value);

/* Adds all values of @from. */
void track_histogram_merge(struct track_histogram *h, const struct track_histogram *from);

/* Values in it. */
uint64_t track_histogram_count(const struct track_histogram *h);

/* The largest value of a bucket. */
uint64_t track_bucket_upper(uint32_t number);

/*
 * The upper end of the first bucket with which ceil(@thousandths * count / 1000) values are
 * reached: 500 is the median; 0 of no values.
 */
uint64_t track_histogram_percentile(const struct track_histogram *h, unsigned int thousandths);

#endif /* IBWIRE_TRACK_HISTOGRAM_H */
