/* SPDX-License-Identifier: GPL-2.0-or-later */
/* html_plot.h - a picture of a series: html_psn.c has those of PSNs, html_octets.c those of octets. */
#ifndef PL_HTML_PLOT_H
#define PL_HTML_PLOT_H

#include "html_picture.h"
#include "track/measure/series.h"

/* What parts of it are called. */
struct pl_plot_words {
	const char *unit; /* "PSN" */
	const char *response, *answered, *halt;
	bool is_scaled; /* "+12.5 k" */
};

/* Without progress. */
struct pl_plot_halt {
	uint64_t begin_ns, end_ns;
};

struct pl_plot {
	const struct track_series *t;
	const struct pl_plot_words *words;
	struct track_column *column; /* all of its columns */
	uint32_t n;
	struct pl_axis axis;
	int32_t low, high; /* PSNs */
	GArray *halts;     /* of struct pl_plot_halt */
};

/* False: there is nothing to draw. */
bool pl_plot_open(struct pl_plot *plot, const struct pl_html *html, const struct track_series *t,
		  const struct pl_plot_words *words);
void pl_plot_halt(struct pl_plot *plot, uint64_t begin_ns, uint64_t end_ns);

/* ", 34 sequence NAKs, 2 gaps" */
void pl_plot_say_marks(GString *text, const struct pl_plot *plot);

/* Once: the plot is closed. @caption is markup, @sentence text. */
void pl_plot_draw(struct pl_html *html, struct pl_plot *plot, const char *caption,
		  const char *sentence);

#endif /* PL_HTML_PLOT_H */
