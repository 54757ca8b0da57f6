/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report.c - counts findings, and chooses which are shown. */
#include <string.h>

#include <ibwire/ibwire.h>

#include "capture/capture.h"
#include "pcap-lint/options/chosen.h"
#include "pcap-lint/rewrite/commented.h"
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

bool pl_report_has_place(struct pl_report *report)
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

	if (!pl_report_has_place(report))
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

bool pl_report_folds(const struct pl_report *report)
{
	return report->groups && report->sink->incidents;
}

/* Findings have the number of the incident that they are part of, which may not be known before the end. */
static bool names_parts(const struct pl_report *report)
{
	return report->sink->parts && report->proofs && !report->live;
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
	       (!report->options->quiet || pl_report_folds(report));
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
		    struct pl_output *output, const struct pl_sink *sink, const struct track *track,
		    bool live)
{
	memset(report, 0, sizeof(*report));
	report->options = options;
	report->output = output;
	report->sink = sink;
	report->live = live;
	report->track = track;
	if (live)
		report->told = g_array_new(false, true, sizeof(uint64_t));
	pl_frames_open(&report->frames);
	if (options->story)
		report->stories = pl_stories_new(options->max_memory);
	if (report->sink->group && !options->each)
		report->groups = pl_groups_new();
	report->limit = pl_limit_new(shown_per_rule(report), PL_LIMIT_PAIRS, sum, report);
	if (report->sink->places)
		report->records = pl_records_new();
	if (report->sink->parts)
		report->interfaces = pl_interfaces_new();
	if (options->chosen.n_qps)
		report->later = pl_later_new(NULL);
	if (pl_report_wants_incidents(report))
		report->proofs = pl_proofs_new();
	if (report->proofs && ((pl_report_folds(report) && !options->verbose) || is_kept(report) ||
			       names_parts(report)))
		report->traces = pl_later_new(report->track);
	if (report->sink->page || (options->stats && report->sink->pairs))
		report->pairs = pl_pairs_new();
	if (report->sink->begin)
		report->sink->begin(report);
	output->captures++;
}

/*
 * Findings of a rule and half that have words where only the first ones are shown, the same ones in each form; and of which each
 * is known to be part of an incident: of others that is known by the frames of the first and the last.
 */
#define HELD_LEAST 4096u

uint64_t pl_report_held(const struct pl_report *report)
{
	uint64_t shown = shown_per_rule(report);

	if (report->commented)
		return 0;
	if (report->groups || (report->sink->page && shown))
		return PL_GROUPS_LOOKED_AT;
	if (shown)
		return MAX(shown, HELD_LEAST);
	return report->options->each ? 0 : report->sink->most;
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
	return report->traces && pl_is_trace(finding->rule) && pl_later_has_room(report->traces);
}

static void group_more(struct pl_report *report, const struct lint_finding *first, uint64_t n,
		       uint64_t last_frame)
{
	if (is_trace(report, first))
		pl_later_take(report->traces, first, n, last_frame);
	else
		pl_groups_more(report->groups, first, n, last_frame);
}

