/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conn_room.c - chooses what to evict when memory is used up: connections that ended, then idle ones; never
 * one in use.
 */
#include "conn_impl.h"
#include "track/base/ahead.h"
#include "track/stream/qps.h"
#include "track/way/qp_impl.h"

/* Nothing came for so long, or for so many packets of the capture. */
#define IDLE_NS 1000000000u
#define IDLE_FRAMES (1u << 20)

/* What one packet may make go: each that goes costs time, and events. */
#define EVICTED_AT_ONCE 64u

bool track_conn_is_full(const struct track_conn *c)
{
	return track_table_full(c->halves) || (c->qps && track_qps_full(c->qps));
}

static bool is_idle(const struct track_half *h, const struct track_at *at)
{
	uint64_t last_ns = h->request_ns;
	unsigned int way;

	if (h->qp && at->frame - h->qp->last_frame >= IDLE_FRAMES)
		return true;
	for (way = 0; h->qp && way < TRACK_WAYS; way++)
		last_ns = MAX(last_ns, h->qp->dir[way].last_ns);
	return at->time_ns >= last_ns + IDLE_NS;
}

/* What is found among the recent ones is used, though it is not looked up. */
static bool was_recent(struct track_conn *c, const struct track_half *h)
{
	struct track_recent *recent = track_conn_recent(c, h);

	if (!recent)
		return false;
	recent->half = NULL;
	track_conn_used(c, h);
	return true;
}

/* One that is evicted tells what was open: there must be room for that. */
static bool is_heard(const struct track_conn *c)
{
	return !c->events || track_events_room(c->events) >= TRACK_EVENTS_MAX / 2;
}

/*
 * Those that make room next were not looked at for a long time: of the second what it refers to is asked for, of the
 * first what that does. After each that goes, so that there is time until the next one does.
 */
static void look_ahead(struct track_conn *c)
{
	const struct track_half *h;
	void *next[TRACK_TABLE_NEXT];

	track_table_oldest_ahead(c->halves, next);
	h = next[0];
	if (h && h->qp)
		track_qps_hint(h->qp);
	h = next[1];
	if (!h)
		return;
	if (h->qp)
		track_hint(h->qp, sizeof(*h->qp));
	if (h->peer != TRACK_NONE)
		track_hint(track_half_at(c, h->peer), sizeof(*h));
	if (h->group[TRACK_BY_SPORT] != TRACK_NONE)
		__builtin_prefetch(track_group_at(c, h->group[TRACK_BY_SPORT]), 1);
}

static void evict(struct track_conn *c, struct track_half *h, const struct track_at *at)
{
	track_conn_forget(c, h, false, at);
	look_ahead(c);
}

/* False: there is no idle one. */
static bool evict_idle(struct track_conn *c, const struct track_at *at)
{
	struct track_half *oldest;
	bool was_followed = false;

	while (!was_followed && (oldest = track_table_oldest(c->halves))) {
		if (!is_idle(oldest, at))
			return was_recent(c, oldest);
		was_followed = oldest->qp != NULL;
		c->idle_evicted++;
		evict(c, oldest, at);
	}
	return was_followed;
}

void track_conn_make_room(struct track_conn *c, const struct track_at *at)
{
	struct track_half *oldest;
	unsigned int n;

	if (!track_conn_is_full(c))
		return;
	while (track_table_full(c->halves)) {
		oldest = track_table_oldest(c->halves);
		if (!was_recent(c, oldest))
			evict(c, oldest, at);
	}
	for (n = 0; n < EVICTED_AT_ONCE && c->qps && track_qps_full(c->qps) && is_heard(c); n++)
		if (!track_qps_evict(c->qps) && !evict_idle(c, at))
			break;
}
