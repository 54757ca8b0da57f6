/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * iwarp_upper.c - segments of iWARP dissected in the place of the built-in dissectors, and their messages handed on to upper layers.
 *
 * The heuristic of iWARP is the first one of TCP. Ports that a service uses over RDMA and over plain TCP come before heuristics:
 * there a forwarder asks first whether the segment is of a connection of iWARP, which its MPA frames show.
 *
 * Upper layers over RDMA expect what InfiniBand tells them; a message of iWARP is told to them as one of one packet.
 */
#include <ibwire/cm.h>
#include <ibwire/fpdu.h>
#include <ibwire/ibwire.h>
#include <ibwire/opcode.h>
#include <ibwire/out.h>

#include "iwarp_upper.h"
#include "wireshark/marks/expert.h"
#include "export.h"
#include "wireshark/packet/frame.h"
#include "wireshark/base/hf.h"
#include "wireshark/marks/iwarp.h"
#include "wireshark/tree/iwarp_tree.h"
#include "wireshark/marks/pass.h"
#include "wireshark/base/proto.h"
#include "wireshark/base/prefs.h"
#include "wireshark/marks/service.h"
#include "wireshark/tree/ulp_tree.h"
#include "upper.h"

#include <epan/dissectors/packet-infiniband.h>
#include <epan/exceptions.h>
#include <epan/show_exception.h>

struct port {
	uint16_t port;
	dissector_handle_t builtin; /* NULL: none */
};

static struct port ports[] = {
	{ IBW_CM_PORT_NVME, NULL },
	{ IBW_CM_PORT_NVME_DISCOVERY, NULL },
	{ IBW_CM_PORT_ISER, NULL },
	{ IBW_CM_PORT_NFS, NULL },
	{ IBW_CM_PORT_SMB_DIRECT_IWARP, NULL },
};

static dissector_handle_t forwarder;

/* Messages */

/* What a message of InfiniBand is called that does the same; false: there is none. */
static bool opcode_of(uint8_t rdmap, uint8_t *opcode)
{
	switch (rdmap) {
	case IBW_RDMAP_SEND:
	case IBW_RDMAP_SEND_SE:
		*opcode = IBW_OP_RC_SEND_ONLY;
		return true;
	case IBW_RDMAP_SEND_INVALIDATE:
	case IBW_RDMAP_SEND_SE_INVALIDATE:
		*opcode = IBW_OP_RC_SEND_ONLY_WITH_INVALIDATE;
		return true;
	case IBW_RDMAP_WRITE:
		*opcode = IBW_OP_RC_RDMA_WRITE_ONLY;
		return true;
	case IBW_RDMAP_READ_REQUEST:
		*opcode = IBW_OP_RC_RDMA_READ_REQUEST;
		return true;
	case IBW_RDMAP_READ_RESPONSE:
		*opcode = IBW_OP_RC_RDMA_READ_RESPONSE_ONLY;
		return true;
	default:
		return false;
	}
}

/* The message that ends with @f; NULL: its bytes are not kept. */
static tvbuff_t *message_tvb(packet_info *pinfo, const struct iw_frame *frame,
			     const struct iw_fpdu *f)
{
	const struct iw_iwarp_message *m = f->message;
	tvbuff_t *tvb;
	int at;

	if (f->opcode == IBW_RDMAP_READ_REQUEST)
		return tvb_new_child_real_data(frame->tvb, f->head, 0, 0);
	if (f->in_one_piece) {
		tvb = iw_frame_tvb(frame, f->off + (uint32_t)ibw_mpa_BYTES + f->n_header, &at);
		return tvb_new_subset_length(tvb, at, (int)f->data);
	}
	if (!m->data || m->lacks)
		return NULL;
	tvb = tvb_new_child_real_data(frame->tvb, m->data, m->n_data, (int)m->n_data);
	add_new_data_source(pinfo, tvb, "Reassembled iWARP message");
	return tvb;
}

