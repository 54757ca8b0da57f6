/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * links.c - which packet answers which, both ways: ACKs and requests, READs and atomics and their responses.
 *
 * The trackers say so when the answer comes. Each of the two frames has the number of the other one in its
 * record, the answer also the time. What a later frame answers is known once that was read.
 */
#include <ibwire/ibwire.h>

#include "links.h"
#include "cnp.h"
#include "conn.h"
#include "wireshark/packet/frame.h"
#include "wireshark/base/hf.h"
#include "wireshark/base/proto.h"
#include "stream.h"
#include "track/stream/qps.h"
#include "track/track.h"
#include "track/way/qp.h"

#define NS_UNKNOWN ((1ull << 44) - 1)

static int hf_credits, hf_no_credit, hf_acks_in, hf_ack_rtt, hf_acked, hf_acked_in, hf_read_request,
	hf_read_first, hf_read_last, hf_read_time, hf_atomic_request, hf_atomic_response,
	hf_atomic_time, hf_mad_request, hf_mad_response, hf_mad_time, hf_mad_retry;

#define FRAME(hf, label, name, how, blurb)                                                         \
	{                                                                                          \
		&(hf),                                                                             \
		{                                                                                  \
			label, name, FT_FRAMENUM, BASE_NONE, FRAMENUM_TYPE(how), 0, blurb, HFILL   \
		}                                                                                  \
	}
#define TIME(hf, label, name, blurb)                                                               \
	{                                                                                          \
		&(hf),                                                                             \
		{                                                                                  \
			label, name, FT_RELATIVE_TIME, BASE_NONE, NULL, 0, blurb, HFILL            \
		}                                                                                  \
	}

void iw_links_register(void)
{
	static hf_register_info rows[] = {
		FRAME(hf_acks_in, "ACK of the request in", "ibwire.ack.acks_in", FT_FRAMENUM_ACK,
		      "The last request that it is the first to acknowledge"),
		TIME(hf_ack_rtt, "Time to the ACK", "ibwire.ack.ack_rtt",
		     "From that request; not if it was sent more than once"),
		{ &hf_credits,
		  { "Credits", "ibwire.ack.credits", FT_UINT32, BASE_DEC, NULL, 0,
		    "Receives posted at the other end, as an ACK says that counts them", HFILL } },
		{ &hf_no_credit,
		  { "No credit", "ibwire.analysis.no_credit", FT_NONE, BASE_NONE, NULL, 0,
		    "It says that no receive is posted at the other end: a SEND may have to wait",
		    HFILL } },
		{ &hf_acked,
		  { "Requests acknowledged", "ibwire.ack.acked", FT_UINT32, BASE_DEC, NULL, 0,
		    "Request packets that it is the first to acknowledge", HFILL } },
		FRAME(hf_acked_in, "Acknowledged in", "ibwire.ack.acked_in", FT_FRAMENUM_ACK,
		      "The first packet that says it came: an ACK, a NAK of a later one, a "
		      "response"),
		FRAME(hf_read_request, "READ Request in", "ibwire.read.request_in",
		      FT_FRAMENUM_REQUEST, "What it responds to"),
		FRAME(hf_read_first, "First response in", "ibwire.read.response_first_in",
		      FT_FRAMENUM_RESPONSE, "To this READ Request"),
		FRAME(hf_read_last, "Last response in", "ibwire.read.response_last_in",
		      FT_FRAMENUM_RESPONSE, "To this READ Request"),
		TIME(hf_read_time, "Time from the READ Request", "ibwire.read.time",
		     "Not if that was sent more than once"),
		FRAME(hf_atomic_request, "Atomic request in", "ibwire.atomic.request_in",
		      FT_FRAMENUM_REQUEST, "What it responds to"),
		FRAME(hf_atomic_response, "Response in", "ibwire.atomic.response_in",
		      FT_FRAMENUM_RESPONSE, "To this request"),
		TIME(hf_atomic_time, "Time from the request", "ibwire.atomic.time",
		     "Not if that was sent more than once"),
		FRAME(hf_mad_request, "Request in", "ibwire.mad.request_in", FT_FRAMENUM_REQUEST,
		      "Which this MAD responds to: its first copy"),
		FRAME(hf_mad_response, "Response in", "ibwire.mad.response_in",
		      FT_FRAMENUM_RESPONSE, "To this MAD; of several segments the last"),
		TIME(hf_mad_time, "Time from the request", "ibwire.mad.time",
		     "From its first copy"),
		FRAME(hf_mad_retry, "Retry of", "ibwire.mad.retry_of", FT_FRAMENUM_RETRANS_PREV,
		      "The first copy of this request"),
	};

	proto_register_field_array(iw_proto, rows, array_length(rows));
}

