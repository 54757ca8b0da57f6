/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * flood_make.c - captures for flood.py: what somebody who wants to make a tracker slow would
 * send, and as much of the same kind as it comes from ordinary hosts.
 *
 *	flood-make CASE friendly|hostile PACKETS FILE
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ibwire/ibwire.h>
#include <ibwire/mad_walk.h>

#include "capture/pcap_write.h"

#define VISITS 10 /* of a connection: a request and its ACK; as in flood.py */
#define FRAME_MAX 512
#define TRIMS_WAIT 4000 /* findings, which slice.c has room for */
#define FLOWS 32768u
#define NEW_ONES 1000u /* connections, of NEW_PACKETS each, as in idle.py */
#define NEW_PACKETS 20u
#define REPORTED 10000u
#define LATER_NS 1000000000000ull
#define SEGMENTS 28u /* of 200 bytes: 50 records of 112 */
#define SEGMENT_BYTES 200u

static uint32_t n_packets; /* to be made */

struct packet {
	struct ibw_build build;
	uint8_t payload[IBW_MAD_BYTES];
	bool spoiled;
	bool pause;   /* it is a pause frame instead */
	bool later;   /* it comes LATER_NS after what it would come after */
	uint32_t cut; /* the frame has so many bytes; 0: all */
};

/* Packet @n of RC, from one of two hosts to the other. */
static void between(struct packet *p, bool back, uint8_t opcode, uint32_t dqpn, uint32_t psn)
{
	struct ibw_build *b = &p->build;

	b->ipv4.src = back ? 0x0a000002 : 0x0a000001;
	b->ipv4.dst = back ? 0x0a000001 : 0x0a000002;
	b->bth.opcode = opcode;
	b->bth.dqpn = dqpn;
	b->bth.psn = psn & 0xffffff;
	b->reth.rkey = 0x1234;
	b->reth.dmalen = 1;
	b->aeth.syndrome = IBW_AETH_ACK_UNLIMITED;
	b->aeth.msn = b->bth.psn;
}

static uint16_t linux_port(uint32_t a, uint32_t b)
{
	return ibw_flow_label_to_sport(ibw_qpns_to_flow_label(a, b));
}

/* Two packets each of many flows: QPNs in a row, or such as only their high bits tell apart. */
static void qpns(struct packet *p, uint32_t n, bool hostile)
{
	uint32_t flow = n % FLOWS, qpn = 0x10000 + flow;

	if (hostile)
		qpn = 0x800 | (flow & 0x7ff) << 12 | flow >> 11;
	between(p, false, IBW_OP_RC_RDMA_READ_REQUEST, qpn, n / FLOWS);
	p->build.udp.sport = (uint16_t)(0xc000 | flow);
}

/* Many packets each of few flows, by turns. */
static void few_qpns(struct packet *p, uint32_t n, bool hostile)
{
	uint32_t flow = n % 64;

	between(p, false, IBW_OP_RC_RDMA_READ_REQUEST, hostile ? (flow + 1) << 12 : 0x1000 + flow,
		n / 64);
	p->build.udp.sport = (uint16_t)(0xc000 | flow);
}

/* Both directions of many connections: ports as Linux has them, or all the same. */
static void ports(struct packet *p, uint32_t n, bool hostile)
{
	uint32_t pair = n / 2 % (FLOWS / 2), a = 0x10000 + pair, b = 0x80000 + pair;

	between(p, n % 2, IBW_OP_RC_RDMA_READ_REQUEST, n % 2 ? a : b, n / FLOWS);
	p->build.udp.sport = hostile ? 0xc000 : linux_port(a, b);
}

/* 32 QPs ask 32 others by turns: from PSNs of their own, or all from the same one, so that every
 * ACK may mean each of them. */
