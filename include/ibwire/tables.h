/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * tables.h - the schema as data: every header, every field, every name.
 *
 * Needs libibwire. All of it is constant, so any number of threads may read it.
 */
#ifndef IBWIRE_TABLES_H
#define IBWIRE_TABLES_H

#include "field.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* The kind of a header: what a span of the packet walk is. */
enum ibw_layer {
#define IBW_HEADER(name, title) IBW_LAYER_##name,
#include "list/headers.def"
#undef IBW_HEADER
	IBW_LAYER_COUNT
};

/* One header: its name, its size and its rows. */
struct ibw_header {
	const char *name;               /* "bth" */
	const char *title;              /* "Base Transport Header" */
	const struct ibw_field *fields; /* in wire order, ends with a NULL name */
	uint16_t bytes;                 /* on the wire, fixed part */
	uint16_t value_bytes;           /* of the value struct */
	uint16_t n_fields;              /* reserved rows included */
};

/* The header of a layer; NULL for a number that is none. */
const struct ibw_header *ibw_header_at(unsigned int layer);

/* The header of that name; NULL if there is none. */
const struct ibw_header *ibw_header_find(const char *name);

/* Row @i of a header, reserved rows included; NULL after the last, h->n_fields - 1. */
const struct ibw_field *ibw_field_at(const struct ibw_header *h, unsigned int i);

/* The field of that name; NULL if there is none. */
const struct ibw_field *ibw_field_find(const struct ibw_header *h, const char *name);

/* The names of a list of list/values.def ("ethertype"), of "opcode" or "mad_class"; NULL if there is none. */
const struct ibw_name *ibw_names_find(const char *list);

/* The name of @value in @names, NULL if it has none (or @names is NULL). */
const char *ibw_name_of(const struct ibw_name *names, uint32_t value);

/* One BTH opcode with its name; @text is NULL for one that is not defined. */
struct ibw_opcode_row {
	const char *text;   /* "RC RDMA WRITE First" */
	uint16_t eths;      /* IBW_ETH_... */
	uint16_t flags;     /* IBW_OPF_... */
	uint8_t eths_bytes; /* their size */
};

/* The row of @opcode; one that is not defined has text NULL. Never NULL. */
const struct ibw_opcode_row *ibw_opcode_at(uint8_t opcode);

#pragma GCC visibility pop

/*
 * The following is in the static library only. The shared library exports no data, because a
 * program would keep the sizes of tables and rows that it was linked with.
 */
extern const struct ibw_header ibw_headers[IBW_LAYER_COUNT];

#define IBW_HEADER(name, title) extern const struct ibw_field ibw_##name##_fields[];
#include "list/headers.def"
#undef IBW_HEADER

#define IBW_VALUES(list) extern const struct ibw_name ibw_##list##_names[];
#define IBW_VALUE(list, name, value, text)
#define IBW_VALUES_END(list)
#include "list/values.def"
#undef IBW_VALUES
#undef IBW_VALUE
#undef IBW_VALUES_END
extern const struct ibw_name ibw_opcode_names[];
extern const struct ibw_name ibw_mad_class_names[]; /* of a range: its first number */

extern const struct ibw_opcode_row ibw_opcodes[256];

#ifdef __cplusplus
}
#endif

#endif /* IBWIRE_TABLES_H */
