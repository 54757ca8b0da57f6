/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gap.c - decides what became of missing requests: late, retransmitted, lost, or just not captured.
 *
 * A gap is reported once that is known: when a packet falls into it, when an answer shows that the
 * other end received all of it, or when nothing more can arrive.
 */
#include "stream.h"
#include "track/incident/incident_impl.h"
#include "track/way/ids.h"

/* Some are there, with a wrong ICRC. */
static void say_damage(struct track_event *e, const struct track_damage *in, uint64_t count)
{
	if (!in->frame)
		return;
	e->number[TRACK_PSN_GAP_came] = in->psns == count ? TRACK_CAME_DAMAGED : TRACK_CAME_IN_PART;
	e->number[TRACK_PSN_GAP_damaged] = in->psns;
	e->number[TRACK_PSN_GAP_damaged_psn] = in->psn & 0xffffff;
	e->number[TRACK_PSN_GAP_damaged_frame] = in->frame;
}

static void say_gap(struct track_qps *s, const struct track_qp *qp, enum track_way way,
		    const struct track_hole *hole, uint64_t frame, uint64_t time_ns)
{
	const struct track_damage in =
		track_damaged_in(track_watched(&qp->dir[way]), hole->low, hole->high);
	uint64_t count = hole->high - hole->low;
	struct track_event *e;

	count -= MIN(count, in.strange);
	if (count <= in.psns && in.strange) /* none of them is known to be missing */
		count = in.psns;
	if (!count)
		return;
	if (qp->service == IBW_SERVICE_UC)
		track_incident_uc_gap(s, qp, way, hole);
	e = track_qp_event_of(s, qp, way, TRACK_EVENT_PSN_GAP, hole->frame, hole->time_ns);
	if (!e)
		return;
	e->number[TRACK_PSN_GAP_psn] = hole->low & 0xffffff;
	e->number[TRACK_PSN_GAP_count] = count;
	say_damage(e, &in, count);
	if (!frame) {
		if (!track_qp_waited(s, qp, way, hole->time_ns))
			e->number[TRACK_PSN_GAP_end] = TRACK_GAP_UNKNOWN;
		else if (in.last_frame > hole->frame)
			e->number[TRACK_PSN_GAP_end] = TRACK_GAP_DAMAGED;
		return;
	}
	e->number[TRACK_PSN_GAP_end] = TRACK_GAP_RESENT;
	e->number[TRACK_PSN_GAP_ns] = time_ns > hole->time_ns ? time_ns - hole->time_ns : 0;
	track_event_cause(e, frame);
}

void track_qp_gap_resent(struct track_qps *s, struct track_qp *qp, enum track_way way,
			 const struct track_hole *hole, uint64_t frame, uint64_t time_ns)
{
	if (time_ns > hole->time_ns)
		track_resend_took(track_watch(&qp->dir[way]), time_ns - hole->time_ns);
	if (!track_hole_is_answered(hole))
		say_gap(s, qp, way, hole, frame, time_ns);
}

/* How late it is. */
static uint64_t note_late(struct track_dir *d, const struct track_packet *p, uint64_t psn,
			  const struct track_hole *hole)
{
	uint64_t ns = p->at.time_ns > hole->time_ns ? p->at.time_ns - hole->time_ns : 0;
	struct track_watch *w = track_watch(d);

	w->late_ns = MAX(w->late_ns, ns);
	w->late_psns = MAX(w->late_psns, d->psns.next - psn);
	return ns;
}

static void say_late(struct track_qps *s, struct track_qp *qp, const struct track_packet *p,
		     uint64_t psn, const struct track_hole *hole, uint64_t nak)
{
	uint64_t ns = note_late(&qp->dir[p->way], p, psn, hole);
	struct track_event *e;

	track_watch(&qp->dir[p->way])->reordered_packets++;
	track_qp_note(s, qp, p->at.frame, TRACK_NOTE_LATE, hole->frame, 0);
	e = track_qp_event(s, qp, (enum track_way)p->way, TRACK_EVENT_REORDERED, &p->at);
	if (!e)
		return;
	e->number[TRACK_REORDERED_psn] = p->psn;
	e->number[TRACK_REORDERED_ns] = ns;
	e->number[TRACK_REORDERED_nak] = nak;
	track_event_cause(e, hole->frame);
	if (nak)
		track_event_cause(e, nak);
}

/*
 * Somebody asked for it since it is missing, or what is sent again has come to it: there are senders that make the
 * Identification of the PSN.
 */
