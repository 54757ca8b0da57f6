/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * mutate_packets.c - mutations of packets one after the other (packets.h), after how they are read (session.h).
 *
 * Every other one moves whole packets, or sets the opcode or the PSN of one: bytes at random seldom make
 * another message of them, for one byte more or less breaks the list.
 */
#include <string.h>

#include "fuzz.h"
#include "packets.h"
#include "session.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);

/* Where each packet begins, the end of the last one at the end; returns how many they are. */
static unsigned int places(const uint8_t *data, size_t size, size_t at[SESSION_FRAMES + 1])
{
	unsigned int n = 0;
	size_t next;

	at[0] = SESSION_HEAD;
	while (n < SESSION_FRAMES && at[n] + PACKETS_HEAD <= size) {
		next = at[n] + PACKETS_HEAD + ibw_get_be16(data + at[n] + 5);
		if (next > size)
			break;
		at[++n] = next;
	}
	return n;
}

/* A copy of packet @from before packet @to; returns how large it is then. */
static size_t copy_packet(uint8_t *data, size_t size, size_t max_size, const size_t *at,
			  unsigned int from, unsigned int to)
{
	static uint8_t packet[PACKETS_HEAD + 65536];
	const size_t n = at[from + 1] - at[from];

	if (size + n > max_size)
		return size;
	memcpy(packet, data + at[from], n);
	memmove(data + at[to] + n, data + at[to], size - at[to]);
	memcpy(data + at[to], packet, n);
	return size + n;
}

static size_t drop_packet(uint8_t *data, size_t size, const size_t *at, unsigned int i)
{
	memmove(data + at[i], data + at[i + 1], size - at[i + 1]);
	return size - (at[i + 1] - at[i]);
}

static void set_bth(uint8_t *p, unsigned int seed)
{
	static const uint8_t opcodes[] = { 0x00, 0x01, 0x02, 0x04, 0x06, 0x07, 0x08, 0x0a, 0x0c,
					   0x0d, 0x0e, 0x0f, 0x10, 0x11, 0x16, 0x17, 0x26, 0x27 };
	uint8_t *data = p + PACKETS_HEAD;
	const uint32_t n = ibw_get_be16(p + 5);
	struct ibw_bth_wire *bth;
	struct ibw_packet pkt;

	p[2] |= PACKETS_FIX_ICRC;
	ibw_packet_walk(&pkt, data, n, n + p[3], pick_linktype(p), NULL);
	if (!IBW_AT(&pkt, bth))
		return;
	bth = (struct ibw_bth_wire *)(data + pkt.span[pkt.bth].off);
	if (seed % 2)
		ibw_bth_set_opcode(bth, opcodes[seed / 2 % sizeof(opcodes)]);
	else
		ibw_bth_set_psn(bth, (ibw_bth_psn(bth) + seed / 2 % 7 - 3) & 0xffffff);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	static size_t at[SESSION_FRAMES + 1];
	const unsigned int n = places(data, size, at), one = n ? seed / 16 % n : 0;

	if (!n || seed % 2)
		return LLVMFuzzerMutate(data, size, max_size);
	switch (seed / 2 % 8) {
	case 0:
		data[seed / 16 % SESSION_HEAD] = (uint8_t)(seed / 64);
		return size;
	case 1:
	case 2:
		return copy_packet(data, size, max_size, at, one, seed / 4096 % (n + 1));
	case 3:
		return drop_packet(data, size, at, one);
	default:
		set_bth(data + at[one], seed / 4096);
		return size;
	}
}
