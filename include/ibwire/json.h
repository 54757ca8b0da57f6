/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * json.h - headers and their fields as JSON (RFC 8259).
 *
 * Integers up to 32 bits are numbers; 64-bit ones strings, "0x%016x", because many
 * readers keep numbers as doubles. Addresses, GIDs and MACs are strings as people
 * write them, other byte arrays strings of two hexadecimal digits a byte, arrays
 * arrays. Reserved bits are in the object only where one is set, under their
 * row's name ("rsvd34"). Needs libibwire.
 */
#ifndef IBWIRE_JSON_H
#define IBWIRE_JSON_H

#include "out.h"
#include "tables.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/*
 * A string of the @n bytes at @s, quotes included. Each byte that is not UTF-8 becomes U+FFFD, so
 * the output is valid for any input.
 */
void ibw_json_string(struct ibw_out *o, const char *s, size_t n);

/* The value of a field of the header that starts at @wire. */
void ibw_json_value(struct ibw_out *o, const struct ibw_field *f, const void *wire);

/* All fields of the header at @wire, of which h->bytes are there: {"opcode":100,...}. */
void ibw_json_fields(struct ibw_out *o, const struct ibw_header *h, const void *wire);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif /* IBWIRE_JSON_H */
