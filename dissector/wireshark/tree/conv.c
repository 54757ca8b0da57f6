/* SPDX-License-Identifier: GPL-2.0-or-later */
/* conv.c - conversations and endpoints: an address and a queue pair at each end. */
#include <string.h>

#include <ibwire/ibwire.h>
#include <ibwire/out.h>

#include "conv.h"
#include "wireshark/packet/frame.h"
#include "wireshark/base/hf.h"
#include "wireshark/marks/iwarp.h"
#include "wireshark/base/proto.h"
#include "wireshark/marks/stream.h"
#include "track/track.h"

#include <epan/conversation_table.h>

/*
 * An end as one text, "10.0.0.1 qp 0x000011", or the address alone where the QP is not known.
 * Of the tables only that in the window has columns for ports, and a QP is easier to
 * recognise as it is written everywhere else.
 */
struct end {
	address addr;
	char text[TRACK_ADDRESS_TEXT + 16];
};

struct sender {
	enum iw_sender_how how;
	uint32_t qpn;
	uint32_t setup; /* the frame of the REP; 0: none says so */
};

/* A packet names the receiver's QP only, but that a datagram has the sender's in its DETH. */
static struct sender sender_of(const packet_info *pinfo, const struct iw_frame *frame)
{
	const struct ibw_packet *pkt = &frame->view.pkt;
	const struct track_sender *said = &frame->context.sender;
	const struct ibw_deth_wire *deth = IBW_AT(pkt, deth);
	uint32_t qpn;

	if (deth)
		return (struct sender){ IW_SENDER_DETH, ibw_deth_sqpn(deth), 0 };
	if (said->frame)
		return (struct sender){ IW_SENDER_CM, said->qpn, (uint32_t)said->frame };
	if (frame->whole && iw_stream_sender(pinfo->num, &qpn))
		return (struct sender){ iw_stream_cm(pinfo->num) ? IW_SENDER_CM : IW_SENDER_ANSWERS,
					qpn, 0 };
	return (struct sender){ IW_SENDER_NOT, 0, 0 };
}

bool iw_conv_sqpn(const packet_info *pinfo, const struct iw_frame *frame, uint32_t *qpn)
{
	struct sender sender = sender_of(pinfo, frame);

	*qpn = sender.qpn;
	return sender.how != IW_SENDER_NOT;
}

static void set_end(struct end *end, const struct track_flow *flow, const uint8_t address[16],
		    bool known, uint32_t qpn)
{
	char text[TRACK_ADDRESS_TEXT];
	struct ibw_out out = ibw_out_open(end->text, sizeof(end->text));

	ibw_out_str(&out, track_address_text((enum track_address)flow->address, address, text));
	if (known) {
		ibw_out_str(&out, " qp ");
		ibw_out_hex(&out, qpn, 6);
	}
	ibw_out_close(&out);
	set_address(&end->addr, AT_STRINGZ, (int)strlen(end->text) + 1, end->text);
}

/* "10.7.0.1 port 20049": of iWARP, whose ends are those of TCP. */
static void set_port(struct end *end, const struct iw_iwarp_conn *c, unsigned int side)
{
	const struct track_tcp_ends *ends = &c->ends;
	char text[TRACK_ADDRESS_TEXT];
	struct ibw_out out = ibw_out_open(end->text, sizeof(end->text));

	ibw_out_str(&out, track_address_text(ends->v6 ? TRACK_ADDRESS_IPV6 : TRACK_ADDRESS_IPV4,
					     ends->address[side], text));
	ibw_out_str(&out, " port ");
	ibw_out_dec(&out, ends->port[side]);
	ibw_out_close(&out);
	set_address(&end->addr, AT_STRINGZ, (int)strlen(end->text) + 1, end->text);
}

static bool ports_of(struct end *src, struct end *dst, const packet_info *pinfo)
{
	enum track_way way;
	const struct iw_iwarp_conn *c = iw_iwarp_conn(pinfo->num, &way);
	unsigned int side;

	if (!c)
		return false;
	side = way == TRACK_A_TO_B ? c->a : !c->a;
	set_port(src, c, side);
	set_port(dst, c, !side);
	return true;
}

static bool ends_of(struct end *src, struct end *dst, const packet_info *pinfo,
		    const struct iw_frame *frame)
{
	struct sender sender = sender_of(pinfo, frame);
	struct track_flow flow;

	if (!track_flow_of(&frame->view.pkt, &flow))
		return frame->whole && ports_of(src, dst, pinfo);
	set_end(src, &flow, flow.src, sender.how != IW_SENDER_NOT, sender.qpn);
	set_end(dst, &flow, flow.dst, true, flow.dqpn);
	return true;
}

