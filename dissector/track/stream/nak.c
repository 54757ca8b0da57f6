/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nak.c - checks ACKs and NAKs: what they refuse, and what they contradict. */
#include "stream.h"

/* What a sequence NAK asked for comes later than that: not because of the NAK. */
#define NAK_NS 50000000u

/* The RETH of a message is in its first packet. */
static const struct track_request *with_reth(const struct track_dir *d,
					     const struct track_request *q)
{
	const struct track_request *first = q;

	while (first && !(first->flags & TRACK_PACKET_RETH) && first > d->requests->request &&
	       ibw_opcodes[first->opcode].flags & (IBW_OPF_MIDDLE | IBW_OPF_LAST) &&
	       first[-1].psn + first[-1].n == first->psn)
		first--;
	return first && first->flags & TRACK_PACKET_RETH ? first : NULL;
}

/* R_Keys that were accepted */

void track_qp_watch_accepted(struct track_dir *d, const struct track_request *q)
{
	struct track_answers *a = track_answers(d);
	struct track_rkey *k;
	uint32_t i;

	for (i = 0; i < a->since.n_rkeys && a->rkey[i].rkey != q->rkey; i++)
		;
	if (i == a->since.n_rkeys) {
		if (a->since.n_rkeys < TRACK_RKEYS)
			a->rkey = g_renew(struct track_rkey, a->rkey, ++a->since.n_rkeys);
		else
			i = (uint32_t)(q->psn % TRACK_RKEYS);
		a->rkey[i] = (struct track_rkey){ q->rkey, 0, q->va, q->va };
	}
	k = &a->rkey[i];
	k->verbs |= 1u << track_verb_of(q->opcode);
	k->low = MIN(k->low, q->va);
	k->high = MAX(k->high, q->va + q->dmalen);
}

/*
 * Whether @psn is missing among the requests that were captured. Where none was, they may be in the file all the same: of
 * a half that is not known to be of this connection.
 */
static bool is_absent(const struct track_dir *d, uint64_t psn)
{
	const struct track_damage damage = track_damaged_in(track_watched(d), psn, psn + 1);

	return d->psns.begun && !track_psn_is_occupied(&d->psns, psn) && !damage.psns &&
	       !damage.strange;
}

/* A SEND of one packet: one that is as long was accepted. */
static bool is_of_length(const struct track_dir *d, const struct track_request *q)
{
	const struct track_request *one = d->requests->request;
	uint32_t i;

	for (i = 0; i < d->requests->n && one[i].psn < d->since.covered; i++)
		if (ibw_opcodes[q->opcode].flags & ibw_opcodes[one[i].opcode].flags &
			    IBW_OPF_ONLY &&
		    track_verb_of(one[i].opcode) == TRACK_VERB_SEND && one[i].payload >= q->payload)
			return true;
	return false;
}

static enum track_refusal why_refused(const struct track_qp *qp, const struct track_packet *p,
				      uint64_t psn, const struct track_request *q,
				      const struct track_request *reth)
{
	const struct track_dir *d = &qp->dir[!p->way];
	const struct track_answers *a = track_answered(d);
	const struct track_rkey *k;
	uint32_t i;

	if (!q)
		return is_absent(d, psn) ? TRACK_REFUSED_UNSEEN : TRACK_REFUSED_OTHERWISE;
	if (p->syndrome != IBW_AETH_NAK_REMOTE_ACCESS)
		return track_verb_of(q->opcode) == TRACK_VERB_SEND && !is_of_length(d, q)
			       ? TRACK_REFUSED_LENGTH
			       : TRACK_REFUSED_OTHERWISE;
	if (!reth ||
	    (!a->since.n_rkeys && !track_qp_cm_frame(qp))) /* what was before is not known */
		return TRACK_REFUSED_OTHERWISE;
	for (i = 0; i < a->since.n_rkeys; i++) {
		k = &a->rkey[i];
		if (k->rkey != reth->rkey)
			continue;
		if (k->verbs & 1u << track_verb_of(reth->opcode))
			return TRACK_REFUSED_RANGE;
		return reth->va >= k->low && reth->va + reth->dmalen <= k->high
			       ? TRACK_REFUSED_RIGHT
			       : TRACK_REFUSED_RANGE;
	}
	return TRACK_REFUSED_RKEY;
}

