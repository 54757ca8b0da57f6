/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Halves and the connections they make: what each kind of evidence pairs, what contradicts it,
 * QPs used again, the same QPN at several hosts, and room that runs out.
 */
#include "check.h"
#include "cm_mad.h"
#include <glib.h>
#include <ibwire/cm.h>
#include <ibwire/ibwire.h>
#include <ibwire/mad_walk.h>
#include <ibwire/packet.h>
#include <track/conn/conn.h>

enum { A = 0x0a070001, B = 0x0a070002, C = 0x0a070003 };

static struct track_cm *cm_tracker;
static struct track_conn *conn;
static uint64_t frame_number, now_ns;
static uint32_t max_halves;
static uint16_t port;
static bool v6;
static uint32_t dmalen; /* of READ Requests */

/* The next packet. */
static const struct track_at *at(void)
{
	static struct track_at packet;

	packet = (struct track_at){ ++frame_number, ++now_ns, 0 };
	return &packet;
}

/* What the trackers see of the packets of a case, and say of it. */
static GArray *summaries; /* struct track_packet */
static struct track_events events;
static bool has_cm;
static struct track_at finished; /* the last packet of the capture; frame 0: it goes on */

static void feed(const struct ibw_packet *pkt)
{
	struct track_packet *p = track_conn_next(conn);

	if (!track_packet_of(p, pkt, at(), false))
		return;
	g_array_append_val(summaries, *p);
	track_conn_feed(conn);
}

static void new_queue(struct track_events *q)
{
	*q = (struct track_events){ .event = g_new0(struct track_event, TRACK_EVENTS_MAX) };
}

static void begin(const char *name, uint32_t max)
{
	check_case("%s", name);
	cm_tracker = track_cm_new(max);
	conn = track_conn_new(max, cm_tracker);
	new_queue(&events);
	track_conn_events(conn, &events);
	summaries = g_array_new(FALSE, FALSE, sizeof(struct track_packet));
	max_halves = max;
	has_cm = false;
	finished = (struct track_at){ 0 };
	frame_number = now_ns = 0;
	port = 0xd000;
	v6 = false;
}

/* The same without the packets, and one by one, ends as it did. */
static void replay(uint64_t count, uint64_t evicted)
{
	struct track_cm *nothing = track_cm_new(1);
	struct track_conn *again = track_conn_new(max_halves, nothing);
	struct track_events q;
	unsigned int i;

	new_queue(&q);
	track_conn_events(again, &q);
	for (i = 0; i < summaries->len; i++) {
		*track_conn_next(again) = g_array_index(summaries, struct track_packet, i);
		track_conn_feed(again);
		track_conn_flush(again);
	}
	if (finished.frame)
		CHECK(track_conn_finish(again, &finished));
	CHECK_EQ(track_conn_count(again), count);
	CHECK_EQ(track_conn_evicted(again), evicted);
	CHECK_EQ(q.lost, events.lost);
	if (CHECK_EQ(q.n, events.n))
		CHECK(memcmp(q.event, events.event, q.n * sizeof(*q.event)) == 0);
	track_conn_free(again);
	track_cm_free(nothing);
	g_free(q.event);
}

static void end(uint64_t count, uint64_t evicted)
{
	track_conn_flush(conn);
	CHECK_EQ(track_conn_count(conn), count);
	CHECK_EQ(track_conn_evicted(conn), evicted);
	if (!has_cm)
		replay(count, evicted);
	track_conn_free(conn);
	track_cm_free(cm_tracker);
	g_array_free(summaries, TRUE);
	g_free(events.event);
	check_case("%s", "");
}

/* The capture ends. */
static void finish(void)
{
	finished = (struct track_at){ frame_number, now_ns, 0 };
	CHECK(track_conn_finish(conn, &finished));
}

