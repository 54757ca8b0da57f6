/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * message_back.c - packets to their message: every message of RC, UC and XRC around each path MTU is cut by
 * ibw_message_packet_at(), and comes back as the one message from ibw_message_take() and, as
 * packets of a connection whose both ends send it, from the trackers: the same operation, bytes, first and last
 * PSN, and not a word of a fault. Then packets that do not go on.
 */
#include "check.h"
#include "track/stream/qps.h"

#include <ibwire/crc.h>
#include <ibwire/ibwire.h>
#include <ibwire/packet.h>
#include <track/track.h>
#include <track/measure/measure.h>

#include <glib.h>

#define STEP_NS 2000u

static const uint32_t qpns[TRACK_WAYS] = { 0x111, 0x2222 };
static const uint32_t addresses[TRACK_WAYS] = { 0x0a070001, 0x0a070002 };

/* The capture: what both ends send, packet by packet. */
static struct {
	struct track *track;
	struct track_frame frame;
	enum track_way way; /* of the next packet */
	unsigned int faults;
} wire;

/* What is no fault. */
static bool is_usual(uint8_t kind)
{
	return kind == TRACK_EVENT_HALF_BEGUN || kind == TRACK_EVENT_PAIRED ||
	       kind == TRACK_EVENT_SETTLED || kind == TRACK_EVENT_PSN_WRAP ||
	       kind == TRACK_EVENT_RKEY_NOT_SEEN; /* nobody used the one that is invalidated */
}

static void read_events(void)
{
	const struct track_event *e;
	unsigned int n, i;

	e = track_events(wire.track, &n);
	for (i = 0; i < n; i++) {
		if (is_usual(e[i].kind))
			continue;
		wire.faults++;
		printf("%s: event %s\n", check_name, track_event_rows[e[i].kind].name);
	}
}

static void send(struct ibw_build *b)
{
	static uint8_t bytes[8192];
	const enum track_way to = wire.way == TRACK_A_TO_B ? TRACK_B_TO_A : TRACK_A_TO_B;
	struct track_view view;
	size_t n, len;

	b->kind = IBW_ICRC_ROCE_V2_IPV4;
	ibw_build_defaults(b);
	b->ipv4.src = addresses[wire.way];
	b->ipv4.dst = addresses[to];
	b->udp.sport = ibw_flow_label_to_sport(ibw_qpns_to_flow_label(qpns[wire.way], qpns[to]));
	b->bth.dqpn = qpns[to];
	n = ibw_build_headers(bytes, sizeof(bytes), b);
	if (!CHECK(n && n < 200))
		return;
	len = n + b->payload_len + (-b->payload_len & 3);
	memset(bytes + n, 0, len - n);
	ibw_icrc_put(bytes + len, ibw_icrc(IBW_ICRC_ROCE_V2_IPV4, bytes, len));
	len += IBW_ICRC_BYTES;
	wire.frame.number++;
	wire.frame.time_ns += STEP_NS;
	track_view_packet(&view, bytes, (uint32_t)len, (uint32_t)len, IBW_LINKTYPE_IPV4, NULL);
	CHECK_EQ(view.pkt.outcome, IBW_OK);
	track_feed(wire.track, &view, &wire.frame);
	read_events();
}

