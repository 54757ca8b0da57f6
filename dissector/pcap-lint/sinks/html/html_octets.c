/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * html_octets.c - a connection of iWARP in detail: the octets of its two streams over time, and its figures. Octets have their
 * places in the stream, from 0 on; the line of answers is what the other end's TCP has acknowledged.
 */
#include "pcap-lint/report/flow.h"
#include "html_plot.h"
#include "pcap-lint/report/iwarp.h"

/* So few segments show no more as a picture than as words. */
#define SEGMENTS_LEAST 12u

/* Messages that waited for octets before them. */
static void halts(struct pl_plot *plot)
{
	const struct track_series_mark *m;
	uint32_t i;

	for (i = 0; (m = track_series_mark_at(plot->t, i)); i++)
		if (m->kind == TRACK_SERIES_MARK_HELD)
			pl_plot_halt(plot, m->since_ns, m->time_ns);
}

static void counted(GString *text, uint64_t n, const char *what)
{
	if (n)
		g_string_append_printf(text, ", %" G_GUINT64_FORMAT " %s", (guint64)n, what);
}

static char *sentence_of(const struct pl_plot *plot, const struct track_iwarp_counts *counts)
{
	GString *text = g_string_new(NULL);
	char time[32];

	g_string_append_printf(text,
			       "Octets over time: %" G_GUINT64_FORMAT
			       " segments with data, %" G_GUINT64_FORMAT " of them retransmitted",
			       (guint64)counts->segments, (guint64)counts->retransmitted);
	counted(text, counts->reordered, "late");
	counted(text, counts->duplicated, "twice");
	pl_plot_say_marks(text, plot);
	if (counts->stall_ns) {
		pl_time_text(time, sizeof(time), counts->stall_ns);
		g_string_append_printf(text, "; messages were held up for at most %s", time);
	}
	g_string_append_c(text, '.');
	return g_string_free(text, FALSE);
}

void pl_html_octets(struct pl_html *html, const struct pl_iwarp *c)
{
	static const struct pl_plot_words words = { .unit = "octet",
						    .response = "late, or twice",
						    .answered = "acknowledged up to",
						    .halt = "held up",
						    .is_scaled = true };
	char caption[256], *sentence;
	struct pl_plot plot;
	unsigned int way;

	for (way = 0; way < TRACK_WAYS; way++) {
		const struct track_iwarp_dir *d = pl_iwarp_dir(c, (enum track_way)way);

		if (d->counts.segments < SEGMENTS_LEAST ||
		    !pl_plot_open(&plot, html, d->series, &words))
			continue;
		halts(&plot);
		sentence = sentence_of(&plot, &d->counts);
		g_snprintf(
			caption, sizeof(caption),
			"Octets over time, stream of %s, from its first octet on. A slope is progress, a step to the right is waiting.",
			way == TRACK_A_TO_B ? "A" : "B");
		pl_plot_draw(html, &plot, caption, sentence);
		g_free(sentence);
	}
}

/* False: there is nothing to say. */
static bool begin_row(GString *p, const char *title, const uint64_t n[TRACK_WAYS])
{
	if (!n[0] && !n[1])
		return false;
	g_string_append(p, "<tr><td>");
	pl_html_text(p, title);
	g_string_append(p, "</td>");
	return true;
}

static void row(GString *p, const char *title, const uint64_t n[TRACK_WAYS])
{
	unsigned int way;

	if (!begin_row(p, title, n))
		return;
	for (way = 0; way < TRACK_WAYS; way++) {
		g_string_append(p, "<td class=\"n\">");
		if (n[way])
			pl_html_number(p, n[way]);
		g_string_append(p, "</td>");
	}
	g_string_append(p, "</tr>\n");
}

static void time_row(GString *p, const char *title, const uint64_t n[TRACK_WAYS])
{
	unsigned int way;
	char text[32];

	if (!begin_row(p, title, n))
		return;
	for (way = 0; way < TRACK_WAYS; way++) {
		pl_time_text(text, sizeof(text), n[way]);
		pl_html_sorted_cell(p, n[way], n[way] ? text : "");
	}
	g_string_append(p, "</tr>\n");
}

/* Figures that iWARP has too, and messages by what they do, in the order of figures.def. */
static const struct {
	bool is_verb;
	unsigned int id; /* enum track_verb, else enum track_figure */
	const char *title;
} shared_figures[] = {
#define TRACK_FIGURE(name, value, title, counter) { false, TRACK_FIGURE_##name, title },
#define TRACK_VERB(id, name, title) { true, TRACK_VERB_##id, "messages: " title },
#include "track/way/figures.def"
};

/* False: iWARP has no such figure. */
static bool shared_figure(const struct track_iwarp_dir *d, unsigned int i, uint64_t *n)
{
	if (!shared_figures[i].is_verb)
		return track_iwarp_figure(d, (enum track_figure)shared_figures[i].id, n);
	*n = track_iwarp_messages(d, (enum track_verb)shared_figures[i].id);
	return true;
}

void pl_html_iwarp_figures(struct pl_html *html, const struct pl_iwarp *c)
{
	const struct track_iwarp_dir *d[TRACK_WAYS] = { pl_iwarp_dir(c, TRACK_A_TO_B),
							pl_iwarp_dir(c, TRACK_B_TO_A) };
	uint64_t n[TRACK_WAYS] = { 0, 0 };
	GString *p = html->page;
	unsigned int i;

	g_string_append(
		p,
		"<details><summary>All figures</summary>\n<div class=\"wide\"><table class=\"s\" aria-label=\"All figures\"><thead><tr><th>figure</th>"
		"<th class=\"n\">A to B</th><th class=\"n\">B to A</th></tr></thead><tbody>\n");
	for (i = 0; i < G_N_ELEMENTS(shared_figures); i++)
		if (shared_figure(d[0], i, &n[0]) && shared_figure(d[1], i, &n[1]))
			row(p, shared_figures[i].title, n);
#define ROW(title, value)                                                                          \
	do {                                                                                       \
		const uint64_t of[TRACK_WAYS] = { d[0]->counts.value, d[1]->counts.value };        \
		row(p, title, of);                                                                 \
	} while (0)
	ROW("FPDUs", fpdus);
	ROW("FPDUs with a wrong CRC", crc_bad);
	ROW("FPDUs in more than one segment", crossed);
	n[0] = d[0]->counts.stall_ns;
	n[1] = d[1]->counts.stall_ns;
	time_row(p, "longest wait for missing octets", n);
	g_string_append(p, "</tbody></table></div></details>\n");
}
