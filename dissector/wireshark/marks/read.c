/* SPDX-License-Identifier: GPL-2.0-or-later */
/* read.c - READs and atomics: how much of what one asks for its responses brought. */
#include <ibwire/ibwire.h>
#include <ibwire/out.h>

#include "read.h"
#include "wireshark/packet/frame.h"
#include "wireshark/base/mark.h"
#include "links.h"
#include "msg.h"
#include "wireshark/base/proto.h"
#include "stream.h"
#include "track/track.h"
#include "track/view/packet.h"

static int hf_read_missing, hf_atomic_missing;

void iw_read_register(void)
{
	static hf_register_info rows[] = {
		{ &hf_read_missing,
		  { "Bytes missing", "ibwire.read.len_missing", FT_UINT32, BASE_DEC, NULL, 0,
		    "Bytes that the READ asks for and no captured response brought", HFILL } },
		{ &hf_atomic_missing,
		  { "Bytes missing", "ibwire.atomic.len_missing", FT_UINT32, BASE_DEC, NULL, 0,
		    "No response to the request was captured", HFILL } },
	};

	proto_register_field_array(iw_proto, rows, array_length(rows));
}

static bool is_request(uint8_t opcode)
{
	return ibw_opcodes[opcode].flags & IBW_OPF_REQUEST;
}

/* As long as the file is read for the first time, more may come: but for what comes after the end. */
static bool is_final(const struct iw_read *r, const packet_info *pinfo)
{
	return pinfo->fd->visited || (r->ended && r->last == pinfo->num);
}

void iw_read_tree(proto_tree *tree, packet_info *pinfo, const struct iw_frame *frame)
{
	int hf;
	struct iw_read r;

	if (!frame->whole || !iw_msg_brought(pinfo->num, &r) || r.brought >= r.len ||
	    !is_final(&r, pinfo))
		return;
	hf = r.is_atomic ? hf_atomic_missing : hf_read_missing;
	if (is_request(frame->view.pkt.opcode) || r.last == pinfo->num)
		proto_item_set_generated(
			proto_tree_add_uint(tree, hf, frame->tvb, 0, 0, r.len - r.brought));
}

/* " in 143 us"; of long ones three digits. */
static void say_time(struct ibw_out *o, const struct iw_link *link)
{
	static const char *const units[] = { " ns", " us", " ms", " s" };
	uint64_t ns, unit = 1;
	unsigned int i = 0;

	if (!iw_link_ns(link, &ns))
		return;
	for (; i + 1 < array_length(units) && ns / unit >= 1000; i++)
		unit *= 1000;
	ibw_out_str(o, " in ");
	ibw_out_dec(o, ns / unit);
	if (i && ns / unit < 10) {
		ibw_out_char(o, '.');
		ibw_out_dec(o, ns % unit / (unit / 10));
	}
	ibw_out_str(o, units[i]);
}

void iw_read_info(packet_info *pinfo, const struct iw_frame *frame)
{
	struct ibw_out out;
	struct iw_read r;
	char text[96];

	if (TRACK_OPERATION(frame->view.pkt.opcode) != IBW_OP_RC_RDMA_READ_RESPONSE_LAST ||
	    !iw_msg_brought(pinfo->num, &r) || r.completed != pinfo->num)
		return;
	out = ibw_out_open(text, sizeof(text));
	ibw_out_str(&out, "READ: ");
	ibw_out_dec(&out, r.packets);
	ibw_out_str(&out, " packets, ");
	ibw_out_dec(&out, MIN(r.brought, r.len));
	if (r.brought < r.len) {
		ibw_out_str(&out, " of ");
		ibw_out_dec(&out, r.len);
	}
	ibw_out_str(&out, " bytes");
	say_time(&out, iw_stream_link(pinfo->num));
	ibw_out_close(&out);
	iw_info_mark(pinfo, text);
}
