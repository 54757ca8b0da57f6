/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * build_fpdu.h - builds FPDUs and the frames of the MPA set-up.
 *
 *	struct ibw_fpdu_build b = { .position = position, .mulpdu = ibw_mulpdu(emss, markers),
 *				    .markers = markers, .crc = true };
 *
 *	b.segment = (struct ibw_segment){ .tagged = true, .last = true, .stag = stag, .to = to,
 *					  .opcode = IBW_RDMAP_WRITE, .bytes = n };
 *	n = ibw_build_fpdu(buf, cap, &b, pieces, n_pieces, crc32c);
 *	if (n == 0)
 *		... ibw_fpdu_build_check(&b) says why ...
 *	else if (n > cap)
 *		... nothing was written; n bytes are needed ...
 *	position += n;
 *
 * The position is the offset in the stream from the first byte after the request or reply frame; the places of the markers depend
 * on it. Set by the builder, whatever the members hold: both versions (1), the length, the pad (0) and the reserved bits (0).
 * segment.h makes the segments of a message.
 */
#ifndef IBWIRE_BUILD_FPDU_H
#define IBWIRE_BUILD_FPDU_H

#include "fpdu.h"

/* What to build. */
struct ibw_fpdu_build {
	uint64_t position;          /* in the stream: a multiple of 4 */
	uint32_t mulpdu;            /* the most bytes a ULPDU may have: ibw_mulpdu() */
	bool markers;               /* the other end asked for them */
	bool crc;                   /* in use; else it is sent as 0 */
	struct ibw_segment segment; /* bytes: of the payload; dv and rv are not read */
};

/* Why an FPDU is not built. */
enum ibw_fpdu_build_error {
	IBW_FPDU_BUILD_OK,
	IBW_FPDU_BUILD_POSITION, /* it is not a multiple of 4 */
	IBW_FPDU_BUILD_OPCODE, /* not defined, or of the other buffer model, or of another queue */
	IBW_FPDU_BUILD_LONG,   /* more than the MULPDU, or than 65,535 bytes */
	IBW_FPDU_BUILD_PAYLOAD /* not the bytes that the header of the opcode has */
};

/*
 * The most bytes of a ULPDU whose FPDU fits a TCP segment of @emss bytes, as RFC 5044, 4.1 has it for a pad and
 * as many markers as there can be; 0: none does.
 */
IBW_INLINE uint32_t ibw_mulpdu(uint32_t emss, bool markers)
{
	uint32_t around = (uint32_t)ibw_mpa_BYTES + IBW_MPA_CRC_BYTES + emss % 4;

	if (markers)
		around += 4 * ((emss + IBW_MARKER_EVERY - 1) / IBW_MARKER_EVERY);
	return emss > around ? emss - around : 0;
}

/* Whether the payload of a segment has the bytes that its opcode asks for. */
static inline bool ibw_fpdu_build_payload_fits(const struct ibw_segment *s)
{
	uint32_t header = ibw_rdmap_header_bytes(s->opcode);

	if (!header)
		return true;
	if (!s->last)
		return false;
	return s->opcode == IBW_RDMAP_TERMINATE ? s->bytes >= header : s->bytes == header;
}

/* Whether it can be built, and why not. */
static inline enum ibw_fpdu_build_error ibw_fpdu_build_check(const struct ibw_fpdu_build *b)
{
	const struct ibw_segment *s = &b->segment;
	uint32_t flags = ibw_rdmap_flags(s->opcode), header = ibw_segment_header_bytes(s);

	if (b->position % 4)
		return IBW_FPDU_BUILD_POSITION;
	if (!flags || s->tagged != ((flags & IBW_RDMAP_TAGGED) != 0) ||
	    (!s->tagged && s->qn != ibw_rdmap_qn(s->opcode)) ||
	    (s->inval_stag && !(flags & IBW_RDMAP_INVALIDATES)))
		return IBW_FPDU_BUILD_OPCODE;
	if (s->bytes > 0xffffu - header || s->bytes + header > b->mulpdu)
		return IBW_FPDU_BUILD_LONG;
	return ibw_fpdu_build_payload_fits(s) ? IBW_FPDU_BUILD_OK : IBW_FPDU_BUILD_PAYLOAD;
}

