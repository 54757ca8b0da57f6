/* SPDX-License-Identifier: GPL-2.0-or-later */
/* header.c - P_Keys, MigReq, R_Keys and services of halves. */
#include <string.h>

#include <glib.h>

#include <ibwire/ibwire.h>

#include "conn_impl.h"
#include "header.h"
#include "track/stream/stream.h"

#define PKEY_FULL 0x8000u

/* Packets of another service to a QP, the last ones, until one of its own follows. */
#define OTHERS 16

/* Flows of UD that were looked at last. */
#define DATAGRAMS 16

#define TOLD UINT64_MAX

/* Routers on a path, at most. */
#define ROUTERS 16

/* No holes: compared as bytes. */
struct rkey {
	uint8_t dst[16];
	uint32_t rkey;
	uint32_t address;
};

struct talk {
	struct track_flow flow;
	uint64_t sqpn;
};

struct other {
	uint64_t half;  /* whose QP it went to: its first frame; 0: none */
	uint64_t frame; /* of the packet */
	uint8_t service;
};

struct datagram {
	struct track_flow flow;
	uint64_t halves; /* that there had been then */
};

struct track_headers {
	struct track_table *rkeys; /* struct rkey, no value; NULL: none yet */
	struct track_table *talks; /* struct talk -> frame; NULL: none yet */
	unsigned int services;     /* 1 << service / 32, of halves so far */
	unsigned int n_others;
	uint64_t halves; /* so far */
	/* Halves without another direction */
	struct track_flow one_way; /* the first of them */
	uint64_t one_way_frame;
	uint64_t one_way_halves, one_way_packets;
	struct other others[OTHERS];
	struct datagram datagrams[DATAGRAMS];
};

struct track_headers *track_headers_new(void)
{
	return g_new0(struct track_headers, 1);
}

void track_headers_free(struct track_headers *t)
{
	if (!t)
		return;
	track_table_free(t->rkeys);
	track_table_free(t->talks);
	g_free(t);
}

/* Such an event is no less true of a connection whose begin nobody saw. */
static struct track_event *event(struct track_conn *c, enum track_event_kind kind,
				 const struct track_half *h, const struct track_at *at)
{
	struct track_event *e = track_conn_event(c, kind, h, at);

	if (e)
		e->doubt &= (uint16_t)~TRACK_DOUBT_MID_STREAM;
	return e;
}

static struct track_half *peer_of(const struct track_conn *c, const struct track_half *h)
{
	return h->peer == TRACK_NONE ? NULL : track_half_at(c, h->peer);
}

/* P_Keys */

static bool is_limited(uint16_t pkey)
{
	return pkey && !(pkey & PKEY_FULL);
}

static void check_pkeys(struct track_conn *c, struct track_half *h, const struct track_at *at)
{
	struct track_half *peer = peer_of(c, h);
	struct track_event *e;

	if (!peer || !is_limited(h->header.pkey) || !is_limited(peer->header.pkey) ||
	    h->header.seen & TRACK_SEEN_TOLD_PKEY)
		return;
	h->header.seen |= TRACK_SEEN_TOLD_PKEY;
	peer->header.seen |= TRACK_SEEN_TOLD_PKEY;
	e = event(c, TRACK_EVENT_PKEYS_LIMITED, h, at);
	if (!e)
		return;
	track_event_cause(e, peer->first_frame);
	e->number[TRACK_PKEYS_LIMITED_pkey] = h->header.pkey;
	e->number[TRACK_PKEYS_LIMITED_back] = peer->header.pkey;
}

/* The value: the frame, or TOLD. */
static uint64_t *talk_of(struct track_headers *t, const struct talk *talk, bool add)
{
	if (!t->talks)
		t->talks = track_table_new(sizeof(*talk), sizeof(uint64_t), TRACK_TALKS_MAX);
	return add ? track_table_need(t->talks, talk) : track_table_get(t->talks, talk);
}

