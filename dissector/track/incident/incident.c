/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * incident.c - when an incident opens, what joins it, and when it ends.
 *
 * What a packet answers comes first, then what it reports: a NAK answers all below its PSN, so it may end one incident and
 * open the next. A hole in the requests, or in the responses to a READ, is an incident once an end reacts to it; a hole
 * that is answered without a reaction is a loss of the capture.
 */
#include "incident_impl.h"
#include "track/way/unheard.h"

/* A late original is waited for after the end: so long, or twice the slowest answer. */
#define RELEASE_NS 10000000u

/* Live, resends that go with it are waited for as long as findings wait. */
#define RELEASE_LIVE_NS 1000000000u

/* A timer is no shorter. */
#define TIMER_NS 1000000u

/* Responses that are missing, and nobody asked for them again for so long: they are only not captured. */
#define UNASKED_NS 1000000000u

/* The incident of a way, while it is open and as long as something may be added to it. */
struct track_trouble {
	struct track_incident i;
	uint64_t root; /* i.psn in full */
	uint64_t start_ns, notice_ns, resent_ns, end_ns;
	uint64_t low_ns; /* when the lowest PSN without an answer last advanced */
	uint64_t top;    /* PSN after the highest sent, when the first resend began */
	/* These outlive an incident */
	uint64_t floor; /* READs below are given up */
	struct track_mark
		passed; /* of one whose response was thought to be only not captured: what opened it */
	uint64_t passed_low_ns; /* as low_ns then */
	uint64_t before_ns;     /* when the one before ended */
	struct track_over {
		uint64_t psn, ns;
	} over;                     /* the last root whose answer ended it, and when; ns 0: none */
	uint64_t last_resent, next; /* PSN, 0: none yet; and the expected one then */
	uint64_t asked_psn; /* by a NAK or RNR NAK; what is sent again by then may be on its way */
	bool asked;         /* and that did not come yet */
	bool open, ended;
	bool sure;     /* somebody reacted */
	bool answered; /* the root was, before it was sent again */
	bool hole, response_hole, late, refused, gave_up;
	struct track_mark
		read; /* the last one that was sent again from its first PSN on: psn is the one after that, 0: none */
	bool by_timer; /* what was sent again last, with what went before it, was sent again by a timer */
	bool spurious; /* each copy of the root has an answer of its own, and none came before the next copy */
	bool one_each; /* so far; as answers */
	uint32_t answers;
	bool where_known;
	uint8_t where; /* enum track_loss, of the NAK that asks for the root */
};

static struct track_trouble *trouble(struct track_dir *d)
{
	if (!d->trouble) {
		d->trouble = g_new0(struct track_trouble, 1);
		track_memory_take(d->memory, sizeof(*d->trouble));
	}
	return d->trouble;
}

void track_incident_free(struct track_dir *d)
{
	if (!d->trouble)
		return;
	track_memory_give(d->memory, sizeof(*d->trouble));
	g_free(d->trouble);
	d->trouble = NULL;
}

static const struct track_request *request_of(const struct track_dir *d, uint64_t psn)
{
	return d->requests ? track_requests_find(d->requests, psn) : NULL;
}

/* Whether @psn has its answer: a response, if it is of a READ or an atomic. */
static bool is_answered(const struct track_dir *d, uint64_t psn)
{
	const struct track_request *q;

	if (psn >= track_passed(d) || (d->reads && track_reads_wait(d->reads, psn, psn + 1)))
		return false;
	q = request_of(d, psn);
	return !q || q->answered || track_verb_of(q->opcode) != TRACK_VERB_ATOMIC;
}

/* Kinds */

static enum track_incident_kind kind_where(enum track_loss where)
{
	static const uint8_t kinds[] = {
		[TRACK_LOST_BEFORE] = TRACK_INCIDENT_LOST_BEFORE,
		[TRACK_LOST_AFTER] = TRACK_INCIDENT_LOST_AFTER,
		[TRACK_LOST_DAMAGED] = TRACK_INCIDENT_DAMAGED,
		[TRACK_LOST_RESEND] = TRACK_INCIDENT_RESEND_LOST_BEFORE,
		[TRACK_LOST_DISCARDED] = TRACK_INCIDENT_DISCARDED,
		[TRACK_LOST_SHORT] = TRACK_INCIDENT_TRIMMED,
		[TRACK_LOST_NOT] = TRACK_INCIDENT_LATE,
		[TRACK_LOST_UNKNOWN] = TRACK_INCIDENT_LOST,
	};

