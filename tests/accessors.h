/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * accessors.h - every inline getter and setter, callable by table.
 *
 * To be included before any header of the library. accessors[] has one list a
 * line of list/headers.def, in the order of ibw_headers[].
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

#define IBW_EXPAND_ALSO "expand_accessors.h"
#include <ibwire/ibwire.h>
#undef IBW_EXPAND_ALSO
#include <ibwire/tables.h>

static const struct accessor *const accessors[IBW_LAYER_COUNT] = {
#define IBW_HEADER(hdr, title) [IBW_LAYER_##hdr] = accessors_##hdr,
#include <ibwire/list/headers.def>
#undef IBW_HEADER
};

/* The accessors of the field called @name, NULL if it has none (reserved bits). */
static inline const struct accessor *accessor_find(enum ibw_layer layer, const char *name)
{
	const struct accessor *a;

	for (a = accessors[layer]; a->name; a++)
		if (strcmp(a->name, name) == 0)
			return a;
	return NULL;
}

#endif /* TESTS_ACCESSORS_H */
