/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mad.c - the management datagram in a packet: its layers, and the bits of a component mask. */
#include <string.h>

#include <epan/tfs.h>

#include <ibwire/ibwire.h>

#include "iw.h"

#include "lint/services.h"

/*
 * What the CM messages of the file have said so far. It is asked on the first pass only: later
 * ones would hear of messages that stand behind the packet. What it says is kept with the frame,
 * by where the payload of the packet begins: a frame may hold a packet in a packet.
 */
static struct lint_services *services;

static uint64_t *kept_of(const struct ibw_packet *pkt, packet_info *pinfo)
{
	return p_get_proto_data(wmem_file_scope(), pinfo, iw_proto, pkt->payload_off);
}

static void keep(const struct ibw_packet *pkt, packet_info *pinfo, uint64_t v)
{
	uint64_t *kept = wmem_new(wmem_file_scope(), uint64_t);

	*kept = v;
	p_set_proto_data(wmem_file_scope(), pinfo, iw_proto, pkt->payload_off, kept);
}

void iw_mad_init(void)
{
	services = lint_services_new();
}

void iw_mad_cleanup(void)
{
	lint_services_free(services);
	services = NULL;
}

bool iw_mad_is_ipoib(const struct ibw_packet *pkt, packet_info *pinfo)
{
	if (pinfo->fd->visited)
		return kept_of(pkt, pinfo) != NULL;
	if (!services || !lint_services_ipoib(services, pkt))
		return false;
	keep(pkt, pinfo, true);
	return true;
}

/* Of the REQ that the MAD answers; 0: it is no answer, or there was no REQ before it. */
static uint64_t service_of(const struct iw_mad *mad, const struct ibw_packet *pkt,
			   packet_info *pinfo)
{
	uint64_t *kept, service_id;

	if (pinfo->fd->visited) {
		kept = kept_of(pkt, pinfo);
		return kept ? *kept : 0;
	}
	service_id = services ? lint_services_feed(services, pkt, mad->p, mad->captured) : 0;
	if (service_id)
		keep(pkt, pinfo, service_id);
	return service_id;
}

/* What the answer to a REQ seen before carries, behind the layers of the MAD. */
static void add_answer(struct iw_mad *mad, const struct ibw_packet *pkt, packet_info *pinfo)
{
	uint32_t room = array_length(mad->span) - mad->walked.n_spans, n;
	uint64_t service_id = service_of(mad, pkt, pinfo);

	if (!service_id)
		return;
	n = ibw_mad_walk_cm_answer(service_id, mad->p, mad->captured,
				   mad->span + mad->walked.n_spans, room);
	mad->walked.n_spans += MIN(n, room);
}

const struct iw_mad *iw_mad_of(struct iw_frame *frame, packet_info *pinfo)
{
	const struct ibw_packet *pkt = &frame->pkt;
	struct iw_mad *mad;
	uint32_t captured;

	if (frame->mad || !ibw_packet_is_mad(pkt))
		return frame->mad;
	captured = ibw_packet_payload_captured(pkt);
	if (!captured)
		return NULL;
	mad = wmem_new(pinfo->pool, struct iw_mad);
	mad->p = pkt->data + pkt->payload_off;
	mad->captured = captured;
	ibw_mad_walk(&mad->walked, mad->p, captured, pkt->payload_len, mad->span,
		     array_length(mad->span));
	add_answer(mad, pkt, pinfo);
	frame->mad = mad;
	return mad;
}

/* The layers of the attribute that have components, for the mask in the SA header before it. */
void iw_mad_comp_mask(proto_tree *tree, tvbuff_t *tvb, int at, proto_item *item,
		      const struct ibw_mad_attr_row *attr, uint64_t mask)
{
	const char *before = " (";
	unsigned int i, row, layer;

	for (i = 0; i < array_length(attr->layers); i++) {
		layer = attr->layers[i];
		if (layer >= IBW_LAYER_COUNT)
			break;
		for (row = 0; row < ibw_headers[layer].n_fields; row++) {
			const struct ibw_field *f = &ibw_headers[layer].fields[row];

			if (!iw_headers[layer].comp[row])
				continue;
			proto_tree_add_item(tree, iw_headers[layer].comp[row], tvb, at, 8,
					    ENC_BIG_ENDIAN);
			if (f->flags & IBW_FIELD_RSVD || !(mask >> f->comp & 1))
				continue;
			proto_item_append_text(item, "%s%s", before, f->label);
			before = ", ";
		}
	}
	if (*before == ',')
		proto_item_append_text(item, ")");
}

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
		 const struct iw_mad *mad)
{
	const struct ibw_mad_wire *header = (const struct ibw_mad_wire *)mad->p;
	uint32_t i;

	for (i = 0; i < mad->walked.n_spans; i++) {
		struct ibw_span span = mad->span[i];

		span.off += frame->pkt.payload_off;
		iw_tree_layer(tree, frame, &span, mad->walked.attr);
		iw_mad_block(tree, mad->p, mad->span, i, ibw_mad_attr_mod(header));
	}
	iw_rmpp_tree(tree, pinfo, frame);
}
