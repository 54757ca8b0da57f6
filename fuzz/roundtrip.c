/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * roundtrip.c - every header: what is packed is what was unpacked, reserved bits aside.
 *
 * Input: as pick.h has it.
 */
#include <string.h>

#include <ibwire/interp.h>

#include "tests/lib/codecs.h"
#include "fuzz.h"
#include "pick.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t value[CODEC_ROOM], again[CODEC_ROOM], wire[CODEC_ROOM], kept[CODEC_ROOM];
	const struct ibw_header *h;
	const struct ibw_field *f;
	const struct codec *c;
	unsigned int i;

	h = pick_header(&data, &size);
	if (!h)
		return 0;
	c = &codecs[h - ibw_headers];
	if (!c->view(data, size)) {
		FUZZ_CHECK(size < h->bytes);
		return 0;
	}
	memset(value, 0xa5, sizeof(value));
	memset(wire, 0xa5, sizeof(wire));
	c->unpack(value, data);
	c->pack(wire, value);
	memcpy(kept, data, h->bytes);
	for (f = h->fields; f->name; f++)
		for (i = 0; f->flags & IBW_FIELD_RSVD && i < f->bits; i++)
			kept[(f->at + i) / 8] &= (uint8_t) ~(0x80u >> (f->at + i) % 8);
	FUZZ_CHECK(!memcmp(wire, kept, h->bytes));
	FUZZ_CHECK(wire[h->bytes] == 0xa5);
	FUZZ_CHECK(c->rsvd_set(data) == (memcmp(data, kept, h->bytes) != 0));
	memset(again, 0xa5, sizeof(again));
	c->unpack(again, wire);
	FUZZ_CHECK(!memcmp(value, again, sizeof(value)));
	return 0;
}