static bool is_awaited(const struct track_watch_since *since, uint64_t psn,
		       const struct track_hole *hole)
{
	return since->last_nak.time_ns >= hole->time_ns &&
	       (since->last_nak.psn == psn ||
		(since->resend != TRACK_RESEND_NONE && since->resend_next == psn));
}

/*
 * By the Identifications @p was sent between the packet before @hole and the one that showed it: if its sender gives what it sends again
 * another one, a NAK asked for what was only late.
 */
static bool is_original(const struct track_dir *d, const struct track_packet *p,
			const struct track_hole *hole)
{
	const struct track_request *before =
		d->requests ? track_requests_find(d->requests, hole->low - 1) : NULL;

	return before && track_sent_order(d, before->ip_id, p) == TRACK_SENT_AFTER &&
	       track_sent_order(d, hole->ip_id, p) == TRACK_SENT_BEFORE;
}

/* What the NAK asks for was only late; its retransmission may come, too. */
static void note_nak_late(struct track_watch *w, const struct track_packet *p)
{
	w->late_naks++;
	w->since.nak_filled = p->at.frame;
	w->since.nak_filled_ns = p->at.time_ns;
	w->since.nak_late = true;
}

/* Its Identification is as far from that of the request with the highest PSN as its PSN is: it may be made of that. */
static bool may_be_of_psn(const struct track_dir *d, const struct track_packet *p, uint64_t psn)
{
	const struct track_request *last = d->requests ? track_requests_last(d->requests) : NULL;

	return !track_watched(d)->renumbers && last &&
	       (uint16_t)(last->ip_id - p->ip_id) == (uint16_t)(last->psn - psn);
}

/*
 * Nobody who is heard asked for it. Sooner than half a round trip after what showed the hole it is late: its sender could not know. A round trip
 * after that it was sent again, if it was sent after that: the NAK was not captured. Else what comes next says it: EITHER.
 */
static enum track_resend why_unasked(const struct track_dir *d, const struct track_packet *p,
				     uint64_t psn, const struct track_hole *hole)
{
	const uint64_t rtt_ns = track_answered(d)->rtt_ns;
	const uint64_t ns = p->at.time_ns > hole->time_ns ? p->at.time_ns - hole->time_ns : 0;

	if (rtt_ns && ns < rtt_ns / 2)
		return TRACK_RESEND_NONE;
	switch (track_sent_order(d, hole->ip_id, p)) {
	case TRACK_SENT_BEFORE:
		return may_be_of_psn(d, p, psn) ? TRACK_RESEND_EITHER : TRACK_RESEND_NONE;
	case TRACK_SENT_AFTER:
		return rtt_ns && ns >= rtt_ns ? TRACK_RESEND_UNASKED : TRACK_RESEND_EITHER;
	default:
		return TRACK_RESEND_EITHER;
	}
}

/* Why something comes into a hole; NONE: it was only late; EITHER: what comes next says it. */
static enum track_resend why(const struct track_qp *qp, const struct track_packet *p, uint64_t psn,
			     const struct track_hole *hole)
{
	const struct track_dir *d = &qp->dir[p->way];
	const struct track_watch *w = track_watched(d);

	/* Nobody asked for it: it was sent before what overtook it, or was answered already. */
	if (track_sent_order(d, hole->ip_id, p) == TRACK_SENT_BEFORE &&
	    !is_awaited(&w->since, psn, hole))
		return why_unasked(d, p, psn, hole);
	if (psn < hole->answered && w->since.last_nak.time_ns < hole->time_ns)
		return TRACK_RESEND_NONE;
	if (w->since.rnr.frame && w->since.rnr.psn == psn)
		return TRACK_RESEND_RNR;
	if (w->since.resend != TRACK_RESEND_NONE && w->since.resend_next == psn)
		return (enum track_resend)w->since.resend;
	if (w->since.last_nak.frame && w->since.last_nak.time_ns >= hole->time_ns)
		return TRACK_RESEND_NAK;
	if (track_qp_is_timeout(qp, (enum track_way)p->way, psn, p->at.time_ns))
		return TRACK_RESEND_TIMEOUT;
	if (track_qp_is_deaf(qp, (enum track_way)p->way))
		return TRACK_RESEND_EITHER;
	return why_unasked(d, p, psn, hole);
}

/*
 * Without the NAK all that tells what is sent again from what is late is that a requester goes back to it, and repeats what
 * it sent after it, too: IBTA vol 1, 9.7.5.1.
 */
