// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* site_measure.c - what a datagram costs at each site, counted as in ud_measure.c. */
#include "site_cases.h"

#include <asm/tsc.h>
#include <linux/math64.h>

static u8 wqe[256] __aligned(64);
static struct site_bnxt_re bnxt_re;
static struct site_qedr qedr;
static struct ib_ud_header header;
static struct site_case datagram;

static void mlx4_theirs(void)
{
	site_mlx4_pack(wqe + 16, &datagram.site, &header);
}

static void mlx4_ours(void)
{
	site_mlx4(wqe + 16, &datagram.site);
}

static void mlx4_extern(void)
{
	site_mlx4_extern(wqe + 16, &datagram.site);
}

static void bnxt_re_theirs(void)
{
	site_bnxt_re_pack(&bnxt_re, &datagram.site, &header);
}

static void bnxt_re_ours(void)
{
	site_bnxt_re(&bnxt_re, &datagram.site);
}

static void bnxt_re_extern(void)
{
	site_bnxt_re_extern(&bnxt_re, &datagram.site);
}

static void qedr_theirs(void)
{
	site_qedr_pack(&qedr, &datagram.site);
}

static void qedr_ours(void)
{
	site_qedr(&qedr, &datagram.site);
}

static void qedr_extern(void)
{
	site_qedr_extern(&qedr, &datagram.site);
}

static u64 cost(void (*send)(void), unsigned int count)
{
	unsigned int i;
	u64 start;

	send(); /* once, so that all of it is there */
	start = rdtsc();
	for (i = 0; i < count; i++)
		send();
	return div_u64(rdtsc() - start, count);
}

static void measure(const char *name, unsigned int count, enum ud_framing first,
		    void (*theirs)(void), void (*ours)(void), void (*out_of_line)(void))
{
	struct rnd_state rnd;
	unsigned int f;

	prandom_seed_state(&rnd, 0x1b32);
	for (f = first; f < UD_FRAMINGS; f++) {
		site_fill(&datagram, &rnd, f, false);
		pr_info("site %s, %s: %llu by ib_ud_header_init and _pack, %llu by ours out of line, %llu by ours\n",
			name, ud_framing_names[f], cost(theirs, count), cost(out_of_line, count),
			cost(ours, count));
	}
}

void site_measure(unsigned int count)
{
	measure("mlx4", count, UD_IB, mlx4_theirs, mlx4_ours, mlx4_extern);
	measure("bnxt_re", count, UD_V1, bnxt_re_theirs, bnxt_re_ours, bnxt_re_extern);
	measure("qedr", count, UD_V1, qedr_theirs, qedr_ours, qedr_extern);
}
