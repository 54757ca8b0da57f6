/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * iwarp.c - an RDMA Write of 3000 bytes into a TCP stream with markers, cut for segments of 1460 bytes, and taken out
 * of it again.
 *
 * Prints:
 *	stream 384: 1460 bytes, offset 0, 1428 bytes, CRC right
 *	stream 1844: 1460 bytes, offset 1428, 1428 bytes, CRC right
 *	stream 3304: 164 bytes, offset 2856, 144 bytes, CRC right
 *	RDMA Write of 3000 bytes to STag 0x1234 at 0x10000
 */
#include <stdio.h>

#include <ibwire/ibwire.h>

/* For who has no faster one: crc32c() of Linux, ibw_crc32c_step() of libibwire. */
static uint32_t crc32c(uint32_t crc, const unsigned char *p, size_t n)
{
	unsigned int bit;

	for (; n; n--, p++)
		for (crc ^= *p, bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78 : 0);
	return crc;
}

static void receive(struct ibw_segment_join *join, const uint8_t *p, size_t left, uint64_t position)
{
	struct ibw_fpdu_cursor c;
	struct ibw_segment s;
	const uint8_t *from;
	struct ibw_fpdu f;
	uint32_t offset, bytes, n;

	for (; ibw_fpdu_view(&f, p, left, ibw_fpdu_phase(position)) == IBW_FPDU_OK;
	     p += f.bytes, left -= f.bytes, position += f.bytes) {
		ibw_segment_view(&s, &f);
		if (ibw_message_segment_take(join, &s, &offset) == IBW_MESSAGE_BROKEN)
			return;
		bytes = 0; /* a receiver copies them to its memory */
		for (c = ibw_fpdu_payload(&f, &s); (n = ibw_fpdu_next(&c, 4096, &from)) != 0;)
			bytes += n;
		printf("stream %u: %u bytes, offset %u, %u bytes, CRC %s\n", (unsigned int)position,
		       f.bytes, offset, bytes,
		       ibw_fpdu_crc_found(&f) == ibw_fpdu_crc(&f, crc32c) ? "right" : "wrong");
	}
}

int main(void)
{
	static uint8_t data[3000], stream[4096];
	struct ibw_fpdu_build b = { .position = 384, .markers = true, .crc = true };
	struct ibw_rdmap_message m = { .opcode = IBW_RDMAP_WRITE,
				       .mulpdu = ibw_mulpdu(1460, true),
				       .bytes = sizeof(data),
				       .stag = 0x1234,
				       .to = 0x10000 };
	struct ibw_segment_join join = { .open = false };
	const struct ibw_piece parts[] = { { "head", 4 }, { stream, 2996 } };
	struct ibw_piece_cursor all = { parts, 2, 0 };
	struct ibw_piece piece;
	uint32_t i, offset;
	size_t n = 0;

	b.mulpdu = m.mulpdu;
	if (!ibw_piece_copy(&all, data, sizeof(data)))
		return 1;
	for (i = 0; ibw_message_segment_at(&m, i, &b.segment, &offset); i++) {
		piece.p = data + offset;
		piece.n = b.segment.bytes;
		n += ibw_build_fpdu(stream + n, sizeof(stream) - n, &b, &piece, 1, crc32c);
		b.position = 384 + n;
	}
	receive(&join, stream, n, 384);
	printf("RDMA Write of %u bytes to STag 0x%x at 0x%llx\n", join.m.bytes, join.m.stag,
	       (unsigned long long)join.m.to);
	return join.open;
}
