/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * build_cost.c - headers built once, for build_cost.py, which counts the instructions of cost(). It is
 * compiled once each with COST_UD, COST_RC_ACK and COST_PLANTED, since a driver has one call in a file.
 * What is built is known at run time only.
 */
#include <stdio.h>

#include <ibwire/build.h>

static uint8_t buf[128];
static struct ibw_build b;

#ifdef COST_UD
/* The arguments of ib_ud_header_init() for RoCE v2 over IPv4, where no compiler looks for them. */
static volatile struct {
	uint32_t payload;
	int ip_version;
	bool lrh, eth, vlan, grh, udp, immediate;
} ud = { 256, 4, false, true, false, true, true, false };
#define COST_BYTES (14 + 28 + 20)

/* What a driver of the kernel does for a packet of QP1, which has to be set: a QP0 is refused here. */
__attribute__((noinline)) size_t cost(void)
{
	if (ibw_ud_header_init(ud.payload, ud.lrh, ud.eth, ud.vlan, ud.grh, ud.ip_version, ud.udp,
			       ud.immediate, &b))
		return 0;
	b.bth.dqpn = IBW_QPN_GSI;
	__asm__ volatile("" : : : "memory");
	return ibw_build_headers(buf, sizeof(buf), &b);
}
#else
#define COST_BYTES (14 + 28 + 16)

__attribute__((noinline)) size_t cost(void)
{
#ifdef COST_PLANTED
	unsigned int i;

	for (i = 0; i < 100; i++)
		__asm__ volatile("" : : : "memory");
#endif
	return ibw_build_headers(buf, sizeof(buf), &b);
}
#endif

int main(void)
{
	size_t n;

	b.kind = IBW_ICRC_ROCE_V2_IPV4;
	b.has_eth = true;
	ibw_build_defaults(&b);
	b.bth.opcode = IBW_OP_RC_ACKNOWLEDGE;
	b.bth.dqpn = 0x17;
	b.bth.psn = 0x123456;
	b.ipv4.dscp = 26;
	n = cost();
	printf("%zu bytes\n", n);
	return n == COST_BYTES ? 0 : 1;
}