/* A RoCE v2 packet, IPv4 or of the mapped addresses in IPv6. */
static void packet(struct ibw_packet *pkt, uint8_t opcode, uint32_t src, uint32_t dst,
		   uint32_t dqpn, uint32_t psn, uint8_t syndrome)
{
	static uint8_t bytes[256];
	uint32_t net = (uint32_t)(v6 ? ibw_ipv6_BYTES : ibw_ipv4_BYTES), len = net + ibw_udp_BYTES;
	struct ibw_ipv4_wire *ipv4 = (struct ibw_ipv4_wire *)bytes;
	struct ibw_ipv6_wire *ipv6 = (struct ibw_ipv6_wire *)bytes;
	struct ibw_udp_wire *udp = (struct ibw_udp_wire *)(bytes + net);
	struct ibw_bth_wire *bth = (struct ibw_bth_wire *)(bytes + len);

	memset(bytes, 0, sizeof(bytes));
	len += (uint32_t)ibw_bth_BYTES + ibw_opcodes[opcode].eths_bytes + IBW_ICRC_BYTES;
	if (v6) {
		ibw_ipv6_set_version(ipv6, 6);
		ibw_ipv6_set_paylen(ipv6, (uint16_t)(len - net));
		ibw_ipv6_set_nxthdr(ipv6, IBW_IP_PROTO_UDP);
		ibw_put_be16(bytes + 18, 0xffff); /* ::ffff:a.b.c.d */
		ibw_put_be16(bytes + 34, 0xffff);
		ibw_put_be32(bytes + 20, src);
		ibw_put_be32(bytes + 36, dst);
	} else {
		ibw_ipv4_set_version(ipv4, 4);
		ibw_ipv4_set_ihl(ipv4, 5);
		ibw_ipv4_set_total_len(ipv4, (uint16_t)len);
		ibw_ipv4_set_protocol(ipv4, IBW_IP_PROTO_UDP);
		ibw_ipv4_set_src(ipv4, src);
		ibw_ipv4_set_dst(ipv4, dst);
	}
	ibw_udp_set_sport(udp, port);
	ibw_udp_set_dport(udp, IBW_UDP_PORT_ROCE);
	ibw_udp_set_length(udp, (uint16_t)(len - net));
	ibw_bth_set_opcode(bth, opcode);
	ibw_bth_set_dqpn(bth, dqpn);
	ibw_bth_set_psn(bth, psn & 0xffffff);
	if (ibw_opcodes[opcode].eths & IBW_ETH_AETH)
		((uint8_t *)bth)[ibw_bth_BYTES] = syndrome;
	if (opcode == IBW_OP_RC_RDMA_READ_REQUEST)
		ibw_put_be32((uint8_t *)bth + ibw_bth_BYTES + 12, dmalen);
	CHECK_EQ(ibw_packet_walk(pkt, bytes, len, len, v6 ? IBW_LINKTYPE_IPV6 : IBW_LINKTYPE_IPV4,
				 NULL),
		 IBW_OK);
}

static void send_as(uint8_t opcode, uint32_t src, uint32_t dst, uint32_t dqpn, uint32_t psn,
		    uint8_t syndrome)
{
	struct ibw_packet pkt;

	packet(&pkt, opcode, src, dst, dqpn, psn, syndrome);
	now_ns += 1000;
	feed(&pkt);
}

static void request(uint32_t src, uint32_t dst, uint32_t dqpn, uint32_t psn)
{
	send_as(IBW_OP_RC_SEND_ONLY, src, dst, dqpn, psn, 0);
}

static void ack(uint32_t src, uint32_t dst, uint32_t dqpn, uint32_t psn)
{
	send_as(IBW_OP_RC_ACKNOWLEDGE, src, dst, dqpn, psn, IBW_AETH_ACK_UNLIMITED);
}

static const struct track_half *half(uint32_t src, uint32_t dst, uint32_t dqpn)
{
	struct track_flow flow = { .dqpn = dqpn, .address = TRACK_ADDRESS_IPV4 };

	ibw_put_be32(flow.src + 12, src);
	ibw_put_be32(flow.dst + 12, dst);
	track_conn_flush(conn);
	return track_conn_half(conn, &flow);
}

/* Whether A's QP @a and B's QP @b are one connection, by this evidence. */
static bool paired(uint32_t a, uint32_t b, enum track_evidence evidence)
{
	const struct track_half *to_b = half(A, B, b), *to_a = half(B, A, a);

	return to_b && to_a && track_conn_peer(conn, to_b) == to_a &&
	       track_conn_peer(conn, to_a) == to_b && track_conn_evidence(to_a) == evidence &&
	       track_conn_evidence(to_b) == evidence;
}

static bool unpaired(const struct track_half *h)
{
	return h && !track_conn_peer(conn, h) && track_conn_evidence(h) == TRACK_UNPAIRED;
}

/* rdma_calc_flow_label() and rdma_flow_label_to_udp_sport(): Linux 6.12, ib_verbs.h:4801, 4778 */
static uint16_t linux_port(uint64_t a, uint64_t b)
{
	uint64_t v = a * b;

	v ^= v >> 20;
	v ^= v >> 40;
	v &= 0xfffff;
	return (uint16_t)(0xc000 | ((v & 0x3fff) ^ v >> 14));
}

/* CM messages */