/* Its packets, from this end; each is taken, too. */
static void send_message(const struct ibw_message *m, uint32_t msn)
{
	struct ibw_message_join j = { .m.mtu = m->mtu };
	struct ibw_message_packet p = { 0 }, q;
	uint32_t i;

	for (i = 0; ibw_message_packet_at(m, i, &p); i++) {
		struct ibw_build b = { .reth.dmalen = m->bytes, .reth.rkey = 0x1234 };
		enum ibw_message_step want = IBW_MESSAGE_GOES_ON;

		if (m->operation == IBW_OPERATION_FLUSH)
			b.feth.plt = 1;
		if (m->operation == IBW_OPERATION_ATOMIC_WRITE)
			b.reth.dmalen = 8;
		b.reth.va = 0x10000;
		b.atomiceth.va = 0x10000;
		b.atomiceth.rkey = 0x1234;
		b.ieth.rkey = 0x1234;
		b.aeth.syndrome = 0x1f;
		b.aeth.msn = msn;
		ibw_message_fill(&b, &p);
		send(&b);
		q = p;
		q.offset = q.eths = 0xa5a5a5a5;
		if (i + 1 == ibw_message_packets(m))
			want = IBW_MESSAGE_COMPLETE;
		else if (i == 0)
			want = IBW_MESSAGE_BEGUN;
		CHECK_EQ(ibw_message_take(&j, &q, p.eths & IBW_ETH_RETH ? m->bytes : 0xa5a5), want);
		CHECK(q.offset == p.offset && q.eths == p.eths);
	}
	CHECK(i == ibw_message_packets(m) && !j.open && j.packets == i);
	CHECK(j.m.service == m->service && j.m.operation == m->operation && j.m.with == m->with);
	CHECK(j.m.psn == m->psn && j.m.mtu == m->mtu && j.m.bytes == m->bytes);
	CHECK(j.m.ackreq == p.ackreq && j.m.se == p.se);
}

/* What the other end answers to a request. */
static void answer(const struct ibw_message *m, uint32_t msn)
{
	struct ibw_message responses = *m;
	struct ibw_build b = { .aeth.syndrome = 0x1f, .aeth.msn = msn };

	if (m->service == IBW_SERVICE_UC)
		return;
	wire.way = wire.way == TRACK_A_TO_B ? TRACK_B_TO_A : TRACK_A_TO_B;
	b.bth.psn = ibw_psn_add(m->psn, ibw_message_psns(m) - 1);
	b.bth.opcode = (uint8_t)(m->service | IBW_OP_RC_ACKNOWLEDGE);
	switch (m->operation) {
	case IBW_OPERATION_READ_REQUEST:
	case IBW_OPERATION_FLUSH:
	case IBW_OPERATION_ATOMIC_WRITE: /* the last two: by a response without a payload */
		responses.operation = IBW_OPERATION_READ_RESPONSE;
		send_message(&responses, msn);
		break;
	case IBW_OPERATION_COMPARE_SWAP:
	case IBW_OPERATION_FETCH_ADD:
		b.bth.opcode = (uint8_t)(m->service | IBW_OP_RC_ATOMIC_ACKNOWLEDGE);
		send(&b);
		break;
	default:
		send(&b);
		break;
	}
	wire.way = wire.way == TRACK_A_TO_B ? TRACK_B_TO_A : TRACK_A_TO_B;
}

static enum track_verb verb_of(const struct ibw_message *m)
{
	switch (m->operation) {
	case IBW_OPERATION_SEND:
		return TRACK_VERB_SEND;
	case IBW_OPERATION_READ_REQUEST:
		return TRACK_VERB_READ;
	case IBW_OPERATION_COMPARE_SWAP:
	case IBW_OPERATION_FETCH_ADD:
		return TRACK_VERB_ATOMIC;
	case IBW_OPERATION_FLUSH:
		return TRACK_VERB_FLUSH;
	default:
		return TRACK_VERB_WRITE;
	}
}

