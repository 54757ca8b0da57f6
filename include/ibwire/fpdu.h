/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * fpdu.h - parses FPDUs of MPA in place in a TCP stream, checks their CRC, and parses what they hold: DDP segments and
 * Terminates.
 *
 *	phase = IBW_FPDU_NO_MARKERS;	... or where the stream is, modulo 512: ibw_fpdu_phase() ...
 *	switch (ibw_fpdu_view(&f, p, left, phase)) {
 *	case IBW_FPDU_CUT:
 *		... f.bytes are needed, as far as is known by now; wait ...
 *	case IBW_FPDU_MALFORMED:
 *		... f.fault says why ...
 *	case IBW_FPDU_OK:
 *		ibw_segment_view(&s, &f);	... s.opcode, s.stag, s.to, s.bytes ...
 *		if (crc_in_use && ibw_fpdu_crc(&f, crc32c) != ibw_fpdu_crc_found(&f))
 *			... damaged ...
 *		for (c = ibw_fpdu_payload(&f, &s); (n = ibw_fpdu_next(&c, room, &from)); )
 *			... n bytes of the payload at from ...
 *		p += f.bytes;
 *	}
 *
 * The view checks every length once; functions that take an FPDU need not check it again. When more bytes have arrived,
 * the result for the same bytes does not change, unless it was CUT. The caller's CRC is a step of a reflected CRC-32C
 * register, neither preset nor complemented: crc32c() of Linux, or ibw_crc32c_step() of libibwire.
 */
#ifndef IBWIRE_FPDU_H
#define IBWIRE_FPDU_H

#include "iwarp.h"
#include "piece.h"

#define IBW_MPA_KEY_BYTES 16
#define IBW_MPA_CRC_BYTES 4
/* The most private data of a request or reply frame, the 4 bytes of the enhanced set-up included: RFC 5044, 7.1.1 */
#define IBW_MPA_PRIVATE_MAX 512

/* A marker is at every 512th byte of the stream, so 508 bytes of FPDUs are between two of them. */
#define IBW_MARKER_EVERY 512u
#define IBW_MARKER_BETWEEN 508u
/* The phase of a stream without markers. */
#define IBW_FPDU_NO_MARKERS IBW_MARKER_EVERY

/* The outcome of a view. */
enum ibw_fpdu_outcome {
	IBW_FPDU_OK,       /* whole */
	IBW_FPDU_CUT,      /* more bytes are needed */
	IBW_FPDU_MALFORMED /* it cannot be: see the fault */
};

/* Why it cannot be. */
enum ibw_fpdu_fault {
	IBW_FPDU_FAULT_NONE,
	IBW_FPDU_FAULT_PHASE, /* FPDUs begin at every fourth byte of the stream, and it is above 512 */
	IBW_FPDU_FAULT_LENGTH, /* the ULPDU is shorter than its DDP header */
	IBW_FPDU_FAULT_MARKER  /* a marker points elsewhere than to this FPDU */
};

/* One FPDU. After an outcome other than OK, only bytes and fault are meaningful. */
struct ibw_fpdu {
	const uint8_t *p;      /* its first byte: of the marker in front of it, if there is one */
	uint32_t bytes;        /* of the stream: markers, length, ULPDU, pad, CRC */
	uint32_t ulpdu_length; /* of the DDP segment */
	uint32_t pad;          /* bytes after it, 0 to 3 */
	uint32_t markers;      /* how many are inside */
	uint32_t first_marker; /* bytes before the first one, if there is one */
	uint8_t fault;         /* enum ibw_fpdu_fault */
};

/* The phase at a byte of the stream, counted from the first one after the request or reply frame. */
IBW_INLINE uint32_t ibw_fpdu_phase(uint64_t position)
{
	return (uint32_t)position & (IBW_MARKER_EVERY - 1);
}

