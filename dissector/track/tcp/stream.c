/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stream.c - puts the bytes of TCP segments in order, per direction. */
#include <string.h>

#include <glib.h>

#include "stream.h"

/* Bytes after a hole, in order, none twice. */
struct piece {
	uint64_t at, there, end; /* places; from there on it was cut off by the capture */
	uint64_t frame, ns;
	uint8_t *p;
};

struct track_tcp_late {
	struct piece *room_at; /* there is room for so many */
	uint32_t room;
	struct piece *piece; /* in it: those before were handed out */
	uint32_t n, bytes;
	uint64_t acked;     /* a place that the other end acknowledged all before of */
	uint32_t since;     /* segments since that is after the hole */
	uint8_t *handed_on; /* what the last run was of */
};

void track_tcp_begin(struct track_tcp_stream *s, uint32_t seq, bool syn)
{
	s->place = 0;
	s->next = s->first = seq;
	s->begun = true;
	s->syn = syn;
	s->finished = false;
	s->late = NULL;
	s->right = s->wrong = 0;
}

static void take(struct track_tcp_memory *m, struct track_tcp_late *late, uint32_t n)
{
	late->bytes += n;
	m->used += n;
}

static void give(struct track_tcp_memory *m, struct track_tcp_late *late, uint32_t n)
{
	late->bytes -= n;
	m->used -= n;
}

/* What it takes to keep a piece, its bytes or not. */
static uint32_t cost_of(const struct piece *piece)
{
	return (uint32_t)(piece->there - piece->at) + (uint32_t)sizeof(*piece);
}

static void close_late(struct track_tcp_stream *s, struct track_tcp_memory *m)
{
	struct track_tcp_late *late = s->late;
	uint32_t i;

	for (i = 0; i < late->n; i++) {
		give(m, late, cost_of(&late->piece[i]));
		g_free(late->piece[i].p);
	}
	g_free(late->handed_on);
	g_free(late->room_at);
	g_free(late);
	s->late = NULL;
}

void track_tcp_end(struct track_tcp_stream *s, struct track_tcp_memory *m)
{
	if (s->late)
		close_late(s, m);
}

