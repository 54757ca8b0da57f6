/* SPDX-License-Identifier: GPL-2.0-or-later */
/* requests.c - a sorted list whose oldest entries are removed from time to time. */
#include <string.h>

#include <glib.h>

#include "requests.h"

#define ROOM_FIRST 1u

static size_t bytes_of(uint32_t room)
{
	return sizeof(struct track_requests) + room * sizeof(struct track_request);
}

struct track_requests *track_requests_new(struct track_memory *memory)
{
	struct track_requests *r = g_malloc(bytes_of(ROOM_FIRST));

	*r = (struct track_requests){ .memory = memory, .room = ROOM_FIRST };
	track_memory_take(memory, bytes_of(r->room));
	return r;
}

void track_requests_free(struct track_requests *r)
{
	if (!r)
		return;
	track_memory_give(r->memory, bytes_of(r->room));
	g_free(r);
}

void track_requests_restart(struct track_requests *r)
{
	r->n = r->n_covered = 0;
}

uint32_t track_requests_search(const struct track_requests *r, uint64_t psn)
{
	uint32_t high = r->n, low = high, step = 1, middle;
	const struct track_request *last;

	/* Most often it is not far from the last. */
	for (; low && r->request[low - 1].psn > psn; step *= 2) {
		high = low - 1;
		low -= MIN(low, step);
	}
	while (low < high) {
		middle = (low + high) / 2;
		if (r->request[middle].psn <= psn)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return 0;
	last = &r->request[low - 1];
	return psn < last->psn + last->n ? low - 1 : low;
}

/* The first @n go. */
static void drop(struct track_requests *r, uint32_t n)
{
	r->n -= n;
	r->n_covered -= MIN(n, r->n_covered);
	memmove(r->request, r->request + n, r->n * sizeof(*r->request));
}

static struct track_requests *resize(struct track_requests *r, uint32_t room)
{
	r->memory->used += bytes_of(room) - bytes_of(r->room);
	r->room = room;
	return g_realloc(r, bytes_of(room));
}

/* Answered ones first; if there are none, those that wait for the longest. */
static struct track_requests *make_room(struct track_requests *r)
{
	bool full = track_memory_is_full(r->memory);
	bool tight = r->memory->used > r->memory->max / 4;
	uint32_t kept = tight ? TRACK_REQUESTS_KEPT_TIGHT : TRACK_REQUESTS_KEPT;

	if (r->n_covered > 2 * kept) {
		drop(r, r->n_covered - kept);
		if (tight && r->n < r->room / 4)
			r = resize(r, r->room / 2);
	} else if (full && r->n_covered) {
		drop(r, r->n_covered);
	} else if (full) {
		r->memory->forgotten += (r->n + 1) / 2;
		drop(r, (r->n + 1) / 2);
	} else if (r->room < TRACK_REQUESTS_MAX) {
		r = resize(r, 2 * r->room);
	} else {
		drop(r, TRACK_REQUESTS_MAX / 2);
	}
	return r;
}

/* One more at @at, where there is room. */
static inline struct track_request *fill_place(struct track_requests *r, uint32_t at, uint64_t psn,
					       uint32_t n, uint64_t covered)
{
	struct track_request *new = &r->request[at];

	r->n++;
	if (psn < covered)
		r->n_covered++;
	new->psn = psn;
	new->n = n;
	return new;
}

struct track_request *track_requests_add(struct track_requests **list, uint64_t psn, uint32_t n,
					 uint64_t covered)
{
	struct track_requests *r = *list;
	uint32_t at;

	if (r->n == r->room)
		*list = r = make_room(r);
	at = track_requests_from(r, psn);
	if (at < r->n)
		memmove(&r->request[at + 1], &r->request[at], (r->n - at) * sizeof(*r->request));
	return fill_place(r, at, psn, n, covered);
}

struct track_request *track_requests_append(struct track_requests **list, uint64_t psn, uint32_t n,
					    uint64_t covered)
{
	struct track_requests *r = *list;

	if (r->n == r->room)
		*list = r = make_room(r);
	return fill_place(r, r->n, psn, n, covered);
}
