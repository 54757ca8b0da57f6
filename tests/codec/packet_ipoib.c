/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* packet_ipoib.c - what is taken for IPoIB, and what the walk finds of neighbor discovery in it. */
#include "check.h"

#include <ibwire/ibwire.h>
#include <ibwire/packet.h>

static uint8_t frame[256];
static struct ibw_packet pkt;

static enum ibw_outcome walk(uint32_t caplen, uint32_t len, uint32_t linktype)
{
	return ibw_packet_walk(&pkt, frame, caplen, len, linktype, NULL);
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

/*
 * UD that looks like IPoIB: an encapsulation header whose reserved bits are 0 (RFC 4391, 6) and after
 * it the start of what it names (RFC 791, 3.1; RFC 8200, 3; RFC 4391, 9.1.1), to no management QP.
 */
static void test_is_ipoib(void)
{
	static const struct {
		uint16_t type;
		uint8_t reserved, first, second, dqpn, bytes;
		bool is;
	} cases[] = {
		{ 0x0800, 0, 0x45, 0, 2, 24, true },  { 0x0800, 1, 0x45, 0, 2, 24, false },
		{ 0x0800, 0, 0x4f, 0, 2, 24, true },  { 0x0800, 0, 0x44, 0, 2, 24, false },
		{ 0x0800, 0, 0x55, 0, 2, 24, false }, { 0x0800, 0, 0x45, 0, 1, 24, false },
		{ 0x0800, 0, 0x45, 0, 0, 24, false }, { 0x0800, 0, 0x45, 0, 2, 20, false },
		{ 0x0801, 0, 0x45, 0, 2, 24, false }, { 0x86dd, 0, 0x60, 0, 2, 44, true },
		{ 0x86dd, 0, 0x60, 0, 2, 40, false }, { 0x86dd, 0, 0x40, 0, 2, 44, false },
		{ 0x0806, 0, 0, 32, 2, 12, true },    { 0x8035, 0, 0, 32, 2, 12, true },
		{ 0x0806, 0, 0, 1, 2, 12, false },    { 0x0806, 0, 0, 32, 2, 8, false },
	};
	uint32_t i, end;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		check_case("case %u", i);
		end = 28u + cases[i].bytes + 4;
		memset(frame, 0, sizeof(frame));
		frame[1] = IBW_LNH_LOCAL;
		frame[5] = (uint8_t)(end / 4);
		frame[8] = 0x64;
		frame[15] = cases[i].dqpn;
		ibw_put_be16(frame + 28, cases[i].type);
		frame[31] = cases[i].reserved;
		frame[32] = cases[i].first;
		frame[33] = cases[i].second;
		CHECK_EQ(walk(end + 2, end + 2, IBW_LINKTYPE_INFINIBAND), IBW_OK);
		CHECK_EQ(pkt.payload_len, cases[i].bytes);
		CHECK_EQ(ibw_packet_is_ipoib(&pkt), cases[i].is);
	}
	check_case("%s", "");
}

/* The layer of span @i, none if there is no such span. */
static unsigned int layer_of(unsigned int i)
{
	return i < pkt.n_spans ? pkt.span[i].layer : IBW_LAYER_COUNT;
}

/*
 * IPoIB with a neighbor solicitation (RFC 4861, 4.3) and one option of @units of 8 bytes, after a
 * fragment header if @fragment is not 0. Returns the bytes of all.
 */
static uint32_t start_neighbor(uint8_t option, uint8_t units, uint16_t fragment)
{
	uint32_t at = 44 + 40;

	memset(frame, 0, sizeof(frame));
	ibw_put_be16(frame + 40, 0x86dd);
	frame[44] = 0x60;
	frame[44 + 6] = fragment ? 44 : 58;
	if (fragment) {
		frame[at] = 58; /* ICMPv6 */
		ibw_put_be16(frame + at + 2, fragment);
		at += 8;
	}
	frame[at] = 135;
	frame[at + 24] = option;
	frame[at + 25] = units;
	at += 24 + 8u * units;
	frame[44 + 5] = (uint8_t)(at - 84);
	return at;
}

/*
 * Cooked packets of a device of type 32, InfiniBand: what IPoIB carries, without its header; of another
 * device, or another protocol, they are none.
 */
static void test_cooked(void)
{
	static const uint16_t protocols[] = { IBW_ETHERTYPE_IPV4, IBW_ETHERTYPE_IPV6,
					      IBW_ETHERTYPE_ARP, IBW_ETHERTYPE_RARP, 0x0004 };
	static const uint32_t linktypes[] = { IBW_LINKTYPE_SLL, IBW_LINKTYPE_SLL2 };
	static const uint32_t bytes[] = { 16, 20 };
	uint32_t i, j, n;
	uint16_t hatype;

	for (i = 0; i < 5; i++)
		for (j = 0; j < 4; j++) {
			hatype = j & 2 ? 32 : 1;
			n = bytes[j & 1];
			check_case("protocol 0x%04x, device %u, cooked v%u", protocols[i], hatype,
				   1 + (j & 1));
			memset(frame, 0, sizeof(frame));
			ibw_put_be16(frame + (j & 1 ? 8 : 2), hatype);
			ibw_put_be16(frame + (j & 1 ? 0 : 14), protocols[i]);
			frame[n] = protocols[i] == IBW_ETHERTYPE_IPV6 ? 0x60 : 0x45;
			if (i == 0)
				ibw_put_be16(frame + n + 2, 56); /* the total length */
			if (i == 2 || i == 3)
				ibw_put_be32(frame + n + 4, 20 << 24 | 4 << 16);
			walk(n + 56, n + 56, linktypes[j & 1]);
			CHECK_EQ(pkt.proto == IBW_PROTO_IPOIB, hatype == 32 && i < 4);
			CHECK_EQ(pkt.first, 0);
			if (pkt.proto == IBW_PROTO_IPOIB)
				CHECK_EQ(layer_of(1), i == 0   ? IBW_LAYER_ipv4
						      : i == 1 ? IBW_LAYER_ipv6
							       : IBW_LAYER_arp_ipoib);
		}
}

