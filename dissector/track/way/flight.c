/* SPDX-License-Identifier: GPL-2.0-or-later */
/* flight.c - keeps the open requests: a request is open from its arrival until its answer. */
#include "flight.h"
#include "qp_impl.h"

struct track_flight *track_flight(struct track_dir *d)
{
	if (!d->flight) /* its memory was taken for the connection */
		d->flight = g_new0(struct track_flight, 1);
	return d->flight;
}

void track_flight_request(struct track_dir *d, const struct track_packet *p, uint64_t psn,
			  uint32_t n, enum track_psn_class class)
{
	struct track_flight *f = track_flight(d);

	if (class == TRACK_PSN_REPEAT)
		return;
	if (class == TRACK_PSN_START || class == TRACK_PSN_RESTART)
		*f = (struct track_flight){ .done = psn };
	if (!track_is_answered(p->opcode) || psn + n <= f->done)
		return;
	f->packets++;
	f->bytes += p->payload;
	f->reads += track_is_read_or_atomic(p->opcode);
}

/* More may have been forgotten than there are. */
static void close_one(struct track_flight *f, const struct track_request *q)
{
	f->packets -= f->packets > 0;
	f->bytes -= MIN(f->bytes, q->payload);
	f->reads -= f->reads > 0 && track_is_read_or_atomic(q->opcode);
}

/* What is below @psn is done. */
static void cover(struct track_dir *d, uint64_t psn)
{
	const struct track_requests *r = d->requests;
	struct track_flight *f = d->flight;
	uint32_t i;

	if (psn <= f->done)
		return;
	if (psn >= d->psns.next) { /* all of them, those forgotten, too */
		*f = (struct track_flight){ .done = psn };
		return;
	}
	for (i = r ? track_requests_from(r, f->done) : 0; r && i < r->n; i++) {
		if (r->request[i].psn + r->request[i].n > psn)
			break;
		if (track_is_answered(r->request[i].opcode) && !r->request[i].answered)
			close_one(f, &r->request[i]);
	}
	f->done = psn;
}

static void acknowledge(struct track_dir *d, const struct track_packet *p, uint64_t psn)
{
	if (!(p->flags & TRACK_PACKET_AETH))
		return;
	switch (IBW_AETH_TYPE(p->syndrome)) {
	case IBW_AETH_TYPE_ACK:
		cover(d, psn + 1);
		break;
	case IBW_AETH_TYPE_RNR:
	case IBW_AETH_TYPE_NAK:
		cover(d, psn);
		break;
	default:
		break;
	}
}

/* The last response of a READ, or the only one of others, ends it. */
static void respond(struct track_dir *d, uint64_t psn)
{
	const struct track_request *q = d->requests ? track_requests_find(d->requests, psn) : NULL;

	cover(d, q ? q->psn : psn);
	if (q && track_is_answered(q->opcode) && psn == q->psn + q->n - 1 &&
	    psn >= d->flight->done && !q->answered)
		close_one(d->flight, q);
}

void track_flight_answer(struct track_dir *d, const struct track_packet *p, uint64_t psn)
{
	if (!d->psns.begun || !d->flight)
		return;
	if (TRACK_OPERATION(p->opcode) == IBW_OP_RC_ACKNOWLEDGE)
		acknowledge(d, p, psn);
	else
		respond(d, psn);
}
