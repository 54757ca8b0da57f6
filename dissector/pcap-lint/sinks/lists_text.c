/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lists_text.c - the lists of --stats, but for connections, as tables of text. */
#include <limits.h>

#include "lists.h"
#include "pcap-lint/report/cm.h"
#include "pcap-lint/report/mads.h"
#include "pcap-lint/report/subnet.h"
#include "pcap-lint/report/upper.h"

/* Rows shown unless all are asked for. */
#define SHOWN 100u

static unsigned int most_of(const struct pl_report *report)
{
	return report->options->max_per_rule ? SHOWN : UINT_MAX;
}

/* The files and the title, the rows, and how many @more there are. */
static void table(void *user, const char *title, const struct pl_columns *columns,
		  unsigned int more)
{
	struct pl_report *report = user;
	struct ibw_out *o = &report->output->out;

	pl_output_room(report->output);
	pl_out_files(o, &report->frames);
	ibw_out_str(o, ": ");
	ibw_out_str(o, title);
	ibw_out_char(o, '\n');
	pl_columns_print(columns, report->output);
	if (!more)
		return;
	ibw_out_dec(o, more);
	ibw_out_str(o, " more (--max-per-rule 0 shows all)\n");
}

void pl_text_cm(struct pl_report *report, const struct track_cm_list *list)
{
	unsigned int n, most = most_of(report);
	struct pl_columns *c = pl_cm_columns(report, list, most, &n);

	if (n)
		table(report, "connections of the CM, worst first", c, n - MIN(n, most));
	pl_columns_free(c);
}

static void mads_of(struct pl_report *report, const struct track_transact *mads, bool clients,
		    const char *title)
{
	unsigned int n, most = most_of(report);
	struct pl_columns *c = pl_mads_columns(report, mads, clients, most, &n);

	if (n)
		table(report, title, c, n - MIN(n, most));
	pl_columns_free(c);
}

void pl_text_mads(struct pl_report *report, const struct track_transact *mads)
{
	mads_of(report, mads, true, "MAD clients, worst first");
	mads_of(report, mads, false, "MADs by attribute, queries of the SA first");
}

void pl_text_upper(struct pl_report *report, const struct track_ulps *ulps)
{
	pl_upper_each(report, ulps, most_of(report), table, report);
}

void pl_text_subnet(struct pl_report *report, const struct track_subnet *s)
{
	pl_subnet_each(report, s, report->options->verbose, most_of(report), table, report);
}