	return (enum track_incident_kind)kinds[where];
}

static enum track_incident_kind kind_of(const struct track_trouble *t)
{
	if (t->refused)
		return TRACK_INCIDENT_REFUSED;
	if (t->gave_up)
		return TRACK_INCIDENT_RETRIES;
	if (t->i.rnr)
		return TRACK_INCIDENT_RNR;
	if (t->late)
		return TRACK_INCIDENT_LATE;
	if (t->where_known)
		return kind_where((enum track_loss)t->where);
	if (t->hole)
		return TRACK_INCIDENT_LOST_BEFORE;
	if (t->spurious)
		return TRACK_INCIDENT_SPURIOUS;
	if (t->response_hole)
		return TRACK_INCIDENT_RESPONSE_MISSING;
	return t->answered ? TRACK_INCIDENT_ANSWER_LOST : TRACK_INCIDENT_NO_ANSWER;
}

/* What its lost_frame is about. */
static bool has_lost_copy(enum track_incident_kind kind)
{
	return kind == TRACK_INCIDENT_LOST_AFTER || kind == TRACK_INCIDENT_DAMAGED ||
	       kind == TRACK_INCIDENT_TRIMMED;
}

/* What it cost */

static uint64_t between(uint64_t from_ns, uint64_t to_ns)
{
	return to_ns > from_ns ? to_ns - from_ns : 0;
}

static void take_time(struct track_trouble *t)
{
	struct track_incident *i = &t->i;

	if (i->kind == TRACK_INCIDENT_SPURIOUS || (!i->notice_frame && t->late))
		return;
	i->ns = between(t->start_ns, t->end_ns);
	i->end_ns = t->end_ns;
	if (t->refused || !i->notice_frame) {
		i->noticed_ns = i->ns;
		return;
	}
	i->noticed_ns = MIN(between(t->start_ns, t->notice_ns), i->ns);
	if (i->resent_frame)
		i->resent_ns = MIN(between(MAX(t->notice_ns, t->start_ns), t->resent_ns),
				   i->ns - i->noticed_ns);
	else
		i->resent_ns = i->ns - i->noticed_ns;
	i->repaired_ns = i->ns - i->noticed_ns - i->resent_ns;
}

static void release(struct track_qps *s, const struct track_qp *qp, enum track_way way)
{
	struct track_trouble *t = qp->dir[way].trouble;

	if (!t || t->open || !t->ended)
		return;
	t->ended = false;
	t->i.kind = (uint8_t)kind_of(t);
	t->i.response |= t->response_hole;
	if (!has_lost_copy((enum track_incident_kind)t->i.kind))
		t->i.lost_frame = 0;
	take_time(t);
	track_incidents_keep(s->incidents, &s->memory, &t->i);
}

/* Opening */

/* Later ones were answered, an atomic was not. */
static bool is_atomic_passed(const struct track_dir *d, const struct track_request *q)
{
	return track_verb_of(q->opcode) == TRACK_VERB_ATOMIC && !q->answered &&
	       q->psn < track_passed(d);
}

/*
 * When the lowest PSN without an answer came to @psn, which @q has: the answer to what was sent before it, or before an
 * atomic that was passed, of all that @q followed before these were answered. Not before the end of the incident of a lower PSN.
 */
static uint64_t low_since(const struct track_dir *d, const struct track_trouble *t, uint64_t psn,
			  const struct track_request *q)
{
	const struct track_request *one;
	uint64_t ns = t->low_ns, before_ns;

	for (one = q; one; one--) {
		before_ns = one > d->requests->request ? one[-1].answered_ns : 0;
		if (is_atomic_passed(d, one) && before_ns <= t->i.time_ns)
			ns = before_ns;
		if (one == d->requests->request || (before_ns && before_ns <= q->time_ns))
			break;
	}
	return t->over.ns && t->over.psn < psn ? MAX(ns, t->over.ns) : ns;
}

