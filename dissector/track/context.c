/* SPDX-License-Identifier: GPL-2.0-or-later */
/* context.c - the first pass: every tracker sees every packet, in this order. */
#include <glib.h>

#include "context.h"
#include "incident/congestion.h"
#include "iwarp/incident_stall.h"
#include "iwarp/iwarp.h"
#include "track/cm/cm.h"
#include "track/cm/cm_list.h"
#include "track/cm/cm_load.h"
#include "track/fabric/chronicle.h"
#include "track/fabric/fabric.h"
#include "track/fabric/nodes.h"
#include "track/link/hosts.h"
#include "track/link/icrc.h"
#include "track/link/macs.h"
#include "track/link/mirror.h"
#include "track/link/pause.h"
#include "track/link/pause_link.h"
#include "track/link/vl.h"
#include "track/measure/ports.h"
#include "track/measure/timeline_impl.h"
#include "track/measure/waited_impl.h"
#include "track/mgmt/cm_event.h"
#include "track/mgmt/igmp.h"
#include "track/mgmt/incident_cm.h"
#include "track/mgmt/incident_mad.h"
#include "track/mgmt/incident_rmpp.h"
#include "track/mgmt/mcast.h"
#include "track/mgmt/named.h"
#include "track/mgmt/neigh.h"
#include "track/mgmt/notice.h"
#include "track/mgmt/paths.h"
#include "track/mgmt/sidr.h"
#include "track/mgmt/sm.h"
#include "track/mgmt/transact.h"
#include "track/stream/cc.h"
#include "track/stream/stream.h"
#include "track/way/left_out.h"
#include "ulp/smc.h"
#include "ulp/ulp.h"

/* Halves that tables can number. */
#define TRACK_HALVES_MAX (1u << 30)

/* Trackers look after what they wait for, in capture time. */
#define TICK_NS 1000000000u

struct track {
	struct track_at at;          /* the packet at hand */
	uint64_t latest_ns;          /* the latest time of a packet */
	uint64_t tick_ns;            /* when the next tick is due */
	struct track_events *events; /* NULL: not wanted */
	struct track_cm *cm;
	struct track_named *named;
	struct track_cm_waits *waits; /* NULL: no events are wanted; so the next sixteen */
	struct track_cm_list *cm_list;
	struct track_cm_load *cm_load;
	struct track_sidr *sidr;
	struct track_mcast *mcast;
	struct track_igmp *igmp;
	struct track_paths *paths;
	struct track_neigh *neigh;
	struct track_transact *transact;
	struct track_replies *replies; /* NULL: not wanted */
	struct track_notices *notices;
	struct track_sm_watch *sm;
	struct track_fabric *fabric;
	struct track_pauses *pauses;
	struct track_pause_links *pause_links; /* NULL before the first pause frame */
	struct track_icrcs *icrcs;
	struct track_vls *vls;
	struct track_mirrors *mirrors;
	struct track_macs *macs;
	struct track_iwarp *iwarp;
	struct track_ulps *ulps;
	struct track_upper upper;    /* of the packet at hand */
	const uint32_t *ulp_opcodes; /* of RC, that it looks at: NULL with it */
	struct track_rmpp *rmpp;
	struct track_conn *conn;         /* NULL: not wanted */
	struct track_left_out *left_out; /* NULL: nothing was */
	uint64_t memory;                 /* what connections may take */
	uint64_t speed;                  /* of the link of pause frames */
	bool senders;                    /* wanted */
	struct track_context context;    /* of the packet at hand */
};

static const struct track_context nothing;

struct track *track_new(void)
{
	struct track *t = g_new0(struct track, 1);

	t->cm = track_cm_new(TRACK_CM_MAX);
	t->named = track_named_new();
	t->rmpp = track_rmpp_new();
	t->memory = TRACK_MEMORY;
	return t;
}

