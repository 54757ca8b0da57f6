/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report.c - counts findings, and chooses which are shown. */
#include <string.h>

#include <ibwire/ibwire.h>

#include "capture/capture.h"
#include "chosen.h"
#include "commented.h"
#include "flow.h"
#include "fold.h"
#include "group.h"
#include "html.h"
#include "incident.h"
#include "later.h"
#include "proof.h"
#include "records.h"
#include "report.h"
#include "sink.h"
#include "story.h"
#include "track/subnet.h"
#include "track/timeline.h"
#include "verdict.h"

static const struct pl_sink *const sinks[] = {
#define PL_SINK(name) [PL_FORMAT_##name] = &pl_sink_##name,
#include "sinks.def"
};

/* Whether there is room for another finding; else it is counted. */
static bool is_written(struct pl_report *report)
{
	if (!report->sink->most)
		return true;
	if (report->written == report->sink->most) {
		report->unwritten++;
		return false;
	}
	report->written++;
	return true;
}

static void sum(void *user, const struct pl_limited *limited)
{
	struct pl_report *report = user;

	if (!is_written(report))
		return;
	pl_output_room(report->output);
	report->sink->sum(report, limited);
	pl_output_line(report->output);
}

/* Findings of a rule and flow that are shown one by one; 0: all, as far as the form has room for them. */
static uint64_t shown_per_rule(const struct pl_report *report)
{
	if (report->sink->page && !report->options->each)
		return PL_HTML_FINDINGS;
	return report->sink->most && !report->options->each ? 0 : report->options->max_per_rule;
}

/* Findings have their lines at the end, after the incidents that they may be part of. */
static bool folds(const struct pl_report *report)
{
	return report->groups && report->sink->incidents;
}

/* Where incidents come first, and there is a most of both, findings wait for them; one by one they do not. */
static bool is_kept(const struct pl_report *report)
{
	return report->sink->most && !report->options->each;
}

bool pl_report_wants_incidents(const struct pl_report *report)
{
	if (report->sink->page || report->sink->most || report->options->write)
		return true;
	return report->sink->verdict && !report->options->count_rules &&
	       (!report->options->quiet || folds(report));
}

bool pl_report_has_stats(const struct pl_report *report)
{
	return report->options->stats || report->sink->page;
}

bool pl_report_has_series(const struct pl_report *report)
{
	return (report->options->series && report->sink->series) || report->sink->page;
}

bool pl_report_has_timeline(const struct pl_report *report)
{
	return report->options->timeline || report->sink->page;
}

void pl_report_open(struct pl_report *report, const struct pl_options *options,
		    struct pl_output *output)
{
	memset(report, 0, sizeof(*report));
	report->options = options;
	report->output = output;
	report->sink = sinks[options->format];
	pl_frames_open(&report->frames);
	if (options->story)
		report->stories = pl_stories_new(options->max_memory);
	if (report->sink->group && !options->each)
		report->groups = pl_groups_new();
	report->limit = pl_limit_new(shown_per_rule(report), PL_LIMIT_PAIRS, sum, report);
	if (report->sink->most)
		report->records = pl_records_new();
	if (options->chosen.n_qps)
		report->later = pl_later_new();
	if (pl_report_wants_incidents(report))
		report->proofs = pl_proofs_new();
	if (report->proofs && ((folds(report) && !options->verbose) || is_kept(report)))
		report->traces = pl_later_new();
	if (report->sink->begin)
		report->sink->begin(report);
	output->captures++;
}

uint64_t pl_report_held(const struct pl_report *report)
{
	uint64_t shown = shown_per_rule(report);

	if (report->commented)
		return 0;
	if (report->groups || (report->sink->page && shown))
		return PL_GROUPS_LOOKED_AT;
	return shown || report->options->each ? shown : report->sink->most;
}

/* Whether the finding is about what is asked for: about the file it always is. */
static enum pl_is_chosen is_asked_for(const struct pl_report *report,
				      const struct lint_finding *finding)
{
	const struct pl_chosen *chosen = &report->options->chosen;

	if (!pl_chosen_any(chosen) || !finding->frame)
		return PL_CHOSEN_YES;
	if (!finding->flow)
		return lint_rules[finding->rule].scope == LINT_FILE ? PL_CHOSEN_YES : PL_CHOSEN_NO;
	return pl_chosen_flow(chosen, report->track, finding->flow);
}

