/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* make_fix.c - edits of a built packet, and what makes the rest of it right again. */
#include <string.h>

#include "make.h"

uint8_t *mk_at(struct mk_packet *p, enum ibw_layer layer)
{
	if (p->off[layer] == MK_NONE)
		mk_die("no %s header in this packet", ibw_headers[layer].name);
	return p->b + p->off[layer];
}

uint8_t *mk_icrc(struct mk_packet *p)
{
	if (p->icrc_off == MK_NONE)
		mk_die("no ICRC in this packet");
	return p->b + p->icrc_off;
}

uint8_t *mk_vcrc(struct mk_packet *p)
{
	if (p->vcrc_off == MK_NONE)
		mk_die("no VCRC in this packet");
	return p->b + p->vcrc_off;
}

/* Every offset of a packet, for those who move bytes. */
static void move_offsets(struct mk_packet *p, uint32_t at, uint32_t inserted, uint32_t removed)
{
	uint32_t *single[] = { &p->outer_off, &p->payload_off, &p->pad_off, &p->icrc_off,
			       &p->vcrc_off,  &p->end,         &p->fcs_off };
	const unsigned int n_single = sizeof(single) / sizeof(single[0]);
	unsigned int i;

	for (i = 0; i < IBW_LAYER_COUNT + n_single; i++) {
		uint32_t *off = i < IBW_LAYER_COUNT ? &p->off[i] : single[i - IBW_LAYER_COUNT];

		if (*off == MK_NONE || *off < at)
			continue;
		/* What began inside the removed bytes is not there any more, but for an end. */
		if (*off < at + removed && off != &p->end)
			*off = MK_NONE;
		else if (*off < at + removed)
			*off = at;
		else
			*off += inserted - removed;
	}
}

void mk_insert(struct mk_packet *p, uint32_t at, uint32_t n)
{
	if (at > p->len || n > MK_PACKET_MAX - p->len)
		mk_die("%u bytes cannot be inserted at %u of %u", n, at, p->len);
	memmove(p->b + at + n, p->b + at, p->len - at);
	memset(p->b + at, 0, n);
	move_offsets(p, at, n, 0);
	p->len += n;
	p->caplen = p->len;
}

void mk_remove(struct mk_packet *p, uint32_t at, uint32_t n)
{
	if (at > p->len || n > p->len - at)
		mk_die("%u bytes cannot be removed at %u of %u", n, at, p->len);
	memmove(p->b + at, p->b + at + n, p->len - at - n);
	move_offsets(p, at, 0, n);
	p->len -= n;
	p->caplen = p->len;
}

void mk_cut(struct mk_packet *p, uint32_t caplen)
{
	if (caplen > p->len)
		mk_die("a packet of %u bytes cannot be cut at %u", p->len, caplen);
	p->caplen = caplen;
}

static bool has(const struct mk_packet *p, enum ibw_layer layer)
{
	return p->off[layer] != MK_NONE;
}

/* The Ethernet frame or the packet of an IB link in an ERF record. */
static void fix_erf(struct mk_packet *p)
{
	struct ibw_erf_wire *erf = MK_AT(p, erf);
	uint32_t inner = p->off[IBW_LAYER_lrh];

	if (has(p, IBW_LAYER_eth))
		inner = p->off[IBW_LAYER_eth];
	else if (has(p, IBW_LAYER_linkpkt))
		inner = p->off[IBW_LAYER_linkpkt];
	ibw_erf_set_rlen(erf, (uint16_t)p->len);
	ibw_erf_set_wlen(erf, (uint16_t)(p->len - inner));
}

void mk_fix_lengths(struct mk_packet *p)
{
	uint32_t icrc_end = p->vcrc_off == MK_NONE ? p->end : p->vcrc_off;

	if (has(p, IBW_LAYER_lrh))
		ibw_lrh_set_pktlen(MK_AT(p, lrh),
				   (uint16_t)((icrc_end - p->off[IBW_LAYER_lrh]) / 4));
	if (has(p, IBW_LAYER_grh))
		ibw_grh_set_paylen(MK_AT(p, grh),
				   (uint16_t)(icrc_end - p->off[IBW_LAYER_grh] - ibw_grh_BYTES));
	if (has(p, IBW_LAYER_ipv4))
		ibw_ipv4_set_total_len(MK_AT(p, ipv4), (uint16_t)(p->end - p->off[IBW_LAYER_ipv4]));
	if (has(p, IBW_LAYER_ipv6))
		ibw_ipv6_set_paylen(MK_AT(p, ipv6),
				    (uint16_t)(icrc_end - p->off[IBW_LAYER_ipv6] - ibw_ipv6_BYTES));
	if (has(p, IBW_LAYER_udp))
		ibw_udp_set_length(MK_AT(p, udp), (uint16_t)(p->end - p->off[IBW_LAYER_udp]));
	if (p->outer_off != MK_NONE) {
		uint8_t *ip = p->b + p->outer_off, *udp = ip + ibw_ipv4_BYTES;

		ibw_ipv4_set_total_len((struct ibw_ipv4_wire *)ip,
				       (uint16_t)(p->end - p->outer_off));
		ibw_udp_set_length((struct ibw_udp_wire *)udp,
				   (uint16_t)(p->end - p->outer_off - ibw_ipv4_BYTES));
	}
	if (has(p, IBW_LAYER_erf))
		fix_erf(p);
}

