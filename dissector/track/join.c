/* SPDX-License-Identifier: GPL-2.0-or-later */
/* join.c - the two queue pairs of a connection, by its REQ and REP. */
#include <string.h>

#include <glib.h>

#include <ibwire/ibwire.h>
#include <ibwire/mad_walk.h>

#include "join.h"
#include "table.h"

struct request_key {
	struct track_flow flow; /* of the REQ */
	uint64_t comm_id;
};

struct request {
	uint64_t frame;
	uint32_t qpn;
	uint16_t local_lid, remote_lid;
	uint8_t local_gid[16], remote_gid[16];
};

/* The value kept under a struct track_flow. */
struct join {
	uint32_t sender;
	uint32_t comm_id; /* of the REQ: the same again is a repeat */
};

struct track_joins {
	struct track_table *requests; /* struct request_key -> struct request */
	struct track_table *joins;    /* struct track_flow -> struct join */
};

struct track_joins *track_joins_new(void)
{
	struct track_joins *j = g_new0(struct track_joins, 1);

	j->requests = track_table_new(sizeof(struct request_key), sizeof(struct request),
				      TRACK_JOIN_REQUESTS_MAX);
	j->joins = track_table_new(sizeof(struct track_flow), sizeof(struct join), TRACK_JOINS_MAX);
	return j;
}

void track_joins_free(struct track_joins *j)
{
	if (!j)
		return;
	track_table_free(j->requests);
	track_table_free(j->joins);
	g_free(j);
}

static void *get_or_add(struct track_table *t, const void *key, bool *made)
{
	void *v = track_table_get(t, key);

	*made = !v;
	if (!v && track_table_full(t))
		track_table_evict(t, track_table_oldest(t));
	return v ? v : track_table_add(t, key);
}

static void add_flow(struct track_join_news *news, const struct track_flow *flow)
{
	unsigned int i;

	for (i = 0; i < news->count; i++)
		if (track_flow_equal(&news->flows[i], flow))
			return;
	news->flows[news->count++] = *flow;
}

/* How packets from the REQ's sender to its receiver may be addressed. */
static void addressings(const struct request *request, const struct track_flow *flow,
			struct track_join_news *news)
{
	struct track_flow said = { .address = TRACK_ADDRESS_GID };

	news->count = 0;
	news->since = request->frame;
	add_flow(news, flow);
	memcpy(said.src, request->local_gid, 16);
	memcpy(said.dst, request->remote_gid, 16);
	add_flow(news, &said);
	memset(&said, 0, sizeof(said));
	said.address = TRACK_ADDRESS_LID;
	ibw_put_be16(said.src + 14, request->local_lid);
	ibw_put_be16(said.dst + 14, request->remote_lid);
	add_flow(news, &said);
}

static void feed_req(struct track_joins *j, const struct track_flow *flow,
		     const struct ibw_cm_req_wire *req, uint64_t frame,
		     struct track_join_news *news)
{
	struct request_key key = { *flow, ibw_cm_req_local_comm_id(req) };
	uint32_t qpn = ibw_cm_req_local_qpn(req);
	struct request *request;
	unsigned int i;
	bool made;

	request = get_or_add(j->requests, &key, &made);
	if (!made && request->qpn == qpn)
		return;
	request->frame = frame;
	request->qpn = qpn;
	request->local_lid = ibw_cm_req_primary_local_lid(req);
	request->remote_lid = ibw_cm_req_primary_remote_lid(req);
	memcpy(request->local_gid, ibw_cm_req_primary_local_gid(req), 16);
	memcpy(request->remote_gid, ibw_cm_req_primary_remote_gid(req), 16);
	addressings(request, flow, news);
	for (i = 0; i < news->count; i++) {
		track_flow_turn(&news->flows[i]);
		news->flows[i].dqpn = qpn;
	}
}

/* Packets of @flow come from QP @sender. Returns whether that is new. */
static bool join(struct track_joins *j, const struct track_flow *flow, uint32_t sender,
		 uint32_t comm_id)
{
	struct join *v;
	bool made;

	v = get_or_add(j->joins, flow, &made);
	if (!made && v->sender == sender && v->comm_id == comm_id)
		return false;
	v->sender = sender;
	v->comm_id = comm_id;
	return true;
}

static void feed_rep(struct track_joins *j, const struct track_flow *flow,
		     const struct ibw_cm_rep_wire *rep, struct track_join_news *news)
{
	struct request_key key = { *flow, ibw_cm_rep_remote_comm_id(rep) };
	uint32_t comm_id = ibw_cm_rep_remote_comm_id(rep), server = ibw_cm_rep_local_qpn(rep);
	const struct request *request;
	bool fresh = false;
	unsigned int i;

	track_flow_turn(&key.flow);
	request = track_table_get(j->requests, &key);
	if (!request)
		return;
	addressings(request, &key.flow, news);
	for (i = 0; i < news->count; i++) {
		struct track_flow back = news->flows[i];

		track_flow_turn(&back);
		back.dqpn = request->qpn;
		news->flows[i].dqpn = server;
		fresh |= join(j, &news->flows[i], request->qpn, comm_id);
		fresh |= join(j, &back, server, comm_id);
	}
	if (!fresh)
		news->count = 0;
}

void track_joins_feed(struct track_joins *j, const struct track_flow *flow,
		      const struct track_mad *mad, uint64_t frame, struct track_join_news *news)
{
	const struct ibw_mad_wire *header = ibw_mad_view(mad->p, mad->n);
	const uint8_t *message = mad->p + ibw_mad_BYTES;
	struct track_flow ends = *flow;

	news->count = 0;
	if (!header || mad->n < IBW_MAD_BYTES)
		return;
	ends.dqpn = 0;
	ends.service = 0;
	if (ibw_mad_attr_id(header) == IBW_ATTR_CM_REQ)
		feed_req(j, &ends, (const void *)message, frame, news);
	else if (ibw_mad_attr_id(header) == IBW_ATTR_CM_REP)
		feed_rep(j, &ends, (const void *)message, news);
}

bool track_joins_sender(struct track_joins *j, const struct track_flow *flow, uint32_t *qpn)
{
	struct track_flow key = *flow;
	const struct join *v;

	key.service = 0;
	v = track_table_get(j->joins, &key);
	if (v)
		*qpn = v->sender;
	return v;
}
