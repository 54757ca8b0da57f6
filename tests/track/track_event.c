/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Events of the trackers where room or time runs out: the queue, halves that make room, RMPP
 * transfers that wait, the end of the capture. What a whole conversation gives is in track_events.py.
 */
#include "check.h"
#include <ibwire/crc.h>
#include <ibwire/ibwire.h>
#include <ibwire/packet.h>
#include <track/mgmt/cm_event.h>
#include <track/track.h>
#include <track/way/qp_impl.h>

#include <glib.h>

#define SECOND UINT64_C(1000000000)

static struct track_events queue;
static struct track_at at;

static void begin(const char *name)
{
	check_case("%s", name);
	queue = (struct track_events){ .event = g_new(struct track_event, TRACK_EVENTS_MAX) };
	at = (struct track_at){ 0, SECOND, 0 };
}

static void end(void)
{
	g_free(queue.event);
	check_case("%s", "");
}

/* The next event is of this kind, in this frame. */
static const struct track_event *expect(unsigned int *i, enum track_event_kind kind, uint64_t frame)
{
	static const struct track_event none;

	if (!CHECK(*i < queue.n))
		return &none;
	CHECK_EQ(queue.event[*i].kind, kind);
	CHECK_EQ(queue.event[*i].frame, frame);
	return &queue.event[(*i)++];
}

/* Every event and number is named, and as one word; numbers have no gap at the start. */
static void tables(void)
{
	unsigned int i, j;

	check_case("tables");
	for (i = 0; i < TRACK_EVENT_COUNT; i++) {
		const struct track_event_row *row = &track_event_rows[i];

		CHECK(row->name && *row->name && !strchr(row->name, ' '));
		CHECK(row->text && *row->text);
		for (j = 0; j < i; j++)
			CHECK(strcmp(row->name, track_event_rows[j].name) != 0);
		CHECK(row->number[0].name);
		for (j = 0; j < TRACK_EVENT_NUMBERS; j++) {
			if (!row->number[j].name)
				continue;
			CHECK(row->number[j].title && *row->number[j].title);
			CHECK_EQ(row->number[j].names != NULL,
				 row->number[j].kind == IBW_KIND_ENUM ||
					 row->number[j].kind == IBW_KIND_ENUM_DEC ||
					 row->number[j].kind == IBW_KIND_MASK);
		}
	}
	for (i = 0; i < TRACK_DOUBT_COUNT; i++)
		CHECK(*track_doubt_rows[i].name && *track_doubt_rows[i].text &&
		      *track_doubt_rows[i].because);
	CHECK_EQ(TRACK_DOUBT_MTU, 0x100);
}

static void full_queue(void)
{
	struct track_event *e;
	unsigned int i;

	begin("the queue");
	CHECK(!track_event_add(NULL, TRACK_EVENT_PAIRED, &at));
	for (i = 0; i < TRACK_EVENTS_MAX + 3; i++)
		e = track_event_add(&queue, TRACK_EVENT_PAIRED, &at);
	CHECK(!e);
	CHECK_EQ(queue.n, TRACK_EVENTS_MAX);
	CHECK_EQ(queue.lost, 3);
	CHECK_EQ(track_events_room(&queue), 0);
	queue.n = 0;
	queue.doubt = TRACK_DOUBT_FILTERED;
	at = (struct track_at){ 7, 1, TRACK_DOUBT_CUT };
	e = track_event_add(&queue, TRACK_EVENT_PAIRED, &at);
	CHECK_EQ(e->doubt, TRACK_DOUBT_FILTERED | TRACK_DOUBT_CUT);
	for (i = 0; i < 20; i++)
		track_event_cause(e, i / 2);
	CHECK_EQ(e->n_frames, TRACK_EVENT_FRAMES);
	for (i = 0; i < TRACK_EVENT_FRAMES; i++)
		CHECK_EQ(e->frames[i], i + 1); /* neither twice nor 0 */
	end();
}

