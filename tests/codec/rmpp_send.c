/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rmpp_send.c - the RMPP sender: the segments that opensm sent in pcaps/mad/rmpp.roce.pcap, byte for
 * byte; a receiver written here, with the windows of Linux 6.1's ib_mad (core/mad_rmpp.c), over a
 * link that loses, doubles and delays; each answer that breaks a rule; the retries of a receiver that
 * is gone.
 */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "pcap_file.h"

#include <ibwire/build_mad.h>
#include <ibwire/packet.h>
#include <ibwire/rmpp_send.h>

#define TIMEOUT UINT64_C(20)
#define RETRIES 3
#define DATA_MAX 20000

static uint8_t head[256], data[DATA_MAX];

static uint32_t be32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static uint32_t random_below(uint32_t n)
{
	static uint64_t state = 7;

	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 33) % n;
}

/* The first MAD that @s has to send now, sent once. */
static void expect(struct ibw_rmpp_sender *s, uint8_t *mad, uint64_t now, uint32_t type,
		   uint32_t status, uint32_t data1)
{
	memset(mad, 0xee, 256);
	if (!CHECK(ibw_rmpp_send_next(s, mad, now)))
		return;
	CHECK_EQ(mad[24], 1);
	CHECK_EQ(mad[25], type);
	CHECK_EQ(mad[27], status);
	CHECK_EQ(be32(mad + 28), data1);
}

/* Segments that opensm sent, from the records they hold. */
static void check_transfer(uint8_t (*mads)[256], uint32_t n)
{
	struct ibw_rmpp_sender s;
	uint8_t mad[256], ack[256];
	uint32_t i, last = be32(mads[n - 1] + 32) - 20;

	for (i = 0; i < n; i++)
		memcpy(data + (size_t)200 * i, mads[i] + 56, 200);
	if (!CHECK(ibw_rmpp_send_start(&s, mads[0], data, 200 * (n - 1) + last, TIMEOUT, RETRIES)))
		return;
	CHECK_EQ(s.segments, n);
	for (i = 0; i < n; i++) {
		if (!CHECK(ibw_rmpp_send_next(&s, mad, 0)))
			return;
		/* opensm fills what is after the last record, and does not say NoRespTime */
		mad[26] = (uint8_t)((mad[26] & 7) | (mads[i][26] & 0xf8));
		CHECK_MEM(mad, mads[i], i + 1 < n ? 256 : 56 + last);
		CHECK(ibw_rmpp_build_ack(ack, mad, i + 1, i + 2));
		CHECK_EQ(ibw_rmpp_send_feed(&s, ack, 256, 0),
			 i + 1 < n ? IBW_RMPP_SENDING : IBW_RMPP_SENT);
	}
	CHECK(!ibw_rmpp_send_next(&s, mad, 1000));
}

/* Tables whose segments are in a row. */
static void test_opensm(void)
{
	static uint8_t mads[64][256];
	struct ibw_packet pkt;
	uint32_t n = 0, tables = 0;
	struct pcap_file f;
	const uint8_t *mad;

	pcap_file_open(&f, "pcaps", "mad/rmpp.roce.pcap");
	while (pcap_file_next(&f)) {
		check_case("mad/rmpp.roce.pcap:%u", f.number);
		ibw_packet_walk(&pkt, f.frame, f.caplen, f.len, f.linktype, NULL);
		if (pkt.bth == IBW_NO_SPAN || pkt.payload_len != 256)
			continue;
		mad = f.frame + pkt.payload_off;
		if (mad[1] != 3 || mad[25] != 1 || !(mad[26] & 1))
			continue;
		if (mad[26] & 2)
			n = 0;
		if (n == 64 || be32(mad + 28) != n + 1 || (n && memcmp(mads[0], mad, 24) != 0))
			continue;
		memcpy(mads[n++], mad, 256);
		if (!(mad[26] & 4) || be32(mad + 32) < 20)
			continue;
		check_transfer(mads, n);
		tables += n > 1;
		n = 0;
	}
	pcap_file_close(&f);
	check_case("mad/rmpp.roce.pcap");
	CHECK(tables > 2);
}

/* A receiver with room for all: window 1, then @step more each time it is full. */
struct receiver {
	uint32_t have, window, step;
	bool done;
	uint32_t promised, bytes;
	uint8_t got[DATA_MAX + 200];
};

