/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* build_forms.c - the builders for particular uses: UD as in the kernel, IPoIB, MADs. */
#include "build_cases.h"
#include "check.h"
#include "guard.h"

#include <ibwire/build_ipoib.h>
#include <ibwire/build_mad.h>
#include <ibwire/mad_walk.h>

static const uint8_t gid_a[16] = { 0xfe, 0x80, [15] = 1 };
static const uint8_t gid_b[16] = { 0xfe, 0x80, [15] = 2 };

/* All 2^7 combinations of flags and three IP versions: a framing or an error. */
static void ud_arguments(void)
{
	static const struct {
		unsigned int flags; /* LRH 1, Ethernet 2, VLAN 4, GRH 8, UDP 16 */
		int ip;
		uint8_t kind;
	} known[] = {
		{ 1, 0, IBW_ICRC_IB_LOCAL },
		{ 1 | 8, 0, IBW_ICRC_IB_GLOBAL },
		{ 2 | 8, 0, IBW_ICRC_ROCE_V1 },
		{ 2 | 4 | 8, 0, IBW_ICRC_ROCE_V1 },
		{ 8, 0, IBW_ICRC_ROCE_V1 },
		{ 2 | 16, 4, IBW_ICRC_ROCE_V2_IPV4 },
		{ 2 | 4 | 16, 4, IBW_ICRC_ROCE_V2_IPV4 },
		{ 2 | 8 | 16, 4, IBW_ICRC_ROCE_V2_IPV4 },
		{ 2 | 4 | 8 | 16, 4, IBW_ICRC_ROCE_V2_IPV4 },
		{ 16, 4, IBW_ICRC_ROCE_V2_IPV4 },
		{ 8 | 16, 4, IBW_ICRC_ROCE_V2_IPV4 },
		{ 2 | 16, 6, IBW_ICRC_ROCE_V2_IPV6 },
		{ 2 | 4 | 16, 6, IBW_ICRC_ROCE_V2_IPV6 },
		{ 2 | 8 | 16, 6, IBW_ICRC_ROCE_V2_IPV6 },
		{ 2 | 4 | 8 | 16, 6, IBW_ICRC_ROCE_V2_IPV6 },
		{ 16, 6, IBW_ICRC_ROCE_V2_IPV6 },
		{ 8 | 16, 6, IBW_ICRC_ROCE_V2_IPV6 },
	};
	unsigned int flags, k, built = 0;
	int ip, imm;

	for (flags = 0; flags < 32; flags++)
		for (ip = 0; ip <= 6; ip += ip == 0 ? 4 : 2)
			for (imm = 0; imm < 2; imm++) {
				uint8_t kind = IBW_ICRC_NONE;
				struct ibw_build b;
				enum ibw_build_error error;

				memset(&b, 0xff, sizeof(b));
				check_case("flags %u, IPv%d, immediate %d", flags, ip, imm);
				for (k = 0; k < sizeof(known) / sizeof(known[0]); k++)
					if (known[k].flags == flags && known[k].ip == ip)
						kind = known[k].kind;
				error = ibw_ud_header_init(255, flags & 1, flags & 2, flags & 4,
							   flags & 8, ip, flags & 16, imm, &b);
				CHECK_EQ(error, kind ? IBW_BUILD_OK : IBW_BUILD_UD_ARGUMENTS);
				if (error)
					continue;
				built++;
				CHECK_EQ(b.kind, kind);
				CHECK_EQ(b.bth.padcnt, 0);
				b.bth.dqpn = 7;
				CHECK_EQ(ibw_build_check(&b), IBW_BUILD_OK);
				CHECK_EQ(ibw_build_headers(NULL, 0, &b),
					 (flags & 2 ? 14 : 0) + (flags & 4 ? 4 : 0) +
						 (flags & 1 ? 8 : 0) + (flags & 8 && !ip ? 40 : 0) +
						 (ip == 4 ? 28 : 0) + (ip == 6 ? 48 : 0) + 12 + 8 +
						 (imm ? 4 : 0));
			}
	CHECK_EQ(built, 2 * sizeof(known) / sizeof(known[0]));
}

static void check_ipoib(const struct ibw_build *b, const uint8_t *body, uint32_t bytes,
			uint16_t type)
{
	struct ibw_packet pkt, ip;
	uint8_t packet[BUILD_ROOM];
	uint32_t n = (uint32_t)ibw_build_packet(packet, sizeof(packet), b, body);
	unsigned int i;

	CHECK_EQ(ibw_packet_walk(&pkt, packet, n, n, IBW_LINKTYPE_INFINIBAND, NULL), IBW_OK);
	CHECK_EQ(pkt.flags, 0);
	CHECK_EQ(ibw_packet_icrc(&pkt).status, IBW_CRC_GOOD);
	CHECK_EQ(ibw_packet_vcrc(&pkt).status, IBW_CRC_GOOD);
	CHECK_EQ(pkt.payload_len, bytes + 4);
	CHECK(ibw_packet_is_ipoib(&pkt));
	ibw_packet_walk_ipoib(&ip, &pkt);
	i = ibw_packet_find(&ip, IBW_LAYER_ipoib);
	if (CHECK(i != IBW_NO_SPAN))
		CHECK_EQ(ibw_ipoib_type(ibw_packet_at(&ip, i)), type);
	CHECK_MEM(packet + pkt.payload_off + 4, body, bytes);
}

