/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flow_text.c - connections as a table, worst first: two lines each, a direction a line. What is
 * on a line travels in its direction: its ACKs and NAKs are about requests of the other one.
 */
#include <string.h>

#include "pcap-lint/report/iwarp.h"

/* Connections shown unless all are asked for. */
#define SHOWN 100u

#define CELL PL_FLOW_CELL

static const struct {
	const char *title;
	bool right; /* numbers end where those above and below do */
} columns[PL_FLOW_COLUMNS] = {
	[PL_FLOW_CONNECTION] = { "connection", false },
	[PL_FLOW_SERVICE] = { "service", false },
	[PL_FLOW_STATE] = { "state", false },
	[PL_FLOW_PACKETS] = { "packets", true },
	[PL_FLOW_BYTES] = { "bytes", true },
	[PL_FLOW_MESSAGES] = { "messages", false },
	[PL_FLOW_RESENT] = { "resent", true },
	[PL_FLOW_NAKS] = { "NAK", true },
	[PL_FLOW_RNR] = { "RNR", true },
	[PL_FLOW_TIMEOUTS] = { "timeouts", true },
	[PL_FLOW_ACK_TIME] = { "ACK p50/p99", true },
	[PL_FLOW_CE] = { "CE", true },
	[PL_FLOW_CNP] = { "CNP", true },
	[PL_FLOW_FPDUS] = { "FPDUs", true },
	[PL_FLOW_CRC_BAD] = { "bad CRC", true },
	[PL_FLOW_STALL] = { "stall", true },
	[PL_FLOW_HISTORY] = { "history", false },
};

const char *pl_out_some_of(struct ibw_out *o, const char *before, uint64_t n, const char *what)
{
	if (!n)
		return before;
	ibw_out_str(o, before);
	ibw_out_dec(o, n);
	ibw_out_char(o, ' ');
	ibw_out_str(o, what);
	return ", ";
}

/* "117 SEND, 4 READ, 64 ACK" */
static void messages(char *buf, size_t size, const struct track_dir *d)
{
	struct ibw_out o = ibw_out_open(buf, size);
	const char *before = "";
	unsigned int i;

	for (i = 0; i < TRACK_VERB_COUNT; i++)
		before = pl_out_some_of(&o, before, d->messages[i], track_verbs[i].title);
	before = pl_out_some_of(&o, before, track_figure(d, TRACK_FIGURE_response_packets),
				"response");
	pl_out_some_of(&o, before, track_figure(d, TRACK_FIGURE_ack_packets), "ACK");
	ibw_out_close(&o);
}

void pl_flow_number(char cell[PL_FLOW_CELL], uint64_t n)
{
	if (n)
		g_snprintf(cell, CELL, "%" G_GUINT64_FORMAT, (guint64)n);
}

void pl_flow_resent_of(char cell[PL_FLOW_CELL], uint64_t n, uint64_t all)
{
	if (n)
		g_snprintf(cell, CELL, "%" G_GUINT64_FORMAT " %3u %%", (guint64)n,
			   pl_percent(n, all));
}

static void number(char *cell, const struct track_dir *d, enum track_figure figure)
{
	pl_flow_number(cell, track_figure(d, figure));
}

static void ack_times(char *buf, const struct track_dir *d)
{
	const struct track_histogram *h = track_dir_times(d, TRACK_TIMES_ACK);
	char p50[CELL / 4], p99[CELL / 4];

	if (!h->n)
		return;
	pl_time_text(p50, sizeof(p50), MIN(track_histogram_percentile(h, 500), h->max));
	pl_time_text(p99, sizeof(p99), MIN(track_histogram_percentile(h, 990), h->max));
	g_snprintf(buf, CELL, "%s / %s", p50, p99);
}

static void naks(char *buf, const struct track_dir *d)
{
	uint64_t n = track_figure(d, TRACK_FIGURE_nak_sequence) +
		     track_figure(d, TRACK_FIGURE_nak_invalid_request) +
		     track_figure(d, TRACK_FIGURE_nak_remote_access) +
		     track_figure(d, TRACK_FIGURE_nak_remote_operational);

	pl_flow_number(buf, n);
}

/* What is of one direction. */
static void direction(struct pl_flow_row *row, const struct track_dir *d)
{
	number(row->cell[PL_FLOW_PACKETS], d, TRACK_FIGURE_packets);
	if (d->packets)
		pl_bytes_text(row->cell[PL_FLOW_BYTES], CELL,
			      track_figure(d, TRACK_FIGURE_wire_bytes));
	messages(row->cell[PL_FLOW_MESSAGES], CELL, d);
	pl_flow_resent_of(row->cell[PL_FLOW_RESENT],
			  track_figure(d, TRACK_FIGURE_retransmitted_packets),
			  track_figure(d, TRACK_FIGURE_request_packets));
	naks(row->cell[PL_FLOW_NAKS], d);
	number(row->cell[PL_FLOW_RNR], d, TRACK_FIGURE_rnr_nak);
	number(row->cell[PL_FLOW_TIMEOUTS], d, TRACK_FIGURE_timeouts);
	ack_times(row->cell[PL_FLOW_ACK_TIME], d);
	number(row->cell[PL_FLOW_CE], d, TRACK_FIGURE_ce_packets);
	number(row->cell[PL_FLOW_CNP], d, TRACK_FIGURE_cnp_packets);
}

