/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * bits.h - bit fields in big-endian bytes: read, write and test them.
 *
 * Bits are counted as in the specifications: bit 0 is the most significant
 * bit of byte 0, and a field's first bit is its most significant one. A
 * field is either 8, 16, 24, 32 or 64 bits from the start of any byte,
 * or lies inside one 32-bit word of its header. expand.h refuses at compile
 * time any schema line that is neither, so with constant arguments each of
 * these functions folds to one load and at most a shift and a mask, and none
 * touches a byte outside the field's own naturally aligned container.
 */
#ifndef IBWIRE_BITS_H
#define IBWIRE_BITS_H

#include "base.h"

/* 1 if [at, at + bits) lies in one container of @size bits, aligned to its size. */
#define IBW_BITS_WITHIN(at, bits, size) ((at) / (size) == ((at) + (bits)-1) / (size))

/* 1 if a field may be at bit @at of its header with this width. */
#define IBW_BITS_PLACED(at, bits)                                                                  \
	(IBW_BITS_WITHIN(at, bits, 32) ||                                                          \
	 ((at) % 8 == 0 && ((bits) == 16 || (bits) == 24 || (bits) == 32 || (bits) == 64)))

/*
 * 1 if ibw_bits_get() stays inside a header of @all bits: where its last word
 * is three bytes, a field across all of them has no container.
 */
#define IBW_BITS_CONTAINED(at, bits, all)                                                          \
	(IBW_BITS_WITHIN(at, bits, 16) || !IBW_BITS_WITHIN(at, bits, 32) ||                        \
	 ((at) % 8 == 0 && ((bits) == 16 || (bits) == 32)) || (at) / 32 * 32 + 32 <= (all))

/* The low @bits bits set; @bits 1..64. */
#define IBW_BITS_MASK(bits) (~(uint64_t)0 >> (64 - (bits)))

/* The field of @bits bits at bit @at of @p, as a host integer. */
IBW_INLINE uint64_t ibw_bits_get(const uint8_t *p, unsigned int at, unsigned int bits)
{
	if (IBW_BITS_WITHIN(at, bits, 8))
		return (uint64_t)(p[at / 8] >> (8 - at % 8 - bits)) & IBW_BITS_MASK(bits);
	if (at % 8 == 0 && bits == 16)
		return ibw_get_be16(p + at / 8);
	if (at % 8 == 0 && bits == 32)
		return ibw_get_be32(p + at / 8);
	if (bits == 64)
		return ibw_get_be64(p + at / 8);
	if (bits == 24 && !IBW_BITS_WITHIN(at, bits, 32))
		return (uint64_t)ibw_get_be16(p + at / 8) << 8 | p[at / 8 + 2];
	if (IBW_BITS_WITHIN(at, bits, 16))
		return (uint64_t)(ibw_get_be16(p + sizeof(uint16_t) * (at / 16)) >>
				  (16 - at % 16 - bits)) &
		       IBW_BITS_MASK(bits);
	return (uint64_t)(ibw_get_be32(p + sizeof(uint32_t) * (at / 32)) >> (32 - at % 32 - bits)) &
	       IBW_BITS_MASK(bits);
}

/* Replaces the field; bits of @v above the width are dropped, neighbours stay. */
IBW_INLINE void ibw_bits_set(uint8_t *p, unsigned int at, unsigned int bits, uint64_t v)
{
	uint64_t mask = IBW_BITS_MASK(bits);
	unsigned int shift;

	v &= mask;
	if (IBW_BITS_WITHIN(at, bits, 8)) {
		shift = 8 - at % 8 - bits;
		p[at / 8] = (uint8_t)((p[at / 8] & ~(mask << shift)) | v << shift);
	} else if (at % 8 == 0 && bits == 16) {
		ibw_put_be16(p + at / 8, (uint16_t)v);
	} else if (at % 8 == 0 && bits == 32) {
		ibw_put_be32(p + at / 8, (uint32_t)v);
	} else if (bits == 64) {
		ibw_put_be64(p + at / 8, v);
	} else if (bits == 24 && !IBW_BITS_WITHIN(at, bits, 32)) {
		ibw_put_be16(p + at / 8, (uint16_t)(v >> 8));
		p[at / 8 + 2] = (uint8_t)v;
	} else if (IBW_BITS_WITHIN(at, bits, 16)) {
		p += sizeof(uint16_t) * (at / 16);
		shift = 16 - at % 16 - bits;
		ibw_put_be16(p, (uint16_t)((ibw_get_be16(p) & ~(mask << shift)) | v << shift));
	} else {
		p += sizeof(uint32_t) * (at / 32);
		shift = 32 - at % 32 - bits;
		ibw_put_be32(p, (uint32_t)((ibw_get_be32(p) & ~(mask << shift)) | v << shift));
	}
}

/*
 * The bits of a field inside one 32-bit word of its header, in place in that word; 0 for any other.
 * Building a header ORs these together and stores each word once: setting field after field in
 * memory is up to 25 times slower. It is a macro, because hundreds of inlined functions take a compiler
 * a long time.
 */
#define IBW_BITS_WORD(at, bits, v)                                                                 \
	(IBW_BITS_WITHIN(at, bits, 32)                                                             \
		 ? ((uint32_t)(v) & (uint32_t)(0xffffffffu >> ((32 - (bits)) & 31)))               \
			   << ((32 - (at) % 32 - (bits)) & 31)                                     \
		 : 0)

/* 1 if IBW_BITS_WORD() leaves the field out: a whole integer across two words. */
#define IBW_BITS_ASTRIDE(at, bits)                                                                 \
	(!IBW_BITS_WITHIN(at, bits, 32) && !((bits) == 64 && (at) % 32 == 0))

/* Whether any of the @bits bits at @at is set; any place, any width. */
IBW_INLINE bool ibw_bits_any(const uint8_t *p, unsigned int at, unsigned int bits)
{
	unsigned int end = at + bits, byte, any = 0;

	if (IBW_BITS_WITHIN(at, bits, 8))
		return (p[at / 8] & (0xffu >> at % 8) & (0xffu << (7 - (end - 1) % 8))) != 0;
	any = p[at / 8] & (0xffu >> at % 8);
	for (byte = at / 8 + 1; byte < (end - 1) / 8; byte++)
		any |= p[byte];
	any |= p[(end - 1) / 8] & (0xffu << (7 - (end - 1) % 8));
	return any != 0;
}

#endif /* IBWIRE_BITS_H */