/* An IPv4 header with @bytes in it, for whoever looks at the body. */
static void ipv4_body(uint8_t *body, uint32_t bytes)
{
	struct ibw_ipv4 ip = { .version = 4, .ihl = 5, .ttl = 1, .protocol = 17 };
	struct ibw_ipv4_wire *wire = (struct ibw_ipv4_wire *)body;

	ip.total_len = (uint16_t)bytes;
	memset(body, 0, bytes);
	ibw_ipv4_pack(wire, &ip);
	ibw_ipv4_set_checksum(wire, ibw_ipv4_checksum_of(wire, 20));
}

/*
 * RFC 4391, 4: ff, flags 1 (T alone, transient: RFC 4291, 2.7), any scope, and one of two signatures.
 * Those of RDMA CM's UDP groups are none of them.
 */
static void ipoib_mgids(void)
{
	uint8_t mgid[16] = { 0xff, 0x12, 0x40, 0x1b, 0xff, 0xff, [15] = 1 };
	unsigned int i, flags, signature;

	for (i = 0; i < 256; i++) {
		check_case("MGID %02x12:401b", i);
		mgid[0] = (uint8_t)i;
		CHECK_EQ(ibw_mgid_is_ipoib(mgid), i == 0xff);
	}
	mgid[0] = 0xff;
	for (flags = 0; flags < 16; flags++)
		for (i = 0; i < 16; i++) {
			check_case("MGID ff%x%x:401b", flags, i);
			mgid[1] = (uint8_t)(flags << 4 | i);
			CHECK_EQ(ibw_mgid_is_ipoib(mgid), flags == 1);
		}
	mgid[1] = 0x1e;
	for (signature = 0; signature < 0x10000; signature++) {
		mgid[2] = (uint8_t)(signature >> 8);
		mgid[3] = (uint8_t)signature;
		check_case("MGID ff1e:%04x", signature);
		CHECK_EQ(ibw_mgid_is_ipoib(mgid), signature == 0x401b || signature == 0x601b);
	}
}

static void ipoib(void)
{
	struct ibw_mcmember_rec group = { .qkey = 0xb1b, .mlid = 0xc001, .pkey = 0x8001, .sl = 3 };
	struct ibw_ipoib_hwaddr to = { .flags = IBW_IPOIB_FLAG_RC, .qpn = 0x123456 };
	struct ibw_ah ah = { .slid = 1, .dlid = 2, .pkey = 0xffff, .sl = 5 };
	uint8_t body[2100], hard[24], want[24] = { 0x80, 0x12, 0x34, 0x56, [20] = 0x86, 0xdd };
	struct ibw_build b;
	uint32_t n;

	memcpy(ah.sgid, gid_a, 16);
	memcpy(ah.dgid, gid_b, 16);
	for (n = 28; n < 2044; n += 61) {
		ipv4_body(body, n);
		for (ah.global = 0;; ah.global = 1) {
			check_case("IPoIB datagram of %u, GRH %d", n, ah.global);
			memset(&b, 0, sizeof(b));
			ibw_build_ipoib(&b, &ah, 0x48, 0xb1b, 0x49, IBW_ETHERTYPE_IPV4, n);
			CHECK_EQ(b.kind, ah.global ? IBW_ICRC_IB_GLOBAL : IBW_ICRC_IB_LOCAL);
			CHECK_EQ(b.deth.sqpn, 0x49);
			check_ipoib(&b, body, n, IBW_ETHERTYPE_IPV4);
			if (ah.global)
				break;
		}
	}
	check_case("IPoIB multicast");
	ibw_ipoib_mgid_broadcast(group.mgid, IBW_SCOPE_LINK_LOCAL, 0x8001);
	memset(&b, 0, sizeof(b));
	ibw_build_ipoib_multicast(&b, &group, 1, gid_a, 0x49, IBW_ETHERTYPE_IPV4, 28);
	CHECK_EQ(b.bth.dqpn, 0xffffff);
	CHECK_EQ(b.lrh.dlid, 0xc001);
	CHECK_EQ(b.bth.pkey, 0x8001);
	CHECK_MEM(b.grh.dgid, group.mgid, 16);
	ipv4_body(body, 28);
	check_ipoib(&b, body, 28, IBW_ETHERTYPE_IPV4);

	check_case("IPoIB hard header");
	memcpy(to.gid, gid_b, 16);
	memcpy(want + 4, gid_b, 16);
	CHECK_EQ(ibw_build_ipoib_hard_header(NULL, 23, &to, IBW_ETHERTYPE_IPV6), 24);
	CHECK_EQ(ibw_build_ipoib_hard_header(hard, 24, &to, IBW_ETHERTYPE_IPV6), 24);
	CHECK_MEM(hard, want, 24);
}