/* The 24 bytes of RFC 4391, 9.3 are an address of IPoIB; other options, and other lengths, are not. */
static void test_neighbor_options(void)
{
	unsigned int option, units;
	uint32_t n;

	for (option = 0; option < 6; option++)
		for (units = 1; units < 6; units++) {
			check_case("option %u of %u bytes", option, 8 * units);
			n = start_neighbor((uint8_t)option, (uint8_t)units, 0);
			CHECK_EQ(walk(n, n, IBW_LINKTYPE_IPOIB), IBW_OK);
			CHECK_EQ(pkt.n_spans, 6);
			CHECK_EQ(layer_of(3), IBW_LAYER_icmpv6);
			CHECK_EQ(layer_of(4), IBW_LAYER_nd_neighbor);
			CHECK_EQ(layer_of(5), (option == 1 || option == 2) && units == 3
						      ? IBW_LAYER_nd_lladdr
						      : IBW_LAYER_nd_option);
			CHECK_EQ(pkt.span[5].len, 8 * units);
			/* A byte less, and it is only said that there is one. */
			walk(n - 1, n, IBW_LINKTYPE_IPOIB);
			CHECK_EQ(layer_of(5), IBW_LAYER_nd_option);
			CHECK_EQ(pkt.span[5].len, 2);
		}
	check_case("no length");
	n = start_neighbor(1, 3, 0);
	frame[44 + 40 + 25] = 0;
	CHECK_EQ(walk(n, n, IBW_LINKTYPE_IPOIB), IBW_OK);
	CHECK_EQ(pkt.n_spans, 6);
	CHECK_EQ(pkt.span[5].len, 2);
	check_case("an atomic fragment, and a first one");
	n = start_neighbor(1, 3, 0xff);
	ibw_put_be16(frame + 86, 0);
	CHECK_EQ(walk(n, n, IBW_LINKTYPE_IPOIB), IBW_OK);
	CHECK_EQ(layer_of(3), IBW_LAYER_icmpv6);
	n = start_neighbor(1, 3, 1);
	CHECK_EQ(walk(n, n, IBW_LINKTYPE_IPOIB), IBW_OK);
	CHECK_EQ(pkt.n_spans, 3);
	CHECK_EQ(pkt.flags, IBW_PKT_IP_OPTIONS | IBW_PKT_FRAGMENT);
	check_case("%s", "");
}

/* Pads are one byte, the end is the last, and only type 255 is a node's identifier: RFC 2132, 4361 */
static void test_dhcp_options(void)
{
	static const uint8_t types[] = { 0, 1, 254, 255 };
	static const uint8_t options[] = { 0, 0, 53, 1, 5, 0, 61,  9,  0, 1, 2,
					   3, 4, 5,  6, 7, 8, 255, 53, 1, 5 };
	static uint8_t long_frame[512];
	uint32_t at = 44 + 20 + 8 + 236 + 4, n = at + sizeof(options);
	unsigned int i;

	memset(long_frame, 0, sizeof(long_frame));
	ibw_put_be16(long_frame + 40, 0x0800);
	long_frame[44] = 0x45;
	ibw_put_be16(long_frame + 46, (uint16_t)(n - 44));
	long_frame[53] = 17;
	ibw_put_be16(long_frame + 64, 68);
	ibw_put_be16(long_frame + 66, 67);
	ibw_put_be16(long_frame + 68, (uint16_t)(n - 64));
	ibw_put_be32(long_frame + at - 4, 0x63825363);
	memcpy(long_frame + at, options, sizeof(options));
	for (i = 0; i < sizeof(types); i++) {
		check_case("client identifier of type %u", types[i]);
		long_frame[at + 8] = types[i];
		CHECK_EQ(ibw_packet_walk(&pkt, long_frame, n, n, IBW_LINKTYPE_IPOIB, NULL), IBW_OK);
		CHECK_EQ(pkt.n_spans, 7);
		CHECK_EQ(layer_of(4), IBW_LAYER_dhcp);
		CHECK_EQ(layer_of(5), IBW_LAYER_dhcp_type);
		CHECK_EQ(pkt.span[5].off, at + 2);
		CHECK_EQ(pkt.span[6].off, at + 6);
		CHECK_EQ(pkt.span[6].len, 11);
		CHECK_EQ(layer_of(6),
			 types[i] == 255 ? IBW_LAYER_dhcp_client_id : IBW_LAYER_dhcp_option);
	}
	check_case("%s", "");
}

int main(void)
{
	test_rd_is_not_ipoib();
	test_is_ipoib();
	test_cooked();
	test_neighbor_options();
	test_dhcp_options();
	return check_end();
}
