/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * plain_mutated.c COUNT - the question of fuzz/plain.c asked of so many frames, made of plain ones of every kind: a few bits
 * or bytes of their headers are others, and of most the checksum and the ICRC are right all the same.
 */
#include "check.h"
#include "random.h"

#include <ibwire/crc.h>
#include <ibwire/ibwire.h>
#include <ibwire/packet.h>

#include "fuzz/fuzz.h"

#define HEAD 3
#define IP 14
#define UDP 34
#define BTH 42
#define FRAME_MAX 128

static const uint8_t opcodes[] = {
#define IBW_OPCODE(code, name, text, service, eths, position, role, payload) code,
#include <ibwire/list/opcodes.def>
#undef IBW_OPCODE
};

static uint8_t input[HEAD + FRAME_MAX], *const frame = input + HEAD;

static void seal(size_t n)
{
	struct ibw_ipv4_wire *ip = ibw_ipv4_view_mut(frame + IP, ibw_ipv4_BYTES);

	ibw_ipv4_set_checksum(ip, ibw_ipv4_checksum_of(ip, ibw_ipv4_BYTES));
	ibw_icrc_put(frame + n - IBW_ICRC_BYTES,
		     ibw_icrc(IBW_ICRC_ROCE_V2_IPV4, frame + IP, n - IP - IBW_ICRC_BYTES));
}

/* A packet of one of a few connections, mostly in order; its bytes. */
static size_t make(uint32_t number)
{
	uint8_t opcode = opcodes[next_random() % sizeof(opcodes)];
	uint32_t eths = IBW_ETHS_BYTES(ibw_opcodes[opcode].eths);
	uint32_t payload =
		ibw_opcodes[opcode].flags & IBW_OPF_PAYLOAD ? 4 * (uint32_t)(next_random() % 4) : 0;
	size_t n = BTH + ibw_bth_BYTES + eths + payload + IBW_ICRC_BYTES;
	bool back = ibw_opcodes[opcode].flags & IBW_OPF_RESPONSE;
	const struct ibw_eth eth = { { 2, 0, 0, 0, 0, 2 - back },
				     { 2, 0, 0, 0, 0, 1 + back },
				     IBW_ETHERTYPE_IPV4 };
	const struct ibw_ipv4 ip = { .version = 4,
				     .ihl = 5,
				     .total_len = (uint16_t)(n - IP),
				     .id = (uint16_t)number,
				     .df = 1,
				     .ttl = 64,
				     .protocol = IBW_IP_PROTO_UDP,
				     .src = 0x0a000001 + back,
				     .dst = 0x0a000002 - back };
	const struct ibw_udp udp = { 0xc000, IBW_UDP_PORT_ROCE, (uint16_t)(n - UDP), 0 };
	const struct ibw_bth bth = { .opcode = opcode,
				     .migreq = 1,
				     .pkey = 0xffff,
				     .dqpn = 0x100 + back,
				     .psn = number & 0xffffff,
				     .becn = opcode == IBW_OP_CNP };
	size_t i;

	memset(frame, 0, n);
	for (i = BTH + ibw_bth_BYTES; opcode != IBW_OP_CNP && i < n; i++)
		frame[i] = (uint8_t)next_random();
	if (ibw_opcodes[opcode].eths & IBW_ETH_AETH && next_random() % 4)
		frame[BTH + ibw_bth_BYTES] = IBW_AETH_ACK_UNLIMITED;
	ibw_eth_pack(ibw_eth_view_mut(frame, 14), &eth);
	ibw_ipv4_pack(ibw_ipv4_view_mut(frame + IP, 20), &ip);
	ibw_udp_pack(ibw_udp_view_mut(frame + UDP, 8), &udp);
	ibw_bth_pack(ibw_bth_view_mut(frame + BTH, 12), &bth);
	seal(n);
	return n;
}

static void spoil(size_t n)
{
	unsigned int changes = (unsigned int)(next_random() % 3);
	size_t at;

	while (changes--) {
		at = (size_t)(next_random() % n);
		if (next_random() % 2)
			frame[at] ^= (uint8_t)(1u << next_random() % 8);
		else
			frame[at] = next_random() % 2 ? 0 : (uint8_t)next_random();
	}
	if (next_random() % 4)
		seal(n);
}

int main(int argc, char **argv)
{
	uint32_t count = argc == 2 ? (uint32_t)strtoul(argv[1], NULL, 0) : 0, i;
	size_t n;

	CHECK(count);
	input[1] = IBW_LINKTYPE_ETHERNET;
	for (i = 0; i < count; i++) {
		n = make(i);
		spoil(n);
		input[2] = next_random() % 16 == 0;
		LLVMFuzzerTestOneInput(input, HEAD + n - (next_random() % 16 == 0));
	}
	return check_end();
}
