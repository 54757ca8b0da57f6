/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * icrc.c - the invariant CRC: IBTA vol 1, 7.8.1; annexes A16 (RoCE), A17 (RoCE v2).
 *
 * Fields that switches and routers change are covered as ones. They lie in the first
 * ICRC_HEAD bytes, so those are copied with the ones in place, and the rest is read
 * where it is.
 */
#include "icrc_fold.h"
#include "icrc_masks.h"

/* A GRH or IPv6, UDP and BTH need 60 bytes; a multiple of 16, for icrc_short(). */
#define ICRC_HEAD 64

/* The CRC of 8 bytes of ones: of a global packet's LRH, and where RoCE has none. */
#define CRC_OF_LRH_ONES 0x2144df1c

/* Byte @i of the ones of a list: of each field the part that lies in the byte. */
#define CLIP8(x) ((x) < 0 ? 0 : (x) > 8 ? 8 : (x))
#define ONES(i, field, at, bits)                                                                   \
	| (0xff >> CLIP8((at)-8 * (i)) & ~(0xff >> CLIP8((at) + (bits)-8 * (i))) & 0xff)
#define BYTES4(list, i)                                                                            \
	0 list(ONES, (i)), 0 list(ONES, (i) + 1), 0 list(ONES, (i) + 2), 0 list(ONES, (i) + 3)
#define BYTES16(list, i)                                                                           \
	BYTES4(list, i), BYTES4(list, (i) + 4), BYTES4(list, (i) + 8), BYTES4(list, (i) + 12)
#define BYTES64(list)                                                                              \
	{                                                                                          \
		BYTES16(list, 0), BYTES16(list, 16), BYTES16(list, 32), BYTES16(list, 48)          \
	}

static const struct icrc_rule {
	uint32_t start;          /* the CRC of what is in the place of the LRH */
	uint32_t skip;           /* the bytes of @p it stands for */
	uint8_t ones[ICRC_HEAD]; /* of what follows them */
} rules[IBW_ICRC_KINDS] = {
	[IBW_ICRC_IB_LOCAL] = { 0, 0, BYTES64(IBW_ICRC_MASKS_LOCAL) },
	[IBW_ICRC_IB_GLOBAL] = { CRC_OF_LRH_ONES, ibw_lrh_BYTES, BYTES64(IBW_ICRC_MASKS_GRH) },
	[IBW_ICRC_ROCE_V1] = { CRC_OF_LRH_ONES, 0, BYTES64(IBW_ICRC_MASKS_GRH) },
	[IBW_ICRC_ROCE_V2_IPV4] = { CRC_OF_LRH_ONES, 0, BYTES64(IBW_ICRC_MASKS_IPV4) },
	[IBW_ICRC_ROCE_V2_IPV6] = { CRC_OF_LRH_ONES, 0, BYTES64(IBW_ICRC_MASKS_IPV6) },
};

/* 16 bytes in one register, where the machine has such. */
typedef uint64_t block16 __attribute__((vector_size(16)));

static inline void store_block(uint8_t *to, block16 block)
{
	IBW_COPY(to, &block, 16);
}

static inline void store_two(uint8_t *to, uint64_t first, uint64_t second)
{
#ifdef __CHECKER__ /* sparse knows no vectors */
	IBW_COPY(to, &first, 8);
	IBW_COPY(to + 8, &second, 8);
#else
	store_block(to, (block16){ first, second });
#endif
}

/* 16 bytes of the packet, with the ones in place. */
static inline void cover_block(uint8_t *to, const uint8_t *p, const uint8_t *ones)
{
	block16 block, mask;

	IBW_COPY(&block, p, 16);
	IBW_COPY(&mask, ones, 16);
	store_block(to, block | mask);
}

/*
 * The first 16 bytes, the first four of them exclusive or @state, after @zeros bytes of 0,
 * which are 0, 4, 8 or 12. What does not fit any more is in the next block.
 */
static inline void cover_first(uint8_t *to, const uint8_t *p, const uint8_t *ones, uint32_t state,
			       unsigned int zeros)
{
	uint64_t low = (ibw_get_le64(p) | ibw_get_le64(ones)) ^ state;
	uint64_t high = ibw_get_le64(p + 8) | ibw_get_le64(ones + 8);

	if (zeros & 8) {
		high = low;
		low = 0;
	}
	if (zeros & 4) {
		high = high << 32 | low >> 32;
		low <<= 32;
	}
	store_two(to, IBW_SWAP_LE64(low), IBW_SWAP_LE64(high));
}

