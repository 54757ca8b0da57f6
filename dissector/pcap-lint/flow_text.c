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

#define CELL 160

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
};

/* "592 k", "4.8 k": three digits at most, of what is 1000 or more. */
static void scaled(char *buf, size_t size, uint64_t n, const char *const *units,
		   unsigned int n_units)
{
	uint64_t unit = 1;
	unsigned int i;

	for (i = 0; i + 1 < n_units && n / unit >= 1000; i++)
		unit *= 1000;
	if (unit > 1 && n / unit < 10)
		g_snprintf(buf, size, "%u.%u %s", (unsigned int)(n / unit),
			   (unsigned int)(n % unit * 10 / unit), units[i]);
	else
		g_snprintf(buf, size, "%" G_GUINT64_FORMAT "%s%s", (guint64)(n / unit),
			   *units[i] ? " " : "", units[i]);
}

static void bytes_text(char *buf, size_t size, uint64_t n)
{
	static const char *const units[] = { "", "k", "M", "G", "T", "P" };

	scaled(buf, size, n, units, G_N_ELEMENTS(units));
}

static void time_text(char *buf, size_t size, uint64_t ns)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };

	scaled(buf, size, ns, units, G_N_ELEMENTS(units));
}

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

	if (!h->count)
		return;
	time_text(p50, sizeof(p50), MIN(track_histogram_percentile(h, 500), h->max));
	time_text(p99, sizeof(p99), MIN(track_histogram_percentile(h, 990), h->max));
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
		bytes_text(row->cell[BYTES], CELL, track_figure(d, TRACK_FIGURE_wire_bytes));
	messages(row->cell[MESSAGES], CELL, d);
	resent(row->cell[RESENT], d);
	naks(row->cell[NAKS], d);
	number(row->cell[RNR], d, TRACK_FIGURE_rnr_nak);
	number(row->cell[TIMEOUTS], d, TRACK_FIGURE_timeouts);
	ack_times(row->cell[ACK_TIME], d);
	number(row->cell[CE], d, TRACK_FIGURE_ce_packets);
	number(row->cell[CNP], d, TRACK_FIGURE_cnp_packets);
}

/* "10.7.0.1 qp 0x17 (23)" */
static void end_text(struct ibw_out *o, const struct track_qp *qp, enum track_way way)
{
	uint32_t qpn = track_qp_sqpn(qp, way);
	char address[TRACK_ADDRESS_TEXT];

	ibw_out_str(o, pl_flow_address(qp, way, address));
	if (qpn == TRACK_CM_NO_QPN) {
		ibw_out_str(o, " qp ?");
		return;
	}
	ibw_out_str(o, " qp ");
	ibw_out_hex(o, qpn, 1);
	if (qpn > 9) {
		ibw_out_str(o, " (");
		ibw_out_dec(o, qpn);
		ibw_out_char(o, ')');
	}
}

static void doubt_text(char *buf, size_t size, uint16_t doubt)
{
	struct ibw_out o = ibw_out_open(buf, size);
	const char *before = "";
	unsigned int i;

	for (i = 0; i < TRACK_DOUBT_COUNT; i++) {
		if (!(doubt & 1u << i))
			continue;
		ibw_out_str(&o, before);
		ibw_out_str(&o, track_doubt_rows[i].name);
		before = ", ";
	}
	ibw_out_close(&o);
}

/* What the state does not say already. */
static uint16_t unsaid_doubt(const struct pl_report *report, const struct track_qp *qp)
{
	unsigned int doubt = report->doubt | track_qp_doubt(qp);

	if (track_qp_state(qp) == TRACK_QP_MID_STREAM)
		doubt &= ~(unsigned int)TRACK_DOUBT_MID_STREAM;
	return (uint16_t)doubt;
}