/* With the pad that a packet of InfiniBand would have: RPC over RDMA counts it as data of RDMA WRITEs and READs. */
static tvbuff_t *padded(packet_info *pinfo, tvbuff_t *tvb, const struct iw_fpdu *f)
{
	const uint32_t n = tvb_captured_length(tvb), all = (n + 3) & ~3u;
	uint8_t *p;

	if (n == all || iw_iwarp_port(f->conn) != IBW_CM_PORT_NFS ||
	    (f->opcode != IBW_RDMAP_WRITE && f->opcode != IBW_RDMAP_READ_RESPONSE))
		return tvb;
	p = wmem_alloc0_array(pinfo->pool, uint8_t, all);
	tvb_memcpy(tvb, p, 0, n);
	return tvb_new_child_real_data(tvb, p, all, (int)all);
}

static void fill_info(struct infinibandinfo *info, const struct iw_fpdu *f, proto_tree *tree)
{
	const struct iw_iwarp_message *m = f->message;

	info->payload_tree = tree;
	info->packet_seq_num = m->number & 0xffffff;
	if (f->opcode != IBW_RDMAP_WRITE && f->opcode != IBW_RDMAP_READ_REQUEST)
		return;
	info->reth_remote_address = m->va;
	info->reth_remote_key = m->stag;
	info->reth_dma_length = m->len;
#if IW_WIRESHARK >= 406
	info->do_rc_send_reassembling = false;
#endif
}

/* The number of an end of a connection as of a queue pair: no other connection has it. */
static uint32_t qpn_of(const struct iw_iwarp_conn *c, unsigned int side)
{
	return c->first_frame << 1 | side;
}

/* The ends are as queue pairs to upper layers: a port alone may be that of many connections. */
static bool try_service(const struct iw_iwarp_conn *c, tvbuff_t *tvb, packet_info *pinfo,
			proto_tree *tree, struct infinibandinfo *info)
{
	const uint16_t port = iw_iwarp_port(c);
	const port_type ptype = pinfo->ptype;
	const uint32_t srcport = pinfo->srcport, destport = pinfo->destport;
	volatile bool taken = false;
	enum track_way way;

	if (!port || iw_iwarp_conn(pinfo->num, &way) != c)
		return false;
	iw_export(pinfo, tvb, info, port);
	pinfo->ptype = PT_IBQP;
	pinfo->srcport = qpn_of(c, way);
	pinfo->destport = qpn_of(c, !way);
	TRY
	{
		taken = iw_service_exported(port, tvb, pinfo, tree, info);
	}
	CATCH_NONFATAL_ERRORS
	{
		show_exception(tvb, pinfo, tree, EXCEPT_CODE, GET_MESSAGE);
		taken = true; /* the messages after it are handed on all the same */
	}
	FINALLY
	{
		pinfo->ptype = ptype;
		pinfo->srcport = srcport;
		pinfo->destport = destport;
	}
	ENDTRY;
	return taken;
}

static void hand_on(const struct iw_fpdu *f, packet_info *pinfo, proto_tree *tree,
		    const struct iw_frame *frame)
{
	struct infinibandinfo info = { 0 };
	tvbuff_t *tvb;
	bool read = f->opcode == IBW_RDMAP_READ_REQUEST, taken = false;

	if (!f->message || !f->ends || !opcode_of(f->opcode, &info.opCode) ||
	    iw_ulp_fpdu_is_ours(f))
		return;
	tvb = message_tvb(pinfo, frame, f);
	if (!tvb)
		return;
	fill_info(&info, f, tree);
	if (read || tvb_captured_length(tvb) >= IW_SEND_BYTES_MIN || f->opcode != IBW_RDMAP_SEND)
		taken = try_service(f->conn, padded(pinfo, tvb, f), pinfo, tree, &info);
	if (!taken && tvb_captured_length(tvb))
		call_data_dissector(tvb, pinfo, tree);
}

/* Segments */

static void set_columns(packet_info *pinfo, const struct iw_frame *frame)
{
	char text[512];
	struct ibw_out o = ibw_out_open(text, sizeof(text));

	col_set_str(pinfo->cinfo, COL_PROTOCOL, "iWARP");
	iw_iwarp_out(&o, pinfo);
	ibw_out_close(&o);
	col_add_str(pinfo->cinfo, COL_INFO, text);
	iw_ulp_fpdu_columns(pinfo, frame);
}

