/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * peers.c - the queue pair a packet comes from.
 *
 * A packet names the receiver's QP only. The sender's is in the DETH of a datagram; that
 * of a connection is known from the REQ and REP that set it up, which are read once, when
 * Wireshark sees them first. A QP may serve several connections in turn, so what is
 * learned holds from its frame on.
 */
#include <string.h>

#include <ibwire/ibwire.h>

#include "iw.h"

/* How a connection's packets may be addressed: as its CM messages are, by GID, by LID. */
#define ADDRESSINGS 3

/* A REQ that waits for its REP. */
struct request {
	uint32_t qpn;
	unsigned int count;
	struct track_flow flows[ADDRESSINGS]; /* from client to server, without a QP */
};

struct request_key {
	struct track_flow flow; /* of the REQ */
	uint64_t comm_id;
};

static wmem_map_t *requests; /* struct request_key -> struct request */
static wmem_map_t *peers;    /* struct track_flow -> wmem_tree_t: frame -> struct iw_peer */

static guint hash_flow(const void *key)
{
	return track_flow_hash(key);
}

static gboolean equal_flows(const void *a, const void *b)
{
	return track_flow_equal(a, b);
}

static guint hash_request(const void *key)
{
	const struct request_key *k = key;

	return track_flow_hash(&k->flow) ^ (guint)k->comm_id;
}

static gboolean equal_requests(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct request_key)) == 0;
}

void iw_peers_init(void)
{
	requests = wmem_map_new(wmem_file_scope(), hash_request, equal_requests);
	peers = wmem_map_new(wmem_file_scope(), hash_flow, equal_flows);
}

void iw_peers_cleanup(void)
{
	requests = NULL;
	peers = NULL;
}

/* The QPs of all services are one number space. */
static void as_key(struct track_flow *flow)
{
	flow->service = 0;
	track_flow_as_gids(flow);
}

static void add_flow(struct request *request, const struct track_flow *flow)
{
	unsigned int i;

	for (i = 0; i < request->count; i++)
		if (track_flow_equal(&request->flows[i], flow))
			return;
	request->flows[request->count++] = *flow;
}

static void learn_req(const struct ibw_cm_req_wire *req, const struct track_flow *flow)
{
	struct request_key *key = wmem_new0(wmem_file_scope(), struct request_key);
	struct request *request = wmem_new0(wmem_file_scope(), struct request);
	struct track_flow said = { .address = TRACK_ADDRESS_GID };

	key->flow = *flow;
	key->comm_id = ibw_cm_req_local_comm_id(req);
	request->qpn = ibw_cm_req_local_qpn(req);
	add_flow(request, flow);
	memcpy(said.src, ibw_cm_req_primary_local_gid(req), 16);
	memcpy(said.dst, ibw_cm_req_primary_remote_gid(req), 16);
	add_flow(request, &said);
	memset(&said, 0, sizeof(said));
	said.address = TRACK_ADDRESS_LID;
	ibw_put_be16(said.src + 14, ibw_cm_req_primary_local_lid(req));
	ibw_put_be16(said.dst + 14, ibw_cm_req_primary_remote_lid(req));
	add_flow(request, &said);
	wmem_map_insert(requests, key, request);
}

/* Packets of @flow to QP @to are sent by QP @from, since @frame. */
static void join(struct track_flow flow, uint32_t to, uint32_t from, uint32_t frame)
{
	struct iw_peer *peer = wmem_new(wmem_file_scope(), struct iw_peer);
	wmem_tree_t *tree;

	flow.dqpn = to;
	peer->qpn = from;
	peer->frame = frame;
	tree = wmem_map_lookup(peers, &flow);
	if (!tree) {
		tree = wmem_tree_new(wmem_file_scope());
		wmem_map_insert(peers, wmem_memdup(wmem_file_scope(), &flow, sizeof(flow)), tree);
	}
	wmem_tree_insert32(tree, frame, peer);
}

static void learn_rep(const struct ibw_cm_rep_wire *rep, const struct track_flow *flow,
		      uint32_t frame)
{
	uint32_t server = ibw_cm_rep_local_qpn(rep);
	const struct request *request;
	struct request_key key;
	unsigned int i;

	memset(&key, 0, sizeof(key));
	key.flow = *flow;
	track_flow_turn(&key.flow);
	key.comm_id = ibw_cm_rep_remote_comm_id(rep);
	request = wmem_map_lookup(requests, &key);
	for (i = 0; request && i < request->count; i++) {
		struct track_flow back = request->flows[i];

		track_flow_turn(&back);
		join(request->flows[i], server, request->qpn, frame);
		join(back, request->qpn, server, frame);
	}
}

void iw_peers_feed(struct iw_frame *frame, packet_info *pinfo)
{
	const struct track_mad *mad;
	struct track_flow flow;
	uint32_t i;

	if (!peers)
		return;
	mad = iw_mad_of(frame);
	if (!mad || !mad->walked.class_row || mad->walked.class_row->attrs != IBW_ATTRS_CM ||
	    !track_flow_of(&frame->view.pkt, &flow))
		return;
	as_key(&flow);
	for (i = 0; i < mad->walked.n_spans; i++) {
		const void *wire = mad->p + mad->span[i].off;

		if (mad->span[i].layer == IBW_LAYER_cm_req)
			learn_req(wire, &flow);
		else if (mad->span[i].layer == IBW_LAYER_cm_rep)
			learn_rep(wire, &flow, pinfo->num);
	}
}

const struct iw_peer *iw_peer_of(const struct iw_frame *frame, packet_info *pinfo)
{
	const struct ibw_packet *pkt = &frame->view.pkt;
	unsigned int deth = ibw_packet_find(pkt, IBW_LAYER_deth);
	struct track_flow flow;
	struct iw_peer *peer;
	wmem_tree_t *tree;

	if (deth != IBW_NO_SPAN) {
		peer = wmem_new(pinfo->pool, struct iw_peer);
		peer->qpn = ibw_deth_sqpn(ibw_packet_at(pkt, deth));
		peer->frame = 0;
		return peer;
	}
	if (!peers || !wmem_map_size(peers) || !track_flow_of(pkt, &flow))
		return NULL;
	as_key(&flow);
	tree = wmem_map_lookup(peers, &flow);
	return tree ? wmem_tree_lookup32_le(tree, pinfo->num) : NULL;
}
