/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * build_extern.c - the builder out of line (IBW_BUILD_EXTERN, build_extern_body.c) writes and refuses
 * what the inline one in libibwire does; ibw_build_transport() the end of it.
 */
#define IBW_BUILD_EXTERN
#include "build_cases.h"
#include "check.h"

#include <ibwire/ibwire.h>
#include <ibwire/tables.h>

/* From the BTH on, and refused where it is not the framing that says no. */
static void check_transport(const struct ibw_build *b, const uint8_t *headers, size_t n)
{
	static uint8_t transport[256];
	size_t m = ibw_build_transport(transport, sizeof(transport), b);

	CHECK_EQ(m == 0, n == 0 && ibw_build_check(b) != IBW_BUILD_CNP);
	CHECK_EQ(ibw_build_transport(transport, 0, b), m);
	if (n)
		CHECK_MEM(transport, headers + (n - m), m);
}

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
			check_transport(&b, headers, n);
			built += n != 0;
			refused += n == 0;
		}
	check_case("all");
	CHECK(built > 1000);
	CHECK(refused > 1000);
	return check_end();
}
