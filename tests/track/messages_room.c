/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* messages_room.c - reassembly of messages: order, answers, refusals, and what happens where there is no room. */
#include "check.h"

#include <ibwire/build_fpdu.h>
#include <ibwire/crc.h>
#include <ibwire/ibwire.h>

#include <track/message/message.h>
#include <track/view/view.h>

#include <glib.h>

#define WAY 256 /* bytes of a packet, unless it says otherwise */

static struct track_messages *messages;
static struct track_at at;
static uint64_t connection;

static void begin(uint64_t memory)
{
	messages = track_messages_new(memory);
	at = (struct track_at){ .time_ns = 1000 };
	connection = 0;
}

static void end(void)
{
	track_messages_finish(messages);
	while (track_messages_next(messages))
		;
	track_messages_free(messages);
	messages = NULL;
}

static const struct track_message_out *next(void)
{
	return track_messages_next(messages);
}

static unsigned int count(enum track_message_outcome outcome)
{
	const struct track_message_out *m;
	unsigned int n = 0;

	while ((m = next()))
		n += m->outcome == outcome;
	return n;
}

static struct track_message_place place_of(unsigned int way)
{
	return (struct track_message_place){
		.connection = connection, .way = (uint8_t)way, .mtu = WAY, .answers = true
	};
}

/* A packet of RoCE v2, whose payload are bytes of its PSN. */
static void put_as(struct ibw_build *b, const struct track_message_place *place, uint32_t bytes)
{
	static const struct track_upper none = { .ulp = IBW_ULP_NONE };
	static uint8_t p[8192];
	struct track_view view;
	size_t n;

	b->kind = IBW_ICRC_ROCE_V2_IPV4;
	b->payload_len = bytes;
	ibw_build_defaults(b);
	b->ipv4.src = 0x0a070001;
	b->ipv4.dst = 0x0a070002;
	if (!b->bth.dqpn)
		b->bth.dqpn = 0x111;
	n = ibw_build_headers(p, sizeof(p), b);
	if (!CHECK(n && n < 200))
		return;
	memset(p + n, (int)(b->bth.psn & 0xff), bytes);
	memset(p + n + bytes, 0, -bytes & 3);
	n += bytes + (-bytes & 3);
	ibw_icrc_put(p + n, ibw_icrc(IBW_ICRC_ROCE_V2_IPV4, p, n));
	n += IBW_ICRC_BYTES;
	at.frame++;
	at.time_ns += 10;
	track_view_packet(&view, p, (uint32_t)n, (uint32_t)n, IBW_LINKTYPE_IPV4, NULL);
	CHECK_EQ(view.pkt.outcome, IBW_OK);
	track_messages_packet(messages, place, &view, &at, &none);
}

static void put(unsigned int way, uint8_t opcode, uint32_t psn, uint32_t bytes)
{
	const struct track_message_place place = place_of(way);
	struct ibw_build b = { .bth = { .opcode = opcode, .psn = psn }, .aeth.syndrome = 0x1f };

	b.reth.dmalen = opcode == IBW_OP_RC_RDMA_READ_REQUEST ? 3 * WAY : bytes;
	b.reth.rkey = 0x77;
	b.reth.va = 0x1000;
	put_as(&b, &place, bytes);
}

static void ack(unsigned int way, uint32_t psn, uint8_t syndrome)
{
	const struct track_message_place place = place_of(way);
	struct ibw_build b = { .bth = { .opcode = IBW_OP_RC_ACKNOWLEDGE, .psn = psn },
			       .aeth.syndrome = syndrome };

	put_as(&b, &place, 0);
}

/* Packets out of order: its bytes are in that of the PSNs, its frames in theirs; a repeated packet adds nothing. */
static void test_order(void)
{
	const struct track_message_out *m;

	check_case("order");
	begin(0);
	put(0, IBW_OP_RC_SEND_FIRST, 7, WAY);
	put(0, IBW_OP_RC_SEND_LAST, 9, 10);
	put(0, IBW_OP_RC_SEND_FIRST, 7, WAY);
	CHECK(!next());
	put(0, IBW_OP_RC_SEND_MIDDLE, 8, WAY);
	CHECK(!next()); /* it waits for its answer */
	ack(1, 8, 0x1f);
	CHECK(!next());
	ack(1, 9, 0x1f);
	m = next();
	if (CHECK(m)) {
		CHECK_EQ(m->kind, TRACK_MESSAGE_SEND);
		CHECK_EQ(m->outcome, TRACK_MESSAGE_COMPLETE);
		CHECK_EQ(m->psn, 7);
		CHECK_EQ(m->length, 2 * WAY + 10);
		CHECK_EQ(m->n_bytes, 2 * WAY + 10);
		CHECK(m->bytes[WAY - 1] == 7 && m->bytes[WAY] == 8 && m->bytes[2 * WAY] == 9);
		CHECK_EQ(m->n_frames, 3);
		CHECK(m->frames[0] == 1 && m->frames[1] == 2 && m->frames[2] == 4);
		CHECK_EQ(m->frame, 4);
		CHECK_EQ(m->answered, 6);
		CHECK(m->begin_ns == 1010 && m->end_ns == 1040);
	}
	CHECK(!next());
	end();
}

