/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iwarp_tree.c - what the tree and the Info column say of a segment of iWARP: its connection, and each FPDU that is whole with it. */
#include <string.h>

#include <ibwire/fpdu.h>
#include <ibwire/ibwire.h>
#include <ibwire/out.h>

#include "iwarp_tree.h"
#include "conv.h"
#include "wireshark/base/field.h"
#include "wireshark/base/hf.h"
#include "wireshark/base/mark.h"
#include "wireshark/marks/incident.h"
#include "wireshark/marks/iwarp.h"
#include "wireshark/marks/msg.h"
#include "wireshark/base/proto.h"
#include "wireshark/marks/stream.h"
#include "ulp_tree.h"
#include "lint/upper/iwp.h"
#include "track/cm/cm_list.h"

/* Of FPDUs, that the Info column names. */
#define NAMED_MAX 3u

/* FPDUs of a frame with a tree of their own: a segment that an adapter merged may have thousands. */
#define FPDUS_SHOWN 1000u

static int hf_fpdu, hf_place, hf_frame, hf_crc, hf_crc_status, hf_request, hf_reply, hf_reject,
	hf_terminate, hf_terminate_layer, hf_terminate_etype, hf_terminate_code,
	hf_terminate_swapped, hf_terminate_literal, hf_terminate_refused;
static int ett_fpdu = -1, ett_terminate = -1;

static const value_string crc_states[] = { { TRACK_FPDU_CRC_NONE, "absent" },
					   { TRACK_FPDU_CRC_GOOD, "good" },
					   { TRACK_FPDU_CRC_BAD, "bad" },
					   { TRACK_FPDU_CRC_UNUSED, "unused" },
					   { TRACK_FPDU_CRC_UNVERIFIABLE, "unverifiable" },
					   { 0, NULL } };

void iw_iwarp_register(void)
{
	static hf_register_info rows[] = {
		IW_ROW(hf_fpdu, "FPDU", "ibwire.fpdu", FT_NONE, BASE_NONE, NULL,
		       "A framed unit of iWARP, or an MPA request or reply, in the frame that has the last "
		       "missing byte of it"),
		IW_ROW(hf_place, "Place in the stream", "ibwire.mpa.place", FT_UINT64, BASE_DEC,
		       NULL, "Bytes of the TCP stream before the FPDU"),
		IW_ROW(hf_frame, "Frame of the FPDU", "ibwire.mpa.frame", FT_FRAMENUM, BASE_NONE,
		       NULL,
		       "Of an FPDU in several segments: the frames of its first and its last byte, and "
		       "the frame that filled the last hole before it"),
		IW_ROW(hf_crc, "CRC", "ibwire.mpa.crc", FT_UINT32, BASE_HEX, NULL,
		       "CRC32C of the FPDU, as a number"),
		IW_ROW(hf_crc_status, "CRC Status", "ibwire.mpa.crc.status", FT_UINT8, BASE_NONE,
		       VALS(crc_states),
		       "Unused: both ends agreed so, or it is 0 in each FPDU; unverifiable: the agreement "
		       "was not captured"),
		IW_ROW(hf_request, "MPA Request in", "ibwire.conn.mpa_request_in", FT_FRAMENUM,
		       BASE_NONE, NULL, "Of the connection"),
		IW_ROW(hf_reply, "MPA Reply in", "ibwire.conn.mpa_reply_in", FT_FRAMENUM, BASE_NONE,
		       NULL, "Of the connection, which it accepts"),
		IW_ROW(hf_reject, "MPA Reject in", "ibwire.conn.mpa_reject_in", FT_FRAMENUM,
		       BASE_NONE, NULL, "The MPA Reply that rejects the connection"),
		IW_ROW(hf_terminate, "Terminate", "ibwire.rdmap.terminate", FT_STRING, BASE_NONE,
		       NULL, "Layer, error type and error code, as their sender means them"),
		IW_ROW(hf_terminate_layer, "Terminate Layer", "ibwire.rdmap.terminate.layer",
		       FT_UINT8, BASE_DEC, VALS((const value_string *)ibw_terminate_layer_names),
		       "As the sender means it"),
		IW_ROW(hf_terminate_etype, "Terminate Error Type", "ibwire.rdmap.terminate.etype",
		       FT_UINT8, BASE_DEC, NULL, "As the sender means it"),
		IW_ROW(hf_terminate_code, "Terminate Error Code", "ibwire.rdmap.terminate.code",
		       FT_UINT8, BASE_HEX, NULL, "Of the layer and the error type"),
		IW_ROW(hf_terminate_swapped, "Layer and Error Type swapped",
		       "ibwire.rdmap.terminate.swapped", FT_BOOLEAN, BASE_NONE, NULL,
		       "As siw of Linux sends them, which its other bits show"),
		IW_ROW(hf_terminate_literal, "Terminate, read literally",
		       "ibwire.rdmap.terminate.literal", FT_STRING, BASE_NONE, NULL,
		       "What it would say if layer and error type were not swapped"),
		IW_ROW(hf_terminate_refused, "Refused message in",
		       "ibwire.rdmap.terminate.refused_in", FT_FRAMENUM, BASE_NONE, NULL,
		       "The frame where the message begins that the Terminate refuses"),
	};
	static int *etts[] = { &ett_fpdu, &ett_terminate };

	proto_register_field_array(iw_proto, rows, array_length(rows));
	proto_register_subtree_array(etts, array_length(etts));
}