/* The first pass */

void iw_link_set_ns(struct iw_link *link, uint64_t ns)
{
	ns = MIN(ns, NS_UNKNOWN);
	link->ns_low = (uint32_t)ns;
	link->ns_high = ns >> 32 & 0xfff;
}

static bool is_ack(uint8_t opcode)
{
	return TRACK_OPERATION(opcode) == IBW_OP_RC_ACKNOWLEDGE;
}

/* A NAK waits for the packet after what is missing. */
static bool is_refusal(const struct track_reply *l)
{
	return is_ack(l->opcode) && IBW_AETH_TYPE(l->syndrome) != IBW_AETH_TYPE_ACK;
}

static void add_rtt(const struct track_reply *l)
{
	if (l->ns != TRACK_NO_TIME && !is_refusal(l))
		iw_stream_took((uint32_t)l->answer, l->ns);
}

static void add_ack(struct iw_link *request, struct iw_link *answer, const struct track_reply *l)
{
	request->frame = (uint32_t)l->answer;
	if (!answer || !is_ack(l->opcode))
		return;
	add_rtt(l);
	answer->frame = (uint32_t)l->request;
	iw_link_set_ns(answer, l->ns);
	if (answer->acked < IW_LINK_ACKED_MAX)
		answer->acked++;
}

static void add_response(struct iw_link *request, struct iw_link *answer,
			 const struct track_reply *l)
{
	if (l->verb == TRACK_VERB_READ && !request->has_first) {
		request->has_first = true;
		request->first = (uint32_t)l->answer;
	}
	request->frame = (uint32_t)l->answer;
	if (!answer)
		return;
	add_rtt(l);
	answer->frame = (uint32_t)l->request;
	iw_link_set_ns(answer, l->ns);
}

/* What a MAD has in the place of requests it acknowledges; above it, if it answers one, the method of that. */
enum mad_mark { MAD_ANSWERS, MAD_RETRY, MAD_CM_CLIENT, MAD_CM_SERVER };

#define MAD_MARK_BITS 2

static enum mad_mark mark_of(const struct iw_link *mad)
{
	return (enum mad_mark)(mad->acked & ((1u << MAD_MARK_BITS) - 1));
}

static void add_mad(struct iw_link *request, struct iw_link *answer, const struct track_reply *l)
{
	request->frame = (uint32_t)l->answer;
	if (!answer)
		return;
	answer->frame = (uint32_t)l->request;
	iw_link_set_ns(answer, l->ns);
	answer->acked = MAD_ANSWERS | (uint32_t)l->opcode << MAD_MARK_BITS;
}

static void add_mark(struct iw_link *mad, const struct track_reply *l, enum mad_mark mark)
{
	if (!mad)
		return;
	mad->frame = (uint32_t)l->request;
	iw_link_set_ns(mad, NS_UNKNOWN);
	mad->acked = mark;
}

static void add_cnp(struct iw_link *cnp, const struct track_reply *l)
{
	if (!cnp)
		return;
	cnp->frame = (uint32_t)l->request;
	iw_link_set_ns(cnp, l->ns);
	cnp->acked = MIN(l->count, IW_LINK_ACKED_MAX);
}

void iw_links_add(const struct track_reply *l)
{
	struct iw_link *answer, *request;

	if (l->kind >= TRACK_REPLY_BEGINS)
		return;
	/* In this order: the one that may be made moves the others. */
	if (!iw_stream_make_link((uint32_t)MAX(l->request, l->answer)))
		return;
	if (l->kind == TRACK_REPLY_CM)
		iw_conn_add(l);
	request = iw_stream_make_link((uint32_t)l->request);
	answer = iw_stream_make_link((uint32_t)l->answer);
	if (!request)
		return;
	switch ((enum track_reply_kind)l->kind) {
	case TRACK_REPLY_ACK:
		add_ack(request, answer, l);
		break;
	case TRACK_REPLY_RESPONSE:
		add_response(request, answer, l);
		break;
	case TRACK_REPLY_MAD:
		add_mad(request, answer, l);
		break;
	case TRACK_REPLY_RETRY:
		add_mark(answer, l, MAD_RETRY);
		break;
	case TRACK_REPLY_CM:
		add_mark(answer, l, l->side == TRACK_CM_CLIENT ? MAD_CM_CLIENT : MAD_CM_SERVER);
		break;
	case TRACK_REPLY_CNP:
		add_cnp(answer, l);
		break;
	case TRACK_REPLY_BEGINS:
	case TRACK_REPLY_GOES_ON:
	case TRACK_REPLY_REPEATS:
	case TRACK_REPLY_NOTE:
	case TRACK_REPLY_NOTED:
		break;
	}
}