static void acks(struct packet *p, uint32_t n, bool hostile)
{
	uint32_t pair = n / 2 % 32, turn = n / 64, a = 0x10000 + pair, b = 0x80000 + pair;
	uint32_t psn = turn + (hostile ? 0 : pair * 0x40000);

	if (n % 2)
		between(p, true, IBW_OP_RC_ACKNOWLEDGE, a, psn);
	else
		between(p, false, IBW_OP_RC_SEND_ONLY, b, psn);
}

/* Many flows: of many QPs of one pair of hosts, or each from a GID of its own. */
static void gids(struct packet *p, uint32_t n, bool hostile)
{
	uint32_t flow = n % FLOWS;

	between(p, false, IBW_OP_RC_RDMA_READ_REQUEST, 0x10000 + (hostile ? 0 : flow), n / FLOWS);
	p->build.kind = IBW_ICRC_ROCE_V2_IPV6;
	p->build.ipv6.src[0] = p->build.ipv6.dst[0] = 0xfd;
	p->build.ipv6.dst[15] = 1;
	ibw_put_be32(p->build.ipv6.src + 12, hostile ? 0x10000 + flow : 2);
	p->build.udp.sport = (uint16_t)(0xc000 | flow);
}

/* Many flows between two hosts, or from a host to itself. */
static void one_host(struct packet *p, uint32_t n, bool hostile)
{
	uint32_t flow = n % FLOWS;

	between(p, flow % 2, IBW_OP_RC_RDMA_READ_REQUEST, 0x10000 + flow, n / FLOWS);
	if (hostile)
		p->build.ipv4.src = p->build.ipv4.dst;
	p->build.udp.sport = (uint16_t)(0xc000 | flow);
}

/* Findings, all of which are shown: ten of a flow, or each of a flow of its own. */
static void findings(struct packet *p, uint32_t n, bool hostile)
{
	between(p, false, IBW_OP_RC_RDMA_READ_REQUEST, 0x10000 + (hostile ? n : n / 10), n);
	p->spoiled = true;
}

/*
 * Frames that may be cut, as many as wait for that, then some that a switch may have trimmed: of one length, or of two by
 * turns, each of which ends what waits for the other.
 */
static void trims(struct packet *p, uint32_t n, bool hostile)
{
	between(p, false, IBW_OP_RC_SEND_ONLY, 0x80000, n);
	p->build.payload_len = n ? IBW_MAD_BYTES : 64; /* a whole one, and the shorter */
	p->build.ipv4.dscp = n <= TRIMS_WAIT ? 0 : 33;
	if (n)
		p->cut = n <= TRIMS_WAIT ? 200 : hostile ? 100 + n % 2 * 2 : 100;
}

/* Marks and CNPs of 64 connections: now and then, or nothing else. */
static void marks(struct packet *p, uint32_t n, bool hostile)
{
	uint32_t flow = n / 2 % 64, often = hostile ? 1 : 32, turn = n / 128;
	bool notified = n % 2 && turn % often == 0;

	between(p, n % 2, IBW_OP_RC_SEND_ONLY, (n % 2 ? 0x10000 : 0x80000) + flow,
		notified ? 0 : turn);
	if (n % 2)
		p->build.bth.opcode = notified ? IBW_OP_CNP : IBW_OP_RC_ACKNOWLEDGE;
	p->build.ipv4.ecn = n % 2 || turn % often ? IBW_ECN_ECT0 : IBW_ECN_CE;
	p->build.bth.becn = notified;
}

/* Packets of 64 connections, each with an ACK; or gaps, NAKs and repeats by turns: each packet is an event. */
static void resends(struct packet *p, uint32_t n, bool hostile)
{
	uint32_t flow = n / 2 % 64, turn = n / 128;
	uint32_t psn = !hostile ? turn : turn % 3 ? turn * 7 - turn % 5 : turn / 2;

	between(p, n % 2, n % 2 ? IBW_OP_RC_ACKNOWLEDGE : IBW_OP_RC_SEND_ONLY,
		(n % 2 ? 0x10000 : 0x80000) + flow, psn);
	if (hostile && n % 2)
		p->build.aeth.syndrome = turn % 2 ? IBW_AETH_NAK_PSN_SEQUENCE : 0x20;
}