static void count_severity(struct pl_totals *totals, const struct lint_finding *finding, uint64_t n)
{
	totals->severities[finding->severity] += n;
	if (!finding->doubt || finding->doubt & LINT_DOUBT_LESSER ||
	    finding->severity != LINT_NOTE || lint_rules[finding->rule].severity >= LINT_NOTE)
		return;
	totals->withheld += n;
	totals->withheld_doubt |= finding->doubt;
}

static void count_shown(struct pl_report *report, const struct lint_finding *finding, uint64_t n)
{
	report->totals.shown[finding->rule] += n;
	if (finding->severity > LINT_WARNING)
		return;
	report->totals.firm[finding->rule] += n;
	if (report->proofs)
		pl_proofs_add(report->proofs, report->track, finding);
}

/* Whether a page has a row for it: one limit for all flows. */
static bool is_row(struct pl_report *report, enum lint_rule_id rule)
{
	uint64_t most = shown_per_rule(report);

	report->to = PL_LIMIT_SHOW;
	if (most && report->rows[rule] >= most)
		return false;
	report->rows[rule]++;
	return true;
}

/* Whether it waits until incidents are known, of which it may be part. */
static bool is_trace(const struct pl_report *report, const struct lint_finding *finding)
{
	return report->traces && pl_verdict_tells(finding->rule) &&
	       pl_later_has_room(report->traces);
}

static void group_more(struct pl_report *report, const struct lint_finding *first, uint64_t n,
		       uint64_t last_frame)
{
	if (is_trace(report, first))
		pl_later_take(report->traces, first, n, last_frame);
	else
		pl_groups_more(report->groups, first, n, last_frame);
}

/* Whether it is to be shown by itself, of what is asked for. */
static bool is_wanted(struct pl_report *report, const struct lint_finding *finding)
{
	count_shown(report, finding, 1);
	if (report->options->count_rules)
		return false;
	if (report->groups) {
		if (pl_groups_wants(report->groups, finding->rule))
			return true;
		group_more(report, finding, 1, finding->frame);
		return false;
	}
	if (report->sink->page)
		return is_row(report, finding->rule);
	report->to = pl_limit_count(report->limit, finding);
	return report->to != PL_LIMIT_SUM;
}

static bool count(void *user, const struct lint_finding *finding)
{
	struct pl_report *report = user;
	enum pl_is_chosen is;

	count_severity(&report->totals, finding, 1);
	report->totals.rules[finding->rule]++;
	if (finding->severity > report->options->severity)
		return false;
	is = is_asked_for(report, finding);
	report->waits = is == PL_CHOSEN_LATER;
	report->shown = is == PL_CHOSEN_YES && is_wanted(report, finding);
	return report->waits || report->shown || (report->commented && is == PL_CHOSEN_YES);
}

/* The finding as a comment of its packet. */
static void comment(struct pl_report *report, const struct lint_finding *finding)
{
	if (report->commented)
		pl_commented_finding(report->commented, finding);
}

static void group(struct pl_report *report, const struct lint_finding *finding)
{
	if (is_trace(report, finding)) {
		pl_groups_look(report->groups, finding->rule);
		pl_later_take(report->traces, finding, 0, finding->frame);
	} else {
		pl_groups_take(report->groups, finding);
	}
}

static void write_finding(struct pl_report *report, const struct lint_finding *finding)
{
	char message[PL_FRAMES_MESSAGE];
	struct lint_finding shown;

	if (!is_written(report))
		return;
	shown = *finding;
	shown.message =
		pl_frames_message(&report->frames, finding->message,
				  pl_frames_place(&report->frames, finding->frame).file, message);
	pl_output_room(report->output);
	report->sink->finding(report, &shown);
	pl_output_line(report->output);
}

/* Until incidents are known. Of what is no trace of them there is no more than can be written. */
static void keep(struct pl_report *report, const struct lint_finding *finding, uint64_t n,
		 uint64_t last_frame)
{
	const bool tells = pl_verdict_tells(finding->rule);

	if (tells ? !pl_later_has_room(report->traces) : report->kept == report->sink->most) {
		report->unwritten += MAX(n, 1);
		return;
	}
	report->kept += !tells;
	pl_later_take(report->traces, finding, n, last_frame);
}

static void show(struct pl_report *report, const struct lint_finding *finding)
{
	if (report->groups)
		group(report, finding);
	else if (report->to == PL_LIMIT_FIRST)
		pl_limit_first(report->limit, finding);
	else if (is_kept(report) && finding->frame)
		keep(report, finding, 0, finding->frame);
	else
		write_finding(report, finding);
}

