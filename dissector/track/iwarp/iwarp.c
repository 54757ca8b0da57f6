/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iwarp.c - assigns TCP segments to iWARP connections, from their beginning to their end. */
#include <string.h>

#include <glib.h>

#include <ibwire/cm.h>
#include <ibwire/ibwire.h>

#include "impl.h"
#include "track/base/table.h"

struct track_iwarp *track_iwarp_new(struct track_events *events)
{
	struct track_iwarp *t = g_new0(struct track_iwarp, 1);

	t->candidates = track_tcp_candidates_new();
	t->conns = track_table_new_apart(sizeof(struct track_tcp_ends),
					 sizeof(struct track_iwarp_conn), TRACK_IWARP_MAX);
	t->events = events;
	t->told = g_array_new(FALSE, FALSE, sizeof(struct track_event));
	return t;
}

void track_iwarp_want_commands(struct track_iwarp *t, struct track_ulps *ulps)
{
	t->ulps = ulps;
}

void track_iwarp_want_messages(struct track_iwarp *t, struct track_messages *read)
{
	t->read = read;
}

/* What it keeps apart from itself. */
static void empty(struct track_iwarp *t, struct track_iwarp_conn *c)
{
	unsigned int i;

	for (i = 0; i < 2; i++) {
		track_tcp_end(&c->dir[i].tcp, &t->memory);
		track_iwarp_forget_bytes(t, &c->dir[i]);
		g_free(c->dir[i].recent);
		g_free(c->dir[i].asks);
		g_free(c->dir[i].odd);
		track_series_free(c->dir[i].series);
		track_stall_forget(&c->dir[i]);
		c->dir[i].recent = NULL;
		c->dir[i].asks = NULL;
		c->dir[i].odd = NULL;
		c->dir[i].series = NULL;
	}
	track_busy_free(&t->busy, c->busy);
	c->busy = NULL;
}

static void free_records(struct track_iwarp *t)
{
	unsigned int i;

	for (i = 0; t->records && i < t->records->len; i++) {
		struct track_iwarp_conn *c =
			&g_array_index(t->records, struct track_iwarp_record, i).conn;

		track_series_free(c->dir[0].series);
		track_series_free(c->dir[1].series);
		track_busy_free(&t->busy, c->busy);
	}
	if (t->records)
		g_array_free(t->records, TRUE);
	g_free(t->series);
}

void track_iwarp_free(struct track_iwarp *t)
{
	struct track_iwarp_conn *c = NULL;

	if (!t)
		return;
	while ((c = track_table_next(t->conns, c)))
		empty(t, c);
	track_table_free(t->conns);
	track_tcp_candidates_free(t->candidates);
	g_array_free(t->told, TRUE);
	track_stalls_free(t->stalls);
	if (t->shown)
		g_array_free(t->shown, TRUE);
	if (t->of)
		g_array_free(t->of, TRUE);
	if (t->octets)
		g_byte_array_free(t->octets, TRUE);
	free_records(t);
	g_free(t);
}

static struct track_iwarp_x at_hand(struct track_iwarp *t, struct track_iwarp_conn *c,
				    unsigned int side, const struct track_at *at)
{
	struct track_iwarp_x x = { .t = t, .c = c, .side = side, .at = at, .frame = at->frame };

	memcpy(&x.ends, track_table_key(t->conns, c), sizeof(x.ends));
	return x;
}

/* For whoever lists connections: its series and its intervals are the record's. */
static void record(struct track_iwarp *t, struct track_iwarp_conn *c)
{
	struct track_iwarp_record r = { .conn = *c };
	unsigned int i;

	if (!t->records)
		return;
	if (t->records->len >= TRACK_IWARP_RECORDS_MAX) {
		t->unlisted++;
		return;
	}
	memcpy(&r.ends, track_table_key(t->conns, c), sizeof(r.ends));
	for (i = 0; i < 2; i++) {
		r.conn.dir[i].tcp.late = NULL;
		r.conn.dir[i].kept = NULL;
		r.conn.dir[i].recent = NULL;
		r.conn.dir[i].asks = NULL;
		r.conn.dir[i].odd = NULL;
		r.conn.dir[i].stall = NULL;
		c->dir[i].series = NULL;
	}
	c->busy = NULL;
	g_array_append_val(t->records, r);
}

