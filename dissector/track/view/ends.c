/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ends.c - where a packet ends whose lengths may be wrong. */
#include <glib.h>

#include <ibwire/ibwire.h>

#include "ends.h"

static bool is_ib(const struct ibw_packet *pkt)
{
	return pkt->lrh != IBW_NO_SPAN;
}

unsigned int track_packet_first(const struct ibw_packet *pkt)
{
	return pkt->flags & IBW_PKT_TUNNEL ? pkt->first : 0;
}

uint32_t track_headers_end(const struct ibw_packet *pkt)
{
	return pkt->span[pkt->bth].off + (uint32_t)ibw_bth_BYTES +
	       IBW_ETHS_BYTES(ibw_packet_eths(pkt));
}

/* ---- What names an end ---- */

uint32_t track_length_end(const struct ibw_packet *pkt, unsigned int i)
{
	const void *at = ibw_packet_at(pkt, i);
	uint32_t off = pkt->span[i].off;

	switch (pkt->span[i].layer) {
#define LENGTH(hdr, field, unit, apart)                                                            \
	case IBW_LAYER_##hdr:                                                                      \
		return off + (uint32_t)(apart) + ibw_##hdr##_##field(at) * (uint32_t)(unit);
		TRACK_LENGTHS(LENGTH)
#undef LENGTH
	default:
		return 0;
	}
}

