/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sink_text.c - "FILE:FRAME: SEVERITY: ID NAME: text", the shape of gcc's messages. */
#include <inttypes.h>
#include <string.h>

#include "pcap-lint/report/cm.h"
#include "pcap-lint/report/flow.h"
#include "pcap-lint/report/mads.h"
#include "pcap-lint/findings/group.h"
#include "pcap-lint/incidents/incident.h"
#include "pcap-lint/report/sink.h"
#include "pcap-lint/story/story.h"
#include "pcap-lint/story/tell.h"
#include "lists.h"
#include "timeline.h"
#include "pcap-lint/verdict/verdict.h"
#include "pcap-lint/base/wrap.h"
#include "pcap-lint/report/upper.h"

static const char *const severity_colors[LINT_SEVERITY_COUNT] = { "\033[1;31m", "\033[1;35m",
								  "\033[1;36m", "\033[1;34m" };

void pl_text_head(struct pl_report *report, uint64_t frame, enum lint_severity severity,
		  enum lint_rule_id rule)
{
	const struct pl_place place = pl_frames_place(&report->frames, frame);
	struct ibw_out *o = &report->output->out;
	bool color = report->output->color;

	pl_out_name(o, place.file);
	ibw_out_char(o, ':');
	if (frame) {
		ibw_out_dec(o, place.frame);
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

/* " (+0.102345 s)": since the first packet; 0: this is the first. */
static void since_begin(struct ibw_out *o, uint64_t time_ns, uint64_t first_ns)
{
	uint64_t begin_ns = first_ns ? first_ns : time_ns;
	bool before = time_ns < begin_ns;
	uint64_t ns = before ? begin_ns - time_ns : time_ns - begin_ns;
	char text[48];

	g_snprintf(text, sizeof(text), " (%c%" PRIu64 ".%06u s)", before ? '-' : '+',
		   ns / 1000000000, (unsigned int)(ns % 1000000000 / 1000));
	ibw_out_str(o, text);
}

static void where(struct pl_report *report, const struct lint_finding *finding)
{
	struct ibw_out *o = &report->output->out;

	if (finding->time_ns) {
		ibw_out_str(o, "    time     ");
		pl_out_utc(o, finding->time_ns);
		since_begin(o, finding->time_ns, report->totals.begin_ns);
		ibw_out_char(o, '\n');
	}
	if (finding->length) {
		ibw_out_str(o, "    bytes    ");
		ibw_out_dec(o, finding->offset);
		ibw_out_str(o, " to ");
		ibw_out_dec(o, finding->offset + finding->length - 1);
		ibw_out_str(o, ", layer ");
		ibw_out_str(o, finding->layer);
		ibw_out_char(o, '\n');
	}
}

/* Whether "frame 7" is in @message. */
static bool names_frame(const char *message, uint64_t frame)
{
	char text[32];
	const char *at = message;
	size_t n;

	g_snprintf(text, sizeof(text), "frame %" PRIu64, frame);
	n = strlen(text);
	while ((at = strstr(at, text))) {
		if (!g_ascii_isdigit(at[n]))
			return true;
		at += n;
	}
	return false;
}

/* Frames that show it and are not named yet. */
static unsigned int unnamed(const struct lint_finding *finding, const struct pl_told *told,
			    uint64_t frames[PL_RELATED_SHOWN + 1])
{
	unsigned int i, j, n = 0;

	for (i = 0; i < finding->n_related && n <= PL_RELATED_SHOWN; i++) {
		for (j = 0; j < told->n_named && told->named[j] != finding->related[i]; j++)
			;
		if (j == told->n_named &&
		    (told->event || !names_frame(finding->message, finding->related[i])))
			frames[n++] = finding->related[i];
	}
	return n;
}

/* "frames 4, 7 ..." */
static void out_frames(struct pl_report *report, const uint64_t *frames, unsigned int n,
		       const char *file)
{
	struct ibw_out *o = &report->output->out;
	unsigned int i;

	ibw_out_str(o, n > 1 ? "frames " : "frame ");
	for (i = 0; i < MIN(n, PL_RELATED_SHOWN); i++) {
		if (i)
			ibw_out_str(o, ", ");
		pl_out_frame(o, &report->frames, frames[i], file);
	}
	if (n > i)
		ibw_out_str(o, " ...");
}

/* What shows it: the event, or the condition of the rule; other frames. Where the message says all of an event, only those. */
static void because(struct pl_report *report, const struct lint_finding *finding)
{
	struct pl_told told = { .file = pl_frames_place(&report->frames, finding->frame).file,
				.n = 1 };
	char sender[TRACK_ADDRESS_TEXT], other[TRACK_ADDRESS_TEXT];
	const struct track_event *e = finding->event;
	struct ibw_out *o = &report->output->out;
	struct track_flow flow;
	uint64_t frames[PL_RELATED_SHOWN + 1];
	unsigned int n;

	if (e && pl_is_told(e)) {
		told.event = e;
		flow = e->flow;
		track_flow_as_seen(&flow);
		told.sender = track_address_text(flow.address, flow.src, sender);
		told.other = track_address_text(flow.address, flow.dst, other);
		told.many = pl_is_told_again(e);
		ibw_out_str(o, "    because  ");
		pl_tell(o, &report->frames, &told);
	} else if (!e) {
		ibw_out_str(o, "    because  ");
		ibw_out_str(o, lint_rules[finding->rule].text);
	}
	n = unnamed(finding, &told, frames);
	if (n) {
		ibw_out_str(o, e && !told.event ? "    see      " : " (see ");
		out_frames(report, frames, n, told.file);
		ibw_out_str(o, e && !told.event ? "" : ")");
	}
	if (n || !e || told.event)
		ibw_out_char(o, '\n');
}

static void line(struct ibw_out *o, const char *head, const char *text)
{
	ibw_out_str(o, head);
	ibw_out_str(o, text);
	ibw_out_char(o, '\n');
}

/* What is true of all findings of the rule is said once. */
static void context(struct pl_report *report, const struct lint_finding *finding)
{
	const struct lint_rule *rule = &lint_rules[finding->rule];
	struct ibw_out *o = &report->output->out;

	where(report, finding);
	because(report, finding);
	if (report->explained[finding->rule])
		return;
	report->explained[finding->rule] = true;
	line(o, "    effect   ", rule->why);
	line(o, "    cause    ", rule->cause);
	line(o, "    do       ", rule->advice);
}

/* " [NFS 20049]": what the CM says that the connection is for. */
static void service_and_psn(struct pl_report *report, const struct lint_finding *finding)
{
	struct ibw_out *o = &report->output->out;
	char buf[TRACK_CM_SERVICE_TEXT];
	const char *service = pl_flow_named(report->track, finding->flow, buf);

	if (service) {
		ibw_out_str(o, " [");
		ibw_out_str(o, service);
		ibw_out_char(o, ']');
	}
	if (finding->psn != LINT_NO_PSN) {
		ibw_out_str(o, " psn ");
		ibw_out_hex(o, finding->psn, 6);
	}
	ibw_out_str(o, ": ");
}

static void text_finding(struct pl_report *report, const struct lint_finding *finding)
{
	struct ibw_out *o = &report->output->out;
	const char *from = o->p;

	pl_text_head(report, finding->frame, finding->severity, finding->rule);
	if (finding->flow) {
		pl_out_flow(o, report, finding->flow);
		service_and_psn(report, finding);
	}
	ibw_out_str(o, finding->message);
	ibw_out_char(o, '\n');
	if (report->options->verbose)
		context(report, finding);
	pl_wrap(report->output, from);
}

/* Whether a flow goes this way of a connection. */
static bool goes(const struct track_qp *qp, enum track_way way, const struct track_flow *flow)
{
	const enum track_way back = way == TRACK_A_TO_B ? TRACK_B_TO_A : TRACK_A_TO_B;
	char from[TRACK_ADDRESS_TEXT], sender[TRACK_ADDRESS_TEXT];

	return track_qp_sqpn(qp, back) == flow->dqpn &&
	       strcmp(track_address_text(flow->address, flow->src, from),
		      pl_flow_address(qp, way, sender)) == 0;
}

/* "10.7.0.1 qp 0x18 (24) -> 10.7.0.2 qp 0x19 (25)", if both are known; rdma resource has them in decimal. */
static void both_ends(struct pl_report *report, const struct track_flow *flow)
{
	struct ibw_out *o = &report->output->out;
	const struct track_qp *qp = NULL;
	uint32_t rank;
	bool to_b;

	if (report->qps && report->track && track_connection_rank(report->track, flow, &rank) &&
	    rank < report->n_qps)
		qp = report->qps[rank];
	to_b = qp && goes(qp, TRACK_A_TO_B, flow);
	if (to_b || (qp && goes(qp, TRACK_B_TO_A, flow))) {
		pl_out_end(o, qp, to_b ? TRACK_A_TO_B : TRACK_B_TO_A);
		ibw_out_str(o, " -> ");
		pl_out_end(o, qp, to_b ? TRACK_B_TO_A : TRACK_A_TO_B);
		return;
	}
	pl_out_flow(o, report, flow);
	if (flow->service == TRACK_SERVICE_IWARP)
		return;
	ibw_out_str(o, " (");
	ibw_out_dec(o, flow->dqpn);
	ibw_out_char(o, ')');
}

/* "of 16 connections and 1 other flow" */
static void of_flows(struct ibw_out *o, const struct pl_group *group)
{
	if (!group->connections && !group->flows)
		return;
	ibw_out_str(o, group->more_flows ? " of more than " : " of ");
	if (group->connections)
		pl_out_counted(o, group->connections, "connection");
	if (group->connections && group->flows)
		ibw_out_str(o, " and ");
	if (group->flows)
		pl_out_counted(o, group->flows, group->connections ? "other flow" : "flow");
}

/* "on 509 packets of 16 connections up to frame 702, first at " */
static void how_many(struct pl_report *report, const struct pl_group *group)
{
	const bool packets = lint_rules[group->first.rule].scope != LINT_FILE;
	const char *file = pl_frames_place(&report->frames, group->first.frame).file;
	struct ibw_out *o = &report->output->out;

	if (packets)
		ibw_out_str(o, "on ");
	ibw_out_dec(o, group->count);
	ibw_out_str(o, packets ? " packets" : " times");
	of_flows(o, group);
	if (group->last_frame > group->first.frame) {
		ibw_out_str(o, " up to frame ");
		pl_out_frame(o, &report->frames, group->last_frame, file);
	}
	ibw_out_str(o, group->first.time_ns ? ", first at " : ", first: ");
}

static void text_group(struct pl_report *report, const struct pl_group *group)
{
	const struct lint_finding *finding = &group->first;
	const char *file = pl_frames_place(&report->frames, finding->frame).file;
	struct ibw_out *o = &report->output->out;
	const char *from = o->p;
	char message[PL_FRAMES_MESSAGE];

	pl_text_head(report, finding->frame, finding->severity, finding->rule);
	if (group->count > 1)
		how_many(report, group);
	if (finding->time_ns) {
		pl_out_utc(o, finding->time_ns);
		ibw_out_str(o, ": ");
	}
	if (finding->flow) {
		both_ends(report, finding->flow);
		service_and_psn(report, finding);
	}
	ibw_out_str(o, finding->message
			       ? pl_frames_message(&report->frames, finding->message, file, message)
			       : "more of them, counted without telling causes apart");
	ibw_out_char(o, '\n');
	if (report->options->verbose && finding->message)
		context(report, finding);
	pl_wrap(report->output, from);
}

static void text_sum(struct pl_report *report, const struct pl_limited *limited)
{
	struct ibw_out *o = &report->output->out;
	const char *from = o->p;

	pl_text_head(report, limited->first_frame, limited->severity, limited->rule);
	if (limited->flow.address != TRACK_ADDRESS_NONE) {
		pl_out_flow(o, report, &limited->flow);
		ibw_out_str(o, ": ");
	}
	pl_out_sum(o, report, limited);
	ibw_out_char(o, '\n');
	pl_wrap(report->output, from);
}

/* ", 12 CE", if there are any */
static void some(struct ibw_out *o, uint64_t n, const char *what)
{
	if (!n)
		return;
	ibw_out_str(o, ", ");
	ibw_out_dec(o, n);
	ibw_out_str(o, what);
}

static void protocols(struct ibw_out *o, const struct pl_totals *totals)
{
	static const char *const titles[IBW_PROTO_COUNT] = {
		[IBW_PROTO_ROCEV1] = "RoCE v1",  [IBW_PROTO_ROCEV2] = "RoCE v2",
		[IBW_PROTO_IB] = "InfiniBand",   [IBW_PROTO_IPOIB] = "IPoIB",
		[IBW_PROTO_IWARP] = "iWARP MPA",
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
	if (any)
		return;
	if (totals->rules[LINT_ROC001])
		some(o, totals->rules[LINT_ROC001], " RoCE v2 at another port");
	else if (!totals->iwarp)
		ibw_out_str(o, ", no RDMA");
}

/* What marks and stops traffic, where there is any; the DSCPs of RoCE v2, unless all are 0. */
static void congestion(struct ibw_out *o, const struct pl_totals *totals)
{
	unsigned int i;

	some(o, totals->ce, " CE");
	some(o, totals->cnp, " CNP");
	some(o, totals->protocols[IBW_PROTO_PAUSE], " pause");
	if (totals->dscp[0] == totals->protocols[IBW_PROTO_ROCEV2])
		return;
	for (i = 0; i < PL_DSCP_VALUES; i++) {
		some(o, totals->dscp[i], " DSCP ");
		if (totals->dscp[i])
			ibw_out_dec(o, i);
	}
}

/* ", 14 at note level because the capturing host lost packets": true unless the capture lacks what shows otherwise. */
static bool withheld(struct ibw_out *o, const struct pl_report *report)
{
	const char *before = " at note level because ";
	unsigned int i;

	if (report->options->severity >= LINT_NOTE || !report->totals.withheld)
		return false;
	ibw_out_str(o, ", ");
	ibw_out_dec(o, report->totals.withheld);
	for (i = 0; i < TRACK_DOUBT_COUNT; i++) {
		if (!(report->totals.withheld_doubt & 1u << i))
			continue;
		ibw_out_str(o, before);
		ibw_out_str(o, track_doubt_rows[i].because);
		before = " and ";
	}
	return true;
}

/* Of what nothing is said, no findings are none: of what was not examined or not followed. */
static bool is_whole(const struct pl_totals *totals)
{
	return !(totals->unexamined || totals->evicted || totals->unfollowed || totals->forgotten);
}

/* "; 3 packets not examined (CAP019); memory used up: 240 connections evicted, 12 directions of connections not followed (CAP021)" */
static void left_aside(struct ibw_out *o, const struct pl_totals *totals)
{
	const char *before = "; memory used up: ";

	if (totals->unexamined) {
		ibw_out_str(o, "; ");
		pl_out_counted(o, totals->unexamined, "packet");
		ibw_out_str(o, " not examined (CAP019)");
	}
	if (totals->evicted) {
		ibw_out_str(o, before);
		pl_out_counted(o, totals->evicted, "connection");
		ibw_out_str(o, " evicted");
		before = ", ";
	}
	if (totals->unfollowed) {
		ibw_out_str(o, before);
		pl_out_counted(o, totals->unfollowed, "direction");
		ibw_out_str(o, " of connections not followed");
		before = ", ";
	}
	if (totals->forgotten) {
		ibw_out_str(o, before);
		pl_out_counted(o, totals->forgotten, "entry");
		ibw_out_str(o, " of tables evicted");
	}
	if (totals->evicted || totals->unfollowed || totals->forgotten)
		ibw_out_str(o, " (CAP021)");
}

/* "QPS003 652, QPS008 34": most first. False: there are none. */
static bool by_rule(struct ibw_out *o, const char *before, const uint64_t of_rule[LINT_RULE_COUNT])
{
	bool said[LINT_RULE_COUNT] = { false };
	enum lint_rule_id most;
	unsigned int n;

	for (n = 0; (most = pl_rule_next(of_rule, said)) != LINT_RULE_COUNT; n++) {
		ibw_out_str(o, n ? ", " : before);
		ibw_out_str(o, lint_rules[most].id);
		ibw_out_char(o, ' ');
		ibw_out_dec(o, of_rule[most]);
	}
	return n != 0;
}

/* "FILE: more findings: SAQ007 400, MCG003 6 (-v shows their causes)" */
static void text_causes(struct pl_report *report, const uint64_t of_rule[LINT_RULE_COUNT])
{
	struct ibw_out *o = &report->output->out;
	const char *from = o->p;

	pl_out_files(o, &report->frames);
	by_rule(o, ": more findings: ", of_rule);
	ibw_out_str(o, " (-v shows their causes)\n");
	pl_wrap(report->output, from);
}

/* Errors and warnings always, notes and advice where there are any that could be shown. */
static void severities(struct ibw_out *o, const struct pl_report *report)
{
	const uint64_t *n = report->totals.severities;
	unsigned int i;
	bool any = false;

	for (i = 0; i <= (unsigned int)report->options->severity; i++)
		any |= n[i] != 0;
	if (!any && is_whole(&report->totals)) {
		ibw_out_str(o, ": no findings");
		ibw_out_str(o, withheld(o, report) ? " (--severity note)\n" : "\n");
		return;
	}
	ibw_out_str(o, ": ");
	pl_out_counted(o, n[LINT_ERROR], "error");
	if (report->options->severity >= LINT_WARNING) {
		ibw_out_str(o, ", ");
		pl_out_counted(o, n[LINT_WARNING], "warning");
	}
	if (report->options->severity >= LINT_NOTE && n[LINT_NOTE]) {
		ibw_out_str(o, ", ");
		pl_out_counted(o, n[LINT_NOTE], "note");
	}
	if (report->options->severity >= LINT_PERF && n[LINT_PERF]) {
		ibw_out_str(o, ", ");
		ibw_out_dec(o, n[LINT_PERF]);
		ibw_out_str(o, " perf");
	}
	if (report->incidents) {
		ibw_out_str(o, ", ");
		pl_out_counted(o, report->incidents, "incident");
	}
	left_aside(o, &report->totals);
	any = withheld(o, report);
	ibw_out_str(o, by_rule(o, " (", report->folded) ? "; use --explain RULE"
							: " (use --explain RULE");
	if (report->story_known) {
		ibw_out_str(o, "; --story ");
		ibw_out_dec(o, report->story);
		ibw_out_str(o, " tells what happened");
	}
	if (report->summed)
		ibw_out_str(o, "; --max-per-rule 0 shows each");
	ibw_out_str(o, any ? "; --severity note)\n" : ")\n");
}

/* " (shown: those of queue pair 0x000022, 1 connection)" */
static void asked_for(struct ibw_out *o, const struct pl_report *report)
{
	if (!pl_chosen_any(&report->options->chosen))
		return;
	ibw_out_str(o, " (shown: those of ");
	pl_out_chosen(o, &report->options->chosen);
	if (report->qps) {
		ibw_out_str(o, ", ");
		pl_out_counted(o, report->n_qps + report->n_iwarp, "connection");
	}
	ibw_out_char(o, ')');
}

/* "3 connections, 2 of them iWARP with 182 FPDUs"; "2 iWARP connections with 182 FPDUs": no others */
static void connections(struct ibw_out *o, const struct pl_totals *totals)
{
	bool others = totals->connections > totals->iwarp || !totals->iwarp;

	ibw_out_str(o, totals->more_connections ? ", >= " : ", ");
	pl_out_counted(o, totals->connections, others ? "connection" : "iWARP connection");
	if (others && totals->iwarp)
		pl_out_some(o, totals->iwarp, "of them iWARP");
	if (totals->fpdus) {
		ibw_out_str(o, " with ");
		pl_out_counted(o, totals->fpdus, "FPDU");
	}
}

static void sum_up(struct pl_report *report)
{
	const struct pl_totals *totals = &report->totals;
	struct ibw_out *o = &report->output->out;

	ibw_out_str(o, ": ");
	if (report->interrupted)
		pl_out_interrupted(o, totals->packets);
	else
		pl_out_counted(o, totals->packets, "packet");
	protocols(o, totals);
	congestion(o, totals);
	some(o, totals->copies, " captured twice");
	connections(o, totals);
	pl_out_some(o, totals->refused, "refused");
	pl_out_some(o, totals->empty, "without data");
	asked_for(o, report);
	severities(o, report);
}

static void text_summary(struct pl_report *report)
{
	const char *from = report->output->out.p;

	pl_out_files(&report->output->out, &report->frames);
	sum_up(report);
	pl_wrap(report->output, from);
}

static void text_total(struct pl_report *report, unsigned int files)
{
	const char *from = report->output->out.p;

	pl_out_counted(&report->output->out, files, "capture");
	sum_up(report);
	pl_wrap(report->output, from);
}

const struct pl_sink pl_sink_text = { .finding = text_finding,
				      .group = text_group,
				      .causes = text_causes,
				      .sum = text_sum,
				      .flows = pl_text_flows,
				      .cm = pl_text_cm,
				      .mads = pl_text_mads,
				      .upper = pl_text_upper,
				      .subnet = pl_text_subnet,
				      .captured = pl_text_captured,
				      .worst = pl_text_worst,
				      .incident_now = pl_text_incident,
				      .incidents = pl_text_incidents,
				      .verdict = pl_text_verdict,
				      .timeline = pl_text_timeline,
				      .story = pl_text_story,
				      .summary = text_summary,
				      .total = text_total };
