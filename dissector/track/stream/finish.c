/* SPDX-License-Identifier: GPL-2.0-or-later */
/* finish.c - finishes a connection: what has not arrived by then is missing. */
#include "stream.h"
#include "track/incident/incident_impl.h"
#include "track/measure/waited_impl.h"

/* Requests, and as many ACKs. */
#define ACK_EACH_MIN 32u

/* Nobody answers, for so long after the last request of a connection: then it was not sent to be answered. */
#define ANSWER_NS 1000000000u

/* Of a connection that is not closed, nothing more of a message for so long. */
#define STOPPED_NS 1000000000u

/* The first request that wants an answer. */
static const struct track_request *first_wanting(const struct track_requests *r)
{
	uint32_t i;

	for (i = 0; r && i < r->n; i++)
		if (r->request[i].flags & TRACK_PACKET_ACKREQ ||
		    !(ibw_opcodes[r->request[i].opcode].flags & IBW_OPF_PAYLOAD))
			return &r->request[i];
	return NULL;
}

/*
 * No answer to any request, though both queue pairs are known and packets of the other end came later on
 * other connections. Where a capture has one direction of this connection only, who is answered goes on.
 */
static void never_answered(struct track_qps *s, const struct track_qp *qp, enum track_way way,
			   uint64_t now_ns)
{
	const struct track_dir *d = &qp->dir[way];
	const struct track_request *q = first_wanting(d->requests);
	const struct track_heard *h =
		track_heard_of(s, way == TRACK_A_TO_B ? qp->flow.dst : qp->flow.src);
	struct track_event *e;

	if (!q || !track_qp_is_deaf(qp, way) || qp->dir[!way].dqpn == TRACK_CM_NO_QPN ||
	    track_watched(d)->timeouts || !h || h->last_ns <= d->last_ns ||
	    d->last_ns > q->time_ns + ANSWER_NS || now_ns < d->last_ns + ANSWER_NS)
		return;
	e = track_qp_event_of(s, qp, way, TRACK_EVENT_NEVER_ANSWERED, q->frame, q->time_ns);
	if (!e)
		return;
	e->number[TRACK_NEVER_ANSWERED_psn] = q->psn & 0xffffff;
	e->number[TRACK_NEVER_ANSWERED_requests] = d->request_packets;
	e->number[TRACK_NEVER_ANSWERED_ns] = now_ns - q->time_ns;
}

/* Requests that were answered and are not in the capture. */
static uint64_t lost_of(const struct track_dir *d)
{
	return MIN(track_watched(d)->lost, d->psns.missing);
}

/* PSNs of requests, captured or not. */
static uint64_t requested(const struct track_dir *d)
{
	return track_watched(d)->before_requested + d->psns.next - d->psns.first;
}

static void capture_loss(struct track_qps *s, const struct track_qp *qp, enum track_way way)
{
	const struct track_dir *d = &qp->dir[way];
	const struct track_watch *w = track_watched(d);
	uint64_t lost = lost_of(d);
	struct track_event *e;

	if (!lost || qp->doubt & TRACK_DOUBT_SAMPLED)
		return;
	e = track_qp_event_of(s, qp, way, TRACK_EVENT_CAPTURE_LOSS, w->loss.frame, w->loss.time_ns);
	if (!e)
		return;
	e->number[TRACK_CAPTURE_LOSS_psn] = w->loss.psn & 0xffffff;
	e->number[TRACK_CAPTURE_LOSS_count] = lost;
	e->number[TRACK_CAPTURE_LOSS_requests] = requested(d);
}

/* So many damaged requests that are answered are no chance. */
#define ACCEPTED_MIN 3u

static void accepted(struct track_qps *s, const struct track_qp *qp, enum track_way way)
{
	const struct track_watch *w = track_watched(&qp->dir[way]);
	struct track_event *e;

	if (w->accepted_packets < ACCEPTED_MIN)
		return;
	e = track_qp_event_of(s, qp, way, TRACK_EVENT_ICRC_ACCEPTED, w->accepted.frame,
			      w->accepted.time_ns);
	if (!e)
		return;
	e->number[TRACK_ICRC_ACCEPTED_psn] = w->accepted.psn & 0xffffff;
	e->number[TRACK_ICRC_ACCEPTED_count] = w->accepted_packets;
}

