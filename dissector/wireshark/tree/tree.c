/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tree.c - a packet as items of the tree: headers, payload, CRC verdicts. */
#include <ibwire/ibwire.h>
#include <ibwire/out.h>

#include "tree.h"
#include "wireshark/marks/analysis.h"
#include "wireshark/base/builtin.h"
#include "column.h"
#include "conv.h"
#include "wireshark/marks/expert.h"
#include "wireshark/base/field.h"
#include "wireshark/packet/frame.h"
#include "wireshark/base/hf.h"
#include "wireshark/marks/incident.h"
#include "wireshark/marks/inflight.h"
#include "wireshark/packet/layer.h"
#include "wireshark/marks/links.h"
#include "wireshark/packet/mad.h"
#include "wireshark/marks/msg.h"
#include "wireshark/marks/node.h"
#include "wireshark/base/prefs.h"
#include "wireshark/marks/read.h"
#include "wireshark/marks/service.h"
#include "wireshark/marks/stream.h"
#include "ulp_tree.h"
#include "whole.h"
#include "track/track.h"

static expert_field ei_icrc_bad = EI_INIT;
static expert_field ei_vcrc_bad = EI_INIT;
static expert_field ei_malformed = EI_INIT;
static expert_field ei_cut = EI_INIT;
static int ett_group = -1;

void iw_tree_register(expert_module_t *module)
{
	static ei_register_info rows[] = {
		{ &ei_icrc_bad,
		  { "ibwire.icrc.bad", PI_CHECKSUM, PI_ERROR, "Bad invariant CRC", EXPFILL } },
		{ &ei_vcrc_bad,
		  { "ibwire.vcrc.bad", PI_CHECKSUM, PI_ERROR, "Bad variant CRC", EXPFILL } },
		{ &ei_malformed,
		  { "ibwire.malformed", PI_MALFORMED, PI_ERROR, "Packet contradicts itself",
		    EXPFILL } },
		{ &ei_cut,
		  { "ibwire.cut", PI_UNDECODED, PI_CHAT, "Packet cut by the capture", EXPFILL } },
	};
	static int *etts[] = { &ett_group };
	unsigned int i;

	proto_register_subtree_array(etts, array_length(etts));
	expert_register_field_array(module, rows, array_length(rows));
	for (i = 0; i < array_length(rows); i++)
		iw_expert_blurb(rows[i].ids, "Where no rule says more of it");
}

/* An item of our own where no rule says what is wrong: a fault is one item, not two. */
static bool unsaid(const struct iw_frame *frame, packet_info *pinfo)
{
	return !frame->whole || !iw_lint_has(pinfo);
}

/* Whether the built-in dissector reads what is after the BTH, and all of it; not if it was cut. */
static bool builtin_reads(const struct ibw_packet *pkt)
{
	return pkt->bth != IBW_NO_SPAN && pkt->outcome == IBW_OK && iw_builtin_knows(pkt->opcode);
}

/* The first span that it does not read, or has wrong: it stops at a GRH with another next header. */
static unsigned int first_unread(const struct ibw_packet *pkt)
{
	unsigned int grh = ibw_packet_find(pkt, IBW_LAYER_grh);

	if (grh != IBW_NO_SPAN && ibw_grh_nxthdr(ibw_packet_at(pkt, grh)) != IBW_GRH_NXTHDR_IBA)
		return grh + 1;
	return builtin_reads(pkt) ? pkt->n_spans : pkt->bth + 1u;
}

/* Of IP and what is above it there are dissectors of their own. */
static bool is_ip(const struct ibw_span *span)
{
	return span->layer == IBW_LAYER_ipv4 || span->layer == IBW_LAYER_ipv6;
}

/* @unread: the first span that the built-in dissector does not read. */
static void add_layers(proto_tree *tree, const struct iw_frame *frame, const struct ibw_packet *pkt,
		       unsigned int first, unsigned int unread)
{
	unsigned int i;

	for (i = first; i < pkt->n_spans && !(frame->lacking && is_ip(&pkt->span[i])); i++)
		iw_tree_layer(tree, frame, &pkt->span[i], NULL, frame->lacking && i < unread);
}

