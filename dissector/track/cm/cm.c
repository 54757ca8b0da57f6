/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cm.c - keeps CM conversations by their communication ID, and the flows that they set up. */
#include <string.h>

#include <glib.h>

#include <ibwire/ibwire.h>
#include <ibwire/mad_walk.h>

#include "cm.h"
#include "track/base/table.h"

/* No holes: compared as bytes. */
struct key {
	struct track_flow flow; /* of the REQ; no service, and no QP, or for a name: */
	uint64_t comm_id;       /* of its sender */
};

/* How else a conversation is known, for messages whose remote ID is wrong. The key's QP says which. */
enum name {
	NAME_TID = 1, /* of the REQ, which its REP has, too */
	NAME_SERVER   /* from the server, by its communication ID */
};

struct conversation {
	uint64_t first_frame; /* of the REQ; of a REP whose REQ was not captured, its own */
	uint64_t req_frame, rep_frame; /* 0: none yet */
	uint64_t last_frame;
	uint64_t service_id;
	uint32_t mtu;       /* the path's, in bytes; 0: not known */
	uint32_t server_id; /* communication ID of the REP */
	uint32_t qpn[TRACK_CM_SIDES];
	uint32_t psn[TRACK_CM_SIDES];
	uint8_t init_depth[TRACK_CM_SIDES], resp_res[TRACK_CM_SIDES];
	uint8_t retry_count, ack_timeout, rnr_retry_count[TRACK_CM_SIDES];
	uint16_t lid[TRACK_CM_SIDES]; /* of the primary path */
	uint8_t gid[TRACK_CM_SIDES][16];
	uint16_t seen[TRACK_CM_SIDES];
	bool doubt[TRACK_CM_SIDES]; /* REQ and REP had a bad ICRC */
	bool xrc;
	uint8_t service; /* enum ibw_service */
};

struct track_cm {
	struct track_table *conversations; /* struct key -> struct conversation */
	struct track_table *names;         /* struct key, of a name -> struct key */
	struct track_table *flows;         /* struct track_flow -> struct track_cm_said */
	bool any_ipoib;
};

/* A message, as it came. */
struct message {
	enum track_cm_message kind;
	const void *p;
	uint32_t local_id, remote_id;
	uint64_t tid;
	struct track_flow flow; /* as of a struct key */
	uint64_t frame;
	bool doubt;
};

struct track_cm *track_cm_new(uint32_t max_conversations)
{
	struct track_cm *c = g_new0(struct track_cm, 1);

	c->conversations =
		track_table_new(sizeof(struct key), sizeof(struct conversation), max_conversations);
	c->names = track_table_new(sizeof(struct key), sizeof(struct key), 2 * max_conversations);
	c->flows = track_table_new(sizeof(struct track_flow), sizeof(struct track_cm_said),
				   TRACK_CM_FLOWS * max_conversations);
	return c;
}

void track_cm_free(struct track_cm *c)
{
	if (!c)
		return;
	track_table_free(c->conversations);
	track_table_free(c->names);
	track_table_free(c->flows);
	g_free(c);
}

/* Reading */

static enum track_cm_message kind_of(uint16_t attr_id, uint32_t *bytes)
{
	static const struct {
		uint16_t attr_id;
		uint16_t bytes;
		enum track_cm_message kind;
	} rows[] = {
		{ IBW_ATTR_CM_REQ, ibw_cm_req_BYTES, TRACK_CM_REQ },
		{ IBW_ATTR_CM_MRA, ibw_cm_mra_BYTES, TRACK_CM_MRA },
		{ IBW_ATTR_CM_REJ, ibw_cm_rej_BYTES, TRACK_CM_REJ },
		{ IBW_ATTR_CM_REP, ibw_cm_rep_BYTES, TRACK_CM_REP },
		{ IBW_ATTR_CM_RTU, ibw_cm_rtu_BYTES, TRACK_CM_RTU },
		{ IBW_ATTR_CM_DREQ, ibw_cm_dreq_BYTES, TRACK_CM_DREQ },
		{ IBW_ATTR_CM_DREP, ibw_cm_drep_BYTES, TRACK_CM_DREP },
		{ IBW_ATTR_CM_LAP, ibw_cm_lap_BYTES, TRACK_CM_LAP },
		{ IBW_ATTR_CM_APR, ibw_cm_apr_BYTES, TRACK_CM_APR },
	};
	unsigned int i;

