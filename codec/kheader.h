/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kheader.h - the parts of ibwire-kheader: what each prints of what is asked for.
 */
#ifndef CODEC_KHEADER_H
#define CODEC_KHEADER_H

#include <ibwire/tables.h>

/* Longest --prefix: with it the longest name is still far shorter than a line. */
#define KH_PREFIX_MAX 32

/* What names begin with, the underscore included ("rxe_"), and the same of constants ("RXE_"). */
extern char kh_prefix[KH_PREFIX_MAX + 2];
extern char kh_upper_prefix[KH_PREFIX_MAX + 2];

/* Reserved bits have no name and no functions. */
static inline bool kh_is_rsvd(const struct ibw_field *f)
{
	return (f->flags & IBW_FIELD_RSVD) != 0;
}

/* @from in capital letters; @room is that of @to. */
void kh_upper(char *to, size_t room, const char *from);

/* The comment above a header: its fields as RFCs draw them. */
void kh_picture(const struct ibw_header *h);

/* The functions that all others call: integers of the wire, byte after byte. */
void kh_accessors(void);

/* The structures and functions of a header. */
void kh_code(const struct ibw_header *h);

/* The enums of all fields of the headers whose row in @layers is true; with @all, every enum. */
void kh_values(const bool layers[IBW_LAYER_COUNT], bool all);

/* All names that expand.h makes, for editors: the schema files are in @dir. False: there are too many. */
bool kh_tags(const char *dir);

/*
 * The headers whose row in @layers is true, for readers; @dir is include/ibwire, whose comments are read.
 * False: it cannot be.
 */
bool kh_reference(const char *dir, const bool layers[IBW_LAYER_COUNT]);

#endif /* CODEC_KHEADER_H */
