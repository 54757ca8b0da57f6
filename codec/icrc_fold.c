/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* icrc_fold.c - CRC-32 of up to four blocks of 16 bytes, all of which are multiplied at once: crc_fold.h. */
#include "icrc_fold.h"

#ifdef IBW_ICRC_FOLDS
#include "crc_fold.h"

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