	for (i = 0; i < G_N_ELEMENTS(rows); i++) {
		if (rows[i].attr_id != attr_id)
			continue;
		*bytes = rows[i].bytes;
		return rows[i].kind;
	}
	return TRACK_CM_OTHER;
}

/* Whether it is a message of a conversation, and all of its fixed part was captured. */
static bool read_message(struct message *m, const struct ibw_packet *pkt,
			 const struct track_mad *mad)
{
	const struct ibw_mad_wire *header = ibw_mad_view(mad->p, mad->n);
	uint32_t bytes = 0;

	if (!header || !track_flow_gids_of(pkt, &m->flow))
		return false;
	m->kind = kind_of(ibw_mad_attr_id(header), &bytes);
	if (m->kind == TRACK_CM_OTHER || mad->n - (uint32_t)ibw_mad_BYTES < bytes)
		return false;
	m->flow.dqpn = 0;
	m->flow.service = 0;
	m->tid = ibw_mad_tid(header);
	m->p = mad->p + ibw_mad_BYTES;
	/* All begin with them, but that a REQ has no remote one. */
	m->local_id = ibw_cm_rtu_local_comm_id(m->p);
	m->remote_id = m->kind == TRACK_CM_REQ ? 0 : ibw_cm_rtu_remote_comm_id(m->p);
	return true;
}

static uint32_t detail_of(const struct message *m)
{
	switch (m->kind) {
	case TRACK_CM_MRA:
		return ibw_cm_mra_service_timeout(m->p);
	case TRACK_CM_REJ:
		return ibw_cm_rej_reason(m->p);
	case TRACK_CM_DREQ:
		return ibw_cm_dreq_remote_qpn(m->p);
	default:
		return 0;
	}
}

static bool is_xrc(const struct ibw_cm_req_wire *req)
{
	return ibw_cm_req_transport(req) == IBW_CM_EXTENDED &&
	       ibw_cm_req_ext_transport(req) == IBW_CM_XRC;
}

static uint8_t service_of(const struct ibw_cm_req_wire *req)
{
	switch (ibw_cm_req_transport(req)) {
	case IBW_CM_UC:
		return IBW_SERVICE_UC;
	case IBW_CM_RD:
		return IBW_SERVICE_RD;
	default:
		return is_xrc(req) ? IBW_SERVICE_XRC : IBW_SERVICE_RC;
	}
}

/*
 * With XRC the server's QPN is where else the EE context is: Linux 6.12, both who writes it,
 * cm_format_rep() of cm.c, and who reads it, cm_rep_get_qpn() of cm_msgs.h.
 */
static uint32_t server_qpn(const struct conversation *v, const struct ibw_cm_rep_wire *rep)
{
	return v->xrc ? ibw_cm_rep_local_eecn(rep) : ibw_cm_rep_local_qpn(rep);
}

/* Flows */

static void add_flow(struct track_cm_news *news, const struct track_flow *flow)
{
	unsigned int i;

	for (i = 0; i < news->n_flows; i++)
		if (track_flow_equal(&news->flow[i], flow))
			return;
	news->flow[news->n_flows++] = *flow;
}

/* How packets from the client of the REQ of @flow to its server may be addressed. */
static void addressings(const struct conversation *v, const struct track_flow *flow,
			struct track_cm_news *news)
{
	struct track_flow said = { .address = TRACK_ADDRESS_GID };

	add_flow(news, flow);
	memcpy(said.src, v->gid[TRACK_CM_CLIENT], 16);
	memcpy(said.dst, v->gid[TRACK_CM_SERVER], 16);
	add_flow(news, &said);
	memset(&said, 0, sizeof(said));
	said.address = TRACK_ADDRESS_LID;
	ibw_put_be16(said.src + 14, v->lid[TRACK_CM_CLIENT]);
	ibw_put_be16(said.dst + 14, v->lid[TRACK_CM_SERVER]);
	add_flow(news, &said);
}

