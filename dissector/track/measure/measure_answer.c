/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * measure_answer.c - measures what ACKs, NAKs and responses complete, and how long that was open.
 */
#include "measure_impl.h"
#include "waited_impl.h"

/* What one answer makes of the requests. */
struct settled {
	const struct track_packet *p;
	struct track_flight before;
	bool any;   /* what was open is no longer */
	bool asked; /* an ACK was asked for, or may have been */
};

static bool ends_message(uint8_t opcode)
{
	return ibw_opcodes[opcode].flags & (IBW_OPF_LAST | IBW_OPF_ONLY);
}

static void close_one(struct track_measure *m, const struct track_request *q, struct settled *s)
{
	s->any = true;
	m->answered += ends_message(q->opcode);
}

static void message_time(struct track_qp *qp, struct track_measure *m, enum track_samples samples,
			 uint64_t first_frame, uint64_t first_ns, const struct track_at *at)
{
	if (samples != TRACK_SAMPLES_MESSAGE_TIME)
		track_sample_time(qp, m, samples, first_ns, at->time_ns);
	track_sample_time(qp, m, TRACK_SAMPLES_MESSAGE_TIME, first_ns, at->time_ns);
	if (at->time_ns < first_ns || (m->slowest_last && at->time_ns - first_ns <= m->slowest_ns))
		return;
	m->slowest_ns = at->time_ns - first_ns;
	m->slowest_first = first_frame;
	m->slowest_last = at->frame;
}

/* A packet of a SEND or WRITE is done. */
static void done_one(struct track_qp *qp, struct track_measure *m, const struct track_request *q,
		     const struct settled *s)
{
	const struct track_message *g = &m->since.message;

	if (!track_message_goes_on(m, q->opcode, q->psn, q->payload, q->frame, q->time_ns))
		return;
	track_sample(m, TRACK_SAMPLES_MESSAGE_BYTES, g->bytes);
	message_time(qp, m,
		     g->verb == TRACK_VERB_SEND ? TRACK_SAMPLES_SEND_TIME
						: TRACK_SAMPLES_WRITE_TIME,
		     g->first_frame, g->first_ns, &s->p->at);
}

/* What is below @psn is done. */
static void cover(struct track_qp *qp, struct track_dir *d, uint64_t psn, struct settled *s)
{
	const struct track_requests *r = d->requests;
	struct track_measure *m = d->measure;
	const struct track_request *q;
	uint32_t i;

	if (psn <= s->before.done)
		return;
	for (i = track_requests_from(r, s->before.done); i < r->n; i++) {
		q = &r->request[i];
		if (q->psn + q->n > psn)
			break;
		if (!track_is_answered(q->opcode))
			continue;
		if (!q->answered) {
			s->any = true;
			m->answered +=
				ends_message(q->opcode) && !track_is_read_or_atomic(q->opcode);
		}
		s->asked |= q->flags & TRACK_PACKET_ACKREQ || q->copies > 1;
		m->ambiguous += track_wants_ack(q) && q->copies > 1;
		if (ibw_opcodes[q->opcode].flags & IBW_OPF_PAYLOAD)
			done_one(qp, m, q, s);
	}
	if (m->since.nak.frame && m->since.nak.psn < psn)
		m->since.nak.frame = 0;
	if (m->since.rnr.frame && m->since.rnr.psn < psn)
		m->since.rnr.frame = 0;
}

static void acknowledge(struct track_qp *qp, const struct track_packet *p, uint64_t psn,
			struct settled *s)
{
	struct track_measure *m = qp->dir[p->way].measure;
	struct track_dir *back = &qp->dir[!p->way];
	struct track_measure *of = back->measure;
	const struct track_request *q;
	bool known = psn < back->psns.next;

	if (psn < s->before.done) {
		m->ack_repeated++;
		return;
	}
	if (known) {
		track_sample(of, TRACK_SAMPLES_ACK_PSNS, psn + 1 - s->before.done);
		q = track_requests_find(back->requests, psn);
		if (q && q->psn == psn && q->copies == 1 &&
		    ibw_opcodes[q->opcode].flags & IBW_OPF_PAYLOAD && track_is_answered(q->opcode))
			track_sample_time(qp, of, TRACK_SAMPLES_RTT, q->time_ns, p->at.time_ns);
	}
	cover(qp, back, psn + 1, s);
	m->ack_unsolicited += known && !s->asked;
}

static void credits(struct track_measure *m, uint32_t code)
{
	m->ack_pure++;
	m->credits_zero += code == 0;
	if (code == IBW_AETH_VALUE(UINT8_MAX))
		m->credits_none++;
	else
		track_sample(m, TRACK_SAMPLES_CREDITS, ibw_half_octaves(code));
}

/* The time of the packet that shows that @psn is missing: the next one, as it came last. */
static void nak_delay(struct track_qp *qp, struct track_dir *d, const struct track_packet *p,
		      uint64_t psn)
{
	const struct track_requests *r = d->requests;
	uint32_t i = track_requests_from(r, psn);

	while (i < r->n && r->request[i].psn <= psn)
		i++;
	if (i < r->n)
		track_sample_time(qp, d->measure, TRACK_SAMPLES_NAK_DELAY, r->request[i].last_ns,
				  p->at.time_ns);
}

