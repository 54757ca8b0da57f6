/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * icrc.c - the invariant CRC: IBTA vol 1, 7.8.1; annexes A16 (RoCE), A17 (RoCE v2).
 *
 * Fields that switches and routers change are covered as ones. They lie in the first
 * ICRC_HEAD bytes, so those are copied with the ones in place, and the rest is read
 * where it is.
 */
#include "icrc_masks.h"

/* A GRH or IPv6, UDP and BTH need 60 bytes; a multiple of 16, for copy_head(). */
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
	uint32_t start;          /* the CRC of what stands in the place of the LRH */
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

/*
 * Copies @n bytes with the ones in place, in blocks of 16, words of 4 and bytes, as
 * ibw_crc32() will read them: a processor that has just stored less than it then
 * loads waits for the stores, for longer than all the rest takes.
 */
static inline void copy_head(uint8_t *to, const uint8_t *p, const uint8_t *ones, size_t n)
{
	block16 block, mask;
	size_t i = 0;

	for (; n - i >= 16; i += 16) {
		ibw_copy(&block, p + i, 16);
		ibw_copy(&mask, ones + i, 16);
		block |= mask;
		ibw_copy(to + i, &block, 16);
	}
	for (; n - i >= 4; i += 4)
		ibw_put_le32(to + i, ibw_get_le32(p + i) | ibw_get_le32(ones + i));
	for (; n - i; i++)
		to[i] = p[i] | ones[i];
}

/* An IPv4 header with @options bytes of options: what is behind them moves by as much. */
static uint32_t icrc_with_options(const struct icrc_rule *rule, const uint8_t *p, size_t n,
				  size_t options)
{
	uint8_t ones[ICRC_HEAD + ICRC_IPV4_OPTIONS_MAX] = { 0 };
	uint8_t head[sizeof(ones)];
	size_t i, in_head = n < sizeof(head) ? n : sizeof(head);

	for (i = 0; i < ICRC_HEAD; i++)
		ones[i < ibw_ipv4_BYTES ? i : i + options] = rule->ones[i];
	copy_head(head, p, ones, in_head);
	return ibw_crc32(ibw_crc32(rule->start, head, in_head), p + in_head, n - in_head);
}

uint32_t ibw_icrc(enum ibw_icrc_kind kind, const void *from, size_t n)
{
	const struct icrc_rule *rule;
	uint8_t head[ICRC_HEAD];
	const uint8_t *p = from;
	size_t blocks;
	uint32_t crc;

	if (kind <= IBW_ICRC_NONE || kind >= IBW_ICRC_KINDS)
		return 0;
	rule = &rules[kind];
	if (n <= rule->skip)
		return rule->start;
	p += rule->skip;
	n -= rule->skip;
	if (kind == IBW_ICRC_ROCE_V2_IPV4 && icrc_ipv4_options(p))
		return icrc_with_options(rule, p, n, icrc_ipv4_options(p));

	copy_head(head, p, rule->ones, n < ICRC_HEAD ? n : ICRC_HEAD);
	if (n > ICRC_HEAD) {
		crc = ibw_crc32(rule->start, head, ICRC_HEAD);
		return ibw_crc32(crc, p + ICRC_HEAD, n - ICRC_HEAD);
	}
	blocks = n / 16 * 16;
	crc = ibw_crc32(rule->start, head, blocks);
	return ibw_crc32(crc, head + blocks, n - blocks);
}
