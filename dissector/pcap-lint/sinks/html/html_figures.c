/* SPDX-License-Identifier: GPL-2.0-or-later */
/* html_figures.c - all figures of a connection that are not 0, by track/way/figures.def, folded. */
#include "pcap-lint/report/flow.h"
#include "html.h"

#define CELL 96

struct figure {
	const char *title, *counter;
	char cell[TRACK_WAYS][CELL];
};

static void number(char cell[CELL], uint64_t n)
{
	if (n)
		g_snprintf(cell, CELL, "%" G_GUINT64_FORMAT, (guint64)n);
}

static void measured(char cell[CELL], enum track_unit unit, uint64_t n)
{
	if (!n || n == TRACK_UNKNOWN)
		return;
	if (unit == TRACK_UNIT_COUNT)
		number(cell, n);
	else if (unit == TRACK_UNIT_NS)
		pl_time_text(cell, CELL, n);
	else
		pl_bytes_text(cell, CELL, n);
}

/* "1.2 ms / 4 ms / 5 ms" */
static void samples(char cell[CELL], enum track_unit unit, const struct track_histogram *h)
{
	const uint64_t values[] = { MIN(track_histogram_percentile(h, 500), h->max),
				    MIN(track_histogram_percentile(h, 990), h->max), h->max };
	struct ibw_out o = ibw_out_open(cell, CELL);
	char text[CELL];
	unsigned int i;

	if (!h->n)
		return;
	for (i = 0; i < G_N_ELEMENTS(values); i++) {
		text[0] = '0';
		text[1] = '\0';
		measured(text, unit, values[i]);
		ibw_out_str(&o, i ? " / " : "");
		ibw_out_str(&o, text);
	}
	ibw_out_close(&o);
}

/* Of a file other than the first: with its name. */
static void frame(const struct pl_report *report, char cell[CELL], uint64_t number_of)
{
	struct ibw_out o = ibw_out_open(cell, CELL);

	if (!number_of)
		return;
	pl_out_frame(&o, &report->frames, number_of, report->frames.about);
	ibw_out_close(&o);
}

static void row(GString *p, struct figure *f)
{
	unsigned int way;

	if (*f->cell[0] || *f->cell[1]) {
		g_string_append(p, "<tr><td>");
		pl_html_text(p, f->title);
		g_string_append(p, "</td>");
		for (way = 0; way < TRACK_WAYS; way++) {
			g_string_append(p, "<td class=\"n\">");
			pl_html_text(p, f->cell[way]);
			g_string_append(p, "</td>");
		}
		pl_html_cell(p, f->counter ? f->counter : "");
		g_string_append(p, "</tr>\n");
	}
	*f->cell[0] = *f->cell[1] = '\0';
}

static void rows(GString *p, const struct pl_report *report, const struct track_qp *qp)
{
	struct figure f = { NULL, NULL, { "", "" } };
	unsigned int way;

#define EACH(name, nics, fill)                                                                     \
	f.title = (name);                                                                          \
	f.counter = (nics);                                                                        \
	for (way = 0; way < TRACK_WAYS; way++) {                                                   \
		const struct track_dir *d = &qp->dir[way];                                         \
		fill;                                                                              \
	}                                                                                          \
	row(p, &f);
#define TRACK_FIGURE(name, value, title, counter)                                                  \
	EACH(title, counter, number(f.cell[way], track_figure(d, TRACK_FIGURE_##name)))
#define TRACK_VERB(id, name, title)                                                                \
	EACH("messages: " title, NULL, number(f.cell[way], d->messages[TRACK_VERB_##id]))
#define TRACK_TIMES(id, name, title)                                                               \
	EACH(title " (p50 / p99 / most)", NULL,                                                    \
	     samples(f.cell[way], TRACK_UNIT_NS, track_dir_times(d, TRACK_TIMES_##id)))
#define TRACK_MEASURE(name, unit, value, title, counter, definition)                               \
	EACH(title, counter,                                                                       \
	     measured(f.cell[way], TRACK_UNIT_##unit,                                              \
		      track_measure_figure(d, TRACK_MEASURE_##name)))
#define TRACK_NAMED(name, value, title, definition)                                                \
	EACH(title, NULL,                                                                          \
	     if (track_named_figure(d, TRACK_NAMED_##name))                                        \
		     g_strlcpy(f.cell[way], track_named_figure(d, TRACK_NAMED_##name), CELL))
#define TRACK_FRAME(name, value, title, definition)                                                \
	EACH(title, NULL, frame(report, f.cell[way], track_frame_figure(d, TRACK_FRAME_##name)))
#define TRACK_SAMPLES(id, name, unit, title, definition)                                           \
	EACH(title " (p50 / p99 / most)", NULL,                                                    \
	     samples(f.cell[way], TRACK_UNIT_##unit, track_dir_samples(d, TRACK_SAMPLES_##id)))
#include "track/way/figures.def"
}

void pl_html_figures(struct pl_html *html, const struct track_qp *qp)
{
	GString *p = html->page;

	g_string_append(
		p,
		"<details><summary>All figures</summary>\n<div class=\"wide\"><table class=\"s\" aria-label=\"All figures\"><thead><tr><th>figure</th>"
		"<th class=\"n\">A to B</th><th class=\"n\">B to A</th><th>counter of NICs</th></tr></thead><tbody>\n");
	rows(p, html->report, qp);
	g_string_append(p, "</tbody></table></div></details>\n");
}
