/* SPDX-License-Identifier: GPL-2.0-or-later */
/* neigh_after.c - what follows once a neighbour of IPoIB has answered: path queries, packets, REQs. */
#include <string.h>

#include <ibwire/cm.h>
#include <ibwire/ibwire.h>
#include <ibwire/net.h>

#include "neigh_impl.h"

/* The type of an echo request: RFC 792 */
#define ICMP_ECHO 8

/* The QPN in a service id of RFC 4755. */
#define SID_QPN 0xffffffu

/* The neighbour that the sender of @pkt knows by this QP; NULL: none. */
static struct neighbour *follows(struct track_neigh *t, const struct ibw_packet *pkt, uint32_t dqpn)
{
	const struct ibw_lrh_wire *lrh = IBW_AT(pkt, lrh);
	struct qp_key key;
	const struct gid_key *gid;
	struct neighbour *n;

	if (!lrh)
		return NULL;
	key = (struct qp_key){ ibw_lrh_slid(lrh), ibw_lrh_dlid(lrh), dqpn };
	gid = track_table_get(t->qps, &key);
	n = gid ? track_table_get(t->neighbours, gid) : NULL;
	if (n)
		n->followed = true;
	return n;
}

/* Packets to one port have the Q_Key of the broadcast group, too. RFC 4391, 5 */
static void check_qkey(struct track_neigh *t, const struct ibw_packet *pkt, uint32_t qkey,
		       const struct track_at *at)
{
	uint32_t has;
	struct track_event *e;
	uint64_t frame;

	if (!track_mcast_broadcast(t->mcast, ibw_bth_pkey(IBW_KNOWN(pkt, bth)), &has, &frame) ||
	    has == qkey)
		return;
	e = track_event_add(t->events, TRACK_EVENT_NEIGHBOUR_OTHER_QKEY, at);
	if (!e)
		return;
	track_flow_of(pkt, &e->flow);
	track_event_cause(e, frame);
	e->number[TRACK_NEIGHBOUR_OTHER_QKEY_qkey] = qkey;
	e->number[TRACK_NEIGHBOUR_OTHER_QKEY_has] = has;
}

static void hears(struct track_neigh *t, const struct ibw_packet *pkt)
{
	const struct ibw_lrh_wire *lrh = IBW_AT(pkt, lrh);

	if (lrh && ibw_lrh_dlid(lrh) < IBW_LID_MULTICAST_FIRST)
		t->hears[ibw_lrh_dlid(lrh) / 8] |= (uint8_t)(1u << ibw_lrh_dlid(lrh) % 8);
}

/* The @source or destination of an IP packet. */
static bool address_of(uint8_t address[16], const struct ibw_packet *ip, bool source)
{
	const struct ibw_ipv4_wire *ipv4 = IBW_AT(ip, ipv4);
	const struct ibw_ipv6_wire *ipv6 = IBW_AT(ip, ipv6);

	if (ipv4)
		track_neigh_map(address, source ? ibw_ipv4_src(ipv4) : ibw_ipv4_dst(ipv4));
	else if (ipv6)
		memcpy(address, source ? ibw_ipv6_src(ipv6) : ibw_ipv6_dst(ipv6), 16);
	return ipv4 || ipv6;
}

bool track_neigh_hears(const struct track_neigh *t, uint16_t lid)
{
	return t->hears[lid / 8] >> lid % 8 & 1;
}

/* The host of a packet's @source or destination as the other end of it knows it; NULL: nobody does. */
static struct neighbour *host_of(struct track_neigh *t, const struct ibw_packet *pkt,
				 const struct ibw_packet *ip, bool source)
{
	const struct ibw_lrh_wire *lrh = IBW_AT(pkt, lrh);
	const struct gid_key *gid;
	struct address_key key;

	if (!lrh || !address_of(key.address, ip, source))
		return NULL;
	key.slid = source ? ibw_lrh_dlid(lrh) : ibw_lrh_slid(lrh);
	key.dlid = source ? ibw_lrh_slid(lrh) : ibw_lrh_dlid(lrh);
	gid = track_table_get(t->addresses, &key);
	return gid ? track_table_get(t->neighbours, gid) : NULL;
}

/* Its address and its LID are those of the answer, the queue pair is not. */
static void to_other_qp(struct track_neigh *t, const struct ibw_packet *pkt,
			const struct ibw_packet *ip, const struct track_at *at)
{
	struct neighbour *n = host_of(t, pkt, ip, false);

	if (!n)
		return;
	n->others++;
	if (n->other_frame)
		return;
	n->other_frame = at->frame;
	n->other_ns = at->time_ns;
	n->other_qpn = ibw_bth_dqpn(IBW_KNOWN(pkt, bth));
}