/* Packets of a UC connection: in order, or each an incident, as the one before it is missing. */
static void gaps(struct packet *p, uint32_t n, bool hostile)
{
	between(p, false, IBW_OP_UC_SEND_ONLY, 0x80000, hostile ? 2 * n : n);
}

/* As many pause frames as packets, and a gap before each: of one port, or each of a port of its own. */
static void pauses(struct packet *p, uint32_t n, bool hostile)
{
	between(p, false, IBW_OP_RC_SEND_ONLY, 0x80000 + n / 2 % 64, n / 128 * 2);
	p->pause = n % 2;
	if (p->pause && hostile)
		ibw_put_be32(p->build.eth.src + 2, n);
}

/* Datagrams of one host, or sixteen each of hosts that have two MACs and send from these in turn. */
static void macs(struct packet *p, uint32_t n, bool hostile)
{
	between(p, false, IBW_OP_UD_SEND_ONLY, 0x80000, n);
	p->build.deth.qkey = 0x11111111;
	p->build.deth.sqpn = 0x80001;
	if (hostile) {
		p->build.ipv4.src += (n / 16) << 8;
		p->build.eth.src[5] ^= n % 2;
	}
}

static void mad(struct packet *p, bool back, uint8_t mgmt_class, uint8_t method, uint16_t attr,
		uint64_t tid)
{
	const struct ibw_mad header = { .base_version = 1,
					.mgmt_class = mgmt_class,
					.class_version = 2,
					.r = method >> 7,
					.method = method & 0x7f,
					.attr_id = attr,
					.tid = tid };

	between(p, back, IBW_OP_UD_SEND_ONLY, IBW_QPN_GSI, (uint32_t)tid);
	p->build.deth.qkey = IBW_QKEY_GSI;
	p->build.deth.sqpn = IBW_QPN_GSI;
	p->build.payload_len = IBW_MAD_BYTES;
	ibw_mad_pack((struct ibw_mad_wire *)p->payload, &header);
}

/* Segments of tables: each of a table in turn, or the first of a transfer of its own. */
static void tids(struct packet *p, uint32_t n, bool hostile)
{
	uint32_t segment = hostile ? 0 : n % SEGMENTS;
	struct ibw_rmpp rmpp = { .version = 1,
				 .type = IBW_RMPP_DATA,
				 .rresp_time = 31,
				 .flags = IBW_RMPP_ACTIVE,
				 .data1 = segment + 1 };
	const struct ibw_sa sa = { .attr_offset = 112 / 8 };

	mad(p, true, IBW_CLASS_SUBN_ADM, 0x80 | IBW_METHOD_GET_TABLE, IBW_ATTR_SA_NODE_REC,
	    hostile ? n + 1 : n / SEGMENTS + 1);
	if (segment == 0) {
		rmpp.flags |= IBW_RMPP_FIRST;
		rmpp.data2 = SEGMENTS * (SEGMENT_BYTES + ibw_sa_BYTES);
	} else if (segment == SEGMENTS - 1) {
		rmpp.flags |= IBW_RMPP_LAST;
		rmpp.data2 = SEGMENT_BYTES + ibw_sa_BYTES;
	}
	ibw_rmpp_pack((struct ibw_rmpp_wire *)(p->payload + ibw_mad_BYTES), &rmpp);
	ibw_sa_pack((struct ibw_sa_wire *)(p->payload + ibw_mad_BYTES + ibw_rmpp_BYTES), &sa);
}

