/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* make_ipoib.c - IP over InfiniBand: inside UD packets, and after a capture's own area. RFC 4391 */
#include <string.h>

#include "make.h"

#define QKEY 0x0b1b
#define QPN_A 0x48
#define QPN_B 0x49
#define IPV4_A 0xc0000201
#define IPV4_B 0xc0000202
#define IPV4_GROUP 0xe0000001
#define MLID_FIRST 0xc000

static const uint8_t gid_a[16] = { 0xfe, 0x80, [8] = 0x02, [15] = 1 };
static const uint8_t gid_b[16] = { 0xfe, 0x80, [8] = 0x02, [15] = 2 };
/* Flags "transient", scope link-local, signature 0x401b or 0x601b, P_Key, group: RFC 4391, 4 */
static const uint8_t mgid_broadcast[16] = {
	0xff, 0x12, 0x40, 0x1b, 0xff, 0xff, [12] = 0xff, [13] = 0xff, [14] = 0xff, [15] = 0xff
};
static const uint8_t mgid_group[16] = { 0xff, 0x12, 0x40, 0x1b, 0xff, 0xff, [15] = 0x01 };
static const uint8_t all_nodes[16] = { 0xff, 0x02, [15] = 1 };
static const uint8_t mgid_nodes[16] = { 0xff, 0x12, 0x60, 0x1b, 0xff, 0xff, [15] = 0x01 };

/* What an IPoIB packet carries: the encapsulation header and after it ARP or IP. */
struct body {
	uint8_t b[512];
	uint32_t n;
};

static uint8_t *body_append(struct body *body, uint32_t n)
{
	uint8_t *at = body->b + body->n;

	body->n += n;
	return at;
}

#define BODY_PUT(body, name, value)                                                                \
	ibw_##name##_pack((struct ibw_##name##_wire *)body_append((body), ibw_##name##_BYTES),     \
			  (value))

static void body_start(struct body *body, uint16_t type)
{
	struct ibw_ipoib ipoib = { .type = type };

	memset(body, 0, sizeof(*body));
	BODY_PUT(body, ipoib, &ipoib);
}

static void body_arp(struct body *body, uint16_t op)
{
	bool reply = op == IBW_ARP_REPLY;
	struct ibw_arp_ipoib arp = { .htype = IBW_ARP_HTYPE_INFINIBAND,
				     .ptype = IBW_ETHERTYPE_IPV4,
				     .hlen = 20,
				     .plen = 4,
				     .op = op };

	body_start(body, IBW_ETHERTYPE_ARP);
	arp.sha_flags = IBW_IPOIB_FLAG_RC;
	arp.sha_qpn = reply ? QPN_B : QPN_A;
	memcpy(arp.sha_gid, reply ? gid_b : gid_a, 16);
	arp.spa = reply ? IPV4_B : IPV4_A;
	arp.tpa = reply ? IPV4_A : IPV4_B;
	if (reply) {
		arp.tha_flags = IBW_IPOIB_FLAG_RC;
		arp.tha_qpn = QPN_A;
		memcpy(arp.tha_gid, gid_a, 16);
	}
	BODY_PUT(body, arp_ipoib, &arp);
}

static uint16_t ipv4_checksum(const uint8_t *p)
{
	uint32_t sum = 0;
	unsigned int i;

	for (i = 0; i < ibw_ipv4_BYTES; i += 2)
		sum += ibw_get_be16(p + i);
	sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t) ~((sum & 0xffff) + (sum >> 16));
}

static void body_udp(struct body *body, uint32_t n)
{
	struct ibw_udp udp = { .sport = 5001, .dport = 5001 };

	udp.length = (uint16_t)(ibw_udp_BYTES + n);
	BODY_PUT(body, udp, &udp);
	memset(body_append(body, n), 0x55, n);
}

