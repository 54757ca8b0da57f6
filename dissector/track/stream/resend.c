/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * resend.c - decides why a request is retransmitted, and what a request with an unexpected PSN is.
 */
#include "stream.h"
#include "track/incident/incident_impl.h"
#include "track/way/ids.h"
#include "track/way/unheard.h"

/* Without a packet for so long, a requester waited for an answer: shorter timeouts are not in use. */
#define TIMEOUT_NS 1000000u

/* No network keeps a packet for longer. */
#define DOUBLED_NS 50000000u

#define RETRIES 8u

/* Two points of a capture see one packet no further apart. */
#define TWICE_NS 5000000u

/* After one packet of a wrong PSN the next ones may be as far on. */
#define PIPELINED 64u

static bool is_silent(const struct track_dir *d, uint64_t least_ns, uint64_t now_ns)
{
	uint64_t last = d->last_ns;

	return last && now_ns > last && now_ns - last >= MAX(least_ns, track_answered(d)->rtt_ns);
}

/* Of several that wait, the oldest is sent again. */
static bool is_oldest(const struct track_dir *d, uint64_t psn)
{
	const struct track_requests *r = d->requests;

	return !r || r->n_covered == r->n || psn <= r->request[r->n_covered].psn;
}

bool track_qp_is_timeout(const struct track_qp *qp, enum track_way way, uint64_t psn,
			 uint64_t now_ns)
{
	const struct track_dir *d = &qp->dir[way];

	if (track_qp_is_unheard(qp, way))
		return is_silent(d, TRACK_UNHEARD_NS, now_ns);
	return is_silent(d,
			 psn < d->since.covered || !is_oldest(d, psn) ? TRACK_TIMEOUT_ANSWERED_NS
								      : TIMEOUT_NS,
			 now_ns);
}

/* A READ: its requester asks for a missing response as soon as a later one comes, and its timer starts anew with each. */
static bool is_just_answered(const struct track_dir *d, const struct track_packet *p)
{
	return track_is_read_request(p) && d->since_rare.response_high &&
	       p->at.time_ns < track_answered(d)->since.last_ns + TRACK_TIMEOUT_ANSWERED_NS;
}

/* The rest of a READ, or all of it: IBTA vol 1, 9.4.4 lets a requester ask for what it has not. */
static bool is_read_retry(const struct track_request *q, const struct track_packet *p, uint64_t psn,
			  uint32_t mtu)
{
	uint64_t done = (psn - q->psn) * mtu;

	return track_is_read_request(p) &&
	       TRACK_OPERATION(q->opcode) == IBW_OP_RC_RDMA_READ_REQUEST && p->rkey == q->rkey &&
	       p->va - q->va == done && p->dmalen + done <= q->dmalen;
}

static bool differs(const struct track_request *q, const struct track_packet *p)
{
	return q->opcode != p->opcode || q->payload != p->payload || q->dmalen != p->dmalen;
}

static void say_in_read(struct track_qps *s, const struct track_qp *qp,
			const struct track_packet *p, const struct track_request *q)
{
	struct track_event *e =
		track_qp_event(s, qp, (enum track_way)p->way, TRACK_EVENT_IN_READ, &p->at);

	if (!e)
		return;
	e->number[TRACK_IN_READ_psn] = p->psn;
	e->number[TRACK_IN_READ_opcode] = p->opcode;
	e->number[TRACK_IN_READ_read_psn] = q->psn & 0xffffff;
	e->number[TRACK_IN_READ_read_psns] = q->n;
	e->number[TRACK_IN_READ_next_psn] = (q->psn + q->n) & 0xffffff;
	e->number[TRACK_IN_READ_dmalen] = q->dmalen;
	e->number[TRACK_IN_READ_mtu] = track_qp_mtu(qp);
	track_event_cause(e, q->frame);
}

static void say_conflict(struct track_qps *s, const struct track_qp *qp,
			 const struct track_packet *p, const struct track_request *q)
{
	struct track_event *e =
		track_qp_event(s, qp, (enum track_way)p->way, TRACK_EVENT_CONFLICT, &p->at);

	if (!e)
		return;
	e->number[TRACK_CONFLICT_psn] = p->psn;
	e->number[TRACK_CONFLICT_opcode] = p->opcode;
	e->number[TRACK_CONFLICT_payload] = p->payload;
	e->number[TRACK_CONFLICT_was_opcode] = q->opcode;
	e->number[TRACK_CONFLICT_was_payload] = q->payload;
	track_event_cause(e, q->frame);
}