/* The trackers know of one message this way, and it is this one. */
static void check_known(const struct track_dir *d, const struct ibw_message *m,
			uint64_t first_frame, uint64_t last_frame)
{
	const struct track_histogram *sizes = track_dir_samples(d, TRACK_SAMPLES_MESSAGE_BYTES);
	const bool is_uc = m->service == IBW_SERVICE_UC;
	unsigned int verb;

	for (verb = 0; verb < TRACK_VERB_COUNT; verb++)
		CHECK_EQ(d->messages[verb], verb == (unsigned int)verb_of(m));
	CHECK_EQ(track_measure_figure(d, TRACK_MEASURE_messages_begun), 1);
	CHECK_EQ(track_measure_figure(d, TRACK_MEASURE_messages_immediate),
		 m->with == IBW_WITH_IMMEDIATE);
	CHECK_EQ(track_measure_figure(d, TRACK_MEASURE_messages_invalidate),
		 m->with == IBW_WITH_INVALIDATE);
	CHECK_EQ(track_measure_figure(d, TRACK_MEASURE_messages_answered), !is_uc);
	CHECK_EQ(track_measure_figure(d, TRACK_MEASURE_requests_open), 0);
	CHECK_EQ(track_figure(d, TRACK_FIGURE_request_packets), ibw_message_packets(m));
	CHECK_EQ(d->psns.first & 0xffffff, m->psn);
	CHECK_EQ((d->psns.next - 1) & 0xffffff, ibw_psn_add(m->psn, ibw_message_psns(m) - 1));
	if (!is_uc) { /* which has nothing that ends it */
		CHECK_EQ(track_frame_figure(d, TRACK_FRAME_slowest_first_frame), first_frame);
		CHECK_EQ(track_frame_figure(d, TRACK_FRAME_slowest_last_frame), last_frame);
	}
	if (verb_of(m) == TRACK_VERB_ATOMIC || verb_of(m) == TRACK_VERB_FLUSH) {
		CHECK_EQ(track_histogram_count(sizes), 0); /* they have no size */
		return;
	}
	CHECK_EQ(track_histogram_count(sizes), 1);
	CHECK_EQ(sizes->max, m->operation == IBW_OPERATION_ATOMIC_WRITE ? 8 : m->bytes);
}

/* The message, from either end to the other, on one connection. */
static void test_message(struct ibw_message m)
{
	struct ibw_message back = m;
	uint64_t middle, first;
	struct track_qp **qps;
	unsigned int n;

	back.psn = ibw_psn_add(m.psn, 0x400001);
	memset(&wire, 0, sizeof(wire));
	wire.frame.time_ns = UINT64_C(1000000000);
	wire.track = track_new();
	track_want_streams(wire.track);
	track_want_events(wire.track);
	track_qps_want_measures(track_streams(wire.track));
	wire.way = TRACK_A_TO_B;
	send_message(&m, 0);
	answer(&m, 1);
	middle = wire.frame.number;
	wire.way = TRACK_B_TO_A;
	first = middle + 1;
	send_message(&back, 0);
	answer(&back, 1);
	while (track_finish(wire.track))
		read_events();
	read_events();
	CHECK_EQ(wire.faults, 0);
	qps = track_qps_sorted(track_streams(wire.track), &n);
	if (m.service == IBW_SERVICE_UC && n == 2) { /* nothing shows that they are one */
		check_known(&qps[0]->dir[TRACK_A_TO_B], &m, 1, middle);
		check_known(&qps[1]->dir[TRACK_A_TO_B], &back, first, wire.frame.number);
	} else if (CHECK_EQ(n, 1)) {
		check_known(&qps[0]->dir[TRACK_A_TO_B], &m, 1, middle);
		check_known(&qps[0]->dir[TRACK_B_TO_A], &back, first, wire.frame.number);
	}
	g_free(qps);
	track_free(wire.track);
}

