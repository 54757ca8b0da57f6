/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* packet_edge.c - the walk where captures and packets end early, and where errors say they are. */
#include "check.h"

#include <ibwire/ibwire.h>
#include <ibwire/packet.h>

static uint8_t frame[256];
static struct ibw_packet pkt;

static enum ibw_outcome walk(uint32_t caplen, uint32_t len, uint32_t linktype)
{
	return ibw_packet_walk(&pkt, frame, caplen, len, linktype, NULL);
}

/* IPv4 and UDP to port 4791 with @bytes behind the UDP header, RC SEND Only. */
static void start_ipv4(uint32_t bytes)
{
	struct ibw_ipv4 ip = { .version = 4, .ihl = 5, .ttl = 64, .protocol = IBW_IP_PROTO_UDP };
	struct ibw_udp udp = { .sport = 0xc000, .dport = IBW_UDP_PORT_ROCE };

	memset(frame, 0, sizeof(frame));
	ip.total_len = (uint16_t)(28 + bytes);
	udp.length = (uint16_t)(8 + bytes);
	ibw_ipv4_pack(ibw_ipv4_view_mut(frame, 20), &ip);
	ibw_udp_pack(ibw_udp_view_mut(frame + 20, 8), &udp);
	frame[28] = 0x04;
}

/* The first fragment of a long packet, with ever fewer bytes in it. */
static void test_short_fragments(void)
{
	uint32_t n;

	for (n = 0; n <= 32; n += 8) {
		check_case("first fragment with %u bytes behind UDP", n);
		start_ipv4(n);
		ibw_ipv4_set_mf(ibw_ipv4_view_mut(frame, 20), 1);
		ibw_udp_set_length(ibw_udp_view_mut(frame + 20, 8), 1000);
		frame[29] = 0x30; /* PadCnt 3: of the last fragment */
		CHECK_EQ(walk(28 + n, 28 + n, IBW_LINKTYPE_RAW), IBW_OK);
		CHECK(pkt.flags & IBW_PKT_FRAGMENT);
		CHECK_EQ(pkt.icrc_off, 0);
		CHECK_EQ(pkt.payload_len, n > 12 ? n - 12 : 0);
		CHECK_EQ(pkt.pad_len, 0);
	}
	check_case("%s", "");
}

/* An error names a header and says where that header starts. */
static void test_error_places(void)
{
	start_ipv4(16);
	ibw_udp_set_length(ibw_udp_view_mut(frame + 20, 8), 100);
	CHECK_EQ(walk(44, 44, IBW_LINKTYPE_RAW), IBW_MALFORMED);
	CHECK_EQ(pkt.error.layer, IBW_LAYER_udp);
	CHECK_EQ(pkt.error.off, 20);
	CHECK_EQ(pkt.error.needed, 100);
	CHECK_EQ(pkt.error.had, 24);

	start_ipv4(16);
	frame[29] = 0x30;
	CHECK_EQ(walk(44, 44, IBW_LINKTYPE_RAW), IBW_MALFORMED);
	CHECK_EQ(pkt.error.layer, IBW_LAYER_bth);
	CHECK_STR(pkt.error.field, "padcnt");
	CHECK_EQ(pkt.error.off, 28);

	memset(frame, 0, sizeof(frame));
	frame[1] = IBW_LNH_LOCAL;
	frame[5] = 20; /* PktLen: 80 bytes, of which 28 are on the wire */
	frame[8] = 0x04;
	CHECK_EQ(walk(28, 28, IBW_LINKTYPE_INFINIBAND), IBW_MALFORMED);
	CHECK_STR(pkt.error.field, "pktlen");
	CHECK_EQ(pkt.error.off, 0);
}

/* A raw packet and an IPoIB packet are cut too when the capture ends in their payload. */
static void test_cut_payloads(void)
{
	uint8_t lnh;

	for (lnh = IBW_LNH_RAW; lnh <= IBW_LNH_IPV6; lnh++) {
		check_case("raw packet, LNH %u", lnh);
		memset(frame, 0, sizeof(frame));
		frame[1] = lnh;
		frame[5] = 25; /* 100 bytes, then the VCRC */
		CHECK_EQ(walk(102, 102, IBW_LINKTYPE_INFINIBAND), IBW_OK);
		CHECK_EQ(walk(100, 102, IBW_LINKTYPE_INFINIBAND), IBW_OK);
		CHECK_EQ(walk(99, 102, IBW_LINKTYPE_INFINIBAND), IBW_CUT);
		CHECK_EQ(pkt.error.had, 99 - pkt.payload_off);
	}
	check_case("IPoIB");
	memset(frame, 0, sizeof(frame));
	ibw_ipoib_set_type(ibw_ipoib_view_mut(frame + 40, 4), 0x1234);
	CHECK_EQ(walk(144, 144, IBW_LINKTYPE_IPOIB), IBW_OK);
	CHECK_EQ(walk(143, 144, IBW_LINKTYPE_IPOIB), IBW_CUT);
	check_case("%s", "");
}

/* More extension headers of a record than are followed: what is behind is not guessed at. */
static void test_erf_extensions(void)
{
	unsigned int i;

	memset(frame, 0, sizeof(frame));
	frame[8] = 0x80 | IBW_ERF_INFINIBAND;
	for (i = 0; i < 9; i++)
		frame[16 + 8 * i] = i < 8 ? 0x80 : 0;
	ibw_put_be16(frame + 14, 64);
	CHECK_EQ(walk(200, 200, IBW_LINKTYPE_ERF), IBW_OTHER);
	CHECK_EQ(pkt.lrh, IBW_NO_SPAN);
}

/* RD packets have a DETH too, but IPoIB is assumed of UD alone. */
static void test_rd_is_not_ipoib(void)
{
	static const uint8_t opcodes[] = { 0x64, 0x44 }; /* UD, RD SEND Only */
	static const uint8_t headers[] = { 8, 12 };
	uint32_t i, at;

	for (i = 0; i < 2; i++) {
		memset(frame, 0, sizeof(frame));
		frame[1] = IBW_LNH_LOCAL;
		frame[5] = 25;
		frame[8] = opcodes[i];
		frame[15] = 2; /* DestQP */
		at = 8u + 12 + headers[i];
		ibw_ipoib_set_type(ibw_ipoib_view_mut(frame + at, 4), IBW_ETHERTYPE_IPV4);
		frame[at + 4] = 0x45;
		check_case("opcode 0x%02x", opcodes[i]);
		CHECK_EQ(walk(102, 102, IBW_LINKTYPE_INFINIBAND), IBW_OK);
		CHECK_EQ(ibw_packet_is_ipoib(&pkt), i == 0);
	}
}

int main(void)
{
	test_short_fragments();
	test_error_places();
	test_cut_payloads();
	test_erf_extensions();
	test_rd_is_not_ipoib();
	return check_end();
}
