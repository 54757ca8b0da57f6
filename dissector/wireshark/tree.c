/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tree.c - a packet as items of the tree: headers, payload, CRC verdicts. */
#include <ibwire/ibwire.h>

#include "iw.h"

static expert_field ei_icrc_bad = EI_INIT;
static expert_field ei_vcrc_bad = EI_INIT;
static expert_field ei_malformed = EI_INIT;
static expert_field ei_cut = EI_INIT;

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

	expert_register_field_array(module, rows, array_length(rows));
}

void iw_tree_layer(proto_tree *tree, const struct iw_frame *frame, const struct ibw_span *span,
		   const struct ibw_mad_attr_row *attr)
{
	tvbuff_t *tvb;
	int at;

	tvb = iw_frame_tvb(frame, span->off, &at);
	iw_tree_header(tree, tvb, at, frame->view.pkt.data + span->off, span, attr);
}

static void add_layers(proto_tree *tree, const struct iw_frame *frame, const struct ibw_packet *pkt,
		       unsigned int first)
{
	unsigned int i;

	for (i = first; i < pkt->n_spans; i++)
		iw_tree_layer(tree, frame, &pkt->span[i], NULL);
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

/* As the bytes stand in the packet, first one first, which is how findings write it, too. */
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
					iw_hf[items.status], items.bad, pinfo,
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

/* What is left behind all layers, those of the packet's body included. */
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

static void add_rest(proto_tree *tree, packet_info *pinfo, struct iw_frame *frame)
{
	static const struct crc_items vcrc_items = { IW_VCRC, IW_VCRC_STATUS, &ei_vcrc_bad, 2 };
	const struct ibw_packet *pkt = &frame->view.pkt;
	struct ibw_crc_verdict vcrc;
	uint32_t off, len;

	find_payload(frame, &off, &len);
	add_bytes(tree, frame, IW_PAYLOAD, off, len);
	/* That there is none, a filter may ask; in a tree it shows by itself. */
	if (off &&
	    (len ? iw_wanted(tree, iw_hf[IW_PAYLOAD_LEN]) : iw_asked_for(iw_hf[IW_PAYLOAD_LEN])))
		proto_item_set_generated(
			proto_tree_add_uint(tree, iw_hf[IW_PAYLOAD_LEN], frame->tvb, 0, 0, len));
	add_bytes(tree, frame, IW_PAD, pkt->payload_off + pkt->payload_len, pkt->pad_len);
	add_icrc(tree, pinfo, frame);
	vcrc = ibw_packet_vcrc(pkt);
	add_crc(tree, pinfo, frame, vcrc_items, &vcrc, pkt->vcrc_off);
	add_bytes(tree, frame, IW_TRAILER, pkt->trailer_off, pkt->trailer_len);
}

void iw_tree_outcome(proto_tree *tree, packet_info *pinfo, struct iw_frame *frame)
{
	const struct ibw_packet *pkt = &frame->view.pkt;
	struct ibw_error error = pkt->error;
	enum ibw_outcome outcome = (enum ibw_outcome)pkt->outcome;
	const struct ibw_packet *body = iw_body_of(frame);
	const struct track_mad *mad = iw_mad_of(frame);
	proto_item *item;

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
		expert_add_info_format(
			pinfo, item, &ei_malformed, "%s%s%s at offset %u: needed %u, had %u",
			ibw_headers[error.layer].name, error.field ? "." : "",
			error.field ? error.field : "", error.off, error.needed, error.had);
	else if (outcome == IBW_CUT)
		expert_add_info_format(pinfo, item, &ei_cut,
				       "Packet cut by the capture: %u of %u bytes are there",
				       pkt->caplen, pkt->len);
}

void iw_tree_packet(proto_tree *tree, packet_info *pinfo, struct iw_frame *frame,
		    unsigned int first)
{
	const struct ibw_packet *body = iw_body_of(frame);
	const struct track_mad *mad = iw_mad_of(frame);

	add_layers(tree, frame, &frame->view.pkt, first);
	if (body)
		add_layers(tree, frame, body, 0);
	if (mad)
		iw_mad_tree(tree, pinfo, frame, mad);
	iw_conv_tree(tree, frame);
	add_rest(tree, pinfo, frame);
}
