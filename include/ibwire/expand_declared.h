/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * expand_declared.h - the rest of expand.h with IBW_NO_CODE: of the functions of a header only what a
 * caller needs to know. view() is short, and where NULL comes from.
 */
#ifndef IBW_HDR
#error "expand_declared.h is for expand.h"
#endif
/* clang-format off */
#define NONNULL __attribute__((nonnull))
IBW_INLINE const IBW_WIRE *IBW_HDR_NAME(_view)(const void *p, size_t left)
{
	return left < IBW_HDR_NAME(_BYTES) ? NULL : (const IBW_WIRE *)p;
}
IBW_INLINE IBW_WIRE *IBW_HDR_NAME(_view_mut)(void *p, size_t left)
{
	return left < IBW_HDR_NAME(_BYTES) ? NULL : (IBW_WIRE *)p;
}
#define IBW_FIELD(n, at, bits, kind, names, label)                                       \
	NONNULL IBW_UINT_##bits IBW_HDR_NAME(_##n)(const IBW_WIRE *w);                   \
	NONNULL void IBW_HDR_NAME(_set_##n)(IBW_WIRE *w, IBW_UINT_##bits v);
#define IBW_BYTES(n, at, bits, kind, label)                                              \
	NONNULL const uint8_t *IBW_HDR_NAME(_##n)(const IBW_WIRE *w);                    \
	NONNULL void IBW_HDR_NAME(_set_##n)(IBW_WIRE *w, const uint8_t *v);
#define IBW_ARRAY(n, at, bits, count, kind, names, label)                                \
	NONNULL IBW_UINT_##bits IBW_HDR_NAME(_##n)(const IBW_WIRE *w, unsigned int i);   \
	NONNULL void IBW_HDR_NAME(_set_##n)(IBW_WIRE *w, unsigned int i, IBW_UINT_##bits v);
#define IBW_RSVD(at, bits)
#define IBW_END(bits)
#include IBW_HDR_SCHEMA
#undef IBW_FIELD
#undef IBW_BYTES
#undef IBW_ARRAY
#undef IBW_RSVD
#undef IBW_END
NONNULL void IBW_HDR_NAME(_unpack)(struct IBW_CAT2(ibw_, IBW_HDR) *v, const IBW_WIRE *w);
NONNULL void IBW_HDR_NAME(_pack)(IBW_WIRE *w, const struct IBW_CAT2(ibw_, IBW_HDR) *v);
NONNULL bool IBW_HDR_NAME(_rsvd_set)(const IBW_WIRE *w);
#undef NONNULL
/* clang-format on */
