/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pass.c - the first pass, in which trackers and linter see each frame once, in file order.
 *
 * On later passes nobody asks a tracker: it knows of messages that come after the packet by
 * then. What it said of a packet is kept, by frame and by where the payload of the packet begins:
 * a frame may hold a packet in a packet.
 */
#include <string.h>

#include "pass.h"
#include "analysis.h"
#include "expert.h"
#include "wireshark/packet/frame.h"
#include "wireshark/base/hf.h"
#include "incident.h"
#include "inflight.h"
#include "iwarp.h"
#include "links.h"
#include "msg.h"
#include "node.h"
#include "wireshark/base/proto.h"
#include "wireshark/base/prefs.h"
#include "reassemble.h"
#include "wireshark/packet/rmpp.h"
#include "service.h"
#include "stream.h"
#include "twice.h"
#include "ulp.h"
#include "track/base/flow.h"
#include "track/iwarp/iwarp.h"
#include "track/measure/measure.h"
#include "track/stream/qps.h"
#include "track/track.h"
#include "track/ulp/ulp.h"

/* Of the few packets there is something else to say of. */
struct kept {
	uint64_t service_id;
	struct track_sender sender; /* of a packet in a packet; stream.c has the others' */
	bool ipoib;
};

static struct track *trackers;
static bool finished;
static uint32_t last_frame; /* that the trackers saw */
static uint64_t lost;       /* of what they found out */
static bool measured;       /* somebody wants times and rates of connections */

static void want_measures(void)
{
	track_qps_want_measures(track_streams(trackers));
}

void iw_pass_init(void)
{
	trackers = track_new();
	track_want_senders(trackers);
	track_want_streams(trackers);
	track_want_events(trackers);
	track_set_thresholds(trackers, &iw_prefs.thresholds);
	track_want_fpdus(trackers);
	track_iwarp_want_records(
		track_iwarp_connections(trackers)); /* for windows that are opened later */
	track_iwarp_want_octets(
		track_iwarp_connections(trackers)); /* of messages, and to be followed */
	track_ulps_want_requests_of_packets(track_commands(trackers));
	track_want_replies(trackers);
	track_want_incidents(trackers);
	if (measured)
		want_measures();
	finished = false;
	last_frame = 0;
	lost = 0;
}

void iw_pass_want_measures(void)
{
	measured = true;
	if (trackers)
		want_measures();
}

const struct track *iw_pass_trackers(void)
{
	return trackers;
}

struct track_qps *iw_pass_streams(void)
{
	return trackers ? track_streams(trackers) : NULL;
}

/* What they had no room for since the last time. */
static void say_lost(void)
{
	uint64_t now = track_events_lost(trackers) + track_replies_lost(trackers);

	iw_analysis_lose(last_frame, now - lost);
	lost = now;
}

/* What they found out since the last time, for whoever wants it. */
static void hand_out_events(void)
{
	unsigned int n;
	const struct track_event *e = track_events(trackers, &n);
	const struct track_reply *r;

	iw_stream_events(trackers, e, n);
	iw_iwarp_events(e, n);
	iw_lint_events(e, n);
	iw_analysis_events(e, n);
	for (r = track_replies(trackers, &n); n; r++, n--) {
		if (r->kind >= TRACK_REPLY_NOTE) {
			iw_analysis_note(r);
			continue;
		}
		iw_links_add(r);
		iw_inflight_add(r);
		iw_msg_add(r);
	}
	say_lost();
}

bool iw_pass_is_finished(void)
{
	return finished;
}

void iw_pass_cleanup(void)
{
	track_free(trackers);
	trackers = NULL;
	finished = true;
}

/* @pinfo NULL: it is seen once more, and the rest was kept then. */
static void keep(const struct iw_frame *frame, const struct track_frame *at, packet_info *pinfo)
{
	const struct track_context *context = &frame->context;
	struct track_sender sender = context->sender;
	struct kept *kept;

	if (sender.frame && frame->whole && iw_stream_keep_sender((uint32_t)at->number, &sender))
		sender.frame = 0;
	if (context->service_id)
		iw_service_keep((uint32_t)at->number, context->service_id);
	if (!pinfo)
		return;
	if (!context->service_id && !context->ipoib && !sender.frame)
		return;
	kept = wmem_new(wmem_file_scope(), struct kept);
	kept->service_id = context->service_id;
	kept->sender = sender;
	kept->ipoib = context->ipoib;
	p_set_proto_data(wmem_file_scope(), pinfo, iw_proto, frame->view.pkt.payload_off, kept);
}

