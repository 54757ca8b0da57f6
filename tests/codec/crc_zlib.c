/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* CRC-32 against zlib: the same value, and the same way of going on from one. */
#include "check.h"
#include "crc_ref.h"

#include <zlib.h>

int main(void)
{
	static uint8_t data[4096 + 64];
	uint32_t start, want;
	size_t n, at;
	int i;

	ref_fill(data, sizeof(data));
	for (i = 0; i < 20000; i++) {
		n = ref_random() % 4097;
		at = ref_random() % 64;
		start = i % 2 ? ref_random() : 0;
		want = (uint32_t)crc32(start, data + at, (uInt)n);
		check_case("%zu bytes at %zu from %08x", n, at, start);
		CHECK_EQ(ibw_crc32(start, data + at, n), want);
		CHECK_EQ(ibw_crc32_slice16(start, data + at, n), want);
	}
	return check_end();
}
