/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rmpp.c - the records that an RMPP transfer spreads over several MADs.
 *
 * A tracker reassembles them on the first pass; a complete one is kept with its last frame,
 * for as long as the file.
 */
#include <ibwire/ibwire.h>

#include "rmpp.h"
#include "wireshark/base/field.h"
#include "frame.h"
#include "wireshark/base/hf.h"
#include "mad.h"
#include "wireshark/base/prefs.h"
#include "track/track.h"

struct transfer {
	uint8_t *data;
	uint32_t len, stride, attr_mod;
	const struct ibw_mad_attr_row *attr;
	uint32_t *frames;
	unsigned int n_frames;
};

static wmem_map_t *complete; /* number of the last frame -> struct transfer */
static wmem_map_t *last_of;  /* number of a frame -> that of its transfer's last one */
static uint64_t kept_bytes;

void iw_rmpp_init(void)
{
	kept_bytes = 0;
	complete = wmem_map_new(wmem_file_scope(), g_direct_hash, g_direct_equal);
	last_of = wmem_map_new(wmem_file_scope(), g_direct_hash, g_direct_equal);
}

void iw_rmpp_cleanup(void)
{
	complete = NULL;
	last_of = NULL;
}

void iw_rmpp_keep(const struct iw_frame *frame, uint32_t number)
{
	const struct track_transfer *t = frame->context.transfer;
	struct transfer *kept;
	unsigned int i;

	if (!t || !t->rmpp.len || kept_bytes + t->rmpp.len > iw_prefs.rmpp_bytes)
		return;
	kept_bytes += t->rmpp.len;
	kept = wmem_new0(wmem_file_scope(), struct transfer);
	kept->len = t->rmpp.len;
	kept->data = wmem_memdup(wmem_file_scope(), t->rmpp.room, t->rmpp.len);
	kept->stride = t->record_stride;
	kept->attr = t->attr;
	kept->attr_mod = t->attr_mod;
	kept->n_frames = t->n_frames;
	kept->frames = wmem_alloc_array(wmem_file_scope(), uint32_t, t->n_frames);
	for (i = 0; i < t->n_frames; i++) {
		kept->frames[i] = (uint32_t)t->frames[i];
		wmem_map_insert(last_of, GUINT_TO_POINTER(kept->frames[i]),
				GUINT_TO_POINTER(number));
	}
	wmem_map_insert(complete, GUINT_TO_POINTER(number), kept);
}

static void add_records(proto_tree *tree, tvbuff_t *tvb, const struct transfer *t)
{
	struct track_record_walk w;
	uint32_t i;

	track_record_start(&w, t->attr, t->attr_mod, t->stride, t->data, t->len);
	while (track_record_next(&w)) {
		for (i = 0; i < w.n_spans; i++) {
			iw_tree_header(tree, tvb, (int)w.span[i].off, t->data + w.span[i].off,
				       &w.span[i], t->attr, false);
			iw_mad_block(tree, t->data, w.span, i, t->attr_mod);
		}
	}
}

void iw_rmpp_tree(proto_tree *tree, packet_info *pinfo, const struct iw_frame *frame)
{
	const struct transfer *t;
	uint32_t last;
	unsigned int i;
	tvbuff_t *tvb;
	proto_item *item;

	last = complete ? GPOINTER_TO_UINT(wmem_map_lookup(last_of, GUINT_TO_POINTER(pinfo->num)))
			: 0;
	if (!last)
		return;
	if (last != pinfo->num) {
		item = proto_tree_add_uint(tree, iw_hf[IW_RMPP_IN], frame->tvb, 0, 0, last);
		proto_item_set_generated(item);
		return;
	}
	t = wmem_map_lookup(complete, GUINT_TO_POINTER(last));
	tvb = tvb_new_child_real_data(frame->tvb, t->data, t->len, (int)t->len);
	add_new_data_source(pinfo, tvb, "Reassembled RMPP");
	for (i = 0; i < t->n_frames; i++) {
		item = proto_tree_add_uint(tree, iw_hf[IW_RMPP_SEGMENT], tvb, 0, 0, t->frames[i]);
		proto_item_set_generated(item);
	}
	item = proto_tree_add_uint(tree, iw_hf[IW_RMPP_LENGTH], tvb, 0, 0, t->len);
	proto_item_set_generated(item);
	add_records(tree, tvb, t);
}
