/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * busy.c - counts packets by intervals of time, which are merged in pairs when there are too many, or no memory for
 * more.
 */
#include <string.h>

#include <glib.h>

#include "busy.h"
#include "timeline.h"

#define BINS_FIRST 8u

void track_busy_want(struct track_busy_all *all, uint64_t interval_ns)
{
	all->interval_ns = interval_ns ? interval_ns : TRACK_BIN_NS;
	all->max = interval_ns ? TRACK_BINS_ASKED : TRACK_BINS;
}

/* Intervals twice as long. */
static void halve(struct track_busy *b)
{
	uint64_t first = b->first / 2;
	struct track_busy_bin bin;
	uint32_t i, to, n = 0;

	for (i = 0; i < b->n; i++) {
		to = (uint32_t)((b->first + i) / 2 - first);
		bin = b->bin[i];
		if (to == n) {
			b->bin[n++] = bin;
		} else {
			b->bin[to].packets += bin.packets;
			b->bin[to].again += bin.again;
		}
	}
	b->n = n;
	b->first = first;
	b->interval_ns *= 2;
}

static bool has_room(struct track_busy_all *all, struct track_busy *b, uint64_t n)
{
	uint32_t room = MIN(MAX((uint32_t)n, MAX(2 * b->room, BINS_FIRST)), all->max);
	uint64_t more = (room - b->room) * sizeof(*b->bin);

	if (n <= b->room)
		return true;
	if (all->used + more > TRACK_BUSY_BYTES)
		return false;
	all->used += more;
	b->bin = g_renew(struct track_busy_bin, b->bin, room);
	b->room = room;
	return true;
}

static struct track_busy *begin(struct track_busy_all *all)
{
	struct track_busy *b = g_new0(struct track_busy, 1);

	b->interval_ns = all->interval_ns;
	if (has_room(all, b, 1))
		return b;
	g_free(b);
	return NULL;
}

/* The bin of a time, which may be before the first one, or after the last. */
static struct track_busy_bin *find(struct track_busy_all *all, struct track_busy *b,
				   uint64_t time_ns)
{
	uint64_t number = time_ns / b->interval_ns, low, span, before;

	if (!b->n)
		b->first = number;
	for (;;) {
		span = track_bins_span(b->first, b->n, number, &low);
		if (span < all->max && has_room(all, b, span + 1))
			break;
		halve(b);
		number = time_ns / b->interval_ns;
	}
	before = b->first - low;
	if (before) {
		memmove(&b->bin[before], b->bin, b->n * sizeof(*b->bin));
		memset(b->bin, 0, before * sizeof(*b->bin));
		b->first = low;
		b->n += (uint32_t)before;
	}
	if (b->n <= span) {
		memset(&b->bin[b->n], 0, (span + 1 - b->n) * sizeof(*b->bin));
		b->n = (uint32_t)span + 1;
	}
	b->recent = (uint32_t)(number - b->first);
	b->begin_ns = number * b->interval_ns;
	return &b->bin[b->recent];
}

void track_busy_add(struct track_busy_all *all, struct track_busy **busy, uint64_t time_ns,
		    bool again)
{
	struct track_busy_bin *bin;

	if (!all->interval_ns)
		return;
	if (!*busy)
		*busy = begin(all);
	if (!*busy)
		return;
	bin = (*busy)->n && time_ns - (*busy)->begin_ns < (*busy)->interval_ns
		      ? &(*busy)->bin[(*busy)->recent]
		      : find(all, *busy, time_ns);
	bin->packets++;
	bin->again += again;
}

void track_busy_free(struct track_busy_all *all, struct track_busy *busy)
{
	if (!busy)
		return;
	all->used -= busy->room * sizeof(*busy->bin);
	g_free(busy->bin);
	g_free(busy);
}