/* Takes a segment and answers; false: no answer. */
static bool receive(struct receiver *r, const uint8_t *mad, uint8_t *answer)
{
	uint32_t seg = be32(mad + 28);

	CHECK_EQ(mad[25], 1);
	CHECK_EQ(mad[26] & 1, 1);
	CHECK_EQ((mad[26] & 2) != 0, seg == 1);
	CHECK(seg <= r->window); /* never beyond what was allowed */
	if (seg == 1)
		r->promised = be32(mad + 32);
	if (seg == r->have + 1 && !r->done) {
		memcpy(r->got + (size_t)200 * r->have, mad + 56, 200);
		r->have++;
		r->done = mad[26] & 4;
		r->bytes += r->done ? be32(mad + 32) - 20 : 200;
		if (r->have == 1 || r->have == r->window)
			r->window = r->have == 1 ? 1 + r->step : r->window + r->step;
		else if (!r->done)
			return false;
	} else if (seg > r->have) {
		return false; /* one is missing */
	}
	return ibw_rmpp_build_ack(answer, mad, r->have, r->window);
}

#define ON_THE_WAY 80

/* A link both ways: what is put in comes out later, perhaps, and perhaps twice. */
struct link {
	uint8_t mad[ON_THE_WAY][256];
	uint64_t at[ON_THE_WAY];
	uint32_t loss; /* in 100 */
};

static void link_put(struct link *l, const uint8_t *mad, uint64_t now)
{
	uint32_t i, copies = random_below(100) < l->loss ? 0 : random_below(100) < l->loss ? 2 : 1;

	for (i = 0; i < ON_THE_WAY && copies; i++)
		if (!l->at[i]) {
			memcpy(l->mad[i], mad, 256);
			l->at[i] = now + 1 + (l->loss ? random_below(4) : 0);
			copies--;
		}
}

static bool link_get(struct link *l, uint8_t *mad, uint64_t now)
{
	uint32_t i;

	for (i = 0; i < ON_THE_WAY; i++)
		if (l->at[i] && l->at[i] <= now) {
			memcpy(mad, l->mad[i], 256);
			l->at[i] = 0;
			return true;
		}
	return false;
}

static void run(uint32_t bytes, uint32_t step, uint32_t loss)
{
	static struct receiver r;
	static struct link there, back;
	struct ibw_rmpp_sender s;
	uint32_t segments = bytes ? (bytes + 199) / 200 : 1, sent = 0;
	uint8_t mad[256], answer[256];
	uint64_t now;

	check_case("%u bytes, window %u, loss %u %%", bytes, step, loss);
	memset(&r, 0, sizeof(r));
	memset(&there, 0, sizeof(there));
	memset(&back, 0, sizeof(back));
	r.window = 1;
	r.step = step;
	there.loss = back.loss = loss;
	if (!CHECK(ibw_rmpp_send_start(&s, head, data, bytes, TIMEOUT, 50)))
		return;
	for (now = 1; now < 100000 && s.state == IBW_RMPP_SENDING; now++) {
		while (ibw_rmpp_send_next(&s, mad, now)) {
			link_put(&there, mad, now);
			sent++;
		}
		while (link_get(&there, mad, now))
			if (receive(&r, mad, answer))
				link_put(&back, answer, now);
		while (link_get(&back, mad, now))
			ibw_rmpp_send_feed(&s, mad, 256, now);
	}
	CHECK_EQ(s.state, IBW_RMPP_SENT);
	CHECK(r.done);
	CHECK_EQ(r.have, segments);
	CHECK_EQ(r.bytes, bytes);
	CHECK_EQ(r.promised, segments == 1 ? bytes + 20 : bytes + 20 * segments);
	CHECK_MEM(r.got, data, bytes);
	if (!loss)
		CHECK_EQ(sent, segments);
}

static void test_links(void)
{
	static const uint32_t bytes[] = { 0, 1, 199, 200, 201, 400, 2000, 4567, 20000 };
	uint32_t i, step, loss;

	for (i = 0; i < DATA_MAX; i++)
		data[i] = (uint8_t)random_below(256);
	for (i = 0; i < sizeof(bytes) / sizeof(bytes[0]); i++)
		for (step = 1; step <= 64; step *= 4)
			for (loss = 0; loss <= 30; loss += 10)
				run(bytes[i], step, loss);
}

/* A sender of three segments, the first of which is on its way. */
static void start(struct ibw_rmpp_sender *s, uint8_t *mad)
{
	CHECK(ibw_rmpp_send_start(s, head, data, 500, TIMEOUT, RETRIES));
	expect(s, mad, 100, 1, 0, 1);
	CHECK(!ibw_rmpp_send_next(s, mad + 256, 100 + TIMEOUT - 1));
}

