/* SPDX-License-Identifier: GPL-2.0-or-later */
/* grh.c - group GRH: the global route header. */
#include "rule.h"

void lint_grh(const struct lint_packet *p)
{
	(void)p;
}
