/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nak_where.c - decides where a request that a sequence NAK asks for was lost.
 *
 * A receiver discards packets that arrive while an earlier PSN is missing: IBTA vol 1, 9.7.5.2.8. So a captured packet
 * does not by itself show where it was lost. The last copy before the NAK was lost after the capture point if no
 * earlier PSN was missing when it arrived; what else was lost after that is unknown. Otherwise it was discarded, and
 * its retransmission was lost before the capture point if the retransmissions continue beyond it without it.
 */
#include "stream.h"

/* Without a packet for so long a timer may have run out. */
#define TIMER_NS 1000000u

/* Asked for since the run began, and not just what comes next in it: what was sent by then may still come. */
static bool is_asked(const struct track_watch_since *since, const struct track_mark *nak,
		     uint64_t psn)
{
	bool goes_on = psn == since->run.next && since->resend != TRACK_RESEND_NONE;

	return nak->frame > since->run.frame && psn <= nak->psn && !goes_on;
}

/* Something makes a requester begin anew with what it sends again. */
static bool begins_anew(const struct track_dir *d, const struct track_packet *p, uint64_t psn)
{
	const struct track_watch_since *since = &track_watched(d)->since;

	return is_asked(since, &since->last_nak, psn) || is_asked(since, &since->rnr, psn) ||
	       p->at.time_ns >= d->last_ns + TIMER_NS;
}

void track_qp_run(struct track_dir *d, const struct track_packet *p, uint64_t psn, uint32_t n)
{
	struct track_watch *w = track_watch(d);
	struct track_run *run = &w->since.run;
	const bool anew = !run->frame || begins_anew(d, p, psn);

	if (!anew && psn < run->next)
		return; /* it is late */
	if (anew || (w->since.resend == TRACK_RESEND_NONE && psn != run->next))
		*run = (struct track_run){ .low = psn, .top = d->psns.next, .frame = p->at.frame };
	run->next = psn + n;
	run->last = p->at.frame;
}

/* The last run went on beyond @q without it; new ones may follow where nothing was sent beyond it before. */
static bool is_skipped(const struct track_dir *d, const struct track_request *q)
{
	const struct track_run *run = &track_watched(d)->since.run;
	struct track_requests *r = d->requests;
	const struct track_request *first;

	if (run->frame <= q->last_frame || run->low >= q->psn || run->next < q->psn)
		return false;
	first = track_requests_find(r, run->low);
	if (!first || (int16_t)(first->ip_id - q->ip_id) < 0) /* that was sent before */
		return false;
	return run->next > q->psn ||
	       (q->psn + q->n >= run->top && r->request[r->n - 1].last_frame > run->last);
}

/* @q came while the receiver missed an earlier one: that came later, or a NAK asked for it then. */
static bool is_discarded(const struct track_dir *d, const struct track_request *q,
			 const struct track_request *before)
{
	const struct track_mark *nak = &track_watched(d)->since.last_nak;

	return before->frame > q->last_frame || (nak->frame > q->last_frame && nak->psn < q->psn);
}

/* The one after it. */
static const struct track_request *next_of(const struct track_dir *d, const struct track_request *q)
{
	return q + 1 < d->requests->request + d->requests->n ? q + 1 : NULL;
}

/* A copy that the receiver had not when it sent the NAK. */
static bool is_on_its_way(const struct track_dir *d, const struct track_request *q, uint64_t now_ns)
{
	return q->copies > 1 && now_ns < q->last_ns + track_answered(d)->rtt_ns;
}

static enum track_loss where_captured(const struct track_dir *d, uint64_t psn, uint64_t now_ns,
				      uint64_t *frame)
{
	struct track_request *q = d->requests ? track_requests_find(d->requests, psn) : NULL;
	const struct track_request *before, *next;

	if (!q)
		return TRACK_LOST_UNKNOWN;
	before = track_requests_find(d->requests, q->psn - 1);
	if (before && before->last_frame > q->last_frame) {
		if (is_skipped(d, q))
			return TRACK_LOST_RESEND;
		if (is_discarded(d, q, before))
			return TRACK_LOST_DISCARDED;
		return TRACK_LOST_UNKNOWN;
	}
	next = next_of(d, q); /* what the receiver got may have overtaken it */
	if (!next || next->last_frame < q->last_frame || is_on_its_way(d, q, now_ns))
		return TRACK_LOST_UNKNOWN;
	if (!before && track_psn_hole(&d->psns, q->psn - 1))
		return TRACK_LOST_UNKNOWN;
	if (!q->ends_early)
		return TRACK_LOST_AFTER;
	*frame = q->last_frame;
	return TRACK_LOST_SHORT;
}

enum track_loss track_qp_where(const struct track_dir *d, uint64_t psn, uint64_t now_ns,
			       uint64_t *frame)
{
	const struct track_watch *w = track_watched(d);

	*frame = track_damaged_frame(w, psn);
	if (*frame)
		return TRACK_LOST_DAMAGED;
	if (!d->psns.begun || psn < d->psns.low || psn > d->psns.next || psn < d->since.covered ||
	    track_damaged_in(w, psn, psn + 1).strange)
		return TRACK_LOST_UNKNOWN;
	if (!track_psn_is_occupied(&d->psns, psn))
		return TRACK_LOST_BEFORE;
	return where_captured(d, psn, now_ns, frame);
}

enum track_loss track_qp_where_unasked(const struct track_dir *d, uint64_t psn)
{
	const struct track_mark *nak = &track_watched(d)->since.last_nak;
	const struct track_request *q = d->requests ? track_requests_find(d->requests, psn) : NULL;

	if (!q || nak->frame <= q->last_frame || nak->psn >= q->psn)
		return TRACK_LOST_UNKNOWN;
	return is_skipped(d, q) ? TRACK_LOST_RESEND : TRACK_LOST_DISCARDED;
}

/* It came after a later one, and no Identification says whether it was late or sent again. */
static bool may_be_resent(const struct track_dir *d, const struct track_request *q)
{
	const struct track_request *next = next_of(d, q);

	return next && next->frame < q->frame && (int16_t)(q->ip_id - next->ip_id) >= 0;
}

enum track_loss track_qp_where_answered(const struct track_dir *d)
{
	const struct track_watch *w = track_watched(d);
	const struct track_run *run = &w->since.run;
	uint64_t psn = w->since.nak.psn;
	const struct track_request *q = d->requests ? track_requests_find(d->requests, psn) : NULL;

	if (w->since.nak_where == TRACK_LOST_DAMAGED)
		return TRACK_LOST_DAMAGED;
	if (!q)
		return TRACK_LOST_UNKNOWN;
	/* It was sent again before the NAK, or what was sent again since has it not. */
	if (w->since.nak_resent || (run->frame >= q->frame && run->low <= psn && run->next > psn))
		return (enum track_loss)w->since.nak_where;
	return may_be_resent(d, q) ? TRACK_LOST_UNKNOWN : TRACK_LOST_NOT;
}
