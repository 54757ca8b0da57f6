/* SPDX-License-Identifier: GPL-2.0-or-later */
/* answer.c - ACKs, NAKs and responses: what they answer, and how long it took. */
#include "qp_impl.h"

/* Requests below @psn are answered. */
static void cover(struct track_qp *qp, struct track_dir *d, uint64_t psn,
		  const struct track_packet *p)
{
	struct track_requests *r = d->requests;
	const struct track_request *q;

	if (psn <= d->covered)
		return;
	d->covered = psn;
	for (; r && r->n_covered < r->n && r->request[r->n_covered].psn < psn; r->n_covered++) {
		q = &r->request[r->n_covered];
		if (q->flags & TRACK_PACKET_ACKREQ && q->copies == 1 &&
		    ibw_opcodes[q->opcode].flags & IBW_OPF_PAYLOAD)
			track_qp_time(qp, d, TRACK_TIMES_ACK, q->time_ns, p->at.time_ns);
	}
}

static void acknowledge(struct track_qp *qp, const struct track_packet *p)
{
	struct track_dir *d = &qp->dir[p->way], *back = &qp->dir[!p->way];
	uint64_t psn = track_psn_extend(&back->psns, p->psn);

	d->ack_packets++;
	switch (IBW_AETH_TYPE(p->syndrome)) {
	case IBW_AETH_TYPE_ACK:
		cover(qp, back, psn + 1, p);
		return;
	case IBW_AETH_TYPE_RNR:
		d->rnr_naks++;
		break;
	case IBW_AETH_TYPE_NAK:
		if (IBW_AETH_VALUE(p->syndrome) < G_N_ELEMENTS(d->naks))
			d->naks[IBW_AETH_VALUE(p->syndrome)]++;
		break;
	default:
		break;
	}
	cover(qp, back, psn, p);
}

/* The last response of a READ ends it. */
static void end_read(struct track_qp *qp, struct track_dir *d, struct track_request *q,
		     uint64_t psn, const struct track_packet *p)
{
	if (TRACK_OPERATION(q->opcode) != IBW_OP_RC_RDMA_READ_REQUEST || q->answered ||
	    psn != q->psn + q->n - 1)
		return;
	q->answered = true;
	if (!q->touched)
		track_qp_time(qp, d, TRACK_TIMES_READ, q->time_ns, p->at.time_ns);
}

static void respond(struct track_qp *qp, const struct track_packet *p)
{
	struct track_dir *d = &qp->dir[p->way], *back = &qp->dir[!p->way];
	uint64_t psn = track_psn_extend(&back->psns, p->psn);
	struct track_request *q = back->requests ? track_requests_find(back->requests, psn) : NULL;

	d->response_packets++;
	if (back->reads) {
		if (d->response_high && psn > d->response_high + 1 &&
		    track_reads_wait(back->reads, d->response_high + 1))
			d->response_gaps++;
		track_reads_answer(back->reads, psn);
	}
	d->response_high = MAX(d->response_high, psn);
	if (!q)
		return;
	end_read(qp, back, q, psn, p);
	cover(qp, back, q->psn, p);
}

void track_qp_answer(struct track_qps *s, struct track_qp *qp, const struct track_packet *p)
{
	(void)s;
	if (TRACK_OPERATION(p->opcode) == IBW_OP_RC_ACKNOWLEDGE)
		acknowledge(qp, p);
	else
		respond(qp, p);
}
