/* SPDX-License-Identifier: GPL-2.0-or-later */
/* qp_event.c - adds the events of a connection to the queue. */
#include "qp_impl.h"

/* Of a connection whose headers are cut off nothing is sure but where it begins and ends. */
static bool is_sayable(const struct track_qp *qp, enum track_event_kind kind)
{
	return !(qp->doubt & TRACK_DOUBT_HEADERS) || kind == TRACK_EVENT_SETTLED ||
	       kind == TRACK_EVENT_MID_STREAM;
}

struct track_event *track_qp_event_of(struct track_qps *s, const struct track_qp *qp,
				      enum track_way way, enum track_event_kind kind,
				      uint64_t frame, uint64_t time_ns)
{
	const struct track_at at = { .frame = frame, .time_ns = time_ns };
	struct track_event *e = is_sayable(qp, kind) ? track_event_add(s->events, kind, &at) : NULL;

	if (!e)
		return NULL;
	if (qp->dir[way].dqpn == TRACK_CM_NO_QPN) /* only the other way was captured */
		way = (enum track_way) !way;
	e->half = qp->first_frame;
	e->flow = qp->flow;
	if (way == TRACK_B_TO_A)
		track_flow_turn(&e->flow);
	e->flow.service = qp->service;
	e->flow.dqpn = qp->dir[way].dqpn;
	track_flow_as_seen(&e->flow);
	e->way = (uint8_t)way;
	e->doubt |= qp->doubt;
	return e;
}

struct track_event *track_qp_event_last(struct track_qps *s, const struct track_qp *qp,
					enum track_way way, enum track_event_kind kind)
{
	return track_qp_event_of(s, qp, way, kind, qp->last_frame,
				 qp->last_frame == s->last_frame ? s->last_ns : 0);
}

struct track_event *track_qp_event(struct track_qps *s, const struct track_qp *qp,
				   enum track_way way, enum track_event_kind kind,
				   const struct track_at *at)
{
	struct track_event *e = track_qp_event_of(s, qp, way, kind, at->frame, at->time_ns);

	if (e)
		e->doubt |= at->doubt;
	return e;
}
