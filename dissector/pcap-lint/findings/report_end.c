/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_end.c - the end of a report, when the whole capture was read: verdict, incidents, findings, tables, summary. */
#include <ibwire/ibwire.h>

#include "pcap-lint/options/chosen.h"
#include "pcap-lint/rewrite/commented.h"
#include "pcap-lint/report/flow.h"
#include "fold.h"
#include "group.h"
#include "pcap-lint/report/interfaces.h"
#include "later.h"
#include "pcap-lint/report/pairs.h"
#include "pcap-lint/incidents/proof.h"
#include "pcap-lint/base/records.h"
#include "report_impl.h"
#include "pcap-lint/report/sink.h"
#include "pcap-lint/story/story.h"
#include "pcap-lint/verdict/verdict.h"
#include "track/base/subnet.h"
#include "track/measure/timeline.h"
#include "track/way/qp_state.h"

/* What was found out of the capture as a whole. */
struct assessment {
	struct pl_incident *list;
	unsigned int n;
	struct pl_folds *folds;
	struct pl_verdict verdict;
};

void pl_report_set_refusals(const struct pl_report *report, struct pl_incident *list,
			    unsigned int n)
{
	unsigned int i;

	for (i = 0; report->refusals && i < n; i++)
		if (list[i].incident->kind == TRACK_INCIDENT_REFUSED)
			list[i].message =
				g_hash_table_lookup(report->refusals, &list[i].incident->end_frame);
}

static void assess(struct pl_report *report, struct assessment *a)
{
	*a = (struct assessment){ 0 };
	if (!report->proofs)
		return;
	pl_proofs_sort(report->proofs, report->track);
	a->list = pl_incidents_of(report, &a->n);
	a->folds = pl_folds_new(report, a->list, a->n, report->sink->parts);
	report->list = a->list;
	report->n_list = a->n;
	pl_incidents_link(a->list, a->n);
	report->parts_known = report->traces != NULL;
	pl_report_set_refusals(report, a->list, a->n);
	pl_verdict(report, a->list, a->n, &a->verdict);
}

static void assessment_free(struct pl_report *report, struct assessment *a)
{
	pl_folds_free(a->folds);
	g_free(a->list);
	pl_proofs_free(report->proofs);
	report->proofs = NULL;
}

/* Who is gone, or was for a while, an incident says only where its retries were used up. */
static bool has_untold_ending(const struct pl_report *report, const struct assessment *a,
			      const struct track_qp *qp)
{
	unsigned int i;

	for (i = 0; i < a->n; i++)
		if (a->list[i].qp == qp && a->list[i].incident->kind == TRACK_INCIDENT_RETRIES &&
		    pl_incident_is_told(report, &a->list[i]))
			return false;
	return pl_flow_has_ending(report, qp);
}

static void flows(struct pl_report *report, const struct assessment *a,
		  const struct track_qp *const *qps, unsigned int n)
{
	const struct track_qp *worst[PL_FLOW_WORST];
	unsigned int i, n_worst;

	if (report->options->stats && report->sink->flows)
		report->sink->flows(report, qps, n);
	if (report->options->stats && report->sink->cm && report->track &&
	    track_conversations(report->track))
		report->sink->cm(report, track_conversations(report->track));
	if (report->options->stats && report->sink->mads && report->track &&
	    !pl_chosen_any(&report->options->chosen) && track_transactions(report->track))
		report->sink->mads(report, track_transactions(report->track));
	if (report->options->stats && report->sink->upper && report->track &&
	    track_commands(report->track))
		report->sink->upper(report, track_commands(report->track));
	if (report->options->stats && report->sink->pairs &&
	    !pl_chosen_any(&report->options->chosen))
		report->sink->pairs(report);
	if (report->options->timeline && report->sink->timeline && track_streams(report->track)) {
		track_timelines_align(track_streams(report->track));
		report->sink->timeline(report, qps, n);
	}
	if (report->options->series && report->sink->series)
		report->sink->series(report, qps, n);
	if (report->stories && report->sink->story)
		pl_story_tell(report, qps, n);
	if (report->options->quiet || !report->sink->worst)
		return;
	n_worst = pl_flow_worst(qps, n, worst);
	for (i = 0; i < n_worst; i++) {
		if (report->traces && pl_folds_has(a->folds, worst[i]) &&
		    !has_untold_ending(report, a, worst[i]))
			continue;
		pl_output_room(report->output);
		report->sink->worst(report, worst[i]);
	}
}

static void comment_incidents(struct pl_report *report, const struct pl_incident *list,
			      unsigned int n)
{
	unsigned int i;

	for (i = 0; report->commented && i < n; i++)
		if (pl_incident_is_told(report, &list[i]))
			pl_commented_incident(report->commented, report, &list[i]);
}

