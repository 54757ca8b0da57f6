/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* packet_net.c - the headers of a packet by their names, and the view of its network header. */
#include "check.h"

#include <ibwire/ibwire.h>
#include <ibwire/net.h>

/* Written by hand from RFC 791, RFC 8200 and IBTA vol 1, 8.3, each field with a value of its own. */
#define MACS "\2\0\0\0\0\2\2\0\0\0\0\1"
#define V4 "\x45\x6b\0\x2c\0\0\x40\0\x3f\x11\0\0\x0a\1\2\3\x0a\4\5\6"
#define GIDS                                                                                       \
	"\xfe\x80\0\0\0\0\0\0\1\2\3\4\5\6\7\x08\xfd\0\0\0\0\0\0\0\x11\x12\x13\x14\x15\x16\x17\x18"
#define V6(paylen, next) "\x66\xba\xbc\xde" paylen next "\x21" GIDS
#define HOP_BY_HOP "\x2b\0\1\4\0\0\0\0"
#define ROUTING "\x11\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
#define UDP "\xc0\0\x12\xb7\0\x18\0\0"
#define SEND                                                                                       \
	"\4\0\xff\xff\0\0\0\7\0\0\0\1"                                                             \
	"ICRC"
#define UD_SEND                                                                                    \
	"\x64\0\xff\xff\0\0\0\7\0\0\0\1\x11\x11\x11\x11\0\0\0\x09"                                 \
	"ICRC"
#define FRAME(bytes) (const uint8_t *)(bytes), sizeof(bytes) - 1

static struct ibw_packet pkt;

static void walk(const uint8_t *p, size_t n, uint32_t linktype)
{
	CHECK_EQ(ibw_packet_walk(&pkt, p, (uint32_t)n, (uint32_t)n, linktype, NULL), IBW_OK);
}

/* A view of @layer whose addresses are at @src and @dst. */
static void is(uint16_t layer, uint8_t tclass, uint8_t hop_limit, uint8_t next, uint32_t flow_label,
	       uint32_t off, uint32_t end, uint32_t payload_len, uint32_t src, uint32_t dst)
{
	struct ibw_net net;

	if (!CHECK(ibw_packet_net(&pkt, &net)))
		return;
	CHECK_EQ(net.layer, layer);
	CHECK_EQ(net.addr_bytes, layer == IBW_LAYER_ipv4 ? 4 : 16);
	CHECK_EQ(net.tclass, tclass);
	CHECK_EQ(ibw_net_dscp(&net), tclass / 4);
	CHECK_EQ(ibw_net_ecn(&net), tclass % 4);
	CHECK_EQ(net.hop_limit, hop_limit);
	CHECK_EQ(net.next, next);
	CHECK_EQ(net.flow_label, flow_label);
	CHECK_EQ(net.off, off);
	CHECK_EQ(net.end, end);
	CHECK_EQ(net.payload_len, payload_len);
	CHECK_EQ(net.src - pkt.data, src);
	CHECK_EQ(net.dst - pkt.data, dst);
}

static void test_ipv4(void)
{
	walk(FRAME(MACS "\x08\0" V4 UDP SEND), IBW_LINKTYPE_ETHERNET);
	is(IBW_LAYER_ipv4, 0x6b, 63, 17, 0, 14, 34, 24, 26, 30);
	CHECK_EQ(ibw_eth_type(IBW_KNOWN(&pkt, eth)), 0x0800);
	CHECK_EQ(ibw_ipv4_src(IBW_KNOWN(&pkt, ipv4)), 0x0a010203);
	CHECK_EQ(ibw_udp_dport(IBW_KNOWN(&pkt, udp)), 4791);
	CHECK_EQ(ibw_bth_dqpn(IBW_KNOWN(&pkt, bth)), 7);
	CHECK(IBW_AT(&pkt, eth) == IBW_KNOWN(&pkt, eth));
	CHECK(IBW_AT(&pkt, ipv4) == IBW_KNOWN(&pkt, ipv4));
	CHECK(IBW_AT(&pkt, udp) == IBW_KNOWN(&pkt, udp));
	CHECK(IBW_AT(&pkt, bth) == IBW_KNOWN(&pkt, bth));
	CHECK(!IBW_AT(&pkt, ipv6));
	CHECK(!IBW_AT(&pkt, grh));
	CHECK(!IBW_AT(&pkt, lrh));
	CHECK(!IBW_AT(&pkt, vlan));
	CHECK(!IBW_AT(&pkt, deth));
}

