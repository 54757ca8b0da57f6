/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* tables.c - the reflection tables, one expansion a schema file. */
#define IBW_TABLES
#define IBW_ASSERT_SCHEMA
#include <ibwire/tables.h>
#include <ibwire/ibwire.h>

#define IBW_COUNT(array) (uint16_t)(sizeof(array) / sizeof((array)[0]))

const struct ibw_header ibw_headers[IBW_LAYER_COUNT] = {
#define IBW_HEADER(name, title)                                                                    \
	[IBW_LAYER_##name] = { #name,                                                              \
			       title,                                                              \
			       ibw_##name##_fields,                                                \
			       ibw_##name##_BYTES,                                                 \
			       sizeof(struct ibw_##name),                                          \
			       IBW_COUNT(ibw_##name##_fields) - 1 },
#include <ibwire/list/headers.def>
#undef IBW_HEADER
};
