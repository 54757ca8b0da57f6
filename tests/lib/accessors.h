/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * accessors.h - every inline getter and setter, callable by table.
 *
 * accessors[] has one list a line of list/headers.def, in the order of
 * ibw_headers[]. It is compiled once, in codecs.c.
 */
#ifndef TESTS_ACCESSORS_H
#define TESTS_ACCESSORS_H

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

extern const struct accessor *const accessors[];

/* Of the accessors of a header those of the field called @name, NULL if none (reserved bits). */
static inline const struct accessor *accessor_find(const struct accessor *a, const char *name)
{
	for (; a->name; a++)
		if (strcmp(a->name, name) == 0)
			return a;
	return NULL;
}

#endif /* TESTS_ACCESSORS_H */
