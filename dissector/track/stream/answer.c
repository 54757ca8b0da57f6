/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * answer.c - matches ACKs, NAKs and responses with the requests that they answer, and measures the
 * time.
 */
#include "stream.h"
#include "track/incident/incident_impl.h"
#include "track/measure/measure_impl.h"
#include "track/measure/series_impl.h"
#include "track/way/flight.h"

static void sample(struct track_qp *qp, struct track_dir *d, const struct track_request *q,
		   uint64_t now_ns)
{
	struct track_answers *a = track_answers(d);

	track_qp_time(qp, d, TRACK_TIMES_ACK, q->time_ns, now_ns);
	if (now_ns > q->time_ns && (!a->rtt_ns || now_ns - q->time_ns < a->rtt_ns))
		a->rtt_ns = now_ns - q->time_ns;
	if (now_ns > q->time_ns)
		a->slow_ns = MAX(a->slow_ns, now_ns - q->time_ns);
}

void track_qps_want_replies(struct track_qps *s, struct track_replies *replies)
{
	s->replies = replies;
}

static void say_reply(const struct track_qps *s, const struct track_request *q,
		      const struct track_packet *p, enum track_reply_kind kind)
{
	bool timed = q->copies == 1 && p->at.time_ns >= q->time_ns;
	const struct track_reply r = {
		.request = q->last_frame,
		.answer = p->at.frame,
		.ns = timed ? p->at.time_ns - q->time_ns : TRACK_NO_TIME,
		.time_ns = p->at.time_ns,
		.payload = p->payload,
		.psn = kind == TRACK_REPLY_ACK ? (uint32_t)(q->psn & 0xffffff) : p->psn,
		.kind = (uint8_t)kind,
		.opcode = p->opcode,
		.syndrome = p->syndrome,
		.verb = (uint8_t)track_verb_of(q->opcode),
	};

	track_reply_add(s->replies, &r);
}

static bool has_response(const struct track_request *q)
{
	return !(ibw_opcodes[q->opcode].flags & IBW_OPF_PAYLOAD);
}

/* One that has the PSN of another request answers what was not captured. */
static bool responds_to(const struct track_packet *p, const struct track_request *q)
{
	bool atomic = TRACK_OPERATION(p->opcode) == IBW_OP_RC_ATOMIC_ACKNOWLEDGE;

	return has_response(q) && atomic == (track_verb_of(q->opcode) == TRACK_VERB_ATOMIC);
}

/* Requests below @psn are answered. */
static void cover(struct track_qps *s, struct track_qp *qp, struct track_dir *d, uint64_t psn,
		  const struct track_packet *p)
{
	struct track_requests *r = d->requests;
	struct track_request *q;

	if (psn <= d->since.covered)
		return;
	if (d->watch)
		track_qp_answered(s, qp, (enum track_way) !p->way, p, psn);
	if (d->watch && d->watch->n_damaged)
		track_damaged_answered(d->watch, d->since.covered, psn, p->at.frame);
	d->since.covered = psn;
	track_answers(d)->since.cover = (struct track_mark){ psn, p->at.frame, p->at.time_ns };
	for (; r && r->n_covered < r->n && r->request[r->n_covered].psn < psn; r->n_covered++) {
		q = &r->request[r->n_covered];
		if (!q->answered_ns && !has_response(q))
			q->answered_ns = p->at.time_ns;
		if (q->flags & TRACK_PACKET_RETH) {
			if (!has_response(q) || q->answered)
				track_qp_watch_accepted(d, q);
			else
				track_qp_unread(s, qp, (enum track_way) !p->way, q, p);
		}
		if (s->replies && !has_response(q))
			say_reply(s, q, p, TRACK_REPLY_ACK);
		if (track_wants_ack(q) && q->copies == 1)
			sample(qp, d, q, p->at.time_ns);
	}
	if (d->psns.n_holes)
		track_qp_gap_answered(qp, (enum track_way) !p->way);
}

