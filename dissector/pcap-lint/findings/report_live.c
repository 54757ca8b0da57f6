/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report_live.c - reports on live traffic: incidents as they close, errors as they are found.
 *
 * An incident is not reported before a finding proves it, which may wait for later packets; the rest is reported at the
 * end.
 */
#include "pcap-lint/options/chosen.h"
#include "pcap-lint/incidents/incident.h"
#include "pcap-lint/incidents/proof.h"
#include "report_impl.h"
#include "pcap-lint/report/sink.h"
#include "track/stream/qps.h"
#include "track/track.h"

/* Incidents that are told while it goes on; the others are summed up at the end. */
#define TOLD_MAX 300u

/* How often all incidents are looked at, in microseconds. */
#define EACH_US 100000

/* A packet that is live is not older, by the clock of this host. */
#define LIVE_NS UINT64_C(60000000000)

bool pl_is_now(uint64_t time_ns)
{
	const uint64_t now_ns = (uint64_t)g_get_real_time() * 1000;

	return time_ns + LIVE_NS > now_ns && time_ns < now_ns + LIVE_NS;
}

bool pl_report_is_told_live(const struct pl_report *report, const struct pl_incident *incident)
{
	return report->told && incident->number < report->told->len &&
	       g_array_index(report->told, uint64_t, incident->number) == incident->incident->frame;
}

static void tell(struct pl_report *report, const struct pl_incident *incident)
{
	if (incident->number >= report->told->len)
		g_array_set_size(report->told, incident->number + 1);
	g_array_index(report->told, uint64_t, incident->number) = incident->incident->frame;
	report->n_told++;
	pl_output_room(report->output);
	report->sink->incident_now(report, incident);
	pl_output_line(report->output);
}

/* Incidents that nothing more is to be known of, and findings that prove them. */
static void incidents(struct pl_report *report)
{
	struct pl_incident *list;
	unsigned int i, n;

	pl_proofs_sort(report->proofs, report->track);
	list = pl_incidents_of(report, &n);
	pl_report_set_refusals(report, list, n);
	for (i = 0; i < n && report->n_told < TOLD_MAX; i++)
		if (list[i].number < TRACK_INCIDENTS_MAX && pl_incident_is_told(report, &list[i]) &&
		    !pl_report_is_told_live(report, &list[i]))
			tell(report, &list[i]);
	g_free(list);
}

/* Whether anything happened since the last look: an incident closed, or a finding that may prove one was found. */
static bool is_news(struct pl_report *report, const struct track_incidents *list)
{
	uint64_t so_far = list->n + report->totals.severities[LINT_ERROR] +
			  report->totals.severities[LINT_WARNING];
	bool is = so_far != report->looked_at;

	report->looked_at = so_far;
	return is && list->n;
}

void pl_report_tick(struct pl_report *report, bool idle)
{
	const struct track_incidents *list = pl_incidents_all(report);
	struct track_qp **qps;
	gint64 now;

	if (!report->live || !report->proofs || !report->sink->incident_now || !list ||
	    (report->sink->incidents && !pl_report_folds(report)) || report->options->count_rules ||
	    report->options->quiet || report->n_told >= TOLD_MAX)
		return;
	now = g_get_monotonic_time();
	if ((!idle && now < report->look_at) || !is_news(report, list))
		return;
	report->look_at = now + EACH_US;
	qps = track_qps_sorted(track_streams(report->track), &report->n_qps);
	report->n_qps = pl_chosen_qps(&report->options->chosen, qps, report->n_qps);
	report->qps = (const struct track_qp *const *)qps;
	incidents(report);
	report->qps = NULL;
	report->n_qps = 0;
	g_free(qps);
}
