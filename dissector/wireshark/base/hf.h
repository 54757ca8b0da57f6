/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hf.h - the fields, made from the reflection tables, and items of them. */
#ifndef IW_HF_H
#define IW_HF_H

#include "compat.h"

#include <ibwire/packet.h>

#include "prefs.h"
#include "lint/lint.h"

/* The items that do not stand for a field of the schema. */
enum iw_item {
	IW_PROTO_ITEM, /* ibwire.proto */
	IW_OUTCOME,
	IW_ICRC,
	IW_ICRC_STATUS,
	IW_VCRC,
	IW_VCRC_STATUS,
	IW_OPTIONS, /* of a header longer than its fixed part */
	IW_PAYLOAD,
	IW_PAYLOAD_LEN,
	IW_PAD,
	IW_TRAILER,
	IW_RMPP_IN,
	IW_RMPP_SEGMENT,
	IW_RMPP_LENGTH,
	IW_QUOTED,
	IW_CONV_SQPN,
	IW_CONV_SETUP,
	IW_CONV_HOW,
	IW_CONV_SRC,
	IW_CONV_DST,
	IW_CONV_END,
	IW_LINT,
	IW_LINT_RULE,
	IW_LINT_NAME,
	IW_LINT_SEVERITY,
	IW_LINT_MESSAGE,
	IW_ITEM_COUNT
};

extern int iw_hf[IW_ITEM_COUNT];

/* The single bits of a mask: each an item of its own below the field's. */
struct iw_bits {
	unsigned int count;
	int *hf;
};

/* How a value gets into an item. */
enum iw_how {
	IW_FETCHED, /* by Wireshark, from the tvb */
	IW_NUMBER,
	IW_FLAG,
	IW_NUMBER64,
};

/* One field: what can be said of it before there is a packet. */
struct iw_field {
	int hf;
	int alias;    /* the same under the built-in's name; 0: has none */
	uint16_t off; /* where it lies in the header: as iw_place */
	uint16_t bytes;
	uint8_t how;       /* enum iw_how */
	uint8_t alias_how; /* enum iw_how */
	bool rare;         /* not just one item that is always there */
	bool theirs;       /* the built-in dissector has it, wherever it knows the header */
};

/* The items of one header: its subtree, then one for each row of its table. */
struct iw_header {
	int hf;
	int ett;
	struct iw_field *field; /* by row of ibw_headers[].fields */
	struct iw_bits *bits;   /* by row; count 0: not a mask */
	int *comp;              /* by row: its bit in a component mask; 0: has none */
};

extern struct iw_header iw_headers[IBW_LAYER_COUNT];
extern int iw_ett;      /* the protocol */
extern int iw_ett_bits; /* of a mask */

void iw_hf_register(void);
/* What lists of fields say of an expert item, which Wireshark has made the field of. */
void iw_expert_blurb(const expert_field *ei, const char *blurb);

/* @text as part of a field's name: small letters, digits and underscores. For ever. */
char *iw_word_of(const char *text);

/*
 * Whether an item would be there for anybody: most trees are built for a few fields, and
 * asking is cheaper than an item nobody looks at.
 */
static inline bool iw_wanted(proto_tree *tree, int hf)
{
	return PTREE_DATA(tree)->visible || proto_field_is_referenced(tree, hf);
}

/* An item of no bytes of the packet, if it is wanted. */
static inline void iw_add_generated(proto_tree *tree, tvbuff_t *tvb, int hf, uint32_t value)
{
	if (iw_wanted(tree, hf))
		proto_item_set_generated(proto_tree_add_uint(tree, hf, tvb, 0, 0, value));
}

/* The same of a time in nanoseconds, as trackers have it. */
static inline void iw_add_ns(proto_tree *tree, tvbuff_t *tvb, int hf, uint64_t ns)
{
	const nstime_t time = { (time_t)(ns / 1000000000u), (int)(ns % 1000000000u) };

	if (iw_wanted(tree, hf))
		proto_item_set_generated(proto_tree_add_time(tree, hf, tvb, 0, 0, &time));
}

/* A time of Wireshark's in nanoseconds, as trackers have it. */
static inline uint64_t iw_ns(const nstime_t *t)
{
	return (uint64_t)t->secs * 1000000000u + (uint64_t)t->nsecs;
}

/* A row of what proto_register_field_array() takes. */
#define IW_ROW(hf, label, name, type, base, strings, blurb)                                        \
	{                                                                                          \
		&(hf),                                                                             \
		{                                                                                  \
			label, name, type, base, strings, 0, blurb, HFILL                          \
		}                                                                                  \
	}

/* Whether a filter, a column or a tap asks for it by name: for items only they have a use for. */
static inline bool iw_asked_for(int hf)
{
	return proto_registrar_get_nth((unsigned int)hf)->ref_type != HF_REF_TYPE_NONE;
}

/*
 * Hides the items of @tree after @last, NULL: all. Not left out: -T fields of Wireshark 4.0 asks for
 * nothing by name, but builds a tree that shows.
 */
static inline void iw_hide_behind(proto_tree *tree, proto_node *last)
{
	proto_node *node = last ? last->next : tree->first_child;

	for (; node; node = node->next)
		proto_item_set_hidden(node);
}

/* Whether a field is to be there under the built-in's name @hf, too, in a tree that shows or not. */
static inline bool iw_alias_wanted(int hf, bool visible)
{
	return iw_prefs.mode == IW_TAKE_OVER &&
	       ((visible && iw_prefs.names != IW_NAMES_IBWIRE) || iw_asked_for(hf));
}

/* An item of value @v; one that is fetched is read with @encoding instead. */
static inline proto_item *iw_add_value(proto_tree *tree, int hf, tvbuff_t *tvb, int off, int bytes,
				       enum iw_how how, uint64_t v, unsigned int encoding)
{
	switch (how) {
	case IW_NUMBER:
		return proto_tree_add_uint(tree, hf, tvb, off, bytes, (uint32_t)v);
	case IW_FLAG:
		return proto_tree_add_boolean(tree, hf, tvb, off, bytes, (uint32_t)v);
	case IW_NUMBER64:
		return proto_tree_add_uint64(tree, hf, tvb, off, bytes, v);
	case IW_FETCHED:
		break;
	}
	return proto_tree_add_item(tree, hf, tvb, off, bytes, encoding);
}

/* Where a field lies, as Wireshark counts: whole bytes. */
struct iw_place {
	unsigned int off, bytes;
};

static inline struct iw_place iw_place_of(const struct ibw_field *f)
{
	return (struct iw_place){ f->at / 8, (f->at + f->bits - 1) / 8 - f->at / 8 + 1 };
}

/* Who says which queue pair a packet comes from: the values of IW_CONV_HOW. */
enum iw_sender_how {
	IW_SENDER_NOT,
	IW_SENDER_DETH,
	IW_SENDER_CM,
	IW_SENDER_ANSWERS, /* those of its connection: known when every frame was seen */
};

#endif /* IW_HF_H */