/* What is known of the root: where it was sent first, and how often. */
static void set_root(struct track_dir *d, struct track_trouble *t, uint64_t psn)
{
	const struct track_request *q = request_of(d, psn);
	uint64_t since_ns = t->i.time_ns;

	t->root = psn;
	t->i.psn = psn & 0xffffff;
	t->i.root_frame = t->i.resent_frame = 0;
	t->i.copies = 0;
	t->i.known = q != NULL;
	t->i.opcode = q ? q->opcode : 0;
	if (q) {
		t->i.root_frame = q->frame;
		t->i.copies = q->copies;
		since_ns = q->time_ns;
	}
	t->start_ns = MAX(since_ns, low_since(d, t, psn, q));
}

/* The first copy of it in the capture, unless there was one. */
static void see_root(struct track_trouble *t, const struct track_packet *p)
{
	if (t->i.root_frame)
		return;
	t->i.root_frame = p->at.frame;
	t->i.known = true;
	t->i.opcode = p->opcode;
}

/* The response of @psn was missing indeed: it was asked for again. */
static void take_passed(struct track_trouble *t, uint64_t psn)
{
	if (!t->passed.frame || t->passed.psn != psn)
		return;
	t->i.frame = t->passed.frame;
	t->i.time_ns = t->passed.time_ns;
	t->low_ns = t->passed_low_ns;
	t->passed.frame = 0;
}

/* When it was answered, but not before the incident before ended; else @now_ns. */
static uint64_t answered_since(const struct track_dir *d, uint64_t psn, uint64_t now_ns)
{
	const struct track_request *q = request_of(d, psn);

	return q && q->answered_ns ? MAX(q->answered_ns, d->trouble->before_ns) : now_ns;
}

static struct track_trouble *open_at(struct track_qps *s, struct track_qp *qp, enum track_way way,
				     uint64_t psn, const struct track_packet *p)
{
	struct track_dir *d = &qp->dir[way];
	struct track_trouble *t = trouble(d);

	release(s, qp, way);
	*t = (struct track_trouble){ .open = true,
				     .floor = t->floor,
				     .before_ns = t->before_ns,
				     .over = t->over,
				     .last_resent = t->last_resent,
				     .by_timer = t->by_timer,
				     .read = t->read,
				     .next = t->next,
				     .asked = t->asked,
				     .asked_psn = t->asked_psn,
				     .passed = t->passed,
				     .passed_low_ns = t->passed_low_ns };
	t->low_ns = track_answered(d)->since.low_ns;
	t->i = (struct track_incident){ .serial = qp->serial,
					.frame = p->at.frame,
					.last_frame = p->at.frame,
					.time_ns = p->at.time_ns,
					.way = (uint8_t)way };
	take_passed(t, psn);
	set_root(d, t, psn);
	t->answered = is_answered(d, psn);
	if (t->answered) /* from the answer that the requester has not */
		t->start_ns = answered_since(d, psn, p->at.time_ns);
	return t;
}

static void notice(struct track_trouble *t, const struct track_packet *p)
{
	t->sure = true;
	if (t->i.notice_frame)
		return;
	t->i.notice_frame = p->at.frame;
	t->notice_ns = p->at.time_ns;
}

/* Of a READ that asks for @psn some response came. */
static bool has_response(const struct track_dir *d, uint64_t psn)
{
	const struct track_request *q = request_of(d, psn);

	return q && track_verb_of(q->opcode) == TRACK_VERB_READ && d->reads &&
	       !track_reads_wait_all(d->reads, q->psn, q->psn + q->n);
}

/* Something about a lower PSN, which is not answered: what was known of the root before says nothing of it. */
static void lower(struct track_dir *d, struct track_trouble *t, uint64_t psn)
{
	if (psn >= t->root || is_answered(d, psn))
		return;
	take_passed(t, psn);
	set_root(d, t, psn);
	t->answered = t->where_known = t->late = t->spurious = t->one_each = false;
	t->hole = !t->i.known && track_psn_hole(&d->psns, psn);
	t->response_hole = has_response(d, psn);
}

/* Ending */

/* Nothing more joins it; what nobody reacted to was none. */
static void stop(struct track_trouble *t, uint64_t end_ns)
{
	t->open = false;
	t->ended = t->sure;
	t->end_ns = end_ns;
}

static void finish(struct track_trouble *t, const struct track_packet *p)
{
	stop(t, p->at.time_ns);
	t->i.ended = true;
	t->i.end_frame = t->i.last_frame = p->at.frame;
	if (t->sure)
		t->before_ns = t->end_ns;
	if (!t->answered && !t->refused)
		t->over = (struct track_over){ t->root, t->end_ns };
}