static void take(void *user, const struct lint_finding *finding)
{
	struct pl_report *report = user;

	if (report->waits)
		pl_later_take(report->later, finding, 0, finding->frame);
	else
		comment(report, finding);
	if (report->shown)
		show(report, finding);
}

static void sum_more(struct pl_report *report, const struct lint_finding *first, uint64_t n,
		     uint64_t last_frame)
{
	count_shown(report, first, n);
	if (report->commented)
		pl_commented_more(report->commented, n);
	if (report->options->count_rules || report->sink->page)
		return;
	if (report->groups)
		group_more(report, first, n, last_frame);
	else if (is_kept(report) && pl_verdict_tells(first->rule))
		keep(report, first, n, last_frame);
	else
		pl_limit_more(report->limit, first, n, last_frame);
}

static void more(void *user, const struct lint_finding *first, uint64_t n, uint64_t last_frame)
{
	struct pl_report *report = user;

	count_severity(&report->totals, first, n);
	report->totals.rules[first->rule] += n;
	if (first->severity > report->options->severity)
		return;
	switch (is_asked_for(report, first)) {
	case PL_CHOSEN_YES:
		sum_more(report, first, n, last_frame);
		break;
	case PL_CHOSEN_LATER:
		pl_later_take(report->later, first, n, last_frame);
		break;
	case PL_CHOSEN_NO:
		break;
	}
}

/* By now it is known whose finding it is, or never will be. */
static void decide(void *user, const struct lint_finding *finding, uint64_t n, uint64_t last_frame)
{
	struct pl_report *report = user;

	if (is_asked_for(report, finding) != PL_CHOSEN_YES)
		return;
	if (n) {
		sum_more(report, finding, n, last_frame);
		return;
	}
	comment(report, finding);
	if (is_wanted(report, finding))
		show(report, finding);
}

static void decide_all(struct pl_report *report)
{
	if (!report->later)
		return;
	pl_later_each(report->later, decide, report);
	if (pl_later_forgotten(report->later))
		pl_error(report->output,
			 "%s: more than %u findings of directions whose other queue pair was not "
			 "known: %" G_GUINT64_FORMAT " of them not shown",
			 report->frames.about, PL_LATER_MAX,
			 (guint64)pl_later_forgotten(report->later));
	pl_later_free(report->later);
	report->later = NULL;
}

struct lint_sink pl_report_sink(struct pl_report *report)
{
	return (struct lint_sink){ count, take, more, report };
}

/* The byte that is TOS in IPv4, and the traffic class in IPv6 and a GRH. */
static uint8_t traffic_class(const struct ibw_packet *pkt)
{
	const uint8_t *net = ibw_packet_at(pkt, pkt->net);

	if (pkt->span[pkt->net].layer == IBW_LAYER_ipv4)
		return net[1];
	return (uint8_t)(net[0] << 4 | net[1] >> 4);
}

/* What marks InfiniBand without a GRH is FECN. */
static inline void count_congestion(struct pl_report *report, const struct ibw_packet *pkt)
{
	uint8_t tclass = pkt->net == IBW_NO_SPAN ? 0 : traffic_class(pkt);

	if (pkt->proto == IBW_PROTO_ROCEV2)
		report->tclasses_v2[tclass]++;
	else
		report->tclasses[tclass]++;
	if (pkt->opcode == IBW_OP_CNP)
		report->totals.cnp++;
	if (ibw_bth_fecn(IBW_KNOWN(pkt, bth)) && (tclass & 3) != IBW_ECN_CE)
		report->totals.ce++;
}

static void sum_congestion(struct pl_report *report)
{
	struct pl_totals *totals = &report->totals;
	unsigned int i;
	uint64_t n;

	for (i = 0; i < PL_TCLASSES; i++) {
		n = report->tclasses_v2[i] + report->tclasses[i];
		if ((i & 3) == IBW_ECN_CE)
			totals->ce += n;
		else if ((i & 3) != IBW_ECN_NOT_ECT)
			totals->ect += n;
		totals->dscp[i >> 2] += report->tclasses_v2[i];
	}
}

