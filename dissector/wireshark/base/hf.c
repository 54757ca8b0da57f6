/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hf.c - Wireshark's fields, made from the reflection tables when the plugin registers. */
#include <stdio.h>
#include <string.h>

#include <ibwire/ibwire.h>
#include <ibwire/out.h>
#include <ibwire/print.h>

#include "hf.h"
#include "field.h"
#include "proto.h"
#include "lint/lint.h"

#include <epan/tfs.h>

struct iw_header iw_headers[IBW_LAYER_COUNT];
int iw_hf[IW_ITEM_COUNT];
int iw_ett = -1;
int iw_ett_bits = -1;

static wmem_array_t *rows; /* hf_register_info */

static const value_string hows[] = { { IW_SENDER_DETH, "deth" },
				     { IW_SENDER_CM, "cm" },
				     { IW_SENDER_ANSWERS, "ack" },
				     { 0, NULL } };

/* @blurb: what the status bar and lists of fields say of it. */
static void add(int *id, const char *abbrev, const char *label, enum ftenum type, int display,
		const void *strings, uint64_t mask, const char *blurb)
{
	hf_register_info row = { id,
				 { label, abbrev, type, display, strings, mask, blurb, HFILL } };

	*id = -1;
	wmem_array_append_one(rows, row);
}

static enum ftenum uint_type(unsigned int bytes)
{
	static const enum ftenum types[] = { FT_UINT8,  FT_UINT8,  FT_UINT16, FT_UINT24, FT_UINT32,
					     FT_UINT40, FT_UINT48, FT_UINT56, FT_UINT64 };

	return types[bytes];
}

/* The field's bits in the bytes it lies in; 0, as Wireshark wants it, if it fills them. */
static uint64_t mask_of(const struct ibw_field *f)
{
	struct iw_place place = iw_place_of(f);
	unsigned int shift = (8 - (f->at + f->bits) % 8) % 8;

	if (f->count > 1 || f->bits == place.bytes * 8)
		return 0;
	return ((1ull << f->bits) - 1) << shift;
}

static enum ftenum bytes_type(const struct ibw_field *f)
{
	switch ((enum ibw_kind)f->kind) {
	case IBW_KIND_GID:
	case IBW_KIND_IPV6:
		return FT_IPv6;
	case IBW_KIND_MAC:
		return FT_ETHER;
	case IBW_KIND_TEXT:
		return FT_STRINGZTRUNC;
	case IBW_KIND_LE:
	case IBW_KIND_LE_HEX:
		return uint_type(f->bits / 8);
	default:
		return FT_BYTES;
	}
}

static int base_of(const struct ibw_field *f)
{
	switch ((enum ibw_kind)f->kind) {
	case IBW_KIND_DEC:
	case IBW_KIND_MTU:
	case IBW_KIND_TIME_4096NS:
	case IBW_KIND_TIME_RNR:
	case IBW_KIND_UDP_PORT:
	case IBW_KIND_IP_PROTO:
	case IBW_KIND_ENUM_DEC:
	case IBW_KIND_TRAP_NUM:
		return BASE_DEC;
	case IBW_KIND_PSN: /* as findings have it, and Info */
		return BASE_HEX_DEC;
	case IBW_KIND_MSN:
		return f->bits > 8 ? BASE_DEC_HEX : BASE_DEC;
	case IBW_KIND_ENUM:
	case IBW_KIND_METHOD:
	case IBW_KIND_RATE:
		return f->bits < 8 ? BASE_DEC : BASE_HEX;
	default:
		return BASE_HEX;
	}
}

/* Kinds whose values mean something that the printer works out of the number. */
static bool has_meanings(const struct ibw_field *f)
{
	switch ((enum ibw_kind)f->kind) {
	case IBW_KIND_AETH_SYN:
	case IBW_KIND_MTU:
	case IBW_KIND_TIME_4096NS:
	case IBW_KIND_TIME_RNR:
		return f->bits <= 8;
	default:
		return false;
	}
}

