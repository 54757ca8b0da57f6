/* SPDX-License-Identifier: GPL-2.0-or-later */
/* series.c - adds packets to a series: its columns, its marks, its runs. */
#include <string.h>

#include "measure.h"
#include "series_impl.h"
#include "track/incident/incident_impl.h"

const char *const track_series_mark_names[TRACK_SERIES_MARK_KINDS] = {
#define TRACK_SERIES_MARK(id, name) [TRACK_SERIES_MARK_##id] = name,
#include "series.def"
};

static struct track_series *series_of(const struct track_dir *d)
{
	return d->measure ? d->measure->series : NULL;
}

/* Runs */

/* Of several packets. */
static __attribute__((noinline)) void end_run(struct track_series *t)
{
	track_column_settle_run(t);
	track_ladder_settle(t);
}

static inline void begin_at(struct track_series *t, struct track_rung_place *place,
			    const struct track_packet *p, enum track_rung_kind kind,
			    unsigned int key, uint64_t psn, int32_t missing)
{
	struct track_rung_now *r = &t->run;

	r->window = 0;
	r->first = r->last = psn;
	r->last_ns = p->at.time_ns;
	r->key = (uint8_t)(key ? key : TRACK_RUN_NONE);
	place->frame_what =
		p->at.frame << TRACK_PLACE_FRAME | (uint64_t)p->opcode << TRACK_PLACE_OPCODE | kind;
	place->time_ns = p->at.time_ns;
	place->psn = track_series_since(t, psn);
	place->other = missing;
}

/* @key: what goes on with it; the one at hand is over. */
static inline void begin(struct track_series *t, const struct track_packet *p,
			 enum track_rung_kind kind, unsigned int key, uint64_t psn, int32_t missing)
{
	struct track_rung_place *place, nowhere;

	if (t->run.is_long)
		end_run(t);
	place = track_ladder_next(t);
	begin_at(t, place ? place : &nowhere, p, kind, place ? key : TRACK_RUN_ALONE, psn, missing);
}

/*
 * Most packets that do not go on with the run at hand are of the column at hand, of a run after one of a single packet, and have a place
 * in the ladder: all that is done for one is here, without a call.
 */
static inline bool is_simple(const struct track_series *t, const struct track_packet *p,
			     unsigned int key)
{
	return p->at.time_ns - t->begin_ns < t->length_ns && t->run.key != key && !t->run.is_long &&
	       t->ladder.end & t->ladder.mask && p->at.frame >= t->open.first_frame;
}

static inline void simple(struct track_series *t, const struct track_packet *p,
			  enum track_rung_kind kind, unsigned int key, uint64_t psn)
{
	t->open.packets++;
	t->open.wire_bytes += p->wire_len;
	begin_at(t, &t->ladder.place[t->ladder.end++ & t->ladder.mask], p, kind, key, psn,
		 TRACK_SERIES_NONE);
}

static inline bool goes_on(const struct track_rung_now *r, const struct track_packet *p,
			   unsigned int key, uint64_t psn)
{
	return r->key == key && p->at.time_ns - r->last_ns <= TRACK_LADDER_GAP_NS &&
	       (psn == r->last + 1 || (key == TRACK_RUN_ACK && psn >= r->last));
}

/* Marks */

static uint64_t marks_of(const struct track_series *t)
{
	uint64_t n = 0;
	unsigned int i;

	for (i = 0; i < TRACK_SERIES_MARK_KINDS; i++)
		n += t->marks[i];
	return n;
}

static bool has_marks_room(struct track_series *t)
{
	uint32_t room = t->marks_room ? 2 * t->marks_room : TRACK_SERIES_MARKS_FIRST;
	uint64_t more = (room - t->marks_room) * sizeof(*t->mark);

	if (marks_of(t) != t->n_marks) /* some are gone already */
		return false;
	if (t->n_marks < t->marks_room)
		return true;
	if (room > 2 * TRACK_SERIES_MARKS || !track_series_fits(t->all, more))
		return false;
	t->all->used += more;
	t->mark = g_renew(struct track_series_mark, t->mark, room);
	t->marks_room = room;
	return true;
}

