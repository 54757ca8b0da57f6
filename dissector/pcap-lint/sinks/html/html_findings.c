/* SPDX-License-Identifier: GPL-2.0-or-later */
/* html_findings.c - findings by rule, folded: the first ones of each, what the rule means and what to do. */
#include "pcap-lint/report/flow.h"
#include "html.h"

void pl_html_add_finding(struct pl_html *html, const struct lint_finding *finding)
{
	struct pl_html_rule *rule = &html->rule[finding->rule];
	char flow[PL_FLOW_TEXT];

	if (!rule->rows)
		rule->rows = g_string_new(NULL);
	if (!rule->n++ || finding->frame < rule->first_frame)
		rule->first_frame = finding->frame;
	g_string_append(rule->rows, "<tr><td class=\"n\">");
	if (finding->frame)
		pl_html_frame(rule->rows, html->report, finding->frame);
	g_string_append(rule->rows, "</td>");
	pl_html_cell(rule->rows,
		     finding->flow ? pl_flow_text(html->report, finding->flow, flow) : "");
	pl_html_cell(rule->rows, finding->message);
	g_string_append(rule->rows, "</tr>\n");
}

static void term(GString *p, const char *what, const char *text)
{
	g_string_append(p, "<dt>");
	g_string_append(p, what);
	g_string_append(p, "</dt><dd>");
	pl_html_text(p, text);
	g_string_append(p, "</dd>");
}

static void more(GString *p, const struct pl_html *html, uint64_t n, const char *id)
{
	char *options;

	if (!n)
		return;
	options = g_strdup_printf("--ignore all --select %s --severity note --max-per-rule 0", id);
	g_string_append(p, "<p class=\"more\">");
	pl_html_number(p, n);
	g_string_append(p, " more: ");
	pl_html_command(p, html->report, options);
	g_string_append(p, "</p>\n");
	g_free(options);
}

static void folded(struct pl_html *html, enum lint_rule_id id)
{
	const struct lint_rule *row = &lint_rules[id];
	const struct pl_html_rule *rule = &html->rule[id];
	const char *level = lint_severity_names[row->severity];
	uint64_t n = html->report->totals.shown[id];
	GString *p = html->page;

	g_string_append_printf(
		p,
		"<details class=\"s\"><summary><span class=\"%s\">%s</span> <b>%s</b> %s: ", level,
		level, row->id, row->name);
	pl_html_number(p, n);
	if (rule->rows && rule->first_frame) {
		g_string_append(p, ", first in frame ");
		pl_html_frame(p, html->report, rule->first_frame);
	}
	g_string_append(p, "</summary>\n<dl class=\"rule\">");
	term(p, "rule", row->text);
	term(p, "effect", row->why);
	term(p, "usual cause", row->cause);
	term(p, "what to do", row->advice);
	g_string_append(p, "</dl>\n");
	if (rule->rows) {
		g_string_append_printf(
			p,
			"<div class=\"wide\"><table class=\"s\" aria-label=\"%s\"><thead><tr><th class=\"n\">frame</th><th>flow</th>"
			"<th>finding</th></tr></thead><tbody>\n",
			row->id);
		g_string_append_len(p, rule->rows->str, (gssize)rule->rows->len);
		g_string_append(p, "</tbody></table></div>\n");
	}
	more(p, html, n - rule->n, row->id);
	g_string_append(p, "</details>\n");
}

/* By level, then by how many there are; of those alike by their order in the catalogue. */
static enum lint_rule_id next(const struct pl_report *report, const bool *said)
{
	enum lint_rule_id worst = LINT_RULE_COUNT;
	unsigned int i;

	for (i = 0; i < LINT_RULE_COUNT; i++) {
		if (said[i] || !report->totals.shown[i])
			continue;
		if (worst == LINT_RULE_COUNT ||
		    lint_rules[i].severity < lint_rules[worst].severity ||
		    (lint_rules[i].severity == lint_rules[worst].severity &&
		     report->totals.shown[i] > report->totals.shown[worst]))
			worst = (enum lint_rule_id)i;
	}
	return worst;
}

void pl_html_findings(struct pl_html *html)
{
	bool said[LINT_RULE_COUNT] = { false };
	enum lint_rule_id id = next(html->report, said);

	if (id == LINT_RULE_COUNT)
		return;
	g_string_append(html->page, "<h2>Findings by rule</h2>\n");
	for (; id < LINT_RULE_COUNT; id = next(html->report, said)) {
		said[id] = true;
		folded(html, id);
	}
}