bool track_incident_is_over(const struct track_dir *d, uint64_t end_frame, uint64_t *frame,
			    uint64_t *begin_frame, uint64_t *ns)
{
	const struct track_trouble *t = d->trouble;

	if (!t || !t->ended || !t->i.ended || t->i.end_frame != end_frame)
		return false;
	*frame = t->i.frame;
	*begin_frame = t->i.lost_frame   ? t->i.lost_frame
		       : t->i.root_frame ? t->i.root_frame
					 : t->i.frame;
	*ns = between(t->start_ns, t->end_ns);
	return true;
}

/* What answers it: of what was answered before it was sent again, the next answer. No answer from before it began does. */
static bool is_over(const struct track_dir *d, const struct track_trouble *t, uint64_t frame)
{
	if (frame < t->i.frame) /* fed late, as its other end was not known yet */
		return false;
	return t->answered ? t->i.notice_frame != 0 : is_answered(d, t->root);
}

static uint64_t last_of(const struct track_qp *qp)
{
	uint64_t last = 0;
	unsigned int way;

	for (way = 0; way < TRACK_WAYS; way++)
		last = MAX(last,
			   MAX(qp->dir[way].last_ns, track_answered(&qp->dir[way])->since.last_ns));
	return last;
}

/* Nothing answers it any more: the connection ends, at its first DREQ or with its last packet. */
static void cut(const struct track_qp *qp, struct track_trouble *t)
{
	uint64_t closed_ns = track_qp_closed_ns(qp);

	if (closed_ns < t->i.time_ns)
		closed_ns = qp->agreed ? qp->agreed->drep_ns : 0;
	if (closed_ns < t->i.time_ns)
		closed_ns = MAX(last_of(qp), t->i.time_ns);
	stop(t, closed_ns);
}

/* @p comes after the end of the connection: what was open by then stays without an answer. */
static void cut_before(const struct track_qp *qp, struct track_trouble *t,
		       const struct track_packet *p)
{
	uint64_t closed = qp->agreed ? qp->agreed->closed_frame : 0;

	if (t && t->open && t->i.frame < closed && p->at.frame > closed)
		cut(qp, t);
}

void track_incident_end(struct track_qps *s, struct track_qp *qp, enum track_way way)
{
	struct track_trouble *t = qp->dir[way].trouble;

	if (!t)
		return;
	if (t->open)
		cut(qp, t);
	release(s, qp, way);
	t->floor = 0;
	t->over.ns = 0;
	t->asked = false;
	t->last_resent = 0;
}

void track_incident_gave_up(struct track_dir *d, const struct track_request *q)
{
	struct track_trouble *t = d->trouble;

	if (!t || !(t->open || (t->ended && !t->i.ended)))
		return;
	t->gave_up = true;
	if (!t->i.copies) /* the root is not in the capture */
		set_root(d, t, q->psn);
}

/* Of one that ended a late original is waited for so long. */
static uint64_t wait_ns_of(const struct track_dir *d)
{
	return MAX(RELEASE_NS, 2 * track_answered(d)->slow_ns);
}

void track_incident_tick(struct track_qps *s, struct track_qp *qp, enum track_way way,
			 uint64_t now_ns)
{
	const struct track_dir *d = &qp->dir[way];

	if (d->trouble && now_ns > d->trouble->end_ns + MAX(RELEASE_LIVE_NS, wait_ns_of(d)))
		release(s, qp, way);
}

/* Requests */

void track_incident_gap(struct track_qps *s, struct track_qp *qp, const struct track_packet *p)
{
	struct track_dir *d = &qp->dir[p->way];

	if (!s->incidents || qp->service == IBW_SERVICE_UC)
		return;
	if ((d->trouble && d->trouble->open) || d->psns.next < track_passed(d))
		return;
	open_at(s, qp, (enum track_way)p->way, d->psns.next, p)->hole = true;
}

static void single(struct track_qps *s, struct track_qp *qp, const struct track_packet *p,
		   uint64_t psn, enum track_incident_kind kind)
{
	const struct track_request *q = request_of(&qp->dir[p->way], psn);
	struct track_incident i = { .serial = qp->serial,
				    .frame = p->at.frame,
				    .time_ns = p->at.time_ns,
				    .root_frame = q ? q->frame : p->at.frame,
				    .end_frame = p->at.frame,
				    .last_frame = p->at.frame,
				    .psn = psn & 0xffffff,
				    .copies = q ? q->copies + 1 : 1,
				    .kind = (uint8_t)kind,
				    .way = p->way,
				    .opcode = p->opcode,
				    .known = true,
				    .ended = true };

	track_incidents_keep(s->incidents, &s->memory, &i);
}