bool iw_iwarp_has(packet_info *pinfo)
{
	enum track_way way;

	return iw_iwarp_conn(pinfo->num, &way) || iw_iwarp_fpdus(pinfo->num);
}

/* Words */

static bool is_start(const struct iw_fpdu *f)
{
	return f->span[0].layer == IBW_LAYER_mpa_start;
}

/* "MPA request": the frames before FPDUs; the key tells which. */
static const char *start_text(const struct iw_fpdu *f)
{
	struct ibw_mpa_frame mpa;

	ibw_mpa_frame_view(&mpa, f->head, f->n_head);
	if (!mpa.reply)
		return "MPA request";
	return ibw_mpa_start_r(mpa.start) ? "MPA reject" : "MPA reply";
}

/* The Terminate in it; false: it has none. */
static bool terminate_of(const struct iw_fpdu *f, struct ibw_terminate *t, unsigned int *i)
{
	for (*i = 0; *i < f->n_spans; (*i)++)
		if (f->span[*i].layer == IBW_LAYER_rdmap_terminate)
			return ibw_terminate_view(t, f->head + f->span[*i].off,
						  f->n_head - f->span[*i].off);
	return false;
}

#define MEANING 160

static const char *meaning(char text[MEANING], uint8_t layer, uint8_t etype, uint8_t code)
{
	struct ibw_out o = ibw_out_open(text, MEANING);

	lint_out_terminate_meaning(&o, layer, etype, code);
	ibw_out_close(&o);
	return text;
}

/* "RDMA Write 1408", "Terminate: DDP, Tagged Buffer Error, Invalid STag" */
static void out_fpdu(struct ibw_out *o, const struct iw_fpdu *f)
{
	const char *name = ibw_name_of(ibw_rdmap_opcode_names, f->opcode);
	struct ibw_terminate t;
	unsigned int i;

	if (is_start(f)) {
		ibw_out_str(o, start_text(f));
		return;
	}
	ibw_out_str(o, name ? name : "unknown RDMAP opcode");
	if (ibw_rdmap_flags(f->opcode) & IBW_RDMAP_DATA) {
		ibw_out_char(o, ' ');
		ibw_out_dec(o, f->data);
	} else if (terminate_of(f, &t, &i)) {
		ibw_out_str(o, ": ");
		lint_out_terminate_meaning(o, t.layer, t.etype, t.code);
	}
}

