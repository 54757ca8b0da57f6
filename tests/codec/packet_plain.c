/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * packet_plain.c - the walk takes the headers of a plain frame in one step: it finds the same as in a
 * frame with a VLAN tag in front of them, which it takes header by header.
 */
#include "check.h"

#include <ibwire/ibwire.h>
#include <ibwire/packet.h>

#define MACS 12
#define TAG 4
#define HEADERS 70 /* Ethernet, IPv4, UDP, BTH and 16 bytes more */
#define FRAME 86
#define LONGER 6

static uint8_t frame[FRAME + LONGER], tagged[FRAME + LONGER + TAG];
static const uint16_t port = 4242;
static const struct ibw_walk_options options = { &port, 1 };
static unsigned int taken; /* frames of RoCE v2 without an error */

static void start(uint8_t opcode, uint8_t pad)
{
	struct ibw_eth eth = { .dst = { 2 }, .src = { 4 }, .type = IBW_ETHERTYPE_IPV4 };
	struct ibw_ipv4 ip = { .version = 4,
			       .ihl = 5,
			       .total_len = FRAME - 14,
			       .df = 1,
			       .ttl = 64,
			       .protocol = IBW_IP_PROTO_UDP };
	struct ibw_udp udp = { .sport = 0xc000, .dport = IBW_UDP_PORT_ROCE, .length = FRAME - 34 };
	struct ibw_bth bth = { .opcode = opcode, .padcnt = pad, .pkey = 0xffff, .dqpn = 0x17 };

	memset(frame, 0, sizeof(frame));
	ibw_eth_pack(ibw_eth_view_mut(frame, 14), &eth);
	ibw_ipv4_pack(ibw_ipv4_view_mut(frame + 14, 20), &ip);
	ibw_udp_pack(ibw_udp_view_mut(frame + 34, 8), &udp);
	ibw_bth_pack(ibw_bth_view_mut(frame + 42, 12), &bth);
}

/* The index of a span, once the tag's is counted in. */
static unsigned int moved(unsigned int i)
{
	return i == IBW_NO_SPAN || i == 0 ? i : i + 1;
}

/* A place that is 0 where there is none. */
static uint32_t placed(uint32_t off)
{
	return off ? off + TAG : 0;
}

static void check_spans(const struct ibw_packet *a, const struct ibw_packet *b)
{
	unsigned int i;

	CHECK_EQ(b->n_spans, a->n_spans + (a->n_spans != 0));
	for (i = 0; i < a->n_spans && i + 1u < b->n_spans; i++) {
		CHECK_EQ(b->span[moved(i)].layer, a->span[i].layer);
		CHECK_EQ(b->span[moved(i)].len, a->span[i].len);
		CHECK_EQ(b->span[moved(i)].off, i ? a->span[i].off + TAG : 0);
	}
	CHECK_EQ(b->eth, moved(a->eth));
	CHECK_EQ(b->net, moved(a->net));
	CHECK_EQ(b->udp, moved(a->udp));
	CHECK_EQ(b->bth, moved(a->bth));
}

static void check_error(const struct ibw_error *a, const struct ibw_error *b)
{
	CHECK_EQ(b->layer, a->layer);
	CHECK_EQ(b->said_by, a->said_by);
	CHECK_STR(b->field ? b->field : "", a->field ? a->field : "");
	CHECK_EQ(b->off, a->off + TAG);
	CHECK_EQ(b->needed, a->needed);
	CHECK_EQ(b->had, a->had);
}