bool iw_link_ns(const struct iw_link *link, uint64_t *ns)
{
	*ns = (uint64_t)link->ns_high << 32 | link->ns_low;
	return *ns != NS_UNKNOWN;
}

bool iw_links_ack(const struct iw_frame *frame, uint32_t number, uint32_t *request, uint64_t *ns)
{
	const struct iw_link *link = iw_stream_link(number);

	if (frame->view.pkt.bth == IBW_NO_SPAN || !is_ack(frame->view.pkt.opcode) || !link ||
	    !link->frame)
		return false;
	*request = link->frame;
	return iw_link_ns(link, ns);
}

bool iw_links_mad(const struct iw_frame *frame, uint32_t number, uint8_t *method, uint64_t *ns)
{
	const struct iw_link *link = iw_stream_link(number);

	if (!(frame->view.pkt.eths & IBW_ETH_DETH) || !link || !link->frame ||
	    link->frame > number || mark_of(link) != MAD_ANSWERS)
		return false;
	*method = (uint8_t)(link->acked >> MAD_MARK_BITS);
	return iw_link_ns(link, ns);
}

bool iw_links_took(const struct iw_frame *frame, uint32_t number, uint64_t *ns)
{
	const struct ibw_packet *pkt = &frame->view.pkt;
	const struct iw_link *link = iw_stream_link(number);

	if (pkt->bth == IBW_NO_SPAN || !link || !link->frame || link->frame > number ||
	    (pkt->opcode & IBW_SERVICE_MASK) == IBW_SERVICE_CNP)
		return false;
	if (pkt->eths & IBW_ETH_DETH)
		return mark_of(link) == MAD_ANSWERS && iw_link_ns(link, ns);
	return !(ibw_opcodes[pkt->opcode].flags & IBW_OPF_REQUEST) && iw_link_ns(link, ns);
}

/* Trees */

static void add_frame(proto_tree *tree, tvbuff_t *tvb, int hf, uint32_t frame)
{
	if (frame)
		proto_item_set_generated(proto_tree_add_uint(tree, hf, tvb, 0, 0, frame));
}

void iw_link_add_ns(proto_tree *tree, tvbuff_t *tvb, int hf, const struct iw_link *link)
{
	uint64_t ns;

	if (iw_link_ns(link, &ns))
		iw_add_ns(tree, tvb, hf, ns);
}

static void add_acks(proto_tree *tree, tvbuff_t *tvb, const struct iw_link *link)
{
	add_frame(tree, tvb, hf_acks_in, link->frame);
	iw_link_add_ns(tree, tvb, hf_ack_rtt, link);
	proto_item_set_generated(proto_tree_add_uint(tree, hf_acked, tvb, 0, 0, link->acked));
}

static void add_read(proto_tree *tree, tvbuff_t *tvb, const struct iw_link *link)
{
	if (!link->has_first) /* its PSN was another request's, and that is what was answered */
		return;
	add_frame(tree, tvb, hf_read_first, link->first);
	add_frame(tree, tvb, hf_read_last, link->frame);
}

static void add_responses(proto_tree *tree, tvbuff_t *tvb, const struct iw_link *link)
{
	add_frame(tree, tvb, hf_read_request, link->frame);
	iw_link_add_ns(tree, tvb, hf_read_time, link);
}

static void add_atomic(proto_tree *tree, tvbuff_t *tvb, const struct iw_link *link)
{
	add_frame(tree, tvb, hf_atomic_request, link->frame);
	iw_link_add_ns(tree, tvb, hf_atomic_time, link);
}

static void add_mads(proto_tree *tree, tvbuff_t *tvb, const struct iw_link *link, uint32_t frame)
{
	if (link->frame > frame) {
		add_frame(tree, tvb, hf_mad_response, link->frame);
	} else if (mark_of(link) == MAD_RETRY) {
		add_frame(tree, tvb, hf_mad_retry, link->frame);
	} else {
		add_frame(tree, tvb, hf_mad_request, link->frame);
		iw_link_add_ns(tree, tvb, hf_mad_time, link);
	}
}