/* A request other than the one that had the PSN first. */
static bool conflicts(struct track_qps *s, struct track_qp *qp, const struct track_packet *p,
		      uint64_t psn, const struct track_request *q)
{
	struct track_dir *d = &qp->dir[p->way];
	uint32_t mtu = track_qp_mtu(qp);

	if (!q || is_read_retry(q, p, psn, mtu) || (psn == q->psn && !differs(q, p)))
		return false;
	if (psn > q->psn) {
		if (!mtu || qp->doubt & TRACK_DOUBT_MTU)
			return false;
		track_qp_note(s, qp, p->at.frame, TRACK_NOTE_IN_READ, q->frame, 0);
		say_in_read(s, qp, p, q);
	} else if (psn >= d->since.covered) {
		track_qp_note(s, qp, p->at.frame, TRACK_NOTE_CONFLICT, q->frame, 0);
		say_conflict(s, qp, p, q);
	} else {
		return false;
	}
	track_watch(d)->conflicting_packets++;
	return true;
}

static bool asks(const struct track_dir *d, const struct track_mark *nak,
		 const struct track_request *q, uint64_t psn, uint64_t now_ns)
{
	return nak->frame && nak->time_ns >= q->last_ns && nak->psn <= psn &&
	       (now_ns <= nak->time_ns + TRACK_TIMEOUT_ANSWERED_NS ||
		!is_silent(d, TRACK_TIMEOUT_ANSWERED_NS, now_ns));
}

/* A sequence NAK since the last copy asked for it: soon, or before a silence. What was sent by then may be older. */
static bool is_asked(const struct track_dir *d, const struct track_request *q, uint64_t psn,
		     uint64_t now_ns)
{
	const struct track_watch *w = track_watched(d);

	return q && (asks(d, &w->since.last_nak, q, psn, now_ns) ||
		     asks(d, &w->since.nak_before, q, psn, now_ns));
}

/* With what is sent again, one after the other: some may be lost before the capture point. */
static bool goes_on(const struct track_dir *d, uint64_t psn, uint64_t now_ns)
{
	const struct track_watch_since *since = &track_watched(d)->since;

	return since->resend != TRACK_RESEND_NONE &&
	       (psn == since->resend_next ||
		(psn > since->resend_next && psn - since->resend_next < PIPELINED &&
		 !is_silent(d, 0, now_ns)));
}

static enum track_resend cause_of(const struct track_qp *qp, const struct track_packet *p,
				  uint64_t psn, const struct track_request *q)
{
	const struct track_dir *d = &qp->dir[p->way];
	const struct track_watch *w = track_watched(d);

	if (w->since.rnr.frame &&
	    (w->since.rnr.psn == psn || (psn < w->since.rnr.psn && is_silent(d, 0, p->at.time_ns))))
		return TRACK_RESEND_RNR; /* some start further back */
	if (w->since.nak.frame && w->since.nak.psn == psn)
		return TRACK_RESEND_NAK;
	if (goes_on(d, psn, p->at.time_ns))
		return (enum track_resend)w->since.resend;
	if (is_asked(d, q, psn, p->at.time_ns))
		return TRACK_RESEND_NAK;
	if (is_silent(d,
		      track_qp_is_unheard(qp, (enum track_way)p->way) ? TRACK_UNHEARD_NS
								      : TRACK_TIMEOUT_ANSWERED_NS,
		      p->at.time_ns) &&
	    !is_just_answered(d, p))
		return TRACK_RESEND_TIMEOUT;
	if (track_is_read_request(p) && q && p->at.time_ns > q->last_ns + TRACK_COPY_NS)
		return TRACK_RESEND_READ; /* a response is missing, or came after a missing one */
	if (track_qp_is_timeout(qp, (enum track_way)p->way, psn, p->at.time_ns))
		return TRACK_RESEND_TIMEOUT;
	if (track_qp_is_deaf(qp, (enum track_way)p->way) &&
	    !(q && p->at.time_ns - q->last_ns <= TRACK_COPY_NS))
		return TRACK_RESEND_UNKNOWN;
	return TRACK_RESEND_EITHER;
}