/* What follows is in the last extension header. */
static void test_ipv6(void)
{
	walk(FRAME(V6("\0\x18", "\x11") UDP SEND), IBW_LINKTYPE_RAW);
	is(IBW_LAYER_ipv6, 0x6b, 33, 17, 0xabcde, 0, 40, 24, 8, 24);
	CHECK(IBW_AT(&pkt, ipv6) && !IBW_AT(&pkt, ipv4) && !IBW_AT(&pkt, eth));
	walk(FRAME(V6("\0\x30", "\0") HOP_BY_HOP ROUTING UDP SEND), IBW_LINKTYPE_RAW);
	is(IBW_LAYER_ipv6, 0x6b, 33, 17, 0xabcde, 0, 64, 24, 8, 24);
	CHECK_EQ(ibw_bth_dqpn(IBW_KNOWN(&pkt, bth)), 7);
}

static void test_grh(void)
{
	walk(FRAME(MACS "\x89\x15" V6("\0\x18", "\x1b") UD_SEND), IBW_LINKTYPE_ETHERNET);
	is(IBW_LAYER_grh, 0x6b, 33, 0x1b, 0xabcde, 14, 54, 24, 22, 38);
	CHECK_EQ(ibw_grh_paylen(IBW_KNOWN(&pkt, grh)), 24);
	if (CHECK(IBW_AT(&pkt, deth)))
		CHECK_EQ(ibw_deth_sqpn(IBW_AT(&pkt, deth)), 9);
	CHECK_EQ(ibw_packet_eth(&pkt, IBW_ETH_DETH), pkt.bth + 1);
	CHECK_EQ(ibw_packet_eth(&pkt, IBW_ETH_RETH), IBW_NO_SPAN);
	CHECK(!IBW_AT(&pkt, reth));
}

static void test_none(void)
{
	struct ibw_net net;

	walk(FRAME("\0\2\0\1\0\6\0\2" SEND), IBW_LINKTYPE_INFINIBAND);
	CHECK(!ibw_packet_net(&pkt, &net));
	CHECK_EQ(ibw_lrh_dlid(IBW_KNOWN(&pkt, lrh)), 1);
}

/* TCP: with its options where they are all there; nothing of it is RDMA, whatever is wrong with it. */
static void test_tcp(void)
{
	static uint8_t frame[] =
		"\x45\0\0\x2c\0\0\x40\0\x3f\x06\0\0\x0a\1\2\3\x0a\4\5\6"   /* RFC 791 */
		"\x48\x53\xa2\x43\0\0\0\1\0\0\0\2\x60\x12\xfe\x88\0\0\0\0" /* RFC 9293 */
		"\2\4\5\xb4MPA ID Re";
	uint32_t n;

	for (n = 36; n < sizeof(frame); n++) {
		check_case("%u bytes captured", n);
		CHECK_EQ(ibw_packet_walk(&pkt, frame, n, 44, IBW_LINKTYPE_RAW, NULL), IBW_OTHER);
		CHECK_EQ(IBW_AT(&pkt, tcp) != NULL, n >= 44);
	}
	check_case("%s", "");
	CHECK_EQ(pkt.span[1].off, 20);
	CHECK_EQ(pkt.span[1].len, 24);
	if (CHECK(IBW_AT(&pkt, tcp)))
		CHECK_EQ(ibw_tcp_sport(IBW_AT(&pkt, tcp)), 0x4853);
	frame[32] = 0x40; /* a header of 16 bytes */
	CHECK_EQ(ibw_packet_walk(&pkt, frame, 44, 44, IBW_LINKTYPE_RAW, NULL), IBW_OTHER);
	CHECK(!IBW_AT(&pkt, tcp));
}

