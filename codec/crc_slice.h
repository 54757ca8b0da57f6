/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * crc_slice.h - reflected CRCs, 16 bytes at a time, by tables made at compile time.
 *
 * Private to codec/; read with CRC_STATE defined as uint16_t or uint32_t.
 *
 * A CRC is linear: what a byte contributes is the exclusive or of what its bits
 * contribute. So the source holds 8 numbers a table, and the compiler makes the
 * 256 entries of them.
 *
 * What the bits contribute is one chain: the first number is the polynomial, each
 * further one is the number before it shifted right by one bit, exclusive or the
 * polynomial if a one was shifted out. Table k, for the byte with k bytes of its
 * block after it, takes up the chain at its place 8 k.
 */
#ifndef IBWIRE_CODEC_CRC_SLICE_H
#define IBWIRE_CODEC_CRC_SLICE_H

#include <ibwire/base.h>

/* The entries that share the bits seen so far, worth @v, in rising order. */
#define CRC_TABLE1(v, a) (v), (v) ^ (a)
#define CRC_TABLE2(v, a, b) CRC_TABLE1(v, b), CRC_TABLE1((v) ^ (a), b)
#define CRC_TABLE3(v, a, b, c) CRC_TABLE2(v, b, c), CRC_TABLE2((v) ^ (a), b, c)
#define CRC_TABLE4(v, a, b, c, d) CRC_TABLE3(v, b, c, d), CRC_TABLE3((v) ^ (a), b, c, d)
#define CRC_TABLE5(v, a, b, c, d, e) CRC_TABLE4(v, b, c, d, e), CRC_TABLE4((v) ^ (a), b, c, d, e)
#define CRC_TABLE6(v, a, b, c, d, e, f)                                                            \
	CRC_TABLE5(v, b, c, d, e, f), CRC_TABLE5((v) ^ (a), b, c, d, e, f)
#define CRC_TABLE7(v, a, b, c, d, e, f, g)                                                         \
	CRC_TABLE6(v, b, c, d, e, f, g), CRC_TABLE6((v) ^ (a), b, c, d, e, f, g)

/* One table, of what the bits of its byte contribute, from 0x80 down to 0x01. */
#define CRC_TABLE(a, b, c, d, e, f, g, h)                                                          \
	{                                                                                          \
		CRC_TABLE7(0, b, c, d, e, f, g, h), CRC_TABLE7(a, b, c, d, e, f, g, h)             \
	}

/* What the 4 bytes of @word, the lowest one first, contribute with @k bytes of the block after. */
static inline uint32_t crc_word(const CRC_STATE t[16][256], unsigned int k, uint32_t word)
{
	return (uint32_t)t[k + 3][word & 0xff] ^ t[k + 2][word >> 8 & 0xff] ^
	       t[k + 1][word >> 16 & 0xff] ^ t[k][word >> 24];
}

/* The state after the @n bytes at @from. */
static inline CRC_STATE crc_slice16(const CRC_STATE t[16][256], CRC_STATE start, const void *from,
				    size_t n)
{
	const uint8_t *p = from;
	uint32_t state = start;

	for (; n >= 16; n -= 16, p += 16)
		state = crc_word(t, 12, ibw_get_le32(p) ^ state) ^
			crc_word(t, 8, ibw_get_le32(p + 4)) ^ crc_word(t, 4, ibw_get_le32(p + 8)) ^
			crc_word(t, 0, ibw_get_le32(p + 12));
	if (n >= 8) {
		state = crc_word(t, 4, ibw_get_le32(p) ^ state) ^
			crc_word(t, 0, ibw_get_le32(p + 4));
		n -= 8;
		p += 8;
	}
	if (n >= 4) {
		state = crc_word(t, 0, ibw_get_le32(p) ^ state);
		n -= 4;
		p += 4;
	}
	for (; n; n--, p++)
		state = t[0][(state ^ *p) & 0xff] ^ state >> 8;
	return (CRC_STATE)state;
}

#endif /* IBWIRE_CODEC_CRC_SLICE_H */
