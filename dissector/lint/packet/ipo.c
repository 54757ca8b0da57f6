/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ipo.c - group IPO: IP over InfiniBand, inside UD packets and as its interface is captured.
 *
 * A UD packet has headers around it to compare with; a capture of the interface has 40 bytes of
 * unknown content there, a cooked capture of Linux only the type.
 */
#include <string.h>

#include "packet.h"
#include "lint/found/found.h"

/* A packet, and what is around it; NULL where there is no such header. */
struct ipo {
	const struct lint_packet *p;
	const struct ibw_packet *ip;        /* from the encapsulation header on */
	const struct ibw_ipoib_wire *encap; /* NULL: a cooked capture */
	uint16_t type;
	const uint8_t *body; /* after it */
	uint32_t n;          /* bytes captured there */
	uint32_t len;        /* bytes on the wire there */
	const struct ibw_bth_wire *bth;
	const struct ibw_deth_wire *deth;
	const struct ibw_grh_wire *grh;
};

#define AT(x, rule, wire, hdr, field, ...)                                                         \
	lint_found((x)->p, rule,                                                                   \
		   (uint32_t)((wire)->b - (x)->ip->data) + ibw_##hdr##_##field##_AT / 8,           \
		   ibw_##hdr##_##field##_END_ / 8 - ibw_##hdr##_##field##_AT / 8 + 1, __VA_ARGS__)

/* A cooked capture says it before the packet. */
static bool cooked_type(const struct ibw_packet *ip, uint16_t *type)
{
	const struct ibw_sll_wire *sll = IBW_AT(ip, sll);
	const struct ibw_sll2_wire *sll2 = IBW_AT(ip, sll2);

	if (sll)
		*type = ibw_sll_protocol(sll);
	else if (sll2)
		*type = ibw_sll2_protocol(sll2);
	return sll || sll2;
}

static bool view(struct ipo *x, const struct lint_packet *p)
{
	const struct ibw_packet *pkt = p->pkt, *ip = p->ipoib;
	uint32_t off;

	*x = (struct ipo){ .p = p, .ip = ip, .encap = IBW_AT(ip, ipoib) };
	if (x->encap) {
		x->type = ibw_ipoib_type(x->encap);
		off = (uint32_t)(x->encap->b - ip->data) + ibw_ipoib_BYTES;
	} else if (ip == pkt && cooked_type(ip, &x->type)) {
		off = ip->span[0].off + ip->span[0].len;
	} else {
		return false;
	}
	x->body = ip->data + off;
	x->n = ip->caplen - off;
	x->len = ip == pkt ? pkt->len - off : pkt->payload_off + pkt->payload_len - off;
	if (x->n > x->len)
		x->n = x->len;
	if (ip == pkt)
		return true;
	x->bth = IBW_AT(pkt, bth);
	x->deth = IBW_AT(pkt, deth);
	x->grh = IBW_AT(pkt, grh);
	return true;
}

static void check_encap(const struct ipo *x)
{
	uint16_t type = x->type;

	if (ibw_ipoib_rsvd_set(x->encap))
		lint_found(x->p, LINT_IPO001,
			   (uint32_t)(x->encap->b - x->ip->data) + ibw_ipoib_rsvd16_AT_ / 8, 2,
			   "the reserved bytes after type 0x%04x are 0x%04x", type,
			   ibw_get_be16(x->encap->b + ibw_ipoib_rsvd16_AT_ / 8));
	if (type != IBW_ETHERTYPE_IPV4 && type != IBW_ETHERTYPE_ARP && type != IBW_ETHERTYPE_RARP &&
	    type != IBW_ETHERTYPE_IPV6)
		AT(x, LINT_IPO002, x->encap, ipoib, type,
		   "type 0x%04x: IPoIB carries IPv4, IPv6, ARP and RARP", type);
	if (x->deth && x->len > IBW_IPOIB_MTU(IBW_MTU_MAX))
		lint_found(x->p, LINT_IPO016, (uint32_t)(x->body - x->ip->data), x->n,
			   "%u bytes in datagram mode: no group has an MTU above %u", x->len,
			   IBW_IPOIB_MTU(IBW_MTU_MAX));
	if (!x->deth && x->len > IBW_IPOIB_CM_MTU)
		lint_found(x->p, LINT_IPO017, (uint32_t)(x->body - x->ip->data), x->n,
			   "%u bytes with the encapsulation header: connected mode carries %u",
			   x->len + (uint32_t)ibw_ipoib_BYTES,
			   IBW_IPOIB_CM_MTU + (uint32_t)ibw_ipoib_BYTES);
}

static void check_qpn(const struct ipo *x, const uint8_t *at, const char *whose, uint32_t qpn,
		      uint8_t flags)
{
	uint32_t off = (uint32_t)(at - x->ip->data);

	if (qpn <= IBW_QPN_GSI || qpn == IBW_QPN_MULTICAST)
		lint_found(x->p, LINT_IPO007, off + 1, 3,
			   "the %s's hardware address names qp 0x%06x, which no interface has",
			   whose, qpn);
	if (flags & ~(IBW_IPOIB_FLAG_RC | IBW_IPOIB_FLAG_UC))
		lint_found(x->p, LINT_IPO006, off, 1,
			   "the %s's hardware address begins with 0x%02x; 0x80 (RC) and 0x40 (UC) "
			   "are known",
			   whose, flags);
}

static bool is_reply(uint16_t op)
{
	return op == IBW_ARP_REPLY || op == IBW_ARP_RARP_REPLY || op == IBW_ARP_INARP_REPLY;
}

static void check_arp_addresses(const struct ipo *x, const struct ibw_arp_ipoib_wire *arp)
{
	uint32_t sqpn = ibw_arp_ipoib_sha_qpn(arp), tqpn = ibw_arp_ipoib_tha_qpn(arp);
	uint16_t op = ibw_arp_ipoib_op(arp);
	const uint8_t *target = arp->b + ibw_arp_ipoib_tha_flags_AT / 8;

	check_qpn(x, arp->b + ibw_arp_ipoib_sha_flags_AT / 8, "sender", sqpn,
		  ibw_arp_ipoib_sha_flags(arp));
	if (is_reply(op))
		check_qpn(x, target, "target", tqpn, ibw_arp_ipoib_tha_flags(arp));
	if (x->deth && ibw_deth_sqpn(x->deth) != sqpn)
		AT(x, LINT_IPO008, arp, arp_ipoib, sha_qpn,
		   "the sender says it is qp 0x%06x, but qp 0x%06x sent the packet", sqpn,
		   ibw_deth_sqpn(x->deth));
	if (x->grh && memcmp(ibw_grh_sgid(x->grh), ibw_arp_ipoib_sha_gid(arp), IBW_GID_BYTES) != 0)
		AT(x, LINT_IPO009, arp, arp_ipoib, sha_gid,
		   "the sender's hardware address has a GID other than the GRH as source");
	if (op == IBW_ARP_REQUEST && tqpn != IBW_QPN_MULTICAST &&
	    ibw_bits_any(arp->b, ibw_arp_ipoib_tha_flags_AT, 160))
		AT(x, LINT_IPO010, arp, arp_ipoib, tha_qpn,
		   "a request that already names its target, qp 0x%06x, to ask whether it is still "
		   "there",
		   tqpn);
}

static void check_arp(const struct ipo *x)
{
	const struct ibw_arp_hdr_wire *arp = ibw_arp_hdr_view(x->body, x->n);

	if (!arp)
		return;
	if (ibw_arp_hdr_htype(arp) != IBW_ARP_HTYPE_INFINIBAND)
		AT(x, LINT_IPO003, arp, arp_hdr, htype,
		   "ARP for hardware type %u; InfiniBand is %u", ibw_arp_hdr_htype(arp),
		   IBW_ARP_HTYPE_INFINIBAND);
	if (ibw_arp_hdr_hlen(arp) != ibw_ipoib_hwaddr_BYTES) {
		AT(x, LINT_IPO004, arp, arp_hdr, hlen,
		   "ARP with hardware addresses of %u bytes; IPoIB's have %u",
		   ibw_arp_hdr_hlen(arp), (unsigned int)ibw_ipoib_hwaddr_BYTES);
		return;
	}
	if (ibw_arp_hdr_plen(arp) != sizeof(uint32_t))
		return;
	if (x->len != ibw_arp_ipoib_BYTES)
		lint_found(x->p, LINT_IPO005, (uint32_t)(x->body - x->ip->data), x->n,
			   "ARP of %u bytes; for IPv4 over IPoIB it has %u", x->len,
			   (unsigned int)ibw_arp_ipoib_BYTES);
	if (ibw_arp_ipoib_view(x->body, x->n))
		check_arp_addresses(x, (const struct ibw_arp_ipoib_wire *)arp);
}

static bool is_broadcast_mgid(const uint8_t *mgid)
{
	return ibw_gid_is_multicast(mgid) && ibw_mgid_signature(mgid) == IBW_MGID_IPOIB_IPV4 &&
	       !ibw_get_be32(mgid + 6) && !ibw_get_be16(mgid + 10) &&
	       ibw_get_be32(mgid + 12) == UINT32_MAX;
}

/* The last 10 bytes of the MGID of an IPv4 group, the last 28 bits of it in them. */
static void ipv4_group(uint8_t group[10], uint32_t dst)
{
	memset(group, 0, 10);
	ibw_put_be32(group + 6, dst & 0xfffffff);
}

/*
 * Where a group has no MGID of its own, its packets go to that of all routers:
 * 224.0.0.2 or ff02::2. RFC 4391, 10
 */
static bool is_all_routers(const uint8_t *mgid)
{
	return !ibw_get_be64(mgid + 6) && ibw_get_be16(mgid + 14) == 2;
}

/* A multicast packet: @group is what the last 10 bytes of the MGID should be. */
static void check_group(const struct ipo *x, uint16_t expected, const uint8_t group[10])
{
	const uint8_t *mgid = ibw_grh_dgid(x->grh);
	uint16_t found = ibw_mgid_signature(mgid);

	if (found == IBW_MGID_SA)
		return;
	if (found != expected)
		AT(x, LINT_IPO012, x->grh, grh, dgid,
		   "MGID with signature 0x%04x around %s, which has 0x%04x", found,
		   expected == IBW_MGID_IPOIB_IPV4 ? "IPv4" : "IPv6", expected);
	else if (memcmp(mgid + 6, group, 10) != 0 && !is_all_routers(mgid))
		AT(x, LINT_IPO014, x->grh, grh, dgid,
		   "the MGID ends in %02x%02x:%02x%02x, the IP group in %02x%02x:%02x%02x",
		   mgid[12], mgid[13], mgid[14], mgid[15], group[6], group[7], group[8], group[9]);
}

static void check_mgid_pkey(const struct ipo *x)
{
	const uint8_t *mgid = ibw_grh_dgid(x->grh);
	uint16_t in_mgid = ibw_mgid_pkey(mgid), pkey = ibw_bth_pkey(x->bth);

	if (ibw_mgid_signature(mgid) != IBW_MGID_IPOIB_IPV4 &&
	    ibw_mgid_signature(mgid) != IBW_MGID_IPOIB_IPV6)
		return;
	if (in_mgid != (pkey | IBW_PKEY_FULL))
		AT(x, LINT_IPO013, x->grh, grh, dgid,
		   "the MGID is of partition 0x%04x, the packet has P_Key 0x%04x", in_mgid, pkey);
}

static void check_broadcast(const struct ipo *x, const char *what)
{
	if (x->grh && is_broadcast_mgid(ibw_grh_dgid(x->grh)))
		return;
	AT(x, LINT_IPO011, x->bth, bth, dqpn, "%s goes to qp 0x%06x %s", what, ibw_bth_dqpn(x->bth),
	   x->grh ? "and an MGID that is not the broadcast group's" : "without a GRH");
}

/* Where the packet goes: only a UD packet tells. */
static void check_destination(const struct ipo *x)
{
	const struct ibw_ipv4_wire *ipv4 = ibw_ipv4_view(x->body, x->n);
	const struct ibw_ipv6_wire *ipv6 = ibw_ipv6_view(x->body, x->n);
	bool to_group = x->grh && ibw_gid_is_multicast(ibw_grh_dgid(x->grh));
	uint16_t type = x->type;
	uint8_t group[10];

	if (to_group)
		check_mgid_pkey(x);
	if (type == IBW_ETHERTYPE_ARP && ibw_bth_dqpn(x->bth) == IBW_QPN_MULTICAST) {
		check_broadcast(x, "ARP to a group");
	} else if (type == IBW_ETHERTYPE_IPV4 && ipv4) {
		ipv4_group(group, ibw_ipv4_dst(ipv4));
		if (ibw_ipv4_dst(ipv4) == UINT32_MAX)
			check_broadcast(x, "IPv4 broadcast");
		else if (to_group && ibw_ipv4_is_multicast(ibw_ipv4_dst(ipv4)))
			check_group(x, IBW_MGID_IPOIB_IPV4, group);
	} else if (type == IBW_ETHERTYPE_IPV6 && ipv6 && to_group &&
		   ibw_gid_is_multicast(ibw_ipv6_dst(ipv6))) {
		check_group(x, IBW_MGID_IPOIB_IPV6, ibw_ipv6_dst(ipv6) + 6);
	}
}

void lint_ipo(const struct lint_packet *p)
{
	struct ipo x;
	uint16_t type;

	if (!view(&x, p))
		return;
	type = x.type;
	if (x.encap)
		check_encap(&x);
	if (type == IBW_ETHERTYPE_ARP || type == IBW_ETHERTYPE_RARP)
		check_arp(&x);
	if (x.deth)
		check_destination(&x);
	if (type == IBW_ETHERTYPE_IPV6)
		lint_ipo_nd(p);
	if (type == IBW_ETHERTYPE_IPV4)
		lint_ipo_dhcp(p);
}
