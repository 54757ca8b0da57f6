/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * message.c - checks the packets of a message: their order, their lengths and their sum.
 *
 * Only packets that arrived in order and have adjacent PSNs are checked: after a loss, packets that
 * are not adjacent follow each other.
 */
#include "qp_impl.h"

static bool is_open(uint8_t opcode)
{
	return ibw_opcodes[opcode].flags & (IBW_OPF_FIRST | IBW_OPF_MIDDLE);
}

static bool goes_on(uint8_t opcode)
{
	return ibw_opcodes[opcode].flags & (IBW_OPF_MIDDLE | IBW_OPF_LAST);
}

/* Whether @after may be the next packet of a message, or the first of another one. */
static bool follows(uint8_t before, uint8_t after)
{
	if (is_open(before) != goes_on(after))
		return false;
	return !is_open(before) || track_verb_of(before) == track_verb_of(after);
}

static __attribute__((noinline)) void say_sequence(struct track_qps *s, const struct track_qp *qp,
						   const struct track_packet *p, uint8_t opcode,
						   uint8_t before, uint64_t other)
{
	struct track_event *e =
		track_qp_event(s, qp, (enum track_way)p->way, TRACK_EVENT_OP_SEQUENCE, &p->at);

	if (!e)
		return;
	e->number[TRACK_OP_SEQUENCE_psn] = p->psn;
	e->number[TRACK_OP_SEQUENCE_opcode] = opcode;
	e->number[TRACK_OP_SEQUENCE_before] = before;
	track_event_cause(e, other);
}

static void sequence(struct track_qps *s, const struct track_qp *qp, const struct track_packet *p,
		     uint64_t psn, enum track_psn_class class)
{
	struct track_requests *r = qp->dir[p->way].requests;
	const struct track_request *q;

	if (!r)
		return;
	q = class == TRACK_PSN_NEXT ? track_requests_last(r) : track_requests_find(r, psn - 1);
	if (q && q->psn + q->n == psn && !follows(q->opcode, p->opcode))
		say_sequence(s, qp, p, p->opcode, q->opcode, q->frame);
	if (class == TRACK_PSN_NEXT) /* then nothing was requested after it */
		return;
	q = track_requests_find(r, psn + 1);
	if (q && q->psn == psn + 1 && !track_is_read_request(p) && !follows(p->opcode, q->opcode))
		say_sequence(s, qp, p, q->opcode, p->opcode, q->frame);
}

static __attribute__((noinline)) void say_length(struct track_qps *s, const struct track_qp *qp,
						 const struct track_packet *p,
						 enum track_event_kind kind)
{
	struct track_event *e = track_qp_event(s, qp, (enum track_way)p->way, kind, &p->at);

	_Static_assert((int)TRACK_NOT_MTU_mtu == (int)TRACK_LAST_LENGTH_mtu &&
			       (int)TRACK_NOT_MTU_payload == (int)TRACK_LAST_LENGTH_payload,
		       "the same numbers");
	if (!e)
		return;
	e->number[TRACK_NOT_MTU_psn] = p->psn;
	e->number[TRACK_NOT_MTU_opcode] = p->opcode;
	e->number[TRACK_NOT_MTU_payload] = p->payload;
	e->number[TRACK_NOT_MTU_mtu] = track_qp_mtu(qp);
}

/* The payload of one packet. */
static void lengths(struct track_qps *s, const struct track_qp *qp, const struct track_packet *p)
{
	unsigned int opf = track_packet_opf(p);
	uint32_t mtu = track_qp_mtu(qp);

	if (opf & IBW_OPF_MTU && p->payload != mtu)
		say_length(s, qp, p, TRACK_EVENT_NOT_MTU);
	else if (opf & IBW_OPF_SOME && mtu &&
		 (p->payload > mtu || (opf & IBW_OPF_LAST && !p->payload)))
		say_length(s, qp, p, TRACK_EVENT_LAST_LENGTH);
}

static __attribute__((noinline)) void say_write(struct track_qps *s, const struct track_qp *qp,
						const struct track_packet *p)
{
	const struct track_dir *d = &qp->dir[p->way];
	struct track_event *e =
		track_qp_event(s, qp, (enum track_way)p->way, TRACK_EVENT_WRITE_LENGTH, &p->at);

	if (!e)
		return;
	e->number[TRACK_WRITE_LENGTH_psn] = p->psn;
	e->number[TRACK_WRITE_LENGTH_bytes] = d->since.message_bytes;
	e->number[TRACK_WRITE_LENGTH_dmalen] = d->since.message_dmalen;
	track_event_cause(e, d->since_rare.message_frame);
}

/* What the payloads of a message add up to, if it came in order. */
static void add_up(struct track_qps *s, struct track_qp *qp, const struct track_packet *p,
		   uint64_t psn)
{
	struct track_dir *d = &qp->dir[p->way];

	if (!goes_on(p->opcode)) {
		d->since.message_bytes = 0;
		d->since_rare.message_frame = p->at.frame;
		d->since.message_dmalen = p->dmalen;
		d->since.message_write = track_verb_of(p->opcode) == TRACK_VERB_WRITE &&
					 p->flags & TRACK_PACKET_RETH;
	} else if (d->since.message_next != psn) {
		d->since.message_next = 0;
		return;
	}
	d->since.message_bytes += p->payload;
	d->since.message_next = is_open(p->opcode) ? psn + 1 : 0;
	if (d->since.message_write && !d->since.message_next &&
	    d->since.message_bytes != d->since.message_dmalen)
		say_write(s, qp, p);
}

void track_qp_watch_message(struct track_qps *s, struct track_qp *qp, const struct track_packet *p,
			    uint64_t psn, enum track_psn_class class)
{
	sequence(s, qp, p, psn, class);
	lengths(s, qp, p);
	if (class != TRACK_PSN_FILL)
		add_up(s, qp, p, psn);
}
