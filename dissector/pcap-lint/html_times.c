/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * html_times.c - connections over time, a row each: who has faults when. Faults of one row are those of an end, faults of
 * many rows in one column those of the way between. And, where there is any, congestion on the same axis.
 */
#include <string.h>

#include "flow.h"
#include "html_picture.h"
#include "track/measure/timeline.h"

#define ROWS 40u
#define LEFT 300u
#define RIGHT 990u
#define LANE_TOP 8u
#define LANE 62u /* pixels */
#define ROW 16u
#define ROWS_TOP (LANE_TOP + LANE + 12u)
#define LEVELS 4u

/* Characters of a name that are left of a row. */
#define NAME_MAX_SHOWN 42

static struct pl_axis axis_of(const struct pl_html *html, const struct track_timeline *all)
{
	return (struct pl_axis){ .begin_ns = all->first * all->interval_ns,
				 .end_ns = (all->first + all->n) * all->interval_ns,
				 .zero_ns = html->report->totals.begin_ns,
				 .left = LEFT,
				 .right = RIGHT };
}

static int64_t bin_x(const struct pl_axis *axis, const struct track_timeline *t, uint64_t number)
{
	return pl_axis_x(axis, number * t->interval_ns);
}

/* Bars of @figure less @not, the highest of them all @height high, on @floor. */
static void bars(GString *p, const struct pl_axis *axis, const struct track_timeline *t,
		 const uint64_t *figure, const uint64_t *on, uint64_t most, unsigned int floor,
		 unsigned int height, const char *kind)
{
	bool any = false;
	uint32_t i;

	for (i = 0; i < t->n; i++) {
		int64_t high = (int64_t)pl_svg_part(figure[i], most, (uint64_t)height * 10);
		int64_t base = on ? (int64_t)pl_svg_part(on[i], most, (uint64_t)height * 10) : 0;
		int64_t x = bin_x(axis, t, t->first + i);

		if (!figure[i])
			continue;
		if (!any)
			g_string_append_printf(p, "<path class=\"f-%s\" d=\"", kind);
		any = true;
		high = MAX(high, 5);
		pl_svg_box(p, x, (int64_t)floor * 10 - base - high,
			   MAX(bin_x(axis, t, t->first + i + 1) - x, 1), high);
	}
	if (any)
		g_string_append(p, "\"/>\n");
}

static uint64_t most_of(const uint64_t *figure, uint32_t n)
{
	uint64_t most = 0;
	uint32_t i;

	for (i = 0; i < n; i++)
		most = MAX(most, figure[i]);
	return most;
}

/* What was sent a first time, and what again. */
static void traffic(GString *p, const struct pl_axis *axis, const struct track_timeline *all)
{
	uint64_t *first = g_new0(uint64_t, all->n), *again = g_new0(uint64_t, all->n), most = 1;
	char text[64];
	uint32_t i;

	for (i = 0; i < all->n; i++) {
		const uint64_t *figure = all->bin[i].way[0];

		again[i] = figure[TRACK_BIN_repeated_packets];
		first[i] = figure[TRACK_BIN_packets] - again[i];
		most = MAX(most, figure[TRACK_BIN_packets]);
	}
	bars(p, axis, all, first, NULL, most, LANE_TOP + LANE, LANE, "new");
	bars(p, axis, all, again, first, most, LANE_TOP + LANE, LANE, "again");
	pl_svg_text(p, LEFT - 8, LANE_TOP + LANE - 4, "l", "end", "packets, all connections");
	g_snprintf(text, sizeof(text), "at most %" G_GUINT64_FORMAT " in ", (guint64)most);
	pl_time_text(text + strlen(text), 24, all->interval_ns);
	pl_svg_text(p, LEFT - 8, LANE_TOP + LANE - 18, "t", "end", text);
	g_free(first);
	g_free(again);
}

static uint64_t both(const struct track_bin *bin, enum track_bin_figure figure)
{
	return bin->way[TRACK_A_TO_B][figure] + bin->way[TRACK_B_TO_A][figure];
}

/* How dark: of what the busiest interval of all rows has, up to an eighth, a quarter, a half. */
static unsigned int level_of(uint64_t packets, uint64_t most)
{
	if (!packets)
		return 0;
	return packets >= most / 2 + 1 ? 4 : packets > most / 4 ? 3 : packets > most / 8 ? 2 : 1;
}

/* Boxes of a row are strokes of one path, each told from the end of the one before: a row has hundreds. */
struct strokes {
	GString *p;
	const char *kind;
	int64_t y, at; /* in tenths; at: the end of the last one */
	bool any;
};