/* Bytes of the stream that it takes. */
static inline uint32_t ibw_fpdu_build_bytes(const struct ibw_fpdu_build *b)
{
	uint32_t phase = b->markers ? ibw_fpdu_phase(b->position) : IBW_FPDU_NO_MARKERS;
	uint32_t content =
		ibw_fpdu_content(ibw_segment_header_bytes(&b->segment) + b->segment.bytes);

	return content + 4 * ibw_fpdu_markers(content, ibw_fpdu_before_marker(phase));
}

/* Where an FPDU is written. */
struct ibw_fpdu_writer {
	uint8_t *p, *length; /* the next byte; the first one of the length */
	uint32_t before;     /* bytes up to the next marker */
};

/* A marker at the place of the next byte. */
static inline void ibw_fpdu_put_marker(struct ibw_fpdu_writer *w)
{
	uint32_t distance = w->p == w->length ? 0 : (uint32_t)(w->p - w->length);

	if (!distance)
		w->length += ibw_mpa_marker_BYTES;
	ibw_put_be32(w->p, distance);
	w->p += ibw_mpa_marker_BYTES;
	w->before = IBW_MARKER_BETWEEN;
}

/*
 * @n bytes, with the markers that come between them. Bytes that are already in their place are not
 * copied.
 */
static inline void ibw_fpdu_put(struct ibw_fpdu_writer *w, const uint8_t *from, uint32_t n)
{
	uint32_t here;

	for (; n; n -= here, from += here) {
		if (!w->before)
			ibw_fpdu_put_marker(w);
		here = n < w->before ? n : w->before;
		if (w->p != from)
			ibw_copy_bytes(w->p, from, here);
		w->p += here;
		w->before -= here;
	}
}

/* The length and the DDP header of a segment at @p: ibw_mpa_BYTES and 14 or 18. */
static inline void ibw_fpdu_pack_head(uint8_t *p, const struct ibw_segment *s)
{
	uint32_t header = ibw_segment_header_bytes(s);
	uint8_t control = (uint8_t)(1u << 6 | s->opcode);

	ibw_put_be16(p, (uint16_t)(header + s->bytes));
	p += ibw_mpa_BYTES;
	p[0] = (uint8_t)((s->tagged ? 0x80 : 0) | (s->last ? 0x40 : 0) | 1);
	p[1] = control;
	if (s->tagged) {
		ibw_put_be32(p + ibw_ddp_tagged_stag_AT / 8, s->stag);
		ibw_put_be64(p + ibw_ddp_tagged_to_AT / 8, s->to);
		return;
	}
	ibw_put_be32(p + 2, s->inval_stag);
	ibw_put_be32(p + ibw_ddp_untagged_qn_AT / 8, s->qn);
	ibw_put_be32(p + ibw_ddp_untagged_msn_AT / 8, s->msn);
	ibw_put_be32(p + ibw_ddp_untagged_mo_AT / 8, s->mo);
}

/*
 * Writes the FPDU of @b around its payload, which lies in pieces of b->segment.bytes or more in all, and returns its length in
 * bytes. If that is more than @cap, nothing was written. 0: ibw_fpdu_build_check() says why, or the pieces hold fewer bytes. A
 * piece may already be in its place in @buf, but not elsewhere in it. @crc32c is not called, and may be NULL, without b->crc.
 */
