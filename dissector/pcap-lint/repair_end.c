/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * repair_end.c - where a packet ends whose lengths may be wrong.
 *
 * Each length field names an end, and so does the frame. The ICRC is the witness: it is right
 * in one place only, either as the packet is, or with the lengths it should have (a sender
 * that computed the ICRC first). On an IB link the VCRC is another.
 */
#include <string.h>

#include <ibwire/build.h>
#include <ibwire/ibwire.h>
#include <lint/lint.h>

#include "repair_end.h"
#include "repair_length.h"

#define CANDIDATES_MAX 16

uint32_t pl_fcs_bytes(const struct ibw_packet *pkt, uint8_t fcs_len)
{
	if (pkt->eth == IBW_NO_SPAN)
		return 0;
	/* ERF cards keep it. */
	return pkt->linktype == IBW_LINKTYPE_ERF || fcs_len == PL_FCS_BYTES ? PL_FCS_BYTES : 0;
}

uint32_t pl_wire_end(const struct ibw_packet *pkt)
{
	unsigned int i = 0;
	uint32_t left;

	if (pkt->linktype != IBW_LINKTYPE_ERF)
		return pkt->len;
	while (i < pkt->n_spans &&
	       (pkt->span[i].layer == IBW_LAYER_erf || pkt->span[i].layer == IBW_LAYER_erf_ext))
		i++;
	if (i == pkt->n_spans)
		return pkt->len;
	left = pkt->len - pkt->span[i].off;
	return pkt->span[i].off + MIN(left, ibw_erf_wlen(ibw_packet_at(pkt, 0)));
}

/* Where the frame ends that holds the packet, without its FCS. */
static uint32_t frame_end(const struct ibw_packet *pkt, unsigned int first, uint8_t fcs_len)
{
	if (first)
		return pl_length_end(pkt, first - 2); /* of the UDP header before VXLAN's */
	return pl_wire_end(pkt) - pl_fcs_bytes(pkt, fcs_len);
}

static bool is_ib(const struct ibw_packet *pkt)
{
	return pkt->lrh != IBW_NO_SPAN;
}

/* Whether a packet can end at @end at all, and was captured up to there. */
static bool is_possible(const struct ibw_packet *pkt, const struct pl_end *e, uint32_t end)
{
	return end <= pkt->caplen && end >= e->headers && end - e->headers >= IBW_ICRC_BYTES &&
	       (!is_ib(pkt) || (end - pkt->span[pkt->lrh].off) % 4 == 0);
}

static bool icrc_is_right(const struct ibw_packet *pkt, const uint8_t *p, uint32_t end)
{
	uint32_t icrc = end - IBW_ICRC_BYTES;

	return ibw_icrc_get(p + icrc) == ibw_icrc((enum ibw_icrc_kind)pkt->icrc_kind,
						  p + pkt->cover_off, icrc - pkt->cover_off);
}

static bool vcrc_is_right(const struct ibw_packet *pkt, uint32_t end)
{
	const uint8_t *lrh = ibw_packet_at(pkt, pkt->lrh);

	return pkt->caplen - end >= IBW_VCRC_BYTES &&
	       ibw_vcrc_get(pkt->data + end) == ibw_vcrc(lrh, end - pkt->span[pkt->lrh].off);
}

/* The same packet with the lengths it has if it ends there; ->bytes are a copy to write to. */
static bool icrc_would_be_right(struct pl_repaired *r, const struct ibw_packet *pkt,
				unsigned int first, uint32_t end)
{
	unsigned int i;

	for (i = first; i < pkt->bth; i++)
		pl_length_repair(r, &pkt->span[i], end);
	r->n_changes = 0;
	return icrc_is_right(pkt, r->bytes->data, end);
}

/* The ends something speaks for: lengths, lengths that forgot the ICRC, the frame. */
static unsigned int candidates(uint32_t *end, const struct ibw_packet *pkt, const struct pl_end *e,
			       uint8_t fcs_len)
{
	uint32_t frame = frame_end(pkt, e->first, fcs_len);
	unsigned int i, n = 0;

	for (i = e->first; i < pkt->bth && n + 2 < CANDIDATES_MAX - 2; i++) {
		uint32_t said = pl_length_end(pkt, i);

		if (!said)
			continue;
		end[n++] = said;
		end[n++] = said + IBW_ICRC_BYTES;
	}
	end[n++] = is_ib(pkt) ? frame - IBW_VCRC_BYTES : frame;
	end[n++] = is_ib(pkt) ? frame : frame - PL_FCS_BYTES;
	return n;
}

/* The end that an ICRC speaks for; 0: none. */
static uint32_t witnessed_end(struct pl_repaired *r, const struct ibw_packet *pkt,
			      const struct pl_end *e, uint8_t fcs_len)
{
	uint32_t end[CANDIDATES_MAX];
	unsigned int i, n = candidates(end, pkt, e, fcs_len), possible = 0;

	for (i = 0; i < n; i++)
		if (is_possible(pkt, e, end[i]))
			end[possible++] = end[i];
	for (i = 0; i < possible; i++)
		if (icrc_is_right(pkt, pkt->data, end[i]))
			return end[i];
	for (i = 0; i < possible; i++)
		if (icrc_would_be_right(r, pkt, e->first, end[i]))
			return end[i];
	return 0;
}

