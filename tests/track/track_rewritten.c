/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Wrong ICRCs that one rewritten field explains: that random ones never are, and where room runs out.
 * What each kind of packet gives is in the captures lint-rewritten-*.pcap.
 */
#include "check.h"
#include "random.h"
#include <ibwire/crc.h>
#include <ibwire/ibwire.h>
#include <ibwire/packet.h>
#include <track/link/rewritten.h>

#include <glib.h>

#define HEADERS (ibw_ipv4_BYTES + ibw_udp_BYTES + ibw_bth_BYTES)
#define PAYLOAD_MAX 1024

static struct track_events queue;
static struct track_rewritten *tracker;
static struct track_at at;

static void begin(const char *name)
{
	check_case("%s", name);
	queue = (struct track_events){ .event = g_new(struct track_event, TRACK_EVENTS_MAX) };
	tracker = track_rewritten_new(&queue);
	at = (struct track_at){ 0, 1, 0 };
}

static void end(void)
{
	track_rewritten_free(tracker);
	g_free(queue.event);
	check_case("%s", "");
}

/* RoCE v2 over IPv4 to QP @dqpn with @payload bytes; its ICRC is right. Returns its length. */
static uint32_t packet(uint8_t *b, uint32_t dqpn, uint32_t payload, uint32_t psn)
{
	struct ibw_ipv4_wire *ip = (struct ibw_ipv4_wire *)b;
	struct ibw_udp_wire *udp = (struct ibw_udp_wire *)(b + ibw_ipv4_BYTES);
	struct ibw_bth_wire *bth = (struct ibw_bth_wire *)(udp->b + ibw_udp_BYTES);
	uint32_t n = HEADERS + payload + IBW_ICRC_BYTES;

	memset(b, 0, n);
	ibw_ipv4_set_version(ip, 4);
	ibw_ipv4_set_ihl(ip, 5);
	ibw_ipv4_set_total_len(ip, (uint16_t)n);
	ibw_ipv4_set_ttl(ip, 64);
	ibw_ipv4_set_protocol(ip, IBW_IP_PROTO_UDP);
	ibw_ipv4_set_src(ip, 0x0a070001);
	ibw_ipv4_set_dst(ip, 0x0a070002);
	ibw_udp_set_sport(udp, 0xd0b3);
	ibw_udp_set_dport(udp, IBW_UDP_PORT_ROCE);
	ibw_udp_set_length(udp, (uint16_t)(n - ibw_ipv4_BYTES));
	ibw_bth_set_opcode(bth, IBW_OP_RC_SEND_ONLY);
	ibw_bth_set_pkey(bth, 0xffff);
	ibw_bth_set_dqpn(bth, dqpn);
	ibw_bth_set_psn(bth, psn);
	ibw_icrc_put(b + n - IBW_ICRC_BYTES,
		     ibw_icrc(IBW_ICRC_ROCE_V2_IPV4, b, n - IBW_ICRC_BYTES));
	return n;
}

static void feed(const uint8_t *b, uint32_t n)
{
	struct track_view view;

	at.frame++;
	track_view_packet(&view, b, n, n, IBW_LINKTYPE_IPV4, NULL);
	CHECK_EQ(track_view_icrc(&view).status, IBW_CRC_BAD);
	track_rewritten_feed(tracker, &view, &at);
}

/* A packet whose source port was rewritten. */
static void feed_rewritten(uint32_t dqpn, uint32_t payload, uint32_t psn)
{
	uint8_t b[HEADERS + PAYLOAD_MAX + IBW_ICRC_BYTES];
	uint32_t n = packet(b, dqpn, payload, psn);

	ibw_udp_set_sport((struct ibw_udp_wire *)(b + ibw_ipv4_BYTES), 0x12b7);
	feed(b, n);
}

