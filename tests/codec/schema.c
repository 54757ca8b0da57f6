/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The inline code of every header of the library against the interpreter. */
#include "schema_check.h"

int main(void)
{
	struct guard g = guard_open(CODEC_ROOM);
	unsigned int layer;

	for (layer = 0; layer < IBW_LAYER_COUNT; layer++)
		test_header(&ibw_headers[layer], &codecs[layer], accessors[layer], &g);
	guard_close(&g);
	printf("%u headers\n", (unsigned int)IBW_LAYER_COUNT);
	return check_end();
}