static void cm(uint16_t attr_id, const void *message, uint32_t src, uint32_t dst)
{
	uint8_t bytes[IBW_MAD_BYTES];
	struct track_mad mad = { .p = bytes, .n = sizeof(bytes) };
	const struct track_at *now = at();
	struct track_cm_news news;
	struct ibw_packet pkt;

	cm_mad(bytes, attr_id, message);
	packet(&pkt, IBW_OP_UD_SEND_ONLY, src, dst, IBW_QPN_GSI, 0, 0);
	has_cm = true;
	track_conn_flush(conn);
	track_cm_feed(cm_tracker, &pkt, &mad, now->frame, false, &news);
	track_conn_cm(conn, &news, now);
}

/* The primary path goes between other addresses than the MAD: those of port 2. */
static void req(uint32_t src, uint32_t dst, uint32_t id, uint32_t qpn, uint32_t path_src,
		uint32_t path_dst)
{
	uint8_t message[140] = { 0 }, gid[16] = { [10] = 0xff, [11] = 0xff };
	struct ibw_cm_req_wire *wire = (struct ibw_cm_req_wire *)message;

	ibw_cm_req_set_local_comm_id(wire, id);
	ibw_cm_req_set_local_qpn(wire, qpn);
	ibw_put_be32(gid + 12, path_src);
	ibw_cm_req_set_primary_local_gid(wire, gid);
	ibw_put_be32(gid + 12, path_dst);
	ibw_cm_req_set_primary_remote_gid(wire, gid);
	ibw_cm_req_set_primary_local_lid(wire, 4);
	ibw_cm_req_set_primary_remote_lid(wire, 8);
	cm(IBW_ATTR_CM_REQ, message, src, dst);
}

static void rep(uint32_t src, uint32_t dst, uint32_t remote_id, uint32_t qpn)
{
	uint8_t message[140] = { 0 };
	struct ibw_cm_rep_wire *wire = (struct ibw_cm_rep_wire *)message;

	ibw_cm_rep_set_remote_comm_id(wire, remote_id);
	ibw_cm_rep_set_local_qpn(wire, qpn);
	cm(IBW_ATTR_CM_REP, message, src, dst);
}

static void set_up(uint32_t id, uint32_t a, uint32_t b)
{
	req(A, B, id, a, A, B);
	rep(B, A, id, b);
}

/* RC over native InfiniBand, no GRH. */
static void local_route(uint8_t opcode, uint16_t slid, uint16_t dlid, uint32_t dqpn)
{
	uint8_t bytes[64] = { 0 };
	struct ibw_lrh_wire *lrh = (struct ibw_lrh_wire *)bytes;
	struct ibw_bth_wire *bth = (struct ibw_bth_wire *)(bytes + ibw_lrh_BYTES);
	uint32_t words = (uint32_t)(ibw_lrh_BYTES + ibw_bth_BYTES + ibw_opcodes[opcode].eths_bytes +
				    IBW_ICRC_BYTES) /
			 4;
	struct ibw_packet pkt;

	ibw_lrh_set_lnh(lrh, IBW_LNH_LOCAL);
	ibw_lrh_set_slid(lrh, slid);
	ibw_lrh_set_dlid(lrh, dlid);
	ibw_lrh_set_pktlen(lrh, (uint16_t)words);
	ibw_bth_set_opcode(bth, opcode);
	ibw_bth_set_dqpn(bth, dqpn);
	CHECK_EQ(ibw_packet_walk(&pkt, bytes, words * 4 + 2, words * 4 + 2, IBW_LINKTYPE_INFINIBAND,
				 NULL),
		 IBW_OK);
	feed(&pkt);
}

