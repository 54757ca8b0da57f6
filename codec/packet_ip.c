/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* packet_ip.c - the walk over an IPv4 or IPv6 header, its lengths and its fragments. */
#include "walk.h"

/* Takes the length an IP header gives, as far as it fits into what bounds it. */
static void ip_length(struct walk *w, uint16_t layer, const char *field, uint32_t start,
		      uint32_t bytes)
{
	uint32_t left = w->end - start;

	if (bytes > left) {
		w->pkt->flags |= IBW_PKT_LENGTHS;
		walk_error(w, IBW_MALFORMED, layer, field, bytes, left);
	} else {
		walk_end(w, start + bytes, layer);
	}
}

bool ibw_walk_ipv4(struct walk *w, uint8_t *protocol)
{
	const struct ibw_ipv4_wire *ip = (const struct ibw_ipv4_wire *)(w->p + w->off);
	uint32_t start = w->off, header, total;

	if (!walk_need(w, IBW_LAYER_ipv4, ibw_ipv4_BYTES))
		return false;
	header = ibw_ipv4_ihl(ip) * 4u;
	if (ibw_ipv4_version(ip) != 4) {
		walk_error(w, IBW_MALFORMED, IBW_LAYER_ipv4, "version", 4, ibw_ipv4_version(ip));
		return false;
	}
	if (header < ibw_ipv4_BYTES) {
		walk_error(w, IBW_MALFORMED, IBW_LAYER_ipv4, "ihl", 5, ibw_ipv4_ihl(ip));
		return false;
	}
	if (header > ibw_ipv4_BYTES) {
		if (!walk_need(w, IBW_LAYER_ipv4, header))
			return false;
		w->pkt->flags |= IBW_PKT_IP_OPTIONS;
	}
	total = ibw_ipv4_total_len(ip);
	if (total < header) {
		walk_error(w, IBW_MALFORMED, IBW_LAYER_ipv4, "total_len", header, total);
		return false;
	}
	ip_length(w, IBW_LAYER_ipv4, "total_len", start, total);
	w->pkt->net = walk_span(w, IBW_LAYER_ipv4, header);
	if (ibw_ipv4_mf(ip) || ibw_ipv4_frag_off(ip))
		w->pkt->flags |= IBW_PKT_FRAGMENT;
	*protocol = ibw_ipv4_protocol(ip);
	return ibw_ipv4_frag_off(ip) == 0;
}

/* More than any stack sends; a chain that goes on is not followed. */
#define EXTENSIONS_MAX 8

bool ibw_walk_ipv6(struct walk *w, uint8_t *protocol)
{
	const struct ibw_ipv6_wire *ip = (const struct ibw_ipv6_wire *)(w->p + w->off);
	uint32_t start = w->off, header = ibw_ipv6_BYTES, n, i;
	const uint8_t *ext;
	uint16_t flags = 0;
	uint8_t next;
	bool first = true;

	if (!walk_need(w, IBW_LAYER_ipv6, header))
		return false;
	if (ibw_ipv6_version(ip) != 6) {
		walk_error(w, IBW_MALFORMED, IBW_LAYER_ipv6, "version", 6, ibw_ipv6_version(ip));
		return false;
	}
	ip_length(w, IBW_LAYER_ipv6, "paylen", start, header + ibw_ipv6_paylen(ip));
	next = ibw_ipv6_nxthdr(ip);
	for (i = 0; i < EXTENSIONS_MAX; i++) {
		if (next != IBW_IP_PROTO_HOPOPT && next != IBW_IP_PROTO_ROUTING &&
		    next != IBW_IP_PROTO_FRAGMENT && next != IBW_IP_PROTO_DSTOPTS)
			break;
		flags |= IBW_PKT_IP_OPTIONS;
		if (!walk_need(w, IBW_LAYER_ipv6, header + 8))
			return false;
		ext = w->p + start + header;
		n = next == IBW_IP_PROTO_FRAGMENT ? 8 : (ext[1] + 1u) * 8;
		if (!walk_need(w, IBW_LAYER_ipv6, header + n))
			return false;
		if (next == IBW_IP_PROTO_FRAGMENT) {
			flags |= IBW_PKT_FRAGMENT;
			first = ibw_get_be16(ext + 2) >> 3 == 0;
		}
		next = ext[0];
		header += n;
		if (!first)
			break;
	}
	w->pkt->net = walk_span(w, IBW_LAYER_ipv6, header);
	w->pkt->flags |= flags;
	*protocol = next;
	return first;
}