static void unsure(struct track_qps *s, struct track_qp *qp, const struct track_packet *p,
		   uint64_t psn, uint32_t n, const struct track_hole *hole)
{
	struct track_dir *d = &qp->dir[p->way];
	struct track_filled *f = &track_watch(d)->since.unsure;

	note_late(d, p, psn, hole);
	track_qp_note(s, qp, p->at.frame, TRACK_NOTE_UNSURE, f->first.frame ? f->last_frame : 0, 0);
	if (!f->first.frame)
		*f = (struct track_filled){ .first = { psn, p->at.frame, p->at.time_ns },
					    .hole = *hole };
	f->next = psn + n;
	f->last_frame = p->at.frame;
	f->packets++;
	f->bytes += p->payload;
}

void track_qp_gap_late(struct track_qps *s, struct track_qp *qp, enum track_way way)
{
	struct track_watch *w = track_watch(&qp->dir[way]);

	track_qp_noted(s, qp, &w->since.unsure, TRACK_NOTE_LATE);
	w->reordered_packets += w->since.unsure.packets;
	w->late_unsure = true;
	w->since.unsure.first.frame = 0;
}

void track_qp_gap_repeated(struct track_qps *s, struct track_qp *qp, enum track_way way)
{
	struct track_watch *w = track_watch(&qp->dir[way]);

	track_qp_gap_settle(s, qp, way);
	track_qp_noted(s, qp, &w->since.unsure, TRACK_NOTE_RESENT);
	w->retransmitted_packets += w->since.unsure.packets;
	track_qp_resent(w, track_qp_is_deaf(qp, way) ? TRACK_RESEND_UNKNOWN : TRACK_RESEND_UNASKED,
			w->since.unsure.next, NULL);
	track_incident_repeated(&qp->dir[way], &w->since.unsure);
	w->since.resent = w->since.unsure;
	w->since.unsure.first.frame = 0;
}

void track_qp_gap_original(struct track_dir *d, uint64_t psn)
{
	struct track_filled *f = &track_watch(d)->since.resent;

	if (psn >= f->first.psn && psn < f->next)
		f->first.frame = 0;
}

void track_qp_gap_settle(struct track_qps *s, struct track_qp *qp, enum track_way way)
{
	struct track_watch *w = track_watch(&qp->dir[way]);
	const struct track_filled f = w->since.resent;

	w->since.resent.first.frame = 0;
	if (f.first.frame && f.first.psn == f.hole.low && f.hole.frame != w->since.before_frame)
		track_qp_gap_resent(s, qp, way, &f.hole, f.first.frame, f.first.time_ns);
}

static void say_timeout(struct track_qps *s, struct track_qp *qp, const struct track_packet *p,
			uint64_t psn)
{
	struct track_again a = { .at = p->at, .psn = psn, .cause = TRACK_RESEND_TIMEOUT };

	track_qp_timeout(s, qp, p, NULL, &a);
	track_qp_say_again(s, qp, (enum track_way)p->way, &a);
}

/* What was answered is in the capture all the same: its answer came by another path. */
static void not_lost(struct track_qp *qp, struct track_dir *d, uint32_t n)
{
	struct track_watch *w = track_watch(d);

	w->lost -= MIN(w->lost, n);
	if (!track_watched(&qp->dir[TRACK_A_TO_B])->lost &&
	    !track_watched(&qp->dir[TRACK_B_TO_A])->lost)
		qp->doubt &= (uint16_t)~TRACK_DOUBT_LOSS;
}

/* It was sent before the first one captured, which overtook it, and nobody asked for it: @hole is what that shows. */
static bool is_before_first(const struct track_dir *d, const struct track_packet *p, uint64_t psn,
			    struct track_hole *hole)
{
	const struct track_requests *r = d->requests;
	uint32_t i = r ? track_requests_from(r, psn) : 0;

	if (!r || i == r->n)
		return false;
	*hole = (struct track_hole){ .low = psn,
				     .high = r->request[i].psn,
				     .frame = r->request[i].frame,
				     .time_ns = r->request[i].time_ns,
				     .ip_id = r->request[i].ip_id };
	return track_sent_order(d, hole->ip_id, p) == TRACK_SENT_BEFORE &&
	       !is_awaited(&track_watched(d)->since, psn, hole);
}