/*
 * What the printer says of each value of a short field, without the number. A list costs
 * nothing until somebody looks at the item, which a text appended to it would.
 */
static const void *meanings_of(const struct ibw_field *f)
{
	unsigned int count = 1u << f->bits, v, n = 0;
	value_string *values = wmem_alloc0_array(wmem_epan_scope(), value_string, count + 1);
	struct ibw_field alone = *f;

	alone.at = 8 - f->bits;
	for (v = 0; v < count; v++) {
		uint8_t wire = (uint8_t)v;
		char text[128], *begin, *end;
		struct ibw_out out = ibw_out_open(text, sizeof(text));

		ibw_print_value(&out, &alone, &wire);
		ibw_out_close(&out);
		if (strspn(text, "0123456789") == strlen(text))
			continue;
		begin = strchr(text, '(');
		end = strrchr(text, ')');
		if (begin && end)
			*end = '\0';
		values[n].value = v;
		values[n++].strptr =
			wmem_strdup(wmem_epan_scope(), begin && end ? begin + 1 : text);
	}
	return VALS(values);
}

static const range_string pkeys[] = { { 0x0000, 0x7fff, "limited member" },
				      { 0x8000, 0xffff, "full member" },
				      { 0, 0, NULL } };

static const value_string qpns[] = { { IBW_QPN_MULTICAST, "multicast" }, { 0, NULL } };

/* Lists whose every row is one value of the field; those of masks name single bits. */
static const void *strings_of(const struct ibw_field *f)
{
	if (has_meanings(f))
		return meanings_of(f);
	switch ((enum ibw_kind)f->kind) {
	case IBW_KIND_ENUM:
	case IBW_KIND_ENUM_DEC:
	case IBW_KIND_METHOD:
	case IBW_KIND_TRAP_NUM:
	case IBW_KIND_PRODUCER:
	case IBW_KIND_RATE:
	case IBW_KIND_ETHERTYPE:
	case IBW_KIND_IP_PROTO:
		return f->bits <= 32 && f->names ? VALS((const value_string *)f->names) : NULL;
	default:
		return NULL;
	}
}

/* "Base Transport Header, bytes 5 to 7", "..., 2 bits of byte 1". */
static const char *place_text(const struct ibw_header *h, const struct ibw_field *f)
{
	unsigned int bits = f->bits * f->count, first = f->at / 8, last = (f->at + bits - 1) / 8;
	char bytes[32];

	if (first == last)
		snprintf(bytes, sizeof(bytes), "byte %u", first);
	else
		snprintf(bytes, sizeof(bytes), "bytes %u to %u", first, last);
	if (f->at % 8 == 0 && bits % 8 == 0)
		return wmem_strdup_printf(wmem_epan_scope(), "%s, %s", h->title, bytes);
	return wmem_strdup_printf(wmem_epan_scope(), "%s, %u bit%s of %s", h->title, bits,
				  bits == 1 ? "" : "s", bytes);
}

