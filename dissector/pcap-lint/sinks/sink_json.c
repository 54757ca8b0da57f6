/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sink_json.c - JSON lines: the keys of an object, and their order, are a promise. */
#include "pcap-lint/report/cm.h"
#include "pcap-lint/report/flow.h"
#include "pcap-lint/incidents/incident.h"
#include "pcap-lint/report/interfaces.h"
#include "pcap-lint/report/iwarp.h"
#include "pcap-lint/base/json_write.h"
#include "pcap-lint/findings/later.h"
#include "pcap-lint/report/mads.h"
#include "pcap-lint/report/pairs.h"
#include "pcap-lint/base/records.h"
#include "lists.h"
#include "series.h"
#include "pcap-lint/report/sink.h"
#include "pcap-lint/story/story.h"
#include "timeline.h"
#include "pcap-lint/verdict/verdict.h"
#include "pcap-lint/report/upper.h"

/* Findings about the whole file have no frame, packets of some files no time. */
static const char *file_frame_and_time(struct pl_report *report, uint64_t frame, uint64_t time_ns)
{
	const struct pl_place place = pl_frames_place(&report->frames, frame);
	struct ibw_out *o = &report->output->out;

	pl_json_text(o, "file", place.file);
	pl_json_number_or_null(o, "frame", place.frame, frame != 0);
	pl_json_time(o, "time", time_ns != 0, time_ns);
	return place.file;
}

static void rule_and_severity(struct ibw_out *o, enum lint_rule_id rule,
			      enum lint_severity severity)
{
	pl_json_text(o, "rule", lint_rules[rule].id);
	pl_json_text(o, "name", lint_rules[rule].name);
	pl_json_text(o, "severity", lint_severity_names[severity]);
}

/* The connection is known by the number it has so far: 0 is the one that began first. */
static void flow_and_connection(struct pl_report *report, const struct track_flow *flow)
{
	struct ibw_out *o = &report->output->out;
	const struct pl_whose whose =
		report->whose ? *report->whose : pl_whose(report->track, flow);
	char text[TRACK_FLOW_TEXT], service[TRACK_CM_SERVICE_TEXT];

	pl_json_text(o, "flow", flow ? track_flow_text(flow, text) : NULL);
	pl_json_number_or_null(o, "connection", whose.connection, whose.known);
	pl_json_text(o, "service",
		     whose.service_id ? track_cm_service_text(whose.service_id, service) : NULL);
}

/* "event":{"name":"paired","evidence":1, ...}: the numbers of event.def by their names. */
static void event_and_numbers(struct ibw_out *o, const struct track_event *e)
{
	const struct track_event_row *row = &track_event_rows[e->kind];
	unsigned int i;

	pl_json_key(o, "event");
	ibw_out_str(o, "{\"name\":");
	pl_json_string(o, row->name);
	for (i = 0; i < TRACK_EVENT_NUMBERS; i++)
		if (row->number[i].name)
			pl_json_number(o, row->number[i].name, e->number[i]);
	ibw_out_char(o, '}');
}

/* "incident":3,"file_offset":930000 */
static void part_and_place(struct pl_report *report, enum lint_rule_id rule, uint64_t frame,
			   bool is_sum)
{
	const struct pl_incident *of = report->part_of;
	struct ibw_out *o = &report->output->out;

	if (!pl_is_trace(rule) || (report->parts_known && !is_sum))
		pl_json_number_or_null(o, "incident", of ? of->number : 0, of != NULL);
	pl_json_place(report, frame);
}

/* "source_node":"host 3" */
static void node_of(struct pl_report *report, const struct track_flow *flow, const char *key,
		    const uint8_t address[16])
{
	char node[TRACK_NODE_SHORT];

	if (report->track &&
	    *track_address_node(report->track, (enum track_address)flow->address, address, node))
		pl_json_text(&report->output->out, key, node);
}

void pl_json_nodes(struct pl_report *report, const struct track_flow *flow)
{
	if (flow->service == TRACK_SERVICE_IWARP)
		return;
	node_of(report, flow, "source_node", flow->src);
	node_of(report, flow, "destination_node", flow->dst);
}

static void json_finding(struct pl_report *report, const struct lint_finding *finding)
{
	struct ibw_out *o = &report->output->out;
	const char *file;

	pl_json_begin(o, "finding");
	file = file_frame_and_time(report, finding->frame, finding->time_ns);
	rule_and_severity(o, finding->rule, finding->severity);
	pl_json_text(o, "layer", finding->layer);
	pl_json_number(o, "offset", finding->offset);
	pl_json_number(o, "length", finding->length);
	flow_and_connection(report, finding->flow);
	pl_json_number_or_null(o, "psn", finding->psn, finding->psn != LINT_NO_PSN);
	pl_json_text(o, "message", finding->message);
	pl_json_frames(o, "related", &report->frames, finding->related,
		       MIN(finding->n_related, PL_RELATED_SHOWN), file);
	pl_json_frames(o, "frames", &report->frames, &finding->frame, finding->frame != 0, file);
	part_and_place(report, finding->rule, finding->frame, false);
	if (finding->flow)
		pl_json_nodes(report, finding->flow);
	if (finding->event)
		event_and_numbers(o, finding->event);
	pl_json_end(o);
}

