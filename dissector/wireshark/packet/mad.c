/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mad.c - the management datagram in a packet: its layers, and the bits of a component mask. */
#include <string.h>

#include <ibwire/ibwire.h>

#include "mad.h"
#include "frame.h"
#include "wireshark/base/hf.h"
#include "rmpp.h"
#include "layer.h"
#include "track/track.h"

#include <epan/tfs.h>

/* Which block it is says a record before it, or the AttributeModifier: IBTA vol 1, 14.2.5.12 */
#define MFT_BLOCK_MASK 0x1ffu
#define MFT_POSITION_SHIFT 28
#define MFT_PORTS 16 /* in an entry */

void iw_mad_block(proto_tree *tree, const uint8_t *p, const struct ibw_span *span, uint32_t i,
		  uint32_t attr_mod)
{
	uint16_t layer = span[i].layer, before = i ? span[i - 1].layer : (uint16_t)IBW_LAYER_COUNT;
	uint32_t block = attr_mod, position = attr_mod >> MFT_POSITION_SHIFT, lid, entries;
	const void *record = i ? p + span[i - 1].off : NULL;

	if ((layer != IBW_LAYER_lft && layer != IBW_LAYER_mft) || !PTREE_DATA(tree)->visible)
		return;
	if (before == IBW_LAYER_lft_rec) {
		block = ibw_lft_rec_block(record);
	} else if (before == IBW_LAYER_mft_rec) {
		block = ibw_mft_rec_block(record);
		position = ibw_mft_rec_position(record);
	}
	if (layer == IBW_LAYER_mft)
		block &= MFT_BLOCK_MASK;
	entries = ibw_headers[layer].fields->count;
	lid = block * entries + (layer == IBW_LAYER_mft ? IBW_LID_MULTICAST_FIRST : 0);
	proto_item_append_text(tree->last_child, ", LIDs 0x%04x to 0x%04x", lid, lid + entries - 1);
	if (layer == IBW_LAYER_mft)
		proto_item_append_text(tree->last_child, ", ports %u to %u", position * MFT_PORTS,
				       position * MFT_PORTS + MFT_PORTS - 1);
}

void iw_mad_tree(proto_tree *tree, packet_info *pinfo, const struct iw_frame *frame,
		 const struct track_mad *mad)
{
	const struct ibw_mad_wire *header = (const struct ibw_mad_wire *)mad->p;
	bool reads = true;
	uint32_t i;

	for (i = 0; i < mad->walked.n_spans; i++) {
		struct ibw_span span = mad->span[i];

		span.off += mad->off;
		/* After one of no known type the built-in dissector does not find the SA header. */
		if (span.layer == IBW_LAYER_rmpp)
			reads = ibw_rmpp_type((const struct ibw_rmpp_wire *)(mad->p +
									     mad->span[i].off)) <=
				IBW_RMPP_ABORT;
		iw_tree_layer(tree, frame, &span, mad->walked.attr, frame->lacking && reads);
		iw_mad_block(tree, mad->p, mad->span, i, ibw_mad_attr_mod(header));
	}
	iw_rmpp_tree(tree, pinfo, frame);
}
