/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reads.c - a sorted list of runs. */
#include <string.h>

#include <glib.h>

#include "reads.h"

#define ROOM_FIRST 2u

struct track_reads *track_reads_new(void)
{
	return g_new0(struct track_reads, 1);
}

void track_reads_free(struct track_reads *r)
{
	if (!r)
		return;
	g_free(r->run);
	g_free(r);
}

/* The first run that ends after @psn. */
static uint32_t find(const struct track_reads *r, uint64_t psn)
{
	uint32_t low = 0, high = r->n, middle;

	while (low < high) {
		middle = (low + high) / 2;
		if (r->run[middle].high <= psn)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void insert(struct track_reads *r, uint32_t at, struct track_read run)
{
	if (r->n == r->room) {
		r->room = r->room ? 2 * r->room : ROOM_FIRST;
		r->run = g_renew(struct track_read, r->run, r->room);
	}
	if (at < r->n)
		memmove(&r->run[at + 1], &r->run[at], (r->n - at) * sizeof(run));
	r->run[at] = run;
	r->n++;
}

static void take_out(struct track_reads *r, uint32_t at)
{
	r->n--;
	if (at < r->n)
		memmove(&r->run[at], &r->run[at + 1], (r->n - at) * sizeof(*r->run));
}

static uint64_t below(const struct track_read *run, uint64_t passed)
{
	return passed > run->low ? MIN(passed, run->high) - run->low : 0;
}

void track_reads_ask(struct track_reads *r, uint64_t low, uint64_t high, uint64_t passed)
{
	uint32_t at = find(r, low);

	if (at && r->run[at - 1].high == low) {
		r->run[at - 1].high = high;
		return;
	}
	if (r->n == TRACK_READS_MAX) {
		r->missing += below(&r->run[0], passed);
		take_out(r, 0);
		at -= at > 0;
	}
	insert(r, at, (struct track_read){ low, high });
}

void track_reads_answer(struct track_reads *r, uint64_t psn)
{
	uint32_t at = find(r, psn);
	struct track_read *run = &r->run[at], after;

	if (at == r->n || psn < run->low)
		return;
	after = (struct track_read){ psn + 1, run->high };
	if (psn > run->low) {
		run->high = psn;
		if (after.low < after.high && r->n < TRACK_READS_MAX)
			insert(r, at + 1, after);
	} else if (after.low < after.high) {
		*run = after;
	} else {
		take_out(r, at);
	}
}

bool track_reads_wait(const struct track_reads *r, uint64_t low, uint64_t high)
{
	uint32_t at = find(r, low);

	return at < r->n && r->run[at].low < high;
}

uint64_t track_reads_missing(const struct track_reads *r, uint64_t passed)
{
	uint64_t n = r->missing;
	uint32_t i;

	for (i = 0; i < r->n && r->run[i].low < passed; i++)
		n += below(&r->run[i], passed);
	return n;
}

void track_reads_restart(struct track_reads *r, uint64_t passed)
{
	r->missing = track_reads_missing(r, passed);
	r->n = 0;
}