/* As far as was captured: a READ is, when each of its responses came. */
static bool is_answered(const struct track_dir *d, const struct track_packet *p,
			const struct track_request *q, uint64_t psn, uint32_t n)
{
	if (track_packet_opf(p) & IBW_OPF_PAYLOAD)
		return psn < d->since.covered;
	return q && q->answered && !(d->reads && track_reads_wait(d->reads, psn, psn + n));
}

void track_qp_timeout(struct track_qps *s, struct track_qp *qp, const struct track_packet *p,
		      const struct track_request *q, struct track_again *a)
{
	struct track_dir *d = &qp->dir[p->way];

	a->timeout = true;
	a->peer = (uint8_t)track_qp_peer(s, qp, p);
	a->silent_ns = p->at.time_ns - d->last_ns;
	a->copies = q ? q->copies + 1 : 0;
	a->last_frame = q ? q->last_frame : 0;
	track_watch(d)->timeouts++;
	track_qp_note(s, qp, p->at.frame, TRACK_NOTE_TIMEOUT, a->last_frame, 0);
	d->watch->since.waited_ns = a->silent_ns;
	track_resend_took(d->watch, a->silent_ns);
	track_qp_missing_again(s, qp, (enum track_way)p->way, p->at.time_ns);
	if (track_watched(d)->since.nak_filled) /* it came, and did not come again */
		track_qp_nak_settled(s, qp, (enum track_way)p->way, 0, 0);
}

static void early(struct track_qps *s, struct track_qp *qp, const struct track_packet *p)
{
	const struct track_dir *d = &qp->dir[p->way];
	const struct track_watch *w = track_watched(d);
	uint64_t waited =
		p->at.time_ns > w->since.rnr.time_ns ? p->at.time_ns - w->since.rnr.time_ns : 0;
	struct track_event *e;

	if (waited >= (uint64_t)w->since.rnr_ns * 9 / 10 ||
	    waited <= MAX(track_answered(d)->rtt_ns, 20000u))
		return;
	e = track_qp_event(s, qp, (enum track_way)p->way, TRACK_EVENT_RNR_EARLY, &p->at);
	if (!e)
		return;
	e->number[TRACK_RNR_EARLY_psn] = p->psn;
	e->number[TRACK_RNR_EARLY_asked] = w->since.rnr_ns;
	e->number[TRACK_RNR_EARLY_ns] = waited;
	track_event_cause(e, w->since.rnr.frame);
}

static void retries(struct track_qps *s, const struct track_qp *qp, const struct track_packet *p,
		    const struct track_request *q)
{
	struct track_event *e;

	if (q->tries != RETRIES)
		return;
	e = track_qp_event(s, qp, (enum track_way)p->way, TRACK_EVENT_RETRIES, &p->at);
	if (!e)
		return;
	e->number[TRACK_RETRIES_psn] = p->psn;
	e->number[TRACK_RETRIES_copies] = q->tries;
	e->number[TRACK_RETRIES_ns] = p->at.time_ns - q->time_ns;
	track_event_cause(e, q->frame);
}

/*
 * Of what came late and what a NAK asked for, one is the other: nothing was lost. @first: by the Identifications what came first is
 * the original, otherwise @p is taken for it.
 */
static void say_late(struct track_qps *s, struct track_qp *qp, const struct track_packet *p,
		     bool first)
{
	struct track_dir *d = &qp->dir[p->way];
	struct track_watch *w = track_watch(d);
	const struct track_mark filled = { 0, w->since.nak_filled, w->since.nak_filled_ns };
	const struct track_mark other = { 0, p->at.frame, p->at.time_ns };
	const struct track_mark *late = first ? &filled : &other;
	struct track_event *e;

	w->late_naks++;
	w->reordered_packets++;
	w->retransmitted_packets--; /* it was counted as what was sent again */
	if (first)
		track_qp_nak_noted(s, qp, (enum track_way)p->way, TRACK_NOTE_LATE);
	else
		track_qp_note(s, qp, p->at.frame, TRACK_NOTE_LATE, w->since.late.frame, 0);
	track_qp_nak_noted(s, qp, (enum track_way)p->way, TRACK_NOTE_RESENT);
	e = track_qp_event_of(s, qp, (enum track_way)p->way, TRACK_EVENT_REORDERED, late->frame,
			      late->time_ns);
	if (!e)
		return;
	e->number[TRACK_REORDERED_psn] = p->psn;
	e->number[TRACK_REORDERED_ns] =
		late->time_ns > w->since.late.time_ns ? late->time_ns - w->since.late.time_ns : 0;
	e->number[TRACK_REORDERED_nak] = w->since.nak.frame;
	track_event_cause(e, w->since.late.frame);
	track_event_cause(e, w->since.nak.frame);
	track_event_cause(e, first ? p->at.frame : w->since.nak_filled);
}

