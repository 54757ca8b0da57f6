/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * icmp.c - ICMP errors that quote a RoCE v2 packet.
 *
 * An error quotes the beginning of the packet that it is about: all of its IP header and 8 bytes at
 * least (RFC 792), as much as fits by now (RFC 1812, 4.3.2.3; RFC 4443, 2.4 c). What an error quotes
 * that quotes another one is not decoded.
 */
#include <ibwire/ibwire.h>
#include <ibwire/net.h>

#include "icmp.h"

/* RFC 792; RFC 4443, 3 */
#define UNREACHABLE 3
#define FRAGMENTATION_NEEDED 4 /* a code of it: RFC 1191, 4 */
#define UNREACHABLE_V6 1
#define TOO_BIG_V6 2

struct reason {
	uint8_t type;
	int16_t code; /* -1: any that is not said before */
	const char *text;
};

/* RFC 792; RFC 1122, 3.2.2.1; RFC 1812, 5.2.7.1 */
static const struct reason ipv4_reasons[] = {
	{ UNREACHABLE, 0, "network unreachable" },
	{ UNREACHABLE, 1, "host unreachable" },
	{ UNREACHABLE, 2, "protocol unreachable" },
	{ UNREACHABLE, 3, "port unreachable" },
	{ UNREACHABLE, FRAGMENTATION_NEEDED, "fragmentation needed" },
	{ UNREACHABLE, 5, "source route failed" },
	{ UNREACHABLE, 6, "network unknown" },
	{ UNREACHABLE, 7, "host unknown" },
	{ UNREACHABLE, 9, "network administratively prohibited" },
	{ UNREACHABLE, 10, "host administratively prohibited" },
	{ UNREACHABLE, 11, "network unreachable for this TOS" },
	{ UNREACHABLE, 12, "host unreachable for this TOS" },
	{ UNREACHABLE, 13, "administratively prohibited" },
	{ UNREACHABLE, -1, "destination unreachable" },
	{ 11, 1, "time of reassembly exceeded" },
	{ 11, -1, "TTL exceeded" },
	{ 12, -1, "parameter problem" },
	{ 0, 0, NULL },
};

static const struct reason ipv6_reasons[] = {
	{ UNREACHABLE_V6, 0, "no route to the destination" },
	{ UNREACHABLE_V6, 1, "administratively prohibited" },
	{ UNREACHABLE_V6, 2, "beyond the scope of the source address" },
	{ UNREACHABLE_V6, 3, "address unreachable" },
	{ UNREACHABLE_V6, 4, "port unreachable" },
	{ UNREACHABLE_V6, 5, "source address failed policy" },
	{ UNREACHABLE_V6, 6, "reject route" },
	{ UNREACHABLE_V6, -1, "destination unreachable" },
	{ TOO_BIG_V6, -1, "packet too big" },
	{ 3, 1, "time of reassembly exceeded" },
	{ 3, -1, "hop limit exceeded" },
	{ 4, -1, "parameter problem" },
	{ 0, 0, NULL },
};

/* NULL: it is no error that says why a packet was dropped. */
static const char *reason_of(const struct reason *list, const uint8_t *icmp)
{
	for (; list->text; list++)
		if (list->type == icmp[0] && (list->code < 0 || list->code == icmp[1]))
			return list->text;
	return NULL;
}

/* RFC 1191, 4; RFC 4443, 3.2 */
static void read_mtu(struct track_icmp *icmp, const uint8_t *p)
{
	if (icmp->v6 && icmp->type == TOO_BIG_V6) {
		icmp->has_mtu = true;
		icmp->mtu = ibw_get_be32(p + 4);
	} else if (!icmp->v6 && icmp->type == UNREACHABLE && icmp->code == FRAGMENTATION_NEEDED) {
		icmp->has_mtu = true;
		icmp->mtu = ibw_get_be16(p + 6);
	}
}

/* Walks the @n bytes at @p that an error quotes; whether they begin a RoCE v2 packet. */
static bool walk_quoted(struct track_icmp *icmp, const uint8_t *p, uint32_t n,
			const struct ibw_walk_options *options)
{
	/* The packet itself was longer: what is not quoted is cut, and not missing. */
	ibw_packet_walk(&icmp->quoted, p, n, UINT16_MAX,
			icmp->v6 ? IBW_LINKTYPE_IPV6 : IBW_LINKTYPE_IPV4, options);
	return icmp->quoted.proto == IBW_PROTO_ROCEV2;
}

/* The error at @off, of which and of what it quotes the @n bytes at @p were captured. */
static __attribute__((cold)) bool read_error(struct track_icmp *icmp, const uint8_t *p, uint32_t n,
					     const struct ibw_walk_options *options)
{
	icmp->type = p[0];
	icmp->code = p[1];
	icmp->reason = reason_of(icmp->v6 ? ipv6_reasons : ipv4_reasons, p);
	icmp->has_mtu = false;
	icmp->mtu = 0;
	if (!icmp->reason)
		return false;
	read_mtu(icmp, p);
	return walk_quoted(icmp, p + TRACK_ICMP_BYTES, n - TRACK_ICMP_BYTES, options);
}

bool track_icmp_quotes(struct track_icmp *icmp, const struct ibw_packet *pkt,
		       const struct ibw_walk_options *options)
{
	struct ibw_net net;
	uint32_t end;

	if (pkt->flags & IBW_PKT_FRAGMENT || !ibw_packet_net(pkt, &net) ||
	    net.next != (net.layer == IBW_LAYER_ipv4 ? IBW_IP_PROTO_ICMP : IBW_IP_PROTO_ICMPV6))
		return false;
	end = net.end + net.payload_len;
	icmp->cut = end > pkt->caplen;
	if (icmp->cut)
		end = pkt->caplen;
	if (end < net.end || end - net.end < TRACK_ICMP_BYTES)
		return false;
	icmp->off = net.end;
	icmp->v6 = net.layer == IBW_LAYER_ipv6;
	return read_error(icmp, pkt->data + net.end, end - net.end, options);
}
