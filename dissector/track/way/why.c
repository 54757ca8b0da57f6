/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * why.c - decides why the requester retransmitted a request whose answer is in the capture.
 *
 * A request that is answered in the capture was not answered in time at the requester: its answer was lost after
 * the capture point, was dropped because an earlier READ response was missing, or takes longer than the timer. The
 * last cause shows when each copy has its answer, so the decision about a request that its timer retransmits waits
 * for the answers.
 */
#include <string.h>

#include "qp_impl.h"

/* What was passed longer ago is no reason any more. */
#define PASSED_NS 1000000000u

/* A READ response before @psn that is missing. */
static const struct track_read *missing_before(const struct track_dir *d, uint64_t psn,
					       uint64_t now_ns)
{
	const struct track_reads *r = d->reads;
	uint32_t at = r ? track_reads_find(r, psn) : 0;

	if (!r || (at < r->n && r->run[at].low < psn) || !at)
		return NULL;
	return now_ns < r->run[at - 1].time_ns + PASSED_NS ? &r->run[at - 1] : NULL;
}

static struct track_reason why_answered(const struct track_dir *d, const struct track_request *q,
					uint64_t psn, uint32_t n, uint64_t now_ns)
{
	const struct track_watch *w = track_watched(d);
	const struct track_read *run = missing_before(d, psn, now_ns);

	if (run)
		return (struct track_reason){ TRACK_WHY_DROPPED, run->low, 0 };
	/* Since it was asked for: what came meanwhile had to be dropped. */
	if (q && w->since.swapped.frame > q->last_frame && w->since.swapped.psn < psn + n)
		return (struct track_reason){ TRACK_WHY_REORDERED, w->since.swapped.psn,
					      w->since.swapped_ns };
	return (struct track_reason){ TRACK_WHY_LOST, 0, 0 };
}

/* A READ Request: the first of the responses it asks for that is not there. */
static struct track_reason why_read(const struct track_dir *d, const struct track_request *q,
				    uint64_t psn, uint32_t n, uint64_t now_ns)
{
	const struct track_reads *r = d->reads;
	uint32_t at = track_reads_find(r, psn);
	uint64_t missing;

	if (at == r->n || r->run[at].low >= psn + n)
		return why_answered(d, q, psn, n, now_ns);
	missing = MAX(psn, r->run[at].low);
	if (r->run[at].frame || missing > psn || d->since_rare.response_high >= missing)
		return (struct track_reason){ TRACK_WHY_MISSING, missing, 0 };
	return (struct track_reason){ TRACK_WHY_NOTHING, 0, 0 };
}

struct track_reason track_qp_why(const struct track_qp *qp, const struct track_packet *p,
				 const struct track_request *q, uint64_t psn, uint32_t n,
				 bool answered)
{
	const struct track_dir *d = &qp->dir[p->way];

	if (track_is_read_request(p) && d->reads)
		return why_read(d, q, psn, n, p->at.time_ns);
	if (answered)
		return why_answered(d, q, psn, n, p->at.time_ns);
	return (struct track_reason){ TRACK_WHY_NOTHING, 0, 0 };
}

static void say_timeout(struct track_qps *s, const struct track_qp *qp, enum track_way way,
			const struct track_again *a)
{
	struct track_event *e = track_qp_event(s, qp, way, TRACK_EVENT_TIMEOUT, &a->at);

	if (!e)
		return;
	e->number[TRACK_TIMEOUT_psn] = a->psn & 0xffffff;
	e->number[TRACK_TIMEOUT_ns] = a->silent_ns;
	e->number[TRACK_TIMEOUT_copies] = a->copies;
	e->number[TRACK_TIMEOUT_peer] = a->peer;
	e->number[TRACK_TIMEOUT_why] = a->why.kind;
	e->number[TRACK_TIMEOUT_missing] = a->why.psn & 0xffffff;
	e->number[TRACK_TIMEOUT_took] = a->why.ns;
	if (a->last_frame)
		track_event_cause(e, a->last_frame);
}

