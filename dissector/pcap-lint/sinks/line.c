/* SPDX-License-Identifier: GPL-2.0-or-later */
/* line.c - passes findings, causes and sums in one form, for sinks that do not distinguish them. */
#include "pcap-lint/report/flow.h"
#include "pcap-lint/findings/group.h"
#include "pcap-lint/incidents/incident.h"
#include "pcap-lint/report/sink.h"

void pl_line_finding(struct pl_report *report, const struct lint_finding *f)
{
	const struct pl_line line = { f->frame, f->severity, f->rule, f->flow, f->message };

	report->sink->line(report, &line);
}

void pl_line_group(struct pl_report *report, const struct pl_group *group)
{
	const struct lint_finding *f = &group->first;
	const char *file = pl_frames_place(&report->frames, f->frame).file;
	const char *words = f->message ? f->message : "of several causes";
	char message[PL_FRAMES_MESSAGE], text[2 * PL_FRAMES_MESSAGE];
	const struct pl_line line = { f->frame, f->severity, f->rule, f->flow, text };
	struct ibw_out o = ibw_out_open(text, sizeof(text));

	ibw_out_str(&o, pl_frames_message(&report->frames, words, file, message));
	if (group->count > 1) {
		ibw_out_str(&o, " (and ");
		ibw_out_dec(&o, group->count - 1);
		ibw_out_str(&o, " more");
	}
	if (group->last_frame > f->frame) {
		ibw_out_str(&o, ", up to frame ");
		pl_out_frame(&o, &report->frames, group->last_frame, file);
	}
	ibw_out_str(&o, group->count > 1 ? ")" : "");
	ibw_out_close(&o);
	report->sink->line(report, &line);
}

void pl_line_sum(struct pl_report *report, const struct pl_limited *limited)
{
	const bool has_flow = limited->flow.address != TRACK_ADDRESS_NONE;
	char text[PL_FRAMES_MESSAGE];
	const struct pl_line line = { limited->first_frame, limited->severity, limited->rule,
				      has_flow ? &limited->flow : NULL, text };
	struct ibw_out o = ibw_out_open(text, sizeof(text));

	pl_out_sum(&o, report, limited);
	ibw_out_close(&o);
	report->sink->line(report, &line);
}

void pl_line_incidents(struct pl_report *report, const struct pl_incident *incidents,
		       unsigned int n)
{
	unsigned int told, i;
	const struct pl_incident **sorted = pl_incidents_told(report, incidents, n, &told);
	char text[PL_INCIDENT_TEXT];
	struct track_flow flow;

	for (i = 0; i < MIN(told, PL_LINE_INCIDENTS); i++) {
		const uint64_t frame = sorted[i]->incident->frame;
		const char *file = pl_frames_place(&report->frames, frame).file;
		const struct pl_line line = { frame, pl_incident_severity(sorted[i]),
					      sorted[i]->rule, &flow,
					      pl_incident_text(report, sorted[i], file, text) };

		pl_incident_flow(sorted[i], &flow);
		pl_output_room(report->output);
		report->sink->line(report, &line);
	}
	if (told > i) {
		const struct pl_line line = { 0, pl_incident_severity(sorted[i]), sorted[i]->rule,
					      NULL, text };
		struct ibw_out o = ibw_out_open(text, sizeof(text));

		pl_out_counted(&o, told - i, "more incident");
		ibw_out_close(&o);
		report->sink->line(report, &line);
	}
	g_free(sorted);
}

char *pl_line_text(struct pl_report *report, const struct pl_line *line)
{
	const struct pl_place place = pl_frames_place(&report->frames, line->frame);
	GString *text = g_string_new(place.file);
	char flow[PL_FLOW_TEXT];

	if (line->frame)
		g_string_append_printf(text, ":%" G_GUINT64_FORMAT, (guint64)place.frame);
	g_string_append_printf(text, ": %s: ", lint_severity_names[line->severity]);
	if (line->flow)
		g_string_append_printf(text, "%s: ", pl_flow_text(report, line->flow, flow));
	g_string_append(text, line->message);
	return g_string_free(text, FALSE);
}
