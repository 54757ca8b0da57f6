/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * codecs.h - the inline code of every header as functions in a table.
 *
 * codecs[] has one row a line of list/headers.def, in the order of
 * ibw_headers[], so that a test or a fuzz target loops over all headers there
 * are and takes each new one in without being touched.
 */
#ifndef TESTS_CODECS_H
#define TESTS_CODECS_H

#include <ibwire/ibwire.h>
#include <ibwire/tables.h>

/* The headers that are meant, if not all of the library: accessors.h. */
#ifndef HEADERS_LIST
#define HEADERS_LIST <ibwire/list/headers.def>
#endif

/* Wire bytes and value structs of the largest headers fit, with room to see an overrun. */
#define CODEC_ROOM 4096

struct codec {
	const char *name;
	size_t bytes;       /* sizeof(struct ibw_NAME_wire) */
	size_t value_bytes; /* sizeof(struct ibw_NAME) */
	const void *(*view)(const void *p, size_t left);
	void *(*view_mut)(void *p, size_t left);
	void (*unpack)(void *value, const void *wire);
	void (*pack)(void *wire, const void *value);
	bool (*rsvd_set)(const void *wire);
};

#define IBW_HEADER(hdr, title)                                                                     \
	static inline const void *codec_view_##hdr(const void *p, size_t left)                     \
	{                                                                                          \
		return ibw_##hdr##_view(p, left);                                                  \
	}                                                                                          \
	static inline void *codec_view_mut_##hdr(void *p, size_t left)                             \
	{                                                                                          \
		return ibw_##hdr##_view_mut(p, left);                                              \
	}                                                                                          \
	static inline void codec_unpack_##hdr(void *value, const void *wire)                       \
	{                                                                                          \
		ibw_##hdr##_unpack((struct ibw_##hdr *)value,                                      \
				   (const struct ibw_##hdr##_wire *)wire);                         \
	}                                                                                          \
	static inline void codec_pack_##hdr(void *wire, const void *value)                         \
	{                                                                                          \
		ibw_##hdr##_pack((struct ibw_##hdr##_wire *)wire,                                  \
				 (const struct ibw_##hdr *)value);                                 \
	}                                                                                          \
	static inline bool codec_rsvd_set_##hdr(const void *wire)                                  \
	{                                                                                          \
		return ibw_##hdr##_rsvd_set((const struct ibw_##hdr##_wire *)wire);                \
	}                                                                                          \
	IBW_STATIC_ASSERT(sizeof(struct ibw_##hdr) <= CODEC_ROOM / 2, #hdr);
#include HEADERS_LIST
#undef IBW_HEADER

static const struct codec codecs[] = {
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

#endif /* TESTS_CODECS_H */
