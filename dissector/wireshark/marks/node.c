/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * node.c - which nodes a MAD is from, to and about, as far as subnet management has said before it: descriptions, or GUIDs.
 *
 * What is known is kept with the frame, so that it says the same in a single pass and in two.
 */
#include <ibwire/packet.h>

#include "node.h"
#include "wireshark/packet/frame.h"
#include "wireshark/packet/mad.h"
#include "wireshark/base/proto.h"
#include "track/track.h"

/* The same text of many frames is kept once. */
struct names {
	const char *src, *dst, *at; /* NULL: not known */
};

static int hf_src = -1, hf_dst = -1, hf_at = -1;
static wmem_map_t *frames; /* number -> struct names */
static wmem_map_t *texts;  /* text -> itself */

void iw_node_register(void)
{
	static hf_register_info rows[] = {
		{ &hf_src,
		  { "Source node", "ibwire.node.src", FT_STRING, BASE_NONE, NULL, 0,
		    "Description of the node that has the source LID, else its GUID", HFILL } },
		{ &hf_dst,
		  { "Destination node", "ibwire.node.dst", FT_STRING, BASE_NONE, NULL, 0,
		    "Description of the node that has the destination LID, else its GUID",
		    HFILL } },
		{ &hf_at,
		  { "Node at the end of the directed route", "ibwire.node.route", FT_STRING,
		    BASE_NONE, NULL, 0,
		    "Description of the node that the directed route leads to, else its GUID",
		    HFILL } },
	};

	proto_register_field_array(iw_proto, rows, array_length(rows));
}

void iw_node_init(void)
{
	frames = wmem_map_new(wmem_file_scope(), g_direct_hash, g_direct_equal);
	texts = wmem_map_new(wmem_file_scope(), g_str_hash, g_str_equal);
}

void iw_node_cleanup(void)
{
	frames = NULL;
	texts = NULL;
}

static const char *once(const char *text)
{
	const char *kept = *text ? wmem_map_lookup(texts, text) : NULL;
	char *own;

	if (kept || !*text)
		return kept;
	own = wmem_strdup(wmem_file_scope(), text);
	wmem_map_insert(texts, own, own);
	return own;
}

void iw_node_keep(const struct track *t, struct iw_frame *frame, uint32_t number)
{
	const struct ibw_packet *pkt = &frame->view.pkt;
	const struct track_mad *mad = iw_mad_of(frame);
	const struct ibw_lrh_wire *lrh = IBW_AT(pkt, lrh);
	struct names names = { 0 }, *kept;
	char text[TRACK_NODE_SHORT];

	if (!mad || !mad->mad || !lrh || !frames)
		return;
	names.src = once(track_lid_node(t, ibw_lrh_slid(lrh), text));
	names.dst = once(track_lid_node(t, ibw_lrh_dlid(lrh), text));
	names.at = once(track_route_node(t, mad, text));
	if (!names.src && !names.dst && !names.at)
		return;
	kept = wmem_new(wmem_file_scope(), struct names);
	*kept = names;
	wmem_map_insert(frames, GUINT_TO_POINTER(number), kept);
}

static void add(proto_tree *tree, const struct iw_frame *frame, int field, const char *text)
{
	if (text)
		proto_item_set_generated(
			proto_tree_add_string(tree, field, frame->tvb, 0, 0, text));
}

void iw_node_tree(proto_tree *tree, packet_info *pinfo, const struct iw_frame *frame)
{
	const struct names *names =
		frames ? wmem_map_lookup(frames, GUINT_TO_POINTER(pinfo->num)) : NULL;

	if (!names)
		return;
	add(tree, frame, hf_src, names->src);
	add(tree, frame, hf_dst, names->dst);
	add(tree, frame, hf_at, names->at);
}