/* UD: two QPs that talk to each other. */
static __attribute__((cold)) void limited_datagram(struct track_conn *c,
						   const struct track_flow *flow, uint32_t sqpn,
						   uint16_t pkey, const struct track_at *at)
{
	struct talk talk = { *flow, sqpn }, back = { *flow, flow->dqpn };
	uint64_t *frame = talk_of(c->headers, &talk, true), *other;
	struct track_event *e;

	if (!*frame)
		*frame = at->frame;
	track_flow_turn(&back.flow);
	back.flow.dqpn = sqpn;
	other = *frame == TOLD ? NULL : talk_of(c->headers, &back, false);
	if (!other)
		return;
	e = track_event_add(c->events, TRACK_EVENT_PKEYS_LIMITED, at);
	if (e) {
		e->flow = *flow;
		track_flow_as_seen(&e->flow);
		track_event_cause(e, *other);
		e->number[TRACK_PKEYS_LIMITED_pkey] = e->number[TRACK_PKEYS_LIMITED_back] = pkey;
	}
	*frame = *other = TOLD;
}

/* MigReq */

/* All packets of a half have the same: 0 or 1; -1: they differ, or are few. */
static int migreq_of(const struct track_header *h)
{
	unsigned int seen = h->seen & (TRACK_SEEN_MIGREQ_0 | TRACK_SEEN_MIGREQ_1);

	if (h->packets < TRACK_MIGREQ_PACKETS ||
	    seen == (TRACK_SEEN_MIGREQ_0 | TRACK_SEEN_MIGREQ_1))
		return -1;
	return seen == TRACK_SEEN_MIGREQ_1;
}

static void check_migreq(struct track_conn *c, struct track_half *h, const struct track_at *at)
{
	struct track_half *peer = peer_of(c, h);
	struct track_event *e;

	if (!peer || h->header.seen & TRACK_SEEN_TOLD_MIGREQ || migreq_of(&h->header) < 0 ||
	    migreq_of(&peer->header) < 0 || migreq_of(&h->header) == migreq_of(&peer->header))
		return;
	h->header.seen |= TRACK_SEEN_TOLD_MIGREQ;
	peer->header.seen |= TRACK_SEEN_TOLD_MIGREQ;
	e = event(c, TRACK_EVENT_MIGREQ_DIFFERS, h, at);
	if (!e)
		return;
	track_event_cause(e, MIN(h->first_frame, peer->first_frame));
	track_event_cause(e, MAX(h->first_frame, peer->first_frame));
	e->number[TRACK_MIGREQ_DIFFERS_migreq] = (uint64_t)migreq_of(&h->header);
	e->number[TRACK_MIGREQ_DIFFERS_back] = (uint64_t)migreq_of(&peer->header);
}

/* Paths */

/* RoCE v1 has none. */
#define PORT_KNOWN (0x10000u << 8)

static uint32_t sport_of(uint32_t path)
{
	return path >> 8 & 0xffff;
}

static uint32_t dscp_of(uint32_t path)
{
	return path & 0x3f;
}

static void tell_path(struct track_conn *c, enum track_event_kind kind, struct track_half *h,
		      const uint32_t numbers[2], const struct track_packet *p)
{
	struct track_event *e = track_conn_event(c, kind, h, &p->at);

	if (!e)
		return;
	track_event_cause(e, h->first_frame);
	/* The numbers of both kinds are in the same places. */
	e->number[TRACK_SPORT_CHANGED_answers] = track_header_class_of(p) == TRACK_ANSWERS;
	e->number[TRACK_SPORT_CHANGED_sport] = numbers[0];
	e->number[TRACK_SPORT_CHANGED_before] = numbers[1];
	e->number[TRACK_SPORT_CHANGED_psn] = p->psn;
}

