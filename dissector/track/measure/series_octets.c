/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * series_octets.c - the octets of a direction of TCP over time: a series like that of PSNs, with places of octets instead. The
 * unit is one octet at first, then two, four and so on, so that a stream of any length fits.
 */
#include "series_impl.h"

struct track_series_room *track_octets_room_new(void)
{
	struct track_series_room *all = g_new0(struct track_series_room, 1);

	all->most = TRACK_OCTETS_BYTES;
	all->columns = TRACK_SERIES_COLUMNS;
	return all;
}

struct track_series *track_octets_new(struct track_series_room *all)
{
	return track_series_new(all, 0);
}

static void halve(int32_t *place)
{
	if (*place != TRACK_SERIES_NONE)
		*place = (*place - (*place & 1)) / 2;
}

static void halve_all(struct track_series *t)
{
	uint32_t i;
	unsigned int of;

	for (of = 0; of < TRACK_SERIES_OFS; of++) {
		halve(&t->open.low[of]);
		halve(&t->open.high[of]);
	}
	halve(&t->open.covered);
	for (i = 0; i < t->n; i++) {
		halve(&t->kept[i].low);
		halve(&t->kept[i].high);
		halve(&t->kept[i].covered);
	}
	for (i = 0; t->rest && i < t->n; i++)
		for (of = 0; of < TRACK_SERIES_OFS - 1; of++) {
			halve(&t->rest[i].low[of]);
			halve(&t->rest[i].high[of]);
		}
	for (i = 0; i < t->n_marks; i++)
		halve(&t->mark[i].psn);
	t->shift++;
}

/* In units, which become larger if they have to. A place before the first is at the first. */
static int32_t in_units(struct track_series *t, uint64_t place)
{
	if ((int64_t)place < 0)
		return 0;
	while (place >> t->shift > INT32_MAX)
		halve_all(t);
	return (int32_t)(place >> t->shift);
}

void track_octets_segment(struct track_series *t, const struct track_at *at, uint32_t wire_len,
			  enum track_series_of of, uint64_t place, uint32_t bytes)
{
	struct track_column *c = track_column_count(t, at, wire_len);

	track_column_put(c, of, in_units(t, place + bytes - 1));
	track_column_put(c, of, in_units(t, place));
}

void track_octets_acked(struct track_series *t, const struct track_at *at, uint32_t wire_len,
			uint64_t place)
{
	struct track_column *c = track_column_count(t, at, wire_len);

	if ((int64_t)place > 0)
		c->covered = MAX(c->covered, in_units(t, place - 1));
}

void track_octets_mark(struct track_series *t, enum track_series_mark_kind kind,
		       const struct track_at *at, uint64_t place, uint64_t since_ns)
{
	track_series_mark(t, kind, at, in_units(t, place), since_ns);
}