/* Queries and their answers, or queries alone, in no order of IDs: all of them wait. */
static void queries(struct packet *p, uint32_t n, bool hostile)
{
	uint64_t tid = hostile ? (n + 1) * UINT64_C(0x9e3779b97f4a7c15) : n / 2 + 1;
	bool back = !hostile && n % 2;

	mad(p, back, IBW_CLASS_SUBN_ADM, (back ? 0x80 : 0) | IBW_METHOD_GET_TABLE,
	    IBW_ATTR_SA_NODE_REC, tid);
}

/* Joins and their answers: of 500 groups, again and again, or each of a group of its own. */
static void groups(struct packet *p, uint32_t n, bool hostile)
{
	uint32_t group = hostile ? n / 2 : n / 2 % 500;
	struct ibw_mcmember_rec rec = { .mgid = { 0xff, 0x12, 0x40, 0x01, 0xff, 0xff },
					.port_gid = { 0xfe, 0x80, [15] = 1 },
					.join_state = IBW_JOIN_FULL };
	const struct ibw_sa sa = { .comp_mask = 1ull << ibw_mcmember_rec_mgid_COMP |
						1ull << ibw_mcmember_rec_port_gid_COMP |
						1ull << ibw_mcmember_rec_join_state_COMP };
	uint8_t *at = p->payload + ibw_mad_BYTES + ibw_rmpp_BYTES;
	bool back = n % 2;

	mad(p, back, IBW_CLASS_SUBN_ADM, back ? 0x80 | IBW_METHOD_GET : IBW_METHOD_SET,
	    IBW_ATTR_SA_MCMEMBER_REC, n / 2 + 1);
	ibw_put_be32(rec.mgid + 12, group);
	if (back) {
		rec.qkey = 0x1234;
		rec.mlid = (uint16_t)(IBW_LID_MULTICAST_FIRST + group % 0x3fff);
		rec.mtu_sel = rec.rate_sel = IBW_SELECTOR_EXACTLY;
		rec.mtu = 4;
		rec.rate = 3;
		rec.pkey = 0xffff;
		rec.scope = 2;
	}
	ibw_sa_pack((struct ibw_sa_wire *)at, &sa);
	ibw_mcmember_rec_pack((struct ibw_mcmember_rec_wire *)(at + ibw_sa_BYTES), &rec);
}

/* Datagrams to 500 groups of RoCE, or each to another. */
static void senders(struct packet *p, uint32_t n, bool hostile)
{
	between(p, false, IBW_OP_UD_SEND_ONLY, IBW_QPN_MULTICAST, n);
	p->build.ipv4.dst = 0xef000000 | (hostile ? n : n % 500);
	ibw_put_be16(p->build.eth.dst, 0x0100);
	ibw_put_be32(p->build.eth.dst + 2, 0x5e000000 | (p->build.ipv4.dst & 0x7fffff));
	p->build.deth.qkey = 0x1234;
	p->build.deth.sqpn = 0x10000;
	p->build.payload_len = 64;
}

/* Answers of ARP on an InfiniBand link: from 500 neighbours, or each from another. */
static void neighbours(struct packet *p, uint32_t n, bool hostile)
{
	uint32_t who = 1 + (hostile ? n : n % 500);
	struct ibw_arp_ipoib arp = { .htype = IBW_ARP_HTYPE_INFINIBAND,
				     .ptype = IBW_ETHERTYPE_IPV4,
				     .hlen = ibw_ipoib_hwaddr_BYTES,
				     .plen = 4,
				     .op = IBW_ARP_REPLY,
				     .sha_qpn = 0x48,
				     .sha_gid = { 0xfe, 0x80 },
				     .spa = 0x0a000000 + who,
				     .tha_qpn = 0x49,
				     .tha_gid = { 0xfe, 0x80, [8] = 1 },
				     .tpa = 0x0b000001 };

	between(p, false, IBW_OP_UD_SEND_ONLY, arp.tha_qpn, n);
	p->build.kind = IBW_ICRC_IB_LOCAL;
	p->build.has_eth = false;
	p->build.has_ipoib = true;
	p->build.ipoib.type = IBW_ETHERTYPE_ARP;
	p->build.lrh.slid = (uint16_t)(2 + who % 0x7000);
	p->build.lrh.dlid = 1;
	p->build.deth.qkey = 0xb1b;
	p->build.deth.sqpn = arp.sha_qpn;
	p->build.payload_len = ibw_arp_ipoib_BYTES;
	ibw_put_be32(arp.sha_gid + 12, who);
	ibw_arp_ipoib_pack((struct ibw_arp_ipoib_wire *)p->payload, &arp);
}

