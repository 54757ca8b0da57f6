/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* crc16.c - CRC-16, polynomial 0x100B, reflected 0xD008: VCRC and LPCRC of InfiniBand links. */
#define CRC_STATE uint16_t
#include "crc_slice.h"

#include <ibwire/crc.h>

#include "icrc_fold.h"

static const uint16_t table[16][256] = {
	CRC_TABLE(0xd008, 0x6804, 0x3402, 0x1a01, 0xdd08, 0x6e84, 0x3742, 0x1ba1),
	CRC_TABLE(0xddd8, 0x6eec, 0x3776, 0x1bbb, 0xddd5, 0xbee2, 0x5f71, 0xffb0),
	CRC_TABLE(0x7fd8, 0x3fec, 0x1ff6, 0x0ffb, 0xd7f5, 0xbbf2, 0x5df9, 0xfef4),
	CRC_TABLE(0x7f7a, 0x3fbd, 0xcfd6, 0x67eb, 0xe3fd, 0xa1f6, 0x50fb, 0xf875),
	CRC_TABLE(0xac32, 0x5619, 0xfb04, 0x7d82, 0x3ec1, 0xcf68, 0x67b4, 0x33da),
	CRC_TABLE(0x19ed, 0xdcfe, 0x6e7f, 0xe737, 0xa393, 0x81c1, 0x90e8, 0x4874),
	CRC_TABLE(0x243a, 0x121d, 0xd906, 0x6c83, 0xe649, 0xa32c, 0x5196, 0x28cb),
	CRC_TABLE(0xc46d, 0xb23e, 0x591f, 0xfc87, 0xae4b, 0x872d, 0x939e, 0x49cf),
	CRC_TABLE(0xf4ef, 0xaa7f, 0x8537, 0x9293, 0x9941, 0x9ca8, 0x4e54, 0x272a),
	CRC_TABLE(0x1395, 0xd9c2, 0x6ce1, 0xe678, 0x733c, 0x399e, 0x1ccf, 0xde6f),
	CRC_TABLE(0xbf3f, 0x8f97, 0x97c3, 0x9be9, 0x9dfc, 0x4efe, 0x277f, 0xc3b7),
	CRC_TABLE(0xb1d3, 0x88e1, 0x9478, 0x4a3c, 0x251e, 0x128f, 0xd94f, 0xbcaf),
	CRC_TABLE(0x8e5f, 0x9727, 0x9b9b, 0x9dc5, 0x9eea, 0x4f75, 0xf7b2, 0x7bd9),
	CRC_TABLE(0xede4, 0x76f2, 0x3b79, 0xcdb4, 0x66da, 0x336d, 0xc9be, 0x64df),
	CRC_TABLE(0xe267, 0xa13b, 0x8095, 0x9042, 0x4821, 0xf418, 0x7a0c, 0x3d06),
	CRC_TABLE(0x1e83, 0xdf49, 0xbfac, 0x5fd6, 0x2feb, 0xc7fd, 0xb3f6, 0x59fb),
};

#ifdef IBW_ICRC_FOLDS
#include "crc_fold.h"

/* From so many bytes on it is worth the steps at its end. */
#define FOLD_FROM 48

/* Of this polynomial: x^(128 + 32) and x^(128 - 32) modulo it. */
#define FACTORS 0x1f6500000, 0x17e7e0000

/*
 * The first @n bytes, FOLD_FROM or more in whole blocks, as one block with the same remainder, of which the tables have the
 * CRC after a register of zeros.
 */
static FOLDS void fold(uint16_t state, const uint8_t *p, size_t n, uint8_t left[16])
{
	__m128i block = _mm_xor_si128(load(p), _mm_cvtsi32_si128(state));

	for (p += 16, n -= 16; n; p += 16, n -= 16)
		block = _mm_xor_si128(times(block, FACTORS), load(p));
	_mm_storeu_si128((__m128i *)(void *)left, block);
}

uint16_t ibw_crc16(uint16_t crc, const void *p, size_t n)
{
	size_t blocks = n & ~(size_t)15;
	uint16_t state = (uint16_t)~crc;
	uint8_t left[16];

	if (n >= FOLD_FROM && icrc_can_fold()) {
		fold(state, p, blocks, left);
		state = crc_slice16(table, 0, left, sizeof(left));
		p = (const uint8_t *)p + blocks;
		n -= blocks;
	}
	return (uint16_t)~crc_slice16(table, state, p, n);
}
#else
uint16_t ibw_crc16(uint16_t crc, const void *p, size_t n)
{
	return (uint16_t)~crc_slice16(table, (uint16_t)~crc, p, n);
}
#endif

uint16_t ibw_vcrc(const void *p, size_t n)
{
	return ibw_crc16(0, p, n);
}

uint16_t ibw_lpcrc(const void *p)
{
	return ibw_crc16(0, p, 4);
}
