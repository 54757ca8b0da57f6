/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * expand.h - turns one schema file into the code of one header.
 *
 *	#define IBW_HDR bth
 *	#include "expand.h"
 *
 * reads schema/bth.def and defines
 *
 *	struct ibw_bth_wire	the bytes on the wire; alignment 1, sizeof exact
 *	struct ibw_bth		the values, host integers and byte arrays
 *	ibw_bth_BITS, _BYTES	its size; ibw_bth_psn_AT: the first bit of a field
 *	ibw_bth_view()		bytes -> const struct ibw_bth_wire *, NULL if too few
 *	ibw_bth_view_mut()	the same for writing
 *	ibw_bth_psn()		one field (byte arrays: a pointer into the view;
 *				arrays: one element)
 *	ibw_bth_set_psn()	one field in place; reserved bits and neighbours stay
 *	ibw_bth_unpack()	all fields into the value struct
 *	ibw_bth_pack()		all fields from it; reserved bits are written as 0
 *	ibw_bth_rsvd_set()	whether any reserved bit is set
 *
 * Only the view checks a length: a caller that has a view may call everything else.
 *
 * A schema file holds one line per field, in wire order, including reserved bits:
 *
 *	IBW_FIELD(name, at, bits, kind, names, "Label")		an integer
 *	IBW_BYTES(name, at, bits, kind, "Label")		a byte array
 *	IBW_ARRAY(name, at, bits, count, kind, names, "Label")	integers in a row
 *	IBW_RSVD(at, bits)					sent as 0
 *	IBW_END(bits)						the size of the header
 *
 * In the record of an SA attribute every line is a component, reserved ones
 * too, an array as many as it has elements; ibw_path_rec_dgid_COMP is the bit of
 * the component mask. "#define IBW_HDR_COMPS" is before the first line; IBW_COMP(was, n)
 * says that the next line is component n where counting would make it was, and
 * IBW_COMPS(n) at the end how many there are.
 *
 * An enum counts the bits, so the place of each line follows from the lines
 * before it; the written place is asserted, not trusted. Together with the
 * size, and with the width its kind demands, no number in a schema file can
 * be wrong by itself and compile; the error names the schema line. The assertions are compiled
 * where IBW_ASSERT_SCHEMA is defined, which codec/tables.c does for every header, so that other
 * files do not spend time on them.
 *
 * With IBW_TABLES defined (codec/tables.c alone does) the reflection table
 * ibw_bth_fields[] is defined as well. IBW_EXPAND_ALSO, if defined, names a
 * file to be read once more for each header, while IBW_HDR is still defined: how
 * the tests get at every getter and setter. With IBW_NO_CODE defined there are
 * the places and the two structures, and functions are declared
 * but not defined: for analysers that would otherwise read all of it with every file.
 */
#include "base.h"
#include "bits.h"
#include "field.h"

#ifndef IBW_HDR
#error "define IBW_HDR before including expand.h"
#endif

#ifndef IBWIRE_EXPAND_ONCE
#define IBWIRE_EXPAND_ONCE
/* The C type of a field, by its width as written in the schema; others do not exist. */
#define IBW_UINT_1 uint8_t
#define IBW_UINT_2 uint8_t
#define IBW_UINT_3 uint8_t
#define IBW_UINT_4 uint8_t
#define IBW_UINT_5 uint8_t
#define IBW_UINT_6 uint8_t
#define IBW_UINT_7 uint8_t
#define IBW_UINT_8 uint8_t
#define IBW_UINT_9 uint16_t
#define IBW_UINT_10 uint16_t
#define IBW_UINT_11 uint16_t
#define IBW_UINT_12 uint16_t
#define IBW_UINT_13 uint16_t
#define IBW_UINT_14 uint16_t
#define IBW_UINT_15 uint16_t
#define IBW_UINT_16 uint16_t
#define IBW_UINT_17 uint32_t
#define IBW_UINT_18 uint32_t
#define IBW_UINT_19 uint32_t
#define IBW_UINT_20 uint32_t
#define IBW_UINT_21 uint32_t
#define IBW_UINT_22 uint32_t
#define IBW_UINT_23 uint32_t
#define IBW_UINT_24 uint32_t
#define IBW_UINT_25 uint32_t
#define IBW_UINT_26 uint32_t
#define IBW_UINT_27 uint32_t
#define IBW_UINT_28 uint32_t
#define IBW_UINT_29 uint32_t
#define IBW_UINT_30 uint32_t
#define IBW_UINT_31 uint32_t
#define IBW_UINT_32 uint32_t
#define IBW_UINT_64 uint64_t

