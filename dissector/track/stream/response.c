/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * response.c - finds READ responses that are missing, late or repeated, and READs without an answer.
 *
 * A responder answers in order. So a response that a later answer passed is missing or late. It is reported
 * once that is known: when it arrives, when the READ is asked for again, or when nothing more can arrive.
 */
#include <string.h>

#include "stream.h"
#include "track/incident/incident_impl.h"
#include "track/way/ids.h"

/* Gaps that are told at the end: EVENTS_OF_ONE of qps.c is for both ways. */
#define OPEN_MAX 512u

/* After so long a requester sends something again for another reason. */
#define UNREAD_NS 1000000000u

/* READs and atomics that nothing answers */

static void drop_one(struct track_watch *w, unsigned int at)
{
	w->since.n_unread--;
	memmove(&w->since.unread[at], &w->since.unread[at + 1],
		(w->since.n_unread - at) * sizeof(*w->since.unread));
}

/* One of these PSNs is answered, or asked for again. */
static void drop_unread(struct track_dir *d, uint64_t low, uint64_t high)
{
	struct track_watch *w = d->watch;
	unsigned int i;

	for (i = w ? w->since.n_unread : 0; i-- > 0;)
		if (w->since.unread[i].psn < high && w->since.unread[i].next > low)
			drop_one(w, i);
}

static void say_unread(struct track_qps *s, const struct track_qp *qp, enum track_way way,
		       const struct track_passed *u, enum track_unread then, uint64_t frame)
{
	struct track_event *e =
		track_qp_event_of(s, qp, (enum track_way) !way, TRACK_EVENT_READ_UNANSWERED,
				  u->passed_frame, u->passed_ns);

	if (!e)
		return;
	e->number[TRACK_READ_UNANSWERED_psn] = u->psn & 0xffffff;
	e->number[TRACK_READ_UNANSWERED_opcode] = u->opcode;
	e->number[TRACK_READ_UNANSWERED_then] = then;
	track_event_cause(e, u->frame);
	if (frame)
		track_event_cause(e, frame);
}

/* The first of them is told, and its responses are no gap of their own. */
static void settle_unread(struct track_qps *s, struct track_qp *qp, enum track_way way,
			  enum track_unread then, uint64_t frame)
{
	struct track_watch *w = qp->dir[way].watch;
	struct track_reads *r = qp->dir[way].reads;
	const struct track_passed *u = &w->since.unread[0];
	uint32_t i;

	say_unread(s, qp, way, u, then, frame);
	for (i = r ? track_reads_find(r, u->psn) : 0; r && i < r->n && r->run[i].low < u->next; i++)
		track_read_lost(&r->run[i], NULL);
	drop_one(w, 0);
}

/* An ACK, but no NAK, or a response. */
static bool is_positive(const struct track_packet *p)
{
	return TRACK_OPERATION(p->opcode) != IBW_OP_RC_ACKNOWLEDGE ||
	       IBW_AETH_TYPE(p->syndrome) == IBW_AETH_TYPE_ACK;
}

/* Of a READ some responses may have come. */
static bool has_none(const struct track_dir *d, const struct track_request *q)
{
	return track_verb_of(q->opcode) != TRACK_VERB_READ || !d->reads ||
	       track_reads_wait_all(d->reads, q->psn, q->psn + q->n);
}

void track_qp_unread(struct track_qps *s, struct track_qp *qp, enum track_way way,
		     const struct track_request *q, const struct track_packet *p)
{
	struct track_dir *d = &qp->dir[way];
	struct track_watch *w;

	if (!track_is_read_or_atomic(q->opcode)) {
		track_qp_watch_accepted(d, q);
		return;
	}
	if (!is_positive(p))
		return;
	if (d->reads)
		track_reads_pass(d->reads, q->psn + q->n, p);
	if (!has_none(d, q))
		return;
	w = track_watch(d);
	if (w->since.n_unread == TRACK_UNREAD_MAX)
		settle_unread(s, qp, way, TRACK_UNREAD_OPEN, 0);
	w->since.unread[w->since.n_unread++] = (struct track_passed){
		q->psn, q->psn + q->n, q->last_frame, p->at.frame, p->at.time_ns, q->opcode,
	};
}

void track_qp_unread_again(struct track_qps *s, struct track_qp *qp, const struct track_packet *p,
			   uint64_t psn)
{
	enum track_way way = (enum track_way)p->way;
	struct track_watch *w = qp->dir[way].watch;

	drop_unread(&qp->dir[way], psn, psn + 1);
	while (w->since.n_unread && psn >= w->since.unread[0].next)
		settle_unread(s, qp, way,
			      p->at.time_ns < w->since.unread[0].passed_ns + UNREAD_NS
				      ? TRACK_UNREAD_LATER
				      : TRACK_UNREAD_OPEN,
			      p->at.frame);
}

