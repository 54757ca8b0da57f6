/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Conversations of the CM: what their messages are to them, which flows they set up and where each
 * comes from, from which frame on; IDs and QPs used again, messages with bit errors, room that runs
 * out. RFC 4755, 3: IPoIB's service id is 0x1 and the QPN.
 */
#include "check.h"
#include "cm_mad.h"
#include <ibwire/cm.h>
#include <ibwire/ibwire.h>
#include <ibwire/mad_walk.h>
#include <ibwire/packet.h>
#include <track/cm/cm.h>

/* The CM messages go between A and B, the primary path between PATH_A and PATH_B. */
enum { A = 0x0a070001, B = 0x0a070002, C = 0x0a070003, PATH_A = 0x0a080001, PATH_B = 0x0a080002 };
enum { LID_A = 4, LID_B = 9 };
enum { A_QP = 0x11, B_QP = 0x17, A_ID = 0xaaaa, B_ID = 0xbbbb };

#define IPOIB UINT64_C(0x1000000000000048)
#define RDMA_CM UINT64_C(0x0000000001061ce8)

static struct track_cm *cm;
static struct track_cm_news news;
static uint64_t frame_number;
static bool bad_icrc;

static void begin(const char *name)
{
	check_case("%s", name);
	cm = track_cm_new(64);
	frame_number = 0;
	bad_icrc = false;
}

static void end(void)
{
	track_cm_free(cm);
}

/* What a MAD is carried in. */
static void packet(struct ibw_packet *pkt, uint32_t src, uint32_t dst)
{
	static uint8_t bytes[512];
	struct ibw_ipv4_wire *ip = (struct ibw_ipv4_wire *)bytes;
	struct ibw_udp_wire *udp = (struct ibw_udp_wire *)(bytes + ibw_ipv4_BYTES);
	struct ibw_bth_wire *bth = (struct ibw_bth_wire *)(udp->b + ibw_udp_BYTES);
	uint16_t len = (uint16_t)(ibw_ipv4_BYTES + ibw_udp_BYTES + ibw_bth_BYTES + ibw_deth_BYTES +
				  IBW_MAD_BYTES + IBW_ICRC_BYTES);

	memset(bytes, 0, sizeof(bytes));
	ibw_ipv4_set_version(ip, 4);
	ibw_ipv4_set_ihl(ip, 5);
	ibw_ipv4_set_total_len(ip, len);
	ibw_ipv4_set_protocol(ip, IBW_IP_PROTO_UDP);
	ibw_ipv4_set_src(ip, src);
	ibw_ipv4_set_dst(ip, dst);
	ibw_udp_set_dport(udp, IBW_UDP_PORT_ROCE);
	ibw_udp_set_length(udp, (uint16_t)(len - ibw_ipv4_BYTES));
	ibw_bth_set_opcode(bth, IBW_OP_UD_SEND_ONLY);
	ibw_bth_set_dqpn(bth, IBW_QPN_GSI);
	CHECK_EQ(ibw_packet_walk(pkt, bytes, len, len, IBW_LINKTYPE_IPV4, NULL), IBW_OK);
}

/* A message whose first @n bytes were captured, those of the MAD's header not counted. */
static void feed_cut(uint16_t attr_id, const uint8_t *message, uint32_t n, uint32_t src,
		     uint32_t dst)
{
	uint8_t bytes[IBW_MAD_BYTES];
	struct track_mad mad = { .p = bytes, .n = (uint32_t)ibw_mad_BYTES + n };
	struct ibw_packet pkt;

	cm_mad(bytes, attr_id, message);
	packet(&pkt, src, dst);
	track_cm_feed(cm, &pkt, &mad, ++frame_number, bad_icrc, &news);
}

static void feed(uint16_t attr_id, const uint8_t *message, uint32_t src, uint32_t dst)
{
	feed_cut(attr_id, message, IBW_MAD_BYTES - ibw_mad_BYTES, src, dst);
}

