/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * print.h - the value of a field in words, by its kind.
 *
 *	for (f = h->fields; f->name; f++)
 *		if (ibw_field_shown(f, wire)) {
 *			ibw_out_str(&out, f->name);
 *			ibw_out_str(&out, ": ");
 *			ibw_print_value(&out, f, wire);
 *		}
 *
 * gives "opcode: 0x06 (RC RDMA WRITE First)", "dqpn: 0x000117" and so on. @wire is
 * the first byte of the header, and all bytes of the header are there. Needs
 * libibwire.
 */
#ifndef IBWIRE_PRINT_H
#define IBWIRE_PRINT_H

#include "out.h"
#include "tables.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/*
 * One element of an integer field as a host integer; @element is below f->count.
 * 0 for a byte array, and for reserved bits that are more than 64.
 */
uint64_t ibw_field_get(const struct ibw_field *f, const void *wire, unsigned int element);

/* The value of a byte array of kind LE: @n bytes, at most 8, the least significant first. */
uint64_t ibw_get_le(const uint8_t *p, size_t n);

/* Whether a reader wants to see the field: reserved bits, and kind ZERO, only where one is set. */
bool ibw_field_shown(const struct ibw_field *f, const void *wire);

/* The bytes of a byte array, or of reserved bits that are shown as bytes; NULL: an integer. */
const uint8_t *ibw_field_bytes(const struct ibw_field *f, const void *wire, size_t *n);

/* One element of an integer field; @element is below f->count. */
void ibw_print_element(struct ibw_out *o, const struct ibw_field *f, const void *wire,
		       unsigned int element);

/* The value: number and meaning, or what people say for it ("4096 B", "100 Gb/s (4x EDR)"); the elements of an array with commas between. */
void ibw_print_value(struct ibw_out *o, const struct ibw_field *f, const void *wire);

/*
 * The meaning of a field of @h, in a line without its label: who sets it, in what unit, where it wraps. NULL: it has
 * no description, or is reserved.
 */
const char *ibw_field_meaning(const struct ibw_header *h, const struct ibw_field *f);

/*
 * The fields of @h as RFCs draw them, 32 bits a row, each line after @indent; "^" under @bits bits from bit @at on, if
 * @bits is not 0. Of a header with more than six rows, only the rows with such bits are then drawn.
 */
void ibw_print_picture(struct ibw_out *o, const struct ibw_header *h, const char *indent,
		       unsigned int at, unsigned int bits);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif /* IBWIRE_PRINT_H */