/* After an answer of @type, @status, and numbers: an ABORT of @abort, or 0 and @state. */
static void answered(uint8_t type, uint8_t status, uint32_t seg, uint32_t window, uint8_t version,
		     uint32_t abort, enum ibw_rmpp_send_state state)
{
	struct ibw_rmpp_sender s;
	uint8_t mad[512], answer[256];

	check_case("type %u status %u segment %u window %u version %u", type, status, seg, window,
		   version);
	start(&s, mad);
	CHECK(ibw_rmpp_answer(answer, mad, type, status, seg, window));
	answer[24] = version;
	CHECK_EQ(ibw_rmpp_send_feed(&s, answer, 255, 101), IBW_RMPP_SENDING);
	CHECK_EQ(ibw_rmpp_send_feed(&s, answer, 256, 101), state);
	CHECK_EQ(s.state, state);
	if (abort)
		expect(&s, mad, 101, 4, abort, 0);
	if (state != IBW_RMPP_SENDING)
		CHECK(!ibw_rmpp_send_next(&s, mad, 1000));
	if (state == IBW_RMPP_STOPPED)
		CHECK_EQ(s.status, status);
}

/* The status codes are those of Linux 6.1 core/mad_rmpp.c, process_rmpp_ack() and those after it. */
static void test_answers(void)
{
	uint32_t status;

	answered(2, 0, 1, 3, 1, 0, IBW_RMPP_SENDING);
	answered(2, 0, 0, 1, 1, 0, IBW_RMPP_SENDING);
	answered(2, 0, 1, 1, 1, 0, IBW_RMPP_SENDING);   /* no more room yet */
	answered(2, 0, 1, 0, 1, 122, IBW_RMPP_ABORTED); /* window too small */
	answered(2, 0, 2, 5, 1, 123, IBW_RMPP_ABORTED); /* was not sent */
	answered(2, 0, 4, 9, 1, 123, IBW_RMPP_ABORTED); /* there is none */
	answered(2, 3, 1, 3, 1, 124, IBW_RMPP_ABORTED); /* an ACK has no status */
	answered(2, 0, 1, 3, 2, 125, IBW_RMPP_ABORTED); /* version */
	answered(7, 0, 1, 3, 1, 121, IBW_RMPP_ABORTED); /* type */
	answered(1, 0, 1, 220, 1, 0, IBW_RMPP_SENDING); /* DATA of the other direction */
	for (status = 0; status < 256; status++) {
		if (status == 1)
			answered(3, 1, 0, 0, 1, 0, IBW_RMPP_STOPPED);
		else
			answered(3, (uint8_t)status, 0, 0, 1, 124, IBW_RMPP_ABORTED);
		if (status >= 118 && status <= 127)
			answered(4, (uint8_t)status, 0, 0, 1, 0, IBW_RMPP_STOPPED);
		else
			answered(4, (uint8_t)status, 0, 0, 1, 124, IBW_RMPP_ABORTED);
	}
}

/* An ACK of the segment at @mad. */
static void ack(struct ibw_rmpp_sender *s, const uint8_t *mad, uint32_t seg, uint32_t window,
		uint64_t now)
{
	uint8_t answer[256];

	CHECK(ibw_rmpp_build_ack(answer, mad, seg, window));
	CHECK_EQ(ibw_rmpp_send_feed(s, answer, 256, now), IBW_RMPP_SENDING);
}

/* Late and odd ACKs of five segments: process_rmpp_ack() of Linux 6.1 has the same order. */
static void test_late(void)
{
	struct ibw_rmpp_sender s;
	uint8_t mad[256], answer[256];

	check_case("late");
	CHECK(ibw_rmpp_send_start(&s, head, data, 900, TIMEOUT, RETRIES));
	expect(&s, mad, 100, 1, 0, 1);
	ack(&s, mad, 1, 4, 101);
	ack(&s, mad, 1, 2, 101); /* older: the window stays open */
	expect(&s, mad, 101, 1, 0, 2);
	expect(&s, mad, 101, 1, 0, 3);
	expect(&s, mad, 101, 1, 0, 4);
	ack(&s, mad, 2, 4, 115); /* what is left is waited for from here on */
	CHECK(!ibw_rmpp_send_next(&s, mad, 115 + TIMEOUT - 1));
	expect(&s, mad, 115 + TIMEOUT, 1, 0, 3);
	ack(&s, mad, 4, 4, 136); /* of what was sent before the timeout: not sent again */
	CHECK(!ibw_rmpp_send_next(&s, mad, 136));
	ack(&s, mad, 3, 5, 136); /* older than the last one */
	CHECK(!ibw_rmpp_send_next(&s, mad, 136));
	ack(&s, mad, 4, 9, 136);
	CHECK(ibw_rmpp_build_ack(answer, mad, 6, 9));
	CHECK_EQ(ibw_rmpp_send_feed(&s, answer, 256, 136), IBW_RMPP_ABORTED);
	expect(&s, mad, 136, 4, 123, 0); /* in the window, and yet there is none */

	check_case("sent before the timeout");
	CHECK(ibw_rmpp_send_start(&s, head, data, 900, TIMEOUT, RETRIES));
	expect(&s, mad, 100, 1, 0, 1);
	ack(&s, mad, 1, 4, 101);
	expect(&s, mad, 101, 1, 0, 2);
	expect(&s, mad, 101, 1, 0, 3);
	expect(&s, mad, 101, 1, 0, 4);
	expect(&s, mad, 101 + TIMEOUT, 1, 0, 2);
	ack(&s, mad, 4, 5, 102 + TIMEOUT);
	expect(&s, mad, 102 + TIMEOUT, 1, 0, 5);
}

