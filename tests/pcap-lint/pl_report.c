/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What pcap-lint says of findings of each level, by how many of them it is asked for: the lines,
 * the sums, the counts of the summary, in text and JSON. Written by hand, from CLI's contract in
 * --help: "error, warning, note, perf".
 */
#include <stdlib.h>

#include <glib.h>

#include "check.h"
#include <ibwire/ibwire.h>
#include <pcap-lint/report/report.h>
#include <pcap-lint/report/sink.h>

#define FILE_NAME "x.pcap"

/* How many findings of each level: all numbers different, none 0 but where that is meant. */
struct counts {
	unsigned int n[LINT_SEVERITY_COUNT];
};

/* The report on these findings of one rule and no flow, at frames 1, 2 ...; freed by the caller. */
static char *report_of(const struct counts *counts, enum lint_severity shown, uint64_t max,
		       enum pl_format format)
{
	struct pl_options options = {
		.severity = shown, .format = format, .max_per_rule = max, .each = true
	};
	struct pl_output output;
	struct pl_report report;
	char name[] = "/tmp/pl_report-XXXXXX", *text = NULL;
	int fd = g_mkstemp(name);
	const struct lint_sink sink = pl_report_sink(&report);
	uint64_t frame = 0;
	unsigned int level, i;

	CHECK(fd >= 0);
	close(fd);
	options.output = name;
	CHECK(pl_output_open(&output, &options, NULL));
	pl_report_open(&report, &options, &output, pl_sink_of(options.format), NULL, false);
	pl_frames_file(&report.frames, FILE_NAME, 0);
	report.totals.packets = 100;
	report.totals.protocols[IBW_PROTO_ROCEV2] = 99;
	for (level = 0; level < LINT_SEVERITY_COUNT; level++)
		for (i = 0; i < counts->n[level]; i++) {
			struct lint_finding f = { .rule = LINT_SAQ006,
						  .severity = (enum lint_severity)level,
						  .frame = frame + 1,
						  .layer = "sa",
						  .message = "m" };

			frame++;
			if (sink.count(sink.user, &f))
				sink.take(sink.user, &f);
		}
	pl_report_close(&report, NULL, 0);
	CHECK(pl_output_close(&output, true, NULL));
	CHECK(g_file_get_contents(name, &text, NULL, NULL));
	remove(name);
	return text;
}

static char *last_line(char *text)
{
	char *end = text + strlen(text);

	if (end > text)
		*--end = '\0';
	while (end > text && end[-1] != '\n')
		end--;
	return end;
}

static void summary(const struct counts *counts, enum lint_severity shown, const char *want)
{
	char *text = report_of(counts, shown, 0, PL_FORMAT_text), *line = last_line(text);

	check_case("up to %s", lint_severity_names[shown]);
	CHECK_STR(line, want);
	check_case("%s", "");
	g_free(text);
}

#define VERDICT(n)                                                                                 \
	FILE_NAME ": verdict: malformed packets: the component mask has bits the record has no "   \
		  "field for (SAQ006 sa-compmask-reserved, " #n ")\n"
#define HEAD FILE_NAME ": 100 packets, 99 RoCE v2, 0 connections: "
#define TAIL " (use --explain RULE)"

static void summaries(void)
{
	static const struct counts all = { { 2, 3, 4, 5 } }, one = { { 1, 1, 1, 1 } };
	static const struct counts perf = { { 0, 0, 0, 7 } }, none = { { 0 } };

	summary(&all, LINT_ERROR, HEAD "2 errors" TAIL);
	summary(&all, LINT_WARNING, HEAD "2 errors, 3 warnings" TAIL);
	summary(&all, LINT_NOTE, HEAD "2 errors, 3 warnings, 4 notes" TAIL);
	summary(&all, LINT_PERF, HEAD "2 errors, 3 warnings, 4 notes, 5 perf" TAIL);
	summary(&one, LINT_PERF, HEAD "1 error, 1 warning, 1 note, 1 perf" TAIL);
	summary(&perf, LINT_PERF, HEAD "0 errors, 0 warnings, 7 perf" TAIL);
	summary(&perf, LINT_NOTE, HEAD "no findings");
	summary(&none, LINT_PERF, HEAD "no findings");
}

/* Every finding has its line, or is in the sum, by its level. */
static void lines(void)
{
	static const struct counts all = { { 1, 1, 1, 1 } };
	static const char want[] =
		FILE_NAME ":1: error: SAQ006 sa-compmask-reserved: m\n" FILE_NAME
			  ":2: warning: SAQ006 sa-compmask-reserved: m\n" FILE_NAME
			  ":3: note: SAQ006 sa-compmask-reserved: m\n" FILE_NAME
			  ":4: perf: SAQ006 sa-compmask-reserved: m\n" VERDICT(2);
	static const char sum[] = FILE_NAME
		":1: error: SAQ006 sa-compmask-reserved: m\n" FILE_NAME
		":2: warning: SAQ006 sa-compmask-reserved: 3 more, up to frame 4\n" VERDICT(2);
	char *text = report_of(&all, LINT_PERF, 0, PL_FORMAT_text), *line = last_line(text);

	*line = '\0';
	CHECK_STR(text, want);
	g_free(text);
	text = report_of(&all, LINT_PERF, 1, PL_FORMAT_text);
	line = last_line(text);
	*line = '\0';
	CHECK_STR(text, sum);
	g_free(text);
}

/* Findings that were held, and have no words any more, are counted and summed up. */
static void counted_only(void)
{
	static const char want[] = FILE_NAME
		":3: warning: SAQ006 sa-compmask-reserved: 5 more, up to frame 9\n" VERDICT(5) HEAD
		"0 errors, 5 warnings" TAIL "\n";
	struct pl_options options = { .severity = LINT_WARNING,
				      .format = PL_FORMAT_text,
				      .each = true };
	struct lint_finding f = {
		.rule = LINT_SAQ006, .severity = LINT_WARNING, .frame = 3, .layer = "sa"
	};
	char name[] = "/tmp/pl_report-XXXXXX", *text = NULL;
	struct pl_output output;
	struct pl_report report;
	const struct lint_sink sink = pl_report_sink(&report);

	close(g_mkstemp(name));
	options.output = name;
	CHECK(pl_output_open(&output, &options, NULL));
	pl_report_open(&report, &options, &output, pl_sink_of(options.format), NULL, false);
	pl_frames_file(&report.frames, FILE_NAME, 0);
	report.totals.packets = 100;
	report.totals.protocols[IBW_PROTO_ROCEV2] = 99;
	sink.more(sink.user, &f, 5, 9);
	f.severity = LINT_NOTE;
	sink.more(sink.user, &f, 50, 90); /* below what is shown */
	pl_report_close(&report, NULL, 0);
	CHECK(pl_output_close(&output, true, NULL));
	CHECK(g_file_get_contents(name, &text, NULL, NULL));
	CHECK_STR(text, want);
	CHECK_EQ(report.totals.rules[LINT_SAQ006], 55);
	remove(name);
	g_free(text);
}

/* JSON counts all there are, shown or not. */
static void json(void)
{
	static const struct counts all = { { 2, 3, 4, 5 } };
	char *text = report_of(&all, LINT_ERROR, 0, PL_FORMAT_json);

	CHECK(strstr(text, "\"findings\":{\"error\":2,\"warning\":3,\"note\":4,\"perf\":5}"));
	CHECK(strstr(text, "\"rules\":{\"SAQ006\":14}"));
	g_free(text);
}

int main(void)
{
	summaries();
	lines();
	json();
	counted_only();
	return check_end();
}
