/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rules.c - the table of rules, their names, and which are enabled. */
#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "rules.h"

const char *const lint_severity_names[LINT_SEVERITY_COUNT] = { "error", "warning", "note", "perf" };

const struct lint_rule lint_rules[LINT_RULE_COUNT] = {
#define LINT_RULE(id, name, severity, scope, layer, text, why, cause, advice)                      \
	[LINT_##id] = { #id, name, LINT_##severity, LINT_##scope, layer, text, why, cause, advice },
#include "rules.def"
};

enum lint_severity lint_severity_of(enum lint_rule_id rule, uint16_t doubt)
{
	unsigned int severity = lint_rules[rule].severity;

	return (enum lint_severity)(severity + (doubt && severity < LINT_NOTE));
}

enum lint_rule_id lint_rule_find(const char *id_or_name)
{
	unsigned int i;

	for (i = 0; i < LINT_RULE_COUNT; i++)
		if (!strcasecmp(lint_rules[i].id, id_or_name) ||
		    !strcasecmp(lint_rules[i].name, id_or_name))
			break;
	return (enum lint_rule_id)i;
}

/* Whether the @len characters at @word mean this rule: its id, its name, its group, "all". */
static bool rule_named(const struct lint_rule *rule, const char *word, size_t len)
{
	size_t group = strcspn(rule->id, "0123456789");

	return (len == strlen(rule->id) && !strncasecmp(rule->id, word, len)) ||
	       (len == strlen(rule->name) && !strncasecmp(rule->name, word, len)) ||
	       (len == group && !strncasecmp(rule->id, word, len)) ||
	       (len == 3 && !strncasecmp("all", word, len));
}

const char *lint_select(bool *set, const char *list, bool on, size_t *len)
{
	const char *word = list;
	unsigned int i;
	bool any;

	while (*word) {
		*len = strcspn(word, ", ");
		any = *len == 0;
		for (i = 0; *len && i < LINT_RULE_COUNT; i++)
			if (rule_named(&lint_rules[i], word, *len)) {
				set[i] = on;
				any = true;
			}
		if (!any)
			return word;
		word += *len;
		word += strspn(word, ", ");
	}
	return NULL;
}

void lint_select_default(bool *set)
{
	unsigned int i;

	for (i = 0; i < LINT_RULE_COUNT; i++)
		set[i] = lint_rules[i].severity != LINT_PERF;
}
