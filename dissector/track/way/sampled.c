/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sampled.c - decides whether the capture is a sample: mirrors may copy one packet in many.
 *
 * Then PSNs are missing everywhere, and no receiver asks for them.
 */
#include "qp_impl.h"

struct sums {
	uint64_t connections, missing, requests;
	bool complete; /* one was captured well, or lost packets that somebody asked for */
};

static void add(struct sums *sums, const struct track_qp *qp, enum track_way way)
{
	const struct track_dir *d = &qp->dir[way];
	uint64_t requests = d->psns.next - d->psns.first;

	if (d->request_packets < TRACK_REQUESTS_MIN || qp->doubt & TRACK_DOUBT_HEADERS)
		return;
	sums->connections++;
	sums->missing += d->psns.missing;
	sums->requests += requests;
	/* What is missing in one piece was lost. */
	if (2 * d->psns.missing <= requests ||
	    4 * track_watched(d)->gap_episodes < d->request_packets ||
	    track_watched(d)->psn_restarts || track_watched(d)->since.last_nak.frame)
		sums->complete = true;
}

void track_qps_sampled(struct track_qps *s)
{
	struct sums sums = { 0 };
	struct track_event *e;
	struct track_qp *qp;

	for (qp = s->oldest; qp; qp = qp->newer) {
		add(&sums, qp, TRACK_A_TO_B);
		add(&sums, qp, TRACK_B_TO_A);
	}
	if (!sums.connections || sums.complete)
		return;
	for (qp = s->oldest; qp; qp = qp->newer)
		qp->doubt |= TRACK_DOUBT_SAMPLED;
	e = track_event_add(s->events, TRACK_EVENT_SAMPLED,
			    &(struct track_at){ .frame = s->last_frame, .time_ns = s->last_ns });
	if (!e)
		return;
	e->number[TRACK_SAMPLED_connections] = sums.connections;
	e->number[TRACK_SAMPLED_missing] = sums.missing;
	e->number[TRACK_SAMPLED_requests] = sums.requests;
}