/* A path migration changes all there is of a path: MigReq shows it. */
static void check_path(struct track_conn *c, struct track_half *h, const struct track_packet *p)
{
	const unsigned int both = TRACK_SEEN_MIGREQ_0 | TRACK_SEEN_MIGREQ_1;
	uint32_t *path = &h->header.path[track_header_class_of(p)], before = *path;

	*path = track_path_of(p);
	h->header.seen |= (uint16_t)(1u << (TRACK_SEEN_FORMS + p->version));
	if (c->hosts)
		track_hosts_path(c->hosts, p);
	if (!before || (h->header.seen & both) == both)
		return;
	if (before & *path & PORT_KNOWN && sport_of(before) != sport_of(*path) &&
	    !(h->header.seen & TRACK_SEEN_TOLD_SPORT)) {
		h->header.seen |= TRACK_SEEN_TOLD_SPORT;
		tell_path(c, TRACK_EVENT_SPORT_CHANGED, h,
			  (const uint32_t[]){ sport_of(*path), sport_of(before) }, p);
	}
	if (dscp_of(before) != dscp_of(*path) && !(h->header.seen & TRACK_SEEN_TOLD_DSCP)) {
		h->header.seen |= TRACK_SEEN_TOLD_DSCP;
		tell_path(c, TRACK_EVENT_DSCP_CHANGED, h,
			  (const uint32_t[]){ dscp_of(*path), dscp_of(before) }, p);
	}
}

/* Requests of a half against the answers of the other one: one of them has no class of its own. */
static bool differ(const struct track_half *requests, const struct track_half *answers)
{
	uint32_t there = requests->header.path[TRACK_REQUESTS];
	uint32_t back = answers->header.path[TRACK_ANSWERS];

	return there && back && dscp_of(there) != dscp_of(back) &&
	       !(dscp_of(there) && dscp_of(back));
}

static void check_dscps(struct track_conn *c, struct track_half *h, const struct track_at *at)
{
	const unsigned int told = TRACK_SEEN_TOLD_DSCP | TRACK_SEEN_TOLD_DSCPS;
	struct track_half *peer = peer_of(c, h), *requests;
	struct track_event *e;

	if (!peer || (h->header.seen | peer->header.seen) & told)
		return;
	requests = differ(h, peer) ? h : peer;
	if (!differ(requests, requests == h ? peer : h))
		return;
	h->header.seen |= TRACK_SEEN_TOLD_DSCPS;
	peer->header.seen |= TRACK_SEEN_TOLD_DSCPS;
	e = event(c, TRACK_EVENT_DSCPS_DIFFER, requests, at);
	if (!e)
		return;
	track_event_cause(e, MIN(h->first_frame, peer->first_frame));
	track_event_cause(e, MAX(h->first_frame, peer->first_frame));
	e->number[TRACK_DSCPS_DIFFER_requests] = dscp_of(requests->header.path[TRACK_REQUESTS]);
	e->number[TRACK_DSCPS_DIFFER_answers] =
		dscp_of((requests == h ? peer : h)->header.path[TRACK_ANSWERS]);
}

/* One way */

static bool acknowledges(uint8_t service)
{
	return service == IBW_SERVICE_RC || service == IBW_SERVICE_XRC;
}

/* The other direction would be that of an unpaired half of the same hosts. */
static void check_one_way(struct track_conn *c, const struct track_half *h)
{
	const struct track_flow *flow = track_table_key(c->halves, h);
	struct track_headers *t = c->headers;

	if (h->header.packets < TRACK_ONE_WAY_PACKETS || h->was_paired ||
	    !acknowledges(flow->service) ||
	    track_group_at(c, h->group[TRACK_BY_HOSTS])->listed[h->back] ||
	    track_conn_unfollowed(c, flow))
		return;
	if (!t->one_way_halves || h->first_frame < t->one_way_frame) {
		t->one_way = *flow;
		t->one_way_frame = h->first_frame;
	}
	t->one_way_halves++;
	t->one_way_packets += h->header.packets;
}

