/* SPDX-License-Identifier: GPL-2.0-or-later */
/* augment.c - what is said of every frame after the other dissectors are done with it. */
#include <ibwire/ibwire.h>

#include "iw.h"

static void augment_tree(proto_tree *tree, packet_info *pinfo, struct iw_frame *frame)
{
	proto_item *item;

	item = proto_tree_add_item(tree, iw_proto, frame->tvb, 0, -1, ENC_NA);
	iw_title(item, frame);
	tree = proto_item_add_subtree(item, iw_ett);
	/* Without a tree only what the list of expert items is made of. */
	if (tree && !frame->shown)
		iw_tree_outcome(tree, pinfo, frame);
	if (tree && !frame->shown && frame->view.pkt.outcome != IBW_OTHER)
		iw_tree_packet(tree, pinfo, frame, 0);
	iw_lint_show(tree, pinfo, frame);
}

static int augment(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
	struct iw_frame *frame;

	(void)data;
	if (iw_prefs.mode == IW_OFF)
		return 0;
	frame = iw_frame_open(tvb, pinfo);
	if (!frame)
		return 0;
	iw_stats_packet(pinfo, frame);
	if (iw_lint_has(pinfo) || (tree && !frame->shown && frame->view.pkt.outcome != IBW_OTHER))
		augment_tree(tree, pinfo, frame);
	return (int)tvb_captured_length(tvb);
}

void iw_augment_register(void)
{
	/* No protocol of the handle's own: frame.protocols is to stay what it was. */
	register_postdissector(create_dissector_handle(augment, -1));
}