static void by_cm(void)
{
	begin("CM", 100);
	set_up(1, 0x11, 0x21);
	CHECK_EQ(track_conn_count(conn), 0); /* no packet yet */
	request(A, B, 0x21, 0);
	CHECK(unpaired(half(A, B, 0x21)));
	ack(B, A, 0x12, 0); /* of another connection */
	CHECK(unpaired(half(A, B, 0x21)));
	ack(B, A, 0x11, 0);
	CHECK(paired(0x11, 0x21, TRACK_BY_CM));
	CHECK_EQ(track_conn_first_frame(conn, half(B, A, 0x11)), 3);
	CHECK_EQ(track_conn_first_frame(conn, half(A, B, 0x21)), 3);
	v6 = true; /* the same ends */
	request(A, B, 0x21, 1);
	end(2, 0);

	begin("CM: messages of one path, packets of another, and of LIDs", 100);
	req(A, B, 1, 0x11, C, B);
	rep(B, A, 1, 0x21);
	request(C, B, 0x21, 0);
	ack(B, C, 0x11, 0);
	CHECK(track_conn_peer(conn, half(C, B, 0x21)) == half(B, C, 0x11));
	local_route(IBW_OP_RC_SEND_ONLY, 4, 8, 0x21);
	local_route(IBW_OP_RC_ACKNOWLEDGE, 8, 4, 0x11);
	local_route(IBW_OP_RC_ACKNOWLEDGE, 8, 4, 0x12);
	end(1 + 1 + 1, 0);

	begin("CM: a REP without its REQ", 100);
	req(A, B, 1, 0x11, A, B);
	rep(B, A, 2, 0x21);
	rep(C, A, 1, 0x21);
	request(A, B, 0x21, 0);
	ack(B, A, 0x11, 0);
	CHECK(unpaired(half(A, B, 0x21)));
	end(1, 0);

	begin("CM: the same QPN at several hosts", 100);
	req(A, B, 1, 0x11, A, B);
	rep(B, A, 1, 0x11);
	req(A, C, 2, 0x11, A, C); /* a QP of B's and one of C's have one number */
	rep(C, A, 2, 0x11);
	request(A, C, 0x11, 0);
	request(A, B, 0x11, 0);
	ack(B, A, 0x11, 0);
	ack(C, A, 0x11, 0);
	CHECK(paired(0x11, 0x11, TRACK_BY_CM));
	CHECK(track_conn_peer(conn, half(A, C, 0x11)) == half(C, A, 0x11));
	end(2, 0);

	begin("CM: packets in front of the REP", 100);
	req(A, B, 1, 0x11, A, B);
	request(A, B, 0x21, 0);
	ack(B, A, 0x11, 0);
	rep(B, A, 1, 0x21);
	CHECK(paired(0x11, 0x21, TRACK_BY_CM));
	end(1, 0);
}

static void used_again(void)
{
	begin("a QP used again", 100);
	set_up(1, 0x11, 0x21);
	request(A, B, 0x21, 0);
	ack(B, A, 0x11, 0);
	set_up(1, 0x11, 0x21); /* repeated messages begin nothing */
	CHECK_EQ(track_conn_first_frame(conn, half(A, B, 0x21)), 3);
	CHECK(paired(0x11, 0x21, TRACK_BY_CM));
	CHECK_EQ(track_conn_count(conn), 1);
	set_up(2, 0x11, 0x22);
	CHECK(!half(B, A, 0x11));
	CHECK_EQ(track_conn_count(conn), 1);
	ack(B, A, 0x11, 0);
	request(A, B, 0x22, 0);
	CHECK(paired(0x11, 0x22, TRACK_BY_CM));
	CHECK(!track_conn_peer(conn, half(A, B, 0x21)));
	request(A, B, 0x21, 5); /* a late packet of the first one */
	CHECK_EQ(track_conn_count(conn), 2);
	set_up(3, 0x11, 0x22);
	request(A, B, 0x22, 0);
	ack(B, A, 0x11, 0);
	CHECK(paired(0x11, 0x22, TRACK_BY_CM));
	CHECK_EQ(track_conn_first_frame(conn, half(B, A, 0x11)), frame_number - 1);
	end(3, 0);

	begin("a QP used again: one direction was seen", 100);
	set_up(1, 0x11, 0x21);
	ack(B, A, 0x11, 0);
	set_up(2, 0x11, 0x21);
	ack(B, A, 0x11, 0);
	end(2, 0);
}

/* The doubt of the only half that ended since the last call. */
static uint16_t doubt_of_ended(void)
{
	unsigned int i, n = 0;
	uint16_t doubt = 0;

	track_conn_flush(conn);
	for (i = 0; i < events.n; i++) {
		if (events.event[i].kind != TRACK_EVENT_HALF_ENDED)
			continue;
		doubt = events.event[i].doubt;
		n++;
	}
	CHECK_EQ(n, 1);
	events.n = 0;
	return doubt;
}

/* One after the other, by the REQ of the end whose QP is used again. */
static void ends_apart(void)
{
	begin("two halves that end apart", 100);
	set_up(1, 0x11, 0x21);
	request(A, B, 0x21, 0);
	ack(B, A, 0x11, 0);
	track_conn_flush(conn);
	events.n = 0;
	req(A, B, 2, 0x11, A, B);
	CHECK_EQ(doubt_of_ended(), 0);
	req(B, A, 3, 0x21, B, A);
	CHECK_EQ(doubt_of_ended(), 0); /* the other one was captured, too */
	end(1, 0);

	begin("two halves that end apart, and were no pair", 100);
	request(A, B, 0x21, 0);
	request(B, A, 0x11, 0);
	track_conn_flush(conn);
	events.n = 0;
	req(A, B, 2, 0x11, A, B);
	CHECK_EQ(doubt_of_ended() & TRACK_DOUBT_ONE_WAY, 0); /* the other one may be its own */
	req(B, A, 3, 0x21, B, A);
	CHECK_EQ(doubt_of_ended() & TRACK_DOUBT_ONE_WAY, TRACK_DOUBT_ONE_WAY);
	end(1, 0);
}

