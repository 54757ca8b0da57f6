/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* site_cases.h - a random datagram, and all it points to. */
#ifndef TESTS_KERNEL_SITE_CASES_H
#define TESTS_KERNEL_SITE_CASES_H

#include "site.h"

struct site_case {
	struct ud_case ud;
	struct site site;
	struct rdma_ah_attr ah;
	struct ib_gid_attr sgid_attr;
	struct ib_ud_wr wr;
	struct ib_sge sge[SITE_SGES];
};

/* All that the sites do not need has ones. */
void site_fill(struct site_case *c, struct rnd_state *rnd, enum ud_framing framing, bool imm);

#endif /* TESTS_KERNEL_SITE_CASES_H */
