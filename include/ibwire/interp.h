/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * interp.h - pack and unpack by reflection table, one bit at a time.
 *
 * This is a slow, independent implementation of what expand.h makes of a schema file; the two share
 * only the rows of the table. It is for tests and fuzzing, and for programs that learn only at run
 * time which header they need. Needs libibwire.
 */
#ifndef IBWIRE_INTERP_H
#define IBWIRE_INTERP_H

#include "tables.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Elements of a field: bytes of a byte array, integers of an array, otherwise 1. */
unsigned int ibw_interp_elements(const struct ibw_field *f);

/* Bits of one element: 8 for a byte array. */
unsigned int ibw_interp_width(const struct ibw_field *f);

/*
 * One element of @f (reserved fields too) in the header at @wire, as a host
 * integer. @element is below ibw_interp_elements(f), and @wire has the bytes
 * of the header: nothing is checked here.
 */
uint64_t ibw_interp_get(const uint8_t *wire, const struct ibw_field *f, unsigned int element);

/* Replaces the element; bits of @v above its width are dropped, all other bits stay. */
void ibw_interp_set(uint8_t *wire, const struct ibw_field *f, unsigned int element, uint64_t v);

/* One element of the member @f describes in the value struct at @value; 0 for a reserved field. */
uint64_t ibw_interp_value(const void *value, const struct ibw_field *f, unsigned int element);

/* Stores it; a reserved field has no member and is left out. */
void ibw_interp_set_value(void *value, const struct ibw_field *f, unsigned int element, uint64_t v);

/* The h->bytes at @wire into the value struct (h->value_bytes); padding is not touched. */
void ibw_interp_unpack(const struct ibw_header *h, void *value, const uint8_t *wire);

/* The value struct into the h->bytes at @wire; reserved bits are written as 0. */
void ibw_interp_pack(const struct ibw_header *h, uint8_t *wire, const void *value);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif /* IBWIRE_INTERP_H */