static void by_port(void)
{
	static const uint32_t equal = 0x11;

	begin("ports: the same QPN at both hosts", 100);
	port = linux_port(equal, equal);
	request(A, B, equal, 0);
	ack(B, A, equal, 0);
	CHECK(paired(equal, equal, TRACK_BY_PORT));
	end(1, 0);

	begin("ports: a host to itself", 100);
	port = linux_port(0x11, 0x12);
	request(A, A, 0x12, 0);
	ack(A, A, 0x11, 0);
	CHECK(track_conn_peer(conn, half(A, A, 0x12)) == half(A, A, 0x11));
	end(1, 0);

	begin("ports: the hash of the two QPNs", 100);
	port = linux_port(0x48, 0x123456);
	request(A, B, 0x123456, 0);
	ack(B, A, 0x49, 0); /* the port, but not the hash */
	CHECK(unpaired(half(B, A, 0x49)));
	ack(C, A, 0x48, 0); /* other hosts */
	CHECK(unpaired(half(C, A, 0x48)));
	ack(B, A, 0x48, 0);
	CHECK(paired(0x48, 0x123456, TRACK_BY_PORT));
	CHECK(unpaired(half(B, A, 0x49)));
	end(1 + 1 + 1, 0);

	begin("ports: the hash one way only", 100);
	port = linux_port(0x48, 0x123456);
	request(A, B, 0x123456, 0);
	port++;
	ack(B, A, 0x48, 0);
	CHECK(unpaired(half(B, A, 0x48)));
	end(1, 0);

	begin("ports: CM says otherwise", 100);
	set_up(1, 0x50, 0x123456);
	port = linux_port(0x48, 0x123456);
	request(A, B, 0x123456, 0);
	ack(B, A, 0x48, 0);
	CHECK(unpaired(half(B, A, 0x48)));
	ack(B, A, 0x50, 0);
	CHECK(paired(0x50, 0x123456, TRACK_BY_CM));
	end(2, 0);

	begin("ports: two of one hash", 100);
	port = linux_port(0, 1);
	request(A, B, 0x21, 0);
	request(A, B, 0x22, 0);
	ack(B, A, 0, 0); /* 0 times anything */
	CHECK(unpaired(half(B, A, 0)));
	end(2, 0);
}

/* @n queue pairs A 0x11.. and B 0x21.. that do the same at the same time; PSNs from 0. */
static void lockstep(unsigned int n, unsigned int rounds)
{
	unsigned int i, psn;

	for (psn = 0; psn < rounds; psn++) {
		for (i = 0; i < n; i++)
			request(A, B, 0x21 + i, psn);
		for (i = 0; i < n; i++)
			ack(B, A, 0x11 + i, psn);
	}
}

/* Pairs there are, and those among them that are wrong, where 0x11 + i is of 0x21 + i. */
static unsigned int pairs(unsigned int n, unsigned int *wrong)
{
	const struct track_half *peer;
	unsigned int i, found = 0;

	for (i = *wrong = 0; i < n; i++) {
		peer = half(B, A, 0x11 + i) ? track_conn_peer(conn, half(B, A, 0x11 + i)) : NULL;
		found += peer != NULL;
		*wrong += peer && peer != half(A, B, 0x21 + i);
	}
	return found;
}