void track_qp_nak_met(struct track_qps *s, struct track_qp *qp, const struct track_packet *p,
		      uint64_t psn)
{
	const struct track_watch *w = track_watched(&qp->dir[p->way]);

	if (!w->since.nak.frame || w->since.nak.psn != psn || w->since.nak_filled)
		return;
	track_qp_nak_unanswered(s, qp, (enum track_way)p->way, p->at.time_ns, p->at.frame);
	track_qp_nak_settled(s, qp, (enum track_way)p->way, p->at.frame, p->at.time_ns);
}

/*
 * A timer or an RNR NAK sends it again, and by the Identifications what came first after the NAK was sent after what had shown the
 * gap: that was no original.
 */
static bool is_sent_again(const struct track_dir *d, const struct track_request *q,
			  const struct track_packet *p, enum track_resend cause)
{
	const struct track_watch *w = track_watched(d);
	uint16_t ahead = q && p->version == TRACK_ROCE_V2_IPV4
				 ? (uint16_t)(q->ip_id - w->since.late.ip_id)
				 : 0;

	return ahead && ahead <= TRACK_IP_IDS &&
	       (cause == TRACK_RESEND_RNR || is_silent(d, UINT64_C(2) * TIMEOUT_NS, p->at.time_ns));
}

/* By the Identifications what came first after the NAK is the original, and @p was sent again. */
static bool is_original_first(const struct track_dir *d, const struct track_request *q,
			      const struct track_packet *p)
{
	const struct track_watch_since *since = &track_watched(d)->since;

	return since->nak_unsure && q && track_sent_order(d, q->ip_id, p) == TRACK_SENT_AFTER &&
	       track_sent_order(d, since->late.ip_id, p) == TRACK_SENT_AFTER;
}

/* What a sequence NAK asked for comes again. True: that is late, and was not sent again. */
static bool answer_nak(struct track_qps *s, struct track_qp *qp, const struct track_packet *p,
		       uint64_t psn, const struct track_request *q, enum track_resend cause)
{
	struct track_watch *w = qp->dir[p->way].watch;

	bool first;

	if (!w || !w->since.nak.frame || w->since.nak.psn != psn)
		return false;
	if (w->since.nak_late) {
		track_qp_nak_settled(s, qp, (enum track_way)p->way, 0, 0);
		return false;
	}
	if (w->since.nak_filled && is_sent_again(&qp->dir[p->way], q, p, cause)) {
		track_qp_nak_settled(s, qp, (enum track_way)p->way, 0, 0);
		return false;
	}
	if (w->since.nak_filled) {
		first = is_original_first(&qp->dir[p->way], q, p);
		track_incident_original(&qp->dir[p->way], p, psn, p->payload);
		say_late(s, qp, p, first);
		w->since.nak.frame = 0;
		return !first;
	}
	track_qp_nak_met(s, qp, p, psn);
	return false;
}

/* Two points of the capture may have seen it. */
static bool may_be_twice(const struct track_request *q, const struct track_packet *p)
{
	return !q || p->at.time_ns < q->last_ns + TWICE_NS;
}

/* As what a request that repeats another one is counted. */
static void note_again(const struct track_qps *s, const struct track_qp *qp,
		       const struct track_packet *p, const struct track_request *q,
		       enum track_resend cause)
{
	uint64_t first = q ? q->frame : 0;

	if (track_is_duplicate(cause))
		track_qp_note(s, qp, p->at.frame, TRACK_NOTE_DOUBLED, first, may_be_twice(q, p));
	else
		track_qp_note(s, qp, p->at.frame, TRACK_NOTE_RESENT, first, 0);
}

static bool is_copy(const struct track_request *q, const struct track_packet *p,
		    enum track_resend cause)
{
	return track_is_duplicate(cause) && p->at.time_ns - q->last_ns <= TRACK_COPY_NS;
}

static bool is_of_timer(enum track_resend cause)
{
	return cause == TRACK_RESEND_TIMEOUT || cause == TRACK_RESEND_READ ||
	       cause == TRACK_RESEND_UNKNOWN;
}