/* As the frame is, @caplen bytes of @len. */
static void check(uint32_t caplen, uint32_t len)
{
	struct ibw_packet a, b;

	memcpy(tagged, frame, MACS);
	tagged[MACS] = IBW_ETHERTYPE_VLAN >> 8;
	tagged[MACS + 1] = IBW_ETHERTYPE_VLAN & 0xff;
	memcpy(tagged + MACS + TAG, frame + MACS, sizeof(frame) - MACS);
	ibw_packet_walk(&a, frame, caplen, len, IBW_LINKTYPE_ETHERNET, &options);
	ibw_packet_walk(&b, tagged, caplen + TAG, len + TAG, IBW_LINKTYPE_ETHERNET, &options);
	CHECK_EQ(b.outcome, a.outcome);
	CHECK_EQ(b.proto, a.proto);
	CHECK_EQ(b.flags, a.flags);
	CHECK_EQ(b.icrc_kind, a.icrc_kind);
	CHECK_EQ(b.opcode, a.opcode);
	CHECK_EQ(b.unseen, a.unseen);
	CHECK_EQ(b.eths, a.eths);
	CHECK_EQ(b.payload_off, placed(a.payload_off));
	CHECK_EQ(b.payload_len, a.payload_len);
	CHECK_EQ(b.pad_len, a.pad_len);
	CHECK_EQ(b.cover_off, placed(a.cover_off));
	CHECK_EQ(b.icrc_off, placed(a.icrc_off));
	CHECK_EQ(b.trailer_off, placed(a.trailer_off));
	CHECK_EQ(b.trailer_len, a.trailer_len);
	check_spans(&a, &b);
	if (a.outcome == IBW_CUT || a.outcome == IBW_MALFORMED)
		check_error(&a.error, &b.error);
	taken += a.proto == IBW_PROTO_ROCEV2 && a.outcome == IBW_OK;
}

/* Where the frame or the capture of it ends: after the Ethernet header, which is in front of the tag. */
static void test_ends(void)
{
	uint32_t caplen, len;

	start(IBW_OP_RC_SEND_ONLY, 3);
	for (len = 14; len <= FRAME + LONGER; len++)
		for (caplen = 14; caplen <= len; caplen++) {
			check_case("%u bytes of %u", caplen, len);
			check(caplen, len);
		}
}

static void test_opcodes(void)
{
	unsigned int opcode, pad;

	for (opcode = 0; opcode < 256; opcode++)
		for (pad = 0; pad < 4; pad++) {
			check_case("opcode 0x%02x, pad %u", opcode, pad);
			start((uint8_t)opcode, (uint8_t)pad);
			check(FRAME, FRAME);
			check(HEADERS, FRAME);
			check(HEADERS, HEADERS);
		}
}

/* One bit of the headers after the addresses, and the lengths as they are then. */
static void test_bits(void)
{
	uint32_t bit, len;

	start(IBW_OP_RC_RDMA_WRITE_ONLY, 0);
	for (bit = MACS * 8; bit < HEADERS * 8; bit++)
		for (len = FRAME - 2; len <= FRAME + 2; len++) {
			check_case("bit %u, %u bytes", bit, len);
			frame[bit / 8] ^= (uint8_t)(0x80 >> bit % 8);
			check(len, len);
			check(FRAME - 2, len);
			frame[bit / 8] ^= (uint8_t)(0x80 >> bit % 8);
		}
}

/* Ports, the two lengths, and both together. */
static void test_values(void)
{
	struct ibw_ipv4_wire *ip = ibw_ipv4_view_mut(frame + 14, 20);
	struct ibw_udp_wire *udp = ibw_udp_view_mut(frame + 34, 8);
	uint16_t bytes;

	start(IBW_OP_RC_SEND_ONLY, 0);
	ibw_udp_set_dport(udp, port);
	check_case("another port");
	check(FRAME, FRAME);
	for (bytes = 0; bytes <= FRAME + LONGER; bytes = (uint16_t)(bytes + 1)) {
		check_case("lengths of %u", bytes);
		start(IBW_OP_RC_SEND_ONLY, 0);
		ibw_ipv4_set_total_len(ip, bytes);
		check(FRAME, FRAME);
		ibw_udp_set_length(udp, (uint16_t)(bytes < 20 ? 0 : bytes - 20));
		check(FRAME, FRAME);
		check(FRAME, FRAME + LONGER);
		ibw_ipv4_set_total_len(ip, FRAME - 14);
		check(FRAME, FRAME);
	}
}

int main(void)
{
	test_ends();
	test_opcodes();
	test_bits();
	test_values();
	check_case("%s", "");
	CHECK(taken > 1000);
	return check_end();
}