static void connection(const struct pl_report *report, struct row rows[TRACK_WAYS],
		       const struct track_qp *qp)
{
	struct row *a = &rows[TRACK_A_TO_B], *b = &rows[TRACK_B_TO_A];
	struct ibw_out o;

	memset(rows, 0, TRACK_WAYS * sizeof(*rows));
	o = ibw_out_open(a->cell[CONNECTION], CELL);
	ibw_out_dec(&o, qp->number);
	ibw_out_str(&o, ": ");
	end_text(&o, qp, TRACK_A_TO_B);
	ibw_out_close(&o);
	o = ibw_out_open(b->cell[CONNECTION], CELL);
	ibw_out_str(&o, "   <- ");
	end_text(&o, qp, TRACK_B_TO_A);
	ibw_out_close(&o);
	if (track_qp_mtu(qp))
		g_snprintf(a->cell[SERVICE], CELL, "%s %u", pl_flow_service(qp), track_qp_mtu(qp));
	else
		g_strlcpy(a->cell[SERVICE], pl_flow_service(qp), CELL);
	g_strlcpy(a->cell[STATE], track_qp_state_names[track_qp_state(qp)], CELL);
	doubt_text(b->cell[STATE], CELL, unsaid_doubt(report, qp));
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

/* -v: what the table has no room for. */

static void figure(struct pl_output *output, const struct track_dir *d, enum track_figure number_of)
{
	const struct track_figure_row *row = &track_figures[number_of];
	uint64_t n = track_figure(d, number_of);
	char text[CELL];

	if (!n)
		return;
	pl_output_room(output);
	g_snprintf(text, sizeof(text), "%18" G_GUINT64_FORMAT "  %s", (guint64)n, row->title);
	ibw_out_str(&output->out, text);
	if (row->counter) {
		ibw_out_str(&output->out, " (");
		ibw_out_str(&output->out, row->counter);
		ibw_out_char(&output->out, ')');
	}
	ibw_out_char(&output->out, '\n');
}

#define BAR 40u

static void bar(struct pl_output *output, unsigned int power, uint64_t count, uint64_t most)
{
	char from[CELL / 4], to[CELL / 4], text[CELL];
	uint64_t i, length = (count * BAR + most - 1) / most;

	time_text(from, sizeof(from), power ? (uint64_t)1 << power : 0);
	time_text(to, sizeof(to), (uint64_t)2 << power);
	pl_output_room(output);
	g_snprintf(text, sizeof(text), "%18" G_GUINT64_FORMAT "  %6s to %6s  ", (guint64)count,
		   from, to);
	ibw_out_str(&output->out, text);
	for (i = 0; i < length; i++)
		ibw_out_char(&output->out, '#');
	ibw_out_char(&output->out, '\n');
}

/* A bar for each power of two. */
static void bars(struct pl_output *output, const struct track_histogram *h)
{
	uint64_t count[64] = { 0 }, most = 0;
	unsigned int i, power, first = 63, last = 0;

	for (i = 0; i < h->n; i++) {
		power = (unsigned int)g_bit_storage(
				(gulong)track_bucket_upper(h->bucket[i].number) | 1) -
			1;
		count[power] += h->bucket[i].count;
		most = MAX(most, count[power]);
		first = MIN(first, power);
		last = MAX(last, power);
	}
	for (i = first; i <= last; i++)
		bar(output, i, count[i], most);
}

static void times(struct pl_output *output, const struct track_dir *d, enum track_times list)
{
	const struct track_histogram *h = track_dir_times(d, list);
	char p50[CELL / 4], p99[CELL / 4], max[CELL / 4], text[CELL];

	if (!h->count)
		return;
	time_text(p50, sizeof(p50), MIN(track_histogram_percentile(h, 500), h->max));
	time_text(p99, sizeof(p99), MIN(track_histogram_percentile(h, 990), h->max));
	time_text(max, sizeof(max), h->max);
	pl_output_room(output);
	g_snprintf(text, sizeof(text), "%18" G_GUINT64_FORMAT "  %s: p50 %s, p99 %s, max %s\n",
		   (guint64)h->count, track_times[list].title, p50, p99, max);
	ibw_out_str(&output->out, text);
	bars(output, h);
}

static void verb(struct pl_output *output, const struct track_dir *d, enum track_verb number_of)
{
	char text[CELL];

	if (!d->messages[number_of])
		return;
	g_snprintf(text, sizeof(text), "%18u  messages: %s\n", d->messages[number_of],
		   track_verbs[number_of].title);
	ibw_out_str(&output->out, text);
}

static void details(struct pl_output *output, const struct track_qp *qp, enum track_way way)
{
	const struct track_dir *d = &qp->dir[way];
	struct ibw_out *o = &output->out;

	if (!track_figure(d, TRACK_FIGURE_packets) && !track_figure(d, TRACK_FIGURE_icrc_bad))
		return;
	pl_output_room(output);
	ibw_out_str(o, "      ");
	end_text(o, qp, way);
	ibw_out_str(o, " -> ");
	end_text(o, qp, way == TRACK_A_TO_B ? TRACK_B_TO_A : TRACK_A_TO_B);
	ibw_out_char(o, '\n');
#define TRACK_FIGURE(name, value, title, counter) figure(output, d, TRACK_FIGURE_##name);
#define TRACK_VERB(id, name, title) verb(output, d, TRACK_VERB_##id);
#define TRACK_TIMES(id, name, title) times(output, d, TRACK_TIMES_##id);
#include "track/figures.def"
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
	if (!report->options->verbose)
		return;
	details(output, qp, TRACK_A_TO_B);
	details(output, qp, TRACK_B_TO_A);
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
	print_titles(&report->output->out, widths);
	for (i = 0; i < n; i++)
		print_flow(report, qps[i], widths);
}

void pl_text_flows(struct pl_report *report, const struct track_qp *const *qps, unsigned int n)
{
	const struct track_qp **sorted = g_new(const struct track_qp *, n);
	unsigned int shown = report->options->max_per_rule ? MIN(n, SHOWN) : n;

	memcpy(sorted, qps, n * sizeof(void *));
	pl_flow_sort(sorted, n);
	table(report, sorted, shown);
	if (shown < n) {
		ibw_out_dec(&report->output->out, n - shown);
		ibw_out_str(&report->output->out, " more (--max-per-rule 0 shows all)\n");
	}
	g_free(sorted);
}

/* The lines about the worst connections. */

/* "14 sequence NAKs", "1 packet with a bad ICRC": of the title of a figure, which is plural. */
static void fact(struct ibw_out *o, uint64_t n, const char *title)
{
	static const char *const after[] = { " with ", " in ", " that ", " marked " };
	const char *end = title + strlen(title), *p;
	unsigned int i;

	for (i = 0; i < G_N_ELEMENTS(after); i++) {
		p = strstr(title, after[i]);
		if (p && p < end)
			end = p;
	}
	ibw_out_dec(o, n);
	ibw_out_char(o, ' ');
	ibw_out_mem(o, title, (size_t)(end - title) - (n == 1 && end > title && end[-1] == 's'));
	ibw_out_str(o, end);
}

/* ", 14 sequence NAKs", of both directions; @before is what is put between. */
static const char *facts(struct ibw_out *o, const struct track_qp *qp, const char *before,
			 const enum track_figure *figures, unsigned int n_figures)
{
	unsigned int i;
	uint64_t n;

	for (i = 0; i < n_figures; i++) {
		n = pl_flow_figure(qp, figures[i]);
		if (!n)
			continue;
		ibw_out_str(o, before);
		fact(o, n, track_figures[figures[i]].title);
		before = ", ";
	}
	return before;
}

static const char *resent_fact(struct ibw_out *o, const struct track_qp *qp, const char *before)
{
	unsigned int percent =
		MAX(pl_flow_resent(&qp->dir[TRACK_A_TO_B]), pl_flow_resent(&qp->dir[TRACK_B_TO_A]));

	if (!percent)
		return before;
	ibw_out_str(o, before);
	ibw_out_dec(o, percent);
	ibw_out_str(o, " % retransmitted");
	return ", ";
}

/* "10.7.0.1 qp 23" */
static void short_end(struct ibw_out *o, const struct track_qp *qp, enum track_way way)
{
	uint32_t qpn = track_qp_sqpn(qp, way);
	char address[TRACK_ADDRESS_TEXT];

	ibw_out_str(o, pl_flow_address(qp, way, address));
	ibw_out_str(o, " qp ");
	if (qpn == TRACK_CM_NO_QPN)
		ibw_out_char(o, '?');
	else
		ibw_out_dec(o, qpn);
}

void pl_text_worst(struct pl_report *report, const struct track_qp *qp)
{
	static const enum track_figure fatal[] = { TRACK_FIGURE_nak_invalid_request,
						   TRACK_FIGURE_nak_remote_access,
						   TRACK_FIGURE_nak_remote_operational };
	static const enum track_figure loss[] = {
		TRACK_FIGURE_nak_sequence, TRACK_FIGURE_timeouts,      TRACK_FIGURE_rnr_nak,
		TRACK_FIGURE_gap_episodes, TRACK_FIGURE_response_gaps, TRACK_FIGURE_icrc_bad
	};
	struct ibw_out *o = &report->output->out;
	char doubt[CELL];
	const char *before = ": ";

	pl_out_name(o, pl_frames_place(&report->frames, qp->first_frame).file);
	ibw_out_str(o, ": worst: ");
	short_end(o, qp, TRACK_A_TO_B);
	ibw_out_str(o, " -> ");
	short_end(o, qp, TRACK_B_TO_A);
	before = facts(o, qp, before, fatal, G_N_ELEMENTS(fatal));
	before = resent_fact(o, qp, before);
	facts(o, qp, before, loss, G_N_ELEMENTS(loss));
	ibw_out_str(o, " (");
	ibw_out_str(o, pl_flow_service(qp));
	ibw_out_str(o, ", ");
	fact(o, pl_flow_figure(qp, TRACK_FIGURE_packets),
	     track_figures[TRACK_FIGURE_packets].title);
	ibw_out_str(o, ", ");
	ibw_out_str(o, track_qp_state_names[track_qp_state(qp)]);
	doubt_text(doubt, sizeof(doubt), unsaid_doubt(report, qp));
	if (*doubt) {
		ibw_out_str(o, "; doubt: ");
		ibw_out_str(o, doubt);
	}
	ibw_out_str(o, ")\n");
}