/* Every extension header of every opcode, by its name and by its place. */
static void test_extensions(void)
{
	static uint8_t frame[256] = "\0\2\0\1\0\0\0\2";
	unsigned int opcode, i;

	for (opcode = 0; opcode < 256; opcode++) {
		uint32_t bytes = ibw_opcodes[opcode].eths_bytes;

		if (!ibw_opcodes[opcode].text)
			continue;
		check_case("%s", ibw_opcodes[opcode].text);
		frame[5] = (uint8_t)((24 + bytes) / 4);
		frame[8] = (uint8_t)opcode;
		walk(frame, 24 + bytes, IBW_LINKTYPE_INFINIBAND);
		i = pkt.bth;
		if (!CHECK(i < IBW_SPANS_MAX / 2))
			continue;
#define IS(ETH, hdr)                                                                               \
	if (ibw_opcodes[opcode].eths & IBW_ETH_##ETH) {                                            \
		i++;                                                                               \
		CHECK(IBW_AT(&pkt, hdr) == (const void *)(frame + pkt.span[i].off));               \
		CHECK_EQ(pkt.span[i].layer, IBW_LAYER_##hdr);                                      \
	} else {                                                                                   \
		CHECK(!IBW_AT(&pkt, hdr));                                                         \
	}
		CHECK(!IBW_AT(&pkt, dceth) && !IBW_AT(&pkt, dcceth));
		IS(RDETH, rdeth)
		IS(DETH, deth)
		IS(XRCETH, xrceth)
		IS(FETH, feth)
		IS(RETH, reth)
		IS(ATOMICETH, atomiceth)
		IS(AETH, aeth)
		IS(ATOMICACKETH, atomicacketh)
		IS(IMMDT, immdt)
		IS(IETH, ieth)
		IS(ATOMICWRITE, atomicwrite)
		IS(CNP, cnp)
		CHECK_EQ(i + 1u, pkt.n_spans);
	}
	check_case("%s", "");
}

/* An LRH, a BTH of @opcode with byte 1 as @byte1, @n bytes that begin with @first and end in the ICRC. */
static void walk_rd(uint8_t opcode, uint8_t byte1, uint8_t first, uint32_t n)
{
	static uint8_t frame[256] = { 0, 2, 0, 2, 0, 0, 0, 3 };

	frame[5] = (uint8_t)((20 + n) / 4);
	frame[8] = opcode;
	frame[9] = byte1;
	frame[20] = first;
	ibw_packet_walk(&pkt, frame, 22 + n, 22 + n, IBW_LINKTYPE_INFINIBAND, NULL);
}

/* What walk_rd() has found: the layers after the BTH, and how much payload after them. */
static void check_dc(enum ibw_layer first, enum ibw_layer second, uint32_t payload)
{
	CHECK_EQ(pkt.outcome, IBW_OK);
	CHECK_EQ(pkt.n_spans, pkt.bth + (second == IBW_LAYER_COUNT ? 2 : 3));
	CHECK_EQ(pkt.span[pkt.bth + 1].layer, first);
	if (second != IBW_LAYER_COUNT)
		CHECK_EQ(pkt.span[pkt.bth + 2].layer, second);
	CHECK_EQ(pkt.payload_len, payload);
	CHECK_EQ((pkt.flags & IBW_PKT_DC) != 0, first == IBW_LAYER_dceth);
}

/* DC has the opcodes of RD up to RESYNC, and a byte that RD sends as 0: 20 bytes, then RETH ... */
static void test_dc(void)
{
	check_case("DC");
	walk_rd(IBW_OP_RD_RDMA_WRITE_ONLY, 0, 0x11, 20 + 16 + 8 + 4);
	check_dc(IBW_LAYER_dceth, IBW_LAYER_reth, 8);
	CHECK_STR(ibw_packet_opcode_text(&pkt), "DC RDMA WRITE Only");
	walk_rd(IBW_OP_RD_ACKNOWLEDGE, 0, 0x10, 20 + 4 + 4);
	check_dc(IBW_LAYER_dceth, IBW_LAYER_aeth, 0);
	walk_rd(IBW_OP_RD_SEND_MIDDLE, 0, 0x01, 20 + 4);
	check_dc(IBW_LAYER_dceth, IBW_LAYER_COUNT, 0);
	check_case("DC Connect");
	walk_rd(IBW_OP_RD_RESYNC, 0x40, 0x11, 20 + 16 + 4);
	check_dc(IBW_LAYER_dceth, IBW_LAYER_dcceth, 0);
	CHECK_STR(ibw_packet_opcode_text(&pkt), "DC Connect");
	check_case("DC, as long as a Connect, with SE");
	walk_rd(IBW_OP_RD_RESYNC, 0xc0, 0x11, 20 + 16 + 4);
	check_dc(IBW_LAYER_dceth, IBW_LAYER_COUNT, 16);
	CHECK_STR(ibw_packet_opcode_text(&pkt), "DC opcode 0x55, no Connect");
	check_case("DC, too short");
	walk_rd(IBW_OP_RD_RDMA_WRITE_ONLY, 0, 0x11, 4 + 8 + 16 + 4);
	CHECK_EQ(pkt.outcome, IBW_MALFORMED);
	CHECK_EQ(pkt.error.layer, IBW_LAYER_reth);
	CHECK_EQ(pkt.error.had, 12);
	check_case("RD");
	walk_rd(IBW_OP_RD_RDMA_WRITE_ONLY, 0, 0, 4 + 8 + 16 + 4);
	CHECK_EQ(pkt.n_spans, pkt.bth + 4);
	CHECK_EQ(pkt.span[pkt.bth + 1].layer, IBW_LAYER_rdeth);
	CHECK_STR(ibw_packet_opcode_text(&pkt), "RD RDMA WRITE Only");
	check_case("RD, an opcode other than DC has, and UD");
	walk_rd(IBW_OP_RD_FLUSH, 0, 0x11, 4 + 4 + 16 + 4);
	CHECK_EQ(pkt.flags & IBW_PKT_DC, 0);
	walk_rd(IBW_OP_UD_SEND_ONLY, 0, 0x11, 8 + 4);
	CHECK_EQ(pkt.flags & IBW_PKT_DC, 0);
	check_case("%s", "");
}

int main(void)
{
	test_dc();
	test_ipv4();
	test_ipv6();
	test_grh();
	test_none();
	test_tcp();
	test_extensions();
	return check_end();
}
