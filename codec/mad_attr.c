/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * mad_attr.c - the layers of one attribute or one SA record.
 *
 * Most are the fixed layers their row names, one after the other. A table of
 * entries repeats its last layer to the end of its block; a Notice and a
 * MultiPathRecord say themselves what follows.
 */
#include <ibwire/ibwire.h>

#include "mad_attr.h"

/*
 * The data details of a trap, by its number: IBTA vol 1, 14.2.5.1. Other classes than subnet
 * management and administration have other traps of the same numbers.
 */
static uint16_t trap_layer(const struct ibw_notice_wire *notice, uint8_t attrs)
{
	if (!ibw_notice_is_generic(notice) || (attrs != IBW_ATTRS_SM && attrs != IBW_ATTRS_SA))
		return IBW_LAYER_notice_raw;
	switch (ibw_notice_trap_num(notice)) {
	case 64:
	case 65:
	case 66:
	case 67:
		return IBW_LAYER_notice_trap_64;
	case 128:
		return IBW_LAYER_notice_trap_128;
	case 129:
	case 130:
	case 131:
		return IBW_LAYER_notice_trap_129;
	case 144:
		return IBW_LAYER_notice_trap_144;
	case 145:
		return IBW_LAYER_notice_trap_145;
	case 256:
		return IBW_LAYER_notice_trap_256;
	case 257:
	case 258:
		return IBW_LAYER_notice_trap_257;
	case 259:
		return IBW_LAYER_notice_trap_259;
	default:
		return IBW_LAYER_notice_raw;
	}
}

static void walk_notice(struct ibw_attr_walk *w, uint8_t attrs)
{
	const struct ibw_notice_wire *notice =
		(const struct ibw_notice_wire *)(w->c.p + w->c.off - ibw_notice_BYTES);

	/* An SMP has 64 bytes for it and leaves the issuer GID out. */
	if (ibw_attr_take(w, trap_layer(notice, attrs)))
		ibw_attr_take(w, IBW_LAYER_notice_issuer);
}

static void walk_multipath(struct ibw_attr_walk *w)
{
	const struct ibw_multipath_rec_wire *rec =
		(const struct ibw_multipath_rec_wire *)(w->c.p + w->c.off -
							ibw_multipath_rec_BYTES);
	uint32_t gids =
		(uint32_t)ibw_multipath_rec_sgid_count(rec) + ibw_multipath_rec_dgid_count(rec);

	while (gids-- > 0)
		if (!ibw_attr_take(w, IBW_LAYER_multipath_gid))
			return;
}

/* What the entries of a VL arbitration or random forwarding table fill together. */
#define ENTRIES_BYTES 64

/* Entries of a block, the first of them taken already. */
static void walk_entries(struct ibw_attr_walk *w, uint16_t layer)
{
	uint32_t left = ENTRIES_BYTES - ibw_headers[layer].bytes;

	for (; left >= ibw_headers[layer].bytes; left -= ibw_headers[layer].bytes)
		if (!ibw_attr_take(w, layer))
			return;
}

/* Bytes of a record as far as its row names them. */
static uint32_t record_bytes(const struct ibw_mad_attr_row *attr)
{
	uint32_t bytes = 0, i;

	for (i = 0; i < 3 && attr->layers[i] != IBW_LAYER_COUNT; i++)
		if (attr->layers[i] == IBW_LAYER_vlarb_entry ||
		    attr->layers[i] == IBW_LAYER_rft_entry)
			bytes += ENTRIES_BYTES;
		else
			bytes += ibw_headers[attr->layers[i]].bytes;
	return bytes;
}

struct ibw_sa_table ibw_sa_table_of(const struct ibw_mad_attr_row *attr, uint32_t stride,
				    uint32_t bytes)
{
	struct ibw_sa_table t = { 0, stride, record_bytes(attr), bytes };

	if (!stride && bytes >= t.record && bytes < 2 * t.record)
		t.stride = bytes;
	if (!t.record || !bytes || t.stride < t.record)
		return t;
	t.n = bytes / t.stride;
	t.rest = bytes % t.stride;
	if (t.rest >= t.record) {
		t.n++;
		t.rest = 0;
	}
	return t;
}

uint32_t ibw_mad_walk_attr(const struct ibw_mad_attr_row *attr, uint32_t attr_mod, const uint8_t *p,
			   uint32_t n, struct ibw_span *span, uint32_t cap)
{
	struct ibw_attr_walk w = ibw_attr_walk_of(p, n, 0, attr_mod, span, cap);
	uint32_t i;

	for (i = 0; i < 3 && attr->layers[i] != IBW_LAYER_COUNT; i++) {
		if (!ibw_attr_take(&w, attr->layers[i]))
			return w.c.n_spans;
		switch (attr->layers[i]) {
		case IBW_LAYER_notice:
			walk_notice(&w, attr->attrs);
			break;
		case IBW_LAYER_multipath_rec:
			walk_multipath(&w);
			break;
		case IBW_LAYER_vlarb_entry:
		case IBW_LAYER_rft_entry:
			walk_entries(&w, attr->layers[i]);
			break;
		default:
			ibw_attr_walk_cm(&w, attr->layers[i]);
			ibw_attr_walk_gs(&w, attr->layers[i]);
		}
	}
	return w.c.n_spans;
}
