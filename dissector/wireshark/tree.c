/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tree.c - headers, payload and CRC verdicts as items of the tree. */
#include <string.h>

#include <ibwire/ibwire.h>
#include <ibwire/print.h>

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

/* "4096 B": what ibw_print_value() says instead of the number, not behind it. */
static bool said_without_number(const struct ibw_field *f)
{
	return f->kind == IBW_KIND_WIDTH || f->kind == IBW_KIND_SPEED || f->kind == IBW_KIND_MTU ||
	       f->kind == IBW_KIND_TIME_4096NS;
}

/* Whether Wireshark has no way to say what the number means. */
static inline bool has_meaning(const struct ibw_field *f)
{
	switch ((enum ibw_kind)f->kind) {
	case IBW_KIND_MASK:
	case IBW_KIND_WIDTH:
	case IBW_KIND_SPEED:
	case IBW_KIND_MAD_STATUS:
	case IBW_KIND_SERVICE_ID:
		return true;
	default:
		return false;
	}
}

/* What the number means, behind it. */
static void append_meaning(proto_item *item, const struct ibw_field *f, const void *wire)
{
	char text[ITEM_LABEL_LENGTH];
	struct ibw_out out = ibw_out_open(text, sizeof(text));
	const char *meaning;

	ibw_print_value(&out, f, wire);
	ibw_out_close(&out);
	if (said_without_number(f)) {
		proto_item_append_text(item, " (%s)", text);
		return;
	}
	meaning = strchr(text, '(');
	if (meaning)
		proto_item_append_text(item, " %s", meaning);
}

static void add_element(proto_tree *tree, tvbuff_t *tvb, int at, int hf, const struct ibw_field *f,
			const void *wire, unsigned int i)
{
	uint32_t bit = f->at + i * f->bits;
	int off = at + (int)(bit / 8), bytes = f->bits < 8 ? 1 : f->bits / 8;
	uint64_t v = ibw_field_get(f, wire, i);
	proto_item *item;

	if (f->kind == IBW_KIND_FLAG)
		item = proto_tree_add_boolean(tree, hf, tvb, off, bytes, (uint32_t)v);
	else if (f->kind == IBW_KIND_IPV4)
		item = proto_tree_add_item(tree, hf, tvb, off, bytes, ENC_BIG_ENDIAN);
	else if (f->bits > 32)
		item = proto_tree_add_uint64(tree, hf, tvb, off, bytes, v);
	else
		item = proto_tree_add_uint(tree, hf, tvb, off, bytes, (uint32_t)v);
	proto_item_prepend_text(item, "[%u] ", i);
}

static unsigned int encoding_of(const struct ibw_field *f)
{
	switch ((enum ibw_kind)f->kind) {
	case IBW_KIND_TEXT:
		return ENC_UTF_8;
	case IBW_KIND_LE:
		return ENC_LITTLE_ENDIAN;
	default:
		return ENC_BIG_ENDIAN;
	}
}

/* The bytes a field lies in as a number; Wireshark takes the field's bits out of it. */
static uint32_t load(const uint8_t *p, unsigned int bytes)
{
	uint32_t v = 0;

	while (bytes--)
		v = v << 8 | *p++;
	return v;
}

/* One number: an item made from it costs less than one that has Wireshark fetch it. */
static proto_item *add_value(proto_tree *tree, tvbuff_t *tvb, int at, int hf,
			     const struct ibw_field *f, const void *wire)
{
	struct iw_place place = iw_place_of(f);
	int off = at + (int)place.off, bytes = (int)place.bytes;
	const uint8_t *p = (const uint8_t *)wire + place.off;

	if (place.bytes > 4 || f->flags & IBW_FIELD_BYTES || f->kind == IBW_KIND_IPV4)
		return proto_tree_add_item(tree, hf, tvb, off, bytes, encoding_of(f));
	if (f->kind == IBW_KIND_FLAG)
		return proto_tree_add_boolean(tree, hf, tvb, off, bytes, load(p, place.bytes));
	return proto_tree_add_uint(tree, hf, tvb, off, bytes, load(p, place.bytes));
}

static void add_field(proto_tree *tree, tvbuff_t *tvb, int at, unsigned int layer, unsigned int row,
		      const void *wire, const struct ibw_mad_attr_row *attr)
{
	const struct ibw_field *f = &ibw_headers[layer].fields[row];
	const struct iw_header *header = &iw_headers[layer];
	const struct iw_bits *bits = &header->bits[row];
	struct iw_place place = iw_place_of(f);
	proto_item *item;
	unsigned int i;

	if (header->alias[row] > 0 && iw_alias_wanted(header->alias[row]))
		iw_alias_add(tree, tvb, at, header->alias[row], f, wire);
	if (!bits->count && f->kind != IBW_KIND_COMP_MASK && !iw_wanted(tree, header->field[row]))
		return;
	if (!ibw_field_shown(f, wire))
		return;
	if (f->count > 1) {
		for (i = 0; i < f->count; i++)
			add_element(tree, tvb, at, header->field[row], f, wire, i);
		return;
	}
	item = add_value(tree, tvb, at, header->field[row], f, wire);
	if (PTREE_DATA(tree)->visible && has_meaning(f))
		append_meaning(item, f, wire);
	if (f->kind == IBW_KIND_COMP_MASK && attr)
		iw_mad_comp_mask(proto_item_add_subtree(item, iw_ett_bits), tvb,
				 at + (int)place.off, item, attr, ibw_field_get(f, wire, 0));
	if (!bits->count)
		return;
	tree = proto_item_add_subtree(item, iw_ett_bits);
	for (i = 0; i < bits->count; i++)
		proto_tree_add_item(tree, bits->hf[i], tvb, at + (int)place.off, (int)place.bytes,
				    ENC_BIG_ENDIAN);
}