/* A finding that stands for several: frames has the first and the last of them. */
static void json_sum(struct pl_report *report, const struct pl_limited *limited)
{
	const uint64_t range[2] = { limited->first_frame, limited->last_frame };
	struct ibw_out *o = &report->output->out, text;
	char message[PL_FRAMES_MESSAGE];
	const char *file;

	text = ibw_out_open(message, sizeof(message));
	pl_out_sum(&text, report, limited);
	ibw_out_close(&text);
	pl_json_begin(o, "finding");
	file = file_frame_and_time(report, limited->first_frame, limited->first_time_ns);
	rule_and_severity(o, limited->rule, limited->severity);
	pl_json_text(o, "layer", limited->layer);
	pl_json_number(o, "offset", 0);
	pl_json_number(o, "length", 0);
	flow_and_connection(report,
			    limited->flow.address == TRACK_ADDRESS_NONE ? NULL : &limited->flow);
	pl_json_text(o, "psn", NULL);
	pl_json_text(o, "message", message);
	pl_json_frames(o, "related", &report->frames, NULL, 0, file);
	pl_json_frames(o, "frames", &report->frames, range,
		       !range[0] ? 0 : 1 + (range[1] > range[0]), file);
	part_and_place(report, limited->rule, limited->first_frame, true);
	if (limited->flow.address != TRACK_ADDRESS_NONE)
		pl_json_nodes(report, &limited->flow);
	pl_json_end(o);
}

static void congestion(struct ibw_out *o, const struct pl_totals *totals)
{
	char number[PL_DSCP_VALUES][3];
	const char *names[PL_DSCP_VALUES];
	unsigned int i;

	pl_json_number(o, "ect", totals->ect);
	pl_json_number(o, "ce", totals->ce);
	pl_json_number(o, "cnp", totals->cnp);
	pl_json_number(o, "pause", totals->protocols[IBW_PROTO_PAUSE]);
	for (i = 0; i < PL_DSCP_VALUES; i++) {
		g_snprintf(number[i], sizeof(number[i]), "%u", i);
		names[i] = number[i];
	}
	pl_json_counts(o, "dscp", names, totals->dscp, PL_DSCP_VALUES);
}

/* "asked":{"for":"queue pair 0x000022","connections":1} */
static void asked_for(struct pl_report *report)
{
	struct ibw_out *o = &report->output->out, text;
	char names[PL_CHOSEN_TEXT];

	if (!pl_chosen_any(&report->options->chosen))
		return;
	text = ibw_out_open(names, sizeof(names));
	pl_out_chosen(&text, &report->options->chosen);
	ibw_out_close(&text);
	pl_json_key(o, "asked");
	ibw_out_str(o, "{\"for\":");
	pl_json_string(o, names);
	if (report->qps) {
		ibw_out_str(o, ",\"connections\":");
		ibw_out_dec(o, report->n_qps + report->n_iwarp);
	}
	ibw_out_char(o, '}');
}

/* "not_examined":{"packets":3},"room":{"evicted":240,"unfollowed":12,"forgotten":4} */
static void left_aside(struct ibw_out *o, const struct pl_totals *totals)
{
	if (totals->unexamined) {
		pl_json_key(o, "not_examined");
		ibw_out_str(o, "{\"packets\":");
		ibw_out_dec(o, totals->unexamined);
		ibw_out_char(o, '}');
	}
	if (!totals->evicted && !totals->unfollowed && !totals->forgotten)
		return;
	pl_json_key(o, "room");
	ibw_out_str(o, "{\"evicted\":");
	ibw_out_dec(o, totals->evicted);
	pl_json_number(o, "unfollowed", totals->unfollowed);
	pl_json_number(o, "forgotten", totals->forgotten);
	ibw_out_char(o, '}');
}

/* "iwarp":{"connections":2,"fpdus":182} */
static void iwarp(struct ibw_out *o, const struct pl_totals *totals)
{
	if (!totals->iwarp)
		return;
	pl_json_key(o, "iwarp");
	ibw_out_str(o, "{\"connections\":");
	ibw_out_dec(o, totals->iwarp);
	pl_json_number(o, "fpdus", totals->fpdus);
	ibw_out_char(o, '}');
}