static void mapped_gid(uint8_t gid[16], uint32_t ipv4)
{
	memset(gid, 0, 10);
	memset(gid + 10, 0xff, 2);
	ibw_put_be32(gid + 12, ipv4);
}

struct request {
	uint32_t src, dst, id, qpn, psn;
	uint64_t service_id;
	bool xrc;
};

static const struct request plain = { A, B, A_ID, A_QP, 100, RDMA_CM, false };

static void write_req(uint8_t message[140], const struct request *r)
{
	struct ibw_cm_req_wire *wire = (struct ibw_cm_req_wire *)message;
	uint8_t gid[16];

	memset(message, 0, 140);
	ibw_cm_req_set_local_comm_id(wire, r->id);
	ibw_cm_req_set_service_id(wire, r->service_id);
	ibw_cm_req_set_local_qpn(wire, r->qpn);
	ibw_cm_req_set_starting_psn(wire, r->psn);
	if (r->xrc) {
		ibw_cm_req_set_transport(wire, 3);
		ibw_cm_req_set_ext_transport(wire, 1);
	}
	mapped_gid(gid, PATH_A);
	ibw_cm_req_set_primary_local_gid(wire, gid);
	mapped_gid(gid, PATH_B);
	ibw_cm_req_set_primary_remote_gid(wire, gid);
	ibw_cm_req_set_primary_local_lid(wire, LID_A);
	ibw_cm_req_set_primary_remote_lid(wire, LID_B);
}

static void req(const struct request *r)
{
	uint8_t message[140];

	write_req(message, r);
	feed(IBW_ATTR_CM_REQ, message, r->src, r->dst);
}

static void rep_with(uint32_t src, uint32_t dst, uint32_t local, uint32_t remote, uint32_t qpn,
		     uint32_t eecn)
{
	uint8_t message[140] = { 0 };
	struct ibw_cm_rep_wire *wire = (struct ibw_cm_rep_wire *)message;

	ibw_cm_rep_set_local_comm_id(wire, local);
	ibw_cm_rep_set_remote_comm_id(wire, remote);
	ibw_cm_rep_set_local_qpn(wire, qpn);
	ibw_cm_rep_set_local_eecn(wire, eecn);
	ibw_cm_rep_set_starting_psn(wire, 200);
	feed(IBW_ATTR_CM_REP, message, src, dst);
}

static void rep_of(uint32_t src, uint32_t dst, uint32_t local, uint32_t remote, uint32_t qpn)
{
	rep_with(src, dst, local, remote, qpn, qpn + 0x100);
}

static void rep(void)
{
	rep_of(B, A, B_ID, A_ID, B_QP);
}

/* One of those that are not read further: IDs are the first words of them all. */
static void other(uint16_t attr_id, uint32_t src, uint32_t dst, uint32_t local, uint32_t remote)
{
	uint8_t message[140] = { 0 };

	ibw_put_be32(message, local);
	ibw_put_be32(message + 4, remote);
	memset(message + 8, 0x98, 4); /* service timeout 19, reason 0x9898, QPN 0x989898 */
	feed(attr_id, message, src, dst);
}

/* A flow, as a packet of RoCE v2 has it, or of the local subnet. */
static const struct track_cm_said *said_ip(uint32_t src, uint32_t dst, uint32_t qpn)
{
	struct track_flow flow = { .dqpn = qpn, .address = TRACK_ADDRESS_IPV4, .service = 0x20 };

	ibw_put_be32(flow.src + 12, src);
	ibw_put_be32(flow.dst + 12, dst);
	track_flow_as_gids(&flow);
	return track_cm_ask(cm, &flow);
}

static const struct track_cm_said *said_lid(uint16_t src, uint16_t dst, uint32_t qpn)
{
	struct track_flow flow = { .dqpn = qpn, .address = TRACK_ADDRESS_LID };

	ibw_put_be16(flow.src + 14, src);
	ibw_put_be16(flow.dst + 14, dst);
	return track_cm_ask(cm, &flow);
}

static bool comes_from(const struct track_cm_said *said, uint32_t qpn, uint64_t rep_frame)
{
	return said && said->sqpn == qpn && said->rep_frame == rep_frame;
}

