/* SPDX-License-Identifier: GPL-2.0-or-later */
/* xth.c - group XTH: the extended transport headers. */
#include "rule.h"

void lint_xth(const struct lint_packet *p)
{
	(void)p;
}