void track_qp_gap_filled(struct track_qps *s, struct track_qp *qp, const struct track_packet *p,
			 uint64_t psn, uint32_t n)
{
	struct track_dir *d = &qp->dir[p->way];
	const struct track_hole *hole = track_psn_hole(&d->psns, psn);
	struct track_hole before;
	struct track_watch *w;
	enum track_resend cause;
	bool asked, original;

	if (!hole && is_before_first(d, p, psn, &before)) {
		track_incident_again(s, qp, p, psn, n, TRACK_CAME_LATE);
		say_late(s, qp, p, psn, &before, 0);
		return;
	}
	if (!hole) { /* before the first one captured: nobody knows when it was sent first */
		w = track_watch(d);
		w->retransmitted_packets++;
		track_qp_note(s, qp, p->at.frame, TRACK_NOTE_RESENT, 0, 0);
		track_incident_again(s, qp, p, psn, n, TRACK_CAME_RESENT);
		track_qp_run(d, p, psn, n);
		w->since.before_frame = p->at.frame;
		if (w->since.last_nak.frame && w->since.last_nak.psn == psn) {
			w->since.resend = TRACK_RESEND_NAK;
			w->since.resend_next = psn + n;
		}
		track_qp_nak_met(s, qp, p, psn);
		return;
	}
	cause = why(qp, p, psn, hole);
	if (psn < hole->answered)
		not_lost(qp, d, n);
	if (cause == TRACK_RESEND_EITHER) {
		unsure(s, qp, p, psn, n, hole);
		return;
	}
	if (track_watched(d)->since.unsure.first.frame)
		track_qp_gap_late(s, qp, (enum track_way)p->way);
	if (cause == TRACK_RESEND_NONE) {
		if (psn >= hole->answered) /* else it was only captured late */
			track_incident_again(s, qp, p, psn, n, TRACK_CAME_LATE);
		say_late(s, qp, p, psn, hole, 0);
		return;
	}
	w = track_watch(d);
	asked = w->since.nak.frame && w->since.nak.psn == psn && cause == TRACK_RESEND_NAK;
	original = cause == TRACK_RESEND_NAK && is_original(d, p, hole);
	if (original && w->renumbers) {
		track_incident_again(s, qp, p, psn, n, TRACK_CAME_LATE);
		say_late(s, qp, p, psn, hole, asked ? w->since.nak.frame : 0);
		if (asked)
			note_nak_late(w, p);
		return;
	}
	w->retransmitted_packets++;
	original &= asked;
	track_qp_note(s, qp, p->at.frame, original ? TRACK_NOTE_UNSURE : TRACK_NOTE_RESENT, 0, 0);
	if (cause == TRACK_RESEND_TIMEOUT &&
	    (w->since.resend != cause || w->since.resend_next != psn))
		say_timeout(s, qp, p, psn);
	track_incident_again(s, qp, p, psn, n, TRACK_CAME_RESENT);
	track_qp_run(d, p, psn, n);
	track_qp_resent(w, cause, psn + n, p);
	if (asked) {
		track_qp_nak_unanswered(s, qp, (enum track_way)p->way, p->at.time_ns, p->at.frame);
		w->since.nak_filled = p->at.frame; /* by the original, if it comes once more */
		w->since.nak_filled_ns = p->at.time_ns;
		w->since.nak_unsure = original;
		w->since.late = *hole;
		return;
	}
	if (psn == hole->low && hole->frame != w->since.before_frame)
		track_qp_gap_resent(s, qp, (enum track_way)p->way, hole, p->at.frame,
				    p->at.time_ns);
	track_qp_nak_met(s, qp, p, psn); /* in a run that began with something else */
}

/* Missing, answered, and nobody asked for it: it was sent, received, and not captured. */
void track_qp_gap_answered(struct track_qp *qp, enum track_way way)
{
	struct track_dir *d = &qp->dir[way];
	struct track_hole *hole;
	struct track_watch *w;
	uint64_t from, to, n;
	unsigned int i;

	for (i = 0; i < d->psns.n_holes; i++) {
		hole = &d->psns.hole[i];
		if (hole->low >= d->since.covered)
			break;
		from = MAX(hole->low, hole->answered);
		to = MIN(hole->high, d->since.covered);
		if (hole->low < d->psns.first || from >= to)
			continue;
		hole->answered = to;
		/* It may be a READ that took more PSNs, or a packet with bit errors. */
		if (qp->doubt & TRACK_DOUBT_MTU || track_watched(d)->icrc_bad ||
		    track_watched(d)->since.msn_fell)
			continue;
		n = to - from;
		n -= MIN(n, track_damaged_in(track_watched(d), from, to).strange);
		if (!n)
			continue;
		w = track_watch(d);
		if (!w->loss.frame)
			w->loss = (struct track_mark){ hole->low,
						       track_answered(d)->since.cover.frame,
						       track_answered(d)->since.cover.time_ns };
		w->lost += n;
		qp->doubt |= TRACK_DOUBT_LOSS;
	}
}

void track_qp_gap_open(struct track_qps *s, struct track_qp *qp, enum track_way way,
		       const struct track_hole *hole)
{
	if (!track_hole_is_answered(hole) && hole->low >= qp->dir[way].psns.first)
		say_gap(s, qp, way, hole, 0, 0);
}
