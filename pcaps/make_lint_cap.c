/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* make_lint_cap.c - the cases of group CAP. */
#include "make.h"

static const struct mk_case cases[] = {
	{ 0 },
};

const struct mk_group mk_lint_cap = { "cap", cases, NULL };