static void by_acks(void)
{
	static const uint32_t first[] = { 0xfffffe, 7, 0x100000, 0x400000 };
	unsigned int i, j, wrong;

	begin("ACKs: PSNs from anywhere, across the wrap", 100);
	for (i = 0; i < 3; i++) {
		for (j = 0; j < 4; j++)
			CHECK(unpaired(half(A, B, 0x21 + j)) || !i);
		for (j = 0; j < 4; j++)
			request(A, B, 0x21 + j, first[j] + i);
		for (j = 0; j < 4; j++)
			ack(B, A, 0x11 + j, first[j] + i);
	}
	for (j = 0; j < 4; j++)
		CHECK(paired(0x11 + j, 0x21 + j, TRACK_BY_ACKS));
	end(4, 0);

	begin("ACKs: the same one again, NAKs, late ones", 100);
	request(A, B, 0x22, 0x500000); /* not the only one */
	request(A, B, 0x21, 5);
	for (i = 0; i < 9; i++)
		ack(B, A, 0x11, 5);
	for (i = 6; i < 15; i++) {
		request(A, B, 0x21, i);
		send_as(IBW_OP_RC_ACKNOWLEDGE, B, A, 0x11, i, IBW_AETH_TYPE_NAK);
	}
	for (i = 15; i < 30; i++) {
		request(A, B, 0x21, i);
		now_ns += 1100000000;
		ack(B, A, 0x11, i);
	}
	CHECK(unpaired(half(A, B, 0x21)));
	end(2, 0);

	begin("ACKs: of what was not requested", 100);
	request(A, B, 0x21, 5);
	ack(B, A, 0x11, 5);
	ack(B, A, 0x11, 90);
	for (i = 6; i < 15; i++) {
		request(A, B, 0x21, i);
		ack(B, A, 0x11, i);
	}
	CHECK(unpaired(half(A, B, 0x21)));
	end(1, 0);

	begin("ACKs: two that mean one", 100);
	for (i = 0; i < 9; i++) {
		request(A, B, 0x21, i);
		ack(B, A, 0x11, i);
		ack(B, A, 0x12, i);
	}
	CHECK(unpaired(half(A, B, 0x21)));
	end(2, 0);

	begin("ACKs: 8 queue pairs in step from PSN 0", 100);
	lockstep(8, 2000);
	CHECK_EQ(pairs(8, &wrong), 0);
	CHECK_EQ(wrong, 0);
	end(8, 0);

	begin("ACKs: 8 queue pairs one after the other from PSN 0", 100);
	for (i = 0; i < 8; i++)
		for (j = 0; j < 9; j++) {
			request(A, B, 0x21 + i, j);
			ack(B, A, 0x11 + i, j);
		}
	CHECK_EQ(pairs(8, &wrong), 8);
	CHECK_EQ(wrong, 0);
	end(8, 0);

	begin("ACKs: too many to tell", 1000);
	for (i = 0; i < 100; i++)
		request(A, B, 0x21 + i, 0x10000 * i);
	for (i = 0; i < 9; i++) {
		request(A, B, 0x21, i);
		ack(B, A, 0x11, i);
	}
	CHECK(unpaired(half(B, A, 0x11)));
	end(100, 0);
}

/* 8 queue pairs that start at PSN 0 and go on at random, seen with holes: no pair may be wrong. */
static void at_random(void)
{
	unsigned int round, step, i, found = 0, wrong, done = 0;
	uint32_t x = 1;

	for (round = 0; round < 400; round++) {
		uint32_t next[8] = { 0 };

		begin("8 queue pairs at random from PSN 0", 100);
		for (step = 0; step < 3000; step++) {
			x ^= x << 13;
			x ^= x >> 17;
			x ^= x << 5;
			i = x % 8;
			if (x >> 8 & 1)
				request(A, B, 0x21 + i, next[i]++);
			else if (next[i] && x >> 16 & 3)
				ack(B, A, 0x11 + i, next[i] - 1);
		}
		found += pairs(8, &wrong);
		done += wrong;
		end(8, 0);
	}
	CHECK_EQ(done, 0);
	CHECK(found > 2000); /* of 3200: what moves apart can be told */
}

/* A READ of @bytes, and the responses of PSN @from to @to. */
static void read_of(uint32_t bytes, uint32_t psn, uint32_t from, uint32_t to)
{
	dmalen = bytes;
	send_as(IBW_OP_RC_RDMA_READ_REQUEST, A, B, 0x21, psn, 0);
	for (; from <= to; from++)
		send_as(IBW_OP_RC_RDMA_READ_RESPONSE_MIDDLE, B, A, 0x11, from, 0);
}

