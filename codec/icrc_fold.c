/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * icrc_fold.c - CRC-32 of up to four blocks of 16 bytes, all of which are multiplied at once.
 *
 * A block that has d bits after it counts as itself times x^d. Modulo the polynomial that is each of
 * its halves times a constant of 32 bits, and the sum of all of them is one block. Bits are reflected,
 * as in the CRC, so a product is one bit too low: constants are shifted by one for it.
 */
#include "icrc_fold.h"

#ifdef IBW_ICRC_FOLDS
#include <smmintrin.h>
#include <wmmintrin.h>

#define FOLDS __attribute__((__target__("pclmul,sse4.1")))

/* x^(d + 32) and x^(d - 32) modulo the polynomial: for the first and the second 8 bytes of a block. */
#define FACTORS_128 0x1751997d0, 0x0ccaa009e
#define FACTORS_256 0x0f1da05aa, 0x15a546366
#define FACTORS_384 0x03db1ecdc, 0x174359406

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

/* The first block, after as many zeros as the last one lacks; they leave the register as it is. */
static inline FOLDS __m128i cover_first(uint32_t start, const uint8_t *p, const uint8_t *ones,
					size_t zeros)
{
	static const uint8_t moves[32] = { 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
					   0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
					   0,    1,    2,    3,    4,    5,    6,    7,
					   8,    9,    10,   11,   12,   13,   14,   15 };
	__m128i block = _mm_xor_si128(cover(p, ones), _mm_cvtsi32_si128((int)~start));

	return _mm_shuffle_epi8(block, load(moves + 16 - zeros));
}

FOLDS uint32_t icrc_fold(uint32_t start, const uint8_t *p, const uint8_t *ones, size_t n)
{
	size_t zeros = -n % 16, last = n + zeros - 16;
	__m128i block = cover_first(start, p, ones, zeros);

	if (last == 48)
		block = _mm_xor_si128(
			_mm_xor_si128(times(block, FACTORS_384),
				      times(cover(p + 16 - zeros, ones + 16 - zeros), FACTORS_256)),
			times(cover(p + 32 - zeros, ones + 32 - zeros), FACTORS_128));
	else if (last == 32)
		block = _mm_xor_si128(times(block, FACTORS_256),
				      times(cover(p + 16 - zeros, ones + 16 - zeros), FACTORS_128));
	else if (last == 16)
		block = times(block, FACTORS_128);
	if (last)
		block = _mm_xor_si128(block, cover(p + last - zeros, ones + last - zeros));
	return ~remainder_of(block);
}
#endif
