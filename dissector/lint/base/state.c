/* SPDX-License-Identifier: GPL-2.0-or-later */
/* state.c - what rules ask of the linter: which of them are on, its options, and what their group remembers. */
#include "lint_impl.h"

bool lint_on(const struct lint *l, enum lint_rule_id rule)
{
	return l->options.rules[rule];
}

const struct lint_options *lint_options_of(const struct lint *l)
{
	return &l->options;
}

#define LINT_STATE(name)                                                                           \
	struct lint_##name##_state *lint_##name##_of(const struct lint *l)                         \
	{                                                                                          \
		return l->name;                                                                    \
	}
#include "groups.def"