static __attribute__((noinline)) void fatal(struct track_qps *s, struct track_qp *qp,
					    const struct track_packet *p, uint64_t psn)
{
	enum track_way way = (enum track_way) !p->way;
	struct track_dir *d = &qp->dir[way];
	struct track_watch *w = track_watch(d);
	const struct track_request *q = d->requests ? track_requests_find(d->requests, psn) : NULL;
	const struct track_request *reth = with_reth(d, q);
	struct track_event *e;

	if (w->since.fatal.frame && w->since.fatal.psn == psn &&
	    p->at.time_ns - w->since.fatal.time_ns <= TRACK_COPY_NS)
		return;
	w->since.fatal = (struct track_mark){ psn, p->at.frame, p->at.time_ns };
	w->since.fatal_why = (uint8_t)why_refused(qp, p, psn, q, reth);
	e = track_qp_event(s, qp, (enum track_way)p->way, TRACK_EVENT_NAK_FATAL, &p->at);
	if (!e)
		return;
	e->number[TRACK_NAK_FATAL_psn] = p->psn;
	e->number[TRACK_NAK_FATAL_syndrome] = p->syndrome;
	e->number[TRACK_NAK_FATAL_why] = w->since.fatal_why;
	if (!q)
		return;
	e->number[TRACK_NAK_FATAL_known] = true;
	e->number[TRACK_NAK_FATAL_opcode] = q->opcode;
	e->number[TRACK_NAK_FATAL_length] = q->payload;
	track_event_cause(e, q->frame);
	if (!reth)
		return;
	e->number[TRACK_NAK_FATAL_va] = reth->va;
	e->number[TRACK_NAK_FATAL_length] = reth->dmalen;
	e->number[TRACK_NAK_FATAL_rkey] = reth->rkey;
	track_event_cause(e, reth->frame);
}

/* RNR NAKs */

static __attribute__((noinline)) void rnr(struct track_qps *s, struct track_qp *qp,
					  const struct track_packet *p, uint64_t psn)
{
	enum track_way way = (enum track_way) !p->way;
	struct track_dir *d = &qp->dir[way];
	struct track_watch *w = track_watch(d);
	struct track_request *q = d->requests ? track_requests_find(d->requests, psn) : NULL;
	struct track_event *e;

	w->since.rnr_count =
		w->since.rnr_count && w->since.rnr_psn == psn ? w->since.rnr_count + 1 : 1;
	w->since.rnr_psn = psn;
	w->since.rnr = (struct track_mark){ psn, p->at.frame, p->at.time_ns };
	w->since.rnr_ns = 1000 * ibw_rnr_usec(IBW_AETH_VALUE(p->syndrome));
	if (q)
		q->tries = 0;
	e = track_qp_event(s, qp, (enum track_way)p->way, TRACK_EVENT_RNR, &p->at);
	if (!e)
		return;
	e->number[TRACK_RNR_psn] = p->psn;
	e->number[TRACK_RNR_timer] = IBW_AETH_VALUE(p->syndrome);
	e->number[TRACK_RNR_count] = w->since.rnr_count;
	e->number[TRACK_RNR_ns] = w->since.rnr_ns;
	if (q)
		track_event_cause(e, q->last_frame);
}

/* Sequence NAKs */

void track_qp_nak_unanswered(struct track_qps *s, const struct track_qp *qp, enum track_way way,
			     uint64_t now_ns, uint64_t frame)
{
	const struct track_watch *w = track_watched(&qp->dir[way]);
	struct track_event *e;

	if (now_ns < w->since.nak.time_ns ||
	    now_ns - w->since.nak.time_ns < MAX(NAK_NS, 8 * track_answered(&qp->dir[way])->rtt_ns))
		return;
	e = track_qp_event_of(s, qp, (enum track_way) !way, TRACK_EVENT_NAK_UNANSWERED,
			      w->since.nak.frame, w->since.nak.time_ns);
	if (!e)
		return;
	e->number[TRACK_NAK_UNANSWERED_psn] = w->since.nak.psn & 0xffffff;
	e->number[TRACK_NAK_UNANSWERED_ns] = now_ns - w->since.nak.time_ns;
	if (frame)
		track_event_cause(e, frame);
}