/* Incidents may be wanted for comments of packets alone. */
static bool says_whole(const struct pl_report *report)
{
	return report->proofs && !report->options->count_rules &&
	       (!report->options->quiet || report->sink->page);
}

static void verdict(struct pl_report *report, const struct assessment *a)
{
	if (!says_whole(report) || !report->sink->verdict)
		return;
	pl_output_room(report->output);
	report->sink->verdict(report, &a->verdict);
	pl_output_line(report->output);
}

/* One after the other: the form decides nothing. */
static void incidents(struct pl_report *report, const struct assessment *a)
{
	unsigned int i;

	if (!says_whole(report) || !report->sink->incident)
		return;
	for (i = 0; i < a->n; i++) {
		if (pl_incident_is_told(report, &a->list[i]))
			report->incidents += pl_incident_count(&a->list[i]);
		if (pl_report_is_told_live(report, &a->list[i]))
			continue;
		pl_output_room(report->output);
		report->sink->incident(report, &a->list[i]);
	}
}

static void subnet(struct pl_report *report)
{
	struct track_subnet s;

	if (!report->options->stats || !report->sink->subnet || !report->track ||
	    pl_chosen_any(&report->options->chosen))
		return;
	track_subnet_open(&s);
	track_subnet_list(report->track, &s);
	report->sink->subnet(report, &s);
	track_subnet_close(&s);
}

/* Causes that have a line of their own, unless with -v. */
#define CAUSES_SHOWN 10u

/* A finding that is part of an incident has no line; the others have theirs. */
struct unfold {
	struct pl_report *report;
	struct pl_folds *folds;
};

static bool is_folded(const struct unfold *u, const struct pl_waiting *waiting)
{
	if (!pl_fold_of(u->folds, waiting, waiting->finding.frame))
		return false;
	return !waiting->n || pl_fold_of(u->folds, waiting, waiting->last_frame);
}

static void unfold(void *user, const struct pl_waiting *waiting)
{
	const struct lint_finding *finding = &waiting->finding;
	const struct unfold *u = user;

	if (is_folded(u, waiting)) {
		u->report->folded[finding->rule] += MAX(waiting->n, 1);
		u->report->summed = true;
	} else if (waiting->n) {
		pl_groups_more(u->report->groups, finding, waiting->n, waiting->last_frame);
	} else {
		pl_groups_add(u->report->groups, finding);
	}
}

/* Incidents of MADs, of transfers and of iWARP take the place of causes, up to half of them. */
static unsigned int causes_shown(const struct pl_report *report, const struct assessment *a)
{
	unsigned int i, mads = 0;

	for (i = 0; i < a->n; i++)
		mads += (a->list[i].mads || a->list[i].transfer || a->list[i].stall) &&
			pl_incident_is_told(report, &a->list[i]);
	return CAUSES_SHOWN - MIN(mads, CAUSES_SHOWN / 2);
}

static void groups(struct pl_report *report, const struct assessment *a)
{
	const unsigned int shown = causes_shown(report, a);
	struct unfold u = { report, a->folds };
	uint64_t more[LINT_RULE_COUNT] = { 0 };
	struct pl_group **sorted;
	unsigned int i, n;

	if (!report->groups)
		return;
	if (report->traces)
		pl_later_each(report->traces, unfold, &u);
	sorted = pl_groups_sorted(report->groups, report->track, &n);
	for (i = 0; i < n; i++) {
		report->summed |= sorted[i]->count > 1;
		if (sorted[i]->told && sorted[i]->count == 1)
			continue;
		if (i >= shown && !report->options->verbose && report->sink->causes) {
			more[sorted[i]->first.rule] += sorted[i]->count;
			continue;
		}
		pl_output_room(report->output);
		report->sink->group(report, sorted[i]);
		pl_output_line(report->output);
	}
	g_free(sorted);
	if (n > shown && !report->options->verbose && report->sink->causes) {
		pl_output_room(report->output);
		report->sink->causes(report, more);
		pl_output_line(report->output);
	}
}

static void unfold_result(void *user, const struct pl_waiting *waiting)
{
	const struct lint_finding *finding = &waiting->finding;
	const struct unfold *u = user;

	if (is_folded(u, waiting))
		u->report->folded[finding->rule] += MAX(waiting->n, 1);
	else if (waiting->n)
		pl_limit_more(u->report->limit, finding, waiting->n, waiting->last_frame);
	else
		pl_report_write(u->report, finding);
}

/* Incidents, then the findings that are part of none. */
static void results(struct pl_report *report, const struct assessment *a)
{
	struct unfold u = { report, a->folds };
	unsigned int i;

	for (i = 0; i < a->n; i++) {
		if (!pl_incident_is_told(report, &a->list[i]))
			continue;
		report->incidents += pl_incident_count(&a->list[i]);
		if (!pl_report_has_place(report))
			continue;
		pl_output_room(report->output);
		report->sink->incident(report, &a->list[i]);
	}
	if (report->traces)
		pl_later_each(report->traces, unfold_result, &u);
}