/* The phase after @bytes more. */
IBW_INLINE uint32_t ibw_fpdu_phase_after(uint32_t phase, uint32_t bytes)
{
	return phase == IBW_FPDU_NO_MARKERS ? phase : ibw_fpdu_phase((uint64_t)phase + bytes);
}

/* Bytes of an FPDU with a ULPDU of @ulpdu_length bytes, without markers: RFC 5044, 4.1 */
IBW_INLINE uint32_t ibw_fpdu_content(uint32_t ulpdu_length)
{
	return (((uint32_t)ibw_mpa_BYTES + ulpdu_length + 3) & ~3u) + IBW_MPA_CRC_BYTES;
}

/* How many markers are in or in front of @content bytes, of which @before come before the first marker. */
IBW_INLINE uint32_t ibw_fpdu_markers(uint32_t content, uint32_t before)
{
	return content > before ? 1 + (content - before - 1) / IBW_MARKER_BETWEEN : 0;
}

/*
 * The number of bytes before the next marker; without markers, it is more than the length of any
 * FPDU.
 */
IBW_INLINE uint32_t ibw_fpdu_before_marker(uint32_t phase)
{
	if (phase == IBW_FPDU_NO_MARKERS)
		return 0xffffffffu;
	return (IBW_MARKER_EVERY - phase) & (IBW_MARKER_EVERY - 1);
}

/* Where byte @at of the FPDU without its markers is, from its first byte. */
IBW_INLINE uint32_t ibw_fpdu_place(const struct ibw_fpdu *f, uint32_t at)
{
	return at + 4 * ibw_fpdu_markers(at + 1, f->first_marker);
}

/* Whether each marker says how far it is from the length of its FPDU: RFC 5044, 4.3 */
static inline bool ibw_fpdu_markers_fit(const struct ibw_fpdu *f)
{
	uint32_t length_at = f->first_marker ? 0 : (uint32_t)ibw_mpa_marker_BYTES, i, at, want;

	for (i = 0, at = f->first_marker; i < f->markers; i++, at += IBW_MARKER_EVERY) {
		want = at ? at - length_at : 0;
		/* The low two bits are sent as 0, and are to be taken as 0. */
		if ((ibw_get_be16(f->p + at + ibw_mpa_marker_fpduptr_AT / 8) & 0xfffcu) !=
		    (want & 0xfffcu))
			return false;
	}
	return true;
}

/* Sets the fault of a malformed FPDU, and returns its outcome. */
static inline enum ibw_fpdu_outcome ibw_fpdu_is_malformed(struct ibw_fpdu *f, uint8_t fault)
{
	f->fault = fault;
	return IBW_FPDU_MALFORMED;
}

/*
 * The FPDU at @bytes, of which @left are there. @phase: IBW_FPDU_NO_MARKERS, or where @bytes are in the stream,
 * modulo 512. CUT: f->bytes is the number of bytes known to be needed, which is final once the length field has
 * arrived.
 */