/* RC over IPv4, QP @dqpn at 10.7.0.2; returns its length. */
static uint16_t rc_bytes(uint8_t bytes[64], uint32_t dqpn)
{
	struct ibw_ipv4_wire *ip = (struct ibw_ipv4_wire *)bytes;
	struct ibw_udp_wire *udp = (struct ibw_udp_wire *)(bytes + ibw_ipv4_BYTES);
	struct ibw_bth_wire *bth = (struct ibw_bth_wire *)(udp->b + ibw_udp_BYTES);
	uint16_t len = ibw_ipv4_BYTES + ibw_udp_BYTES + ibw_bth_BYTES + IBW_ICRC_BYTES;

	ibw_ipv4_set_version(ip, 4);
	ibw_ipv4_set_ihl(ip, 5);
	ibw_ipv4_set_total_len(ip, len);
	ibw_ipv4_set_protocol(ip, IBW_IP_PROTO_UDP);
	ibw_ipv4_set_src(ip, 0x0a070001);
	ibw_ipv4_set_dst(ip, 0x0a070002);
	ibw_udp_set_dport(udp, IBW_UDP_PORT_ROCE);
	ibw_udp_set_length(udp, (uint16_t)(len - ibw_ipv4_BYTES));
	ibw_bth_set_opcode(bth, IBW_OP_RC_SEND_ONLY);
	ibw_bth_set_dqpn(bth, dqpn);
	ibw_icrc_put(bytes + len - IBW_ICRC_BYTES,
		     ibw_icrc(IBW_ICRC_ROCE_V2_IPV4, bytes, (size_t)len - IBW_ICRC_BYTES));
	return len;
}

static void rc(struct track_conn *conn, uint32_t dqpn)
{
	static uint8_t bytes[64];
	uint16_t len = rc_bytes(bytes, dqpn);
	struct ibw_packet pkt;

	CHECK_EQ(ibw_packet_walk(&pkt, bytes, len, len, IBW_LINKTYPE_IPV4, NULL), IBW_OK);
	at.frame++;
	CHECK(track_packet_of(track_conn_next(conn), &pkt, &at, false));
	track_conn_feed(conn);
}

/* A flood of flows whose events nobody reads, or that nobody asked for. */
static void flood(bool wanted, unsigned int n)
{
	struct track *t = track_new();
	struct track_frame frame = { 0 };
	struct track_view view;
	uint8_t bytes[64] = { 0 };
	unsigned int i, events;
	uint16_t len;

	check_case("%u flows", n);
	track_want_connections(t);
	if (wanted)
		track_want_events(t);
	for (i = 0; i < n; i++) {
		frame.number++;
		len = rc_bytes(bytes, i);
		track_view_packet(&view, bytes, len, len, IBW_LINKTYPE_IPV4, NULL);
		track_feed(t, &view, &frame);
	}
	CHECK_EQ(track_finish(t), wanted); /* of a full queue it cannot tell */
	CHECK_EQ(track_conn_count(track_connections(t)), n);
	track_events(t, &events);
	CHECK_EQ(events, wanted ? TRACK_EVENTS_MAX : 0);
	CHECK_EQ(track_events_lost(t), wanted ? n - TRACK_EVENTS_MAX : 0);
	CHECK(!track_finish(t));
	track_events(t, &events);
	CHECK_EQ(events, wanted ? 3 : 0); /* of all flows: their source port, DSCP and ECN */
	track_free(t);
	check_case("%s", "");
}

static void evictions(void)
{
	struct track_cm *cm = track_cm_new(1);
	struct track_conn *conn = track_conn_new(64, cm);
	const struct track_event *e;
	unsigned int i, n = 0;

	begin("halves that make room");
	track_conn_events(conn, &queue);
	for (i = 0; i < 256; i++)
		rc(conn, 0x100 + i);
	track_conn_flush(conn);
	for (i = 0; i < 256; i++) {
		if (i >= 64) {
			e = expect(&n, TRACK_EVENT_HALF_EVICTED, i + 1);
			CHECK_EQ(e->half, i - 63);
			CHECK_EQ(e->number[TRACK_HALF_EVICTED_dqpn], 0x100 + i - 64);
			CHECK_EQ(e->doubt, TRACK_DOUBT_MID_STREAM | TRACK_DOUBT_ONE_WAY);
		}
		e = expect(&n, TRACK_EVENT_HALF_BEGUN, i + 1);
		CHECK_EQ(e->half, i + 1);
		CHECK_EQ(e->number[TRACK_HALF_BEGUN_dqpn], 0x100 + i);
	}
	CHECK_EQ(n, queue.n);
	CHECK_EQ(track_conn_evicted(conn), 256 - 64);
	track_conn_free(conn);
	track_cm_free(cm);
	end();
}

