/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pass.c - the first pass, in which trackers and linter see each frame once, in file order.
 *
 * On later passes nobody asks a tracker: it knows of messages that come after the packet by
 * then. What it said of a packet is kept, by frame and by where the payload of the packet begins:
 * a frame may hold a packet in a packet.
 */
#include <string.h>

#include "track/measure.h"

#include "iw.h"

/* Of packets of a connection, one a frame, whoever else is in it. */
struct sender {
	uint32_t rep_frame; /* 0: none */
	uint32_t qpn;
	uint32_t payload_off;
};

/* Of the few packets there is something else to say of. */
struct kept {
	uint64_t service_id;
	struct track_sender sender; /* of a second packet in a frame */
	bool ipoib;
};

static struct track *trackers;
static bool finished;
static bool measured; /* somebody wants times and rates of connections */

/* The senders of frames from @first on; nobody asks of those before. */
static struct {
	struct sender *sender;
	uint32_t first, room;
} senders;

void iw_pass_init(void)
{
	trackers = track_new();
	track_want_senders(trackers);
	track_want_streams(trackers);
	track_want_events(trackers);
	track_want_replies(trackers);
	if (measured)
		track_qps_want_measures(track_streams(trackers));
	finished = false;
}

void iw_pass_want_measures(void)
{
	measured = true;
	if (trackers)
		track_qps_want_measures(track_streams(trackers));
}

struct track_qps *iw_pass_streams(void)
{
	return trackers ? track_streams(trackers) : NULL;
}

/* What they found out since the last time, for whoever wants it. */
static void hand_out_events(void)
{
	unsigned int n;
	const struct track_event *e = track_events(trackers, &n);
	const struct track_reply *r;

	iw_lint_events(e, n);
	iw_analysis_events(e, n);
	for (r = track_replies(trackers, &n); n; r++, n--) {
		iw_links_add(r);
		iw_msg_add(r);
	}
}

void iw_pass_finish(void)
{
	bool more = trackers && !finished;

	iw_lint_last_packet();
	while (more) {
		more = track_finish(trackers);
		hand_out_events();
	}
	iw_lint_finish();
	if (trackers && !finished)
		iw_stream_finish(trackers);
	finished = true;
}

void iw_pass_cleanup(void)
{
	track_free(trackers);
	trackers = NULL;
	finished = true;
	senders.sender = NULL;
	senders.room = 0;
}

static struct sender *sender_at(uint32_t frame)
{
	return frame - senders.first < senders.room ? &senders.sender[frame - senders.first] : NULL;
}

/* A place for the sender of a frame; NULL: frames do not come in order. */
static struct sender *make_sender_at(uint32_t frame)
{
	uint32_t before = senders.room;

	if (!before)
		senders.first = frame;
	if (frame < senders.first)
		return NULL;
	if (frame - senders.first >= before) {
		senders.room = MAX(2 * before, frame - senders.first + 256);
		senders.sender = wmem_realloc(wmem_file_scope(), senders.sender,
					      (size_t)senders.room * sizeof(struct sender));
		memset(senders.sender + before, 0,
		       (size_t)(senders.room - before) * sizeof(struct sender));
	}
	return sender_at(frame);
}

static bool keep_sender(const struct track_sender *from, uint32_t frame, uint32_t payload_off)
{
	struct sender *s = make_sender_at(frame);

	if (!s || s->rep_frame)
		return false;
	*s = (struct sender){ (uint32_t)from->frame, from->qpn, payload_off };
	return true;
}

static void keep(const struct track_context *context, packet_info *pinfo, uint32_t payload_off)
{
	struct track_sender sender = context->sender;
	struct kept *kept;

	if (context->service_id)
		iw_service_keep(pinfo->num, context->service_id);
	if (sender.frame && keep_sender(&sender, pinfo->num, payload_off))
		sender.frame = 0;
	if (!context->service_id && !context->ipoib && !sender.frame)
		return;
	kept = wmem_new(wmem_file_scope(), struct kept);
	kept->service_id = context->service_id;
	kept->sender = sender;
	kept->ipoib = context->ipoib;
	p_set_proto_data(wmem_file_scope(), pinfo, iw_proto, payload_off, kept);
}

/* What the trackers said of the packet then. */
static void recall(struct iw_frame *frame, packet_info *pinfo)
{
	uint32_t payload_off = frame->view.pkt.payload_off;
	const struct kept *kept = p_get_proto_data(wmem_file_scope(), pinfo, iw_proto, payload_off);
	const struct sender *sender = sender_at(pinfo->num);

	if (kept) {
		frame->context.service_id = kept->service_id;
		frame->context.sender = kept->sender;
		frame->context.ipoib = kept->ipoib;
	}
	if (sender && sender->rep_frame && sender->payload_off == payload_off)
		frame->context.sender = (struct track_sender){ sender->rep_frame, sender->qpn };
	track_apply(&frame->view, &frame->context);
}

static struct track_frame frame_of(const packet_info *pinfo)
{
	return (struct track_frame){
		.number = pinfo->num,
		.time_ns =
			(uint64_t)pinfo->abs_ts.secs * 1000000000u + (uint64_t)pinfo->abs_ts.nsecs,
		.iface = pinfo->rec->rec_header.packet_header.interface_id,
	};
}

/*
 * In this order: the trackers see the packet, and what they say of it is kept; then the linter
 * sees the frame, with that; then the records of the RMPP transfer that it completes are kept.
 */
static void first_pass(struct iw_frame *frame, packet_info *pinfo, bool whole)
{
	struct track_frame at = frame_of(pinfo);

	frame->context = *track_packet(trackers, &frame->view, &at);
	keep(&frame->context, pinfo, frame->view.pkt.payload_off);
	if (!whole)
		return;
	iw_lint_frame(&at, frame);
	iw_stream_packet(trackers, frame, pinfo); /* whose messages are counted then */
	hand_out_events();
	iw_rmpp_keep(frame, pinfo);
}

static void pass(struct iw_frame *frame, packet_info *pinfo, bool whole)
{
	if (pinfo->fd->visited || !trackers)
		recall(frame, pinfo);
	else
		first_pass(frame, pinfo, whole);
}

void iw_pass_packet(struct iw_frame *frame, packet_info *pinfo)
{
	pass(frame, pinfo, false);
}

void iw_pass_frame(struct iw_frame *frame, packet_info *pinfo)
{
	pass(frame, pinfo, true);
}