/* The captured part of bytes [@off, @off + @len), if there is any. */
static void add_bytes(proto_tree *tree, const struct iw_frame *frame, enum iw_item hf, uint32_t off,
		      uint32_t len)
{
	const struct ibw_packet *pkt = &frame->view.pkt;
	tvbuff_t *tvb;
	int at;

	if (!len || off >= pkt->caplen || !iw_wanted(tree, iw_hf[hf]))
		return;
	tvb = iw_frame_tvb(frame, off, &at);
	proto_tree_add_item(tree, iw_hf[hf], tvb, at, (int)MIN(len, pkt->caplen - off), ENC_NA);
}

struct crc_items {
	enum iw_item hf, status;
	expert_field *bad;
	unsigned int bytes;
};

/* As the bytes are in the packet, first one first, which is how findings write it, too. */
static uint32_t on_wire(uint32_t crc, unsigned int bytes)
{
	return bytes == 2 ? GUINT16_SWAP_LE_BE((uint16_t)crc) : GUINT32_SWAP_LE_BE(crc);
}

/* As proto_tree_add_checksum() would, but for " [correct]" in the text, which costs as much again. */
static void add_good_crc(proto_tree *tree, tvbuff_t *tvb, int at, struct crc_items items,
			 uint32_t crc)
{
	proto_tree_add_uint(tree, iw_hf[items.hf], tvb, at, (int)items.bytes, crc);
	proto_item_set_generated(
		proto_tree_add_uint(tree, iw_hf[items.status], tvb, at, 0, PROTO_CHECKSUM_E_GOOD));
}

static void add_crc(proto_tree *tree, packet_info *pinfo, const struct iw_frame *frame,
		    struct crc_items items, const struct ibw_crc_verdict *verdict, uint32_t off)
{
	tvbuff_t *tvb;
	int at;

	if (verdict->status != IBW_CRC_BAD && !iw_wanted(tree, iw_hf[items.hf]) &&
	    !iw_wanted(tree, iw_hf[items.status]))
		return;
	tvb = iw_frame_tvb(frame, off, &at);
	switch ((enum ibw_crc_status)verdict->status) {
	case IBW_CRC_ABSENT:
		break;
	case IBW_CRC_GOOD:
		add_good_crc(tree, tvb, at, items, on_wire(verdict->computed, items.bytes));
		break;
	case IBW_CRC_BAD:
		proto_tree_add_checksum(tree, tvb, (unsigned int)at, iw_hf[items.hf],
					iw_hf[items.status],
					unsaid(frame, pinfo) ? items.bad : NULL, pinfo,
					on_wire(verdict->computed, items.bytes), ENC_BIG_ENDIAN,
					PROTO_CHECKSUM_VERIFY);
		break;
	case IBW_CRC_UNVERIFIABLE:
		proto_item_set_generated(proto_tree_add_uint(tree, iw_hf[items.status], frame->tvb,
							     0, 0, PROTO_CHECKSUM_E_UNVERIFIED));
		break;
	}
}

static void add_icrc(proto_tree *tree, packet_info *pinfo, struct iw_frame *frame)
{
	static const struct crc_items items = { IW_ICRC, IW_ICRC_STATUS, &ei_icrc_bad, 4 };
	const struct ibw_packet *pkt = &frame->view.pkt;
	struct ibw_crc_verdict verdict;
	tvbuff_t *tvb;
	int at;

	if (iw_prefs.verify_icrc) {
		verdict = track_view_icrc(&frame->view);
		add_crc(tree, pinfo, frame, items, &verdict, pkt->icrc_off);
	} else if (pkt->icrc_off && pkt->icrc_off + 4 <= pkt->caplen) {
		tvb = iw_frame_tvb(frame, pkt->icrc_off, &at);
		proto_tree_add_checksum(tree, tvb, (unsigned int)at, iw_hf[IW_ICRC],
					iw_hf[IW_ICRC_STATUS], NULL, pinfo, 0, ENC_BIG_ENDIAN,
					PROTO_CHECKSUM_NO_FLAGS);
	}
}