/* Gaps */

static void say_gap(struct track_qps *s, const struct track_qp *qp, enum track_way way,
		    const struct track_read *run)
{
	const struct track_dir *d = &qp->dir[way];
	const struct track_request *q =
		d->requests ? track_requests_find(d->requests, run->low) : NULL;
	struct track_event *e;

	if (qp->doubt & TRACK_DOUBT_MTU)
		return;
	e = track_qp_event_of(s, qp, (enum track_way) !way, TRACK_EVENT_RESPONSE_GAP, run->frame,
			      run->time_ns);
	if (!e)
		return;
	e->number[TRACK_RESPONSE_GAP_psn] = run->low & 0xffffff;
	e->number[TRACK_RESPONSE_GAP_count] = run->high - run->low;
	e->number[TRACK_RESPONSE_GAP_again] = run->again;
	if (q)
		track_event_cause(e, q->frame);
	if (!run->again_frame)
		return;
	e->number[TRACK_RESPONSE_GAP_ns] =
		run->again_ns > run->time_ns ? run->again_ns - run->time_ns : 0;
	track_event_cause(e, run->again_frame);
}

static void say_late(struct track_qps *s, const struct track_qp *qp, const struct track_packet *p,
		     const struct track_read *was)
{
	struct track_event *e;

	if (qp->doubt & TRACK_DOUBT_MTU)
		return;
	e = track_qp_event(s, qp, (enum track_way)p->way, TRACK_EVENT_RESPONSE_LATE, &p->at);
	if (!e)
		return;
	e->number[TRACK_RESPONSE_LATE_psn] = p->psn;
	e->number[TRACK_RESPONSE_LATE_ns] =
		p->at.time_ns > was->time_ns ? p->at.time_ns - was->time_ns : 0;
	track_event_cause(e, was->frame);
	if (was->again_frame)
		track_event_cause(e, was->again_frame);
}

/* What was lost, as it seems, was: nothing says any more that it is late. */
static void settle_gap(struct track_qps *s, struct track_qp *qp, enum track_way way)
{
	struct track_watch *w = qp->dir[way].watch;

	if (!w || !w->since.gap.frame)
		return;
	say_gap(s, qp, way, &w->since.gap);
	w->since.gap.frame = 0;
}

static void seems_lost(struct track_qps *s, struct track_qp *qp, enum track_way way,
		       const struct track_read *run)
{
	settle_gap(s, qp, way);
	track_watch(&qp->dir[way])->since.gap = *run;
}

static void is_late(struct track_qps *s, struct track_qp *qp, const struct track_packet *p,
		    uint64_t psn, const struct track_read *was)
{
	struct track_watch *w = track_watch(&qp->dir[!p->way]);

	w->since.swapped = (struct track_mark){ psn, p->at.frame, p->at.time_ns };
	w->since.swapped_ns = p->at.time_ns > was->time_ns ? p->at.time_ns - was->time_ns : 0;
	track_incident_response(&qp->dir[!p->way], psn);
	say_late(s, qp, p, was);
}

/* Its original comes after what was sent instead of it. */
static void late_original(struct track_qps *s, struct track_qp *qp, const struct track_packet *p,
			  uint64_t psn)
{
	struct track_watch *w = qp->dir[!p->way].watch;

	if (!w || !w->since.gap.frame || psn < w->since.gap.low || psn >= w->since.gap.high ||
	    track_sent_order(&qp->dir[p->way], w->since.gap.ip_id, p) != TRACK_SENT_BEFORE)
		return;
	is_late(s, qp, p, psn, &w->since.gap);
	w->since.gap.frame = 0;
}

/* Whether @p, which comes into what was passed, was sent again; else it is late. */
static bool is_resent(const struct track_qp *qp, const struct track_packet *p, uint64_t psn,
		      const struct track_read *was)
{
	const struct track_watch *w = track_watched(&qp->dir[!p->way]);

	if (!was->again)
		return false;
	switch (track_sent_order(&qp->dir[p->way], was->ip_id, p)) {
	case TRACK_SENT_BEFORE:
		return false;
	case TRACK_SENT_AFTER:
		return true;
	default:
		return was->again_frame || w->since.again_next == psn;
	}
}

/* The rest of the run that @p was in. */
static void lost(struct track_dir *back, const struct track_read *was, uint64_t psn,
		 const struct track_packet *p)
{
	struct track_reads *r = back->reads;
	struct track_read *run;
	uint32_t i;

	for (i = track_reads_find(r, was->low); i < r->n && r->run[i].low < was->high; i++) {
		run = &r->run[i];
		track_read_lost(run, run->low < psn ? p : NULL);
	}
}

