/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * build_crc.h - computes ICRC and VCRC of a packet that was built in pieces, with the caller's CRC.
 *
 *	n = ibw_build_headers(hdr, sizeof(hdr), &b);
 *	icrc = ibw_build_icrc(&b, hdr, pieces, n_pieces, crc32_le);
 *	ibw_icrc_put(trailer + ibw_build_pad(&b), icrc);
 *
 * The payload may lie in any number of pieces, b.payload_len bytes together; the pad is
 * taken as zeros, which is what has to be sent. Only the headers in which the ICRC replaces fields
 * by ones are copied.
 */
#ifndef IBWIRE_BUILD_CRC_H
#define IBWIRE_BUILD_CRC_H

#include "build.h"
#include "icrc_masks.h"
#include "piece.h"

/* One step of the CRC-16 register of the VCRC, likewise: ibw_crc16_step(), below. */
typedef uint16_t ibw_crc16_step_fn(uint16_t crc, const unsigned char *p, size_t n);

/* The CRC-16 of the VCRC, one bit at a time, for callers without a faster one. IBTA vol 1, 7.8.2 */
static inline uint16_t ibw_crc16_step(uint16_t crc, const unsigned char *p, size_t n)
{
	unsigned int bit;

	for (; n; n--, p++) {
		crc = (uint16_t)(crc ^ *p);
		for (bit = 0; bit < 8; bit++)
			crc = (uint16_t)(crc >> 1 ^ (crc & 1 ? 0xd008 : 0));
	}
	return crc;
}

/* Sets @bits bits from bit @at on. */
IBW_INLINE void ibw_build_ones(uint8_t *p, unsigned int at, unsigned int bits)
{
	unsigned int first = at / 8, last = (at + bits - 1) / 8, i, ones;

	IBW_UNROLL
	for (i = first; i <= last; i++) {
		ones = i == first ? 0xffu >> at % 8 : 0xffu;
		if (i == last)
			ones &= 0xffu << (7 - (at + bits - 1) % 8);
		p[i] = (uint8_t)(p[i] | ones);
	}
}

#define IBW_BUILD_ONES(head, field, at, bits) ibw_build_ones((head), (at), (bits));

/* The headers from @net to the BTH into @head, with the ones of their kind. */
static inline void ibw_build_masked(uint8_t *head, uint8_t kind, const uint8_t *net)
{
	switch (kind) {
	case IBW_ICRC_IB_LOCAL:
		IBW_COPY(head, net, (size_t)ibw_lrh_BYTES + ibw_bth_BYTES);
		IBW_ICRC_MASKS_LOCAL(IBW_BUILD_ONES, head)
		break;
	case IBW_ICRC_IB_GLOBAL:
		net += ibw_lrh_BYTES;
		IBW_COPY(head, net, (size_t)ibw_grh_BYTES + ibw_bth_BYTES);
		IBW_ICRC_MASKS_GRH(IBW_BUILD_ONES, head)
		break;
	case IBW_ICRC_ROCE_V1:
		IBW_COPY(head, net, (size_t)ibw_grh_BYTES + ibw_bth_BYTES);
		IBW_ICRC_MASKS_GRH(IBW_BUILD_ONES, head)
		break;
	case IBW_ICRC_ROCE_V2_IPV4:
		IBW_COPY(head, net, (size_t)ibw_ipv4_BYTES + ibw_udp_BYTES + ibw_bth_BYTES);
		IBW_ICRC_MASKS_IPV4(IBW_BUILD_ONES, head)
		break;
	default:
		IBW_COPY(head, net, (size_t)ibw_ipv6_BYTES + ibw_udp_BYTES + ibw_bth_BYTES);
		IBW_ICRC_MASKS_IPV6(IBW_BUILD_ONES, head)
		break;
	}
}

/*
 * The ICRC of the packet that @b describes: @headers as ibw_build_headers() wrote them, then the
 * pieces, then the pad. Store it after the pad with ibw_icrc_put().
 */
static inline uint32_t ibw_build_icrc(const struct ibw_build *b, const void *headers,
				      const struct ibw_piece *piece, unsigned int n_pieces,
				      ibw_crc32_step_fn *crc32)
{
	static const uint8_t ones[ibw_lrh_BYTES] = {
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff
	};
	static const uint8_t zeros[4] = { 0 };
	const uint8_t *net = (const uint8_t *)headers + ibw_build_link_bytes(b);
	uint32_t net_bytes = ibw_build_net_bytes(b), crc = 0xffffffffu;
	uint8_t head[(size_t)ibw_ipv6_BYTES + ibw_udp_BYTES + ibw_bth_BYTES];
	uint32_t n = net_bytes + (uint32_t)ibw_bth_BYTES;
	unsigned int i;

	ibw_build_masked(head, b->kind, net);
	if (b->kind != IBW_ICRC_IB_LOCAL)
		crc = crc32(crc, ones, sizeof(ones));
	crc = crc32(crc, head, b->kind == IBW_ICRC_IB_GLOBAL ? n - ibw_lrh_BYTES : n);
	crc = crc32(crc, net + n, ibw_build_transport_bytes(b) - ibw_bth_BYTES);
	for (i = 0; i < n_pieces; i++)
		crc = crc32(crc, (const unsigned char *)piece[i].p, piece[i].n);
	return ~crc32(crc, zeros, ibw_build_pad(b));
}

/* The VCRC of the same on an IB link, over the headers, the payload, the pad and @icrc. */
static inline uint16_t ibw_build_vcrc(const struct ibw_build *b, const void *headers,
				      const struct ibw_piece *piece, unsigned int n_pieces,
				      uint32_t icrc, ibw_crc16_step_fn *crc16)
{
	static const uint8_t zeros[4] = { 0 };
	uint8_t stored[IBW_ICRC_BYTES];
	uint16_t crc = 0xffff;
	unsigned int i;

	ibw_icrc_put(stored, icrc);
	crc = crc16(crc, (const unsigned char *)headers,
		    ibw_build_net_bytes(b) + ibw_build_transport_bytes(b));
	for (i = 0; i < n_pieces; i++)
		crc = crc16(crc, (const unsigned char *)piece[i].p, piece[i].n);
	crc = crc16(crc, zeros, ibw_build_pad(b));
	return (uint16_t)~crc16(crc, stored, sizeof(stored));
}

#undef IBW_BUILD_ONES

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* The rest is in libibwire. */

/* crc32_le() by ibw_crc32(). */
uint32_t ibw_crc32_step(uint32_t crc, const unsigned char *p, size_t n);

/*
 * The whole packet, from the first header to the last CRC, around the b->payload_len bytes
 * at @payload. Returns its length; if that is more than @cap, nothing was written; 0:
 * ibw_build_check() says why. @payload may already be in its place in @buf.
 */
size_t ibw_build_packet(void *buf, size_t cap, const struct ibw_build *b, const void *payload);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif /* IBWIRE_BUILD_CRC_H */
