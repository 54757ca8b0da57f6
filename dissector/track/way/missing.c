/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * missing.c - finds requested answers that did not arrive, and requests that were not retransmitted.
 *
 * A request that its timer retransmits may have been answered, too late: an answer that arrives sooner after the last
 * round of retransmissions than half of the fastest response time is to an earlier copy. So it is reported when its
 * answer arrives, or when none can arrive any more.
 */
#include "qp_impl.h"

/* A wait that the end of the capture may have cut short is none. */
#define WAIT_NS 1000000u

/* So many times as long as the slowest answer takes. */
#define SLOWEST 8u

/* Without a resend before it, so long is waited for one. */
#define RESEND_NS 1000000000u

static bool is_late(const struct track_dir *d, const struct track_request *q, uint64_t now_ns)
{
	return track_answered(d)->rtt_ns && now_ns >= q->time_ns &&
	       now_ns - q->time_ns >= MAX(WAIT_NS, SLOWEST * track_answered(d)->slow_ns);
}

static void say(struct track_qps *s, const struct track_qp *qp, enum track_way way,
		const struct track_mark *m, uint64_t ns)
{
	struct track_event *e =
		track_qp_event_of(s, qp, way, TRACK_EVENT_ACK_MISSING, m->frame, m->time_ns);

	if (!e)
		return;
	e->number[TRACK_ACK_MISSING_psn] = m->psn & 0xffffff;
	e->number[TRACK_ACK_MISSING_ns] = ns;
	e->number[TRACK_ACK_MISSING_slowest] = track_answered(&qp->dir[way])->slow_ns;
}

/* The first that waits, and that nobody spoke of; NULL: there is none, or it waits for another reason. */
static struct track_request *first_missed(const struct track_dir *d, uint64_t now_ns)
{
	struct track_requests *r = d->requests;
	const struct track_watch *w = track_watched(d);
	uint32_t i;

	if (!r || w->since.fatal.frame || w->since.rnr.frame)
		return NULL;
	for (i = r->n_covered; i < r->n && !track_is_missed(&r->request[i]); i++)
		;
	if (i == r->n || r->request[i].missed || !is_late(d, &r->request[i], now_ns))
		return NULL;
	return &r->request[i];
}

void track_qp_ack_missing(struct track_qps *s, const struct track_qp *qp, enum track_way way,
			  uint64_t now_ns)
{
	struct track_request *q = first_missed(&qp->dir[way], now_ns);

	if (!q)
		return;
	q->missed = true;
	say(s, qp, way, &(struct track_mark){ q->psn, q->frame, q->time_ns }, now_ns - q->time_ns);
}

void track_qp_missing_again(struct track_qps *s, struct track_qp *qp, enum track_way way,
			    uint64_t now_ns)
{
	struct track_request *q = first_missed(&qp->dir[way], now_ns);
	struct track_watch *w;

	if (!q)
		return;
	track_qp_missing_settle(s, qp, way);
	w = track_watch(&qp->dir[way]);
	q->missed = true;
	w->since.missing = (struct track_mark){ q->psn, q->frame, q->time_ns };
	w->since.missing_ns = now_ns - q->time_ns;
}

void track_qp_missing_settle(struct track_qps *s, struct track_qp *qp, enum track_way way)
{
	struct track_watch *w = qp->dir[way].watch;

	if (!w || !w->since.missing.frame)
		return;
	say(s, qp, way, &w->since.missing, w->since.missing_ns);
	w->since.missing.frame = 0;
}

void track_qp_answered(struct track_qps *s, struct track_qp *qp, enum track_way way,
		       const struct track_packet *p, uint64_t psn)
{
	struct track_dir *d = &qp->dir[way];
	struct track_watch *w = d->watch;

	track_qp_quiet_ends(d, p->at.time_ns);
	if (!w->since.missing.frame || w->since.missing.psn >= psn)
		return;
	if (p->at.time_ns < w->since.timeout_ns + track_answered(d)->rtt_ns / 2)
		w->since.missing.frame = 0; /* it answers an earlier copy than the last one */
	track_qp_missing_settle(s, qp, way);
}

bool track_qp_waited(const struct track_qps *s, const struct track_qp *qp, enum track_way way,
		     uint64_t since_ns)
{
	uint64_t took_ns = track_watched(&qp->dir[way])->resend_ns;

	return track_qp_closed_ns(qp) || s->last_ns >= since_ns + (took_ns ? took_ns : RESEND_NS);
}