/* What is left after all layers, those of the packet's body included. */
static void find_payload(struct iw_frame *frame, uint32_t *off, uint32_t *len)
{
	const struct ibw_packet *body = iw_body_of(frame), *last = body ? body : &frame->view.pkt;
	const struct track_mad *mad = iw_mad_of(frame);

	*off = last->payload_off;
	*len = last->payload_len;
	if (!mad)
		return;
	*off += mad->walked.data_off;
	*len = mad->walked.attr || mad->walked.flags & IBW_MAD_CONTROL ? 0 : mad->walked.data_len;
}

static void add_crcs(proto_tree *tree, packet_info *pinfo, struct iw_frame *frame)
{
	static const struct crc_items vcrc_items = { IW_VCRC, IW_VCRC_STATUS, &ei_vcrc_bad, 2 };
	struct ibw_crc_verdict vcrc = ibw_packet_vcrc(&frame->view.pkt);

	add_icrc(tree, pinfo, frame);
	add_crc(tree, pinfo, frame, vcrc_items, &vcrc, frame->view.pkt.vcrc_off);
}

/* Built-in dissectors count a pad as payload, and find short messages malformed: upper.c. */
static bool has_payload_right(struct iw_frame *frame)
{
	const struct ibw_packet *pkt = &frame->view.pkt;

	return builtin_reads(pkt) && first_unread(pkt) == pkt->n_spans && !pkt->pad_len &&
	       pkt->payload_len >= IW_SEND_BYTES_MIN && !iw_mad_of(frame) && !iw_body_of(frame);
}

static void add_payload(proto_tree *tree, struct iw_frame *frame)
{
	uint32_t off, len;

	find_payload(frame, &off, &len);
	add_bytes(tree, frame, IW_PAYLOAD, off, len);
	/* That there is none, a filter may ask; in a tree it shows by itself. */
	if (off &&
	    (len ? iw_wanted(tree, iw_hf[IW_PAYLOAD_LEN]) : iw_asked_for(iw_hf[IW_PAYLOAD_LEN])))
		proto_item_set_generated(
			proto_tree_add_uint(tree, iw_hf[IW_PAYLOAD_LEN], frame->tvb, 0, 0, len));
}

static void add_rest(proto_tree *tree, struct iw_frame *frame)
{
	const struct ibw_packet *pkt = &frame->view.pkt;
	proto_node *last = tree->last_child;

	add_payload(tree, frame);
	if (frame->lacking && PTREE_DATA(tree)->visible && has_payload_right(frame))
		iw_hide_behind(tree, last);
	add_bytes(tree, frame, IW_PAD, pkt->payload_off + pkt->payload_len, pkt->pad_len);
	add_bytes(tree, frame, IW_TRAILER, pkt->trailer_off, pkt->trailer_len);
}

static void add_outcome(proto_tree *tree, packet_info *pinfo, struct iw_frame *frame)
{
	const struct ibw_packet *pkt = &frame->view.pkt;
	struct ibw_error error = pkt->error;
	enum ibw_outcome outcome = (enum ibw_outcome)pkt->outcome;
	const struct ibw_packet *body = iw_body_of(frame);
	const struct track_mad *mad = iw_mad_of(frame);
	proto_node *last = tree->last_child;
	proto_item *item;
	char *text = NULL;

	if (outcome == IBW_OK && body) {
		outcome = (enum ibw_outcome)body->outcome;
		error = body->error;
	} else if (outcome == IBW_OK && mad) {
		outcome = (enum ibw_outcome)mad->walked.outcome;
		error = mad->walked.error;
		error.off += mad->off;
	}
	if (iw_wanted(tree, iw_hf[IW_PROTO_ITEM]))
		proto_item_set_generated(proto_tree_add_uint(tree, iw_hf[IW_PROTO_ITEM], frame->tvb,
							     0, 0, pkt->proto));
	if (outcome != IBW_MALFORMED && outcome != IBW_CUT && !iw_wanted(tree, iw_hf[IW_OUTCOME]))
		return;
	item = proto_tree_add_uint(tree, iw_hf[IW_OUTCOME], frame->tvb, 0, 0, outcome);
	proto_item_set_generated(item);
	if (outcome == IBW_MALFORMED)
		text = wmem_strdup_printf(pinfo->pool, "%s%s%s at offset %u: needed %u, had %u",
					  ibw_headers[error.layer].name, error.field ? "." : "",
					  error.field ? error.field : "", error.off, error.needed,
					  error.had);
	else if (outcome == IBW_CUT)
		text = wmem_strdup_printf(pinfo->pool, "%u of %u bytes are there", pkt->caplen,
					  pkt->len);
	else if (frame->lacking && PTREE_DATA(tree)->visible)
		iw_hide_behind(tree, last);
	if (!text)
		return;
	proto_item_append_text(item, ": %s", text);
	if (unsaid(frame, pinfo))
		expert_add_info(pinfo, item, outcome == IBW_CUT ? &ei_cut : &ei_malformed);
}