void track_free(struct track *t)
{
	if (!t)
		return;
	track_conn_free(t->conn);
	track_rmpp_free(t->rmpp);
	track_cm_waits_free(t->waits);
	track_cm_list_free(t->cm_list);
	track_cm_load_free(t->cm_load);
	track_sidr_free(t->sidr);
	track_mcast_free(t->mcast);
	track_igmp_free(t->igmp);
	track_paths_free(t->paths);
	track_neigh_free(t->neigh);
	if (t->replies)
		g_free(t->replies->reply);
	g_free(t->replies);
	track_transact_free(t->transact);
	track_notices_free(t->notices);
	track_sm_free(t->sm);
	track_fabric_free(t->fabric);
	track_pauses_free(t->pauses);
	track_pause_links_free(t->pause_links);
	track_icrcs_free(t->icrcs);
	track_vls_free(t->vls);
	track_mirrors_free(t->mirrors);
	track_macs_free(t->macs);
	track_iwarp_free(t->iwarp);
	track_ulps_free(t->ulps);
	track_left_out_free(t->left_out);
	track_cm_free(t->cm);
	track_named_free(t->named);
	if (t->events) {
		g_free(t->events->event);
		g_free(t->events->about);
	}
	g_free(t->events);
	g_free(t);
}

void track_memory(struct track *t, uint64_t bytes)
{
	t->memory = MAX(bytes, TRACK_MEMORY_MIN);
}

void track_link_speed(struct track *t, uint64_t speed)
{
	t->speed = speed;
}

/* Who waits for an answer asks whether anything comes from there. */
static void tell_of_connections(struct track *t)
{
	if (t->waits)
		track_cm_waits_conn(t->waits, t->conn);
	if (t->transact)
		track_transact_conn(t->transact, t->conn);
}

void track_want_connections(struct track *t)
{
	if (t->conn)
		return;
	t->conn = track_conn_new((uint32_t)MIN(t->memory / TRACK_HALF_BYTES, TRACK_HALVES_MAX),
				 t->cm);
	track_conn_memory(t->conn, t->memory);
	track_conn_events(t->conn, t->events);
	tell_of_connections(t);
}

void track_want_commands(struct track *t)
{
	if (t->ulps)
		return;
	t->ulps = track_ulps_new(t->events, t->cm);
	t->ulp_opcodes = track_ulps_opcodes(t->ulps);
}

void track_want_senders(struct track *t)
{
	t->senders = true;
}

void track_want_events(struct track *t)
{
	if (t->events)
		return;
	t->events = g_new0(struct track_events, 1);
	t->events->event = g_new(struct track_event, TRACK_EVENTS_MAX);
	track_rmpp_events(t->rmpp, t->events);
	t->waits = track_cm_waits_new(t->events, TRACK_CM_MAX);
	t->cm_list = track_cm_list_new(TRACK_CM_MAX);
	track_cm_waits_list(t->waits, t->cm_list);
	t->cm_load = track_cm_load_new(t->events);
	t->sidr = track_sidr_new(t->events);
	t->mcast = track_mcast_new(t->events);
	t->igmp = track_igmp_new();
	t->paths = track_paths_new(t->events);
	t->neigh = track_neigh_new(t->events, t->mcast);
	t->transact = track_transact_new(t->events);
	t->notices = track_notices_new(t->events);
	t->fabric = track_fabric_new(t->events);
	t->sm = track_sm_new();
	track_transact_fabric(t->transact, t->fabric);
	track_mcast_fabric(t->mcast, t->fabric);
	t->pauses = track_pauses_new(t->events);
	t->icrcs = track_icrcs_new(t->events);
	t->vls = track_vls_new(t->events);
	t->mirrors = track_mirrors_new(t->events);
	t->macs = track_macs_new(t->events);
	t->iwarp = track_iwarp_new(t->events);
	track_want_commands(t);
	track_iwarp_want_commands(t->iwarp, t->ulps);
	tell_of_connections(t);
	if (t->conn)
		track_conn_events(t->conn, t->events);
}

void track_want_kinds(struct track *t, const bool read[TRACK_EVENT_COUNT])
{
	unsigned int kind;

	for (kind = 0; t->events && kind < TRACK_EVENT_COUNT; kind++)
		t->events->unread[kind] = !read[kind];
}

void track_want_fpdus(struct track *t)
{
	if (!t->iwarp)
		t->iwarp = track_iwarp_new(NULL);
	track_iwarp_want_fpdus(t->iwarp);
}

/* Connections are tracked some packets late: not if somebody asks, or is told otherwise. */
static void flush(const struct track *t)
{
	if (t->conn)
		track_conn_flush(t->conn);
}

void track_copy(struct track *t, const struct ibw_packet *pkt)
{
	struct track_flow flow;

	flush(t);
	if (t->conn && track_flow_of(pkt, &flow))
		track_conn_copy(t->conn, &flow);
}

bool track_events_waiting(const struct track *t)
{
	return t->events && t->events->n;
}