static inline enum ibw_fpdu_outcome ibw_fpdu_view(struct ibw_fpdu *f, const void *bytes,
						  size_t left, uint32_t phase)
{
	const uint8_t *p = (const uint8_t *)bytes;
	uint32_t content, at;

	f->p = p;
	f->bytes = f->ulpdu_length = f->pad = f->markers = 0;
	f->fault = IBW_FPDU_FAULT_NONE;
	f->first_marker = ibw_fpdu_before_marker(phase);
	if (phase > IBW_FPDU_NO_MARKERS || phase % 4)
		return ibw_fpdu_is_malformed(f, IBW_FPDU_FAULT_PHASE);
	at = f->first_marker ? 0 : (uint32_t)ibw_mpa_marker_BYTES;
	f->bytes = at + (uint32_t)ibw_mpa_BYTES;
	if (left < f->bytes)
		return IBW_FPDU_CUT;
	f->ulpdu_length = ibw_mpa_ulpdu_length((const struct ibw_mpa_wire *)(p + at));
	if (f->ulpdu_length < ibw_ddp_tagged_BYTES)
		return ibw_fpdu_is_malformed(f, IBW_FPDU_FAULT_LENGTH);
	content = ibw_fpdu_content(f->ulpdu_length);
	f->pad = content - IBW_MPA_CRC_BYTES - (uint32_t)ibw_mpa_BYTES - f->ulpdu_length;
	f->markers = ibw_fpdu_markers(content, f->first_marker);
	f->bytes = content + 4 * f->markers;
	at += (uint32_t)ibw_mpa_BYTES; /* T: no marker is in the middle of the first four bytes */
	if (left > at && !(p[at] & 0x80) && f->ulpdu_length < ibw_ddp_untagged_BYTES)
		return ibw_fpdu_is_malformed(f, IBW_FPDU_FAULT_LENGTH);
	if (left < f->bytes)
		return IBW_FPDU_CUT;
	if (!ibw_fpdu_markers_fit(f))
		return ibw_fpdu_is_malformed(f, IBW_FPDU_FAULT_MARKER);
	return IBW_FPDU_OK;
}

/* A place in the ULPDU of an FPDU. */
struct ibw_fpdu_cursor {
	const struct ibw_fpdu *f;
	uint32_t at, left; /* bytes of the ULPDU before it, and from it on */
};

/* The next bytes up to a marker, at most @n of them; returns their number, 0 at the end. */
static inline uint32_t ibw_fpdu_next(struct ibw_fpdu_cursor *c, uint32_t n, const uint8_t **p)
{
	uint32_t at = (uint32_t)ibw_mpa_BYTES + c->at, first = c->f->first_marker, run = c->left;
	uint32_t before;

	if (c->f->markers) { /* how many more come before the next one */
		before = at < first ? first - at
				    : IBW_MARKER_BETWEEN - (at - first) % IBW_MARKER_BETWEEN;
		if (run > before)
			run = before;
	}
	if (run > n)
		run = n;
	*p = c->f->p + ibw_fpdu_place(c->f, at);
	c->at += run;
	c->left -= run;
	return run;
}

/*
 * The @n bytes of the ULPDU from @at on: where they lie, or, if a marker is between them, copied to @room. NULL: the
 * ULPDU ends before.
 */
static inline const uint8_t *ibw_fpdu_bytes(const struct ibw_fpdu *f, uint32_t at, uint32_t n,
					    uint8_t *room)
{
	struct ibw_fpdu_cursor c;
	const uint8_t *p;
	uint8_t *to = room;
	uint32_t here;

	if (at > f->ulpdu_length || n > f->ulpdu_length - at)
		return NULL;
	c.f = f;
	c.at = at;
	c.left = n;
	here = ibw_fpdu_next(&c, n, &p);
	if (here == n)
		return p;
	for (; here; here = ibw_fpdu_next(&c, n, &p)) {
		ibw_copy_bytes(to, p, here);
		to += here;
	}
	return room;
}

/* The CRC */

/* The CRC that the FPDU has: least significant byte first, RFC 5044, 4.4 */
IBW_INLINE uint32_t ibw_fpdu_crc_found(const struct ibw_fpdu *f)
{
	return ibw_get_le32(f->p + f->bytes - IBW_MPA_CRC_BYTES);
}

/* The CRC it should have: over markers, length, ULPDU and pad. */
IBW_INLINE uint32_t ibw_fpdu_crc(const struct ibw_fpdu *f, ibw_crc32_step_fn *crc32c)
{
	return ~crc32c(0xffffffffu, f->p, f->bytes - IBW_MPA_CRC_BYTES);
}

/* The verdict on the CRC of an FPDU that lies in pieces. */
enum ibw_fpdu_crc_verdict {
	IBW_FPDU_CRC_RIGHT,
	IBW_FPDU_CRC_WRONG,
	IBW_FPDU_CRC_CUT /* fewer bytes in the pieces */
};

