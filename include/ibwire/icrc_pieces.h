/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * icrc_pieces.h - computes the ICRC of a packet that was received in pieces, with the caller's
 * CRC-32.
 *
 *	struct ibw_piece piece[] = { { head, head_len }, { page, page_len } };
 *
 *	if (ibw_icrc_check_pieces(IBW_ICRC_ROCE_V2_IPV4, piece, 2, ip_total_len, crc32_le))
 *		... wrong, or cut ...
 *
 * The pieces are cut anywhere, in the middle of a header as well, and may hold more than the packet
 * (what Ethernet pads a short frame with). The caller's step is crc32_le() of Linux as it is; ISA-L
 * and zlib complement before and after, so a step by them is
 *
 *	return ~crc32_gzip_refl(~crc, p, n);	return ~crc32(~crc, p, n);
 *
 * Only the result is written, so any thread may call these. For contiguous memory, libibwire has
 * ibw_icrc() (crc.h).
 */
#ifndef IBWIRE_ICRC_PIECES_H
#define IBWIRE_ICRC_PIECES_H

#include "build_crc.h"

/* The verdict on the ICRC. */
enum ibw_icrc_verdict {
	IBW_ICRC_RIGHT,
	IBW_ICRC_WRONG,
	IBW_ICRC_CUT /* shorter than its headers and ICRC, fewer bytes in the pieces, or no kind */
};

/* Bytes from the first header of a kind to the end of the BTH, without IPv4 options; 0: no kind. */
static inline uint32_t ibw_icrc_head_bytes(uint8_t kind)
{
	if (kind <= IBW_ICRC_NONE || kind >= IBW_ICRC_KINDS)
		return 0;
	return ibw_build_kind_bytes(kind) + (uint32_t)ibw_bth_BYTES;
}

/* The headers to the BTH, gathered: they are at @head, and @options bytes of IPv4 options after it. */
struct ibw_icrc_head {
	uint8_t head[(size_t)ibw_ipv6_BYTES + ibw_udp_BYTES + ibw_bth_BYTES];
	uint8_t option[40];
	uint32_t bytes, options;
};

/* The first bytes of a packet, out of its pieces; false: there are fewer. */
static inline bool ibw_icrc_gather(struct ibw_icrc_head *h, struct ibw_piece_cursor *c,
				   uint8_t kind)
{
	uint32_t ip = kind == IBW_ICRC_ROCE_V2_IPV4 ? (uint32_t)ibw_ipv4_BYTES : 0;
	uint32_t ihl;

	h->options = 0;
	h->bytes = ibw_icrc_head_bytes(kind);
	if (!h->bytes || !ibw_piece_copy(c, h->head, ip))
		return false;
	if (ip) {
		ihl = 4u * ibw_ipv4_ihl((const struct ibw_ipv4_wire *)h->head);
		h->options = ihl > ip ? ihl - ip : 0;
	}
	return ibw_piece_copy(c, h->option, h->options) &&
	       ibw_piece_copy(c, h->head + ip, h->bytes - ip);
}

/* The CRC register over the gathered headers, with ones where the kind has them. */
static inline uint32_t ibw_icrc_begin(const struct ibw_icrc_head *h, uint8_t kind,
				      ibw_crc32_step_fn *crc32)
{
	static const uint8_t ones[ibw_lrh_BYTES] = {
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff
	};
	uint32_t n = h->bytes - (kind == IBW_ICRC_IB_GLOBAL ? (uint32_t)ibw_lrh_BYTES : 0);
	uint32_t ip = h->options ? (uint32_t)ibw_ipv4_BYTES : 0, crc = 0xffffffffu;
	uint8_t head[sizeof(h->head)];

	ibw_build_masked(head, kind, h->head);
	if (kind != IBW_ICRC_IB_LOCAL)
		crc = crc32(crc, ones, sizeof(ones));
	if (h->options) {
		crc = crc32(crc, head, ip);
		crc = crc32(crc, h->option, h->options);
	}
	return crc32(crc, head + ip, n - ip);
}

/* What ibw_icrc_of_pieces() does, false included, and where it ends: at the place of the ICRC. */
static inline bool ibw_icrc_walk_pieces(uint32_t *icrc, struct ibw_piece_cursor *c, uint8_t kind,
					size_t bytes, ibw_crc32_step_fn *crc32)
{
	struct ibw_icrc_head h;
	uint32_t crc;

	if (!ibw_icrc_gather(&h, c, kind) || bytes < h.bytes + h.options)
		return false;
	crc = ibw_icrc_begin(&h, kind, crc32);
	if (!ibw_piece_crc32(c, &crc, bytes - h.bytes - h.options, crc32))
		return false;
	*icrc = ~crc;
	return true;
}

/*
 * The ICRC of the first @bytes bytes in the pieces: from the first header of @kind (enum
 * ibw_icrc_kind: LRH, GRH, IPv4 or IPv6) up to the place of the ICRC. IPv4 options are skipped, IPv6
 * extension headers are not. False, and @icrc is unchanged: the packet ends in its headers, the
 * pieces hold less, or there is no such kind.
 */
static inline bool ibw_icrc_of_pieces(uint32_t *icrc, uint8_t kind, const struct ibw_piece *piece,
				      unsigned int n_pieces, size_t bytes, ibw_crc32_step_fn *crc32)
{
	struct ibw_piece_cursor c = { piece, n_pieces, 0 };

	return ibw_icrc_walk_pieces(icrc, &c, kind, bytes, crc32);
}

/* Whether the ICRC that is the last 4 of the first @bytes bytes is right. */
static inline enum ibw_icrc_verdict ibw_icrc_check_pieces(uint8_t kind,
							  const struct ibw_piece *piece,
							  unsigned int n_pieces, size_t bytes,
							  ibw_crc32_step_fn *crc32)
{
	struct ibw_piece_cursor c = { piece, n_pieces, 0 };
	uint8_t found[IBW_ICRC_BYTES];
	uint32_t icrc;

	if (bytes < IBW_ICRC_BYTES ||
	    !ibw_icrc_walk_pieces(&icrc, &c, kind, bytes - IBW_ICRC_BYTES, crc32) ||
	    !ibw_piece_copy(&c, found, sizeof(found)))
		return IBW_ICRC_CUT;
	return ibw_icrc_get(found) == icrc ? IBW_ICRC_RIGHT : IBW_ICRC_WRONG;
}

#endif /* IBWIRE_ICRC_PIECES_H */