static void add_field(int *id, const char *abbrev, const struct ibw_header *h,
		      const struct ibw_field *f)
{
	struct iw_place place = iw_place_of(f);
	const char *place_of = place_text(h, f), *meaning = ibw_field_meaning(h, f);
	const char *blurb =
		meaning ? wmem_strdup_printf(wmem_epan_scope(), "%s (%s)", meaning, place_of)
			: place_of;

	if (f->flags & IBW_FIELD_BYTES || place.bytes > 8)
		add(id, abbrev, f->label, bytes_type(f),
		    f->kind == IBW_KIND_LE       ? BASE_DEC
		    : f->kind == IBW_KIND_LE_HEX ? BASE_HEX
						 : BASE_NONE,
		    NULL, 0, blurb);
	else if (f->kind == IBW_KIND_IPV4)
		add(id, abbrev, f->label, FT_IPv4, BASE_NONE, NULL, 0, blurb);
	else if (f->kind == IBW_KIND_FLAG)
		add(id, abbrev, f->label, FT_BOOLEAN,
		    f->count > 1 ? (int)BASE_NONE : (int)place.bytes * 8, TFS(&tfs_set_notset),
		    mask_of(f), blurb);
	else if (f->kind == IBW_KIND_P_KEY && f->count == 1)
		add(id, abbrev, f->label, FT_UINT16, BASE_HEX | BASE_RANGE_STRING, RVALS(pkeys), 0,
		    blurb);
	else if (f->kind == IBW_KIND_QPN && f->count == 1)
		add(id, abbrev, f->label, uint_type(place.bytes), BASE_HEX | BASE_SPECIAL_VALS,
		    VALS(qpns), mask_of(f), blurb);
	else
		add(id, abbrev, f->label, uint_type(place.bytes), base_of(f), strings_of(f),
		    mask_of(f), blurb);
}

char *iw_word_of(const char *text)
{
	char *word = wmem_strdup(wmem_epan_scope(), text), *p;

	for (p = word; *p; p++)
		*p = g_ascii_isalnum(*p) ? g_ascii_tolower(*p) : '_';
	return word;
}

static bool single_bit(const struct ibw_name *name)
{
	return name->value && !(name->value & (name->value - 1));
}

static bool has_bits(const struct ibw_field *f)
{
	return (f->kind == IBW_KIND_MASK || f->kind == IBW_KIND_WIDTH ||
		f->kind == IBW_KIND_SPEED) &&
	       f->names && f->count == 1 && f->bits <= 32 && f->bits > 1;
}

static void add_bits(struct iw_bits *bits, const char *abbrev, const struct ibw_header *h,
		     const struct ibw_field *f)
{
	struct iw_place place = iw_place_of(f);
	unsigned int shift = (8 - (f->at + f->bits) % 8) % 8, n = 0;
	const struct ibw_name *name;

	for (name = f->names; name->name; name++)
		bits->count += single_bit(name);
	bits->hf = wmem_alloc_array(wmem_epan_scope(), int, bits->count);
	for (name = f->names; name->name; name++)
		if (single_bit(name))
			add(&bits->hf[n++],
			    wmem_strdup_printf(wmem_epan_scope(), "%s.%s", abbrev,
					       iw_word_of(name->name)),
			    name->name, FT_BOOLEAN, (int)place.bytes * 8, TFS(&tfs_set_notset),
			    (uint64_t)name->value << shift,
			    wmem_strdup_printf(wmem_epan_scope(), "%s, %s, value 0x%x", h->title,
					       f->label, (unsigned int)name->value));
}

/* A component's bit in the mask of an SA header; those of an array are one field. */
static void add_comp(int *id, const struct ibw_header *h, const struct ibw_field *f)
{
	unsigned int count = MIN(f->count, 64u - (unsigned int)f->comp);
	uint64_t mask = (count < 64 ? (1ull << count) - 1 : UINT64_MAX) << f->comp;

	add(id,
	    wmem_strdup_printf(wmem_epan_scope(), "ibwire.sa.comp_mask.%s.%s", h->name, f->name),
	    f->label, FT_BOOLEAN, 64, TFS(&tfs_set_notset), mask,
	    wmem_strdup_printf(wmem_epan_scope(), "%s: whether the request selects by this field",
			       h->title));
}