static void stroke(struct strokes *s, int64_t from, int64_t to)
{
	if (!s->any) {
		g_string_append_printf(s->p, "<path class=\"%s\" d=\"M", s->kind);
		pl_svg_tenths(s->p, from);
		g_string_append_c(s->p, ' ');
		pl_svg_tenths(s->p, s->y);
	} else {
		g_string_append_c(s->p, 'm');
		pl_svg_tenths(s->p, from - s->at);
		g_string_append(s->p, " 0");
	}
	g_string_append_c(s->p, 'h');
	pl_svg_tenths(s->p, to - from);
	s->at = to;
	s->any = true;
}

static void strokes_end(const struct strokes *s)
{
	if (s->any)
		g_string_append(s->p, "\"/>");
}

static void busy(GString *p, const struct pl_axis *axis, const struct track_timeline *t,
		 unsigned int y, uint64_t most)
{
	static const char *const kinds[LEVELS] = { "r-b0", "r-b1", "r-b2", "r-b3" };
	unsigned int level;
	uint32_t i, from;

	for (level = 1; level <= LEVELS; level++) {
		struct strokes s = { .p = p, .kind = kinds[level - 1], .y = (int64_t)y * 10 + 60 };

		for (i = 0; i < t->n; i++) {
			if (level_of(both(&t->bin[i], TRACK_BIN_packets), most) != level)
				continue;
			for (from = i;
			     i + 1 < t->n &&
			     level_of(both(&t->bin[i + 1], TRACK_BIN_packets), most) == level;
			     i++)
				;
			stroke(&s, bin_x(axis, t, t->first + from),
			       bin_x(axis, t, t->first + i + 1));
		}
		strokes_end(&s);
	}
}

static void repeated(GString *p, const struct pl_axis *axis, const struct track_timeline *t,
		     unsigned int y)
{
	struct strokes s = { .p = p, .kind = "r-again", .y = (int64_t)y * 10 + 95 };
	uint32_t i, from;

	for (i = 0; i < t->n; i++) {
		int64_t x;

		if (!both(&t->bin[i], TRACK_BIN_repeated_packets))
			continue;
		for (from = i; i + 1 < t->n && both(&t->bin[i + 1], TRACK_BIN_repeated_packets);
		     i++)
			;
		x = bin_x(axis, t, t->first + from);
		stroke(&s, x, MAX(bin_x(axis, t, t->first + i + 1), x + 10));
	}
	strokes_end(&s);
}

/* Without progress. */
static void halts(GString *p, const struct pl_html *html, const struct pl_axis *axis,
		  const struct track_qp *qp, unsigned int y)
{
	bool any = false;
	unsigned int i;

	for (i = 0; i < html->incidents->len; i++) {
		const struct pl_incident *one =
			&g_array_index(html->incidents, struct pl_incident, i);
		int64_t from, to;

		if (one->qp != qp || !one->incident->ns ||
		    pl_incident_severity(one) > html->report->options->severity)
			continue;
		from = pl_axis_x(axis, one->incident->end_ns - one->incident->ns);
		to = pl_axis_x(axis, one->incident->end_ns);
		if (!any)
			g_string_append(p, "<path class=\"f-halt\" d=\"");
		any = true;
		pl_svg_box(p, from, (int64_t)y * 10 - 15, MAX(to - from, 10), 30);
	}
	if (any)
		g_string_append(p, "\"/>");
}

/* "0: 10.7.0.1 qp 21 -> 10.7.0.2 qp 20", cut if it is long. */
static void name(GString *p, const struct track_qp *qp, unsigned int y)
{
	char text[256], number[16];
	struct ibw_out o = ibw_out_open(text, sizeof(text));
	char *cut = NULL;

	g_snprintf(number, sizeof(number), "%u: ", qp->number);
	ibw_out_str(&o, number);
	pl_out_short_end(&o, qp, TRACK_A_TO_B);
	ibw_out_str(&o, " \xe2\x86\x92 ");
	pl_out_short_end(&o, qp, TRACK_B_TO_A);
	ibw_out_close(&o);
	if (g_utf8_strlen(text, -1) > NAME_MAX_SHOWN) {
		char *begin = g_utf8_substring(text, 0, NAME_MAX_SHOWN - 1);

		cut = g_strconcat(begin, "\xe2\x80\xa6", NULL);
		g_free(begin);
	}
	pl_svg_text(p, LEFT - 8, y + 10, "t", "end", cut ? cut : text);
	g_free(cut);
}