static void req(struct packet *p, uint32_t id, uint32_t qpn)
{
	struct ibw_cm_req r = { .local_comm_id = id,
				.service_id = 0x0200000000000001,
				.local_ca_guid = 0x0002c90300000001,
				.local_qpn = qpn,
				.primary_local_lid = 1,
				.primary_remote_lid = 2,
				.pkey = IBW_PKEY_DEFAULT_FULL,
				.path_mtu = 3,
				.primary_hop_limit = 64,
				.primary_ack_timeout = 14,
				.retry_count = 7,
				.rnr_retry_count = 7,
				.max_cm_retries = 15,
				.remote_resp_timeout = 20,
				.local_resp_timeout = 20,
				.resp_res = 1,
				.init_depth = 1 };

	mad(p, false, IBW_CLASS_COMM_MGT, IBW_METHOD_SEND, IBW_ATTR_CM_REQ, id);
	r.primary_local_gid[10] = r.primary_local_gid[11] = 0xff;
	memcpy(r.primary_remote_gid, r.primary_local_gid, 16);
	ibw_put_be32(r.primary_local_gid + 12, 0x0a000001);
	ibw_put_be32(r.primary_remote_gid + 12, 0x0a000002);
	ibw_cm_req_pack((struct ibw_cm_req_wire *)(p->payload + ibw_mad_BYTES), &r);
}

static void rep(struct packet *p, uint32_t id, uint32_t qpn)
{
	struct ibw_cm_rep rep = { .local_comm_id = 0x1000000 + id,
				  .remote_comm_id = id,
				  .local_qpn = qpn,
				  .local_ca_guid = 0x0002c90300000002,
				  .resp_res = 1,
				  .init_depth = 1,
				  .rnr_retry_count = 7 };

	mad(p, true, IBW_CLASS_COMM_MGT, IBW_METHOD_SEND, IBW_ATTR_CM_REP, id);
	ibw_cm_rep_pack((struct ibw_cm_rep_wire *)(p->payload + ibw_mad_BYTES), &rep);
}

/* Conversations: REQ and REP by turns, or REQs only. */
static void reqs(struct packet *p, uint32_t n, bool hostile)
{
	uint32_t id = 1 + (hostile ? n : n / 2);

	if (hostile || n % 2 == 0)
		req(p, id, 0x10000 + id);
	else
		rep(p, id, 0x80000 + id);
}

/* Conversations of connections of their own: each of an ID of its own, or all of one. */
static void one_id(struct packet *p, uint32_t n, bool hostile)
{
	uint32_t c = n / 2, id = hostile ? 1 : 1 + c;

	if (n % 2)
		rep(p, id, 0x80000 + c);
	else
		req(p, id, 0x10000 + c);
}

/* Connections set up and used, a packet each way: IDs and QPNs in a row, or such as only their
 * high bits tell apart. */
static void setups(struct packet *p, uint32_t n, bool hostile)
{
	uint32_t c = n / 4, id = 1 + c, a = 0x10000 + c, b = 0x80000 + c;

	if (hostile) {
		id = 1 | c << 16;
		a = (c & 0x7ff) << 12 | c >> 11 | 0x100;
		b = (c & 0x7ff) << 12 | c >> 11 | 0x200;
	}
	if (n % 4 == 0)
		req(p, id, a);
	else if (n % 4 == 1)
		rep(p, id, b);
	else
		between(p, n % 4 == 3, IBW_OP_RC_RDMA_READ_REQUEST, n % 4 == 3 ? a : b, n);
}

