/* SPDX-License-Identifier: GPL-2.0-or-later */
/* alias.c - the built-in dissector's names for our fields, of alias.def. */
#include <string.h>

#include <ibwire/ibwire.h>
#include <ibwire/print.h>

#include "alias.h"
#include "hf.h"
#include "proto.h"
#include "prefs.h"

struct alias {
	unsigned int layer;
	unsigned int at; /* which field: no two of a header begin at the same bit */
	const char *name;
	bool better; /* ours says more of the value */
};

static const struct alias aliases[] = {
#define ALIAS(header, field, name, better)                                                         \
	{ IBW_LAYER_##header, ibw_##header##_##field##_AT, name, better },
#define IW_ALIAS(header, field, name) ALIAS(header, field, name, false)
#define IW_ALIAS_BETTER(header, field, name) ALIAS(header, field, name, true)
#include "alias.def"
#undef IW_ALIAS
#undef IW_ALIAS_BETTER
#undef ALIAS
};

static bool is_uint(enum ftenum type)
{
	return type >= FT_UINT8 && type <= FT_UINT64;
}

/* Whether a field of ours can be under a name that has this type. */
static bool fits(const struct ibw_field *f, const header_field_info *theirs)
{
	if (f->flags & IBW_FIELD_BYTES)
		return f->kind == IBW_KIND_GID && theirs->type == FT_IPv6;
	if (f->kind == IBW_KIND_FLAG)
		return theirs->type == FT_BOOLEAN;
	if (theirs->type == FT_BYTES)
		return f->at % 8 == 0 && f->bits % 8 == 0;
	return is_uint(theirs->type) &&
	       (f->bits <= 32 || theirs->type == FT_UINT64 || f->bits > 64);
}

/* Theirs, so that scripts read the same text, as far as it needs no list of names. */
static int base_of(const header_field_info *theirs)
{
	int base = FIELD_DISPLAY(theirs->display);

	return base == BASE_DEC || base == BASE_DEC_HEX || base == BASE_HEX_DEC ? base : BASE_HEX;
}

static enum iw_how how_of(enum ftenum type)
{
	if (type == FT_IPv6 || type == FT_BYTES)
		return IW_FETCHED;
	if (type == FT_BOOLEAN)
		return IW_FLAG;
	return type >= FT_UINT40 ? IW_NUMBER64 : IW_NUMBER;
}

static void register_one(const struct alias *alias, unsigned int row)
{
	const struct ibw_field *f = &ibw_headers[alias->layer].fields[row];
	header_field_info *theirs = proto_registrar_get_byname(alias->name);
	hf_register_info *info;
	struct iw_field *field = &iw_headers[alias->layer].field[row];

	field->theirs = theirs && !alias->better;
	if (!theirs || !fits(f, theirs))
		return;
	info = wmem_new0(wmem_epan_scope(), hf_register_info);
	info->p_id = &field->alias;
	info->hfinfo.name = f->label;
	info->hfinfo.abbrev = alias->name;
	info->hfinfo.blurb = "As the built-in dissector names it";
	info->hfinfo.type = theirs->type;
	info->hfinfo.display = is_uint(theirs->type) ? base_of(theirs) : (int)BASE_NONE;
	info->hfinfo.id = -1;
	info->hfinfo.parent = 0;
	info->hfinfo.ref_type = HF_REF_TYPE_NONE;
	info->hfinfo.same_name_prev_id = -1;
	field->alias = -1;
	field->alias_how = (uint8_t)how_of(theirs->type);
	proto_register_field_array(iw_proto, info, 1);
}

void iw_alias_register(void)
{
	unsigned int i, row;

	for (i = 0; i < array_length(aliases); i++)
		for (row = 0; row < ibw_headers[aliases[i].layer].n_fields; row++)
			if (ibw_headers[aliases[i].layer].fields[row].at == aliases[i].at)
				register_one(&aliases[i], row);
}

void iw_alias_add(proto_tree *tree, tvbuff_t *tvb, int at, const struct iw_field *field,
		  const struct ibw_field *f, const void *wire)
{
	proto_item *item =
		iw_add_value(tree, field->alias, tvb, at + field->off, field->bytes,
			     (enum iw_how)field->alias_how, ibw_field_get(f, wire, 0), ENC_NA);

	if (iw_prefs.names != IW_NAMES_INFINIBAND)
		proto_item_set_hidden(item);
}
