/* SPDX-License-Identifier: GPL-2.0-or-later */
/* psn.c - the PSNs requested, as an interval with holes. */
#include <string.h>

#include <glib.h>

#include "psn.h"

/* Room below: what was requested before the first one that was captured. */
#define BEGIN (1ull << 40)

/* Where memory for holes begins. */
static struct track_hole *places(const struct track_psns *s)
{
	return s->skipped ? s->hole - s->skipped : s->hole;
}

void track_psns_clear(struct track_psns *s)
{
	g_free(places(s));
	memset(s, 0, sizeof(*s));
}

uint64_t track_psn_extend(struct track_psns *s, uint32_t psn)
{
	if (!s->next)
		s->next = BEGIN | psn;
	return s->next + (uint64_t)(int64_t)track_psn_from(s->next, psn);
}

struct track_hole *track_psn_hole(const struct track_psns *s, uint64_t psn)
{
	unsigned int i;

	for (i = s->n_holes; i-- > 0;)
		if (psn >= s->hole[i].low)
			return psn < s->hole[i].high ? &s->hole[i] : NULL;
	return NULL;
}

bool track_psn_is_occupied(const struct track_psns *s, uint64_t psn)
{
	return s->begun && psn >= s->low && psn < s->next && !track_psn_hole(s, psn);
}

/* By the runs there are, not by the PSNs: a READ Request may ask for 2^32 of them. */
bool track_psn_next_free(const struct track_psns *s, uint64_t from, uint64_t end, uint64_t *low,
			 uint64_t *high)
{
	unsigned int i;

	*low = from;
	*high = end;
	if (!s->begun || from >= s->next)
		return from < end;
	if (from < s->low) {
		*high = MIN(end, s->low);
		return from < end;
	}
	for (i = 0; i < s->n_holes && s->hole[i].high <= from; i++)
		;
	*low = i < s->n_holes ? MAX(from, s->hole[i].low) : s->next;
	if (i < s->n_holes)
		*high = MIN(end, s->hole[i].high);
	return *low < end;
}

enum track_psn_class track_psn_class(const struct track_psns *s, uint64_t psn)
{
	if (!s->begun)
		return TRACK_PSN_START;
	if (psn == s->next)
		return TRACK_PSN_NEXT;
	if (psn > s->next)
		return psn - s->next > TRACK_PSN_JUMP ? TRACK_PSN_RESTART : TRACK_PSN_AHEAD;
	if (track_psn_is_occupied(s, psn))
		return TRACK_PSN_REPEAT;
	return s->next - psn > TRACK_PSN_JUMP ? TRACK_PSN_RESTART : TRACK_PSN_FILL;
}

/* How many PSNs from @low to @high are missing, if nobody requests them: not those before the first. */
static uint64_t missing(const struct track_psns *s, uint64_t low, uint64_t high)
{
	return high > s->first ? high - MAX(low, s->first) : 0;
}

/* A place after the last hole. */
static void need_place(struct track_psns *s)
{
	struct track_hole *first = places(s);

	if (s->skipped + s->n_holes < s->room)
		return;
	if (s->skipped && s->skipped >= s->room / 2) {
		memmove(first, s->hole, s->n_holes * sizeof(*first));
		s->hole = first;
		s->skipped = 0;
		return;
	}
	s->room = (uint8_t)(s->room ? 2 * s->room : 2);
	s->hole = g_renew(struct track_hole, first, s->room) + s->skipped;
}

static void insert_hole(struct track_psns *s, unsigned int at, struct track_hole hole)
{
	need_place(s);
	memmove(&s->hole[at + 1], &s->hole[at], (s->n_holes - at) * sizeof(hole));
	s->hole[at] = hole;
	s->n_holes++;
}

static void remove_hole(struct track_psns *s, unsigned int at)
{
	s->n_holes--;
	if (!at) {
		s->hole++;
		s->skipped++;
		return;
	}
	memmove(&s->hole[at], &s->hole[at + 1], (s->n_holes - at) * sizeof(*s->hole));
}

/* When there is no room for one more, the lowest is closed: nothing comes there any more. */
static unsigned int make_room(struct track_psns *s, unsigned int at)
{
	if (s->n_holes < TRACK_HOLES_MAX)
		return at;
	remove_hole(s, 0);
	s->holes_closed = true;
	return at ? at - 1 : 0;
}

static void open_hole(struct track_psns *s, unsigned int at, struct track_hole hole)
{
	s->missing += missing(s, hole.low, hole.high);
	insert_hole(s, make_room(s, at), hole);
}

/* What of @hole, which is number @at, is left without the PSNs from @low to @high. */
static unsigned int cut_hole(struct track_psns *s, unsigned int at, uint64_t low, uint64_t high)
{
	struct track_hole hole = s->hole[at], after = hole;

	s->missing -= missing(s, MAX(low, hole.low), MIN(high, hole.high));
	after.low = high;
	if (low <= hole.low && high >= hole.high) {
		remove_hole(s, at);
		return at;
	}
	if (low <= hole.low) {
		s->hole[at].low = high;
		return at + 1;
	}
	s->hole[at].high = low;
	if (high >= hole.high)
		return at + 1;
	at = make_room(s, at + 1);
	insert_hole(s, at, after);
	return at + 1;
}

static void fill(struct track_psns *s, uint64_t low, uint64_t high)
{
	unsigned int i = 0;

	while (i < s->n_holes && s->hole[i].low < high) {
		if (s->hole[i].high > low)
			i = cut_hole(s, i, low, high);
		else
			i++;
	}
}

static void begin(struct track_psns *s, uint64_t psn)
{
	s->begun = true;
	s->n_holes = 0;
	s->first = s->low = s->next = psn;
}

void track_psn_occupy(struct track_psns *s, enum track_psn_class class, uint64_t psn, uint32_t n,
		      uint64_t frame, uint64_t time_ns)
{
	uint64_t end = psn + n;

	if (class == TRACK_PSN_NEXT) {
		s->next = end;
		return;
	}
	if (class == TRACK_PSN_START || class == TRACK_PSN_RESTART)
		begin(s, psn);
	else if (class == TRACK_PSN_AHEAD)
		open_hole(s, s->n_holes, (struct track_hole){ s->next, psn, frame, time_ns, 0, 0 });
	else
		fill(s, psn, end);
	if (psn < s->low) {
		if (end < s->low)
			open_hole(s, 0, (struct track_hole){ end, s->low, frame, time_ns, 0, 0 });
		s->low = psn;
	}
	s->next = MAX(s->next, end);
}