static void late(struct track_qps *s, struct track_qp *qp, const struct track_packet *p,
		 uint64_t psn)
{
	const struct track_dir *d = &qp->dir[p->way];
	struct track_trouble *t = d->trouble;

	if (t && t->open) {
		if (psn != t->root)
			return;
		t->late = t->sure = true;
		t->i.copies++;
		see_root(t, p);
		return;
	}
	if (t && t->ended && psn == t->root && p->at.time_ns <= t->end_ns + wait_ns_of(d))
		t->late = true;
	single(s, qp, p, psn, TRACK_INCIDENT_LATE);
}

/* With the go-back-N of the one that ended last: nothing happened since. */
static bool goes_with_last(const struct track_trouble *t, uint64_t psn, bool timer)
{
	return t && !t->open && t->ended && !t->refused && !timer && psn >= t->root && psn < t->top;
}

/* Where nothing was sent again before the end, it is about all that was sent by then. */
static void begin_resent(const struct track_dir *d, struct track_trouble *t)
{
	if (t && !t->open && t->ended && t->i.notice_frame && !t->i.resent_packets)
		t->top = d->psns.next;
}

static void count_resent(struct track_trouble *t, const struct track_packet *p)
{
	t->i.resent_packets++;
	t->i.resent_bytes += p->payload;
	t->i.last_frame = p->at.frame;
}

/* With what was sent again last, which began before. */
static bool goes_on(const struct track_dir *d, uint64_t psn)
{
	const struct track_trouble *t = d->trouble;

	return t->last_resent && t->next == d->psns.next && psn > t->last_resent;
}

/* Where a NAK, or a READ response after a missing one, may have asked for @p, a silence has to be longer. */
static uint64_t timer_ns(const struct track_qp *qp, const struct track_dir *d,
			 const struct track_packet *p)
{
	if (track_qp_is_unheard(qp, (enum track_way)p->way))
		return TRACK_UNHEARD_NS;
	return track_is_read_request(p) && d->since_rare.response_high ? TRACK_TIMEOUT_ANSWERED_NS
								       : TIMER_NS;
}

/*
 * A resend that nobody asked for, after a silence, and not above the last one, if nothing new came since. What a NAK
 * asks for is sent from its PSN on, or from one below the last.
 */
static bool is_by_timer(const struct track_qp *qp, const struct track_dir *d,
			const struct track_packet *p, uint64_t psn)
{
	const struct track_trouble *t = d->trouble;

	if (t && (t->asked || goes_on(d, psn)))
		return false;
	return p->at.time_ns >= last_of(qp) + timer_ns(qp, d, p);
}

static void note_resent(const struct track_dir *d, uint64_t psn, uint32_t n, bool timer)
{
	struct track_trouble *t = d->trouble;

	if (timer || t->asked || psn <= t->last_resent || t->next != d->psns.next)
		t->by_timer = timer; /* else it goes on */
	if (t->asked && (psn <= t->asked_psn || !goes_on(d, psn)))
		t->asked = false;
	t->last_resent = psn + n - 1;
	t->next = d->psns.next;
}

static void note_read(const struct track_dir *d, const struct track_packet *p, uint64_t psn)
{
	const struct track_request *q = request_of(d, psn);

	if (q && q->n > 1 && psn == q->psn)
		d->trouble->read = (struct track_mark){ psn + 1, p->at.frame, p->at.time_ns };
}

/* What was sent before it may be missing here: the Identifications skip some. */
static bool is_after_missing(const struct track_dir *d, const struct track_packet *p)
{
	const struct track_requests *r = d->requests;
	const struct track_request *last = NULL;
	uint32_t i;

	for (i = 0; r && i < r->n; i++)
		if (!last || r->request[i].last_frame > last->last_frame)
			last = &r->request[i];
	return last && p->version == TRACK_ROCE_V2_IPV4 && (uint16_t)(p->ip_id - last->ip_id) > 1;
}

/*
 * @psn comes again, beyond the READ whose response is missing: its requester, which asks for a response
 * that it has not got before anything else, has it. It is only not captured.
 */