static const char *field_of(conv_filter_type_e filter)
{
	switch (filter) {
	case CONV_FT_SRC_ADDRESS:
		return "ibwire.conv.src";
	case CONV_FT_DST_ADDRESS:
		return "ibwire.conv.dst";
	case CONV_FT_ANY_ADDRESS:
		return "ibwire.conv.end";
	default:
		return CONV_FILTER_INVALID;
	}
}

static const char *conversation_field(conv_item_t *conv, conv_filter_type_e filter)
{
	(void)conv;
	return field_of(filter);
}

static const char *endpoint_field(endpoint_item_t *endpoint, conv_filter_type_e filter)
{
	(void)endpoint;
	return field_of(filter);
}

static tap_packet_status conversation(void *table, packet_info *pinfo, epan_dissect_t *edt,
				      const void *frame, tap_flags_t flags)
{
	static ct_dissector_info_t info = { conversation_field };
	conv_hash_t *hash = table;
	struct end src, dst;

	(void)edt;
	hash->flags = flags;
	if (!ends_of(&src, &dst, pinfo, frame))
		return TAP_PACKET_DONT_REDRAW;
	add_conversation_table_data(hash, &src.addr, &dst.addr, 0, 0, 1, (int)pinfo->fd->pkt_len,
				    &pinfo->rel_ts, &pinfo->abs_ts, &info, CONVERSATION_NONE);
	return TAP_PACKET_REDRAW;
}

static tap_packet_status endpoints(void *table, packet_info *pinfo, epan_dissect_t *edt,
				   const void *frame, tap_flags_t flags)
{
	static et_dissector_info_t info = { endpoint_field };
	conv_hash_t *hash = table;
	struct end src, dst;

	(void)edt;
	hash->flags = flags;
	if (!ends_of(&src, &dst, pinfo, frame))
		return TAP_PACKET_DONT_REDRAW;
	add_endpoint_table_data(hash, &src.addr, 0, true, 1, (int)pinfo->fd->pkt_len, &info,
				ENDPOINT_NONE);
	add_endpoint_table_data(hash, &dst.addr, 0, false, 1, (int)pinfo->fd->pkt_len, &info,
				ENDPOINT_NONE);
	return TAP_PACKET_REDRAW;
}

static void add_end(proto_tree *tree, const struct iw_frame *frame, enum iw_item hf,
		    const struct end *end)
{
	if (iw_asked_for(iw_hf[hf]))
		proto_item_set_hidden(
			proto_tree_add_string(tree, iw_hf[hf], frame->tvb, 0, 0, end->text));
}

static void add_ends(proto_tree *tree, const packet_info *pinfo, const struct iw_frame *frame)
{
	struct end src, dst;

	if (!ends_of(&src, &dst, pinfo, frame))
		return;
	add_end(tree, frame, IW_CONV_SRC, &src);
	add_end(tree, frame, IW_CONV_DST, &dst);
	add_end(tree, frame, IW_CONV_END, &src);
	add_end(tree, frame, IW_CONV_END, &dst);
}

/* A tree to look at has no use for them, and their texts take longer than the rest. */
void iw_conv_ends(proto_tree *tree, const packet_info *pinfo, const struct iw_frame *frame)
{
	if (iw_asked_for(iw_hf[IW_CONV_SRC]) || iw_asked_for(iw_hf[IW_CONV_DST]) ||
	    iw_asked_for(iw_hf[IW_CONV_END]))
		add_ends(tree, pinfo, frame);
}

void iw_conv_tree(proto_tree *tree, const packet_info *pinfo, const struct iw_frame *frame)
{
	struct sender sender = sender_of(pinfo, frame);
	proto_item *item;

	iw_conv_ends(tree, pinfo, frame);
	if (sender.how == IW_SENDER_NOT)
		return;
	if (iw_wanted(tree, iw_hf[IW_CONV_HOW])) {
		item = proto_tree_add_uint(tree, iw_hf[IW_CONV_HOW], frame->tvb, 0, 0, sender.how);
		proto_item_set_generated(item);
	}
	if (sender.how == IW_SENDER_DETH) /* which shows it */
		return;
	item = proto_tree_add_uint(tree, iw_hf[IW_CONV_SQPN], frame->tvb, 0, 0, sender.qpn);
	proto_item_set_generated(item);
	if (!sender.setup)
		return;
	item = proto_tree_add_uint(tree, iw_hf[IW_CONV_SETUP], frame->tvb, 0, 0, sender.setup);
	proto_item_set_generated(item);
}

void iw_conv_register(void)
{
	register_conversation_table(iw_proto, true, conversation, endpoints);
}