/* What it is about, if that was captured before it. */
static void refused(struct track_event *e, const struct track_dir *d, const struct track_mark *nak)
{
	const struct track_request *q =
		d->requests ? track_requests_find(d->requests, nak->psn) : NULL;

	if (q && q->frame < nak->frame)
		track_event_cause(e, q->frame);
}

void track_qp_nak_noted(struct track_qps *s, const struct track_qp *qp, enum track_way way,
			enum track_note note)
{
	struct track_watch *w = qp->dir[way].watch;
	const struct track_filled filled = { .last_frame = w->since.nak_filled,
					     .hole = w->since.late };

	if (w->since.nak_unsure)
		track_qp_noted(s, qp, &filled, note);
	w->since.nak_unsure = false;
}

void track_qp_nak_settled(struct track_qps *s, struct track_qp *qp, enum track_way way,
			  uint64_t resent_frame, uint64_t resent_ns)
{
	struct track_watch *w = qp->dir[way].watch;
	struct track_event *e;
	bool open;

	if (!w || !w->since.nak.frame)
		return;
	track_qp_nak_noted(s, qp, way, TRACK_NOTE_RESENT);
	if (w->since.nak_late) {
		w->since.nak_late = false;
		w->since.nak.frame = 0;
		return;
	}
	if (!resent_frame && w->since.nak_filled) {
		resent_frame = w->since.nak_filled;
		resent_ns = w->since.nak_filled_ns;
		track_qp_gap_resent(s, qp, way, &w->since.late, resent_frame, resent_ns);
	}
	if (resent_frame && resent_ns > w->since.nak.time_ns)
		track_resend_took(w, resent_ns - w->since.nak.time_ns);
	open = !resent_frame && !track_qp_waited(s, qp, way, w->since.nak.time_ns);
	e = track_qp_event_of(s, qp, (enum track_way) !way, TRACK_EVENT_NAK_SEQUENCE,
			      w->since.nak.frame, w->since.nak.time_ns);
	if (e)
		refused(e, &qp->dir[way], &w->since.nak);
	w->since.nak.frame = 0;
	if (!e)
		return;
	e->number[TRACK_NAK_SEQUENCE_psn] = w->since.nak.psn & 0xffffff;
	e->number[TRACK_NAK_SEQUENCE_where] = w->since.nak_where;
	e->number[TRACK_NAK_SEQUENCE_damaged] = w->since.nak_damaged;
	e->number[TRACK_NAK_SEQUENCE_resent] = resent_frame != 0;
	e->number[TRACK_NAK_SEQUENCE_open] = open;
	e->number[TRACK_NAK_SEQUENCE_answered] = w->since.nak_answered && !resent_frame;
	if (!resent_frame)
		return;
	e->number[TRACK_NAK_SEQUENCE_ns] =
		resent_ns > w->since.nak.time_ns ? resent_ns - w->since.nak.time_ns : 0;
	track_event_cause(e, resent_frame);
}

static void say_nak(struct track_qps *s, const struct track_qp *qp, const struct track_packet *p,
		    enum track_event_kind kind)
{
	enum track_way way = (enum track_way) !p->way;
	const struct track_dir *d = &qp->dir[way];
	struct track_event *e = track_qp_event(s, qp, (enum track_way)p->way, kind, &p->at);

	_Static_assert((int)TRACK_NAK_WRONG_psn == (int)TRACK_NAK_REPEATED_psn, "the same number");
	if (!e)
		return;
	e->number[TRACK_NAK_WRONG_psn] = p->psn;
	if (kind == TRACK_EVENT_NAK_WRONG)
		e->number[TRACK_NAK_WRONG_highest] = (d->since.covered - 1) & 0xffffff;
	else
		track_event_cause(e, track_watched(d)->since.last_nak.frame);
}

/* What it answers has not come yet: it may be on its way, where packets are captured late. */
static __attribute__((noinline)) void unsent(struct track_dir *d, const struct track_packet *p,
					     uint64_t psn, bool nak)
{
	struct track_watch *w = track_watch(d);

	if (w->since.over)
		return;
	w->since.unsent = (struct track_mark){ psn, p->at.frame, p->at.time_ns };
	w->since.unsent_nak = nak;
}

