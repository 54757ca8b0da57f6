/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * agreed.c - what the private data of REQ and REP, or of the two MPA frames, tell about a connection: its upper layer, its queue, its
 * longest SEND.
 */
#include <ibwire/cm.h>
#include <ibwire/ibwire.h>

#include "impl.h"

/* RFC 8797, 4.1: sizes are in this unit, less one. */
#define RPC_UNIT 1024u
#define RPC_VERSION 1u

/* Versions of RDS that have the header of 48 bytes. (One source: Linux.) */
#define RDS_OLDEST 3u
#define RDS_NEWEST 4u

/* The first header of @layer in a message of the CM; NULL: there is none. */
static const void *find(const struct track_mad *m, uint16_t layer)
{
	uint32_t i;

	for (i = 0; i < m->walked.n_spans; i++)
		if (m->span[i].layer == layer)
			return m->p + m->span[i].off;
	return NULL;
}

static uint32_t rpc_size(uint8_t size)
{
	return (size + 1u) * RPC_UNIT;
}

static bool is_rds(const struct track_mad *m, uint32_t *fragment)
{
	const struct ibw_rds_cm_wire *rds = find(m, IBW_LAYER_rds_cm);
	const struct ibw_rds_cm6_wire *rds6 = find(m, IBW_LAYER_rds_cm6);
	uint8_t major = rds ? ibw_rds_cm_major(rds) : rds6 ? ibw_rds_cm6_major(rds6) : 0;

	*fragment = rds ? ibw_rds_cm_frag_sz(rds) : rds6 ? ibw_rds_cm6_frag_sz(rds6) : 0;
	return major >= RDS_OLDEST && major <= RDS_NEWEST;
}

static void by_rpc(struct track_ulp_agreed *a, const struct ibw_rpcrdma_cm_wire *rpc,
		   enum track_ulp_side receiver)
{
	if (!rpc || ibw_rpcrdma_cm_version(rpc) != RPC_VERSION)
		return;
	a->ulp = IBW_ULP_RPCRDMA;
	a->longest[!receiver] = rpc_size(ibw_rpcrdma_cm_recv_size(rpc));
}

static bool by_nvme(struct track_ulp_agreed *a, const struct ibw_nvme_cm_req_wire *nvme)
{
	if (!nvme || ibw_get_le16(ibw_nvme_cm_req_recfmt(nvme)) ||
	    !ibw_get_le16(ibw_nvme_cm_req_hrqsize(nvme)) ||
	    !ibw_get_le16(ibw_nvme_cm_req_hsqsize(nvme)) || ibw_nvme_cm_req_rsvd_set(nvme))
		return false;
	a->ulp = IBW_ULP_NVME;
	a->qid = ibw_get_le16(ibw_nvme_cm_req_qid(nvme));
	return true;
}

static struct track_ulp_agreed of_req(const struct track_mad *m)
{
	struct track_ulp_agreed a = { 0 };
	uint32_t fragment = 0;

	by_rpc(&a, find(m, IBW_LAYER_rpcrdma_cm), TRACK_ULP_ASKS);
	if (by_nvme(&a, find(m, IBW_LAYER_nvme_cm_req)))
		return a;
	if (is_rds(m, &fragment)) {
		a.ulp = IBW_ULP_RDS;
		a.any_fragment = fragment != 0;
	} else if (!a.ulp && track_ulp_rsocket_version(m, true) == TRACK_ULP_RSOCKET_VERSION) {
		a.ulp = IBW_ULP_RSOCKET;
	}
	return a;
}

/* What the REP adds; false: it does not fit what the REQ says. */
static bool add_rep(struct track_ulp_agreed *a, const struct track_mad *m)
{
	const struct ibw_srp_login_rsp_wire *srp = find(m, IBW_LAYER_srp_login_rsp);
	uint32_t fragment = 0;

	by_rpc(a, find(m, IBW_LAYER_rpcrdma_cm), TRACK_ULP_ANSWERS);
	if (srp && !a->ulp) {
		a->ulp = IBW_ULP_SRP;
		a->longest[TRACK_ULP_ASKS] = ibw_srp_login_rsp_max_it_iu_len(srp);
		a->longest[TRACK_ULP_ANSWERS] = ibw_srp_login_rsp_max_ti_iu_len(srp);
	}
	if (a->ulp == IBW_ULP_RDS && !is_rds(m, &fragment))
		return false;
	if (a->ulp == IBW_ULP_RDS)
		a->any_fragment |= fragment != 0;
	if (a->ulp == IBW_ULP_RSOCKET)
		return track_ulp_rsocket_version(m, false) == TRACK_ULP_RSOCKET_VERSION;
	return a->ulp != IBW_ULP_NONE;
}

/* From the server to the client, of a flow that goes the other way. */
static struct track_flow back(const struct track_flow *to_server, uint32_t client_qpn)
{
	struct track_flow flow = *to_server;

	track_flow_turn(&flow);
	flow.dqpn = client_qpn;
	return flow;
}

