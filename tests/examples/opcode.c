/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * opcode.c - every opcode of the last packet of a SEND, and the bytes of the headers that follow its BTH.
 *
 * Prints:
 *	RC: 0x02 (0), with immediate 0x03 (4), with invalidate 0x16 (4)
 *	UC: 0x22 (0), with immediate 0x23 (4), with invalidate none
 *	UD: none, with immediate none, with invalidate none
 */
#include <stdio.h>

#include <ibwire/ibwire.h>

static void print_last(const char *before, uint8_t service, uint8_t with)
{
	struct ibw_opcode_parts parts = { service, IBW_OPERATION_SEND, IBW_OPF_LAST, with };
	uint8_t opcode;

	if (ibw_opcode_make(&opcode, &parts))
		printf("%s0x%02x (%u)", before, opcode,
		       ibw_eths_bytes(ibw_opcode_chain(opcode) & 0xffff));
	else
		printf("%snone", before);
}

int main(void)
{
	static const struct {
		const char *name;
		uint8_t service;
	} of[] = { { "RC: ", IBW_SERVICE_RC },
		   { "UC: ", IBW_SERVICE_UC },
		   { "UD: ", IBW_SERVICE_UD } };
	unsigned int i;

	for (i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
		print_last(of[i].name, of[i].service, IBW_WITH_NOTHING);
		print_last(", with immediate ", of[i].service, IBW_WITH_IMMEDIATE);
		print_last(", with invalidate ", of[i].service, IBW_WITH_INVALIDATE);
		printf("\n");
	}
	return 0;
}
