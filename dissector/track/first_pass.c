/* SPDX-License-Identifier: GPL-2.0-or-later */
/* first_pass.c - a packet on its way through all trackers; in which order, trackers.def says. */
#include "track_impl.h"
#include "track/view/plain.h"
#include "track/measure/timeline_impl.h"
#include "track/measure/waited_impl.h"

/* Trackers look after what they wait for, in capture time. */
#define TICK_NS 1000000000u

static const struct track_context nothing;

const struct track_context *track_context_none(void)
{
	return &nothing;
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
	const struct ibw_packet *pkt = &view->pkt;
	const struct track_at *at = &t->at;
	const bool doubt = track_view_icrc(view).status == IBW_CRC_BAD;
	struct track_cm_news said, *news = &said;
	struct track_cm_news no_sidr = { .message = TRACK_CM_OTHER }, *sidr = &no_sidr;

	track_cm_feed(t->cm, pkt, m, at->frame, doubt, news);
	if (news->side == TRACK_CM_SERVER &&
	    (news->message == TRACK_CM_REP || news->message == TRACK_CM_REJ)) {
		t->context.service_id = news->service_id;
		t->context.service = news->service;
	}
	news->rejection.layer = IBW_LAYER_COUNT;
	if (news->message == TRACK_CM_REJ)
		news->rejection = rejection(m, news);
#define CM(name, which, call)                                                                      \
	if (t->name && (which))                                                                    \
		call;
#include "trackers.def"
}

static void management(struct track *t, struct track_view *view, const struct track_mad *m)
{
	const struct track_transfer *transfer;
	const struct ibw_packet *pkt = &view->pkt;
	const struct track_at *at = &t->at;

	track_flush(t);
	if (track_mad_is_cm(m))
		communication(t, view, m);
	transfer = track_rmpp_feed(t->rmpp, pkt, m->p, m->n, at);
	if (transfer && transfer->rmpp.state == IBW_TRANSFER_COMPLETE)
		t->context.transfer = transfer;
	if (!t->events || track_view_icrc(view).status == IBW_CRC_BAD)
		return;
#define MAD(which, call)                                                                           \
	if (which)                                                                                 \
		call;
#include "trackers.def"
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

/* Datagrams of the CM are few, and say what hosts talk to each other by. */
static bool is_of_cm(const struct ibw_packet *pkt)
{
	return ibw_bth_dqpn(IBW_KNOWN(pkt, bth)) == IBW_QPN_GSI;
}

static inline bool is_jumbo(const struct ibw_packet *pkt)
{
	return pkt->len >= TRACK_JUMBO_MIN && pkt->eth != IBW_NO_SPAN &&
	       pkt->proto != IBW_PROTO_PAUSE;
}

static void pause_link(struct track *t, const struct ibw_packet *pkt,
		       const struct track_frame *frame)
{
	if (!t->pause_links)
		t->pause_links = track_pause_links_new();
	track_pause_links_feed(t->pause_links, pkt, frame->iface, t->speed, t->at.time_ns);
}

#define ROW(which, call)                                                                           \
	if (which)                                                                                 \
		call;

static void datagram(struct track *t, struct track_view *view)
{
	const struct ibw_packet *pkt = &view->pkt;
	const struct track_at *at = &t->at;

#define DATAGRAM ROW
#include "trackers.def"
}

static void native(struct track *t, struct track_view *view, const struct track_frame *frame)
{
	const struct ibw_packet *pkt = &view->pkt;
	const struct track_at *at = &t->at;
	const bool sound = !has_bad_icrc(view);
	const struct ibw_packet *ipoib = pkt->eths & IBW_ETH_DETH ? track_view_ipoib(view) : NULL;

#define NATIVE ROW
#include "trackers.def"
}

static void ethernet(struct track *t, const struct track_view *view,
		     const struct track_frame *frame)
{
	const struct ibw_packet *pkt = &view->pkt;
	const struct track_at *at = &t->at;
	const bool sound = !has_bad_icrc(view), is_tcp = track_iwarp_is_tcp(pkt);

#define ETHERNET ROW
#include "trackers.def"
}

static void others(struct track *t, const struct ibw_packet *pkt, const struct track_frame *frame)
{
	const struct track_at *at = &t->at;

#define OTHER ROW
#include "trackers.def"
}

/* A packet of a connection over Ethernet, of whose headers nearly nothing is to be looked at. */
static inline void plain_headers(struct track *t, const struct track_view *view,
				 const struct track_frame *frame)
{
	if (!has_bad_icrc(view))
		track_macs_feed(t->macs, &view->pkt, frame->iface, &t->at);
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
	if (view->pkt.eths & IBW_ETH_DETH && !has_bad_icrc(view))
		datagram(t, view);
	if (view->pkt.lrh != IBW_NO_SPAN)
		native(t, view, frame);
	else
		ethernet(t, view, frame);
	others(t, &view->pkt, frame);
}

static void tick(struct track *t)
{
	const struct track_at *at = &t->at;

	t->tick_ns = t->at.time_ns + TICK_NS;
	track_flush(t);
#define TICK(name, call)                                                                           \
	if (t->name)                                                                               \
		call;
#include "trackers.def"
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

/* The current packet, with a doubt of its own, and the clock. */
static inline void step(struct track *t, uint16_t doubt, const struct track_frame *frame)
{
	bool back = frame->time_ns < t->latest_ns;

	t->at.frame = frame->number;
	t->at.time_ns = frame->time_ns;
	t->at.doubt = (uint16_t)(doubt | (back ? TRACK_DOUBT_CLOCK : 0));
	if (!back)
		t->latest_ns = frame->time_ns;
	if (frame->time_ns >= t->tick_ns)
		tick(t);
}

static uint16_t doubt_of(const struct ibw_packet *pkt)
{
	return pkt->caplen < pkt->len || pkt->flags & IBW_PKT_BEYOND ? TRACK_DOUBT_CUT : 0;
}

/* There is something to say of datagrams, and of packets the CM said something of. */
static bool is_of_interest(const struct track *t, const struct ibw_packet *pkt)
{
	return pkt->eths & IBW_ETH_DETH || track_cm_any_ipoib(t->cm) ||
	       (t->senders && track_cm_any(t->cm));
}

const struct track_context *track_feed(struct track *t, struct track_view *view,
				       const struct track_frame *frame)
{
	step(t, doubt_of(&view->pkt), frame);
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

static inline bool is_for_ulps(const struct track *t, const struct track_plain *plain)
{
	return t->ulps && track_ulps_looks_at(t->ulp_opcodes, plain->packet.opcode) &&
	       !track_ulps_begins_nothing(t->ulps, plain->payload_len);
}

/* Nobody asks for more than the summary of @plain, but for its MACs. */
static inline bool is_enough(const struct track *t, const struct track_plain *plain)
{
	return t->conn && !t->pause_links && !(t->icrcs && track_icrcs_wants_right(t->icrcs)) &&
	       !is_for_ulps(t, plain) && plain->packet.wire_len < TRACK_JUMBO_MIN &&
	       !track_cm_any_ipoib(t->cm) && !(t->senders && track_cm_any(t->cm));
}

bool track_feed_plain(struct track *t, const struct track_plain *plain,
		      const struct track_frame *frame)
{
	struct track_packet *next;

	if (!is_enough(t, plain))
		return false;
	step(t, 0, frame);
	next = track_conn_next(t->conn);
	*next = plain->packet;
	next->at = t->at;
	track_conn_feed(t->conn);
	if (t->events)
		track_macs_plain(t->macs, plain->data, plain->packet.wire_len, frame->iface,
				 &t->at);
	return true;
}
