/* SPDX-License-Identifier: GPL-2.0-or-later */
/* whole.c - what the tree says of messages of several packets: which frames they are of, and their bytes. */
#include <ibwire/ibwire.h>
#include <ibwire/opcode.h>

#include "whole.h"
#include "wireshark/packet/frame.h"
#include "wireshark/base/hf.h"
#include "wireshark/base/proto.h"
#include "wireshark/marks/reassemble.h"

#define LISTED_MAX 16384u /* frames of one message */

static int hf_fragments, hf_fragment, hf_count, hf_in, hf_length, hf_data, hf_unassembled;
static int ett_fragments = -1;

static const value_string reasons[] = {
	{ IW_MESSAGE_GROWING, "packets are missing" },
	{ IW_MESSAGE_REPEATED, "a repeated packet" },
	{ IW_MESSAGE_DAMAGED, "the ICRC is wrong" },
	{ IW_MESSAGE_LACKING, "packets are missing" },
	{ IW_MESSAGE_CUT, "the capture has only a part of a packet" },
	{ IW_MESSAGE_NO_MEMORY, "beyond the memory of ibwire.reassemble_kib" },
	{ IW_MESSAGE_UNEVEN, "the packets are of several lengths" },
	{ 0, NULL },
};

void iw_whole_register(void)
{
	static hf_register_info rows[] = {
		IW_ROW(hf_fragments, "Fragments", "ibwire.msg.fragments", FT_NONE, BASE_NONE, NULL,
		       "The packets that the message is reassembled from"),
		IW_ROW(hf_fragment, "Fragment", "ibwire.msg.fragment", FT_FRAMENUM, BASE_NONE, NULL,
		       "One of them"),
		IW_ROW(hf_count, "Fragment count", "ibwire.msg.fragment.count", FT_UINT32, BASE_DEC,
		       NULL, "How many they are"),
		IW_ROW(hf_in, "Reassembled in", "ibwire.msg.reassembled.in", FT_FRAMENUM, BASE_NONE,
		       NULL, "The frame that has the whole message"),
		IW_ROW(hf_length, "Reassembled length", "ibwire.msg.reassembled.length", FT_UINT32,
		       BASE_DEC, NULL, "Bytes of the whole message"),
		IW_ROW(hf_data, "Reassembled data", "ibwire.msg.data", FT_BYTES, BASE_NONE, NULL,
		       "The whole message"),
		IW_ROW(hf_unassembled, "Not reassembled", "ibwire.msg.unassembled", FT_UINT8,
		       BASE_NONE, VALS(reasons),
		       "Why the packet is of no reassembled message, if it is one of several"),
	};
	static int *etts[] = { &ett_fragments };

	proto_register_field_array(iw_proto, rows, array_length(rows));
	proto_register_subtree_array(etts, array_length(etts));
}

static const char *name_of(const struct iw_message *m)
{
	struct ibw_opcode_parts parts;

	ibw_opcode_split(&parts, m->opcode);
	if (parts.operation == IBW_OPERATION_SEND)
		return "Reassembled SEND";
	return parts.operation == IBW_OPERATION_WRITE ? "Reassembled WRITE" : "Reassembled READ";
}

tvbuff_t *iw_whole_tvb(struct iw_frame *frame, packet_info *pinfo, const struct iw_message *m)
{
	if (frame->message)
		return frame->message;
	frame->message = tvb_new_child_real_data(frame->tvb, m->data, m->len, (int)m->len);
	add_new_data_source(pinfo, frame->message, name_of(m));
	return frame->message;
}

static void add_whole(proto_tree *tree, tvbuff_t *tvb, const struct iw_message *m)
{
	uint32_t listed = MIN(m->n_frames, LISTED_MAX), i;
	proto_item *item = proto_tree_add_item(tree, hf_fragments, tvb, 0, -1, ENC_NA);

	proto_item_set_text(item, "%u fragments (%u bytes)%s", m->n_frames, m->len,
			    listed < m->n_frames ? ", the first of which are" : "");
	proto_item_set_generated(item);
	tree = proto_item_add_subtree(item, ett_fragments);
	for (i = 0; i < listed; i++)
		iw_add_generated(tree, tvb, hf_fragment, m->frames[i]);
	iw_add_generated(tree, tvb, hf_count, m->n_frames);
	iw_add_generated(tree, tvb, hf_length, m->len);
	if (iw_wanted(tree, hf_data))
		proto_item_set_generated(
			proto_tree_add_item(tree, hf_data, tvb, 0, (int)m->len, ENC_NA));
}

/* Until every frame was seen nobody knows whether it will be whole. */
static bool is_open(const struct iw_message *m, const packet_info *pinfo)
{
	return m->state == IW_MESSAGE_GROWING && !pinfo->fd->visited;
}

void iw_whole_tree(proto_tree *tree, packet_info *pinfo, struct iw_frame *frame)
{
	const struct iw_message *m;

	if (frame->view.pkt.bth == IBW_NO_SPAN)
		return;
	m = iw_message_of(frame, pinfo);
	if (!iw_message_has(m, frame->view.pkt.opcode) || is_open(m, pinfo))
		return;
	if (m->state != IW_MESSAGE_WHOLE)
		iw_add_generated(tree, frame->tvb, hf_unassembled, m->state);
	else if (m->last == pinfo->num)
		add_whole(tree, iw_whole_tvb(frame, pinfo, m), m);
	else
		iw_add_generated(tree, frame->tvb, hf_in, m->last);
}