/*
 * Whether the CRC of an FPDU of @bytes bytes is right. The FPDU lies in pieces, cut anywhere, which may hold more than the
 * FPDU; only the CRC is copied.
 */
static inline enum ibw_fpdu_crc_verdict ibw_fpdu_check_pieces(const struct ibw_piece *piece,
							      unsigned int n_pieces, size_t bytes,
							      ibw_crc32_step_fn *crc32c)
{
	struct ibw_piece_cursor c;
	uint8_t found[IBW_MPA_CRC_BYTES];
	uint32_t crc = 0xffffffffu;

	c.piece = piece;
	c.left = n_pieces;
	c.at = 0;
	if (bytes < IBW_MPA_CRC_BYTES ||
	    !ibw_piece_crc32(&c, &crc, bytes - IBW_MPA_CRC_BYTES, crc32c) ||
	    !ibw_piece_copy(&c, found, sizeof(found)))
		return IBW_FPDU_CRC_CUT;
	return ibw_get_le32(found) == ~crc ? IBW_FPDU_CRC_RIGHT : IBW_FPDU_CRC_WRONG;
}

/* The segment */

/* The properties of an RDMAP opcode: RFC 5040, 4.3; RFC 7306, 4 */
enum ibw_rdmap_flags {
	IBW_RDMAP_KNOWN = 1 << 0,
	IBW_RDMAP_TAGGED = 1 << 1,      /* of the tagged buffer model */
	IBW_RDMAP_INVALIDATES = 1 << 2, /* has an Invalidate STag */
	IBW_RDMAP_SOLICITED = 1 << 3,
	IBW_RDMAP_DATA =
		1 << 4 /* the bytes of a message, of any number, in as many segments as it takes */
};

/* IBW_RDMAP_... of an opcode; 0: it is not defined. */
static inline uint32_t ibw_rdmap_flags(uint8_t opcode)
{
	switch (opcode) {
	case IBW_RDMAP_WRITE:
	case IBW_RDMAP_READ_RESPONSE:
		return IBW_RDMAP_KNOWN | IBW_RDMAP_TAGGED | IBW_RDMAP_DATA;
	case IBW_RDMAP_SEND:
		return IBW_RDMAP_KNOWN | IBW_RDMAP_DATA;
	case IBW_RDMAP_SEND_INVALIDATE:
		return IBW_RDMAP_KNOWN | IBW_RDMAP_DATA | IBW_RDMAP_INVALIDATES;
	case IBW_RDMAP_SEND_SE:
		return IBW_RDMAP_KNOWN | IBW_RDMAP_DATA | IBW_RDMAP_SOLICITED;
	case IBW_RDMAP_SEND_SE_INVALIDATE:
		return IBW_RDMAP_KNOWN | IBW_RDMAP_DATA | IBW_RDMAP_SOLICITED |
		       IBW_RDMAP_INVALIDATES;
	case IBW_RDMAP_IMMEDIATE_SE:
		return IBW_RDMAP_KNOWN | IBW_RDMAP_SOLICITED;
	case IBW_RDMAP_READ_REQUEST:
	case IBW_RDMAP_TERMINATE:
	case IBW_RDMAP_IMMEDIATE:
	case IBW_RDMAP_ATOMIC_REQUEST:
	case IBW_RDMAP_ATOMIC_RESPONSE:
		return IBW_RDMAP_KNOWN;
	}
	return 0;
}

/* The queue that an untagged message of an opcode is for. */
static inline uint32_t ibw_rdmap_qn(uint8_t opcode)
{
	switch (opcode) {
	case IBW_RDMAP_READ_REQUEST:
	case IBW_RDMAP_ATOMIC_REQUEST:
		return IBW_DDP_QN_READ_REQUEST;
	case IBW_RDMAP_TERMINATE:
		return IBW_DDP_QN_TERMINATE;
	case IBW_RDMAP_ATOMIC_RESPONSE:
		return IBW_DDP_QN_ATOMIC_RESPONSE;
	}
	return IBW_DDP_QN_SEND;
}

