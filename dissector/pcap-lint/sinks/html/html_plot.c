/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * html_plot.c - a series as a picture: PSNs, or octets of a stream, over time. A slope is progress, a step to the right is
 * waiting; retransmissions lie below the top, and the line of answers shows what the sender no longer has to keep.
 */
#include "pcap-lint/report/flow.h"
#include "html_plot.h"

#define LEFT 70u
#define RIGHT 998u
#define TOP 10u
#define BOTTOM 260u
#define LANES ((RIGHT - LEFT) / 2) /* of two pixels */
#define TICKS_Y 5u
#define MARKS 60u /* that are drawn: so many of the first ones, and of the last */

/* What columns of the series have that fall into one of the picture. */
static struct track_column *columns_of(const struct pl_plot *plot)
{
	struct track_column *all = g_new0(struct track_column, LANES);
	unsigned int of;
	uint32_t i;

	for (i = 0; i < LANES; i++) {
		all[i].covered = TRACK_SERIES_NONE;
		for (of = 0; of < TRACK_SERIES_OFS; of++)
			all[i].low[of] = all[i].high[of] = TRACK_SERIES_NONE;
	}
	for (i = 0; i < plot->n; i++) {
		struct track_column *to = &all[pl_svg_part(i, plot->n, LANES)];
		const struct track_column *from = &plot->column[i];

		to->covered = MAX(to->covered, from->covered);
		for (of = 0; of < TRACK_SERIES_OFS; of++) {
			if (from->low[of] == TRACK_SERIES_NONE)
				continue;
			if (to->low[of] == TRACK_SERIES_NONE || from->low[of] < to->low[of])
				to->low[of] = from->low[of];
			to->high[of] = MAX(to->high[of], from->high[of]);
		}
	}
	return all;
}

/* What a PSN or a unit of octets is called. */
static gint64 number_of(const struct pl_plot *plot, int64_t n)
{
	return n * ((gint64)1 << plot->t->shift);
}

static void widen(struct pl_plot *plot, int32_t psn, bool *any)
{
	if (psn == TRACK_SERIES_NONE)
		return;
	plot->low = *any ? MIN(plot->low, psn) : psn;
	plot->high = *any ? MAX(plot->high, psn) : psn;
	*any = true;
}

static void find_range(struct pl_plot *plot)
{
	unsigned int of;
	bool any = false;
	uint32_t i;

	for (i = 0; i < plot->n; i++)
		for (of = 0; of < TRACK_SERIES_OFS; of++) {
			widen(plot, plot->column[i].low[of], &any);
			widen(plot, plot->column[i].high[of], &any);
		}
	for (i = 0; i < plot->n; i++)
		widen(plot, plot->column[i].covered, &any);
}

/* In tenths of pixels. */
static int64_t y_of(const struct pl_plot *plot, int32_t psn)
{
	uint64_t span = (uint64_t)MAX((int64_t)plot->high - plot->low, 1);
	uint64_t up = (uint64_t)(CLAMP(psn, plot->low, plot->high) - (int64_t)plot->low);

	return (int64_t)((uint64_t)BOTTOM * 10 -
			 pl_svg_part(up, span, (uint64_t)(BOTTOM - TOP) * 10));
}

static void label(char text[32], const struct pl_plot *plot, int64_t n)
{
	if (!plot->words->is_scaled) {
		g_snprintf(text, 32, "%+" G_GINT64_FORMAT, (gint64)n);
		return;
	}
	text[0] = '+';
	pl_bytes_text(text + 1, 31, (uint64_t)MAX(number_of(plot, n), 0));
}

static void grid(GString *p, const struct pl_plot *plot)
{
	int64_t step = (int64_t)pl_svg_step((uint64_t)((int64_t)plot->high - plot->low), TICKS_Y);
	int64_t at = plot->low - plot->low % step, y;
	char text[32];

	g_string_append(p, "<g class=\"grid\">");
	for (; at <= plot->high; at += step) {
		if (at < plot->low)
			continue;
		y = y_of(plot, (int32_t)at);
		g_string_append_printf(p, "<line x1=\"%u\" y1=\"", LEFT);
		pl_svg_tenths(p, y);
		g_string_append_printf(p, "\" x2=\"%u\" y2=\"", RIGHT);
		pl_svg_tenths(p, y);
		g_string_append(p, "\"/>");
		label(text, plot, at);
		pl_svg_text(p, LEFT - 6, (unsigned int)(y / 10) + 4, "t", "end", text);
	}
	g_string_append(p, "</g>\n");
}

