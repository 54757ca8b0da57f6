/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chain.c - finds the message of a request packet, for readers that keep records of messages.
 *
 * A retransmitted packet belongs to the message that it repeats. A packet in the middle of a message
 * continues the next lower requested PSN; PSNs missing between the two count as part of the message.
 */
#include "flight.h"
#include "qp_impl.h"

static const struct track_request *before(const struct track_requests *r, uint64_t psn)
{
	uint32_t at = r && r->n ? track_requests_from(r, psn) : 0;

	return at ? &r->request[at - 1] : NULL;
}

static bool goes_on(const struct track_packet *p, const struct track_request *q)
{
	return q && ibw_opcodes[q->opcode].flags & (IBW_OPF_FIRST | IBW_OPF_MIDDLE) &&
	       track_verb_of(q->opcode) == track_verb_of(p->opcode);
}

void track_qp_chain(struct track_qps *s, const struct track_dir *d, const struct track_packet *p,
		    uint64_t psn, enum track_psn_class class)
{
	const struct track_flight *f = track_flown(d);
	const struct track_request *q = NULL;
	struct track_reply r = {
		.answer = p->at.frame,
		.time_ns = p->at.time_ns,
		.va = p->va,
		.dmalen = p->dmalen,
		.payload = p->payload,
		.psn = p->psn,
		.kind = TRACK_REPLY_BEGINS,
		.opcode = p->opcode,
		.flags = p->flags,
		.verb = (uint8_t)track_verb_of(p->opcode),
		.open_packets = f->packets,
		.open_bytes = f->bytes,
		.open_reads = f->reads,
	};

	if (class == TRACK_PSN_REPEAT) {
		q = d->requests ? track_requests_find(d->requests, psn) : NULL;
		r.kind = TRACK_REPLY_REPEATS;
	} else if (track_packet_opf(p) & (IBW_OPF_MIDDLE | IBW_OPF_LAST)) {
		q = before(d->requests, psn);
		if (goes_on(p, q))
			r.kind = TRACK_REPLY_GOES_ON;
	}
	if (q && r.kind != TRACK_REPLY_BEGINS)
		r.request = q->frame;
	track_reply_add(s->replies, &r);
}
