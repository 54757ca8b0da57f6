/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lrh.c - group LRH: the local route header. */
#include "rule.h"

void lint_lrh(const struct lint_packet *p)
{
	(void)p;
}
