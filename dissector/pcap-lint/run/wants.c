/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wants.c - tells the trackers what the report needs. */
#include "pcap-lint/report/iwarp.h"
#include "pcap-lint/report/sink.h"
#include "pcap-lint/story/story.h"
#include "wants.h"
#include "track/incident/incident.h"
#include "track/measure/measure.h"
#include "track/measure/series.h"
#include "track/measure/timeline.h"
#include "track/stream/qps.h"
#include "track/ulp/ulp.h"

void pl_want_shown(struct track *track, const struct pl_options *options,
		   const struct pl_report *report)
{
	if (options->chosen.n_qps)
		track_want_streams(track);
	if (pl_report_has_stats(report) || options->story || pl_report_has_timeline(report) ||
	    pl_report_has_series(report)) {
		track_want_streams(track);
		track_qps_want_measures(track_streams(track));
	}
	if (pl_report_has_timeline(report))
		track_qps_want_timeline(track_streams(track), options->interval_ns);
	if (pl_report_has_series(report))
		track_qps_want_series(track_streams(track));
}

/* Most events are read by rules or by stories: of others none is made. */
static void want_kinds(struct track *track, const struct pl_report *report, const struct lint *lint)
{
	bool read[TRACK_EVENT_COUNT];
	unsigned int kind;

	for (kind = 0; kind < TRACK_EVENT_COUNT; kind++)
		read[kind] = lint_reads_event(lint, kind) ||
			     (report->stories && track_event_rows[kind].role != TRACK_ROLE_NONE);
	track_want_kinds(track, read);
}

static void want_iwarp(struct track *track, const struct pl_options *options,
		       const struct pl_report *report)
{
	struct track_iwarp *iwarp = track_iwarp_connections(track);

	if (pl_report_has_stats(report) || options->story)
		track_iwarp_want_records(iwarp);
	if (report->sink->page) {
		track_iwarp_want_series(iwarp);
		track_iwarp_want_busy(iwarp, options->interval_ns);
	}
}

static void want_commands(struct track *track, const struct pl_options *options,
			  const struct pl_report *report)
{
	struct track_ulps *commands = track_commands(track);

	track_ulps_name(commands, options->ulps.name, options->ulps.n);
	if (pl_report_has_stats(report) || options->story || pl_report_has_timeline(report))
		track_ulps_want_records(commands);
}

/* Incidents are kept with streams, those of rules about TCP, too. */
static bool has_incidents_of_tcp(const struct pl_options *options, const struct pl_report *report)
{
	return options->rules[LINT_IWP029] && pl_report_wants_incidents(report);
}

bool pl_want_events(struct track *track, const struct pl_options *options,
		    const struct pl_report *report, const struct lint *lint)
{
	const bool events = lint_wants_events(lint) || pl_report_has_stats(report) ||
			    options->story || pl_report_has_timeline(report) ||
			    pl_report_has_series(report);

	if (events) {
		track_want_events(track);
		track_set_thresholds(track, &options->thresholds);
		want_kinds(track, report, lint);
		want_commands(track, options, report);
		want_iwarp(track, options, report);
		if (lint_wants_streams(lint) || has_incidents_of_tcp(options, report))
			track_want_streams(track);
	}
	if (track_streams(track) && pl_report_wants_incidents(report))
		track_want_incidents(track);
	return events;
}
