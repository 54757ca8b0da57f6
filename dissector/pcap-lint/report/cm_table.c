/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cm_table.c - conversations of the CM as a table, worst first. */

#include "cm.h"
#include "flow.h"

#define CELL (TRACK_ADDRESS_TEXT + TRACK_NODE_SHORT + 16)

enum { CLIENT, SERVER, SERVICE, MESSAGES, RETRIES, STEPS, END = STEPS + TRACK_CM_STEPS, COLUMNS };

static const struct pl_column columns[COLUMNS] = {
	[CLIENT] = { "client (A)", false },
	[SERVER] = { "server (B)", false },
	[SERVICE] = { "service", false },
	[MESSAGES] = { "messages", false },
	[RETRIES] = { "retries", true },
	[STEPS + TRACK_CM_STEP_REP] = { "REP after", true },
	[STEPS + TRACK_CM_STEP_RTU] = { "RTU after", true },
	[STEPS + TRACK_CM_STEP_DREP] = { "DREP after", true },
	[END] = { "end", false },
};

/* "10.7.0.1 qp 23", "LID 0x0004 (host 3) qp 23" */
static void end_of(char *buf, const struct pl_report *report, const struct track_cm_record *r,
		   enum track_cm_side side)
{
	char address[TRACK_ADDRESS_TEXT], node[TRACK_NODE_SHORT];
	struct ibw_out o = ibw_out_open(buf, CELL);
	uint32_t qpn = r->qpn[side];

	ibw_out_str(&o, pl_cm_address(r, side, address));
	track_put_name(&o, pl_cm_node(report, r, side, node));
	ibw_out_str(&o, " qp ");
	if (qpn == TRACK_CM_NO_QPN)
		ibw_out_char(&o, '?');
	else
		ibw_out_dec(&o, qpn);
	ibw_out_close(&o);
}

static void service(char *buf, const struct track_cm_record *r)
{
	const char *text = track_cm_service_text(r->service_id, buf);

	if (text)
		g_strlcpy(buf, text, CELL);
	else if (r->service_id)
		g_snprintf(buf, CELL, "0x%016" G_GINT64_MODIFIER "x", (guint64)r->service_id);
}

/* "2 REQ, REP, RTU" */
static void messages(char *buf, const struct track_cm_record *r)
{
	struct ibw_out o = ibw_out_open(buf, CELL);
	const char *before = "";
	unsigned int i;
	uint64_t n;

	for (i = TRACK_CM_FIGURE_req; i < TRACK_CM_FIGURE_COUNT; i++) {
		n = track_cm_figure(r, (enum track_cm_figure)i);
		if (!n)
			continue;
		ibw_out_str(&o, before);
		if (n > 1) {
			ibw_out_dec(&o, n);
			ibw_out_char(&o, ' ');
		}
		ibw_out_str(&o, track_cm_figure_titles[i]);
		before = ", ";
	}
	ibw_out_close(&o);
}

static void add(struct pl_columns *c, const struct pl_report *report,
		const struct track_cm_record *r)
{
	char cell[COLUMNS][CELL] = { { 0 } };
	const char *cells[COLUMNS];
	unsigned int i;
	uint64_t ns;

	for (i = 0; i < COLUMNS; i++)
		cells[i] = cell[i];
	end_of(cell[CLIENT], report, r, TRACK_CM_CLIENT);
	end_of(cell[SERVER], report, r, TRACK_CM_SERVER);
	service(cell[SERVICE], r);
	messages(cell[MESSAGES], r);
	if (r->retries)
		g_snprintf(cell[RETRIES], CELL, "%u", r->retries);
	for (i = 0; i < TRACK_CM_STEPS; i++)
		if (track_cm_step_ns(r, (enum track_cm_step)i, &ns))
			pl_time_text(cell[STEPS + i], CELL, ns);
	cells[END] = track_cm_end_text(r, cell[END]);
	pl_columns_add(c, cells);
}

struct pl_columns *pl_cm_columns(const struct pl_report *report, const struct track_cm_list *list,
				 unsigned int most, unsigned int *n)
{
	const struct track_cm_record **all = pl_cm_sorted(list, &report->options->chosen, n);
	struct pl_columns *c = pl_columns_new(columns, COLUMNS);
	unsigned int i;

	for (i = 0; i < MIN(*n, most); i++)
		add(c, report, all[i]);
	g_free(all);
	return c;
}