static void add_header(struct iw_header *header, const struct ibw_header *h)
{
	const char *abbrev = wmem_strdup_printf(wmem_epan_scope(), "ibwire.%s", h->name);
	unsigned int i;

	add(&header->hf, abbrev, h->title, FT_NONE, BASE_NONE, NULL, 0,
	    wmem_strdup_printf(wmem_epan_scope(), "The whole header, %u bytes", h->bytes));
	header->ett = -1;
	header->field = wmem_alloc0_array(wmem_epan_scope(), struct iw_field, h->n_fields);
	header->comp = wmem_alloc0_array(wmem_epan_scope(), int, h->n_fields);
	header->bits = wmem_alloc0_array(wmem_epan_scope(), struct iw_bits, h->n_fields);
	for (i = 0; i < h->n_fields; i++) {
		const struct ibw_field *f = &h->fields[i];

		abbrev = wmem_strdup_printf(wmem_epan_scope(), "ibwire.%s.%s", h->name, f->name);
		add_field(&header->field[i].hf, abbrev, h, f);
		if (has_bits(f))
			add_bits(&header->bits[i], abbrev, h, f);
		if (f->comp >= 0 && f->comp < 64)
			add_comp(&header->comp[i], h, f);
		iw_field_plan(&header->field[i], f, header->bits[i].count);
	}
}

/* Number and text of what the libraries list as an array of names. */
static const value_string *values_of(const char *const *names, unsigned int count)
{
	value_string *values = wmem_alloc0_array(wmem_epan_scope(), value_string, count + 1);
	unsigned int i;

	for (i = 0; i < count; i++) {
		values[i].value = i;
		values[i].strptr = names[i];
	}
	return values;
}

