/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stall.c - follows octets of an iWARP connection that are missing or not acknowledged until they arrive.
 *
 * A direction has at most one open. One of missing octets begins with the lowest hole and ends when that is filled; it is none if what
 * fills it was not retransmitted, or the other end had it before. One of octets that the capture has begins with the first
 * retransmission and ends when all is acknowledged that was sent by then. Retransmissions after the end that go upwards, up to
 * what had been sent when it began, belong to it.
 */
#include <stdlib.h>
#include <string.h>

#include <glib.h>

#include "impl.h"
#include "stall.h"

/* An original that comes late may be that of so many before. */
#define LATE_BACK 8u

/* Of a connection that is over. */
struct over {
	uint64_t conn, first_frame;
	uint32_t rank;
	uint8_t opener;
};

struct track_stalls {
	GArray *list; /* struct track_stall */
	GArray *over; /* struct over */
	uint64_t more;
};

/* Of a direction. */
struct track_stall_now {
	struct track_stall is;
	uint64_t
		until; /* the place after what is missing, or after all that has to be acknowledged */
	uint64_t top,
		next; /* places: after the highest sent when it was first retransmitted; after the last retransmission */
	uint64_t over_ns; /* when the one before ended */
	uint64_t dup_frame,
		dup_ns; /* first duplicate of the last acknowledgement; frame 0: there was none */
	uint64_t lacks_from, lacks_to; /* octets that were given up: the capture has no copy */
	uint32_t last; /* 1 and the number of the one before; 0: there is none, or it is not kept */
	bool open;
	bool goes_on; /* what is retransmitted may belong to the one before */
};

struct track_stalls *track_stalls_new(void)
{
	struct track_stalls *stalls = g_new0(struct track_stalls, 1);

	stalls->list = g_array_new(FALSE, FALSE, sizeof(struct track_stall));
	stalls->over = g_array_new(FALSE, FALSE, sizeof(struct over));
	return stalls;
}

void track_stalls_free(struct track_stalls *stalls)
{
	if (!stalls)
		return;
	g_array_free(stalls->list, TRUE);
	g_array_free(stalls->over, TRUE);
	g_free(stalls);
}

static struct track_stall_now *now_of(struct track_iwarp_dir *d)
{
	if (!d->stall)
		d->stall = g_new0(struct track_stall_now, 1);
	return d->stall;
}

void track_stall_forget(struct track_iwarp_dir *d)
{
	g_free(d->stall);
	d->stall = NULL;
}

static struct track_stall begun(const struct track_iwarp_x *x, uint64_t place)
{
	return (struct track_stall){ .ends = x->ends,
				     .conn = x->c->number,
				     .place = place,
				     .connection = TRACK_STALL_NO_CONNECTION,
				     .side = (uint8_t)x->side };
}

/* The lowest hole: the segment right after it shows it. */
static void open_hole(const struct track_iwarp_x *x, const struct track_tcp_after *after)
{
	const struct track_iwarp_dir *d = &x->c->dir[x->side];
	struct track_stall_now *now = d->stall;

	now->is = begun(x, d->tcp.place);
	now->is.octets = after->at - d->tcp.place;
	now->is.frame = now->is.last_frame = after->frame;
	now->is.time_ns = after->ns;
	now->is.start_ns = MAX(after->ns, now->over_ns);
	now->until = after->at;
	now->open = true;
}

static void take_notice(const struct track_iwarp_dir *d, struct track_stall_now *now)
{
	const bool is_it = now->dup_frame && d->acked == now->is.place;

	if (now->is.notice_frame || !is_it || (now->is.octets && now->dup_frame < now->is.frame))
		return;
	now->is.notice_frame = now->dup_frame;
	now->is.notice_ns = now->dup_ns;
}

static void keep(struct track_iwarp_x *x, struct track_stall_now *now)
{
	struct track_stalls *stalls = x->t->stalls;

	now->open = now->goes_on = false;
	if (!x->c->is_iwarp)
		return;
	now->over_ns = now->is.end_ns;
	if (stalls->list->len == TRACK_STALLS_MAX) {
		stalls->more++;
		return;
	}
	now->is.before = now->last;
	g_array_append_val(stalls->list, now->is);
	now->last = stalls->list->len;
	now->goes_on = true;
}

static void end_with(struct track_iwarp_x *x, struct track_stall_now *now)
{
	now->is.ended = true;
	now->is.end_frame = x->at->frame;
	now->is.end_ns = MAX(x->at->time_ns, now->is.start_ns);
	now->is.last_frame = x->at->frame;
	keep(x, now);
}

static bool is_duplicate(const struct track_iwarp_dir *sender, const struct track_iwarp_dir *acker,
			 const struct track_tcp_segment *s)
{
	return !s->bytes && !(s->flags & (TRACK_TCP_SYN | TRACK_TCP_FIN | TRACK_TCP_RST)) &&
	       s->window == acker->window &&
	       (sender->tcp.place > sender->acked || sender->tcp.late);
}

