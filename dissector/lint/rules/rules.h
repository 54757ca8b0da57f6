/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rules.h - the rules by number: their names, levels and texts, and lists of them that a user writes. */
#ifndef IBWIRE_LINT_RULES_H
#define IBWIRE_LINT_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Worst first, so that a smaller value is a worse one. */
enum lint_severity { LINT_ERROR, LINT_WARNING, LINT_NOTE, LINT_PERF, LINT_SEVERITY_COUNT };

/* "error", "warning", "note", "perf" */
extern const char *const lint_severity_names[LINT_SEVERITY_COUNT];

/* How many rules are of that level; where there are none, no help speaks of it. */
enum {
	LINT_PERF_RULES = 0
#define LINT_RULE(id, name, severity, scope, layer, text, why, cause, advice)                      \
	+(LINT_##severity == LINT_PERF)
#include "rules.def"
#undef LINT_RULE
};

/* What a rule has to see before it can speak. */
enum lint_scope { LINT_PACKET, LINT_STREAM, LINT_FILE };

/* LINT_CAP001 ...: one for each line of rules.def. */
enum lint_rule_id {
#define LINT_RULE(id, name, severity, scope, layer, text, why, cause, advice) LINT_##id,
#include "rules.def"
	LINT_RULE_COUNT
};

struct lint_rule {
	const char *id;     /* "BTH006" */
	const char *name;   /* "bth-pkey-invalid" */
	uint8_t severity;   /* enum lint_severity */
	uint8_t scope;      /* enum lint_scope */
	const char *layer;  /* "bth"; "file" for rules about the capture itself */
	const char *text;   /* one line: when it fires */
	const char *why;    /* why that is wrong, and who says so */
	const char *cause;  /* the usual cause */
	const char *advice; /* what to do */
};

extern const struct lint_rule lint_rules[LINT_RULE_COUNT];

/* The rule with this id or name (case does not matter), LINT_RULE_COUNT if there is none. */
enum lint_rule_id lint_rule_find(const char *id_or_name);

/*
 * Switches rules on or off by a list of ids, names and group prefixes separated
 * by commas ("CMS,CRC001,icrc-bad", "all"). @set has LINT_RULE_COUNT entries. Returns NULL, or
 * the first word of the list that names nothing (it points into @list; its
 * length goes to *@len).
 */
const char *lint_select(bool *set, const char *list, bool on, size_t *len);

/* The rules that are on unless something else is said: all but those of level perf. */
void lint_select_default(bool *set);

/* How severe a finding of @rule is: one step less than the rule where there is @doubt, but no
 * fault becomes advice. */
enum lint_severity lint_severity_of(enum lint_rule_id rule, uint16_t doubt);

#endif /* IBWIRE_LINT_RULES_H */
