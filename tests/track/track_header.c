/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * track_header.c - what the headers of halves show: packets of other services, limited P_Keys, MigReq,
 * R_Keys, one direction only; once each, at the end as far as there is room, and never of too few packets.
 */
#include <glib.h>

#include "check.h"
#include <ibwire/ibwire.h>
#include <track/conn/conn.h>
#include <track/conn/header.h>

enum { A = 1, B = 2, C = 3 }; /* hosts */

#define FULL 0xffff
#define LIMITED 0x7fff
#define MIGREQ 1u /* bits of a packet's flags in here */
#define RETH 2u

static struct track_cm *cm;
static struct track_conn *conn;
static struct track_events events;
static uint64_t frame;

static void begin(const char *name, uint32_t halves)
{
	check_case("%s", name);
	cm = track_cm_new(16);
	conn = track_conn_new(halves, cm);
	events = (struct track_events){ .event = g_new0(struct track_event, TRACK_EVENTS_MAX) };
	track_conn_events(conn, &events);
	frame = 0;
}

static void end(void)
{
	track_conn_free(conn);
	track_cm_free(cm);
	g_free(events.event);
	check_case("%s", "");
}

/* Of QP @sqpn at @src to @dqpn at @dst: their UDP source port says that they are a connection. */
static void put(unsigned int src, uint32_t sqpn, unsigned int dst, uint32_t dqpn, uint8_t opcode,
		uint16_t pkey, unsigned int flags, uint32_t rkey)
{
	struct track_packet *p = track_conn_next(conn);

	*p = (struct track_packet){ .opcode = opcode, .pkey = pkey, .rkey = rkey };
	p->at.frame = ++frame;
	p->at.time_ns = frame * 1000;
	p->flow.address = TRACK_ADDRESS_GID;
	p->flow.src[15] = (uint8_t)src;
	p->flow.dst[15] = (uint8_t)dst;
	p->flow.dqpn = dqpn;
	p->flow.service = opcode & IBW_SERVICE_MASK;
	p->port = 0x10000u | ibw_flow_label_to_sport(ibw_qpns_to_flow_label(sqpn, dqpn));
	p->flags = (uint8_t)((flags & MIGREQ ? TRACK_PACKET_MIGREQ : 0) |
			     (flags & RETH ? TRACK_PACKET_RETH : 0));
	track_conn_feed(conn);
}

static void send_to(uint32_t dqpn, uint8_t opcode)
{
	put(A, 0x11, B, dqpn, opcode, FULL, MIGREQ, 0);
}

/* How many events of @kind there were; the last one. */
static unsigned int told(enum track_event_kind kind, struct track_event *last)
{
	unsigned int i, n = 0;

	track_conn_flush(conn);
	*last = (struct track_event){ 0 };
	for (i = 0; i < events.n; i++)
		if (events.event[i].kind == kind) {
			n++;
			*last = events.event[i];
		}
	return n;
}

static void services(void)
{
	struct track_event e;

	begin("services", 100);
	send_to(0x12, IBW_OP_RC_SEND_ONLY);                     /* 1 */
	put(C, 0x11, B, 0x12, IBW_OP_UC_SEND_ONLY, FULL, 0, 0); /* from another host */
	send_to(0x12, IBW_OP_RC_SEND_ONLY);
	CHECK_EQ(told(TRACK_EVENT_SERVICES_MIXED, &e), 0);
	send_to(0x12, IBW_OP_UC_SEND_ONLY); /* 4 */
	CHECK_EQ(told(TRACK_EVENT_SERVICES_MIXED, &e), 0);
	send_to(0x12, IBW_OP_RC_SEND_ONLY); /* 5 */
	CHECK_EQ(told(TRACK_EVENT_SERVICES_MIXED, &e), 1);
	CHECK_EQ(e.frame, 5);
	CHECK_EQ(e.half, 1);
	CHECK_EQ(e.n_frames, 1);
	CHECK_EQ(e.frames[0], 4);
	CHECK_EQ(e.number[TRACK_SERVICES_MIXED_dqpn], 0x12);
	CHECK_EQ(e.number[TRACK_SERVICES_MIXED_service], IBW_SERVICE_RC);
	CHECK_EQ(e.number[TRACK_SERVICES_MIXED_other], IBW_SERVICE_UC);
	send_to(0x12, IBW_OP_RC_SEND_ONLY); /* it is said once */
	CHECK_EQ(told(TRACK_EVENT_SERVICES_MIXED, &e), 1);
	send_to(0x12, IBW_OP_XRC_SEND_ONLY); /* 7: a third one, to both */
	send_to(0x12, IBW_OP_UC_SEND_ONLY);
	send_to(0x12, IBW_OP_RC_SEND_ONLY);
	CHECK_EQ(told(TRACK_EVENT_SERVICES_MIXED, &e), 3);
	CHECK_EQ(e.frames[0], 7);
	CHECK_EQ(e.number[TRACK_SERVICES_MIXED_other], IBW_SERVICE_XRC);
	end();

	begin("services that share a QPN rightly", 100);
	send_to(0x12, IBW_OP_RC_SEND_ONLY);
	send_to(0x12, IBW_OP_RD_SEND_ONLY); /* DC */
	send_to(0x12, IBW_OP_RC_SEND_ONLY);
	send_to(IBW_QPN_MULTICAST, IBW_OP_RC_SEND_ONLY); /* wrong for another reason */
	send_to(IBW_QPN_MULTICAST, IBW_OP_UC_SEND_ONLY);
	send_to(IBW_QPN_MULTICAST, IBW_OP_RC_SEND_ONLY);
	send_to(0x13, IBW_OP_RC_SEND_ONLY); /* made anew */
	send_to(0x13, IBW_OP_UC_SEND_ONLY);
	send_to(0x13, IBW_OP_UC_SEND_ONLY);
	CHECK_EQ(told(TRACK_EVENT_SERVICES_MIXED, &e), 0);
	end();
}

