/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_total.c - totals over all captures. */
#include "report_impl.h"
#include "pcap-lint/report/sink.h"

static void add_counts(uint64_t *to, const uint64_t *from, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		to[i] += from[i];
}

void pl_totals_add(struct pl_totals *all, const struct pl_totals *totals)
{
	all->packets += totals->packets;
	all->copies += totals->copies;
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

enum lint_rule_id pl_rule_next(const uint64_t of_rule[LINT_RULE_COUNT], bool said[LINT_RULE_COUNT])
{
	unsigned int i, most = LINT_RULE_COUNT;

	for (i = 0; i < LINT_RULE_COUNT; i++)
		if (!said[i] && of_rule[i] &&
		    (most == LINT_RULE_COUNT || of_rule[i] > of_rule[most]))
			most = i;
	if (most < LINT_RULE_COUNT)
		said[most] = true;
	return (enum lint_rule_id)most;
}

/* "    509 error CRC001 icrc-bad", most first. */
static void count_rules(struct pl_output *output, const struct pl_totals *all)
{
	bool said[LINT_RULE_COUNT] = { false };
	struct ibw_out *o = &output->out;
	enum lint_rule_id most;
	char line[128];

	while ((most = pl_rule_next(all->shown, said)) != LINT_RULE_COUNT) {
		g_snprintf(line, sizeof(line), "%10" G_GUINT64_FORMAT " %-7s %s %s\n",
			   (guint64)all->shown[most],
			   lint_severity_names[lint_rules[most].severity], lint_rules[most].id,
			   lint_rules[most].name);
		pl_output_room(output);
		ibw_out_str(o, line);
	}
}

void pl_report_begin(struct pl_output *output, const struct pl_sink *sink)
{
	if (!sink->open)
		return;
	pl_output_room(output);
	sink->open(output);
}

void pl_report_total(struct pl_output *output, const struct pl_options *options,
		     const struct pl_sink *sink, const struct pl_totals *all, unsigned int files)
{
	struct pl_report report = {
		.options = options, .output = output, .sink = sink, .totals = *all
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