static void acknowledge(struct track_qps *s, struct track_qp *qp, const struct track_packet *p,
			uint64_t psn)
{
	struct track_dir *d = &qp->dir[p->way], *back = &qp->dir[!p->way];

	d->ack_packets++;
	if (s->replies)
		track_qp_note_ack(s, qp, p, psn);
	track_qp_watch_ack(s, qp, p, psn);
	switch (IBW_AETH_TYPE(p->syndrome)) {
	case IBW_AETH_TYPE_ACK:
		cover(s, qp, back, psn + 1, p);
		return;
	case IBW_AETH_TYPE_RNR:
		track_watch(d)->rnr_naks++;
		break;
	case IBW_AETH_TYPE_NAK:
		if (IBW_AETH_VALUE(p->syndrome) < G_N_ELEMENTS(track_watched(d)->naks))
			track_watch(d)->naks[IBW_AETH_VALUE(p->syndrome)]++;
		break;
	default:
		break;
	}
	cover(s, qp, back, psn, p);
}

/* The last response of a READ ends it, as the only one of an atomic does. */
static void end_read(struct track_qps *s, struct track_qp *qp, struct track_request *q,
		     uint64_t psn, const struct track_packet *p)
{
	struct track_dir *d = &qp->dir[!p->way];

	if (q->answered || psn != q->psn + q->n - 1)
		return;
	q->answered = true;
	if (d->watch)
		track_qp_answered(s, qp, (enum track_way) !p->way, p, psn + 1);
	if (TRACK_OPERATION(q->opcode) == IBW_OP_RC_RDMA_READ_REQUEST && !q->touched)
		track_qp_time(qp, d, TRACK_TIMES_READ, q->time_ns, p->at.time_ns);
}

static void respond(struct track_qps *s, struct track_qp *qp, const struct track_packet *p,
		    uint64_t psn)
{
	struct track_dir *d = &qp->dir[p->way], *back = &qp->dir[!p->way];
	struct track_request *q = back->requests ? track_requests_find(back->requests, psn) : NULL;
	uint64_t high = back->since_rare.response_high;
	struct track_read was;
	bool waited = false;

	d->response_packets++;
	track_qp_watch_response(s, qp, p, psn, q);
	if (back->reads) {
		if (high && psn > high + 1 && track_reads_wait(back->reads, high + 1, high + 2)) {
			track_watch(d)->response_gaps++;
			track_qp_note(s, qp, p->at.frame, TRACK_NOTE_RESPONSE_AHEAD,
				      q ? q->frame : 0, psn - high - 1);
		}
		waited = track_reads_answer(back->reads, psn, p, &was);
	}
	if (G_UNLIKELY(!waited))
		track_qp_response_again(s, qp, p, psn, q);
	else if (G_UNLIKELY(psn <= high || was.frame))
		track_qp_response_late(s, qp, p, psn, &was);
	back->since_rare.response_high = MAX(high, psn);
	if (q && waited)
		q->tries = 0; /* it goes on */
	if (q && psn == q->psn && !q->answered_ns)
		q->answered_ns = p->at.time_ns;
	if (q)
		end_read(s, qp, q, psn, p);
	cover(s, qp, back, q ? q->psn : psn, p);
	if (s->replies && q && responds_to(p, q))
		say_reply(s, q, p, TRACK_REPLY_RESPONSE);
}

void track_qp_answer(struct track_qps *s, struct track_qp *qp, const struct track_packet *p)
{
	struct track_dir *back = &qp->dir[!p->way];
	uint64_t psn = track_psn_extend(&back->psns, p->psn);

	track_answers(back)->since.last_ns = p->at.time_ns;
	if (s->measures)
		track_measure_answer(qp, p, psn);
	else if (s->replies)
		track_flight_answer(back, p, psn);
	if (TRACK_OPERATION(p->opcode) == IBW_OP_RC_ACKNOWLEDGE)
		acknowledge(s, qp, p, psn);
	else
		respond(s, qp, p, psn);
	track_incident_answer(s, qp, p, psn);
	if (s->series)
		track_series_answer(qp, p, psn);
}
