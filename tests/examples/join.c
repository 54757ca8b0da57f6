/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * join.c - a responder puts a SEND of 2500 bytes together; its second packet is lost at first.
 *
 * Prints:
 *	PSN 0xfffffe: bytes 0 to 1023
 *	PSN 0x000000: NAK, 0xffffff was expected
 *	PSN 0xffffff: bytes 1024 to 2047
 *	PSN 0x000000: bytes 2048 to 2499, all of SEND, with an immediate
 */
#include <stdio.h>

#include <ibwire/ibwire.h>

/* What the headers of a received packet say. */
static void receive(struct ibw_message_join *join, struct ibw_message_packet p)
{
	enum ibw_message_step step = ibw_message_take(join, &p, 0 /* the RETH's DMALen */);

	printf("PSN 0x%06x: ", p.psn);
	if (step == IBW_MESSAGE_BROKEN) {
		printf("NAK, 0x%06x was expected\n", ibw_psn_add(join->m.psn, join->packets));
		return;
	}
	printf("bytes %u to %u%s%s\n", p.offset, p.offset + p.bytes - 1,
	       step == IBW_MESSAGE_COMPLETE ? ", all of SEND" : "",
	       join->m.with == IBW_WITH_IMMEDIATE ? ", with an immediate" : "");
}

int main(void)
{
	const struct ibw_message m = { .service = IBW_SERVICE_RC,
				       .operation = IBW_OPERATION_SEND,
				       .with = IBW_WITH_IMMEDIATE,
				       .mtu = 1024,
				       .bytes = 2500,
				       .psn = 0xfffffe };
	static const uint32_t order[] = { 0, 2, 1, 2 };
	struct ibw_message_join join = { .m = { .mtu = 1024 } };
	struct ibw_message_packet p;
	uint32_t i;

	for (i = 0; i < 4; i++)
		if (ibw_message_packet_at(&m, order[i], &p))
			receive(&join, p);
	return join.open;
}
