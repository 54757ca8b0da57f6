/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * twin.c - every header: the inline code and the table interpreter agree.
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
	static uint8_t value[CODEC_ROOM], twin[CODEC_ROOM], wire[CODEC_ROOM], twin_wire[CODEC_ROOM];
	const struct ibw_header *h;
	const struct codec *c;

	h = pick_header(&data, &size);
	if (!h)
		return 0;
	c = &codecs[h - ibw_headers];
	if (size < h->bytes)
		return 0;
	memset(value, 0x5a, sizeof(value));
	memset(twin, 0x5a, sizeof(twin));
	c->unpack(value, data);
	ibw_interp_unpack(h, twin, data);
	FUZZ_CHECK(!memcmp(value, twin, sizeof(value)));
	memset(wire, 0xa5, sizeof(wire));
	memset(twin_wire, 0xa5, sizeof(twin_wire));
	c->pack(wire, value);
	ibw_interp_pack(h, twin_wire, value);
	FUZZ_CHECK(!memcmp(wire, twin_wire, sizeof(wire)));
	return 0;
}