/* Whatever there is a message of. */
static void test_all(void)
{
	static const uint8_t services[] = { IBW_SERVICE_RC, IBW_SERVICE_UC, IBW_SERVICE_XRC };
	static const uint8_t operations[] = {
		IBW_OPERATION_SEND,         IBW_OPERATION_WRITE,     IBW_OPERATION_READ_REQUEST,
		IBW_OPERATION_COMPARE_SWAP, IBW_OPERATION_FETCH_ADD, IBW_OPERATION_FLUSH,
		IBW_OPERATION_ATOMIC_WRITE,
	};
	unsigned int s, o, with, size, n = 0;
	struct ibw_message m;

	memset(&m, 0, sizeof(m));
	m.ackreq = true;
	m.psn = 0xfffffe;
	for (s = 0; s < G_N_ELEMENTS(services); s++)
		for (o = 0; o < G_N_ELEMENTS(operations); o++)
			for (with = 0; with <= IBW_WITH_INVALIDATE; with++)
				for (m.mtu = 256; m.mtu <= 4096; m.mtu *= 2)
					for (size = 0; size < 6; size++) {
						const uint32_t sizes[] = { 0,         1,
									   m.mtu - 1, m.mtu,
									   m.mtu + 1, 3 * m.mtu };

						m.service = services[s];
						m.operation = operations[o];
						m.with = (uint8_t)with;
						m.bytes = sizes[size];
						m.se = with == IBW_WITH_IMMEDIATE;
						if (ibw_message_check(&m))
							continue;
						check_case("service 0x%02x operation %u with %u, "
							   "%u bytes, MTU %u",
							   m.service, m.operation, with, m.bytes,
							   m.mtu);
						test_message(m);
						n++;
					}
	check_case("all");
	/* SEND of RC and XRC 3, of UC 2; WRITE 2 of each; READ of two: by 5 MTUs and 6 sizes; the rest without bytes */
	CHECK_EQ(n, (3 + 3 + 2 + 3 * 2 + 2) * 30 + 2 * 4 * 5);
}

static struct ibw_message_packet packet(uint8_t opcode, uint32_t psn, uint32_t bytes)
{
	struct ibw_message_packet p = { .opcode = opcode, .psn = psn, .bytes = bytes };

	return p;
}

static void take(struct ibw_message_join *j, uint8_t opcode, uint32_t psn, uint32_t bytes,
		 uint32_t dmalen, enum ibw_message_step want)
{
	struct ibw_message_packet p = packet(opcode, psn, bytes);
	const struct ibw_message_join before = *j;

	check_case("opcode 0x%02x, PSN 0x%06x, %u bytes", opcode, psn, bytes);
	CHECK_EQ(ibw_message_take(j, &p, dmalen), want);
	if (want == IBW_MESSAGE_BROKEN)
		CHECK_MEM(j, &before, sizeof(before));
}