static void body_ipv4(struct body *body, uint32_t dst, uint32_t n)
{
	struct ibw_ipv4 ip = { .version = 4,
			       .ihl = 5,
			       .df = 1,
			       .ttl = 1,
			       .protocol = IBW_IP_PROTO_UDP,
			       .src = IPV4_A,
			       .dst = dst };

	body_start(body, IBW_ETHERTYPE_IPV4);
	ip.total_len = (uint16_t)(ibw_ipv4_BYTES + ibw_udp_BYTES + n);
	BODY_PUT(body, ipv4, &ip);
	ibw_ipv4_set_checksum((struct ibw_ipv4_wire *)(body->b + ibw_ipoib_BYTES),
			      ipv4_checksum(body->b + ibw_ipoib_BYTES));
	body_udp(body, n);
}

static void body_ipv6(struct body *body, const uint8_t dst[16], uint32_t n)
{
	struct ibw_ipv6 ip = { .version = 6, .nxthdr = IBW_IP_PROTO_UDP, .hop_limit = 1 };

	body_start(body, IBW_ETHERTYPE_IPV6);
	ip.paylen = (uint16_t)(ibw_udp_BYTES + n);
	memcpy(ip.src, gid_a, 16);
	memcpy(ip.dst, dst, 16);
	BODY_PUT(body, ipv6, &ip);
	body_udp(body, n);
}

/* To the group @mgid, or, if that is NULL, from one end to the other. */
static void put_ib(struct mk_capture *c, struct mk_packet *p, const struct body *body,
		   const uint8_t *mgid, unsigned int group)
{
	mk_start(p, mgid ? MK_IB_GLOBAL : MK_IB_LOCAL, IBW_OP_UD_SEND_ONLY, body->n);
	p->payload = body->b;
	p->deth.qkey = QKEY;
	p->deth.sqpn = QPN_A;
	p->bth.dqpn = QPN_B;
	memcpy(p->grh.sgid, gid_a, 16);
	if (mgid) {
		memcpy(p->grh.dgid, mgid, 16);
		p->lrh.dlid = (uint16_t)(MLID_FIRST + group);
		p->bth.dqpn = IBW_QPN_MULTICAST;
	}
	mk_build(p);
	mk_put(c, p);
	p->serial++;
}

static void put_arp_reply(struct mk_capture *c, struct mk_packet *p, const struct body *body)
{
	mk_start(p, MK_IB_LOCAL, IBW_OP_UD_SEND_ONLY, body->n);
	p->payload = body->b;
	p->deth.qkey = QKEY;
	p->deth.sqpn = QPN_B;
	p->bth.dqpn = QPN_A;
	p->lrh.slid = 2;
	p->lrh.dlid = 1;
	mk_build(p);
	mk_put(c, p);
	p->serial++;
}

static void write_ib(void)
{
	struct mk_capture c;
	struct mk_packet p = { 0 };
	struct body body;

	mk_file_begin(&c, "ipoib-ib.pcap", false);
	mk_pcap(&c, IBW_LINKTYPE_INFINIBAND, 0, MK_NANO);
	body_arp(&body, IBW_ARP_REQUEST);
	put_ib(&c, &p, &body, mgid_broadcast, 0);
	body_arp(&body, IBW_ARP_REPLY);
	put_arp_reply(&c, &p, &body);
	body_ipv4(&body, IPV4_B, 20);
	put_ib(&c, &p, &body, NULL, 0);
	body_ipv4(&body, IPV4_GROUP, 21);
	put_ib(&c, &p, &body, mgid_group, 1);
	body_ipv6(&body, gid_b, 22);
	put_ib(&c, &p, &body, NULL, 0);
	body_ipv6(&body, all_nodes, 23);
	put_ib(&c, &p, &body, mgid_nodes, 2);
	mk_file_end(&c);
}

static void icmpv6_checksum(struct body *body)
{
	const struct ibw_ipv6_wire *ip = (const struct ibw_ipv6_wire *)(body->b + ibw_ipoib_BYTES);
	uint8_t *icmp = body->b + ibw_ipoib_BYTES + ibw_ipv6_BYTES;
	uint32_t n = ibw_ipv6_paylen(ip);
	uint64_t sum = ibw_ipv6_pseudo_sum(ip, n) - IBW_IP_PROTO_UDP + IBW_IP_PROTO_ICMPV6;

	ibw_icmpv6_set_checksum((struct ibw_icmpv6_wire *)icmp,
				(uint16_t)~ibw_sum_fold(sum + ibw_bytes_sum(icmp, n)));
}

