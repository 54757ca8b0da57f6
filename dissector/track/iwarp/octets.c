/* SPDX-License-Identifier: GPL-2.0-or-later */
/* octets.c - records the octets of a connection over time, for pictures. */
#include "impl.h"

/* Of a direction that has data. */
static struct track_series *series_of(const struct track_iwarp_x *x)
{
	struct track_iwarp_dir *d = &x->c->dir[x->side];

	if (!d->series && x->t->series && d->counts.segments == 1)
		d->series = track_octets_new(x->t->series);
	return d->series;
}

void track_iwarp_octets(const struct track_iwarp_x *x, enum track_series_of of, uint64_t place,
			uint32_t bytes, uint32_t wire_len)
{
	struct track_series *series = series_of(x);

	if (series)
		track_octets_segment(series, x->at, wire_len, of, place, bytes);
}

void track_iwarp_octets_acked(const struct track_iwarp_x *x, uint64_t place)
{
	struct track_series *series = x->c->dir[!x->side].series;

	if (series)
		track_octets_acked(series, x->at, x->wire_len, place);
}

static void mark(struct track_series *series, const struct track_iwarp_x *x,
		 enum track_series_mark_kind kind, uint64_t place, uint64_t since_ns)
{
	if (series)
		track_octets_mark(series, kind, x->at, place, since_ns);
}

void track_iwarp_octets_hole(const struct track_iwarp_x *x)
{
	const struct track_iwarp_dir *d = &x->c->dir[x->side];

	mark(d->series, x, TRACK_SERIES_MARK_GAP, d->tcp.place, 0);
}

void track_iwarp_octets_held(const struct track_iwarp_x *x)
{
	mark(x->c->dir[x->side].series, x, TRACK_SERIES_MARK_HELD, x->hole_at,
	     x->at->time_ns - x->held_ns);
}

void track_iwarp_octets_absent(const struct track_iwarp_x *x, uint64_t place)
{
	mark(x->c->dir[x->side].series, x, TRACK_SERIES_MARK_ABSENT, place, 0);
}

/* Of what the other end sent: where it was by then. */
void track_iwarp_octets_refused(const struct track_iwarp_x *x)
{
	const struct track_iwarp_dir *other = &x->c->dir[!x->side];

	mark(other->series, x, TRACK_SERIES_MARK_REFUSED, other->tcp.place, 0);
}
