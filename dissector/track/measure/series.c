/* SPDX-License-Identifier: GPL-2.0-or-later */
/* series.c - what packets say of a series: its columns, its marks, its runs. */
#include <string.h>

#include "measure.h"
#include "series_impl.h"
#include "track/incident/incident_impl.h"

const char *const track_series_names[TRACK_SERIES_OFS] = {
#define TRACK_SERIES_OF(id, name) [TRACK_SERIES_##id] = name,
#include "series.def"
};

const char *const track_series_mark_names[TRACK_SERIES_MARK_KINDS] = {
#define TRACK_SERIES_MARK(id, name) [TRACK_SERIES_MARK_##id] = name,
#include "series.def"
};

static struct track_series *series_of(const struct track_dir *d)
{
	return d->measure ? d->measure->series : NULL;
}

/* That of a packet, which is counted in it. */
static inline struct track_column *count(struct track_qps *s, struct track_series *t,
					 const struct track_packet *p)
{
	struct track_column *c = &t->open;

	if (G_UNLIKELY(p->at.time_ns < t->begin_ns || p->at.time_ns >= t->end_ns))
		track_column_open(s, t, p->at.time_ns);
	if (!c->first_frame || p->at.frame < c->first_frame)
		c->first_frame = p->at.frame;
	c->packets++;
	c->wire_bytes += p->wire_len;
	return c;
}

/* Since the first request; further away than can be is as far as can be. */
static int32_t since_base(const struct track_series *t, uint64_t psn)
{
	int64_t far = (int64_t)(psn - t->base);

	return (int32_t)CLAMP(far, INT32_MIN + 1, INT32_MAX);
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
static void mark(struct track_series *t, enum track_series_mark_kind kind,
		 const struct track_packet *p, int32_t psn, uint64_t since_ns)
{
	const struct track_series_mark m = { .frame = p->at.frame,
					     .time_ns = p->at.time_ns,
					     .since_ns = since_ns,
					     .psn = psn,
					     .kind = (uint8_t)kind };
	const uint64_t before = marks_of(t);
	const bool is_kept = has_marks_room(t);
	uint32_t half = t->n_marks / 2;

	t->marks[kind]++;
	if (is_kept)
		t->mark[t->n_marks++] = m;
	else if (half)
		t->mark[half + (before - half) % (t->n_marks - half)] = m;
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

static struct track_series *new_series(struct track_qps *s, uint64_t psn)
{
	struct track_series *t = g_new0(struct track_series, 1);

	t->all = s->series;
	if (!track_column_begin(s, t)) {
		s->series->left_out++;
		g_free(t);
		return NULL;
	}
	t->interval_ns = TRACK_SERIES_NS;
	t->base = psn;
	t->covered = t->response_high = TRACK_SERIES_NONE;
	return t;
}

/* When its copy before was sent; 0: not known. */
static uint64_t sent_before(const struct track_dir *d, uint64_t psn)
{
	const struct track_request *q = d->requests ? track_requests_find(d->requests, psn) : NULL;

	return q ? q->last_ns : 0;
}

void track_series_request(struct track_qps *s, struct track_qp *qp, const struct track_packet *p,
			  uint64_t psn, enum track_psn_class class)
{
	struct track_dir *d = &qp->dir[p->way];
	enum track_series_of of =
		class == TRACK_PSN_REPEAT ? TRACK_SERIES_AGAIN : TRACK_SERIES_FIRST;
	struct track_series *t = series_of(d);
	struct track_column *c;
	int32_t at;

	if (!t && d->request_packets == 1) /* else there was no room then */
		t = d->measure->series = new_series(s, psn);
	if (!t)
		return;
	if (G_UNLIKELY(class == TRACK_PSN_RESTART))
		t->covered = TRACK_SERIES_NONE;
	at = since_base(t, psn);
	c = count(s, t, p);
	track_column_take(&c->low[of], &c->high[of], at, at);
	if (G_UNLIKELY(class == TRACK_PSN_AHEAD))
		mark(t, TRACK_SERIES_MARK_GAP, p, since_base(t, d->psns.next), 0);
	if (G_UNLIKELY(track_watched(d)->timeouts > t->timeouts))
		mark(t, TRACK_SERIES_MARK_TIMER, p, at, sent_before(d, psn));
	t->timeouts = track_watched(d)->timeouts;
	if (G_UNLIKELY(track_is_marked(p)) && !t->marks[TRACK_SERIES_MARK_CE])
		mark(t, TRACK_SERIES_MARK_CE, p, at, 0);
	track_ladder_add(t, p, of == TRACK_SERIES_AGAIN ? TRACK_RUNG_AGAIN : TRACK_RUNG_FIRST, at,
			 class == TRACK_PSN_AHEAD ? since_base(t, d->psns.next)
						  : TRACK_SERIES_NONE);
}

static enum track_series_mark_kind kind_of(uint8_t syndrome)
{
	if (IBW_AETH_TYPE(syndrome) == IBW_AETH_TYPE_RNR)
		return TRACK_SERIES_MARK_RNR;
	return syndrome == IBW_AETH_NAK_PSN_SEQUENCE ? TRACK_SERIES_MARK_NAK
						     : TRACK_SERIES_MARK_REFUSED;
}

void track_series_answer(struct track_qps *s, struct track_qp *qp, const struct track_packet *p,
			 uint64_t psn)
{
	struct track_dir *d = &qp->dir[!p->way];
	struct track_series *t = series_of(d);
	const bool is_ack = TRACK_OPERATION(p->opcode) == IBW_OP_RC_ACKNOWLEDGE;
	const bool is_nak = track_is_nak(p);
	uint64_t frame, begin_frame, ns;
	struct track_column *c;
	uint32_t gaps;
	int32_t at;

	if (!t)
		return;
	at = since_base(t, psn);
	c = count(s, t, p);
	if (!is_ack)
		track_column_take(&c->low[TRACK_SERIES_RESPONSE], &c->high[TRACK_SERIES_RESPONSE],
				  at, at);
	if (track_passed(d) > t->base)
		t->covered = MAX(t->covered, since_base(t, track_passed(d) - 1));
	c->covered = MAX(c->covered, t->covered);
	if (G_UNLIKELY(is_nak))
		mark(t, kind_of(p->syndrome), p, at, 0);
	gaps = track_watched(&qp->dir[p->way])->response_gaps;
	track_ladder_add(t, p,
			 is_nak   ? TRACK_RUNG_NAK
			 : is_ack ? TRACK_RUNG_ACK
				  : TRACK_RUNG_RESPONSE,
			 at, gaps > t->response_gaps ? t->response_high + 1 : TRACK_SERIES_NONE);
	t->response_gaps = gaps;
	if (!is_ack)
		t->response_high = MAX(t->response_high, at);
	if (track_incident_is_over(d, p->at.frame, &frame, &begin_frame, &ns))
		track_ladder_over(t, frame, begin_frame, ns);
}

void track_series_cnp(struct track_dir *d, const struct track_packet *p)
{
	struct track_series *t = series_of(d);

	if (t)
		mark(t, TRACK_SERIES_MARK_CNP, p, TRACK_SERIES_NONE, 0);
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

uint64_t track_qps_series_left_out(const struct track_qps *s)
{
	return s->series ? s->series->left_out : 0;
}

bool track_qps_series_is_short(const struct track_qps *s)
{
	return s->series && s->series->columns < TRACK_SERIES_COLUMNS;
}