static void add_items(void)
{
	add(&iw_hf[IW_PROTO_ITEM], "ibwire.proto", "Framing", FT_UINT8, BASE_NONE,
	    VALS(values_of(ibw_proto_names, IBW_PROTO_COUNT)), 0, "What carries the packet");
	add(&iw_hf[IW_OUTCOME], "ibwire.outcome", "Outcome", FT_UINT8, BASE_NONE,
	    VALS(values_of(ibw_outcome_names, array_length(ibw_outcome_names))), 0,
	    "Whether all of the packet could be read, and if not, why");
	add(&iw_hf[IW_ICRC], "ibwire.icrc", "Invariant CRC", FT_UINT32, BASE_HEX, NULL, 0,
	    "As it is in the packet, first byte first");
	add(&iw_hf[IW_ICRC_STATUS], "ibwire.icrc.status", "Invariant CRC Status", FT_UINT8,
	    BASE_NONE, VALS(proto_checksum_vals), 0, "What comparing it with the packet says");
	add(&iw_hf[IW_VCRC], "ibwire.vcrc", "Variant CRC", FT_UINT16, BASE_HEX, NULL, 0,
	    "As it is in the packet, first byte first");
	add(&iw_hf[IW_VCRC_STATUS], "ibwire.vcrc.status", "Variant CRC Status", FT_UINT8, BASE_NONE,
	    VALS(proto_checksum_vals), 0, "What comparing it with the packet says");
	add(&iw_hf[IW_OPTIONS], "ibwire.options", "Options", FT_BYTES, BASE_NONE, NULL, 0,
	    "Of a header longer than its fixed part");
	add(&iw_hf[IW_PAYLOAD], "ibwire.payload", "Payload", FT_BYTES, BASE_NONE, NULL, 0,
	    "What is after all headers, without pad and CRCs");
	add(&iw_hf[IW_PAYLOAD_LEN], "ibwire.payload_len", "Payload Length", FT_UINT32, BASE_DEC,
	    NULL, 0, "Bytes of it on the wire, captured or not");
	add(&iw_hf[IW_PAD], "ibwire.pad", "Pad", FT_BYTES, BASE_NONE, NULL, 0,
	    "As many bytes as BTH.PadCnt says");
	add(&iw_hf[IW_TRAILER], "ibwire.trailer", "Trailer", FT_BYTES, BASE_NONE, NULL, 0,
	    "After the last CRC: padding of Ethernet, or its FCS");
	add(&iw_hf[IW_RMPP_IN], "ibwire.rmpp.reassembled.in", "Reassembled in", FT_FRAMENUM,
	    BASE_NONE, NULL, 0, "The frame that has all records of the RMPP transfer");
	add(&iw_hf[IW_RMPP_SEGMENT], "ibwire.rmpp.reassembled.segment", "Segment", FT_FRAMENUM,
	    BASE_NONE, NULL, 0, "A frame the records are from");
	add(&iw_hf[IW_RMPP_LENGTH], "ibwire.rmpp.reassembled.length", "Reassembled Length",
	    FT_UINT32, BASE_DEC, NULL, 0, "Bytes of all segments of the RMPP transfer");
	add(&iw_hf[IW_QUOTED], "ibwire.quoted", "Quoted by an ICMP error", FT_STRING, BASE_NONE,
	    NULL, 0, "Why the packet was dropped, of which the error shows the headers");
	add(&iw_hf[IW_CONV_SQPN], "ibwire.conv.sqpn", "Source QP", FT_UINT24, BASE_HEX, NULL, 0,
	    "The queue pair of the sender, as its CM exchange or the answers to it say");
	add(&iw_hf[IW_CONV_HOW], "ibwire.conv.how", "Source QP known by", FT_UINT8, BASE_NONE,
	    VALS(hows), 0, "The DETH, the CM exchange, or the packets of both directions");
	add(&iw_hf[IW_CONV_SETUP], "ibwire.conv.setup", "Connection accepted in", FT_FRAMENUM,
	    BASE_NONE, NULL, 0, "The frame of the REP");
	add(&iw_hf[IW_CONV_SRC], "ibwire.conv.src", "Source", FT_STRING, BASE_NONE, NULL, 0,
	    "Address and queue pair of the sender");
	add(&iw_hf[IW_CONV_DST], "ibwire.conv.dst", "Destination", FT_STRING, BASE_NONE, NULL, 0,
	    "Address and queue pair of the receiver");
	add(&iw_hf[IW_CONV_END], "ibwire.conv.end", "Source or Destination", FT_STRING, BASE_NONE,
	    NULL, 0, "Address and queue pair of either end");
	add(&iw_hf[IW_LINT], "ibwire.lint", "Finding", FT_STRING, BASE_NONE, NULL, 0,
	    "What a rule found wrong: its id, its name and the message");
	add(&iw_hf[IW_LINT_RULE], "ibwire.lint.rule", "Rule", FT_STRING, BASE_NONE, NULL, 0,
	    "The id of the rule; pcap-lint --explain says more of it");
	add(&iw_hf[IW_LINT_NAME], "ibwire.lint.name", "Rule Name", FT_STRING, BASE_NONE, NULL, 0,
	    "The name of the rule");
	add(&iw_hf[IW_LINT_SEVERITY], "ibwire.lint.severity", "Severity", FT_UINT8, BASE_NONE,
	    VALS(values_of(lint_severity_names, LINT_SEVERITY_COUNT)), 0,
	    "0 is an error, 1 a warning, 2 a note");
	add(&iw_hf[IW_LINT_MESSAGE], "ibwire.lint.message", "Message", FT_STRING, BASE_NONE, NULL,
	    0, "What was found in this packet");
}

void iw_expert_blurb(const expert_field *ei, const char *blurb)
{
	proto_registrar_get_nth((unsigned int)ei->hf)->blurb = blurb;
}

void iw_hf_register(void)
{
	int *etts[IBW_LAYER_COUNT + 2];
	unsigned int i;

	rows = wmem_array_new(wmem_epan_scope(), sizeof(hf_register_info));
	add_items();
	for (i = 0; i < IBW_LAYER_COUNT; i++) {
		add_header(&iw_headers[i], &ibw_headers[i]);
		etts[i] = &iw_headers[i].ett;
	}
	etts[i++] = &iw_ett;
	etts[i++] = &iw_ett_bits;
	proto_register_field_array(iw_proto, wmem_array_get_raw(rows),
				   (int)wmem_array_get_count(rows));
	proto_register_subtree_array(etts, (int)i);
}
