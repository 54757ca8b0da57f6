/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iwarp_story.c - an iWARP connection in a story: its faults, its result, and how it ended. */
#include "pcap-lint/report/iwarp.h"
#include "tell.h"

/* ": 5 % retransmitted, 2 FPDUs with a wrong CRC": in the order of pl_iwarp_badness(). */
void pl_iwarp_out_against(struct ibw_out *o, const struct pl_iwarp *c)
{
	uint64_t bad[PL_BADNESS];
	const char *before = ": ";

	pl_iwarp_badness(c, bad);
	if (bad[PL_FATAL]) {
		ibw_out_str(o, ": a Terminate");
		before = ", ";
	}
	if (bad[PL_RESENT]) {
		ibw_out_str(o, before);
		ibw_out_dec(o, bad[PL_RESENT]);
		ibw_out_str(o, " % retransmitted");
		before = ", ";
	}
	if (bad[PL_BAD_CRC]) {
		ibw_out_str(o, before);
		pl_out_counted(o, bad[PL_BAD_CRC], "FPDU");
		ibw_out_str(o, " with a wrong CRC");
	}
}

void pl_iwarp_out_state(struct ibw_out *o, const struct pl_iwarp *c)
{
	ibw_out_str(o, pl_iwarp_state(c));
	switch (track_iwarp_state(&c->record->conn)) {
	case TRACK_IWARP_FAILED:
		ibw_out_str(o, "; a Terminate ended it");
		break;
	case TRACK_IWARP_MID_STREAM:
	case TRACK_IWARP_SETUP:
	case TRACK_IWARP_ESTABLISHED:
		ibw_out_str(o, "; its end is not in the capture");
		break;
	case TRACK_IWARP_REJECTED:
	case TRACK_IWARP_CLOSED:
		break;
	}
}

const char *pl_iwarp_doubt(const struct pl_report *report, const struct pl_iwarp *c,
			   char buf[PL_FLOW_DOUBT])
{
	const struct track_iwarp_conn *conn = &c->record->conn;

	return pl_doubt_text(report->doubt | track_iwarp_doubt(conn),
			     track_iwarp_state(conn) == TRACK_IWARP_MID_STREAM, buf);
}

static const char *between(struct ibw_out *o, const char *before)
{
	ibw_out_str(o, before);
	return "; ";
}

/* "A retransmitted 5 segments; messages of A were held up for at most 212 ms by octets that came late" */
static const char *of_way(struct ibw_out *o, const struct pl_iwarp *c, enum track_way way,
			  const char *before)
{
	const struct track_iwarp_counts *counts = &pl_iwarp_dir(c, way)->counts;
	char sender = way == TRACK_A_TO_B ? 'A' : 'B';

	if (counts->retransmitted) {
		before = between(o, before);
		ibw_out_char(o, sender);
		ibw_out_str(o, " retransmitted ");
		pl_out_counted(o, counts->retransmitted, "segment");
	}
	if (counts->stall_ns) {
		before = between(o, before);
		ibw_out_str(o, "messages of ");
		ibw_out_char(o, sender);
		ibw_out_str(o, " were held up for at most ");
		pl_out_took(o, counts->stall_ns);
		ibw_out_str(o, " by octets that came late");
	}
	return before;
}

void pl_iwarp_sum(struct pl_report *report, const struct pl_iwarp *c)
{
	struct ibw_out *o = &report->output->out;
	const char *before = "  in all: ";

	before = of_way(o, c, TRACK_A_TO_B, before);
	before = of_way(o, c, TRACK_B_TO_A, before);
	ibw_out_str(o, *before == ';' ? "\n" : "");
}
