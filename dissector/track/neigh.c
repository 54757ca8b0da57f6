/* SPDX-License-Identifier: GPL-2.0-or-later */
/* neigh.c - from ARP to the first packet. */
#include <string.h>

#include <glib.h>

#include <ibwire/cm.h>
#include <ibwire/ibwire.h>

#include "neigh.h"
#include "table.h"

/* The query has followed by then, or it does not. */
#define FOLLOWS_NS 1000000000u

/* The QPN in a service id of RFC 4755. */
#define SID_QPN 0xffffffu

/* No holes: compared as bytes. So are the keys below. */
struct ask_key {
	uint32_t spa, tpa;
};

/* Whoever asks is known by its LID. */
struct gid_key {
	uint8_t gid[16]; /* of the neighbour */
	uint32_t lid;    /* of who asks */
};

struct qp_key {
	uint16_t slid, dlid;
	uint32_t dqpn;
};

struct neighbour {
	uint64_t asked, answered; /* frames; asked 0: not captured */
	uint64_t time_ns;         /* of the answer */
	struct track_flow flow;   /* from who asked, to the neighbour */
	uint32_t address;
	bool followed; /* by a query or a packet */
};

struct track_neigh {
	struct track_events *events;
	struct track_mcast *mcast;
	struct track_table *asks;       /* struct ask_key -> uint64_t: frame */
	struct track_table *neighbours; /* struct gid_key -> struct neighbour */
	struct track_table *qps;        /* struct qp_key -> struct gid_key */
	uint32_t finished;
};

struct track_neigh *track_neigh_new(struct track_events *events, struct track_mcast *mcast)
{
	struct track_neigh *t = g_new0(struct track_neigh, 1);

	t->events = events;
	t->mcast = mcast;
	t->asks = track_table_new(sizeof(struct ask_key), sizeof(uint64_t), TRACK_NEIGHBOURS_MAX);
	t->neighbours = track_table_new(sizeof(struct gid_key), sizeof(struct neighbour),
					TRACK_NEIGHBOURS_MAX);
	t->qps = track_table_new(sizeof(struct qp_key), sizeof(struct gid_key),
				 TRACK_NEIGHBOURS_MAX);
	return t;
}

void track_neigh_free(struct track_neigh *t)
{
	if (!t)
		return;
	track_table_free(t->asks);
	track_table_free(t->neighbours);
	track_table_free(t->qps);
	g_free(t);
}

uint64_t track_neigh_evicted(const struct track_neigh *t)
{
	return track_table_evicted(t->asks) + track_table_evicted(t->neighbours);
}

/* The value under @key, a new one if there is none. */
static void *need(struct track_table *table, const void *key)
{
	void *v = track_table_get(table, key);

	if (v)
		return v;
	if (track_table_full(table))
		track_table_evict(table, track_table_oldest(table));
	return track_table_add(table, key);
}

/* ARP */

static void asks(struct track_neigh *t, const struct ibw_arp_ipoib_wire *arp,
		 const struct track_at *at)
{
	const struct ask_key key = { ibw_arp_ipoib_spa(arp), ibw_arp_ipoib_tpa(arp) };
	uint64_t *frame = need(t->asks, &key);

	*frame = at->frame;
}

/* To one port: it goes back to who asked. */
static void answers(struct track_neigh *t, const struct ibw_packet *pkt,
		    const struct ibw_arp_ipoib_wire *arp, const struct track_at *at)
{
	const struct ask_key asked = { ibw_arp_ipoib_tpa(arp), ibw_arp_ipoib_spa(arp) };
	const struct ibw_lrh_wire *lrh = IBW_KNOWN(pkt, lrh);
	const uint64_t *frame = track_table_get(t->asks, &asked);
	struct gid_key gid = { .lid = ibw_lrh_dlid(lrh) };
	const struct qp_key qp = { ibw_lrh_dlid(lrh), ibw_lrh_slid(lrh),
				   ibw_arp_ipoib_sha_qpn(arp) };
	struct gid_key *by_qp;
	struct neighbour *n;

	if (gid.lid >= IBW_LID_MULTICAST_FIRST)
		return;
	memcpy(gid.gid, ibw_arp_ipoib_sha_gid(arp), 16);
	by_qp = need(t->qps, &qp);
	*by_qp = gid;
	n = need(t->neighbours, &gid);
	if (n->answered)
		return; /* the path is known, or asked for */
	n->asked = frame ? *frame : 0;
	n->answered = at->frame;
	n->time_ns = at->time_ns;
	n->address = ibw_arp_ipoib_spa(arp);
	track_flow_of(pkt, &n->flow);
	track_flow_turn(&n->flow);
	n->flow.dqpn = ibw_arp_ipoib_sha_qpn(arp);
}

