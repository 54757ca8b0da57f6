/* SPDX-License-Identifier: GPL-2.0-or-later */
/* roc.c - group ROC: RoCE addressing and encapsulation. */
#include "rule.h"

void lint_roc(const struct lint_packet *p)
{
	(void)p;
}