static void pass_by(struct track_dir *d, const struct track_packet *p, uint64_t psn)
{
	struct track_trouble *t = d->trouble;
	const struct track_request *q;

	if (!t || !t->open || t->sure || !t->response_hole || psn <= t->root)
		return;
	q = request_of(d, t->root);
	if ((q && psn < q->psn + q->n) || goes_on(d, psn) || is_after_missing(d, p))
		return;
	t->open = false;
	t->floor = q ? q->psn + q->n : t->root + 1;
	t->passed = (struct track_mark){ t->root, t->i.frame, t->i.time_ns };
	t->passed_low_ns = t->low_ns;
}

/* What of @n PSNs from @psn on is asked for: the first that has no answer, if there is one. */
static uint64_t wanted(const struct track_dir *d, uint64_t psn, uint32_t n)
{
	uint32_t at;

	if (n == 1 || !d->reads || !is_answered(d, psn))
		return psn;
	at = track_reads_find(d->reads, psn);
	return at < d->reads->n && d->reads->run[at].low < psn + n ? d->reads->run[at].low : psn;
}

static uint64_t root_of(const struct track_dir *d, uint64_t psn)
{
	uint64_t low = track_low(d, d->trouble ? d->trouble->floor : 0);

	return track_answered(d)->since.last_ns && !is_answered(d, psn) ? MIN(low, psn) : psn;
}

/*
 * The root of the last one is answered, but a READ before it was not, and comes again: it did not end. What was asked for only then
 * may have been answered, and not captured.
 */
static bool is_held_up(const struct track_dir *d, const struct track_trouble *t, uint64_t psn)
{
	return t && !t->open && t->ended && t->i.ended && !t->answered && !t->refused &&
	       psn < t->root && psn == track_low(d, t->floor) && !is_answered(d, psn);
}

static void reopen(struct track_trouble *t)
{
	t->open = true;
	t->ended = t->i.ended = false;
	t->i.end_frame = t->over.ns = 0;
}

/* Nobody asks for the root now, but a NAK has asked for an earlier one since it came. */
static void take_where_unasked(const struct track_dir *d, struct track_trouble *t, uint64_t psn)
{
	if (!t->i.known || t->root != psn || t->answered || t->response_hole)
		return;
	t->where = track_watched(d)->since.again_where;
	t->where_known = t->where != TRACK_LOST_UNKNOWN;
}

static void resent(struct track_qps *s, struct track_qp *qp, const struct track_packet *p,
		   uint64_t psn, uint32_t n)
{
	struct track_dir *d = &qp->dir[p->way];
	struct track_trouble *t = d->trouble;
	bool timer = is_by_timer(qp, d, p, psn);
	const uint64_t root = wanted(d, psn, n);

	pass_by(d, p, psn);
	if (is_held_up(d, t, psn))
		reopen(t);
	begin_resent(d, t);
	if (goes_with_last(t, psn, timer)) {
		count_resent(t, p);
		note_resent(d, psn, n, timer);
		note_read(d, p, psn);
		return;
	}
	if (!t || !t->open) {
		t = open_at(s, qp, (enum track_way)p->way, root_of(d, root), p);
		t->response_hole = !t->answered && has_response(d, t->root);
		t->hole = !t->i.known && track_psn_hole(&d->psns, t->root);
		t->one_each = !t->answered;
		take_where_unasked(d, t, root);
	}
	note_resent(d, psn, n, timer);
	note_read(d, p, psn);
	lower(d, t, root);
	notice(t, p);
	if (!t->i.resent_packets)
		t->top = MAX(d->psns.next, psn + n);
	count_resent(t, p);
	t->i.timers += timer;
	if (t->root < psn || t->root >= psn + n)
		return;
	t->i.copies++;
	t->one_each &= !t->answers;
	see_root(t, p);
	if (t->i.resent_frame)
		return;
	t->i.resent_frame = p->at.frame;
	t->i.by_timer = t->by_timer && !track_qp_is_unheard(qp, (enum track_way)p->way);
	t->resent_ns = p->at.time_ns;
}

