/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * expand_table.h - the reflection table of the header expand.h is expanding.
 *
 * Included by expand.h under IBW_TABLES, for codec/tables.c.
 */
#ifndef IBW_HDR
#error "expand_table.h is for expand.h, which has IBW_HDR defined"
#endif

#ifdef IBW_HDR_COMPS
#define IBW_TABLE_COMP(name) (int16_t)IBW_HDR_NAME(_##name##_COMP)
#else
#define IBW_TABLE_COMP(name) -1
#endif
#define IBW_FIELD(n, at, bits, kind, names, label)                                       \
	{ #n, label, names, at, bits, 1, offsetof(struct IBW_CAT2(ibw_, IBW_HDR), n),    \
	  sizeof(IBW_UINT_##bits), IBW_KIND_##kind, 0, IBW_TABLE_COMP(n) },
#define IBW_BYTES(n, at, bits, kind, label)                                              \
	{ #n, label, NULL, at, bits, 1, offsetof(struct IBW_CAT2(ibw_, IBW_HDR), n),     \
	  0, IBW_KIND_##kind, IBW_FIELD_BYTES,                                            \
	  IBW_TABLE_COMP(n) },
#define IBW_ARRAY(n, at, bits, count, kind, names, label)                                \
	{ #n, label, names, at, bits, count, offsetof(struct IBW_CAT2(ibw_, IBW_HDR), n), \
	  sizeof(IBW_UINT_##bits), IBW_KIND_##kind, 0, IBW_TABLE_COMP(n) },
#define IBW_RSVD(at, bits)                                                               \
	{ "rsvd" #at, "Reserved", NULL, at, bits, 1, 0, 0, IBW_KIND_HEX, IBW_FIELD_RSVD,        \
	  IBW_TABLE_COMP(rsvd##at) },
#define IBW_END(bits) { NULL, NULL, NULL, bits, 0, 0, 0, 0, 0, 0, -1 },
const struct ibw_field IBW_HDR_NAME(_fields)[] = {
#include IBW_HDR_SCHEMA
};
#undef IBW_FIELD
#undef IBW_BYTES
#undef IBW_ARRAY
#undef IBW_RSVD
#undef IBW_END
#undef IBW_TABLE_COMP
