/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ipo_upper.c - group IPO: neighbour discovery and DHCP, which carry hardware addresses too. */
#include <ibwire/mad_walk.h>

#include "packet.h"
#include "lint/found/found.h"

/* Type, length, two bytes of pad, hardware address: RFC 4391, 9.3 */
#define ND_OPTION_WORDS 3

static bool is_lladdr(uint8_t type)
{
	return type == IBW_ND_SOURCE_LLADDR || type == IBW_ND_TARGET_LLADDR;
}

static const char *whose(uint8_t type)
{
	return type == IBW_ND_SOURCE_LLADDR ? "source" : "target";
}

/* An address option that is as long as it should be has a layer of its own. */
static void check_option(const struct lint_packet *p, const struct ibw_span *span)
{
	const void *at = p->ipoib->data + span->off;
	uint8_t type = ibw_nd_option_type(at), length = ibw_nd_option_length(at);

	if (span->layer == IBW_LAYER_nd_option && is_lladdr(type) && length != ND_OPTION_WORDS)
		lint_found(p, LINT_IPO019, span->off + ibw_nd_option_length_AT / 8, 1,
			   "the %s address option has length %u (%u bytes); for IPoIB it is %u",
			   whose(type), length, length * 8, ND_OPTION_WORDS);
	else if (span->layer == IBW_LAYER_nd_lladdr && ibw_nd_lladdr_rsvd_set(at))
		lint_found(p, LINT_IPO020, span->off + ibw_nd_lladdr_rsvd16_AT_ / 8, 2,
			   "the pad bytes of the %s address option are 0x%04x", whose(type),
			   ibw_get_be16((const uint8_t *)at + ibw_nd_lladdr_rsvd16_AT_ / 8));
}

void lint_ipo_nd(const struct lint_packet *p)
{
	const struct ibw_packet *ip = p->ipoib;
	unsigned int i;

	for (i = 0; i < ip->n_spans; i++)
		if (ip->span[i].layer == IBW_LAYER_nd_option ||
		    ip->span[i].layer == IBW_LAYER_nd_lladdr)
			check_option(p, &ip->span[i]);
}

/* Whether the client names itself; what was not captured, or has no span, may do it. */
static bool has_client_id(const struct ibw_packet *ip)
{
	uint32_t captured = ibw_packet_payload_captured(ip);
	const struct ibw_span *span;

	for (span = ip->span; span < ip->span + ip->n_spans; span++)
		if ((span->layer == IBW_LAYER_dhcp_option ||
		     span->layer == IBW_LAYER_dhcp_client_id) &&
		    ibw_dhcp_option_code((const void *)(ip->data + span->off)) ==
			    IBW_DHCP_CLIENT_ID)
			return true;
	if (ip->n_spans == IBW_SPANS_MAX)
		return true;
	return captured < ip->payload_len &&
	       (!captured || ip->data[ip->payload_off] != IBW_DHCP_END);
}

static void check_client(const struct lint_packet *p, const struct ibw_dhcp_wire *dhcp)
{
	const struct ibw_packet *ip = p->ipoib;
	uint32_t off = (uint32_t)(dhcp->b - ip->data);

	if (!has_client_id(ip))
		lint_found(p, LINT_IPO022, off,
			   ip->payload_off + ibw_packet_payload_captured(ip) - off,
			   "the client sends no client identifier (option %u), without which the "
			   "server cannot identify it",
			   IBW_DHCP_CLIENT_ID);
	if (!ibw_dhcp_ciaddr(dhcp) && !ibw_dhcp_broadcast(dhcp))
		lint_found(p, LINT_IPO022, off + ibw_dhcp_broadcast_AT / 8, 2,
			   "the client has no address yet and does not ask for a broadcast answer");
}

void lint_ipo_dhcp(const struct lint_packet *p)
{
	const struct ibw_packet *ip = p->ipoib;
	const struct ibw_dhcp_wire *dhcp = IBW_AT(ip, dhcp);
	uint32_t at, n;
	bool chaddr;

	if (!dhcp)
		return;
	chaddr = ibw_bits_any(ibw_dhcp_chaddr(dhcp), 0, 128);
	at = ibw_dhcp_hlen(dhcp) ? ibw_dhcp_hlen_AT : ibw_dhcp_chaddr_AT;
	n = ibw_dhcp_hlen(dhcp) ? 1 : 16;
	if (ibw_dhcp_htype(dhcp) == IBW_ARP_HTYPE_INFINIBAND && (ibw_dhcp_hlen(dhcp) || chaddr))
		lint_found(p, LINT_IPO021, (uint32_t)(dhcp->b - ip->data) + at / 8, n,
			   "hardware type 32 (InfiniBand) with hlen %u and chaddr %s",
			   ibw_dhcp_hlen(dhcp), chaddr ? "filled in" : "0");
	if (ibw_dhcp_op(dhcp) == IBW_DHCP_BOOTREQUEST)
		check_client(p, dhcp);
}