/* Bytes of the header that the payload of an opcode begins with: all of it, but for a Terminate; 0: data. */
static inline uint32_t ibw_rdmap_header_bytes(uint8_t opcode)
{
	switch (opcode) {
	case IBW_RDMAP_READ_REQUEST:
		return ibw_rdmap_read_req_BYTES;
	case IBW_RDMAP_TERMINATE:
		return ibw_rdmap_terminate_BYTES;
	case IBW_RDMAP_IMMEDIATE:
	case IBW_RDMAP_IMMEDIATE_SE:
		return ibw_rdmap_immediate_BYTES;
	case IBW_RDMAP_ATOMIC_REQUEST:
		return ibw_rdmap_atomic_req_BYTES;
	case IBW_RDMAP_ATOMIC_RESPONSE:
		return ibw_rdmap_atomic_resp_BYTES;
	}
	return 0;
}

/* One DDP segment, with its RDMAP fields. */
struct ibw_segment {
	bool tagged, last;
	uint8_t dv, rv; /* the versions: 1 */
	uint8_t opcode; /* of RDMAP */
	uint32_t stag;  /* tagged: where it is placed */
	uint64_t to;
	uint32_t inval_stag; /* untagged, and so are these */
	uint32_t qn, msn, mo;
	uint32_t bytes; /* of the payload */
};

/* Bytes of the DDP header of a segment. */
IBW_INLINE uint32_t ibw_segment_header_bytes(const struct ibw_segment *s)
{
	return s->tagged ? (uint32_t)ibw_ddp_tagged_BYTES : (uint32_t)ibw_ddp_untagged_BYTES;
}

/* The DDP header at @p, of at least 14 bytes, 18 without T; what the segment does not have is 0. */
static inline void ibw_segment_unpack(struct ibw_segment *s, const uint8_t *p)
{
	const struct ibw_ddp_tagged_wire *tagged = (const struct ibw_ddp_tagged_wire *)p;
	const struct ibw_ddp_untagged_wire *untagged = (const struct ibw_ddp_untagged_wire *)p;
	const struct ibw_rdmap_wire *rdmap =
		(const struct ibw_rdmap_wire *)(p + ibw_ddp_tagged_ulp_AT / 8);

	s->tagged = ibw_ddp_tagged_t(tagged);
	s->last = ibw_ddp_tagged_l(tagged);
	s->dv = ibw_ddp_tagged_dv(tagged);
	s->rv = ibw_rdmap_rv(rdmap);
	s->opcode = ibw_rdmap_opcode(rdmap);
	s->stag = s->inval_stag = s->qn = s->msn = s->mo = 0;
	s->to = 0;
	if (s->tagged) {
		s->stag = ibw_ddp_tagged_stag(tagged);
		s->to = ibw_ddp_tagged_to(tagged);
		return;
	}
	s->inval_stag = ibw_rdmap_invalidate_inval_stag(
		(const struct ibw_rdmap_invalidate_wire *)(rdmap->b + ibw_rdmap_BYTES));
	s->qn = ibw_ddp_untagged_qn(untagged);
	s->msn = ibw_ddp_untagged_msn(untagged);
	s->mo = ibw_ddp_untagged_mo(untagged);
}

/* The segment in an FPDU that the view found OK. */
static inline void ibw_segment_view(struct ibw_segment *s, const struct ibw_fpdu *f)
{
	uint8_t room[ibw_ddp_untagged_BYTES];
	uint32_t n = f->ulpdu_length < sizeof(room) ? f->ulpdu_length : (uint32_t)sizeof(room);

	ibw_segment_unpack(s, ibw_fpdu_bytes(f, 0, n, room));
	s->bytes = f->ulpdu_length - ibw_segment_header_bytes(s);
}