/* Segment @seg of the transfer @tid of SA records, none the last. */
static void segment(struct track_rmpp *rmpp, uint64_t tid, uint32_t seg)
{
	static uint8_t bytes[512];
	uint32_t head = ibw_ipv4_BYTES + ibw_udp_BYTES + ibw_bth_BYTES + ibw_deth_BYTES;
	struct ibw_ipv4_wire *ip = (struct ibw_ipv4_wire *)bytes;
	struct ibw_udp_wire *udp = (struct ibw_udp_wire *)(bytes + ibw_ipv4_BYTES);
	struct ibw_bth_wire *bth = (struct ibw_bth_wire *)(udp->b + ibw_udp_BYTES);
	struct ibw_mad_wire *mad = (struct ibw_mad_wire *)(bytes + head);
	struct ibw_rmpp_wire *rmpp_header = (struct ibw_rmpp_wire *)(mad->b + ibw_mad_BYTES);
	uint16_t len = (uint16_t)(head + IBW_MAD_BYTES + IBW_ICRC_BYTES);
	struct ibw_packet pkt;

	ibw_ipv4_set_version(ip, 4);
	ibw_ipv4_set_ihl(ip, 5);
	ibw_ipv4_set_total_len(ip, len);
	ibw_ipv4_set_protocol(ip, IBW_IP_PROTO_UDP);
	ibw_udp_set_dport(udp, IBW_UDP_PORT_ROCE);
	ibw_udp_set_length(udp, (uint16_t)(len - ibw_ipv4_BYTES));
	ibw_bth_set_opcode(bth, IBW_OP_UD_SEND_ONLY);
	ibw_bth_set_dqpn(bth, 1);
	ibw_mad_set_base_version(mad, 1);
	ibw_mad_set_mgmt_class(mad, IBW_CLASS_SUBN_ADM);
	ibw_mad_set_class_version(mad, 2);
	ibw_mad_set_r(mad, 1);
	ibw_mad_set_tid(mad, tid);
	ibw_mad_set_attr_id(mad, IBW_ATTR_SA_NODE_REC);
	ibw_rmpp_set_version(rmpp_header, 1);
	ibw_rmpp_set_type(rmpp_header, IBW_RMPP_DATA);
	ibw_rmpp_set_flags(rmpp_header, IBW_RMPP_ACTIVE | (seg == 1 ? IBW_RMPP_FIRST : 0));
	ibw_rmpp_set_data1(rmpp_header, seg);
	CHECK_EQ(ibw_packet_walk(&pkt, bytes, len, len, IBW_LINKTYPE_IPV4, NULL), IBW_OK);
	at.frame++;
	track_rmpp_feed(rmpp, &pkt, bytes + head, IBW_MAD_BYTES, &at);
}

