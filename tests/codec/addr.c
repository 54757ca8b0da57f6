/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* addr.c - the arithmetic of roce.h against tests/data/addr-vectors.csv, and its edges. */
#include <arpa/inet.h>
#include <stdlib.h>

#include <ibwire/ipoib.h>
#include <ibwire/roce_path.h>

#include "check.h"

#define VECTORS "tests/data/addr-vectors.csv"
#define BYTES_MAX 128

/* Hex digits as bytes; colons are stepped over. Returns how many. */
static uint32_t bytes_of(const char *hex, uint8_t *b)
{
	uint32_t n = 0;
	char digits[3] = "";

	for (; hex[0] && hex[1] && n < BYTES_MAX; hex += 2) {
		hex += *hex == ':';
		memcpy(digits, hex, 2);
		b[n++] = (uint8_t)strtoul(digits, NULL, 16);
	}
	return n;
}

static uint32_t ipv4_of(const char *text)
{
	uint32_t addr = 0;
	char *end;
	int i;

	for (i = 0; i < 4; i++) {
		addr = addr << 8 | (uint32_t)strtoul(text, &end, 10);
		CHECK_EQ(*end, i < 3 ? '.' : '\0');
		text = end + (*end == '.');
	}
	return addr;
}

static void mac_gid(const char *in, const uint8_t *want, uint16_t vlan)
{
	uint8_t mac[BYTES_MAX] = { 0 }, gid[16], back[6];

	CHECK_EQ(bytes_of(in, mac), 6);
	ibw_mac_to_gid(gid, mac, vlan);
	CHECK_MEM(gid, want, 16);
	ibw_gid_to_mac(back, want);
	CHECK_MEM(back, mac, 6);
	CHECK(ibw_gid_is_link_local(want));
	CHECK(!ibw_gid_is_multicast(want));
	CHECK_EQ(ibw_gid_vlan(want), vlan);
	CHECK_EQ(ibw_gid_is_eui64(want), vlan == IBW_VLAN_NONE);
}

static void mcast_gid(uint32_t addr, const uint8_t *want, bool v1)
{
	uint8_t gid[16];

	CHECK(ibw_ipv4_is_multicast(addr));
	if (v1)
		ibw_ipv4_mcast_gid_v1(gid, addr);
	else
		ibw_ipv4_to_gid(gid, addr);
	CHECK_MEM(gid, want, 16);
	CHECK_EQ(ibw_gid_is_multicast(want), v1);
	CHECK_EQ(ibw_gid_is_ipv4(want), !v1);
	CHECK_EQ(ibw_gid_to_ipv4(want), addr);
}

