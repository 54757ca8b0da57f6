/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* packet_ip.c - the walk over an IPv4 or IPv6 header, its lengths and its fragments; TCP. */
#include "walk.h"

/*
 * Takes the length an IP header gives, as far as it fits into what bounds it. In a tunnel
 * whose own packet is a fragment it need not.
 */
static void ip_length(struct walk *w, uint16_t layer, const char *field, uint32_t start,
		      uint32_t bytes)
{
	uint32_t left = w->c.end - start;

	if (bytes <= left) {
		walk_end(w, start + bytes, layer);
	} else if (w->cut) {
		walk_beyond(w, start + bytes, layer);
	} else if (!(w->pkt->flags & IBW_PKT_FRAGMENT)) {
		w->pkt->flags |= IBW_PKT_LENGTHS;
		walk_error(w, IBW_MALFORMED, layer, field, bytes, left);
		walk_beyond(w, start + bytes, layer);
	}
}

bool ibw_walk_ipv4(struct walk *w, uint8_t *protocol)
{
	const struct ibw_ipv4_wire *ip = (const struct ibw_ipv4_wire *)(w->c.p + w->c.off);
	uint32_t start = w->c.off, header, total;

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

/* The offset and the M bit of a fragment header: RFC 8200, 4.5 */
#define FRAGMENT_OFFSET 0xfff8
#define FRAGMENT_MORE 0x0001

static bool is_extension(uint8_t next)
{
	return next == IBW_IP_PROTO_HOPOPT || next == IBW_IP_PROTO_ROUTING ||
	       next == IBW_IP_PROTO_FRAGMENT || next == IBW_IP_PROTO_DSTOPTS;
}

/* The size of the extension header after the first @header bytes; 0: it is not all there. */
static uint32_t extension_bytes(struct walk *w, uint32_t header, uint8_t type)
{
	const uint8_t *ext = w->c.p + w->c.off + header;
	uint32_t n = 8;

	if (!walk_need(w, IBW_LAYER_ipv6, header + n))
		return 0;
	if (type != IBW_IP_PROTO_FRAGMENT)
		n = (ext[1] + 1u) * 8;
	return walk_need(w, IBW_LAYER_ipv6, header + n) ? n : 0;
}

/*
 * Follows the extension headers after the first *@header bytes, which grow by them. False:
 * what is after them is not here, or is the middle of a packet.
 */
static bool walk_extensions(struct walk *w, uint32_t *header, uint8_t *next)
{
	uint32_t n, i;

	for (i = 0; i < EXTENSIONS_MAX && is_extension(*next); i++) {
		const uint8_t *ext = w->c.p + w->c.off + *header;
		uint16_t fragment = 0;

		w->pkt->flags |= IBW_PKT_IP_OPTIONS;
		n = extension_bytes(w, *header, *next);
		if (!n)
			return false;
		if (*next == IBW_IP_PROTO_FRAGMENT)
			fragment = ibw_get_be16(ext + 2);
		/* With neither of them it is the whole packet: RFC 6946 */
		if (fragment & (FRAGMENT_OFFSET | FRAGMENT_MORE))
			w->pkt->flags |= IBW_PKT_FRAGMENT;
		*next = ext[0];
		*header += n;
		if (fragment & FRAGMENT_OFFSET)
			return false;
	}
	return true;
}

bool ibw_walk_ipv6(struct walk *w, uint8_t *protocol)
{
	const struct ibw_ipv6_wire *ip = (const struct ibw_ipv6_wire *)(w->c.p + w->c.off);
	uint32_t header = ibw_ipv6_BYTES;
	bool whole;

	if (!walk_need(w, IBW_LAYER_ipv6, header))
		return false;
	if (ibw_ipv6_version(ip) != 6) {
		walk_error(w, IBW_MALFORMED, IBW_LAYER_ipv6, "version", 6, ibw_ipv6_version(ip));
		return false;
	}
	ip_length(w, IBW_LAYER_ipv6, "paylen", w->c.off, header + ibw_ipv6_paylen(ip));
	*protocol = ibw_ipv6_nxthdr(ip);
	whole = walk_extensions(w, &header, protocol);
	w->pkt->net = walk_span(w, IBW_LAYER_ipv6, header);
	return whole;
}

/* The first bytes of either side of an iWARP connection: RFC 5044, 7.1.1 */
static const uint8_t mpa_key[] = { 'M', 'P', 'A', ' ', 'I', 'D', ' ', 'R', 'e' };

static bool is_mpa(const struct walk *w)
{
	const uint8_t *p = w->c.p + w->c.off;
	uint32_t i;

	if (sizeof(mpa_key) > cursor_left(&w->c))
		return false;
	for (i = 0; i < sizeof(mpa_key) && p[i] == mpa_key[i]; i++)
		;
	return i == sizeof(mpa_key);
}

/*
 * What TCP carries is not followed yet, so a header that is cut or wrong is no error of RDMA. That
 * an iWARP connection begins shows in one packet.
 */
void ibw_walk_tcp(struct walk *w)
{
	const struct ibw_tcp_wire *tcp = ibw_tcp_view(w->c.p + w->c.off, cursor_left(&w->c));
	uint32_t header = tcp ? ibw_tcp_doff(tcp) * 4u : 0;

	if (header < ibw_tcp_BYTES || header > cursor_left(&w->c))
		return;
	walk_span(w, IBW_LAYER_tcp, header);
	if (w->pkt->proto == IBW_PROTO_OTHER && is_mpa(w))
		w->pkt->proto = IBW_PROTO_IWARP;
}
