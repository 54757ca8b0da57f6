/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * column.c - what columns and graphs of a profile show: the operation in few words, of any packet, and how long the answer
 * took, in microseconds. The tree has both in other words, so there they are hidden, and only where somebody asks for them.
 */
#include <string.h>

#include <ibwire/ibwire.h>
#include <ibwire/out.h>

#include "column.h"
#include "wireshark/packet/frame.h"
#include "wireshark/base/hf.h"
#include "info.h"
#include "wireshark/marks/links.h"
#include "wireshark/packet/mad.h"
#include "wireshark/base/proto.h"
#include "track/track.h"

static int hf_operation, hf_rtt;

void iw_column_register(void)
{
	static hf_register_info rows[] = {
		IW_ROW(hf_operation, "Operation", "ibwire.operation", FT_STRING, BASE_NONE, NULL,
		       "For columns: the operation without the service, of a MAD class, method and "
		       "attribute"),
		IW_ROW(hf_rtt, "Round trip (us)", "ibwire.rtt_us", FT_DOUBLE, BASE_NONE, NULL,
		       "For columns and graphs: of an ACK or a response the time from its request, "
		       "MADs included, in microseconds; not if that was sent more than once"),
	};

	proto_register_field_array(iw_proto, rows, array_length(rows));
}

/* "WRITE First" of "RC RDMA WRITE First" */
static const char *without_service(const char *text)
{
	static const char *const before[] = { "RC ", "UC ", "UD ", "RD ", "XRC ", "DC ", "RDMA " };
	unsigned int i;

	for (i = 0; i < array_length(before); i++)
		if (g_str_has_prefix(text, before[i]))
			text += strlen(before[i]);
	return text;
}

static void add_operation(proto_tree *tree, struct iw_frame *frame)
{
	const struct track_mad *mad = iw_mad_of(frame);
	const char *opcode = ibw_packet_opcode_text(&frame->view.pkt);
	char text[128];
	struct ibw_out o = ibw_out_open(text, sizeof(text));

	if (mad && mad->walked.n_spans)
		iw_info_mad(&o, mad, iw_info_method(mad));
	else
		ibw_out_str(&o, opcode ? without_service(opcode) : "unknown");
	ibw_out_close(&o);
	proto_item_set_hidden(proto_tree_add_string(tree, hf_operation, frame->tvb, 0, 0, text));
}

void iw_column_tree(proto_tree *tree, packet_info *pinfo, struct iw_frame *frame)
{
	uint64_t ns;

	if (!frame->whole || frame->view.pkt.bth == IBW_NO_SPAN)
		return;
	if (iw_asked_for(hf_operation))
		add_operation(tree, frame);
	if (iw_asked_for(hf_rtt) && iw_links_took(frame, pinfo->num, &ns))
		proto_item_set_hidden(
			proto_tree_add_double(tree, hf_rtt, frame->tvb, 0, 0, (double)ns / 1e3));
}
