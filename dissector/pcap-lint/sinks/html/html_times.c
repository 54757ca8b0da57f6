/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * html_times.c - connections over time, one row each, with the times of their faults: faults in one row point to an end,
 * faults of many rows in one column to the path between. Congestion, if there is any, is on the same axis.
 */
#include <string.h>

#include "pcap-lint/report/flow.h"
#include "html_picture.h"
#include "pcap-lint/report/iwarp.h"
#include "track/measure/busy.h"
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

/* Intervals that all rows have in common. */
struct grid {
	uint64_t interval_ns, first, n;
};

/* Packets by intervals, and those of them that were sent again. */
struct times {
	uint64_t *packets, *again;
};

static struct grid grid_of(const struct track_timeline *all)
{
	return (struct grid){ .interval_ns = all->interval_ns, .first = all->first, .n = all->n };
}

/* When an interval begins; after the last one that may be at the end of time. */
static uint64_t begin_of(const struct grid *grid, uint64_t i)
{
	uint64_t ns;

	return __builtin_mul_overflow(grid->first + i, grid->interval_ns, &ns) ? UINT64_MAX : ns;
}

static struct pl_axis axis_of(const struct pl_html *html, const struct grid *grid)
{
	return (struct pl_axis){ .begin_ns = begin_of(grid, 0),
				 .end_ns = begin_of(grid, grid->n),
				 .zero_ns = html->report->totals.begin_ns,
				 .left = LEFT,
				 .right = RIGHT };
}

/* Of the interval so far from the first. */
static int64_t bin_x(const struct pl_axis *axis, const struct grid *grid, uint32_t i)
{
	return pl_axis_x(axis, begin_of(grid, i));
}

/* Bars of @figure less @not, the highest of them all @height high, on @floor. */
static void bars(GString *p, const struct pl_axis *axis, const struct grid *grid,
		 const uint64_t *figure, const uint64_t *on, uint64_t most, unsigned int floor,
		 unsigned int height, const char *kind)
{
	bool any = false;
	uint32_t i;

	for (i = 0; i < grid->n; i++) {
		int64_t high = (int64_t)pl_svg_part(figure[i], most, (uint64_t)height * 10);
		int64_t base = on ? (int64_t)pl_svg_part(on[i], most, (uint64_t)height * 10) : 0;
		int64_t x = bin_x(axis, grid, i);

		if (!figure[i])
			continue;
		if (!any)
			g_string_append_printf(p, "<path class=\"f-%s\" d=\"", kind);
		any = true;
		high = MAX(high, 5);
		pl_svg_box(p, x, (int64_t)floor * 10 - base - high,
			   MAX(bin_x(axis, grid, i + 1) - x, 1), high);
	}
	if (any)
		g_string_append(p, "\"/>\n");
}

static uint64_t most_of(const uint64_t *figure, uint64_t n)
{
	uint64_t most = 0;
	uint32_t i;

	for (i = 0; i < n; i++)
		most = MAX(most, figure[i]);
	return most;
}

static uint64_t both(const struct track_bin *bin, enum track_bin_figure figure)
{
	return bin->way[TRACK_A_TO_B][figure] + bin->way[TRACK_B_TO_A][figure];
}

/* Of @interval_ns, which is as long as those of the grid, or a part of them. */
static void add(const struct grid *grid, struct times *to, uint64_t time_ns, uint64_t packets,
		uint64_t again)
{
	const uint64_t i = time_ns / grid->interval_ns - grid->first;

	if (i >= grid->n)
		return;
	to->packets[i] += packets;
	to->again[i] += again;
}

static void add_timeline(const struct grid *grid, struct times *to, const struct track_timeline *t)
{
	uint32_t i;

	for (i = 0; t && i < t->n; i++)
		add(grid, to, (t->first + i) * t->interval_ns, both(&t->bin[i], TRACK_BIN_packets),
		    both(&t->bin[i], TRACK_BIN_repeated_packets));
}

