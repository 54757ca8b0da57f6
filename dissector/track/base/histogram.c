/* SPDX-License-Identifier: GPL-2.0-or-later */
/* histogram.c - a sorted list of the buckets that have a count. */
#include <string.h>

#include <glib.h>

#include "histogram.h"

#define EXACT 64u    /* values below have a bucket each */
#define BY_POWER 32u /* buckets of a power of two */

static uint32_t bucket_of(uint64_t value)
{
	unsigned int log2;

	if (value < EXACT)
		return (uint32_t)value;
	log2 = 63u - (unsigned int)__builtin_clzll(value);
	return EXACT + (log2 - 6) * BY_POWER + (uint32_t)(value >> (log2 - 5)) - BY_POWER;
}

uint64_t track_bucket_upper(uint32_t number)
{
	uint32_t log2, part;

	if (number < EXACT)
		return number;
	log2 = (number - EXACT) / BY_POWER + 6;
	part = (number - EXACT) % BY_POWER + BY_POWER;
	/* of the last bucket, 2^64 - 1 */
	return ((uint64_t)(part + 1) << (log2 - 5)) - 1;
}

void track_histogram_clear(struct track_histogram *h)
{
	g_free(h->bucket);
	memset(h, 0, sizeof(*h));
}

/* Where @number is, or would be. */
static uint32_t find(const struct track_histogram *h, uint32_t number)
{
	uint32_t low = 0, high = h->n, middle;

	while (low < high) {
		middle = (low + high) / 2;
		if (h->bucket[middle].number < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void add(struct track_histogram *h, uint32_t number, uint32_t count)
{
	uint32_t at = h->recent;

	if (at >= h->n || h->bucket[at].number != number)
		h->recent = at = find(h, number);
	if (at < h->n && h->bucket[at].number == number) {
		h->bucket[at].count += count;
		return;
	}
	if (h->n == h->room) {
		h->room = h->room ? 2 * h->room : 2;
		h->bucket = g_renew(struct track_bucket, h->bucket, h->room);
	}
	memmove(&h->bucket[at + 1], &h->bucket[at], (h->n - at) * sizeof(*h->bucket));
	h->bucket[at] = (struct track_bucket){ number, count };
	h->n++;
}

static __attribute__((noinline)) void add_another(struct track_histogram *h, uint64_t value)
{
	add(h, bucket_of(value), 1);
	h->max = MAX(h->max, value);
	h->last = value;
}

void track_histogram_add(struct track_histogram *h, uint64_t value)
{
	if (h->n && value == h->last)
		h->bucket[h->recent].count++;
	else
		add_another(h, value);
}

void track_histogram_merge(struct track_histogram *h, const struct track_histogram *from)
{
	uint32_t i;

	for (i = 0; i < from->n; i++)
		add(h, from->bucket[i].number, from->bucket[i].count);
	h->max = MAX(h->max, from->max);
	h->recent = h->n - 1; /* where the largest is */
	h->last = h->max;
}

uint64_t track_histogram_count(const struct track_histogram *h)
{
	uint64_t count = 0;
	uint32_t i;

	for (i = 0; i < h->n; i++)
		count += h->bucket[i].count;
	return count;
}

uint64_t track_histogram_percentile(const struct track_histogram *h, unsigned int thousandths)
{
	uint64_t wanted = (track_histogram_count(h) * thousandths + 999) / 1000, reached = 0;
	uint32_t i;

	for (i = 0; i < h->n; i++) {
		reached += h->bucket[i].count;
		if (reached >= wanted)
			return track_bucket_upper(h->bucket[i].number);
	}
	return 0;
}
