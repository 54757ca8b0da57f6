/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report.c - counts findings, and chooses which are shown. */
#include <string.h>

#include "report.h"
#include "sink.h"

static const struct pl_sink *const sinks[] = {
#define PL_SINK(name) [PL_FORMAT_##name] = &pl_sink_##name,
#include "sinks.def"
};

static void sum(void *user, const struct pl_limited *limited)
{
	struct pl_report *report = user;

	pl_output_room(report->output);
	report->sink->sum(report, limited);
	pl_output_line(report->output);
}

void pl_report_open(struct pl_report *report, const struct pl_options *options,
		    struct pl_output *output, const char *file)
{
	memset(report, 0, sizeof(*report));
	report->options = options;
	report->output = output;
	report->sink = sinks[options->format];
	report->file = file;
	report->limit = pl_limit_new(options->max_per_rule, PL_LIMIT_PAIRS, sum, report);
}

static bool count(void *user, const struct lint_finding *finding)
{
	struct pl_report *report = user;

	report->totals.severities[finding->severity]++;
	report->totals.rules[finding->rule]++;
	if (finding->severity > report->options->severity)
		return false;
	report->to = pl_limit_count(report->limit, finding);
	return report->to != PL_LIMIT_SUM;
}

static void take(void *user, const struct lint_finding *finding)
{
	struct pl_report *report = user;

	if (report->to == PL_LIMIT_FIRST) {
		pl_limit_first(report->limit, finding);
		return;
	}
	pl_output_room(report->output);
	report->sink->finding(report, finding);
	pl_output_line(report->output);
}

struct lint_sink pl_report_sink(struct pl_report *report)
{
	return (struct lint_sink){ count, take, report };
}

void pl_report_close(struct pl_report *report)
{
	uint64_t forgotten = pl_limit_forgotten(report->limit);

	pl_limit_finish(report->limit);
	if (forgotten)
		pl_error(report->output,
			 "%s: findings of more than %d pairs of rule and flow: %" G_GUINT64_FORMAT
			 " of them were summed up before the end, and may appear again",
			 report->file, PL_LIMIT_PAIRS, (guint64)forgotten);
	pl_limit_free(report->limit);
	report->limit = NULL;
	if (report->options->quiet)
		return;
	pl_output_room(report->output);
	report->sink->summary(report);
	pl_output_line(report->output);
}

bool pl_report_failed(const struct pl_report *report)
{
	int level;

	for (level = LINT_ERROR; level <= report->options->fail_on; level++)
		if (report->totals.severities[level])
			return true;
	return false;
}

void pl_out_sum(struct ibw_out *o, const struct pl_limited *limited)
{
	ibw_out_dec(o, limited->count);
	ibw_out_str(o, " more");
	if (limited->last_frame > limited->first_frame) {
		ibw_out_str(o, ", up to frame ");
		ibw_out_dec(o, limited->last_frame);
	}
}
