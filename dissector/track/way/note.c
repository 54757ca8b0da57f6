/* SPDX-License-Identifier: GPL-2.0-or-later */
/* note.c - makes the notes of packets: note.h. */
#include "qp_impl.h"

/* Of a connection whose headers are cut off nothing is sure. */
static bool is_wanted(const struct track_qps *s, const struct track_qp *qp)
{
	return s->replies && !(qp->doubt & TRACK_DOUBT_HEADERS);
}

void track_qp_note(const struct track_qps *s, const struct track_qp *qp, uint64_t frame,
		   enum track_note note, uint64_t other, uint64_t count)
{
	const struct track_reply r = {
		.request = other,
		.answer = frame,
		.count = (uint32_t)MIN(count, UINT32_MAX),
		.kind = TRACK_REPLY_NOTE,
		.note = (uint8_t)note,
	};

	if (is_wanted(s, qp))
		track_reply_add(s->replies, &r);
}

void track_qp_noted(const struct track_qps *s, const struct track_qp *qp,
		    const struct track_filled *f, enum track_note note)
{
	const struct track_reply r = {
		.request = note == TRACK_NOTE_LATE ? f->hole.frame : 0,
		.answer = f->last_frame,
		.kind = TRACK_REPLY_NOTED,
		.note = (uint8_t)note,
	};

	if (is_wanted(s, qp))
		track_reply_add(s->replies, &r);
}

/* The request that showed the receiver that @psn is missing: it came after that, and before the NAK. */
static uint64_t shown_by(const struct track_dir *d, uint64_t psn)
{
	const struct track_hole *hole = track_psn_hole(&d->psns, psn);
	const struct track_request *q;
	uint32_t i;

	if (hole)
		return hole->frame;
	q = d->requests ? track_requests_find(d->requests, psn) : NULL;
	if (!q)
		return 0;
	i = (uint32_t)(q - d->requests->request) + 1;
	return i < d->requests->n ? d->requests->request[i].last_frame : 0;
}

static uint64_t refused(const struct track_dir *d, uint64_t psn, bool last)
{
	const struct track_request *q = d->requests ? track_requests_find(d->requests, psn) : NULL;

	if (!q)
		return 0;
	return last ? q->last_frame : q->frame;
}

void track_qp_note_ack(const struct track_qps *s, const struct track_qp *qp,
		       const struct track_packet *p, uint64_t psn)
{
	const struct track_dir *d = &qp->dir[!p->way];
	const struct track_mark *before = &track_answered(d)->since.ack;

	switch (IBW_AETH_TYPE(p->syndrome)) {
	case IBW_AETH_TYPE_ACK:
		if (before->frame && before->psn == psn)
			track_qp_note(s, qp, p->at.frame, TRACK_NOTE_ACK_AGAIN, before->frame, 0);
		break;
	case IBW_AETH_TYPE_RNR:
		track_qp_note(s, qp, p->at.frame, TRACK_NOTE_RNR, refused(d, psn, true), 0);
		break;
	case IBW_AETH_TYPE_NAK:
		if (p->syndrome == IBW_AETH_NAK_PSN_SEQUENCE)
			track_qp_note(s, qp, p->at.frame, TRACK_NOTE_NAK_SEQUENCE, shown_by(d, psn),
				      0);
		else
			track_qp_note(s, qp, p->at.frame, TRACK_NOTE_NAK_FATAL,
				      refused(d, psn, false), 0);
		break;
	default:
		break;
	}
}