const struct track_event *track_events(struct track *t, unsigned int *n)
{
	*n = 0;
	if (!t->events)
		return NULL;
	flush(t);
	*n = t->events->n;
	t->events->n = 0;
	return t->events->event;
}

uint64_t track_events_lost(const struct track *t)
{
	return t->events ? t->events->lost : 0;
}

void track_doubt(struct track *t, uint16_t doubt)
{
	flush(t);
	if (t->events)
		t->events->doubt |= doubt;
}

void track_left_out(struct track *t, const struct ibw_packet *pkt)
{
	if (!t->left_out)
		t->left_out = track_left_out_new();
	track_left_out_feed(t->left_out, pkt);
}

uint64_t track_left_out_from(const struct track *t, const struct track_flow *flow)
{
	return track_left_out_of(t->left_out, flow);
}

struct track_conn *track_connections(const struct track *t)
{
	flush(t);
	return t->conn;
}

void track_want_streams(struct track *t)
{
	track_want_connections(t);
	track_conn_want_streams(t->conn);
}

void track_want_incidents(struct track *t)
{
	track_qps_want_incidents(track_streams(t));
	track_rmpp_want_troubles(t->rmpp);
	if (t->iwarp)
		track_iwarp_want_stalls(t->iwarp);
}

void track_want_replies(struct track *t)
{
	t->replies = g_new0(struct track_replies, 1);
	t->replies->reply = g_new(struct track_reply, TRACK_REPLIES_MAX);
	track_qps_want_replies(track_streams(t), t->replies);
	if (t->transact)
		track_transact_want_replies(t->transact, t->replies);
}

const struct track_reply *track_replies(struct track *t, unsigned int *n)
{
	flush(t);
	*n = t->replies->n;
	t->replies->n = 0;
	return t->replies->reply;
}

uint64_t track_replies_lost(const struct track *t)
{
	return t->replies ? t->replies->lost : 0;
}

struct track_qps *track_streams(const struct track *t)
{
	flush(t);
	return t->conn ? track_conn_streams(t->conn) : NULL;
}

struct track_iwarp *track_iwarp_connections(const struct track *t)
{
	return t->iwarp;
}

struct track_ulps *track_commands(const struct track *t)
{
	return t->ulps;
}

uint64_t track_cm_forgotten(const struct track *t)
{
	uint64_t listed = t->cm_list ? track_cm_list_evicted(t->cm_list) : 0;

	return MAX(track_cm_evicted(t->cm), listed);
}

uint64_t track_sidr_forgotten(const struct track *t)
{
	return t->sidr ? track_sidr_evicted(t->sidr) : 0;
}

uint64_t track_cm_load_forgotten(const struct track *t)
{
	return t->cm_load ? track_cm_load_evicted(t->cm_load) : 0;
}

uint64_t track_mcast_forgotten(const struct track *t)
{
	return t->mcast ? track_mcast_evicted(t->mcast) + track_igmp_evicted(t->igmp) : 0;
}

uint64_t track_paths_forgotten(const struct track *t)
{
	return t->paths ? track_paths_evicted(t->paths) : 0;
}

uint64_t track_neigh_forgotten(const struct track *t)
{
	return (t->neigh ? track_neigh_evicted(t->neigh) : 0) + track_named_evicted(t->named);
}

uint64_t track_transact_forgotten(const struct track *t)
{
	return t->transact ? track_transact_evicted(t->transact) : 0;
}

uint64_t track_notices_forgotten(const struct track *t)
{
	return t->notices ? track_notices_evicted(t->notices) : 0;
}

const struct track_transact *track_transactions(const struct track *t)
{
	return t->transact;
}

uint64_t track_hosts_forgotten(const struct track *t)
{
	const struct track_hosts *hosts = t->conn ? track_conn_hosts(t->conn) : NULL;
	const struct track_cc *cc = t->conn ? track_conn_cc(t->conn) : NULL;

	return (hosts ? track_hosts_evicted(hosts) : 0) + (cc ? track_cc_evicted(cc) : 0) +
	       (t->pauses ? track_pauses_evicted(t->pauses) : 0) +
	       (t->macs ? track_macs_evicted(t->macs) : 0);
}

const struct track_cm_list *track_conversations(const struct track *t)
{
	return t->cm_list;
}

const struct track_transfer_troubles *track_troubles(const struct track *t)
{
	return track_rmpp_troubles(t->rmpp);
}

const struct track_mads_asked *track_mads_asked(const struct track *t)
{
	return t->transact ? track_transact_asked(t->transact) : NULL;
}

