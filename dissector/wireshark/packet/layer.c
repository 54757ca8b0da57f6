/* SPDX-License-Identifier: GPL-2.0-or-later */
/* layer.c - a layer of a frame as tree items: where its bytes are, and what its header is called. */
#include <ibwire/ibwire.h>
#include <ibwire/tables.h>

#include "wireshark/base/field.h"
#include "frame.h"
#include "wireshark/base/hf.h"
#include "layer.h"

/* An opcode of RD in a packet of the DC transport means something else; @bth: the item last added. */
static void name_dc(proto_node *bth, const struct ibw_packet *pkt)
{
	proto_node *child;

	for (child = bth ? bth->first_child : NULL; child; child = child->next)
		if (PNODE_FINFO(child) &&
		    PNODE_FINFO(child)->hfinfo->id == iw_headers[IBW_LAYER_bth].field[0].hf)
			proto_item_set_text(child, "%s: %s (0x%02x)", ibw_bth_fields[0].label,
					    ibw_packet_opcode_text(pkt), pkt->opcode);
}

void iw_tree_layer(proto_tree *tree, const struct iw_frame *frame, const struct ibw_span *span,
		   const struct ibw_mad_attr_row *attr, bool lacking)
{
	tvbuff_t *tvb;
	int at;

	tvb = iw_frame_tvb(frame, span->off, &at);
	iw_tree_header(tree, tvb, at, frame->view.pkt.data + span->off, span, attr, lacking);
	if (span->layer == IBW_LAYER_bth && frame->view.pkt.flags & IBW_PKT_DC)
		name_dc(tree->last_child, &frame->view.pkt);
}