/* What is after holes, and what may be said now that no more comes. */
static void finish(struct track_iwarp *t, struct track_iwarp_conn *c, const struct track_at *at,
		   bool over)
{
	struct track_tcp_read r;
	struct track_tcp_run run;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		struct track_iwarp_x x = at_hand(t, c, i, at);

		track_stall_end(&x);
		track_tcp_read_rest(&r, &c->dir[i].tcp, &t->memory);
		while (track_tcp_next(&r, &run)) {
			track_iwarp_waited(&x, &run);
			track_iwarp_bytes(&x, &run);
		}
		track_iwarp_last_bytes(&x);
	}
	for (i = 0; i < 2; i++) {
		struct track_iwarp_x x = at_hand(t, c, i, at);

		track_iwarp_say_unanswered(&x, over);
		track_iwarp_say_unfinished(&x);
		track_iwarp_say_silent(&x, over);
		track_iwarp_say_odd(&x);
		track_iwarp_upper_lacks(&x);
	}
	if (!c->is_iwarp)
		return;
	t->n++;
	t->rejected += track_iwarp_state(c) == TRACK_IWARP_REJECTED;
	record(t, c);
	if (t->stalls)
		track_stalls_end(t->stalls, c);
}

static void forget(struct track_iwarp *t, struct track_iwarp_conn *c)
{
	struct track_tcp_ends ends;

	if (t->now.conn == c)
		t->now.conn = NULL;
	memcpy(&ends, track_table_key(t->conns, c), sizeof(ends));
	empty(t, c);
	track_tcp_unwatch(t->candidates, &ends);
	track_table_remove(t->conns, c);
}

/* The one that was not used for the longest makes room. */
static void evict(struct track_iwarp *t, const struct track_at *at)
{
	struct track_iwarp_conn *c = track_table_oldest(t->conns);

	t->evicted += c->is_iwarp;
	finish(t, c, at, true);
	forget(t, c);
}

/* With its MPA frame, or in the middle. */
static void begin_dir(struct track_iwarp_dir *d, uint32_t seq, bool syn, bool at_start)
{
	track_tcp_begin(&d->tcp, seq, syn);
	d->phase = at_start ? TRACK_IWARP_START : TRACK_IWARP_LOST;
	if (!at_start)
		track_iwarp_touch(d);
}

static struct track_iwarp_conn *begin(struct track_iwarp *t, const struct track_tcp_ends *ends,
				      unsigned int side, const struct track_at *at)
{
	struct track_iwarp_conn *c;

	if (track_table_full(t->conns))
		evict(t, at);
	c = track_table_add(t->conns, ends);
	track_tcp_watch(t->candidates, ends);
	c->number = t->begun++;
	c->first_frame = at->frame;
	c->first_ns = at->time_ns;
	c->first_side = (uint8_t)side;
	c->opener = 2;
	return c;
}

/* The SYNs that the candidate had, if there is one. */
static struct track_iwarp_conn *promote(struct track_iwarp *t, const struct track_tcp_ends *ends,
					unsigned int side, struct track_tcp_candidate *candidate,
					const struct track_at *at)
{
	struct track_iwarp_conn *c = begin(t, ends, side, at);
	unsigned int i;

	if (!candidate)
		return c;
	for (i = 0; i < 2; i++) {
		if (candidate->syn[i])
			begin_dir(&c->dir[i], candidate->seq[i], true, true);
		c->dir[i].mss = candidate->mss[i];
	}
	if (candidate->first_frame) {
		c->first_frame = candidate->first_frame;
		c->first_ns = candidate->first_ns;
		c->first_side = candidate->first_side;
		c->round_ns = candidate->round_ns;
	}
	track_tcp_candidate_drop(t->candidates, candidate);
	return c;
}

/* FPDUs in a row from the beginning of the segment, or where the last ones ended: whether there are enough. */
static bool fits(struct track_tcp_candidate *c, unsigned int side,
		 const struct track_tcp_segment *s)
{
	uint32_t at = c->fitting[side] ? c->seq[side] - s->seq : 0, length;

	if (c->fitting[side] && at >= s->n)
		return false;
	while (at < s->n && s->n - at >= 4 && track_iwarp_is_control(s->p + at + 2)) {
		length = ibw_get_be16(s->p + at);
		if (length < ibw_ddp_tagged_BYTES)
			break;
		at += ibw_fpdu_content(length);
		c->seq[side] = s->seq + at;
		if (++c->fitting[side] >= TRACK_TCP_FITTING)
			return true;
	}
	if (at < s->n)
		c->fitting[side] = 0;
	return false;
}

/* Of one that is sent again the time counts: what answers it comes after. */
static void with_syn(struct track_tcp_candidate *c, unsigned int side, uint16_t mss,
		     const struct track_tcp_segment *s, const struct track_at *at)
{
	c->syn[side] = true;
	c->seq[side] = s->seq + 1;
	c->mss[side] = mss;
	if (!c->first_frame) {
		c->first_frame = at->frame;
		c->first_ns = at->time_ns;
		c->first_side = (uint8_t)side;
	}
	if (c->first_side == side)
		c->syn_ns = at->time_ns;
}