static void smps(void)
{
	static const uint8_t ports[3] = { 1, 17, 4 };
	uint8_t buf[257], want[256] = { 1, 1, 1, 2, [8] = 0, 0, 0, 0, 0, 0, 0, 9, 0, 0x15 };
	uint8_t many[64] = { 0 };

	check_case("SMP");
	memset(buf, 0xa5, sizeof(buf));
	CHECK(!ibw_smp_build(buf, 255, IBW_METHOD_SET, IBW_ATTR_SM_PORT_INFO, 3, 9, 0x77));
	CHECK_EQ(buf[0], 0xa5);
	CHECK(ibw_smp_build(buf, 256, IBW_METHOD_SET, IBW_ATTR_SM_PORT_INFO, 3, 9, 0x77) != NULL);
	want[15] = 9;
	want[16] = 0;
	want[17] = 0x15;
	want[11] = want[13] = 0;
	want[23] = 3;
	want[31] = 0x77;
	CHECK_MEM(buf, want, 256);
	CHECK_EQ(buf[256], 0xa5);

	check_case("directed route");
	CHECK(!ibw_smp_dr_build(buf, 256, IBW_METHOD_GET, 0x11, 0, 1, 0, many, 64));
	CHECK(ibw_smp_dr_build(buf, 256, IBW_METHOD_GET, 0x11, 0, 1, 0, ports, 3) != NULL);
	memset(want, 0, 256);
	want[0] = want[2] = want[3] = 1;
	want[1] = 0x81;
	want[7] = 3; /* hops */
	want[15] = 1;
	want[17] = 0x11;
	memset(want + 32, 0xff, 4);
	memcpy(want + 129, ports, 3);
	CHECK_MEM(buf, want, 256);
}

static void queries(void)
{
	struct ibw_sa_mad *q;
	struct ibw_path_rec path;
	uint8_t buf[256], want[256] = { 1, 3, 2, 1, [15] = 5, [17] = 0x35 };

	memset(buf, 0xa5, sizeof(buf));
	check_case("path query");
	CHECK(!ibw_sa_build(buf, 255, IBW_METHOD_GET, IBW_ATTR_SA_PATH_REC, 5));
	q = ibw_sa_build(buf, 256, IBW_METHOD_GET, IBW_ATTR_SA_PATH_REC, 5);
	if (!CHECK(q != NULL))
		return;
	CHECK_EQ(ibw_sa_comp_mask(&q->sa), 0);
	IBW_SA_SET(q, path_rec, dgid, gid_b);
	IBW_SA_SET(q, path_rec, sgid, gid_a);
	IBW_SA_SET(q, path_rec, numb_path, 2);
	IBW_SA_SET(q, path_rec, service_id, 0x1000000000000048);
	/* Linux: IB_SA_PATH_REC_DGID 2, SGID 3, NUMB_PATH 12, SERVICE_ID 0 and 1 */
	CHECK_EQ(ibw_sa_comp_mask(&q->sa), 1u << 2 | 1u << 3 | 1u << 12 | 3);
	ibw_path_rec_unpack(&path, (const struct ibw_path_rec_wire *)(buf + 56));
	CHECK_MEM(path.dgid, gid_b, 16);
	CHECK_MEM(path.sgid, gid_a, 16);
	CHECK_EQ(path.numb_path, 2);
	CHECK_EQ(path.service_id, 0x1000000000000048);
	/* IBTA vol 1, 15.2.1.1, 15.2.5.16; Linux 6.12 drivers/infiniband/core/sa_query.c:193 */
	want[54] = 0x10;
	want[55] = 0x0f;
	want[56] = 0x10;
	want[63] = 0x48;
	memcpy(want + 64, gid_b, 16);
	memcpy(want + 80, gid_a, 16);
	want[105] = 2;
	CHECK_MEM(buf, want, sizeof(want));

	check_case("join");
	memset(buf, 0xa5, sizeof(buf));
	q = ibw_sa_build(buf, 256, IBW_METHOD_SET, IBW_ATTR_SA_MCMEMBER_REC, 6);
	if (!CHECK(q != NULL))
		return;
	IBW_SA_SET(q, mcmember_rec, mgid, gid_a);
	IBW_SA_SET(q, mcmember_rec, join_state, IBW_JOIN_FULL);
	/* Linux: IB_SA_MCMEMBER_REC_MGID 0, JOIN_STATE 16 */
	CHECK_EQ(ibw_sa_comp_mask(&q->sa), 1u << 0 | 1u << 16);
	CHECK_EQ(ibw_mcmember_rec_join_state((const struct ibw_mcmember_rec_wire *)q->record), 1);
}

int main(void)
{
	ud_arguments();
	ipoib_mgids();
	ipoib();
	smps();
	queries();
	return check_end();
}