/* Of those that are shown as a sum, too, it is known in the end which incident they are part of. */
static void note_part(struct pl_report *report, const struct lint_finding *first, uint64_t n,
		      uint64_t last_frame)
{
	if (report->sink->parts && is_trace(report, first))
		pl_later_take(report->traces, first, n, last_frame);
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
	if (report->to != PL_LIMIT_SHOW)
		note_part(report, finding, 1, finding->frame);
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

/* Of a refusal its finding says what was asked for, its incident does not. */
static void note_refusal(struct pl_report *report, const struct lint_finding *finding)
{
	if (finding->rule != LINT_QPS012 || !report->proofs)
		return;
	if (!report->refusals)
		report->refusals =
			g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
	if (g_hash_table_size(report->refusals) < PL_REFUSALS_MAX)
		g_hash_table_insert(report->refusals,
				    g_memdup2(&finding->frame, sizeof(finding->frame)),
				    g_strdup(finding->message));
}

/* It is of what is asked for, shown or not. */
static void take_words(struct pl_report *report, const struct lint_finding *finding)
{
	comment(report, finding);
	note_refusal(report, finding);
}

/* Live, the first error of a cause is told at once. */
static void add_to_group(struct pl_report *report, const struct lint_finding *finding)
{
	struct pl_group *group = pl_groups_add(report->groups, finding);

	if (!report->live || group->count > 1 || finding->severity != LINT_ERROR ||
	    !finding->frame || !pl_is_now(finding->time_ns))
		return;
	group->told = true;
	pl_output_room(report->output);
	report->sink->group(report, group);
	pl_output_line(report->output);
}

static void group(struct pl_report *report, const struct lint_finding *finding)
{
	if (is_trace(report, finding)) {
		pl_groups_look(report->groups, finding->rule);
		pl_later_take(report->traces, finding, 0, finding->frame);
	} else {
		pl_groups_look(report->groups, finding->rule);
		add_to_group(report, finding);
	}
}

void pl_report_write(struct pl_report *report, const struct lint_finding *finding)
{
	char message[PL_FRAMES_MESSAGE];
	struct lint_finding shown;

	if (!pl_report_has_place(report))
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
	const bool tells = pl_is_trace(finding->rule);

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
	else if (report->sink->parts && is_trace(report, finding))
		pl_later_take(report->traces, finding, 0, finding->frame);
	else
		pl_report_write(report, finding);
}

static void take(void *user, const struct lint_finding *finding)
{
	struct pl_report *report = user;

	if (report->waits)
		pl_later_take(report->later, finding, 0, finding->frame);
	else
		take_words(report, finding);
	if (report->shown)
		show(report, finding);
}

static void part_of_sum(struct pl_report *report, const struct lint_finding *first, uint64_t n,
			uint64_t last_frame)
{
	note_part(report, first, n, last_frame);
	pl_limit_more(report->limit, first, n, last_frame);
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
	else if (is_kept(report) && pl_is_trace(first->rule))
		keep(report, first, n, last_frame);
	else
		part_of_sum(report, first, n, last_frame);
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
static void decide(void *user, const struct pl_waiting *waiting)
{
	const struct lint_finding *finding = &waiting->finding;
	struct pl_report *report = user;

	if (is_asked_for(report, finding) != PL_CHOSEN_YES)
		return;
	if (waiting->n) {
		sum_more(report, finding, waiting->n, waiting->last_frame);
		return;
	}
	take_words(report, finding);
	if (is_wanted(report, finding))
		show(report, finding);
}

void pl_report_decide(struct pl_report *report)
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
static inline void count_marks(struct pl_report *report, uint8_t opcode, bool fecn, uint8_t tclass)
{
	report->totals.cnp += opcode == IBW_OP_CNP;
	report->totals.ce += fecn && (tclass & 3) != IBW_ECN_CE;
}

static inline void count_congestion(struct pl_report *report, const struct ibw_packet *pkt)
{
	uint8_t tclass = pkt->net == IBW_NO_SPAN ? 0 : traffic_class(pkt);

	if (pkt->proto == IBW_PROTO_ROCEV2)
		report->tclasses_v2[tclass]++;
	else
		report->tclasses[tclass]++;
	count_marks(report, pkt->opcode, ibw_bth_fecn(IBW_KNOWN(pkt, bth)) != 0, tclass);
}

void pl_report_congestion(struct pl_report *report)
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

/* How many, how long, and when. */
static inline void count_record(struct pl_totals *totals, const struct capture_packet *record,
				enum ibw_proto proto)
{
	totals->packets++;
	totals->bytes += record->len;
	totals->protocols[proto]++;
	if (!record->has_time)
		return;
	if (!totals->begin_ns)
		totals->begin_ns = record->time_ns;
	if (record->time_ns > totals->last_ns)
		totals->last_ns = record->time_ns;
	if (record->time_ns < totals->first_ns || !totals->first_ns)
		totals->first_ns = record->time_ns;
}

void pl_report_packet(struct pl_report *report, const struct capture_packet *record,
		      const struct ibw_packet *pkt)
{
	count_record(&report->totals, record, pkt->proto);
	if (pkt->bth != IBW_NO_SPAN)
		count_congestion(report, pkt);
	if (report->pairs && pkt->bth != IBW_NO_SPAN)
		pl_pairs_add(report->pairs, pkt, record->len);
}

void pl_report_plain(struct pl_report *report, const struct capture_packet *record,
		     const struct track_plain *p)
{
	count_record(&report->totals, record, IBW_PROTO_ROCEV2);
	report->tclasses_v2[p->packet.tclass]++;
	count_marks(report, p->packet.opcode, p->packet.flags & TRACK_PACKET_FECN,
		    p->packet.tclass);
	if (report->pairs)
		pl_pairs_add_plain(report->pairs, p);
}
