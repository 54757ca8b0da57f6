/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spray.c - finds requests that overtake each other without a loss: per connection, and once for all connections from one host to
 * another.
 */
#include <string.h>

#include "stream.h"

/* So many are late of a connection that takes several paths, each by a round trip; where none is known, by so much. */
#define LATE_MIN 3u
#define LATE_NS 100000u

/* From one host to another: of more nothing is said. */
#define HOSTS_MAX 4096u

struct hosts {
	uint8_t src[16], dst[16];
};

/* Late, and soon, is what is not missed. */
static bool is_late_only(const struct track_qp *qp, enum track_way way)
{
	const struct track_dir *d = &qp->dir[way];
	const struct track_watch *w = track_watched(d);

	return w->reordered_packets >= LATE_MIN && !d->psns.missing && !w->psn_restarts &&
	       !(w->late_unsure && track_qp_is_deaf(qp, way)) &&
	       w->late_ns <= MAX(track_answered(d)->rtt_ns, LATE_NS);
}

/* Nobody asked for any of it. */
static bool is_tolerated(const struct track_watch *w)
{
	return !w->retransmitted_packets && !w->since.last_nak.frame;
}

/* All that was asked for was only late. */
static bool is_asked_for(const struct track_qp *qp, enum track_way way)
{
	const struct track_watch *w = track_watched(&qp->dir[way]);
	const struct track_watch *back = track_watched(&qp->dir[!way]);

	return w->late_naks && !w->timeouts &&
	       w->late_naks == back->naks[IBW_AETH_VALUE(IBW_AETH_NAK_PSN_SEQUENCE)];
}

/* Those of one connection more: @all is of the one whose packets end last, as its frame is, its numbers of all. */
static void add(struct track_event *all, const struct track_event *e)
{
	if (!all->number[TRACK_SPRAYED_connections]++ || e->frame > all->frame) {
		all->half = e->half, all->flow = e->flow, all->way = e->way;
		all->frame = e->frame, all->time_ns = e->time_ns;
	}
	all->doubt |= e->doubt;
	all->number[TRACK_SPRAYED_late] += e->number[TRACK_PATHS_late];
	all->number[TRACK_SPRAYED_requests] += e->number[TRACK_PATHS_requests];
	all->number[TRACK_SPRAYED_psns] =
		MAX(all->number[TRACK_SPRAYED_psns], e->number[TRACK_PATHS_psns]);
	all->number[TRACK_SPRAYED_ns] =
		MAX(all->number[TRACK_SPRAYED_ns], e->number[TRACK_PATHS_ns]);
	all->number[TRACK_SPRAYED_naks] += e->number[TRACK_PATHS_naks];
	all->number[TRACK_SPRAYED_resent] += e->number[TRACK_PATHS_resent];
}

static void add_to_hosts(struct track_qps *s, const struct track_event *e)
{
	struct track_event *all;
	struct hosts hosts;

	memcpy(hosts.src, e->flow.src, sizeof(hosts.src));
	memcpy(hosts.dst, e->flow.dst, sizeof(hosts.dst));
	if (!s->sprayed)
		s->sprayed = track_table_new(sizeof(hosts), sizeof(*all), HOSTS_MAX);
	all = track_table_get(s->sprayed, &hosts);
	if (!all && !track_table_full(s->sprayed))
		all = track_table_add(s->sprayed, &hosts);
	if (all)
		add(all, e);
}

void track_qp_several_paths(struct track_qps *s, const struct track_qp *qp, enum track_way way)
{
	const struct track_dir *d = &qp->dir[way];
	const struct track_watch *w = track_watched(d);
	struct track_event *e;

	if (!is_late_only(qp, way) || !(is_tolerated(w) || is_asked_for(qp, way)))
		return;
	e = track_qp_event_last(s, qp, way, TRACK_EVENT_PATHS);
	if (!e)
		return;
	e->number[TRACK_PATHS_late] = w->reordered_packets;
	e->number[TRACK_PATHS_requests] = d->request_packets;
	e->number[TRACK_PATHS_psns] = w->late_psns;
	e->number[TRACK_PATHS_ns] = w->late_ns;
	e->number[TRACK_PATHS_naks] = w->late_naks;
	e->number[TRACK_PATHS_resent] = w->retransmitted_packets;
	add_to_hosts(s, e);
}

/* What it may be lowered by is known of each of them. */
static void tell(struct track_qps *s, const struct track_event *all)
{
	const struct track_at at = { .frame = all->frame,
				     .time_ns = all->time_ns,
				     .doubt = all->doubt };
	struct track_event *e = track_event_add(s->events, TRACK_EVENT_SPRAYED, &at);
	struct track_event *settled =
		e ? track_event_add(s->events, TRACK_EVENT_SETTLED, &at) : NULL;

	if (!settled)
		return;
	e->half = settled->half = all->half;
	e->flow = settled->flow = all->flow;
	e->way = settled->way = all->way;
	memcpy(e->number, all->number, sizeof(e->number));
	settled->number[TRACK_SETTLED_upto] = UINT64_MAX;
}

bool track_qps_sprayed(struct track_qps *s)
{
	struct track_event *all;

	while (s->sprayed && (all = track_table_oldest(s->sprayed))) {
		if (track_events_room(s->events) < 2)
			return false;
		tell(s, all);
		track_table_remove(s->sprayed, all);
	}
	return true;
}