/* @a NULL: of these packets nothing is agreed any more. */
static void keep(struct track_ulps *u, const struct track_flow *flow,
		 const struct track_ulp_agreed *a)
{
	struct track_ulp_agreed *kept;

	if (a) {
		kept = track_table_need(u->agreed, flow);
		*kept = *a;
		return;
	}
	kept = track_table_get(u->agreed, flow);
	if (kept)
		track_table_remove(u->agreed, kept);
}

static void note_req(struct track_ulps *u, const struct track_cm_news *news,
		     const struct track_mad *m)
{
	struct track_ulp_agreed a = of_req(m);
	unsigned int i;

	a.req_frame = news->req_frame;
	a.qpn[TRACK_ULP_ASKS] = news->qpn[TRACK_CM_CLIENT];
	for (i = 0; i < news->n_flows; i++)
		keep(u, &news->flow[i], a.ulp ? &a : NULL);
}

/* What the REQ of the conversation said. */
static struct track_ulp_agreed asked(struct track_ulps *u, const struct track_cm_news *news)
{
	const struct track_flow flow = back(&news->flow[0], news->qpn[TRACK_CM_CLIENT]);
	const struct track_ulp_agreed *a = track_table_get(u->agreed, &flow);

	return a && a->req_frame == news->req_frame ? *a : (struct track_ulp_agreed){ 0 };
}

/* From a REQ on under the flows to its sender, from the REP on under those both ways. */
void track_ulp_agree(struct track_ulps *u, const struct track_cm_news *news,
		     const struct track_mad *m, const struct track_at *at)
{
	struct track_ulp_agreed a;
	struct track_flow flow;
	unsigned int i;
	bool agreed;

	if (news->doubt || !news->known || news->repeated)
		return;
	if (news->message == TRACK_CM_REQ)
		note_req(u, news, m);
	if (news->message != TRACK_CM_REP || !news->rep_frame || !news->n_flows)
		return;
	a = asked(u, news);
	if (a.ulp == IBW_ULP_RSOCKET)
		track_ulp_rsocket_refused(u, news, m, at);
	a.qpn[TRACK_ULP_ANSWERS] = news->qpn[TRACK_CM_SERVER];
	agreed = add_rep(&a, m);
	for (i = 0; i < news->n_flows; i++) {
		flow = back(&news->flow[i], news->qpn[TRACK_CM_CLIENT]);
		keep(u, &flow, agreed ? &a : NULL);
		keep(u, &news->flow[i], agreed ? &a : NULL);
	}
	if (!agreed)
		return;
	u->any_agreed = true;
	track_ulp_look_at(u, (enum ibw_ulp)a.ulp, a.longest[0] || a.longest[1]);
}

/* iWARP */

/* RFC 8797, 4.1: known by its magic, whatever the port is. */
static const struct ibw_rpcrdma_cm_wire *rpc_at(const struct track_ulp_start *s)
{
	const struct ibw_rpcrdma_cm_wire *rpc = (const void *)s->p;

	return s->n >= ibw_rpcrdma_cm_BYTES && ibw_rpcrdma_cm_magic(rpc) == IBW_RPCRDMA_MAGIC
		       ? rpc
		       : NULL;
}

static const struct ibw_nvme_cm_req_wire *nvme_at(const struct track_ulp_start *s)
{
	bool is_port =
		s->flow.dqpn == IBW_CM_PORT_NVME || s->flow.dqpn == IBW_CM_PORT_NVME_DISCOVERY;

	return is_port && s->n >= ibw_nvme_cm_req_BYTES ? (const void *)s->p : NULL;
}

/* Any port may be that of an rsocket. */
static bool by_rsocket(struct track_ulp_agreed *a, const struct track_ulp_start *s,
		       enum track_ulp_side sender)
{
	if (track_ulp_rsocket_version_at(s->p, s->n) != TRACK_ULP_RSOCKET_VERSION)
		return false;
	a->ulp = IBW_ULP_RSOCKET;
	a->net[sender] = track_ulp_rsocket_is_net(s->p);
	return true;
}

/* Until the reply it is kept under the flow that the reply has. */
static void start_asks(struct track_ulps *u, const struct track_ulp_start *s,
		       const struct track_at *at)
{
	const struct track_flow reply = track_ulp_turned(&s->flow);
	struct track_ulp_agreed a = { .req_frame = at->frame,
				      .qpn = { s->flow.sport, s->flow.dqpn } };

	by_rpc(&a, rpc_at(s), TRACK_ULP_ASKS);
	if (!by_nvme(&a, nvme_at(s)) && !a.ulp)
		by_rsocket(&a, s, TRACK_ULP_ASKS);
	keep(u, &s->flow, NULL);
	keep(u, &reply, &a);
}

