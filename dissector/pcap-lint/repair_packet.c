/* SPDX-License-Identifier: GPL-2.0-or-later */
/* repair_packet.c - lengths, checksums, pad and CRCs of one packet, each from the bytes it counts. */
#include <ibwire/ibwire.h>

#include "repair_packet.h"

#define FCS_BYTES 4u

static void changed(struct pl_repaired *r, enum ibw_layer layer, const char *field, uint32_t was,
		    uint32_t is)
{
	if (was != is && r->n_changes < PL_CHANGES_MAX)
		r->change[r->n_changes++] = (struct pl_change){ layer, field, was, is };
}

#define REPAIR(r, wire, name, field, value)                                                        \
	do {                                                                                       \
		changed(r, IBW_LAYER_##name, #field, ibw_##name##_##field(wire), (value));         \
		ibw_##name##_set_##field(wire, (value));                                           \
	} while (0)

/* Whether enough is known to say what is right. */
static bool is_known(const struct ibw_packet *pkt)
{
	return (pkt->outcome == IBW_OK || pkt->outcome == IBW_MALFORMED) &&
	       pkt->bth != IBW_NO_SPAN && pkt->icrc_off && !(pkt->flags & IBW_PKT_FRAGMENT) &&
	       pkt->icrc_off >= pkt->payload_off && pkt->icrc_off <= pkt->caplen &&
	       pkt->caplen - pkt->icrc_off >= IBW_ICRC_BYTES + (pkt->vcrc_off ? IBW_VCRC_BYTES : 0);
}

/* The same bytes, with the pad that payload and headers ask for; returns where the ICRC is. */
static uint32_t with_pad(struct pl_repaired *r, const struct ibw_packet *pkt)
{
	static const uint8_t zeros[4];
	uint32_t payload_end = pkt->icrc_off - pkt->pad_len;
	uint32_t pad = (0u - (payload_end - pkt->payload_off)) & 3u;

	g_byte_array_set_size(r->bytes, 0);
	g_byte_array_append(r->bytes, pkt->data, payload_end);
	if (pad == pkt->pad_len)
		g_byte_array_append(r->bytes, pkt->data + payload_end, pad);
	else
		g_byte_array_append(r->bytes, zeros, pad);
	g_byte_array_append(r->bytes, pkt->data + pkt->icrc_off, pkt->caplen - pkt->icrc_off);
	return payload_end + pad;
}

static void repair_ipv4(struct pl_repaired *r, uint8_t *at, uint32_t end)
{
	struct ibw_ipv4_wire *ip = (struct ibw_ipv4_wire *)at;

	REPAIR(r, ip, ipv4, total_len, (uint16_t)end);
	REPAIR(r, ip, ipv4, checksum, ibw_ipv4_checksum_of(ip, ibw_ipv4_ihl(ip) * 4u));
}

/* One header; @at and @end count from the start of the packet, @end is behind the ICRC. */
static void repair_length(struct pl_repaired *r, const struct ibw_span *span, uint32_t end,
			  uint32_t pad)
{
	uint8_t *at = r->bytes->data + span->off;
	uint32_t n = end - span->off;

	switch (span->layer) {
	case IBW_LAYER_lrh:
		REPAIR(r, (struct ibw_lrh_wire *)at, lrh, pktlen, n / 4 & 0x7ff);
		break;
	case IBW_LAYER_grh:
		REPAIR(r, (struct ibw_grh_wire *)at, grh, paylen, (uint16_t)(n - ibw_grh_BYTES));
		break;
	case IBW_LAYER_ipv4:
		repair_ipv4(r, at, n);
		break;
	case IBW_LAYER_ipv6:
		REPAIR(r, (struct ibw_ipv6_wire *)at, ipv6, paylen, (uint16_t)(n - ibw_ipv6_BYTES));
		break;
	case IBW_LAYER_udp:
		REPAIR(r, (struct ibw_udp_wire *)at, udp, length, (uint16_t)n);
		break;
	case IBW_LAYER_bth:
		REPAIR(r, (struct ibw_bth_wire *)at, bth, padcnt, pad & 3);
		break;
	default:
		break;
	}
}

/* A record of a capture card counts the whole. */
static void repair_erf(struct pl_repaired *r, const struct ibw_packet *pkt)
{
	struct ibw_erf_wire *erf = (struct ibw_erf_wire *)r->bytes->data;
	uint32_t grown = r->bytes->len - pkt->caplen;

	if (pkt->linktype != IBW_LINKTYPE_ERF || !grown)
		return;
	REPAIR(r, erf, erf, rlen, (uint16_t)(ibw_erf_rlen(erf) + grown));
	REPAIR(r, erf, erf, wlen, (uint16_t)(ibw_erf_wlen(erf) + grown));
}

/* UDP checksums, after all they cover, the innermost first; 0 is right and stays. */
static void repair_udp_checksum(struct pl_repaired *r, const struct ibw_packet *pkt, unsigned int i,
				uint32_t end)
{
	const struct ibw_span *udp = &pkt->span[i], *net = &pkt->span[i ? i - 1 : 0];
	struct ibw_udp_wire *wire = (struct ibw_udp_wire *)(r->bytes->data + udp->off);
	uint8_t *ip = r->bytes->data + net->off;
	uint32_t n = end - udp->off;
	uint64_t pseudo;

	if (!ibw_udp_checksum(wire))
		return;
	if (net->layer == IBW_LAYER_ipv4)
		pseudo = ibw_ipv4_pseudo_sum((struct ibw_ipv4_wire *)ip, n);
	else if (net->layer == IBW_LAYER_ipv6)
		pseudo = ibw_ipv6_pseudo_sum((struct ibw_ipv6_wire *)ip, n);
	else
		return;
	REPAIR(r, wire, udp, checksum, ibw_udp_checksum_of(pseudo, wire, n));
}

static void repair_icrc(struct pl_repaired *r, const struct ibw_packet *pkt, uint32_t icrc_off)
{
	uint8_t *p = r->bytes->data;
	uint32_t icrc = ibw_icrc((enum ibw_icrc_kind)pkt->icrc_kind, p + pkt->cover_off,
				 icrc_off - pkt->cover_off);

	changed(r, IBW_LAYER_bth, "icrc", ibw_icrc_get(p + icrc_off), icrc);
	ibw_icrc_put(p + icrc_off, icrc);
}

static void repair_vcrc(struct pl_repaired *r, const struct ibw_packet *pkt, uint32_t end)
{
	uint32_t lrh = pkt->span[pkt->lrh].off;
	uint8_t *p = r->bytes->data;
	uint16_t vcrc = ibw_vcrc(p + lrh, end - lrh);

	changed(r, IBW_LAYER_lrh, "vcrc", ibw_vcrc_get(p + end), vcrc);
	ibw_vcrc_put(p + end, vcrc);
}

static void repair_fcs(struct pl_repaired *r, const struct ibw_packet *pkt, uint32_t end,
		       uint8_t fcs_len)
{
	uint8_t *p = r->bytes->data;
	uint32_t at, fcs;

	if (fcs_len != FCS_BYTES || pkt->linktype != IBW_LINKTYPE_ETHERNET ||
	    pkt->caplen < pkt->len || r->bytes->len - end < FCS_BYTES)
		return;
	at = r->bytes->len - FCS_BYTES;
	fcs = ibw_eth_fcs(p, at);
	changed(r, IBW_LAYER_eth, "fcs", ibw_get_le32(p + at), fcs);
	ibw_put_le32(p + at, fcs);
}

void pl_repair_packet(struct pl_repaired *r, const struct ibw_packet *pkt, uint8_t fcs_len)
{
	uint32_t icrc_off, end, pad;
	unsigned int i;

	r->n_changes = 0;
	if (!is_known(pkt)) {
		g_byte_array_set_size(r->bytes, 0);
		g_byte_array_append(r->bytes, pkt->data, pkt->caplen);
		return;
	}
	icrc_off = with_pad(r, pkt);
	end = icrc_off + IBW_ICRC_BYTES;
	pad = icrc_off - (pkt->icrc_off - pkt->pad_len);
	repair_erf(r, pkt);
	for (i = 0; i < pkt->n_spans; i++)
		repair_length(r, &pkt->span[i], end, pad);
	repair_icrc(r, pkt, icrc_off);
	for (i = pkt->n_spans; i-- > 0;)
		if (pkt->span[i].layer == IBW_LAYER_udp)
			repair_udp_checksum(r, pkt, i, end);
	if (pkt->vcrc_off)
		repair_vcrc(r, pkt, end);
	repair_fcs(r, pkt, end, fcs_len);
}