/* The end that a VCRC speaks for, with or without an ICRC before it; 0: none. */
static uint32_t end_by_vcrc(const struct ibw_packet *pkt, const struct pl_end *e, uint8_t fcs_len)
{
	uint32_t end[CANDIDATES_MAX];
	unsigned int i, n = is_ib(pkt) ? candidates(end, pkt, e, fcs_len) : 0;

	for (i = 0; i < n; i++)
		if (is_possible(pkt, e, end[i]) && vcrc_is_right(pkt, end[i]))
			return end[i];
	return 0;
}

/* Where it ends if nothing speaks for any place: by the walk, if the frame does not say better. */
static uint32_t said_end(const struct ibw_packet *pkt, const struct pl_end *e, uint8_t fcs_len)
{
	uint32_t end = frame_end(pkt, e->first, fcs_len);

	if (is_ib(pkt) && is_possible(pkt, e, end - IBW_VCRC_BYTES))
		return end - IBW_VCRC_BYTES;
	/* RoCE v1 is never padded: the shortest is longer than the shortest frame. */
	if (pkt->proto == IBW_PROTO_ROCEV1 && pkt->trailer_len > PL_FCS_BYTES &&
	    is_possible(pkt, e, end))
		return end;
	end = pkt->icrc_off + IBW_ICRC_BYTES;
	return pkt->icrc_off && is_possible(pkt, e, end) ? end : 0;
}

/* Whether nothing at the end of the packet is an ICRC, not even one made wrong. */
static bool is_missing(const struct ibw_packet *pkt, const struct pl_end *e)
{
	uint32_t found;

	if (!lint_icrc_absent(pkt))
		return false;
	if (pkt->icrc_off < e->headers)
		return true;
	if (pkt->icrc_off > pkt->caplen || pkt->caplen - pkt->icrc_off < IBW_ICRC_BYTES)
		return false;
	found = ibw_icrc_get(pkt->data + pkt->icrc_off);
	return ibw_icrc_explain((enum ibw_icrc_kind)pkt->icrc_kind, pkt->data + pkt->cover_off,
				pkt->icrc_off - pkt->cover_off, found)
		       .cause == IBW_ICRC_WHY_UNKNOWN;
}

bool pl_fills_mtu(const struct ibw_packet *pkt, uint32_t bytes)
{
	return ibw_opcodes[pkt->opcode].flags & IBW_OPF_MTU && bytes >= IBW_MTU_MIN &&
	       bytes <= IBW_MTU_MAX && (bytes & (bytes - 1)) == 0;
}

/* The PadCnt with which the ICRC is right, and the lengths of a packet that ends there. */
static bool witnessed_pad(struct pl_repaired *r, const struct ibw_packet *pkt,
			  const struct pl_end *e, uint32_t *pad)
{
	uint8_t *bth = r->bytes->data + pkt->span[pkt->bth].off;

	for (*pad = 0; *pad < 4; ++*pad) {
		ibw_bth_set_padcnt((struct ibw_bth_wire *)bth, (uint8_t)*pad);
		if (icrc_would_be_right(r, pkt, e->first, e->behind))
			return true;
	}
	return false;
}

/* How the bytes between headers and ICRC are divided. */
static uint32_t payload_end(struct pl_repaired *r, const struct ibw_packet *pkt,
			    const struct pl_end *e)
{
	uint32_t room = e->icrc - e->headers, pad;

	if (pl_fills_mtu(pkt, room))
		return e->icrc;
	if (e->missing || icrc_is_right(pkt, pkt->data, e->behind) ||
	    !witnessed_pad(r, pkt, e, &pad))
		pad = ibw_bth_padcnt(ibw_packet_at(pkt, pkt->bth));
	return e->icrc - (pad < room ? pad : room);
}

bool pl_end_find(struct pl_end *e, struct pl_repaired *r, const struct ibw_packet *pkt,
		 uint8_t fcs_len, bool is_sure)
{
	const struct ibw_span *bth = &pkt->span[pkt->bth];

	memset(e, 0, sizeof(*e));
	e->first = pkt->flags & IBW_PKT_VXLAN ? pkt->eth : 0;
	e->headers = bth->off + ibw_bth_BYTES + IBW_ETHS_BYTES(ibw_opcodes[pkt->opcode].eths);
	if (e->headers > pkt->caplen)
		return false;
	if (pkt->icrc_off && pkt->icrc_off >= e->headers &&
	    is_possible(pkt, e, pkt->icrc_off + IBW_ICRC_BYTES) &&
	    icrc_is_right(pkt, pkt->data, pkt->icrc_off + IBW_ICRC_BYTES))
		e->behind = pkt->icrc_off + IBW_ICRC_BYTES;
	if (!e->behind)
		e->behind = witnessed_end(r, pkt, e, fcs_len);
	if (!e->behind && is_sure && is_missing(pkt, e)) {
		e->missing = true;
		e->behind =
			pkt->icrc_off < e->headers ? e->headers : pkt->icrc_off + IBW_ICRC_BYTES;
		e->icrc = e->behind;
	} else {
		if (!e->behind)
			e->behind = end_by_vcrc(pkt, e, fcs_len);
		if (!e->behind && is_sure)
			e->behind = said_end(pkt, e, fcs_len);
		if (!e->behind)
			return false;
		e->icrc = e->behind - IBW_ICRC_BYTES;
	}
	e->payload = payload_end(r, pkt, e);
	return true;
}