/* In the order in which they were complete, each after its answer; a NAK refuses the one it names, and covers those before it. */
static void test_answers(void)
{
	const struct track_message_out *m;

	check_case("answers");
	begin(0);
	put(0, IBW_OP_RC_SEND_ONLY, 1, 4);
	put(0, IBW_OP_RC_RDMA_WRITE_ONLY, 2, 8);
	put(0, IBW_OP_RC_RDMA_READ_REQUEST, 3, 0); /* of three PSNs */
	put(0, IBW_OP_RC_SEND_ONLY, 6, 12);
	put(1, IBW_OP_RC_RDMA_READ_RESPONSE_FIRST, 3, WAY);
	m = next();
	CHECK(m && m->psn == 1 && m->answered == 5);
	m = next();
	CHECK(m && m->psn == 2 && m->answered == 5 && m->key == 0x77 && m->address == 0x1000);
	CHECK(!next());
	put(1, IBW_OP_RC_RDMA_READ_RESPONSE_MIDDLE, 4, WAY);
	put(1, IBW_OP_RC_RDMA_READ_RESPONSE_LAST, 5, WAY);
	m = next();
	CHECK(m && m->psn == 3 && m->answered == 7 && m->length == 3 * WAY && !m->n_bytes);
	CHECK(!next());
	ack(1, 6, IBW_AETH_NAK_REMOTE_ACCESS);
	m = next();
	CHECK(m && m->psn == 6 && m->answered == 8 && m->outcome == TRACK_MESSAGE_REFUSED);
	m = next();
	CHECK(m && m->kind == TRACK_MESSAGE_READ_RESPONSE && m->length == 3 * WAY);
	CHECK(!next());
	end();
}

/* Of UC nothing answers, of a datagram neither; and after the last frame of a connection nothing comes. */
static void test_unanswered(void)
{
	struct track_message_place place = place_of(0);
	struct ibw_build b = { .bth = { .opcode = IBW_OP_UC_SEND_ONLY, .psn = 5 } };
	const struct track_message_out *m;

	check_case("unanswered");
	begin(0);
	put_as(&b, &place, 8);
	m = next();
	CHECK(m && !m->answered && m->outcome == TRACK_MESSAGE_COMPLETE);
	b = (struct ibw_build){ .bth = { .opcode = IBW_OP_UD_SEND_ONLY, .dqpn = 2 } };
	put_as(&b, &place, 8);
	CHECK(next());
	b = (struct ibw_build){ .bth = { .opcode = IBW_OP_UD_SEND_ONLY, .dqpn = 1 } };
	put_as(&b, &place, 8); /* of QP 1 there are MADs */
	CHECK(!next());
	place.last_frame = at.frame + 1;
	b = (struct ibw_build){ .bth = { .opcode = IBW_OP_RC_SEND_ONLY, .psn = 6 } };
	put_as(&b, &place, 8);
	CHECK(!next());
	ack(1, 5, 0x1f); /* says nothing of it, and comes after that frame */
	CHECK(next());
	CHECK_EQ(track_messages_unanswered(messages), 0);
	end();
}

/* As many wait for packets as may; for one more the oldest one is given out. */
static void test_open(void)
{
	const struct track_message_out *m;
	uint32_t i;

	check_case("open");
	begin(0);
	for (i = 0; i < TRACK_MESSAGES_OPEN; i++)
		put(0, IBW_OP_RC_SEND_FIRST, 100 * i, WAY);
	CHECK(!next());
	put(0, IBW_OP_RC_SEND_FIRST, 100 * i, WAY);
	m = next();
	CHECK(m && m->outcome == TRACK_MESSAGE_UNFINISHED && m->psn == 0);
	CHECK(!next());
	put(0, IBW_OP_RC_SEND_LAST, 101, 1);
	ack(1, 100 * i, 0x1f);
	m = next();
	CHECK(m && m->outcome == TRACK_MESSAGE_COMPLETE && m->psn == 100);
	track_messages_finish(messages);
	CHECK_EQ(count(TRACK_MESSAGE_UNFINISHED), TRACK_MESSAGES_OPEN - 1);
	end();
}

