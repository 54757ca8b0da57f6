/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iwarp_text.c - a connection of iWARP in the table of --stats, and its figures with -v. */
#include "pcap-lint/report/iwarp.h"

/* "117 SEND, 4 READ, 4 response" */
static void messages(char *cell, const struct track_iwarp_dir *d)
{
	struct ibw_out o = ibw_out_open(cell, PL_FLOW_CELL);
	const char *before = "";
	unsigned int i;

	for (i = 0; i < TRACK_VERB_COUNT; i++)
		before = pl_out_some_of(&o, before, track_iwarp_messages(d, i),
					track_verbs[i].title);
	ibw_out_close(&o);
}

static void direction(struct pl_flow_row *row, const struct track_iwarp_dir *d)
{
	static const enum pl_flow_column no_meaning[] = { PL_FLOW_NAKS,     PL_FLOW_RNR,
							  PL_FLOW_TIMEOUTS, PL_FLOW_ACK_TIME,
							  PL_FLOW_CE,       PL_FLOW_CNP,
							  PL_FLOW_HISTORY };
	const struct track_iwarp_counts *counts = &d->counts;
	unsigned int i;

	pl_flow_number(row->cell[PL_FLOW_PACKETS], counts->segments);
	if (counts->segments)
		pl_bytes_text(row->cell[PL_FLOW_BYTES], PL_FLOW_CELL, counts->wire_bytes);
	messages(row->cell[PL_FLOW_MESSAGES], d);
	pl_flow_resent_of(row->cell[PL_FLOW_RESENT], counts->retransmitted, counts->segments);
	pl_flow_number(row->cell[PL_FLOW_FPDUS], counts->fpdus);
	pl_flow_number(row->cell[PL_FLOW_CRC_BAD], counts->crc_bad);
	if (counts->stall_ns)
		pl_time_text(row->cell[PL_FLOW_STALL], PL_FLOW_CELL, counts->stall_ns);
	for (i = 0; i < G_N_ELEMENTS(no_meaning); i++)
		g_strlcpy(row->cell[no_meaning[i]], PL_FLOW_NO_MEANING, PL_FLOW_CELL);
}

void pl_iwarp_rows(const struct pl_report *report, struct pl_flow_row rows[TRACK_WAYS],
		   const struct pl_iwarp *c)
{
	struct pl_flow_row *a = &rows[TRACK_A_TO_B], *b = &rows[TRACK_B_TO_A];
	unsigned int mss = track_iwarp_mss(&c->record->conn);
	char doubt[PL_FLOW_DOUBT];
	struct ibw_out o;

	o = ibw_out_open(a->cell[PL_FLOW_CONNECTION], PL_FLOW_CELL);
	ibw_out_dec(&o, c->number);
	ibw_out_str(&o, ": ");
	pl_iwarp_out_end(&o, c, TRACK_A_TO_B);
	ibw_out_close(&o);
	o = ibw_out_open(b->cell[PL_FLOW_CONNECTION], PL_FLOW_CELL);
	ibw_out_str(&o, "   <- ");
	pl_iwarp_out_end(&o, c, TRACK_B_TO_A);
	ibw_out_close(&o);
	if (mss)
		g_snprintf(a->cell[PL_FLOW_SERVICE], PL_FLOW_CELL, "iWARP %u", mss);
	else
		g_strlcpy(a->cell[PL_FLOW_SERVICE], "iWARP", PL_FLOW_CELL);
	g_strlcpy(a->cell[PL_FLOW_STATE], pl_iwarp_state(c), PL_FLOW_CELL);
	pl_iwarp_doubt(report, c, doubt);
	g_strlcpy(b->cell[PL_FLOW_STATE], doubt, PL_FLOW_CELL);
	direction(a, pl_iwarp_dir(c, TRACK_A_TO_B));
	direction(b, pl_iwarp_dir(c, TRACK_B_TO_A));
}

static void figure(struct pl_output *output, const struct track_iwarp_dir *d,
		   enum track_figure number_of, const char *title)
{
	uint64_t n;

	if (track_iwarp_figure(d, number_of, &n))
		pl_text_figure(output, title, NULL, n);
}

static void details(struct pl_report *report, const struct pl_iwarp *c, enum track_way way)
{
	const struct track_iwarp_dir *d = pl_iwarp_dir(c, way);
	struct pl_output *output = report->output;
	struct ibw_out *o = &output->out;

	if (!d->counts.segments)
		return;
	pl_output_room(output);
	ibw_out_str(o, "      ");
	pl_iwarp_out_end(o, c, way);
	ibw_out_str(o, " -> ");
	pl_iwarp_out_end(o, c, way == TRACK_A_TO_B ? TRACK_B_TO_A : TRACK_A_TO_B);
	ibw_out_char(o, '\n');
#define TRACK_FIGURE(name, value, title, counter) figure(output, d, TRACK_FIGURE_##name, title);
#define TRACK_VERB(id, name, title)                                                                \
	pl_text_figure(output, "messages: " title, NULL, track_iwarp_messages(d, TRACK_VERB_##id));
#include "track/way/figures.def"
	pl_text_figure(output, "FPDUs", NULL, d->counts.fpdus);
	pl_text_figure(output, "FPDUs with a wrong CRC", NULL, d->counts.crc_bad);
	pl_text_figure(output, "FPDUs in more than one segment", NULL, d->counts.crossed);
	pl_text_duration(output, "longest wait for missing bytes", d->counts.stall_ns);
}

void pl_iwarp_details(struct pl_report *report, const struct pl_iwarp *c)
{
	details(report, c, TRACK_A_TO_B);
	details(report, c, TRACK_B_TO_A);
}