static bool sender_unknown(const struct track_cm_said *said)
{
	return comes_from(said, TRACK_CM_NO_QPN, 0);
}

/* The message at hand, and all of its conversation so far. */
static void expect(enum track_cm_message message, enum track_cm_side side, bool repeated,
		   unsigned int by_client, unsigned int by_server, enum track_cm_state before)
{
	CHECK_EQ(news.before, before);
	CHECK_EQ(news.last_frame, frame_number - 1);
	CHECK_EQ(news.local_id, side == TRACK_CM_CLIENT ? A_ID : B_ID);
	CHECK_EQ(news.remote_id,
		 message == TRACK_CM_REQ ? 0u : (side == TRACK_CM_CLIENT ? B_ID : A_ID));
	CHECK(news.known);
	CHECK_EQ(news.message, message);
	CHECK_EQ(news.side, side);
	CHECK_EQ(news.repeated, repeated);
	CHECK_EQ(news.seen[TRACK_CM_CLIENT], by_client);
	CHECK_EQ(news.seen[TRACK_CM_SERVER], by_server);
	CHECK_EQ(news.service_id, RDMA_CM);
	CHECK_EQ(news.req_frame, 1);
	CHECK_EQ(news.n_flows, 0);
}

static void unknown(enum track_cm_message message)
{
	CHECK_EQ(news.message, message);
	CHECK(!news.known);
	CHECK_EQ(news.service_id, 0);
	CHECK_EQ(news.n_flows, message == TRACK_CM_REP && !news.repeated); /* to the server's QP */
	if (message == TRACK_CM_REP)
		CHECK_EQ(news.side, TRACK_CM_SERVER);
}

#define SAW(message) (1u << TRACK_CM_##message)

