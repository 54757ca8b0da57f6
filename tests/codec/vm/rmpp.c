// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* rmpp.c - tables by RMPP to ib_mad, which sends them back. */
#include "vm.h"
#include <ibwire/rmpp.h>

#include <string.h>
#include <zlib.h>

#define TABLE_MAX 40000
#define TIMEOUT 300 /* milliseconds */
#define RETRIES 5
#define WINDOW 16 /* segments, ours as a receiver */

/* What happens to a table on its way. */
struct way {
	uint32_t bytes;
	uint32_t lost[4]; /* segments that are lost once on their way there; 0: no more */
	uint32_t lost_back[4];
	uint8_t spoil_at; /* byte of the first segment that is changed... */
	uint8_t spoil;    /* ...by these bits; 0: none */
	uint8_t answer;   /* IBW_RMPP_ABORT, _STOP: how the first segment back is answered */
	uint8_t status;   /* with which the transfer ends */
	const char *what;
};

/* A table, on its way there and back. */
struct table {
	struct vm *vm;
	const struct way *way;
	uint8_t data[TABLE_MAX], back[TABLE_MAX];
	uint8_t head[IBW_MAD_BYTES];
	struct ibw_rmpp_sender s;
	uint32_t lost;    /* segments not sent, or not taken */
	uint32_t again;   /* segments sent once more */
	uint32_t highest; /* segment sent */
	uint32_t full;    /* times the window was used up */
	uint32_t taken;   /* segments that came back, none of them missing */
};

static const struct ibw_rmpp_wire *rmpp_of(const uint8_t *mad)
{
	return (const struct ibw_rmpp_wire *)(mad + ibw_mad_BYTES);
}

static uint32_t segment_of(const uint8_t *mad)
{
	return ibw_rmpp_data1(rmpp_of(mad));
}

/* Whether a segment is the next one that is lost. */
static bool is_lost(struct table *t, uint32_t seg, const uint32_t *lost, uint32_t *n)
{
	if (*n == 4 || lost[*n] != seg)
		return false;
	++*n;
	t->lost++;
	return true;
}

/* What may be sent now. */
static bool send_segments(struct table *t, uint32_t *lost)
{
	uint8_t mad[IBW_MAD_BYTES];
	uint32_t seg;

	while (ibw_rmpp_send_next(&t->s, mad, vm_msec())) {
		seg = segment_of(mad);
		if (ibw_rmpp_type(rmpp_of(mad)) == IBW_RMPP_DATA) {
			if (seg <= t->highest)
				t->again++;
			else
				t->highest = seg;
			if (is_lost(t, seg, t->way->lost, lost))
				continue;
		}
		if (seg == 1)
			mad[t->way->spoil_at] ^= t->way->spoil;
		if (!vm_send_mad(t->vm, mad))
			return false;
	}
	if (t->s.state == IBW_RMPP_SENDING && t->s.sent == t->s.window &&
	    t->s.window < t->s.segments && t->s.window > 1)
		t->full++;
	return true;
}

static bool is_ours(const struct table *t, const uint8_t *mad)
{
	return ibw_get_be64(mad + 8) == ibw_get_be64(t->head + 8);
}

/* The way there. */
static bool send_table(struct table *t)
{
	uint32_t lost = 0;
	struct vm_packet p;
	const uint8_t *mad;

	if (!ibw_rmpp_send_start(&t->s, t->head, t->data, t->way->bytes, TIMEOUT, RETRIES))
		return vm_fail("no class with RMPP");
	while (send_segments(t, &lost) && t->s.state == IBW_RMPP_SENDING) {
		mad = vm_receive_mad(t->vm, &p, VM_CLASS, t->s.deadline);
		if (mad && is_ours(t, mad))
			ibw_rmpp_send_feed(&t->s, mad, IBW_MAD_BYTES, vm_msec());
	}
	return true;
}

/* What a receiver answers to a segment: an ACK where the window ends, at the end, and to copies. */
static bool answer(struct table *t, const struct ibw_transfer *in, const uint8_t *mad)
{
	uint32_t seg = segment_of(mad);
	uint8_t buf[IBW_MAD_BYTES];

	if (t->way->answer == IBW_RMPP_ABORT)
		return ibw_rmpp_build_abort(buf, mad, t->way->status) && vm_send_mad(t->vm, buf);
	if (t->way->answer == IBW_RMPP_STOP)
		return ibw_rmpp_build_stop(buf, mad) && vm_send_mad(t->vm, buf);
	if (seg == t->taken + 1)
		t->taken++;
	if (in->state == IBW_TRANSFER_COMPLETE)
		t->taken = in->last;
	else if (seg % WINDOW != 1 && seg >= t->taken)
		return true;
	return ibw_rmpp_build_ack(buf, mad, t->taken, t->taken + WINDOW) && vm_send_mad(t->vm, buf);
}