static void say_kept(struct track_qps *s, const struct track_qp *qp, const struct track_packet *p,
		     struct track_watch *w)
{
	struct track_event *e;

	if (w->since.kept_said)
		return;
	w->since.kept_said = true;
	e = track_qp_event(s, qp, (enum track_way)p->way, TRACK_EVENT_PSN_KEPT, &p->at);
	if (!e)
		return;
	e->number[TRACK_PSN_KEPT_psn] = p->psn;
	e->number[TRACK_PSN_KEPT_first] = w->since.kept.psn;
	e->number[TRACK_PSN_KEPT_qpn] = w->since.kept_qpn;
	track_event_cause(e, w->since.kept.frame);
}

/* All below @psn is: what the last one asks for, if it did not come again. */
static void answered(struct track_dir *d, uint64_t psn)
{
	struct track_watch *w = d->watch;

	if (!w || !w->since.nak.frame || psn <= w->since.nak.psn || w->since.nak_filled)
		return;
	w->since.nak_where = (uint8_t)track_qp_where_answered(d);
	w->since.nak_answered = true;
}

static __attribute__((noinline)) void sequence(struct track_qps *s, struct track_qp *qp,
					       const struct track_packet *p, uint64_t psn)
{
	enum track_way way = (enum track_way) !p->way;
	struct track_dir *d = &qp->dir[way];
	struct track_watch *w = track_watch(d);
	bool same = w->since.last_nak.frame && w->since.last_nak.psn == psn;
	enum track_loss where;
	uint64_t frame;

	if (w->since.kept.frame) { /* nothing was lost */
		say_kept(s, qp, p, w);
		return;
	}
	if (w->since.rnr_count &&
	    w->since.rnr_psn <= psn) { /* what follows a refused request goes with it */
		if (w->since.rnr.psn != psn)
			w->since.rnr_ns = 0;
		w->since.rnr.psn = psn;
		return;
	}
	if (same && p->at.time_ns - w->since.last_nak.time_ns <= TRACK_COPY_NS)
		return;
	if (psn < d->since.covered && !w->since.over)
		say_nak(s, qp, p, TRACK_EVENT_NAK_WRONG);
	else if (same && !w->since.nak_resent)
		say_nak(s, qp, p, TRACK_EVENT_NAK_REPEATED);
	else if (d->psns.begun && psn > d->psns.next && !w->since.unsent.frame)
		unsent(d, p, psn, true);
	answered(d, psn);
	track_qp_nak_settled(s, qp, way, 0, 0);
	where = track_qp_where(d, psn, p->at.time_ns, &frame);
	track_cc_nak(w, &p->at);
	w->since.nak_before = w->since.last_nak;
	w->since.nak = w->since.last_nak = (struct track_mark){ psn, p->at.frame, p->at.time_ns };
	w->since.nak_resent = false;
	w->since.nak_filled = 0;
	w->since.nak_unsure = w->since.nak_late = false;
	w->since.nak_answered = false;
	w->since.nak_where = (uint8_t)where;
	w->since.nak_damaged = frame;
}

/* Any answer */

static void say_msn(struct track_qps *s, const struct track_qp *qp, const struct track_answers *a,
		    const struct track_packet *p, uint32_t most)
{
	struct track_event *e =
		track_qp_event(s, qp, (enum track_way)p->way, TRACK_EVENT_MSN_WRONG, &p->at);

	if (!e)
		return;
	e->number[TRACK_MSN_WRONG_psn] = p->psn;
	e->number[TRACK_MSN_WRONG_msn] = p->msn;
	e->number[TRACK_MSN_WRONG_before] = a->since.msn_value;
	e->number[TRACK_MSN_WRONG_most] = most;
	track_event_cause(e, a->since.msn.frame);
}

/* Whether what @p answers is the end of a message, and done. */
static bool is_completed(const struct track_request *q, const struct track_packet *p)
{
	return TRACK_OPERATION(p->opcode) == IBW_OP_RC_ACKNOWLEDGE &&
	       IBW_AETH_TYPE(p->syndrome) == IBW_AETH_TYPE_ACK &&
	       ibw_opcodes[q->opcode].flags & (IBW_OPF_LAST | IBW_OPF_ONLY);
}

