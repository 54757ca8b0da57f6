/* SPDX-License-Identifier: GPL-2.0-or-later */
/* incident_json.c - an incident as an object of JSON. */
#include <ibwire/ibwire.h>

#include "pcap-lint/report/flow.h"
#include "pcap-lint/incidents/incident.h"
#include "pcap-lint/base/json_write.h"
#include "pcap-lint/base/records.h"
#include "track/way/qp_state.h"

static void frames(struct pl_report *report, const struct track_incident *i, const char *file)
{
	struct ibw_out *o = &report->output->out;

	pl_json_key(o, "frames");
	ibw_out_str(o, "{\"root\":");
	if (i->root_frame)
		pl_json_frame(o, &report->frames, i->root_frame, file);
	else
		ibw_out_str(o, "null");
	pl_json_frame_or_null(o, "lost", &report->frames, i->lost_frame, file);
	pl_json_frame_or_null(o, "notice", &report->frames, i->notice_frame, file);
	pl_json_frame_or_null(o, "nak", &report->frames, i->nak_frame, file);
	pl_json_frame_or_null(o, "resent", &report->frames, i->resent_frame, file);
	pl_json_frame_or_null(o, "end", &report->frames, i->end_frame, file);
	pl_json_frame_or_null(o, "last", &report->frames, i->last_frame, file);
	ibw_out_char(o, '}');
}

void pl_json_place(struct pl_report *report, uint64_t number)
{
	uint64_t offset, bytes;

	if (number && report->records && pl_records_find(report->records, number, &offset, &bytes))
		pl_json_number(&report->output->out, "file_offset", offset);
}

/* Those that it is told with, its own first. */
static void connections(struct ibw_out *o, const struct pl_incident *incident)
{
	const struct pl_incident *like[PL_INCIDENTS_LIKE];
	unsigned int i, n = pl_incidents_like(incident, like);
	uint64_t number[PL_INCIDENTS_LIKE + 1];
	uint32_t own;
	bool known = pl_incident_connection(incident, &own);

	number[0] = own;
	for (i = 0; i < n; i++)
		number[i + 1] = like[i]->qp->number;
	pl_json_numbers(o, "connections", number, n + known);
}

/* The findings that are part of it. */
static void findings(struct ibw_out *o, const struct pl_incident *incident)
{
	const char *names[PL_TRACE_COUNT];
	uint64_t n[PL_TRACE_COUNT];
	unsigned int i;

	for (i = 0; i < PL_TRACE_COUNT; i++) {
		names[i] = lint_rules[pl_trace_rule((enum pl_trace)i)].id;
		n[i] = incident->findings[i];
	}
	pl_json_counts(o, "rules", names, n, PL_TRACE_COUNT);
}

/* Of MADs and transfers, which are of no connection, and of iWARP: "LID 0x0004 -> LID 0x0002 qp 0x000001" */
static void flow_of_mads(struct ibw_out *o, const struct pl_incident *incident)
{
	char text[TRACK_FLOW_TEXT];
	struct track_flow flow;

	if (pl_incident_way_of(incident) || incident->conversation)
		return;
	pl_incident_flow(incident, &flow);
	pl_json_text(o, "flow", track_flow_text(&flow, text));
}

static void nodes(struct pl_report *report, const struct pl_incident *incident)
{
	struct track_flow flow;

	if (pl_incident_way_of(incident) || incident->conversation)
		return;
	pl_incident_flow(incident, &flow);
	pl_json_nodes(report, &flow);
}

void pl_json_incident(struct pl_report *report, const struct pl_incident *incident)
{
	const struct track_incident *i = incident->incident;
	const char *file = pl_frames_place(&report->frames, i->frame).file;
	struct ibw_out *o = &report->output->out;
	const bool has_qp = incident->qp != NULL;
	char operation[LINT_MAD_TEXT];
	char text[PL_INCIDENT_TEXT];
	uint32_t connection;
	bool known = pl_incident_connection(incident, &connection);

	pl_json_begin(o, "incident");
	pl_json_number(o, "schema", PL_JSON_SCHEMA);
	pl_json_text(o, "file", file);
	pl_json_number(o, "incident", incident->number);
	pl_json_number_or_null(o, "connection", connection, known);
	flow_of_mads(o, incident);
	pl_json_text(o, "direction", i->way == TRACK_A_TO_B ? "a_to_b" : "b_to_a");
	pl_json_text(o, "kind", track_incident_rows[i->kind].name);
	pl_json_text(o, "rule", lint_rules[incident->rule].id);
	pl_json_text(o, "severity", lint_severity_names[pl_incident_severity(incident)]);
	pl_json_number_or_null(o, "root_psn", i->psn, has_qp);
	if (incident->stall)
		pl_json_number(o, "place", incident->stall->place);
	pl_json_text(o, "operation", pl_incident_operation(incident, operation));
	pl_json_bool(o, "response", i->response);
	pl_json_number(o, "copies", i->copies);
	pl_json_frame_or_null(o, "frame", &report->frames, i->frame, file);
	pl_json_time(o, "time", i->time_ns != 0, i->time_ns);
	frames(report, i, file);
	pl_json_key(o, "ns");
	ibw_out_str(o, "{\"lost\":");
	ibw_out_dec(o, i->ns);
	pl_json_number(o, "noticed", i->noticed_ns);
	pl_json_number(o, "resent", i->resent_ns);
	pl_json_number(o, "repaired", i->repaired_ns);
	ibw_out_char(o, '}');
	pl_json_number(o, "packets_resent", i->resent_packets);
	pl_json_number_or_null(o, "bytes_resent", i->resent_bytes, has_qp || incident->stall);
	pl_json_number(o, "naks", i->naks);
	pl_json_number(o, "rnr", i->rnr);
	pl_json_number(o, "timers", i->timers);
	pl_json_bool(o, "ended", i->ended);
	if (incident->congestion) {
		pl_json_number(o, "marks", incident->congestion->marks);
		pl_json_number(o, "cnps", incident->congestion->cnps);
	}
	connections(o, incident);
	if (report->parts_known)
		findings(o, incident);
	pl_json_doubts(o, pl_incident_doubt(report, incident));
	pl_json_place(report, i->frame);
	pl_json_text(o, "text", pl_incident_text(report, incident, file, text));
	nodes(report, incident);
	pl_json_end(o);
}