uint64_t track_sm_forgotten(const struct track *t)
{
	return t->sm ? track_sm_evicted(t->sm) + track_fabric_evicted(t->fabric) : 0;
}

const struct track_chronicle *track_chronicle_of(const struct track *t)
{
	return t->fabric ? track_fabric_chronicle(t->fabric) : NULL;
}

const char *track_chronicle_node_text(const struct track *t, uint64_t guid, unsigned int port,
				      char *buf)
{
	return track_fabric_node_text(t->fabric, guid, port, buf);
}

_Static_assert(TRACK_NODE_SHORT == TRACK_NODE_TEXT, "one buffer for both");

const char *track_lid_node(const struct track *t, uint16_t lid, char buf[TRACK_NODE_SHORT])
{
	*buf = '\0';
	return t->fabric ? track_fabric_lid_node(t->fabric, lid, buf) : buf;
}

const char *track_route_node(const struct track *t, const struct track_mad *mad,
			     char buf[TRACK_NODE_SHORT])
{
	*buf = '\0';
	return t->fabric ? track_fabric_route_node(t->fabric, mad, buf) : buf;
}

void track_subnet_list(const struct track *t, struct track_subnet *s)
{
	if (!t->events)
		return;
	track_mcast_list(t->mcast, s);
	track_igmp_list(t->igmp, s);
	track_neigh_list(t->neigh, s);
	track_sm_list(t->sm, s);
	track_fabric_list(t->fabric, s);
	track_paths_list(t->paths, s);
	track_pauses_list(t->pauses, s);
	if (track_streams(t))
		track_ports_list(track_streams(t), s);
}

uint64_t track_rmpp_forgotten(const struct track *t)
{
	return track_rmpp_evicted(t->rmpp);
}

void track_apply(struct track_view *view, const struct track_context *context)
{
	struct track_mad *m;

	if (context->ipoib)
		track_view_set_ipoib(view);
	if (!context->service_id)
		return;
	m = track_view_mad(view);
	if (m) /* the frame may be seen otherwise than it was then */
		track_mad_answer(m, context->service_id);
}

static void cm_reply(const struct track *t, const struct track_cm_news *news)
{
	const struct track_reply r = { .request = news->first_frame,
				       .answer = t->at.frame,
				       .ns = TRACK_NO_TIME,
				       .time_ns = t->at.time_ns,
				       .kind = TRACK_REPLY_CM,
				       .opcode = news->message,
				       .side = news->side };

	if (news->message != TRACK_CM_OTHER && news->first_frame)
		track_reply_add(t->replies, &r);
}

/* The REQ says which upper layer the private data of a REJ is of; in the packet they are looked at later. */
static struct track_rejection rejection(const struct track_mad *m, const struct track_cm_news *news)
{
	return news->side == TRACK_CM_SERVER ? track_rejection_to(m, news->service_id)
					     : track_rejection_of(m);
}

/* The private data of an answer are those of what the REQ asks for. */
static void upper(struct track *t, const struct track_cm_news *news, const struct track_mad *m)
{
	struct track_mad answer;

	if (news->message != TRACK_CM_REP || !news->service_id) {
		track_ulps_cm(t->ulps, news, m, &t->at);
		return;
	}
	answer = *m;
	track_mad_answer(&answer, news->service_id);
	track_ulps_cm(t->ulps, news, &answer, &t->at);
}

/* A REQ or its answer; whoever refuses the REQ answers it, too. */
static void communication(struct track *t, struct track_view *view, const struct track_mad *m)
{
	bool doubt = track_view_icrc(view).status == IBW_CRC_BAD;
	struct track_cm_news news, sidr = { .message = TRACK_CM_OTHER };

	track_cm_feed(t->cm, &view->pkt, m, t->at.frame, doubt, &news);
	if (news.side == TRACK_CM_SERVER &&
	    (news.message == TRACK_CM_REP || news.message == TRACK_CM_REJ)) {
		t->context.service_id = news.service_id;
		t->context.service = news.service;
	}
	news.rejection.layer = IBW_LAYER_COUNT;
	if (news.message == TRACK_CM_REJ)
		news.rejection = rejection(m, &news);
	if (t->waits)
		track_cm_waits_feed(t->waits, &news, m, &t->at);
	if (t->events) {
		track_cm_load_feed(t->cm_load, &news, &t->at);
		if (!doubt && news.message == TRACK_CM_OTHER)
			track_sidr_feed(t->sidr, &view->pkt, m, &t->at, &sidr);
		track_cm_list_feed(t->cm_list, sidr.message ? &sidr : &news, &t->at);
		if (t->replies && !doubt)
			cm_reply(t, &news);
	}
	if (t->neigh)
		track_neigh_cm(t->neigh, &view->pkt, &news, &t->at);
	if (t->conn)
		track_conn_cm(t->conn, &news, &t->at);
	if (t->events && t->conn && !doubt)
		track_hosts_cm(track_conn_hosts(t->conn), &view->pkt, &news, &t->at);
	if (t->ulps)
		upper(t, &news, m);
}

