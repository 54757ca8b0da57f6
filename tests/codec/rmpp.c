/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rmpp.c - reassembly against a concatenation done here: in order, reordered, with
 * duplicates, with losses, stopped, contradicting itself, larger than its room.
 */
#include <string.h>

#include <ibwire/ibwire.h>
#include <ibwire/rmpp.h>

#include "check.h"

#define DATA ((size_t)200) /* record bytes in an SA segment */
#define SEGS 7
#define LAST 123 /* record bytes in the last */

static uint8_t records[DATA * SEGS];
static uint8_t room[DATA * (SEGS + 1)];

static void segment(uint8_t mad[256], uint32_t seg, bool last, uint32_t payload)
{
	struct ibw_rmpp_wire *rmpp = (struct ibw_rmpp_wire *)(mad + 24);

	memset(mad, 0, 256);
	mad[0] = 1;
	mad[1] = IBW_CLASS_SUBN_ADM;
	ibw_rmpp_set_version(rmpp, 1);
	ibw_rmpp_set_type(rmpp, IBW_RMPP_DATA);
	ibw_rmpp_set_flags(rmpp, (uint8_t)(IBW_RMPP_ACTIVE | (seg == 1 ? IBW_RMPP_FIRST : 0) |
					   (last ? IBW_RMPP_LAST : 0)));
	ibw_rmpp_set_data1(rmpp, seg);
	ibw_rmpp_set_data2(rmpp, payload);
	if (seg >= 1 && seg <= SEGS)
		memcpy(mad + 56, records + (seg - 1) * DATA, DATA);
}

static enum ibw_transfer_state feed(struct ibw_transfer *t, uint32_t seg)
{
	uint8_t mad[256];

	segment(mad, seg, seg == SEGS, seg == SEGS ? LAST + 20 : seg == 1 ? SEGS * 220 - 77 : 0);
	return ibw_transfer_feed(t, mad, sizeof(mad));
}

static void check_whole(const struct ibw_transfer *t)
{
	CHECK_EQ(t->state, IBW_TRANSFER_COMPLETE);
	CHECK_EQ(t->len, DATA * (SEGS - 1) + LAST);
	CHECK_EQ(t->payload, t->len + SEGS * 20u);
	CHECK_MEM(room, records, t->len);
}

/* Every order of the segments there is room to try: rotations, forwards and backwards. */
static void test_orders(void)
{
	struct ibw_transfer t;
	uint32_t turn, i, seg;
	int back;

	for (turn = 0; turn < SEGS; turn++)
		for (back = 0; back < 2; back++) {
			memset(room, 0xa5, sizeof(room));
			ibw_transfer_start(&t, room, sizeof(room));
			for (i = 0; i < SEGS; i++) {
				CHECK_EQ(t.state, IBW_TRANSFER_RUNNING);
				seg = (back ? SEGS - 1 - i : i) + turn;
				feed(&t, seg % SEGS + 1);
			}
			check_whole(&t);
			CHECK_EQ(room[t.len], 0xa5);
		}
}

static void test_flags(void)
{
	struct ibw_transfer t;

	ibw_transfer_start(&t, room, sizeof(room));
	feed(&t, 1);
	CHECK_EQ(t.flags, 0);
	CHECK_EQ(t.promised, SEGS * 220 - 77);
	feed(&t, 1);
	CHECK_EQ(t.flags, IBW_TRANSFER_DUPLICATE);
	CHECK_EQ(t.have, 1);
	feed(&t, 3);
	CHECK_EQ(t.flags, IBW_TRANSFER_GAP);
	feed(&t, 2);
	CHECK_EQ(t.flags, IBW_TRANSFER_REORDERED);
	CHECK_EQ(t.state, IBW_TRANSFER_RUNNING);
}

static void control(struct ibw_transfer *t, uint8_t type, uint8_t status, uint32_t d1, uint32_t d2)
{
	uint8_t mad[256];
	struct ibw_rmpp_wire *rmpp = (struct ibw_rmpp_wire *)(mad + 24);

	segment(mad, d1, false, d2);
	ibw_rmpp_set_type(rmpp, type);
	ibw_rmpp_set_flags(rmpp, IBW_RMPP_ACTIVE);
	ibw_rmpp_set_status(rmpp, status);
	ibw_transfer_feed(t, mad, sizeof(mad));
}

static void test_window(void)
{
	struct ibw_transfer t;

	ibw_transfer_start(&t, room, sizeof(room));
	feed(&t, 1);
	control(&t, IBW_RMPP_ACK, 0, 1, 2);
	CHECK_EQ(t.acked, 1);
	CHECK_EQ(t.window, 2);
	feed(&t, 2);
	CHECK_EQ(t.flags, 0);
	feed(&t, 3);
	CHECK_EQ(t.flags, IBW_TRANSFER_BEYOND_WINDOW);
}

static void test_stop(void)
{
	struct ibw_transfer t;

	ibw_transfer_start(&t, room, sizeof(room));
	feed(&t, 1);
	control(&t, IBW_RMPP_ABORT, IBW_RMPP_STATUS_S2B, 0, 0);
	CHECK_EQ(t.state, IBW_TRANSFER_STOPPED);
	CHECK_EQ(t.status, IBW_RMPP_STATUS_S2B);
	feed(&t, 2);
	CHECK_EQ(t.state, IBW_TRANSFER_STOPPED);
	CHECK_EQ(t.have, 1);
}