void track_header_finish(struct track_conn *c, const struct track_at *at)
{
	struct track_headers *t = c->headers;
	struct track_event *e;

	if (!t->one_way_halves)
		return;
	e = track_event_add(c->events, TRACK_EVENT_ONE_WAY, at);
	if (e) {
		e->half = t->one_way_frame;
		e->flow = t->one_way;
		track_flow_as_seen(&e->flow);
		track_event_cause(e, t->one_way_frame);
		e->number[TRACK_ONE_WAY_dqpn] = t->one_way.dqpn;
		e->number[TRACK_ONE_WAY_packets] = t->one_way_packets;
		e->number[TRACK_ONE_WAY_halves] = t->one_way_halves;
	}
	t->one_way_halves = 0;
}

/* Directions of one connection by two versions of RoCE, or by two versions of IP. */
static void check_forms(struct track_conn *c, struct track_half *h, const struct track_at *at)
{
	const unsigned int v1 = 1u << TRACK_ROCE_V1;
	const unsigned int v2 = 1u << TRACK_ROCE_V2_IPV4 | 1u << TRACK_ROCE_V2_IPV6;
	const unsigned int ours = track_header_forms(&h->header);
	struct track_half *peer = peer_of(c, h);
	unsigned int theirs;
	struct track_event *e;
	bool families;

	if (!peer || (h->header.seen | peer->header.seen) & TRACK_SEEN_TOLD_FORMS)
		return;
	theirs = track_header_forms(&peer->header);
	if (!ours || !theirs || ours & theirs)
		return;
	h->header.seen |= TRACK_SEEN_TOLD_FORMS;
	peer->header.seen |= TRACK_SEEN_TOLD_FORMS;
	families = !((ours | theirs) & v1) || !((ours | theirs) & v2);
	if (!families && c->hosts)
		track_hosts_split(c->hosts, track_table_key(c->halves, h));
	e = event(c, families ? TRACK_EVENT_FAMILIES_DIFFER : TRACK_EVENT_VERSIONS_SPLIT, h, at);
	if (!e)
		return;
	e->frame = MAX(h->first_frame, peer->first_frame);
	if (e->frame != at->frame)
		e->time_ns = 0; /* not kept */
	track_event_cause(e, MIN(h->first_frame, peer->first_frame));
	e->number[TRACK_VERSIONS_SPLIT_forms] = ours;
	e->number[TRACK_VERSIONS_SPLIT_back] = theirs;
}

/* Requests were lost while their priority was paused on their link. */
static void check_paused(struct track_conn *c, const struct track_half *h,
			 const struct track_at *at)
{
	const struct track_dir *d = h->qp ? &h->qp->dir[h->way] : NULL;
	const struct track_paused_gaps *g = d ? track_qps_paused_gaps(c->qps, h->qp, h->way) : NULL;
	struct track_event *e;

	if (!g || !(track_watched(d)->retransmitted_packets || d->psns.missing))
		return;
	e = event(c, TRACK_EVENT_LOSS_PAUSED, h, at);
	if (!e)
		return;
	e->frame = g->first.frame;
	e->time_ns = g->first.time_ns;
	e->doubt |= h->qp->doubt;
	e->number[TRACK_LOSS_PAUSED_psn] = g->first.psn;
	e->number[TRACK_LOSS_PAUSED_gaps] = g->gaps;
	e->number[TRACK_LOSS_PAUSED_tagged] = g->tag != TRACK_NO_TAG;
	e->number[TRACK_LOSS_PAUSED_priority] = g->tag == TRACK_NO_TAG ? 0 : g->tag >> 13;
	e->number[TRACK_LOSS_PAUSED_global] = g->global;
}

void track_header_gone(struct track_conn *c, struct track_half *h, const struct track_at *at)
{
	check_migreq(c, h, at);
	check_dscps(c, h, at);
	check_one_way(c, h);
	check_forms(c, h, at);
	check_paused(c, h, at);
	if (c->hosts && track_header_forms(&h->header) & ~(1u << TRACK_NATIVE))
		track_hosts_data(c->hosts, h->header.packets);
}

/* R_Keys */