static void management(struct track *t, struct track_view *view, const struct track_mad *m)
{
	const struct track_transfer *transfer;

	flush(t);
	if (track_mad_is_cm(m))
		communication(t, view, m);
	transfer = track_rmpp_feed(t->rmpp, &view->pkt, m->p, m->n, &t->at);
	if (transfer && transfer->rmpp.state == IBW_TRANSFER_COMPLETE)
		t->context.transfer = transfer;
	if (!t->events || track_view_icrc(view).status == IBW_CRC_BAD)
		return;
	track_fabric_mad(t->fabric, &view->pkt, m, &t->at);
	track_transact_feed(t->transact, &view->pkt, m, transfer, &t->at);
	track_notices_feed(t->notices, &view->pkt, m, &t->at);
	if (track_mad_is_sa(m)) {
		track_mcast_mad(t->mcast, &view->pkt, m, &t->at);
		track_paths_mad(t->paths, &view->pkt, m, &t->at);
		track_neigh_mad(t->neigh, &view->pkt, m, &t->at);
	}
	if (track_mad_is_smp(m))
		track_sm_mad(t->sm, m, &t->at);
}

/* IPoIB of connected mode has all of a datagram in one packet. */
static bool is_send_only(const struct ibw_packet *pkt)
{
	return pkt->opcode == IBW_OP_RC_SEND_ONLY || pkt->opcode == IBW_OP_UC_SEND_ONLY;
}

/* A packet of a connection, if REQ and REP set it up. */
static void connected(struct track *t, const struct ibw_packet *pkt)
{
	const struct track_cm_said *said;
	struct track_flow flow;

	if (pkt->eths & IBW_ETH_DETH || (!t->senders && !is_send_only(pkt)) ||
	    !track_flow_gids_of(pkt, &flow))
		return;
	said = track_cm_ask(t->cm, &flow);
	if (!said)
		return;
	t->context.ipoib = said->ipoib && is_send_only(pkt);
	if (t->senders && said->rep_frame && said->sqpn != TRACK_CM_NO_QPN) {
		t->context.sender.frame = said->rep_frame;
		t->context.sender.qpn = said->sqpn;
	}
}

/* ARP says which queue pairs are of IPoIB; a datagram to one may begin as none of IPoIB does. */
static void named(struct track *t, struct track_view *view)
{
	const struct ibw_packet *ip = track_view_ipoib(view);

	if (ip && IBW_AT(ip, arp_ipoib) && track_view_icrc(view).status != IBW_CRC_BAD)
		track_named_ipoib(t->named, &view->pkt, ip);
	else if (!ip && track_named_is(t->named, &view->pkt))
		t->context.ipoib = track_view_icrc(view).status != IBW_CRC_BAD;
}

static void payload(struct track *t, struct track_view *view)
{
	const struct track_mad *m = track_view_mad(view);

	t->context = nothing;
	if (m)
		management(t, view, m);
	else if (view->pkt.eths & IBW_ETH_DETH && view->pkt.lrh != IBW_NO_SPAN)
		named(t, view);
	else
		connected(t, &view->pkt);
	track_apply(view, &t->context);
}

/* The summary of a packet, if it is of a connection. */
static inline bool sum_up(struct track_conn *c, const struct track_view *view,
			  const struct track_at *at, bool bad)
{
	struct track_packet *next = track_conn_next(c);

	return view->plain ? track_packet_of_plain(next, &view->pkt, at, bad)
			   : track_packet_of(next, &view->pkt, at, bad);
}