/* A connection a packet: from 4,000 hosts, to 250 QPs of each. */
static void connections(struct packet *p, uint32_t n, bool hostile)
{
	between(p, false, IBW_OP_RC_RDMA_READ_REQUEST, 0x10000 + n % 250, 0);
	p->build.ipv4.src = 0x0a010000 + (hostile ? n : n / 250);
	p->build.udp.sport = (uint16_t)(0xc000 | n);
}

/* Packet @n / 2 of pair @pair: requests and their ACKs by turns, on a port as Linux has it. */
static void turn(struct packet *p, uint32_t pair, uint32_t n)
{
	uint32_t a = 0x10000 + pair % 0x700000, b = 0x800000 + pair % 0x700000;

	between(p, n % 2, n % 2 ? IBW_OP_RC_ACKNOWLEDGE : IBW_OP_RC_RDMA_WRITE_ONLY, n % 2 ? a : b,
		n / 2);
	p->build.bth.ackreq = n % 2 == 0;
	p->build.reth.dmalen = 0;
	p->build.aeth.msn = (n / 2 + 1) & 0xffffff;
	p->build.udp.sport = linux_port(a, b);
}

/* A request and its ACK of a thousand QPs, or of so many that each connection comes VISITS times, by
 * turns in an order as good as random. */
static void at_random(struct packet *p, uint32_t n, bool hostile)
{
	uint32_t pairs = hostile ? n_packets / (2 * VISITS) : 500, visit = n / 2;

	turn(p, (uint32_t)(visit * 2654435761ull % pairs), visit / pairs * 2 + n % 2);
}

/* Both ways of connections, two packets each way, one connection after the other. */
static void pairs(struct packet *p, uint32_t n, bool hostile)
{
	turn(p, n / 4, n % 4);
	if (hostile) /* each of hosts of its own */
		p->build.ipv4.src += (n / 4) << 8, p->build.ipv4.dst += (n / 4) << 8;
}

/* A thousand connections in use, or 60,000; then nothing of them, and a thousand new ones by turns. */
static void idle(struct packet *p, uint32_t n, bool hostile)
{
	uint32_t used = hostile ? 60000 : 1000, before = n_packets - NEW_ONES * NEW_PACKETS;

	p->later = n >= before;
	if (p->later)
		turn(p, used + (n - before) / 2 % NEW_ONES,
		     (n - before) / (2 * NEW_ONES) * 2 + n % 2);
	else
		turn(p, n / 2 % used, n / (2 * used) * 2 + n % 2);
}

/*
 * 10,000 connections by turns, for html_large.py; some requests are lost and sent again after a NAK, every hundredth packet is
 * spoiled: or none of it.
 */
static void report(struct packet *p, uint32_t n, bool hostile)
{
	uint32_t visit = n / 2, pair = visit % REPORTED, k = visit / REPORTED, at = (pair + k) % 64;

	turn(p, pair, k * 2 + n % 2);
	if (!hostile)
		return;
	p->spoiled = n % 100 == 42;
	if (at == 7) /* it is missing, */
		turn(p, pair, (k + 1) * 2 + n % 2);
	if (at == 7 && n % 2) {
		p->build.bth.psn = k & 0xffffff;
		p->build.aeth.syndrome = IBW_AETH_NAK_PSN_SEQUENCE;
	}
	if (at == 8) /* and comes again; the next one is the one after it */
		turn(p, pair, (k - 1) * 2 + n % 2);
}