static void ask(struct track_mark *asked, const struct track_packet *p, uint64_t psn)
{
	if (!asked->frame || asked->psn != psn)
		*asked = (struct track_mark){ psn, p->at.frame, p->at.time_ns };
}

static void refuse(struct track_qp *qp, const struct track_packet *p, uint64_t psn,
		   struct settled *s)
{
	struct track_dir *back = &qp->dir[!p->way];
	struct track_measure *of = back->measure;
	bool is_done = psn < s->before.done;

	if (!is_done && p->syndrome == IBW_AETH_NAK_PSN_SEQUENCE)
		nak_delay(qp, back, p, psn);
	cover(qp, back, psn, s);
	if (is_done)
		return;
	if (IBW_AETH_TYPE(p->syndrome) == IBW_AETH_TYPE_RNR)
		ask(&of->since.rnr, p, psn);
	else if (p->syndrome == IBW_AETH_NAK_PSN_SEQUENCE)
		ask(&of->since.nak, p, psn);
}

/* An Acknowledge. Before the first request is captured it is of none. */
static void aeth(struct track_qp *qp, const struct track_packet *p, uint64_t psn, struct settled *s)
{
	struct track_measure *m = qp->dir[p->way].measure;
	struct track_dir *back = &qp->dir[!p->way];

	if (!(p->flags & TRACK_PACKET_AETH))
		return;
	switch (IBW_AETH_TYPE(p->syndrome)) {
	case IBW_AETH_TYPE_ACK:
		credits(m, IBW_AETH_VALUE(p->syndrome));
		if (back->psns.begun)
			acknowledge(qp, p, psn, s);
		break;
	case IBW_AETH_TYPE_RNR:
		track_sample(back->measure, TRACK_SAMPLES_RNR_ASKED,
			     1000ull * ibw_rnr_usec(IBW_AETH_VALUE(p->syndrome)));
		if (back->psns.begun)
			refuse(qp, p, psn, s);
		break;
	case IBW_AETH_TYPE_NAK:
		if (back->psns.begun)
			refuse(qp, p, psn, s);
		break;
	default:
		break;
	}
}

/* The last response of a READ, or the only one of an atomic, FLUSH or ATOMIC WRITE. */
static void answered(struct track_qp *qp, struct track_measure *m, const struct track_request *q,
		     struct settled *s)
{
	static const uint8_t of_verb[TRACK_VERB_COUNT] = {
		[TRACK_VERB_WRITE] = TRACK_SAMPLES_WRITE_TIME,
		[TRACK_VERB_READ] = TRACK_SAMPLES_MESSAGE_TIME,
		[TRACK_VERB_ATOMIC] = TRACK_SAMPLES_ATOMIC_TIME,
		[TRACK_VERB_FLUSH] = TRACK_SAMPLES_FLUSH_TIME,
	};
	enum track_verb verb = track_verb_of(q->opcode);

	close_one(m, q, s);
	if (ibw_opcodes[q->opcode].flags & IBW_OPF_PAYLOAD)
		return; /* ACKs are for that */
	if (verb == TRACK_VERB_READ)
		track_sample(m, TRACK_SAMPLES_MESSAGE_BYTES, q->dmalen);
	else if (verb == TRACK_VERB_WRITE)
		track_sample(m, TRACK_SAMPLES_MESSAGE_BYTES, q->payload);
	if (verb != TRACK_VERB_READ || !q->touched)
		message_time(qp, m, (enum track_samples)of_verb[verb], q->frame, q->time_ns,
			     &s->p->at);
}

static void respond(struct track_qp *qp, const struct track_packet *p, uint64_t psn,
		    struct settled *s)
{
	struct track_dir *back = &qp->dir[!p->way];
	const struct track_request *q = track_requests_find(back->requests, psn);
	struct track_measure *m = back->measure;

	cover(qp, back, q ? q->psn : psn, s);
	if (!q || !track_is_answered(q->opcode) || q->psn + q->n <= s->before.done)
		return;
	if (psn == q->psn && track_verb_of(q->opcode) == TRACK_VERB_READ && !q->touched &&
	    back->reads && track_reads_wait(back->reads, psn, psn + 1))
		track_sample_time(qp, m, TRACK_SAMPLES_READ_FIRST_TIME, q->time_ns, p->at.time_ns);
	if (psn == q->psn + q->n - 1 && !q->answered)
		answered(qp, m, q, s);
}

void track_measure_answer(struct track_qp *qp, const struct track_packet *p, uint64_t psn)
{
	struct track_dir *back = &qp->dir[!p->way];
	struct track_measure *m = back->measure;
	struct settled s = { .p = p, .before = *back->flight };

	if (TRACK_OPERATION(p->opcode) == IBW_OP_RC_ACKNOWLEDGE)
		aeth(qp, p, psn, &s);
	else if (back->psns.begun)
		respond(qp, p, psn, &s);
	track_flight_answer(back, p, psn);
	track_wait_answer(qp, p, psn, s.before.done);
	if (!s.any)
		return;
	track_sample(m, TRACK_SAMPLES_IN_FLIGHT_PACKETS, s.before.packets);
	track_sample(m, TRACK_SAMPLES_IN_FLIGHT_BYTES, s.before.bytes);
	if (s.before.reads)
		track_sample(m, TRACK_SAMPLES_READS_OPEN, s.before.reads);
}
