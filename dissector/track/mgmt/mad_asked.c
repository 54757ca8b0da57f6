/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mad_asked.c - lists MAD requests with a fault, and groups those with one cause. */
#include <stdlib.h>
#include <string.h>

#include <glib.h>

#include "mad_asked.h"

/* They show within so long. */
#define TOGETHER_NS UINT64_C(1000000000)

void track_mads_asked_free(struct track_mads_asked *list)
{
	if (!list)
		return;
	g_free(list->asked);
	g_free(list->sorted);
	g_free(list->alike);
	g_free(list);
}

struct track_mad_asked *track_mads_asked_add(struct track_mads_asked *list)
{
	if (list->n == TRACK_MAD_ASKED_MAX) {
		list->more++;
		return NULL;
	}
	if (list->n == list->room) {
		list->room = list->room ? 2 * list->room : 16;
		list->asked = g_renew(struct track_mad_asked, list->asked, list->room);
	}
	return &list->asked[list->n++];
}

enum track_mad_outcome track_mad_asked_outcome(const struct track_mad_asked *a)
{
	if (!a->answer_frame)
		return TRACK_MAD_UNANSWERED;
	if (a->stopped)
		return TRACK_MAD_STOPPED;
	return a->late ? TRACK_MAD_LATE : TRACK_MAD_REPEATED;
}

uint64_t track_mad_asked_end(const struct track_mad_asked *a)
{
	return MAX(a->answer_frame ? a->answer_ns : a->last_ns, a->first_ns);
}

static int by_cause(const struct track_mad_asked *a, const struct track_mad_asked *b)
{
	int by = memcmp(a->flow.src, b->flow.src, sizeof(a->flow.src));

	if (!by)
		by = memcmp(a->flow.dst, b->flow.dst, sizeof(a->flow.dst));
	if (!by)
		by = (int)a->flow.address - (int)b->flow.address;
	if (!by)
		by = (int)a->mgmt_class - (int)b->mgmt_class;
	if (!by && a->agent != b->agent)
		by = a->agent < b->agent ? -1 : 1;
	if (!by && a->path != b->path)
		by = a->path < b->path ? -1 : 1;
	return by ? by : (int)track_mad_asked_outcome(a) - (int)track_mad_asked_outcome(b);
}

static int compare(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int by_shown(const void *x, const void *y)
{
	const struct track_mad_asked *a = *(const struct track_mad_asked *const *)x;
	const struct track_mad_asked *b = *(const struct track_mad_asked *const *)y;
	int by = by_cause(a, b);

	return by ? by : compare(track_mad_asked_shown(a), track_mad_asked_shown(b));
}

static int by_first(const void *x, const void *y)
{
	const struct track_mad_asked *a = *(const struct track_mad_asked *const *)x;
	const struct track_mad_asked *b = *(const struct track_mad_asked *const *)y;

	return compare(a->first_frame, b->first_frame);
}

/* The clock may go back. */
static bool is_near(const struct track_mad_asked *a, const struct track_mad_asked *b)
{
	uint64_t one = track_mad_asked_shown_ns(a), other = track_mad_asked_shown_ns(b);

	return (one > other ? one - other : other - one) <= TOGETHER_NS;
}

/* One more, of the cause of the last ones or of another. */
static void put(struct track_mads_asked *list, uint32_t place)
{
	struct track_mads_alike *last = list->n_alike ? &list->alike[list->n_alike - 1] : NULL;
	const struct track_mad_asked *a = track_mads_asked_at(list, place);
	const struct track_mad_asked *first = last ? track_mads_asked_at(list, last->from) : NULL;

	if (first && !by_cause(first, a) && is_near(first, a))
		last->n++;
	else
		list->alike[list->n_alike++] = (struct track_mads_alike){ place, 1 };
}

void track_mads_asked_sort(struct track_mads_asked *list)
{
	uint32_t i;

	list->sorted = g_renew(const struct track_mad_asked *, list->sorted, list->n + 1);
	list->alike = g_renew(struct track_mads_alike, list->alike, list->n + 1);
	list->n_alike = 0;
	for (i = 0; i < list->n; i++)
		list->sorted[i] = &list->asked[i];
	qsort(list->sorted, list->n, sizeof(void *), by_shown);
	for (i = 0; i < list->n; i++)
		put(list, i);
	for (i = 0; i < list->n_alike; i++)
		qsort(list->sorted + list->alike[i].from, list->alike[i].n, sizeof(void *),
		      by_first);
}