/* The first piece that ends after @place; late->n: there is none. */
static uint32_t find(const struct track_tcp_late *late, uint64_t place)
{
	uint32_t low = 0, high = late->n, middle;

	while (low < high) {
		middle = (low + high) / 2;
		if (late->piece[middle].end > place)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* Room for one more. */
static void make_room(struct track_tcp_late *late)
{
	uint32_t before;

	if (!late->n)
		late->piece = late->room_at;
	before = (uint32_t)(late->piece - late->room_at);
	if (before + late->n < late->room)
		return;
	if (late->n == late->room) {
		late->room = late->room ? 2 * late->room : 4;
		late->room_at = g_renew(struct piece, late->room_at, late->room);
	} else {
		memmove(late->room_at, late->piece, late->n * sizeof(*late->piece));
	}
	late->piece = late->room_at;
}

/* Keeps the bytes from @at to @end of a segment as piece @i. */
static void keep(struct track_tcp_read *r, uint32_t i, uint64_t at, uint64_t end)
{
	struct track_tcp_late *late = r->s->late;
	struct piece *piece;

	make_room(late);
	piece = &late->piece[i];
	memmove(piece + 1, piece, (late->n - i) * sizeof(*piece));
	late->n++;
	piece->at = at;
	piece->end = end;
	piece->there = MAX(MIN(end, r->there), at);
	piece->frame = r->frame;
	piece->ns = r->ns;
	piece->p = NULL;
	if (piece->there > at) {
		piece->p = g_malloc((gsize)(piece->there - at));
		memcpy(piece->p, r->p + (at - r->at), (size_t)(piece->there - at));
	}
	take(r->m, late, cost_of(piece));
}

/* Whether the segment and a piece have other bytes in one place. */
static bool differs(const struct track_tcp_read *r, const struct piece *piece)
{
	uint64_t at = MAX(r->at, piece->at), end = MIN(r->there, piece->there);

	return at < end && memcmp(r->p + (at - r->at), piece->p + (at - piece->at), end - at) != 0;
}

static void compare(struct track_tcp_read *r)
{
	const struct track_tcp_late *late = r->s->late;
	uint32_t i;

	for (i = find(late, r->at); i < late->n && late->piece[i].at < r->end; i++)
		r->conflict |= differs(r, &late->piece[i]);
}

/* Keeps what is new of a segment after a hole; whether anything is. */
static bool keep_new(struct track_tcp_read *r)
{
	struct track_tcp_late *late = r->s->late;
	uint64_t at = r->at, end;
	bool any = false;
	uint32_t i;

	for (i = find(late, at); at < r->end && late->n < TRACK_TCP_PIECES_MAX; i++) {
		end = i < late->n ? MIN(late->piece[i].at, r->end) : r->end;
		if (end > at) {
			keep(r, i++, at, end);
			any = true;
		}
		at = i < late->n ? MAX(at, late->piece[i].end) : r->end;
	}
	return any;
}

/* Whether the hole will not be filled any more. */
static bool is_given_up(struct track_tcp_late *late)
{
	if (!late->n)
		return false;
	if (late->bytes > TRACK_TCP_KEPT_MAX || late->n >= TRACK_TCP_PIECES_MAX)
		return true;
	if (late->acked >= late->piece[0].at)
		late->since++;
	return late->since >= TRACK_TCP_PATIENCE;
}

/* Where most of a direction are wrong, an adapter makes them after the capture. */
static bool is_damaged(struct track_tcp_stream *s, const struct track_tcp_segment *segment)
{
	if (!segment->damaged) {
		if (s->right < UINT8_MAX)
			s->right++;
		return false;
	}
	if (s->wrong < UINT8_MAX)
		s->wrong++;
	return s->right >= TRACK_TCP_RIGHT_MIN * s->wrong;
}

static enum track_tcp_was read_after(struct track_tcp_read *r)
{
	struct track_tcp_stream *s = r->s;
	enum track_tcp_was was;

	if (!s->late)
		s->late = g_new0(struct track_tcp_late, 1);
	compare(r);
	was = keep_new(r) ? TRACK_TCP_AHEAD : TRACK_TCP_AGAIN;
	if (was == TRACK_TCP_AHEAD && r->end != s->late->piece[s->late->n - 1].end)
		was = TRACK_TCP_FILLS;
	r->p = NULL;
	r->at = r->end = r->there = 0;
	r->gives_up = is_given_up(s->late);
	return was;
}

/* What of the segment is not before the next byte, which is @ahead bytes before its first one. */
static void of_segment(struct track_tcp_read *r, const struct track_tcp_segment *segment,
		       int64_t ahead)
{
	uint32_t old = ahead < 0 ? (uint32_t)-ahead : 0;

	r->at = r->s->place + (uint64_t)MAX(ahead, 0);
	r->end = r->at + segment->bytes - old;
	r->there = r->at;
	if (old >= segment->n)
		return;
	r->p = segment->p + old;
	r->there += segment->n - old;
}

enum track_tcp_was track_tcp_read(struct track_tcp_read *r, struct track_tcp_stream *s,
				  struct track_tcp_memory *m,
				  const struct track_tcp_segment *segment, uint64_t frame)
{
	uint64_t ahead;

	*r = (struct track_tcp_read){ .s = s, .m = m, .frame = frame, .ns = segment->ns };
	if (segment->bytes && is_damaged(s, segment))
		return TRACK_TCP_DAMAGED;
	if (segment->flags & TRACK_TCP_FIN && !s->finished) {
		s->finished = true;
		s->fin = segment->seq + segment->bytes;
	}
	ahead = (uint64_t)(int64_t)(int32_t)(segment->seq - s->next);
	if (!segment->bytes || (segment->bytes == 1 && ahead + 1 == 0))
		return TRACK_TCP_NOTHING;
	if ((int64_t)(ahead + segment->bytes) <= 0)
		return TRACK_TCP_AGAIN;
	of_segment(r, segment, (int64_t)ahead);
	if ((int64_t)ahead > 0)
		return read_after(r);
	if (s->late)
		compare(r);
	return s->late ? TRACK_TCP_FILLS : TRACK_TCP_NEXT;
}

void track_tcp_read_rest(struct track_tcp_read *r, struct track_tcp_stream *s,
			 struct track_tcp_memory *m)
{
	*r = (struct track_tcp_read){ .s = s, .m = m, .gives_up = true, .rest = true };
}

static bool advance(struct track_tcp_read *r, struct track_tcp_run *run, const uint8_t *p,
		    uint64_t n, uint64_t frame, uint64_t ns)
{
	struct track_tcp_stream *s = r->s;

	run->p = p;
	run->n = n;
	run->place = s->place;
	run->frame = frame;
	run->ns = ns;
	run->missing = TRACK_TCP_CUT;
	s->place += n;
	s->next += (uint32_t)n;
	return true;
}

static void drop_first(struct track_tcp_read *r)
{
	struct track_tcp_late *late = r->s->late;

	give(r->m, late, cost_of(&late->piece[0]));
	g_free(late->handed_on);
	late->handed_on = late->piece[0].p; /* the run is read until the next call */
	late->n--;
	late->piece++;
	late->since = 0;
}

/* The first piece has the next byte: the bytes of it that are new. */
static bool next_piece(struct track_tcp_read *r, struct track_tcp_run *run)
{
	const struct piece piece = r->s->late->piece[0];
	uint64_t place = r->s->place;

	if (place < piece.there) {
		advance(r, run, piece.p + (place - piece.at), piece.there - place, piece.frame,
			piece.ns);
		if (piece.there == piece.end)
			drop_first(r);
		return true;
	}
	advance(r, run, NULL, piece.end - place, piece.frame, piece.ns);
	drop_first(r);
	return true;
}

bool track_tcp_next(struct track_tcp_read *r, struct track_tcp_run *run)
{
	struct track_tcp_stream *s = r->s;
	uint64_t limit = UINT64_MAX;

	while (s->late && s->late->n && s->late->piece[0].end <= s->place)
		drop_first(r);
	if (s->late && !s->late->n) {
		close_late(s, r->m);
	} else if (s->late) {
		limit = s->late->piece[0].at;
		if (limit <= s->place)
			return next_piece(r, run);
	}
	if (r->p && s->place < r->there)
		return advance(r, run, r->p + (s->place - r->at), MIN(r->there, limit) - s->place,
			       r->frame, r->ns);
	if (s->place < r->end)
		return advance(r, run, NULL, MIN(r->end, limit) - s->place, r->frame, r->ns);
	if (!s->late || !r->gives_up)
		return false;
	r->gives_up = r->rest;
	advance(r, run, NULL, limit - s->place, r->frame, r->ns);
	run->missing = s->late->acked >= limit ? TRACK_TCP_HOLE_ACKED : TRACK_TCP_HOLE;
	return true;
}

void track_tcp_acknowledged(struct track_tcp_stream *s, uint32_t ack)
{
	uint64_t place;

	if (!s->late || !s->late->n)
		return;
	place = track_tcp_place_of(s, ack);
	if ((int64_t)(place - s->place) > 0)
		s->late->acked = MAX(s->late->acked, place);
}

bool track_tcp_after(const struct track_tcp_stream *s, struct track_tcp_after *after)
{
	const struct piece *piece = s->late && s->late->n ? s->late->piece : NULL;

	if (!piece)
		return false;
	*after = (struct track_tcp_after){ piece->at, piece->frame, piece->ns };
	return true;
}

uint64_t track_tcp_highest(const struct track_tcp_stream *s)
{
	return s->late && s->late->n ? s->late->piece[s->late->n - 1].end : s->place;
}
