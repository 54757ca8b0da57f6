/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * crc_fold.h - CRCs by carry-less multiplication: blocks of 16 bytes. Private to codec/.
 *
 * A block that has d bits after it counts as itself times x^d. Modulo the polynomial that is each of
 * its halves times a constant of 32 bits, and the sum of all of them is one block. Bits are reflected,
 * as in the CRC, so a product is one bit too low: constants are shifted by one for it.
 */
#ifndef IBWIRE_CODEC_CRC_FOLD_H
#define IBWIRE_CODEC_CRC_FOLD_H

#include <smmintrin.h>
#include <wmmintrin.h>

#define FOLDS __attribute__((__target__("pclmul,sse4.1")))

/* Of CRC-32: x^(d + 32) and x^(d - 32) modulo the polynomial, for the first and the second 8 bytes of a block. */
#define FACTORS_128 0x1751997d0, 0x0ccaa009e
#define FACTORS_256 0x0f1da05aa, 0x15a546366
#define FACTORS_384 0x03db1ecdc, 0x174359406
#define FACTORS_512 0x154442bd4, 0x1c6e41596

#define X_64 0x163cd6124
#define POLYNOMIAL 0x1db710641
#define QUOTIENT 0x1f7011641 /* of x^64 by it */

static inline FOLDS __m128i pair(uint64_t first, uint64_t second)
{
	return _mm_set_epi64x((long long)second, (long long)first);
}

static inline FOLDS __m128i load(const uint8_t *p)
{
	return _mm_loadu_si128((const __m128i *)(const void *)p);
}

static inline FOLDS __m128i cover(const uint8_t *p, const uint8_t *ones)
{
	return _mm_or_si128(load(p), load(ones));
}

static inline FOLDS __m128i times(__m128i block, uint64_t first, uint64_t second)
{
	__m128i factors = pair(first, second);

	return _mm_xor_si128(_mm_clmulepi64_si128(block, factors, 0x00),
			     _mm_clmulepi64_si128(block, factors, 0x11));
}

/* What a block, and 32 bits of zeros after it, leaves modulo the polynomial. */
static inline FOLDS uint32_t remainder_of(__m128i block)
{
	const __m128i factors = pair(0x0ccaa009e, X_64), words = pair(0xffffffff, 0xffffffff);
	const __m128i barrett = pair(POLYNOMIAL, QUOTIENT);
	__m128i q;

	block = _mm_xor_si128(_mm_srli_si128(block, 8), _mm_clmulepi64_si128(block, factors, 0x00));
	block = _mm_xor_si128(_mm_srli_si128(block, 4),
			      _mm_clmulepi64_si128(_mm_and_si128(block, words), factors, 0x10));
	q = _mm_clmulepi64_si128(_mm_and_si128(block, words), barrett, 0x10);
	q = _mm_clmulepi64_si128(_mm_and_si128(q, words), barrett, 0x00);
	return (uint32_t)_mm_extract_epi32(_mm_xor_si128(block, q), 1);
}

#endif /* IBWIRE_CODEC_CRC_FOLD_H */