/* "RDMA Write 1408, Send 64 and 3 more" */
static void out_fpdus(struct ibw_out *o, const struct iw_fpdu *f)
{
	unsigned int n = 0;

	for (; f && n < NAMED_MAX; f = f->next, n++) {
		if (n)
			ibw_out_str(o, ", ");
		out_fpdu(o, f);
	}
	for (n = 0; f; f = f->next)
		n++;
	if (!n)
		return;
	ibw_out_str(o, " and ");
	ibw_out_dec(o, n);
	ibw_out_str(o, " more");
}

/* The tree */

/*
 * Where @n bytes of the copy @p are, @off bytes after the first one of the FPDU: in the frame, if they lie there in one piece, else
 * in a tvb of their own.
 */
static tvbuff_t *place_of(const struct iw_frame *frame, const struct iw_fpdu *f, uint32_t off,
			  const uint8_t *p, uint32_t n, int *at)
{
	tvbuff_t *tvb;

	if (f->here) {
		tvb = iw_frame_tvb(frame, f->off + off, at);
		if (tvb && tvb_bytes_exist(tvb, *at, (int)n) && tvb_memeql(tvb, *at, p, n) == 0)
			return tvb;
	}
	*at = 0;
	return tvb_new_child_real_data(frame->tvb, p, n, (int)n);
}

static void add_layers(proto_tree *tree, const struct iw_frame *frame, const struct iw_fpdu *f)
{
	const uint8_t *wire;
	unsigned int i;
	tvbuff_t *tvb;
	int at;

	for (i = 0; i < f->n_spans; i++) {
		wire = f->head + f->span[i].off;
		tvb = place_of(frame, f, f->at[i], wire, f->span[i].len, &at);
		iw_tree_header(tree, tvb, at, wire, &f->span[i], NULL, false);
	}
}

static void add_crc(proto_tree *tree, const struct iw_frame *frame, const struct iw_fpdu *f)
{
	tvbuff_t *tvb = frame->tvb;
	int at = 0, bytes = 0;
	proto_item *item;

	if (f->crc != TRACK_FPDU_CRC_NONE && iw_wanted(tree, hf_crc)) {
		if (f->here) {
			tvb = iw_frame_tvb(frame, f->off + f->bytes - IBW_MPA_CRC_BYTES, &at);
			bytes = IBW_MPA_CRC_BYTES;
		}
		item = proto_tree_add_uint(tree, hf_crc, tvb, at, bytes, f->found);
		if (f->crc == TRACK_FPDU_CRC_BAD)
			proto_item_append_text(item, ", should be 0x%08x", f->computed);
	}
	iw_add_generated(tree, frame->tvb, hf_crc_status, f->crc);
}

static void add_string(proto_tree *tree, tvbuff_t *tvb, int hf, const char *text)
{
	if (iw_wanted(tree, hf))
		proto_item_set_generated(proto_tree_add_string(tree, hf, tvb, 0, 0, text));
}

static void add_terminate(proto_tree *tree, const struct iw_frame *frame, const struct iw_fpdu *f)
{
	tvbuff_t *tvb = frame->tvb;
	struct ibw_terminate t;
	char text[MEANING];
	proto_item *item;
	unsigned int i;

	if (!terminate_of(f, &t, &i))
		return;
	item = proto_tree_add_string(tree, hf_terminate, tvb, 0, 0,
				     meaning(text, t.layer, t.etype, t.code));
	proto_item_set_generated(item);
	tree = proto_item_add_subtree(item, ett_terminate);
	iw_add_generated(tree, tvb, hf_terminate_layer, t.layer);
	iw_add_generated(tree, tvb, hf_terminate_etype, t.etype);
	iw_add_generated(tree, tvb, hf_terminate_code, t.code);
	if (iw_wanted(tree, hf_terminate_swapped))
		proto_item_set_generated(
			proto_tree_add_boolean(tree, hf_terminate_swapped, tvb, 0, 0, t.swapped));
	if (t.swapped)
		add_string(tree, tvb, hf_terminate_literal,
			   meaning(text, t.etype, t.layer, t.code));
	if (f->refused)
		iw_add_generated(tree, tvb, hf_terminate_refused, f->refused);
}