static void row(GString *p, const struct pl_html *html, const struct pl_axis *axis,
		const struct track_qp *qp, unsigned int y, uint64_t most)
{
	const struct track_timeline *t = track_qp_timeline(qp);

	g_string_append(p, "<g data-t=\"");
	pl_html_ends(p, qp, false);
	g_string_append(p, ": ");
	pl_html_counted(p, pl_flow_figure(qp, TRACK_FIGURE_packets), "packet");
	g_string_append(p, ", ");
	pl_html_number(p, pl_flow_figure(qp, TRACK_FIGURE_retransmitted_packets));
	g_string_append_printf(
		p,
		" sent again\"><rect class=\"f-row\" x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\"/>",
		LEFT, y, RIGHT - LEFT, ROW - 4);
	busy(p, axis, t, y, most);
	repeated(p, axis, t, y);
	halts(p, html, axis, qp, y);
	name(p, qp, y);
	g_string_append(p, "</g>\n");
}

static uint64_t busiest(const struct track_qp *const *qps, unsigned int n)
{
	uint64_t most = 0;
	unsigned int i;
	uint32_t bin;

	for (i = 0; i < n; i++) {
		const struct track_timeline *t = track_qp_timeline(qps[i]);

		for (bin = 0; bin < t->n; bin++)
			most = MAX(most, both(&t->bin[bin], TRACK_BIN_packets));
	}
	return most;
}

/* "12 of 16 connections have packets sent again, 3 made no progress for a time" */
static char *sentence_of(const struct pl_html *html, const struct track_qp *const *qps,
			 unsigned int n)
{
	GHashTable *halted = g_hash_table_new(NULL, NULL);
	unsigned int i, again = 0;
	char *text;

	for (i = 0; i < n; i++)
		again += pl_flow_figure(qps[i], TRACK_FIGURE_retransmitted_packets) != 0;
	for (i = 0; i < html->incidents->len; i++) {
		const struct pl_incident *one =
			&g_array_index(html->incidents, struct pl_incident, i);

		if (one->incident->ns &&
		    pl_incident_severity(one) <= html->report->options->severity)
			g_hash_table_add(halted, (void *)one->qp);
	}
	text = g_strdup_printf(
		"Connections over time, worst first: of %u shown, %u sent packets again; of all, %u made no progress for a time.",
		n, again, g_hash_table_size(halted));
	g_hash_table_unref(halted);
	return text;
}

static void legend(GString *p, bool again, bool halt)
{
	g_string_append(p, "<ul class=\"legend\">");
	pl_svg_key(p, "new", "", "packets: the darker, the more");
	if (again)
		pl_svg_key(p, "again", "", "sent again");
	if (halt)
		pl_svg_key(p, "halt", "", "no progress");
	g_string_append(p, "</ul>");
}

static void picture(struct pl_html *html, const struct track_timeline *all,
		    const struct track_qp *const *qps, unsigned int n, unsigned int more)
{
	const struct pl_axis axis = axis_of(html, all);
	unsigned int i, bottom = ROWS_TOP + n * ROW;
	char *sentence = sentence_of(html, qps, n);
	bool again = false, halt = false;
	uint64_t most = busiest(qps, n);
	GString *p = html->page;

	for (i = 0; i < n; i++)
		again |= pl_flow_figure(qps[i], TRACK_FIGURE_retransmitted_packets) != 0;
	for (i = 0; i < html->incidents->len; i++)
		halt |= g_array_index(html->incidents, struct pl_incident, i).incident->ns != 0;
	g_string_append(
		p,
		"<h2>Connections over time</h2>\n<figure><figcaption>One row per connection, worst first"
		". Faults in one row are those of an end, faults in one column those of the way between.");
	legend(p, again, halt);
	g_string_append(p, "</figcaption>");
	pl_svg_begin(p, bottom + 18, sentence, &axis);
	pl_svg_times(p, &axis, LANE_TOP, bottom);
	traffic(p, &axis, all);
	for (i = 0; i < n; i++)
		row(p, html, &axis, qps[i], ROWS_TOP + i * ROW, most);
	pl_svg_end(p);
	g_string_append(p, "</figure>\n");
	g_free(sentence);
	if (!more)
		return;
	g_string_append(p, "<p class=\"more\">");
	pl_html_counted(p, more, "connection");
	g_string_append(p, " more have no row; the bars above are of all: ");
	pl_html_command(p, html->report, "--interval auto --ignore all --format json");
	g_string_append(p, "</p>\n");
}

void pl_html_times(struct pl_html *html)
{
	const struct track_timeline *all = pl_html_timeline(html);
	const struct track_qp *qps[ROWS];
	unsigned int i, n = 0, rest = 0;

	if (!all)
		return;
	for (i = 0; i < html->n_listed; i++) {
		const struct track_qp *qp = html->listed[i].qp;

		if (!qp || !track_qp_timeline(qp))
			continue;
		if (n < ROWS)
			qps[n++] = qp;
		else
			rest++;
	}
	if (n)
		picture(html, all, qps, n, rest);
}