/* From the least to the greatest of each column; at least two pixels. */
static void spans(GString *p, const struct pl_plot *plot, const struct track_column *all,
		  enum track_series_of of, const char *kind)
{
	bool any = false;
	unsigned int i;

	for (i = 0; i < LANES; i++) {
		int64_t from, to;

		if (all[i].low[of] == TRACK_SERIES_NONE)
			continue;
		if (!any)
			g_string_append_printf(p, "<path class=\"s-%s\" d=\"", kind);
		any = true;
		from = y_of(plot, all[i].low[of]) + 10;
		to = y_of(plot, all[i].high[of]) - 10;
		g_string_append_printf(p, "M%u ", LEFT + 2 * i + 1);
		pl_svg_tenths(p, from);
		g_string_append_c(p, 'v');
		pl_svg_tenths(p, to - from);
	}
	if (any)
		g_string_append(p, "\"/>\n");
}

static void answers(GString *p, const struct pl_plot *plot, const struct track_column *all)
{
	int32_t before = TRACK_SERIES_NONE;
	unsigned int i;

	for (i = 0; i < LANES; i++) {
		if (all[i].covered == TRACK_SERIES_NONE || all[i].covered == before)
			continue;
		if (before == TRACK_SERIES_NONE)
			g_string_append_printf(p, "<path class=\"s-ack\" d=\"M%u ",
					       LEFT + 2 * i + 1);
		else
			g_string_append_printf(p, "H%uV", LEFT + 2 * i + 1);
		pl_svg_tenths(p, y_of(plot, all[i].covered));
		before = all[i].covered;
	}
	if (before != TRACK_SERIES_NONE)
		g_string_append_printf(p, "H%u\"/>\n", RIGHT);
}

static void halts(GString *p, const struct pl_plot *plot)
{
	int64_t from, to;
	unsigned int i;

	for (i = 0; i < plot->halts->len; i++) {
		const struct pl_plot_halt *halt =
			&g_array_index(plot->halts, struct pl_plot_halt, i);

		from = pl_axis_x(&plot->axis, halt->begin_ns);
		to = pl_axis_x(&plot->axis, halt->end_ns);
		g_string_append(p, "<path class=\"f-stall\" d=\"");
		pl_svg_box(p, from, (int64_t)TOP * 10, MAX(to - from, 5),
			   (BOTTOM - TOP) * (int64_t)10);
		g_string_append(p, "\"/>");
	}
}

/* Marks differ in shape, not only in colour: from the place where they are on. */
static const struct {
	const char *shape, *sign, *one, *many;
} kinds[TRACK_SERIES_MARK_KINDS] = {
	[TRACK_SERIES_MARK_NAK] = { "l4 7h-8z", "\xe2\x96\xb2", "sequence NAK", "sequence NAKs" },
	[TRACK_SERIES_MARK_RNR] = { "m0-5l5 5l-5 5l-5-5z", "\xe2\x97\x86", "RNR NAK", "RNR NAKs" },
	[TRACK_SERIES_MARK_REFUSED] = { "m-5-5l10 10m0-10l-10 10", "\xe2\x9c\x95", "refusal",
					"refusals" },
	[TRACK_SERIES_MARK_GAP] = { "m-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0", "\xe2\x97\x8b", "gap",
				    "gaps" },
	[TRACK_SERIES_MARK_TIMER] = { "m-3-3h6v6h-6z", "\xe2\x96\xa0", "timeout", "timeouts" },
	[TRACK_SERIES_MARK_CE] = { "v-9h6z", "\xe2\x97\xa5", "first mark of congestion (CE)",
				   "marks of congestion (CE)" },
	[TRACK_SERIES_MARK_CNP] = { "v-8h2v8z", "\xe2\x96\x8f", "CNP", "CNPs" },
	[TRACK_SERIES_MARK_CM] = { "l-4-7h8z", "\xe2\x96\xbc", "message of the CM",
				   "messages of the CM" },
	[TRACK_SERIES_MARK_ABSENT] = { "m-4-4h8v8h-8z", "\xe2\x96\xa1",
				       "run of octets that is not in the capture",
				       "runs of octets that are not in the capture" },
};