/* RFC 5681, 2, says which is a duplicate. */
void track_stall_acknowledged(struct track_iwarp_x *x, const struct track_tcp_segment *s,
			      uint64_t place)
{
	struct track_iwarp_dir *d = track_iwarp_other_of(x);
	struct track_iwarp_x sender = *x;
	struct track_stall_now *now = d->stall;

	sender.side = !x->side;
	if ((int64_t)(place - d->acked) > 0) {
		if (!now)
			return;
		now->dup_frame = 0;
		if (now->open && !now->is.octets && (int64_t)(place - now->until) >= 0)
			end_with(&sender, now);
	} else if (place == d->acked && is_duplicate(d, track_iwarp_dir_of(x), s)) {
		now = now_of(d);
		if (now->dup_frame)
			return;
		now->dup_frame = x->at->frame;
		now->dup_ns = x->at->time_ns;
		if (now->open)
			take_notice(d, now);
	}
}

/* With what was retransmitted last, which began before. */
static bool goes_on(const struct track_stall_now *now, uint64_t place)
{
	return now->goes_on && place >= now->next && place < now->top;
}

static void count(struct track_stall *is, const struct track_iwarp_x *x, uint32_t bytes)
{
	is->resent_packets++;
	is->resent_octets += bytes;
	is->last_frame = x->at->frame;
}

/* What is not acknowledged is retransmitted. Copies, where nothing tells them from that, come within a round trip. */
static bool is_beginning(const struct track_iwarp_x *x, uint64_t place, uint32_t bytes,
			 bool by_octets)
{
	const struct track_iwarp_dir *d = &x->c->dir[x->side];

	if (d->tcp.late || !x->c->dir[!x->side].tcp.begun || d->acked >= place + bytes)
		return false;
	if (!by_octets)
		return true;
	return d->acked >= place && x->c->round_ns &&
	       x->at->time_ns >= d->acked_ns + x->c->round_ns;
}

static void open_resent(const struct track_iwarp_x *x, uint64_t place)
{
	const struct track_iwarp_dir *d = &x->c->dir[x->side];
	const uint64_t root = MAX(place, d->acked), ns = x->at->time_ns;
	struct track_stall_now *now = d->stall;

	now->is = begun(x, root);
	now->is.frame = x->at->frame;
	now->is.time_ns = ns;
	now->is.start_ns = d->acked >= place ? MIN(MAX(d->acked_ns, now->over_ns), ns) : ns;
	now->is.copies = root < now->lacks_from || root >= now->lacks_to;
	now->until = d->tcp.place;
	now->open = true;
	take_notice(d, now);
}

void track_stall_resent(struct track_iwarp_x *x, const struct track_tcp_segment *s, uint64_t place,
			enum track_tcp_was was, bool by_octets)
{
	struct track_iwarp_dir *d = track_iwarp_dir_of(x);
	struct track_stall_now *now = now_of(d);
	struct track_stall *is = &now->is;

	if ((int64_t)place < 0) /* it begins before the capture does */
		return;
	if (!now->open && goes_on(now, place)) {
		count(&g_array_index(x->t->stalls->list, struct track_stall, now->last - 1), x,
		      s->bytes);
		now->next = place + s->bytes;
		return;
	}
	if (!now->open && !is_beginning(x, place, s->bytes, by_octets))
		return;
	if (!now->open)
		open_resent(x, place);
	if (!is->resent_packets)
		now->top = track_tcp_highest(&d->tcp);
	now->next = place + s->bytes;
	count(is, x, s->bytes);
	if (!is->octets)
		is->copies += place <= is->place && is->place < place + s->bytes;
	else if (was != TRACK_TCP_FILLS)
		return;
	if (is->resent_frame || place >= now->until || place + s->bytes <= is->place)
		return;
	is->resent_frame = x->at->frame;
	is->resent_ns = x->at->time_ns;
	is->resent_at = place;
	is->resent_to = place + s->bytes;
	is->resent_id = s->id;
}

/* A copy of the retransmission has its number, if it has any. */
static bool is_of(const struct track_stall *is, const struct track_tcp_segment *s, uint64_t place)
{
	return is->octets && is->resent_frame && (s->id != is->resent_id || !s->id) &&
	       (int64_t)(is->resent_to - place) > 0 &&
	       (int64_t)(place + s->bytes - is->resent_at) > 0;
}

void track_stall_late(struct track_iwarp_x *x, const struct track_tcp_segment *s, uint64_t place)
{
	struct track_stall_now *now = track_iwarp_dir_of(x)->stall;
	struct track_stall *is;
	unsigned int i;
	uint32_t at;

	if (!now)
		return;
	if (now->open)
		now->is.late |= is_of(&now->is, s, place);
	for (i = 0, at = now->last; at && i < LATE_BACK; i++, at = is->before) {
		is = &g_array_index(x->t->stalls->list, struct track_stall, at - 1);
		is->late |= is_of(is, s, place);
	}
}

