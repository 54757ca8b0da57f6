/* SPDX-License-Identifier: GPL-2.0-or-later */
/* explain.c - prints the texts of rules: --explain and --list-rules. */
#include <string.h>

#include <ibwire/print.h>

#include "pcap-lint/base/mode.h"

#define LINE_WIDTH 80
#define INDENT 2

/* Words of @text, broken into lines; a line feed in the text stays one. */
static void lines_of(struct ibw_out *o, const char *text)
{
	size_t column = 0, word;

	while (*text) {
		word = strcspn(text, " \n");
		if (column && column + 1 + word > LINE_WIDTH) {
			ibw_out_char(o, '\n');
			column = 0;
		}
		if (!column) {
			ibw_out_str(o, "  ");
			column = INDENT;
		} else {
			ibw_out_char(o, ' ');
			column++;
		}
		ibw_out_mem(o, text, word);
		column += word;
		text += word;
		if (*text == '\n') {
			ibw_out_char(o, '\n');
			column = 0;
		}
		text += *text != '\0';
	}
	if (column)
		ibw_out_char(o, '\n');
}

static void paragraph(struct ibw_out *o, const char *title, const char *text)
{
	ibw_out_char(o, '\n');
	ibw_out_str(o, title);
	ibw_out_str(o, ":\n");
	lines_of(o, text);
}

/* "GRH003 or LRH003: why", a line for each reason. */
static void silences(struct ibw_out *o, const struct lint_rule *rule)
{
	GString *text = g_string_new(NULL);
	const char *why = NULL;
	unsigned int i;

	for (i = 0; i < lint_silence_count; i++) {
		const struct lint_silence *s = &lint_silences[i];

		if (&lint_rules[s->rule] != rule)
			continue;
		if (why && strcmp(why, s->why) == 0)
			g_string_append(text, " or ");
		else if (why)
			g_string_append_printf(text, ": %s\n", why);
		g_string_append(text, lint_rules[s->by].id);
		why = s->why;
	}
	if (why) {
		g_string_append_printf(text, ": %s", why);
		paragraph(o, "Not said of a packet that has", text->str);
	}
	g_string_free(text, TRUE);
}

/* A finding of each rule, and which bits of which header it is about. */
static const struct example {
	const char *layer;
	uint16_t at, bits;
	const char *message;
} examples[LINT_RULE_COUNT] = {
#define PL_EXAMPLE(rule, layer, at, bits, message) [LINT_##rule] = { #layer, at, bits, message },
#include "examples.def"
#undef PL_EXAMPLE
};

static const struct ibw_header *header_called(const char *name)
{
	unsigned int i;

	for (i = 0; i < IBW_LAYER_COUNT; i++)
		if (strcmp(ibw_headers[i].name, name) == 0)
			return &ibw_headers[i];
	return NULL;
}

/* "padcnt: what it says", of the fields with bits from @at to before @end. */
static void meanings(struct ibw_out *o, const struct ibw_header *h, unsigned int at,
		     unsigned int end)
{
	const struct ibw_field *f;
	const char *text;
	char *line;

	for (f = h->fields; f->name; f++) {
		text = ibw_field_meaning(h, f);
		if (!text || f->at >= end || f->at + f->bits * f->count <= at)
			continue;
		line = g_strdup_printf("%s: %s", f->name, text);
		lines_of(o, line);
		g_free(line);
	}
}

static void example(struct ibw_out *o, const struct example *e)
{
	const struct ibw_header *h = e->bits ? header_called(e->layer) : NULL;

	paragraph(o, "Example", e->message);
	if (!h)
		return;
	ibw_out_str(o, "\nWhere, in the ");
	ibw_out_str(o, h->title);
	ibw_out_str(o, ":\n");
	ibw_print_picture(o, h, "  ", e->at, e->bits);
	meanings(o, h, e->at, e->at + e->bits);
}

/* "flap-time 300 s (1 to 86400): the time in which flap-downs are counted", a line each. */
static void thresholds(struct ibw_out *o, const struct lint_rule *rule)
{
	const struct track_threshold_row *row = track_threshold_rows;
	GString *text = g_string_new(NULL);
	unsigned int i;

	for (i = 0; i < TRACK_THRESHOLDS; i++, row++)
		if (strstr(row->rules, rule->id))
			g_string_append_printf(text,
					       "%s%s %" G_GUINT64_FORMAT " %s (%" G_GUINT64_FORMAT
					       " to %" G_GUINT64_FORMAT "): %s",
					       text->len ? "\n" : "", row->name,
					       (guint64)row->otherwise, row->unit,
					       (guint64)row->least, (guint64)row->most, row->text);
	if (text->len)
		paragraph(o, "Thresholds (--threshold NAME=VALUE)", text->str);
	g_string_free(text, TRUE);
}

static void explain(struct ibw_out *o, const struct lint_rule *rule)
{
	ibw_out_str(o, rule->id);
	ibw_out_char(o, ' ');
	ibw_out_str(o, rule->name);
	ibw_out_str(o, " (");
	ibw_out_str(o, lint_severity_names[rule->severity]);
	ibw_out_str(o, ", layer ");
	ibw_out_str(o, rule->layer);
	ibw_out_str(o, rule->severity == LINT_PERF ? ", off unless selected)\n" : ")\n");
	paragraph(o, "Fires when", rule->text);
	paragraph(o, "Why", rule->why);
	paragraph(o, "Usual cause", rule->cause);
	paragraph(o, "What to do", rule->advice);
	thresholds(o, rule);
	silences(o, rule);
	if (examples[rule - lint_rules].message)
		example(o, &examples[rule - lint_rules]);
}

enum pl_exit pl_explain(struct pl_output *output, const struct pl_options *options,
			const char *file)
{
	bool set[LINT_RULE_COUNT] = { false }, any = false;
	unsigned int i;
	size_t len;

	(void)file;
	lint_select(set, options->explain, true, &len);
	for (i = 0; i < LINT_RULE_COUNT; i++) {
		if (!set[i])
			continue;
		pl_output_room(output);
		if (any)
			ibw_out_str(&output->out, "\n\n");
		any = true;
		explain(&output->out, &lint_rules[i]);
	}
	return PL_EXIT_CLEAN;
}

static void padded(struct ibw_out *o, const char *text, size_t width)
{
	size_t n = strlen(text);

	ibw_out_str(o, text);
	do
		ibw_out_char(o, ' ');
	while (++n < width);
}

enum pl_exit pl_list_rules(struct pl_output *output, const struct pl_options *options,
			   const char *file)
{
	struct ibw_out *o = &output->out;
	size_t names = 0;
	unsigned int i;

	(void)options;
	(void)file;
	for (i = 0; i < LINT_RULE_COUNT; i++)
		names = MAX(names, strlen(lint_rules[i].name) + 1);
	for (i = 0; i < LINT_RULE_COUNT; i++) {
		const struct lint_rule *rule = &lint_rules[i];

		pl_output_room(output);
		padded(o, rule->id, sizeof("CRC001"));
		padded(o, lint_severity_names[rule->severity], sizeof("warning"));
		padded(o, rule->name, names);
		ibw_out_str(o, rule->text);
		ibw_out_char(o, '\n');
	}
	return PL_EXIT_CLEAN;
}