/* It is written with the number of its incident, which counts it; one of a sum is only counted. */
static void name_part(void *user, const struct pl_waiting *waiting)
{
	const struct unfold *u = user;
	struct pl_incident *i = pl_fold_of(u->folds, waiting, waiting->finding.frame);

	if (i && (!waiting->n || pl_fold_of(u->folds, waiting, waiting->last_frame) == i))
		i->findings[pl_trace_of(waiting->finding.rule)] += (uint32_t)MAX(waiting->n, 1);
	if (waiting->n)
		return;
	u->report->part_of = i;
	u->report->whose = &waiting->whose;
	pl_report_write(u->report, &waiting->finding);
	u->report->part_of = NULL;
	u->report->whose = NULL;
}

/* What may make an incident another one: not that it began in the middle, nor what lengths are not known. */
#define LIMITS                                                                                     \
	(TRACK_DOUBT_ONE_WAY | TRACK_DOUBT_DROPPED | TRACK_DOUBT_LOSS | TRACK_DOUBT_SAMPLED |      \
	 TRACK_DOUBT_FILTERED | TRACK_DOUBT_CLOCK | TRACK_DOUBT_HOLES | TRACK_DOUBT_LOSSY)

static void captured(struct pl_report *report, const struct assessment *a)
{
	uint16_t doubt = 0;
	unsigned int i;

	for (i = 0; i < a->n; i++)
		if (pl_incident_is_told(report, &a->list[i]))
			doubt |= pl_incident_doubt(report, &a->list[i]);
	doubt &= LIMITS;
	if (!doubt || !pl_report_folds(report) || !report->sink->captured)
		return;
	pl_output_room(report->output);
	report->sink->captured(report, doubt);
	pl_output_line(report->output);
}

/* What is wrong comes first, where nothing was written yet. */
static void findings(struct pl_report *report, const struct assessment *a)
{
	struct unfold u = { report, a->folds };

	if (report->proofs && pl_report_folds(report) && !report->options->count_rules) {
		if (!report->live)
			verdict(report, a);
		report->sink->incidents(report, a->list, a->n);
	}
	if (report->sink->most)
		results(report, a);
	if (report->traces && report->sink->parts)
		pl_later_each(report->traces, name_part, &u);
	groups(report, a);
	if (report->proofs && !report->options->count_rules && !report->options->quiet)
		captured(report, a);
}

/* And last, where findings were written as they came. */
static void whole(struct pl_report *report, const struct assessment *a)
{
	if ((pl_report_folds(report) && !report->live) || report->sink->most)
		return;
	if (!pl_report_folds(report))
		incidents(report, a);
	verdict(report, a);
}

void pl_report_close(struct pl_report *report, const struct track_qp *const *qps, unsigned int n)
{
	struct assessment a;
	uint64_t forgotten;

	pl_report_decide(report);
	forgotten = pl_limit_forgotten(report->limit);
	report->qps = qps;
	report->n_qps = n;
	if (report->traces && qps)
		pl_later_settle(report->traces, qps, n);
	pl_report_congestion(report);
	assess(report, &a);
	findings(report, &a);
	comment_incidents(report, a.list, a.n);
	pl_limit_finish(report->limit);
	if (forgotten)
		pl_error(report->output,
			 "%s: findings of more than %d pairs of rule and flow: %" G_GUINT64_FORMAT
			 " of them summed up before the end; more of the same may follow",
			 report->frames.about, PL_LIMIT_PAIRS, (guint64)forgotten);
	pl_limit_free(report->limit);
	report->limit = NULL;
	if (report->output->all)
		pl_totals_add(report->output->all, &report->totals);
	if (qps && !report->options->count_rules)
		flows(report, &a, qps, n);
	if (!report->options->count_rules)
		subnet(report);
	whole(report, &a);
	assessment_free(report, &a);
	if (report->sink->end)
		report->sink->end(report);
	if (!report->options->quiet && !report->options->count_rules && report->sink->summary) {
		pl_output_room(report->output);
		report->sink->summary(report);
		pl_output_line(report->output);
	}
	pl_pairs_free(report->pairs);
	report->pairs = NULL;
	pl_groups_free(report->groups);
	report->groups = NULL;
	pl_later_free(report->traces);
	report->traces = NULL;
	g_clear_pointer(&report->refusals, g_hash_table_unref);
	g_clear_pointer(&report->told, g_array_unref);
	pl_interfaces_free(report->interfaces);
	report->interfaces = NULL;
	pl_records_free(report->records);
	report->records = NULL;
	pl_stories_free(report->stories);
	report->stories = NULL;
	pl_frames_close(&report->frames);
}
