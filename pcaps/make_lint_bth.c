/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* make_lint_bth.c - the cases of group BTH. */
#include "make.h"

static void tver_1(struct mk_packet *p)
{
	mk_start(p, MK_ROCE_V2_IPV4, IBW_OP_RC_SEND_ONLY, 16);
	p->bth.tver = 1;
	mk_build(p);
}

static void tver_0_after_all_else(struct mk_packet *p)
{
	mk_start(p, MK_IB_LOCAL, IBW_OP_RC_SEND_ONLY, 15);
	p->bth.se = 1;
	mk_build(p);
}

static const struct mk_case cases[] = {
	{ "BTH001", MK_FIRES, tver_1, NULL, "TVer 1" },
	{ "BTH001", MK_MISSES, tver_0_after_all_else, NULL, "all of byte 1 set but TVer" },
	{ 0 },
};

const struct mk_group mk_lint_bth = { "bth", cases, NULL };
