/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sink_github.c - workflow commands, which GitHub Actions shows as annotations: one per cause.
 *
 *	::error file=x.pcap,line=15,title=CRC001 icrc-bad::frame 15: ...
 *
 * The line is the frame, because a binary file has no other number for a place in it.
 */
#include <string.h>

#include "pcap-lint/report/flow.h"
#include "pcap-lint/base/plain.h"
#include "pcap-lint/report/sink.h"
#include "pcap-lint/verdict/verdict.h"

/* What ends a line, begins such an escape, or is one of @also by its number. */
static void escaped(struct ibw_out *o, const char *text, const char *also)
{
	bool plain;
	size_t n;

	for (; *text; text += n) {
		n = pl_plain_char(text, &plain);
		if (strchr("%\r\n", *text) || strchr(also, *text)) {
			ibw_out_char(o, '%');
			ibw_out_char(o, "0123456789ABCDEF"[*text >> 4]);
			ibw_out_char(o, "0123456789ABCDEF"[*text & 15]);
		} else {
			ibw_out_mem(o, plain ? text : "?", plain ? n : 1);
		}
	}
}

/* Up to the value of the title. */
static void command(struct ibw_out *o, const char *name, const struct pl_place *place)
{
	ibw_out_str(o, "::");
	ibw_out_str(o, name);
	ibw_out_str(o, " file=");
	escaped(o, place->file, ":,");
	if (place->frame) {
		ibw_out_str(o, ",line=");
		ibw_out_dec(o, place->frame);
	}
	ibw_out_str(o, ",title=");
}

static void github_line(struct pl_report *report, const struct pl_line *line)
{
	static const char *const names[] = { "error", "warning", "notice" };
	const struct pl_place place = pl_frames_place(&report->frames, line->frame);
	struct ibw_out *o = &report->output->out;
	char text[PL_FLOW_TEXT];

	command(o, names[MIN(line->severity, LINT_NOTE)], &place);
	ibw_out_str(o, lint_rules[line->rule].id);
	ibw_out_char(o, ' ');
	ibw_out_str(o, lint_rules[line->rule].name);
	ibw_out_str(o, "::");
	if (line->frame) {
		ibw_out_str(o, "frame ");
		ibw_out_dec(o, place.frame);
		ibw_out_str(o, ": ");
	}
	if (line->flow) {
		escaped(o, pl_flow_text(report, line->flow, text), "");
		ibw_out_str(o, ": ");
	}
	escaped(o, line->message, "");
	ibw_out_char(o, '\n');
}

static void github_verdict(struct pl_report *report, const struct pl_verdict *verdict)
{
	const struct pl_place place = pl_frames_place(&report->frames, 0);
	struct ibw_out *o = &report->output->out;
	char text[PL_VERDICT_TEXT];

	if (!verdict->n)
		return;
	command(o, "notice", &place);
	ibw_out_str(o, "verdict::");
	escaped(o, pl_verdict_text(verdict, text), "");
	ibw_out_char(o, '\n');
}

const struct pl_sink pl_sink_github = { .finding = pl_line_finding,
					.group = pl_line_group,
					.sum = pl_line_sum,
					.line = github_line,
					.incidents = pl_line_incidents,
					.verdict = github_verdict };
