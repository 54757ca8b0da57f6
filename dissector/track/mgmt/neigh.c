/* SPDX-License-Identifier: GPL-2.0-or-later */
/* neigh.c - follows neighbours from ARP or neighbor discovery to the first packet. */
#include <stdlib.h>
#include <string.h>

#include <glib.h>

#include <ibwire/cm.h>
#include <ibwire/ibwire.h>

#include "neigh_impl.h"

/* The QPN in a service id of RFC 4755. */
#define SID_QPN 0xffffffu

/* What an answer says, by ARP or neighbor discovery. */
struct answer {
	struct ask_key asked;
	const uint8_t *gid;
	uint32_t qpn;
};

struct track_neigh *track_neigh_new(struct track_events *events, struct track_mcast *mcast)
{
	struct track_neigh *t = g_new0(struct track_neigh, 1);

	t->events = events;
	t->mcast = mcast;
	t->asks = track_table_new(sizeof(struct ask_key), sizeof(struct ask), TRACK_NEIGHBOURS_MAX);
	t->neighbours = track_table_new(sizeof(struct gid_key), sizeof(struct neighbour),
					TRACK_NEIGHBOURS_MAX);
	t->qps = track_table_new(sizeof(struct qp_key), sizeof(struct gid_key),
				 TRACK_NEIGHBOURS_MAX);
	t->addresses = track_table_new(sizeof(struct address_key), sizeof(struct gid_key),
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
	track_table_free(t->addresses);
	g_free(t);
}

uint64_t track_neigh_evicted(const struct track_neigh *t)
{
	return track_table_evicted(t->asks) + track_table_evicted(t->neighbours) +
	       track_table_evicted(t->qps) + track_table_evicted(t->addresses);
}

/* ARP, and neighbor discovery */

static void map(uint8_t address[16], uint32_t ipv4)
{
	memset(address, 0, 10);
	memset(address + 10, 0xff, 2);
	ibw_put_be32(address + 12, ipv4);
}

static void asks(struct track_neigh *t, const struct ibw_packet *pkt, const struct ask_key *key,
		 const struct track_at *at)
{
	struct ask *ask = track_table_need(t->asks, key);

	if (!ask->first) {
		ask->first = at->frame;
		ask->first_ns = at->time_ns;
	}
	ask->last = at->frame;
	ask->last_ns = at->time_ns;
	ask->times++;
	ask->lid = pkt->lrh != IBW_NO_SPAN ? ibw_lrh_slid(IBW_KNOWN(pkt, lrh)) : 0;
}

static void begin(struct neighbour *n, const struct ibw_packet *pkt, const struct answer *answer,
		  const struct ask *ask, const struct track_at *at)
{
	struct track_neighbour *row = &n->row;

	n->asked = ask ? ask->last : 0;
	n->answered = at->frame;
	n->time_ns = n->first_ns = at->time_ns;
	n->pkey = ibw_bth_pkey(IBW_KNOWN(pkt, bth));
	track_flow_of(pkt, &n->flow);
	track_flow_turn(&n->flow);
	n->flow.dqpn = answer->qpn;
	row->asked = n->asked;
	row->answered = n->answered;
	row->qpn = answer->qpn;
	row->lid = ibw_lrh_dlid(IBW_KNOWN(pkt, lrh));
	memcpy(row->gid, answer->gid, 16);
	memcpy(row->address, answer->asked.target, 16);
}

/* To one port: it goes back to who asked. */
static void answers(struct track_neigh *t, const struct ibw_packet *pkt,
		    const struct answer *answer, const struct track_at *at)
{
	const struct ibw_lrh_wire *lrh = IBW_KNOWN(pkt, lrh);
	struct ask *ask = track_table_get(t->asks, &answer->asked);
	struct gid_key gid = { .lid = ibw_lrh_dlid(lrh) };
	const struct qp_key qp = { ibw_lrh_dlid(lrh), ibw_lrh_slid(lrh), answer->qpn };
	struct address_key by_address = { .slid = ibw_lrh_dlid(lrh), .dlid = ibw_lrh_slid(lrh) };
	struct gid_key *by_qp, *by;
	struct neighbour *n;

	if (gid.lid >= IBW_LID_MULTICAST_FIRST)
		return;
	if (ask)
		ask->answered = true;
	memcpy(by_address.address, answer->asked.target, 16);
	memcpy(gid.gid, answer->gid, 16);
	by_qp = track_table_need(t->qps, &qp);
	*by_qp = gid;
	by = track_table_need(t->addresses, &by_address);
	*by = gid;
	n = track_table_need(t->neighbours, &gid);
	n->times++;
	n->last_ns = at->time_ns;
	if (!n->answered) {
		begin(n, pkt, answer, ask, at);
		return;
	}
	/* The path is known, or asked for. */
	n->row.changes += n->row.qpn != answer->qpn;
	n->row.qpn = answer->qpn;
}

/* Without a LID nothing is known of paths. */
static void answers_plain(struct track_neigh *t, const struct ask_key *key)
{
	struct ask *ask = track_table_get(t->asks, key);

	t->plain_answers = true;
	if (ask)
		ask->answered = true;
}

static void arp(struct track_neigh *t, const struct ibw_packet *pkt,
		const struct ibw_arp_ipoib_wire *arp, const struct track_at *at)
{
	struct answer answer = { .gid = ibw_arp_ipoib_sha_gid(arp),
				 .qpn = ibw_arp_ipoib_sha_qpn(arp) };
	bool reply = ibw_arp_ipoib_op(arp) == IBW_ARP_REPLY;
	struct ask_key *key = &answer.asked;

	map(reply ? key->target : key->sender, ibw_arp_ipoib_spa(arp));
	map(reply ? key->sender : key->target, ibw_arp_ipoib_tpa(arp));
	if (reply && pkt->lrh == IBW_NO_SPAN)
		answers_plain(t, key);
	else if (reply)
		answers(t, pkt, &answer, at);
	else if (ibw_arp_ipoib_op(arp) == IBW_ARP_REQUEST)
		asks(t, pkt, key, at);
}

/* RFC 4861, 7.2; RFC 4391, 9.3 */
static void discovery(struct track_neigh *t, const struct ibw_packet *pkt,
		      const struct ibw_packet *ip, const struct track_at *at)
{
	const struct ibw_nd_neighbor_wire *nd = IBW_AT(ip, nd_neighbor);
	const struct ibw_nd_lladdr_wire *lladdr = IBW_AT(ip, nd_lladdr);
	const struct ibw_ipv6_wire *ipv6 = IBW_AT(ip, ipv6);
	const struct ibw_icmpv6_wire *icmp = IBW_AT(ip, icmpv6);
	struct answer answer;

	if (!nd || !ipv6 || !icmp)
		return;
	memcpy(answer.asked.target, ibw_nd_neighbor_target(nd), 16);
	if (ibw_icmpv6_type(icmp) == IBW_ICMPV6_NEIGHBOR_SOLICITATION) {
		memcpy(answer.asked.sender, ibw_ipv6_src(ipv6), 16);
		asks(t, pkt, &answer.asked, at);
	} else if (lladdr && ibw_nd_lladdr_type(lladdr) == IBW_ND_TARGET_LLADDR) {
		memcpy(answer.asked.sender, ibw_ipv6_dst(ipv6), 16);
		answer.gid = ibw_nd_lladdr_gid(lladdr);
		answer.qpn = ibw_nd_lladdr_qpn(lladdr);
		answers(t, pkt, &answer, at);
	}
}

/* What follows */

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

/* The host of an IPv4 packet's @source or destination as the other end of it knows it; NULL: nobody does. */
static struct neighbour *host_of(struct track_neigh *t, const struct ibw_packet *pkt,
				 const struct ibw_packet *ip, bool source)
{
	const struct ibw_lrh_wire *lrh = IBW_AT(pkt, lrh);
	const struct ibw_ipv4_wire *ipv4 = IBW_AT(ip, ipv4);
	const struct gid_key *gid;
	struct address_key key;

	if (!lrh || !ipv4)
		return NULL;
	map(key.address, source ? ibw_ipv4_src(ipv4) : ibw_ipv4_dst(ipv4));
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

static void from_neighbour(struct track_neigh *t, const struct ibw_packet *pkt,
			   const struct ibw_packet *ip)
{
	struct neighbour *n = host_of(t, pkt, ip, true);

	if (n && n->other_frame)
		n->back = true;
}

void track_neigh_ipoib(struct track_neigh *t, const struct ibw_packet *pkt,
		       const struct ibw_packet *ip, const struct track_at *at)
{
	const struct ibw_arp_ipoib_wire *asked = IBW_AT(ip, arp_ipoib);
	const struct ibw_deth_wire *deth = IBW_AT(pkt, deth);
	uint32_t dqpn = ibw_bth_dqpn(IBW_KNOWN(pkt, bth));
	struct neighbour *n;

	if (!deth)
		return;
	if (asked)
		arp(t, pkt, asked, at);
	else
		discovery(t, pkt, ip, at);
	if (dqpn == IBW_QPN_MULTICAST)
		return;
	hears(t, pkt);
	check_qkey(t, pkt, ibw_deth_qkey(deth), at);
	n = follows(t, pkt, dqpn);
	if (n && !n->row.data)
		n->row.data = at->frame;
	if (n)
		track_neigh_tell_pkey(t, n, pkt, at);
	else
		to_other_qp(t, pkt, ip, at);
	from_neighbour(t, pkt, ip);
}

void track_neigh_plain(struct track_neigh *t, const struct ibw_packet *pkt,
		       const struct track_at *at)
{
	const struct ibw_arp_ipoib_wire *asked = IBW_AT(pkt, arp_ipoib);

	if (asked)
		arp(t, pkt, asked, at);
}

/* What the SA answers to who asked it. */
static void path(struct track_neigh *t, const struct ibw_lrh_wire *lrh, const struct track_mad *mad,
		 const struct ibw_path_rec *rec, const struct track_at *at)
{
	struct gid_key key = { .lid = ibw_lrh_dlid(lrh) };
	struct neighbour *n;

	memcpy(key.gid, rec->dgid, 16);
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
void track_neigh_cm(struct track_neigh *t, const struct ibw_packet *pkt,
		    const struct track_cm_news *news, const struct track_at *at)
{
	uint32_t qpn = (uint32_t)(news->service_id & SID_QPN);
	struct track_event *e;
	struct neighbour *n;

	if (ibw_sid_split(news->service_id).kind != IBW_SID_IPOIB_CM)
		return;
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

/* The end */

static int by_frame(const void *a, const void *b)
{
	const struct track_neighbour *x = a, *y = b;
	uint64_t of_x = x->asked ? x->asked : x->answered, of_y = y->asked ? y->asked : y->answered;

	if (of_x != of_y)
		return of_x < of_y ? -1 : 1;
	return x->answered < y->answered ? -1 : x->answered > y->answered;
}

/* Not who looks whether its own address is taken. */
static void add_unanswered(struct track_subnet *s, const struct ask_key *key, const struct ask *ask)
{
	struct track_neighbour row = { .asked = ask->first, .lid = (uint16_t)ask->lid };

	if (ask->answered || !memcmp(key->sender, key->target, 16))
		return;
	memcpy(row.address, key->target, 16);
	g_array_append_val(s->neighbours, row);
}

void track_neigh_list(const struct track_neigh *t, struct track_subnet *s)
{
	const struct neighbour *n;
	const struct ask *ask;

	for (n = NULL; (n = track_table_next(t->neighbours, n));)
		g_array_append_vals(s->neighbours, &n->row, 1);
	for (ask = NULL; (ask = track_table_next(t->asks, ask));)
		add_unanswered(s, track_table_key(t->asks, ask), ask);
	g_array_sort(s->neighbours, by_frame);
}

bool track_neigh_finish(struct track_neigh *t, const struct track_at *at)
{
	for (; t->finished < track_table_count(t->neighbours); t->finished++) {
		if (track_events_room(t->events) < 3)
			return false;
		track_neigh_tell_neighbour(t, track_table_at(t->neighbours, t->finished), at);
	}
	for (; t->finished_asks < track_table_count(t->asks); t->finished_asks++) {
		if (!track_events_room(t->events))
			return false;
		track_neigh_tell_ask(t, track_table_at(t->asks, t->finished_asks));
	}
	return true;
}