/* The neighbour that a packet comes from: by its queue pair, as a router has packets of other addresses; else by address. */
static struct neighbour *sender(struct track_neigh *t, const struct ibw_packet *pkt,
				const struct ibw_packet *ip, const struct ibw_deth_wire *deth)
{
	const struct ibw_lrh_wire *lrh = IBW_AT(pkt, lrh);
	const struct gid_key *gid;
	struct qp_key key;

	if (!lrh)
		return NULL;
	key = (struct qp_key){ ibw_lrh_dlid(lrh), ibw_lrh_slid(lrh), ibw_deth_sqpn(deth) };
	gid = track_table_get(t->qps, &key);
	return gid ? track_table_get(t->neighbours, gid) : host_of(t, pkt, ip, true);
}

static void from_neighbour(struct neighbour *n, const struct track_at *at)
{
	n->back |= n->other_frame != 0;
	if (n->row.data && !n->row.back)
		n->row.back = at->frame;
}

/* An echo request, or the first segment of a TCP connection: the host answers, or refuses. */
static bool calls(const struct ibw_packet *ip)
{
	const struct ibw_tcp_wire *tcp = IBW_AT(ip, tcp);
	const struct ibw_icmpv6_wire *icmpv6 = IBW_AT(ip, icmpv6);
	struct ibw_net net;

	if (tcp)
		return ibw_tcp_syn(tcp) && !ibw_tcp_ack(tcp);
	if (icmpv6)
		return ibw_icmpv6_type(icmpv6) == IBW_ICMPV6_ECHO_REQUEST;
	return !(ip->flags & IBW_PKT_FRAGMENT) && ibw_packet_net(ip, &net) &&
	       net.layer == IBW_LAYER_ipv4 && net.next == IBW_IP_PROTO_ICMP && net.payload_len &&
	       net.end < ip->caplen && ip->data[net.end] == ICMP_ECHO;
}

/* To the queue pair that it answered with. */
static void to_neighbour(struct neighbour *n, const struct ibw_packet *ip,
			 const struct track_at *at)
{
	uint8_t address[16];

	if (!n->row.data)
		n->row.data = at->frame;
	if (!calls(ip) || !address_of(address, ip, false) ||
	    memcmp(address, n->row.address, 16) != 0)
		return;
	if (!n->calls++) {
		n->calls_first = at->frame;
		n->calls_first_ns = at->time_ns;
	}
	n->calls_last = at->frame;
	n->calls_last_ns = at->time_ns;
}

/* A packet to one port. */
void track_neigh_unicast(struct track_neigh *t, const struct ibw_packet *pkt,
			 const struct ibw_packet *ip, const struct ibw_deth_wire *deth,
			 const struct track_at *at)
{
	struct neighbour *n;

	hears(t, pkt);
	check_qkey(t, pkt, ibw_deth_qkey(deth), at);
	n = follows(t, pkt, ibw_bth_dqpn(IBW_KNOWN(pkt, bth)));
	if (n) {
		to_neighbour(n, ip, at);
		track_neigh_tell_pkey(t, n, pkt, at);
	} else {
		to_other_qp(t, pkt, ip, at);
	}
	n = sender(t, pkt, ip, deth);
	if (n)
		from_neighbour(n, at);
}

/* What the SA answers to who asked it. */
static void path(struct track_neigh *t, const struct ibw_lrh_wire *lrh, const struct track_mad *mad,
		 const struct ibw_path_rec *rec, const struct track_at *at)
{
	struct gid_key key = { .lid = ibw_lrh_dlid(lrh) };
	struct neighbour *n;

	memcpy(key.gid, rec->dgid, 16);
	track_neigh_back(t, rec->dgid, ibw_lrh_dlid(lrh), true, mad->status != 0, at);
	n = track_table_get(t->neighbours, &key);
	if (!n || !n->row.query || n->row.path)
		return;
	if (mad->status) {
		n->row.refused = at->frame;
		return;
	}
	n->row.path = at->frame;
	n->row.mtu = ibw_mtu_code_defined(rec->mtu) ? ibw_mtu_bytes(rec->mtu) : 0;
}

static void query(struct track_neigh *t, const struct ibw_lrh_wire *lrh,
		  const struct ibw_path_rec *rec, const struct track_at *at)
{
	struct gid_key key = { .lid = ibw_lrh_slid(lrh) };
	struct neighbour *n;

	memcpy(key.gid, rec->dgid, 16);
	track_neigh_back(t, rec->dgid, ibw_lrh_slid(lrh), false, false, at);
	n = track_table_get(t->neighbours, &key);
	if (!n)
		return;
	n->followed = true;
	if (!n->row.query)
		n->row.query = at->frame;
}