/* The way back. */
static bool receive_table(struct table *t)
{
	uint64_t deadline = vm_msec() + 10000;
	static struct ibw_transfer in;
	uint32_t lost = 0;
	struct vm_packet p;
	const uint8_t *mad;

	ibw_transfer_start(&in, t->back, sizeof(t->back));
	while (in.state == IBW_TRANSFER_RUNNING) {
		mad = vm_receive_mad(t->vm, &p, VM_CLASS, deadline);
		if (!mad)
			return vm_fail("%s: %u segments came back", t->way->what, in.have);
		if (!is_ours(t, mad) || ibw_rmpp_type(rmpp_of(mad)) != IBW_RMPP_DATA ||
		    is_lost(t, segment_of(mad), t->way->lost_back, &lost))
			continue;
		ibw_transfer_feed(&in, mad, IBW_MAD_BYTES);
		if (!answer(t, &in, mad))
			return false;
		if (t->way->answer)
			return true;
	}
	if (in.state != IBW_TRANSFER_COMPLETE || in.len != t->way->bytes ||
	    memcmp(t->data, t->back, t->way->bytes) != 0)
		return vm_fail("%s: state %u, %u of %u bytes came back", t->way->what, in.state,
			       in.len, t->way->bytes);
	return true;
}

static bool table(struct vm *vm, const struct way *way, uint64_t tid)
{
	static struct table t;
	struct ibw_vendor_mad *m;
	uint32_t i;

	memset(&t, 0, sizeof(t));
	t.vm = vm;
	t.way = way;
	for (i = 0; i < way->bytes; i++)
		t.data[i] = (uint8_t)vm_random(vm, 256);
	m = ibw_vendor_build(t.head, sizeof(t.head), VM_CLASS, VM_OUI, IBW_METHOD_SEND, 0x1b, 0,
			     tid);
	if (!m || !send_table(&t))
		return false;
	if (way->spoil) {
		if (t.s.state != IBW_RMPP_STOPPED || t.s.status != way->status)
			return vm_fail("%s: state %u, status %u", way->what, t.s.state, t.s.status);
		printf("peer: %s: given up by ib_mad, status %u\n", way->what, t.s.status);
		return true;
	}
	if (t.s.state != IBW_RMPP_SENT)
		return vm_fail("%s: state %u, status %u, %u of %u segments acknowledged", way->what,
			       t.s.state, t.s.status, t.s.acked, t.s.segments);
	printf("peer: table of %u bytes, CRC %08lx\n", way->bytes, crc32(0, t.data, way->bytes));
	if (!ibw_gid_is_ipv4(vm->here) && !receive_table(&t))
		return false;
	if (way->lost[0] && (t.lost < 4 || t.again < 4))
		return vm_fail("%s: %u lost, %u sent again", way->what, t.lost, t.again);
	if (t.s.segments > 64 && !t.full)
		return vm_fail("%s: the window was never used up", way->what);
	if (way->answer) {
		printf("peer: %s\n", way->what);
		return true;
	}
	printf("peer: %s: %u bytes %s, %u segments, the window used up %u times, %u lost, %u sent again\n",
	       way->what, way->bytes, ibw_gid_is_ipv4(vm->here) ? "there" : "there and back",
	       t.s.segments, t.full, t.lost, t.again);
	return true;
}

/* What ib_mad sends by RMPP can be acknowledged over IPv6 only: tests/codec/kernel/echo_mad.c */
bool vm_tables(struct vm *vm)
{
	static const struct way ways[] = {
		{ .bytes = 0, .what = "an empty table" },
		{ .bytes = 216, .what = "a segment" },
		{ .bytes = 217, .what = "a segment and a byte" },
		{ .bytes = TABLE_MAX, .what = "a long table" },
		{ .bytes = TABLE_MAX,
		  .lost = { 1, 2, 65, 186 },
		  .lost_back = { 2 },
		  .what = "a long table with losses" },
		/* RMPP version, RMPP type, the First flag: 13.6.2.3 */
		{ .bytes = 500,
		  .spoil_at = 24,
		  .spoil = 3,
		  .status = IBW_RMPP_STATUS_VERSION,
		  .what = "another version" },
		{ .bytes = 500,
		  .spoil_at = 25,
		  .spoil = 8,
		  .status = IBW_RMPP_STATUS_BAD_TYPE,
		  .what = "no type" },
		{ .bytes = 500,
		  .answer = IBW_RMPP_ABORT,
		  .status = IBW_RMPP_STATUS_TIMEOUT,
		  .what = "given up by an ABORT of ours" },
		{ .bytes = 500, .answer = IBW_RMPP_STOP, .what = "given up by a STOP of ours" },
	};
	uint32_t i;

	for (i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
		if (!(ways[i].answer && ibw_gid_is_ipv4(vm->here)) &&
		    !table(vm, &ways[i], (uint64_t)vm_random(vm, 1u << 31) << 8 | i))
			return false;
	return true;
}