/* @again: the message came once more; if nothing else was said since, it is of another frame now. */
static void learn(struct track_cm *c, const struct track_flow *flow, struct track_cm_said said,
		  bool doubt, bool again)
{
	struct track_cm_said *old = track_table_get(c->flows, flow);

	if (again && old && old->sqpn == said.sqpn)
		old->rep_frame = said.rep_frame;
	if (again)
		return;
	said.sure_sqpn = said.sqpn;
	if (doubt)
		said.sure_sqpn = old ? old->sure_sqpn : TRACK_CM_NO_QPN;
	if (!old && track_table_full(c->flows))
		track_table_evict(c->flows, track_table_oldest(c->flows));
	if (!old)
		old = track_table_add(c->flows, flow);
	*old = said;
}

/* Messages */

static bool has_seen(const struct conversation *v, enum track_cm_side side,
		     enum track_cm_message kind)
{
	return v->seen[side] & 1u << kind;
}

static enum track_cm_state state_of(const struct conversation *v)
{
	static const struct {
		enum track_cm_message latest;
		enum track_cm_state state;
	} rows[] = {
		{ TRACK_CM_REJ, TRACK_CM_REJECTED },   { TRACK_CM_DREP, TRACK_CM_DISCONNECTED },
		{ TRACK_CM_DREQ, TRACK_CM_DREQ_SENT }, { TRACK_CM_RTU, TRACK_CM_ESTABLISHED },
		{ TRACK_CM_REP, TRACK_CM_REP_SENT },   { TRACK_CM_REQ, TRACK_CM_REQ_SENT },
	};
	unsigned int i;

	for (i = 0; i < G_N_ELEMENTS(rows); i++)
		if (has_seen(v, TRACK_CM_CLIENT, rows[i].latest) ||
		    has_seen(v, TRACK_CM_SERVER, rows[i].latest))
			return rows[i].state;
	return TRACK_CM_NONE;
}

static bool is_ipoib(const struct conversation *v)
{
	return ibw_sid_split(v->service_id).kind == IBW_SID_IPOIB_CM;
}

static bool same_req(const struct conversation *v, const struct ibw_cm_req_wire *req)
{
	return v->qpn[TRACK_CM_CLIENT] == ibw_cm_req_local_qpn(req) &&
	       v->psn[TRACK_CM_CLIENT] == ibw_cm_req_starting_psn(req) &&
	       v->service_id == ibw_cm_req_service_id(req);
}

static void read_req(struct conversation *v, const struct ibw_cm_req_wire *req)
{
	memset(v, 0, sizeof(*v));
	v->service_id = ibw_cm_req_service_id(req);
	v->qpn[TRACK_CM_CLIENT] = ibw_cm_req_local_qpn(req);
	v->qpn[TRACK_CM_SERVER] = TRACK_CM_NO_QPN;
	v->psn[TRACK_CM_CLIENT] = ibw_cm_req_starting_psn(req);
	v->init_depth[TRACK_CM_CLIENT] = (uint8_t)ibw_cm_req_init_depth(req);
	v->resp_res[TRACK_CM_CLIENT] = (uint8_t)ibw_cm_req_resp_res(req);
	v->retry_count = (uint8_t)ibw_cm_req_retry_count(req);
	v->ack_timeout = (uint8_t)ibw_cm_req_primary_ack_timeout(req);
	v->rnr_retry_count[TRACK_CM_CLIENT] = (uint8_t)ibw_cm_req_rnr_retry_count(req);
	v->lid[TRACK_CM_CLIENT] = ibw_cm_req_primary_local_lid(req);
	v->lid[TRACK_CM_SERVER] = ibw_cm_req_primary_remote_lid(req);
	memcpy(v->gid[TRACK_CM_CLIENT], ibw_cm_req_primary_local_gid(req), 16);
	memcpy(v->gid[TRACK_CM_SERVER], ibw_cm_req_primary_remote_gid(req), 16);
	v->xrc = is_xrc(req);
	v->service = service_of(req);
	if (ibw_mtu_code_defined(ibw_cm_req_path_mtu(req)))
		v->mtu = ibw_mtu_bytes(ibw_cm_req_path_mtu(req));
}

/* A message without bit errors is news after one with. */
static bool is_repeat(bool same, bool old_doubt, bool doubt)
{
	return same && doubt >= old_doubt;
}

static struct conversation *new_conversation(struct track_cm *c, const struct key *key)
{
	if (track_table_full(c->conversations))
		track_table_evict(c->conversations, track_table_oldest(c->conversations));
	return track_table_add(c->conversations, key);
}