static void waiting(void)
{
	struct track_rmpp *rmpp = track_rmpp_new();
	const struct track_event *e;
	unsigned int i, n = 0;

	begin("transfers that wait");
	track_rmpp_events(rmpp, &queue);
	segment(rmpp, 0x77, 1);
	e = expect(&n, TRACK_EVENT_TRANSFER_BEGUN, 1);
	CHECK_EQ(e->number[TRACK_TRANSFER_BEGUN_tid], 0x77);
	CHECK_EQ(e->number[TRACK_TRANSFER_BEGUN_mgmt_class], IBW_CLASS_SUBN_ADM);
	CHECK_EQ(e->number[TRACK_TRANSFER_BEGUN_segment], 1);
	at.time_ns += 39 * SECOND;
	segment(rmpp, 0x77, 2);
	at.time_ns += 40 * SECOND;
	track_rmpp_tick(rmpp, &at);
	CHECK_EQ(queue.n, n); /* not yet */
	at.time_ns -= 60 * SECOND;
	track_rmpp_tick(rmpp, &at);
	CHECK_EQ(queue.n, n); /* the clock ran back */
	at.time_ns += 60 * SECOND + 1;
	track_rmpp_tick(rmpp, &at);
	track_rmpp_tick(rmpp, &at);
	e = expect(&n, TRACK_EVENT_TRANSFER_GIVEN_UP, 2);
	CHECK_EQ(e->number[TRACK_TRANSFER_GIVEN_UP_why], TRACK_GIVEN_UP_TIMEOUT);
	CHECK_EQ(e->number[TRACK_TRANSFER_GIVEN_UP_segments], 2);
	CHECK_EQ(e->doubt, TRACK_DOUBT_ONE_WAY); /* no ACK */
	CHECK_EQ(e->n_frames, 1);
	CHECK_EQ(e->frames[0], 1);
	for (i = 0; i < TRACK_TRANSFERS_MAX; i++)
		segment(rmpp, i, 1);
	for (i = 0; i < TRACK_TRANSFERS_MAX; i++) /* 0x77 made room, and was given up before */
		expect(&n, TRACK_EVENT_TRANSFER_BEGUN, 3 + i);
	segment(rmpp, 1000, 1);
	e = expect(&n, TRACK_EVENT_TRANSFER_GIVEN_UP, at.frame);
	CHECK_EQ(e->number[TRACK_TRANSFER_GIVEN_UP_why], TRACK_GIVEN_UP_EVICTED);
	CHECK_EQ(e->number[TRACK_TRANSFER_GIVEN_UP_tid], 0);
	CHECK_EQ(track_rmpp_evicted(rmpp), 2);
	expect(&n, TRACK_EVENT_TRANSFER_BEGUN, at.frame);

	check_case("the end of the capture");
	queue.n = TRACK_EVENTS_MAX - 5;
	CHECK(!track_rmpp_finish(rmpp, &at));
	CHECK_EQ(queue.n, TRACK_EVENTS_MAX);
	CHECK_EQ(queue.lost, 0);
	n = queue.n = 0;
	CHECK(track_rmpp_finish(rmpp, &at));
	CHECK_EQ(queue.n, TRACK_TRANSFERS_MAX - 5);
	e = expect(&n, TRACK_EVENT_TRANSFER_GIVEN_UP, at.frame);
	CHECK_EQ(e->number[TRACK_TRANSFER_GIVEN_UP_why], TRACK_GIVEN_UP_END);
	queue.n = 0;
	CHECK(track_rmpp_finish(rmpp, &at));
	CHECK_EQ(queue.n, 0);
	track_rmpp_free(rmpp);
	end();
}

/* A message of the conversation of comm ID @id, whose REQ is in frame @id. */
static void message(struct track_cm_waits *w, enum track_cm_message kind, uint32_t id)
{
	static uint8_t bytes[IBW_MAD_BYTES];
	struct ibw_cm_req_wire *req = (struct ibw_cm_req_wire *)(bytes + ibw_mad_BYTES);
	const struct track_mad mad = { .p = bytes, .n = sizeof(bytes) };
	struct track_cm_news news = {
		.message = (uint8_t)kind, .local_id = id, .known = true, .req_frame = id
	};

	ibw_cm_req_set_remote_resp_timeout(req, 20);
	ibw_cm_req_set_local_resp_timeout(req, 10);
	ibw_cm_req_set_max_cm_retries(req, 1);
	ibw_cm_req_set_primary_ack_timeout(req, 5);
	if (kind == TRACK_CM_REP || kind == TRACK_CM_MRA)
		news.side = TRACK_CM_SERVER;
	if (kind == TRACK_CM_MRA)
		news.detail = 20;
	news.seen[TRACK_CM_CLIENT] = 1u << TRACK_CM_REQ;
	news.seen[news.side] |= (uint8_t)(1u << kind);
	at.frame++;
	track_cm_waits_feed(w, &news, &mad, &at);
}

/* How many events there are after @ns more. */
static unsigned int after(struct track_cm_waits *w, uint64_t ns)
{
	at.time_ns += ns;
	queue.n = 0;
	track_cm_waits_tick(w, &at);
	return queue.n;
}

