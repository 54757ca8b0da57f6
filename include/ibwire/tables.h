/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * tables.h - the schema as data: every header, every field, every name.
 *
 * Needs libibwire. All of it is constant.
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

/* The name of @value in @names, NULL if it has none (or @names is NULL). */
const char *ibw_name_of(const struct ibw_name *names, uint32_t value);

/* One BTH opcode with its name; @text is NULL for one that is not defined. */
struct ibw_opcode_row {
	const char *text;   /* "RC RDMA WRITE First" */
	uint16_t eths;      /* IBW_ETH_... */
	uint16_t flags;     /* IBW_OPF_... */
	uint8_t eths_bytes; /* their size */
};

extern const struct ibw_opcode_row ibw_opcodes[256];

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif /* IBWIRE_TABLES_H */