static void add_busy(const struct grid *grid, struct times *to, const struct track_busy *b)
{
	uint32_t i;

	for (i = 0; b && i < b->n; i++)
		add(grid, to, (b->first + i) * b->interval_ns, b->bin[i].packets, b->bin[i].again);
}

static struct times times_new(const struct grid *grid)
{
	const uint64_t n = MAX(grid->n, 1);

	return (struct times){ .packets = g_new0(uint64_t, n), .again = g_new0(uint64_t, n) };
}

static void times_free(struct times *t)
{
	g_free(t->packets);
	g_free(t->again);
}

static struct times times_of(const struct grid *grid, const struct pl_listed *one)
{
	struct times t = times_new(grid);

	if (one->qp)
		add_timeline(grid, &t, track_qp_timeline(one->qp));
	else
		add_busy(grid, &t, one->iwarp->record->conn.busy);
	return t;
}

static bool has_times(const struct pl_listed *one)
{
	return one->qp ? track_qp_timeline(one->qp) != NULL : one->iwarp->record->conn.busy != NULL;
}

static const struct track_iwarp_record *records_of(const struct pl_html *html, unsigned int *n)
{
	const struct track *track = html->report->track;
	const struct track_iwarp *iwarp = track ? track_iwarp_connections(track) : NULL;

	*n = 0;
	return iwarp ? track_iwarp_records(iwarp, n) : NULL;
}

/* All connections together. */
static struct times times_of_all(const struct pl_html *html, const struct grid *grid)
{
	struct times t = times_new(grid);
	const struct track_iwarp_record *records;
	unsigned int i, n;

	add_timeline(grid, &t, pl_html_timeline(html));
	records = records_of(html, &n);
	for (i = 0; i < n; i++)
		add_busy(grid, &t, records[i].conn.busy);
	return t;
}

