/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * build_extern.c - the builder out of line (IBW_BUILD_EXTERN, build_extern_body.c) writes and refuses
 * what the inline one in libibwire does.
 */
#define IBW_BUILD_EXTERN
#include "build_cases.h"
#include "check.h"

#include <ibwire/tables.h>

int main(void)
{
	static uint8_t payload[BUILD_ROOM], packet[BUILD_ROOM], headers[256];
	unsigned int f, opcode, built = 0, refused = 0;
	struct ibw_build b;
	size_t n;

	for (f = 0; f < BUILD_FRAMINGS; f++)
		for (opcode = 0; opcode < 256; opcode++) {
			check_case("%s, opcode %u", build_framings[f].name, opcode);
			build_case(&b, &build_framings[f], (uint8_t)opcode,
				   ibw_opcodes[opcode].flags & IBW_OPF_PAYLOAD ? 256 : 0);
			n = ibw_build_headers(headers, sizeof(headers), &b);
			CHECK_EQ(n == 0, ibw_build_check(&b) != IBW_BUILD_OK);
			CHECK_EQ(n == 0,
				 ibw_build_packet(packet, sizeof(packet), &b, payload) == 0);
			CHECK_MEM(headers, packet, n);
			CHECK_EQ(ibw_build_headers(headers, 0, &b), n);
			built += n != 0;
			refused += n == 0;
		}
	check_case("all");
	CHECK(built > 1000);
	CHECK(refused > 1000);
	return check_end();
}