/* The last one of that name. */
static void note_name(struct track_cm *c, const struct message *m, enum name name, uint64_t value,
		      const struct key *of)
{
	struct key key = { m->flow, value };
	struct key *old;

	key.flow.dqpn = name;
	old = track_table_need(c->names, &key);
	*old = *of;
}

/* Packets to the client's QP are of this connection from now on, whoever used it before. */
static struct conversation *feed_req(struct track_cm *c, const struct message *m,
				     struct track_cm_news *news)
{
	const struct key key = { m->flow, m->local_id };
	struct conversation *v = track_table_get(c->conversations, &key);
	struct track_cm_said said = { .sqpn = TRACK_CM_NO_QPN };
	unsigned int i;

	news->repeated = v && is_repeat(same_req(v, m->p), v->doubt[TRACK_CM_CLIENT], m->doubt);
	if (news->repeated)
		return v;
	if (!v)
		v = new_conversation(c, &key);
	read_req(v, m->p);
	v->first_frame = v->req_frame = m->frame;
	v->doubt[TRACK_CM_CLIENT] = m->doubt;
	if (m->tid)
		note_name(c, m, NAME_TID, m->tid, &key);
	said.service_id = v->service_id;
	said.ipoib = is_ipoib(v);
	c->any_ipoib |= said.ipoib;
	addressings(v, &m->flow, news);
	for (i = 0; i < news->n_flows; i++) {
		track_flow_turn(&news->flow[i]);
		news->flow[i].dqpn = v->qpn[TRACK_CM_CLIENT];
		learn(c, &news->flow[i], said, m->doubt, false);
	}
	return v;
}

/* Packets between the two QPs are of this connection, however they are addressed. */
static void connect(struct track_cm *c, const struct conversation *v, const struct message *m,
		    struct track_cm_news *news)
{
	struct track_cm_said said = { .rep_frame = m->frame,
				      .service_id = v->service_id,
				      .ipoib = is_ipoib(v) };
	bool doubt = v->doubt[TRACK_CM_CLIENT] || v->doubt[TRACK_CM_SERVER];
	struct track_flow flow = m->flow;
	unsigned int i;

	track_flow_turn(&flow); /* as the REQ's */
	addressings(v, &flow, news);
	for (i = 0; i < news->n_flows; i++) {
		flow = news->flow[i];
		track_flow_turn(&flow);
		flow.dqpn = v->qpn[TRACK_CM_CLIENT];
		said.sqpn = v->qpn[TRACK_CM_SERVER];
		said.psn = v->psn[TRACK_CM_CLIENT];
		learn(c, &flow, said, doubt, news->repeated);
		news->flow[i].dqpn = v->qpn[TRACK_CM_SERVER];
		said.sqpn = v->qpn[TRACK_CM_CLIENT];
		said.psn = v->psn[TRACK_CM_SERVER];
		learn(c, &news->flow[i], said, doubt, news->repeated);
	}
	if (news->repeated)
		news->n_flows = 0;
}

/* Without the REQ, what is known is who packets to the server's QP come from; not from which QP, whatever was said before. */
static void to_server(struct track_cm *c, const struct conversation *v, const struct message *m,
		      struct track_cm_news *news)
{
	const struct track_cm_said said = { .rep_frame = m->frame,
					    .sqpn = TRACK_CM_NO_QPN,
					    .psn = v->psn[TRACK_CM_SERVER] };

	news->flow[0] = m->flow;
	track_flow_turn(&news->flow[0]);
	news->flow[0].dqpn = v->qpn[TRACK_CM_SERVER];
	news->n_flows = 1;
	if (track_table_get(c->flows, &news->flow[0]))
		learn(c, &news->flow[0], said, m->doubt, false);
}

static void feed_rep(struct track_cm *c, struct conversation *v, const struct message *m,
		     struct track_cm_news *news)
{
	uint32_t qpn = server_qpn(v, m->p);
	bool same = v->qpn[TRACK_CM_SERVER] == qpn && v->server_id == m->local_id;

