/* SPDX-License-Identifier: GPL-2.0-or-later */
/* field.c - the fields of one header as items of the tree. */
#include <string.h>

#include <ibwire/ibwire.h>
#include <ibwire/out.h>
#include <ibwire/print.h>

#include "field.h"
#include "alias.h"
#include "builtin.h"
#include "hf.h"
#include "prefs.h"

/* "4096 B": what ibw_print_value() says instead of the number, not after it. */
static bool said_without_number(const struct ibw_field *f)
{
	return f->kind == IBW_KIND_WIDTH || f->kind == IBW_KIND_SPEED || f->kind == IBW_KIND_MTU ||
	       f->kind == IBW_KIND_TIME_4096NS;
}

/* Whether Wireshark may have no way to say what the value means. */
static bool may_have_meaning(const struct ibw_field *f)
{
	switch ((enum ibw_kind)f->kind) {
	case IBW_KIND_GID:
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

static bool has_meaning(const struct ibw_field *f, const void *wire)
{
	return may_have_meaning(f) &&
	       (f->kind != IBW_KIND_GID ||
		ibw_gid_is_multicast((const uint8_t *)wire + iw_place_of(f).off));
}

static enum iw_how how_of(const struct ibw_field *f)
{
	struct iw_place place = iw_place_of(f);

	if (place.bytes > 4 || f->flags & IBW_FIELD_BYTES || f->kind == IBW_KIND_IPV4)
		return IW_FETCHED;
	return f->kind == IBW_KIND_FLAG ? IW_FLAG : IW_NUMBER;
}

void iw_field_plan(struct iw_field *field, const struct ibw_field *f, unsigned int bits)
{
	struct iw_place place = iw_place_of(f);

	field->off = (uint16_t)place.off;
	field->bytes = (uint16_t)place.bytes;
	field->how = (uint8_t)how_of(f);
	field->rare = f->flags & IBW_FIELD_RSVD || f->kind == IBW_KIND_ZERO || f->count > 1 ||
		      f->kind == IBW_KIND_COMP_MASK || bits || may_have_meaning(f);
}

/* What the number means, after it. */
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

static unsigned int encoding_of(const struct ibw_field *f)
{
	switch ((enum ibw_kind)f->kind) {
	case IBW_KIND_TEXT:
		return ENC_UTF_8;
	case IBW_KIND_LE:
	case IBW_KIND_LE_HEX:
		return ENC_LITTLE_ENDIAN;
	default:
		return ENC_BIG_ENDIAN;
	}
}

/* The bytes a field lies in as a number; Wireshark takes the field's bits out of it. */
static inline uint32_t load(const uint8_t *p, unsigned int bytes)
{
	uint32_t v = 0;

	while (bytes--)
		v = v << 8 | *p++;
	return v;
}

/* One value: an item made from a number costs less than one that has Wireshark fetch it. */
static inline proto_item *add_value(proto_tree *tree, tvbuff_t *tvb, int at,
				    const struct iw_field *field, const struct ibw_field *f,
				    const uint8_t *wire)
{
	if (field->how == IW_FETCHED)
		return proto_tree_add_item(tree, field->hf, tvb, at + field->off, field->bytes,
					   encoding_of(f));
	return iw_add_value(tree, field->hf, tvb, at + field->off, field->bytes,
			    (enum iw_how)field->how, load(wire + field->off, field->bytes), ENC_NA);
}

static void add_element(proto_tree *tree, tvbuff_t *tvb, int at, const struct iw_field *field,
			const struct ibw_field *f, const void *wire, unsigned int i)
{
	int off = at + (int)((f->at + i * f->bits) / 8), bytes = f->bits < 8 ? 1 : f->bits / 8;
	proto_item *item = iw_add_value(tree, field->hf, tvb, off, bytes, (enum iw_how)field->how,
					ibw_field_get(f, wire, i), ENC_BIG_ENDIAN);

	proto_item_prepend_text(item, "[%u] ", i);
}

static void add_bits(proto_tree *tree, tvbuff_t *tvb, int at, const struct iw_field *field,
		     const struct iw_bits *bits)
{
	unsigned int i;

	for (i = 0; i < bits->count; i++)
		proto_tree_add_item(tree, bits->hf[i], tvb, at + field->off, field->bytes,
				    ENC_BIG_ENDIAN);
}

/*
 * Below the component mask @item of value @mask at @at: what it selects of the layers of @attr that have
 * components.
 */
static void add_components(proto_tree *tree, tvbuff_t *tvb, int at, proto_item *item,
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

/* A field that may be left out, or is more than one item. */
static void add_rare(proto_tree *tree, tvbuff_t *tvb, int at, const struct iw_header *header,
		     unsigned int row, const struct ibw_field *f, const void *wire,
		     const struct ibw_mad_attr_row *attr)
{
	const struct iw_field *field = &header->field[row];
	const struct iw_bits *bits = &header->bits[row];
	proto_item *item;
	unsigned int i;

	if (!bits->count && f->kind != IBW_KIND_COMP_MASK && !iw_wanted(tree, field->hf))
		return;
	if (!ibw_field_shown(f, wire))
		return;
	if (f->count > 1) {
		for (i = 0; i < f->count; i++)
			add_element(tree, tvb, at, field, f, wire, i);
		return;
	}
	item = add_value(tree, tvb, at, field, f, wire);
	if (PTREE_DATA(tree)->visible && has_meaning(f, wire))
		append_meaning(item, f, wire);
	if (f->kind == IBW_KIND_COMP_MASK && attr)
		add_components(proto_item_add_subtree(item, iw_ett_bits), tvb, at + field->off,
			       item, attr, ibw_field_get(f, wire, 0));
	if (bits->count)
		add_bits(proto_item_add_subtree(item, iw_ett_bits), tvb, at, field, bits);
}

/* Whether a field that is there under the built-in's name is to be there under ours. */
static inline bool ours_beside(const struct iw_field *field)
{
	return iw_prefs.names != IW_NAMES_INFINIBAND || field->rare || iw_asked_for(field->hf);
}

/* Whether the built-in dissector shows as much; it does not say what is multicast. */
static bool has_theirs(const struct iw_field *field, const struct ibw_field *f, const void *wire)
{
	if (!field->theirs || iw_asked_for(field->hf))
		return false;
	switch ((enum ibw_kind)f->kind) {
	case IBW_KIND_GID:
		return !has_meaning(f, wire);
	case IBW_KIND_ENUM:
		return f->names != ibw_opcode_names ||
		       iw_builtin_knows((uint8_t)ibw_field_get(f, wire, 0));
	case IBW_KIND_QPN:
		return ibw_field_get(f, wire, 0) != IBW_QPN_MULTICAST;
	default:
		return true;
	}
}

static void add_fields(proto_tree *tree, tvbuff_t *tvb, int at, unsigned int layer,
		       const void *wire, const struct ibw_mad_attr_row *attr, bool lacking)
{
	const struct ibw_header *h = &ibw_headers[layer];
	const struct iw_header *header = &iw_headers[layer];
	const struct iw_field *field = header->field;
	bool visible = PTREE_DATA(tree)->visible;
	proto_node *last;
	unsigned int i;

	for (i = 0; i < h->n_fields; i++, field++) {
		last = tree->last_child;
		if (field->alias > 0 && iw_alias_wanted(field->alias, visible)) {
			iw_alias_add(tree, tvb, at, field, &h->fields[i], wire);
			if (!ours_beside(field))
				continue;
		}
		if (field->rare)
			add_rare(tree, tvb, at, header, i, &h->fields[i], wire, attr);
		else if (visible || proto_field_is_referenced(tree, field->hf))
			add_value(tree, tvb, at, field, &h->fields[i], wire);
		if (lacking && visible && has_theirs(field, &h->fields[i], wire))
			iw_hide_behind(tree, last);
	}
}

/* Whether there is a field of the header that the built-in dissector has not, or that is asked for. */
static bool has_own(unsigned int layer, const void *wire)
{
	const struct ibw_header *h = &ibw_headers[layer];
	const struct iw_field *field = iw_headers[layer].field;
	unsigned int i;

	for (i = 0; i < h->n_fields; i++)
		if (!has_theirs(&field[i], &h->fields[i], wire) &&
		    ibw_field_shown(&h->fields[i], wire))
			return true;
	return false;
}

void iw_tree_header(proto_tree *tree, tvbuff_t *tvb, int at, const void *wire,
		    const struct ibw_span *span, const struct ibw_mad_attr_row *attr, bool lacking)
{
	const struct ibw_header *h = &ibw_headers[span->layer];
	proto_item *item;

	if (iw_wanted(tree, iw_headers[span->layer].hf)) {
		proto_node *last = tree->last_child;

		item = proto_tree_add_item(tree, iw_headers[span->layer].hf, tvb, at, span->len,
					   ENC_NA);
		if (lacking && !iw_asked_for(iw_headers[span->layer].hf) &&
		    !has_own(span->layer, wire))
			iw_hide_behind(tree, last);
		tree = proto_item_add_subtree(item, iw_headers[span->layer].ett);
	}
	add_fields(tree, tvb, at, span->layer, wire, attr, lacking);
	if (span->len > h->bytes)
		proto_tree_add_item(tree, iw_hf[IW_OPTIONS], tvb, at + h->bytes,
				    span->len - h->bytes, ENC_NA);
}
