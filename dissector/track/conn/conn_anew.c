/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conn_anew.c - recognises requests that may begin another connection to a known queue pair.
 *
 * What a REP gives is put to use anew, and all before is of another connection: conn.c. Where the REQ or the REP was not
 * captured, the other messages show it. A DREQ names the queue pair. A DREP is of both, as far as REQ, REP or DREQ said
 * which they are. A REQ or REP that gives a QPN that its sender gave before ends a connection of these two hosts, and does
 * not say to which queue pair: so much may be true of each half that is in no pair, of its next request and no later one.
 * A DREP of which nothing before it was captured, a REP without its REQ, and packets to the queue pair of a REQ without a
 * REP may be of any of them, that is in a pair, too.
 */
#include <ibwire/ibwire.h>

#include "conn_impl.h"
#include "track/stream/stream.h"

static const uint8_t services[] = { IBW_SERVICE_RC, IBW_SERVICE_UC, IBW_SERVICE_XRC };

static void over(struct track_half *h)
{
	if (!h->qp)
		return;
	track_qp_over(h->qp, TRACK_A_TO_B);
	track_qp_over(h->qp, TRACK_B_TO_A);
}

void track_conn_anew_peer(struct track_conn *c, const struct track_half *h)
{
	struct track_half *peer = h->peer == TRACK_NONE ? NULL : track_half_at(c, h->peer);

	if (!peer)
		return;
	peer->closed = true;
	over(peer);
}

/*
 * The half of @flow to a queue pair: its next request out of order is of another connection; with what it may have open, and
 * sends again, in doubt. NULL: there is none.
 */
static struct track_half *close_half(struct track_conn *c, struct track_flow flow, uint32_t dqpn,
				     bool sure)
{
	struct track_half *h, *found = NULL;
	unsigned int i;

	flow.dqpn = dqpn;
	for (i = 0; i < G_N_ELEMENTS(services); i++) {
		flow.service = services[i];
		h = track_table_get(c->halves, &flow);
		if (!h)
			continue;
		found = h;
		h->closed |= sure;
		h->unsure |= !sure;
		over(h);
	}
	return found;
}

/* Some connection of the two hosts ends, or begins anew, and nothing says which. */
static void close_any(struct track_conn *c, const struct track_flow *between)
{
	struct track_flow flow = *between;
	struct track_group *g;
	unsigned int i, dir;

	c->unnamed++;
	for (i = 0; i < G_N_ELEMENTS(services); i++) {
		flow.service = services[i];
		g = track_conn_group(c, &flow, &dir);
		if (g)
			g->unnamed++;
	}
}

void track_conn_anew_begun(struct track_conn *c, const struct track_cm_said *said,
			   const struct track_flow *flow)
{
	if (said && !said->rep_frame)
		close_any(c, flow);
}

/* Its sender closes the connection to a queue pair; the other side may send again what it has open. */
static void close_asked(struct track_conn *c, const struct track_cm_news *news)
{
	uint32_t to = news->first_frame ? news->qpn[!news->side] : TRACK_CM_NO_QPN;
	uint32_t from = news->first_frame ? news->qpn[news->side] : TRACK_CM_NO_QPN;
	struct track_flow back = news->sent;
	struct track_half *h;

	h = close_half(c, news->sent, to != TRACK_CM_NO_QPN ? to : news->detail, true);
	track_flow_turn(&back);
	if (from != TRACK_CM_NO_QPN)
		close_half(c, back, from, false);
	else if (h && h->peer != TRACK_NONE)
		track_half_at(c, h->peer)->unsure = true;
}

/* One direction of what a DREP ends: to the QPN of @side, or what answers the half @other. False: that is not known. */
static bool close_side(struct track_conn *c, const struct track_cm_news *news,
		       enum track_cm_side side, struct track_half *other, struct track_half **half)
{
	struct track_flow flow = news->client;

	if (side == TRACK_CM_CLIENT)
		track_flow_turn(&flow);
	if (news->qpn[side] != TRACK_CM_NO_QPN) {
		*half = close_half(c, flow, news->qpn[side], true);
		return true;
	}
	if (!other || other->peer == TRACK_NONE)
		return false;
	track_half_at(c, other->peer)->closed = true;
	return true;
}

/* Both sides are done. */
static void close_both(struct track_conn *c, const struct track_cm_news *news)
{
	struct track_half *to_server = NULL, *to_client = NULL;
	bool known = false;

	if (news->first_frame) {
		known = close_side(c, news, TRACK_CM_SERVER, NULL, &to_server);
		known &= close_side(c, news, TRACK_CM_CLIENT, to_server, &to_client);
		if (!known)
			known = close_side(c, news, TRACK_CM_SERVER, to_client, &to_server);
	}
	if (!known)
		close_any(c, &news->sent);
}

/* Its sender begins another connection to this host instead of one. */
static void close_some(struct track_conn *c, const struct track_cm_news *news)
{
	struct track_flow flow = news->sent;
	struct track_group *g;
	unsigned int i, dir;

	for (i = 0; i < G_N_ELEMENTS(services); i++) {
		flow.service = services[i];
		g = track_conn_group(c, &flow, &dir);
		if (g)
			g->anews[dir]++;
	}
}

/* Whether the sender gave this QPN before. */
static bool gives_again(const struct track_conn *c, const struct track_cm_news *news)
{
	const struct track_qp *qp;
	enum track_way way;
	unsigned int i;

	for (i = 0; i < news->n_flows; i++) {
		qp = track_qps_cm_half(c->qps, &news->flow[i], &way);
		if (qp && track_qp_cm_frame(qp) != news->first_frame)
			return true;
	}
	return false;
}

void track_conn_anew_cm(struct track_conn *c, const struct track_cm_news *news)
{
	if (!c->qps || news->doubt || news->repeated)
		return;
	if (news->message == TRACK_CM_DREQ)
		close_asked(c, news);
	else if (news->message == TRACK_CM_DREP)
		close_both(c, news);
	else if (news->message == TRACK_CM_REP && !news->req_frame)
		close_any(c, &news->sent);
	else if (gives_again(c, news))
		close_some(c, news);
}

void track_conn_anew_look(struct track_conn *c, struct track_half *h)
{
	const struct track_group *g = track_group_at(c, h->group[TRACK_BY_HOSTS]);

	h->unnamed_all = c->unnamed;
	if (h->unnamed == g->unnamed)
		return;
	h->unnamed = g->unnamed;
	h->unsure |= h->sqpn == TRACK_NO_QPN;
	over(h);
}

uint8_t track_conn_anew_of(struct track_conn *c, struct track_half *h)
{
	uint8_t anews = track_group_at(c, h->group[TRACK_BY_HOSTS])->anews[h->dir];
	bool again = h->listed && h->sqpn == TRACK_NO_QPN && h->anews != anews;
	bool closed = h->closed, maybe = h->unsure || again;

	h->anews = anews;
	h->closed = h->unsure = false;
	return closed ? TRACK_ANEW_CLOSED : maybe ? TRACK_ANEW_MAYBE : TRACK_ANEW_NOT;
}