/* What the trackers said of the packet then. */
static void recall(struct iw_frame *frame, packet_info *pinfo)
{
	uint32_t payload_off = frame->view.pkt.payload_off;
	const struct kept *kept = p_get_proto_data(wmem_file_scope(), pinfo, iw_proto, payload_off);

	if (frame->whole)
		iw_stream_recall_sender(pinfo->num, &frame->context.sender);
	if (kept) {
		frame->context.service_id = kept->service_id;
		frame->context.ipoib = kept->ipoib;
		if (kept->sender.frame)
			frame->context.sender = kept->sender;
	}
	track_apply(&frame->view, &frame->context);
}

static struct track_frame frame_of(const packet_info *pinfo)
{
	return (struct track_frame){
		.number = pinfo->num,
		.time_ns = iw_ns(&pinfo->abs_ts),
		.iface = pinfo->rec->rec_header.packet_header.interface_id,
	};
}

/*
 * In this order: the trackers see the packet, and what they say of it is kept; then the linter
 * sees the frame, with that; then the records of the RMPP transfer that it completes are kept, and the
 * packet is put to its message.
 */
static void see(struct iw_frame *frame, const struct track_frame *at, packet_info *pinfo)
{
	last_frame = (uint32_t)at->number;
	frame->context = *track_feed(trackers, &frame->view, at);
	iw_ulp_keep(frame, last_frame);
	if (frame->whole) {
		iw_stream_packet(trackers, frame, at);
		iw_iwarp_packet(trackers, at);
	}
	keep(frame, at, pinfo);
	if (frame->whole) {
		iw_lint_frame(at, frame);
		hand_out_events();
		iw_rmpp_keep(frame, last_frame);
		iw_node_keep(trackers, frame, last_frame);
	}
	if (pinfo) /* messages are the same: a copy is a repeated packet there */
		iw_reassemble_packet(trackers, frame, pinfo);
}

/* Of the packet there is one already, from another point of the capture. */
static void see_copy(const struct iw_frame *frame, const struct track_frame *at)
{
	last_frame = (uint32_t)at->number;
	track_copy(trackers, &frame->view.pkt);
}

/* Copies were taken for other packets. */
static void begin_again(void)
{
	struct track_frame at;
	struct iw_frame frame;
	bool is_copy;

	iw_begin_again();
	while (iw_twice_next(&frame, &at, &is_copy)) {
		if (is_copy)
			see_copy(&frame, &at);
		else
			see(&frame, &at, NULL);
	}
	g_array_set_size(iw_msg_completed(), 0); /* what was completed was told then */
}

static void first_pass(struct iw_frame *frame, packet_info *pinfo)
{
	const struct track_frame at = frame_of(pinfo);

	if (iw_twice_is_due())
		begin_again();
	if (iw_twice_packet(frame, &at))
		see_copy(frame, &at);
	else
		see(frame, &at, pinfo);
}

static struct iw_frame *pass(struct iw_frame *frame, packet_info *pinfo)
{
	if (pinfo->fd->visited || !trackers)
		recall(frame, pinfo);
	else
		first_pass(frame, pinfo);
	return frame;
}

struct iw_frame *iw_pass_open(tvbuff_t *tvb, packet_info *pinfo)
{
	bool is_new;
	struct iw_frame *frame = iw_frame_open(tvb, pinfo, &is_new);

	return is_new ? pass(frame, pinfo) : frame;
}

struct iw_frame *iw_pass_walk(tvbuff_t *tvb, packet_info *pinfo, uint32_t linktype, int base,
			      uint16_t roce_port)
{
	return pass(iw_frame_walk(tvb, pinfo, linktype, base, roce_port), pinfo);
}

struct iw_frame *iw_pass_walk_grh(tvbuff_t *tvb, packet_info *pinfo, int base)
{
	return pass(iw_frame_walk_grh(tvb, pinfo, base), pinfo);
}

void iw_pass_finish(void)
{
	bool more = trackers && !finished;

	if (more && iw_twice_is_due_at_end())
		begin_again();
	iw_lint_last_packet();
	while (more) {
		more = track_finish(trackers);
		hand_out_events();
	}
	iw_lint_finish();
	if (trackers && !finished) {
		iw_stream_finish(trackers);
		iw_iwarp_finish(trackers);
		iw_incident_finish(trackers);
	}
	iw_reassemble_finish();
	iw_twice_finish();
	finished = true;
}

bool iw_pass_sender(const struct iw_frame *frame, uint32_t *sqpn)
{
	struct track_place place;
	struct track_flow flow;

	if (!trackers || finished || !track_flow_gids_of(&frame->view.pkt, &flow) ||
	    !track_place_of(trackers, &flow, &place) || place.sqpn == TRACK_CM_NO_QPN)
		return false;
	*sqpn = place.sqpn;
	return true;
}
