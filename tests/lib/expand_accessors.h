/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * expand_accessors.h - the getters and setters of one header as a table.
 *
 * Read by expand.h once a header, through IBW_EXPAND_ALSO (accessors.h sets
 * it): reads the schema file again and defines accessors_HDR[], one row a
 * field that has accessors, reserved bits left out.
 */
/* clang-format off */
#define ACC_SCHEMA ACC_SCHEMA_(IBW_HDR)
#define ACC(verb, n) IBW_CAT4(acc_##verb##_, IBW_HDR, _, n)
#define ACC_VIEW (const IBW_WIRE *)wire
#define ACC_VIEW_MUT (IBW_WIRE *)wire

#define IBW_FIELD(n, at, bits, kind, names, label)                                       \
	static uint64_t ACC(get, n)(const void *wire, unsigned int i)                    \
	{                                                                                \
		(void)i;                                                                 \
		return IBW_HDR_NAME(_##n)(ACC_VIEW);                                     \
	}                                                                                \
	static void ACC(set, n)(void *wire, unsigned int i, uint64_t v)                  \
	{                                                                                \
		(void)i;                                                                 \
		IBW_HDR_NAME(_set_##n)(ACC_VIEW_MUT, (IBW_UINT_##bits)v);                \
	}
#define IBW_BYTES(n, at, bits, kind, label)                                              \
	static const uint8_t *ACC(bytes, n)(const void *wire)                            \
	{                                                                                \
		return IBW_HDR_NAME(_##n)(ACC_VIEW);                                     \
	}                                                                                \
	static void ACC(set_bytes, n)(void *wire, const uint8_t *v)                      \
	{                                                                                \
		IBW_HDR_NAME(_set_##n)(ACC_VIEW_MUT, v);                                 \
	}
#define IBW_ARRAY(n, at, bits, count, kind, names, label)                                \
	static uint64_t ACC(get, n)(const void *wire, unsigned int i)                    \
	{                                                                                \
		return IBW_HDR_NAME(_##n)(ACC_VIEW, i);                                  \
	}                                                                                \
	static void ACC(set, n)(void *wire, unsigned int i, uint64_t v)                  \
	{                                                                                \
		IBW_HDR_NAME(_set_##n)(ACC_VIEW_MUT, i, (IBW_UINT_##bits)v);             \
	}
#define IBW_RSVD(at, bits)
#define IBW_END(bits)
#include ACC_SCHEMA
#undef IBW_FIELD
#undef IBW_BYTES
#undef IBW_ARRAY

#define IBW_FIELD(n, at, bits, kind, names, label)                                       \
	{ #n, IBW_HDR_NAME(_##n##_AT), ACC(get, n), ACC(set, n), NULL, NULL },
#define IBW_BYTES(n, at, bits, kind, label)                                              \
	{ #n, IBW_HDR_NAME(_##n##_AT), NULL, NULL, ACC(bytes, n), ACC(set_bytes, n) },
#define IBW_ARRAY(n, at, bits, count, kind, names, label)                                \
	{ #n, IBW_HDR_NAME(_##n##_AT), ACC(get, n), ACC(set, n), NULL, NULL },
static const struct accessor IBW_CAT2(accessors_, IBW_HDR)[] = {
#include ACC_SCHEMA
	{ NULL, 0, NULL, NULL, NULL, NULL },
};
#undef IBW_FIELD
#undef IBW_BYTES
#undef IBW_ARRAY
#undef IBW_RSVD
#undef IBW_END
#undef ACC
#undef ACC_SCHEMA
#undef ACC_VIEW
#undef ACC_VIEW_MUT
/* clang-format on */
