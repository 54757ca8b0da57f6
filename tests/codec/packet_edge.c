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

/* At @p: IPv4 and UDP to port 4791 with @bytes after the UDP header, RC SEND Only. */
static void put_ipv4(uint8_t *p, uint32_t bytes)
{
	struct ibw_ipv4 ip = { .version = 4, .ihl = 5, .ttl = 64, .protocol = IBW_IP_PROTO_UDP };
	struct ibw_udp udp = { .sport = 0xc000, .dport = IBW_UDP_PORT_ROCE };

	ip.total_len = (uint16_t)(28 + bytes);
	udp.length = (uint16_t)(8 + bytes);
	ibw_ipv4_pack(ibw_ipv4_view_mut(p, 20), &ip);
	ibw_udp_pack(ibw_udp_view_mut(p + 20, 8), &udp);
	p[28] = 0x04;
}

static void start_ipv4(uint32_t bytes)
{
	memset(frame, 0, sizeof(frame));
	put_ipv4(frame, bytes);
}

/* The first fragment of a long packet, with ever fewer bytes in it. */
static void test_short_fragments(void)
{
	uint32_t n;

	for (n = 0; n <= 32; n += 8) {
		check_case("first fragment with %u bytes after UDP", n);
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

/* The length of UDP counts its own 8 bytes (RFC 768): one below cannot be, one below IP's ends the packet. */
static void test_udp_lengths(void)
{
	uint32_t length;

	for (length = 0; length <= 28; length++) {
		check_case("UDP length %u of 24", length);
		start_ipv4(16);
		ibw_udp_set_length(ibw_udp_view_mut(frame + 20, 8), (uint16_t)length);
		/* 12 bytes of BTH and 4 of ICRC are the least. */
		CHECK_EQ(walk(44, 44, IBW_LINKTYPE_RAW), length == 24 ? IBW_OK : IBW_MALFORMED);
		CHECK_EQ(!!(pkt.flags & IBW_PKT_LENGTHS), length != 24);
		if (length == 24)
			continue;
		if (length < 8 || length > 24) {
			CHECK_EQ(pkt.error.layer, IBW_LAYER_udp);
			CHECK_STR(pkt.error.field, "length");
			CHECK_EQ(pkt.error.needed, length);
			CHECK_EQ(pkt.error.had, 24);
			CHECK_EQ(pkt.trailer_len, 0);
		} else {
			CHECK_EQ(pkt.error.layer, IBW_LAYER_bth);
			CHECK_EQ(pkt.error.said_by, IBW_LAYER_udp);
			CHECK_EQ(pkt.trailer_off, 20 + length);
			CHECK_EQ(pkt.trailer_len, 24 - length);
		}
	}
	check_case("%s", "");
}

/* A header with nothing in it is one; a total length below the header's own is not: RFC 791, 3.1 */
static void test_empty_ipv4(void)
{
	uint32_t total;

	for (total = 0; total <= 24; total++) {
		check_case("IPv4 of %u bytes", total);
		start_ipv4(0);
		frame[3] = (uint8_t)total;
		frame[9] = 1; /* ICMP */
		CHECK_EQ(walk(24, 24, IBW_LINKTYPE_RAW), IBW_OTHER);
		CHECK_EQ(pkt.n_spans, total < 20 ? 0 : 1);
		CHECK_EQ(pkt.trailer_len, total < 20 ? 0 : 24 - total);
	}
	check_case("%s", "");
}

/* From 1536 on it is a type, below a length with LLC after it: IEEE 802.3, 3.2.6 */
static void test_llc(void)
{
	uint32_t type, n;

	memset(frame, 0, sizeof(frame));
	for (type = 0; type < 0x10000; type += type < 1600 ? 1 : 0x100)
		for (n = 16; n < 19; n++) {
			ibw_put_be16(frame + 12, (uint16_t)type);
			if (type == 0x0800 || type == 0x8100)
				continue;
			check_case("type %u, %u bytes", type, n);
			CHECK_EQ(walk(n, n, IBW_LINKTYPE_ETHERNET), IBW_OTHER);
			CHECK_EQ(pkt.n_spans, type < 1536 && n > 16 ? 2 : 1);
			if (pkt.n_spans == 2)
				CHECK_EQ(pkt.span[1].layer, IBW_LAYER_llc);
		}
	check_case("%s", "");
}

/* Only a version of 6 is IPv6; the rest is looked at as IPv4, and found to be none or one. */
static void test_versions(void)
{
	unsigned int version;

	for (version = 0; version < 16; version++) {
		check_case("version %u", version);
		start_ipv4(0);
		frame[0] = (uint8_t)(version << 4 | 5);
		/* 20 of 60 bytes: enough for an IPv4 header, not for one of IPv6. */
		CHECK_EQ(walk(20, 60, IBW_LINKTYPE_RAW),
			 version == 4 || version == 6 ? IBW_CUT : IBW_OTHER);
		CHECK_EQ(pkt.n_spans, version == 4);
	}
	check_case("%s", "");
}

/* 0xc0 to 0xff are the manufacturers' (IBTA vol 1, 9.2.1); others are defined, or wrong. */
static void test_opcodes(void)
{
	static const uint8_t undefined[] = { 0x15, 0x18, 0x1b, 0x1e, 0x2c, 0x60, 0x66, 0x80, 0xbe };
	unsigned int opcode, i;

	start_ipv4(16);
	for (opcode = 0xc0; opcode < 256; opcode++) {
		check_case("opcode 0x%02x", opcode);
		frame[28] = (uint8_t)opcode;
		CHECK_EQ(walk(44, 44, IBW_LINKTYPE_RAW), IBW_OK);
		CHECK_EQ(pkt.flags, IBW_PKT_VENDOR);
	}
	for (i = 0; i < sizeof(undefined); i++) {
		check_case("opcode 0x%02x", undefined[i]);
		frame[28] = undefined[i];
		CHECK_EQ(walk(44, 44, IBW_LINKTYPE_RAW), IBW_MALFORMED);
		CHECK_STR(pkt.error.field, "opcode");
		CHECK_EQ(pkt.error.had, undefined[i]);
		CHECK_EQ(pkt.flags, 0);
	}
	check_case("%s", "");
}

/* Each port that is named is one of RoCE, and 4791 stays one. */
static void test_roce_ports(void)
{
	static const uint16_t more[] = { 1021, 4792 };
	const struct ibw_walk_options options = { .roce_ports = more, .n_roce_ports = 2 };
	static const uint16_t ports[] = { 4791, 1021, 4792, 4790 };
	unsigned int i;

	for (i = 0; i < 4; i++) {
		check_case("port %u", ports[i]);
		start_ipv4(16);
		ibw_udp_set_dport(ibw_udp_view_mut(frame + 20, 8), ports[i]);
		ibw_packet_walk(&pkt, frame, 44, 44, IBW_LINKTYPE_RAW, &options);
		CHECK_EQ(pkt.proto, i < 3 ? IBW_PROTO_ROCEV2 : IBW_PROTO_OTHER);
		CHECK_EQ(walk(44, 44, IBW_LINKTYPE_RAW), i == 0 ? IBW_OK : IBW_OTHER);
	}
	check_case("%s", "");
}

/* An LRH of a packet of @bytes, ICRC included. */
static void start_lrh(uint8_t lnh, uint8_t bytes)
{
	memset(frame, 0, sizeof(frame));
	frame[1] = lnh;
	frame[5] = bytes / 4;
}

/* PayLen counts what is after the GRH up to the ICRC, that included: IBTA vol 1, 8.3 */
static void test_grh_length(void)
{
	uint32_t paylen;

	for (paylen = 0; paylen < 32; paylen++) {
		check_case("PayLen %u of 16", paylen);
		start_lrh(IBW_LNH_GLOBAL, 8 + 40 + 12 + 4);
		frame[8] = 0x60;
		frame[8 + 5] = (uint8_t)paylen;
		frame[8 + 6] = IBW_GRH_NXTHDR_IBA;
		frame[48] = 0x04;
		CHECK_EQ(walk(66, 66, IBW_LINKTYPE_INFINIBAND), IBW_OK);
		CHECK_EQ(pkt.flags, paylen == 16 ? 0 : IBW_PKT_LENGTHS);
		CHECK_EQ(pkt.icrc_off, 60);
	}
	check_case("%s", "");
}

/* A raw packet and an IPoIB packet are cut too when the capture ends in their payload. */
static void test_cut_payloads(void)
{
	unsigned int lnh;

	for (lnh = IBW_LNH_RAW; lnh <= IBW_LNH_IPV6; lnh++) {
		check_case("raw packet, LNH %u", lnh);
		start_lrh((uint8_t)lnh, 100);
		frame[8] = 0x60;
		ibw_ipv6_set_paylen(ibw_ipv6_view_mut(frame + 8, 40), 52);
		ibw_ipv6_set_nxthdr(ibw_ipv6_view_mut(frame + 8, 40), IBW_IP_PROTO_NONE);
		CHECK_EQ(walk(102, 102, IBW_LINKTYPE_INFINIBAND), IBW_OK);
		CHECK_EQ(pkt.net, lnh == IBW_LNH_IPV6 ? 1 : IBW_NO_SPAN);
		CHECK_EQ(pkt.payload_off + pkt.payload_len, 100);
		CHECK_EQ(walk(99, 102, IBW_LINKTYPE_INFINIBAND), IBW_CUT);
		CHECK_STR(pkt.error.field, "payload");
		CHECK_EQ(pkt.error.had, 99 - pkt.payload_off);
	}
	check_case("IPoIB");
	memset(frame, 0, sizeof(frame));
	ibw_ipoib_set_type(ibw_ipoib_view_mut(frame + 40, 4), 0x1234);
	CHECK_EQ(walk(144, 144, IBW_LINKTYPE_IPOIB), IBW_OK);
	CHECK_EQ(walk(143, 144, IBW_LINKTYPE_IPOIB), IBW_CUT);
	check_case("%s", "");
}

/* With all but (some of) the VCRC there the ICRC is checked, and it is said what is cut. */
static void test_cut_vcrc(void)
{
	uint32_t n, crc;

	start_lrh(IBW_LNH_LOCAL, 24);
	frame[8] = 0x24; /* UC SEND Only of nothing */
	crc = ibw_icrc(IBW_ICRC_IB_LOCAL, frame, 20);
	ibw_put_le32(frame + 20, crc);
	ibw_put_le16(frame + 24, ibw_vcrc(frame, 24));
	CHECK_EQ(walk(26, 26, IBW_LINKTYPE_INFINIBAND), IBW_OK);
	CHECK_EQ(ibw_packet_vcrc(&pkt).status, IBW_CRC_GOOD);
	for (n = 23; n < 26; n++) {
		check_case("%u of 26 bytes", n);
		CHECK_EQ(walk(n, 26, IBW_LINKTYPE_INFINIBAND), IBW_CUT);
		CHECK_STR(pkt.error.field, n < 24 ? "payload" : "vcrc");
		CHECK_EQ(pkt.error.layer, n < 24 ? IBW_LAYER_bth : IBW_LAYER_lrh);
		CHECK_EQ(pkt.error.needed, n < 24 ? 4 : 2);
		CHECK_EQ(pkt.error.had, n < 24 ? 3 : n - 24);
		CHECK_EQ(ibw_packet_icrc(&pkt).status,
			 n < 24 ? IBW_CRC_UNVERIFIABLE : IBW_CRC_GOOD);
		CHECK_EQ(ibw_packet_vcrc(&pkt).status, IBW_CRC_UNVERIFIABLE);
	}
	check_case("%s", "");
	/* A capture that leaves the VCRC out is whole. */
	CHECK_EQ(walk(24, 24, IBW_LINKTYPE_INFINIBAND), IBW_OK);
}

/* A tunnel whose own header has @options bytes of options and is fragment @mf. */
static uint32_t start_tunnel(uint32_t options, uint8_t mf, uint32_t inner)
{
	uint32_t header = 20 + options, bytes = header + 8 + 8 + 14 + inner;
	struct ibw_ipv4_wire *ip = ibw_ipv4_view_mut(frame, 20);
	struct ibw_udp_wire *udp = ibw_udp_view_mut(frame + header, 8);
	uint8_t *in = frame + header + 16;

	memset(frame, 0, sizeof(frame));
	ibw_ipv4_set_version(ip, 4);
	ibw_ipv4_set_ihl(ip, (uint8_t)(header / 4));
	ibw_ipv4_set_total_len(ip, (uint16_t)bytes);
	ibw_ipv4_set_protocol(ip, IBW_IP_PROTO_UDP);
	ibw_ipv4_set_mf(ip, mf);
	ibw_udp_set_dport(udp, IBW_UDP_PORT_VXLAN);
	ibw_udp_set_length(udp, (uint16_t)(bytes - header));
	ibw_put_be16(in + 12, IBW_ETHERTYPE_IPV4);
	put_ipv4(in + 14, 16);
	return bytes;
}

/* Options and fragments of a tunnel are not those of the packet inside. */
static void test_tunnel(void)
{
	uint32_t n = start_tunnel(4, 0, 44);

	CHECK_EQ(walk(n, n, IBW_LINKTYPE_RAW), IBW_OK);
	CHECK_EQ(pkt.flags, IBW_PKT_TUNNEL);
	CHECK_EQ(pkt.proto, IBW_PROTO_ROCEV2);
	CHECK_EQ(ibw_packet_icrc(&pkt).status, IBW_CRC_BAD); /* and so it was checked */

	n = start_tunnel(0, 1, 40);
	CHECK_EQ(walk(n, n, IBW_LINKTYPE_RAW), IBW_OK);
	CHECK_EQ(pkt.flags, IBW_PKT_TUNNEL | IBW_PKT_FRAGMENT);
	CHECK_EQ(ibw_packet_icrc(&pkt).status, IBW_CRC_UNVERIFIABLE);
	n = start_tunnel(0, 0, 40);
	CHECK_EQ(walk(n, n, IBW_LINKTYPE_RAW), IBW_MALFORMED);
}

/* Hop-by-hop options of 16 bytes and a fragment header between IPv6 and UDP. */
static void test_extensions(void)
{
	struct ibw_ipv6 ip = { .version = 6, .nxthdr = IBW_IP_PROTO_HOPOPT, .paylen = 48 };
	uint32_t n;

	memset(frame, 0, sizeof(frame));
	ibw_ipv6_pack(ibw_ipv6_view_mut(frame, 40), &ip);
	frame[40] = IBW_IP_PROTO_FRAGMENT;
	frame[41] = 1;
	frame[56] = IBW_IP_PROTO_UDP;
	ibw_put_be16(frame + 66, IBW_UDP_PORT_ROCE);
	ibw_put_be16(frame + 68, 24);
	frame[72] = 0x04;
	for (n = 40; n < 64; n++) {
		check_case("%u bytes", n);
		CHECK_EQ(walk(n, 88, IBW_LINKTYPE_RAW), IBW_CUT);
		CHECK_EQ(pkt.error.off, 0);
		CHECK_EQ(pkt.error.needed, n < 48 ? 48 : n < 56 ? 56 : 64);
		CHECK_EQ(pkt.n_spans, 1);
		CHECK_EQ(pkt.net, 0);
		CHECK_EQ(pkt.span[0].len, n < 56 ? 40 : 56);
	}
	/* Offset 0 and no more to come: a whole packet that has the header all the same. */
	check_case("atomic fragment");
	CHECK_EQ(walk(88, 88, IBW_LINKTYPE_RAW), IBW_OK);
	CHECK_EQ(pkt.flags, IBW_PKT_IP_OPTIONS);
	CHECK_EQ(pkt.span[pkt.net].len, 64);
	CHECK_EQ(pkt.icrc_off, 84);
	check_case("first fragment");
	frame[59] = 1;
	CHECK_EQ(walk(88, 88, IBW_LINKTYPE_RAW), IBW_OK);
	CHECK_EQ(pkt.flags, IBW_PKT_IP_OPTIONS | IBW_PKT_FRAGMENT);
	CHECK_EQ(pkt.icrc_off, 0);
	check_case("last fragment");
	frame[59] = 8;
	CHECK_EQ(walk(88, 88, IBW_LINKTYPE_RAW), IBW_OTHER);
	CHECK_EQ(pkt.flags, IBW_PKT_IP_OPTIONS | IBW_PKT_FRAGMENT);
	CHECK_EQ(pkt.span[pkt.net].len, 64);
	check_case("%s", "");
}

/* IANA's numbers of the headers RFC 8200, 4 allows between IPv6 and UDP. */
enum { HOP_BY_HOP = 0, UDP = 17, ROUTING = 43, FRAGMENT = 44, DESTINATION = 60 };

/*
 * IPv6 with the @n extension headers @types, each of 8 bytes and 8 more as often as @units says, then
 * UDP to port 4791 and an RC SEND Only of nothing. Returns the bytes of all.
 */
static uint32_t start_ipv6(const uint8_t *types, const uint8_t *units, unsigned int n, uint8_t last)
{
	uint32_t at = 40;
	unsigned int i;

	memset(frame, 0, sizeof(frame));
	frame[0] = 0x60;
	frame[6] = n ? types[0] : last;
	for (i = 0; i < n; i++) {
		frame[at] = i + 1 < n ? types[i + 1] : last;
		frame[at + 1] = units[i];
		at += 8u + 8u * units[i];
	}
	frame[at + 2] = 0x12; /* UDP to port 4791 */
	frame[at + 3] = 0xb7;
	frame[at + 5] = 8 + 12 + 4;
	frame[at + 8] = 0x04;
	frame[5] = (uint8_t)(at - 40 + 24);
	return at + 24;
}

/* The headers up to the ICRC: nothing but where they have to be if all of @ip was understood. */
static void check_followed(uint32_t ip, uint32_t n)
{
	CHECK_EQ(walk(n, n, IBW_LINKTYPE_RAW), IBW_OK);
	CHECK_EQ(pkt.proto, IBW_PROTO_ROCEV2);
	CHECK_EQ(pkt.flags, ip > 40 ? IBW_PKT_IP_OPTIONS : 0);
	CHECK_EQ(pkt.n_spans, 3);
	CHECK_EQ(pkt.span[0].layer, IBW_LAYER_ipv6);
	CHECK_EQ(pkt.span[0].len, ip);
	CHECK_EQ(pkt.span[1].layer, IBW_LAYER_udp);
	CHECK_EQ(pkt.span[1].off, ip);
	CHECK_EQ(pkt.span[2].layer, IBW_LAYER_bth);
	CHECK_EQ(pkt.span[2].off, ip + 8);
	CHECK_EQ(pkt.icrc_off, ip + 20);
}

/* Every extension header is followed, whatever its length, alone and in the order of RFC 8200, 4.1. */
static void test_each_extension(void)
{
	static const uint8_t types[] = { HOP_BY_HOP, DESTINATION, ROUTING, FRAGMENT, DESTINATION };
	static const uint8_t lengths[][5] = { { 0 }, { 1, 2, 1, 0, 3 } };
	static const uint8_t many[9] = { DESTINATION, DESTINATION, DESTINATION,
					 DESTINATION, DESTINATION, DESTINATION,
					 DESTINATION, DESTINATION, DESTINATION };
	static const uint8_t none[9] = { 0 };
	unsigned int i, units;

	check_case("no extension header");
	check_followed(40, start_ipv6(NULL, NULL, 0, UDP));
	for (i = 0; i < 5; i++)
		for (units = 0; units < (types[i] == FRAGMENT ? 1 : 5); units++) {
			uint8_t length = (uint8_t)units;

			check_case("extension header %u of %u bytes", types[i], 8 + 8 * units);
			check_followed(48 + 8 * units, start_ipv6(&types[i], &length, 1, UDP));
		}
	for (i = 0; i < 2; i++) {
		check_case("all extension headers, %s", i ? "long" : "short");
		check_followed(40 + 5 * 8 + (i ? 7 * 8 : 0), start_ipv6(types, lengths[i], 5, UDP));
	}
	/* The limit of packet_ip.c, which is there. */
	check_case("8 extension headers");
	check_followed(40 + 64, start_ipv6(many, none, 8, UDP));
	check_case("9 extension headers");
	i = start_ipv6(many, none, 9, UDP);
	CHECK_EQ(walk(i, i, IBW_LINKTYPE_RAW), IBW_OTHER);
	CHECK_EQ(pkt.span[0].len, 40 + 64);
	check_case("%s", "");
}

/* The length of a fragment header is 8; what others have as their length is reserved: RFC 8200, 4.5 */
static void test_fragment_reserved(void)
{
	static const uint8_t types[] = { FRAGMENT, DESTINATION };
	static const uint8_t units[] = { 0, 0 };
	uint32_t n = start_ipv6(types, units, 2, UDP);

	frame[41] = 0xff;
	check_followed(56, n);
}

/* What is no extension header, or has another format: not UDP, even if it looks like it. */
static void test_no_extension(void)
{
	/* RFC 4303 ESP, RFC 4302 AH (its length is in 4 bytes), RFC 8200 none, TCP, ICMPv6 */
	static const uint8_t nexts[] = { 50, 51, 59, 6, 58, 1, 42, 61, 255 };
	static const uint8_t hop = HOP_BY_HOP, units = 0;
	unsigned int i, with;

	for (i = 0; i < sizeof(nexts); i++)
		for (with = 0; with < 2; with++) {
			uint32_t n = start_ipv6(&hop, &units, with, nexts[i]);

			check_case("next header %u after %u extension headers", nexts[i], with);
			CHECK_EQ(walk(n, n, IBW_LINKTYPE_RAW), IBW_OTHER);
			CHECK_EQ(pkt.n_spans, 1);
			CHECK_EQ(pkt.span[0].len, with ? 48 : 40);
			CHECK_EQ(pkt.bth, IBW_NO_SPAN);
		}
	check_case("%s", "");
}

/* IEEE 802.1Q tags of all three ethertypes in use, up to four; a fifth is not followed. */
static void test_vlans(void)
{
	static const uint16_t tpids[] = { 0x9100, 0x88a8, 0x88a8, 0x8100, 0x8100 };
	unsigned int n, i;

	for (n = 0; n <= 5; n++) {
		uint32_t at = 12, end;

		check_case("%u VLAN tags", n);
		memset(frame, 0, sizeof(frame));
		for (i = 5 - n; i < 5; i++, at += 4) {
			ibw_put_be16(frame + at, tpids[i]);
			frame[at + 3] = (uint8_t)i; /* VLAN */
		}
		ibw_put_be16(frame + at, 0x0800);
		put_ipv4(frame + at + 2, 16);
		end = at + 2 + 28 + 16;
		CHECK_EQ(walk(end, end, IBW_LINKTYPE_ETHERNET), n < 5 ? IBW_OK : IBW_OTHER);
		CHECK_EQ(pkt.span[0].layer, IBW_LAYER_eth);
		for (i = 0; i < (n < 5 ? n : 4); i++) {
			CHECK_EQ(pkt.span[1 + i].layer, IBW_LAYER_vlan);
			CHECK_EQ(pkt.span[1 + i].off, 14 + 4 * i);
			CHECK_EQ(pkt.span[1 + i].len, 4);
			CHECK_EQ(ibw_vlan_vid(ibw_packet_at(&pkt, 1 + i)), 5 - n + i);
		}
		if (n == 5) {
			CHECK_EQ(pkt.n_spans, 5);
			CHECK_EQ(pkt.proto, IBW_PROTO_OTHER);
			continue;
		}
		CHECK_EQ(pkt.n_spans, 4 + n);
		CHECK_EQ(pkt.net, 1 + n);
		CHECK_EQ(pkt.cover_off, 14 + 4 * n);
		CHECK_EQ(pkt.span[pkt.bth].off, 14 + 4 * n + 28);
		CHECK_EQ(pkt.icrc_off, 14 + 4 * n + 28 + 12);
	}
	check_case("%s", "");
}

/* Addresses of any length are the ARP packet's, not bytes after it. */
static void test_arp(void)
{
	memset(frame, 0, sizeof(frame));
	ibw_put_be16(frame + 12, IBW_ETHERTYPE_ARP);
	frame[14 + 4] = 8;
	frame[14 + 5] = 16;
	CHECK_EQ(walk(80, 80, IBW_LINKTYPE_ETHERNET), IBW_OK);
	CHECK_EQ(pkt.span[1].layer, IBW_LAYER_arp_hdr);
	CHECK_EQ(pkt.span[1].len, 8 + 2 * (8 + 16));
	CHECK_EQ(pkt.trailer_off, 70);
	CHECK_EQ(pkt.trailer_len, 10);
	CHECK_EQ(walk(69, 69, IBW_LINKTYPE_ETHERNET), IBW_MALFORMED);
	CHECK_EQ(walk(69, 70, IBW_LINKTYPE_ETHERNET), IBW_CUT);
}

/* Link types above 16 bits are none of those known, whatever their low half. */
static void test_linktype(void)
{
	start_ipv4(16);
	CHECK_EQ(walk(44, 44, 0x10000 + IBW_LINKTYPE_RAW), IBW_OTHER);
	CHECK_EQ(pkt.linktype, 0x10000 + IBW_LINKTYPE_RAW);
	CHECK(!ibw_linktype_known(pkt.linktype));
}

/* More extension headers of a record than are followed: what is after is not guessed at. */
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

int main(void)
{
	test_short_fragments();
	test_error_places();
	test_udp_lengths();
	test_versions();
	test_opcodes();
	test_roce_ports();
	test_empty_ipv4();
	test_llc();
	test_grh_length();
	test_cut_payloads();
	test_cut_vcrc();
	test_tunnel();
	test_extensions();
	test_each_extension();
	test_fragment_reserved();
	test_no_extension();
	test_vlans();
	test_arp();
	test_linktype();
	test_erf_extensions();
	return check_end();
}
