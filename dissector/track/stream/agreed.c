/* SPDX-License-Identifier: GPL-2.0-or-later */
/* agreed.c - reports packets of a connection that contradict its CM messages. */
#include "stream.h"

/* IBTA vol 1, 12.9: after DREP a QP is in the time-wait state, not in use. */
#define AFTER_DREP_NS 100000000u

static void learn(struct track_agreed *a, const struct track_cm_news *news)
{
	struct track_agreed_way *to = &a->way[TRACK_A_TO_B], *from = &a->way[TRACK_B_TO_A];

	/* Each side says where the requests of the other one begin: IBTA vol 1, 12.7.21 */
	if (news->req_frame) {
		from->start = news->psn[TRACK_CM_CLIENT];
		from->start_known = true;
		from->rnr_retries = news->rnr_retry_count[TRACK_CM_CLIENT];
		a->retries = news->retry_count;
		a->ack_timeout = news->ack_timeout;
		from->rnr_known = a->retries_known = true;
	}
	if (news->rep_frame) {
		to->start = news->psn[TRACK_CM_SERVER];
		to->start_known = true;
		to->rnr_retries = news->rnr_retry_count[TRACK_CM_SERVER];
		to->rnr_known = true;
	}
	if (news->req_frame && news->rep_frame) {
		to->depth = MIN(news->init_depth[TRACK_CM_CLIENT], news->resp_res[TRACK_CM_SERVER]);
		from->depth =
			MIN(news->init_depth[TRACK_CM_SERVER], news->resp_res[TRACK_CM_CLIENT]);
		to->depth_known = from->depth_known = true;
	}
}

/* The RTU comes, and there were requests before it. */
static void begin(struct track_qps *s, const struct track_qp *qp, struct track_agreed *a,
		  const struct track_at *at)
{
	struct track_event *e;

	a->rtu = true;
	if (!a->early_frame)
		return;
	e = track_qp_event_of(s, qp, (enum track_way)a->early_way, TRACK_EVENT_BEFORE_RTU,
			      a->early_frame, a->early_ns);
	if (!e)
		return;
	e->number[TRACK_BEFORE_RTU_psn] = a->early_psn;
	e->number[TRACK_BEFORE_RTU_rtu] = at->frame;
}

void track_qp_agreed_cm(struct track_qps *s, struct track_qp *qp, const struct track_cm_news *news,
			const struct track_at *at)
{
	learn(qp->agreed, news);
	if (news->message == TRACK_CM_RTU && !qp->agreed->rtu)
		begin(s, qp, qp->agreed, at);
	if (news->message == TRACK_CM_DREQ && !qp->agreed->closed_ns) {
		qp->agreed->closed_ns = at->time_ns;
		qp->agreed->closed_frame = at->frame;
		qp->agreed->closed_way =
			news->side == TRACK_CM_CLIENT ? TRACK_A_TO_B : TRACK_B_TO_A;
	}
	if (news->message == TRACK_CM_DREP && !qp->agreed->drep_frame) {
		qp->agreed->drep_frame = at->frame;
		qp->agreed->drep_ns = at->time_ns;
	}
}

static void early(const struct track_qp *qp, struct track_agreed *a, const struct track_packet *p)
{
	if (a->rtu || a->early_frame || qp->cm_state != TRACK_CM_REP_SENT)
		return;
	a->early_frame = p->at.frame;
	a->early_ns = p->at.time_ns;
	a->early_psn = p->psn;
	a->early_way = p->way;
}

/* It is of the connection that the CM knows: another one begins where it pleases. */
static bool goes_on(const struct track_agreed *a, const struct track_packet *p,
		    enum track_psn_class class)
{
	const struct track_agreed_way *w = &a->way[p->way];

	return class == TRACK_PSN_NEXT ||
	       (class == TRACK_PSN_START && w->start_known && w->start == p->psn);
}

static void after_drep(struct track_qps *s, const struct track_qp *qp, struct track_agreed *a,
		       const struct track_packet *p, enum track_psn_class class)
{
	struct track_event *e;

	if (a->after_drep)
		return;
	if ((goes_on(a, p, class) || class == TRACK_PSN_REPEAT) &&
	    p->at.time_ns <= a->drep_ns + AFTER_DREP_NS)
		return;
	a->after_drep = true;
	if (!goes_on(a, p, class))
		return;
	e = track_qp_event(s, qp, (enum track_way)p->way, TRACK_EVENT_AFTER_DREP, &p->at);
	if (!e)
		return;
	e->number[TRACK_AFTER_DREP_psn] = p->psn;
	e->number[TRACK_AFTER_DREP_ns] = p->at.time_ns - a->drep_ns;
	track_event_cause(e, a->drep_frame);
}

static void say_start(struct track_qps *s, const struct track_qp *qp, enum track_way way,
		      const struct track_agreed_way *w)
{
	struct track_event *e =
		track_qp_event_of(s, qp, way, TRACK_EVENT_WRONG_START, w->first_frame, w->first_ns);

	if (!e)
		return;
	e->number[TRACK_WRONG_START_psn] = w->first_psn;
	e->number[TRACK_WRONG_START_start] = w->start;
	if (w->nak.frame)
		track_event_cause(e, w->nak.frame);
}