/* A packet with a BTH. With bit errors it may be of any connection: it begins none. */
static inline void transport(struct track *t, struct track_view *view, uint32_t iface)
{
	bool bad = track_view_icrc(view).status == IBW_CRC_BAD;

	if (t->ulps && track_ulps_looks_at(t->ulp_opcodes, view->pkt.opcode) && !bad)
		t->upper = track_ulps_packet(t->ulps, &view->pkt, &t->at);
	if (t->conn && sum_up(t->conn, view, &t->at, bad)) {
		if (G_UNLIKELY(t->pause_links))
			track_pause_links_packet(t->pause_links, track_conn_next(t->conn),
						 &view->pkt, iface);
		track_conn_feed(t->conn);
	} else if (t->conn &&
		   track_packet_of_vendor(track_conn_next(t->conn), &view->pkt, &t->at)) {
		track_conn_feed(t->conn);
	}
	if (t->icrcs)
		track_icrcs_feed(t->icrcs, view, &t->at);
}

/* Groups have a GRH: a multicast DLID alone names none. */
static bool is_to_group(const struct ibw_packet *pkt)
{
	return pkt->eths & IBW_ETH_DETH && pkt->net != IBW_NO_SPAN &&
	       ibw_bth_dqpn(IBW_KNOWN(pkt, bth)) == IBW_QPN_MULTICAST;
}

/* What was worked out of this packet; one without a BTH has none. */
static inline bool has_bad_icrc(const struct track_view *view)
{
	return view->has_icrc && view->icrc.status == IBW_CRC_BAD;
}

static void native(struct track *t, struct track_view *view, uint32_t iface)
{
	const struct ibw_packet *ip;

	track_vls_feed(t->vls, view, iface, &t->at);
	if (is_to_group(&view->pkt) && !has_bad_icrc(view))
		track_mcast_data(t->mcast, &view->pkt, &t->at);
	if (view->pkt.bth != IBW_NO_SPAN && !has_bad_icrc(view))
		track_paths_data(t->paths, &view->pkt, &t->at);
	if (G_UNLIKELY(track_fabric_moved(t->fabric)) && !has_bad_icrc(view))
		track_fabric_packet(t->fabric, &view->pkt, &t->at);
	ip = view->pkt.eths & IBW_ETH_DETH ? track_view_ipoib(view) : NULL;
	if (ip && !has_bad_icrc(view))
		track_neigh_ipoib(t->neigh, &view->pkt, ip, &t->at);
}

/* RoCE has no SA: hosts tell routers and switches what they want. */
static void ethernet(struct track *t, struct track_view *view, uint32_t iface)
{
	if (view->pkt.proto == IBW_PROTO_ARP)
		track_macs_arp(t->macs, &view->pkt, iface, &t->at);
	else if (!has_bad_icrc(view))
		track_macs_feed(t->macs, &view->pkt, iface, &t->at);
	if (track_iwarp_is_tcp(&view->pkt)) {
		if (track_smc_may_be(&view->pkt))
			track_smc_packet(t->events, &view->pkt, &t->at);
		if (track_iwarp_may_be(t->iwarp, &view->pkt))
			track_iwarp_packet(t->iwarp, &view->pkt, &t->at);
		return;
	}
	if (view->pkt.bth == IBW_NO_SPAN)
		track_igmp_packet(t->igmp, &view->pkt, t->at.frame);
	else if (view->pkt.eths & IBW_ETH_DETH && !has_bad_icrc(view))
		track_igmp_data(t->igmp, &view->pkt, t->at.frame);
}

/* Datagrams of the CM are few, and say what hosts talk to each other by. */
static void datagram(struct track *t, struct track_view *view)
{
	track_conn_datagram(t->conn, view, &t->at);
	if (ibw_bth_dqpn(IBW_KNOWN(&view->pkt, bth)) != IBW_QPN_GSI)
		return;
	track_hosts_datagram(track_conn_hosts(t->conn), view, &t->at);
	track_cc_datagram(track_conn_cc(t->conn), view);
}

/* Packets of the capture that no connection has. */
static void others(struct track *t, const struct ibw_packet *pkt, const struct track_frame *frame)
{
	if (pkt->proto == IBW_PROTO_PAUSE) {
		track_pauses_feed(t->pauses, pkt, frame->iface, t->speed, &t->at);
		if (!t->pause_links)
			t->pause_links = track_pause_links_new();
		track_pause_links_feed(t->pause_links, pkt, frame->iface, t->speed, t->at.time_ns);
	} else if (pkt->len >= TRACK_JUMBO_MIN && pkt->eth != IBW_NO_SPAN && t->conn) {
		track_hosts_jumbo(track_conn_hosts(t->conn), pkt->len, t->at.frame);
	}
}