/* A message of neighbor discovery of @n bytes at its place, after the IPv6 header. */
static uint8_t *body_icmpv6(struct body *body, const uint8_t dst[16], uint8_t type, uint32_t n)
{
	struct ibw_ipv6 ip = { .version = 6, .nxthdr = IBW_IP_PROTO_ICMPV6, .hop_limit = 255 };
	struct ibw_icmpv6 icmp = { .type = type };

	body_start(body, IBW_ETHERTYPE_IPV6);
	ip.paylen = (uint16_t)(ibw_icmpv6_BYTES + n);
	memcpy(ip.src, gid_a, 16);
	memcpy(ip.dst, dst, 16);
	BODY_PUT(body, ipv6, &ip);
	BODY_PUT(body, icmpv6, &icmp);
	return body_append(body, n);
}

static void lladdr(uint8_t *at, uint8_t type, uint32_t qpn, const uint8_t gid[16])
{
	struct ibw_nd_lladdr v = { .type = type, .length = 3, .qpn = qpn };

	memcpy(v.gid, gid, 16);
	ibw_nd_lladdr_pack((struct ibw_nd_lladdr_wire *)at, &v);
}

static void put_icmpv6(struct mk_capture *c, struct mk_packet *p, struct body *body)
{
	icmpv6_checksum(body);
	put_ib(c, p, body, NULL, 0);
}

static void put_nd(struct mk_capture *c, struct mk_packet *p)
{
	struct ibw_nd_neighbor neighbor = { .router = 0 };
	struct ibw_nd_router router = { .hop_limit = 64, .other = 1, .lifetime = 1800 };
	struct ibw_nd_redirect redirect;
	struct body body;
	uint8_t *at;

	memcpy(neighbor.target, gid_b, 16);
	at = body_icmpv6(&body, gid_b, IBW_ICMPV6_NEIGHBOR_SOLICITATION,
			 ibw_nd_neighbor_BYTES + ibw_nd_lladdr_BYTES);
	ibw_nd_neighbor_pack((struct ibw_nd_neighbor_wire *)at, &neighbor);
	lladdr(at + ibw_nd_neighbor_BYTES, IBW_ND_SOURCE_LLADDR, QPN_A, gid_a);
	put_icmpv6(c, p, &body);
	neighbor.solicited = neighbor.override = 1;
	memcpy(neighbor.target, gid_a, 16);
	at = body_icmpv6(&body, gid_b, IBW_ICMPV6_NEIGHBOR_ADVERTISEMENT,
			 ibw_nd_neighbor_BYTES + ibw_nd_lladdr_BYTES);
	ibw_nd_neighbor_pack((struct ibw_nd_neighbor_wire *)at, &neighbor);
	lladdr(at + ibw_nd_neighbor_BYTES, IBW_ND_TARGET_LLADDR, QPN_A, gid_a);
	put_icmpv6(c, p, &body);
	body_icmpv6(&body, gid_b, IBW_ICMPV6_ROUTER_SOLICITATION, ibw_reserved_4_BYTES);
	put_icmpv6(c, p, &body);
	at = body_icmpv6(&body, gid_b, IBW_ICMPV6_ROUTER_ADVERTISEMENT, ibw_nd_router_BYTES + 8);
	ibw_nd_router_pack((struct ibw_nd_router_wire *)at, &router);
	at[ibw_nd_router_BYTES] = IBW_ND_MTU;
	at[ibw_nd_router_BYTES + 1] = 1;
	ibw_put_be32(at + ibw_nd_router_BYTES + 4, 2044);
	put_icmpv6(c, p, &body);
	memcpy(redirect.target, gid_a, 16);
	memcpy(redirect.dst, gid_b, 16);
	at = body_icmpv6(&body, gid_b, IBW_ICMPV6_REDIRECT, ibw_nd_redirect_BYTES);
	ibw_nd_redirect_pack((struct ibw_nd_redirect_wire *)at, &redirect);
	put_icmpv6(c, p, &body);
	body_icmpv6(&body, gid_b, IBW_ICMPV6_ECHO_REQUEST, 12);
	put_icmpv6(c, p, &body);
}