/* What was sent a first time, and what again. */
static void traffic(GString *p, const struct pl_axis *axis, const struct pl_html *html,
		    const struct grid *grid)
{
	struct times all = times_of_all(html, grid);
	uint64_t most = most_of(all.packets, grid->n);
	char text[64];
	uint32_t i;

	most = MAX(most, 1);
	for (i = 0; i < grid->n; i++)
		all.packets[i] -= all.again[i]; /* those of the first time are left */
	bars(p, axis, grid, all.packets, NULL, most, LANE_TOP + LANE, LANE, "new");
	bars(p, axis, grid, all.again, all.packets, most, LANE_TOP + LANE, LANE, "again");
	pl_svg_text(p, LEFT - 8, LANE_TOP + LANE - 4, "l", "end", "packets, all connections");
	g_snprintf(text, sizeof(text), "at most %" G_GUINT64_FORMAT " in ", (guint64)most);
	pl_time_text(text + strlen(text), 24, grid->interval_ns);
	pl_svg_text(p, LEFT - 8, LANE_TOP + LANE - 18, "t", "end", text);
	times_free(&all);
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

static void busy(GString *p, const struct pl_axis *axis, const struct grid *grid,
		 const struct times *t, unsigned int y, uint64_t most)
{
	static const char *const kinds[LEVELS] = { "r-b0", "r-b1", "r-b2", "r-b3" };
	unsigned int level;
	uint32_t i, from;

	for (level = 1; level <= LEVELS; level++) {
		struct strokes s = { .p = p, .kind = kinds[level - 1], .y = (int64_t)y * 10 + 60 };

		for (i = 0; i < grid->n; i++) {
			if (level_of(t->packets[i], most) != level)
				continue;
			for (from = i;
			     i + 1 < grid->n && level_of(t->packets[i + 1], most) == level; i++)
				;
			stroke(&s, bin_x(axis, grid, from), bin_x(axis, grid, i + 1));
		}
		strokes_end(&s);
	}
}

static void repeated(GString *p, const struct pl_axis *axis, const struct grid *grid,
		     const struct times *t, unsigned int y)
{
	struct strokes s = { .p = p, .kind = "r-again", .y = (int64_t)y * 10 + 95 };
	uint32_t i, from;

	for (i = 0; i < grid->n; i++) {
		int64_t x;

		if (!t->again[i])
			continue;
		for (from = i; i + 1 < grid->n && t->again[i + 1]; i++)
			;
		x = bin_x(axis, grid, from);
		stroke(&s, x, MAX(bin_x(axis, grid, i + 1), x + 10));
	}
	strokes_end(&s);
}

/* Without progress, and shown. */
static bool is_halt(const struct pl_html *html, const struct pl_incident *one)
{
	return (one->qp || one->stall) && one->incident->ns &&
	       pl_incident_severity(one) <= html->report->options->severity;
}

static bool is_of(const struct pl_incident *one, const struct pl_listed *listed)
{
	uint32_t number;

	if (listed->qp)
		return one->qp == listed->qp;
	return one->stall && pl_incident_connection(one, &number) &&
	       number == listed->iwarp->number;
}

static void halts(GString *p, const struct pl_html *html, const struct pl_axis *axis,
		  const struct pl_listed *listed, unsigned int y)
{
	bool any = false;
	unsigned int i;

	for (i = 0; i < pl_html_all_incidents(html); i++) {
		const struct pl_incident *one = pl_html_incident(html, i);
		int64_t from, to;

		if (!is_halt(html, one) || !is_of(one, listed))
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
static void name(GString *p, const struct pl_listed *one, unsigned int y)
{
	char text[256], number[24];
	struct ibw_out o = ibw_out_open(text, sizeof(text));
	char *cut = NULL;

	g_snprintf(number, sizeof(number), "%" G_GUINT64_FORMAT ": ",
		   one->qp ? (guint64)one->qp->number : (guint64)one->iwarp->number);
	ibw_out_str(&o, number);
	if (one->qp)
		pl_out_short_end(&o, one->qp, TRACK_A_TO_B);
	else
		pl_iwarp_out_short_end(&o, one->iwarp, TRACK_A_TO_B);
	ibw_out_str(&o, " \xe2\x86\x92 ");
	if (one->qp)
		pl_out_short_end(&o, one->qp, TRACK_B_TO_A);
	else
		pl_iwarp_out_short_end(&o, one->iwarp, TRACK_B_TO_A);
	ibw_out_close(&o);
	if (g_utf8_strlen(text, -1) > NAME_MAX_SHOWN) {
		char *begin = g_utf8_substring(text, 0, NAME_MAX_SHOWN - 1);

		cut = g_strconcat(begin, "\xe2\x80\xa6", NULL);
		g_free(begin);
	}
	pl_svg_text(p, LEFT - 8, y + 10, "t", "end", cut ? cut : text);
	g_free(cut);
}

/* Of both directions. */
static uint64_t figure_of(const struct pl_listed *one, enum track_figure figure)
{
	uint64_t n = 0, of_way = 0;
	unsigned int way;

	if (one->qp)
		return pl_flow_figure(one->qp, figure);
	for (way = 0; way < TRACK_WAYS; way++)
		if (track_iwarp_figure(pl_iwarp_dir(one->iwarp, (enum track_way)way), figure,
				       &of_way))
			n += of_way;
	return n;
}

static void ends(GString *p, const struct pl_listed *one)
{
	char text[256];

	if (one->qp) {
		pl_html_ends(p, one->qp, false);
		return;
	}
	pl_iwarp_ends_text(text, sizeof(text), one->iwarp);
	pl_html_text(p, text);
}

static void row(GString *p, const struct pl_html *html, const struct pl_axis *axis,
		const struct grid *grid, const struct pl_listed *one, const struct times *t,
		unsigned int y, uint64_t most)
{
	g_string_append(p, "<g data-t=\"");
	ends(p, one);
	g_string_append(p, ": ");
	pl_html_counted(p, figure_of(one, TRACK_FIGURE_packets), one->qp ? "packet" : "segment");
	g_string_append(p, ", ");
	pl_html_number(p, figure_of(one, TRACK_FIGURE_retransmitted_packets));
	g_string_append_printf(
		p,
		" retransmitted\"><rect class=\"f-row\" x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\"/>",
		LEFT, y, RIGHT - LEFT, ROW - 4);
	busy(p, axis, grid, t, y, most);
	repeated(p, axis, grid, t, y);
	halts(p, html, axis, one, y);
	name(p, one, y);
	g_string_append(p, "</g>\n");
}

static unsigned int resending(const struct pl_listed *shown, unsigned int n)
{
	unsigned int i, some = 0;

	for (i = 0; i < n; i++)
		some += figure_of(&shown[i], TRACK_FIGURE_retransmitted_packets) != 0;
	return some;
}

/* "of 16 shown, 12 sent packets again; of all, 3 made no progress for a time" */
static char *sentence_of(const struct pl_html *html, const struct pl_listed *shown, unsigned int n)
{
	GHashTable *halted = g_hash_table_new(NULL, NULL);
	uint32_t number;
	unsigned int i;
	char *text;

	for (i = 0; i < pl_html_all_incidents(html); i++) {
		const struct pl_incident *one = pl_html_incident(html, i);

		if (is_halt(html, one) && pl_incident_connection(one, &number))
			g_hash_table_add(halted, GUINT_TO_POINTER(number));
	}
	text = g_strdup_printf(
		"Connections over time, worst first: of %u shown, %u sent packets again; of all, %u made no progress for a time.",
		n, resending(shown, n), g_hash_table_size(halted));
	g_hash_table_unref(halted);
	return text;
}

static void legend(GString *p, bool again, bool halt)
{
	g_string_append(p, "<ul class=\"legend\">");
	pl_svg_key(p, "new", "", "packets: the darker, the more");
	if (again)
		pl_svg_key(p, "again", "", "retransmitted");
	if (halt)
		pl_svg_key(p, "halt", "", "no progress");
	g_string_append(p, "</ul>");
}

static void rows(struct pl_html *html, const struct pl_axis *axis, const struct grid *grid,
		 const struct pl_listed *shown, unsigned int n)
{
	struct times t[ROWS];
	uint64_t most = 0;
	unsigned int i;

	for (i = 0; i < n; i++) {
		t[i] = times_of(grid, &shown[i]);
		most = MAX(most, most_of(t[i].packets, grid->n));
	}
	for (i = 0; i < n; i++) {
		row(html->page, html, axis, grid, &shown[i], &t[i], ROWS_TOP + i * ROW, most);
		times_free(&t[i]);
	}
}

/* What has no row; the bars have none of those that there was no room for, either. */
static void left_out(struct pl_html *html, unsigned int more, unsigned int unknown)
{
	GString *p = html->page;

	if (more) {
		g_string_append(p, "<p class=\"more\">");
		pl_html_counted(p, more, "connection");
		g_string_append(p, " more have no row; the bars above are of all: ");
		pl_html_command(p, html->report, "--interval auto --ignore all --format json");
		g_string_append(p, "</p>\n");
	}
	if (!unknown)
		return;
	g_string_append(p, "<p class=\"more\">Of ");
	pl_html_counted(p, unknown, "connection");
	g_string_append(p, " of iWARP nothing is drawn, for want of memory.</p>\n");
}

static void picture(struct pl_html *html, const struct grid *grid, const struct pl_listed *shown,
		    unsigned int n)
{
	const struct pl_axis axis = axis_of(html, grid);
	unsigned int i, bottom = ROWS_TOP + n * ROW;
	char *sentence = sentence_of(html, shown, n);
	bool halt = false, iwarp = false;
	GString *p = html->page;

	for (i = 0; i < html->incidents->len; i++)
		halt |= g_array_index(html->incidents, struct pl_incident, i).incident->ns != 0;
	for (i = 0; i < html->managed->len; i++)
		halt |= is_halt(html, &g_array_index(html->managed, struct pl_incident, i));
	for (i = 0; i < n; i++)
		iwarp |= shown[i].iwarp != NULL;
	g_string_append(
		p,
		"<h2>Connections over time</h2>\n<figure><figcaption>One row per connection, worst first"
		". Faults in one row point to one end, faults in one column to the path between the hosts.");
	if (iwarp)
		g_string_append(p, " Packets of iWARP are segments with data.");
	legend(p, resending(shown, n), halt);
	g_string_append(p, "</figcaption>");
	pl_svg_begin(p, bottom + 18, sentence, &axis);
	pl_svg_times(p, &axis, LANE_TOP, bottom);
	traffic(p, &axis, html, grid);
	rows(html, &axis, grid, shown, n);
	pl_svg_end(p);
	g_string_append(p, "</figure>\n");
	g_free(sentence);
}

/* What rows have: their longest interval, and when the first and the last one begins. */
struct range {
	uint64_t interval_ns, first_ns, last_ns;
};

static void stretch(struct range *range, uint64_t interval_ns, uint64_t first, uint32_t n)
{
	if (!n)
		return;
	range->interval_ns = MAX(range->interval_ns, interval_ns);
	range->first_ns = MIN(range->first_ns, first * interval_ns);
	range->last_ns = MAX(range->last_ns, (first + n - 1) * interval_ns);
}

static struct range range_of(const struct pl_html *html)
{
	const struct track_timeline *all = pl_html_timeline(html), *t;
	struct range range = { .interval_ns = all ? all->interval_ns : TRACK_BIN_NS,
			       .first_ns = UINT64_MAX };
	const struct track_iwarp_record *records;
	unsigned int i, n;

	if (all)
		stretch(&range, all->interval_ns, all->first, all->n);
	for (i = 0; i < html->n_listed; i++) {
		t = html->listed[i].qp ? track_qp_timeline(html->listed[i].qp) : NULL;
		if (t)
			stretch(&range, t->interval_ns, t->first, t->n);
	}
	records = records_of(html, &n);
	for (i = 0; i < n; i++)
		if (records[i].conn.busy)
			stretch(&range, records[i].conn.busy->interval_ns,
				records[i].conn.busy->first, records[i].conn.busy->n);
	return range;
}

/* Of all connections: as long as the longest intervals of any, and as many as there may be. */
static struct grid grid_of_all(const struct pl_html *html)
{
	const struct track_timeline *all = pl_html_timeline(html);
	const uint32_t most = MAX(all ? all->n : 0, TRACK_BINS);
	const struct range range = range_of(html);
	struct grid grid = { .interval_ns = range.interval_ns };

	if (range.first_ns > range.last_ns)
		return grid;
	while (range.last_ns / grid.interval_ns - range.first_ns / grid.interval_ns >= most)
		grid.interval_ns *= 2;
	grid.first = range.first_ns / grid.interval_ns;
	grid.n = range.last_ns / grid.interval_ns - grid.first + 1;
	return grid;
}

void pl_html_times(struct pl_html *html)
{
	const struct grid grid = grid_of_all(html);
	struct pl_listed shown[ROWS];
	unsigned int i, n = 0, rest = 0, unknown = 0;

	for (i = 0; i < html->n_listed; i++) {
		const struct pl_listed *one = &html->listed[i];

		if (has_times(one) && n < ROWS)
			shown[n++] = *one;
		else if (has_times(one))
			rest++;
		else if (one->iwarp && figure_of(one, TRACK_FIGURE_packets))
			unknown++;
	}
	if (!n)
		return;
	picture(html, &grid, shown, n);
	left_out(html, rest, unknown);
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

static void draw_lane(GString *p, const struct pl_axis *axis, const struct grid *grid,
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
	bars(p, axis, grid, lane->figure, NULL, MAX(lane->most, 1), top + LANE_HEIGHT, LANE_HEIGHT,
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
	struct grid grid;
	struct pl_axis axis;
	unsigned int i, n = 0;
	GString *p = html->page;
	char *sentence, interval[32];

	if (!all || pl_chosen_any(&html->report->options->chosen))
		return;
	grid = grid_of(all);
	axis = axis_of(html, &grid);
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
				draw_lane(p, &axis, &grid, &lanes[i], 4 + n++ * LANE_STEP);
		pl_svg_end(p);
		g_string_append(p, "</figure>\n");
		g_free(sentence);
	}
	for (i = 0; i < LANES; i++)
		g_free(lanes[i].figure);
}
