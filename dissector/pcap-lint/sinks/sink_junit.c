/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sink_junit.c - the XML of JUnit, for servers of continuous integration: a capture is a suite, a rule a test, which fails
 * by a finding at or above --fail-on. Other findings are its output.
 */
#include <string.h>

#include "pcap-lint/base/markup.h"
#include "pcap-lint/report/sink.h"

#define BROKEN "<system-err>cut or damaged</system-err>\n"
#define LINES_MAX 20u /* of a test */

/* What is said of a rule. */
struct pl_said {
	GString *lines; /* as markup; NULL: none */
	uint64_t n;
	bool fails;
};

static void junit_open(struct pl_output *output)
{
	ibw_out_str(&output->out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
}

static void junit_close(struct pl_output *output)
{
	ibw_out_str(&output->out, "</testsuites>\n");
}

static void junit_begin(struct pl_report *report)
{
	report->said = g_new0(struct pl_said, LINT_RULE_COUNT);
}

static void junit_line(struct pl_report *report, const struct pl_line *line)
{
	struct pl_said *said = &report->said[line->rule];
	char *text;

	said->fails |= (int)line->severity <= report->options->fail_on;
	if (said->n > LINES_MAX)
		return;
	if (!said->lines)
		said->lines = g_string_new(NULL);
	text = said->n++ < LINES_MAX ? pl_line_text(report, line) : g_strdup("...");
	pl_html_text(said->lines, text);
	g_string_append_c(said->lines, '\n');
	g_free(text);
}

/* The message of a failure is its first line. */
static void test(GString *p, const char *file, const struct lint_rule *rule, struct pl_said *said)
{
	g_string_append_printf(p, "<testcase classname=\"%s\" name=\"%s %s\">", file, rule->id,
			       rule->name);
	if (said->lines) {
		const char *s = said->lines->str;

		if (said->fails)
			g_string_append_printf(p, "<failure message=\"%.*s\">%s</failure>",
					       (int)strcspn(s, "\n"), s, s);
		else
			g_string_append_printf(p, "<system-out>%s</system-out>", s);
		g_string_free(said->lines, TRUE);
	}
	g_string_append(p, "</testcase>\n");
}

static void junit_end(struct pl_report *report)
{
	GString *file = g_string_new(NULL), *tests = g_string_new(NULL);
	unsigned int i, n = 0, failures = 0;

	pl_html_text(file, report->frames.about);
	for (i = 0; i < LINT_RULE_COUNT; i++) {
		if (!report->options->rules[i])
			continue;
		test(tests, file->str, &lint_rules[i], &report->said[i]);
		failures += report->said[i].fails;
		n++;
	}
	pl_output_text(report->output, "<testsuite name=\"%s\" tests=\"%u\" failures=\"%u\">\n%s",
		       file->str, n, failures, tests->str);
	pl_output_text(report->output, report->broken ? BROKEN "</testsuite>\n" : "</testsuite>\n");
	g_string_free(file, TRUE);
	g_string_free(tests, TRUE);
	g_free(report->said);
}

const struct pl_sink pl_sink_junit = { .open = junit_open,
				       .close = junit_close,
				       .begin = junit_begin,
				       .finding = pl_line_finding,
				       .group = pl_line_group,
				       .sum = pl_line_sum,
				       .line = junit_line,
				       .incidents = pl_line_incidents,
				       .end = junit_end };