static void measure_round(struct track_tcp_candidate *c, unsigned int side,
			  const struct track_at *at)
{
	if (c->first_frame && c->first_side == side && c->syn[!side] && !c->round_ns &&
	    at->time_ns > c->syn_ns)
		c->round_ns = at->time_ns - c->syn_ns;
}

/* A port that RDMA alone uses is closed: those of NVMe over Fabrics and iSER serve plain TCP, too. */
static void say_refused(struct track_iwarp *t, const struct track_tcp_ends *ends, unsigned int side,
			const struct track_tcp_candidate *c, const struct track_at *at)
{
	const struct track_iwarp_x x = { .t = t, .ends = *ends, .side = side, .at = at };
	const uint16_t port = ends->port[side];
	struct track_event *e;

	if (!c->syn[!side] || c->syn[side] ||
	    (port != IBW_CM_PORT_NFS && port != IBW_CM_PORT_SMB_DIRECT_IWARP))
		return;
	e = track_iwarp_say(&x, TRACK_EVENT_IWARP_REFUSED);
	if (e)
		e->number[TRACK_IWARP_REFUSED_port] = port;
}

/* A segment that is of no connection yet; NULL: it begins none. */
static struct track_iwarp_conn *of_none(struct track_iwarp *t, const struct ibw_packet *pkt,
					const struct track_tcp_ends *ends, unsigned int side,
					const struct track_tcp_segment *s,
					const struct track_at *at)
{
	struct track_tcp_candidate *c = track_tcp_candidate_of(t->candidates, ends);

	if (s->flags & TRACK_TCP_SYN) {
		if (!c || (c->syn[side] && c->seq[side] != s->seq + 1))
			c = track_tcp_candidate_add(t->candidates, ends);
		with_syn(c, side, track_tcp_mss(pkt), s, at);
		return NULL;
	}
	if (c)
		measure_round(c, side, at);
	if (c && s->flags & TRACK_TCP_RST)
		say_refused(t, ends, side, c, at);
	if (!s->n)
		return NULL;
	if (pkt->proto == IBW_PROTO_IWARP)
		return promote(t, ends, side, c, at);
	if (c && c->syn[side]) {
		if (s->seq != c->seq[side] || s->p[0] == 'M' ||
		    track_iwarp_is_nearly_start(s->p, s->n))
			return promote(t, ends, side, c, at);
		track_tcp_candidate_drop(t->candidates, c);
		return NULL;
	}
	if (!c)
		c = track_tcp_candidate_add(t->candidates, ends);
	if (fits(c, side, s))
		return promote(t, ends, side, c, at);
	if (!c->fitting[0] && !c->fitting[1])
		track_tcp_candidate_drop(t->candidates, c);
	return NULL;
}

/* A SYN that is not that of the connection: the ports are in use again. */
static bool is_new(const struct track_iwarp_dir *d, const struct track_tcp_segment *s)
{
	return s->flags & TRACK_TCP_SYN && d->tcp.begun &&
	       (!d->tcp.syn || d->tcp.first != s->seq + 1);
}

/* Whether a direction that has no data yet may still begin with its MPA frame: the other one has. */
static bool is_unbegun(const struct track_iwarp_x *x, const struct track_tcp_segment *s)
{
	const struct track_iwarp_dir *other = &x->c->dir[!x->side];

	return !s->n && (other->phase == TRACK_IWARP_START || other->counts.fpdus == 0) &&
	       other->start.frame && !other->start.reply;
}