void pl_report_packet(struct pl_report *report, const struct capture_packet *record,
		      const struct ibw_packet *pkt)
{
	struct pl_totals *totals = &report->totals;

	totals->packets++;
	totals->bytes += record->len;
	totals->protocols[pkt->proto]++;
	if (pkt->bth != IBW_NO_SPAN)
		count_congestion(report, pkt);
	if (report->html && pkt->bth != IBW_NO_SPAN)
		pl_html_packet(report->html, pkt, record->len);
	if (record->has_time) {
		if (!totals->begin_ns)
			totals->begin_ns = record->time_ns;
		if (record->time_ns > totals->last_ns)
			totals->last_ns = record->time_ns;
		if (record->time_ns < totals->first_ns || !totals->first_ns)
			totals->first_ns = record->time_ns;
	}
}

/* What was found out of the capture as a whole. */
struct assessment {
	struct pl_incident *list;
	unsigned int n;
	struct pl_folds *folds;
	struct pl_verdict verdict;
};

static void assess(struct pl_report *report, struct assessment *a)
{
	*a = (struct assessment){ 0 };
	if (!report->proofs)
		return;
	pl_proofs_sort(report->proofs, report->track);
	a->list = pl_incidents_of(report, &a->n);
	a->folds = pl_folds_new(report, a->list, a->n);
	pl_verdict(report, a->list, a->n, &a->verdict);
}

static void assessment_free(struct pl_report *report, struct assessment *a)
{
	pl_folds_free(a->folds);
	g_free(a->list);
	pl_proofs_free(report->proofs);
	report->proofs = NULL;
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
		if (report->traces && pl_folds_has(a->folds, worst[i]))
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

static void unfold(void *user, const struct lint_finding *finding, uint64_t n, uint64_t last_frame)
{
	struct lint_finding last = *finding;
	const struct unfold *u = user;

	last.frame = last_frame;
	if (pl_fold_of(u->folds, u->report->track, finding) &&
	    pl_fold_of(u->folds, u->report->track, &last)) {
		u->report->folded[finding->rule] += MAX(n, 1);
		u->report->summed = true;
	} else if (n) {
		pl_groups_more(u->report->groups, finding, n, last_frame);
	} else {
		pl_groups_add(u->report->groups, finding);
	}
}

static void groups(struct pl_report *report, const struct assessment *a)
{
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
		if (i >= CAUSES_SHOWN && !report->options->verbose && report->sink->causes) {
			more[sorted[i]->first.rule] += sorted[i]->count;
			continue;
		}
		pl_output_room(report->output);
		report->sink->group(report, sorted[i]);
		pl_output_line(report->output);
	}
	g_free(sorted);
	if (n > CAUSES_SHOWN && !report->options->verbose && report->sink->causes) {
		pl_output_room(report->output);
		report->sink->causes(report, more);
		pl_output_line(report->output);
	}
}

static void unfold_result(void *user, const struct lint_finding *finding, uint64_t n,
			  uint64_t last_frame)
{
	const struct unfold *u = user;

	if (pl_fold_of(u->folds, u->report->track, finding))
		u->report->folded[finding->rule] += MAX(n, 1);
	else if (n)
		pl_limit_more(u->report->limit, finding, n, last_frame);
	else
		write_finding(u->report, finding);
}

/* Incidents, then the findings that are part of none. */
static void results(struct pl_report *report, const struct assessment *a)
{
	struct unfold u = { report, a->folds };
	unsigned int i;

	for (i = 0; i < a->n; i++) {
		if (!pl_incident_is_told(report, &a->list[i]))
			continue;
		report->incidents++;
		if (!is_written(report))
			continue;
		pl_output_room(report->output);
		report->sink->incident(report, &a->list[i]);
	}
	if (report->traces)
		pl_later_each(report->traces, unfold_result, &u);
}

static void add_counts(uint64_t *to, const uint64_t *from, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		to[i] += from[i];
}

static void add_totals(struct pl_totals *all, const struct pl_totals *totals)
{
	all->packets += totals->packets;
	all->bytes += totals->bytes;
	all->connections += totals->connections;
	all->refused += totals->refused;
	all->empty += totals->empty;
	all->iwarp += totals->iwarp;
	all->fpdus += totals->fpdus;
	all->unexamined += totals->unexamined;
	all->evicted += totals->evicted;
	all->unfollowed += totals->unfollowed;
	all->forgotten += totals->forgotten;
	all->withheld += totals->withheld;
	all->withheld_doubt |= totals->withheld_doubt;
	all->more_connections |= totals->more_connections;
	all->ect += totals->ect;
	all->ce += totals->ce;
	all->cnp += totals->cnp;
	add_counts(all->protocols, totals->protocols, IBW_PROTO_COUNT);
	add_counts(all->severities, totals->severities, LINT_SEVERITY_COUNT);
	add_counts(all->rules, totals->rules, LINT_RULE_COUNT);
	add_counts(all->shown, totals->shown, LINT_RULE_COUNT);
	add_counts(all->dscp, totals->dscp, PL_DSCP_VALUES);
}