/* The payload of a segment, for ibw_fpdu_next(). */
IBW_INLINE struct ibw_fpdu_cursor ibw_fpdu_payload(const struct ibw_fpdu *f,
						   const struct ibw_segment *s)
{
	struct ibw_fpdu_cursor c;

	c.f = f;
	c.at = ibw_segment_header_bytes(s);
	c.left = s->bytes;
	return c;
}

/* The first @n bytes of the payload as in ibw_fpdu_bytes(), for the header of an opcode; NULL: there are fewer. */
IBW_INLINE const uint8_t *ibw_fpdu_payload_bytes(const struct ibw_fpdu *f,
						 const struct ibw_segment *s, uint32_t n,
						 uint8_t *room)
{
	return ibw_fpdu_bytes(f, ibw_segment_header_bytes(s), n, room);
}

/* Terminate */

/* The most bytes that a Terminate quotes, with its own header: M, D of an untagged segment, R. */
#define IBW_TERMINATE_MAX                                                                          \
	((uint32_t)ibw_rdmap_terminate_BYTES + (uint32_t)ibw_rdmap_terminated_BYTES +              \
	 (uint32_t)ibw_ddp_untagged_BYTES + (uint32_t)ibw_rdmap_read_req_BYTES)

/* A Terminate, and the headers it quotes; one that is not quoted is NULL. */
struct ibw_terminate {
	uint8_t layer, etype, code; /* enum ibw_terminate_layer and what it makes of them */
	bool swapped;               /* as siw of Linux writes it: see ibw_terminate_view() */
	bool cut;                   /* it ends in what it says it quotes */
	const struct ibw_rdmap_terminated_wire *terminated;
	const uint8_t *ddp; /* a ddp_tagged or ddp_untagged, by its T */
	const struct ibw_rdmap_read_req_wire *read_req;
};

/*
 * The place of the @n bytes of a quoted header; @p moves past them. NULL, and cut is set: there are fewer bytes.
 */
static inline const uint8_t *ibw_terminate_quote(struct ibw_terminate *t, const uint8_t **p,
						 uint32_t *left, uint32_t n)
{
	const uint8_t *at = *p;

	if (t->cut || n > *left) {
		t->cut = true;
		return NULL;
	}
	*p += n;
	*left -= n;
	return at;
}

/*
 * The Terminate of @n bytes at @p, the payload of its segment. False: it has no header.
 *
 * siw of Linux writes it with C bit fields, which have the opposite order on a little-endian machine: layer and
 * type are swapped, and M, D and R are bits 0 to 2 of their byte, which are reserved, instead of bits 7 to 5. If
 * only those bits are set, the Terminate is read as siw meant it.
 */
static inline bool ibw_terminate_view(struct ibw_terminate *t, const uint8_t *p, uint32_t n)
{
	uint32_t left = n, hdrct;

	t->terminated = NULL;
	t->ddp = NULL;
	t->read_req = NULL;
	t->layer = t->etype = t->code = 0;
	t->swapped = t->cut = false;
	if (n < ibw_rdmap_terminate_BYTES)
		return false;
	hdrct = p[ibw_rdmap_terminate_m_AT / 8];
	t->swapped = !(hdrct & 0xe0) && hdrct & 0x07;
	t->layer = t->swapped ? p[0] & 0x0f : p[0] >> 4;
	t->etype = t->swapped ? p[0] >> 4 : p[0] & 0x0f;
	t->code = p[ibw_rdmap_terminate_code_AT / 8];
	if (t->swapped)
		hdrct = (hdrct & 1) << 7 | (hdrct & 2) << 5 | (hdrct & 4) << 3;
	p += ibw_rdmap_terminate_BYTES;
	left -= (uint32_t)ibw_rdmap_terminate_BYTES;
	if (hdrct & 0x80)
		t->terminated = (const struct ibw_rdmap_terminated_wire *)ibw_terminate_quote(
			t, &p, &left, ibw_rdmap_terminated_BYTES);
	if (hdrct & 0x40)
		t->ddp = ibw_terminate_quote(t, &p, &left,
					     left && *p & 0x80 ? (uint32_t)ibw_ddp_tagged_BYTES
							       : (uint32_t)ibw_ddp_untagged_BYTES);
	if (hdrct & 0x20)
		t->read_req = (const struct ibw_rdmap_read_req_wire *)ibw_terminate_quote(
			t, &p, &left, ibw_rdmap_read_req_BYTES);
	return true;
}