uint32_t track_length_for(enum ibw_layer layer, uint32_t bytes)
{
	switch (layer) {
#define LENGTH(hdr, field, unit, apart)                                                            \
	case IBW_LAYER_##hdr:                                                                      \
		return (bytes - (uint32_t)(apart)) / (unit) &                                      \
		       (uint32_t)IBW_BITS_MASK(ibw_##hdr##_##field##_END_ -                        \
					       ibw_##hdr##_##field##_AT + 1);
		TRACK_LENGTHS(LENGTH)
#undef LENGTH
	default:
		return 0;
	}
}

/* The length of the header of @span in a copy of its packet becomes that of one that ends there. */
static void set_length(uint8_t *copy, const struct ibw_span *span, uint32_t end)
{
	uint32_t value = track_length_for((enum ibw_layer)span->layer, end - span->off);
	void *at = copy + span->off;

	switch (span->layer) {
#define LENGTH(hdr, field, unit, apart)                                                            \
	case IBW_LAYER_##hdr:                                                                      \
		ibw_##hdr##_set_##field(at, (uint16_t)value);                                      \
		break;
		TRACK_LENGTHS(LENGTH)
#undef LENGTH
	default:
		break;
	}
}

uint32_t track_fcs_bytes(const struct ibw_packet *pkt, uint8_t fcs_len)
{
	if (pkt->eth == IBW_NO_SPAN)
		return 0;
	/* ERF cards keep it. */
	return pkt->linktype == IBW_LINKTYPE_ERF || fcs_len == TRACK_FCS_BYTES ? TRACK_FCS_BYTES
									       : 0;
}

uint32_t track_wire_end(const struct ibw_packet *pkt)
{
	unsigned int i = 0;

	if (pkt->linktype != IBW_LINKTYPE_ERF)
		return pkt->len;
	while (i < pkt->n_spans &&
	       (pkt->span[i].layer == IBW_LAYER_erf || pkt->span[i].layer == IBW_LAYER_erf_ext))
		i++;
	if (i == pkt->n_spans)
		return pkt->len;
	return pkt->span[i].off + ibw_erf_wlen(ibw_packet_at(pkt, 0));
}

uint32_t track_frame_end(const struct ibw_packet *pkt, uint8_t fcs_len)
{
	unsigned int first = track_packet_first(pkt);
	uint32_t end = track_wire_end(pkt), said;

	while (first-- > 0) { /* the innermost length of a tunnel around it */
		said = track_length_end(pkt, first);
		if (said)
			return said;
	}
	return MIN(end, pkt->len) - track_fcs_bytes(pkt, fcs_len);
}

bool track_end_is_possible(const struct ibw_packet *pkt, uint32_t end)
{
	uint32_t headers = track_headers_end(pkt);

	return end <= pkt->caplen && end >= headers && end - headers >= IBW_ICRC_BYTES &&
	       (!is_ib(pkt) || (end - pkt->span[pkt->lrh].off) % 4 == 0);
}

static unsigned int add(struct track_end *ends, unsigned int n, const struct ibw_packet *pkt,
			struct track_end e)
{
	if (n < TRACK_ENDS_MAX && track_end_is_possible(pkt, e.end))
		ends[n++] = e;
	return n;
}

unsigned int track_ends(struct track_end ends[TRACK_ENDS_MAX], const struct ibw_packet *pkt,
			uint8_t fcs_len)
{
	uint32_t frame = track_frame_end(pkt, fcs_len), end;
	unsigned int i, n = 0;

	for (i = track_packet_first(pkt); i < pkt->bth; i++) {
		end = track_length_end(pkt, i);
		if (!end)
			continue;
		n = add(ends, n, pkt, (struct track_end){ end, TRACK_END_LENGTH, i });
		n = add(ends, n, pkt,
			(struct track_end){ end + IBW_ICRC_BYTES, TRACK_END_UNCOUNTED, i });
	}
	end = is_ib(pkt) ? frame - IBW_VCRC_BYTES : frame;
	n = add(ends, n, pkt, (struct track_end){ end, TRACK_END_FRAME, IBW_NO_SPAN });
	end = is_ib(pkt) ? frame : frame - TRACK_FCS_BYTES;
	return add(ends, n, pkt, (struct track_end){ end, TRACK_END_FRAME, IBW_NO_SPAN });
}

/* ---- Who is the witness ---- */

static bool is_right(const struct ibw_packet *pkt, const uint8_t *p, uint32_t end)
{
	uint32_t icrc = end - IBW_ICRC_BYTES;

	return ibw_icrc_get(p + icrc) == ibw_icrc((enum ibw_icrc_kind)pkt->icrc_kind,
						  p + pkt->cover_off, icrc - pkt->cover_off);
}

bool track_icrc_is_right(const struct ibw_packet *pkt, uint32_t end)
{
	return is_right(pkt, pkt->data, end);
}

bool track_ends_at(const struct ibw_packet *pkt, uint32_t end)
{
	return pkt->icrc_kind != IBW_ICRC_NONE && track_end_is_possible(pkt, end) &&
	       track_icrc_is_right(pkt, end);
}

bool track_icrc_would_be_right(uint8_t *copy, const struct ibw_packet *pkt, uint32_t end)
{
	unsigned int i;

	for (i = track_packet_first(pkt); i < pkt->bth; i++)
		set_length(copy, &pkt->span[i], end);
	return is_right(pkt, copy, end);
}

bool track_end_witnessed(const struct ibw_packet *pkt, struct track_end *end)
{
	struct track_end ends[TRACK_ENDS_MAX];
	unsigned int i, n;
	bool right = false;
	uint8_t *copy;

	if (pkt->bth == IBW_NO_SPAN || pkt->icrc_kind == IBW_ICRC_NONE)
		return false; /* a link packet, a raw one: there is no witness */
	n = track_ends(ends, pkt, 0);
	for (i = 0; i < n && !right; i++) {
		*end = ends[i];
		right = end->by != TRACK_END_UNCOUNTED && track_icrc_is_right(pkt, end->end);
	}
	if (right)
		return true;
	copy = g_memdup2(pkt->data, pkt->caplen);
	for (i = 0; i < n && !right; i++) {
		*end = ends[i];
		right = end->by != TRACK_END_UNCOUNTED &&
			track_icrc_would_be_right(copy, pkt, end->end);
	}
	g_free(copy);
	return right;
}

/* ---- Whether there is an ICRC at all ---- */

/* Whether an ICRC that fits is after @end. */
static bool icrc_follows(const struct ibw_packet *pkt, uint32_t end)
{
	return end <= pkt->caplen && IBW_ICRC_BYTES <= pkt->caplen - end &&
	       track_icrc_is_right(pkt, end + IBW_ICRC_BYTES);
}

bool track_icrc_left_out(const struct ibw_packet *pkt)
{
	const struct ibw_error *e = &pkt->error;

	if (pkt->outcome != IBW_MALFORMED || pkt->flags & IBW_PKT_FRAGMENT ||
	    pkt->bth == IBW_NO_SPAN || e->field || e->layer != IBW_LAYER_bth ||
	    e->needed != IBW_ICRC_BYTES || e->had || pkt->eths != ibw_packet_eths(pkt))
		return false;
	/* With a right ICRC in the place of its last header, that one is missing. */
	return !icrc_follows(pkt, pkt->payload_off - IBW_ICRC_BYTES);
}

bool track_fills_mtu(const struct ibw_packet *pkt, uint32_t bytes)
{
	return ibw_opcodes[pkt->opcode].flags & IBW_OPF_MTU && ibw_mtu_is(bytes);
}

/* Whether the packet should have @bytes after its headers without its ICRC. */
static bool is_all_payload(const struct ibw_packet *pkt, uint32_t bytes)
{
	const struct ibw_bth_wire *bth = IBW_KNOWN(pkt, bth);
	const struct ibw_opcode_row *row = &ibw_opcodes[pkt->opcode];
	const struct ibw_reth_wire *reth = IBW_AT(pkt, reth);
	unsigned int service = pkt->opcode & IBW_SERVICE_MASK;

	if (row->flags & IBW_OPF_MTU)
		return track_fills_mtu(pkt, bytes);
	if (reth && row->flags & IBW_OPF_SOME && service != IBW_SERVICE_RD)
		return bytes == (uint64_t)ibw_reth_dmalen(reth) + ibw_bth_padcnt(bth);
	return ibw_bth_dqpn(bth) <= IBW_QPN_GSI && service == IBW_SERVICE_UD &&
	       bytes == IBW_MAD_BYTES;
}

bool track_icrc_absent(const struct ibw_packet *pkt)
{
	return track_icrc_left_out(pkt) ||
	       (pkt->icrc_off >= pkt->payload_off && pkt->bth != IBW_NO_SPAN &&
		is_all_payload(pkt, pkt->icrc_off + IBW_ICRC_BYTES - pkt->payload_off));
}
