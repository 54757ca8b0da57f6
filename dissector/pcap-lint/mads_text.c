/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mads_text.c - MAD clients, and what they ask for, as tables: worst first. */
#include <string.h>

#include "flow.h"
#include "mads.h"

/* Lines shown unless all are asked for. */
#define SHOWN 100u

#define CELL 64

enum { WHO, WHAT, FIGURES, TIMES = FIGURES + TRACK_MAD_FIGURE_COUNT, COLUMNS };

struct row {
	char cell[COLUMNS][CELL];
};

static void times(char *buf, const struct track_histogram *h)
{
	char p50[CELL / 4], p99[CELL / 4];

	if (!h->n)
		return;
	pl_time_text(p50, sizeof(p50), MIN(track_histogram_percentile(h, 500), h->max));
	pl_time_text(p99, sizeof(p99), MIN(track_histogram_percentile(h, 990), h->max));
	g_snprintf(buf, CELL, "%s / %s", p50, p99);
}

static void name_or_number(char *buf, const char *name, const char *what, unsigned int number)
{
	if (name)
		g_strlcpy(buf, name, CELL);
	else
		g_snprintf(buf, CELL, "%s 0x%02x", what, number);
}

static void fill(struct row *row, const struct track_mad_counts *c)
{
	bool client = c->kind != TRACK_ADDRESS_NONE;
	char address[TRACK_ADDRESS_TEXT];
	unsigned int i;
	uint64_t n;

	memset(row, 0, sizeof(*row));
	if (client)
		g_strlcpy(row->cell[WHO], pl_mad_client(c, address), CELL);
	else
		name_or_number(row->cell[WHAT], pl_mad_attribute(c), "attribute", c->attr_id);
	name_or_number(row->cell[client ? WHAT : WHO], pl_mad_class(c), "class", c->mgmt_class);
	for (i = 0; i < TRACK_MAD_FIGURE_COUNT; i++) {
		n = track_mad_figure(c, (enum track_mad_figure)i);
		if (n)
			g_snprintf(row->cell[FIGURES + i], CELL, "%" G_GUINT64_FORMAT, (guint64)n);
	}
	times(row->cell[TIMES], &c->times);
}

static void titles(struct row *row, bool clients)
{
	unsigned int i;

	g_strlcpy(row->cell[WHO], clients ? "client" : "class", CELL);
	g_strlcpy(row->cell[WHAT], clients ? "class" : "attribute", CELL);
	for (i = 0; i < TRACK_MAD_FIGURE_COUNT; i++)
		g_strlcpy(row->cell[FIGURES + i], track_mad_figure_titles[i], CELL);
	g_strlcpy(row->cell[TIMES], "answer p50/p99", CELL);
}

/* No blanks at the end of a line; numbers end where those above and below do. */
static void print_row(struct ibw_out *o, const struct row *row, const size_t widths[COLUMNS])
{
	size_t blanks = 0, length, pad;
	unsigned int i;

	for (i = 0; i < COLUMNS; i++) {
		if (!widths[i])
			continue;
		length = strlen(row->cell[i]);
		pad = widths[i] - length;
		blanks += i >= FIGURES ? pad : 0;
		for (; length && blanks; blanks--)
			ibw_out_char(o, ' ');
		ibw_out_str(o, row->cell[i]);
		blanks += 2 + (i >= FIGURES ? 0 : pad);
	}
	ibw_out_char(o, '\n');
}

/* A column of which no row has anything is left out. */
static void widen(size_t widths[COLUMNS], const struct row *row, const struct row *title)
{
	size_t length;
	unsigned int i;

	for (i = 0; i < COLUMNS; i++) {
		length = strlen(row->cell[i]);
		if (length)
			widths[i] = MAX(widths[i], MAX(length, strlen(title->cell[i])));
	}
}

static void table(struct pl_report *report, const struct track_transact *mads, bool clients,
		  const char *title)
{
	struct ibw_out *o = &report->output->out;
	const struct track_mad_counts **all;
	size_t widths[COLUMNS] = { 0 };
	unsigned int n, shown, i;
	struct row head, row;

	all = pl_mads_sorted(mads, clients, &n);
	shown = report->options->max_per_rule ? MIN(n, SHOWN) : n;
	titles(&head, clients);
	for (i = 0; i < shown; i++) {
		fill(&row, all[i]);
		widen(widths, &row, &head);
	}
	if (n) {
		pl_output_room(report->output);
		pl_out_files(o, &report->frames);
		ibw_out_str(o, title);
		print_row(o, &head, widths);
	}
	for (i = 0; i < shown; i++) {
		fill(&row, all[i]);
		pl_output_room(report->output);
		print_row(o, &row, widths);
	}
	if (shown < n) {
		ibw_out_dec(o, n - shown);
		ibw_out_str(o, " more (--max-per-rule 0 shows all)\n");
	}
	g_free(all);
}

void pl_text_mads(struct pl_report *report, const struct track_transact *mads)
{
	table(report, mads, true, ": MAD clients, worst first\n");
	table(report, mads, false, ": MADs by attribute, queries of the SA first\n");
}
