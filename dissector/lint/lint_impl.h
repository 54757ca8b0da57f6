/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lint_impl.h - the linter's own state: for lint.c and found.c. */
#ifndef IBWIRE_LINT_IMPL_H
#define IBWIRE_LINT_IMPL_H

#include "rule.h"

struct lint {
	struct lint_options options;
	struct lint_sink sink;
	uint64_t said[LINT_RULE_COUNT]; /* the last frame of each, selected or not */
					/* What the groups remember of the file. */
#define LINT_STATE(name) struct lint_##name##_state *name;
#include "groups.def"
};

#endif /* IBWIRE_LINT_IMPL_H */