/* What follows */

static void follows(struct track_neigh *t, const struct ibw_packet *pkt, uint32_t dqpn)
{
	const struct ibw_lrh_wire *lrh = IBW_AT(pkt, lrh);
	struct qp_key key;
	const struct gid_key *gid;
	struct neighbour *n;

	if (!lrh)
		return;
	key = (struct qp_key){ ibw_lrh_slid(lrh), ibw_lrh_dlid(lrh), dqpn };
	gid = track_table_get(t->qps, &key);
	n = gid ? track_table_get(t->neighbours, gid) : NULL;
	if (n)
		n->followed = true;
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

void track_neigh_ipoib(struct track_neigh *t, const struct ibw_packet *pkt,
		       const struct ibw_packet *ip, const struct track_at *at)
{
	const struct ibw_arp_ipoib_wire *arp = IBW_AT(ip, arp_ipoib);
	const struct ibw_deth_wire *deth = IBW_AT(pkt, deth);
	uint32_t dqpn = ibw_bth_dqpn(IBW_KNOWN(pkt, bth));

	if (!deth)
		return;
	if (arp && ibw_arp_ipoib_op(arp) == IBW_ARP_REQUEST)
		asks(t, arp, at);
	else if (arp && ibw_arp_ipoib_op(arp) == IBW_ARP_REPLY)
		answers(t, pkt, arp, at);
	if (dqpn == IBW_QPN_MULTICAST)
		return;
	check_qkey(t, pkt, ibw_deth_qkey(deth), at);
	follows(t, pkt, dqpn);
}

void track_neigh_mad(struct track_neigh *t, const struct ibw_packet *pkt,
		     const struct track_mad *mad)
{
	const struct ibw_path_rec_wire *wire = TRACK_MAD_RECORD(mad, 0, path_rec);
	const struct ibw_lrh_wire *lrh = IBW_AT(pkt, lrh);
	struct neighbour *n;
	struct gid_key key;

	if (!lrh || !wire || !mad->walked.attr || mad->walked.attr->id != IBW_ATTR_SA_PATH_REC ||
	    ibw_mad_r(mad->mad))
		return;
	memcpy(key.gid, ibw_path_rec_dgid(wire), 16);
	key.lid = ibw_lrh_slid(lrh);
	n = track_table_get(t->neighbours, &key);
	if (n)
		n->followed = true;
}

/* Connected mode: a REQ names the QP of the neighbour's address. Without that mode nobody listens. */
void track_neigh_cm(struct track_neigh *t, const struct ibw_packet *pkt,
		    const struct track_cm_news *news, const struct track_at *at)
{
	uint32_t qpn = (uint32_t)(news->service_id & SID_QPN);
	struct track_event *e;

	if (ibw_sid_split(news->service_id).kind != IBW_SID_IPOIB_CM)
		return;
	if (news->message == TRACK_CM_REQ)
		follows(t, pkt, qpn);
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

/* The end */

static void look_after(struct track_neigh *t, const struct neighbour *n, const struct track_at *at)
{
	const struct gid_key *key = track_table_key(t->neighbours, n);
	struct track_event *e;

	if (n->followed || at->time_ns < n->time_ns + FOLLOWS_NS)
		return;
	e = track_event_add(t->events, TRACK_EVENT_NEIGHBOUR_UNUSED, at);
	if (!e)
		return;
	e->flow = n->flow;
	track_event_cause(e, n->asked);
	track_event_cause(e, n->answered);
	e->number[TRACK_NEIGHBOUR_UNUSED_gid] = ibw_get_be64(key->gid);
	e->number[TRACK_NEIGHBOUR_UNUSED_gid_low] = ibw_get_be64(key->gid + 8);
	e->number[TRACK_NEIGHBOUR_UNUSED_address] = n->address;
	e->number[TRACK_NEIGHBOUR_UNUSED_qpn] = n->flow.dqpn;
	e->number[TRACK_NEIGHBOUR_UNUSED_asked] = n->asked;
	e->number[TRACK_NEIGHBOUR_UNUSED_answered] = n->answered;
}

bool track_neigh_finish(struct track_neigh *t, const struct track_at *at)
{
	for (; t->finished < track_table_count(t->neighbours); t->finished++) {
		if (!track_events_room(t->events))
			return false;
		look_after(t, track_table_at(t->neighbours, t->finished), at);
	}
	return true;
}