static void connection(const struct pl_report *report, struct pl_flow_row rows[TRACK_WAYS],
		       const struct track_qp *qp)
{
	struct pl_flow_row *a = &rows[TRACK_A_TO_B], *b = &rows[TRACK_B_TO_A];
	char doubt[PL_FLOW_DOUBT];
	struct ibw_out o;

	o = ibw_out_open(a->cell[PL_FLOW_CONNECTION], CELL);
	ibw_out_dec(&o, qp->number);
	ibw_out_str(&o, ": ");
	pl_out_end(&o, qp, TRACK_A_TO_B);
	ibw_out_close(&o);
	o = ibw_out_open(b->cell[PL_FLOW_CONNECTION], CELL);
	ibw_out_str(&o, "   <- ");
	pl_out_end(&o, qp, TRACK_B_TO_A);
	ibw_out_close(&o);
	if (track_qp_mtu(qp))
		g_snprintf(a->cell[PL_FLOW_SERVICE], CELL, "%s %u", pl_flow_service(qp),
			   track_qp_mtu(qp));
	else
		g_strlcpy(a->cell[PL_FLOW_SERVICE], pl_flow_service(qp), CELL);
	g_strlcpy(a->cell[PL_FLOW_STATE], track_qp_state_names[track_qp_state(qp)], CELL);
	g_strlcpy(b->cell[PL_FLOW_STATE], pl_flow_doubt(report, qp, doubt), CELL);
	track_qp_history(qp, a->cell[PL_FLOW_HISTORY]);
	direction(a, &qp->dir[TRACK_A_TO_B]);
	direction(b, &qp->dir[TRACK_B_TO_A]);
}

/* No blanks at the end of a line. */
static void print_row(struct ibw_out *o, const struct pl_flow_row *row,
		      const size_t widths[PL_FLOW_COLUMNS])
{
	size_t blanks = 0, length, pad;
	unsigned int i;

	for (i = 0; i < PL_FLOW_COLUMNS; i++) {
		if (!widths[i])
			continue;
		length = strlen(row->cell[i]);
		pad = widths[i] - length;
		blanks += columns[i].right ? pad : 0;
		for (; length && blanks; blanks--)
			ibw_out_char(o, ' ');
		ibw_out_str(o, row->cell[i]);
		blanks += 2 + (columns[i].right ? 0 : pad);
	}
	ibw_out_char(o, '\n');
}

static void print_titles(struct ibw_out *o, const size_t widths[PL_FLOW_COLUMNS])
{
	struct pl_flow_row row;
	unsigned int i;

	for (i = 0; i < PL_FLOW_COLUMNS; i++)
		g_strlcpy(row.cell[i], columns[i].title, CELL);
	print_row(o, &row, widths);
}

/* A column of which no row has anything, or but what has no meaning, is left out. */
static void widen(size_t widths[PL_FLOW_COLUMNS], const struct pl_flow_row *row)
{
	size_t length;
	unsigned int i;

	for (i = 0; i < PL_FLOW_COLUMNS; i++) {
		length = strlen(row->cell[i]);
		if (!length || !strcmp(row->cell[i], PL_FLOW_NO_MEANING))
			continue;
		widths[i] = MAX(widths[i], MAX(length, strlen(columns[i].title)));
	}
}

static void rows_of(const struct pl_report *report, struct pl_flow_row rows[TRACK_WAYS],
		    const struct pl_listed *one)
{
	memset(rows, 0, TRACK_WAYS * sizeof(*rows));
	if (one->qp)
		connection(report, rows, one->qp);
	else
		pl_iwarp_rows(report, rows, one->iwarp);
}

static void print_flow(struct pl_report *report, const struct pl_listed *one,
		       const size_t widths[PL_FLOW_COLUMNS])
{
	struct pl_output *output = report->output;
	struct pl_flow_row rows[TRACK_WAYS];

	rows_of(report, rows, one);
	pl_output_room(output);
	print_row(&output->out, &rows[TRACK_A_TO_B], widths);
	print_row(&output->out, &rows[TRACK_B_TO_A], widths);
	if (!report->options->verbose)
		return;
	if (one->qp)
		pl_text_details(report, one->qp);
	else
		pl_iwarp_details(report, one->iwarp);
}

static void table(struct pl_report *report, const struct pl_listed *listed, unsigned int n)
{
	size_t widths[PL_FLOW_COLUMNS] = { 0 };
	struct pl_flow_row rows[TRACK_WAYS];
	unsigned int i;

	for (i = 0; i < n; i++) {
		rows_of(report, rows, &listed[i]);
		widen(widths, &rows[TRACK_A_TO_B]);
		widen(widths, &rows[TRACK_B_TO_A]);
	}
	pl_output_room(report->output);
	pl_out_files(&report->output->out, &report->frames);
	ibw_out_str(&report->output->out, ": connections, worst first\n");
	print_titles(&report->output->out, widths);
	for (i = 0; i < n; i++)
		print_flow(report, &listed[i], widths);
}

void pl_text_flows(struct pl_report *report, const struct track_qp *const *qps, unsigned int n)
{
	unsigned int all = n + report->n_iwarp;
	unsigned int shown = report->options->max_per_rule ? MIN(all, SHOWN) : all;
	struct pl_listed *listed;

	if (!all)
		return;
	listed = pl_flows_listed(report, qps, n);
	table(report, listed, shown);
	if (shown < all) {
		ibw_out_dec(&report->output->out, all - shown);
		ibw_out_str(&report->output->out, " more (--max-per-rule 0 shows all)\n");
	}
	g_free(listed);
	if (n)
		pl_text_waited(report, qps, n);
}