static const struct {
	const char *name;
	void (*make)(struct packet *p, uint32_t n, bool hostile);
} cases[] = {
	{ "qpns", qpns },         { "few_qpns", few_qpns }, { "ports", ports },
	{ "acks", acks },         { "gids", gids },         { "one_host", one_host },
	{ "findings", findings }, { "tids", tids },         { "reqs", reqs },
	{ "one_id", one_id },     { "setups", setups },     { "connections", connections },
	{ "random", at_random },  { "pairs", pairs },       { "queries", queries },
	{ "groups", groups },     { "senders", senders },   { "neighbours", neighbours },
	{ "marks", marks },       { "resends", resends },   { "pauses", pauses },
	{ "trims", trims },       { "macs", macs },         { "idle", idle },
	{ "report", report },     { "gaps", gaps },
};

/* In place of the packet in @frame: PFC, an XOFF of seven priorities. */
static size_t make_pause(uint8_t *frame)
{
	const struct ibw_pfc pfc = { .opcode = IBW_MAC_CONTROL_PFC,
				     .enable = 0xfe,
				     .quanta = { 0, 1, 2, 3, 0xffff, 0xffff, 1, 1 } };
	static const uint8_t to_neighbour[6] = { 0x01, 0x80, 0xc2, 0, 0, 0x01 };
	struct ibw_eth_wire *eth = ibw_eth_view_mut(frame, FRAME_MAX);

	ibw_eth_set_dst(eth, to_neighbour);
	ibw_eth_set_type(eth, IBW_ETHERTYPE_MAC_CONTROL);
	memset(frame + ibw_eth_BYTES, 0, 60 - ibw_eth_BYTES);
	ibw_pfc_pack(ibw_pfc_view_mut(frame + ibw_eth_BYTES, ibw_pfc_BYTES), &pfc);
	return 60;
}

static int write_case(unsigned int i, bool hostile, uint32_t packets, const char *path)
{
	const struct capture_pcap_kind kind = { .linktype = cases[i].make == neighbours
								    ? IBW_LINKTYPE_INFINIBAND
								    : 1,
						.snaplen = 262144 };
	struct capture_pcap_writer w;
	uint8_t frame[FRAME_MAX];
	uint32_t n;
	FILE *out = fopen(path, "wb");

	if (!out) {
		perror(path);
		return 2;
	}
	capture_pcap_write_open(&w, out);
	capture_pcap_write_kind(&w, &kind);
	n_packets = packets;
	for (n = 0; n < packets; n++) {
		struct packet p = { .build = { .kind = IBW_ICRC_ROCE_V2_IPV4, .has_eth = true } };
		size_t len;

		ibw_build_defaults(&p.build);
		p.build.eth.dst[0] = p.build.eth.src[0] = 2;
		p.build.eth.src[5] = 1;
		cases[i].make(&p, n, hostile);
		len = ibw_build_packet(frame, sizeof(frame), &p.build, p.payload);
		if (!len || len > sizeof(frame)) {
			fprintf(stderr, "packet %u: %s\n", n,
				ibw_build_error_text(ibw_build_check(&p.build)));
			return 2;
		}
		if (p.pause)
			len = make_pause(frame);
		if (p.spoiled)
			ibw_put_le32(frame + len - 4, ibw_get_le32(frame + len - 4) ^ 0x12345678);
		if (p.cut)
			len = p.cut;
		capture_pcap_write_packet(
			&w, 1700000000000000000 + n * 1000ull + (p.later ? LATER_NS : 0), frame,
			(uint32_t)len, (uint32_t)len);
	}
	if (!capture_pcap_write_close(&w)) {
		perror(path);
		return 2;
	}
	return 0;
}

int main(int argc, char **argv)
{
	unsigned int i;

	for (i = 0; argc == 5 && i < sizeof(cases) / sizeof(*cases); i++)
		if (strcmp(argv[1], cases[i].name) == 0)
			return write_case(i, strcmp(argv[2], "hostile") == 0,
					  (uint32_t)strtoul(argv[3], NULL, 0), argv[4]);
	fprintf(stderr, "flood-make CASE friendly|hostile PACKETS FILE\n");
	return 2;
}