/* A packet of a connection over Ethernet, of whose headers nearly nothing is to be looked at. */
static inline void plain_headers(struct track *t, const struct track_view *view,
				 const struct track_frame *frame)
{
	if (!has_bad_icrc(view))
		track_macs_plain(t->macs, &view->pkt, frame->iface, &t->at);
	if (view->pkt.len >= TRACK_JUMBO_MIN)
		others(t, &view->pkt, frame);
}

/* What is no matter of a connection. */
static inline void headers(struct track *t, struct track_view *view,
			   const struct track_frame *frame)
{
	if (view->plain && !(view->pkt.eths & IBW_ETH_DETH)) {
		plain_headers(t, view, frame);
		return;
	}
	if (view->pkt.eths & IBW_ETH_DETH && !has_bad_icrc(view)) {
		if (t->conn)
			datagram(t, view);
		track_sidr_data(t->sidr, &view->pkt, &t->at);
	}
	if (view->pkt.proto == IBW_PROTO_IPOIB)
		track_neigh_plain(t->neigh, &view->pkt, &t->at);
	if (view->pkt.lrh != IBW_NO_SPAN)
		native(t, view, frame->iface);
	else
		ethernet(t, view, frame->iface);
	if (view->pkt.proto == IBW_PROTO_PAUSE || view->pkt.len >= TRACK_JUMBO_MIN)
		others(t, &view->pkt, frame);
	if (view->pkt.flags & IBW_PKT_TUNNEL)
		track_mirrors_feed(t->mirrors, &view->pkt, &t->at);
}

static void tick(struct track *t)
{
	t->tick_ns = t->at.time_ns + TICK_NS;
	flush(t);
	track_rmpp_tick(t->rmpp, &t->at);
	if (t->waits)
		track_cm_waits_tick(t->waits, &t->at);
	if (t->transact)
		track_transact_tick(t->transact, &t->at);
}

/* What is whole of the streams of iWARP with this packet; false: nothing is. */
static bool fpdus(struct track *t, const struct ibw_packet *pkt)
{
	if (!track_iwarp_is_tcp(pkt) || !track_iwarp_may_be(t->iwarp, pkt))
		return false;
	track_iwarp_packet(t->iwarp, pkt, &t->at);
	t->context = nothing;
	t->context.fpdus = track_iwarp_fpdus(t->iwarp, &t->context.n_fpdus);
	return t->context.n_fpdus != 0;
}

/* The packet at hand, and the clock. */
static void step(struct track *t, const struct ibw_packet *pkt, const struct track_frame *frame)
{
	bool back = frame->time_ns < t->latest_ns;

	t->at.frame = frame->number;
	t->at.time_ns = frame->time_ns;
	t->at.doubt =
		(uint16_t)((pkt->caplen < pkt->len || pkt->flags & IBW_PKT_BEYOND ? TRACK_DOUBT_CUT
										  : 0) |
			   (back ? TRACK_DOUBT_CLOCK : 0));
	if (!back)
		t->latest_ns = frame->time_ns;
	if (frame->time_ns >= t->tick_ns)
		tick(t);
}

/* There is something to say of datagrams, and of packets the CM said something of. */
static bool is_of_interest(const struct track *t, const struct ibw_packet *pkt)
{
	return pkt->eths & IBW_ETH_DETH || track_cm_any_ipoib(t->cm) ||
	       (t->senders && track_cm_any(t->cm));
}

const struct track_context *track_packet(struct track *t, struct track_view *view,
					 const struct track_frame *frame)
{
	step(t, &view->pkt, frame);
	if (view->pkt.proto == IBW_PROTO_PAUSE && track_streams(t)) {
		track_timeline_pause(track_streams(t), frame->time_ns);
		track_wait_pause(track_streams(t), &view->pkt, frame->iface, t->speed,
				 frame->time_ns);
	}
	t->upper.ulp = IBW_ULP_NONE;
	t->upper.n_of = 0;
	if (view->pkt.bth != IBW_NO_SPAN && (t->conn || t->ulps))
		transport(t, view, frame->iface);
	if (t->events)
		headers(t, view, frame);
	else if (t->iwarp && fpdus(t, &view->pkt)) /* without events only FPDUs are wanted of it */
		return &t->context;
	if (!is_of_interest(t, &view->pkt) && t->upper.ulp == IBW_ULP_NONE && !t->upper.n_of)
		return &nothing;
	payload(t, view);
	t->context.upper = t->upper;
	return &t->context;
}

