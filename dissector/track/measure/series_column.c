/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * series_column.c - the columns of a series, which are merged in pairs when there are too many.
 *
 * Only columns with a packet are kept, half a cache line each; retransmissions and answers are kept separately, as most
 * directions have none. The column of the last packet is open, and is written when another one is opened.
 */
#include <string.h>

#include "measure.h"
#include "series_impl.h"

/* How the first frame and the number of a column are kept. */
#define FRAME_SHIFT 16u
#define AT_MASK 0xffffu

_Static_assert(TRACK_SERIES_COLUMNS <= AT_MASK + 1, "numbers of columns");
_Static_assert(TRACK_SERIES_FIRST == 0, "what is not apart");

/* What a column may take. */
#define COLUMN_BYTES (sizeof(struct track_column_kept) + sizeof(struct track_column_rest))

static struct track_column empty(void)
{
	struct track_column c = { .covered = TRACK_SERIES_NONE };
	unsigned int i;

	for (i = 0; i < TRACK_SERIES_OFS; i++)
		c.low[i] = c.high[i] = TRACK_SERIES_NONE;
	return c;
}

static uint32_t at_of(const struct track_column_kept *c)
{
	return c->frame_at & AT_MASK;
}

static uint64_t frame_of(const struct track_column_kept *c)
{
	return c->frame_at >> FRAME_SHIFT;
}

static void set(struct track_column_kept *c, uint64_t frame, uint64_t at)
{
	c->frame_at = frame << FRAME_SHIFT | at;
}

static bool is_open(const struct track_series *t, uint32_t i)
{
	return t->length_ns && i == t->recent;
}

/* What the last run says of it: how far it came, since the window was opened. */
static void tell_run(const struct track_series *t, struct track_column *c)
{
	int32_t last = track_series_since(t, t->run.last);

	if (t->run.window)
		c->high[TRACK_SERIES_FIRST] = MAX(c->high[TRACK_SERIES_FIRST], last);
}

static void tell(const struct track_series *t, struct track_column *c)
{
	tell_run(t, c);
	if (t->is_answered && t->passed > t->base)
		c->covered = MAX(c->covered, track_series_since(t, t->passed - 1));
}

void track_column_settle_run(struct track_series *t)
{
	tell_run(t, &t->open);
}

void track_column_settle(struct track_series *t)
{
	tell(t, &t->open);
	t->is_answered = false;
	t->run.window = 0;
}

static uint32_t number_of(const struct track_series *t, uint32_t i)
{
	return is_open(t, i) ? t->open_at : at_of(&t->kept[i]);
}

/* Columns from the first to the last, with and without packets; none is open. */
static uint32_t span_of(const struct track_series *t)
{
	return t->n ? at_of(&t->kept[t->n - 1]) + 1 : 0;
}

/* That of what is apart; the others have none of it. */
static struct track_column_rest *rest_at(struct track_series *t, uint32_t i)
{
	static const struct track_column_rest none = { { TRACK_SERIES_NONE, TRACK_SERIES_NONE },
						       { TRACK_SERIES_NONE, TRACK_SERIES_NONE } };
	uint32_t j;

	if (!t->rest) {
		t->rest = g_new(struct track_column_rest, t->room);
		for (j = 0; j < t->n; j++)
			t->rest[j] = none;
	}
	return &t->rest[i];
}

static bool has_rest(const struct track_column *c)
{
	return c->high[TRACK_SERIES_AGAIN] != TRACK_SERIES_NONE ||
	       c->high[TRACK_SERIES_RESPONSE] != TRACK_SERIES_NONE;
}

static void write_rest(struct track_column_rest *r, const struct track_column *c)
{
	memcpy(r->low, &c->low[1], sizeof(r->low));
	memcpy(r->high, &c->high[1], sizeof(r->high));
}

/* The open one is written; its place has its number. */
static void close_column(struct track_series *t)
{
	struct track_column_kept *c;

	if (!t->length_ns)
		return;
	track_column_settle(t);
	c = &t->kept[t->recent];
	set(c, t->open.first_frame, t->open_at);
	c->wire_bytes = t->open.wire_bytes;
	c->packets = t->open.packets;
	c->low = t->open.low[TRACK_SERIES_FIRST];
	c->high = t->open.high[TRACK_SERIES_FIRST];
	c->covered = t->open.covered;
	if (t->rest || has_rest(&t->open))
		write_rest(rest_at(t, t->recent), &t->open);
	t->begin_ns = t->length_ns = 0;
}

static struct track_column read_column(const struct track_series *t, uint32_t i)
{
	const struct track_column_kept *c = &t->kept[i];
	struct track_column column = empty();

