/* SPDX-License-Identifier: GPL-2.0-or-later */
/* measure_request.c - measures requests: their messages, and how late they are retransmitted. */
#include "measure_impl.h"
#include "waited_impl.h"

/* Of those that are done, so many are sure to be remembered: requests.h keeps twice as many. */
#define DONE_KEPT 32u

_Static_assert(2 * DONE_KEPT <= TRACK_REQUESTS_KEPT, "they are");

static bool begins_message(uint8_t opcode)
{
	return ibw_opcodes[opcode].flags & (IBW_OPF_FIRST | IBW_OPF_ONLY);
}

static void fill(struct track_qp *qp, struct track_measure *m, const struct track_packet *p,
		 uint64_t psn)
{
	const struct track_psns *psns = &qp->dir[p->way].psns;
	const struct track_hole *hole = track_psn_hole(psns, psn);

	m->filled_bytes += p->payload;
	m->is_early = !hole;
	m->fill_distance_max = MAX(m->fill_distance_max, psns->next - psn);
	if (hole && psn >= psns->first)
		track_sample_time(qp, m, TRACK_SAMPLES_FILL_TIME, hole->time_ns, p->at.time_ns);
}

static void message_of_uc(struct track_measure *m, const struct track_packet *p, uint64_t psn)
{
	if (track_message_goes_on(m, p->opcode, psn, p->payload, p->at.frame, p->at.time_ns))
		track_sample(m, TRACK_SAMPLES_MESSAGE_BYTES, m->since.message.bytes);
}

static void new_one(struct track_qp *qp, struct track_measure *m, const struct track_packet *p,
		    uint64_t psn, enum track_psn_class class)
{
	unsigned int eths = ibw_opcodes[p->opcode].eths;

	if (class == TRACK_PSN_START || class == TRACK_PSN_RESTART)
		m->since = (struct track_measure_since){ 0 };
	else if (class == TRACK_PSN_AHEAD)
		m->gap_max = MAX(m->gap_max, psn - qp->dir[p->way].psns.next);
	else if (class == TRACK_PSN_FILL)
		fill(qp, m, p, psn);
	m->since.repeat_next = 0;
	m->begun += begins_message(p->opcode);
	m->immediate += (eths & IBW_ETH_IMMDT) != 0;
	m->invalidate += (eths & IBW_ETH_IETH) != 0;
	if (!track_is_answered(p->opcode))
		message_of_uc(m, p, psn);
}

/* Whether it is sure to be remembered, however many there were. */
static bool is_recent(const struct track_requests *r, const struct track_request *q, uint64_t done)
{
	return (uint32_t)(q - r->request) + DONE_KEPT >= track_requests_from(r, done);
}

static void repeat(struct track_qp *qp, struct track_measure *m, const struct track_packet *p,
		   uint64_t psn, uint32_t n)
{
	struct track_requests *r = qp->dir[p->way].requests;
	uint64_t done = track_flown(&qp->dir[p->way])->done;
	const struct track_request *q = track_requests_find(r, psn);

	m->repeated_answered += psn < done;
	m->episodes += m->since.repeat_next != psn;
	m->since.repeat_next = psn + n;
	if (!q || q->psn != psn || !is_recent(r, q, done))
		return;
	m->copies_max = MAX(m->copies_max, q->copies + 1);
	track_sample_time(qp, m, TRACK_SAMPLES_REPEAT_TIME, q->last_ns, p->at.time_ns);
}

/* What was counted of those that came again, before this one is: track_measure_resent(). */
static void not_expected(struct track_measure *m, const struct track_watch *w,
			 enum track_psn_class class)
{
	m->is_repeat = class == TRACK_PSN_REPEAT;
	m->is_early = false;
	m->retransmitted = w->retransmitted_packets;
	m->reordered = w->reordered_packets;
	m->timeouts = w->timeouts;
}

/* What a NAK asked for comes. */
static void react(struct track_qp *qp, struct track_measure *m, struct track_mark *asked,
		  enum track_samples samples, uint64_t psn, uint64_t now_ns)
{
	if (!asked->frame || asked->psn != psn)
		return;
	asked->frame = 0;
	track_sample_time(qp, m, samples, asked->time_ns, now_ns);
}

void track_measure_request(struct track_qp *qp, const struct track_packet *p, uint64_t psn,
			   uint32_t n, enum track_psn_class class)
{
	struct track_dir *d = &qp->dir[p->way];
	struct track_measure *m = d->measure;

	track_flight_request(d, p, psn, n, class);
	m->ackreq += (p->flags & TRACK_PACKET_ACKREQ) != 0;
	if (class != TRACK_PSN_NEXT)
		not_expected(m, track_watched(d), class);
	if (class == TRACK_PSN_REPEAT)
		repeat(qp, m, p, psn, n);
	else
		new_one(qp, m, p, psn, class);
	track_wait_request(qp, p, psn, n, class);
	react(qp, m, &m->since.nak, TRACK_SAMPLES_NAK_REACTION, psn, p->at.time_ns);
	react(qp, m, &m->since.rnr, TRACK_SAMPLES_RNR_WAITED, psn, p->at.time_ns);
}

bool track_message_goes_on(struct track_measure *m, uint8_t opcode, uint64_t psn, uint32_t payload,
			   uint64_t frame, uint64_t time_ns)
{
	struct track_message *g = &m->since.message;
	enum track_verb verb = track_verb_of(opcode);

	if (begins_message(opcode)) {
		*g = (struct track_message){ .first_frame = frame,
					     .first_ns = time_ns,
					     .verb = (uint8_t)verb };
	} else if (g->next != psn || g->verb != verb) {
		g->next = 0;
		return false;
	}
	g->bytes += payload;
	g->next = ibw_opcodes[opcode].flags & (IBW_OPF_FIRST | IBW_OPF_MIDDLE) ? psn + 1 : 0;
	return !g->next;
}