/* The bytes of a segment and of an answer that a transfer does not show. */
static void test_bytes(void)
{
	struct ibw_rmpp_sender s;
	uint8_t long_head[256], mad[256], answer[256] = { 0 }, zero[256] = { 0 };

	check_case("bytes");
	memset(long_head, 0xee, sizeof(long_head));
	memcpy(long_head, head, 56);
	CHECK(ibw_rmpp_send_start(&s, long_head, data, 10, TIMEOUT, RETRIES));
	expect(&s, mad, 100, 1, 0, 1);
	CHECK_EQ(mad[26], 0xff); /* NoRespTime, 0x1f; First, Last, Active */
	CHECK_MEM(mad + 66, zero, 190);
	CHECK_EQ(mad[3], 0x92);
	CHECK(ibw_rmpp_build_ack(answer, mad, 1, 1));
	CHECK_EQ(answer[3], 0x12); /* to who sent it: 13.6.2.1 */
	CHECK_MEM(answer + 56, zero, 200);
	answer[26] &= 0xfe; /* not Active: an ordinary MAD, whatever is said after it */
	answer[25] = 7;
	CHECK_EQ(ibw_rmpp_send_feed(&s, answer, 256, 101), IBW_RMPP_SENDING);
}

/* Nobody answers: three times again, then an ABORT; an ACK in between begins the count anew. */
static void test_silence(void)
{
	struct ibw_rmpp_sender s;
	uint8_t mad[512], answer[256];
	uint64_t now = 100;
	uint32_t i;

	check_case("silence");
	start(&s, mad);
	for (i = 0; i < RETRIES; i++) {
		now += TIMEOUT;
		CHECK_EQ(s.deadline, now);
		expect(&s, mad, now, 1, 0, 1);
	}
	CHECK(ibw_rmpp_build_ack(answer, mad, 1, 3));
	CHECK_EQ(ibw_rmpp_send_feed(&s, answer, 256, now), IBW_RMPP_SENDING);
	expect(&s, mad, now, 1, 0, 2);
	expect(&s, mad, now, 1, 0, 3);
	for (i = 0; i < RETRIES; i++) {
		CHECK(!ibw_rmpp_send_next(&s, mad, now + TIMEOUT - 1));
		now += TIMEOUT;
		expect(&s, mad, now, 1, 0, 2);
		expect(&s, mad, now, 1, 0, 3);
	}
	expect(&s, mad, now + TIMEOUT, 4, 126, 0);
	CHECK_EQ(s.state, IBW_RMPP_ABORTED);
	CHECK(!ibw_rmpp_send_next(&s, mad, now + 10 * TIMEOUT));
	CHECK_EQ(ibw_rmpp_send_feed(&s, answer, 256, now), IBW_RMPP_ABORTED);
}

/* Segments of other classes: 216 bytes in those with an OUI; none without RMPP. */
static void test_classes(void)
{
	struct ibw_rmpp_sender s;
	uint8_t mad[256] = { 1 };
	unsigned int class;

	for (class = 0; class < 256; class ++) {
		mad[1] = (uint8_t) class;
		check_case("class 0x%02x", class);
		/* IBTA vol 1, 13.6.1 and 16.5: SA, and vendors' 0x30 to 0x4f */
		CHECK_EQ(ibw_rmpp_off(mad[1]), class == 3                      ? 56
					       : class >= 0x30 && class < 0x50 ? 40
									       : 0);
		CHECK_EQ(ibw_rmpp_send_start(&s, mad, data, 433, 1, 1), ibw_rmpp_off(mad[1]) != 0);
		CHECK_EQ(ibw_rmpp_build_stop(head, mad), ibw_rmpp_off(mad[1]) != 0);
		if (s.off)
			CHECK_EQ(s.segments, 3);
	}
}

int main(void)
{
	test_classes();
	CHECK(ibw_sa_build(head, sizeof(head), IBW_METHOD_GET_TABLE | 0x80, 0x11, 0x1234) != NULL);
	test_opensm();
	test_links();
	test_answers();
	test_silence();
	test_late();
	test_bytes();
	return check_end();
}