void track_incident_again(struct track_qps *s, struct track_qp *qp, const struct track_packet *p,
			  uint64_t psn, uint32_t n, enum track_came_as as)
{
	const struct track_trouble *t = qp->dir[p->way].trouble;

	if (!s->incidents)
		return;
	cut_before(qp, qp->dir[p->way].trouble, p);
	switch (as) {
	case TRACK_CAME_RESENT:
		if (qp->service != IBW_SERVICE_UC)
			resent(s, qp, p, psn, n);
		break;
	case TRACK_CAME_LATE:
		late(s, qp, p, psn);
		break;
	case TRACK_CAME_DOUBLED:
		if (!t || !t->open)
			single(s, qp, p, psn, TRACK_INCIDENT_DOUBLED);
		break;
	}
}

void track_incident_original(struct track_dir *d, const struct track_packet *p, uint64_t psn,
			     uint32_t payload)
{
	struct track_trouble *t = d->trouble;

	if (!t || psn != t->root || !(t->open || t->ended))
		return;
	t->late = true;
	if (!t->open || !t->i.resent_packets)
		return;
	t->i.resent_packets--;
	t->i.resent_bytes -= MIN(t->i.resent_bytes, payload);
	t->i.resent_frame = p->at.frame;
	t->resent_ns = p->at.time_ns;
}

void track_incident_repeated(struct track_dir *d, const struct track_filled *filled)
{
	struct track_trouble *t = d->trouble;

	if (!t || !t->open)
		return;
	t->i.resent_packets += filled->packets;
	t->i.resent_bytes += filled->bytes;
	t->top = d->psns.next;
	if (t->i.notice_frame)
		return;
	t->sure = true;
	t->i.notice_frame = filled->first.frame;
	t->notice_ns = filled->first.time_ns;
	if (t->root < filled->first.psn || t->root >= filled->next)
		return;
	t->i.copies++;
	t->i.root_frame = t->i.resent_frame = filled->first.frame;
	t->resent_ns = filled->first.time_ns;
}

void track_incident_uc_gap(struct track_qps *s, const struct track_qp *qp, enum track_way way,
			   const struct track_hole *hole)
{
	const struct track_incident i = { .serial = qp->serial,
					  .frame = hole->frame,
					  .time_ns = hole->time_ns,
					  .end_frame = hole->frame,
					  .last_frame = hole->frame,
					  .psn = hole->low & 0xffffff,
					  .kind = TRACK_INCIDENT_UC_GAP,
					  .way = (uint8_t)way,
					  .ended = true };

	if (s->incidents)
		track_incidents_keep(s->incidents, &s->memory, &i);
}

/* Answers */

/* The last copy; a READ that asks for what is beyond @psn only is none of it. */
static uint64_t copy_of(const struct track_trouble *t, const struct track_request *q, uint64_t psn)
{
	if (q->n == 1)
		return q->last_frame;
	return t->read.psn == psn + 1 ? t->read.frame : q->frame;
}

/* Where the root was lost that this NAK asks for. */
static void take_where(struct track_dir *d, struct track_trouble *t, const struct track_packet *p,
		       uint64_t psn)
{
	const struct track_watch_since *since = &track_watched(d)->since;
	const struct track_request *q = request_of(d, psn);

	if (psn != t->root || since->nak.frame != p->at.frame || t->where_known)
		return;
	t->where_known = true;
	t->where = since->nak_where;
	if (t->where == TRACK_LOST_AFTER && q)
		t->i.lost_frame = copy_of(t, q, psn);
	else if (since->nak_damaged)
		t->i.lost_frame = since->nak_damaged;
}

/* What was refused, and why. */
static void take_refused(const struct track_dir *d, struct track_trouble *t,
			 const struct track_packet *p, uint64_t psn)
{
	const struct track_watch_since *since = &track_watched(d)->since;
	const struct track_request *q = request_of(d, psn);

	t->i.known = q != NULL;
	t->i.opcode = q ? q->opcode : 0;
	if (since->fatal.frame == p->at.frame)
		t->i.why = since->fatal_why;
}

static bool is_refusal(const struct track_packet *p)
{
	return IBW_AETH_TYPE(p->syndrome) == IBW_AETH_TYPE_NAK &&
	       p->syndrome != IBW_AETH_NAK_PSN_SEQUENCE;
}