/* Of which message the first MSN is that answers a request that is known. */
static __attribute__((noinline)) void msn_begin(const struct track_dir *d, struct track_answers *a,
						const struct track_packet *p, uint64_t psn)
{
	const struct track_request *q = track_requests_find(d->requests, psn);

	if (!q || d->psns.n_holes) /* what fills them may begin messages */
		return;
	a->since.msn_first = p->msn;
	a->since.msn_begun = q->message + is_completed(q, p);
}

/* Messages that begin at @low or after it, up to @psn, by their numbers; 0: those are not known. */
static uint32_t begun_from(const struct track_dir *d, uint64_t low, uint64_t psn)
{
	struct track_requests *r = d->requests;
	const struct track_request *first, *last;
	uint32_t at = r ? track_requests_from(r, low) : 0;

	last = r ? track_requests_find(r, psn) : NULL;
	if (!last || at == r->n)
		return 0;
	first = &r->request[at];
	if (first->message > last->message)
		return 0;
	return last->message - first->message +
	       !!(ibw_opcodes[first->opcode].flags & (IBW_OPF_FIRST | IBW_OPF_ONLY));
}

/*
 * The hole after which the MSN began anew: PSNs are missing since the last AETH, and @p counts no more messages than were
 * begun after them. The queue pair was set up anew, and its PSNs go on elsewhere.
 */
static const struct track_hole *began_anew(const struct track_dir *d, const struct track_answers *a,
					   const struct track_packet *p, uint64_t psn)
{
	const struct track_hole *hole;
	unsigned int i;

	for (i = d->psns.n_holes; i-- > 0;) {
		hole = &d->psns.hole[i];
		if (hole->frame > a->since.msn.frame && hole->low > a->since.msn.psn &&
		    hole->high <= psn && p->msn <= begun_from(d, hole->high, psn))
			return hole;
	}
	return NULL;
}

/* Which no CM message says: the PSNs begin anew with the packet after @hole. */
static void say_anew(struct track_qps *s, const struct track_qp *qp, const struct track_packet *p,
		     const struct track_hole *hole)
{
	struct track_event *e =
		track_qp_event_of(s, qp, (enum track_way) !p->way, TRACK_EVENT_PSN_RESTART,
				  hole->frame, hole->time_ns);

	if (!e)
		return;
	e->number[TRACK_PSN_RESTART_psn] = hole->high & 0xffffff;
	e->number[TRACK_PSN_RESTART_expected] = hole->low & 0xffffff;
}

/* The MSN counts messages: it does not fall, and does not count what was not begun. */
static void msn(struct track_qps *s, const struct track_qp *qp, struct track_dir *d,
		const struct track_packet *p, uint64_t psn)
{
	const struct track_hole *anew;
	struct track_answers *a;
	uint32_t most;

	if (!(p->flags & TRACK_PACKET_AETH) || G_UNLIKELY(track_watched(d)->since.over))
		return;
	a = track_answers(d);
	if (!a->since.msn_begun && d->requests)
		msn_begin(d, a, p, psn);
	most = (a->since.msn_first + d->since.begun + 1 - a->since.msn_begun) & 0xffffff;
	if (a->since.msn.frame && psn >= a->since.msn.psn &&
	    track_psn_from(a->since.msn_value, p->msn) < 0) {
		track_watch(d)->since.msn_fell = true;
		anew = began_anew(d, a, p, psn);
		if (!anew) {
			say_msn(s, qp, a, p, most);
			return;
		}
		say_anew(s, qp, p, anew);
		a->since.msn = (struct track_mark){ psn, p->at.frame, p->at.time_ns };
		a->since.msn_value = p->msn;
		a->since.msn_begun = 0; /* of which message the first one is, the next says */
	} else if (a->since.msn.frame && a->since.msn_begun && track_psn_from(most, p->msn) > 0 &&
		   d->psns.missing == track_watched(d)->before_missing && psn < d->psns.next) {
		say_msn(s, qp, a, p, most);
	} else {
		a->since.msn = (struct track_mark){ psn, p->at.frame, p->at.time_ns };
		a->since.msn_value = p->msn;
	}
}

