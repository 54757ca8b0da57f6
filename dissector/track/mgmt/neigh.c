/* SPDX-License-Identifier: GPL-2.0-or-later */
/* neigh.c - neighbours of IPoIB: who asks for an address by ARP or neighbor discovery, and who answers. */
#include <stdlib.h>
#include <string.h>

#include <glib.h>

#include <ibwire/ibwire.h>

#include "neigh_impl.h"

/* What an answer says, by ARP or neighbor discovery. */
struct answer {
	struct ask_key asked;
	const uint8_t *gid;
	uint32_t qpn;
	bool connected; /* its hardware address has a flag of connected mode: RFC 4755, 3.1 */
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
	t->owners = track_table_new(sizeof(struct owner_key), sizeof(struct owner),
				    TRACK_NEIGHBOURS_MAX);
	t->reqs = track_table_new(sizeof(uint64_t), sizeof(struct gid_key), TRACK_NEIGHBOURS_MAX);
	t->backs = track_table_new(16, sizeof(struct back), TRACK_NEIGHBOURS_MAX);
	return t;
}

void track_neigh_fabric(struct track_neigh *t, struct track_fabric *fabric)
{
	t->fabric = fabric;
}

void track_neigh_free(struct track_neigh *t)
{
	if (!t)
		return;
	track_table_free(t->asks);
	track_table_free(t->neighbours);
	track_table_free(t->qps);
	track_table_free(t->addresses);
	track_table_free(t->owners);
	track_table_free(t->reqs);
	track_table_free(t->backs);
	g_free(t);
}

uint64_t track_neigh_evicted(const struct track_neigh *t)
{
	return track_table_evicted(t->asks) + track_table_evicted(t->neighbours) +
	       track_table_evicted(t->qps) + track_table_evicted(t->addresses) +
	       track_table_evicted(t->owners) + track_table_evicted(t->reqs) +
	       track_table_evicted(t->backs);
}

/* ARP, and neighbor discovery */

/* @gid: of who asks; NULL: not said. */
static void asks(struct track_neigh *t, const struct ibw_packet *pkt, const struct ask_key *key,
		 const uint8_t *gid, const struct track_at *at)
{
	struct ask *ask = track_table_need(t->asks, key);

	if (gid) {
		memcpy(ask->gid, gid, 16);
		track_table_need(t->backs, gid);
	}
	ask->pkey = pkt->bth != IBW_NO_SPAN ? ibw_bth_pkey(IBW_KNOWN(pkt, bth)) : 0;
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
	track_neigh_owns(t, pkt, answer->asked.target, answer->gid, ask, at);
	memcpy(by_address.address, answer->asked.target, 16);
	memcpy(gid.gid, answer->gid, 16);
	by_qp = track_table_need(t->qps, &qp);
	*by_qp = gid;
	by = track_table_need(t->addresses, &by_address);
	*by = gid;
	n = track_table_need(t->neighbours, &gid);
	n->times++;
	n->last_ns = at->time_ns;
	n->connected |= answer->connected;
	if (!n->answered) {
		begin(n, pkt, answer, ask, at);
		return;
	}
	/* The path is known, or asked for. */
	n->row.changes += n->row.qpn != answer->qpn;
	n->row.qpn = answer->qpn;
}

/* Without a LID nothing is known of paths. */
static void answers_plain(struct track_neigh *t, const struct ibw_packet *pkt,
			  const struct answer *answer, const struct track_at *at)
{
	struct ask *ask = track_table_get(t->asks, &answer->asked);

	t->plain_answers = true;
	track_neigh_owns(t, pkt, answer->asked.target, answer->gid, ask, at);
	if (ask)
		ask->answered = true;
}

static void arp(struct track_neigh *t, const struct ibw_packet *pkt,
		const struct ibw_arp_ipoib_wire *arp, const struct track_at *at)
{
	struct answer answer = { .gid = ibw_arp_ipoib_sha_gid(arp),
				 .qpn = ibw_arp_ipoib_sha_qpn(arp),
				 .connected = ibw_arp_ipoib_sha_flags(arp) != 0 };
	bool reply = ibw_arp_ipoib_op(arp) == IBW_ARP_REPLY;
	struct ask_key *key = &answer.asked;

	track_neigh_map(reply ? key->target : key->sender, ibw_arp_ipoib_spa(arp));
	track_neigh_map(reply ? key->sender : key->target, ibw_arp_ipoib_tpa(arp));
	if (reply && pkt->lrh == IBW_NO_SPAN) {
		answers_plain(t, pkt, &answer, at);
	} else if (reply) {
		answers(t, pkt, &answer, at);
	} else if (ibw_arp_ipoib_op(arp) == IBW_ARP_REQUEST) {
		track_neigh_owns(t, pkt, key->sender, answer.gid, NULL, at);
		asks(t, pkt, key, answer.gid, at);
	}
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
		asks(t, pkt, &answer.asked, NULL, at);
	} else if (lladdr && ibw_nd_lladdr_type(lladdr) == IBW_ND_TARGET_LLADDR) {
		memcpy(answer.asked.sender, ibw_ipv6_dst(ipv6), 16);
		answer.gid = ibw_nd_lladdr_gid(lladdr);
		answer.qpn = ibw_nd_lladdr_qpn(lladdr);
		answer.connected = ibw_nd_lladdr_flags(lladdr) != 0;
		answers(t, pkt, &answer, at);
	}
}

void track_neigh_ipoib(struct track_neigh *t, const struct ibw_packet *pkt,
		       const struct ibw_packet *ip, const struct track_at *at)
{
	const struct ibw_arp_ipoib_wire *asked = IBW_AT(ip, arp_ipoib);
	const struct ibw_deth_wire *deth = IBW_AT(pkt, deth);

	if (!deth)
		return;
	if (asked)
		arp(t, pkt, asked, at);
	else
		discovery(t, pkt, ip, at);
	if (ibw_bth_dqpn(IBW_KNOWN(pkt, bth)) != IBW_QPN_MULTICAST)
		track_neigh_unicast(t, pkt, ip, deth, at);
}

void track_neigh_plain(struct track_neigh *t, const struct ibw_packet *pkt,
		       const struct track_at *at)
{
	const struct ibw_arp_ipoib_wire *asked = IBW_AT(pkt, arp_ipoib);

	if (asked)
		arp(t, pkt, asked, at);
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
		if (track_events_room(t->events) < 4)
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