/* What does not go on; what was expected does, after each. */
static void test_broken(void)
{
	struct ibw_message_join j;

	memset(&j, 0, sizeof(j));
	take(&j, IBW_OP_RC_SEND_ONLY, 1, 0, 0, IBW_MESSAGE_BROKEN); /* no path MTU */
	j.m.mtu = 1000;
	take(&j, IBW_OP_RC_SEND_ONLY, 1, 0, 0, IBW_MESSAGE_BROKEN);
	j.m.mtu = 1024;
	take(&j, 0x1f, 1, 0, 0, IBW_MESSAGE_BROKEN); /* not defined */
	take(&j, IBW_OP_RC_SEND_MIDDLE, 1, 1024, 0, IBW_MESSAGE_BROKEN);
	take(&j, IBW_OP_RC_SEND_LAST, 1, 24, 0, IBW_MESSAGE_BROKEN);
	take(&j, IBW_OP_RC_SEND_ONLY, 1, 1025, 0, IBW_MESSAGE_BROKEN);
	take(&j, IBW_OP_RC_SEND_FIRST, 1, 1023, 0, IBW_MESSAGE_BROKEN);
	take(&j, IBW_OP_RC_SEND_FIRST, 0xfffffe, 1024, 0, IBW_MESSAGE_BEGUN);
	take(&j, IBW_OP_RC_SEND_FIRST, 0xfffffe, 1024, 0, IBW_MESSAGE_BROKEN);
	take(&j, IBW_OP_RC_SEND_ONLY, 0xffffff, 1, 0, IBW_MESSAGE_BROKEN);
	take(&j, IBW_OP_RC_SEND_MIDDLE, 0xfffffe, 1024, 0, IBW_MESSAGE_BROKEN);
	take(&j, IBW_OP_RC_SEND_MIDDLE, 0, 1024, 0, IBW_MESSAGE_BROKEN);
	take(&j, IBW_OP_RC_SEND_MIDDLE, 0xffffff, 512, 0, IBW_MESSAGE_BROKEN);
	take(&j, IBW_OP_RC_RDMA_WRITE_MIDDLE, 0xffffff, 1024, 0, IBW_MESSAGE_BROKEN);
	take(&j, IBW_OP_XRC_SEND_MIDDLE, 0xffffff, 1024, 0, IBW_MESSAGE_BROKEN);
	take(&j, IBW_OP_RC_RDMA_READ_RESPONSE_MIDDLE, 0xffffff, 1024, 0, IBW_MESSAGE_BROKEN);
	take(&j, IBW_OP_RC_SEND_MIDDLE, 0xffffff, 1024, 0, IBW_MESSAGE_GOES_ON);
	take(&j, IBW_OP_RC_SEND_LAST, 0, 0, 0, IBW_MESSAGE_BROKEN);
	take(&j, IBW_OP_RC_SEND_LAST, 0, 1025, 0, IBW_MESSAGE_BROKEN);
	take(&j, IBW_OP_RC_SEND_LAST_WITH_INVALIDATE, 0, 1, 0, IBW_MESSAGE_COMPLETE);
	CHECK(j.m.bytes == 2049 && j.packets == 3 && j.m.with == IBW_WITH_INVALIDATE);
	/* A WRITE is as long as its RETH says. */
	take(&j, IBW_OP_RC_RDMA_WRITE_FIRST, 7, 1024, 1023, IBW_MESSAGE_BROKEN);
	take(&j, IBW_OP_RC_RDMA_WRITE_ONLY, 7, 5, 6, IBW_MESSAGE_BROKEN);
	take(&j, IBW_OP_RC_RDMA_WRITE_ONLY, 7, 0, 0, IBW_MESSAGE_COMPLETE);
	take(&j, IBW_OP_RC_RDMA_WRITE_FIRST, 7, 1024, 1030, IBW_MESSAGE_BEGUN);
	take(&j, IBW_OP_RC_RDMA_WRITE_LAST, 8, 5, 5, IBW_MESSAGE_BROKEN);
	take(&j, IBW_OP_RC_RDMA_WRITE_LAST, 8, 7, 7, IBW_MESSAGE_BROKEN);
	take(&j, IBW_OP_RC_RDMA_WRITE_LAST, 8, 6, 0, IBW_MESSAGE_COMPLETE);
	/* Others have no payload. */
	take(&j, IBW_OP_RC_RDMA_READ_REQUEST, 9, 4, 4, IBW_MESSAGE_BROKEN);
	take(&j, IBW_OP_RC_RDMA_READ_REQUEST, 9, 0, 0x80000001, IBW_MESSAGE_BROKEN);
	take(&j, IBW_OP_RC_RDMA_READ_REQUEST, 9, 0, 0x80000000, IBW_MESSAGE_COMPLETE);
	CHECK_EQ(j.m.bytes, 0x80000000);
	/* 2 GiB and no more, whatever the RETH says. */
	take(&j, IBW_OP_RC_SEND_FIRST, 1, 1024, 0, IBW_MESSAGE_BEGUN);
	j.m.bytes = 0x80000000 - 1024;
	take(&j, IBW_OP_RC_SEND_MIDDLE, 2, 1024, 0, IBW_MESSAGE_GOES_ON);
	take(&j, IBW_OP_RC_SEND_LAST, 3, 1, 0, IBW_MESSAGE_BROKEN);
	take(&j, IBW_OP_RC_SEND_MIDDLE, 3, 1024, 0, IBW_MESSAGE_BROKEN);
	j.open = false; /* given up */
	take(&j, IBW_OP_RC_SEND_ONLY, 1, 4, 0, IBW_MESSAGE_COMPLETE);
	CHECK(j.m.bytes == 4 && j.packets == 1);
}

int main(void)
{
	test_all();
	test_broken();
	return check_end();
}