/* The P_Keys of the two directions of a connection. */
static void pkeys(uint16_t there, uint16_t back, unsigned int want)
{
	struct track_event e;

	begin("P_Keys", 100);
	put(A, 0x11, B, 0x12, IBW_OP_RC_SEND_ONLY, there, 0, 0);
	put(B, 0x12, A, 0x11, IBW_OP_RC_ACKNOWLEDGE, back, 0, 0);
	put(A, 0x11, B, 0x12, IBW_OP_RC_SEND_ONLY, there, 0, 0);
	put(B, 0x12, A, 0x11, IBW_OP_RC_ACKNOWLEDGE, back, 0, 0);
	put(A, 0x11, B, 0x12, IBW_OP_RC_SEND_ONLY, there ^ 0x100, 0, 0); /* it is said once */
	CHECK_EQ(told(TRACK_EVENT_PAIRED, &e), 1);
	CHECK_EQ(told(TRACK_EVENT_PKEYS_LIMITED, &e), want);
	if (want) {
		CHECK_EQ(e.frame, 2);
		CHECK_EQ(e.frames[0], 1);
		CHECK_EQ(e.number[TRACK_PKEYS_LIMITED_pkey], back);
		CHECK_EQ(e.number[TRACK_PKEYS_LIMITED_back], there);
	}
	end();
}

/* @there of @n packets one way and @back of @m the other way have MigReq. */
static void migreq(unsigned int n, unsigned int there, unsigned int m, unsigned int back,
		   unsigned int want)
{
	const struct track_at at = { 1000, 1000000, 0 };
	struct track_event e;
	unsigned int i;

	begin("MigReq", 100);
	for (i = 0; i < n; i++)
		put(A, 0x11, B, 0x12, IBW_OP_RC_SEND_ONLY, FULL, i < there ? MIGREQ : 0, 0);
	for (i = 0; i < m; i++)
		put(B, 0x12, A, 0x11, IBW_OP_RC_SEND_ONLY, FULL, i < back ? MIGREQ : 0, 0);
	CHECK_EQ(told(TRACK_EVENT_MIGREQ_DIFFERS, &e), 0);
	CHECK(track_conn_finish(conn, &at));
	CHECK(track_conn_finish(conn, &at)); /* is over */
	CHECK_EQ(told(TRACK_EVENT_MIGREQ_DIFFERS, &e), want);
	CHECK_EQ(told(TRACK_EVENT_ONE_WAY, &e), 0);
	end();
}

static void rkeys(void)
{
	struct track_event e;
	uint32_t i;

	begin("R_Keys", 100);
	put(A, 0x11, B, 0x12, IBW_OP_RC_SEND_ONLY_WITH_INVALIDATE, FULL, 0, 7);
	CHECK_EQ(told(TRACK_EVENT_RKEY_NOT_SEEN, &e), 1);
	CHECK_EQ(e.number[TRACK_RKEY_NOT_SEEN_rkey], 7);
	CHECK_EQ(e.doubt, TRACK_DOUBT_MID_STREAM);
	put(A, 0x11, B, 0x12, IBW_OP_RC_RDMA_WRITE_ONLY, FULL, RETH, 7);
	put(A, 0x13, B, 0x14, IBW_OP_RC_RDMA_READ_REQUEST, FULL, RETH, 8);
	put(A, 0x11, B, 0x12, IBW_OP_RC_SEND_ONLY_WITH_INVALIDATE, FULL, 0, 7);
	put(A, 0x11, B, 0x12, IBW_OP_RC_SEND_ONLY_WITH_INVALIDATE, FULL, 0, 8);
	CHECK_EQ(told(TRACK_EVENT_RKEY_NOT_SEEN, &e), 1);
	put(A, 0x11, C, 0x12, IBW_OP_RC_SEND_ONLY_WITH_INVALIDATE, FULL, 0,
	    7); /* of another host */
	CHECK_EQ(told(TRACK_EVENT_RKEY_NOT_SEEN, &e), 2);

	/* Once one was forgotten, any may have been. */
	for (i = 0; i < TRACK_RKEYS_MAX - 2; i++)
		put(A, 0x11, B, 0x12, IBW_OP_RC_RDMA_WRITE_ONLY, FULL, RETH, 100 + i);
	put(A, 0x11, B, 0x12, IBW_OP_RC_SEND_ONLY_WITH_INVALIDATE, FULL, 0, 9);
	CHECK_EQ(told(TRACK_EVENT_RKEY_NOT_SEEN, &e), 3);
	put(A, 0x11, B, 0x12, IBW_OP_RC_RDMA_WRITE_ONLY, FULL, RETH, 10);
	put(A, 0x11, B, 0x12, IBW_OP_RC_SEND_ONLY_WITH_INVALIDATE, FULL, 0, 11);
	CHECK_EQ(told(TRACK_EVENT_RKEY_NOT_SEEN, &e), 3);
	end();
}

