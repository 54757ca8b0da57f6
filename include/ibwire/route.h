/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * route.h - fills in the header that routes a packet, from what verbs call a global route.
 *
 *	b.kind = ibw_route_kind(sgid, dgid);
 *	if (!ibw_build_route(&b, sgid, dgid, traffic_class, flow_label, hop_limit))
 *		... these GIDs have no route of this kind ...
 *	n = ibw_build_headers(buf, cap, &b);
 *
 * One call serves GRH, IPv6 and IPv4, so that no form loses a field: the traffic class has all 8
 * bits, DSCP and ECN. GIDs are 16 bytes in wire order, everything else is a host integer; the flow
 * label has 20 bits. Only what @b points to is written, so any thread may call these.
 */
#ifndef IBWIRE_ROUTE_H
#define IBWIRE_ROUTE_H

#include "build.h"

#define IBW_FLOW_LABEL_MAX 0xfffffu

/*
 * What a RoCE v2 packet between two GIDs has in front of its UDP header: IBW_ICRC_ROCE_V2_IPV4 if
 * both are IPv4 addresses, IBW_ICRC_ROCE_V2_IPV6 if neither is, IBW_ICRC_NONE if one is:
 * there is no such packet. IBTA annex A17
 */
IBW_INLINE uint8_t ibw_route_kind(const uint8_t *sgid, const uint8_t *dgid)
{
	if (ibw_gid_is_ipv4(sgid) != ibw_gid_is_ipv4(dgid))
		return IBW_ICRC_NONE;
	return ibw_gid_is_ipv4(sgid) ? (uint8_t)IBW_ICRC_ROCE_V2_IPV4
				     : (uint8_t)IBW_ICRC_ROCE_V2_IPV6;
}

/*
 * Sets every member of the GRH, IPv6 or IPv4 header that a builder of b->kind reads, which is set
 * before: addresses, traffic class, flow label and hop limit (TTL); IPv4 also DF and an
 * identification of 0. With an IP header also b->udp: its source port is the one that Linux derives
 * from @flow_label (ibw_flow_label_to_sport()), which has no field in an IPv4 header.
 *
 * False, and nothing was written: b->kind has no such header, the GIDs are not both
 * addresses of that kind, or @flow_label has more than 20 bits.
 *
 * It is inlined so that the compiler still knows which opcode the caller has set, which decides
 * what is read.
 */
IBW_INLINE bool ibw_build_route(struct ibw_build *b, const uint8_t *sgid, const uint8_t *dgid,
				uint8_t traffic_class, uint32_t flow_label, uint8_t hop_limit)
{
	bool v4 = b->kind == IBW_ICRC_ROCE_V2_IPV4, v6 = b->kind == IBW_ICRC_ROCE_V2_IPV6;

	if (flow_label > IBW_FLOW_LABEL_MAX)
		return false;
	if (b->kind == IBW_ICRC_IB_GLOBAL || b->kind == IBW_ICRC_ROCE_V1) {
		b->grh.tclass = traffic_class;
		b->grh.flow_label = flow_label;
		b->grh.hop_limit = hop_limit;
		IBW_COPY(b->grh.sgid, sgid, IBW_GID_BYTES);
		IBW_COPY(b->grh.dgid, dgid, IBW_GID_BYTES);
		return true;
	}
	if ((!v4 && !v6) || ibw_route_kind(sgid, dgid) != b->kind)
		return false;
	if (v4) {
		b->ipv4.dscp = traffic_class >> 2;
		b->ipv4.ecn = traffic_class & 3;
		b->ipv4.id = 0;
		b->ipv4.df = 1;
		b->ipv4.ttl = hop_limit;
		b->ipv4.src = ibw_gid_to_ipv4(sgid);
		b->ipv4.dst = ibw_gid_to_ipv4(dgid);
	} else {
		b->ipv6.dscp = traffic_class >> 2;
		b->ipv6.ecn = traffic_class & 3;
		b->ipv6.flow_label = flow_label;
		b->ipv6.hop_limit = hop_limit;
		IBW_COPY(b->ipv6.src, sgid, IBW_GID_BYTES);
		IBW_COPY(b->ipv6.dst, dgid, IBW_GID_BYTES);
	}
	b->udp.sport = ibw_flow_label_to_sport(flow_label);
	b->udp.dport = IBW_UDP_PORT_ROCE;
	return true;
}

/* The route of a received packet: the arguments of ibw_build_route(). */
struct ibw_route {
	uint8_t sgid[IBW_GID_BYTES];
	uint8_t dgid[IBW_GID_BYTES];
	uint8_t traffic_class;
	uint8_t hop_limit;
	uint32_t flow_label; /* 0 of IPv4 */
};

/* The route in a received GRH. */
static inline void ibw_route_of_grh(struct ibw_route *r, const struct ibw_grh_wire *grh)
{
	const uint8_t *p = (const uint8_t *)grh;

	r->traffic_class = ibw_grh_tclass(grh);
	r->hop_limit = ibw_grh_hop_limit(grh);
	r->flow_label = ibw_grh_flow_label(grh);
	IBW_COPY(r->sgid, p + ibw_grh_sgid_AT / 8, IBW_GID_BYTES);
	IBW_COPY(r->dgid, p + ibw_grh_dgid_AT / 8, IBW_GID_BYTES);
}

/* In a received IPv6 header. */
static inline void ibw_route_of_ipv6(struct ibw_route *r, const struct ibw_ipv6_wire *ip)
{
	const uint8_t *p = (const uint8_t *)ip;

	r->traffic_class = (uint8_t)(ibw_ipv6_dscp(ip) << 2 | ibw_ipv6_ecn(ip));
	r->hop_limit = ibw_ipv6_hop_limit(ip);
	r->flow_label = ibw_ipv6_flow_label(ip);
	IBW_COPY(r->sgid, p + ibw_ipv6_src_AT / 8, IBW_GID_BYTES);
	IBW_COPY(r->dgid, p + ibw_ipv6_dst_AT / 8, IBW_GID_BYTES);
}

/* In a received IPv4 header. */
static inline void ibw_route_of_ipv4(struct ibw_route *r, const struct ibw_ipv4_wire *ip)
{
	r->traffic_class = (uint8_t)(ibw_ipv4_dscp(ip) << 2 | ibw_ipv4_ecn(ip));
	r->hop_limit = ibw_ipv4_ttl(ip);
	r->flow_label = 0;
	ibw_ipv4_to_gid(r->sgid, ibw_ipv4_src(ip));
	ibw_ipv4_to_gid(r->dgid, ibw_ipv4_dst(ip));
}

#endif /* IBWIRE_ROUTE_H */
