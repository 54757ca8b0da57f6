/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flow_text.c - connections as a table, worst first: two lines each, a direction a line. What is
 * on a line travels in its direction: its ACKs and NAKs are about requests of the other one.
 */
#include <stdio.h>
#include <string.h>

#include "flow.h"

/* Connections shown unless all are asked for. */
#define SHOWN 100u

#define CELL TRACK_HISTORY_TEXT

enum column {
	CONNECTION,
	SERVICE,
	STATE,
	PACKETS,
	BYTES,
	MESSAGES,
	RESENT,
	NAKS,
	RNR,
	TIMEOUTS,
	ACK_TIME,
	CE,
	CNP,
	HISTORY,
	COLUMNS
};

struct row {
	char cell[COLUMNS][CELL];
};

static const struct {
	const char *title;
	bool right; /* numbers end where those above and below do */
} columns[COLUMNS] = {
	[CONNECTION] = { "connection", false },
	[SERVICE] = { "service", false },
	[STATE] = { "state", false },
	[PACKETS] = { "packets", true },
	[BYTES] = { "bytes", true },
	[MESSAGES] = { "messages", false },
	[RESENT] = { "resent", true },
	[NAKS] = { "NAK", true },
	[RNR] = { "RNR", true },
	[TIMEOUTS] = { "timeouts", true },
	[ACK_TIME] = { "ACK p50/p99", true },
	[CE] = { "CE", true },
	[CNP] = { "CNP", true },
	[HISTORY] = { "history", false },
};

static const char *counted(struct ibw_out *o, const char *before, uint64_t n, const char *what)
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
		before = counted(&o, before, d->messages[i], track_verbs[i].title);
	before = counted(&o, before, track_figure(d, TRACK_FIGURE_response_packets), "response");
	counted(&o, before, track_figure(d, TRACK_FIGURE_ack_packets), "ACK");
	ibw_out_close(&o);
}

static void number(char *buf, const struct track_dir *d, enum track_figure figure)
{
	uint64_t n = track_figure(d, figure);

	if (n)
		g_snprintf(buf, CELL, "%" G_GUINT64_FORMAT, (guint64)n);
}

static void resent(char *buf, const struct track_dir *d)
{
	uint64_t n = track_figure(d, TRACK_FIGURE_retransmitted_packets);

	if (n)
		g_snprintf(buf, CELL, "%" G_GUINT64_FORMAT " %3u %%", (guint64)n,
			   pl_flow_resent(d));
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

	if (n)
		g_snprintf(buf, CELL, "%" G_GUINT64_FORMAT, (guint64)n);
}

/* What is of one direction. */
static void direction(struct row *row, const struct track_dir *d)
{
	number(row->cell[PACKETS], d, TRACK_FIGURE_packets);
	if (d->packets)
		pl_bytes_text(row->cell[BYTES], CELL, track_figure(d, TRACK_FIGURE_wire_bytes));
	messages(row->cell[MESSAGES], CELL, d);
	resent(row->cell[RESENT], d);
	naks(row->cell[NAKS], d);
	number(row->cell[RNR], d, TRACK_FIGURE_rnr_nak);
	number(row->cell[TIMEOUTS], d, TRACK_FIGURE_timeouts);
	ack_times(row->cell[ACK_TIME], d);
	number(row->cell[CE], d, TRACK_FIGURE_ce_packets);
	number(row->cell[CNP], d, TRACK_FIGURE_cnp_packets);
}

