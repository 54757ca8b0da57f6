/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cng.c - group CNG: congestion notification. */
#include "rule.h"

void lint_cng(const struct lint_packet *p)
{
	(void)p;
}