static void messages(void)
{
	begin("a conversation");
	req(&plain);
	CHECK_EQ(news.message, TRACK_CM_REQ);
	CHECK(news.known && !news.repeated && news.side == TRACK_CM_CLIENT);
	CHECK_EQ(news.before, TRACK_CM_NONE);
	CHECK_EQ(news.last_frame, 0);
	CHECK_EQ(news.n_flows, 3);
	CHECK_EQ(news.qpn[TRACK_CM_CLIENT], A_QP);
	CHECK_EQ(news.psn[TRACK_CM_CLIENT], 100);
	CHECK_EQ(news.qpn[TRACK_CM_SERVER], TRACK_CM_NO_QPN);
	CHECK_EQ(news.rep_frame, 0);
	req(&plain);
	expect(TRACK_CM_REQ, TRACK_CM_CLIENT, true, SAW(REQ), 0, TRACK_CM_REQ_SENT);
	other(IBW_ATTR_CM_MRA, B, A, B_ID, A_ID); /* the server needs time for the REQ */
	expect(TRACK_CM_MRA, TRACK_CM_SERVER, false, SAW(REQ), SAW(MRA), TRACK_CM_REQ_SENT);
	other(IBW_ATTR_CM_MRA, B, A, B_ID, A_ID);
	CHECK_EQ(news.detail, 19);
	expect(TRACK_CM_MRA, TRACK_CM_SERVER, true, SAW(REQ), SAW(MRA), TRACK_CM_REQ_SENT);
	rep();
	CHECK_EQ(news.message, TRACK_CM_REP);
	CHECK(news.known && !news.repeated && news.side == TRACK_CM_SERVER);
	CHECK_EQ(news.n_flows, 3);
	CHECK_EQ(news.qpn[TRACK_CM_SERVER], B_QP);
	CHECK_EQ(news.psn[TRACK_CM_SERVER], 200);
	CHECK_EQ(news.rep_frame, 5);
	CHECK_EQ(news.before, TRACK_CM_REQ_SENT);
	other(IBW_ATTR_CM_MRA, A, B, A_ID, B_ID); /* the client, for the REP */
	expect(TRACK_CM_MRA, TRACK_CM_CLIENT, false, SAW(REQ) | SAW(MRA), SAW(MRA) | SAW(REP),
	       TRACK_CM_REP_SENT);
	other(IBW_ATTR_CM_RTU, A, B, A_ID, B_ID);
	expect(TRACK_CM_RTU, TRACK_CM_CLIENT, false, SAW(REQ) | SAW(MRA) | SAW(RTU),
	       SAW(MRA) | SAW(REP), TRACK_CM_REP_SENT);
	other(IBW_ATTR_CM_DREQ, B, A, B_ID, A_ID);
	CHECK_EQ(news.detail, 0x989898);
	expect(TRACK_CM_DREQ, TRACK_CM_SERVER, false, SAW(REQ) | SAW(MRA) | SAW(RTU),
	       SAW(MRA) | SAW(REP) | SAW(DREQ), TRACK_CM_ESTABLISHED);
	other(IBW_ATTR_CM_DREP, A, B, A_ID, B_ID);
	CHECK_EQ(news.detail, 0);
	expect(TRACK_CM_DREP, TRACK_CM_CLIENT, false, SAW(REQ) | SAW(MRA) | SAW(RTU) | SAW(DREP),
	       SAW(MRA) | SAW(REP) | SAW(DREQ), TRACK_CM_DREQ_SENT);
	end();

	begin("the REQ refused");
	req(&plain);
	other(IBW_ATTR_CM_REJ, B, A, B_ID, A_ID);
	CHECK_EQ(news.detail, 0x9898);
	expect(TRACK_CM_REJ, TRACK_CM_SERVER, false, SAW(REQ), SAW(REJ), TRACK_CM_REQ_SENT);
	end();

	begin("the REQ refused by somebody who has no ID for it");
	req(&plain);
	rep();
	other(IBW_ATTR_CM_REJ, B, A, 0, A_ID);
	CHECK(news.known && news.side == TRACK_CM_SERVER);
	end();

	begin("the REP refused");
	req(&plain);
	rep();
	other(IBW_ATTR_CM_REJ, A, B, A_ID, B_ID);
	expect(TRACK_CM_REJ, TRACK_CM_CLIENT, false, SAW(REQ) | SAW(REJ), SAW(REP),
	       TRACK_CM_REP_SENT);
	end();

	begin("none of a conversation");
	req(&plain);
	rep();
	other(IBW_ATTR_CM_RTU, A, B, A_ID + 1, B_ID);
	unknown(TRACK_CM_RTU);
	other(IBW_ATTR_CM_RTU, A, B, A_ID, B_ID + 1);
	unknown(TRACK_CM_RTU);
	other(IBW_ATTR_CM_DREQ, A, C, A_ID, B_ID);
	unknown(TRACK_CM_DREQ);
	rep_of(B, A, B_ID, A_ID + 1, B_QP);
	unknown(TRACK_CM_REP);
	rep_of(B, C, B_ID, A_ID, B_QP);
	unknown(TRACK_CM_REP);
	other(IBW_ATTR_CM_SIDR_REQ, A, B, A_ID, B_ID);
	unknown(TRACK_CM_OTHER);
	end();
}

static void cut(void)
{
	uint8_t message[140];

	begin("cut by the capture");
	write_req(message, &plain);
	feed_cut(IBW_ATTR_CM_REQ, message, ibw_cm_req_BYTES - 1, A, B);
	unknown(TRACK_CM_OTHER);
	feed_cut(IBW_ATTR_CM_REQ, message, ibw_cm_req_BYTES, A, B);
	CHECK(news.known);
	end();
}