	column.first_frame = frame_of(c);
	column.wire_bytes = c->wire_bytes;
	column.packets = c->packets;
	column.covered = c->covered;
	column.low[TRACK_SERIES_FIRST] = c->low;
	column.high[TRACK_SERIES_FIRST] = c->high;
	if (t->rest) {
		memcpy(&column.low[1], t->rest[i].low, sizeof(t->rest[i].low));
		memcpy(&column.high[1], t->rest[i].high, sizeof(t->rest[i].high));
	}
	return column;
}

/* Room */

static void resize(struct track_series *t, uint32_t room)
{
	t->all->used += room * COLUMN_BYTES;
	t->all->used -= t->room * COLUMN_BYTES;
	t->kept = g_renew(struct track_column_kept, t->kept, room);
	if (t->rest)
		t->rest = g_renew(struct track_column_rest, t->rest, room);
	t->room = room;
}

static void merge(struct track_series *t, uint32_t to, uint32_t from)
{
	struct track_column_kept *a = &t->kept[to];
	const struct track_column_kept *b = &t->kept[from];
	unsigned int i;

	set(a, MIN(frame_of(a), frame_of(b)), at_of(a));
	a->wire_bytes += b->wire_bytes;
	a->packets += b->packets;
	a->covered = MAX(a->covered, b->covered);
	track_column_take(&a->low, &a->high, b->low, b->high);
	for (i = 0; t->rest && i < TRACK_SERIES_OFS - 1; i++)
		track_column_take(&t->rest[to].low[i], &t->rest[to].high[i], t->rest[from].low[i],
				  t->rest[from].high[i]);
}

/* Marks that are not kept, of columns that are merged. */
static void halve_more(struct track_series *t, uint64_t first)
{
	unsigned int kind;
	uint32_t i, to;

	for (i = 0; i < t->n_more; i++) {
		to = (uint32_t)((t->first + i) / 2 - first);
		for (kind = 0; kind < TRACK_SERIES_MARK_KINDS; kind++) {
			uint32_t n = t->more[i][kind];

			t->more[i][kind] = 0;
			t->more[to][kind] += n;
		}
	}
}

/* Columns twice as long, none of them open. */
static void halve(struct track_series *t)
{
	uint64_t first = t->first / 2;
	uint32_t i, n = 0;

	halve_more(t, first);

	for (i = 0; i < t->n; i++) {
		uint64_t at = (t->first + at_of(&t->kept[i])) / 2 - first;

		if (n && at_of(&t->kept[n - 1]) == at) {
			merge(t, n - 1, i);
			continue;
		}
		t->kept[n] = t->kept[i];
		set(&t->kept[n], frame_of(&t->kept[n]), at);
		if (t->rest)
			t->rest[n] = t->rest[i];
		n++;
	}
	t->n = n;
	t->first = first;
	t->interval_ns *= 2;
}

/* All of them have fewer columns from now on. */
static void shorten_all(struct track_series_room *all)
{
	struct track_series *t;

	all->columns = TRACK_SERIES_COLUMNS_LESS;
	for (t = all->newest; t; t = t->older) {
		close_column(t);
		while (span_of(t) > TRACK_SERIES_COLUMNS_LESS)
			halve(t);
		if (t->room > TRACK_SERIES_COLUMNS_LESS)
			resize(t, TRACK_SERIES_COLUMNS_LESS);
	}
}

/* Room for @n columns; false: there is none, or all have fewer columns now. */
static bool has_room(struct track_series *t, uint32_t n)
{
	uint32_t room = MIN(2 * t->room, t->all->columns);

	if (n <= t->room)
		return true;
	if (n > t->all->columns)
		return false;
	if (!track_series_fits(t->all, (room - t->room) * COLUMN_BYTES)) {
		if (t->all->columns > TRACK_SERIES_COLUMNS_LESS)
			shorten_all(t->all);
		return false;
	}
	resize(t, room);
	return true;
}

bool track_column_begin(struct track_series *t)
{
	const uint64_t bytes = TRACK_SERIES_ROOM * COLUMN_BYTES;
	struct track_series_room *all = t->all;

	if (!track_series_fits(all, sizeof(*t) + bytes) && all->columns > TRACK_SERIES_COLUMNS_LESS)
		shorten_all(all);
	if (!track_series_fits(all, sizeof(*t) + bytes))
		return false;
	all->used += sizeof(*t);
	resize(t, TRACK_SERIES_ROOM);
	t->older = all->newest;
	if (t->older)
		t->older->newer = t;
	all->newest = t;
	return true;
}