/* The same request, or the rest of a READ. */
static bool is_same(const struct track_qp *qp, const struct track_request *q,
		    const struct track_packet *p, uint64_t psn)
{
	return (q->psn == psn && !differs(q, p)) || is_read_retry(q, p, psn, track_qp_mtu(qp));
}

/* The original, after what was sent instead of it. */
static bool is_late_original(const struct track_dir *d, const struct track_request *q,
			     const struct track_packet *p, uint64_t psn)
{
	return q && q->psn == psn && !differs(q, p) &&
	       track_sent_order(d, q->ip_id, p) == TRACK_SENT_BEFORE;
}

static void late_original(struct track_qps *s, struct track_qp *qp, const struct track_packet *p,
			  uint64_t psn, const struct track_request *q)
{
	struct track_watch *w = track_watch(&qp->dir[p->way]);
	bool asked = w->since.nak.frame && w->since.nak.psn == psn;
	struct track_event *e;

	track_qp_gap_original(&qp->dir[p->way], psn);
	w->reordered_packets++;
	track_qp_note(s, qp, p->at.frame, TRACK_NOTE_LATE, q->frame, 0);
	e = track_qp_event(s, qp, (enum track_way)p->way, TRACK_EVENT_REORDERED, &p->at);
	if (e) {
		e->number[TRACK_REORDERED_psn] = p->psn;
		e->number[TRACK_REORDERED_ns] =
			p->at.time_ns > q->time_ns ? p->at.time_ns - q->time_ns : 0;
		track_event_cause(e, q->frame);
		track_event_cause(e, q->last_frame);
		if (asked)
			e->number[TRACK_REORDERED_nak] = w->since.nak.frame;
	}
	if (!asked)
		return;
	track_qp_nak_noted(s, qp, (enum track_way)p->way, TRACK_NOTE_RESENT);
	w->since.nak.frame = 0;
}

/* A NAK asks for it, and for what comes before it, of which nothing came yet: who goes back begins there. */
static bool is_ahead_of_run(const struct track_dir *d, uint64_t psn)
{
	const struct track_watch_since *since = &track_watched(d)->since;

	return since->resend == TRACK_RESEND_NONE && since->last_nak.psn < psn;
}

/* It is the next one of what its sender repeats on its own, one after the other: no network doubles a whole run. */
static bool is_next_of_run(const struct track_dir *d, uint64_t psn, enum track_resend cause)
{
	const struct track_watch_since *since = &track_watched(d)->since;

	return (cause == TRACK_RESEND_UNASKED || cause == TRACK_RESEND_UNKNOWN ||
		cause == TRACK_RESEND_TIMEOUT) &&
	       since->resend == cause && since->resend_next == psn;
}

/*
 * The network doubled it: the sender gives each packet an Identification of its own. Not so where somebody asked for it, or
 * after a long time: there are senders that make it of the PSN.
 */
static bool is_doubled(const struct track_dir *d, const struct track_request *q,
		       const struct track_packet *p, enum track_resend cause)
{
	const struct track_requests *r = d->requests;
	const struct track_request *next = q + 1 < r->request + r->n ? q + 1 : NULL;
	const struct track_request *before = q > r->request ? q - 1 : NULL;

	if (p->version != TRACK_ROCE_V2_IPV4 || p->ip_id != q->ip_id || track_ids_are_kept(d) ||
	    is_next_of_run(d, q->psn, cause) ||
	    (cause == TRACK_RESEND_NAK && !is_ahead_of_run(d, q->psn)) ||
	    cause == TRACK_RESEND_RNR || p->at.time_ns > q->last_ns + DOUBLED_NS)
		return false;
	return (next && next->ip_id != q->ip_id) || (before && before->ip_id != q->ip_id);
}

/* So soon that two points may have captured one packet; with the time of the other a clock is coarse. */
static bool is_at_two_points(const struct track_request *q, const struct track_packet *p)
{
	return p->at.time_ns > q->last_ns && p->at.time_ns <= q->last_ns + TRACK_COPY_NS;
}

/* After the last copy, by its Identification; where that tells nothing, what comes a round trip later or more is. */
static bool is_sent_later(const struct track_dir *d, const struct track_request *q,
			  const struct track_packet *p)
{
	const uint64_t rtt_ns = track_answered(d)->rtt_ns;
	const enum track_order order = track_sent_order(d, q->ip_id, p);

	return order == TRACK_SENT_AFTER ||
	       (order == TRACK_SENT_UNKNOWN && rtt_ns && p->at.time_ns >= q->last_ns + rtt_ns);
}

