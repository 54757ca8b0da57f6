/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * codecs_define.h - defines codecs[] and accessors[].
 *
 * To be included before any header of the library, with HEADERS_FILE, which
 * expands the headers, HEADERS_LIST, which lists them, and ACC_SCHEMA_(hdr), the
 * path of a schema, defined.
 */
#ifdef IBWIRE_BASE_H
#error "include codecs_define.h first: it changes what expand.h expands"
#endif

#include "accessors.h"

#define IBW_ASSERT_SCHEMA
#define IBW_EXPAND_ALSO "expand_accessors.h"
#include HEADERS_FILE
#undef IBW_EXPAND_ALSO

#include "codecs.h"

const struct accessor *const accessors[] = {
#define IBW_HEADER(hdr, title) accessors_##hdr,
#include HEADERS_LIST
#undef IBW_HEADER
};

#define IBW_HEADER(hdr, title)                                                                     \
	static const void *codec_view_##hdr(const void *p, size_t left)                            \
	{                                                                                          \
		return ibw_##hdr##_view(p, left);                                                  \
	}                                                                                          \
	static void *codec_view_mut_##hdr(void *p, size_t left)                                    \
	{                                                                                          \
		return ibw_##hdr##_view_mut(p, left);                                              \
	}                                                                                          \
	static void codec_unpack_##hdr(void *value, const void *wire)                              \
	{                                                                                          \
		ibw_##hdr##_unpack((struct ibw_##hdr *)value,                                      \
				   (const struct ibw_##hdr##_wire *)wire);                         \
	}                                                                                          \
	static void codec_pack_##hdr(void *wire, const void *value)                                \
	{                                                                                          \
		ibw_##hdr##_pack((struct ibw_##hdr##_wire *)wire,                                  \
				 (const struct ibw_##hdr *)value);                                 \
	}                                                                                          \
	static bool codec_rsvd_set_##hdr(const void *wire)                                         \
	{                                                                                          \
		return ibw_##hdr##_rsvd_set((const struct ibw_##hdr##_wire *)wire);                \
	}                                                                                          \
	IBW_STATIC_ASSERT(sizeof(struct ibw_##hdr) <= CODEC_ROOM / 2, #hdr);
#include HEADERS_LIST
#undef IBW_HEADER

const struct codec codecs[] = {
#define IBW_HEADER(hdr, title)                                                                     \
	{ #hdr,                                                                                    \
	  sizeof(struct ibw_##hdr##_wire),                                                         \
	  sizeof(struct ibw_##hdr),                                                                \
	  codec_view_##hdr,                                                                        \
	  codec_view_mut_##hdr,                                                                    \
	  codec_unpack_##hdr,                                                                      \
	  codec_pack_##hdr,                                                                        \
	  codec_rsvd_set_##hdr },
#include HEADERS_LIST
#undef IBW_HEADER
};
