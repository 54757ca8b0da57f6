/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * crc_ref.h - CRCs and ICRCs once more, bit by bit and field by field, to compare with.
 *
 * Written from the polynomials and the lists of masked fields alone: nothing of codec/
 * but the names of crc.h.
 */
#ifndef TESTS_CRC_REF_H
#define TESTS_CRC_REF_H

#include <ibwire/crc.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Polynomials as the standards write them, most significant coefficient first. */
#define REF_CRC32 0x04c11db7u
#define REF_CRC32C 0x1edc6f41u
#define REF_CRC16 0x100bu

/* The longest packet any of these is given. */
#define REF_MAX 8192

/* Preset and complemented with ones, every byte least significant bit first. */
static inline uint32_t ref_crc(uint32_t poly, int width, const uint8_t *p, size_t n)
{
	uint32_t ones = width == 32 ? 0xffffffffu : 0xffffu, state = ones, out = 0;
	int i;

	for (; n; n--, p++) {
		for (i = 0; i < 8; i++) {
			uint32_t bit = (state >> (width - 1) ^ (uint32_t)*p >> i) & 1;

			state = (state << 1 & ones) ^ (bit ? poly : 0);
		}
	}
	for (i = 0; i < width; i++)
		if (state >> i & 1)
			out |= 1u << (width - 1 - i);
	return out ^ ones;
}

/* A byte of a packet that is masked in whole or in part. */
struct ref_mask {
	uint8_t field; /* enum ibw_icrc_mask */
	uint8_t at;    /* counted from the LRH, or from 8 bytes of ones in its place */
	uint8_t ones;
};

#define REF_LRH                                                                                    \
	{ IBW_ICRC_MASK_LRH, 0, 0xff }, { IBW_ICRC_MASK_LRH, 1, 0xff },                            \
		{ IBW_ICRC_MASK_LRH, 2, 0xff }, { IBW_ICRC_MASK_LRH, 3, 0xff },                    \
		{ IBW_ICRC_MASK_LRH, 4, 0xff }, { IBW_ICRC_MASK_LRH, 5, 0xff },                    \
		{ IBW_ICRC_MASK_LRH, 6, 0xff },                                                    \
	{                                                                                          \
		IBW_ICRC_MASK_LRH, 7, 0xff                                                         \
	}
/* Version and traffic class share a byte, traffic class and flow label the next one. */
#define REF_IPV6                                                                                   \
	{ IBW_ICRC_MASK_TCLASS, 8, 0x0f }, { IBW_ICRC_MASK_TCLASS, 9, 0xf0 },                      \
		{ IBW_ICRC_MASK_FLOW_LABEL, 9, 0x0f }, { IBW_ICRC_MASK_FLOW_LABEL, 10, 0xff },     \
		{ IBW_ICRC_MASK_FLOW_LABEL, 11, 0xff },                                            \
	{                                                                                          \
		IBW_ICRC_MASK_HOP_LIMIT, 15, 0xff                                                  \
	}

static const struct ref_mask ref_masks[IBW_ICRC_KINDS][20] = {
	[IBW_ICRC_IB_LOCAL] = { { IBW_ICRC_MASK_LRH, 0, 0xf0 },
				{ IBW_ICRC_MASK_RESV8A, 12, 0xff } },
	[IBW_ICRC_IB_GLOBAL] = { REF_LRH, REF_IPV6, { IBW_ICRC_MASK_RESV8A, 52, 0xff } },
	[IBW_ICRC_ROCE_V1] = { REF_LRH, REF_IPV6, { IBW_ICRC_MASK_RESV8A, 52, 0xff } },
	[IBW_ICRC_ROCE_V2_IPV4] = { REF_LRH,
				    { IBW_ICRC_MASK_TCLASS, 9, 0xff },
				    { IBW_ICRC_MASK_HOP_LIMIT, 16, 0xff },
				    { IBW_ICRC_MASK_IP_CHECKSUM, 18, 0xff },
				    { IBW_ICRC_MASK_IP_CHECKSUM, 19, 0xff },
				    { IBW_ICRC_MASK_UDP_CHECKSUM, 34, 0xff },
				    { IBW_ICRC_MASK_UDP_CHECKSUM, 35, 0xff },
				    { IBW_ICRC_MASK_RESV8A, 40, 0xff } },
	[IBW_ICRC_ROCE_V2_IPV6] = { REF_LRH,
				    REF_IPV6,
				    { IBW_ICRC_MASK_UDP_CHECKSUM, 54, 0xff },
				    { IBW_ICRC_MASK_UDP_CHECKSUM, 55, 0xff },
				    { IBW_ICRC_MASK_RESV8A, 60, 0xff } },
};

/* Bytes of a packet up to the end of its BTH, without IPv4 options. */
static const uint8_t ref_headers[IBW_ICRC_KINDS] = { 0, 20, 60, 52, 40, 60 };

static inline bool ref_has_lrh(enum ibw_icrc_kind kind)
{
	return kind == IBW_ICRC_IB_LOCAL || kind == IBW_ICRC_IB_GLOBAL;
}

static inline size_t ref_options(enum ibw_icrc_kind kind, const uint8_t *p)
{
	return kind == IBW_ICRC_ROCE_V2_IPV4 && (p[0] & 15) > 5 ? (size_t)(p[0] & 15) * 4 - 20 : 0;
}

/*
 * What a sender covers who takes the fields of @missing as sent and those of @zeroed as
 * zeros; in @to, which has room for @n + 8. Returns how many bytes.
 */
static inline size_t ref_cover(uint8_t *to, enum ibw_icrc_kind kind, const uint8_t *p, size_t n,
			       unsigned int missing, unsigned int zeroed)
{
	size_t stand_in = ref_has_lrh(kind) ? 0 : 8, at;
	const struct ref_mask *m;

	if (n > REF_MAX) {
		fprintf(stderr, "ref_cover: %zu bytes\n", n);
		exit(1);
	}
	memset(to, 0xff, stand_in);
	memcpy(to + stand_in, p, n);
	for (m = ref_masks[kind]; m->field; m++) {
		at = m->at + (m->at >= 28 ? ref_options(kind, p) : 0);
		if (at >= stand_in + n)
			continue;
		if (m->field & zeroed)
			to[at] = (uint8_t)(to[at] & ~m->ones);
		else if (!(m->field & missing))
			to[at] |= m->ones;
	}
	if (stand_in && missing & IBW_ICRC_MASK_LRH) {
		memmove(to, to + stand_in, n);
		return n;
	}
	return stand_in + n;
}

static inline uint32_t ref_icrc(enum ibw_icrc_kind kind, const uint8_t *p, size_t n,
				unsigned int missing, unsigned int zeroed)
{
	static uint8_t covered[REF_MAX + 8];
	size_t len = ref_cover(covered, kind, p, n, missing, zeroed);

	return ref_crc(REF_CRC32, 32, covered, len);
}

/* All fields of a kind: enum ibw_icrc_mask bits. */
static inline unsigned int ref_fields(enum ibw_icrc_kind kind)
{
	const struct ref_mask *m;
	unsigned int all = 0;

	for (m = ref_masks[kind]; m->field; m++)
		all |= m->field;
	return all;
}

/* Numbers that look random and are the same in every run. */
static inline uint32_t ref_random(void)
{
	static uint64_t state = 0x9e3779b97f4a7c15u;

	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 32);
}

static inline void ref_fill(uint8_t *p, size_t n)
{
	while (n--)
		*p++ = (uint8_t)(ref_random() >> 11);
}

#endif /* TESTS_CRC_REF_H */