/* "start":"1763715012.000123456","end":"...","version":"1.0","filter":null,"count":null,"interfaces":[...],"incidents":34,"copies":0 */
static void about_capture(struct pl_report *report)
{
	const struct pl_options *options = report->options;
	const struct pl_totals *totals = &report->totals;
	struct ibw_out *o = &report->output->out;

	pl_json_time(o, "start", totals->last_ns != 0, totals->first_ns);
	pl_json_time(o, "end", totals->last_ns != 0, totals->last_ns);
	pl_json_text(o, "version", PL_VERSION);
	pl_json_text(o, "filter", options->filter);
	pl_json_number_or_null(o, "count", options->count, options->count != 0);
	pl_json_interfaces(report, report->interfaces);
	pl_json_number_or_null(o, "incidents", report->incidents,
			       pl_report_wants_incidents(report));
	pl_json_number(o, "copies", totals->copies);
}

static void json_summary(struct pl_report *report)
{
	const struct pl_totals *totals = &report->totals;
	struct ibw_out *o = &report->output->out;
	const char *ids[LINT_RULE_COUNT];
	unsigned int i;

	pl_json_begin(o, "summary");
	pl_json_number(o, "schema", PL_JSON_SCHEMA);
	pl_json_text(o, "file", report->frames.about);
	pl_json_number(o, "packets", totals->packets);
	pl_json_number(o, "bytes", totals->bytes);
	pl_json_seconds(o, "duration", totals->last_ns - totals->first_ns);
	pl_json_counts(o, "protocols", ibw_proto_names, totals->protocols, IBW_PROTO_COUNT);
	pl_json_number(o, "connections", totals->connections);
	asked_for(report);
	pl_json_key(o, "findings");
	for (i = 0; i < LINT_SEVERITY_COUNT; i++) {
		ibw_out_str(o, i ? ",\"" : "{\"");
		ibw_out_str(o, lint_severity_names[i]);
		ibw_out_str(o, "\":");
		ibw_out_dec(o, totals->severities[i]);
	}
	ibw_out_char(o, '}');
	for (i = 0; i < LINT_RULE_COUNT; i++)
		ids[i] = lint_rules[i].id;
	pl_json_counts(o, "rules", ids, totals->rules, LINT_RULE_COUNT);
	congestion(o, totals);
	pl_json_key(o, "withheld");
	ibw_out_str(o, "{\"count\":");
	ibw_out_dec(o, totals->withheld);
	pl_json_doubts(o, totals->withheld_doubt);
	ibw_out_char(o, '}');
	iwarp(o, totals);
	left_aside(o, totals);
	about_capture(report);
	pl_json_end(o);
}

/* Of each connection, under its address in memory. */
static GHashTable *standings(const struct pl_report *report, const struct track_qp *const *qps,
			     unsigned int n)
{
	GHashTable *found = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	struct pl_listed *listed = pl_flows_listed(report, qps, n);
	struct pl_standing *standing;
	unsigned int i;

	for (i = 0; i < n + report->n_iwarp; i++) {
		standing = g_new0(struct pl_standing, 1);
		standing->rank = i + 1;
		standing->known = report->proofs != NULL;
		g_hash_table_insert(found,
				    listed[i].qp ? (void *)listed[i].qp : (void *)listed[i].iwarp,
				    standing);
	}
	g_free(listed);
	for (i = 0; i < report->n_list; i++) {
		const struct pl_incident *one = &report->list[i];
		const void *of = pl_incident_way_of(one);

		if (one->stall)
			of = pl_iwarp_numbered(report, one->stalled);
		standing = g_hash_table_lookup(found, of);
		if (standing && pl_incident_is_told(report, one))
			standing->incidents++;
	}
	return found;
}

static void json_flows(struct pl_report *report, const struct track_qp *const *qps, unsigned int n)
{
	GHashTable *of = standings(report, qps, n);
	unsigned int i;

	for (i = 0; i < n; i++) {
		pl_output_room(report->output);
		pl_json_flow(report, qps[i], g_hash_table_lookup(of, qps[i]));
	}
	for (i = 0; i < report->n_iwarp; i++) {
		pl_output_room(report->output);
		pl_json_iwarp(report, &report->iwarp[i],
			      g_hash_table_lookup(of, &report->iwarp[i]));
	}
	g_hash_table_unref(of);
	pl_json_waited(report, qps, n);
}

const struct pl_sink pl_sink_json = { .parts = true,
				      .places = true,
				      .finding = json_finding,
				      .sum = json_sum,
				      .flows = json_flows,
				      .cm = pl_json_cm,
				      .mads = pl_json_mads,
				      .upper = pl_json_upper,
				      .pairs = pl_json_pairs,
				      .timeline = pl_json_timeline,
				      .series = pl_json_series,
				      .story = pl_json_story,
				      .subnet = pl_json_subnet,
				      .incident = pl_json_incident,
				      .incident_now = pl_json_incident,
				      .verdict = pl_json_verdict,
				      .summary = json_summary };