/* Packets without those before them are kept, as many as may be; the others count. */
static void test_early(void)
{
	uint32_t i;

	check_case("early");
	begin(0);
	put(0, IBW_OP_RC_SEND_FIRST, 1, WAY);
	for (i = 0; i < TRACK_MESSAGES_EARLY; i++)
		put(0, IBW_OP_RC_SEND_MIDDLE, 3 + i, WAY);
	CHECK_EQ(track_messages_headless(messages), 0);
	put(0, IBW_OP_RC_SEND_LAST, 3 + i, WAY);
	CHECK_EQ(track_messages_headless(messages), 1); /* the first one of them makes room */
	put(0, IBW_OP_RC_SEND_MIDDLE, 2, WAY);
	CHECK_EQ(track_messages_headless(messages), 1);
	CHECK(!next());
	track_messages_finish(messages);
	CHECK_EQ(track_messages_headless(messages), TRACK_MESSAGES_EARLY + 1);
	CHECK_EQ(count(TRACK_MESSAGE_UNFINISHED), 1);
	end();
}

/* Of one way, and of all, so many wait for an answer; the first one waits no longer. */
static void test_asked(void)
{
	unsigned int i, n = 0;

	check_case("asked");
	begin(TRACK_MESSAGES_MEMORY);
	for (i = 0; i < TRACK_MESSAGES_ASKED; i++)
		put(0, IBW_OP_RC_SEND_ONLY, i, 0);
	CHECK(!next());
	put(0, IBW_OP_RC_SEND_ONLY, i, 0);
	CHECK(next() && !next());
	CHECK_EQ(track_messages_unanswered(messages), 1);
	for (i = TRACK_MESSAGES_ASKED; i < TRACK_MESSAGES_WAITING; i++) {
		connection = 1 + i / TRACK_MESSAGES_ASKED;
		put(0, IBW_OP_RC_SEND_ONLY, i % TRACK_MESSAGES_ASKED, 0);
		n += next() != NULL;
	}
	CHECK_EQ(n, 0);
	connection = 5000;
	put(0, IBW_OP_RC_SEND_ONLY, 0, 0);
	CHECK(next());
	CHECK_EQ(track_messages_unanswered(messages), 2);
	end();
}

/* The first 64 KiB of a message are kept; of all so much as may be, else those that wait are given out first. */
static void test_memory(void)
{
	const struct track_message_out *m;
	unsigned int i, n = 0;
	uint32_t psn = 0;

	check_case("memory");
	begin(TRACK_MESSAGES_MEMORY_MIN);
	put(0, IBW_OP_RC_SEND_FIRST, psn++, 4096);
	for (i = 0; i < TRACK_MESSAGE_BYTES / 4096; i++)
		put(0, IBW_OP_RC_SEND_MIDDLE, psn++, 4096);
	put(0, IBW_OP_RC_SEND_LAST, psn, 4096);
	ack(1, psn, 0x1f);
	m = next();
	if (CHECK(m)) {
		CHECK_EQ(m->n_bytes, TRACK_MESSAGE_BYTES);
		CHECK_EQ(m->length, TRACK_MESSAGE_BYTES + 2 * 4096);
		CHECK_EQ(m->outcome, TRACK_MESSAGE_COMPLETE);
	}
	/* What waits for an answer makes room before what waits for packets. */
	connection = 1;
	put(0, IBW_OP_RC_SEND_FIRST, 1, WAY);
	connection = 2;
	for (i = 0; i < 300; i++) {
		put(0, IBW_OP_RC_SEND_ONLY, i, 4096);
		while ((m = next())) {
			CHECK(m->outcome == TRACK_MESSAGE_COMPLETE && !m->answered);
			n++;
		}
	}
	CHECK(n > 0 && n < 300);
	CHECK_EQ(track_messages_unanswered(messages), n);
	CHECK_EQ(track_messages_evicted(messages), 0);
	/* Messages that do not go on: the oldest ones are given out unfinished. */
	for (i = 0; i < 300; i++) {
		connection = 10 + i;
		put(0, IBW_OP_RC_SEND_FIRST, 1, 4096);
	}
	n = count(TRACK_MESSAGE_UNFINISHED);
	CHECK(n > 0 && n < 301);
	CHECK_EQ(track_messages_evicted(messages), n);
	end();
}

