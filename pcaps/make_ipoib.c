/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* make_ipoib.c - IP over InfiniBand: inside UD packets, and behind a capture's own area. RFC 4391 */
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

/* What an IPoIB packet carries: the encapsulation header and behind it ARP or IP. */
struct body {
	uint8_t b[128];
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
	write_link();
}
