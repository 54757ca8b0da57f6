/* SPDX-License-Identifier: GPL-2.0-or-later */
/* alias.c - the built-in dissector's names for our fields, of alias.def. */
#include <string.h>

#include <ibwire/ibwire.h>
#include <ibwire/print.h>

#include "iw.h"

struct alias {
	unsigned int layer;
	unsigned int at; /* which field: no two of a header begin at the same bit */
	const char *name;
};

static const struct alias aliases[] = {
#define IW_ALIAS(header, field, name) { IBW_LAYER_##header, ibw_##header##_##field##_AT, name },
#include "alias.def"
#undef IW_ALIAS
};

static bool is_uint(enum ftenum type)
{
	return type >= FT_UINT8 && type <= FT_UINT64;
}

/* Whether a field of ours can stand under a name that has this type. */
static bool fits(const struct ibw_field *f, const header_field_info *theirs)
{
	if (f->flags & IBW_FIELD_BYTES)
		return f->kind == IBW_KIND_GID && theirs->type == FT_IPv6;
	if (f->kind == IBW_KIND_FLAG)
		return theirs->type == FT_BOOLEAN;
	return is_uint(theirs->type) &&
	       (f->bits <= 32 || theirs->type == FT_UINT64 || f->bits > 64);
}

/* Theirs, so that scripts read the same text, as far as it needs no list of names. */
static int base_of(const header_field_info *theirs)
{
	int base = FIELD_DISPLAY(theirs->display);

	return base == BASE_DEC || base == BASE_DEC_HEX || base == BASE_HEX_DEC ? base : BASE_HEX;
}

static void register_one(const struct alias *alias, unsigned int row)
{
	const struct ibw_field *f = &ibw_headers[alias->layer].fields[row];
	header_field_info *theirs = proto_registrar_get_byname(alias->name);
	hf_register_info *info;
	int *id = &iw_headers[alias->layer].alias[row];

	if (!theirs || !fits(f, theirs))
		return;
	info = wmem_new0(wmem_epan_scope(), hf_register_info);
	info->p_id = id;
	info->hfinfo.name = f->label;
	info->hfinfo.abbrev = alias->name;
	info->hfinfo.type = theirs->type;
	info->hfinfo.display = is_uint(theirs->type) ? base_of(theirs) : (int)BASE_NONE;
	info->hfinfo.id = -1;
	info->hfinfo.parent = 0;
	info->hfinfo.ref_type = HF_REF_TYPE_NONE;
	info->hfinfo.same_name_prev_id = -1;
	*id = -1;
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

bool iw_alias_wanted(int hf)
{
	return iw_prefs.mode == IW_TAKE_OVER && (iw_prefs.builtin_names || iw_asked_for(hf));
}

void iw_alias_add(proto_tree *tree, tvbuff_t *tvb, int at, int hf, const struct ibw_field *f,
		  const void *wire)
{
	struct iw_place place = iw_place_of(f);
	int off = at + (int)place.off, bytes = (int)place.bytes;
	enum ftenum type;
	uint64_t v;
	proto_item *item;

	if (!proto_field_is_referenced(tree, hf))
		return;
	v = ibw_field_get(f, wire, 0);
	type = proto_registrar_get_nth((unsigned int)hf)->type;
	if (type == FT_IPv6)
		item = proto_tree_add_item(tree, hf, tvb, off, bytes, ENC_NA);
	else if (type == FT_BOOLEAN)
		item = proto_tree_add_boolean(tree, hf, tvb, off, bytes, (uint32_t)v);
	else if (type >= FT_UINT40)
		item = proto_tree_add_uint64(tree, hf, tvb, off, bytes, v);
	else
		item = proto_tree_add_uint(tree, hf, tvb, off, bytes, (uint32_t)v);
	proto_item_set_hidden(item);
}
