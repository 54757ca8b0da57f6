/* SPDX-License-Identifier: GPL-2.0-or-later */
/* augment.c - what is said of every frame after the other dissectors are done with it. */
#include <limits.h>

#include <ibwire/ibwire.h>

#include "augment.h"
#include "wireshark/marks/analysis.h"
#include "wireshark/marks/expert.h"
#include "wireshark/windows/follow.h"
#include "wireshark/packet/frame.h"
#include "wireshark/base/hf.h"
#include "wireshark/tree/info.h"
#include "wireshark/base/mark.h"
#include "wireshark/tree/iwarp_tree.h"
#include "wireshark/marks/pass.h"
#include "wireshark/base/proto.h"
#include "wireshark/base/prefs.h"
#include "wireshark/tree/quoted.h"
#include "wireshark/marks/read.h"
#include "wireshark/windows/srt.h"
#include "wireshark/windows/stats.h"
#include "wireshark/marks/stream.h"
#include "wireshark/tree/tree.h"
#include "track/track.h"
#include "track/view/icmp.h"

/* Who has a use for items of ours: a hierarchy of protocols that is only counted has not. */
static bool is_asked_for(proto_tree *tree)
{
	static int proto_expert = -1;

	if (proto_expert < 0)
		proto_expert = proto_get_id_by_filter_name("_ws.expert");
	return tree &&
	       (PTREE_DATA(tree)->visible || iw_asked_for(iw_proto) || iw_asked_for(proto_expert));
}

static bool has_dissected(packet_info *pinfo)
{
	return proto_is_frame_protocol(pinfo->layers, "infiniband") ||
	       proto_is_frame_protocol(pinfo->layers, "ipoib");
}

static void augment_tree(proto_tree *tree, packet_info *pinfo, struct iw_frame *frame,
			 unsigned int first, const struct track_icmp *icmp)
{
	bool iwarp = iw_iwarp_has(pinfo);
	bool layers = !frame->shown && (icmp || iwarp || first <= frame->view.pkt.n_spans);
	proto_item *item;

	if (!is_asked_for(tree)) {
		/* The list of expert items is made of nothing else. */
		if (!frame->told) {
			iw_lint_show(NULL, pinfo, frame);
			iw_analysis_show(pinfo);
		}
		return;
	}
	if (!layers && (frame->told || !iw_lint_has(pinfo)))
		return;
	item = proto_tree_add_item(tree, iw_proto, frame->tvb, 0, -1, ENC_NA);
	if (iwarp)
		iw_iwarp_title(item, pinfo);
	else
		iw_title(item, pinfo, frame);
	tree = proto_item_add_subtree(item, iw_ett);
	if (!frame->told)
		iw_lint_show(tree, pinfo, frame);
	if (!layers)
		return;
	if (iwarp) {
		iw_iwarp_tree(tree, pinfo, frame);
		return;
	}
	frame->lacking = !iw_prefs.all_fields && has_dissected(pinfo);
	if (icmp) {
		iw_quoted_tree(tree, pinfo, frame, icmp);
		return;
	}
	iw_tree_packet(tree, pinfo, frame, first);
}

/* In every mode: a packet whose content is not to be trusted says so in the list, too. */
static void say_bad_crc(packet_info *pinfo, struct iw_frame *frame)
{
	if (iw_prefs.verify_icrc && track_view_icrc(&frame->view).status == IBW_CRC_BAD)
		iw_info_mark(pinfo, "ICRC incorrect");
}

/* Follow > RDMA Stream is there for a packet that has a layer of ours; of frame.protocols all is said by now. */
static void add_layer(packet_info *pinfo)
{
	wmem_list_append(pinfo->layers, GINT_TO_POINTER(iw_proto));
}

static int augment(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
	const char *before = pinfo->current_proto;
	unsigned int first = 0;
	struct track_icmp icmp;
	struct iw_frame *frame;
	bool rdma, quotes, iwarp;

	(void)data;
	if (iw_prefs.mode == IW_OFF)
		return 0;
	frame = iw_pass_open(tvb, pinfo);
	if (!frame)
		return 0;
	iw_stats_packet(pinfo, frame);
	iw_srt_packet(pinfo, frame);
	iw_follow_packet(pinfo, frame);
	iw_follow_iwarp(pinfo, frame);
	rdma = iw_frame_is_rdma(frame, &first);
	quotes = !rdma && iw_quoted_find(&icmp, frame);
	iwarp = !rdma && iw_iwarp_has(pinfo);
	if (!rdma && !quotes && !iwarp && !iw_lint_has(pinfo))
		return (int)tvb_captured_length(tvb);
	pinfo->current_proto = IW_SHORT_NAME; /* whose the expert items are */
	if (rdma) {
		if (iw_prefs.mode == IW_AUGMENT)
			iw_info_len(pinfo, frame);
		say_bad_crc(pinfo, frame);
		iw_read_info(pinfo, frame);
		iw_stream_info(pinfo);
		iw_analysis_info(pinfo);
	}
	if (iwarp)
		iw_iwarp_info(pinfo, frame->shown);
	if ((rdma || iwarp) && tree)
		add_layer(pinfo);
	augment_tree(tree, pinfo, frame, rdma ? first : UINT_MAX, quotes ? &icmp : NULL);
	pinfo->current_proto = before;
	return (int)tvb_captured_length(tvb);
}

void iw_augment_register(void)
{
	/* No protocol of the handle's own: frame.protocols is to stay what it was. */
	register_postdissector(create_dissector_handle(augment, -1));
}
