/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ipo_upper.c - group IPO: neighbour discovery and DHCP, which carry hardware addresses too. */
#include <ibwire/mad_walk.h>

#include "rule.h"

/* ICMPv6 messages with options, and how long they are before them: RFC 4861, 4 */
#define ND_FIRST 133
static const uint8_t nd_bytes[] = { 8, 16, 24, 24, 40 };
#define ND_OPTION_SOURCE 1
#define ND_OPTION_TARGET 2
/* Type, length, two bytes of pad, hardware address: RFC 4391, 9.3 */
#define ND_OPTION_WORDS 3

/* BOOTP and DHCP: RFC 2131, 2 */
#define DHCP_SERVER 67
#define DHCP_CLIENT 68
#define DHCP_AT_FLAGS 10
#define DHCP_AT_CIADDR 12
#define DHCP_AT_CHADDR 28
#define DHCP_AT_COOKIE 236
#define DHCP_AT_OPTIONS 240
#define DHCP_COOKIE 0x63825363
#define DHCP_REQUEST 1
#define DHCP_BROADCAST 0x8000
#define DHCP_OPTION_PAD 0
#define DHCP_OPTION_END 255
#define DHCP_OPTION_CLIENT_ID 61

/* The bytes behind the last header the walk took; *@n those captured. */
static const uint8_t *upper(const struct ibw_packet *ip, uint32_t *n)
{
	*n = ibw_packet_payload_captured(ip);
	return *n ? ip->data + ip->payload_off : ip->data;
}

static void check_option(const struct lint_packet *p, const uint8_t *option)
{
	uint32_t off = (uint32_t)(option - p->ipoib->data);
	const char *whose = option[0] == ND_OPTION_SOURCE ? "source" : "target";

	if (option[1] != ND_OPTION_WORDS)
		lint_found(p, LINT_IPO019, off + 1, 1,
			   "the %s address option has length %u (%u bytes); for IPoIB it is %u",
			   whose, option[1], option[1] * 8, ND_OPTION_WORDS);
	else if (ibw_get_be16(option + 2))
		lint_found(p, LINT_IPO020, off + 2, 2,
			   "the pad bytes of the %s address option are 0x%04x", whose,
			   ibw_get_be16(option + 2));
}

void lint_ipo_nd(const struct lint_packet *p)
{
	const struct ibw_packet *ip = p->ipoib;
	const struct ibw_span *span;
	const uint8_t *icmp;
	uint32_t n, at;

	if (ip->net == IBW_NO_SPAN)
		return;
	span = &ip->span[ip->net];
	icmp = upper(ip, &n);
	if (span->layer != IBW_LAYER_ipv6 || span->len != ibw_ipv6_BYTES || !n ||
	    ibw_ipv6_nxthdr(ibw_packet_at(ip, ip->net)) != IBW_IP_PROTO_ICMPV6 ||
	    icmp[0] < ND_FIRST || icmp[0] - ND_FIRST >= (int)sizeof(nd_bytes))
		return;
	for (at = nd_bytes[icmp[0] - ND_FIRST]; at < n && n - at >= 8; at += icmp[at + 1] * 8u) {
		if (icmp[at] == ND_OPTION_SOURCE || icmp[at] == ND_OPTION_TARGET)
			check_option(p, icmp + at);
		if (!icmp[at + 1])
			return;
	}
}

/* Whether there is such an option; what was not captured may be it. */
static bool has_option(const uint8_t *dhcp, uint32_t n, bool whole, uint8_t code)
{
	uint32_t at = DHCP_AT_OPTIONS;

	while (at < n && dhcp[at] != DHCP_OPTION_END) {
		if (dhcp[at] == code)
			return true;
		if (dhcp[at] == DHCP_OPTION_PAD)
			at++;
		else if (n - at < 2)
			break;
		else
			at += 2u + dhcp[at + 1];
	}
	return at >= n && !whole;
}

static void check_client(const struct lint_packet *p, const uint8_t *dhcp, uint32_t n)
{
	uint32_t off = (uint32_t)(dhcp - p->ipoib->data);
	bool whole = n == p->ipoib->payload_len;

	if (!has_option(dhcp, n, whole, DHCP_OPTION_CLIENT_ID))
		lint_found(p, LINT_IPO022, off, n,
			   "the client sends no client identifier (option %u), by which alone it "
			   "could be known",
			   DHCP_OPTION_CLIENT_ID);
	if (!ibw_get_be32(dhcp + DHCP_AT_CIADDR) &&
	    !(ibw_get_be16(dhcp + DHCP_AT_FLAGS) & DHCP_BROADCAST))
		lint_found(p, LINT_IPO022, off + DHCP_AT_FLAGS, 2,
			   "the client has no address yet and does not ask for a broadcast answer");
}

void lint_ipo_dhcp(const struct lint_packet *p)
{
	const struct ibw_packet *ip = p->ipoib;
	unsigned int i = ibw_packet_find(ip, IBW_LAYER_udp);
	const struct ibw_udp_wire *udp;
	const uint8_t *dhcp;
	uint32_t n;

	if (i == IBW_NO_SPAN)
		return;
	udp = ibw_packet_at(ip, i);
	dhcp = upper(ip, &n);
	if ((ibw_udp_dport(udp) != DHCP_SERVER && ibw_udp_dport(udp) != DHCP_CLIENT) ||
	    n < DHCP_AT_OPTIONS || ibw_get_be32(dhcp + DHCP_AT_COOKIE) != DHCP_COOKIE)
		return;
	if (dhcp[1] == IBW_ARP_HTYPE_INFINIBAND &&
	    (dhcp[2] || ibw_bits_any(dhcp + DHCP_AT_CHADDR, 0, 128)))
		lint_found(p, LINT_IPO021, (uint32_t)(dhcp - ip->data) + 2, 1,
			   "hardware type 32 (InfiniBand) with hlen %u and chaddr %s", dhcp[2],
			   ibw_bits_any(dhcp + DHCP_AT_CHADDR, 0, 128) ? "filled in" : "0");
	if (dhcp[0] == DHCP_REQUEST)
		check_client(p, dhcp, n);
}