/* The first ones stay, of the others the last ones. */
void track_series_mark(struct track_series *t, enum track_series_mark_kind kind,
		       const struct track_at *at, int32_t psn, uint64_t since_ns)
{
	const struct track_series_mark m = { .frame = at->frame,
					     .time_ns = at->time_ns,
					     .since_ns = since_ns,
					     .psn = psn,
					     .kind = (uint8_t)kind };
	const uint64_t before = marks_of(t);
	const bool is_kept = has_marks_room(t);
	uint32_t half = t->n_marks / 2;

	t->marks[kind]++;
	if (is_kept) {
		t->mark[t->n_marks++] = m;
	} else if (half) {
		struct track_series_mark *oldest =
			&t->mark[half + (before - half) % (t->n_marks - half)];

		track_column_more(t, oldest);
		*oldest = m;
	}
}

const struct track_series_mark *track_series_mark_at(const struct track_series *t, uint32_t i)
{
	uint64_t all = marks_of(t);
	uint32_t half = t->n_marks / 2, ring = t->n_marks - half;

	if (i >= t->n_marks)
		return NULL;
	if (i < half || all == t->n_marks)
		return &t->mark[i];
	return &t->mark[half + (all - half + i - half) % ring];
}

/* Packets */

struct track_series *track_series_new(struct track_series_room *all, uint64_t psn)
{
	struct track_series *t = g_new0(struct track_series, 1);

	t->all = all;
	if (!track_column_begin(t)) {
		all->left_out++;
		g_free(t);
		return NULL;
	}
	t->interval_ns = TRACK_SERIES_NS;
	t->base = psn;
	t->response_high = TRACK_SERIES_NONE;
	t->run.key = TRACK_RUN_NONE;
	return t;
}

/* When its copy before was sent; 0: not known. */
static uint64_t sent_before(const struct track_dir *d, uint64_t psn)
{
	const struct track_request *q = d->requests ? track_requests_find(d->requests, psn) : NULL;

	return q ? q->last_ns : 0;
}

/* What is not in order, or no more. */
static __attribute__((noinline)) void odd(struct track_series *t, const struct track_dir *d,
					  const struct track_packet *p, uint64_t psn,
					  enum track_psn_class class)
{
	uint32_t timeouts = track_watched(d)->timeouts;

	if (class == TRACK_PSN_RESTART) {
		track_column_settle(t);
		t->passed = 0;
	} else if (class == TRACK_PSN_AHEAD) {
		track_series_mark(t, TRACK_SERIES_MARK_GAP, &p->at,
				  track_series_since(t, d->psns.next), 0);
	}
	if (timeouts > t->timeouts)
		track_series_mark(t, TRACK_SERIES_MARK_TIMER, &p->at, track_series_since(t, psn),
				  sent_before(d, psn));
	t->timeouts = timeouts;
}

/* The next request goes on with it, if it is the one after it. */
static inline void open_window(struct track_series *t, const struct track_packet *p)
{
	t->run.window_ns = p->at.time_ns;
	t->run.window = MIN(t->begin_ns + t->length_ns - p->at.time_ns, TRACK_LADDER_GAP_NS + 1);
}

static __attribute__((noinline)) void request(struct track_series_room *all, struct track_qp *qp,
					      const struct track_packet *p, uint64_t psn,
					      enum track_psn_class class)
{
	struct track_dir *d = &qp->dir[p->way];
	const bool again = class == TRACK_PSN_REPEAT;
	struct track_series *t = d->measure->series;
	unsigned int key = track_run_key(p);
	int32_t at;

