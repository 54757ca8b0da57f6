/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * route.c - a global route to GRH, IPv6 and IPv4: each traffic class, hop limit and bit of a flow
 * label at the places RFC 791, RFC 8200 and IBTA vol 1, 8.3 have for it; what rdma_rxe sent for
 * traffic class 106; what has no route; and back from what was built.
 */
#include "check.h"
#include "pcap_file.h"

#include <ibwire/ibwire.h>
#include <ibwire/packet.h>
#include <ibwire/route.h>

#define V4(a, b, c, d)                                                                             \
	{                                                                                          \
		0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, a, b, c, d                               \
	}

static const uint8_t v4_a[16] = V4(10, 1, 2, 3), v4_b[16] = V4(192, 168, 254, 9);
static const uint8_t v6_a[16] = { 0x20, 1, 0xd, 0xb8, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 };
static const uint8_t v6_b[16] = { 0xfe, 0x80, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8 };

static uint8_t wire[200];

/* Builds a packet with a route, over whatever @b held; the route header is at the place returned. */
static const uint8_t *built(uint8_t kind, const uint8_t *sgid, const uint8_t *dgid, uint32_t tclass,
			    uint32_t flow, uint32_t hops)
{
	struct ibw_build b;

	memset(&b, 0, sizeof(b));
	memset(&b.grh, 0xa5, sizeof(b.grh));
	memset(&b.ipv4, 0xa5, sizeof(b.ipv4));
	memset(&b.ipv6, 0xa5, sizeof(b.ipv6));
	memset(&b.udp, 0xa5, sizeof(b.udp));
	b.kind = kind;
	b.has_eth = false;
	b.n_vlans = 0;
	b.has_ipoib = false;
	b.payload_len = 0;
	b.bth.opcode = IBW_OP_UD_SEND_ONLY;
	b.bth.dqpn = 2;
	memset(wire, 0, sizeof(wire));
	if (!CHECK(ibw_build_route(&b, sgid, dgid, (uint8_t)tclass, flow, (uint8_t)hops)))
		return wire;
	CHECK(ibw_build_headers(wire, sizeof(wire), &b));
	return wire + (kind == IBW_ICRC_IB_GLOBAL ? 8 : 0);
}

static void check_route(const struct ibw_route *r, const uint8_t *sgid, const uint8_t *dgid,
			uint32_t tclass, uint32_t flow, uint32_t hops)
{
	CHECK_EQ(r->traffic_class, tclass);
	CHECK_EQ(r->flow_label, flow);
	CHECK_EQ(r->hop_limit, hops);
	CHECK_MEM(r->sgid, sgid, 16);
	CHECK_MEM(r->dgid, dgid, 16);
}

/* 6:4, traffic class:8, flow label:20; length:16, next:8, hop limit:8; two addresses */
static void test_six(uint8_t kind, uint32_t tclass, uint32_t flow, uint32_t hops)
{
	const uint8_t *p = built(kind, v6_a, v6_b, tclass, flow, hops);
	struct ibw_route r;

	check_case("kind %u, class %u, flow 0x%05x", kind, tclass, flow);
	CHECK_EQ((uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3],
		 6u << 28 | tclass << 20 | flow);
	CHECK_EQ(p[7], hops);
	CHECK_MEM(p + 8, v6_a, 16);
	CHECK_MEM(p + 24, v6_b, 16);
	if (kind == IBW_ICRC_ROCE_V2_IPV6)
		ibw_route_of_ipv6(&r, (const struct ibw_ipv6_wire *)p);
	else
		ibw_route_of_grh(&r, (const struct ibw_grh_wire *)p);
	check_route(&r, v6_a, v6_b, tclass, flow, hops);
}

/* Byte 1 TOS, 4-5 identification, 6-7 flags and fragment, 8 TTL, 12 and 16 addresses; UDP ports */
static void test_four(uint32_t tclass, uint32_t flow, uint32_t hops)
{
	const uint8_t *p = built(IBW_ICRC_ROCE_V2_IPV4, v4_a, v4_b, tclass, flow, hops);
	uint32_t port = (flow & 0x3fff) ^ (flow >> 14);
	struct ibw_route r;

	check_case("IPv4, class %u, flow 0x%05x", tclass, flow);
	CHECK_EQ(p[0], 0x45);
	CHECK_EQ(p[1], tclass);
	CHECK_EQ(p[4] | p[5] | p[7], 0);
	CHECK_EQ(p[6], 0x40);
	CHECK_EQ(p[8], hops);
	CHECK_MEM(p + 12, v4_a + 12, 4);
	CHECK_MEM(p + 16, v4_b + 12, 4);
	CHECK_EQ(p[20] << 8 | p[21], port | 0xc000);
	CHECK_EQ(p[22] << 8 | p[23], 4791);
	ibw_route_of_ipv4(&r, (const struct ibw_ipv4_wire *)p);
	check_route(&r, v4_a, v4_b, tclass, 0, hops);
}