static void add_transport(proto_tree *tree, const struct iw_frame *frame,
			  const struct iw_link *link)
{
	switch (TRACK_OPERATION(frame->view.pkt.opcode)) {
	case IBW_OP_RC_ACKNOWLEDGE:
		add_acks(tree, frame->tvb, link);
		break;
	case IBW_OP_RC_RDMA_READ_REQUEST:
		add_read(tree, frame->tvb, link);
		break;
	case IBW_OP_RC_RDMA_READ_RESPONSE_FIRST:
	case IBW_OP_RC_RDMA_READ_RESPONSE_MIDDLE:
	case IBW_OP_RC_RDMA_READ_RESPONSE_LAST:
	case IBW_OP_RC_RDMA_READ_RESPONSE_ONLY:
		add_responses(tree, frame->tvb, link);
		break;
	case IBW_OP_RC_ATOMIC_ACKNOWLEDGE:
		add_atomic(tree, frame->tvb, link);
		break;
	case IBW_OP_RC_COMPARE_SWAP:
	case IBW_OP_RC_FETCH_ADD:
		add_frame(tree, frame->tvb, hf_atomic_response, link->frame);
		break;
	default:
		add_frame(tree, frame->tvb, hf_acked_in, link->frame);
		break;
	}
}

static bool is_cm(const struct iw_link *mad)
{
	return mark_of(mad) == MAD_CM_CLIENT || mark_of(mad) == MAD_CM_SERVER;
}

/* Of a connection that the CM set up the client is end a. */
static void add_conn(proto_tree *tree, packet_info *pinfo, const struct iw_frame *frame)
{
	enum track_way way;

	if (iw_stream_way(pinfo->num, &way))
		iw_conn_tree(tree, pinfo, frame, iw_stream_cm(pinfo->num),
			     way == TRACK_A_TO_B ? TRACK_CM_CLIENT : TRACK_CM_SERVER);
}

/* What a responder that counts credits has left for SENDs. */
static void add_credits(proto_tree *tree, const struct iw_frame *frame)
{
	const struct ibw_aeth_wire *aeth = IBW_AT(&frame->view.pkt, aeth);
	uint8_t syndrome = aeth ? ibw_aeth_syndrome(aeth) : IBW_CREDIT_NONE;

	if (IBW_AETH_TYPE(syndrome) != IBW_AETH_TYPE_ACK ||
	    IBW_AETH_VALUE(syndrome) > IBW_CREDIT_MAX)
		return;
	iw_add_generated(tree, frame->tvb, hf_credits, ibw_credits(IBW_AETH_VALUE(syndrome)));
	if (ibw_credits(IBW_AETH_VALUE(syndrome)) == 0)
		proto_item_set_generated(
			proto_tree_add_item(tree, hf_no_credit, frame->tvb, 0, 0, ENC_NA));
}

/* NULL: no packet that has one. */
static const struct iw_link *link_of(packet_info *pinfo, const struct iw_frame *frame)
{
	return frame->whole && frame->view.pkt.bth != IBW_NO_SPAN ? iw_stream_link(pinfo->num)
								  : NULL;
}

void iw_links_conn(proto_tree *tree, packet_info *pinfo, const struct iw_frame *frame)
{
	const struct iw_link *link = link_of(pinfo, frame);

	if (!link)
		return;
	if (!(frame->view.pkt.eths & IBW_ETH_DETH))
		add_conn(tree, pinfo, frame);
	else if (link->frame && is_cm(link))
		iw_conn_tree(tree, pinfo, frame, link->frame,
			     mark_of(link) == MAD_CM_CLIENT ? TRACK_CM_CLIENT : TRACK_CM_SERVER);
}

void iw_links_tree(proto_tree *tree, packet_info *pinfo, const struct iw_frame *frame)
{
	const struct ibw_packet *pkt = &frame->view.pkt;
	const struct iw_link *link = link_of(pinfo, frame);

	if (!link)
		return;
	add_credits(tree, frame);
	if ((pkt->opcode & IBW_SERVICE_MASK) == IBW_SERVICE_CNP)
		iw_cnp_tree(tree, pinfo, frame, link);
	else if (link->frame && !(pkt->eths & IBW_ETH_DETH))
		add_transport(tree, frame, link);
	else if (link->frame && !is_cm(link))
		add_mads(tree, frame->tvb, link, pinfo->num);
}
