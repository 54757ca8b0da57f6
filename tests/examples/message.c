/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * message.c - an RDMA WRITE of 2500 bytes at a path MTU of 1024, and from where it is sent again
 * after a NAK.
 *
 * Prints:
 *	packet 0: opcode 0x06 PSN 0xffffff, bytes 0 to 1023, RETH, 70 bytes of headers
 *	packet 1: opcode 0x07 PSN 0x000000, bytes 1024 to 2047, 54 bytes of headers
 *	packet 2: opcode 0x09 PSN 0x000001, bytes 2048 to 2499, immediate, SE, AckReq, 58 bytes of headers
 *	NAK of PSN 0x000000: again from packet 1
 */
#include <stdio.h>

#include <ibwire/ibwire.h>

int main(void)
{
	const struct ibw_message m = {
		.service = IBW_SERVICE_RC,
		.operation = IBW_OPERATION_WRITE,
		.with = IBW_WITH_IMMEDIATE,
		.se = true,
		.ackreq = true,
		.mtu = 1024,
		.bytes = 2500,
		.psn = 0xffffff,
	};
	struct ibw_build b = { .kind = IBW_ICRC_ROCE_V2_IPV4, .has_eth = true };
	struct ibw_message_packet p;
	uint8_t buf[100];
	uint32_t i;

	ibw_build_defaults(&b);
	b.bth.dqpn = 0x117;
	b.reth.va = 0x7f0000001000;
	b.reth.rkey = 0x1234;
	b.reth.dmalen = m.bytes; /* of the message, not of the packet */
	for (i = 0; ibw_message_packet_at(&m, i, &p); i++) {
		ibw_message_fill(&b, &p);
		printf("packet %u: opcode 0x%02x PSN 0x%06x, bytes %u to %u%s%s%s%s, %zu bytes of headers\n",
		       i, p.opcode, p.psn, p.offset, p.offset + p.bytes - 1,
		       p.eths & IBW_ETH_RETH ? ", RETH" : "",
		       p.eths & IBW_ETH_IMMDT ? ", immediate" : "", p.se ? ", SE" : "",
		       p.ackreq ? ", AckReq" : "", ibw_build_headers(buf, sizeof(buf), &b));
	}
	printf("NAK of PSN 0x000000: again from packet %d\n", (int)ibw_psn_diff(0, m.psn));
	return 0;
}