static void only_pair(void)
{
	begin("only: a request and its NAK", 100);
	request(A, B, 0x21, 7);
	send_as(IBW_OP_RC_ACKNOWLEDGE, B, A, 0x11, 7, IBW_AETH_NAK_REMOTE_ACCESS);
	CHECK(unpaired(half(A, B, 0x21)));
	finish();
	CHECK(paired(0x11, 0x21, TRACK_BY_ONLY));
	end(1, 0);

	begin("only: READ responses; three are enough", 100);
	read_of(3000, 7, 7, 8);
	CHECK(unpaired(half(A, B, 0x21)));
	send_as(IBW_OP_RC_RDMA_READ_RESPONSE_LAST, B, A, 0x11, 9, 0);
	CHECK(paired(0x11, 0x21, TRACK_BY_ONLY));
	request(A, B, 0x22, 9);
	finish();
	CHECK(paired(0x11, 0x21, TRACK_BY_ONLY));
	end(2, 0);

	begin("only: another queue pair comes after two answers", 100);
	read_of(3000, 7, 7, 8);
	request(A, B, 0x22, 9);
	finish();
	CHECK(unpaired(half(A, B, 0x21)));
	end(2, 0);

	begin("only: another one that answers", 100);
	request(A, B, 0x21, 7);
	ack(B, A, 0x11, 7);
	ack(B, A, 0x12, 7);
	finish();
	CHECK(unpaired(half(A, B, 0x21)));
	end(2, 0);

	begin("only: no answer, and one before any request", 100);
	ack(B, A, 0x11, 7);
	request(A, B, 0x21, 7);
	request(B, A, 0x11, 7);
	finish();
	CHECK(unpaired(half(A, B, 0x21)));
	end(1, 0);

	begin("only: an answer to what was not requested", 100);
	request(A, B, 0x21, 7);
	ack(B, A, 0x11, 7);
	ack(B, A, 0x11, 8);
	finish();
	CHECK(unpaired(half(A, B, 0x21)));
	end(1, 0);

	begin("only: an answer of another kind", 100);
	request(A, B, 0x21, 7);
	ack(B, A, 0x11, 7);
	request(A, B, 0x21, 8);
	send_as(IBW_OP_RC_ATOMIC_ACKNOWLEDGE, B, A, 0x11, 8, 0);
	finish();
	CHECK(unpaired(half(A, B, 0x21)));
	end(1, 0);

	begin("only: no READ takes so many", 100);
	read_of(512, 7, 7, 9);
	finish();
	CHECK(unpaired(half(A, B, 0x21)));
	end(1, 0);

	begin("only: the capture begins between a request and its answer", 100);
	request(A, B, 0x21, 9);
	ack(B, A, 0x11, 8);
	ack(B, A, 0x11, 9);
	finish();
	CHECK(paired(0x11, 0x21, TRACK_BY_ONLY));
	end(1, 0);

	begin("only: what was before the first request is answered after that", 100);
	request(A, B, 0x21, 9);
	ack(B, A, 0x11, 9);
	ack(B, A, 0x11, 8);
	finish();
	CHECK(unpaired(half(A, B, 0x21)));
	end(1, 0);

	begin("only: too late", 100);
	request(A, B, 0x21, 7);
	now_ns += 1100000000;
	ack(B, A, 0x11, 7);
	finish();
	CHECK(unpaired(half(A, B, 0x21)));
	end(1, 0);

	begin("only: of one host", 100);
	request(A, A, 0x21, 7);
	ack(A, A, 0x11, 7);
	finish();
	CHECK(unpaired(half(A, A, 0x21)));
	end(1, 0);
}

static uint32_t some(uint32_t n)
{
	static uint32_t x = 1;

	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	return (x >> 8) % n;
}

/* A queue pair of A and one of B, and what is captured of them. */
struct talk {
	unsigned int i;
	bool b_asks, requests, answers, over;
	uint32_t psn;
};

static void asks(const struct talk *t, uint8_t opcode)
{
	if (t->requests)
		send_as(opcode, t->b_asks ? B : A, t->b_asks ? A : B,
			(t->b_asks ? 0x11 : 0x21) + t->i, t->psn, 0);
}

static unsigned int answers(const struct talk *t, uint8_t opcode, uint32_t psn, uint8_t syndrome)
{
	if (!t->answers)
		return 0;
	send_as(opcode, t->b_asks ? A : B, t->b_asks ? B : A, (t->b_asks ? 0x21 : 0x11) + t->i, psn,
		syndrome);
	return t->requests;
}