static void conversations(void)
{
	const uint64_t ms = 1000000, path = UINT64_C(4096) << 5;
	const uint64_t mra = UINT64_C(4096) << 20, answer = mra + path; /* 4.3 s */
	struct track_cm_waits *w;
	const struct track_event *e;
	unsigned int i, n = 0;

	begin("conversations that wait");
	w = track_cm_waits_new(&queue, 64);
	CHECK_EQ(after(w, SECOND), 0);
	message(w, TRACK_CM_REQ, 7);
	CHECK_EQ(after(w, 2 * answer), 0); /* it may be sent twice */
	CHECK_EQ(after(w, 1), 1);
	e = &queue.event[0];
	CHECK_EQ(e->kind, TRACK_EVENT_CM_GIVEN_UP);
	CHECK_EQ(e->number[TRACK_CM_GIVEN_UP_local_comm_id], 7);
	CHECK_EQ(e->number[TRACK_CM_GIVEN_UP_why], TRACK_GIVEN_UP_TIMEOUT);
	CHECK_EQ(e->number[TRACK_CM_GIVEN_UP_before], TRACK_CM_REQ_SENT);
	CHECK_EQ(e->doubt, TRACK_DOUBT_ONE_WAY);
	CHECK_EQ(after(w, SECOND), 0);
	message(w, TRACK_CM_MRA, 7); /* too late */
	CHECK_EQ(after(w, 1000 * SECOND), 0);
	message(w, TRACK_CM_REQ, 7);
	CHECK_EQ(after(w, answer), 0);
	message(w, TRACK_CM_MRA, 7);
	CHECK_EQ(after(w, 2 * answer + mra), 0); /* as long again */
	CHECK_EQ(after(w, 1), 1);
	CHECK_EQ(queue.event[0].doubt, 0);
	CHECK_EQ(queue.event[0].number[TRACK_CM_GIVEN_UP_ns], 2 * answer + mra);
	message(w, TRACK_CM_REP, 7);
	CHECK_EQ(after(w, 8 * ms), 0); /* the client answers in 4.2 ms */
	CHECK_EQ(after(w, ms), 1);
	message(w, TRACK_CM_RTU, 7);
	CHECK_EQ(after(w, 1000 * SECOND), 0);
	message(w, TRACK_CM_DREQ, 7);
	CHECK_EQ(after(w, 2 * answer + 1), 1);
	CHECK_EQ(queue.event[0].number[TRACK_CM_GIVEN_UP_before], TRACK_CM_DREQ_SENT);
	message(w, TRACK_CM_DREP, 7);
	CHECK_EQ(after(w, 1000 * SECOND), 0);

	check_case("conversations: no room");
	for (i = 0; i < 100; i++)
		message(w, TRACK_CM_REQ, 1000 + i);
	for (i = 0; i < 100; i++) {
		expect(&n, TRACK_EVENT_CM_REQ, at.frame - 99 + i);
		if (i < 64) /* the 64th made room of 7, which waited for nothing */
			continue;
		e = expect(&n, TRACK_EVENT_CM_GIVEN_UP, at.frame - 99 + i - 64);
		CHECK_EQ(e->number[TRACK_CM_GIVEN_UP_why], TRACK_GIVEN_UP_EVICTED);
		CHECK_EQ(e->number[TRACK_CM_GIVEN_UP_local_comm_id], 1000 + i - 64);
	}
	CHECK_EQ(queue.n, n);

	check_case("conversations: the end");
	queue.n = TRACK_EVENTS_MAX - 10;
	CHECK(!track_cm_waits_finish(w, &at));
	CHECK_EQ(queue.n, TRACK_EVENTS_MAX);
	queue.n = 0;
	CHECK(track_cm_waits_finish(w, &at));
	CHECK_EQ(queue.n, 64 - 10);
	CHECK_EQ(queue.event[0].number[TRACK_CM_GIVEN_UP_why], TRACK_GIVEN_UP_END);
	CHECK_EQ(queue.lost, 0);
	track_cm_waits_free(w);
	end();
}

/* An event is in doubt for what the capture lacks, the connection, and the packet. */
static void doubts(void)
{
	struct track_qps *s = g_new0(struct track_qps, 1);
	struct track_qp *qp = g_new0(struct track_qp, 1);
	const struct track_event *e;

	begin("doubts");
	queue.doubt = TRACK_DOUBT_DROPPED;
	qp->doubt = TRACK_DOUBT_MID_STREAM;
	at.doubt = TRACK_DOUBT_CUT;
	s->events = &queue;
	e = track_qp_event(s, qp, TRACK_A_TO_B, TRACK_EVENT_PSN_GAP, &at);
	if (CHECK(e))
		CHECK_EQ(e->doubt, TRACK_DOUBT_DROPPED | TRACK_DOUBT_MID_STREAM | TRACK_DOUBT_CUT);
	e = track_qp_event_of(s, qp, TRACK_A_TO_B, TRACK_EVENT_PSN_GAP, at.frame, at.time_ns);
	if (CHECK(e)) /* of a packet before this one */
		CHECK_EQ(e->doubt, TRACK_DOUBT_DROPPED | TRACK_DOUBT_MID_STREAM);
	g_free(qp);
	g_free(s);
	end();
}

int main(void)
{
	tables();
	doubts();
	full_queue();
	evictions();
	waiting();
	conversations();
	flood(true, 5000);
	flood(false, 100);
	return check_end();
}