/* @packets of @opcode to each of @halves QPs, and @back from each: how many are said to be one way. */
static void one_way(unsigned int halves, unsigned int packets, uint8_t opcode, unsigned int back,
		    unsigned int want)
{
	const struct track_at at = { 1000000, 1, 0 };
	unsigned int i, j, n = 0, rounds = 0;
	struct track_event e;
	bool done;

	begin("one way", 4096);
	for (i = 0; i < halves; i++) {
		for (j = 0; j < packets; j++)
			put(A, 0x1000 + i, B, 0x5000 + i, opcode, FULL, 0, 0);
		for (j = 0; j < back; j++)
			put(B, 0x5000 + i, A, 0x1000 + i, opcode, FULL, 0, 0);
		track_conn_flush(conn);
		events.n = 0;
	}
	do {
		done = track_conn_finish(conn, &at);
		n += told(TRACK_EVENT_ONE_WAY, &e);
		events.n = 0;
		rounds++;
	} while (!done && rounds < 100);
	CHECK_EQ(n, want > 0); /* once of all */
	CHECK_EQ(events.lost, 0);
	if (want) {
		CHECK_EQ(e.number[TRACK_ONE_WAY_halves], want);
		CHECK_EQ(e.number[TRACK_ONE_WAY_packets], want * packets);
		CHECK_EQ(e.number[TRACK_ONE_WAY_dqpn], 0x5000);
		CHECK_EQ(e.doubt, 0);
	}
	end();
}

/* A half that makes room for another one counts, too. */
static void evicted(void)
{
	struct track_event e;
	unsigned int i;

	begin("made room", 2);
	for (i = 0; i < 150; i++)
		send_to(0x12, IBW_OP_RC_SEND_ONLY);
	send_to(0x13, IBW_OP_RC_SEND_ONLY);
	CHECK_EQ(told(TRACK_EVENT_ONE_WAY, &e), 0);
	send_to(0x14, IBW_OP_RC_SEND_ONLY);
	CHECK_EQ(told(TRACK_EVENT_ONE_WAY, &e), 0);
	CHECK(track_conn_finish(conn, &(struct track_at){ .frame = 1000 }));
	CHECK_EQ(told(TRACK_EVENT_ONE_WAY, &e), 1);
	CHECK_EQ(e.half, 1);
	CHECK_EQ(e.number[TRACK_ONE_WAY_packets], 150);
	end();
}

int main(void)
{
	services();
	pkeys(LIMITED, LIMITED, 1);
	pkeys(LIMITED, 0x1234, 1);
	pkeys(LIMITED, FULL, 0);
	pkeys(FULL, LIMITED, 0);
	pkeys(FULL, FULL, 0);
	pkeys(LIMITED, 0, 0);      /* invalid, which is another matter */
	pkeys(LIMITED, 0x8000, 0); /* so is this */
	migreq(10, 10, 10, 0, 1);
	migreq(10, 0, 50, 50, 1);
	migreq(9, 9, 10, 0, 0);
	migreq(10, 10, 9, 0, 0);
	migreq(20, 19, 20, 0, 0);
	migreq(20, 20, 20, 1, 0);
	migreq(20, 20, 20, 20, 0);
	migreq(20, 0, 20, 0, 0);
	rkeys();
	one_way(1, 100, IBW_OP_RC_SEND_ONLY, 0, 1);
	one_way(1, 99, IBW_OP_RC_SEND_ONLY, 0, 0);
	one_way(3, 100, IBW_OP_XRC_SEND_ONLY, 0, 3);
	one_way(3, 100, IBW_OP_UC_SEND_ONLY, 0, 0);
	one_way(3, 100, IBW_OP_RD_SEND_ONLY, 0, 0);
	one_way(3, 100, IBW_OP_RC_SEND_ONLY, 1, 0);
	one_way(2000, 100, IBW_OP_RC_SEND_ONLY, 0, 2000);
	evicted();
	return check_end();
}