/* Nobody asked for it: a sender that counts its packets gives what it sends again another Identification. */
static enum track_resend who_did(const struct track_dir *d, const struct track_request *q,
				 const struct track_packet *p, uint64_t psn,
				 enum track_resend cause)
{
	if (!q || q->psn != psn || differs(q, p))
		return cause;
	if (is_doubled(d, q, p, cause))
		return TRACK_RESEND_DUPLICATE;
	return cause == TRACK_RESEND_EITHER && !is_at_two_points(q, p) && is_sent_later(d, q, p)
		       ? TRACK_RESEND_UNASKED
		       : cause;
}

/* Sooner than what came into the hole: who goes back waits for that, and sends what comes after it at once. */
static bool is_soon(const struct track_dir *d, uint64_t now_ns)
{
	const struct track_watch_since *since = &track_watched(d)->since;

	return now_ns + since->unsure.hole.time_ns <= d->last_ns + since->unsure.first.time_ns;
}

/*
 * Whether what repeats what comes after a hole shows that what came into it was sent again: then it goes on with that, whatever
 * Identification it has. Its cause.
 */
static enum track_resend settle_unsure(struct track_qps *s, struct track_qp *qp,
				       const struct track_packet *p, uint64_t psn,
				       enum track_resend cause)
{
	const struct track_watch_since *since = &track_watched(&qp->dir[p->way])->since;

	if (!since->unsure.first.frame)
		return cause;
	if ((cause == TRACK_RESEND_UNKNOWN || cause == TRACK_RESEND_EITHER) &&
	    psn >= since->unsure.next && psn - since->unsure.next < PIPELINED &&
	    is_soon(&qp->dir[p->way], p->at.time_ns)) {
		track_qp_gap_repeated(s, qp, (enum track_way)p->way);
		return (enum track_resend)since->resend;
	}
	track_qp_gap_late(s, qp, (enum track_way)p->way);
	return cause;
}

/* Which Identification it has, if somebody asked for it: track/way/ids.h. */
static void note_id(struct track_watch *w, const struct track_request *q,
		    const struct track_packet *p, uint64_t psn)
{
	if (!q || q->psn != psn || differs(q, p))
		return;
	if (track_packet_order(q->ip_id, p) == TRACK_SENT_AFTER)
		w->renumbers = true;
	else if (q->ip_id == p->ip_id && !is_at_two_points(q, p))
		w->ids_kept++;
}

void track_qp_resent(struct track_watch *w, enum track_resend cause, uint64_t next,
		     const struct track_packet *p)
{
	w->since.resend = (uint8_t)cause;
	w->since.resend_next = next;
	w->since.nak_resent = true;
	w->since.resend_known = p != NULL;
	w->since.resend_ip_id = p ? p->ip_id : 0;
}

/* Sent again before the last one that was, and captured after it. */
static bool is_overtaken(const struct track_dir *d, const struct track_request *q,
			 const struct track_packet *p)
{
	const struct track_watch_since *since = &track_watched(d)->since;

	return q && since->resend != TRACK_RESEND_NONE && since->resend_known &&
	       track_sent_order(d, q->ip_id, p) == TRACK_SENT_AFTER &&
	       track_sent_order(d, since->resend_ip_id, p) == TRACK_SENT_BEFORE;
}