	news->repeated = has_seen(v, TRACK_CM_SERVER, TRACK_CM_REP) &&
			 is_repeat(same, v->doubt[TRACK_CM_SERVER], m->doubt);
	if (!news->repeated) {
		v->server_id = m->local_id;
		v->qpn[TRACK_CM_SERVER] = qpn;
		v->psn[TRACK_CM_SERVER] = ibw_cm_rep_starting_psn(m->p);
		v->init_depth[TRACK_CM_SERVER] = (uint8_t)ibw_cm_rep_init_depth(m->p);
		v->resp_res[TRACK_CM_SERVER] = (uint8_t)ibw_cm_rep_resp_res(m->p);
		v->rnr_retry_count[TRACK_CM_SERVER] = (uint8_t)ibw_cm_rep_rnr_retry_count(m->p);
		v->doubt[TRACK_CM_SERVER] = m->doubt;
		note_name(c, m, NAME_SERVER, m->local_id, track_table_key(c->conversations, v));
	}
	v->rep_frame = m->frame;
	if (v->req_frame)
		connect(c, v, m, news);
	else if (!news->repeated)
		to_server(c, v, m, news);
}

static struct conversation *of_client(struct track_cm *c, const struct message *m)
{
	const struct key key = { m->flow, m->local_id };

	return track_table_get(c->conversations, &key);
}

static struct conversation *of_server(struct track_cm *c, const struct message *m)
{
	struct key key = { m->flow, m->remote_id };

	track_flow_turn(&key.flow);
	return track_table_get(c->conversations, &key);
}

/* A REP whose REQ was not captured: where the QPN is says whether it is of XRC. */
static struct conversation *without_req(struct track_cm *c, const struct message *m)
{
	struct key key = { m->flow, m->remote_id };
	struct conversation *v;

	track_flow_turn(&key.flow);
	v = new_conversation(c, &key);
	v->first_frame = m->frame;
	v->qpn[TRACK_CM_CLIENT] = v->qpn[TRACK_CM_SERVER] = TRACK_CM_NO_QPN;
	v->xrc = !ibw_cm_rep_local_qpn(m->p) && ibw_cm_rep_local_eecn(m->p);
	v->service = v->xrc ? IBW_SERVICE_XRC : IBW_SERVICE_RC;
	return v;
}

/* Whether @id, given for the server's, may be: not known before the REP, and not always in a REJ. */
static bool may_be_server(const struct conversation *v, const struct message *m, uint32_t id)
{
	return !has_seen(v, TRACK_CM_SERVER, TRACK_CM_REP) || m->kind == TRACK_CM_REP ||
	       m->kind == TRACK_CM_REJ || v->server_id == id;
}

/* The conversation of an answer, and who sent it; NULL: it is not known. */
static struct conversation *find(struct track_cm *c, const struct message *m, uint8_t *side)
{
	struct conversation *v;

	v = m->kind == TRACK_CM_RTU ? NULL : of_server(c, m);
	*side = TRACK_CM_SERVER;
	if (v && may_be_server(v, m, m->local_id))
		return v;
	v = m->kind == TRACK_CM_REP ? NULL : of_client(c, m);
	*side = TRACK_CM_CLIENT;
	return v && may_be_server(v, m, m->remote_id) ? v : NULL;
}

/* The conversation of that name. */
static const struct conversation *named(struct track_cm *c, const struct track_flow *flow,
					enum name name, uint64_t value, uint32_t *client_id)
{
	struct key key = { *flow, value };
	const struct key *of;

	key.flow.dqpn = name;
	of = track_table_get(c->names, &key);
	*client_id = of ? (uint32_t)of->comm_id : 0;
	return of ? track_table_get(c->conversations, of) : NULL;
}

/*
 * The conversation that a message without one means, and the remote ID that it should have. A REP
 * has the TID of its REQ: Linux 6.12, cm_req_handler() of cm.c. Others have the ID of their sender.
 */
static const struct conversation *meant(struct track_cm *c, const struct message *m, uint8_t *side,
					uint32_t *id)
{
	const struct conversation *v;
	struct track_flow flow = m->flow;

	*side = TRACK_CM_SERVER;
	if (m->kind == TRACK_CM_REP) {
		track_flow_turn(&flow);
		v = m->tid ? named(c, &flow, NAME_TID, m->tid, id) : NULL;
		return v && state_of(v) == TRACK_CM_REQ_SENT ? v : NULL;
	}
	if (m->kind != TRACK_CM_RTU) {
		v = named(c, &flow, NAME_SERVER, m->local_id, id);
		if (v && v->server_id == m->local_id)
			return v;
	}
	*side = TRACK_CM_CLIENT;
	v = of_client(c, m);
	if (!v || !has_seen(v, TRACK_CM_SERVER, TRACK_CM_REP))
		return NULL;
	*id = v->server_id;
	return v;
}