/* Messages of the CM, and CNPs, may be before and after all columns. */
static bool is_inside(const struct pl_plot *plot, const struct track_series_mark *m)
{
	return m->time_ns >= plot->axis.begin_ns && m->time_ns < plot->axis.end_ns;
}

/* Whether the legend has them. */
static bool has_marks(const struct pl_plot *plot, unsigned int kind)
{
	const struct track_series_mark *m;
	uint32_t i;

	if (kind != TRACK_SERIES_MARK_CM)
		return plot->t->marks[kind] && kind != TRACK_SERIES_MARK_HELD;
	for (i = 0; (m = track_series_mark_at(plot->t, i)); i++)
		if (m->kind == kind && is_inside(plot, m))
			return true;
	return false;
}

static void draw_mark(GString *p, const struct pl_html *html, const struct pl_plot *plot,
		      const struct track_series_mark *m)
{
	int64_t x = pl_axis_x(&plot->axis, m->time_ns);
	int64_t y = m->psn == TRACK_SERIES_NONE ? (int64_t)BOTTOM * 10 : y_of(plot, m->psn);

	if (m->kind == TRACK_SERIES_MARK_TIMER && m->since_ns) {
		g_string_append(p, "<path class=\"s-timer\" d=\"M");
		pl_svg_tenths(p, pl_axis_x(&plot->axis, m->since_ns));
		g_string_append_c(p, ' ');
		pl_svg_tenths(p, y);
		g_string_append_c(p, 'H');
		pl_svg_tenths(p, x);
		g_string_append(p, "\"/>");
	}
	g_string_append_printf(p, "<path class=\"m-%s\" data-t=\"%s, frame ",
			       track_series_mark_names[m->kind], kinds[m->kind].one);
	pl_html_frame(p, html->report, m->frame);
	if (m->psn != TRACK_SERIES_NONE)
		g_string_append_printf(p, ", %s %+" G_GINT64_FORMAT, plot->words->unit,
				       number_of(plot, m->psn));
	g_string_append(p, "\" d=\"M");
	pl_svg_tenths(p, x);
	g_string_append_c(p, ' ');
	pl_svg_tenths(p, y);
	g_string_append(p, kinds[m->kind].shape);
	g_string_append(p, "\"/>\n");
}

static void marks(GString *p, const struct pl_html *html, const struct pl_plot *plot)
{
	const struct track_series_mark *m;
	uint32_t i;

	for (i = 0; (m = track_series_mark_at(plot->t, i)); i++)
		if ((i < MARKS || i + MARKS >= plot->t->n_marks) &&
		    m->kind != TRACK_SERIES_MARK_HELD && /* it is a halt */
		    is_inside(plot, m))
			draw_mark(p, html, plot, m);
}

static bool has(const struct track_column *all, enum track_series_of of)
{
	unsigned int i;

	for (i = 0; i < LANES; i++)
		if (all[i].low[of] != TRACK_SERIES_NONE)
			return true;
	return false;
}

static void legend(GString *p, const struct pl_plot *plot, const struct track_column *all)
{
	uint64_t n = 0;
	unsigned int i;

	g_string_append(p, "<ul class=\"legend\">");
	pl_svg_key(p, "new", "", "sent first");
	if (has(all, TRACK_SERIES_AGAIN))
		pl_svg_key(p, "again", "", "retransmitted");
	if (has(all, TRACK_SERIES_RESPONSE))
		pl_svg_key(p, "response", "", plot->words->response);
	pl_svg_key(p, "ack", "", plot->words->answered);
	for (i = 0; i < TRACK_SERIES_MARK_KINDS; i++) {
		n += plot->t->marks[i];
		if (has_marks(plot, i))
			pl_svg_key(p, track_series_mark_names[i], kinds[i].sign, kinds[i].many);
	}
	if (plot->halts->len || !plot->words->is_scaled)
		pl_svg_key(p, "stall", "", plot->words->halt);
	g_string_append(p, "</ul>");
	if (n > 2 * (uint64_t)MARKS)
		g_string_append_printf(
			p, " Of %" G_GUINT64_FORMAT " marks the first and the last %u are drawn.",
			(guint64)n, MARKS);
}