/* Whether something is still to come of the last request of @way, or of what it waits for. */
static bool is_awaited(const struct track_dir *d)
{
	const struct track_watch *w = track_watched(d);
	uint32_t i;

	if (w->since.rnr.frame || w->since.fatal.frame || w->since.unsent.frame ||
	    (w->since.nak.frame && !w->since.nak_filled))
		return true;
	for (i = 0; i < w->n_damaged; i++)
		if (w->damaged[i].psn >= d->psns.next)
			return true;
	return d->since.asked_next > MAX(d->since.covered, d->psns.first);
}

/* The last request, if a message is to go on after it that came in order; NULL: none is. */
static const struct track_request *last_of_open(const struct track_dir *d)
{
	const struct track_request *q;

	if (!d->requests || !d->since.message_next || d->since.message_next != d->psns.next ||
	    d->psns.n_holes)
		return NULL;
	q = track_requests_find(d->requests, d->psns.next - 1);
	return q && q->copies == 1 && q->time_ns == d->last_ns ? q : NULL;
}

/*
 * A message stops at a packet that is not its last. An RC sender whose packets were lost has its timer, or a NAK: if
 * nobody waits, it is the sender that stopped. Of UC nobody knows.
 */
static void message_stopped(struct track_qps *s, const struct track_qp *qp, enum track_way way)
{
	const struct track_dir *d = &qp->dir[way];
	const struct track_request *q = qp->service == IBW_SERVICE_UC ? NULL : last_of_open(d);
	uint64_t closed_ns = track_qp_closed_ns(qp);
	bool closed = q && closed_ns >= q->time_ns;
	uint64_t until_ns = closed ? closed_ns : s->last_ns;
	struct track_event *e;

	if (!q || (!closed && until_ns < q->time_ns + STOPPED_NS) || is_awaited(d))
		return;
	e = track_qp_event_of(s, qp, way, TRACK_EVENT_MESSAGE_STOPPED, q->frame, q->time_ns);
	if (!e)
		return;
	track_event_cause(e, d->since_rare.message_frame);
	e->number[TRACK_MESSAGE_STOPPED_psn] = q->psn & 0xffffff;
	e->number[TRACK_MESSAGE_STOPPED_opcode] = q->opcode;
	e->number[TRACK_MESSAGE_STOPPED_bytes] = d->since.message_bytes;
	e->number[TRACK_MESSAGE_STOPPED_dmalen] =
		d->since.message_write ? d->since.message_dmalen : 0;
	e->number[TRACK_MESSAGE_STOPPED_ns] = until_ns - q->time_ns;
	e->number[TRACK_MESSAGE_STOPPED_closed] = closed;
}

/* An ACK for each of many requests is load that nobody needs. */
static void ack_each(struct track_qps *s, const struct track_qp *qp, enum track_way way)
{
	const struct track_dir *d = &qp->dir[way];
	uint64_t n = d->request_packets, acks = qp->dir[!way].ack_packets;
	uint64_t took_ns = d->last_ns - d->first_ns;
	struct track_event *e;

	if (n < ACK_EACH_MIN || 10 * acks < 9 * n || d->last_ns < d->first_ns ||
	    n * 1000 <= took_ns)
		return;
	e = track_qp_event_last(s, qp, way, TRACK_EVENT_ACK_EACH);
	if (!e)
		return;
	e->number[TRACK_ACK_EACH_requests] = n;
	e->number[TRACK_ACK_EACH_acks] = acks;
	e->number[TRACK_ACK_EACH_ns] = took_ns;
}

