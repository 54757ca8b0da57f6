/* SPDX-License-Identifier: GPL-2.0-or-later */
/* explain.h - the rules in words: --explain and --list-rules. */
#ifndef PL_EXPLAIN_H
#define PL_EXPLAIN_H

#include "options.h"
#include "output.h"

/* What options->explain names, which is known to name something. */
void pl_explain(struct pl_output *output, const struct pl_options *options);

void pl_list_rules(struct pl_output *output);

#endif /* PL_EXPLAIN_H */