/* What is over may have been followed by another connection of the same ID. */
static void remote_is_wrong(struct track_cm *c, const struct message *m, struct track_cm_news *news)
{
	const struct conversation *v;
	enum track_cm_state state;
	uint8_t side;
	uint32_t id;

	if (m->doubt || m->kind == TRACK_CM_MRA || m->kind == TRACK_CM_REJ ||
	    m->kind >= TRACK_CM_LAP)
		return;
	v = meant(c, m, &side, &id);
	if (!v || v->doubt[TRACK_CM_CLIENT] || v->doubt[TRACK_CM_SERVER])
		return;
	state = state_of(v);
	if (state == TRACK_CM_REJECTED || state == TRACK_CM_DISCONNECTED)
		return;
	news->meant_frame = v->first_frame;
	news->meant_id = id;
	news->side = side;
	news->client = m->flow;
	if (side == TRACK_CM_SERVER)
		track_flow_turn(&news->client);
}

/* The state before the message, which is noted with that. */
static void tell(struct conversation *v, const struct message *m, struct track_cm_news *news)
{
	news->known = v->req_frame != 0;
	news->first_frame = v->first_frame;
	news->client = m->flow;
	if (news->side == TRACK_CM_SERVER)
		track_flow_turn(&news->client);
	news->mtu = v->mtu;
	news->service = v->service;
	news->before = (uint8_t)state_of(v);
	news->last_frame = v->last_frame;
	v->seen[news->side] |= (uint16_t)(1u << m->kind);
	v->last_frame = m->frame;
	news->service_id = v->service_id;
	news->req_frame = v->req_frame;
	news->rep_frame = v->rep_frame;
	memcpy(news->seen, v->seen, sizeof(news->seen));
	memcpy(news->qpn, v->qpn, sizeof(news->qpn));
	memcpy(news->psn, v->psn, sizeof(news->psn));
	memcpy(news->init_depth, v->init_depth, sizeof(news->init_depth));
	memcpy(news->resp_res, v->resp_res, sizeof(news->resp_res));
	news->retry_count = v->retry_count;
	news->ack_timeout = v->ack_timeout;
	memcpy(news->rnr_retry_count, v->rnr_retry_count, sizeof(news->rnr_retry_count));
}

void track_cm_feed(struct track_cm *c, const struct ibw_packet *pkt, const struct track_mad *mad,
		   uint64_t frame, bool doubt, struct track_cm_news *news)
{
	struct message m = { .frame = frame, .doubt = doubt };
	struct conversation *v;

	memset(news, 0, sizeof(*news));
	if (!read_message(&m, pkt, mad))
		return;
	news->message = (uint8_t)m.kind;
	news->doubt = doubt;
	news->local_id = m.local_id;
	news->remote_id = m.remote_id;
	news->detail = detail_of(&m);
	news->sent = m.flow;
	v = m.kind == TRACK_CM_REQ ? feed_req(c, &m, news) : find(c, &m, &news->side);
	if (!v)
		remote_is_wrong(c, &m, news);
	if (!v && m.kind == TRACK_CM_REP) {
		v = without_req(c, &m);
		news->side = TRACK_CM_SERVER;
	}
	if (!v)
		return;
	if (m.kind == TRACK_CM_REP)
		feed_rep(c, v, &m, news);
	else if (m.kind != TRACK_CM_REQ)
		news->repeated = has_seen(v, news->side, m.kind);
	tell(v, &m, news);
}

/* Questions */

const struct track_cm_said *track_cm_ask(struct track_cm *c, const struct track_flow *flow)
{
	struct track_flow key = *flow;

	key.service = 0;
	return track_table_get(c->flows, &key);
}

bool track_cm_any(const struct track_cm *c)
{
	return track_table_count(c->flows) != 0;
}

bool track_cm_any_ipoib(const struct track_cm *c)
{
	return c->any_ipoib;
}

uint64_t track_cm_evicted(const struct track_cm *c)
{
	return track_table_evicted(c->conversations) + track_table_evicted(c->flows);
}
