/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * send.c - SENDs of several packets, reassembled in take-over mode for upper layers that read whole
 * messages only.
 *
 * On the first pass, and not what an upper layer takes packet by packet. A whole message is kept with
 * its last frame for as long as the file; those that are not whole yet count for the memory, too.
 */
#include <string.h>

#include <ibwire/ibwire.h>

#include "iw.h"
#include "track/flow.h"

struct iw_send {
	struct track_flow flow;
	uint8_t *data;
	uint32_t *frames;
	uint32_t len, room;
	uint32_t n_frames, frames_room;
	uint32_t psn; /* of the next packet */
};

static wmem_map_t *growing; /* flow -> struct iw_send */
static wmem_map_t *last_of; /* number of a frame -> that of the last one of its message */
static uint64_t used;

static unsigned int hash(const void *key)
{
	return wmem_strong_hash(key, sizeof(struct track_flow));
}

static gboolean equal(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct track_flow)) == 0;
}

void iw_send_init(void)
{
	used = 0;
	growing = wmem_map_new(wmem_file_scope(), hash, equal);
	last_of = wmem_map_new(wmem_file_scope(), g_direct_hash, g_direct_equal);
}

void iw_send_cleanup(void)
{
	growing = last_of = NULL;
}

bool iw_send_is_part(uint8_t opcode)
{
	return iw_prefs.send_bytes && (opcode <= IBW_OP_RC_SEND_LAST_WITH_IMMEDIATE ||
				       opcode == IBW_OP_RC_SEND_LAST_WITH_INVALIDATE);
}

uint8_t iw_send_whole_opcode(uint8_t last)
{
	if (last == IBW_OP_RC_SEND_LAST_WITH_INVALIDATE)
		return IBW_OP_RC_SEND_ONLY_WITH_INVALIDATE;
	return last == IBW_OP_RC_SEND_LAST ? IBW_OP_RC_SEND_ONLY
					   : IBW_OP_RC_SEND_ONLY_WITH_IMMEDIATE;
}

static uint64_t bytes_of(const struct iw_send *s)
{
	return sizeof(*s) + s->room + (uint64_t)s->frames_room * sizeof(uint32_t);
}

static void drop(struct iw_send *s)
{
	if (!s)
		return;
	wmem_map_remove(growing, &s->flow);
	used -= bytes_of(s);
	wmem_free(wmem_file_scope(), s->data);
	wmem_free(wmem_file_scope(), s->frames);
	wmem_free(wmem_file_scope(), s);
}

void iw_send_drop(const struct iw_frame *frame)
{
	struct track_flow flow;

	if (growing && track_flow_gids_of(&frame->view.pkt, &flow))
		drop(wmem_map_lookup(growing, &flow));
}

/* Room for @len bytes more, and a frame; twice as much as needed, so that it is rarely made. */
static bool make_room(struct iw_send *s, uint32_t len)
{
	uint64_t before = bytes_of(s), room = 2 * ((uint64_t)s->len + len);
	struct iw_send more = *s;

	if (len <= s->room - s->len && s->n_frames < s->frames_room)
		return true;
	if (room > INT32_MAX)
		return false;
	more.room = MAX(s->room, (uint32_t)room);
	more.frames_room = 2 * (s->n_frames + 1);
	if (used - before + bytes_of(&more) > iw_prefs.send_bytes)
		return false;
	used += bytes_of(&more) - before;
	s->room = more.room;
	s->frames_room = more.frames_room;
	s->data = wmem_realloc(wmem_file_scope(), s->data, s->room);
	s->frames = wmem_realloc(wmem_file_scope(), s->frames, s->frames_room * sizeof(uint32_t));
	return true;
}

static struct iw_send *begin(const struct track_flow *flow, uint32_t psn)
{
	struct iw_send *s;

	if (used + sizeof(*s) > iw_prefs.send_bytes)
		return NULL;
	used += sizeof(*s);
	s = wmem_new0(wmem_file_scope(), struct iw_send);
	s->flow = *flow;
	s->psn = psn;
	wmem_map_insert(growing, &s->flow, s);
	return s;
}

/* The message that the packet belongs to next; NULL: none, or the packet came before. */
static struct iw_send *message_of(const struct ibw_packet *pkt)
{
	uint32_t psn = ibw_bth_psn(IBW_KNOWN(pkt, bth));
	struct track_flow flow;
	struct iw_send *s;

	if (!track_flow_gids_of(pkt, &flow))
		return NULL;
	s = wmem_map_lookup(growing, &flow);
	if (pkt->opcode == IBW_OP_RC_SEND_FIRST) {
		drop(s);
		return begin(&flow, psn);
	}
	/* Else a copy, or one before it is missing, which may be sent again, and all after it with it. */
	return s && psn == s->psn ? s : NULL;
}

