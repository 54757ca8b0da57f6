/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * repair_end.c - finds the end of a packet whose lengths may be wrong.
 *
 * The ICRC is the witness (track/view/ends.h). On an IB link the VCRC is another.
 */
#include <string.h>

#include <ibwire/build.h>
#include <ibwire/ibwire.h>
#include <track/view/ends.h>

#include "repair_end.h"

static bool is_ib(const struct ibw_packet *pkt)
{
	return pkt->lrh != IBW_NO_SPAN;
}

static bool vcrc_is_right(const struct ibw_packet *pkt, uint32_t end)
{
	const uint8_t *lrh = ibw_packet_at(pkt, pkt->lrh);

	return pkt->caplen - end >= IBW_VCRC_BYTES &&
	       ibw_vcrc_get(pkt->data + end) == ibw_vcrc(lrh, end - pkt->span[pkt->lrh].off);
}

/* The end that an ICRC speaks for; 0: none. */
static uint32_t witnessed_end(struct pl_repaired *r, const struct ibw_packet *pkt, uint8_t fcs_len)
{
	struct track_end e[TRACK_ENDS_MAX];
	unsigned int i, n = track_ends(e, pkt, fcs_len);

	for (i = 0; i < n; i++)
		if (track_icrc_is_right(pkt, e[i].end))
			return e[i].end;
	for (i = 0; i < n; i++)
		if (track_icrc_would_be_right(r->bytes->data, pkt, e[i].end))
			return e[i].end;
	return 0;
}

/* The end that a VCRC speaks for, with or without an ICRC before it; 0: none. */
static uint32_t end_by_vcrc(const struct ibw_packet *pkt, uint8_t fcs_len)
{
	struct track_end e[TRACK_ENDS_MAX];
	unsigned int i, n = is_ib(pkt) ? track_ends(e, pkt, fcs_len) : 0;

	for (i = 0; i < n; i++)
		if (vcrc_is_right(pkt, e[i].end))
			return e[i].end;
	return 0;
}

/* Where it ends if nothing speaks for any place: by the walk, if the frame does not say better. */
static uint32_t said_end(const struct ibw_packet *pkt, uint8_t fcs_len)
{
	uint32_t end = track_frame_end(pkt, fcs_len);

	if (is_ib(pkt) && track_end_is_possible(pkt, end - IBW_VCRC_BYTES))
		return end - IBW_VCRC_BYTES;
	/* RoCE v1 is never padded: the shortest is longer than the shortest frame. */
	if (pkt->proto == IBW_PROTO_ROCEV1 && pkt->trailer_len > TRACK_FCS_BYTES &&
	    track_end_is_possible(pkt, end))
		return end;
	end = pkt->icrc_off + IBW_ICRC_BYTES;
	return pkt->icrc_off && track_end_is_possible(pkt, end) ? end : 0;
}

/* Whether nothing at the end of the packet is an ICRC, not even one made wrong. */
static bool is_missing(const struct ibw_packet *pkt, const struct pl_end *e)
{
	uint32_t found;

	if (!track_icrc_absent(pkt))
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

/* The PadCnt with which the ICRC is right, and the lengths of a packet that ends there. */
static bool witnessed_pad(struct pl_repaired *r, const struct ibw_packet *pkt,
			  const struct pl_end *e, uint32_t *pad)
{
	uint8_t *bth = r->bytes->data + pkt->span[pkt->bth].off;

	for (*pad = 0; *pad < 4; ++*pad) {
		ibw_bth_set_padcnt((struct ibw_bth_wire *)bth, (uint8_t)*pad);
		if (track_icrc_would_be_right(r->bytes->data, pkt, e->after))
			return true;
	}
	return false;
}

/* How the bytes between headers and ICRC are divided. */
static uint32_t payload_end(struct pl_repaired *r, const struct ibw_packet *pkt,
			    const struct pl_end *e)
{
	uint32_t room = e->icrc - e->headers, pad;

	if (track_fills_mtu(pkt, room))
		return e->icrc;
	if (e->missing || track_icrc_is_right(pkt, e->after) || !witnessed_pad(r, pkt, e, &pad))
		pad = ibw_bth_padcnt(ibw_packet_at(pkt, pkt->bth));
	return e->icrc - (pad < room ? pad : room);
}

bool pl_end_find(struct pl_end *e, struct pl_repaired *r, const struct ibw_packet *pkt,
		 uint8_t fcs_len, bool is_sure)
{
	memset(e, 0, sizeof(*e));
	e->first = track_packet_first(pkt);
	e->headers = track_headers_end(pkt);
	if (e->headers > pkt->caplen)
		return false;
	if (pkt->icrc_off && pkt->icrc_off >= e->headers &&
	    track_end_is_possible(pkt, pkt->icrc_off + IBW_ICRC_BYTES) &&
	    track_icrc_is_right(pkt, pkt->icrc_off + IBW_ICRC_BYTES))
		e->after = pkt->icrc_off + IBW_ICRC_BYTES;
	if (!e->after)
		e->after = witnessed_end(r, pkt, fcs_len);
	if (!e->after && is_sure && is_missing(pkt, e)) {
		e->missing = true;
		e->after = pkt->icrc_off < e->headers ? e->headers : pkt->icrc_off + IBW_ICRC_BYTES;
		e->icrc = e->after;
	} else {
		if (!e->after)
			e->after = end_by_vcrc(pkt, fcs_len);
		if (!e->after && is_sure)
			e->after = said_end(pkt, fcs_len);
		if (!e->after)
			return false;
		e->icrc = e->after - IBW_ICRC_BYTES;
	}
	e->payload = payload_end(r, pkt, e);
	return true;
}
