/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* meanings.c - what a field says, in a line: list/meanings.def. */
#include <ibwire/print.h>
#include <ibwire/ibwire.h>

static const struct meaning {
	uint16_t layer, at;
	const char *text;
} meanings[] = {
#define IBW_MEANING(hdr, field, text) { IBW_LAYER_##hdr, ibw_##hdr##_##field##_AT, text },
#include <ibwire/list/meanings.def>
#undef IBW_MEANING
};

const char *ibw_field_meaning(const struct ibw_header *h, const struct ibw_field *f)
{
	size_t i;

	for (i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++)
		if (&ibw_headers[meanings[i].layer] == h && meanings[i].at == f->at)
			return meanings[i].text;
	return NULL;
}