static inline size_t ibw_build_fpdu(void *buf, size_t cap, const struct ibw_fpdu_build *b,
				    const struct ibw_piece *piece, unsigned int n_pieces,
				    ibw_crc32_step_fn *crc32c)
{
	static const uint8_t zeros[4] = { 0 };
	uint8_t head[(size_t)ibw_mpa_BYTES + ibw_ddp_untagged_BYTES];
	uint32_t need, header = ibw_segment_header_bytes(&b->segment), left = b->segment.bytes;
	struct ibw_piece_cursor c;
	struct ibw_fpdu_writer w;
	const uint8_t *from;
	size_t have = 0;
	unsigned int i;
	uint32_t here, crc = 0;

	for (i = 0; i < n_pieces && have < left; i++)
		have += piece[i].n;
	if (ibw_fpdu_build_check(b) || have < left)
		return 0;
	need = ibw_fpdu_build_bytes(b);
	if (need > cap)
		return need;
	w.p = w.length = (uint8_t *)buf;
	w.before = ibw_fpdu_before_marker(b->markers ? ibw_fpdu_phase(b->position)
						     : IBW_FPDU_NO_MARKERS);
	ibw_fpdu_pack_head(head, &b->segment);
	ibw_fpdu_put(&w, head, (uint32_t)ibw_mpa_BYTES + header);
	c.piece = piece;
	c.left = n_pieces;
	c.at = 0;
	for (; left; left -= here) {
		here = (uint32_t)ibw_piece_next(&c, left, &from);
		ibw_fpdu_put(&w, from, here);
	}
	ibw_fpdu_put(&w, zeros, (0u - ((uint32_t)ibw_mpa_BYTES + header + b->segment.bytes)) & 3u);
	if (!w.before) /* in front of the CRC, which covers it */
		ibw_fpdu_put_marker(&w);
	if (b->crc)
		crc = ~crc32c(0xffffffffu, (const unsigned char *)buf, need - IBW_MPA_CRC_BYTES);
	ibw_put_le32(w.p, crc);
	return need;
}

/* A request or reply frame. */
struct ibw_mpa_start_build {
	bool reply;
	bool markers, crc; /* wanted by its sender */
	bool reject;       /* of a reply */
	uint8_t rev;       /* 1 or 2 */
	bool has_enhanced; /* of revision 2 */
	struct ibw_mpa_enhanced enhanced;
	uint32_t private_bytes; /* after that */
};

/*
 * Writes the frame and its private data, and returns their length in bytes. If that is more than @cap, nothing was
 * written. 0: an undefined revision, an enhanced set-up in revision 1, a request that rejects, over 512 bytes of
 * private data with the enhanced set-up, or a depth over 14 bits.
 */
static inline size_t ibw_build_mpa_start(void *buf, size_t cap, const struct ibw_mpa_start_build *b,
					 const void *private_data)
{
	uint32_t enhanced = b->has_enhanced ? (uint32_t)ibw_mpa_enhanced_BYTES : 0, i;
	uint32_t need = (uint32_t)ibw_mpa_start_BYTES + enhanced + b->private_bytes;
	struct ibw_mpa_start start;
	uint8_t *p = (uint8_t *)buf;

	if (b->rev < 1 || b->rev > 2 || (b->has_enhanced && b->rev != 2) ||
	    (b->reject && !b->reply) || b->private_bytes > IBW_MPA_PRIVATE_MAX - enhanced ||
	    (b->has_enhanced && (b->enhanced.ird | b->enhanced.ord) > 0x3fff))
		return 0;
	if (need > cap)
		return need;
	for (i = 0; i < IBW_MPA_KEY_BYTES; i++)
		start.key[i] = ibw_mpa_key(b->reply, i);
	start.m = b->markers;
	start.c = b->crc;
	start.r = b->reject;
	start.s = b->has_enhanced;
	start.rev = b->rev;
	start.pd_length = (uint16_t)(enhanced + b->private_bytes);
	ibw_mpa_start_pack((struct ibw_mpa_start_wire *)p, &start);
	p += ibw_mpa_start_BYTES;
	if (enhanced)
		ibw_mpa_enhanced_pack((struct ibw_mpa_enhanced_wire *)p, &b->enhanced);
	ibw_copy_bytes(p + enhanced, (const uint8_t *)private_data, b->private_bytes);
	return need;
}

#endif /* IBWIRE_BUILD_FPDU_H */
