// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * ud_lengths.c - where ib_ud_header_init() is known to be wrong.
 *
 * It leaves immediate data out of every length, and the pad out of the lengths of IPv4 and UDP.
 * With the length of IPv4 its checksum is wrong, too.
 */
#include "ud.h"

bool ud_kernel_is_right(struct ud_case c)
{
	return !c.imm && (c.payload % 4 == 0 || c.framing < UD_V2_IPV4);
}

void ud_without_lengths(u8 *p, const struct ibw_build *b)
{
	p += ibw_build_link_bytes(b);
	if (ibw_build_is_ib(b)) {
		ibw_lrh_set_pktlen((struct ibw_lrh_wire *)p, 0);
		p += ibw_lrh_BYTES;
	}
	if (b->kind == IBW_ICRC_IB_GLOBAL || b->kind == IBW_ICRC_ROCE_V1)
		ibw_grh_set_paylen((struct ibw_grh_wire *)p, 0);
	if (b->kind == IBW_ICRC_ROCE_V2_IPV4) {
		ibw_ipv4_set_total_len((struct ibw_ipv4_wire *)p, 0);
		ibw_ipv4_set_checksum((struct ibw_ipv4_wire *)p, 0);
		ibw_udp_set_length((struct ibw_udp_wire *)(p + ibw_ipv4_BYTES), 0);
	}
	if (b->kind == IBW_ICRC_ROCE_V2_IPV6) {
		ibw_ipv6_set_paylen((struct ibw_ipv6_wire *)p, 0);
		ibw_udp_set_length((struct ibw_udp_wire *)(p + ibw_ipv6_BYTES), 0);
	}
}