/* The first octet that was missing. */
static void see_root(struct track_stall *is, const struct track_iwarp_x *x, uint64_t place,
		     uint32_t bytes)
{
	if (place > is->place || is->place >= place + bytes)
		return;
	is->copies++;
	if (!is->root_frame)
		is->root_frame = x->at->frame;
}

void track_stall_follow(struct track_iwarp_x *x, const struct track_tcp_segment *s, uint64_t place)
{
	struct track_iwarp_dir *d = track_iwarp_dir_of(x);
	struct track_stall_now *now = d->stall;
	struct track_tcp_after after;

	if (now && now->open && now->is.octets) {
		see_root(&now->is, x, place, s->bytes);
		if (d->tcp.place >= now->until && now->is.resent_frame && d->acked < now->until)
			end_with(x, now);
		else if (d->tcp.place >= now->until)
			now->open = false;
	}
	if (!track_tcp_after(&d->tcp, &after))
		return;
	now = now_of(d);
	if (!now->open)
		open_hole(x, &after);
}

void track_stall_given_up(struct track_iwarp_x *x)
{
	struct track_stall_now *now = track_iwarp_dir_of(x)->stall;

	if (!now || !now->open || !now->is.octets)
		return;
	now->lacks_from = now->is.place;
	now->lacks_to = now->until;
	now->open = false;
}

/* Nobody knows what became of a hole that nobody asked about. */
void track_stall_end(struct track_iwarp_x *x)
{
	const struct track_iwarp_dir *d = track_iwarp_dir_of(x);
	struct track_stall_now *now = d->stall;

	if (!now || !now->open)
		return;
	if (now->is.octets &&
	    (d->acked >= now->until || (!now->is.notice_frame && !now->is.resent_packets))) {
		now->open = false;
		return;
	}
	now->is.end_ns = MAX(x->c->last_ns, now->is.start_ns);
	keep(x, now);
}

void track_stalls_end(struct track_stalls *stalls, const struct track_iwarp_conn *c)
{
	const struct over over = { .conn = c->number,
				   .first_frame = c->first_frame,
				   .opener = (uint8_t)track_iwarp_opener(c) };

	if (stalls->over->len < TRACK_STALLS_MAX)
		g_array_append_val(stalls->over, over);
}

/* As connections are listed. */
static int by_first_frame(const void *a, const void *b)
{
	const struct over *one = a, *other = b;

	if (one->first_frame != other->first_frame)
		return one->first_frame < other->first_frame ? -1 : 1;
	return one->conn < other->conn ? -1 : one->conn > other->conn;
}

static int by_conn(const void *a, const void *b)
{
	const struct over *one = a, *other = b;

	return one->conn < other->conn ? -1 : one->conn > other->conn;
}

static int by_frame(const void *a, const void *b)
{
	const struct track_stall *one = a, *other = b;

	if (one->frame != other->frame)
		return one->frame < other->frame ? -1 : 1;
	if (one->conn != other->conn)
		return one->conn < other->conn ? -1 : 1;
	return (int)one->side - (int)other->side;
}

void track_stalls_sort(struct track_stalls *stalls)
{
	const struct over *found;
	uint32_t i, kept = 0;

	g_array_sort(stalls->over, by_first_frame);
	for (i = 0; i < stalls->over->len; i++)
		g_array_index(stalls->over, struct over, i).rank = i;
	g_array_sort(stalls->over, by_conn);
	for (i = 0; i < stalls->list->len; i++) {
		struct track_stall *is = &g_array_index(stalls->list, struct track_stall, i);
		const struct over key = { .conn = is->conn };

		found = stalls->over->len ? bsearch(&key, stalls->over->data, stalls->over->len,
						    sizeof(*found), by_conn)
					  : NULL;
		if (!found)
			continue;
		is->connection = found->rank;
		is->way = is->side == found->opener ? TRACK_A_TO_B : TRACK_B_TO_A;
	}
	for (i = 0; i < stalls->list->len; i++)
		if (!g_array_index(stalls->list, struct track_stall, i).late)
			g_array_index(stalls->list, struct track_stall, kept++) =
				g_array_index(stalls->list, struct track_stall, i);
	g_array_set_size(stalls->list, kept);
	g_array_sort(stalls->list, by_frame);
}

const struct track_stall *track_stalls_list(const struct track_stalls *stalls, uint32_t *n)
{
	*n = stalls ? stalls->list->len : 0;
	return *n ? &g_array_index(stalls->list, struct track_stall, 0) : NULL;
}

uint64_t track_stalls_more(const struct track_stalls *stalls)
{
	return stalls ? stalls->more : 0;
}
