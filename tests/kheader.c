/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kheader.c - what ibwire-kheader prints of every header, compiled, does byte by byte what
 * the code of the schema does. The build prints it to kheader_all.h, with the prefix kh_.
 */
#include "check.h"
#include "kheader_user.h"

/* The kernel is not built with -Wconversion, and its style has no casts for it. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#define PRINTED "kheader_all.h" /* made by the build, so not among the sources */
#include PRINTED
#pragma GCC diagnostic pop

#define IBW_EXPAND_ALSO "expand_kheader.h"
#include <ibwire/ibwire.h>
#undef IBW_EXPAND_ALSO
#include <ibwire/tables.h>

#define ROUNDS 50
#define ROOM 4096

static uint64_t state = 7;

static void random_bytes(uint8_t *p, size_t n)
{
	while (n--) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		*p++ = (uint8_t)(state >> 56);
	}
}

int main(void)
{
	static uint8_t wire[ROOM], bytes[ROOM];
	unsigned int round;

	for (round = 0; round < ROUNDS; round++) {
#define IBW_HEADER(hdr, title)                                                                     \
	IBW_STATIC_ASSERT(sizeof(struct ibw_##hdr##_wire) <= ROOM, #hdr);                          \
	random_bytes(wire, sizeof(struct ibw_##hdr##_wire));                                       \
	random_bytes(bytes, sizeof(struct ibw_##hdr##_wire));                                      \
	kh_##hdr##_check(wire, bytes, ibw_get_be64(bytes + ROOM / 2) ^ state);
#include <ibwire/list/headers.def>
#undef IBW_HEADER
	}
	return check_end();
}
