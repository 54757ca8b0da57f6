/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The schema machinery on headers of no protocol: sizes, widths and places that
 * no real header has so far, and the next one may.
 */
#define HEADERS_FILE "shapes/shapes.h"
#define HEADERS_LIST "shapes/list.def"
/* clang-format off */
#define ACC_SCHEMA_(hdr) IBW_STR(shapes/schema/hdr.def)
/* clang-format on */
#include "codecs_define.h"
#include "schema_check.h"

#define COUNT(array) (uint16_t)(sizeof(array) / sizeof((array)[0]))

static const struct ibw_header shapes[] = {
#define IBW_HEADER(name, title)                                                                    \
	{ #name,                                                                                   \
	  title,                                                                                   \
	  ibw_##name##_fields,                                                                     \
	  ibw_##name##_BYTES,                                                                      \
	  sizeof(struct ibw_##name),                                                               \
	  COUNT(ibw_##name##_fields) - 1 },
#include HEADERS_LIST
#undef IBW_HEADER
};

int main(void)
{
	struct guard g = guard_open(CODEC_ROOM);
	unsigned int i;

	for (i = 0; i < COUNT(shapes); i++)
		test_header(&shapes[i], &codecs[i], accessors[i], &g);
	guard_close(&g);
	return check_end();
}