static struct rkey rkey_of(const struct track_packet *p)
{
	struct rkey key = { .rkey = p->rkey, .address = p->flow.address };

	memcpy(key.dst, p->flow.dst, sizeof(key.dst));
	return key;
}

static void remember_rkey(struct track_conn *c, const struct track_packet *p)
{
	struct track_headers *t = c->headers;
	const struct rkey key = rkey_of(p);

	if (!t->rkeys)
		t->rkeys = track_table_new(sizeof(key), 0, TRACK_RKEYS_MAX);
	track_table_need(t->rkeys, &key);
}

/* SEND with Invalidate. Once R_Keys were forgotten, nothing can be said of one that is not known. */
static void check_invalidated(struct track_conn *c, const struct track_half *h,
			      const struct track_packet *p)
{
	struct track_headers *t = c->headers;
	const struct rkey key = rkey_of(p);
	struct track_event *e;

	if (p->at.doubt & TRACK_DOUBT_CUT) /* what cut this one may have cut RETHs */
		return;
	if (t->rkeys && (track_table_get(t->rkeys, &key) || track_table_evicted(t->rkeys)))
		return;
	e = track_conn_event(c, TRACK_EVENT_RKEY_NOT_SEEN, h, &p->at);
	if (!e)
		return;
	e->number[TRACK_RKEY_NOT_SEEN_rkey] = p->rkey;
	e->number[TRACK_RKEY_NOT_SEEN_psn] = p->psn;
}

/* Services */

/* To the others nothing but UD may go, whoever it is of. */
static bool is_user_qp(uint32_t qpn)
{
	return qpn > IBW_QPN_GSI && qpn != IBW_QPN_MULTICAST;
}

static unsigned int bit_of(uint8_t service)
{
	return 1u << service / 32;
}

/* A packet of @service goes to the QP of @h, which is of another one. */
static void see_other(struct track_headers *t, struct track_half *h, uint8_t service,
		      uint64_t frame)
{
	h->header.seen |= TRACK_SEEN_OTHER;
	t->others[t->n_others++ % OTHERS] = (struct other){ h->first_frame, frame, service };
}

/* Halves to the same QP of other services than that of @flow. DC has the opcodes of RD: not those. */
static void see_services(struct track_conn *c, struct track_flow flow, uint64_t frame)
{
	static const uint8_t services[] = { IBW_SERVICE_RC, IBW_SERVICE_UC, IBW_SERVICE_XRC };
	uint8_t service = flow.service;
	struct track_half *h;
	unsigned int i;

	for (i = 0; i < G_N_ELEMENTS(services); i++) {
		if (services[i] == service || !(c->headers->services & bit_of(services[i])))
			continue;
		flow.service = services[i];
		h = track_table_get(c->halves, &flow);
		if (h)
			see_other(c->headers, h, service, frame);
	}
}

/* The QP's own service goes on: it was not made anew for the other one. */
static void tell_other(struct track_conn *c, struct track_half *h, const struct track_packet *p)
{
	struct track_headers *t = c->headers;
	struct track_event *e;
	unsigned int i;

	h->header.seen &= (uint16_t)~TRACK_SEEN_OTHER;
	for (i = 0; i < OTHERS && t->others[i].half != h->first_frame; i++)
		;
	if (i == OTHERS)
		return;
	e = event(c, TRACK_EVENT_SERVICES_MIXED, h, &p->at);
	if (e) {
		track_event_cause(e, t->others[i].frame);
		e->number[TRACK_SERVICES_MIXED_dqpn] = h->dqpn;
		e->number[TRACK_SERVICES_MIXED_service] = p->flow.service;
		e->number[TRACK_SERVICES_MIXED_other] = t->others[i].service;
	}
	t->others[i].half = 0;
}