/* DHCPDISCOVER: no hardware address, a broadcast answer, an identifier. RFC 4390, 2.1 */
static void put_dhcp(struct mk_capture *c, struct mk_packet *p)
{
	/* Type 255, IAID 1, DUID type 3 with hardware type 32 and a GUID; two parameters. */
	static const uint8_t options[] = { 53, 1, 1, 0, 61, 17, 255, 0, 0, 0,  1, 0, 3, 0,
					   32, 2, 0, 0, 0,  0,  0,   0, 1, 55, 2, 1, 3, 255 };
	struct ibw_dhcp v = { .op = IBW_DHCP_BOOTREQUEST,
			      .htype = IBW_ARP_HTYPE_INFINIBAND,
			      .xid = 0xcafe1234,
			      .broadcast = 1,
			      .cookie = 0x63825363 };
	struct body body;
	uint8_t *udp;

	body_ipv4(&body, 0xffffffff, ibw_dhcp_BYTES + sizeof(options));
	udp = body.b + ibw_ipoib_BYTES + ibw_ipv4_BYTES;
	ibw_udp_set_sport((struct ibw_udp_wire *)udp, IBW_UDP_PORT_DHCP_CLIENT);
	ibw_udp_set_dport((struct ibw_udp_wire *)udp, IBW_UDP_PORT_DHCP_SERVER);
	ibw_dhcp_pack((struct ibw_dhcp_wire *)(udp + ibw_udp_BYTES), &v);
	memcpy(udp + ibw_udp_BYTES + ibw_dhcp_BYTES, options, sizeof(options));
	put_ib(c, p, &body, mgid_broadcast, 0);
}

static void write_upper(void)
{
	struct mk_capture c;
	struct mk_packet p = { 0 };

	mk_file_begin(&c, "ipoib-upper.pcap", false);
	mk_pcap(&c, IBW_LINKTYPE_INFINIBAND, 0, MK_NANO);
	put_nd(&c, &p);
	put_dhcp(&c, &p);
	mk_file_end(&c);
}

/* Link type 242: 40 bytes where a received packet has its GRH; a sent one, 20 stale and an address. */
static void put_area(struct mk_capture *c, const struct body *body, uint32_t qpn,
		     const uint8_t gid[16])
{
	struct ibw_ipoib_hwaddr hwaddr = { .qpn = qpn };
	uint8_t b[ibw_ipoib_area_BYTES + sizeof(body->b)] = { 0 };
	struct mk_packet p = { 0 };

	memcpy(hwaddr.gid, gid, 16);
	ibw_ipoib_hwaddr_pack((struct ibw_ipoib_hwaddr_wire *)(b + 20), &hwaddr);
	memcpy(b + ibw_ipoib_area_BYTES, body->b, body->n);
	mk_bytes(&p, IBW_LINKTYPE_IPOIB, b, ibw_ipoib_area_BYTES + body->n);
	mk_put(c, &p);
}

static void write_link(void)
{
	struct mk_capture c;
	struct body body;

	mk_file_begin(&c, "ipoib.pcap", false);
	mk_pcap(&c, IBW_LINKTYPE_IPOIB, 0, MK_NANO);
	body_arp(&body, IBW_ARP_REQUEST);
	put_area(&c, &body, IBW_QPN_MULTICAST, mgid_broadcast);
	body_arp(&body, IBW_ARP_REPLY);
	put_area(&c, &body, QPN_A, gid_a);
	body_ipv4(&body, IPV4_B, 20);
	put_area(&c, &body, QPN_B, gid_b);
	body_ipv6(&body, gid_b, 22);
	put_area(&c, &body, QPN_B, gid_b);
	mk_file_end(&c);
}

void mk_all_ipoib(void)
{
	write_ib();
	write_upper();
	write_link();
}