/*
 * The CRC of 16 to ICRC_HEAD bytes, of whole words, as one of whole blocks: what is missing
 * to the last is in front of the first as zeros, which leave a CRC register of zeros
 * as it is, and the start is in the first bytes after them. Blocks are stored as
 * ibw_crc32() will read them: a processor that has just stored less than it then
 * loads waits for the stores, for longer than all the rest takes.
 */
static __attribute__((__noinline__)) uint32_t icrc_blocks(const struct icrc_rule *rule,
							  const uint8_t *p, size_t n)
{
	unsigned int zeros = (unsigned int)-n % 16;
	const uint8_t *ones = rule->ones;
	uint8_t head[ICRC_HEAD];

	cover_first(head, p, ones, ~rule->start, zeros);
	if (n > 16)
		cover_block(head + 16, p + 16 - zeros, ones + 16 - zeros);
	if (n > 32)
		cover_block(head + 32, p + 32 - zeros, ones + 32 - zeros);
	if (n > 48)
		cover_block(head + 48, p + 48 - zeros, ones + 48 - zeros);
	return ibw_crc32(0xffffffffu, head, n + zeros);
}

/* A short one, or the head of a long one. */
static inline uint32_t icrc_short(const struct icrc_rule *rule, const uint8_t *p, size_t n)
{
#ifdef IBW_ICRC_FOLDS
	if (icrc_can_fold())
		return icrc_fold(rule->start, p, rule->ones, n);
#endif
	return icrc_blocks(rule, p, n);
}

/* Of more: the head, then the rest where it is. */
static __attribute__((__noinline__)) uint32_t icrc_long(const struct icrc_rule *rule,
							const uint8_t *p, size_t n)
{
	return ibw_crc32(icrc_short(rule, p, ICRC_HEAD), p + ICRC_HEAD, n - ICRC_HEAD);
}

static void cover_bytes(uint8_t *to, const uint8_t *p, const uint8_t *ones, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		to[i] = p[i] | ones[i];
}

/* An IPv4 header with @options bytes of options: what is after them moves by as much. */
static uint32_t icrc_with_options(const struct icrc_rule *rule, const uint8_t *p, size_t n,
				  size_t options)
{
	uint8_t ones[ICRC_HEAD + ICRC_IPV4_OPTIONS_MAX] = { 0 };
	uint8_t head[sizeof(ones)];
	size_t i, in_head = n < sizeof(head) ? n : sizeof(head);

	for (i = 0; i < ICRC_HEAD; i++)
		ones[i < ibw_ipv4_BYTES ? i : i + options] = rule->ones[i];
	cover_bytes(head, p, ones, in_head);
	return ibw_crc32(ibw_crc32(rule->start, head, in_head), p + in_head, n - in_head);
}

/* What no packet is: cut within the headers, or not of whole words; or IPv4 with options. */
static __attribute__((__noinline__)) uint32_t icrc_odd(enum ibw_icrc_kind kind, const uint8_t *p,
						       size_t n)
{
	const struct icrc_rule *rule = &rules[kind];
	uint8_t head[ICRC_HEAD];

	if (n <= rule->skip)
		return rule->start;
	p += rule->skip;
	n -= rule->skip;
	if (kind == IBW_ICRC_ROCE_V2_IPV4 && icrc_ipv4_options(p))
		return icrc_with_options(rule, p, n, icrc_ipv4_options(p));
	if (n > ICRC_HEAD)
		return icrc_long(rule, p, n);
	cover_bytes(head, p, rule->ones, n);
	return ibw_crc32(rule->start, head, n);
}

uint32_t ibw_icrc(enum ibw_icrc_kind kind, const void *from, size_t n)
{
	const struct icrc_rule *rule;
	const uint8_t *p = from;

	if (kind <= IBW_ICRC_NONE || kind >= IBW_ICRC_KINDS)
		return 0;
	if (n < ibw_lrh_BYTES + 16 || n % 4 ||
	    (kind == IBW_ICRC_ROCE_V2_IPV4 && icrc_ipv4_options(p)))
		return icrc_odd(kind, p, n);
	rule = &rules[kind];
	p += rule->skip;
	n -= rule->skip;
	return n > ICRC_HEAD ? icrc_long(rule, p, n) : icrc_short(rule, p, n);
}