void track_neigh_mad(struct track_neigh *t, const struct ibw_packet *pkt,
		     const struct track_mad *mad, const struct track_at *at)
{
	const struct ibw_path_rec_wire *wire = TRACK_MAD_RECORD(mad, 0, path_rec);
	const struct ibw_lrh_wire *lrh = IBW_AT(pkt, lrh);
	struct ibw_path_rec rec;

	hears(t, pkt);
	if (!lrh || !wire || !mad->walked.attr || mad->walked.attr->id != IBW_ATTR_SA_PATH_REC)
		return;
	ibw_path_rec_unpack(&rec, wire);
	if (ibw_mad_r(mad->mad))
		path(t, lrh, mad, &rec, at);
	else
		query(t, lrh, &rec, at);
}

/* Connected mode: a REQ names the QP of the neighbour's address. Without that mode nobody listens. */
static void ipoib_cm(struct track_neigh *t, const struct ibw_packet *pkt,
		     const struct track_cm_news *news, const struct track_at *at)
{
	uint32_t qpn = (uint32_t)(news->service_id & SID_QPN);
	struct track_event *e;
	struct neighbour *n;

	n = news->message == TRACK_CM_REQ ? follows(t, pkt, qpn) : NULL;
	if (n && !n->row.req)
		n->row.req = at->frame;
	if (news->message != TRACK_CM_REJ || news->side != TRACK_CM_SERVER ||
	    news->detail != IBW_CM_REJ_SERVICE_ID || news->doubt)
		return;
	e = track_event_add(t->events, TRACK_EVENT_NEIGHBOUR_REFUSES, at);
	if (!e)
		return;
	track_flow_of(pkt, &e->flow);
	track_event_cause(e, news->req_frame);
	e->number[TRACK_NEIGHBOUR_REFUSES_qpn] = qpn;
}

/* The neighbour that a REQ of the RDMA CM is for, by its GID, or that the server of a conversation is. */
static struct neighbour *of_rdma_cm(struct track_neigh *t, const struct ibw_packet *pkt,
				    const struct track_mad *mad, const struct track_cm_news *news)
{
	const struct ibw_cm_req_wire *req = (const void *)(mad->p + ibw_mad_BYTES);
	const struct ibw_lrh_wire *lrh = IBW_AT(pkt, lrh);
	const struct gid_key *by_frame;
	struct gid_key key;

	if (!lrh)
		return NULL;
	if (news->message == TRACK_CM_REQ) { /* all of it was captured */
		memcpy(key.gid, ibw_cm_req_primary_remote_gid(req), 16);
		key.lid = ibw_lrh_slid(lrh);
		by_frame = &key;
	} else {
		by_frame = track_table_get(t->reqs, &news->req_frame);
	}
	return by_frame ? track_table_get(t->neighbours, by_frame) : NULL;
}

/* The chain of the RDMA CM: the address is resolved, then the path, then a REQ goes to the GID. */
static void rdma_cm(struct track_neigh *t, const struct ibw_packet *pkt,
		    const struct track_mad *mad, const struct track_cm_news *news,
		    const struct track_at *at)
{
	struct neighbour *n = of_rdma_cm(t, pkt, mad, news);
	struct gid_key *key;

	if (!n)
		return;
	switch (news->message) {
	case TRACK_CM_REQ:
		n->followed = true;
		if (!n->row.rdma_req)
			n->row.rdma_req = at->frame;
		key = track_table_need(t->reqs, &news->req_frame);
		*key = *(const struct gid_key *)track_table_key(t->neighbours, n);
		break;
	case TRACK_CM_REJ:
		if (news->side == TRACK_CM_SERVER)
			n->row.rdma_rej = at->frame;
		break;
	case TRACK_CM_REP:
		if (!n->row.rdma_rep)
			n->row.rdma_rep = at->frame;
		break;
	default:
		break;
	}
}

void track_neigh_cm(struct track_neigh *t, const struct ibw_packet *pkt,
		    const struct track_mad *mad, const struct track_cm_news *news,
		    const struct track_at *at)
{
	switch (ibw_sid_split(news->service_id).kind) {
	case IBW_SID_IPOIB_CM:
		ipoib_cm(t, pkt, news, at);
		break;
	case IBW_SID_RDMA_CM:
		if (!news->doubt)
			rdma_cm(t, pkt, mad, news, at);
		break;
	default:
		break;
	}
}
