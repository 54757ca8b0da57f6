/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * packet_upper.c - what IPoIB carries that has a hardware address in it: neighbor
 * discovery (RFC 4861; RFC 4391, 9.3) and DHCP (RFC 2131; RFC 4390).
 */
#include "walk.h"

/* Options are in units of this: RFC 4861, 4.6 */
#define ND_UNIT 8u
/* RFC 2131, 3 */
#define DHCP_COOKIE 0x63825363u
/* The client identifier that RFC 4361 defines. */
#define DHCP_CLIENT_ID_NODE 255

static uint32_t left(const struct walk *w)
{
	return cursor_left(&w->c);
}

/* The option's own layer where it is known and as long as it has to be, @other where not. */
static void option_span(struct walk *w, uint16_t known, uint16_t other, uint32_t bytes)
{
	walk_span(w, known != IBW_LAYER_COUNT && bytes >= ibw_headers[known].bytes ? known : other,
		  bytes);
}

/* Of one that is not all there, or has no length, the first two bytes; then no more. */
static void walk_nd_options(struct walk *w)
{
	const struct ibw_nd_option_wire *option;
	uint16_t known;
	uint32_t bytes;

	while ((option = ibw_nd_option_view(w->c.p + w->c.off, left(w)))) {
		bytes = ibw_nd_option_length(option) * ND_UNIT;
		if (!bytes || bytes > left(w)) {
			walk_span(w, IBW_LAYER_nd_option, ibw_nd_option_BYTES);
			return;
		}
		known = IBW_LAYER_COUNT;
		if (bytes == ibw_nd_lladdr_BYTES &&
		    (ibw_nd_option_type(option) == IBW_ND_SOURCE_LLADDR ||
		     ibw_nd_option_type(option) == IBW_ND_TARGET_LLADDR))
			known = IBW_LAYER_nd_lladdr;
		option_span(w, known, IBW_LAYER_nd_option, bytes);
	}
}

void ibw_walk_icmpv6(struct walk *w)
{
	const struct ibw_icmpv6_wire *icmp = WALK_TAKE(w, icmpv6);
	const void *body;

	if (!icmp)
		return;
	switch (ibw_icmpv6_type(icmp)) {
	case IBW_ICMPV6_ROUTER_SOLICITATION:
		body = WALK_TAKE(w, reserved_4);
		break;
	case IBW_ICMPV6_ROUTER_ADVERTISEMENT:
		body = WALK_TAKE(w, nd_router);
		break;
	case IBW_ICMPV6_NEIGHBOR_SOLICITATION:
	case IBW_ICMPV6_NEIGHBOR_ADVERTISEMENT:
		body = WALK_TAKE(w, nd_neighbor);
		break;
	case IBW_ICMPV6_REDIRECT:
		body = WALK_TAKE(w, nd_redirect);
		break;
	default:
		return;
	}
	if (body)
		walk_nd_options(w);
}

static bool is_node_id(const struct walk *w, uint32_t bytes)
{
	const struct ibw_dhcp_client_id_wire *id =
		ibw_dhcp_client_id_view(w->c.p + w->c.off, bytes);

	return id && ibw_dhcp_client_id_type(id) == DHCP_CLIENT_ID_NODE;
}

/* Up to the end option, of which and of pads there is no more than the code. */
static void walk_dhcp_options(struct walk *w)
{
	const struct ibw_dhcp_option_wire *option;
	uint16_t known;
	uint32_t bytes;

	while ((option = ibw_dhcp_option_view(w->c.p + w->c.off, left(w)))) {
		if (ibw_dhcp_option_code(option) == IBW_DHCP_END)
			return;
		if (ibw_dhcp_option_code(option) == IBW_DHCP_PAD) {
			w->c.off++;
			continue;
		}
		bytes = (uint32_t)ibw_dhcp_option_BYTES + ibw_dhcp_option_length(option);
		if (bytes > left(w))
			return;
		known = IBW_LAYER_COUNT;
		if (ibw_dhcp_option_code(option) == IBW_DHCP_MESSAGE_TYPE)
			known = IBW_LAYER_dhcp_type;
		else if (ibw_dhcp_option_code(option) == IBW_DHCP_CLIENT_ID && is_node_id(w, bytes))
			known = IBW_LAYER_dhcp_client_id;
		option_span(w, known, IBW_LAYER_dhcp_option, bytes);
	}
}

static bool is_dhcp_port(uint16_t port)
{
	return port == IBW_UDP_PORT_DHCP_SERVER || port == IBW_UDP_PORT_DHCP_CLIENT;
}

void ibw_walk_dhcp(struct walk *w, const struct ibw_udp_wire *udp)
{
	const struct ibw_dhcp_wire *dhcp = ibw_dhcp_view(w->c.p + w->c.off, left(w));

	if (!is_dhcp_port(ibw_udp_dport(udp)) || !dhcp || ibw_dhcp_cookie(dhcp) != DHCP_COOKIE)
		return;
	walk_span(w, IBW_LAYER_dhcp, ibw_dhcp_BYTES);
	walk_dhcp_options(w);
}
