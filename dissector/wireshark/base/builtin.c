/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * builtin.c - the built-in dissector, called in take-over mode for what it alone knows: it learns
 * the connections of a CM exchange, and a filter may ask for fields that ours have no names for.
 */
#include <ibwire/ibwire.h>

#include "builtin.h"
#include "hf.h"
#include "proto.h"

#include <epan/exceptions.h>

#define HEURISTICS_MAX 32

static int proto_infiniband = -1;
static int hf_payload = -1, hf_etype = -1;
static bool knows_flush; /* and ATOMIC WRITE: from 4.4 on */
/* Its fields that are not among ours by the same name, and those that are. */
static wmem_array_t *unnamed, *named;

static bool is_ours(const char *name)
{
	const header_field_info *info = proto_registrar_get_byname(name);

	/* Of two of the same name the last one registered is found, and that is ours. */
	return info && info->parent == iw_proto;
}

void iw_builtin_handoff(void)
{
	header_field_info *info;
	void *cookie = NULL;

	unnamed = wmem_array_new(wmem_epan_scope(), sizeof(int));
	named = wmem_array_new(wmem_epan_scope(), sizeof(int));
	proto_infiniband = proto_get_id_by_filter_name("infiniband");
	hf_payload = proto_registrar_get_id_byname("infiniband.payload");
	hf_etype = proto_registrar_get_id_byname("infiniband.rwh.etype");
	knows_flush = proto_registrar_get_byname("infiniband.feth") != NULL;
	for (info = proto_get_first_protocol_field(proto_infiniband, &cookie); info;
	     info = proto_get_next_protocol_field(proto_infiniband, &cookie))
		wmem_array_append_one(is_ours(info->abbrev) ? named : unnamed, info->id);
}

bool iw_builtin_knows(uint8_t opcode)
{
	return opcode <= IBW_OP_RC_SEND_ONLY_WITH_INVALIDATE ||
	       (knows_flush && (opcode == IBW_OP_RC_FLUSH || opcode == IBW_OP_RC_ATOMIC_WRITE)) ||
	       (opcode >= IBW_OP_UC_SEND_FIRST &&
		opcode <= IBW_OP_UC_RDMA_WRITE_ONLY_WITH_IMMEDIATE) ||
	       opcode == IBW_OP_UD_SEND_ONLY || opcode == IBW_OP_UD_SEND_ONLY_WITH_IMMEDIATE;
}

/* Whether a filter, a column or a tap asks for one that only the built-in dissector has. */
static bool is_asked_for(void)
{
	unsigned int i;

	if (!iw_asked_for(proto_infiniband))
		return false;
	for (i = 0; i < wmem_array_get_count(unnamed); i++)
		if (iw_asked_for(*(int *)wmem_array_index(unnamed, i)))
			return true;
	return false;
}

/* What it is not to do: payloads are handed on by us, and our names are not to be there twice. */
struct quiet {
	heur_dtbl_entry_t *entry[HEURISTICS_MAX];
	unsigned int count;
	hf_ref_type *asked; /* for those of ours, by row of named */
	proto_tree *tree;   /* what shows, all of it would be in */
	bool visible;
};

static header_field_info *named_at(unsigned int i)
{
	return proto_registrar_get_nth(*(unsigned int *)wmem_array_index(named, i));
}

static void switch_off(const char *table, heur_dtbl_entry_t *entry, void *data)
{
	struct quiet *quiet = data;

	(void)table;
	if (!entry->enabled || quiet->count == HEURISTICS_MAX)
		return;
	entry->enabled = false;
	quiet->entry[quiet->count++] = entry;
}

static void be_quiet(struct quiet *quiet, packet_info *pinfo, proto_tree *tree)
{
	unsigned int i;

	quiet->tree = tree;
	quiet->visible = proto_tree_set_visible(tree, false);
	heur_dissector_table_foreach("infiniband.payload", switch_off, quiet);
	quiet->asked = wmem_alloc_array(pinfo->pool, hf_ref_type, wmem_array_get_count(named) + 1);
	for (i = 0; i < wmem_array_get_count(named); i++) {
		quiet->asked[i] = named_at(i)->ref_type;
		named_at(i)->ref_type = HF_REF_TYPE_NONE;
	}
}

static void as_before(struct quiet *quiet)
{
	unsigned int i;

	if (!quiet->tree)
		return;
	proto_tree_set_visible(quiet->tree, quiet->visible);
	while (quiet->count)
		quiet->entry[--quiet->count]->enabled = true;
	for (i = 0; i < wmem_array_get_count(named); i++)
		named_at(i)->ref_type = quiet->asked[i];
}

/*
 * Calls it, without what it does to columns and addresses, also where it reads beyond the end:
 * what is wrong with the packet, we have said.
 */
static void call(dissector_handle_t builtin, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree,
		 void *data, struct quiet *quiet)
{
	address src = pinfo->src, dst = pinfo->dst, net_src = pinfo->net_src,
		net_dst = pinfo->net_dst;
	bool writable = col_get_writable(pinfo->cinfo, -1);

	col_set_writable(pinfo->cinfo, -1, false);
	TRY
	{
		call_dissector_with_data(builtin, tvb, pinfo, tree, data);
	}
	CATCH_BOUNDS_ERRORS
	{
	}
	FINALLY
	{
		as_before(quiet);
		col_set_writable(pinfo->cinfo, -1, writable);
		pinfo->src = src;
		pinfo->dst = dst;
		pinfo->net_src = net_src;
		pinfo->net_dst = net_dst;
	}
	ENDTRY;
}

void iw_builtin_show(dissector_handle_t builtin, tvbuff_t *tvb, packet_info *pinfo,
		     proto_tree *tree, void *data)
{
	struct quiet quiet = { .tree = NULL };

	call(builtin, tvb, pinfo, tree, data, &quiet);
}

void iw_builtin_fields(dissector_handle_t builtin, tvbuff_t *tvb, packet_info *pinfo,
		       proto_tree *tree, void *data)
{
	struct quiet quiet = { .tree = NULL };
	proto_node *last;

	if (!tree || !is_asked_for())
		return;
	last = tree->last_child;
	be_quiet(&quiet, pinfo, tree);
	call(builtin, tvb, pinfo, tree, data, &quiet);
	iw_hide_behind(tree, last);
}

void iw_builtin_name(proto_tree *tree, tvbuff_t *tvb)
{
	if (iw_asked_for(proto_infiniband))
		proto_item_set_hidden(
			proto_tree_add_item(tree, proto_infiniband, tvb, 0, -1, ENC_NA));
}

/* The first @len bytes of the payload; negative: all. */
static void add_hidden(proto_tree *tree, int hf, tvbuff_t *payload, int len)
{
	if (hf > 0 && iw_asked_for(hf))
		proto_item_set_hidden(
			proto_tree_add_item(tree, hf, payload, 0, len, ENC_BIG_ENDIAN));
}

void iw_builtin_payload(proto_tree *tree, tvbuff_t *payload)
{
	if (!tree || tvb_captured_length(payload) < ibw_ipoib_BYTES)
		return;
	add_hidden(tree, hf_payload, payload, -1);
	add_hidden(tree, hf_etype, payload, 2);
}