	if (G_UNLIKELY(!t)) {
		if (d->request_packets == 1) /* else there was no room then */
			t = d->measure->series = track_series_new(all, psn);
		if (!t)
			return;
	}
	at = track_series_since(t, psn);
	track_column_put(track_column_count(t, &p->at, p->wire_len),
			 again ? TRACK_SERIES_AGAIN : TRACK_SERIES_FIRST, at);
	if (G_UNLIKELY(class != TRACK_PSN_NEXT))
		odd(t, d, p, psn, class);
	if (G_UNLIKELY(track_is_marked(p)) && !t->marks[TRACK_SERIES_MARK_CE])
		track_series_mark(t, TRACK_SERIES_MARK_CE, &p->at, at, 0);
	key += again && key ? TRACK_RUN_AGAIN : 0;
	if (class != TRACK_PSN_AHEAD && goes_on(&t->run, p, key, psn)) {
		track_column_settle_run(t);
		track_run_go_on(&t->run, p, psn);
		t->run.window = 0;
	} else {
		begin(t, p, again ? TRACK_RUNG_AGAIN : TRACK_RUNG_FIRST, key, psn,
		      class == TRACK_PSN_AHEAD ? track_series_since(t, d->psns.next)
					       : TRACK_SERIES_NONE);
	}
	if (!again && class != TRACK_PSN_FILL)
		open_window(t, p);
}

void track_series_any_request(struct track_series_room *all, struct track_qp *qp,
			      const struct track_packet *p, uint64_t psn,
			      enum track_psn_class class)
{
	struct track_series *t = qp->dir[p->way].measure->series;
	unsigned int key = track_run_key(p);

	if (G_LIKELY(t && class == TRACK_PSN_NEXT && is_simple(t, p, key) && !track_is_marked(p))) {
		track_column_put(&t->open, TRACK_SERIES_FIRST, track_series_since(t, psn));
		simple(t, p, TRACK_RUNG_FIRST, key, psn);
		open_window(t, p);
		return;
	}
	request(all, qp, p, psn, class);
}

static enum track_series_mark_kind kind_of(uint8_t syndrome)
{
	if (IBW_AETH_TYPE(syndrome) == IBW_AETH_TYPE_RNR)
		return TRACK_SERIES_MARK_RNR;
	return syndrome == IBW_AETH_NAK_PSN_SEQUENCE ? TRACK_SERIES_MARK_NAK
						     : TRACK_SERIES_MARK_REFUSED;
}

static __attribute__((noinline)) void nak(struct track_series *t, const struct track_packet *p,
					  uint64_t psn)
{
	int32_t at = track_series_since(t, psn);

	track_series_mark(t, kind_of(p->syndrome), &p->at, at, 0);
	begin(t, p, TRACK_RUNG_NAK, TRACK_RUN_ALONE, psn, TRACK_SERIES_NONE);
	track_ladder_end_nak(t, p, at);
}

static void ack(struct track_series *t, const struct track_packet *p, uint64_t psn)
{
	if (goes_on(&t->run, p, TRACK_RUN_ACK, psn)) {
		track_run_go_on(&t->run, p, psn);
		t->run.acks++;
	} else {
		begin(t, p, TRACK_RUNG_ACK, TRACK_RUN_ACK, psn, TRACK_SERIES_NONE);
		t->run.acks = 1;
	}
}

static void response(struct track_series *t, const struct track_watch *w,
		     const struct track_packet *p, uint64_t psn, int32_t at)
{
	int32_t missing = TRACK_SERIES_NONE;

	if (w && G_UNLIKELY(w->response_gaps != t->response_gaps)) {
		missing = t->response_high + 1;
		t->response_gaps = w->response_gaps;
	}
	t->response_high = MAX(t->response_high, at);
	if (missing == TRACK_SERIES_NONE && goes_on(&t->run, p, TRACK_RUN_RESPONSE, psn))
		track_run_go_on(&t->run, p, psn);
	else
		begin(t, p, TRACK_RUNG_RESPONSE, TRACK_RUN_RESPONSE, psn, missing);
}

static __attribute__((noinline)) void over(struct track_series *t, const struct track_dir *d,
					   const struct track_packet *p)
{
	uint64_t frame, begin_frame, ns;

	if (track_incident_is_over(d, p->at.frame, &frame, &begin_frame, &ns))
		track_ladder_over(t, frame, begin_frame, ns);
}