/* What was added to @tree after @last, or all of it, goes into a subtree of its own; nothing that is looked for by name. */
static void gather(proto_tree *tree, proto_node *last, tvbuff_t *tvb, const char *title)
{
	proto_node *first = last ? last->next : tree->first_child, *end = tree->last_child, *group;
	proto_item *item;

	if (!first || !PTREE_DATA(tree)->visible)
		return;
	proto_tree_add_subtree(tree, tvb, 0, 0, ett_group, &item, title);
	proto_item_set_generated(item);
	group = tree->last_child;
	if (group == end)
		return;
	if (last)
		last->next = group;
	else
		tree->first_child = group;
	end->next = NULL;
	group->first_child = first;
	group->last_child = end;
	for (; first; first = first->next)
		first->parent = group;
}

/* A datagram has none, but a message of the CM is about one. */
static void add_connection(proto_tree *tree, packet_info *pinfo, const struct iw_frame *frame)
{
	proto_node *last = tree->last_child;

	if (frame->view.pkt.eths & IBW_ETH_DETH) {
		iw_conv_tree(tree, pinfo, frame);
		last = tree->last_child;
	} else {
		iw_conv_tree(tree, pinfo, frame);
		iw_stream_tree(tree, pinfo, frame);
	}
	iw_links_conn(tree, pinfo, frame);
	gather(tree, last, frame->tvb, "Connection");
}

/* What was under way with the packet, and what it answers. */
static void add_flight(proto_tree *tree, packet_info *pinfo, const struct iw_frame *frame)
{
	proto_node *last = tree->last_child;

	iw_stream_psns(tree, pinfo, frame);
	iw_links_tree(tree, pinfo, frame);
	iw_read_tree(tree, pinfo, frame);
	iw_inflight_tree(tree, pinfo, frame);
	if (!(frame->view.pkt.eths & IBW_ETH_DETH))
		gather(tree, last, frame->tvb, "Flight");
}

void iw_tree_packet(proto_tree *tree, packet_info *pinfo, struct iw_frame *frame,
		    unsigned int first)
{
	const struct ibw_packet *body = iw_body_of(frame);
	const struct track_mad *mad = iw_mad_of(frame);

	iw_analysis_tree(tree, pinfo, frame);
	iw_incident_tree(tree, pinfo, frame);
	add_outcome(tree, pinfo, frame);
	add_crcs(tree, pinfo, frame);
	add_layers(tree, frame, &frame->view.pkt, first, first_unread(&frame->view.pkt));
	if (body)
		add_layers(tree, frame, body, 0, 0);
	if (mad) {
		iw_mad_tree(tree, pinfo, frame, mad);
		iw_node_tree(tree, pinfo, frame);
	}
	iw_ulp_tree(tree, pinfo, frame);
	add_connection(tree, pinfo, frame);
	add_flight(tree, pinfo, frame);
	iw_msg_tree(tree, pinfo, frame);
	iw_whole_tree(tree, pinfo, frame);
	iw_column_tree(tree, pinfo, frame);
	add_rest(tree, frame);
}
