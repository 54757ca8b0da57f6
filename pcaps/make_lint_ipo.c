/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* make_lint_ipo.c - the cases of group IPO: UD packets, link type 242, and cooked captures. */
#include <string.h>

#include "make_case.h"

#define QPN_A 0x48
#define QPN_B 0x49
#define IPV4_A 0xc0000201
#define IPV4_B 0xc0000202

static const uint8_t gid_a[16] = { 0xfe, 0x80, [8] = 0x02, [15] = 1 };
static const uint8_t gid_b[16] = { 0xfe, 0x80, [8] = 0x02, [15] = 2 };

/* What the packet carries from the encapsulation header on: the cases write into it. */
static uint8_t body[8192];
static uint32_t body_bytes;

#define ENCAP ((struct ibw_ipoib_wire *)body)
#define ARP ((struct ibw_arp_ipoib_wire *)(body + 4))
#define IP4 ((struct ibw_ipv4_wire *)(body + 4))
#define IP6 ((struct ibw_ipv6_wire *)(body + 4))
#define DHCP (body + 4 + 20 + 8)
#define ICMP6 (body + 4 + 40)

static void start(uint16_t type, uint32_t n)
{
	memset(body, 0, sizeof(body));
	body_bytes = 4 + n;
	ibw_ipoib_set_type(ENCAP, type);
}

static void arp(uint16_t op)
{
	struct ibw_arp_ipoib v = { .htype = IBW_ARP_HTYPE_INFINIBAND,
				   .ptype = IBW_ETHERTYPE_IPV4,
				   .hlen = 20,
				   .plen = 4,
				   .op = op,
				   .sha_flags = IBW_IPOIB_FLAG_RC,
				   .sha_qpn = QPN_A,
				   .spa = IPV4_A,
				   .tpa = IPV4_B };

	memcpy(v.sha_gid, gid_a, 16);
	if (op == IBW_ARP_REPLY) {
		v.tha_qpn = QPN_B;
		memcpy(v.tha_gid, gid_b, 16);
	}
	start(IBW_ETHERTYPE_ARP, 56);
	ibw_arp_ipoib_pack(ARP, &v);
}

static void ipv4(uint32_t dst, uint8_t protocol, uint32_t n)
{
	struct ibw_ipv4 v = {
		.version = 4, .ihl = 5, .ttl = 64, .protocol = protocol, .src = IPV4_A, .dst = dst
	};

	start(IBW_ETHERTYPE_IPV4, 20 + n);
	v.total_len = (uint16_t)(20 + n);
	ibw_ipv4_pack(IP4, &v);
	ibw_ipv4_set_checksum(IP4, ibw_ipv4_checksum_of(IP4, 20));
}

static void ipv6(const uint8_t dst[16], uint8_t next, uint32_t n)
{
	struct ibw_ipv6 v = { .version = 6, .nxthdr = next, .hop_limit = 255 };

	start(IBW_ETHERTYPE_IPV6, 40 + n);
	v.paylen = (uint16_t)n;
	memcpy(v.src, gid_a, 16);
	memcpy(v.dst, dst, 16);
	ibw_ipv6_pack(IP6, &v);
}

/* A neighbour solicitation with the sender's address. */
static void solicitation(void)
{
	ipv6(gid_b, IBW_IP_PROTO_ICMPV6, 24 + 24);
	ICMP6[0] = 135;
	ICMP6[24] = 1;
	ICMP6[25] = 3;
	ibw_put_be32(ICMP6 + 28, QPN_A);
	memcpy(ICMP6 + 32, gid_a, 16);
}

/* A DHCPDISCOVER with client identifier, asking for a broadcast answer. */
static void discover(void)
{
	static const uint8_t options[] = { 53, 1, 1, 61, 3, 0, 1, 2, 255 };
	struct ibw_udp udp = { .sport = 68, .dport = 67, .length = 8 + 240 + sizeof(options) };

	ipv4(UINT32_MAX, IBW_IP_PROTO_UDP, udp.length);
	ibw_udp_pack((struct ibw_udp_wire *)(body + 24), &udp);
	DHCP[0] = 1;
	DHCP[1] = 32;
	ibw_put_be16(DHCP + 10, 0x8000);
	ibw_put_be32(DHCP + 236, 0x63825363);
	memcpy(DHCP + 240, options, sizeof(options));
}

