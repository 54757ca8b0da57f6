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

uint32_t track_reads_find(const struct track_reads *r, uint64_t psn)
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
	uint32_t at = track_reads_find(r, low);

	if (at && r->run[at - 1].high == low && !r->run[at - 1].frame && !r->run[at - 1].again) {
		r->run[at - 1].high = high;
		return;
	}
	if (r->n == TRACK_READS_MAX) {
		r->missing += below(&r->run[0], passed);
		take_out(r, 0);
		at -= at > 0;
	}
	insert(r, at, (struct track_read){ .low = low, .high = high });
}

static void pass_one(struct track_read *run, const struct track_packet *by)
{
	run->frame = by->at.frame;
	run->time_ns = by->at.time_ns;
	run->ip_id = by->ip_id;
}

/* The runs before number @at are passed; those that one passed before are after others that were, too. */
static void pass(struct track_reads *r, uint32_t at, const struct track_packet *by)
{
	while (at-- > 0 && !r->run[at].frame)
		pass_one(&r->run[at], by);
}

bool track_reads_answer(struct track_reads *r, uint64_t psn, const struct track_packet *by,
			struct track_read *was)
{
	uint32_t at = track_reads_find(r, psn);
	struct track_read *run = &r->run[at], after;

	if (at)
		pass(r, at, by);
	if (at == r->n || psn < run->low)
		return false;
	*was = after = *run;
	after.low = psn + 1;
	if (psn > run->low) {
		run->high = psn;
		if (!run->frame)
			pass_one(run, by);
		if (after.low < after.high && r->n < TRACK_READS_MAX)
			insert(r, at + 1, after);
	} else if (after.low < after.high) {
		run->low = after.low;
	} else {
		take_out(r, at);
	}
	return true;
}

void track_reads_pass(struct track_reads *r, uint64_t psn, const struct track_packet *by)
{
	pass(r, track_reads_find(r, psn), by);
}

void track_reads_ask_again(struct track_reads *r, uint64_t low, uint64_t high,
			   const struct track_at *at)
{
	uint32_t i;

	for (i = track_reads_find(r, low); i < r->n && r->run[i].low < high; i++) {
		r->run[i].again = true;
		if (!r->run[i].frame || r->run[i].again_frame)
			continue;
		r->run[i].again_frame = at->frame;
		r->run[i].again_ns = at->time_ns;
	}
}

void track_read_lost(struct track_read *run, const struct track_packet *by)
{
	run->frame = run->again_frame = 0;
	if (by)
		pass_one(run, by);
}

bool track_reads_wait(const struct track_reads *r, uint64_t low, uint64_t high)
{
	uint32_t at = track_reads_find(r, low);

	return at < r->n && r->run[at].low < high;
}

bool track_reads_wait_all(const struct track_reads *r, uint64_t low, uint64_t high)
{
	uint32_t at;

	while (low < high) {
		at = track_reads_find(r, low);
		if (at == r->n || r->run[at].low > low)
			return false;
		low = r->run[at].high;
	}
	return true;
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
