/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * roc_icmp.c - ICMP errors that quote a RoCE v2 packet: whose packets get lost, and why.
 *
 * An error quotes the beginning of the packet that it is about: all of its IP header and 8 bytes at
 * least (RFC 792), as much as fits by now (RFC 1812, 4.3.2.3; RFC 4443, 2.4 c). What an error quotes
 * that quotes another one is not looked into.
 */
#include <arpa/inet.h>
#include <stdio.h>

#include "rule.h"

/* Type, code and checksum, then 4 bytes that depend on the type. */
#define ICMP_BYTES 8

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

/* ", MTU 1500" where the error gives the MTU that would fit, else nothing. */
#define MTU_TEXT 24
static const char *mtu_text(const uint8_t *icmp, bool v6, char text[MTU_TEXT])
{
	text[0] = '\0';
	if (v6 && icmp[0] == TOO_BIG_V6)
		snprintf(text, MTU_TEXT, ", MTU %u", ibw_get_be32(icmp + 4));
	else if (!v6 && icmp[0] == UNREACHABLE && icmp[1] == FRAGMENTATION_NEEDED)
		snprintf(text, MTU_TEXT, ", MTU %u", ibw_get_be16(icmp + 6));
	return text;
}

/* Walks the @n bytes at @p that an error quotes; whether they begin a RoCE v2 packet. */
static bool walk_quoted(struct ibw_packet *quoted, const struct lint *l, const uint8_t *p,
			uint32_t n, bool v6)
{
	const struct lint_options *said = lint_options_of(l);
	const struct ibw_walk_options options = { .roce_ports = said->roce_ports,
						  .n_roce_ports = said->n_roce_ports };

	/* The packet itself was longer: what is not quoted is cut, and not missing. */
	ibw_packet_walk(quoted, p, n, UINT16_MAX, v6 ? IBW_LINKTYPE_IPV6 : IBW_LINKTYPE_IPV4,
			&options);
	return quoted->proto == IBW_PROTO_ROCEV2;
}

/* "10.0.0.1 -> 10.0.0.2 qp 0x000117 psn 0x000004 (RC SEND Only)" */
#define QUOTED_TEXT 240
static const char *quoted_text(const struct ibw_packet *quoted, bool cut, char text[QUOTED_TEXT])
{
	char src[INET6_ADDRSTRLEN] = "", dst[INET6_ADDRSTRLEN] = "", name[TRACK_FLOW_TEXT];
	struct track_flow flow;
	struct ibw_net net;
	int family;

	if (track_flow_of(quoted, &flow)) {
		snprintf(text, QUOTED_TEXT, "%s psn 0x%06x (%s)", track_flow_text(&flow, name),
			 ibw_bth_psn(IBW_KNOWN(quoted, bth)), lint_opcode_text(quoted));
	} else if (ibw_packet_net(quoted, &net)) {
		family = net.layer == IBW_LAYER_ipv4 ? AF_INET : AF_INET6;
		inet_ntop(family, net.src, src, sizeof(src));
		inet_ntop(family, net.dst, dst, sizeof(dst));
		snprintf(text, QUOTED_TEXT, "%s -> %s, UDP source port %u (its BTH is not %s)", src,
			 dst, ibw_udp_sport(IBW_KNOWN(quoted, udp)), cut ? "captured" : "quoted");
	}
	return text;
}

static __attribute__((cold)) void check_error(const struct lint_packet *p,
					      const struct ibw_net *net, uint32_t end)
{
	const bool v6 = net->layer == IBW_LAYER_ipv6;
	const uint8_t *icmp = p->pkt->data + net->end;
	const char *reason = reason_of(v6 ? ipv6_reasons : ipv4_reasons, icmp);
	const bool cut = end < net->end + net->payload_len;
	char by[INET6_ADDRSTRLEN] = "", mtu[MTU_TEXT], text[QUOTED_TEXT] = "";
	struct ibw_packet quoted;

	if (!reason ||
	    !walk_quoted(&quoted, p->lint, icmp + ICMP_BYTES, end - net->end - ICMP_BYTES, v6))
		return;
	inet_ntop(v6 ? AF_INET6 : AF_INET, net->src, by, sizeof(by));
	lint_found(p, LINT_ROC026, net->end, ICMP_BYTES,
		   "%s says %s (ICMP%s type %u, code %u%s) of %s", by, reason, v6 ? "v6" : "",
		   icmp[0], icmp[1], mtu_text(icmp, v6, mtu), quoted_text(&quoted, cut, text));
}

void lint_roc_icmp(const struct lint_packet *p)
{
	const struct ibw_packet *pkt = p->pkt;
	struct ibw_net net;
	uint32_t end;

	if (pkt->flags & IBW_PKT_FRAGMENT || !ibw_packet_net(pkt, &net) ||
	    net.next != (net.layer == IBW_LAYER_ipv4 ? IBW_IP_PROTO_ICMP : IBW_IP_PROTO_ICMPV6))
		return;
	end = net.end + net.payload_len;
	if (end > pkt->caplen)
		end = pkt->caplen;
	if (end < net.end || end - net.end < ICMP_BYTES || !lint_on(p->lint, LINT_ROC026))
		return;
	check_error(p, &net, end);
}