#define IBW_HDR_SCHEMA_(hdr) IBW_STR(schema/hdr.def)
#define IBW_HDR_SCHEMA IBW_HDR_SCHEMA_(IBW_HDR)
#define IBW_HDR_NAME(suffix) IBW_CAT3(ibw_, IBW_HDR, suffix)
#define IBW_WIRE struct IBW_HDR_NAME(_wire)
#if defined(__clang__)
#define IBW_UNROLL _Pragma("unroll")
#else
#define IBW_UNROLL _Pragma("GCC unroll 64")
#endif
#endif

/* Component numbers have a pass of their own. */
#undef IBW_HDR_COMPS
#define IBW_COMP(was, n)
#define IBW_COMPS(n)

/* The places: each line starts where the line before it ends. */
#define IBW_FIELD(n, at, bits, kind, names, label)                                       \
	IBW_HDR_NAME(_##n##_AT), IBW_HDR_NAME(_##n##_END_) = IBW_HDR_NAME(_##n##_AT) + (bits)-1,
#define IBW_BYTES(n, at, bits, kind, label)                                              \
	IBW_HDR_NAME(_##n##_AT), IBW_HDR_NAME(_##n##_END_) = IBW_HDR_NAME(_##n##_AT) + (bits)-1,
#define IBW_ARRAY(n, at, bits, count, kind, names, label)                                \
	IBW_HDR_NAME(_##n##_AT),                                                         \
		IBW_HDR_NAME(_##n##_END_) = IBW_HDR_NAME(_##n##_AT) + (bits) * (count)-1,
#define IBW_RSVD(at, bits)                                                               \
	IBW_HDR_NAME(_rsvd##at##_AT_),                                                   \
		IBW_HDR_NAME(_rsvd##at##_END_) = IBW_HDR_NAME(_rsvd##at##_AT_) + (bits)-1,
#define IBW_END(bits) IBW_HDR_NAME(_BITS), IBW_HDR_NAME(_BYTES) = IBW_HDR_NAME(_BITS) / 8
enum {
#include IBW_HDR_SCHEMA
};
#undef IBW_FIELD
#undef IBW_BYTES
#undef IBW_ARRAY
#undef IBW_RSVD
#undef IBW_END

#ifdef IBW_ASSERT_SCHEMA
/* What is asserted of each line. */
#ifndef IBW_HDR_COMPS
#undef IBW_COMPS
#define IBW_COMPS(n) IBW_STATIC_ASSERT(0, "components of a header without IBW_HDR_COMPS");
#endif
#define IBW_IS_AT(place, at, n)                                                          \
	IBW_STATIC_ASSERT(place == (at), n " does not start where the line before it ends")
#define IBW_IS_KIND(kind, bits, n)                                                       \
	IBW_STATIC_ASSERT(IBW_KIND_BITS_##kind == 0 || IBW_KIND_BITS_##kind == (bits),   \
			  n " does not have the width of its kind")
#define IBW_FIELD(n, at, bits, kind, names, label)                                       \
	IBW_IS_AT(IBW_HDR_NAME(_##n##_AT), at, #n);                                      \
	IBW_IS_KIND(kind, bits, #n);                                                     \
	IBW_STATIC_ASSERT(IBW_BITS_PLACED(at, bits), #n " crosses a 32-bit word");       \
	IBW_STATIC_ASSERT(IBW_BITS_CONTAINED(at, bits, IBW_HDR_NAME(_BITS)),             \
			  #n " reads beyond the header");
#define IBW_BYTES(n, at, bits, kind, label)                                              \
	IBW_IS_AT(IBW_HDR_NAME(_##n##_AT), at, #n);                                      \
	IBW_IS_KIND(kind, bits, #n);                                                     \
	IBW_STATIC_ASSERT((at) % 8 == 0 && (bits) % 8 == 0 && (bits) > 0,                \
			  #n " is not whole bytes");
#define IBW_ARRAY(n, at, bits, count, kind, names, label)                                \
	IBW_IS_AT(IBW_HDR_NAME(_##n##_AT), at, #n);                                      \
	IBW_IS_KIND(kind, bits, #n);                                                     \
	IBW_STATIC_ASSERT((count) > 1 && 64 % (bits) == 0, #n " does not divide evenly"); \
	IBW_STATIC_ASSERT((at) % ((bits) < 8 ? (bits) : 8) == 0, #n " starts inside a byte");
#define IBW_RSVD(at, bits)                                                               \
	IBW_IS_AT(IBW_HDR_NAME(_rsvd##at##_AT_), at, "a reserved field");                \
	IBW_STATIC_ASSERT((bits) > 0, "a reserved field has no bits");
#define IBW_END(bits)                                                                    \
	IBW_STATIC_ASSERT(IBW_HDR_NAME(_BITS) == (bits), "the fields do not fill the header"); \
	IBW_STATIC_ASSERT((bits) % 8 == 0, "the header is not whole bytes");
#include IBW_HDR_SCHEMA
#undef IBW_FIELD
#undef IBW_BYTES
#undef IBW_ARRAY
#undef IBW_RSVD
#undef IBW_END
#undef IBW_IS_AT
#undef IBW_IS_KIND
#endif /* IBW_ASSERT_SCHEMA */

/* The components. */
#ifdef IBW_HDR_COMPS
#undef IBW_COMP
#undef IBW_COMPS
#define IBW_FIELD(n, at, bits, kind, names, label) IBW_HDR_NAME(_##n##_COMP),
#define IBW_BYTES(n, at, bits, kind, label) IBW_HDR_NAME(_##n##_COMP),
#define IBW_ARRAY(n, at, bits, count, kind, names, label)                                \
	IBW_HDR_NAME(_##n##_COMP), IBW_HDR_NAME(_##n##_COMP_END_) =                      \
					   IBW_HDR_NAME(_##n##_COMP) + (count)-1,
#define IBW_RSVD(at, bits) IBW_HDR_NAME(_rsvd##at##_COMP),
#define IBW_END(bits) IBW_HDR_NAME(_COMP_END_)
#define IBW_COMP(was, n)                                                                 \
	IBW_CAT4(ibw_, IBW_HDR, _COMP_WAS_, __LINE__),                                   \
		IBW_CAT4(ibw_, IBW_HDR, _COMP_IS_, __LINE__) = (n)-1,
#define IBW_COMPS(n)
enum {
	IBW_HDR_NAME(_COMP_START_) = -1,
#include IBW_HDR_SCHEMA
};
#undef IBW_FIELD
#undef IBW_BYTES
#undef IBW_ARRAY
#undef IBW_RSVD
#undef IBW_END
#undef IBW_COMP
#undef IBW_COMPS

#define IBW_FIELD(n, at, bits, kind, names, label)
#define IBW_BYTES(n, at, bits, kind, label)
#define IBW_ARRAY(n, at, bits, count, kind, names, label)
#define IBW_RSVD(at, bits)
#define IBW_END(bits)
#define IBW_COMP(was, n)                                                                 \
	IBW_STATIC_ASSERT(IBW_CAT4(ibw_, IBW_HDR, _COMP_WAS_, __LINE__) == (was),        \
			  "counting does not come to that component");
#define IBW_COMPS(n)                                                                     \
	IBW_STATIC_ASSERT(IBW_HDR_NAME(_COMP_END_) == (n), "that is not the number of components");
#include IBW_HDR_SCHEMA
#undef IBW_FIELD
#undef IBW_BYTES
#undef IBW_ARRAY
#undef IBW_RSVD
#undef IBW_END
#endif
#undef IBW_COMP
#undef IBW_COMPS
#define IBW_COMP(was, n)
#define IBW_COMPS(n)

IBW_WIRE {
	uint8_t b[IBW_HDR_NAME(_BYTES)];
};

#define IBW_FIELD(n, at, bits, kind, names, label) IBW_UINT_##bits n;
#define IBW_BYTES(n, at, bits, kind, label) uint8_t n[(bits) / 8];
#define IBW_ARRAY(n, at, bits, count, kind, names, label) IBW_UINT_##bits n[count];
#define IBW_RSVD(at, bits)
#define IBW_END(bits)
struct IBW_CAT2(ibw_, IBW_HDR) {
#include IBW_HDR_SCHEMA
};
#undef IBW_FIELD
#undef IBW_BYTES
#undef IBW_ARRAY
#undef IBW_RSVD
#undef IBW_END

#ifndef IBW_NO_CODE
/* @left bytes at @p as this header, or NULL if they are too few. */
IBW_INLINE const IBW_WIRE *IBW_HDR_NAME(_view)(const void *p, size_t left)
{
	return left < IBW_HDR_NAME(_BYTES) ? NULL : (const IBW_WIRE *)p;
}

IBW_INLINE IBW_WIRE *IBW_HDR_NAME(_view_mut)(void *p, size_t left)
{
	return left < IBW_HDR_NAME(_BYTES) ? NULL : (IBW_WIRE *)p;
}

/* Getters and setters, one pair a line. */
#define IBW_FIELD(n, at, bits, kind, names, label)                                       \
	IBW_INLINE IBW_UINT_##bits IBW_HDR_NAME(_##n)(const IBW_WIRE *w)                 \
	{                                                                                \
		return (IBW_UINT_##bits)ibw_bits_get(w->b, at, bits);                    \
	}                                                                                \
	IBW_INLINE void IBW_HDR_NAME(_set_##n)(IBW_WIRE * w, IBW_UINT_##bits v)          \
	{                                                                                \
		ibw_bits_set(w->b, at, bits, v);                                         \
	}
#define IBW_BYTES(n, at, bits, kind, label)                                              \
	IBW_INLINE const uint8_t *IBW_HDR_NAME(_##n)(const IBW_WIRE *w)                  \
	{                                                                                \
		return w->b + (at) / 8;                                                  \
	}                                                                                \
	IBW_INLINE void IBW_HDR_NAME(_set_##n)(IBW_WIRE * w, const uint8_t *v)           \
	{                                                                                \
		IBW_COPY_BYTES(w->b + (at) / 8, v, (bits) / 8);                          \
	}
#define IBW_ARRAY(n, at, bits, count, kind, names, label)                                \
	IBW_INLINE IBW_UINT_##bits IBW_HDR_NAME(_##n)(const IBW_WIRE *w, unsigned int i) \
	{                                                                                \
		return (IBW_UINT_##bits)ibw_bits_get(w->b, (at) + i * (bits), bits);     \
	}                                                                                \
	IBW_INLINE void IBW_HDR_NAME(_set_##n)(IBW_WIRE * w, unsigned int i,             \
					       IBW_UINT_##bits v)                        \
	{                                                                                \
		ibw_bits_set(w->b, (at) + i * (bits), bits, v);                          \
	}
#define IBW_RSVD(at, bits)
#define IBW_END(bits)
#include IBW_HDR_SCHEMA
#undef IBW_FIELD
#undef IBW_BYTES
#undef IBW_ARRAY
#undef IBW_RSVD
#undef IBW_END

#define IBW_FIELD(n, at, bits, kind, names, label)                                       \
	v->n = (IBW_UINT_##bits)ibw_bits_get(w->b, at, bits);
#define IBW_BYTES(n, at, bits, kind, label) IBW_COPY_BYTES(v->n, w->b + (at) / 8, (bits) / 8);
#define IBW_ARRAY(n, at, bits, count, kind, names, label)                                \
	for (i = 0; i < (count); i++)                                                    \
		v->n[i] = (IBW_UINT_##bits)ibw_bits_get(w->b, (at) + i * (bits), bits);
#define IBW_RSVD(at, bits)
#define IBW_END(bits)
IBW_INLINE void IBW_HDR_NAME(_unpack)(struct IBW_CAT2(ibw_, IBW_HDR) * v, const IBW_WIRE *w)
{
	unsigned int i IBW_UNUSED;

#include IBW_HDR_SCHEMA
}
#undef IBW_FIELD
#undef IBW_BYTES
#undef IBW_ARRAY

/* First the fields inside words, storing each word once; then the longer ones. */
#define IBW_FIELD(n, at, bits, kind, names, label)                                       \
	word[(at) / 32] |= IBW_BITS_WORD(at, bits, v->n);                                \
	if ((bits) == 64 && (at) % 32 == 0) {                                            \
		word[(at) / 32] = (uint32_t)((uint64_t)v->n >> 32);                      \
		word[(at) / 32 + ((bits) == 64)] = (uint32_t)v->n;                       \
	}
#define IBW_BYTES(n, at, bits, kind, label)
#define IBW_ARRAY(n, at, bits, count, kind, names, label)
IBW_INLINE void IBW_HDR_NAME(_pack)(IBW_WIRE * w, const struct IBW_CAT2(ibw_, IBW_HDR) * v)
{
	uint32_t word[IBW_HDR_NAME(_BYTES) / 4 + 1] = { 0 };
	unsigned int i;

#include IBW_HDR_SCHEMA
#undef IBW_FIELD
#undef IBW_BYTES
#undef IBW_ARRAY
	IBW_UNROLL
	for (i = 0; i != IBW_HDR_NAME(_BYTES) / 4; i++)
		ibw_put_be32(w->b + sizeof(word[0]) * i, word[i]);
	if (IBW_HDR_NAME(_BYTES) % 4 >= 2)
		ibw_put_be16(w->b + sizeof(word[0]) * (IBW_HDR_NAME(_BYTES) / 4),
			     (uint16_t)(word[IBW_HDR_NAME(_BYTES) / 4] >> 16));
	if (IBW_HDR_NAME(_BYTES) % 2)
		w->b[IBW_HDR_NAME(_BYTES) - 1] =
			(uint8_t)(word[IBW_HDR_NAME(_BYTES) / 4] >>
				  (IBW_HDR_NAME(_BYTES) % 4 == 3 ? 8 : 24));
#define IBW_FIELD(n, at, bits, kind, names, label)                                       \
	if (IBW_BITS_ASTRIDE(at, bits))                                                  \
		ibw_bits_set(w->b, at, bits, v->n);
#define IBW_BYTES(n, at, bits, kind, label) IBW_COPY_BYTES(w->b + (at) / 8, v->n, (bits) / 8);
#define IBW_ARRAY(n, at, bits, count, kind, names, label)                                \
	for (i = 0; i < (count); i++)                                                    \
		ibw_bits_set(w->b, (at) + i * (bits), bits, v->n[i]);
#include IBW_HDR_SCHEMA
}
#undef IBW_FIELD
#undef IBW_BYTES
#undef IBW_ARRAY
#undef IBW_RSVD

#define IBW_FIELD(n, at, bits, kind, names, label)
#define IBW_BYTES(n, at, bits, kind, label)
#define IBW_ARRAY(n, at, bits, count, kind, names, label)
#define IBW_RSVD(at, bits) || ibw_bits_any(w->b, at, bits)
IBW_INLINE bool IBW_HDR_NAME(_rsvd_set)(const IBW_WIRE *w IBW_UNUSED)
{
	return false
#include IBW_HDR_SCHEMA
		;
}
#undef IBW_FIELD
#undef IBW_BYTES
#undef IBW_ARRAY
#undef IBW_RSVD
#undef IBW_END
#elif !defined(__cppcheck__) /* which needs no declarations, and two seconds a file for them */
#include "expand_declared.h"
#endif /* IBW_NO_CODE */

#ifdef IBW_TABLES
#include "expand_table.h"
#endif
#ifdef IBW_EXPAND_ALSO
#include IBW_EXPAND_ALSO
#endif

#undef IBW_COMP
#undef IBW_COMPS
#undef IBW_HDR_COMPS
#undef IBW_HDR