static void back(struct track_qps *s, const struct track_qp *qp, struct track_dir *d,
		 const struct track_packet *p, uint64_t psn)
{
	uint64_t now = p->at.time_ns, repeat = track_watched(d)->since.repeat_ns;
	struct track_answers *a = track_answers(d);
	struct track_event *e;

	if (a->since.ack.frame && psn < a->since.ack.psn &&
	    now > a->since.ack.time_ns + a->rtt_ns && !track_watched(d)->since.over &&
	    (!repeat || now - repeat > 4 * MAX(a->rtt_ns, 250000u))) {
		e = track_qp_event(s, qp, (enum track_way)p->way, TRACK_EVENT_ACK_BACK, &p->at);
		if (e) {
			e->number[TRACK_ACK_BACK_psn] = p->psn;
			e->number[TRACK_ACK_BACK_before] = a->since.ack.psn & 0xffffff;
			track_event_cause(e, a->since.ack.frame);
		}
	}
	if (!a->since.ack.frame || psn >= a->since.ack.psn)
		a->since.ack = (struct track_mark){ psn, p->at.frame, now };
}

void track_qp_watch_ack(struct track_qps *s, struct track_qp *qp, const struct track_packet *p,
			uint64_t psn)
{
	struct track_dir *d = &qp->dir[!p->way];
	struct track_watch *w = d->watch;

	msn(s, qp, d, p, psn);
	switch (IBW_AETH_TYPE(p->syndrome)) {
	case IBW_AETH_TYPE_ACK:
		if (d->psns.begun && psn >= d->psns.next && !track_watched(d)->since.unsent.frame)
			unsent(d, p, psn, false);
		back(s, qp, d, p, psn);
		if (!w)
			break;
		if (w->since.rnr_count && psn >= w->since.rnr_psn) {
			w->since.rnr_count = 0;
			w->since.rnr.frame = 0;
		}
		if (w->n_held)
			track_qp_held_answered(s, qp, (enum track_way) !p->way, p, psn);
		if (w->since.nak.frame && psn >= w->since.nak.psn && !w->since.nak_filled) {
			answered(d, psn + 1);
			track_qp_nak_settled(s, qp, (enum track_way) !p->way, 0, 0);
		}
		break;
	case IBW_AETH_TYPE_RNR:
		rnr(s, qp, p, psn);
		break;
	case IBW_AETH_TYPE_NAK:
		if (p->syndrome == IBW_AETH_NAK_PSN_SEQUENCE) {
			track_qp_agreed_nak(qp, (enum track_way) !p->way, p, psn);
			sequence(s, qp, p, psn);
		} else {
			fatal(s, qp, p, psn);
		}
		break;
	default:
		break;
	}
}

/* READ responses */

static void length(struct track_qps *s, const struct track_qp *qp, const struct track_packet *p,
		   uint64_t psn, const struct track_request *q)
{
	uint32_t mtu = track_qp_mtu(qp), at = (uint32_t)(psn - q->psn), expected;
	struct track_event *e;

	if (qp->doubt & TRACK_DOUBT_MTU || q->touched || at >= q->n ||
	    TRACK_OPERATION(q->opcode) != IBW_OP_RC_RDMA_READ_REQUEST ||
	    (!mtu && !(track_packet_opf(p) & IBW_OPF_ONLY)))
		return;
	expected = at + 1 < q->n ? mtu : q->dmalen - at * mtu;
	if (p->payload == expected)
		return;
	e = track_qp_event(s, qp, (enum track_way)p->way, TRACK_EVENT_READ_LENGTH, &p->at);
	if (!e)
		return;
	e->number[TRACK_READ_LENGTH_psn] = p->psn;
	e->number[TRACK_READ_LENGTH_opcode] = p->opcode;
	e->number[TRACK_READ_LENGTH_payload] = p->payload;
	e->number[TRACK_READ_LENGTH_expected] = expected;
	track_event_cause(e, q->frame);
}

void track_qp_watch_response(struct track_qps *s, struct track_qp *qp, const struct track_packet *p,
			     uint64_t psn, const struct track_request *q)
{
	struct track_dir *d = &qp->dir[!p->way];

	msn(s, qp, d, p, psn);
	if (d->psns.begun && psn >= d->psns.next && !track_watched(d)->since.unsent.frame)
		unsent(d, p, psn, false);
	if (q)
		length(s, qp, p, psn, q);
	if (track_watched(d)->n_held)
		track_qp_held_answered(s, qp, (enum track_way) !p->way, p, psn);
}