static bool go_on(struct track_iwarp_x *x, const struct ibw_packet *pkt,
		  const struct track_tcp_segment *s)
{
	struct track_iwarp_dir *d = track_iwarp_dir_of(x), *other = track_iwarp_other_of(x);
	struct track_tcp_read r;
	struct track_tcp_run run;
	enum track_tcp_was was;
	uint64_t place;

	bool syn = s->flags & TRACK_TCP_SYN, finished;

	if (!d->tcp.begun)
		begin_dir(d, s->seq + syn, syn,
			  syn || pkt->proto == IBW_PROTO_IWARP || is_unbegun(x, s));
	if (syn) {
		d->mss = track_tcp_mss(pkt);
		return true;
	}
	x->all_before = !(s->flags & TRACK_TCP_ACK) ||
			(other->tcp.begun &&
			 (int32_t)(s->ack - other->tcp.next) <= (int32_t)other->tcp.finished);
	if (s->flags & TRACK_TCP_ACK) {
		track_tcp_acknowledged(&other->tcp, s->ack);
		track_iwarp_acknowledged(x, s);
		d->window = s->window;
	}
	if (s->flags & TRACK_TCP_RST && !x->c->reset) {
		x->c->reset = true;
		track_iwarp_say_close(x, TRACK_IWARP_CLOSE_RST);
	}
	x->hole_at = d->tcp.place;
	finished = d->tcp.finished;
	was = track_tcp_read(&r, &d->tcp, &x->t->memory, s, x->at->frame);
	if (d->tcp.finished != finished)
		track_iwarp_say_close(x, TRACK_IWARP_CLOSE_FIN);
	place = track_tcp_place_of(&d->tcp, s->seq);
	track_iwarp_count(x, s, pkt, was);
	while (track_tcp_next(&r, &run)) {
		track_iwarp_waited(x, &run);
		track_iwarp_bytes(x, &run);
	}
	track_iwarp_say_held(x);
	track_iwarp_follow_hole(x);
	if (x->t->stalls && was != TRACK_TCP_NOTHING && was != TRACK_TCP_DAMAGED)
		track_stall_follow(x, s, place);
	if (track_tcp_is_finished(&d->tcp))
		track_iwarp_last_bytes(x);
	if (track_tcp_is_finished(&d->tcp) || x->c->reset || d->terminated)
		track_iwarp_upper_closes(x);
	if (x->c->reset || (track_tcp_is_finished(&d->tcp) && track_tcp_is_finished(&other->tcp)))
		track_iwarp_messages_over(x);
	return !x->drop;
}

void track_iwarp_packet(struct track_iwarp *t, const struct ibw_packet *pkt,
			const struct track_at *at)
{
	struct track_iwarp_conn *c;
	struct track_tcp_segment s;
	struct track_tcp_ends ends;
	struct track_iwarp_x x;
	unsigned int side;

	t->now = (struct track_iwarp_now){ .frame = at->frame };
	if (t->shown) {
		g_array_set_size(t->shown, 0);
		g_array_set_size(t->of, 0);
	}
	if (t->octets)
		g_byte_array_set_size(t->octets, 0);
	if (pkt->net == IBW_NO_SPAN || !track_tcp_segment_of(pkt, &s))
		return;
	side = track_tcp_ends_of(pkt, &ends);
	c = track_table_get(t->conns, &ends);
	if (c && is_new(&c->dir[side], &s)) {
		finish(t, c, at, true);
		forget(t, c);
		c = NULL;
	}
	if (!c)
		c = of_none(t, pkt, &ends, side, &s, at);
	if (!c)
		return;
	t->now.conn = c;
	t->now.ends = ends;
	t->now.side = side;
	s.damaged = track_tcp_is_damaged(pkt, &s);
	s.ns = at->time_ns;
	c->last_frame = at->frame;
	c->last_ns = MAX(c->last_ns, at->time_ns);
	x = at_hand(t, c, side, at);
	x.data = pkt->data;
	x.n_data = pkt->caplen;
	x.wire_len = pkt->len;
	if (!go_on(&x, pkt, &s))
		forget(t, c);
	while (t->memory.used > TRACK_IWARP_KEPT_MAX && track_table_count(t->conns))
		evict(t, at);
}

bool track_iwarp_finish(struct track_iwarp *t, const struct track_at *last)
{
	struct track_iwarp_conn *c = track_table_next(t->conns, NULL), *next;

	for (; c; c = next) {
		if (t->events && track_events_room(t->events) < TRACK_EVENTS_MAX / 2)
			return false;
		next = track_table_next(t->conns, c);
		finish(t, c, last, false);
		forget(t, c);
	}
	track_iwarp_say_crc_off(t);
	if (t->stalls)
		track_stalls_sort(t->stalls);
	return true;
}

uint64_t track_iwarp_evicted(const struct track_iwarp *t)
{
	return t->evicted;
}

void track_iwarp_want_records(struct track_iwarp *t)
{
	if (!t->records)
		t->records = g_array_new(FALSE, FALSE, sizeof(struct track_iwarp_record));
}

void track_iwarp_want_stalls(struct track_iwarp *t)
{
	if (!t->stalls)
		t->stalls = track_stalls_new();
}

void track_iwarp_want_series(struct track_iwarp *t)
{
	if (!t->series)
		t->series = track_octets_room_new();
}

void track_iwarp_want_busy(struct track_iwarp *t, uint64_t interval_ns)
{
	track_busy_want(&t->busy, interval_ns);
}

const struct track_iwarp_record *track_iwarp_records(const struct track_iwarp *t, unsigned int *n)
{
	*n = t->records ? t->records->len : 0;
	return *n ? &g_array_index(t->records, struct track_iwarp_record, 0) : NULL;
}
