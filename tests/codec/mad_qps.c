/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which packets are management datagrams: those of UD whose destination or source is QP0 or
 * QP1. Wireshark 4.4.18 says the same, packet-infiniband.c:2732; redirected requests, IBTA vol 1,
 * 13.4.8.1, go to other QPs from QP1, and their responses come back from them.
 */
#include "check.h"

#include <ibwire/ibwire.h>
#include <ibwire/mad_walk.h>

enum { IP_UDP = 28, HEADERS = IP_UDP + 12 + 8, LEN = HEADERS + 4 + IBW_MAD_BYTES + 4 };

static uint8_t frame[LEN];
static struct ibw_packet pkt;

/* RoCE v2: a MAD's bytes after BTH and DETH. */
static void put(uint8_t opcode, uint32_t dqpn, uint32_t sqpn)
{
	struct ibw_ipv4 ip = {
		.version = 4, .ihl = 5, .ttl = 64, .protocol = IBW_IP_PROTO_UDP, .total_len = LEN
	};
	struct ibw_udp udp = { .dport = IBW_UDP_PORT_ROCE, .length = LEN - 20 };
	struct ibw_bth bth = { .opcode = opcode, .dqpn = dqpn };
	struct ibw_deth deth = { .sqpn = sqpn };

	memset(frame, 0, sizeof(frame));
	ibw_ipv4_pack(ibw_ipv4_view_mut(frame, 20), &ip);
	ibw_udp_pack(ibw_udp_view_mut(frame + 20, 8), &udp);
	ibw_bth_pack(ibw_bth_view_mut(frame + IP_UDP, 12), &bth);
	ibw_deth_pack(ibw_deth_view_mut(frame + IP_UDP + 12, 8), &deth);
}

static void check_mad(uint8_t opcode, uint32_t dqpn, uint32_t sqpn, bool mad)
{
	check_case("opcode 0x%02x from QP 0x%06x to QP 0x%06x is %s", opcode, sqpn, dqpn,
		   mad ? "a MAD" : "no MAD");
	put(opcode, dqpn, sqpn);
	CHECK_EQ(ibw_packet_walk(&pkt, frame, LEN, LEN, IBW_LINKTYPE_RAW, NULL), IBW_OK);
	CHECK_EQ(ibw_packet_is_mad(&pkt), mad);
}

int main(void)
{
	static const uint32_t qpn[] = { 0, 1, 2, 0x17, 0x010000, 0x800001, 0xfffffe, 0xffffff };
	const size_t n = sizeof(qpn) / sizeof(qpn[0]);
	size_t d, s;

	for (d = 0; d < n; d++)
		for (s = 0; s < n; s++) {
			check_mad(0x64, qpn[d], qpn[s], qpn[d] <= 1 || qpn[s] <= 1);
			check_mad(0x65, qpn[d], qpn[s], qpn[d] <= 1 || qpn[s] <= 1);
			check_mad(0x04, qpn[d], qpn[s], false); /* RC: there is no source QP */
			check_mad(0x24, qpn[d], qpn[s], false);
		}
	return check_end();
}