void track_ulps_start(struct track_ulps *u, const struct track_ulp_start *s,
		      const struct track_at *at)
{
	const struct track_flow to_server = track_ulp_turned(&s->flow);
	const struct track_ulp_agreed *asked;
	struct track_ulp_agreed a = { .qpn = { s->flow.dqpn, s->flow.sport } };

	if (!s->reply) {
		start_asks(u, s, at);
		return;
	}
	asked = track_table_get(u->agreed, &s->flow);
	if (asked && !asked->rep_frame)
		a = *asked;
	if (s->rejects) {
		track_ulp_refused_by_mpa(u, s, a.req_frame, at);
		a.ulp = IBW_ULP_NONE;
	} else if (a.ulp == IBW_ULP_RSOCKET) {
		track_ulp_rsocket_refused_by_mpa(u, s, a.req_frame, at);
		if (!by_rsocket(&a, s, TRACK_ULP_ANSWERS))
			a.ulp = IBW_ULP_NONE;
	} else {
		by_rpc(&a, rpc_at(s), TRACK_ULP_ANSWERS);
	}
	a.rep_frame = at->frame;
	keep(u, &s->flow, a.ulp ? &a : NULL);
	keep(u, &to_server, a.ulp ? &a : NULL);
	if (!a.ulp)
		return;
	u->any_agreed = true;
	track_ulp_look_at(u, (enum ibw_ulp)a.ulp, a.longest[0] || a.longest[1]);
}

/* Messages */

static const struct track_ulp_agreed *agreed_by_mpa(const struct track_ulp_x *x,
						    struct track_ulp_place *place)
{
	const struct track_ulp_agreed *a = track_table_get(x->u->agreed, x->flow);

	if (!a || !a->rep_frame || a->rep_frame < x->sent->first_frame)
		return NULL;
	*place = (struct track_ulp_place){ a->rep_frame, x->sent->msn == 1 };
	return a;
}

const struct track_ulp_agreed *track_ulp_agreed_of(const struct track_ulp_x *x,
						   struct track_ulp_place *place)
{
	const struct track_cm_said *said;

	if (!x->u->any_agreed)
		return NULL;
	if (x->sent)
		return agreed_by_mpa(x, place);
	said = track_cm_ask(x->u->cm, x->flow);
	if (!said || !said->rep_frame || said->sure_sqpn == TRACK_CM_NO_QPN)
		return NULL;
	*place = (struct track_ulp_place){ said->rep_frame, said->psn == x->psn };
	return track_table_get(x->u->agreed, x->flow);
}

/* A capsule where the Connect command has to be, of a host that said in its REQ, or MPA request, that it is one. */
static bool is_first_capsule(const struct track_ulp_x *x, const struct track_ulp_agreed *a,
			     const struct track_ulp_place *place)
{
	return x->message == TRACK_ULP_SEND && place->first &&
	       x->flow->dqpn == a->qpn[TRACK_ULP_ANSWERS] && track_ulp_nvme_is_command(x);
}

enum ibw_ulp track_ulp_agreed_begins(const struct track_ulp_x *x)
{
	struct track_ulp_place place;
	const struct track_ulp_agreed *a = track_ulp_agreed_of(x, &place);

	if (!a || (x->q && place.rep_frame < x->q->first_frame))
		return IBW_ULP_NONE;
	switch (a->ulp) {
	case IBW_ULP_NVME:
		return is_first_capsule(x, a, &place) ? IBW_ULP_NVME : IBW_ULP_NONE;
	case IBW_ULP_RDS:
		return x->message == TRACK_ULP_SEND ? IBW_ULP_RDS : IBW_ULP_NONE;
	case IBW_ULP_RSOCKET: /* over iWARP its words are SENDs */
		if (x->sent && x->message == TRACK_ULP_SEND)
			return IBW_ULP_RSOCKET;
		return x->message == TRACK_ULP_WRITE || x->message == TRACK_ULP_WRITE_ENDS
			       ? IBW_ULP_RSOCKET
			       : IBW_ULP_NONE;
	}
	return IBW_ULP_NONE;
}

void track_ulp_as_agreed(struct track_ulp_x *x)
{
	struct track_ulp_place place;
	const struct track_ulp_agreed *a = track_ulp_agreed_of(x, &place);

	if (!a || a->ulp != x->q->ulp)
		return;
	x->q->rep_frame = place.rep_frame;
	if (x->q->from_start && x->flow->dqpn == a->qpn[TRACK_ULP_ANSWERS]) {
		x->q->longest[TRACK_ULP_ASKS] = a->longest[TRACK_ULP_ASKS];
		x->q->longest[TRACK_ULP_ANSWERS] = a->longest[TRACK_ULP_ANSWERS];
	}
	if (a->ulp == IBW_ULP_RDS && !a->any_fragment)
		x->q->longest[0] = x->q->longest[1] = TRACK_ULP_RDS_LONGEST;
}

bool track_ulp_is_of_agreed(const struct track_ulp_x *x)
{
	struct track_ulp_place place;

	if (x->q->ulp != IBW_ULP_RDS && x->q->ulp != IBW_ULP_RSOCKET)
		return true;
	return track_ulp_agreed_of(x, &place) && place.rep_frame == x->q->rep_frame;
}
