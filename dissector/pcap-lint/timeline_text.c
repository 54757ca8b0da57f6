/* SPDX-License-Identifier: GPL-2.0-or-later */
/* timeline_text.c - all connections together, by intervals. */
#include "flow.h"
#include "timeline.h"

#define LINES 20u
#define CELL 32

static void number(struct ibw_out *o, uint64_t n, const char *what)
{
	if (!n)
		return;
	ibw_out_str(o, ", ");
	ibw_out_dec(o, n);
	ibw_out_char(o, ' ');
	ibw_out_str(o, what);
}

/* "  +16 ms: 117 packets, 3.2 G bits/s, 4 repeated, 12 open": since the first interval began. */
static void line(struct pl_output *output, const struct track_timeline *t, uint32_t i)
{
	const struct track_bin *bin = &t->bin[i];
	const uint64_t *figure = bin->way[0];
	struct ibw_out *o = &output->out;
	char rate[CELL];
	double bits = (double)figure[TRACK_BIN_wire_bytes] * 8e9 / (double)t->interval_ns;

	pl_output_room(output);
	ibw_out_str(o, "  +");
	pl_out_ns(o, i * t->interval_ns);
	ibw_out_str(o, ": ");
	ibw_out_dec(o, figure[TRACK_BIN_packets]);
	ibw_out_str(o, figure[TRACK_BIN_packets] == 1 ? " packet, " : " packets, ");
	pl_bytes_text(rate, sizeof(rate), (uint64_t)bits);
	ibw_out_str(o, rate);
	ibw_out_str(o, " bits/s");
	number(o, figure[TRACK_BIN_repeated_packets], "repeated");
	number(o, figure[TRACK_BIN_ce_packets], "CE");
	number(o, figure[TRACK_BIN_cnp_packets], "CNP");
	number(o, bin->pause, "pause");
	number(o, figure[TRACK_BIN_open_max], "open at most");
	ibw_out_char(o, '\n');
}

void pl_text_timeline(struct pl_report *report, const struct track_qp *const *qps, unsigned int n)
{
	const struct track_timeline *whole = track_qps_timeline(track_streams(report->track));
	struct ibw_out *o = &report->output->out;
	struct track_timeline *t;
	uint32_t i;

	(void)qps;
	(void)n;
	if (!whole)
		return;
	t = track_timeline_shorter(whole, LINES);
	pl_output_room(report->output);
	pl_out_files(o, &report->frames);
	ibw_out_str(o, ": timeline of all connections, an interval of ");
	pl_out_ns(o, t->interval_ns);
	ibw_out_str(o, " a line, from ");
	pl_out_utc(o, t->first * t->interval_ns);
	ibw_out_str(o, " on\n");
	for (i = 0; i < t->n; i++)
		line(report->output, t, i);
	track_timeline_free(t);
}