void iw_tree_header(proto_tree *tree, tvbuff_t *tvb, int at, const void *wire,
		    const struct ibw_span *span, const struct ibw_mad_attr_row *attr)
{
	const struct ibw_header *h = &ibw_headers[span->layer];
	proto_item *item;
	unsigned int i;

	if (iw_wanted(tree, iw_headers[span->layer].hf)) {
		item = proto_tree_add_item(tree, iw_headers[span->layer].hf, tvb, at, span->len,
					   ENC_NA);
		tree = proto_item_add_subtree(item, iw_headers[span->layer].ett);
	}
	for (i = 0; i < h->n_fields; i++)
		add_field(tree, tvb, at, span->layer, i, wire, attr);
	if (span->len > h->bytes)
		proto_tree_add_item(tree, iw_hf[IW_OPTIONS], tvb, at + h->bytes,
				    span->len - h->bytes, ENC_NA);
}

void iw_tree_layer(proto_tree *tree, const struct iw_frame *frame, const struct ibw_span *span,
		   const struct ibw_mad_attr_row *attr)
{
	tvbuff_t *tvb;
	int at;

	tvb = iw_frame_tvb(frame, span->off, &at);
	iw_tree_header(tree, tvb, at, frame->pkt.data + span->off, span, attr);
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
	const struct ibw_packet *pkt = &frame->pkt;
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

static void add_icrc(proto_tree *tree, packet_info *pinfo, const struct iw_frame *frame)
{
	static const struct crc_items items = { IW_ICRC, IW_ICRC_STATUS, &ei_icrc_bad, 4 };
	const struct ibw_packet *pkt = &frame->pkt;
	struct ibw_crc_verdict verdict;
	tvbuff_t *tvb;
	int at;

	if (iw_prefs.verify_icrc) {
		verdict = frame->has_icrc ? frame->icrc : ibw_packet_icrc(pkt);
		add_crc(tree, pinfo, frame, items, &verdict, pkt->icrc_off);
	} else if (pkt->icrc_off && pkt->icrc_off + 4 <= pkt->caplen) {
		tvb = iw_frame_tvb(frame, pkt->icrc_off, &at);
		proto_tree_add_checksum(tree, tvb, (unsigned int)at, iw_hf[IW_ICRC],
					iw_hf[IW_ICRC_STATUS], NULL, pinfo, 0, ENC_BIG_ENDIAN,
					PROTO_CHECKSUM_NO_FLAGS);
	}
}

/* What is left behind all layers, those of the packet's body included. */
static void find_payload(const struct iw_frame *frame, uint32_t *off, uint32_t *len)
{
	const struct ibw_packet *last = frame->has_body ? &frame->body : &frame->pkt;
	const struct ibw_mad_walked *mad = frame->mad ? &frame->mad->walked : NULL;

	*off = last->payload_off;
	*len = last->payload_len;
	if (!mad)
		return;
	*off += mad->data_off;
	*len = mad->attr || mad->flags & IBW_MAD_CONTROL ? 0 : mad->data_len;
}

static void add_rest(proto_tree *tree, packet_info *pinfo, const struct iw_frame *frame)
{
	static const struct crc_items vcrc_items = { IW_VCRC, IW_VCRC_STATUS, &ei_vcrc_bad, 2 };
	const struct ibw_packet *pkt = &frame->pkt;
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
	const struct ibw_packet *pkt = &frame->pkt;
	struct ibw_error error = pkt->error;
	enum ibw_outcome outcome = (enum ibw_outcome)pkt->outcome;
	const struct iw_mad *mad = iw_mad_of(frame, pinfo);
	proto_item *item;

	if (outcome == IBW_OK && frame->has_body) {
		outcome = (enum ibw_outcome)frame->body.outcome;
		error = frame->body.error;
	} else if (outcome == IBW_OK && mad) {
		outcome = (enum ibw_outcome)mad->walked.outcome;
		error = mad->walked.error;
		error.off += pkt->payload_off;
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
	const struct iw_mad *mad = iw_mad_of(frame, pinfo);

	add_layers(tree, frame, &frame->pkt, first);
	if (frame->has_body)
		add_layers(tree, frame, &frame->body, 0);
	if (mad)
		iw_mad_tree(tree, pinfo, frame, mad);
	iw_conv_tree(tree, pinfo, frame);
	add_rest(tree, pinfo, frame);
}
