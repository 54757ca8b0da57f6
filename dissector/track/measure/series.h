/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * series.h - the PSNs of a direction over time, for pictures: columns of equal time with what was sent, retransmitted
 * and answered, and marks where a request was refused, missing or late.
 *
 * A column is 1 us at first; whenever there are too many, pairs of columns are merged, and columns are twice as long.
 * They begin at multiples of their length since 1970. Only directions with requests have a series, and only on
 * request.
 */
#ifndef IBWIRE_TRACK_SERIES_H
#define IBWIRE_TRACK_SERIES_H

#include "ladder.h"
#include "track/way/qp.h"

#define TRACK_SERIES_NS 1000u
#define TRACK_SERIES_COLUMNS 1024u

/* Of all together; a part of what connections may take, if that is little. At the limit they have fewer columns. */
#define TRACK_SERIES_BYTES ((uint64_t)64 << 20)
#define TRACK_SERIES_SHARE 8u
#define TRACK_SERIES_COLUMNS_LESS 128u

/* Of those of octets, all together. */
#define TRACK_OCTETS_BYTES ((uint64_t)16 << 20)

/* The numbers of marks that are kept: the first ones, and the last ones. */
#define TRACK_SERIES_MARKS 128u

enum track_series_of {
#define TRACK_SERIES_OF(id) TRACK_SERIES_##id,
#include "series.def"
	TRACK_SERIES_OFS
};

enum track_series_mark_kind {
#define TRACK_SERIES_MARK(id, name) TRACK_SERIES_MARK_##id,
#include "series.def"
	TRACK_SERIES_MARK_KINDS
};

extern const char *const track_series_mark_names[TRACK_SERIES_MARK_KINDS];

/* No PSN: of a column, or of a mark. PSNs count from that of the first request. */
#define TRACK_SERIES_NONE INT32_MIN

struct track_column {
	uint64_t first_frame; /* 0: nothing is in it */
	uint64_t wire_bytes;
	uint32_t packets; /* requests, and what answers them */
	int32_t low[TRACK_SERIES_OFS], high[TRACK_SERIES_OFS];
	int32_t covered; /* all up to it was answered by then, since the PSNs last started anew */
};

struct track_series_mark {
	uint64_t frame, time_ns;
	uint64_t since_ns; /* of a timer: the copy before; of what is held up: since when; else 0 */
	int32_t psn;
	uint8_t kind; /* enum track_series_mark_kind */
};

/* A column as it is kept: only those with a packet are, in order of time. */
struct track_column_kept {
	uint64_t
		frame_at; /* the first frame, and its number since the first column: series_impl.h */
	uint64_t wire_bytes;
	uint32_t packets;
	int32_t low, high, covered; /* of what was sent first */
};

/* Of what was sent again, and of responses: there once a column has any. */
struct track_column_rest {
	int32_t low[TRACK_SERIES_OFS - 1], high[TRACK_SERIES_OFS - 1];
};

/* Members that every packet changes come first, those that few change last. */
struct track_series {
	struct track_rung_now run; /* the last one of the ladder */
	uint64_t begin_ns;         /* of the open column, */
	uint64_t length_ns;        /* and how long it is; 0: none is open */
	uint64_t base;             /* the PSN that is 0 */
	uint64_t
		passed; /* PSN: all below was answered, as of the last answer; since the PSNs last started anew */
	int32_t response_high;            /* so far */
	uint32_t timeouts, response_gaps; /* of struct track_watch, so far */
	bool is_answered;                 /* in the open column, which is not told of it yet */
	struct track_column open; /* but for what the last run and the last answer say of it */
	struct track_ladder ladder;
	struct track_column_kept *kept;
	uint32_t n, room; /* of these; the open one is among them, */
	uint32_t recent;  /* here, and written as it is closed */
	uint32_t open_at; /* its number since the first */
	uint32_t n_marks, marks_room;
	uint8_t shift;   /* of octets: those of a unit */
	uint32_t n_more; /* columns that the next has, */
	uint32_t (
		*more)[TRACK_SERIES_MARK_KINDS]; /* marks that are not kept; NULL: there are none */
	uint64_t interval_ns, first;    /* the first column begins at first * interval_ns */
	struct track_column_rest *rest; /* as many; NULL: none has any */
	struct track_series_room *all;
	struct track_series *older, *newer; /* of all */
	struct track_series_mark *mark;
	uint64_t marks[TRACK_SERIES_MARK_KINDS]; /* kept or not */
};

/* From here on. */
void track_qps_want_series(struct track_qps *s);

void track_series_free(struct track_series *t); /* NULL is fine */

/*
 * series_octets.c: of the octets of a direction of TCP. A place is that of an octet, in the series a number of units of
 * 1 << shift octets; of a response it is one that came late, or twice. NULL: there is no room.
 */
struct track_series_room;
struct track_series_room *track_octets_room_new(void); /* g_free() it, without series */
struct track_series *track_octets_new(struct track_series_room *all);
void track_octets_segment(struct track_series *t, const struct track_at *at, uint32_t wire_len,
			  enum track_series_of of, uint64_t place, uint32_t bytes);
void track_octets_acked(struct track_series *t, const struct track_at *at, uint32_t wire_len,
			uint64_t place);
void track_octets_mark(struct track_series *t, enum track_series_mark_kind kind,
		       const struct track_at *at, uint64_t place, uint64_t since_ns);

/* NULL: not requested, or there was no request, or no room. */
const struct track_series *track_dir_series(const struct track_dir *d);

/* All columns from the first to the last, including empty ones; to be freed. */
struct track_column *track_series_columns(const struct track_series *t, uint32_t *n);

/* The others, by column and kind; 0 where there is none. Of columns that a series does not have the first, or the last. */
uint32_t track_series_more(const struct track_series *t, uint32_t column, unsigned int kind);

/* Marks that are kept, in order of time; NULL past the last. */
const struct track_series_mark *track_series_mark_at(const struct track_series *t, uint32_t i);

/*
 * Of those of a capture, NULL without any: directions without a series, for want of room; whether those with one have fewer
 * columns for it.
 */
const struct track_series_room *track_qps_series(const struct track_qps *s);
uint64_t track_series_left_out(const struct track_series_room *all);
bool track_series_is_short(const struct track_series_room *all);

#endif /* IBWIRE_TRACK_SERIES_H */