static void add_message(proto_tree *tree, const struct iw_frame *frame, const struct iw_fpdu *f)
{
	const struct iw_iwarp_message *m = f->message;
	bool is_request = m->asks && f->opcode != IBW_RDMAP_READ_RESPONSE &&
			  f->opcode != IBW_RDMAP_ATOMIC_RESPONSE;
	const struct iw_msg_said said = {
		.va = m->va + f->message_off,
		.ns = m->last_ns - m->first_ns,
		.number = m->number,
		.first = m->first,
		.last = m->last,
		.packets = m->fpdus,
		.len = m->len,
		.off = f->message_off,
		.completed = m->asks && m->ended ? m->last : 0,
		.verb = m->verb,
		.ended = m->ended,
		.has_len = m->asks || m->ended,
		.has_off = !is_request,
		.has_va = m->names,
	};

	iw_msg_add_said(tree, frame->tvb, &said);
}

static void name_fpdu(proto_item *item, const struct iw_fpdu *f)
{
	char text[128];
	struct ibw_out o = ibw_out_open(text, sizeof(text));

	if (!is_start(f))
		ibw_out_str(&o, "FPDU: ");
	out_fpdu(&o, f);
	ibw_out_str(&o, ", at byte ");
	ibw_out_dec(&o, f->place);
	ibw_out_str(&o, " of the stream");
	ibw_out_close(&o);
	proto_item_set_text(item, "%s", text);
}

static void add_fpdu(proto_tree *tree, packet_info *pinfo, const struct iw_frame *frame,
		     const struct iw_fpdu *f)
{
	tvbuff_t *tvb = frame->tvb;
	int at = 0, bytes = 0;
	proto_item *item;
	unsigned int i;

	if (f->here) {
		tvb = iw_frame_tvb(frame, f->off, &at);
		bytes = (int)f->bytes;
	}
	item = proto_tree_add_item(tree, hf_fpdu, tvb, at, bytes, ENC_NA);
	if (item && PTREE_DATA(tree)->visible)
		name_fpdu(item, f);
	tree = proto_item_add_subtree(item, ett_fpdu);
	if (iw_wanted(tree, hf_place))
		proto_item_set_generated(
			proto_tree_add_uint64(tree, hf_place, frame->tvb, 0, 0, f->place));
	for (i = 0; !f->here && i < f->n_frames; i++)
		iw_add_generated(tree, frame->tvb, hf_frame, f->frames[i]);
	add_crc(tree, frame, f);
	add_layers(tree, frame, f);
	if (f->crc != TRACK_FPDU_CRC_NONE)
		add_terminate(tree, frame, f);
	iw_ulp_fpdu_tree(tree, pinfo, frame, f);
	if (f->message)
		add_message(tree, frame, f);
}

/* Else it is called by its port space. */
static bool has_name(uint64_t service_id)
{
	char buf[TRACK_CM_SERVICE_TEXT];

	return !g_str_has_prefix(track_cm_service_text(service_id, buf),
				 ibw_name_of(ibw_rdma_port_space_names, IBW_RDMA_PS_TCP));
}

/* Its service is that of the port of the end that was asked, if that has a name. */
static void say(struct iw_stream_said *said, const struct iw_iwarp_conn *c, enum track_way way)
{
	*said = (struct iw_stream_said){ .number = iw_iwarp_number(c), .way = way };
	if (c->opens && has_name(ibw_sid_rdma_cm(IBW_RDMA_PS_TCP, iw_iwarp_port(c))))
		said->service_id = ibw_sid_rdma_cm(IBW_RDMA_PS_TCP, iw_iwarp_port(c));
}

