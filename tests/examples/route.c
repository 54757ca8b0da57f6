/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * route.c - the headers of a UD packet between two GIDs, whichever kind of address they are.
 *
 * Prints:
 *	IPv4: 62 bytes, TOS 0x6a, TTL 64, UDP port 58177
 *	IPv6: 82 bytes, traffic class 0x6a, flow label 0x12345, hop limit 64
 *	from IPv6 to IPv4: no such packet
 */
#include <stdio.h>

#include <ibwire/ibwire.h>

static const uint8_t v4_a[16] = { [10] = 0xff, 0xff, 192, 0, 2, 1 };
static const uint8_t v4_b[16] = { [10] = 0xff, 0xff, 192, 0, 2, 2 };
static const uint8_t v6_a[16] = { 0x20, 0x01, 0x0d, 0xb8, [15] = 1 };
static const uint8_t v6_b[16] = { 0x20, 0x01, 0x0d, 0xb8, [15] = 2 };

/* Returns how many bytes were written to @buf; 0: no such packet. */
static size_t headers(uint8_t *buf, size_t cap, const uint8_t *sgid, const uint8_t *dgid)
{
	struct ibw_build b = { .kind = ibw_route_kind(sgid, dgid), .has_eth = true };

	if (!ibw_build_route(&b, sgid, dgid, 106, 0x12345, 64)) /* 106: DSCP 26, ECN 2 */
		return 0;
	b.bth.opcode = IBW_OP_UD_SEND_ONLY;
	b.bth.pkey = IBW_PKEY_DEFAULT_FULL;
	b.bth.dqpn = 0x117;
	b.deth.qkey = 0x11111111;
	b.deth.sqpn = 0x42;
	return ibw_build_headers(buf, cap, &b);
}

int main(void)
{
	uint8_t buf[100];
	size_t n = headers(buf, sizeof(buf), v4_a, v4_b);

	printf("IPv4: %zu bytes, TOS 0x%02x, TTL %u, UDP port %u\n", n, buf[15], buf[22],
	       ibw_get_be16(buf + 34));
	n = headers(buf, sizeof(buf), v6_a, v6_b);
	printf("IPv6: %zu bytes, traffic class 0x%02x, flow label 0x%05x, hop limit %u\n", n,
	       ibw_get_be32(buf + 14) >> 20 & 0xff, ibw_get_be32(buf + 14) & 0xfffff, buf[21]);
	if (!headers(buf, sizeof(buf), v6_a, v4_b))
		printf("from IPv6 to IPv4: no such packet\n");
	return 0;
}