static void test_broken(void)
{
	struct ibw_transfer t;
	uint8_t mad[256];
	unsigned int i;

	/* The same segment with other bytes. */
	ibw_transfer_start(&t, room, sizeof(room));
	feed(&t, 2);
	segment(mad, 2, false, 0);
	mad[56 + 199] ^= 1;
	CHECK_EQ(ibw_transfer_feed(&t, mad, sizeof(mad)), IBW_TRANSFER_BROKEN);
	/* A segment after the last one. */
	ibw_transfer_start(&t, room, sizeof(room));
	segment(mad, 2, true, 60);
	ibw_transfer_feed(&t, mad, sizeof(mad));
	CHECK_EQ(feed(&t, 3), IBW_TRANSFER_BROKEN);
	/* A last segment below one that was seen. */
	ibw_transfer_start(&t, room, sizeof(room));
	feed(&t, 3);
	segment(mad, 2, true, 60);
	CHECK_EQ(ibw_transfer_feed(&t, mad, sizeof(mad)), IBW_TRANSFER_BROKEN);
	/* The same segment, at first not the last, then the last. */
	ibw_transfer_start(&t, room, sizeof(room));
	feed(&t, 1);
	feed(&t, 2);
	segment(mad, 2, true, 0);
	CHECK_EQ(ibw_transfer_feed(&t, mad, sizeof(mad)), IBW_TRANSFER_BROKEN);
	/* The last segment again, shorter or longer, before the others. */
	for (i = 0; i < 2; i++) {
		ibw_transfer_start(&t, room, sizeof(room));
		feed(&t, SEGS);
		segment(mad, SEGS, true, LAST + (i ? 24u : 16u));
		CHECK_EQ(ibw_transfer_feed(&t, mad, sizeof(mad)), IBW_TRANSFER_BROKEN);
	}
	ibw_transfer_start(&t, room, sizeof(room));
	feed(&t, SEGS);
	CHECK_EQ(feed(&t, SEGS), IBW_TRANSFER_RUNNING);
	CHECK_EQ(t.flags, IBW_TRANSFER_DUPLICATE);
	/* Segment 0; a PayloadLength that cannot be. */
	ibw_transfer_start(&t, room, sizeof(room));
	CHECK_EQ(feed(&t, 0), IBW_TRANSFER_BROKEN);
	ibw_transfer_start(&t, room, sizeof(room));
	segment(mad, 1, true, 221);
	CHECK_EQ(ibw_transfer_feed(&t, mad, sizeof(mad)), IBW_TRANSFER_BROKEN);
	ibw_transfer_start(&t, room, sizeof(room));
	segment(mad, 1, true, 19);
	CHECK_EQ(ibw_transfer_feed(&t, mad, sizeof(mad)), IBW_TRANSFER_BROKEN);
}

/* A hostile sender costs the room, and no more. */
static void test_hostile(void)
{
	static const uint32_t segs[] = { 3, 4, 0x7fffffff, 0x80000000, 0xffffffff, 21474837 };
	struct ibw_transfer t;
	unsigned int i;

	memset(room, 0xa5, sizeof(room));
	for (i = 0; i < sizeof(segs) / sizeof(segs[0]); i++) {
		ibw_transfer_start(&t, room, 2 * DATA);
		CHECK_EQ(feed(&t, segs[i]), IBW_TRANSFER_TOO_BIG);
	}
	CHECK_EQ(room[2 * DATA], 0xa5);
	ibw_transfer_start(&t, room, 2 * DATA - 1);
	CHECK_EQ(feed(&t, 2), IBW_TRANSFER_TOO_BIG);
	/* Not RMPP, another class, too short: nothing. */
	ibw_transfer_start(&t, room, sizeof(room));
	{
		uint8_t mad[256];

		segment(mad, 1, false, 0);
		CHECK_EQ(ibw_transfer_feed(&t, mad, 255), IBW_TRANSFER_RUNNING);
		mad[1] = IBW_CLASS_PERF;
		CHECK_EQ(ibw_transfer_feed(&t, mad, 256), IBW_TRANSFER_RUNNING);
		CHECK_EQ(t.have, 0);
	}
}

/* One segment is a transfer too; a simulator's length of 0 means a full one. */
static void test_single(void)
{
	struct ibw_transfer t;
	uint8_t mad[256];

	ibw_transfer_start(&t, room, sizeof(room));
	segment(mad, 1, true, 20 + 64);
	CHECK_EQ(ibw_transfer_feed(&t, mad, sizeof(mad)), IBW_TRANSFER_COMPLETE);
	CHECK_EQ(t.len, 64);
	ibw_transfer_start(&t, room, sizeof(room));
	segment(mad, 1, true, 0);
	CHECK_EQ(ibw_transfer_feed(&t, mad, sizeof(mad)), IBW_TRANSFER_COMPLETE);
	CHECK_EQ(t.len, DATA);
}

int main(void)
{
	unsigned int i;

	for (i = 0; i < sizeof(records); i++)
		records[i] = (uint8_t)(i * 7 + i / 251);
	test_orders();
	test_flags();
	test_window();
	test_stop();
	test_broken();
	test_hostile();
	test_single();
	return check_end();
}
