/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tell.c - an event as a sentence. */
#include <string.h>

#include <ibwire/ibwire.h>

#include "pcap-lint/base/output.h"
#include "tell.h"
#include "lint/upper/iwp.h"

void pl_out_took(struct ibw_out *o, uint64_t ns)
{
	static const char *const units[] = { " ns", " us", " ms", " s" };
	uint64_t unit = 1, tenths, places = 1;
	unsigned int power = 0;

	/* 999.5 of a unit are 1 of the next one. */
	while (power + 1 < G_N_ELEMENTS(units) && ns >= 1000 * unit - unit / 2) {
		unit *= 1000;
		power++;
	}
	while (places < 100 && unit > 1 && ns / unit < 100 / places)
		places *= 10;
	/* 9.995 is 10.0, as 99.95 is 100. */
	tenths = ns / unit * places + (ns % unit * places + unit / 2) / unit;
	while (places > 1 && tenths % 10 == 0) {
		tenths /= 10;
		places /= 10;
	}
	ibw_out_dec(o, tenths / places);
	if (places > 1) {
		ibw_out_char(o, '.');
		if (tenths % places < places / 10)
			ibw_out_char(o, '0');
		ibw_out_dec(o, tenths % places);
	}
	ibw_out_str(o, units[power]);
}

static unsigned int hex_digits(const struct track_event_number_row *row)
{
	switch (row->kind) {
	case IBW_KIND_PSN:
	case IBW_KIND_QPN:
		return 6;
	case IBW_KIND_R_KEY:
		return 8;
	case IBW_KIND_TID:
		return 16;
	case IBW_KIND_LID:
		return 4;
	case IBW_KIND_HEX:
		return 1;
	default:
		return row->names ? 1 : 0;
	}
}

static void name_frame(struct ibw_out *o, const struct pl_frames *frames, struct pl_told *t,
		       uint64_t frame)
{
	if (t->n_named < PL_TOLD_FRAMES)
		t->named[t->n_named++] = frame;
	pl_out_frame(o, frames, frame, t->file);
}

/* A number as it is said in a sentence. */
static void out_number(struct ibw_out *o, const struct pl_frames *frames, struct pl_told *t,
		       unsigned int i)
{
	const struct track_event_number_row *row = &track_event_rows[t->event->kind].number[i];
	uint64_t n = t->event->number[i];
	const char *name = row->names ? ibw_name_of(row->names, (uint32_t)n) : NULL;
	unsigned int digits = hex_digits(row);

	if (name)
		ibw_out_str(o, name);
	else if (g_str_has_suffix(row->title, "(ns)"))
		pl_out_took(o, n);
	else if (g_str_has_prefix(row->title, "Frame "))
		name_frame(o, frames, t, n);
	else if (digits)
		ibw_out_hex(o, n, digits);
	else
		ibw_out_dec(o, n);
}

static bool is_missing(const struct track_event_number_row *row, uint64_t n)
{
	const char *name = row->names ? ibw_name_of(row->names, (uint32_t)n) : NULL;

	return name ? !*name : !n && row->kind != IBW_KIND_PSN;
}

/* The first is 1; 0: the last. */
static void frame_place(struct ibw_out *o, const struct pl_frames *frames, struct pl_told *t,
			unsigned int which)
{
	const struct track_event *e = t->event;
	unsigned int n = which ? which : e->n_frames;

	if (!n || n > e->n_frames)
		t->missing = true;
	else
		name_frame(o, frames, t, e->frames[n - 1]);
}

/* Which number of an event is meant; TRACK_EVENT_NUMBERS: none. */
static unsigned int number_of(const struct track_event *e, const char *name, size_t len)
{
	const struct track_event_number_row *row = track_event_rows[e->kind].number;
	unsigned int i;

	for (i = 0; i < TRACK_EVENT_NUMBERS; i++)
		if (row[i].name && strlen(row[i].name) == len &&
		    memcmp(row[i].name, name, len) == 0)
			break;
	return i;
}

/* "{name}", "{name#word}", "{?name}", "{>name}" */
static void number_place(struct ibw_out *o, const struct pl_frames *frames, struct pl_told *t,
			 const char *name, size_t len)
{
	const struct track_event *e = t->event;
	const char *word = memchr(name, '#', len);
	size_t asks = *name == '?' || *name == '>';
	size_t n_name = (word ? (size_t)(word - name) : len) - asks;
	unsigned int i = number_of(e, name + asks, n_name);

	if (i == TRACK_EVENT_NUMBERS)
		return;
	if (asks) {
		t->missing |= e->number[i] <= (*name == '>');
		return;
	}
	t->missing |= is_missing(&track_event_rows[e->kind].number[i], e->number[i]);
	if (word)
		pl_out_counted_mem(o, e->number[i], word + 1, len - n_name - 1);
	else
		out_number(o, frames, t, i);
}

/* "15 more packets, up to frame 85" */
static void more_place(struct ibw_out *o, const struct pl_frames *frames, struct pl_told *t)
{
	t->missing |= !t->more;
	pl_out_counted(o, t->more, "more packet");
	ibw_out_str(o, ", up to frame ");
	name_frame(o, frames, t, t->more_frame);
}

/* What "{...}" stands for. */
static void place(struct ibw_out *o, const struct pl_frames *frames, struct pl_told *t,
		  const char *name, size_t len)
{
	if (len == 1 && (*name == 'a' || *name == 'b'))
		ibw_out_str(o, *name == 'a' ? t->sender : t->other);
	else if (len == 1 && *name == 'n')
		ibw_out_dec(o, t->n);
	else if (len == 2 && memcmp(name, ">n", 2) == 0)
		t->missing |= t->n < 2;
	else if (len == 1 && g_ascii_isdigit(*name))
		frame_place(o, frames, t, (unsigned int)(*name - '0'));
	else if (len == 4 && memcmp(name, "last", 4) == 0)
		name_frame(o, frames, t, t->last_frame);
	else if (len == 4 && memcmp(name, "more", 4) == 0)
		more_place(o, frames, t);
	else if (len == 7 && memcmp(name, "meaning", 7) == 0)
		lint_out_terminate(o, t->event);
	else
		number_place(o, frames, t, name, len);
}

bool pl_is_told(const struct track_event *e)
{
	return track_event_rows[e->kind].one != NULL;
}

bool pl_is_told_again(const struct track_event *e)
{
	unsigned int copies = number_of(e, "copies", strlen("copies"));

	return track_event_rows[e->kind].role == TRACK_ROLE_CM && copies < TRACK_EVENT_NUMBERS &&
	       e->number[copies] > 1;
}

void pl_tell(struct ibw_out *o, const struct pl_frames *frames, struct pl_told *told)
{
	const struct track_event_row *row = &track_event_rows[told->event->kind];
	const char *text = told->many ? row->many : row->one, *close;
	struct ibw_out before = *o; /* what is between [ and ] */
	unsigned int named = 0;

	for (; *text; text++) {
		if (*text == '[') {
			before = *o;
			named = told->n_named;
			told->missing = false;
		} else if (*text == ']') {
			if (told->missing) {
				*o = before;
				told->n_named = named;
			}
		} else if (*text == '{' && (close = strchr(text, '}'))) {
			place(o, frames, told, text + 1, (size_t)(close - text - 1));
			text = close;
		} else {
			ibw_out_char(o, *text);
		}
	}
}
