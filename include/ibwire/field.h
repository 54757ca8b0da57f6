/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * field.h - one row of a reflection table, and the kinds of field.
 *
 * The rows themselves are in libibwire (tables.h): a driver that includes
 * ibwire.h gets the types, never the data.
 */
#ifndef IBWIRE_FIELD_H
#define IBWIRE_FIELD_H

#include "base.h"

enum ibw_kind {
#define IBW_KIND(name, bits) IBW_KIND_##name,
#include "list/kinds.def"
#undef IBW_KIND
	IBW_KIND_COUNT
};

/* The width a field of a kind must have, 0 for any: what expand.h asserts. */
enum {
#define IBW_KIND(name, bits) IBW_KIND_BITS_##name = bits,
#include "list/kinds.def"
#undef IBW_KIND
};

/*
 * One name of a value. Lists end with a NULL name; the layout is that of
 * Wireshark's value_string, so a list can be handed to it as it is.
 */
struct ibw_name {
	uint32_t value;
	const char *name;
};

/* Flags of a field. */
enum ibw_field_flags {
	IBW_FIELD_RSVD = 1,  /* reserved: sent as 0; no member in the value struct */
	IBW_FIELD_BYTES = 2, /* a byte array; an array of count integers otherwise if count > 1 */
};

/*
 * One field of one header. Rows are in wire order, reserved bits included,
 * and end with a row whose name is NULL.
 */
struct ibw_field {
	const char *name;             /* as in C and JSON: "psn" */
	const char *label;            /* for people: "Packet Sequence Number" */
	const struct ibw_name *names; /* IBW_KIND_ENUM, IBW_KIND_MASK; else NULL */
	uint32_t at;                  /* first bit, from the start of the header */
	uint16_t bits;                /* width of the field, or of one array element */
	uint16_t count;               /* elements; 1 unless an array */
	uint16_t offset;              /* of the member in the value struct, bytes */
	uint8_t size;                 /* of the member or of one element, bytes; 0: byte array */
	uint8_t kind;                 /* enum ibw_kind */
	uint8_t flags;                /* enum ibw_field_flags */
	int16_t comp;                 /* SA component-mask bit, -1: none */
};

#endif /* IBWIRE_FIELD_H */