/* Hop limits that hosts begin with; what comes with a few less was routed. */
static uint8_t began_with(uint8_t hop_limit)
{
	static const uint8_t begins[] = { 64, 128, 255 };
	unsigned int i;

	for (i = 0; i < G_N_ELEMENTS(begins); i++)
		if (hop_limit < begins[i] && hop_limit >= begins[i] - ROUTERS)
			return begins[i];
	return 0;
}

/* A hop limit of 1 proves that no router was there. */
static void check_link_local(struct track_conn *c, const struct track_half *h,
			     const struct track_packet *p)
{
	uint8_t from = began_with(p->hop_limit);
	struct track_event *e;

	if (!from || p->flow.address == TRACK_ADDRESS_LID || p->version == TRACK_NATIVE ||
	    !ibw_gid_is_link_local(p->flow.src))
		return;
	e = event(c, TRACK_EVENT_LLGID_ROUTED, h, &p->at);
	if (!e)
		return;
	e->number[TRACK_LLGID_ROUTED_hop_limit] = p->hop_limit;
	e->number[TRACK_LLGID_ROUTED_from] = from;
}

void track_header_begun(struct track_conn *c, const struct track_half *h,
			const struct track_packet *p)
{
	struct track_headers *t = c->headers;

	t->halves++;
	check_link_local(c, h, p);
	if (p->flow.service == IBW_SERVICE_RD || !is_user_qp(p->flow.dqpn))
		return;
	if (t->services & ~bit_of(p->flow.service))
		see_services(c, p->flow, h->first_frame);
	t->services |= bit_of(p->flow.service);
}

void track_header_paired(struct track_conn *c, struct track_half *h, const struct track_at *at)
{
	check_pkeys(c, h, at);
}

void track_header_look(struct track_conn *c, struct track_half *h, const struct track_packet *p)
{
	struct track_header *header = &h->header;

	header->seen |= p->flags & TRACK_PACKET_MIGREQ ? TRACK_SEEN_MIGREQ_1 : TRACK_SEEN_MIGREQ_0;
	if (header->seen & TRACK_SEEN_OTHER)
		tell_other(c, h, p);
	if (header->pkey != p->pkey) {
		header->pkey = p->pkey;
		check_pkeys(c, h, &p->at);
	}
	if (header->path[track_header_class_of(p)] != track_path_of(p))
		check_path(c, h, p);
	if (p->flags & TRACK_PACKET_RETH && p->rkey) {
		header->rkey = p->rkey;
		remember_rkey(c, p);
	} else if (p->rkey && p->rkey != header->rkey) {
		check_invalidated(c, h, p);
	}
}

/* Datagrams */

/* Packets of connections may wait for each other. */
static void see_datagram(struct track_conn *c, const struct track_flow *flow, uint64_t frame)
{
	struct track_headers *t = c->headers;
	struct datagram *seen = &t->datagrams[flow->dqpn % DATAGRAMS];

	track_conn_flush(c);
	if (!t->services || (seen->halves == t->halves && track_flow_equal(&seen->flow, flow)))
		return;
	*seen = (struct datagram){ *flow, t->halves };
	see_services(c, *flow, frame);
}

void track_conn_datagram(struct track_conn *c, const struct track_view *view,
			 const struct track_at *at)
{
	const struct ibw_bth_wire *bth = IBW_KNOWN(&view->pkt, bth);
	const struct ibw_deth_wire *deth = IBW_AT(&view->pkt, deth);
	bool limited = is_limited(ibw_bth_pkey(bth)), user = is_user_qp(ibw_bth_dqpn(bth));
	struct track_flow flow;

	if (!deth || (view->pkt.opcode & IBW_SERVICE_MASK) != IBW_SERVICE_UD ||
	    ibw_bth_dqpn(bth) == IBW_QPN_MULTICAST || (!limited && !user) ||
	    !track_flow_gids_of(&view->pkt, &flow))
		return;
	if (limited)
		limited_datagram(c, &flow, ibw_deth_sqpn(deth), ibw_bth_pkey(bth), at);
	if (user && (c->headers->services || c->n_batch))
		see_datagram(c, &flow, at->frame);
}
