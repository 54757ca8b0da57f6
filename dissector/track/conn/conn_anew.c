/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conn_anew.c - requests that may begin another connection to a queue pair that is known.
 *
 * What a REP gives is put to use anew, and all before is of another connection: conn.c. Where one direction was captured,
 * the REP is not there, and the sender's own messages are all that shows it. A DREQ names the queue pair. A DREP, or a
 * REQ or REP that gives a QPN that its sender gave before, ends a connection of these two hosts, and does not say to
 * which queue pair: so much may be true of each half that is in no pair, of its next request and no later one.
 */
#include <ibwire/ibwire.h>

#include "conn_impl.h"
#include "track/stream/stream.h"

static const uint8_t services[] = { IBW_SERVICE_RC, IBW_SERVICE_UC, IBW_SERVICE_XRC };

void track_conn_anew_peer(struct track_conn *c, const struct track_half *h)
{
	if (h->peer != TRACK_NONE)
		track_half_at(c, h->peer)->closed = true;
}

/* Its sender closes the connection to a queue pair; the other side may send again what it has open. */
static void close_half(struct track_conn *c, const struct track_cm_news *news)
{
	uint32_t known = news->qpn[!news->side];
	struct track_flow flow = news->sent;
	struct track_half *h;
	unsigned int i;

	flow.dqpn = news->first_frame && known != TRACK_CM_NO_QPN ? known : news->detail;
	for (i = 0; i < G_N_ELEMENTS(services); i++) {
		flow.service = services[i];
		h = track_table_get(c->halves, &flow);
		if (h)
			h->closed = true;
	}
}

/* Its sender closes some connection to this host, or begins another one instead of it. */
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
		close_half(c, news);
	else if (news->message == TRACK_CM_DREP || gives_again(c, news))
		close_some(c, news);
}

uint8_t track_conn_anew_of(struct track_conn *c, struct track_half *h)
{
	uint8_t anews = track_group_at(c, h->group[TRACK_BY_HOSTS])->anews[h->dir];
	bool maybe = h->listed && h->sqpn == TRACK_NO_QPN && h->anews != anews;
	bool closed = h->closed;

	h->anews = anews;
	h->closed = false;
	return closed ? TRACK_ANEW_CLOSED : maybe ? TRACK_ANEW_MAYBE : TRACK_ANEW_NOT;
}