void track_column_free(struct track_series *t)
{
	t->all->used -= sizeof(*t) + t->room * COLUMN_BYTES + t->n_more * sizeof(*t->more);
	g_free(t->more);
	if (t->older)
		t->older->newer = t->newer;
	if (t->newer)
		t->newer->older = t->older;
	else
		t->all->newest = t->older;
	g_free(t->kept);
	g_free(t->rest);
}

/* The first one that is not before that number. */
static uint32_t place_of(const struct track_series *t, uint64_t number)
{
	uint32_t low = 0, high = t->n, middle;

	if (!t->n || number > t->first + at_of(&t->kept[t->n - 1]))
		return t->n;
	while (low < high) {
		middle = (low + high) / 2;
		if (t->first + at_of(&t->kept[middle]) < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Their columns have other numbers now. */
static void move_more(struct track_series *t, uint64_t before)
{
	uint32_t n = (uint32_t)MIN(before, t->n_more);

	if (!n)
		return;
	memmove(&t->more[n], t->more, (t->n_more - n) * sizeof(*t->more));
	memset(t->more, 0, n * sizeof(*t->more));
}

void track_column_more(struct track_series *t, const struct track_series_mark *m)
{
	uint64_t number = m->time_ns / t->interval_ns;
	uint64_t at = number > t->first ? number - t->first : 0;
	const uint64_t bytes = TRACK_SERIES_COLUMNS * sizeof(*t->more);

	if (!t->more && track_series_fits(t->all, bytes)) {
		t->all->used += bytes;
		t->n_more = TRACK_SERIES_COLUMNS;
		t->more = g_malloc0(bytes);
	}
	if (t->more)
		t->more[MIN(at, t->n_more - 1)][m->kind]++;
}

uint32_t track_series_more(const struct track_series *t, uint32_t column, unsigned int kind)
{
	return column < t->n_more ? t->more[column][kind] : 0;
}

/* A place for a column that was not there. */
static void insert(struct track_series *t, uint32_t i, uint64_t number)
{
	uint64_t before = number < t->first ? t->first - number : 0;
	uint32_t j, moved = t->n - i;

	for (j = 0; before && j < t->n; j++)
		t->kept[j].frame_at += before;
	t->first -= before;
	move_more(t, before);
	if (moved) {
		memmove(&t->kept[i + 1], &t->kept[i], moved * sizeof(*t->kept));
		if (t->rest)
			memmove(&t->rest[i + 1], &t->rest[i], moved * sizeof(*t->rest));
	}
	t->n++;
}

static void be_open(struct track_series *t, uint32_t i, uint64_t number)
{
	t->recent = i;
	t->open_at = (uint32_t)(number - t->first);
	t->begin_ns = number * t->interval_ns;
	t->length_ns = t->interval_ns;
}

static void begin_column(struct track_series *t, uint32_t i, uint64_t number,
			 const struct track_at *at)
{
	be_open(t, i, number);
	t->open = empty();
	t->open.first_frame = at->frame;
}

void track_column_open(struct track_series *t, const struct track_at *at)
{
	uint64_t number, low, high;
	bool is_new;
	uint32_t i;

	number = at->time_ns / t->interval_ns;
	if (G_LIKELY(t->length_ns && t->recent + 1 == t->n && t->n < t->room &&
		     number - t->first > t->open_at && number - t->first < t->all->columns)) {
		close_column(t);
		begin_column(t, t->n++, number, at); /* after the last one */
		return;
	}
	close_column(t);
	for (;;) {
		number = at->time_ns / t->interval_ns;
		if (!t->n)
			t->first = number;
		low = MIN(number, t->first);
		high = t->n ? MAX(number, t->first + at_of(&t->kept[t->n - 1])) : number;
		i = place_of(t, number);
		is_new = i == t->n || t->first + at_of(&t->kept[i]) != number;
		if (high - low < t->all->columns && has_room(t, t->n + is_new))
			break;
		halve(t);
	}
	if (is_new) {
		insert(t, i, number);
		begin_column(t, i, number, at);
	} else {
		be_open(t, i, number);
		t->open = read_column(t, i);
	}
}

struct track_column *track_series_columns(const struct track_series *t, uint32_t *n)
{
	struct track_column *all;
	uint32_t i, to, at = 0;

	*n = 0;
	for (i = 0; i < t->n; i++)
		*n = number_of(t, i) + 1;
	all = g_new(struct track_column, *n);
	for (i = 0; i < t->n; i++) {
		to = number_of(t, i);
		while (at < to)
			all[at++] = empty();
		all[at] = is_open(t, i) ? t->open : read_column(t, i);
		if (is_open(t, i))
			tell(t, &all[at]);
		at++;
	}
	return all;
}