/* "    509 error CRC001 icrc-bad", most first. */
static void count_rules(struct pl_output *output, const struct pl_totals *all)
{
	bool said[LINT_RULE_COUNT] = { false };
	struct ibw_out *o = &output->out;
	char line[128];
	unsigned int i, most;

	for (;;) {
		for (i = 0, most = LINT_RULE_COUNT; i < LINT_RULE_COUNT; i++)
			if (!said[i] && all->shown[i] &&
			    (most == LINT_RULE_COUNT || all->shown[i] > all->shown[most]))
				most = i;
		if (most == LINT_RULE_COUNT)
			return;
		said[most] = true;
		g_snprintf(line, sizeof(line), "%10" G_GUINT64_FORMAT " %-7s %s %s\n",
			   (guint64)all->shown[most],
			   lint_severity_names[lint_rules[most].severity], lint_rules[most].id,
			   lint_rules[most].name);
		pl_output_room(output);
		ibw_out_str(o, line);
	}
}

void pl_report_begin(struct pl_output *output, const struct pl_options *options)
{
	if (!sinks[options->format]->open)
		return;
	pl_output_room(output);
	sinks[options->format]->open(output);
}

void pl_report_total(struct pl_output *output, const struct pl_options *options,
		     const struct pl_totals *all, unsigned int files)
{
	struct pl_report report = {
		.options = options, .output = output, .sink = sinks[options->format], .totals = *all
	};

	if (options->count_rules) {
		count_rules(output, all);
	} else if (files > 1 && !options->quiet && report.sink->total) {
		pl_output_room(output);
		report.sink->total(&report, files);
	}
	if (report.sink->close) {
		pl_output_room(output);
		report.sink->close(output);
	}
}

static void refusal(void *user, const struct lint_finding *finding, uint64_t n, uint64_t last_frame)
{
	const struct unfold *u = user;

	(void)n;
	(void)last_frame;
	pl_fold_refusal(u->folds, finding);
}

/* What is wrong comes first, where nothing was written yet. */
static void findings(struct pl_report *report, const struct assessment *a)
{
	struct unfold u = { report, a->folds };

	if (report->traces)
		pl_later_each(report->traces, refusal, &u);
	if (report->proofs && folds(report) && !report->options->count_rules) {
		verdict(report, a);
		report->sink->incidents(report, a->list, a->n);
	}
	if (report->sink->most)
		results(report, a);
	groups(report, a);
}

/* And last, where findings were written as they came. */
static void whole(struct pl_report *report, const struct assessment *a)
{
	if (folds(report) || report->sink->most)
		return;
	incidents(report, a);
	verdict(report, a);
}

void pl_report_close(struct pl_report *report, const struct track_qp *const *qps, unsigned int n)
{
	struct assessment a;
	uint64_t forgotten;

	decide_all(report);
	forgotten = pl_limit_forgotten(report->limit);
	report->qps = qps;
	report->n_qps = n;
	sum_congestion(report);
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
		add_totals(report->output->all, &report->totals);
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
	pl_groups_free(report->groups);
	report->groups = NULL;
	pl_later_free(report->traces);
	report->traces = NULL;
	pl_records_free(report->records);
	report->records = NULL;
	pl_stories_free(report->stories);
	report->stories = NULL;
	pl_frames_close(&report->frames);
}

bool pl_report_failed(const struct pl_report *report)
{
	int level;

	for (level = LINT_ERROR; level <= report->options->fail_on; level++)
		if (report->totals.severities[level])
			return true;
	return false;
}

void pl_out_sum(struct ibw_out *o, const struct pl_report *report, const struct pl_limited *limited)
{
	ibw_out_dec(o, limited->count);
	ibw_out_str(o, " more");
	if (limited->last_frame > limited->first_frame) {
		ibw_out_str(o, ", up to frame ");
		pl_out_frame(o, &report->frames, limited->last_frame,
			     pl_frames_place(&report->frames, limited->first_frame).file);
	}
}