static __attribute__((noinline)) void again(struct track_qps *s, struct track_qp *qp,
					    const struct track_packet *p, uint64_t psn, uint32_t n)
{
	struct track_dir *d = &qp->dir[p->way];
	struct track_request *q = d->requests ? track_requests_find(d->requests, psn) : NULL;
	struct track_again a = { .at = p->at, .psn = psn, .n = n, .opcode = p->opcode };
	struct track_watch *w;
	enum track_resend cause;
	bool begins, overtaken;

	if (conflicts(s, qp, p, psn, q))
		return;
	if (is_late_original(d, q, p, psn)) {
		track_incident_again(s, qp, p, psn, n, TRACK_CAME_LATE);
		late_original(s, qp, p, psn, q);
		return;
	}
	overtaken = is_overtaken(d, q, p);
	if (overtaken)
		cause = (enum track_resend)track_watched(d)->since.resend;
	else
		cause = cause_of(qp, p, psn, q);
	cause = settle_unsure(s, qp, p, psn, cause);
	if (!overtaken)
		cause = who_did(d, q, p, psn, cause);
	w = track_watch(d);
	if (!track_is_duplicate(cause))
		note_id(w, q, p, psn);
	begins = !overtaken && (w->since.resend != cause || !goes_on(d, psn, p->at.time_ns));
	if (w->since.n_unread && !track_is_duplicate(cause))
		track_qp_unread_again(s, qp, p, psn);
	w->since.repeat_ns = p->at.time_ns;
	w->since.again_where = (uint8_t)track_qp_where_unasked(d, psn);
	track_incident_again(s, qp, p, psn, n,
			     track_is_duplicate(cause) ? TRACK_CAME_DOUBLED : TRACK_CAME_RESENT);
	if (track_is_duplicate(cause)) {
		track_watch(d)->duplicated_packets++;
		w->twice_packets += may_be_twice(q, p);
	} else {
		track_watch(d)->retransmitted_packets++;
		track_qp_run(d, p, psn, n);
		if (!overtaken)
			track_qp_resent(w, cause, psn + n, p);
	}
	a.cause = (uint8_t)cause;
	a.answered = is_answered(d, p, q, psn, n);
	if (is_of_timer(cause))
		a.why = track_qp_why(qp, p, q, psn, n, a.answered);
	if (cause == TRACK_RESEND_RNR) {
		early(s, qp, p);
	} else if (cause == TRACK_RESEND_TIMEOUT && begins) {
		track_qp_timeout(s, qp, p, q, &a);
	}
	if (!answer_nak(s, qp, p, psn, q, cause))
		note_again(s, qp, p, q, cause);
	a.told = !q || (is_same(qp, q, p, psn) && !is_copy(q, p, cause));
	if (q) {
		a.first_frame = q->frame;
		a.copy_ns = p->at.time_ns > q->last_ns ? p->at.time_ns - q->last_ns : 0;
	}
	track_qp_say_again(s, qp, (enum track_way)p->way, &a);
	if (q && !track_is_duplicate(cause)) {
		q->tries = cause == TRACK_RESEND_RNR ? 1 : q->tries + 1;
		retries(s, qp, p, q);
	}
}

static __attribute__((noinline)) void say_restart(struct track_qps *s, struct track_qp *qp,
						  const struct track_packet *p, uint64_t psn)
{
	struct track_dir *d = &qp->dir[p->way];
	const struct track_watch *w = track_watched(d);
	bool goes_back = (w->before_next && psn - w->before_next < PIPELINED) ||
			 (w->since.last_nak.frame && w->since.last_nak.psn == psn);
	bool anew = p->anew || w->since.closed; /* another connection */
	unsigned int i;
	struct track_event *e;

	track_qp_nak_settled(s, qp, (enum track_way)p->way, 0, 0);
	track_qp_gap_settle(s, qp, (enum track_way)p->way);
	for (i = 0; i < d->psns.n_holes; i++)
		track_qp_gap_open(s, qp, (enum track_way)p->way, &d->psns.hole[i]);
	track_qp_held_settle(s, qp, (enum track_way)p->way);
	track_qp_missing_settle(s, qp, (enum track_way)p->way);
	track_qp_gave_up(s, qp, (enum track_way)p->way, p->at.time_ns);
	track_qp_reads_open(s, qp, (enum track_way)p->way);
	track_qp_agreed_finish(s, qp, (enum track_way)p->way);
	track_incident_end(s, qp, (enum track_way)p->way);
	if (anew ||
	    goes_back) /* to where it was: that PSN was an error of one packet, or asked for */
		return;
	e = track_qp_event(s, qp, (enum track_way)p->way, TRACK_EVENT_PSN_RESTART, &p->at);
	if (!e)
		return;
	e->number[TRACK_PSN_RESTART_psn] = p->psn;
	e->number[TRACK_PSN_RESTART_expected] = qp->dir[p->way].psns.next & 0xffffff;
}

/* What is known of the PSNs before says nothing of those that come. */
static __attribute__((noinline)) void start_over(struct track_dir *d)
{
	struct track_watch *w = track_watch(d);

	w->psn_restarts++;
	w->before_next = d->psns.next;
	w->before_missing = d->psns.missing;
	w->before_requested += d->psns.next - d->psns.first;
	track_damaged_end(d);
	if (d->requests)
		track_requests_restart(d->requests);
	if (d->reads)
		track_reads_restart(d->reads, d->since_rare.response_high);
	d->since = (struct track_since){ 0 };
	d->since_rare = (struct track_since_rare){ 0 };
	w->since = (struct track_watch_since){ 0 };
	track_psns_clear(&w->unasked);
	if (d->answers)
		d->answers->since = (struct track_answers_since){ 0 };
}