const struct track_timeline *pl_html_timeline(const struct pl_html *html)
{
	const struct track *track = html->report->track;
	const struct track_timeline *t;

	if (!track || !track_streams(track))
		return NULL;
	t = track_qps_timeline(track_streams(track));
	return t && t->n ? t : NULL;
}

/* Congestion */

#define LANE_HEIGHT 36u
#define LANE_STEP 46u
#define LANES 6u
#define LANES_OF_BINS 4u /* the others are of all connections only */

struct lane {
	const char *title, *kind;
	uint64_t *figure;
	uint64_t most;
	bool is_time; /* in ns */
};

static void fill_lanes(struct lane lanes[LANES], const struct track_timeline *all)
{
	static const enum track_bin_figure of[LANES_OF_BINS] = { TRACK_BIN_payload_bytes,
								 TRACK_BIN_in_flight_bytes,
								 TRACK_BIN_ce_packets,
								 TRACK_BIN_cnp_packets };
	unsigned int lane;
	uint32_t i;

	for (lane = 0; lane < LANES; lane++) {
		lanes[lane].figure = g_new0(uint64_t, all->n);
		for (i = 0; i < all->n; i++)
			lanes[lane].figure[i] = lane < LANES_OF_BINS ? all->bin[i].way[0][of[lane]]
						: lane == LANES_OF_BINS ? all->bin[i].pause
									: all->bin[i].paused_ns;
		lanes[lane].most = most_of(lanes[lane].figure, all->n);
	}
}

static void draw_lane(GString *p, const struct pl_axis *axis, const struct track_timeline *all,
		      const struct lane *lane, unsigned int top)
{
	char text[64], most[32];

	if (lane->is_time)
		pl_time_text(most, sizeof(most), lane->most);
	else
		pl_bytes_text(most, sizeof(most), lane->most);
	g_snprintf(text, sizeof(text), "at most %s", most);
	g_string_append_printf(p, "<g data-t=\"%s\">", lane->title);
	g_string_append_printf(
		p, "<rect class=\"f-row\" x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\"/>", LEFT,
		top, RIGHT - LEFT, LANE_HEIGHT);
	bars(p, axis, all, lane->figure, NULL, MAX(lane->most, 1), top + LANE_HEIGHT, LANE_HEIGHT,
	     lane->kind);
	pl_svg_text(p, LEFT - 8, top + 14, "l", "end", lane->title);
	pl_svg_text(p, LEFT - 8, top + 28, "t", "end", text);
	g_string_append(p, "</g>\n");
}

void pl_html_congestion(struct pl_html *html)
{
	struct lane lanes[LANES] = { { .title = "payload bytes", .kind = "new" },
				     { .title = "bytes in flight", .kind = "b1" },
				     { .title = "marked CE", .kind = "ce" },
				     { .title = "CNPs", .kind = "cnp" },
				     { .title = "pause frames", .kind = "pause" },
				     { .title = "paused", .kind = "pause", .is_time = true } };
	const struct track_timeline *all = pl_html_timeline(html);
	struct pl_axis axis;
	unsigned int i, n = 0;
	GString *p = html->page;
	char *sentence, interval[32];

	if (!all || pl_chosen_any(&html->report->options->chosen))
		return;
	axis = axis_of(html, all);
	fill_lanes(lanes, all);
	for (i = 0; i < LANES; i++)
		n += lanes[i].most != 0;
	if (lanes[2].most || lanes[3].most || lanes[4].most) {
		pl_time_text(interval, sizeof(interval), all->interval_ns);
		sentence = g_strdup_printf(
			"Congestion over time: %" G_GUINT64_FORMAT
			" packets marked CE, %" G_GUINT64_FORMAT " CNPs, %" G_GUINT64_FORMAT
			" pause frames in the capture.",
			(guint64)html->report->totals.ce, (guint64)html->report->totals.cnp,
			(guint64)html->report->totals.protocols[IBW_PROTO_PAUSE]);
		g_string_append_printf(
			p,
			"<h2>Congestion</h2>\n<figure><figcaption>All connections together, in intervals of %s; each lane to its own maximum.</figcaption>",
			interval);
		pl_svg_begin(p, n * LANE_STEP + 24, sentence, &axis);
		pl_svg_times(p, &axis, 4, n * LANE_STEP);
		for (i = n = 0; i < LANES; i++)
			if (lanes[i].most)
				draw_lane(p, &axis, all, &lanes[i], 4 + n++ * LANE_STEP);
		pl_svg_end(p);
		g_string_append(p, "</figure>\n");
		g_free(sentence);
	}
	for (i = 0; i < LANES; i++)
		g_free(lanes[i].figure);
}