/* To the broadcast group, whose MGID the cases may change. */
static void to_group(struct mk_packet *p)
{
	static const uint8_t broadcast[16] = { 0xff, 0x12,        0x40, 0x1b, 0xff,
					       0xff, [12] = 0xff, 0xff, 0xff, 0xff };

	memcpy(p->grh.dgid, broadcast, 16);
	memcpy(p->grh.sgid, gid_a, 16);
	p->lrh.dlid = 0xc000;
	p->bth.dqpn = IBW_QPN_MULTICAST;
}

/* The group of a multicast address in the MGID, and its signature. */
static void group(struct mk_packet *p, uint16_t signature, uint32_t low)
{
	to_group(p);
	ibw_put_be16(p->grh.dgid + 2, signature);
	memset(p->grh.dgid + 6, 0, 10);
	ibw_put_be32(p->grh.dgid + 12, low);
}

/* The body in a UD packet; @then changes it or what is around it. */
#define UD(name, framing, make, ...)                                                               \
	static void name(struct mk_packet *p)                                                      \
	{                                                                                          \
		make;                                                                              \
		mk_start(p, MK_##framing, IBW_OP_UD_SEND_ONLY, body_bytes);                        \
		p->payload = body;                                                                 \
		p->deth.qkey = 0xb1b;                                                              \
		p->deth.sqpn = QPN_A;                                                              \
		p->bth.dqpn = QPN_B;                                                               \
		memcpy(p->grh.sgid, gid_a, 16);                                                    \
		__VA_ARGS__;                                                                       \
		p->payload_len = body_bytes;                                                       \
		mk_build(p);                                                                       \
	}

/* The same as the interface is captured, 40 bytes in front of it. */
#define LINK(name, make, ...)                                                                      \
	static void name(struct mk_packet *p)                                                      \
	{                                                                                          \
		static uint8_t b[40 + sizeof(body)];                                               \
		make;                                                                              \
		__VA_ARGS__;                                                                       \
		memcpy(b + 40, body, body_bytes);                                                  \
		mk_bytes(p, IBW_LINKTYPE_IPOIB, b, 40 + body_bytes);                               \
		p->payload_off = 40;                                                               \
	}

LINK(plain, ipv4(IPV4_B, 253, 20), (void)p)
LINK(encap_reserved, ipv4(IPV4_B, 253, 20), body[3] = 1)
UD(group_reserved, IB_GLOBAL, arp(IBW_ARP_REQUEST), to_group(p); body[2] = 1)
LINK(type_8100, start(IBW_ETHERTYPE_VLAN, 40), (void)p)
LINK(type_88b5, start(0x88b5, 40), (void)p)
UD(ud_type_88b5, IB_GLOBAL, start(0x88b5, 40), to_group(p))
LINK(type_rarp, arp(IBW_ARP_RARP_REQUEST), ibw_ipoib_set_type(ENCAP, IBW_ETHERTYPE_RARP))
UD(request, IB_GLOBAL, arp(IBW_ARP_REQUEST), to_group(p))
UD(reply, IB_LOCAL, arp(IBW_ARP_REPLY), (void)p)
UD(reply_global, IB_GLOBAL, arp(IBW_ARP_REPLY), (void)p)
LINK(htype_1, arp(IBW_ARP_REQUEST), ibw_arp_ipoib_set_htype(ARP, 1))
UD(group_htype_1, IB_GLOBAL, arp(IBW_ARP_REQUEST), to_group(p); ibw_arp_ipoib_set_htype(ARP, 1))
UD(hlen_6, IB_LOCAL, arp(IBW_ARP_REPLY), ibw_arp_ipoib_set_hlen(ARP, 6))
LINK(hlen_8, arp(IBW_ARP_REPLY), ibw_arp_ipoib_set_hlen(ARP, 8))
UD(arp_60, IB_LOCAL, arp(IBW_ARP_REPLY), body_bytes += 4)
LINK(arp_55, arp(IBW_ARP_REPLY), body_bytes--)
UD(flags_20, IB_LOCAL, arp(IBW_ARP_REPLY), ibw_arp_ipoib_set_sha_flags(ARP, 0x20))
UD(flags_c0, IB_LOCAL, arp(IBW_ARP_REPLY), ibw_arp_ipoib_set_sha_flags(ARP, 0xc0))
UD(sender_qp_1, IB_LOCAL, arp(IBW_ARP_REPLY), ibw_arp_ipoib_set_sha_qpn(ARP, 1))
LINK(target_qp_0, arp(IBW_ARP_REPLY), ibw_arp_ipoib_set_tha_qpn(ARP, 0))
LINK(sender_qp_all, arp(IBW_ARP_REQUEST), ibw_arp_ipoib_set_sha_qpn(ARP, IBW_QPN_MULTICAST))
LINK(sender_qp_2, arp(IBW_ARP_REQUEST), ibw_arp_ipoib_set_sha_qpn(ARP, 2))
UD(sender_other_qp, IB_LOCAL, arp(IBW_ARP_REPLY), p->deth.sqpn = QPN_A + 1)
UD(sender_other_gid, IB_GLOBAL, arp(IBW_ARP_REPLY), memcpy(p->grh.sgid, gid_b, 16))
UD(probe, IB_LOCAL, arp(IBW_ARP_REQUEST), ibw_arp_ipoib_set_tha_qpn(ARP, QPN_B))
UD(request_target_all, IB_GLOBAL, arp(IBW_ARP_REQUEST), to_group(p);
   ibw_arp_ipoib_set_tha_qpn(ARP, IBW_QPN_MULTICAST))
UD(request_other_group, IB_GLOBAL, arp(IBW_ARP_REQUEST), group(p, 0x401b, 1))
UD(broadcast_unicast, IB_LOCAL, ipv4(UINT32_MAX, 253, 20), (void)p)
UD(broadcast, IB_GLOBAL, ipv4(UINT32_MAX, 253, 20), to_group(p))
UD(group_v4, IB_GLOBAL, ipv4(0xe8000001, 253, 20), group(p, 0x401b, 0x08000001))
UD(group_v4_in_v6, IB_GLOBAL, ipv4(0xe0000001, 253, 20), group(p, 0x601b, 1))
UD(group_v6_in_v4, IB_GLOBAL,
   ipv6((const uint8_t[16]){ 0xff, 0x02, [15] = 1 }, IBW_IP_PROTO_NONE, 0), group(p, 0x401b, 1))
UD(group_v6, IB_GLOBAL, ipv6((const uint8_t[16]){ 0xff, 0x02, [15] = 1 }, IBW_IP_PROTO_NONE, 0),
   group(p, 0x601b, 1))
UD(group_of_sa, IB_GLOBAL, ipv4(0xe0000001, 253, 20), group(p, 0xa01b, 7))
UD(mgid_other_pkey, IB_GLOBAL, arp(IBW_ARP_REQUEST), to_group(p); p->grh.dgid[4] = 0x80;
   p->grh.dgid[5] = 1)
UD(mgid_pkey_limited, IB_GLOBAL, arp(IBW_ARP_REQUEST), to_group(p); p->bth.pkey = 0x7fff)
UD(group_v4_other, IB_GLOBAL, ipv4(0xe1234567, 253, 20), group(p, 0x401b, 0x09abcdef))
UD(group_v6_other, IB_GLOBAL,
   ipv6((const uint8_t[16]){ 0xff, 0x02, [14] = 1, [15] = 1 }, IBW_IP_PROTO_NONE, 0),
   group(p, 0x601b, 1))
UD(group_all_routers, IB_GLOBAL, ipv4(0xe0000009, 253, 20), group(p, 0x401b, 2))
UD(ud_4093, IB_LOCAL, ipv4(IPV4_B, 253, 4093 - 20), (void)p)
UD(ud_4092, IB_LOCAL, ipv4(IPV4_B, 253, 4092 - 20), (void)p)
LINK(solicit, solicitation(), (void)p)
LINK(nd_length_1, solicitation(), ICMP6[25] = 1)
UD(nd_length_4, IB_LOCAL, solicitation(), ICMP6[25] = 4)
UD(nd_length_0, IB_LOCAL, solicitation(), ICMP6[24] = 5; ICMP6[25] = 0)
LINK(nd_pad, solicitation(), ICMP6[27] = 1)
UD(ud_nd_pad, IB_LOCAL, solicitation(), ICMP6[26] = 1)
UD(nd_other_option, IB_LOCAL, solicitation(), ICMP6[24] = 14; ICMP6[26] = 1)
LINK(dhcp, discover(), (void)p)
LINK(dhcp_hlen, discover(), DHCP[2] = 20)
UD(dhcp_chaddr, IB_GLOBAL, discover(), to_group(p); DHCP[43] = 1)
LINK(dhcp_ethernet, discover(), DHCP[1] = 1; DHCP[2] = 6; DHCP[28] = 2)
LINK(dhcp_no_id, discover(), DHCP[243] = 60)
LINK(dhcp_id_last, discover(), DHCP[244] = 4)
LINK(dhcp_id_beyond, discover(), DHCP[244] = 5)
UD(dhcp_no_broadcast, IB_GLOBAL, discover(), to_group(p); DHCP[10] = 0)
LINK(dhcp_renewal, discover(), DHCP[10] = 0; ibw_put_be32(DHCP + 12, IPV4_A))
LINK(dhcp_server, discover(), DHCP[0] = 2; DHCP[10] = 0; DHCP[243] = 60)

/* A cooked capture of a device of type @hatype: what comes after the encapsulation header. */
static void cooked(struct mk_packet *p, uint32_t linktype, uint16_t hatype)
{
	static uint8_t b[ibw_sll2_BYTES + sizeof(body)];
	const struct ibw_sll sll = { .hatype = hatype,
				     .halen = 20,
				     .protocol = ibw_ipoib_type(ENCAP) };
	const struct ibw_sll2 sll2 = {
		.hatype = hatype, .halen = 20, .ifindex = 3, .protocol = ibw_ipoib_type(ENCAP)
	};
	uint32_t at = linktype == IBW_LINKTYPE_SLL ? ibw_sll_BYTES : ibw_sll2_BYTES;

	if (linktype == IBW_LINKTYPE_SLL)
		ibw_sll_pack((struct ibw_sll_wire *)b, &sll);
	else
		ibw_sll2_pack((struct ibw_sll2_wire *)b, &sll2);
	memcpy(b + at, body + ibw_ipoib_BYTES, body_bytes - ibw_ipoib_BYTES);
	mk_bytes(p, linktype, b, at + body_bytes - ibw_ipoib_BYTES);
	p->payload_off = at - ibw_ipoib_BYTES; /* places are counted from there */
}

#define COOKED(name, linktype, hatype, make, ...)                                                  \
	static void name(struct mk_packet *p)                                                      \
	{                                                                                          \
		make;                                                                              \
		__VA_ARGS__;                                                                       \
		cooked(p, IBW_LINKTYPE_##linktype, hatype);                                        \
	}

COOKED(sll_request, SLL, 32, arp(IBW_ARP_REQUEST), (void)p)
COOKED(sll2_reply, SLL2, 32, arp(IBW_ARP_REPLY), (void)p)
COOKED(sll_htype_1, SLL, 32, arp(IBW_ARP_REQUEST), ibw_arp_ipoib_set_htype(ARP, 1))
COOKED(sll2_htype_1, SLL2, 32, arp(IBW_ARP_REQUEST), ibw_arp_ipoib_set_htype(ARP, 1))
COOKED(sll_hlen_8, SLL, 32, arp(IBW_ARP_REPLY), ibw_arp_ipoib_set_hlen(ARP, 8))
COOKED(sll2_hlen_8, SLL2, 32, arp(IBW_ARP_REPLY), ibw_arp_ipoib_set_hlen(ARP, 8))
COOKED(sll2_arp_60, SLL2, 32, arp(IBW_ARP_REPLY), body_bytes += 4)
COOKED(sll_target_qp_0, SLL, 32, arp(IBW_ARP_REPLY), ibw_arp_ipoib_set_tha_qpn(ARP, 0))
COOKED(sll_dhcp_no_id, SLL, 32, discover(), DHCP[243] = 60)
COOKED(sll2_nd_pad, SLL2, 32, solicitation(), ICMP6[27] = 1)
/* ARP of an Ethernet device, which is not decoded. */
COOKED(sll_ethernet, SLL, 1, arp(IBW_ARP_REQUEST), ibw_arp_ipoib_set_htype(ARP, 1))
COOKED(sll2_ethernet, SLL2, 1, arp(IBW_ARP_REQUEST), ibw_arp_ipoib_set_hlen(ARP, 8))

/* As if it were so long, cut by a snap length of 128. */
static void cm_bytes(struct mk_packet *p, uint32_t bytes)
{
	static uint8_t b[128];

	ipv4(IPV4_B, 253, 84 - 20);
	memcpy(b + 40, body, sizeof(b) - 40);
	ibw_ipv4_set_total_len((struct ibw_ipv4_wire *)(b + 44), (uint16_t)(bytes - 4));
	mk_bytes(p, IBW_LINKTYPE_IPOIB, b, sizeof(b));
	p->payload_off = 40;
	p->len = 40 + bytes;
}

static void cm_65525(struct mk_packet *p)
{
	cm_bytes(p, 65525);
}

static void cm_65524(struct mk_packet *p)
{
	cm_bytes(p, 65524);
}

static const struct mk_case cases[] = {
	{ "IPO001", MK_FIRES, encap_reserved, "ipoib+2:2", NULL, "reserved byte 3" },
	{ "IPO001", MK_FIRES, group_reserved, "ipoib+2:2", NULL,
	  "reserved byte 2, to the broadcast group" },
	{ "IPO001", MK_MISSES, plain, "ipoib", NULL, "zeros" },
	{ "IPO002", MK_FIRES, type_8100, "ipoib.type", NULL, "a VLAN tag" },
	{ "IPO002", MK_FIRES, type_88b5, "ipoib.type", NULL, "a type for experiments" },
	{ "IPO002", MK_FIRES, ud_type_88b5, "ipoib.type", NULL,
	  "the same in a UD packet to a group" },
	{ "IPO002", MK_MISSES, type_rarp, "ipoib", NULL, "RARP" },
	{ "IPO003", MK_FIRES, htype_1, "arp_ipoib/arp_hdr.htype", NULL, "ARP for Ethernet" },
	{ "IPO003", MK_FIRES, group_htype_1, "arp_ipoib/arp_hdr.htype", NULL,
	  "the same to the broadcast group" },
	{ "IPO003", MK_MISSES, request, "arp_ipoib", NULL, "ARP for InfiniBand" },
	{ "IPO004", MK_FIRES, hlen_6, "arp/arp_hdr.hlen", NULL, "addresses of 6 bytes" },
	{ "IPO004", MK_FIRES, hlen_8, "arp_hdr.hlen", NULL, "addresses of 8 bytes" },
	{ "IPO004", MK_MISSES, reply, "arp_ipoib", NULL, "addresses of 20 bytes" },
	{ "IPO005", MK_FIRES, arp_60, "arp_ipoib/payload+4:60", NULL, "60 bytes" },
	{ "IPO005", MK_FIRES, arp_55, "arp_ipoib/payload+4:55", NULL, "55 bytes" },
	{ "IPO005", MK_MISSES, reply, "arp_ipoib", NULL, "56 bytes" },
	{ "IPO006", MK_FIRES, flags_20, "arp_ipoib.sha_flags", NULL, "flags 0x20" },
	{ "IPO006", MK_MISSES, flags_c0, "arp_ipoib", NULL, "flags 0xc0" },
	{ "IPO007", MK_FIRES, sender_qp_1, "arp_ipoib.sha_qpn", "IPO008=arp_ipoib.sha_qpn",
	  "sender QP1" },
	{ "IPO007", MK_FIRES, target_qp_0, "arp_ipoib.tha_qpn", NULL, "target QP0 in a reply" },
	{ "IPO007", MK_FIRES, sender_qp_all, "arp_ipoib.sha_qpn", NULL, "sender QP 0xffffff" },
	{ "IPO007", MK_MISSES, sender_qp_2, "arp_ipoib", NULL,
	  "sender QP2, target 0 in a request" },
	{ "IPO008", MK_FIRES, sender_other_qp, "arp_ipoib.sha_qpn", NULL, "another QP sent it" },
	{ "IPO008", MK_MISSES, reply, "arp_ipoib", NULL, "the sender's QP sent it" },
	{ "IPO009", MK_FIRES, sender_other_gid, "arp_ipoib.sha_gid", NULL, "another GID sent it" },
	{ "IPO009", MK_MISSES, reply_global, "arp_ipoib", NULL, "the sender's GID sent it" },
	{ "IPO010", MK_FIRES, probe, "arp_ipoib.tha_qpn", NULL, "a request that knows the QP" },
	{ "IPO010", MK_MISSES, request, "arp_ipoib", NULL, "a request with zeros" },
	{ "IPO010", MK_MISSES, request_target_all, "arp_ipoib", NULL,
	  "a request with the broadcast QP" },
	{ "IPO011", MK_FIRES, request_other_group, "bth.dqpn", NULL, "ARP to another group" },
	{ "IPO011", MK_FIRES, broadcast_unicast, "bth.dqpn", NULL, "255.255.255.255 to one QP" },
	{ "IPO011", MK_MISSES, broadcast, "ipoib", NULL, "255.255.255.255 to the broadcast group" },
	{ "IPO011", MK_MISSES, probe, "ipoib", "IPO010=arp_ipoib.tha_qpn", "ARP to one QP" },
	{ "IPO012", MK_FIRES, group_v4_in_v6, "grh.dgid", NULL, "IPv4 with 0x601b" },
	{ "IPO012", MK_FIRES, group_v6_in_v4, "grh.dgid", NULL, "IPv6 with 0x401b" },
	{ "IPO012", MK_MISSES, group_v6, "ipoib", NULL, "IPv6 with 0x601b" },
	{ "IPO012", MK_MISSES, group_of_sa, "ipoib", NULL, "an MGID of the SA" },
	{ "IPO013", MK_FIRES, mgid_other_pkey, "grh.dgid", NULL, "the MGID of partition 0x8001" },
	{ "IPO013", MK_MISSES, mgid_pkey_limited, "ipoib", NULL, "sent by a limited member" },
	{ "IPO014", MK_FIRES, group_v4_other, "grh.dgid", NULL,
	  "225.35.69.103 to the group of 233.171.205.239" },
	{ "IPO014", MK_FIRES, group_v6_other, "grh.dgid", NULL,
	  "ff02::101 to the group of ff02::1" },
	{ "IPO014", MK_MISSES, group_v4, "ipoib", NULL, "232.0.0.1: 28 bits of it" },
	{ "IPO014", MK_MISSES, group_all_routers, "ipoib", NULL, "224.0.0.9 to all routers" },
	{ "IPO016", MK_FIRES, ud_4093, "ipoib/payload+4:4093", NULL, "4093 bytes of IP" },
	{ "IPO016", MK_MISSES, ud_4092, "ipoib", NULL, "4092 bytes of IP" },
	{ "IPO017", MK_FIRES, cm_65525, "ipoib/payload+4:84", "CAP004=file/cut", "65525 bytes" },
	{ "IPO017", MK_MISSES, cm_65524, "ipoib", "CAP004=file/cut", "65524 bytes" },
	{ "IPO003", MK_FIRES, sll_htype_1, "arp_ipoib.htype", NULL, "hardware type 1, cooked" },
	{ "IPO003", MK_FIRES, sll2_htype_1, "arp_ipoib.htype", NULL, "hardware type 1, cooked v2" },
	{ "IPO003", MK_MISSES, sll_request, "arp_ipoib", NULL, "hardware type 32, cooked" },
	{ "IPO003", MK_MISSES, sll_ethernet, "sll", NULL, "of an Ethernet device" },
	{ "IPO004", MK_FIRES, sll_hlen_8, "arp_hdr.hlen", NULL, "8 bytes, cooked" },
	{ "IPO004", MK_FIRES, sll2_hlen_8, "arp_hdr.hlen", NULL, "8 bytes, cooked v2" },
	{ "IPO004", MK_MISSES, sll2_reply, "arp_ipoib", NULL, "20 bytes, cooked v2" },
	{ "IPO004", MK_MISSES, sll2_ethernet, "sll2", NULL, "of an Ethernet device" },
	{ "IPO005", MK_FIRES, sll2_arp_60, "arp_ipoib/payload+4:60", NULL,
	  "4 bytes more, cooked v2" },
	{ "IPO007", MK_FIRES, sll_target_qp_0, "arp_ipoib.tha_qpn", NULL, "qp 0, cooked" },
	{ "IPO020", MK_FIRES, sll2_nd_pad, "nd_lladdr+2:2", NULL, "pad 0x0001, cooked v2" },
	{ "IPO022", MK_FIRES, sll_dhcp_no_id, "dhcp+0:249", NULL, "no client identifier, cooked" },
	{ "IPO019", MK_FIRES, nd_length_1, "nd_option.length", NULL, "length 1" },
	{ "IPO019", MK_FIRES, nd_length_4, "nd_option.length", NULL, "length 4" },
	{ "IPO019", MK_MISSES, solicit, "nd_lladdr", NULL, "length 3" },
	{ "IPO019", MK_MISSES, nd_length_0, "nd_option", NULL, "another option, of length 0" },
	{ "IPO020", MK_FIRES, nd_pad, "nd_lladdr+2:2", NULL, "pad 0x0001" },
	{ "IPO020", MK_FIRES, ud_nd_pad, "nd_lladdr+2:2", NULL, "pad 0x0100, in a UD packet" },
	{ "IPO020", MK_MISSES, solicit, "nd_lladdr", NULL, "pad 0" },
	{ "IPO020", MK_MISSES, nd_other_option, "nd_option", NULL, "another option, a nonce" },
	{ "IPO021", MK_FIRES, dhcp_hlen, "dhcp.hlen", NULL, "hlen 20" },
	{ "IPO021", MK_FIRES, dhcp_chaddr, "dhcp.chaddr", NULL, "the last byte of chaddr" },
	{ "IPO021", MK_MISSES, dhcp, "dhcp", NULL, "hlen 0, chaddr 0" },
	{ "IPO021", MK_MISSES, dhcp_ethernet, "dhcp", NULL, "of an Ethernet client" },
	{ "IPO022", MK_FIRES, dhcp_no_id, "dhcp+0:249", NULL, "no client identifier" },
	{ "IPO022", MK_FIRES, dhcp_no_broadcast, "dhcp+10:2", NULL, "no broadcast flag" },
	{ "IPO022", MK_FIRES, dhcp_id_beyond, "dhcp+0:249", NULL,
	  "an identifier that is longer than the packet" },
	{ "IPO022", MK_MISSES, dhcp_id_last, "dhcp", NULL, "the identifier ends the packet" },
	{ "IPO022", MK_MISSES, dhcp, "dhcp", NULL, "both" },
	{ "IPO022", MK_MISSES, dhcp_renewal, "dhcp", NULL, "the client has an address" },
	{ "IPO022", MK_MISSES, dhcp_server, "dhcp", NULL, "a server's answer" },
	{ 0 },
};

static const struct mk_claim claims[] = {
	{ "IPO", NULL, MK_IN_IB, "IP over InfiniBand" },
	{ "IPO017", NULL, 0, "only the interface has connected mode" },
	{ "IPO012", NULL, MK_IN(IB_GLOBAL), "compared with the MGID" },
	{ "IPO013", NULL, MK_IN(IB_GLOBAL), "compared with the MGID" },
	{ "IPO014", NULL, MK_IN(IB_GLOBAL), "compared with the MGID" },
	{ "IPO001", NULL, MK_IN(IB_GLOBAL), "without a group nothing says that it is IPoIB" },
	{ "IPO002", NULL, MK_IN(IB_GLOBAL), "without a group nothing says that it is IPoIB" },
	{ "IPO003", NULL, MK_IN(IB_GLOBAL), "without a group nothing says that it is IPoIB" },
	{ "IPO021", NULL, MK_IN(IB_GLOBAL), "the client broadcasts" },
	{ "IPO022", NULL, MK_IN(IB_GLOBAL), "the client broadcasts" },
	{ "IPO009", NULL, MK_IN(IB_GLOBAL), "compared with the SGID" },
	{ "IPO011", request_other_group, MK_IN(IB_GLOBAL), "to a group, so with a GRH" },
	{ 0 },
};

const struct mk_group mk_lint_ipo = { "ipo", cases, NULL, claims };