static __attribute__((noinline)) void after_fatal(struct track_qps *s, struct track_qp *qp,
						  const struct track_packet *p)
{
	const struct track_dir *d = &qp->dir[p->way];
	const struct track_watch *w = track_watched(d);
	struct track_event *e;

	if (p->at.time_ns < w->since.fatal.time_ns ||
	    p->at.time_ns - w->since.fatal.time_ns <=
		    MAX(TIMEOUT_NS, 4 * track_answered(d)->rtt_ns))
		return;
	e = track_qp_event(s, qp, (enum track_way)p->way, TRACK_EVENT_AFTER_FATAL, &p->at);
	if (!e)
		return;
	e->number[TRACK_AFTER_FATAL_psn] = p->psn;
	e->number[TRACK_AFTER_FATAL_ns] = p->at.time_ns - w->since.fatal.time_ns;
	track_event_cause(e, w->since.fatal.frame);
}

static __attribute__((noinline)) void say_wrap(struct track_qps *s, const struct track_qp *qp,
					       const struct track_packet *p)
{
	struct track_event *e =
		track_qp_event(s, qp, (enum track_way)p->way, TRACK_EVENT_PSN_WRAP, &p->at);

	if (e)
		e->number[TRACK_PSN_WRAP_psn] = p->psn;
}

/*
 * Something new comes: what comes again after it does so for a reason of its own. It may be what a sequence NAK asked for,
 * if the capture has neither the first copy of that nor what came after it.
 */
static void not_again(struct track_qps *s, struct track_qp *qp, const struct track_packet *p,
		      uint64_t psn)
{
	struct track_dir *d = &qp->dir[p->way];

	if (!d->watch)
		return;
	track_qp_nak_met(s, qp, p, psn);
	d->watch->since.resend = TRACK_RESEND_NONE;
}

static bool begins_message(const struct track_packet *p)
{
	return track_packet_opf(p) & (IBW_OPF_FIRST | IBW_OPF_ONLY);
}

/* What came into a hole is not what a requester went back to: no such requester goes on with this. */
static bool is_after_unsure(const struct track_dir *d, uint64_t psn, enum track_psn_class class)
{
	const struct track_watch_since *since = &track_watched(d)->since;

	return since->unsure.first.frame && class != TRACK_PSN_REPEAT &&
	       (class != TRACK_PSN_FILL || psn != since->unsure.next);
}

void track_qp_watch_request(struct track_qps *s, struct track_qp *qp, const struct track_packet *p,
			    uint64_t psn, uint32_t n, enum track_psn_class class)
{
	struct track_dir *d = &qp->dir[p->way];

	if (d->watch && d->watch->n_damaged)
		track_damaged_came(d, psn, n);
	if (is_after_unsure(d, psn, class))
		track_qp_gap_late(s, qp, (enum track_way)p->way);
	switch (class) {
	case TRACK_PSN_REPEAT:
		again(s, qp, p, psn, n);
		return;
	case TRACK_PSN_FILL:
		track_qp_gap_filled(s, qp, p, psn, n);
		break;
	case TRACK_PSN_RESTART:
		say_restart(s, qp, p, psn);
		start_over(d);
		break;
	case TRACK_PSN_START:
		break;
	case TRACK_PSN_AHEAD:
		not_again(s, qp, p, psn);
		if (d->psns.n_holes == TRACK_HOLES_MAX)
			track_qp_gap_open(s, qp, (enum track_way)p->way, &d->psns.hole[0]);
		break;
	case TRACK_PSN_NEXT:
		not_again(s, qp, p, psn);
		break;
	}
	if (class != TRACK_PSN_START && class != TRACK_PSN_RESTART &&
	    (d->psns.next - 1) >> 24 < (psn + n - 1) >> 24)
		say_wrap(s, qp, p);
	if (track_watched(d)->since.fatal.frame)
		after_fatal(s, qp, p);
	d->since.begun += begins_message(p);
	track_qp_watch_message(s, qp, p, psn, class);
}
