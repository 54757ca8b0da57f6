/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cap.c - group CAP: the capture file and its framing. */
#include "rule.h"

void lint_cap(const struct lint_packet *p)
{
	(void)p;
}

void *lint_cap_new(void)
{
	return NULL;
}

void lint_cap_finish(struct lint *l, void *state)
{
	(void)l;
	(void)state;
}

void lint_cap_free(void *state)
{
	(void)state;
}
