/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* kheader_lines.h - IBW_EXPAND_ALSO of kheader_tags.c: for one header the lines of its schema file. */
#define IBW_FIELD(n, at, bits, kind, names, label) { #n, __LINE__ },
#define IBW_BYTES(n, at, bits, kind, label) { #n, __LINE__ },
#define IBW_ARRAY(n, at, bits, count, kind, names, label) { #n, __LINE__ },
#define IBW_RSVD(at, bits)
#define IBW_END(bits)
/* clang-format off */
#define KH_SCHEMA_(hdr) IBW_STR(ibwire/schema/hdr.def)
/* clang-format on */
#define KH_SCHEMA(hdr) KH_SCHEMA_(hdr)
static const struct line IBW_CAT3(ibw_, IBW_HDR, _lines)[] = {
#include KH_SCHEMA(IBW_HDR)
	{ NULL, 0 }
};
#undef KH_SCHEMA
#undef KH_SCHEMA_
#undef IBW_FIELD
#undef IBW_BYTES
#undef IBW_ARRAY
#undef IBW_RSVD
#undef IBW_END