/* iWARP */

static uint64_t position[2];

static struct track_message_place of_stream(unsigned int way)
{
	struct track_message_place place = place_of(way);

	place.iwarp = true;
	return place;
}

static void segment(unsigned int way, const struct ibw_segment *s, const void *payload,
		    enum track_message_slot slot, bool begins)
{
	struct ibw_fpdu_build b = { .position = position[way], .mulpdu = 1400, .segment = *s };
	const struct ibw_piece piece = { payload, s->bytes };
	uint8_t p[1500];
	size_t n = ibw_build_fpdu(p, sizeof(p), &b, &piece, 1, NULL);
	struct track_message_segment m = {
		.place = of_stream(way), .n_frames = 1, .slot = slot, .begins = begins
	};
	struct ibw_segment seen;
	struct ibw_fpdu f;

	at.frame++;
	at.time_ns += 10;
	position[way] += n;
	if (!CHECK_EQ(ibw_fpdu_view(&f, p, n, IBW_FPDU_NO_MARKERS), IBW_FPDU_OK))
		return;
	ibw_segment_view(&seen, &f);
	m.fpdu = &f;
	m.segment = &seen;
	m.frames = &at.frame;
	track_messages_segment(messages, &m, &at);
}

static void send_part(unsigned int way, uint32_t msn, uint32_t mo, uint32_t bytes, bool last)
{
	static const uint8_t payload[1400];
	const struct ibw_segment s = {
		.opcode = IBW_RDMAP_SEND, .msn = msn, .mo = mo, .bytes = bytes, .last = last
	};

	segment(way, &s, payload, TRACK_MESSAGE_SLOT_SEND, !mo);
}

static void read_request(unsigned int way, uint32_t msn, uint32_t sink)
{
	const struct ibw_segment s = { .opcode = IBW_RDMAP_READ_REQUEST,
				       .qn = 1,
				       .msn = msn,
				       .bytes = ibw_rdmap_read_req_BYTES,
				       .last = true };
	const struct ibw_rdmap_read_req read = { .sink_stag = sink,
						 .sink_to = 0x1000,
						 .read_size = 64,
						 .src_stag = 0x22,
						 .src_to = 0x9000 };
	struct ibw_rdmap_read_req_wire wire;

	ibw_rdmap_read_req_pack(&wire, &read);
	segment(way, &s, &wire, TRACK_MESSAGE_SLOT_SINGLE, true);
}

static void response(unsigned int way, uint32_t sink, uint64_t to)
{
	static const uint8_t payload[64];
	const struct ibw_segment s = { .opcode = IBW_RDMAP_READ_RESPONSE,
				       .tagged = true,
				       .stag = sink,
				       .to = to,
				       .bytes = sizeof(payload),
				       .last = true };

	segment(way, &s, payload, TRACK_MESSAGE_SLOT_RESPONSE, true);
}

static void atomic(unsigned int way, uint32_t msn, uint32_t id, bool answers)
{
	const struct ibw_rdmap_atomic_req request = { .request_id = id,
						      .remote_stag = 0x33,
						      .remote_to = 0x8000 };
	const struct ibw_rdmap_atomic_resp answer = { .original_request_id = id };
	struct ibw_rdmap_atomic_req_wire wire;
	struct ibw_rdmap_atomic_resp_wire back;
	struct ibw_segment s = { .opcode = IBW_RDMAP_ATOMIC_REQUEST,
				 .qn = 1,
				 .msn = msn,
				 .bytes = ibw_rdmap_atomic_req_BYTES,
				 .last = true };

	if (answers) {
		s.opcode = IBW_RDMAP_ATOMIC_RESPONSE;
		s.qn = 3;
		s.bytes = ibw_rdmap_atomic_resp_BYTES;
		ibw_rdmap_atomic_resp_pack(&back, &answer);
		segment(way, &s, &back, TRACK_MESSAGE_SLOT_SINGLE, true);
	} else {
		ibw_rdmap_atomic_req_pack(&wire, &request);
		segment(way, &s, &wire, TRACK_MESSAGE_SLOT_SINGLE, true);
	}
}