/* What the page's script tells of a place: the first frame of each column, from the one before on, and what is at a height. */
static void places(GString *p, const struct pl_html *html, const struct pl_plot *plot)
{
	uint64_t frame[LANES] = { 0 }, before = 0;
	uint32_t i, lane, last = 0;

	g_string_append_printf(p, " data-y=\"%u %u %" G_GINT64_FORMAT " %" G_GINT64_FORMAT " %s\"",
			       TOP, BOTTOM, number_of(plot, plot->low), number_of(plot, plot->high),
			       plot->words->unit);
	if (html->report->options->join) /* their frames have names of files */
		return;
	for (i = 0; i < plot->n; i++) {
		lane = (uint32_t)pl_svg_part(i, plot->n, LANES);
		if (!plot->column[i].first_frame)
			continue;
		if (!frame[lane] || plot->column[i].first_frame < frame[lane])
			frame[lane] = plot->column[i].first_frame;
		last = lane;
	}
	g_string_append(p, " data-f=\"");
	for (lane = 0; lane <= last; lane++) {
		g_string_append(p, lane ? "," : "");
		if (frame[lane])
			g_string_append_printf(p, "%" G_GINT64_FORMAT,
					       (gint64)(frame[lane] - before));
		before = frame[lane] ? frame[lane] : before;
	}
	g_string_append_c(p, '"');
}

bool pl_plot_open(struct pl_plot *plot, const struct pl_html *html, const struct track_series *t,
		  const struct pl_plot_words *words)
{
	*plot = (struct pl_plot){ .t = t, .words = words };
	if (!t || !t->n)
		return false;
	plot->column = track_series_columns(t, &plot->n);
	plot->halts = g_array_new(FALSE, FALSE, sizeof(struct pl_plot_halt));
	plot->axis = (struct pl_axis){
		.begin_ns = t->first * t->interval_ns,
		.end_ns = (t->first + plot->n) * t->interval_ns,
		.zero_ns = html->report->totals.begin_ns,
		.left = LEFT,
		.right = RIGHT,
	};
	find_range(plot);
	return true;
}

void pl_plot_halt(struct pl_plot *plot, uint64_t begin_ns, uint64_t end_ns)
{
	const struct pl_plot_halt halt = { begin_ns, end_ns };

	g_array_append_val(plot->halts, halt);
}

void pl_plot_say_marks(GString *text, const struct pl_plot *plot)
{
	unsigned int i;

	for (i = 0; i < TRACK_SERIES_MARK_KINDS; i++)
		if (plot->t->marks[i] && i != TRACK_SERIES_MARK_HELD && i != TRACK_SERIES_MARK_CM)
			g_string_append_printf(
				text, ", %" G_GUINT64_FORMAT " %s", (guint64)plot->t->marks[i],
				plot->t->marks[i] == 1 ? kinds[i].one : kinds[i].many);
}

void pl_plot_draw(struct pl_html *html, struct pl_plot *plot, const char *caption,
		  const char *sentence)
{
	struct track_column *all = columns_of(plot);
	GString *p = html->page, *more = g_string_new(NULL);

	g_string_append(p, "<figure><figcaption>");
	g_string_append(p, caption);
	legend(p, plot, all);
	g_string_append(p, "</figcaption>");
	places(more, html, plot);
	plot->axis.more = more->str;
	pl_svg_begin(p, BOTTOM + 20, sentence, &plot->axis);
	halts(p, plot);
	pl_svg_times(p, &plot->axis, TOP, BOTTOM);
	grid(p, plot);
	spans(p, plot, all, TRACK_SERIES_RESPONSE, "response");
	spans(p, plot, all, TRACK_SERIES_FIRST, "new");
	spans(p, plot, all, TRACK_SERIES_AGAIN, "again");
	answers(p, plot, all);
	marks(p, html, plot);
	pl_svg_end(p);
	g_string_append(p, "</figure>\n");
	g_string_free(more, TRUE);
	g_array_free(plot->halts, TRUE);
	g_free(plot->column);
	g_free(all);
}
