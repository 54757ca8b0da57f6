/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * expand_kheader.h - IBW_EXPAND_ALSO of kheader.c: for one header a function that compares the
 * printed view, getters and setters with those of expand.h.
 */
#define KH_NAME(suffix) IBW_CAT3(kh_, IBW_HDR, suffix)
#define IBW_FIELD(n, at, bits, kind, names, label)                                                 \
	check_case("%s.%s", IBW_STR(IBW_HDR), #n);                                                 \
	CHECK_EQ(KH_NAME(_##n)(kw), IBW_HDR_NAME(_##n)(w));                                        \
	KH_NAME(_set_##n)(kw, (IBW_UINT_##bits)v);                                                 \
	IBW_HDR_NAME(_set_##n)(w, (IBW_UINT_##bits)v);                                             \
	CHECK_MEM(kw, w, sizeof(*w));
#define IBW_BYTES(n, at, bits, kind, label)                                                        \
	check_case("%s.%s", IBW_STR(IBW_HDR), #n);                                                 \
	CHECK_MEM(KH_NAME(_##n)(kw), IBW_HDR_NAME(_##n)(w), (bits) / 8);                           \
	KH_NAME(_set_##n)(kw, bytes);                                                              \
	IBW_HDR_NAME(_set_##n)(w, bytes);                                                          \
	CHECK_MEM(kw, w, sizeof(*w));
#define IBW_ARRAY(n, at, bits, count, kind, names, label)                                          \
	check_case("%s.%s", IBW_STR(IBW_HDR), #n);                                                 \
	for (i = 0; i < (count); i++) {                                                            \
		CHECK_EQ(KH_NAME(_##n)(kw, i), IBW_HDR_NAME(_##n)(w, i));                          \
		KH_NAME(_set_##n)(kw, i, (IBW_UINT_##bits)v);                                      \
		IBW_HDR_NAME(_set_##n)(w, i, (IBW_UINT_##bits)v);                                  \
		CHECK_MEM(kw, w, sizeof(*w));                                                      \
	}
#define IBW_RSVD(at, bits)
#define IBW_END(bits)
static void KH_NAME(_check)(void *bytes_of_both, const uint8_t *bytes IBW_UNUSED,
			    uint64_t v IBW_UNUSED)
{
	IBW_WIRE *w = (IBW_WIRE *)bytes_of_both;
	struct KH_NAME(_wire) other, *kw = &other;
	struct IBW_CAT2(ibw_, IBW_HDR) values;
	struct IBW_CAT2(kh_, IBW_HDR) kvalues;
	unsigned int i IBW_UNUSED;

	IBW_STATIC_ASSERT(sizeof(*kw) == sizeof(*w), "the wire sizes differ");
	IBW_STATIC_ASSERT(sizeof(kvalues) == sizeof(values), "the value structs differ");
	memcpy(kw, w, sizeof(*w));
	memset(&values, 0, sizeof(values));
	memset(&kvalues, 0, sizeof(kvalues));
	check_case("%s", IBW_STR(IBW_HDR));
	CHECK(KH_NAME(_view)(w, sizeof(*w)) == (const void *)w);
	CHECK(!KH_NAME(_view)(w, sizeof(*w) - 1));
	CHECK(!KH_NAME(_view)(w, 0));
	IBW_HDR_NAME(_unpack)(&values, w);
	KH_NAME(_unpack)(&kvalues, kw);
	CHECK_MEM(&kvalues, &values, sizeof(values));
/* clang-format off */
#define KH_SCHEMA_(hdr) IBW_STR(ibwire/schema/hdr.def)
/* clang-format on */
#define KH_SCHEMA(hdr) KH_SCHEMA_(hdr)
#include KH_SCHEMA(IBW_HDR)
#undef KH_SCHEMA
#undef KH_SCHEMA_
	memset(kw, 0xff, sizeof(*kw));
	IBW_HDR_NAME(_pack)(w, &values);
	KH_NAME(_pack)(kw, &kvalues);
	CHECK_MEM(kw, w, sizeof(*w));
}
#undef IBW_FIELD
#undef IBW_BYTES
#undef IBW_ARRAY
#undef IBW_RSVD
#undef IBW_END
#undef KH_NAME