static void nak(struct track_qps *s, struct track_qp *qp, const struct track_packet *p,
		uint64_t psn)
{
	enum track_way way = (enum track_way) !p->way;
	struct track_dir *d = &qp->dir[way];
	struct track_trouble *t = d->trouble;

	if (psn < track_passed(d) && is_answered(d, psn))
		return;
	if (t && t->open && is_refusal(p) && psn != t->root) /* what waits has no answer any more */
		stop(t, p->at.time_ns);
	if (!t || !t->open)
		t = open_at(s, qp, way, psn, p);
	lower(d, t, psn);
	notice(t, p);
	if (!t->i.nak_frame)
		t->i.nak_frame = p->at.frame;
	t->asked = true;
	t->asked_psn = psn;
	if (IBW_AETH_TYPE(p->syndrome) == IBW_AETH_TYPE_RNR) {
		t->i.rnr++;
	} else if (!is_refusal(p)) {
		t->i.naks++;
		take_where(d, t, p, psn);
	} else {
		t->refused = true;
		t->i.syndrome = p->syndrome;
		take_refused(d, t, p, psn);
		finish(t, p);
	}
}

/* The first response that is missing, and not given up. */
static const struct track_read *first_passed(const struct track_dir *d, uint64_t floor,
					     uint64_t psn)
{
	const struct track_reads *r = d->reads;
	uint32_t at = r ? track_reads_find(r, floor) : 0;

	if (!r || at == r->n || r->run[at].low >= psn || !r->run[at].frame)
		return NULL;
	return &r->run[at];
}

static bool is_read_response(const struct track_packet *p)
{
	return TRACK_OPERATION(p->opcode) != IBW_OP_RC_ACKNOWLEDGE &&
	       TRACK_OPERATION(p->opcode) != IBW_OP_RC_ATOMIC_ACKNOWLEDGE;
}

static void passed(struct track_qps *s, struct track_qp *qp, const struct track_packet *p,
		   uint64_t psn)
{
	enum track_way way = (enum track_way) !p->way;
	struct track_dir *d = &qp->dir[way];
	struct track_trouble *t = d->trouble;
	const struct track_read *run = first_passed(d, t ? t->floor : 0, psn);

	if (!run)
		return;
	if (!t || !t->open) {
		open_at(s, qp, way, run->low, p)->response_hole = true;
		return;
	}
	if (run->low < t->root) {
		lower(d, t, run->low);
		t->response_hole = true;
	}
}

/* What it answers, if only the root: copies that are answered in order were sent too soon, and nothing was lost. */
static void count_answer(struct track_trouble *t, const struct track_packet *p, uint64_t psn)
{
	if (!t->one_each || !(t->open || t->ended) || psn < t->root)
		return;
	if (psn > t->root || track_is_nak(p)) {
		t->one_each = false;
		return;
	}
	t->spurious = ++t->answers == t->i.copies && t->i.copies > 1;
}

/* Nobody asked for it: it is only not captured. */
static bool is_given_up(const struct track_trouble *t, uint64_t now_ns)
{
	return t->open && !t->sure && t->response_hole && now_ns > t->i.time_ns + UNASKED_NS;
}

void track_incident_response(struct track_dir *d, uint64_t psn)
{
	struct track_trouble *t = d->trouble;

	if (t && psn == t->root && (t->open || t->ended))
		t->late = t->i.response = true;
}

void track_incident_low(struct track_dir *d, uint64_t low, uint64_t now_ns)
{
	struct track_answers_since *since = &track_answers(d)->since;

	since->low = low;
	if (low > d->psns.low) /* else the first request of all is not answered yet */
		since->low_ns = now_ns;
}

void track_incident_answered(struct track_qps *s, struct track_qp *qp, const struct track_packet *p,
			     uint64_t psn)
{
	struct track_dir *d = &qp->dir[!p->way];
	struct track_trouble *t = d->trouble;
	struct track_answers_since *since = &track_answers(d)->since;
	uint64_t low;

	cut_before(qp, t, p);
	if (t)
		count_answer(t, p, psn);
	if (t && t->open && is_over(d, t, p->at.frame)) {
		if (t->response_hole && !t->sure) /* its response came, only later */
			t->late = t->sure = true;
		finish(t, p);
	} else if (t && is_given_up(t, p->at.time_ns)) {
		t->open = false;
		t->floor = t->root + 1;
	}
	low = track_low(d, t ? t->floor : 0);
	if (low > since->low)
		track_incident_low(d, low, p->at.time_ns);
	if (qp->service == IBW_SERVICE_UC)
		return;
	if (track_is_nak(p))
		nak(s, qp, p, psn);
	else if (is_read_response(p))
		passed(s, qp, p, psn);
}
