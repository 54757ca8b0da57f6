/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mads_table.c - MAD clients, and what they ask for, as tables: worst first. */
#include <string.h>

#include "flow.h"
#include "mads.h"

#define CELL (TRACK_ADDRESS_TEXT + TRACK_NODE_SHORT + 24)

enum { WHO, WHAT, FIGURES, TIMES = FIGURES + TRACK_MAD_FIGURE_COUNT, COLUMNS };

struct row {
	char cell[COLUMNS][CELL];
};

static void times(char *buf, const struct track_histogram *h)
{
	char p50[16], p99[16];

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

/* "LID 0x0004 (host 3)", "LID 0xffff agent 0x0000000e (host 3)" */
static void client_cell(char *buf, const struct pl_report *report, const struct track_mad_counts *c)
{
	char address[TRACK_ADDRESS_TEXT], node[TRACK_NODE_SHORT];
	struct ibw_out o = ibw_out_open(buf, CELL);

	ibw_out_str(&o, pl_mad_client(c, address));
	if (c->agent != TRACK_MAD_NO_AGENT) {
		ibw_out_str(&o, " agent ");
		ibw_out_hex(&o, c->agent, 8);
	}
	track_put_name(&o, pl_mad_client_node(report, c, node));
	ibw_out_close(&o);
}

static void fill(struct row *row, const struct pl_report *report, const struct track_mad_counts *c)
{
	bool client = c->kind != TRACK_ADDRESS_NONE;
	unsigned int i;
	uint64_t n;

	memset(row, 0, sizeof(*row));
	if (client)
		client_cell(row->cell[WHO], report, c);
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

static struct pl_columns *new_columns(bool clients)
{
	struct pl_column columns[COLUMNS];
	unsigned int i;

	columns[WHO] = (struct pl_column){ clients ? "client" : "class", false };
	columns[WHAT] = (struct pl_column){ clients ? "class" : "attribute", false };
	for (i = 0; i < TRACK_MAD_FIGURE_COUNT; i++)
		columns[FIGURES + i] = (struct pl_column){ track_mad_figure_titles[i], true };
	columns[TIMES] = (struct pl_column){ "answer p50/p99", true };
	return pl_columns_new(columns, COLUMNS);
}

struct pl_columns *pl_mads_columns(const struct pl_report *report,
				   const struct track_transact *mads, bool clients,
				   unsigned int most, unsigned int *n)
{
	const struct track_mad_counts **all = pl_mads_sorted(mads, clients, n);
	struct pl_columns *c = new_columns(clients);
	const char *cells[COLUMNS];
	unsigned int i, column;
	struct row row;

	for (i = 0; i < MIN(*n, most); i++) {
		fill(&row, report, all[i]);
		for (column = 0; column < COLUMNS; column++)
			cells[column] = row.cell[column];
		pl_columns_add(c, cells);
	}
	g_free(all);
	return c;
}
