/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which service a queue pair is of: known of the client's from its REQ on, of the server's from the
 * REP on that answers it, and not before. RFC 4755, 3: IPoIB's service id is 0x1 and the QPN.
 */
#include "check.h"
#include <ibwire/cm.h>
#include <ibwire/ibwire.h>
#include <ibwire/mad_walk.h>
#include <ibwire/packet.h>
#include <track/cm.h>

#define CLIENT 0x0a070001
#define SERVER 0x0a070002
#define OTHER 0x0a070003
#define CLIENT_QP 0x11
#define SERVER_QP 0x17
#define CLIENT_ID 0xaaaa
#define SERVICE_ID UINT64_C(0x1000000000000048)

static uint8_t bytes[512];

/* An RC SEND Only, or what a MAD is carried in. */
static void packet(struct ibw_packet *pkt, uint8_t opcode, uint32_t src, uint32_t dst,
		   uint32_t dqpn)
{
	struct ibw_ipv4_wire *ip = (struct ibw_ipv4_wire *)bytes;
	struct ibw_udp_wire *udp = (struct ibw_udp_wire *)(bytes + ibw_ipv4_BYTES);
	struct ibw_bth_wire *bth = (struct ibw_bth_wire *)(udp->b + ibw_udp_BYTES);
	uint16_t len = (uint16_t)(ibw_ipv4_BYTES + ibw_udp_BYTES + ibw_bth_BYTES +
				  ibw_opcodes[opcode].eths_bytes + 64 + IBW_ICRC_BYTES);

	memset(bytes, 0, sizeof(bytes));
	ibw_ipv4_set_version(ip, 4);
	ibw_ipv4_set_ihl(ip, 5);
	ibw_ipv4_set_total_len(ip, len);
	ibw_ipv4_set_protocol(ip, IBW_IP_PROTO_UDP);
	ibw_ipv4_set_src(ip, src);
	ibw_ipv4_set_dst(ip, dst);
	ibw_udp_set_dport(udp, IBW_UDP_PORT_ROCE);
	ibw_udp_set_length(udp, (uint16_t)(len - ibw_ipv4_BYTES));
	ibw_bth_set_opcode(bth, opcode);
	ibw_bth_set_dqpn(bth, dqpn);
	CHECK_EQ(ibw_packet_walk(pkt, bytes, len, len, IBW_LINKTYPE_IPV4, NULL), IBW_OK);
}

static bool is_ipoib(struct track_cm *s, uint32_t src, uint32_t dst, uint32_t dqpn)
{
	struct ibw_packet pkt;

	packet(&pkt, IBW_OP_RC_SEND_ONLY, src, dst, dqpn);
	return track_cm_is_ipoib(s, &pkt);
}

static uint64_t feed(struct track_cm *s, uint16_t attr_id, const uint8_t *message, uint32_t src,
		     uint32_t dst)
{
	struct ibw_mad header = { .base_version = 1,
				  .mgmt_class = IBW_CLASS_COMM_MGT,
				  .class_version = 2,
				  .method = IBW_METHOD_SEND,
				  .attr_id = attr_id };
	uint8_t mad[IBW_MAD_BYTES] = { 0 };
	struct ibw_packet pkt;

	ibw_mad_pack((struct ibw_mad_wire *)mad, &header);
	memcpy(mad + ibw_mad_BYTES, message, 140);
	packet(&pkt, IBW_OP_UD_SEND_ONLY, src, dst, IBW_QPN_GSI);
	return track_cm_feed(s, &pkt, mad, sizeof(mad));
}

static void req(struct track_cm *s)
{
	uint8_t message[140] = { 0 };
	struct ibw_cm_req_wire *wire = (struct ibw_cm_req_wire *)message;

	ibw_cm_req_set_local_comm_id(wire, CLIENT_ID);
	ibw_cm_req_set_service_id(wire, SERVICE_ID);
	ibw_cm_req_set_local_qpn(wire, CLIENT_QP);
	CHECK_EQ(feed(s, IBW_ATTR_CM_REQ, message, CLIENT, SERVER), 0);
}

static uint64_t rep(struct track_cm *s, uint32_t remote_id, uint32_t from, uint32_t to)
{
	uint8_t message[140] = { 0 };
	struct ibw_cm_rep_wire *wire = (struct ibw_cm_rep_wire *)message;

	ibw_cm_rep_set_remote_comm_id(wire, remote_id);
	ibw_cm_rep_set_local_qpn(wire, SERVER_QP);
	return feed(s, IBW_ATTR_CM_REP, message, from, to);
}

int main(void)
{
	struct track_cm *s = track_cm_new();

	check_case("before the REQ");
	CHECK(!is_ipoib(s, CLIENT, SERVER, SERVER_QP));
	CHECK(!is_ipoib(s, SERVER, CLIENT, CLIENT_QP));
	CHECK_EQ(rep(s, CLIENT_ID, SERVER, CLIENT), 0); /* of a REQ that was not captured */
	CHECK(!is_ipoib(s, CLIENT, SERVER, SERVER_QP));

	req(s);
	check_case("before the REP");
	CHECK(is_ipoib(s, SERVER, CLIENT, CLIENT_QP));
	CHECK(!is_ipoib(s, CLIENT, SERVER, SERVER_QP));
	CHECK(!is_ipoib(s, CLIENT, SERVER, CLIENT_QP));
	CHECK_EQ(rep(s, CLIENT_ID + 1, SERVER, CLIENT), 0);
	CHECK_EQ(rep(s, CLIENT_ID, SERVER, OTHER), 0);
	CHECK(!is_ipoib(s, CLIENT, SERVER, SERVER_QP));

	CHECK_EQ(rep(s, CLIENT_ID, SERVER, CLIENT), SERVICE_ID);
	check_case("behind the REP");
	CHECK(is_ipoib(s, CLIENT, SERVER, SERVER_QP));
	CHECK(is_ipoib(s, OTHER, SERVER, SERVER_QP)); /* the QP is the server's, whoever sends */
	CHECK(is_ipoib(s, SERVER, CLIENT, CLIENT_QP));
	CHECK(!is_ipoib(s, SERVER, CLIENT, SERVER_QP));
	CHECK(!is_ipoib(s, CLIENT, OTHER, SERVER_QP));
	CHECK_EQ(rep(s, CLIENT_ID + 1, SERVER, CLIENT), 0); /* says nothing of its QP */
	CHECK(is_ipoib(s, CLIENT, SERVER, SERVER_QP));
	track_cm_free(s);
	return check_end();
}