static void say_resent(struct track_qps *s, const struct track_qp *qp, enum track_way way,
		       const struct track_again *a)
{
	struct track_event *e = track_qp_event(s, qp, way, TRACK_EVENT_RESENT, &a->at);

	if (!e)
		return;
	e->number[TRACK_RESENT_psn] = a->psn & 0xffffff;
	e->number[TRACK_RESENT_opcode] = a->opcode;
	e->number[TRACK_RESENT_cause] = a->cause;
	e->number[TRACK_RESENT_spurious] =
		(a->answered && !track_is_duplicate(a->cause)) || a->why.kind == TRACK_WHY_EARLY;
	e->number[TRACK_RESENT_why] = a->why.kind;
	e->number[TRACK_RESENT_missing] = a->why.psn & 0xffffff;
	e->number[TRACK_RESENT_took] = a->why.ns;
	e->number[TRACK_RESENT_ns] = a->copy_ns;
	if (a->first_frame)
		track_event_cause(e, a->first_frame);
}

static void say(struct track_qps *s, const struct track_qp *qp, enum track_way way,
		const struct track_again *a)
{
	if (a->timeout)
		say_timeout(s, qp, way, a);
	if (a->told)
		say_resent(s, qp, way, a);
}

/* The first @n of those that wait. */
static void release(struct track_qps *s, struct track_qp *qp, enum track_way way, uint32_t n)
{
	struct track_watch *w = qp->dir[way].watch;
	uint32_t i;

	for (i = 0; i < n; i++)
		say(s, qp, way, &w->held[i]);
	w->n_held -= n;
	memmove(w->held, w->held + n, w->n_held * sizeof(*w->held));
}

static void grow(struct track_dir *d)
{
	struct track_watch *w = d->watch;

	track_qp_held_give(d);
	w->held_room = w->held_room ? 2 * w->held_room : 2;
	w->held = g_renew(struct track_again, w->held, w->held_room);
	track_memory_take(d->memory, w->held_room * sizeof(*w->held));
}

void track_qp_say_again(struct track_qps *s, struct track_qp *qp, enum track_way way,
			const struct track_again *a)
{
	struct track_watch *w = track_watch(&qp->dir[way]);

	if (a->cause != TRACK_RESEND_TIMEOUT || a->why.kind != TRACK_WHY_NOTHING ||
	    !a->first_frame || !a->told) {
		say(s, qp, way, a);
		return;
	}
	if (w->n_held == TRACK_HELD_MAX)
		release(s, qp, way, TRACK_HELD_MAX / 2);
	if (w->n_held == w->held_room)
		grow(&qp->dir[way]);
	w->held[w->n_held++] = *a;
}

/*
 * All of its copies are answered, and none of them by the time the next one was sent. Not so of what goes on after
 * the first packet: one ACK answers several, and duplicates get the last one's.
 */
static void early(struct track_watch *w, uint64_t psn, uint64_t took_ns)
{
	uint32_t i;

	for (i = 0; i < w->n_held; i++)
		if (w->held[i].psn == psn && w->held[i].timeout)
			w->held[i].why = (struct track_reason){ TRACK_WHY_EARLY, 0, took_ns };
	w->quiet_ns = 0;
	w->since.quiet_timeouts = 0;
}

void track_qp_held_answered(struct track_qps *s, struct track_qp *qp, enum track_way way,
			    const struct track_packet *p, uint64_t psn)
{
	struct track_dir *d = &qp->dir[way];
	struct track_watch *w = d->watch;
	const struct track_request *q = track_requests_find(d->requests, psn);
	struct track_again *a;
	uint32_t i, over = 0;

	if (!q)
		return;
	for (i = 0; i < w->n_held; i++) {
		a = &w->held[i];
		if (a->timeout && a->psn + a->n - 1 == psn) {
			if (!a->answers++)
				a->took_ns = p->at.time_ns - q->time_ns;
			if (a->answers == q->copies)
				early(w, a->psn, a->took_ns);
		}
		/* What is answered in order was sent later. */
		if (over == i && (a->why.kind == TRACK_WHY_EARLY || q->frame > a->at.frame))
			over++;
	}
	if (over)
		release(s, qp, way, over);
}

void track_qp_held_settle(struct track_qps *s, struct track_qp *qp, enum track_way way)
{
	if (track_watched(&qp->dir[way])->n_held)
		release(s, qp, way, qp->dir[way].watch->n_held);
}
