/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_json.c - JSON lines: the keys of an object, and their order, are a promise. */
#include <string.h>

#include <ibwire/json.h>

#include "report.h"

/* The number of what follows; a key added, removed or moved makes it another one. */
#define SCHEMA 1

static void string(struct ibw_out *o, const char *s)
{
	ibw_json_string(o, s, strlen(s));
}

/* ,"key": */
static void key(struct ibw_out *o, const char *name)
{
	ibw_out_str(o, ",\"");
	ibw_out_str(o, name);
	ibw_out_str(o, "\":");
}

static void number(struct ibw_out *o, const char *name, uint64_t n)
{
	key(o, name);
	ibw_out_dec(o, n);
}

/* Findings about the whole file have no frame, packets of some files no time. */
static void frame_and_time(struct ibw_out *o, uint64_t frame, uint64_t time_ns)
{
	key(o, "frame");
	if (frame)
		ibw_out_dec(o, frame);
	else
		ibw_out_str(o, "null");
	key(o, "time");
	if (time_ns) {
		ibw_out_char(o, '"');
		pl_out_time(o, time_ns);
		ibw_out_char(o, '"');
	} else {
		ibw_out_str(o, "null");
	}
}

static void rule_and_severity(struct ibw_out *o, enum lint_rule_id rule,
			      enum lint_severity severity)
{
	key(o, "rule");
	string(o, lint_rules[rule].id);
	key(o, "name");
	string(o, lint_rules[rule].name);
	key(o, "severity");
	string(o, lint_severity_names[severity]);
}

static void flow_or_null(struct ibw_out *o, const struct track_flow *flow)
{
	char text[TRACK_FLOW_TEXT];

	key(o, "flow");
	if (flow)
		string(o, track_flow_text(flow, text));
	else
		ibw_out_str(o, "null");
}

static void frames(struct ibw_out *o, const char *name, const uint64_t *frame, unsigned int n)
{
	unsigned int i;

	key(o, name);
	ibw_out_char(o, '[');
	for (i = 0; i < n; i++) {
		if (i)
			ibw_out_char(o, ',');
		ibw_out_dec(o, frame[i]);
	}
	ibw_out_char(o, ']');
}

static void json_finding(struct pl_report *report, const struct lint_finding *finding)
{
	struct ibw_out *o = &report->output->out;

	ibw_out_str(o, "{\"type\":\"finding\"");
	key(o, "file");
	string(o, report->file);
	frame_and_time(o, finding->frame, finding->time_ns);
	rule_and_severity(o, finding->rule, finding->severity);
	key(o, "layer");
	string(o, finding->layer);
	number(o, "offset", finding->offset);
	number(o, "length", finding->length);
	flow_or_null(o, finding->flow);
	key(o, "message");
	string(o, finding->message);
	frames(o, "related", finding->related, finding->n_related);
	frames(o, "frames", &finding->frame, finding->frame != 0);
	ibw_out_str(o, "}\n");
}

/* A finding that stands for several: frames has the first and the last of them. */
static void json_sum(struct pl_report *report, const struct pl_limited *limited)
{
	const uint64_t range[2] = { limited->first_frame, limited->last_frame };
	struct ibw_out *o = &report->output->out, text;
	char message[64];

	ibw_out_str(o, "{\"type\":\"finding\"");
	key(o, "file");
	string(o, report->file);
	frame_and_time(o, limited->first_frame, limited->first_time_ns);
	rule_and_severity(o, limited->rule, limited->severity);
	key(o, "layer");
	string(o, limited->layer);
	number(o, "offset", 0);
	number(o, "length", 0);
	flow_or_null(o, limited->flow.address == TRACK_ADDRESS_NONE ? NULL : &limited->flow);
	text = ibw_out_open(message, sizeof(message));
	pl_out_sum(&text, limited);
	ibw_out_close(&text);
	key(o, "message");
	string(o, message);
	frames(o, "related", NULL, 0);
	frames(o, "frames", range, limited->first_frame == 0 ? 0 : range[1] > range[0] ? 2 : 1);
	ibw_out_str(o, "}\n");
}

/* Seconds with the decimals that are not zero. */
static void duration(struct ibw_out *o, uint64_t ns)
{
	uint64_t digit = 100000000, left = ns % 1000000000;

	ibw_out_dec(o, ns / 1000000000);
	if (left)
		ibw_out_char(o, '.');
	for (; left; left %= digit, digit /= 10)
		ibw_out_char(o, (char)('0' + left / digit));
}

/* {"rocev2":118201}: what there is of @names. */
static void counts(struct ibw_out *o, const char *const *names, const uint64_t *n, unsigned int end)
{
	const char *before = "{";
	unsigned int i;

	for (i = 0; i < end; i++) {
		if (!n[i])
			continue;
		ibw_out_str(o, before);
		string(o, names[i]);
		ibw_out_char(o, ':');
		ibw_out_dec(o, n[i]);
		before = ",";
	}
	ibw_out_str(o, *before == '{' ? "{}" : "}");
}

static void json_summary(struct pl_report *report)
{
	const struct pl_totals *totals = &report->totals;
	struct ibw_out *o = &report->output->out;
	const char *ids[LINT_RULE_COUNT];
	unsigned int i;

	ibw_out_str(o, "{\"type\":\"summary\"");
	number(o, "schema", SCHEMA);
	key(o, "file");
	string(o, report->file);
	number(o, "packets", totals->packets);
	number(o, "bytes", totals->bytes);
	key(o, "duration");
	duration(o, totals->last_ns - totals->first_ns);
	key(o, "protocols");
	counts(o, ibw_proto_names, totals->protocols, IBW_PROTO_COUNT);
	number(o, "connections", totals->connections);
	key(o, "findings");
	for (i = 0; i < LINT_SEVERITY_COUNT; i++) {
		ibw_out_str(o, i ? ",\"" : "{\"");
		ibw_out_str(o, lint_severity_names[i]);
		ibw_out_str(o, "\":");
		ibw_out_dec(o, totals->severities[i]);
	}
	ibw_out_char(o, '}');
	for (i = 0; i < LINT_RULE_COUNT; i++)
		ids[i] = lint_rules[i].id;
	key(o, "rules");
	counts(o, ids, totals->rules, LINT_RULE_COUNT);
	ibw_out_str(o, "}\n");
}

const struct pl_report_format pl_report_json = { json_finding, json_sum, json_summary };