/* A request and what comes of it; whether it was answered, and both are in the capture. */
static unsigned int exchange(struct talk *t)
{
	unsigned int kind = some(10), packets, i, answered = 0;

	if (kind < 2) {
		packets = 1 + some(4);
		dmalen = 1024 * packets - some(1000);
		asks(t, IBW_OP_RC_RDMA_READ_REQUEST);
		for (i = 0; i < packets; i++)
			answered += answers(t, IBW_OP_RC_RDMA_READ_RESPONSE_MIDDLE, t->psn + i, 0);
		t->psn += packets;
		return answered;
	}
	asks(t, kind == 2 ? IBW_OP_RC_FETCH_ADD : IBW_OP_RC_SEND_ONLY);
	if (kind == 2) {
		answered = answers(t, IBW_OP_RC_ATOMIC_ACKNOWLEDGE, t->psn, 0);
	} else if (kind == 3) {
		answered = answers(t, IBW_OP_RC_ACKNOWLEDGE, t->psn, IBW_AETH_NAK_REMOTE_ACCESS);
		t->over = true;
	} else if (kind == 4) {
		answered = answers(t, IBW_OP_RC_ACKNOWLEDGE, t->psn, IBW_AETH_TYPE_RNR);
		asks(t, IBW_OP_RC_SEND_ONLY);
	} else if (kind < 9) {
		answered = answers(t, IBW_OP_RC_ACKNOWLEDGE, t->psn, IBW_AETH_ACK_UNLIMITED);
	}
	t->psn++;
	return answered;
}

/*
 * Short captures of one to three queue pairs each way, or of one direction of some of them. One that is alone, and was
 * answered, is found by that; none is joined to another one.
 */
static void short_ones(void)
{
	unsigned int round, i, n, wrong, found = 0, alone = 0, missed = 0, bad = 0, answered;
	struct talk talk[3], *t;

	for (round = 0; round < 4000; round++) {
		begin("short captures at random", 100);
		n = 1 + some(3);
		for (i = 0; i < n; i++) {
			talk[i] =
				(struct talk){ i, some(2), some(4), some(4), false, some(1 << 24) };
			if (n == 1 || (talk[i].requests && talk[i].answers && some(2)))
				talk[i].psn = some(2) ? 0 : 0xfffffe;
		}
		answered = 0;
		for (i = 0; frame_number < 2 + round % 19 && i < 40; i++) {
			t = &talk[some(n)];
			if (!t->over)
				answered += exchange(t);
		}
		finish();
		found += pairs(3, &wrong);
		bad += wrong;
		alone += n == 1 && answered;
		missed += n == 1 && answered && !paired(0x11, 0x21, TRACK_BY_ONLY) &&
			  !paired(0x11, 0x21, TRACK_BY_ACKS);
		end(track_conn_count(conn), 0);
	}
	CHECK_EQ(bad, 0);
	CHECK_EQ(missed, 0);
	CHECK(alone > 600 && found > alone);
}

static void counting(void)
{
	unsigned int i, turn;

	for (turn = 0; turn < 2; turn++) {
		begin("counting", 20000);
		v6 = turn;
		for (i = 0; i < 20000; i++) { /* request and answer, again and again */
			request(A, B, 100 + i % 5000, 0);
			ack(B, A, 9000 + i % 5000, 0);
		}
		send_as(IBW_OP_UC_SEND_ONLY, A, B, 100, 0, 0); /* a service of its own */
		send_as(IBW_OP_UD_SEND_ONLY, A, B, 77, 0, 0);  /* no connection */
		send_as(IBW_OP_CNP, B, A, 78, 0, 0);
		request(A, C, 100, 0); /* other hosts */
		request(C, C, 100, 0); /* a host to itself: two ... */
		ack(C, C, 101, 0);     /* ... halves, one connection */
		end(5000 + 1 + 1 + 1, 0);
	}
}

static void eviction(void)
{
	unsigned int i;

	begin("no room", 64);
	for (i = 0; i < 128; i++)
		request(A, B, i, 0);
	CHECK(!half(A, B, 63));
	CHECK(half(A, B, 64));
	end(64, 64);

	begin("no room: what is used stays", 256);
	for (i = 1; i < 1000; i++) {
		request(A, B, 0, 0);
		request(A, B, i, 0);
	}
	CHECK(half(A, B, 0) && track_conn_first_frame(conn, half(A, B, 0)) == 1);
	end(256, 1000 - 256);

	begin("no room: one of a pair goes and comes again", 64);
	set_up(1, 0x11, 0x21);
	request(A, B, 0x21, 0);
	ack(B, A, 0x11, 0);
	for (i = 0; i < 63; i++)
		request(B, C, i, 0);
	CHECK(!half(B, A, 0x11)); /* the other one was asked for when they were paired */
	CHECK(unpaired(half(A, B, 0x21)));
	CHECK_EQ(track_conn_count(conn), 64);
	request(A, B, 0x21, 1); /* of all others a packet was seen since its first */
	ack(B, A, 0x11, 1);
	CHECK(paired(0x11, 0x21, TRACK_BY_CM));
	end(63, 2);
}

int main(void)
{
	by_cm();
	used_again();
	ends_apart();
	by_port();
	by_acks();
	at_random();
	only_pair();
	short_ones();
	counting();
	eviction();
	return check_end();
}
