/* SPDX-License-Identifier: GPL-2.0-or-later */
/* timeline_text.c - the timeline of all connections together, or of the selected ones, as text. */
#include "pcap-lint/report/flow.h"
#include "timeline.h"
#include "pcap-lint/report/upper.h"

#define LINES 20u
#define CELL 32
#define CONNECTIONS 8u /* of those that are asked for */

/* Both directions together; of all connections there is one. */
static uint64_t figure_of(const struct track_bin *bin, enum track_bin_figure figure)
{
	uint64_t a = bin->way[TRACK_A_TO_B][figure], b = bin->way[TRACK_B_TO_A][figure];

	switch (figure) {
	case TRACK_BIN_open_max:
	case TRACK_BIN_in_flight_bytes:
		return MAX(a, b);
	default:
		return a + b;
	}
}

/* ", 40 commands answered (4 k/s), 8 open at most" */
static void out_commands(struct ibw_out *o, const struct track_timeline *t, uint32_t i,
			 const struct pl_upper_bins *commands)
{
	double rate = (double)commands->answered[i] * 1e9 / (double)t->interval_ns;
	char text[CELL];

	if (commands->answered[i]) {
		ibw_out_str(o, ", ");
		pl_out_counted(o, commands->answered[i], "command");
		ibw_out_str(o, " answered (");
		pl_bytes_text(text, sizeof(text), (uint64_t)rate);
		ibw_out_str(o, text);
		ibw_out_str(o, "/s)");
	}
	if (!commands->open_max[i])
		return;
	ibw_out_str(o, ", ");
	pl_out_counted(o, commands->open_max[i], "command");
	ibw_out_str(o, " open at most");
}

/* "  +16 ms: 117 packets, 3.2 G bits/s, 4 repeated, 12 open": since the first interval began. */
static void line(struct pl_output *output, const struct track_timeline *t, uint32_t i,
		 const struct pl_upper_bins *commands)
{
	const struct track_bin *bin = &t->bin[i];
	uint64_t packets = figure_of(bin, TRACK_BIN_packets);
	struct ibw_out *o = &output->out;
	char rate[CELL];
	double bits = (double)figure_of(bin, TRACK_BIN_wire_bytes) * 8e9 / (double)t->interval_ns;

	pl_output_room(output);
	ibw_out_str(o, "  +");
	pl_out_ns(o, i * t->interval_ns);
	ibw_out_str(o, ": ");
	pl_out_counted(o, packets, "packet");
	ibw_out_str(o, ", ");
	pl_bytes_text(rate, sizeof(rate), (uint64_t)bits);
	ibw_out_str(o, rate);
	ibw_out_str(o, " bits/s");
	pl_out_some(o, figure_of(bin, TRACK_BIN_repeated_packets), "repeated");
	pl_out_some(o, figure_of(bin, TRACK_BIN_ce_packets), "CE");
	pl_out_some(o, figure_of(bin, TRACK_BIN_cnp_packets), "CNP");
	pl_out_some(o, bin->pause, "pause");
	pl_out_some(o, figure_of(bin, TRACK_BIN_open_max), "open at most");
	if (commands)
		out_commands(o, t, i, commands);
	ibw_out_char(o, '\n');
}

/* @qp NULL: of all connections. */
static void lines(struct pl_report *report, const struct track_timeline *whole,
		  const struct track_qp *qp, struct pl_upper_changes *changes)
{
	struct track_timeline *t = track_timeline_shorter(whole, LINES);
	struct ibw_out *o = &report->output->out;
	struct pl_upper_bins bins;
	bool commands = pl_upper_bins_of(changes, t, qp ? qp->number : PL_UPPER_NOWHERE, &bins);
	uint32_t i;

	pl_output_room(report->output);
	pl_out_files(o, &report->frames);
	ibw_out_str(o, ": timeline of ");
	if (qp) {
		ibw_out_str(o, "connection ");
		ibw_out_dec(o, qp->number);
	} else {
		ibw_out_str(o, "all connections");
	}
	ibw_out_str(o, ", an interval of ");
	pl_out_ns(o, t->interval_ns);
	ibw_out_str(o, " a line, from ");
	pl_out_utc(o, t->first * t->interval_ns);
	ibw_out_str(o, " on\n");
	for (i = 0; i < t->n; i++)
		line(report->output, t, i, commands ? &bins : NULL);
	pl_upper_bins_free(&bins);
	track_timeline_free(t);
}

void pl_text_timeline(struct pl_report *report, const struct track_qp *const *qps, unsigned int n)
{
	const struct track_timeline *whole = track_qps_timeline(track_streams(report->track));
	struct pl_upper_changes *changes = pl_upper_changes_of(report);
	unsigned int i;

	if (!pl_chosen_any(&report->options->chosen)) {
		if (whole)
			lines(report, whole, NULL, changes);
		g_free(changes);
		return;
	}
	for (i = 0; i < MIN(n, CONNECTIONS); i++)
		if (track_qp_timeline(qps[i]))
			lines(report, track_qp_timeline(qps[i]), qps[i], changes);
	g_free(changes);
	if (n > CONNECTIONS) {
		pl_output_room(report->output);
		ibw_out_dec(&report->output->out, n - CONNECTIONS);
		ibw_out_str(&report->output->out, " more connections (--format json has all)\n");
	}
}
