/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * receive.c - a RoCE v2 packet that came in two pieces: its ICRC by the receiver's own CRC, then its
 * headers, from the BTH on.
 *
 * Prints:
 *	ICRC: right
 *	a bit flipped: wrong
 *	opcode 0x0a QP 0x000117 PSN 0x00a1c4, 3 bytes to VA 0x7f0000001000, R_Key 0x00001234: "abc"
 */
#include <stdio.h>

#include <ibwire/ibwire.h>

/* In the kernel: crc32_le(). */
static uint32_t crc32_step(uint32_t crc, const unsigned char *p, size_t n)
{
	unsigned int bit;

	for (; n; n--, p++)
		for (crc ^= *p, bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
	return crc;
}

/* A packet to receive; returns its length. */
static size_t sent(uint8_t *buf, size_t cap)
{
	struct ibw_build b = { .kind = IBW_ICRC_ROCE_V2_IPV4, .payload_len = 3 };
	struct ibw_piece payload = { "abc", 3 };
	size_t n;

	ibw_build_defaults(&b);
	b.bth.opcode = IBW_OP_RC_RDMA_WRITE_ONLY;
	b.bth.dqpn = 0x117;
	b.bth.psn = 0xa1c4;
	b.reth.va = 0x7f0000001000;
	b.reth.rkey = 0x1234;
	b.reth.dmalen = 3;
	n = ibw_build_headers(buf, cap, &b);
	ibw_icrc_put(buf + n + 4, ibw_build_icrc(&b, buf, &payload, 1, crc32_step));
	buf[n] = 'a';
	buf[n + 1] = 'b';
	buf[n + 2] = 'c';
	buf[n + 3] = 0; /* pad */
	return n + 4 + IBW_ICRC_BYTES;
}

int main(void)
{
	uint8_t buf[100];
	size_t n = sent(buf, sizeof(buf));
	struct ibw_piece piece[] = { { buf, 33 }, { buf + 33, n - 33 } };
	const uint32_t bth = ibw_ipv4_BYTES + (uint32_t)ibw_udp_BYTES;
	struct ibw_transport t;

	if (ibw_icrc_check_pieces(IBW_ICRC_ROCE_V2_IPV4, piece, 2, n, crc32_step) == IBW_ICRC_RIGHT)
		printf("ICRC: right\n");
	buf[50] ^= 1;
	if (ibw_icrc_check_pieces(IBW_ICRC_ROCE_V2_IPV4, piece, 2, n, crc32_step) == IBW_ICRC_WRONG)
		printf("a bit flipped: wrong\n");
	buf[50] ^= 1;
	if (ibw_transport_view(&t, buf + bth, n - bth - IBW_ICRC_BYTES) || !t.reth)
		return 1;
	printf("opcode 0x%02x QP 0x%06x PSN 0x%06x, %u bytes to VA 0x%llx, R_Key 0x%08x: \"%.*s\"\n",
	       ibw_bth_opcode(t.bth), ibw_bth_dqpn(t.bth), ibw_bth_psn(t.bth), t.payload_len,
	       (unsigned long long)ibw_reth_va(t.reth), ibw_reth_rkey(t.reth), (int)t.payload_len,
	       (const char *)t.payload);
	return 0;
}
