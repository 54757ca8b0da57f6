/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* iwarp_edges.c - connections of iWARP at their edges: what is no iWARP, what is left at the end, messages without a beginning. */
#include "check.h"

#include <string.h>

#include <glib.h>

#include <ibwire/bits.h>
#include <ibwire/build_fpdu.h>
#include <ibwire/crc.h>
#include <ibwire/ibwire.h>
#include <track/base/event.h>
#include <track/base/table.h>
#include <track/iwarp/iwarp.h>
#include <track/iwarp/stall.h>

#define SYN 2u
#define ACK 16u
#define HEAD (14u + 20u)
#define MOST 2048u

static const uint8_t nops[40] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 };
static struct track_events events;
static struct track_iwarp *t;
static struct track_at at;
static uint32_t next[2];
static uint64_t position[2];
static uint16_t id;

static void begin(void)
{
	events.n = 0;
	t = track_iwarp_new(&events);
	track_iwarp_want_records(t);
	at = (struct track_at){ .time_ns = 1000 };
	next[0] = 100;
	next[1] = 5000;
	position[0] = position[1] = 0;
	id = 1;
}

/* A segment at @seq, with @options bytes of TCP options. */
static void put_at(unsigned int side, uint32_t seq, uint8_t flags, const uint8_t *options,
		   uint32_t n_options, const uint8_t *p, uint32_t n)
{
	static uint8_t b[HEAD + 60 + MOST];
	uint8_t *ip = b + 14, *tcp = ip + 20;
	const uint32_t head = 20 + n_options;
	struct ibw_packet pkt;

	memset(b, 0, HEAD + head);
	b[12] = 8;
	ip[0] = 0x45;
	ibw_put_be16(ip + 2, (uint16_t)(20 + head + n));
	ibw_put_be16(ip + 4, id++);
	ip[8] = 64;
	ip[9] = 6;
	ibw_put_be32(ip + 12, 0x0a000001 + side);
	ibw_put_be32(ip + 16, 0x0a000002 - side);
	ibw_put_be16(tcp, side ? 7471 : 40000);
	ibw_put_be16(tcp + 2, side ? 40000 : 7471);
	ibw_put_be32(tcp + 4, seq);
	ibw_put_be32(tcp + 8, next[!side]);
	tcp[12] = (uint8_t)(head / 4 << 4);
	tcp[13] = flags;
	if (n_options)
		memcpy(tcp + 20, options, n_options);
	memcpy(tcp + head, p, n);
	at.frame++;
	at.time_ns += 1000;
	ibw_packet_walk(&pkt, b, HEAD + head + n, HEAD + head + n, IBW_LINKTYPE_ETHERNET, NULL);
	track_iwarp_packet(t, &pkt, &at);
}

static void put(unsigned int side, const uint8_t *options, uint32_t n_options, const uint8_t *p,
		uint32_t n)
{
	put_at(side, next[side], ACK, options, n_options, p, n);
	next[side] += n;
}

static void put_syns(uint16_t mss)
{
	const uint8_t option[4] = { 2, 4, (uint8_t)(mss >> 8), (uint8_t)mss };

	put_at(0, next[0]++, SYN, option, 4, option, 0);
	put_at(1, next[1]++, SYN | ACK, option, 4, option, 0);
}

static void put_start(unsigned int side, uint32_t n_options)
{
	const struct ibw_mpa_start_build b = { .rev = 1, .reply = side };
	uint8_t p[64] = { 0 };
	size_t n = ibw_build_mpa_start(p, sizeof(p), &b, p);

	put(side, nops, n_options, p, (uint32_t)n);
}

/* A Send, in a segment with so many bytes of options. */
static void put_send(unsigned int side, uint32_t msn, uint32_t mo, uint32_t bytes, bool last,
		     uint32_t n_options)
{
	static const uint8_t payload[MOST];
	static uint8_t p[MOST];
	const struct ibw_fpdu_build b = { .position = position[side],
					  .mulpdu = MOST,
					  .segment = { .opcode = IBW_RDMAP_SEND,
						       .msn = msn,
						       .mo = mo,
						       .bytes = bytes,
						       .last = last } };
	const struct ibw_piece piece = { payload, bytes };
	size_t n = ibw_build_fpdu(p, sizeof(p), &b, &piece, 1, ibw_crc32c_step);

	if (!CHECK(n && n <= sizeof(p)))
		return;
	put(side, nops, n_options, p, (uint32_t)n);
	position[side] += n;
}

/* The last event of a kind; NULL: there is none. */
static const struct track_event *said(enum track_event_kind kind)
{
	unsigned int i = events.n;

	while (i--)
		if (events.event[i].kind == kind)
			return &events.event[i];
	return NULL;
}

static const struct track_iwarp_record *end(void)
{
	unsigned int n;

	while (!track_iwarp_finish(t, &at))
		;
	CHECK_EQ(t->memory.used, 0);
	return track_iwarp_records(t, &n);
}

