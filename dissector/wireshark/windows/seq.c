/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * seq.c - -z flow,ibwire and, in the window, Statistics > Flow Graph: who said what to whom.
 *
 * Wireshark's own diagram of all packets makes the arrows: it takes the columns Info and Protocol and the
 * addresses, so that for its time those are what the diagram is to say.
 */
#include <string.h>

#include <ibwire/ibwire.h>
#include <ibwire/out.h>

#include "seq.h"
#include "wireshark/marks/analysis.h"
#include "wireshark/tree/conv.h"
#include "wireshark/packet/frame.h"
#include "wireshark/tree/info.h"
#include "wireshark/packet/mad.h"
#include "wireshark/marks/msg.h"
#include "wireshark/base/proto.h"
#include "wireshark/base/prefs.h"
#include "wireshark/marks/stream.h"
#include "track/track.h"

#include <epan/column-info.h>

/* "WRITE First" of "RC RDMA WRITE First": an arrow has little room. */
static const char *short_text(const char *opcode)
{
	const char *space = strchr(opcode, ' ');

	if (space && g_str_has_prefix(space, " RDMA "))
		space += strlen(" RDMA");
	return space ? space + 1 : opcode;
}

/* "WRITE First", "Acknowledge (NAK, PSN sequence error)", "SA Get PathRecord" */
static void operation(struct ibw_out *o, struct iw_frame *frame)
{
	const struct ibw_packet *pkt = &frame->view.pkt;
	const struct ibw_aeth_wire *aeth = IBW_AT(pkt, aeth);
	const char *text = ibw_packet_opcode_text(pkt);
	const struct track_mad *mad = iw_mad_of(frame);

	if (mad) {
		iw_info_mad(o, mad, (uint8_t)(ibw_mad_r(mad->mad) << 7 | ibw_mad_method(mad->mad)));
		return;
	}
	ibw_out_str(o, text ? short_text(text) : "unknown opcode");
	if (aeth && ibw_aeth_syndrome(aeth) >> 5)
		iw_info_syndrome(o, aeth);
}

static void number(struct ibw_out *o, const char *name, uint32_t n)
{
	ibw_out_str(o, name);
	ibw_out_dec(o, n);
}

static void add_mark(void *user, packet_info *pinfo, const char *text)
{
	struct ibw_out *o = user;

	(void)pinfo;
	ibw_out_str(o, " [");
	ibw_out_str(o, text);
	ibw_out_char(o, ']');
}

static void label(char *text, size_t size, packet_info *pinfo, struct iw_frame *frame)
{
	struct ibw_out o = ibw_out_open(text, size);
	uint32_t psn, msg = iw_msg_number(pinfo->num);

	operation(&o, frame);
	/* The relative one, written as in pcap-lint's ladders. */
	if (iw_stream_psn(frame, pinfo->num, &psn))
		number(&o, " PSN +", psn);
	if (msg)
		number(&o, " message ", msg);
	if (iw_prefs.verify_icrc && track_view_icrc(&frame->view).status == IBW_CRC_BAD)
		add_mark(&o, pinfo, "ICRC incorrect");
	iw_analysis_each(pinfo, add_mark, &o);
	ibw_out_close(&o);
}

/* "stream 3, qp 0x000011 -> 0x000012" */
static void ends(char *text, size_t size, const packet_info *pinfo, const struct iw_frame *frame)
{
	struct ibw_out o = ibw_out_open(text, size);
	uint32_t stream, qpn;

	if (iw_stream_number(pinfo->num, &stream)) {
		number(&o, "stream ", stream);
		ibw_out_str(&o, ", ");
	}
	ibw_out_str(&o, "qp ");
	if (iw_conv_sqpn(pinfo, frame, &qpn))
		ibw_out_hex(&o, qpn, 6);
	else
		ibw_out_char(&o, '?');
	ibw_out_str(&o, " -> ");
	ibw_out_hex(&o, ibw_bth_dqpn(IBW_KNOWN(&frame->view.pkt, bth)), 6);
	ibw_out_close(&o);
}

/* The text of the columns of format @el is @text; returns what it was. */
static const char *exchange(column_info *columns, int el, const char *text)
{
	const char *before = NULL;
	int i;

	if (columns->col_first[el] < 0)
		return NULL;
	for (i = columns->col_first[el]; i <= columns->col_last[el]; i++) {
		if (!columns->columns[i].fmt_matx[el])
			continue;
		before = columns->columns[i].col_data;
		columns->columns[i].col_data = text;
	}
	return before;
}

/* The ends; ports are queue pairs. */
static void set_ends(packet_info *pinfo, const struct iw_frame *frame)
{
	uint32_t qpn;

	/* Of a CM REQ the built-in dissector makes LIDs of the addresses. */
	if (frame->view.pkt.proto == IBW_PROTO_ROCEV2) {
		pinfo->src = pinfo->net_src;
		pinfo->dst = pinfo->net_dst;
	}
	pinfo->srcport = iw_conv_sqpn(pinfo, frame, &qpn) ? qpn : 0;
	pinfo->destport = ibw_bth_dqpn(IBW_KNOWN(&frame->view.pkt, bth));
}

static tap_packet_status packet(void *diagram, packet_info *pinfo, epan_dissect_t *edt,
				const void *data, tap_flags_t flags)
{
	struct register_analysis *all = sequence_analysis_find_by_name("any");
	struct iw_frame *frame = (struct iw_frame *)data;
	const uint32_t srcport = pinfo->srcport, destport = pinfo->destport;
	const address src = pinfo->src, dst = pinfo->dst;
	const char *info, *protocol;
	tap_packet_status status;
	char text[256], comment[64];
	unsigned int first;

	if (!all || !pinfo->cinfo || !iw_frame_is_rdma(frame, &first) ||
	    frame->view.pkt.bth == IBW_NO_SPAN)
		return TAP_PACKET_DONT_REDRAW;
	label(text, sizeof(text), pinfo, frame);
	ends(comment, sizeof(comment), pinfo, frame);
	info = exchange(pinfo->cinfo, COL_INFO, text);
	protocol = exchange(pinfo->cinfo, COL_PROTOCOL, comment);
	set_ends(pinfo, frame);
	status = sequence_analysis_get_packet_func(all)(diagram, pinfo, edt, data, flags);
	pinfo->src = src;
	pinfo->dst = dst;
	pinfo->srcport = srcport;
	pinfo->destport = destport;
	exchange(pinfo->cinfo, COL_INFO, info);
	exchange(pinfo->cinfo, COL_PROTOCOL, protocol);
	return status;
}

void iw_seq_register(void)
{
	register_seq_analysis("ibwire", "RDMA Flows", iw_proto, "ibwire", TL_REQUIRES_COLUMNS,
			      packet);
}
