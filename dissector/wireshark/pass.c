/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pass.c - the first pass, in which trackers and linter see each frame once, in file order.
 *
 * On later passes nobody asks a tracker: it knows of messages that come after the packet by
 * then. What it said of a packet is kept with the frame, by where the payload of the packet
 * begins: a frame may hold a packet in a packet.
 */
#include "iw.h"

/* Only of packets the trackers had something to say of. */
struct kept {
	uint64_t service_id;
	bool ipoib;
};

static struct track *trackers;

void iw_pass_init(void)
{
	trackers = track_new();
}

void iw_pass_cleanup(void)
{
	track_free(trackers);
	trackers = NULL;
}

static void keep(const struct iw_frame *frame, packet_info *pinfo)
{
	const struct track_context *context = &frame->context;
	struct kept *kept;

	if (!context->service_id && !context->ipoib)
		return;
	kept = wmem_new(wmem_file_scope(), struct kept);
	kept->service_id = context->service_id;
	kept->ipoib = context->ipoib;
	p_set_proto_data(wmem_file_scope(), pinfo, iw_proto, frame->view.pkt.payload_off, kept);
}

static void recall(struct iw_frame *frame, packet_info *pinfo)
{
	const struct kept *kept =
		p_get_proto_data(wmem_file_scope(), pinfo, iw_proto, frame->view.pkt.payload_off);

	if (!kept)
		return;
	frame->context.service_id = kept->service_id;
	frame->context.ipoib = kept->ipoib;
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

void iw_pass_packet(struct iw_frame *frame, packet_info *pinfo)
{
	struct track_frame at = frame_of(pinfo);

	if (pinfo->fd->visited || !trackers) {
		recall(frame, pinfo);
		return;
	}
	frame->context = *track_packet(trackers, &frame->view, &at);
	keep(frame, pinfo);
}

void iw_pass_frame(struct iw_frame *frame, packet_info *pinfo)
{
	struct track_frame at = frame_of(pinfo);

	iw_pass_packet(frame, pinfo);
	if (pinfo->fd->visited)
		return;
	iw_lint_frame(&at, frame);
	iw_rmpp_keep(frame, pinfo);
	iw_peers_feed(frame, pinfo);
}
