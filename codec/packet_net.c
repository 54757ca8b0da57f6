/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* packet_net.c - the one view of IPv4, IPv6 and GRH. */
#include <ibwire/ibwire.h>
#include <ibwire/net.h>

static void of_ipv4(struct ibw_net *net, const struct ibw_ipv4_wire *ip)
{
	net->addr_bytes = 4;
	net->tclass = (uint8_t)(ibw_ipv4_dscp(ip) << 2 | ibw_ipv4_ecn(ip));
	net->hop_limit = ibw_ipv4_ttl(ip);
	net->next = ibw_ipv4_protocol(ip);
	net->src = ip->b + ibw_ipv4_src_AT / 8;
	net->dst = ip->b + ibw_ipv4_dst_AT / 8;
	net->payload_len = ibw_ipv4_total_len(ip) - (net->end - net->off);
}

/* What follows the extension headers, which the walk has found to be whole: RFC 8200, 4 */
static uint8_t behind_extensions(const struct ibw_ipv6_wire *ip, uint32_t header)
{
	const uint8_t *const bytes = (const uint8_t *)ip; /* more than ip->b has */
	uint8_t next = ibw_ipv6_nxthdr(ip);
	uint32_t off = ibw_ipv6_BYTES;

	while (off < header) {
		const uint8_t *ext = bytes + off;

		off += next == IBW_IP_PROTO_FRAGMENT ? 8 : (ext[1] + 1u) * 8;
		next = ext[0];
	}
	return next;
}

static void of_ipv6(struct ibw_net *net, const struct ibw_ipv6_wire *ip)
{
	net->addr_bytes = 16;
	net->tclass = (uint8_t)(ibw_ipv6_dscp(ip) << 2 | ibw_ipv6_ecn(ip));
	net->hop_limit = ibw_ipv6_hop_limit(ip);
	net->next = behind_extensions(ip, net->end - net->off);
	net->flow_label = ibw_ipv6_flow_label(ip);
	net->src = ibw_ipv6_src(ip);
	net->dst = ibw_ipv6_dst(ip);
	net->payload_len = ibw_ipv6_paylen(ip) + (uint32_t)ibw_ipv6_BYTES - (net->end - net->off);
}

static void of_grh(struct ibw_net *net, const struct ibw_grh_wire *grh)
{
	net->addr_bytes = 16;
	net->tclass = ibw_grh_tclass(grh);
	net->hop_limit = ibw_grh_hop_limit(grh);
	net->next = ibw_grh_nxthdr(grh);
	net->flow_label = ibw_grh_flow_label(grh);
	net->src = ibw_grh_sgid(grh);
	net->dst = ibw_grh_dgid(grh);
	net->payload_len = ibw_grh_paylen(grh);
}

bool ibw_packet_net(const struct ibw_packet *pkt, struct ibw_net *net)
{
	static const struct ibw_net fresh;
	const struct ibw_span *span;

	if (pkt->net == IBW_NO_SPAN)
		return false;
	span = &pkt->span[pkt->net];
	*net = fresh;
	net->layer = span->layer;
	net->off = span->off;
	net->end = span->off + span->len;
	switch (span->layer) {
	case IBW_LAYER_ipv4:
		of_ipv4(net, IBW_KNOWN(pkt, ipv4));
		break;
	case IBW_LAYER_ipv6:
		of_ipv6(net, IBW_KNOWN(pkt, ipv6));
		break;
	default:
		of_grh(net, IBW_KNOWN(pkt, grh));
		break;
	}
	return true;
}
