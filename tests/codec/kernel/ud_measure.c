// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * ud_measure.c - what a UD header costs, by the time stamp counter.
 *
 * Meant for an emulator that counts instructions (QEMU -icount shift=0: one instruction a
 * nanosecond of guest time), where the counter is exact; elsewhere the figures are cycles.
 */
#include "ud.h"

#include <asm/tsc.h>
#include <linux/math64.h>

/* init and pack, which together compute the lengths and write the header. */
static u64 cost_theirs(struct ib_ud_header *h, struct ud_case c, unsigned int count)
{
	u8 buf[UD_ROOM] = { 0 };
	u64 start = rdtsc();

	while (count--) {
		ud_init_theirs(c, h);
		h->bth.destination_qpn = cpu_to_be32(IBW_QPN_GSI);
		ib_ud_header_pack(h, buf);
		barrier_data(buf);
	}
	return rdtsc() - start;
}

/* 0: some were refused, which costs less. */
static u64 cost_ours(struct ibw_build *b, struct ud_case c, unsigned int count)
{
	u8 buf[UD_ROOM];
	u64 start = rdtsc();
	bool refused = false;

	while (count--) {
		ud_init_ours(c, b);
		b->bth.dqpn = IBW_QPN_GSI;
		barrier_data(b);
		refused |= !ibw_build_headers(buf, sizeof(buf), b);
		barrier_data(buf);
	}
	return refused ? 0 : rdtsc() - start;
}

static u64 cost_nothing(unsigned int count)
{
	u8 buf[UD_ROOM];
	u64 start = rdtsc();

	while (count--)
		barrier_data(buf);
	return rdtsc() - start;
}

void ud_measure(unsigned int count)
{
	static struct ib_ud_header header;
	static struct ibw_build b;
	unsigned int f;
	u64 none;

	none = cost_nothing(count);
	for (f = 0; f < UD_FRAMINGS; f++) {
		struct ud_case c = { f, 256, false };
		u64 theirs, ours;

		theirs = cost_theirs(&header, c, count) - none;
		ours = cost_ours(&b, c, count);
		if (!ours) {
			pr_err("cost of a header, %s: refused\n", ud_framing_names[f]);
			continue;
		}
		ours -= none;
		pr_info("cost of a header, %s: %llu by ib_ud_header_init and _pack, %llu by ours\n",
			ud_framing_names[f], div_u64(theirs, count), div_u64(ours, count));
	}
}
