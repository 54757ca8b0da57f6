/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mad.c - the management datagram in a packet: its layers, and the bits of a component mask. */
#include <string.h>

#include <epan/tfs.h>

#include <ibwire/ibwire.h>

#include "iw.h"

#include "lint/services.h"

/* What the CM messages of the file have said so far; in later passes, all of them. */
static struct lint_services *services;

void iw_mad_init(void)
{
	services = lint_services_new();
}

void iw_mad_cleanup(void)
{
	lint_services_free(services);
	services = NULL;
}

bool iw_mad_is_ipoib(const struct ibw_packet *pkt)
{
	return services && lint_services_ipoib(services, pkt);
}

/* What the answer to a REQ seen before carries, behind the layers of the MAD. */
static void add_answer(struct iw_mad *mad, const struct ibw_packet *pkt)
{
	uint32_t room = array_length(mad->span) - mad->walked.n_spans, n;
	uint64_t service_id;

	if (!services)
		return;
	service_id = lint_services_feed(services, pkt, mad->p, mad->captured);
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
	add_answer(mad, pkt);
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

void iw_mad_tree(proto_tree *tree, packet_info *pinfo, const struct iw_frame *frame,
		 const struct iw_mad *mad)
{
	uint32_t i;

	for (i = 0; i < mad->walked.n_spans; i++) {
		struct ibw_span span = mad->span[i];

		span.off += frame->pkt.payload_off;
		iw_tree_layer(tree, frame, &span, mad->walked.attr);
	}
	iw_rmpp_tree(tree, pinfo, frame);
}
