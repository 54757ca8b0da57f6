/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cnp.c - CNPs: which connection one is about, and which marked packets it answers. */
#include <ibwire/ibwire.h>

#include "cnp.h"
#include "wireshark/packet/frame.h"
#include "wireshark/base/hf.h"
#include "links.h"
#include "wireshark/base/proto.h"
#include "stream.h"

static int hf_stream, hf_frame, hf_packets, hf_delay;

void iw_cnp_register(void)
{
	static hf_register_info rows[] = {
		{ &hf_stream,
		  { "CNP about stream", "ibwire.cnp.for_stream", FT_UINT32, BASE_DEC, NULL, 0,
		    "The connection whose packets were marked", HFILL } },
		{ &hf_frame,
		  { "Last marked packet", "ibwire.cnp.ce_frame", FT_FRAMENUM, BASE_NONE, NULL, 0,
		    "The last packet marked CE (or FECN) of the direction it is about, since the CNP "
		    "before",
		    HFILL } },
		{ &hf_packets,
		  { "Marked packets", "ibwire.cnp.ce_packets", FT_UINT32, BASE_DEC, NULL, 0,
		    "Of that direction, since the CNP before", HFILL } },
		{ &hf_delay,
		  { "Time from the first mark", "ibwire.cnp.delay", FT_RELATIVE_TIME, BASE_NONE,
		    NULL, 0, "From the first of those packets to the CNP", HFILL } },
	};

	proto_register_field_array(iw_proto, rows, array_length(rows));
}

void iw_cnp_tree(proto_tree *tree, packet_info *pinfo, const struct iw_frame *frame,
		 const struct iw_link *link)
{
	uint32_t number;

	if (iw_stream_number(pinfo->num, &number))
		iw_add_generated(tree, frame->tvb, hf_stream, number);
	if (!link->frame)
		return;
	iw_add_generated(tree, frame->tvb, hf_frame, link->frame);
	iw_add_generated(tree, frame->tvb, hf_packets, link->acked);
	if (iw_wanted(tree, hf_delay))
		iw_link_add_ns(tree, frame->tvb, hf_delay, link);
}