/* The request or reply frame */

/* One of them. */
struct ibw_mpa_frame {
	const struct ibw_mpa_start_wire *start;
	const struct ibw_mpa_enhanced_wire *enhanced; /* NULL: there is none */
	const uint8_t *private_data;                  /* after it */
	uint32_t private_bytes;
	uint32_t bytes; /* of the frame, as far as is known; the first FPDU follows */
	bool reply;
};

/* Byte @i of the key of a request or of a reply. */
IBW_INLINE uint8_t ibw_mpa_key(bool reply, uint32_t i)
{
	return (uint8_t)(reply ? "MPA ID Rep Frame"[i] : "MPA ID Req Frame"[i]);
}

/*
 * The frame at @bytes, the first ones of its end, of which @left are there. CUT: more are needed. MALFORMED: it begins
 * with something else, has more private data than allowed, or less than the enhanced set-up needs.
 */
static inline enum ibw_fpdu_outcome ibw_mpa_frame_view(struct ibw_mpa_frame *s, const void *bytes,
						       size_t left)
{
	const uint8_t *p = (const uint8_t *)bytes;
	uint32_t i, private_bytes;

	s->start = (const struct ibw_mpa_start_wire *)bytes;
	s->enhanced = NULL;
	s->private_data = NULL;
	s->private_bytes = 0;
	s->bytes = (uint32_t)ibw_mpa_start_BYTES;
	s->reply = left > 9 && p[9] == 'p'; /* Rep, not Req */
	for (i = 0; i < IBW_MPA_KEY_BYTES && i < left; i++)
		if (p[i] != ibw_mpa_key(s->reply, i))
			return IBW_FPDU_MALFORMED;
	if (left < ibw_mpa_start_BYTES)
		return IBW_FPDU_CUT;
	private_bytes = ibw_mpa_start_pd_length(s->start);
	s->private_data = p + ibw_mpa_start_BYTES;
	s->bytes = (uint32_t)ibw_mpa_start_BYTES + private_bytes;
	s->private_bytes = private_bytes;
	if (private_bytes > IBW_MPA_PRIVATE_MAX)
		return IBW_FPDU_MALFORMED;
	if (ibw_mpa_start_rev(s->start) >= 2 && ibw_mpa_start_s(s->start)) {
		if (private_bytes < ibw_mpa_enhanced_BYTES)
			return IBW_FPDU_MALFORMED;
		s->enhanced = (const struct ibw_mpa_enhanced_wire *)s->private_data;
		s->private_data += ibw_mpa_enhanced_BYTES;
		s->private_bytes -= (uint32_t)ibw_mpa_enhanced_BYTES;
	}
	return left < s->bytes ? IBW_FPDU_CUT : IBW_FPDU_OK;
}

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* The rest is in libibwire. */

/* crc32c() of Linux by ibw_crc32c(). */
uint32_t ibw_crc32c_step(uint32_t crc, const unsigned char *p, size_t n);

/* The meaning of a Terminate in words; NULL: the number has no name. */
struct ibw_terminate_words {
	const char *layer, *etype, *code;
};

/* The names of a layer, of an error type of it, and of an error code of that. */
void ibw_terminate_text(struct ibw_terminate_words *words, uint8_t layer, uint8_t etype,
			uint8_t code);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif /* IBWIRE_FPDU_H */
