/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sink_text.c - "FILE:FRAME: SEVERITY: ID NAME: text", the shape of gcc's messages. */
#include "sink.h"

static const char *const severity_colors[LINT_SEVERITY_COUNT] = { "\033[1;31m", "\033[1;35m",
								  "\033[1;36m", "\033[1;34m" };

static void head(struct pl_report *report, uint64_t frame, enum lint_severity severity,
		 enum lint_rule_id rule)
{
	struct ibw_out *o = &report->output->out;
	bool color = report->output->color;

	pl_out_name(o, report->file);
	ibw_out_char(o, ':');
	if (frame) {
		ibw_out_dec(o, frame);
		ibw_out_char(o, ':');
	}
	ibw_out_char(o, ' ');
	if (color)
		ibw_out_str(o, severity_colors[severity]);
	ibw_out_str(o, lint_severity_names[severity]);
	if (color)
		ibw_out_str(o, "\033[0m");
	ibw_out_str(o, ": ");
	ibw_out_str(o, lint_rules[rule].id);
	ibw_out_char(o, ' ');
	ibw_out_str(o, lint_rules[rule].name);
	ibw_out_str(o, ": ");
}

static void flow_text(struct ibw_out *o, const struct track_flow *flow)
{
	char text[TRACK_FLOW_TEXT];

	ibw_out_str(o, track_flow_text(flow, text));
}

static void context(struct ibw_out *o, const struct lint_finding *finding)
{
	const struct lint_rule *rule = &lint_rules[finding->rule];
	unsigned int i;

	if (finding->time_ns) {
		ibw_out_str(o, "    time ");
		pl_out_time(o, finding->time_ns);
		ibw_out_char(o, '\n');
	}
	if (finding->length) {
		ibw_out_str(o, "    layer ");
		ibw_out_str(o, finding->layer);
		ibw_out_str(o, ", offset ");
		ibw_out_dec(o, finding->offset);
		ibw_out_str(o, ", length ");
		ibw_out_dec(o, finding->length);
		ibw_out_char(o, '\n');
	}
	for (i = 0; i < MIN(finding->n_related, PL_RELATED_SHOWN); i++) {
		ibw_out_str(o, i ? ", " : "    related frames ");
		ibw_out_dec(o, finding->related[i]);
	}
	if (i)
		ibw_out_char(o, '\n');
	ibw_out_str(o, "    rule: ");
	ibw_out_str(o, rule->text);
	ibw_out_char(o, '\n');
}

static void text_finding(struct pl_report *report, const struct lint_finding *finding)
{
	struct ibw_out *o = &report->output->out;

	head(report, finding->frame, finding->severity, finding->rule);
	if (finding->flow) {
		flow_text(o, finding->flow);
		if (finding->psn != LINT_NO_PSN) {
			ibw_out_str(o, " psn ");
			ibw_out_hex(o, finding->psn, 6);
		}
		ibw_out_str(o, ": ");
	}
	ibw_out_str(o, finding->message);
	ibw_out_char(o, '\n');
	if (report->options->verbose)
		context(o, finding);
}

static void text_sum(struct pl_report *report, const struct pl_limited *limited)
{
	struct ibw_out *o = &report->output->out;

	head(report, limited->first_frame, limited->severity, limited->rule);
	if (limited->flow.address != TRACK_ADDRESS_NONE) {
		flow_text(o, &limited->flow);
		ibw_out_str(o, ": ");
	}
	pl_out_sum(o, limited);
	ibw_out_char(o, '\n');
}

/* "1 error", "12 warnings" */
static void counted(struct ibw_out *o, uint64_t n, const char *what)
{
	ibw_out_dec(o, n);
	ibw_out_char(o, ' ');
	ibw_out_str(o, what);
	if (n != 1)
		ibw_out_char(o, 's');
}

static void protocols(struct ibw_out *o, const struct pl_totals *totals)
{
	static const char *const titles[IBW_PROTO_COUNT] = {
		[IBW_PROTO_ROCEV1] = "RoCE v1", [IBW_PROTO_ROCEV2] = "RoCE v2",
		[IBW_PROTO_IB] = "InfiniBand",  [IBW_PROTO_IPOIB] = "IPoIB",
		[IBW_PROTO_IWARP] = "iWARP",
	};
	bool any = false;
	unsigned int i;

	for (i = 0; i < IBW_PROTO_COUNT; i++) {
		if (!titles[i] || !totals->protocols[i])
			continue;
		any = true;
		ibw_out_str(o, ", ");
		ibw_out_dec(o, totals->protocols[i]);
		ibw_out_char(o, ' ');
		ibw_out_str(o, titles[i]);
	}
	if (!any)
		ibw_out_str(o, ", no RDMA");
}

/* Errors and warnings always, notes and advice where there are any that could be shown. */
static void severities(struct ibw_out *o, const struct pl_report *report)
{
	const uint64_t *n = report->totals.severities;
	unsigned int i;
	bool any = false;

	for (i = 0; i <= (unsigned int)report->options->severity; i++)
		any |= n[i] != 0;
	if (!any) {
		ibw_out_str(o, ": no findings\n");
		return;
	}
	ibw_out_str(o, ": ");
	counted(o, n[LINT_ERROR], "error");
	if (report->options->severity >= LINT_WARNING) {
		ibw_out_str(o, ", ");
		counted(o, n[LINT_WARNING], "warning");
	}
	if (report->options->severity >= LINT_NOTE && n[LINT_NOTE]) {
		ibw_out_str(o, ", ");
		counted(o, n[LINT_NOTE], "note");
	}
	if (report->options->severity >= LINT_PERF && n[LINT_PERF]) {
		ibw_out_str(o, ", ");
		ibw_out_dec(o, n[LINT_PERF]);
		ibw_out_str(o, " perf");
	}
	ibw_out_str(o, " (use --explain RULE)\n");
}

static void text_summary(struct pl_report *report)
{
	const struct pl_totals *totals = &report->totals;
	struct ibw_out *o = &report->output->out;

	pl_out_name(o, report->file);
	ibw_out_str(o, ": ");
	counted(o, totals->packets, "packet");
	protocols(o, totals);
	ibw_out_str(o, totals->more_connections ? ", >= " : ", ");
	counted(o, totals->connections, "connection");
	severities(o, report);
}

const struct pl_sink pl_sink_text = { text_finding, text_sum, text_summary };