static void add_tree(proto_tree *tree, tvbuff_t *tvb, packet_info *pinfo, struct iw_frame *frame)
{
	proto_item *item = proto_tree_add_item(tree, iw_proto, tvb, 0, -1, ENC_NA);

	iw_iwarp_title(item, pinfo);
	tree = proto_item_add_subtree(item, iw_ett);
	iw_lint_show(tree, pinfo, frame);
	frame->told = true;
	iw_iwarp_tree(tree, pinfo, frame);
}

/* NULL: the bytes are not those of a frame; TCP, or a protocol above it, has reassembled or decrypted them. */
static struct iw_frame *frame_of(tvbuff_t *tvb, packet_info *pinfo)
{
	tvbuff_t *whole = tvb_get_ds_tvb(tvb);

	if (iw_prefs.mode != IW_TAKE_OVER || pinfo->flags.in_error_pkt ||
	    tvb_raw_offset(tvb) == 0 || tvb_captured_length(whole) != pinfo->fd->cap_len)
		return NULL;
	return iw_pass_open(whole, pinfo);
}

/* Messages are whole: what their upper layers ask TCP to reassemble is not in the next segment. */
static void hand_on_all(packet_info *pinfo, proto_tree *tree, const struct iw_frame *frame)
{
	const unsigned int can = pinfo->can_desegment;
	const struct iw_fpdu *f;

	pinfo->can_desegment = 0;
	for (f = iw_iwarp_fpdus(pinfo->num); f; f = f->next)
		hand_on(f, pinfo, tree, frame);
	pinfo->can_desegment = (uint16_t)can;
	pinfo->desegment_offset = 0;
	pinfo->desegment_len = 0;
	pinfo->want_pdu_tracking = 0;
}

/* A segment with data; 0: it is none of iWARP. */
static int segment(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree)
{
	struct iw_frame *frame = frame_of(tvb, pinfo);
	enum track_way way;

	if (!frame || frame->shown || !iw_iwarp_conn(pinfo->num, &way))
		return 0;
	frame->shown = true;
	set_columns(pinfo, frame);
	if (tree)
		add_tree(tree, tvb, pinfo, frame);
	hand_on_all(pinfo, tree, frame);
	return MAX((int)tvb_captured_length(tvb), 1);
}

static iw_bool heuristic(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
	(void)data;
	return segment(tvb, pinfo, tree) != 0;
}

static int forward(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
	int n = segment(tvb, pinfo, tree);
	unsigned int i;

	pinfo->can_desegment = pinfo->saved_can_desegment; /* as without a dissector in between */
	for (i = 0; n == 0 && i < array_length(ports); i++)
		if (ports[i].port == pinfo->match_uint && ports[i].builtin)
			n = call_dissector_only(ports[i].builtin, tvb, pinfo, tree, data);
	return n;
}

void iw_iwarp_upper_register(void)
{
	int tcp = proto_get_id_by_filter_name("tcp");

	/* It is not to be disabled but with TCP, as the built-in one is called by it. */
	forwarder = create_dissector_handle(
		forward, proto_register_protocol_in_name_only("iWARP or TCP as ibwire is set up",
							      "iWARP or TCP as ibwire is set up",
							      "ibwire_tcp_port", tcp, FT_PROTOCOL));
}

void iw_iwarp_upper_handoff(void)
{
	unsigned int i;

	for (i = 0; i < array_length(ports); i++) {
		ports[i].builtin = dissector_get_default_uint_handle("tcp.port", ports[i].port);
		dissector_add_uint("tcp.port", ports[i].port, forwarder);
	}
	heur_dissector_add("tcp", heuristic, "iWARP as ibwire has it", "ibwire_iwarp", iw_proto,
			   HEURISTIC_ENABLE);
}

/* A preference of the built-in one puts that back. */
void iw_iwarp_upper_init(void)
{
	dissector_table_t table = find_dissector_table("tcp.port");
	dissector_handle_t now;
	unsigned int i;

	for (i = 0; i < array_length(ports); i++) {
		now = dissector_get_uint_handle(table, ports[i].port);
		if (now && now == ports[i].builtin &&
		    dissector_get_default_uint_handle("tcp.port", ports[i].port) == now)
			dissector_add_uint("tcp.port", ports[i].port, forwarder);
	}
}