/* The sum of @n bytes as 16-bit words, not yet folded: RFC 1071 */
static uint32_t sum16(uint32_t sum, const uint8_t *p, uint32_t n)
{
	uint32_t i;

	for (i = 0; i + 1 < n; i += 2)
		sum += ibw_get_be16(p + i);
	return i < n ? sum + ((uint32_t)p[i] << 8) : sum;
}

static uint16_t folded(uint32_t sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

static void fix_ipv4(uint8_t *at)
{
	struct ibw_ipv4_wire *ip = (struct ibw_ipv4_wire *)at;

	ibw_ipv4_set_checksum(ip, 0);
	ibw_ipv4_set_checksum(ip, folded(sum16(0, at, ibw_ipv4_ihl(ip) * 4u)));
}

void mk_fix_ip_checksum(struct mk_packet *p)
{
	if (has(p, IBW_LAYER_ipv4))
		fix_ipv4(p->b + p->off[IBW_LAYER_ipv4]);
	if (p->outer_off != MK_NONE)
		fix_ipv4(p->b + p->outer_off);
}

void mk_fix_udp_checksum(struct mk_packet *p)
{
	struct ibw_udp_wire *udp = MK_AT(p, udp);
	uint32_t n = p->end - p->off[IBW_LAYER_udp], sum = n + IBW_IP_PROTO_UDP;
	uint16_t checksum;

	/* The pseudo header: both addresses, protocol, length. RFC 768; RFC 8200, 8.1 */
	if (has(p, IBW_LAYER_ipv4))
		sum = sum16(sum, p->b + p->off[IBW_LAYER_ipv4] + ibw_ipv4_src_AT / 8, 8);
	else
		sum = sum16(sum, p->b + p->off[IBW_LAYER_ipv6] + ibw_ipv6_src_AT / 8, 32);
	ibw_udp_set_checksum(udp, 0);
	checksum = folded(sum16(sum, udp->b, n));
	ibw_udp_set_checksum(udp, checksum ? checksum : 0xffff);
}

/* What the ICRC covers, by the headers that are there. */
static enum ibw_icrc_kind icrc_kind(const struct mk_packet *p, uint32_t *cover)
{
	if (has(p, IBW_LAYER_lrh)) {
		*cover = p->off[IBW_LAYER_lrh];
		return has(p, IBW_LAYER_grh) ? IBW_ICRC_IB_GLOBAL : IBW_ICRC_IB_LOCAL;
	}
	if (has(p, IBW_LAYER_grh)) {
		*cover = p->off[IBW_LAYER_grh];
		return IBW_ICRC_ROCE_V1;
	}
	if (has(p, IBW_LAYER_ipv4)) {
		*cover = p->off[IBW_LAYER_ipv4];
		return IBW_ICRC_ROCE_V2_IPV4;
	}
	*cover = p->off[IBW_LAYER_ipv6];
	return IBW_ICRC_ROCE_V2_IPV6;
}

void mk_fix_icrc(struct mk_packet *p)
{
	enum ibw_icrc_kind kind;
	uint32_t cover;

	if (p->icrc_off == MK_NONE)
		return;
	kind = icrc_kind(p, &cover);
	ibw_icrc_put(mk_icrc(p), ibw_icrc(kind, p->b + cover, p->icrc_off - cover));
}

void mk_fix_vcrc(struct mk_packet *p)
{
	uint32_t lrh = p->off[IBW_LAYER_lrh];

	if (p->vcrc_off == MK_NONE)
		return;
	if (lrh == MK_NONE)
		ibw_vcrc_put(mk_vcrc(p), ibw_lpcrc(mk_at(p, IBW_LAYER_linkpkt)));
	else
		ibw_vcrc_put(mk_vcrc(p), ibw_vcrc(p->b + lrh, p->vcrc_off - lrh));
}

void mk_fix_fcs(struct mk_packet *p)
{
	uint32_t eth = p->outer_off == MK_NONE ? p->off[IBW_LAYER_eth] : 0;

	if (p->fcs_off != MK_NONE)
		ibw_put_le32(p->b + p->fcs_off, ibw_eth_fcs(p->b + eth, p->fcs_off - eth));
}

void mk_fix_crcs(struct mk_packet *p)
{
	mk_fix_icrc(p);
	mk_fix_vcrc(p);
	mk_fix_fcs(p);
}

void mk_fix(struct mk_packet *p)
{
	mk_fix_lengths(p);
	mk_fix_ip_checksum(p);
	mk_fix_crcs(p);
}