static void connection(const struct pl_report *report, struct row rows[TRACK_WAYS],
		       const struct track_qp *qp)
{
	struct row *a = &rows[TRACK_A_TO_B], *b = &rows[TRACK_B_TO_A];
	char doubt[PL_FLOW_DOUBT];
	struct ibw_out o;

	memset(rows, 0, TRACK_WAYS * sizeof(*rows));
	o = ibw_out_open(a->cell[CONNECTION], CELL);
	ibw_out_dec(&o, qp->number);
	ibw_out_str(&o, ": ");
	pl_out_end(&o, qp, TRACK_A_TO_B);
	ibw_out_close(&o);
	o = ibw_out_open(b->cell[CONNECTION], CELL);
	ibw_out_str(&o, "   <- ");
	pl_out_end(&o, qp, TRACK_B_TO_A);
	ibw_out_close(&o);
	if (track_qp_mtu(qp))
		g_snprintf(a->cell[SERVICE], CELL, "%s %u", pl_flow_service(qp), track_qp_mtu(qp));
	else
		g_strlcpy(a->cell[SERVICE], pl_flow_service(qp), CELL);
	g_strlcpy(a->cell[STATE], track_qp_state_names[track_qp_state(qp)], CELL);
	g_strlcpy(b->cell[STATE], pl_flow_doubt(report, qp, doubt), CELL);
	track_qp_history(qp, a->cell[HISTORY]);
	direction(a, &qp->dir[TRACK_A_TO_B]);
	direction(b, &qp->dir[TRACK_B_TO_A]);
}

/* No blanks at the end of a line. */
static void print_row(struct ibw_out *o, const struct row *row, const size_t widths[COLUMNS])
{
	size_t blanks = 0, length, pad;
	unsigned int i;

	for (i = 0; i < COLUMNS; i++) {
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

static void print_titles(struct ibw_out *o, const size_t widths[COLUMNS])
{
	struct row row;
	unsigned int i;

	for (i = 0; i < COLUMNS; i++)
		g_strlcpy(row.cell[i], columns[i].title, CELL);
	print_row(o, &row, widths);
}

/* A column of which no row has anything is left out. */
static void widen(size_t widths[COLUMNS], const struct row *row)
{
	size_t length;
	unsigned int i;

	for (i = 0; i < COLUMNS; i++) {
		length = strlen(row->cell[i]);
		if (!length)
			continue;
		widths[i] = MAX(widths[i], MAX(length, strlen(columns[i].title)));
	}
}

static void print_flow(struct pl_report *report, const struct track_qp *qp,
		       const size_t widths[COLUMNS])
{
	struct pl_output *output = report->output;
	struct row rows[TRACK_WAYS];

	connection(report, rows, qp);
	pl_output_room(output);
	print_row(&output->out, &rows[TRACK_A_TO_B], widths);
	print_row(&output->out, &rows[TRACK_B_TO_A], widths);
	if (report->options->verbose)
		pl_text_details(report, qp);
}

static void table(struct pl_report *report, const struct track_qp *const *qps, unsigned int n)
{
	size_t widths[COLUMNS] = { 0 };
	struct row rows[TRACK_WAYS];
	unsigned int i;

	for (i = 0; i < n; i++) {
		connection(report, rows, qps[i]);
		widen(widths, &rows[TRACK_A_TO_B]);
		widen(widths, &rows[TRACK_B_TO_A]);
	}
	pl_output_room(report->output);
	pl_out_files(&report->output->out, &report->frames);
	ibw_out_str(&report->output->out, ": connections, worst first\n");
	print_titles(&report->output->out, widths);
	for (i = 0; i < n; i++)
		print_flow(report, qps[i], widths);
}

void pl_text_flows(struct pl_report *report, const struct track_qp *const *qps, unsigned int n)
{
	unsigned int shown = report->options->max_per_rule ? MIN(n, SHOWN) : n;
	const struct track_qp **sorted;

	if (!n)
		return;
	sorted = g_new(const struct track_qp *, n);
	memcpy(sorted, qps, n * sizeof(void *));
	pl_flow_sort(sorted, n);
	table(report, sorted, shown);
	if (shown < n) {
		ibw_out_dec(&report->output->out, n - shown);
		ibw_out_str(&report->output->out, " more (--max-per-rule 0 shows all)\n");
	}
	pl_text_waited(report, qps, n);
	g_free(sorted);
}