static void finish_way(struct track_qps *s, struct track_qp *qp, enum track_way way)
{
	struct track_dir *d = &qp->dir[way];
	const struct track_dir *back = &qp->dir[!way];
	uint64_t missing = 0, closed_ns = track_qp_closed_ns(qp);
	unsigned int i;

	if (track_watched(d)->since.nak.frame && !track_watched(d)->since.nak_filled)
		track_qp_nak_unanswered(s, qp, way, s->last_ns, 0);
	track_qp_nak_settled(s, qp, way, 0, 0);
	if (track_watched(d)->since.unsure.first.frame)
		track_qp_gap_late(s, qp, way);
	if (track_watched(d)->since.resent.first.frame)
		track_qp_gap_settle(s, qp, way);
	for (i = 0; i < d->psns.n_holes; i++)
		track_qp_gap_open(s, qp, way, &d->psns.hole[i]);
	track_qp_held_settle(s, qp, way);
	track_qp_gave_up(s, qp, way, s->last_ns);
	track_incident_end(s, qp, way);
	track_qp_reads_open(s, qp, way);
	track_qp_missing_settle(s, qp, way);
	if (!track_qp_closes(qp, way))
		track_qp_ack_missing(s, qp, way, closed_ns ? closed_ns : s->last_ns);
	never_answered(s, qp, way, closed_ns ? closed_ns : s->last_ns);
	message_stopped(s, qp, way);
	track_qp_unreached(s, qp, way);
	track_qp_unsent(s, qp, way, s->last_ns);
	capture_loss(s, qp, way);
	accepted(s, qp, way);
	track_qp_several_paths(s, qp, way);
	track_qp_agreed_finish(s, qp, way);
	ack_each(s, qp, way);
	track_cc_way(s, qp, way);
	track_damaged_end(d);
	if (back->reads)
		missing = track_reads_missing(back->reads, back->since_rare.response_high);
	if (missing)
		track_watch(d)->response_missing = missing;
}

static bool is_one_way(const struct track_qp *qp)
{
	return qp->service != IBW_SERVICE_UC &&
	       !qp->dir[TRACK_A_TO_B].packets != !qp->dir[TRACK_B_TO_A].packets;
}

/* Networks double packets, but not so many. */
static bool is_twice(const struct track_dir *d)
{
	return d->request_packets >= TRACK_REQUESTS_MIN &&
	       4 * track_watched(d)->twice_packets >= d->request_packets;
}

/* Who lost so many that were answered lost others, and answers, too. */
static bool is_lossy(const struct track_qp *qp)
{
	const struct track_dir *a = &qp->dir[TRACK_A_TO_B], *b = &qp->dir[TRACK_B_TO_A];
	uint64_t lost = lost_of(a) + lost_of(b);

	return lost >= TRACK_REQUESTS_MIN && 4 * lost >= requested(a) + requested(b);
}

void track_qps_left_out(struct track_qps *s, struct track_left_out *left_out)
{
	s->left_out = left_out;
}

static bool is_filtered(const struct track_qps *s, const struct track_qp *qp)
{
	struct track_flow back = qp->flow;

	track_flow_turn(&back);
	return s->left_out &&
	       (track_left_out_of(s->left_out, &qp->flow) || track_left_out_of(s->left_out, &back));
}

static void settle(struct track_qps *s, const struct track_qp *qp)
{
	struct track_event *e = track_qp_event_of(s, qp, TRACK_A_TO_B, TRACK_EVENT_SETTLED,
						  qp->last_frame, s->last_ns);

	if (!e)
		return;
	e->number[TRACK_SETTLED_upto] = UINT64_MAX;
	e->number[TRACK_SETTLED_lost] = track_watched(&qp->dir[TRACK_A_TO_B])->lost;
	e->number[TRACK_SETTLED_lost_back] = track_watched(&qp->dir[TRACK_B_TO_A])->lost;
}

void track_qp_finish(struct track_qps *s, struct track_qp *qp)
{
	track_qp_drain(s, qp);
	if (qp->finished)
		return;
	qp->finished = true;
	if (is_one_way(qp))
		qp->doubt |= TRACK_DOUBT_ONE_WAY;
	if (is_filtered(s, qp))
		qp->doubt |= TRACK_DOUBT_FILTERED;
	if (is_twice(&qp->dir[TRACK_A_TO_B]) || is_twice(&qp->dir[TRACK_B_TO_A]))
		qp->doubt |= TRACK_DOUBT_TWICE;
	if (qp->dir[TRACK_A_TO_B].psns.holes_closed || qp->dir[TRACK_B_TO_A].psns.holes_closed)
		qp->doubt |= TRACK_DOUBT_HOLES;
	if (!(qp->doubt & TRACK_DOUBT_SAMPLED) && is_lossy(qp))
		qp->doubt |= TRACK_DOUBT_LOSSY;
	finish_way(s, qp, TRACK_A_TO_B);
	finish_way(s, qp, TRACK_B_TO_A);
	settle(s, qp);
	track_wait_finish(s, qp);
}