static __attribute__((noinline)) void answer(struct track_qp *qp, const struct track_packet *p,
					     uint64_t psn)
{
	struct track_dir *d = &qp->dir[!p->way];
	struct track_series *t = d->measure->series;
	struct track_column *c = track_column_count(t, &p->at, p->wire_len);
	int32_t at = track_series_since(t, psn);

	t->passed = MAX(t->passed, track_passed(d));
	t->is_answered = true;
	if (TRACK_OPERATION(p->opcode) != IBW_OP_RC_ACKNOWLEDGE) {
		track_column_put(c, TRACK_SERIES_RESPONSE, at);
		response(t, qp->dir[p->way].watch, p, psn, at);
	} else if (G_UNLIKELY(track_is_nak(p))) {
		nak(t, p, psn);
	} else {
		ack(t, p, psn);
	}
	if (G_UNLIKELY(d->trouble))
		over(t, d, p);
}

void track_series_answer(struct track_qp *qp, const struct track_packet *p, uint64_t psn)
{
	struct track_dir *d = &qp->dir[!p->way];
	struct track_series *t = d->measure->series;
	const struct track_watch *w = qp->dir[p->way].watch;
	const bool is_ack = TRACK_OPERATION(p->opcode) == IBW_OP_RC_ACKNOWLEDGE;
	const unsigned int key = is_ack ? TRACK_RUN_ACK : TRACK_RUN_RESPONSE;
	int32_t at;

	if (G_UNLIKELY(!t))
		return;
	if (G_UNLIKELY(!is_simple(t, p, key) || d->trouble || track_is_nak(p) ||
		       (w && w->response_gaps != t->response_gaps))) {
		answer(qp, p, psn);
		return;
	}
	t->passed = MAX(t->passed, track_passed(d));
	t->is_answered = true;
	t->run.acks = 1;
	if (!is_ack) {
		at = track_series_since(t, psn);
		track_column_put(&t->open, TRACK_SERIES_RESPONSE, at);
		t->response_high = MAX(t->response_high, at);
	}
	simple(t, p, is_ack ? TRACK_RUNG_ACK : TRACK_RUNG_RESPONSE, key, psn);
}

void track_series_cnp(struct track_dir *d, const struct track_packet *p)
{
	struct track_series *t = series_of(d);

	if (t)
		track_series_mark(t, TRACK_SERIES_MARK_CNP, &p->at, TRACK_SERIES_NONE, 0);
}

void track_series_cm(struct track_qp *qp, const struct track_at *at)
{
	unsigned int way;

	for (way = 0; way < TRACK_WAYS; way++) {
		struct track_series *t = series_of(&qp->dir[way]);

		if (t)
			track_series_mark(t, TRACK_SERIES_MARK_CM, at, TRACK_SERIES_NONE, 0);
	}
}

void track_series_free(struct track_series *t)
{
	if (!t)
		return;
	t->all->used -= t->marks_room * sizeof(*t->mark);
	track_ladder_free(t);
	track_column_free(t);
	g_free(t->mark);
	g_free(t);
}

/* Whoever asks */

void track_qps_want_series(struct track_qps *s)
{
	track_qps_want_measures(s);
	if (s->series)
		return;
	s->series = g_new0(struct track_series_room, 1);
	s->series->most = MIN(TRACK_SERIES_BYTES, s->memory.max / TRACK_SERIES_SHARE);
	s->series->columns = TRACK_SERIES_COLUMNS;
}

const struct track_series *track_dir_series(const struct track_dir *d)
{
	return series_of(d);
}

const struct track_series_room *track_qps_series(const struct track_qps *s)
{
	return s->series;
}

uint64_t track_series_left_out(const struct track_series_room *all)
{
	return all ? all->left_out : 0;
}

bool track_series_is_short(const struct track_series_room *all)
{
	return all && all->columns < TRACK_SERIES_COLUMNS;
}