static void senders(void)
{
	begin("where packets come from");
	req(&plain);
	CHECK(sender_unknown(said_ip(B, A, A_QP)));
	CHECK(!said_ip(A, B, B_QP));
	rep();
	CHECK(comes_from(said_ip(A, B, B_QP), A_QP, 2)); /* as the messages are addressed */
	CHECK(comes_from(said_ip(B, A, A_QP), B_QP, 2));
	CHECK(comes_from(said_ip(PATH_A, PATH_B, B_QP), A_QP, 2)); /* by the GIDs of the REQ */
	CHECK(comes_from(said_ip(PATH_B, PATH_A, A_QP), B_QP, 2));
	CHECK(comes_from(said_lid(LID_A, LID_B, B_QP), A_QP, 2));
	CHECK(comes_from(said_lid(LID_B, LID_A, A_QP), B_QP, 2));
	CHECK(!said_ip(A, B, A_QP));
	CHECK(!said_ip(C, B, B_QP)); /* the QP of a connection has one other end */
	CHECK(!said_lid(LID_B, LID_A, B_QP));
	CHECK(!said_ip(A, B, B_QP)->ipoib);
	rep();
	CHECK(news.repeated);
	CHECK(comes_from(said_ip(A, B, B_QP), A_QP, 3));
	CHECK(comes_from(said_lid(LID_B, LID_A, A_QP), B_QP, 3));
	end();
}

/* The QPN of the server of XRC: Linux 6.12, cm.c cm_format_rep(), cm_msgs.h cm_rep_get_qpn() */
static void xrc(void)
{
	struct request r = plain;

	begin("XRC");
	r.xrc = true;
	req(&r);
	rep();
	CHECK_EQ(news.qpn[TRACK_CM_SERVER], B_QP + 0x100);
	CHECK(comes_from(said_ip(A, B, B_QP + 0x100), A_QP, 2));
	CHECK(comes_from(said_ip(B, A, A_QP), B_QP + 0x100, 2));
	CHECK(!said_ip(A, B, B_QP));
	end();

	begin("XRC, the REQ not captured");
	rep_with(B, A, B_ID, A_ID, 0, B_QP);
	CHECK_EQ(news.service, IBW_SERVICE_XRC);
	CHECK_EQ(news.qpn[TRACK_CM_SERVER], B_QP);
	rep_of(B, A, B_ID, A_ID + 1, B_QP);
	CHECK_EQ(news.service, IBW_SERVICE_RC);
	CHECK_EQ(news.qpn[TRACK_CM_SERVER], B_QP);
	end();
}

static void ipoib(void)
{
	struct request r = plain;

	begin("IPoIB");
	CHECK(!track_cm_any(cm));
	req(&r);
	CHECK(track_cm_any(cm));
	CHECK(!track_cm_any_ipoib(cm));
	r.id++;
	r.qpn++;
	r.service_id = IPOIB;
	req(&r);
	CHECK(track_cm_any_ipoib(cm));
	CHECK(!said_ip(B, A, A_QP)->ipoib);
	CHECK(said_ip(B, A, A_QP + 1)->ipoib); /* before the REP */
	rep_of(B, A, B_ID, A_ID + 1, B_QP);
	CHECK_EQ(news.service_id, IPOIB);
	CHECK(said_ip(A, B, B_QP)->ipoib);
	CHECK(said_ip(B, A, A_QP + 1)->ipoib);
	end();
}

static void used_again(void)
{
	struct request r = plain;

	begin("the client's QP used again");
	req(&plain);
	rep();
	r.id++;
	req(&r);
	CHECK_EQ(news.n_flows, 3);
	CHECK(sender_unknown(said_ip(B, A, A_QP)));
	CHECK(comes_from(said_ip(A, B, B_QP), A_QP, 2)); /* nothing new of that one */
	rep();                                           /* late, of the first connection */
	CHECK(news.repeated);
	CHECK(sender_unknown(said_ip(B, A, A_QP)));
	rep_of(B, A, B_ID + 1, A_ID + 1, B_QP + 1);
	CHECK(comes_from(said_ip(B, A, A_QP), B_QP + 1, 5));
	CHECK(comes_from(said_ip(A, B, B_QP + 1), A_QP, 5));
	end();

	begin("the ID used again");
	req(&plain);
	rep();
	r = plain;
	r.qpn++;
	req(&r);
	CHECK(!news.repeated);
	CHECK_EQ(news.req_frame, 3);
	CHECK_EQ(news.seen[TRACK_CM_SERVER], 0);
	rep_of(B, A, B_ID, A_ID, B_QP + 1);
	CHECK(!news.repeated);
	CHECK(comes_from(said_ip(B, A, A_QP), B_QP, 2)); /* the first connection is still there */
	CHECK(comes_from(said_ip(B, A, A_QP + 1), B_QP + 1, 4));
	r.psn++;
	req(&r);
	CHECK_EQ(news.req_frame, 5);
	r.service_id++;
	req(&r);
	CHECK_EQ(news.req_frame, 6);
	end();

	begin("another answer");
	req(&plain);
	rep();
	rep_of(B, A, B_ID, A_ID, B_QP + 1);
	CHECK(!news.repeated);
	CHECK_EQ(news.n_flows, 3);
	rep_of(B, A, B_ID + 1, A_ID, B_QP + 1);
	CHECK(!news.repeated);
	CHECK(comes_from(said_ip(B, A, A_QP), B_QP + 1, 4));
	end();
}