static void test_places(void)
{
	static const uint8_t six[] = { IBW_ICRC_IB_GLOBAL, IBW_ICRC_ROCE_V1,
				       IBW_ICRC_ROCE_V2_IPV6 };
	uint32_t i, k;

	for (i = 0; i < 256; i++) {
		for (k = 0; k < sizeof(six); k++)
			test_six(six[k], i, 0xfffff & ~(i * 0x1357u), 255 - i);
		test_four(i, 0xfffff & (i * 0x1357u), 255 - i);
	}
	for (i = 0; i < 20; i++) {
		for (k = 0; k < sizeof(six); k++)
			test_six(six[k], 0, 1u << i, 1);
		test_four(0, 1u << i, 1);
	}
}

static void refused(uint8_t kind, const uint8_t *sgid, const uint8_t *dgid, uint32_t flow)
{
	struct ibw_build b, before;

	memset(&b, 0xa5, sizeof(b));
	b.kind = kind;
	before = b;
	CHECK(!ibw_build_route(&b, sgid, dgid, 1, flow, 1));
	CHECK_MEM(&b, &before, sizeof(b));
}

static void test_refusals(void)
{
	check_case("refused");
	CHECK_EQ(ibw_route_kind(v4_a, v4_b), IBW_ICRC_ROCE_V2_IPV4);
	CHECK_EQ(ibw_route_kind(v6_a, v6_b), IBW_ICRC_ROCE_V2_IPV6);
	CHECK_EQ(ibw_route_kind(v4_a, v6_b), IBW_ICRC_NONE);
	CHECK_EQ(ibw_route_kind(v6_a, v4_b), IBW_ICRC_NONE);
	refused(IBW_ICRC_ROCE_V2_IPV4, v6_a, v6_b, 0);
	refused(IBW_ICRC_ROCE_V2_IPV4, v4_a, v6_b, 0);
	refused(IBW_ICRC_ROCE_V2_IPV6, v4_a, v4_b, 0);
	refused(IBW_ICRC_ROCE_V2_IPV6, v6_a, v4_b, 0);
	refused(IBW_ICRC_IB_LOCAL, v6_a, v6_b, 0);
	refused(IBW_ICRC_NONE, v4_a, v6_b, 0);
	refused(IBW_ICRC_KINDS, v4_a, v4_b, 0);
	refused(IBW_ICRC_IB_GLOBAL, v6_a, v6_b, 0x100000);
	refused(IBW_ICRC_ROCE_V2_IPV4, v4_a, v4_b, 0xffffffff);
}

/* rdma_rxe was asked for traffic class 106 there, of which the ECN bits are 2. */
static void test_rxe(void)
{
	struct ibw_packet pkt;
	struct ibw_route r;
	struct pcap_file f;
	unsigned int seen = 0;

	pcap_file_open(&f, "pcaps", "rxe/14-tclass-106.pcap");
	while (pcap_file_next(&f)) {
		ibw_packet_walk(&pkt, f.frame, f.caplen, f.len, f.linktype, NULL);
		if (pkt.bth == IBW_NO_SPAN || pkt.net == IBW_NO_SPAN || f.frame[15] != 106)
			continue;
		check_case("rxe/14-tclass-106.pcap:%u", f.number);
		ibw_route_of_ipv4(&r, (const struct ibw_ipv4_wire *)(f.frame + 14));
		built(IBW_ICRC_ROCE_V2_IPV4, r.sgid, r.dgid, 106, 0, r.hop_limit);
		CHECK_EQ(wire[1], f.frame[15]);
		CHECK_EQ(wire[8], f.frame[22]);
		CHECK_MEM(wire + 12, f.frame + 26, 8);
		seen++;
	}
	pcap_file_close(&f);
	CHECK(seen > 10);
}

int main(void)
{
	test_places();
	test_refusals();
	test_rxe();
	return check_end();
}
