/* SPDX-License-Identifier: GPL-2.0-or-later */
/* html_psn.c - the PSNs of a direction over time. */
#include "pcap-lint/report/flow.h"
#include "html_plot.h"

/* So few requests show no more as a picture than as words. */
#define REQUESTS_LEAST 12u

/* Time without progress, all together. */
static uint64_t halts(struct pl_plot *plot, const struct pl_html *html, const struct track_qp *qp,
		      enum track_way way)
{
	uint64_t ns = 0;
	unsigned int i;

	for (i = 0; i < html->incidents->len; i++) {
		const struct pl_incident *one =
			&g_array_index(html->incidents, struct pl_incident, i);

		if (one->qp != qp || one->incident->way != way || !one->incident->ns ||
		    pl_incident_severity(one) > html->report->options->severity)
			continue;
		ns += one->incident->ns;
		pl_plot_halt(plot, one->incident->end_ns - one->incident->ns,
			     one->incident->end_ns);
	}
	return ns;
}

static char *sentence_of(const struct pl_plot *plot, const struct track_dir *d, uint64_t ns)
{
	GString *text = g_string_new(NULL);
	char time[32];

	g_string_append_printf(text,
			       "PSN over time: %" G_GUINT64_FORMAT " requests, %" G_GUINT64_FORMAT
			       " of them repeated",
			       (guint64)track_figure(d, TRACK_FIGURE_request_packets),
			       (guint64)track_figure(d, TRACK_FIGURE_repeated_packets));
	pl_plot_say_marks(text, plot);
	if (ns) {
		pl_time_text(time, sizeof(time), ns);
		g_string_append_printf(text, "; no progress for %s", time);
	}
	g_string_append_c(text, '.');
	return g_string_free(text, FALSE);
}

void pl_html_psn(struct pl_html *html, const struct track_qp *qp)
{
	static const struct pl_plot_words words = { .unit = "PSN",
						    .response = "responses",
						    .answered = "answered up to",
						    .halt = "no progress" };
	char caption[256], *sentence;
	struct pl_plot plot;
	unsigned int way;

	for (way = 0; way < TRACK_WAYS; way++) {
		const struct track_dir *d = &qp->dir[way];

		if (track_figure(d, TRACK_FIGURE_request_packets) < REQUESTS_LEAST ||
		    !pl_plot_open(&plot, html, track_dir_series(d), &words))
			continue;
		sentence = sentence_of(&plot, d, halts(&plot, html, qp, (enum track_way)way));
		g_snprintf(
			caption, sizeof(caption),
			"PSN over time, requests of %s; +0 is 0x%06x. A slope is progress, a step to the right is waiting.",
			way == TRACK_A_TO_B ? "A" : "B", (unsigned int)(plot.t->base & 0xffffff));
		pl_plot_draw(html, &plot, caption, sentence);
		g_free(sentence);
	}
}