static bool surely_from(const struct track_cm_said *said, uint32_t qpn)
{
	return said && said->sure_sqpn == qpn;
}

static void bit_errors(void)
{
	struct request r = plain;

	begin("bit errors");
	bad_icrc = true;
	req(&r); /* better than nothing */
	CHECK(news.known && news.doubt && news.n_flows == 3);
	rep();
	CHECK(comes_from(said_ip(A, B, B_QP), A_QP, 2));
	CHECK(surely_from(said_ip(A, B, B_QP), TRACK_CM_NO_QPN));
	req(&r);
	CHECK(news.repeated);
	bad_icrc = false;
	req(&r);
	CHECK(!news.doubt && !news.repeated && news.n_flows == 3);
	bad_icrc = true;
	rep();
	CHECK(surely_from(said_ip(B, A, A_QP), TRACK_CM_NO_QPN));
	bad_icrc = false;
	rep();
	CHECK(!news.repeated && news.n_flows == 3);
	CHECK(comes_from(said_ip(B, A, A_QP), B_QP, 6));
	CHECK(surely_from(said_ip(B, A, A_QP), B_QP));
	CHECK(surely_from(said_ip(A, B, B_QP), A_QP));
	bad_icrc = true;
	rep();
	CHECK(news.repeated);
	rep_of(B, A, B_ID, A_ID, B_QP + 1);
	CHECK(!news.repeated && news.doubt);
	CHECK(comes_from(said_ip(B, A, A_QP), B_QP + 1, 8));
	CHECK(surely_from(said_ip(B, A, A_QP), B_QP));
	CHECK(surely_from(said_ip(A, B, B_QP + 1), TRACK_CM_NO_QPN));
	r.id++; /* of another conversation, so it says */
	req(&r);
	CHECK(sender_unknown(said_ip(B, A, A_QP)));
	CHECK(surely_from(said_ip(B, A, A_QP), B_QP));
	end();
}

static void room(void)
{
	struct request r = plain;
	unsigned int i;

	begin("no room");
	for (i = 0; i < 64; i++, r.id++, r.qpn++)
		req(&r);
	CHECK_EQ(track_cm_evicted(cm), 0);
	rep(); /* the first one is heard of */
	CHECK(news.known);
	req(&r);
	CHECK_EQ(track_cm_evicted(cm), 1);
	rep();
	CHECK(news.known && news.repeated);
	rep_of(B, A, B_ID, A_ID + 1, B_QP);
	CHECK(!news.known);
	end();

	begin("no room for flows");
	for (i = 0; i < 1000; i++, r.qpn++)
		req(&r); /* one conversation, but ever another QP */
	CHECK_EQ(track_cm_evicted(cm), 3 * 1000 - 6 * 64);
	CHECK(said_ip(B, A, r.qpn - 1));
	CHECK(!said_ip(B, A, r.qpn - 1000));
	end();
}

int main(void)
{
	messages();
	cut();
	senders();
	xrc();
	ipoib();
	used_again();
	bit_errors();
	room();
	return check_end();
}