static void ipv4_header(uint8_t *b, uint32_t n, uint16_t want)
{
	struct ibw_ipv4_wire *ip = ibw_ipv4_view_mut(b, n);
	uint32_t bit;

	if (!CHECK(ip != NULL))
		return;
	CHECK_EQ(ibw_ipv4_ihl(ip) * 4u, n);
	CHECK(ibw_ipv4_checksum_good(ip, n));
	CHECK_EQ(ibw_ipv4_checksum_of(ip, n), want);
	for (bit = 0; bit < n * 8; bit++) {
		b[bit / 8] ^= (uint8_t)(1u << bit % 8);
		check_case("ipv4_header, bit %u flipped", bit);
		CHECK(!ibw_ipv4_checksum_good(ip, n));
		b[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
	ibw_ipv4_set_checksum(ip, 0x5aa5);
	CHECK_EQ(ibw_ipv4_checksum_of(ip, n), want);
}

static void udp_datagram(uint8_t *b, uint32_t n, bool v6, uint16_t want)
{
	uint32_t ip_bytes = v6 ? ibw_ipv6_BYTES : ibw_ipv4_BYTES, len = n - ip_bytes;
	const struct ibw_ipv4_wire *ipv4 = v6 ? NULL : ibw_ipv4_view(b, n);
	const struct ibw_ipv6_wire *ipv6 = v6 ? ibw_ipv6_view(b, n) : NULL;
	struct ibw_udp_wire *udp = ibw_udp_view_mut(b + ip_bytes, len);
	uint64_t pseudo;

	if (!CHECK(n > ip_bytes && udp && (ipv4 || ipv6)))
		return;
	pseudo = ipv6 ? ibw_ipv6_pseudo_sum(ipv6, len) : ibw_ipv4_pseudo_sum(ipv4, len);
	CHECK_EQ(ibw_udp_length(udp), len);
	CHECK_EQ(ibw_udp_checksum(udp), want);
	CHECK_EQ(ibw_udp_checksum_of(pseudo, udp, len), want);
	ibw_udp_set_checksum(udp, 0);
	CHECK_EQ(ibw_udp_checksum_of(pseudo, udp, len), want);
	b[n - 1] ^= 1;
	CHECK(ibw_udp_checksum_of(pseudo, udp, len) != want);
}

/* "ffff 224.0.0.1": an IPoIB MGID of link-local scope, or the one of RDMA CM's UDP ports. */
static bool mgid(const char *rule, const char *in, const uint8_t *want)
{
	uint16_t pkey = (uint16_t)strtoul(in, NULL, 16);
	bool udp = !strncmp(rule, "udp_", 4), v6 = rule[strlen(rule) - 1] == '6';
	uint8_t got[16], addr[16];

	if (v6 && inet_pton(AF_INET6, in + 5, addr) == 1)
		ibw_ipoib_mgid_ipv6(got, addr, IBW_SCOPE_LINK_LOCAL, pkey);
	else
		ibw_ipoib_mgid_ipv4(got, ipv4_of(in + 5), IBW_SCOPE_LINK_LOCAL, pkey);
	CHECK(ibw_mgid_is_ipoib(got));
	CHECK_EQ(ibw_mgid_signature(got), v6 ? IBW_MGID_IPOIB_IPV6 : IBW_MGID_IPOIB_IPV4);
	CHECK_EQ(ibw_mgid_pkey(got), pkey);
	if (udp)
		ibw_ipoib_mgid_to_udp(got);
	CHECK(ibw_mgid_is_ipoib(got) != udp);
	if (!v6)
		CHECK_EQ(ibw_ipoib_mgid_to_ipv4(got) & 0x0fffffff, ipv4_of(in + 5) & 0x0fffffff);
	return CHECK_MEM(got, want, 16);
}

/* One row of the file. Returns false for a rule nobody checks. */
static bool vector(const char *rule, const char *in, const char *out)
{
	uint8_t got[BYTES_MAX] = { 0 }, want[BYTES_MAX] = { 0 };
	uint32_t n;

	bytes_of(out, want);
	if (!strcmp(rule, "mac_gid")) {
		mac_gid(in, want, IBW_VLAN_NONE);
	} else if (!strcmp(rule, "mac_gid_vlan_100")) {
		mac_gid(in, want, 100);
	} else if (!strcmp(rule, "mcast_gid_v1") || !strcmp(rule, "mcast_gid_v2")) {
		mcast_gid(ipv4_of(in), want, rule[strlen(rule) - 1] == '1');
	} else if (!strcmp(rule, "gid_mcast_mac") || !strcmp(rule, "ipv6_mcast_mac")) {
		uint8_t gid[BYTES_MAX] = { 0 };

		CHECK_EQ(bytes_of(in, gid), 16);
		ibw_mcast_gid_to_mac(got, gid);
		CHECK_MEM(got, want, 6);
	} else if (!strncmp(rule, "mgid_", 5)) {
		CHECK(mgid(rule + 5, in, want));
	} else if (!strcmp(rule, "ipv4_mcast_mac")) {
		ibw_ipv4_mcast_mac(got, ipv4_of(in));
		CHECK_MEM(got, want, 6);
		CHECK(ibw_mac_equal(got, want));
	} else if (!strcmp(rule, "flow_label_sport")) {
		CHECK_EQ(ibw_flow_label_to_sport((uint32_t)strtoul(in, NULL, 16)),
			 strtoul(out, NULL, 16));
	} else if (!strcmp(rule, "qpns_flow_label")) {
		char *right;
		uint32_t left = (uint32_t)strtoul(in, &right, 16);

		CHECK_EQ(ibw_qpns_to_flow_label(left, (uint32_t)strtoul(right, NULL, 16)),
			 strtoul(out, NULL, 16));
	} else if (!strcmp(rule, "ipv4_header")) {
		n = bytes_of(in, got);
		ipv4_header(got, n, ibw_get_be16(want));
	} else if (!strcmp(rule, "udp_ipv4") || !strcmp(rule, "udp_ipv6")) {
		n = bytes_of(in, got);
		udp_datagram(got, n, rule[strlen(rule) - 1] == '6', ibw_get_be16(want));
	} else {
		return false;
	}
	return true;
}

static void vectors(void)
{
	FILE *file = CHECK_OPEN(VECTORS);
	char line[512], *rule, *in, *out, *rest;
	unsigned int rows = 0;

	if (!file)
		return;
	while (fgets(line, sizeof(line), file)) {
		if (*line == '#')
			continue;
		rule = strtok_r(line, ",", &rest);
		in = strtok_r(NULL, ",", &rest);
		out = strtok_r(NULL, "\n", &rest);
		if (!CHECK(rule && in && out))
			continue;
		check_case("%s %s", rule, in);
		CHECK(vector(rule, in, out));
		rows++;
	}
	check_case("%s", "");
	fclose(file);
	CHECK(rows >= 30);
}

static void gid_kinds(void)
{
	uint8_t gid[16] = { 0 };
	const uint8_t mac[6] = { 1, 2, 3, 4, 5, 6 };
	unsigned int i;

	CHECK(ibw_gid_is_zero(gid));
	CHECK(!ibw_gid_is_ipv4(gid));
	for (i = 0; i < 16; i++) {
		uint8_t other[16] = { 0 }, address[6];

		check_case("byte %u", i);
		other[i] = 1;
		CHECK(!ibw_gid_is_zero(other));
		ibw_mac_to_gid(gid, mac, IBW_VLAN_NONE);
		gid[i] ^= 1;
		CHECK_EQ(ibw_gid_is_link_local(gid), i >= 8);
		CHECK_EQ(ibw_gid_is_eui64(gid), i != 11 && i != 12);
		ibw_ipv4_to_gid(gid, 0x0a000001);
		gid[i] ^= 1;
		CHECK_EQ(ibw_gid_is_ipv4(gid), i >= 12);
		memcpy(address, mac, 6);
		address[i % 6] ^= 0x80;
		CHECK(!ibw_mac_equal(address, mac));
	}
	check_case("%s", "");
	CHECK(ibw_mac_equal(mac, mac));
	ibw_mac_to_gid(gid, mac, 0xfff);
	CHECK_EQ(ibw_gid_vlan(gid), 0xfff);
	ibw_mac_to_gid(gid, mac, 0x1000);
	CHECK_EQ(ibw_gid_vlan(gid), IBW_VLAN_NONE);
	CHECK(!ibw_ipv4_is_multicast(0xdfffffff));
	CHECK(!ibw_ipv4_is_multicast(0xf0000000));
	/* A flow label has 20 bits; what a caller leaves above them does not count. */
	CHECK_EQ(ibw_flow_label_to_sport(0xfff12345), 0xe341);
}

/*
 * The record by the bytes it has in an SA MAD. The figures are those of Linux 6.12,
 * cma_resolve_iboe_route() and iboe_get_mtu(): reversible, exact values, 96 bytes of headers.
 */
static void path_record(void)
{
	/* Both GIDs; flow label, hop limit, tclass, reversible, P_Key, SL, MTU, rate, life. */
	static const struct {
		uint8_t at, byte;
	} set[] = { { 18, 0xff }, { 19, 0xff }, { 20, 10 },   { 23, 2 },    { 34, 0xff },
		    { 35, 0xff }, { 36, 10 },   { 39, 1 },    { 44, 0x0a }, { 45, 0xbc },
		    { 46, 0xde }, { 47, 64 },   { 48, 106 },  { 49, 0x80 }, { 50, 0xff },
		    { 51, 0xff }, { 53, 3 },    { 54, 0x83 }, { 55, 0x90 }, { 56, 0x90 } };
	static const struct {
		uint32_t frame;
		uint8_t code;
	} mtus[] = { { 0, 0 },    { 351, 0 },  { 352, 1 },  { 607, 1 },  { 608, 2 },
		     { 1119, 2 }, { 1120, 3 }, { 1500, 3 }, { 2143, 3 }, { 2144, 4 },
		     { 4191, 4 }, { 4192, 5 }, { 4500, 5 }, { 9000, 5 }, { UINT32_MAX, 5 } };
	struct ibw_roce_path path = { .mtu = ibw_roce_mtu(1500),
				      .rate = IBW_RATE_100,
				      .sl = 3,
				      .tclass = 106,
				      .hop_limit = 64,
				      .life = IBW_ROCE_LIFE,
				      .pkey = 0xffff,
				      .flow_label = 0xabcde };
	uint8_t sgid[16], dgid[16], wire[ibw_path_rec_BYTES], want[sizeof(wire)] = { 0 };
	struct ibw_path_rec rec;
	unsigned int i;

	for (i = 0; i < sizeof(set) / sizeof(set[0]); i++)
		want[set[i].at] = set[i].byte;
	ibw_ipv4_to_gid(sgid, 0x0a000001);
	ibw_ipv4_to_gid(dgid, 0x0a000002);
	memset(&rec, 0xff, sizeof(rec));
	ibw_roce_path_record(&rec, sgid, dgid, &path);
	ibw_path_rec_pack(ibw_path_rec_view_mut(wire, sizeof(wire)), &rec);
	CHECK_MEM(wire, want, sizeof(want));
	for (i = 0; i < sizeof(mtus) / sizeof(mtus[0]); i++) {
		check_case("%u bytes a frame", mtus[i].frame);
		CHECK_EQ(ibw_roce_mtu(mtus[i].frame), mtus[i].code);
	}
	check_case("%s", "");
	CHECK_EQ(ibw_ports_to_flow_label(40000, 4420), (40000 * 31 + 4420) % 0x100000);
	CHECK_EQ(ibw_ports_to_flow_label(65535, 65535), 0xfffe0);
}

int main(void)
{
	vectors();
	path_record();
	gid_kinds();
	return check_end();
}