static void expect(const struct track_event *e, uint32_t dqpn, uint64_t packets, uint64_t lengths)
{
	const struct ibw_header *header = &ibw_headers[e->number[TRACK_ICRC_REWRITTEN_field] >> 8];

	CHECK_EQ(e->kind, TRACK_EVENT_ICRC_REWRITTEN);
	CHECK_EQ(e->flow.dqpn, dqpn);
	CHECK_STR(header->name, "udp");
	CHECK_STR(header->fields[e->number[TRACK_ICRC_REWRITTEN_field] & 0xff].name, "sport");
	CHECK_EQ(e->number[TRACK_ICRC_REWRITTEN_was], 0xd0b3);
	CHECK_EQ(e->number[TRACK_ICRC_REWRITTEN_is], 0x12b7);
	CHECK_EQ(e->number[TRACK_ICRC_REWRITTEN_packets], packets);
	CHECK_EQ(e->number[TRACK_ICRC_REWRITTEN_lengths], lengths);
}

/* 10,000 of one flow, 10,000 of 100 flows, of one length and of many. */
static void chance(uint32_t flows, uint32_t payloads)
{
	uint8_t b[HEADERS + PAYLOAD_MAX + IBW_ICRC_BYTES];
	unsigned int i;
	uint32_t n;

	begin("random ICRCs");
	for (i = 0; i < 10000; i++) {
		n = packet(b, 2 + i % flows, 64 + 4 * (next_random() % payloads), i);
		ibw_icrc_put(b + n - IBW_ICRC_BYTES, next_random());
		feed(b, n);
	}
	CHECK(track_rewritten_finish(tracker));
	CHECK_EQ(queue.n, 0);
	end();
}

/* Random ones before it: the first three that agree are the proof; those after it do no harm. */
static void among_others(void)
{
	uint8_t b[HEADERS + PAYLOAD_MAX + IBW_ICRC_BYTES];
	unsigned int i;
	uint32_t n;

	begin("among others");
	for (i = 0; i < 30; i++) {
		n = packet(b, 5, 64 + 4 * (i % 3), i);
		ibw_icrc_put(b + n - IBW_ICRC_BYTES, next_random());
		if (i < 10 || i % 4 == 0)
			feed(b, n);
		else
			feed_rewritten(5, 64 + 4 * (i % 5), i);
	}
	CHECK(track_rewritten_finish(tracker));
	CHECK_EQ(queue.n, 1);
	expect(&queue.event[0], 5, 13, 3);
	CHECK_EQ(queue.event[0].number[TRACK_ICRC_REWRITTEN_others], 4);
	end();
}

/* One more flow than are remembered: what is known of the oldest is told at once. */
static void flows(void)
{
	uint32_t i, j;

	begin("room for flows");
	for (j = 0; j < 3; j++)
		for (i = 0; i < TRACK_REWRITTEN_FLOWS; i++)
			feed_rewritten(2 + i, 64 + 4 * j, j);
	CHECK_EQ(queue.n, 0);
	feed_rewritten(2 + TRACK_REWRITTEN_FLOWS, 64, 0);
	CHECK_EQ(queue.n, 1);
	expect(&queue.event[0], 2, 3, 3);
	/* The queue has no room for all that are left but by two calls; of the last there was one packet. */
	CHECK(!track_rewritten_finish(tracker));
	CHECK_EQ(queue.n, TRACK_EVENTS_MAX);
	queue.n = 0;
	CHECK(track_rewritten_finish(tracker));
	CHECK_EQ(queue.n, TRACK_REWRITTEN_FLOWS - TRACK_EVENTS_MAX);
	CHECK_EQ(queue.lost, 0);
	end();
}

/* A difference taken back: what changed the message is found at its place, however much comes after. */
static void back(void)
{
	uint8_t b[64] = { 0 };
	uint32_t crc, n, i;

	check_case("%s", "back");
	for (n = 4; n <= sizeof(b); n++) {
		for (i = 0; i + 4 <= n; i++) {
			crc = ibw_crc32(0, b, n);
			ibw_put_le32(b + i, ibw_get_le32(b + i) ^ 0x89abcdef);
			CHECK_EQ(ibw_crc32_back(ibw_crc32(0, b, n) ^ crc, n - i), 0x89abcdef);
		}
	}
	check_case("%s", "");
}

int main(void)
{
	back();
	chance(1, 1);
	chance(1, 200);
	chance(100, 200);
	among_others();
	flows();
	return check_end();
}
