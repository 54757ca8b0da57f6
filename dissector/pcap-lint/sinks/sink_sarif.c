/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sink_sarif.c - SARIF 2.1.0 (OASIS), for systems that collect results of checkers: a log with one run per capture.
 *
 * The rules are reportingDescriptors of each run, because a run has to be complete without the others. An incident is a
 * result, and so is a finding that is part of none: with the place of its packet in the file, its connection, and two
 * fingerprints by which it is recognised.
 */
#include <string.h>

#include "pcap-lint/base/json_write.h"
#include "sarif.h"

#define MAN_PAGE "man:pcap-lint(1)"
#define SCHEMA "https://json.schemastore.org/sarif-2.1.0.json"

/* Results of a run: readers refuse more. */
#define RESULTS_MAX 5000

static void sarif_open(struct pl_output *output)
{
	ibw_out_str(&output->out, "{\"$schema\":\"" SCHEMA "\",\"version\":\"2.1.0\",\"runs\":[");
}

static void sarif_close(struct pl_output *output)
{
	ibw_out_str(&output->out, "]}\n");
}

/* "dissector/lint/rules/crc/CRC001.md": its page, from the top of the source tree; freed by the caller. */
static char *page_of(const struct lint_rule *r)
{
	char *group = g_ascii_strdown(r->id, (gssize)strcspn(r->id, "0123456789"));
	char *page = g_strdup_printf("dissector/lint/rules/%s/%s.md", group, r->id);

	g_free(group);
	return page;
}

/* A helpUri has to be absolute (3.49.12), so it is the man page's; its text leads to the page of the rule. */
static void help(struct ibw_out *o, const struct lint_rule *r, const char *page)
{
	char *text = g_strdup_printf("%s\n\nUsual cause: %s\n\nWhat to do: %s", r->why, r->cause,
				     r->advice);
	char *markdown = g_strdup_printf("%s\n\n[%s %s](%s)", text, r->id, r->name, page);

	pl_json_key(o, "help");
	pl_sarif_first(o, "text", text);
	pl_json_text(o, "markdown", markdown);
	ibw_out_str(o, "},\"helpUri\":\"" MAN_PAGE "#");
	ibw_out_str(o, r->id);
	ibw_out_char(o, '"');
	g_free(markdown);
	g_free(text);
}

static void rule(struct ibw_out *o, const struct lint_rule *r, bool on)
{
	char *page = page_of(r);

	pl_sarif_first(o, "id", r->id);
	pl_json_text(o, "name", r->name);
	pl_sarif_key_message(o, "shortDescription", r->text);
	pl_sarif_key_message(o, "fullDescription", r->why);
	help(o, r, page);
	pl_json_key(o, "defaultConfiguration");
	pl_sarif_first(o, "level", pl_sarif_level(r->severity));
	ibw_out_str(o, on ? "}" : ",\"enabled\":false}");
	pl_json_key(o, "properties");
	pl_sarif_first(o, "layer", r->layer);
	pl_json_text(o, "page", page);
	ibw_out_str(o, "}}");
	g_free(page);
}

static void sarif_begin(struct pl_report *report)
{
	struct ibw_out *o = &report->output->out;
	unsigned int i;

	pl_output_room(report->output);
	ibw_out_str(o, report->output->captures ? ",\n" : "\n");
	ibw_out_str(o, "{\"tool\":{\"driver\":");
	pl_sarif_first(o, "name", "pcap-lint");
	pl_json_text(o, "version", PL_VERSION);
	pl_json_text(o, "semanticVersion", PL_VERSION);
	pl_json_text(o, "informationUri", MAN_PAGE);
	pl_json_key(o, "rules");
	for (i = 0; i < LINT_RULE_COUNT; i++) {
		pl_output_room(report->output);
		ibw_out_str(o, i ? ",\n" : "[\n");
		rule(o, &lint_rules[i], report->options->rules[i]);
	}
	ibw_out_str(o, "]}},\n\"columnKind\":\"utf16CodeUnits\",\n\"results\":[");
}

static void sarif_end(struct pl_report *report)
{
	const struct pl_totals *totals = &report->totals;
	struct ibw_out *o = &report->output->out;
	uint64_t folded = 0;
	unsigned int i;

	for (i = 0; i < LINT_RULE_COUNT; i++)
		folded += report->folded[i];
	ibw_out_str(o, "],\n\"artifacts\":[");
	for (i = 0; i < pl_frames_count(&report->frames); i++) {
		pl_output_room(report->output);
		if (i)
			ibw_out_char(o, ',');
		pl_sarif_artifact(o, pl_frames_name(&report->frames, i));
	}
	pl_output_room(report->output);
	ibw_out_str(o, "],\n\"invocations\":[{\"executionSuccessful\":");
	ibw_out_str(o, report->broken || report->interrupted ? "false" : "true");
	ibw_out_str(o, "}],\n\"properties\":{\"packets\":");
	ibw_out_dec(o, totals->packets);
	pl_json_number(o, "bytes", totals->bytes);
	pl_json_number(o, "connections", totals->connections);
	for (i = 0; i < LINT_SEVERITY_COUNT; i++)
		pl_json_number(o, lint_severity_names[i], totals->severities[i]);
	pl_json_number(o, "withheld", totals->withheld);
	pl_json_number(o, "notExamined", totals->unexamined);
	pl_json_number(o, "incidents", report->incidents);
	pl_json_number(o, "findingsOfIncidents", folded);
	pl_json_number(o, "resultsLeftOut", report->unwritten);
	ibw_out_str(o, "}}");
}

const struct pl_sink pl_sink_sarif = { .most = RESULTS_MAX,
				       .places = true,
				       .open = sarif_open,
				       .close = sarif_close,
				       .begin = sarif_begin,
				       .end = sarif_end,
				       .finding = pl_sarif_finding,
				       .sum = pl_sarif_sum,
				       .incident = pl_sarif_incident };
