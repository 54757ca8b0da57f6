/* SPDX-License-Identifier: GPL-2.0-or-later */
/* crc.c - group CRC: ICRC and VCRC. */
#include "rule.h"

void lint_crc(const struct lint_packet *p)
{
	(void)p;
}