/* Octets that look like FPDUs at first, of an opcode that there is none. */
static void put_nearly(void)
{
	uint8_t p[4 * 20] = { 0 };
	unsigned int i;

	for (i = 0; i < 4; i++) {
		p[20 * i + 1] = 14;
		p[20 * i + 2] = 0x01;
		p[20 * i + 3] = 0x4f;
	}
	put(0, NULL, 0, p, sizeof(p));
}

static void no_iwarp(void)
{
	static const uint8_t junk[1024] = { 0xff };
	unsigned int i;

	check_case("%s", "what is no iWARP is followed for 64 KiB");
	begin();
	put_nearly();
	CHECK_EQ(track_table_count(t->conns), 1);
	for (i = 0; i < 63; i++)
		put(0, NULL, 0, junk, sizeof(junk));
	CHECK_EQ(track_table_count(t->conns), 1);
	for (i = 0; i < 2; i++)
		put(0, NULL, 0, junk, sizeof(junk));
	CHECK_EQ(track_table_count(t->conns), 0);
	end();
	track_iwarp_free(t);
}

/* A hole that is filled by a retransmission, and what was sent after it once more: there is no incident that it is of. */
static void resent_without_iwarp(void)
{
	static const uint8_t junk[64] = { 0xff };
	const struct track_stall *stalls;
	uint32_t n, hole;

	check_case("%s", "retransmissions of what is no iWARP");
	begin();
	track_iwarp_want_stalls(t);
	put_nearly();
	hole = next[0];
	put_at(0, hole + 64, ACK, NULL, 0, junk, sizeof(junk));
	put_at(0, hole, ACK, NULL, 0, junk, sizeof(junk));
	put_at(0, hole + 64, ACK, NULL, 0, junk, sizeof(junk));
	end();
	stalls = track_stalls_list(t->stalls, &n);
	CHECK(!stalls);
	CHECK_EQ(n, 0);
	track_iwarp_free(t);
}

/* The beginning of an FPDU that never ends: its bytes are given back, which end() looks at. */
static void unfinished(void)
{
	static const uint8_t head[64] = { 0x40, 0x00, 0x41, 0x43 };
	unsigned int side;

	check_case("%s", "an FPDU without its end");
	for (side = 0; side < 2; side++) {
		begin();
		put_syns(1460);
		put_start(0, 0);
		put_start(1, 0);
		put_send(0, 1, 0, 64, true, 0);
		put(side, NULL, 0, head, sizeof(head));
		CHECK(t->memory.used);
		end();
		track_iwarp_free(t);
	}
}

/* Its first segment is not there, though nothing is missing. */
static void headless(void)
{
	const struct track_iwarp_record *r;
	const struct track_event *e;

	check_case("%s", "a Send without its beginning");
	begin();
	put_syns(1460);
	put_start(0, 0);
	put_start(1, 0);
	put_send(0, 1, 0, 64, false, 0);
	put_send(0, 1, 64, 64, true, 0);
	put_send(0, 2, 64, 64, false, 0); /* 64, should be 0; not by where the last one ended */
	put_send(0, 2, 192, 64, true, 0);
	put_send(0, 3, 0, 64, true, 0);
	r = end();
	e = said(TRACK_EVENT_IWARP_FAULT);
	if (CHECK(e)) {
		CHECK_EQ(e->number[TRACK_IWARP_FAULT_fault], TRACK_IWARP_MO);
		CHECK_EQ(e->frame, 7);
		CHECK_EQ(e->number[TRACK_IWARP_FAULT_is], 64);
		CHECK_EQ(e->number[TRACK_IWARP_FAULT_meant], 0);
	}
	CHECK_EQ(r->conn.dir[0].counts.messages[TRACK_IWARP_SEND], 2);
	track_iwarp_free(t);
}

/* With @options, an MSS of 1460 has room for @bytes of payload after 18 of DDP and RDMAP, and for no more. */
static void fits(uint32_t options, uint32_t bytes)
{
	const struct track_event *e;
	uint32_t more;

	for (more = 0; more < 2; more++) {
		begin();
		put_syns(1460);
		put_start(0, options);
		put_start(1, options);
		put_send(0, 1, 0, 64, true, options);
		put_send(0, 2, 0, bytes + more, true, options);
		end();
		e = said(TRACK_EVENT_IWARP_LONG);
		CHECK_EQ(e != NULL, more);
		if (e)
			CHECK_EQ(e->number[TRACK_IWARP_LONG_mulpdu], bytes + 18);
		track_iwarp_free(t);
	}
}

int main(void)
{
	events.event = g_new(struct track_event, TRACK_EVENTS_MAX);
	no_iwarp();
	resent_without_iwarp();
	unfinished();
	headless();
	check_case("%s", "an FPDU as long as a segment without options");
	fits(0, 1460 - 6 - 18);
	check_case("%s", "an FPDU as long as a segment with 12 bytes of options");
	fits(12, 1448 - 6 - 18);
	g_free(events.event);
	return check_end();
}