/* The first request that was captured: before the one it should begin with, it cannot be right. */
static void start(struct track_qps *s, const struct track_qp *qp, struct track_agreed_way *w,
		  const struct track_packet *p)
{
	/* Afterwards the QP may be of a connection that the CM knows nothing of. */
	if (qp->cm_state >= TRACK_CM_DREQ_SENT)
		return;
	w->first_frame = p->at.frame;
	w->first_ns = p->at.time_ns;
	w->first_psn = p->psn;
	if (w->start_known && track_psn_from(w->start, p->psn) < 0)
		say_start(s, qp, (enum track_way)p->way, w);
}

/* How many of them wait for their answer, by what is remembered. */
static uint16_t count_outstanding(const struct track_dir *d)
{
	const struct track_requests *r = d->requests;
	uint16_t n = 0;
	uint32_t i;

	for (i = r ? track_requests_from(r, d->since.covered) : 0; r && i < r->n && n < UINT16_MAX;
	     i++)
		n = (uint16_t)(n + (track_is_read_or_atomic(r->request[i].opcode) &&
				    !r->request[i].answered));
	return n;
}

/* Counted anew only when more seem to be outstanding than may be. */
static void depth(struct track_qps *s, const struct track_qp *qp, struct track_agreed_way *w,
		  const struct track_packet *p)
{
	struct track_event *e;

	if (!w->depth_known || w->depth_said || !track_is_read_or_atomic(p->opcode))
		return;
	if (++w->outstanding <= w->depth)
		return;
	w->outstanding = (uint16_t)(count_outstanding(&qp->dir[p->way]) + 1);
	if (w->outstanding <= w->depth)
		return;
	w->depth_said = true;
	e = track_qp_event(s, qp, (enum track_way)p->way, TRACK_EVENT_OVER_DEPTH, &p->at);
	if (!e)
		return;
	e->number[TRACK_OVER_DEPTH_psn] = p->psn;
	e->number[TRACK_OVER_DEPTH_outstanding] = w->outstanding;
	e->number[TRACK_OVER_DEPTH_depth] = w->depth;
}

uint32_t track_qp_depth(const struct track_qp *qp, enum track_way way)
{
	const struct track_agreed_way *w = qp->agreed ? &qp->agreed->way[way] : NULL;

	return w && w->depth_known ? w->depth : TRACK_NO_DEPTH;
}

void track_qp_agreed_request(struct track_qps *s, struct track_qp *qp, const struct track_packet *p,
			     enum track_psn_class class)
{
	struct track_agreed *a = qp->agreed;

	if (!a)
		return;
	if (G_UNLIKELY(a->drep_frame))
		after_drep(s, qp, a, p, class);
	if (class == TRACK_PSN_REPEAT)
		return;
	early(qp, a, p);
	if (class == TRACK_PSN_START)
		start(s, qp, &a->way[p->way], p);
	depth(s, qp, &a->way[p->way], p);
}

void track_qp_agreed_mtu(struct track_qps *s, struct track_qp *qp, const struct track_packet *p)
{
	struct track_event *e;

	if (!qp->agreed || !qp->mtu_asked || p->payload <= qp->mtu_asked ||
	    qp->agreed->way[p->way].mtu_said)
		return;
	qp->agreed->way[p->way].mtu_said = true;
	e = track_qp_event(s, qp, (enum track_way)p->way, TRACK_EVENT_OVER_MTU, &p->at);
	if (!e)
		return;
	e->number[TRACK_OVER_MTU_psn] = p->psn;
	e->number[TRACK_OVER_MTU_opcode] = p->opcode;
	e->number[TRACK_OVER_MTU_payload] = p->payload;
	e->number[TRACK_OVER_MTU_mtu] = qp->mtu_asked;
}

void track_qp_agreed_nak(struct track_qp *qp, enum track_way way, const struct track_packet *p,
			 uint64_t psn)
{
	const struct track_psns *psns = &qp->dir[way].psns;

	if (!qp->agreed || !psns->begun || psn >= psns->low || qp->agreed->way[way].nak.frame)
		return;
	qp->agreed->way[way].nak = (struct track_mark){ psn, p->at.frame, p->at.time_ns };
}

/*
 * The first one that was captured is not the first, and it was asked for, and never sent. That is said when
 * the PSNs start anew for the first time, or at the end.
 */
void track_qp_agreed_finish(struct track_qps *s, const struct track_qp *qp, enum track_way way)
{
	const struct track_agreed_way *w = qp->agreed ? &qp->agreed->way[way] : NULL;
	const struct track_psns *psns = &qp->dir[way].psns;

	if (!w || !w->nak.frame || !w->start_known || track_watched(&qp->dir[way])->psn_restarts ||
	    psns->low <= w->nak.psn || (w->nak.psn & 0xffffff) != w->start ||
	    track_psn_from(w->start, w->first_psn) <= 0)
		return;
	say_start(s, qp, way, w);
}
