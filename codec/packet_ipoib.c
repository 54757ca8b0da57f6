/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* packet_ipoib.c - IPoIB: after a capture's own 40-byte area, and inside UD packets. RFC 4391 */
#include "walk.h"

/* What UDP carries, if this is all of it. */
static void walk_udp(struct walk *w)
{
	const struct ibw_udp_wire *udp = WALK_TAKE(w, udp);

	if (udp && !(w->pkt->flags & IBW_PKT_FRAGMENT))
		ibw_walk_dhcp(w, udp);
}

static void walk_transport(struct walk *w, uint8_t protocol)
{
	if (protocol == IBW_IP_PROTO_UDP)
		walk_udp(w);
	else if (protocol == IBW_IP_PROTO_TCP)
		ibw_walk_tcp(w);
}

void ibw_walk_ipoib_body(struct walk *w, uint16_t type, uint16_t layer)
{
	uint8_t protocol;

	switch (type) {
	case IBW_ETHERTYPE_ARP:
	case IBW_ETHERTYPE_RARP:
		walk_arp(w);
		break;
	case IBW_ETHERTYPE_IPV4:
		if (ibw_walk_ipv4(w, &protocol))
			walk_transport(w, protocol);
		break;
	case IBW_ETHERTYPE_IPV6:
		if (!ibw_walk_ipv6(w, &protocol))
			break;
		if (protocol == IBW_IP_PROTO_ICMPV6 && !(w->pkt->flags & IBW_PKT_FRAGMENT))
			ibw_walk_icmpv6(w);
		else
			walk_transport(w, protocol);
		break;
	default:
		break;
	}
	walk_rest(w, layer);
}

void ibw_walk_ipoib(struct walk *w)
{
	const struct ibw_ipoib_wire *ipoib = WALK_TAKE(w, ipoib);

	if (ipoib)
		ibw_walk_ipoib_body(w, ibw_ipoib_type(ipoib), IBW_LAYER_ipoib);
}

/* Whether the @n bytes after the encapsulation header are what @type promises. */
static bool plausible(uint16_t type, const uint8_t *body, uint32_t n)
{
	switch (type) {
	case IBW_ETHERTYPE_ARP:
	case IBW_ETHERTYPE_RARP:
		return n >= ibw_arp_hdr_BYTES &&
		       ibw_arp_hdr_htype((const struct ibw_arp_hdr_wire *)body) ==
			       IBW_ARP_HTYPE_INFINIBAND;
	case IBW_ETHERTYPE_IPV4:
		return n >= ibw_ipv4_BYTES &&
		       ibw_ipv4_version((const struct ibw_ipv4_wire *)body) == 4 &&
		       ibw_ipv4_ihl((const struct ibw_ipv4_wire *)body) >= 5;
	case IBW_ETHERTYPE_IPV6:
		return n >= ibw_ipv6_BYTES &&
		       ibw_ipv6_version((const struct ibw_ipv6_wire *)body) == 6;
	default:
		return false;
	}
}

bool ibw_packet_is_ipoib(const struct ibw_packet *pkt)
{
	const struct ibw_ipoib_wire *ipoib;
	uint32_t left;

	if (pkt->proto != IBW_PROTO_IB || !(pkt->eths & IBW_ETH_DETH) ||
	    (pkt->opcode & IBW_SERVICE_MASK) != IBW_SERVICE_UD || pkt->payload_off >= pkt->caplen)
		return false;
	left = pkt->caplen - pkt->payload_off;
	if (left > pkt->payload_len)
		left = pkt->payload_len;
	ipoib = ibw_ipoib_view(pkt->data + pkt->payload_off, left);
	return ipoib && !ibw_ipoib_rsvd_set(ipoib) &&
	       ibw_bth_dqpn(IBW_KNOWN(pkt, bth)) > IBW_QPN_GSI &&
	       plausible(ibw_ipoib_type(ipoib), ipoib->b + ibw_ipoib_BYTES, left - ibw_ipoib_BYTES);
}

enum ibw_outcome ibw_packet_walk_ipoib(struct ibw_packet *ip, const struct ibw_packet *pkt)
{
	struct walk w = walk_of(ip, pkt->data,
				pkt->payload_off < pkt->caplen ? pkt->payload_off : pkt->caplen,
				pkt->caplen);

	*ip = *pkt;
	ip->proto = IBW_PROTO_IPOIB;
	ip->flags = 0;
	ip->eth = ip->net = ip->udp = ip->bth = ip->lrh = IBW_NO_SPAN;
	ip->eths = 0;
	ip->icrc_off = ip->vcrc_off = ip->trailer_off = ip->trailer_len = 0;
	ip->icrc_kind = IBW_ICRC_NONE;
	walk_end(&w, pkt->payload_off + pkt->payload_len, IBW_LAYER_bth);
	if (w.c.end < w.c.off)
		walk_end(&w, w.c.off, IBW_LAYER_bth);
	ibw_walk_ipoib(&w);
	return walk_done(&w);
}