static void add_connection(proto_tree *tree, packet_info *pinfo, const struct iw_frame *frame)
{
	const struct iw_iwarp_conn *c;
	struct iw_stream_said said;
	enum track_way way;

	c = iw_iwarp_conn(pinfo->num, &way);
	if (!c)
		return;
	say(&said, c, way);
	iw_stream_add(tree, frame->tvb, &said);
	iw_conv_ends(tree, pinfo, frame);
	if (c->request)
		iw_add_generated(tree, frame->tvb, hf_request, c->request);
	if (c->reply)
		iw_add_generated(tree, frame->tvb, c->rejected ? hf_reject : hf_reply, c->reply);
}

void iw_iwarp_tree(proto_tree *tree, packet_info *pinfo, const struct iw_frame *frame)
{
	const struct iw_fpdu *f;
	unsigned int n = 0;

	add_connection(tree, pinfo, frame);
	for (f = iw_iwarp_fpdus(pinfo->num); f && n < FPDUS_SHOWN; f = f->next, n++)
		add_fpdu(tree, pinfo, frame, f);
	for (n = 0; f; f = f->next)
		n++;
	if (n)
		proto_item_append_text(proto_tree_get_parent(tree), ", %u more FPDUs not shown", n);
	iw_incident_tree(tree, pinfo, frame);
}

void iw_iwarp_title(proto_item *item, packet_info *pinfo)
{
	const struct iw_iwarp_conn *c;
	char text[512];
	struct ibw_out o = ibw_out_open(text, sizeof(text));
	enum track_way way;

	if (!item || !PTREE_DATA(item)->visible)
		return;
	ibw_out_str(&o, IW_SHORT_NAME ", ");
	c = iw_iwarp_conn(pinfo->num, &way);
	if (c) {
		ibw_out_str(&o, "stream ");
		ibw_out_dec(&o, iw_iwarp_number(c));
		ibw_out_str(&o, ", ");
	}
	ibw_out_str(&o, "iWARP");
	if (iw_iwarp_fpdus(pinfo->num)) {
		ibw_out_str(&o, ", ");
		out_fpdus(&o, iw_iwarp_fpdus(pinfo->num));
	}
	ibw_out_close(&o);
	proto_item_set_text(item, "%s", text);
}

/* Info */

static void mark_fpdus(packet_info *pinfo, const struct iw_fpdu *f)
{
	char text[512];
	struct ibw_out o = ibw_out_open(text, sizeof(text));

	out_fpdus(&o, f);
	ibw_out_close(&o);
	iw_info_mark(pinfo, text);
}

void iw_iwarp_out(struct ibw_out *o, packet_info *pinfo)
{
	const struct iw_fpdu *f = iw_iwarp_fpdus(pinfo->num);

	if (f)
		out_fpdus(o, f);
	else
		ibw_out_str(o, "part of an FPDU");
}

static bool has_bad_crc(const struct iw_fpdu *f)
{
	while (f && f->crc != TRACK_FPDU_CRC_BAD)
		f = f->next;
	return f != NULL;
}

void iw_iwarp_info(packet_info *pinfo, bool shown)
{
	const struct iw_fpdu *f = iw_iwarp_fpdus(pinfo->num);
	const struct iw_iwarp_conn *c;
	struct iw_stream_said said;
	enum track_way way;

	if (!pinfo->cinfo || !col_get_writable(pinfo->cinfo, COL_INFO))
		return;
	if (f && !shown)
		mark_fpdus(pinfo, f);
	if (has_bad_crc(f))
		iw_info_mark(pinfo, "CRC incorrect");
	c = iw_iwarp_conn(pinfo->num, &way);
	if (!c)
		return;
	say(&said, c, way);
	iw_stream_add_info(pinfo, &said);
}
