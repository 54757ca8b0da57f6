/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * accessors.h - every inline getter and setter, callable by table.
 *
 * To be included before any header of the library. accessors[] has one list a
 * line of list/headers.def, in the order of ibw_headers[].
 *
 * Other headers than the library's: HEADERS_FILE expands them, HEADERS_LIST lists
 * them, ACC_SCHEMA_(hdr) is the path of a schema.
 */
#ifndef TESTS_ACCESSORS_H
#define TESTS_ACCESSORS_H

#ifdef IBWIRE_IBWIRE_H
#error "include accessors.h first: it changes what expand.h expands"
#endif

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* One field. Integers and arrays of them have get and set, byte arrays bytes and set_bytes. */
struct accessor {
	const char *name;
	unsigned int at; /* ibw_HDR_NAME_AT */
	uint64_t (*get)(const void *wire, unsigned int element);
	void (*set)(void *wire, unsigned int element, uint64_t v);
	const uint8_t *(*bytes)(const void *wire);
	void (*set_bytes)(void *wire, const uint8_t *v);
};

#ifndef HEADERS_FILE
#define HEADERS_FILE <ibwire/ibwire.h>
#endif
#ifndef HEADERS_LIST
#define HEADERS_LIST <ibwire/list/headers.def>
#endif
/* clang-format off */
#ifndef ACC_SCHEMA_
#define ACC_SCHEMA_(hdr) IBW_STR(ibwire/schema/hdr.def)
#endif
/* clang-format on */

#define IBW_EXPAND_ALSO "expand_accessors.h"
#include HEADERS_FILE
#undef IBW_EXPAND_ALSO
#include <ibwire/tables.h>

static const struct accessor *const accessors[] = {
#define IBW_HEADER(hdr, title) accessors_##hdr,
#include HEADERS_LIST
#undef IBW_HEADER
};

/* Of the accessors of a header those of the field called @name, NULL if none (reserved bits). */
static inline const struct accessor *accessor_find(const struct accessor *a, const char *name)
{
	for (; a->name; a++)
		if (strcmp(a->name, name) == 0)
			return a;
	return NULL;
}

#endif /* TESTS_ACCESSORS_H */