struct track_icrc_run track_icrc_run_of(const struct track *t, uint64_t frame)
{
	const struct track_icrc_run none = { 0 };

	return t->icrcs ? track_icrcs_run_of(t->icrcs, frame) : none;
}

void track_tick(struct track *t, uint64_t now_ns)
{
	flush(t);
	if (track_streams(t))
		track_qps_tick(track_streams(t), now_ns);
}

static bool finish(struct track *t)
{
	if (t->conn && track_conn_streams(t->conn))
		track_qps_left_out(track_conn_streams(t->conn), t->left_out);
	if (t->conn && !track_conn_finish(t->conn, &t->at))
		return true;
	return !track_rmpp_finish(t->rmpp, &t->at) || (t->icrcs && !track_icrcs_finish(t->icrcs)) ||
	       (t->waits && !track_cm_waits_finish(t->waits, &t->at)) ||
	       (t->mcast && !track_mcast_finish(t->mcast, &t->at)) ||
	       (t->iwarp && !track_iwarp_finish(t->iwarp, &t->at)) ||
	       (t->paths && !track_paths_finish(t->paths, &t->at)) ||
	       (t->neigh && !track_neigh_finish(t->neigh, &t->at)) ||
	       (t->transact && !track_transact_finish(t->transact, &t->at)) ||
	       (t->notices && !track_notices_finish(t->notices)) ||
	       (t->fabric && !track_fabric_finish(t->fabric)) ||
	       (t->pauses && !track_pauses_finish(t->pauses, &t->at)) ||
	       (t->macs && !track_macs_finish(t->macs)) ||
	       (t->ulps && !track_ulps_finish(t->ulps, t->conn, &t->at));
}

/* What went wrong in conversations of the CM, and with requests of MADs, after what went wrong on connections. */
static void tell_of_managers(struct track *t)
{
	struct track_qps *streams = track_streams(t);

	if (!streams || !t->cm_list)
		return;
	track_incidents_of_cm(streams, t->cm_list);
	track_incidents_of_mads(streams, track_transact_asked(t->transact));
	track_incidents_of_transfers(streams, track_rmpp_finish_troubles(t->rmpp));
	track_incidents_of_congestion(streams);
	track_incidents_of_stalls(streams, t->iwarp ? t->iwarp->stalls : NULL);
}

bool track_finish(struct track *t)
{
	if (finish(t))
		return true;
	tell_of_managers(t);
	return false;
}

/* The half that packets of @flow go to by now; NULL: none is remembered. */
static const struct track_half *half_of(const struct track *t, const struct track_flow *flow)
{
	flush(t);
	return t->conn ? track_conn_half(t->conn, flow) : NULL;
}

/* NULL, too, if streams are not wanted. */
static const struct track_half *stream_of(const struct track *t, const struct track_flow *flow)
{
	const struct track_half *h = half_of(t, flow);

	return h && track_conn_streams(t->conn) ? h : NULL;
}

bool track_connection_rank(const struct track *t, const struct track_flow *flow, uint32_t *rank)
{
	const struct track_half *h = stream_of(t, flow);

	return h && track_conn_rank(t->conn, h, rank);
}

bool track_connection_serial(const struct track *t, const struct track_flow *flow, uint64_t *serial)
{
	const struct track_half *h = stream_of(t, flow);
	const struct track_qp *qp = h ? track_conn_qp(t->conn, h) : NULL;

	if (qp)
		*serial = qp->serial;
	return qp != NULL;
}

uint64_t track_connection_service(const struct track *t, const struct track_flow *flow)
{
	const struct track_half *h = half_of(t, flow);

	return h ? track_conn_service(h) : 0;
}

uint64_t track_connection_cm_frame(const struct track *t, const struct track_flow *flow)
{
	const struct track_half *h = half_of(t, flow);

	return h ? track_conn_cm_frame(h) : 0;
}

uint32_t track_connection_depth(const struct track *t, const struct track_flow *flow)
{
	const struct track_half *h = half_of(t, flow);

	return h ? track_conn_depth(h) : TRACK_NO_DEPTH;
}

bool track_place_of(const struct track *t, const struct track_flow *flow, struct track_place *place)
{
	flush(t);
	return t->conn && track_conn_place(t->conn, flow, place);
}

uint64_t track_connection_number(const struct track *t, const struct track_flow *flow)
{
	const struct track_half *h = half_of(t, flow);

	return h ? track_conn_first_frame(t->conn, h) : 0;
}
