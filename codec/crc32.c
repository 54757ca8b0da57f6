/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* crc32.c - CRC-32, polynomial 0x04C11DB7, reflected 0xEDB88320: ICRC and Ethernet FCS. */
#define CRC_STATE uint32_t
#include "crc_slice.h"

#include <ibwire/crc.h>

#include "icrc_fold.h"

/* clang-format off */
static const uint32_t table[16][256] = {
	CRC_TABLE(0xedb88320, 0x76dc4190, 0x3b6e20c8, 0x1db71064,
		  0x0edb8832, 0x076dc419, 0xee0e612c, 0x77073096),
	CRC_TABLE(0x3b83984b, 0xf0794f05, 0x958424a2, 0x4ac21251,
		  0xc8d98a08, 0x646cc504, 0x32366282, 0x191b3141),
	CRC_TABLE(0xe1351b80, 0x709a8dc0, 0x384d46e0, 0x1c26a370,
		  0x0e1351b8, 0x0709a8dc, 0x0384d46e, 0x01c26a37),
	CRC_TABLE(0xed59b63b, 0x9b14583d, 0xa032af3e, 0x5019579f,
		  0xc5b428ef, 0x8f629757, 0xaa09c88b, 0xb8bc6765),
	CRC_TABLE(0xb1e6b092, 0x58f35849, 0xc1c12f04, 0x60e09782,
		  0x30704bc1, 0xf580a6c0, 0x7ac05360, 0x3d6029b0),
	CRC_TABLE(0x1eb014d8, 0x0f580a6c, 0x07ac0536, 0x03d6029b,
		  0xec53826d, 0x9b914216, 0x4dc8a10b, 0xcb5cd3a5),
	CRC_TABLE(0x8816eaf2, 0x440b7579, 0xcfbd399c, 0x67de9cce,
		  0x33ef4e67, 0xf44f2413, 0x979f1129, 0xa6770bb4),
	CRC_TABLE(0x533b85da, 0x299dc2ed, 0xf9766256, 0x7cbb312b,
		  0xd3e51bb5, 0x844a0efa, 0x4225077d, 0xccaa009e),
	CRC_TABLE(0x6655004f, 0xde920307, 0x82f182a3, 0xacc04271,
		  0xbbd8a218, 0x5dec510c, 0x2ef62886, 0x177b1443),
	CRC_TABLE(0xe6050901, 0x9eba07a0, 0x4f5d03d0, 0x27ae81e8,
		  0x13d740f4, 0x09eba07a, 0x04f5d03d, 0xefc26b3e),
	CRC_TABLE(0x77e1359f, 0xd64819ef, 0x869c8fd7, 0xaef6c4cb,
		  0xbac3e145, 0xb0d97382, 0x586cb9c1, 0xc18edfc0),
	CRC_TABLE(0x60c76fe0, 0x3063b7f0, 0x1831dbf8, 0x0c18edfc,
		  0x060c76fe, 0x03063b7f, 0xec3b9e9f, 0x9ba54c6f),
	CRC_TABLE(0xa06a2517, 0xbd8d91ab, 0xb37e4bf5, 0xb407a6da,
		  0x5a03d36d, 0xc0b96a96, 0x605cb54b, 0xdd96d985),
	CRC_TABLE(0x8373efe2, 0x41b9f7f1, 0xcd6478d8, 0x66b23c6c,
		  0x33591e36, 0x19ac8f1b, 0xe16ec4ad, 0x9d0fe176),
	CRC_TABLE(0x4e87f0bb, 0xcafb7b7d, 0x88c53e9e, 0x44629f4f,
		  0xcf89cc87, 0x8a7c6563, 0xa886b191, 0xb9fbdbe8),
	CRC_TABLE(0x5cfdedf4, 0x2e7ef6fa, 0x173f7b7d, 0xe6273e9e,
		  0x73139f4f, 0xd4314c87, 0x87a02563, 0xae689191),
};
/* clang-format on */

uint32_t ibw_crc32_slice16(uint32_t crc, const void *p, size_t n)
{
	return ~crc_slice16(table, ~crc, p, n);
}

#ifdef IBW_HAVE_ISAL
#include <isa-l/crc.h>

#include "crc_isal.h"

uint32_t ibw_crc32(uint32_t crc, const void *p, size_t n)
{
	if (n < ISAL_FROM)
		return ibw_crc32_slice16(crc, p, n);
	crc = crc32_gzip_refl(crc, p, n);
	if (n >= ISAL_WIDE_FROM)
		clean_vector_registers();
	return crc;
}
#elif defined(IBW_ICRC_FOLDS)
#include "crc_fold.h"

/* What is folded at a time: four blocks, whose products do not wait for each other. */
#define STRIDE 64

/* @n: STRIDE or more, in whole blocks. */
static FOLDS uint32_t fold(uint32_t crc, const uint8_t *p, size_t n)
{
	__m128i a = _mm_xor_si128(load(p), _mm_cvtsi32_si128((int)~crc));
	__m128i b = load(p + 16), c = load(p + 32), d = load(p + 48);

	for (p += STRIDE, n -= STRIDE; n >= STRIDE; p += STRIDE, n -= STRIDE) {
		a = _mm_xor_si128(times(a, FACTORS_512), load(p));
		b = _mm_xor_si128(times(b, FACTORS_512), load(p + 16));
		c = _mm_xor_si128(times(c, FACTORS_512), load(p + 32));
		d = _mm_xor_si128(times(d, FACTORS_512), load(p + 48));
	}
	a = _mm_xor_si128(times(a, FACTORS_384), times(b, FACTORS_256));
	d = _mm_xor_si128(_mm_xor_si128(a, times(c, FACTORS_128)), d);
	for (; n; p += 16, n -= 16)
		d = _mm_xor_si128(times(d, FACTORS_128), load(p));
	return ~remainder_of(d);
}

uint32_t ibw_crc32(uint32_t crc, const void *p, size_t n)
{
	size_t blocks = n & ~(size_t)15;

	if (n < STRIDE || !icrc_can_fold())
		return ibw_crc32_slice16(crc, p, n);
	crc = fold(crc, p, blocks);
	return ibw_crc32_slice16(crc, (const uint8_t *)p + blocks, n - blocks);
}
#else
uint32_t ibw_crc32(uint32_t crc, const void *p, size_t n)
{
	return ibw_crc32_slice16(crc, p, n);
}
#endif

uint32_t ibw_eth_fcs(const void *p, size_t n)
{
	return ibw_crc32(0, p, n);
}