/* The keys of what is kept with a frame: a whole message, and that the packet was put to one. */
static uint32_t key_of(const struct ibw_packet *pkt)
{
	return pkt->payload_off | 0x80000000;
}

static uint32_t mark_of(const struct ibw_packet *pkt)
{
	return pkt->payload_off | 0xc0000000;
}

bool iw_send_has(const struct iw_frame *frame, packet_info *pinfo)
{
	const struct ibw_packet *pkt = &frame->view.pkt;
	const struct iw_send *s;
	struct track_flow flow;

	if (pinfo->fd->visited)
		return p_get_proto_data(wmem_file_scope(), pinfo, iw_proto, mark_of(pkt)) != NULL;
	if (!growing || pkt->opcode == IBW_OP_RC_SEND_FIRST || !track_flow_gids_of(pkt, &flow))
		return false;
	s = wmem_map_lookup(growing, &flow);
	return s && s->psn == ibw_bth_psn(IBW_KNOWN(pkt, bth));
}

/* It is whole: no more room than it needs. */
static void keep(struct iw_send *s)
{
	wmem_map_remove(growing, &s->flow);
	used -= bytes_of(s);
	s->room = s->len;
	s->frames_room = s->n_frames;
	used += bytes_of(s);
	s->data = wmem_realloc(wmem_file_scope(), s->data, s->room);
	s->frames = wmem_realloc(wmem_file_scope(), s->frames, s->frames_room * sizeof(uint32_t));
}

void iw_send_add(struct iw_frame *frame, packet_info *pinfo)
{
	const struct ibw_packet *pkt = &frame->view.pkt;
	uint32_t len = pkt->payload_len;
	struct iw_send *s;

	/* The receiver drops it, and gets another. */
	if (!growing ||
	    (iw_prefs.verify_icrc && track_view_icrc(&frame->view).status == IBW_CRC_BAD))
		return;
	s = message_of(pkt);
	if (!s)
		return;
	if (ibw_packet_payload_captured(pkt) < len || !make_room(s, len)) {
		drop(s);
		return;
	}
	memcpy(s->data + s->len, pkt->data + pkt->payload_off, len);
	s->len += len;
	s->frames[s->n_frames++] = pinfo->num;
	s->psn = (s->psn + 1) & 0xffffff;
	p_set_proto_data(wmem_file_scope(), pinfo, iw_proto, mark_of(pkt), GUINT_TO_POINTER(1));
	if (!(ibw_opcodes[pkt->opcode].flags & IBW_OPF_LAST) || !s->len)
		return;
	keep(s);
	p_set_proto_data(wmem_file_scope(), pinfo, iw_proto, key_of(pkt), s);
}

const struct iw_send *iw_send_of(const struct iw_frame *frame, packet_info *pinfo)
{
	return p_get_proto_data(wmem_file_scope(), pinfo, iw_proto, key_of(&frame->view.pkt));
}

tvbuff_t *iw_send_tvb(const struct iw_send *s, const struct iw_frame *frame, packet_info *pinfo)
{
	tvbuff_t *tvb = tvb_new_child_real_data(frame->tvb, s->data, s->len, (int)s->len);

	add_new_data_source(pinfo, tvb, "Reassembled SEND");
	return tvb;
}

static void add_frame(proto_tree *tree, tvbuff_t *tvb, enum iw_item item, uint32_t frame)
{
	proto_item_set_generated(proto_tree_add_uint(tree, iw_hf[item], tvb, 0, 0, frame));
}

void iw_send_taken(proto_tree *tree, const struct iw_send *s, tvbuff_t *tvb)
{
	uint32_t last = s->frames[s->n_frames - 1], i;

	for (i = 0; i + 1 < s->n_frames && last_of; i++)
		wmem_map_insert(last_of, GUINT_TO_POINTER(s->frames[i]), GUINT_TO_POINTER(last));
	if (!tree)
		return;
	for (i = 0; i < s->n_frames; i++)
		add_frame(tree, tvb, IW_SEND_SEGMENT, s->frames[i]);
	add_frame(tree, tvb, IW_SEND_LENGTH, s->len);
}

void iw_send_part(proto_tree *tree, packet_info *pinfo, const struct iw_frame *frame)
{
	uint32_t last =
		last_of ? GPOINTER_TO_UINT(wmem_map_lookup(last_of, GUINT_TO_POINTER(pinfo->num)))
			: 0;

	if (last && tree)
		add_frame(tree, frame->tvb, IW_SEND_IN, last);
}