/* A READ is answered by what goes to its sink, an atomic by its number, each the oldest one. */
static void test_responses(void)
{
	const struct track_message_out *m;
	struct track_message_place answers;

	check_case("responses");
	begin(0);
	answers = of_stream(1);
	read_request(0, 1, 0x11);
	read_request(0, 2, 0x12);
	response(1, 0x12, 0x1000);
	CHECK(!next()); /* the first one waits */
	response(1, 0x11, 0x1001);
	CHECK(!next());
	response(1, 0x11, 0x1000);
	m = next();
	CHECK(m && m->msn == 1 && m->answered == 5 && m->length == 64 && m->key == 0x22);
	m = next();
	CHECK(m && m->msn == 2 && m->answered == 3);
	CHECK(!next()); /* a response may be refused, too */
	track_messages_over(messages, &answers);
	CHECK_EQ(count(TRACK_MESSAGE_COMPLETE), 3);
	atomic(0, 3, 8, false);
	atomic(0, 4, 9, false);
	atomic(1, 1, 9, true);
	CHECK(!next());
	atomic(1, 2, 8, true);
	m = next();
	CHECK(m && m->kind == TRACK_MESSAGE_ATOMIC && m->msn == 3 && m->answered == at.frame);
	CHECK(m && m->key == 0x33 && m->address == 0x8000 && m->length == 8);
	m = next();
	CHECK(m && m->msn == 4 && m->answered == at.frame - 1);
	track_messages_over(messages, &answers);
	m = next();
	CHECK(m && m->kind == TRACK_MESSAGE_ATOMIC_RESPONSE && m->length == 8);
	end();
}

/* A Send waits as long as a Terminate may refuse it: until so many have come after it, or the connection is over. */
static void test_refused(void)
{
	struct track_message_refused r = { .frame = 2, .key = 2, .opcode = IBW_RDMAP_SEND };
	const struct track_message_place place = of_stream(0);
	const struct track_message_out *m;
	uint32_t i;

	check_case("refused");
	begin(0);
	for (i = 1; i <= 16; i++)
		send_part(0, i, 0, 8, true);
	CHECK(!next());
	send_part(0, i, 0, 8, true);
	m = next();
	CHECK(m && m->msn == 1 && !m->answered && !next());
	r.key = 3; /* another number */
	track_messages_refused(messages, &place, &r, &at);
	CHECK(!next());
	r.key = 2;
	at.frame = 77;
	track_messages_refused(messages, &place, &r, &at);
	m = next();
	CHECK(m && m->msn == 2 && m->answered == 77 && m->outcome == TRACK_MESSAGE_REFUSED);
	track_messages_over(messages, &place);
	CHECK_EQ(count(TRACK_MESSAGE_COMPLETE), 15);
	CHECK_EQ(track_messages_unanswered(messages), 0);
	/* One that is not whole yet. */
	send_part(0, 18, 0, 8, false);
	r = (struct track_message_refused){ .frame = 78, .key = 18, .opcode = IBW_RDMAP_SEND };
	track_messages_refused(messages, &place, &r, &at);
	CHECK(!next());
	send_part(0, 18, 8, 8, true);
	m = next();
	CHECK(m && m->msn == 18 && m->outcome == TRACK_MESSAGE_REFUSED && m->length == 16);
	end();
}

static bool of_port_7(const void *user, const struct track_flow *flow)
{
	return flow->dqpn == *(const uint32_t *)user;
}

/* One that begins ends what is in its slot; what nobody asks for is not looked at. */
static void test_slots(void)
{
	static const uint32_t port = 7;
	struct track_message_place place = of_stream(0);
	const struct track_message_out *m;

	check_case("slots");
	begin(0);
	send_part(0, 1, 0, 8, false);
	send_part(0, 2, 0, 8, false);
	m = next();
	CHECK(m && m->msn == 1 && m->outcome == TRACK_MESSAGE_UNFINISHED);
	send_part(0, 2, 8, 8, false);
	send_part(0, 2, 16, 8, true);
	send_part(0, 3, 8, 8, true);
	CHECK_EQ(track_messages_headless(messages), 1);
	track_messages_headless_segment(messages, &place);
	CHECK_EQ(track_messages_headless(messages), 2);
	track_messages_choose(messages, of_port_7, &port);
	track_messages_headless_segment(messages, &place);
	send_part(0, 4, 0, 8, true);
	send_part(0, 5, 8, 8, true);
	CHECK_EQ(track_messages_headless(messages), 2);
	place.flow.dqpn = 7;
	track_messages_headless_segment(messages, &place);
	CHECK_EQ(track_messages_headless(messages), 3);
	track_messages_finish(messages);
	m = next();
	CHECK(m && m->msn == 2 && m->length == 24 && !next());
	end();
}

int main(void)
{
	test_order();
	test_answers();
	test_unanswered();
	test_open();
	test_early();
	test_asked();
	test_memory();
	test_responses();
	test_refused();
	test_slots();
	return check_end();
}