void track_qp_response_late(struct track_qps *s, struct track_qp *qp, const struct track_packet *p,
			    uint64_t psn, const struct track_read *was)
{
	struct track_dir *d = &qp->dir[p->way], *back = &qp->dir[!p->way];
	struct track_watch *w = track_watch(back);
	bool resent = is_resent(qp, p, psn, was);

	if (psn < back->since_rare.response_high) {
		if (track_psn_is_occupied(&w->unasked, psn)) {
			track_watch(d)->response_repeated++;
			track_qp_note(s, qp, p->at.frame, TRACK_NOTE_RESPONSE_AGAIN, 0, 0);
		} else {
			track_watch(d)->response_late++;
			track_qp_note(s, qp, p->at.frame, TRACK_NOTE_RESPONSE_LATE, was->frame, 0);
		}
	}
	drop_unread(back, psn, psn + 1);
	if (resent || (was->again && !was->frame))
		w->since.again_next = psn + 1;
	if (!was->frame)
		return;
	if (!resent) {
		is_late(s, qp, p, psn, was);
		return;
	}
	seems_lost(s, qp, (enum track_way) !p->way, was);
	lost(back, was, psn, p);
}

/* Whose request was not captured before it: whether one carried the PSN is remembered here. */
static bool unasked(struct track_watch *w, uint64_t psn, const struct track_at *at)
{
	enum track_psn_class class = track_psn_class(&w->unasked, psn);

	track_psn_occupy(&w->unasked, class, psn, 1, at->frame, at->time_ns);
	return class == TRACK_PSN_REPEAT;
}

/* What comes once more comes after what was asked for again with it: that was lost once more. */
static void pass_again(struct track_qps *s, struct track_qp *qp, const struct track_packet *p,
		       uint64_t psn)
{
	struct track_reads *r = qp->dir[!p->way].reads;
	uint32_t i = track_reads_find(r, psn);

	while (i-- > 0 && r->run[i].again_frame) {
		seems_lost(s, qp, (enum track_way) !p->way, &r->run[i]);
		track_read_lost(&r->run[i], p);
	}
}

void track_qp_response_again(struct track_qps *s, struct track_qp *qp, const struct track_packet *p,
			     uint64_t psn, const struct track_request *q)
{
	struct track_dir *d = &qp->dir[p->way], *back = &qp->dir[!p->way];
	uint64_t high = back->since_rare.response_high;
	bool before;

	if (q && ibw_opcodes[q->opcode].flags & IBW_OPF_PAYLOAD)
		q = NULL;
	drop_unread(back, psn, psn + 1);
	if (q && psn > high && !q->answered) /* the usual one of an atomic */
		return;
	if (q)
		before = track_verb_of(q->opcode) == TRACK_VERB_READ || q->answered;
	else if (psn <= high && track_psn_is_occupied(&back->psns, psn))
		before = true; /* its request is forgotten */
	else
		before = unasked(track_watch(back), psn, &p->at);
	if (before) {
		track_watch(d)->response_repeated++;
		track_qp_note(s, qp, p->at.frame, TRACK_NOTE_RESPONSE_AGAIN, q ? q->last_frame : 0,
			      0);
		track_watch(back)->since.again_next = psn + 1;
		late_original(s, qp, p, psn);
		if (back->reads)
			pass_again(s, qp, p, psn);
	} else if (psn < high) {
		track_watch(d)->response_late++;
		track_qp_note(s, qp, p->at.frame, TRACK_NOTE_RESPONSE_LATE, 0, 0);
	}
}

void track_qp_read_again(struct track_qp *qp, const struct track_packet *p, uint64_t psn,
			 uint32_t n)
{
	struct track_dir *d = &qp->dir[p->way];

	drop_unread(d, psn, psn + n);
	track_reads_ask_again(d->reads, psn, psn + n, &p->at);
}

void track_qp_reads_open(struct track_qps *s, struct track_qp *qp, enum track_way way)
{
	struct track_dir *d = &qp->dir[way];
	uint64_t closed_ns = track_qp_closed_ns(qp);
	const struct track_read *run;
	uint32_t i, told = 0;

	settle_gap(s, qp, way);
	while (track_watched(d)->since.n_unread)
		settle_unread(s, qp, way,
			      closed_ns && d->last_ns <= d->watch->since.unread[0].passed_ns
				      ? TRACK_UNREAD_ENDED
				      : TRACK_UNREAD_OPEN,
			      0);
	for (i = 0; d->reads && i < d->reads->n && told < OPEN_MAX; i++) {
		run = &d->reads->run[i];
		if (!run->frame)
			continue;
		say_gap(s, qp, way, run);
		told++;
	}
}
