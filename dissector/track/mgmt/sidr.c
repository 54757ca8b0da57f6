/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sidr.c - requests by their ID, queue pairs by their address. */
#include <string.h>

#include <glib.h>

#include <ibwire/ibwire.h>

#include "sidr.h"
#include "track/base/table.h"

/* No holes: compared as bytes. */
struct request_key {
	struct track_flow client; /* from the client, no QP */
	uint64_t request_id;
};

struct request {
	uint64_t first_frame;
	uint64_t last_frame;
	uint64_t service_id;
	uint32_t qpn; /* TRACK_CM_NO_QPN: not known yet */
};

/* A queue pair that an answer gave; kept under a flow to it from anybody. */
struct target {
	uint64_t frame; /* of the answer */
	uint32_t qkey;
	bool told;
};

struct track_sidr {
	struct track_table *requests; /* struct request_key -> struct request */
	struct track_table *targets;  /* struct track_flow -> struct target */
	struct track_events *events;
};

struct track_sidr *track_sidr_new(struct track_events *events)
{
	struct track_sidr *s = g_new0(struct track_sidr, 1);

	s->requests =
		track_table_new(sizeof(struct request_key), sizeof(struct request), TRACK_SIDR_MAX);
	s->targets =
		track_table_new(sizeof(struct track_flow), sizeof(struct target), TRACK_SIDR_MAX);
	s->events = events;
	return s;
}

void track_sidr_free(struct track_sidr *s)
{
	if (!s)
		return;
	track_table_free(s->requests);
	track_table_free(s->targets);
	g_free(s);
}

uint64_t track_sidr_evicted(const struct track_sidr *s)
{
	return track_table_evicted(s->requests) + track_table_evicted(s->targets);
}

static void tell(struct track_cm_news *news, const struct request_key *key, struct request *r,
		 const struct track_at *at)
{
	news->known = true;
	news->first_frame = r->first_frame;
	news->last_frame = r->last_frame;
	news->client = key->client;
	news->service = IBW_SERVICE_UD;
	news->service_id = r->service_id;
	news->req_frame = r->first_frame;
	news->qpn[TRACK_CM_CLIENT] = TRACK_CM_NO_QPN;
	news->qpn[TRACK_CM_SERVER] = r->qpn;
	r->last_frame = at->frame;
}

static void feed_req(struct track_sidr *s, const struct track_flow *flow,
		     const struct ibw_cm_sidr_req_wire *req, const struct track_at *at,
		     struct track_cm_news *news)
{
	const struct request_key key = { *flow, ibw_cm_sidr_req_request_id(req) };
	const uint64_t service_id = ibw_cm_sidr_req_service_id(req);
	struct request *r = track_table_need(s->requests, &key);

	if (!r->first_frame || r->service_id != service_id)
		*r = (struct request){ .first_frame = at->frame,
				       .service_id = service_id,
				       .qpn = TRACK_CM_NO_QPN };
	news->message = TRACK_CM_SIDR_REQ;
	news->side = TRACK_CM_CLIENT;
	news->local_id = (uint32_t)key.request_id;
	tell(news, &key, r, at);
}

/* The queue pair has that Q_Key from now on. */
static void learn(struct track_sidr *s, const struct track_flow *to,
		  const struct ibw_cm_sidr_rep_wire *rep, const struct track_at *at)
{
	struct target *target = track_table_need(s->targets, to);
	const uint32_t qkey = ibw_cm_sidr_rep_qkey(rep);

	if (target->frame && target->qkey == qkey)
		return;
	*target = (struct target){ .frame = at->frame, .qkey = qkey };
}

static void feed_rep(struct track_sidr *s, const struct track_flow *flow,
		     const struct ibw_cm_sidr_rep_wire *rep, const struct track_at *at,
		     struct track_cm_news *news)
{
	struct request_key key = { *flow, ibw_cm_sidr_rep_request_id(rep) };
	const bool valid = ibw_cm_sidr_rep_status(rep) == IBW_CM_SIDR_QPN_VALID;
	struct track_flow to;
	struct request *r;

	track_flow_turn(&key.client);
	if (valid) {
		to = key.client;
		memset(to.src, 0, sizeof(to.src));
		to.dqpn = ibw_cm_sidr_rep_qpn(rep);
		learn(s, &to, rep, at);
	}
	r = track_table_get(s->requests, &key);
	if (!r)
		return;
	if (valid)
		r->qpn = ibw_cm_sidr_rep_qpn(rep);
	news->message = TRACK_CM_SIDR_REP;
	news->side = TRACK_CM_SERVER;
	news->remote_id = (uint32_t)key.request_id;
	news->detail = ibw_cm_sidr_rep_status(rep);
	tell(news, &key, r, at);
}

void track_sidr_feed(struct track_sidr *s, const struct ibw_packet *pkt,
		     const struct track_mad *mad, const struct track_at *at,
		     struct track_cm_news *news)
{
	const uint32_t n = mad->n < ibw_mad_BYTES ? 0 : mad->n - (uint32_t)ibw_mad_BYTES;
	const void *body = mad->p + ibw_mad_BYTES;
	struct track_flow flow;
	uint16_t attr_id;

	if (!mad->mad || !track_flow_gids_of(pkt, &flow))
		return;
	flow.dqpn = 0;
	flow.service = 0;
	attr_id = ibw_mad_attr_id(mad->mad);
	if (attr_id == IBW_ATTR_CM_SIDR_REQ && n >= ibw_cm_sidr_req_BYTES)
		feed_req(s, &flow, body, at, news);
	else if (attr_id == IBW_ATTR_CM_SIDR_REP && n >= ibw_cm_sidr_rep_BYTES)
		feed_rep(s, &flow, body, at, news);
}

void track_sidr_data(struct track_sidr *s, const struct ibw_packet *pkt, const struct track_at *at)
{
	const struct ibw_deth_wire *deth;
	struct track_flow flow, to;
	struct target *target;
	struct track_event *e;
	uint32_t qkey;

	if (!track_table_count(s->targets) || !track_flow_gids_of(pkt, &flow))
		return;
	to = flow;
	memset(to.src, 0, sizeof(to.src));
	to.service = 0;
	target = track_table_get(s->targets, &to);
	if (!target || target->told)
		return;
	deth = IBW_AT(pkt, deth);
	if (!deth)
		return;
	qkey = ibw_deth_qkey(deth);
	if (qkey == target->qkey)
		return;
	target->told = true;
	e = track_event_add(s->events, TRACK_EVENT_SIDR_QKEY, at);
	if (!e)
		return;
	e->flow = flow;
	track_flow_as_seen(&e->flow);
	track_event_cause(e, target->frame);
	e->number[TRACK_SIDR_QKEY_qkey] = qkey;
	e->number[TRACK_SIDR_QKEY_answer] = target->qkey;
	e->number[TRACK_SIDR_QKEY_qpn] = flow.dqpn;
}
