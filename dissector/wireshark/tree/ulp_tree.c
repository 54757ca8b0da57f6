/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ulp_tree.c - upper layers in the tree and in the columns: the headers of a message, where it is complete, and the packets of its command.
 *
 * Headers for which Wireshark has a dissector are hidden where that has shown them.
 */
#include <ibwire/fpdu.h>
#include <ibwire/ibwire.h>
#include <ibwire/out.h>

#include "ulp_tree.h"
#include "whole.h"
#include "wireshark/base/field.h"
#include "wireshark/base/hf.h"
#include "wireshark/base/mark.h"
#include "wireshark/base/prefs.h"
#include "wireshark/base/proto.h"
#include "wireshark/marks/iwarp.h"
#include "wireshark/marks/reassemble.h"
#include "wireshark/marks/service.h"
#include "wireshark/marks/ulp.h"
#include "wireshark/packet/frame.h"
#include "track/ulp/ulp.h"

#include <epan/tfs.h>

/* Of one message, as track/ulp reads: chunks, descriptors. */
#define SPANS 264u

#define TEXT 192u

static int hf_ulp, hf_command, hf_operation, hf_id, hf_queue, hf_request, hf_response, hf_data_in,
	hf_data_count, hf_data_bytes, hf_time, hf_status, hf_failed, hf_rest;
static int ett_ulp = -1, ett_command = -1;

/* Bytes of a message. */
struct message {
	tvbuff_t *tvb;
	const uint8_t *p;
	int at;
	uint32_t n, len; /* those at hand, those it has */
};

static value_string *ulp_values; /* by enum ibw_ulp */

/* Wireshark's dissector, by its filter. */
static const char *const theirs[IBW_ULP_COUNT] = {
	[IBW_ULP_NVME] = "nvme-rdma",     [IBW_ULP_ISER] = "iser",
	[IBW_ULP_RPCRDMA] = "rpcordma",   [IBW_ULP_SMB_DIRECT] = "smb_direct",
	[IBW_ULP_SDP] = "infiniband_sdp", [IBW_ULP_SMC] = "smc",
};

void iw_ulp_tree_register(void)
{
	static hf_register_info rows[] = {
		IW_ROW(hf_ulp, "Upper layer", "ibwire.ulp", FT_UINT8, BASE_NONE, NULL,
		       "Of the message that is complete with the packet, or of the data that it "
		       "moves"),
		IW_ROW(hf_command, "Command", "ibwire.ulp.command", FT_STRING, BASE_NONE, NULL,
		       "That the message is or answers, or that the RDMA READ or WRITE is for"),
		IW_ROW(hf_operation, "Operation", "ibwire.ulp.operation", FT_STRING, BASE_NONE,
		       NULL, "What the command does"),
		IW_ROW(hf_id, "ID", "ibwire.ulp.id", FT_UINT64, BASE_DEC_HEX, NULL,
		       "Command Identifier, tag, ITT, XID or message ID"),
		IW_ROW(hf_queue, "Queue", "ibwire.ulp.queue", FT_UINT16, BASE_DEC, NULL,
		       "NVMe: 0 is the admin queue"),
		IW_ROW(hf_request, "Command in", "ibwire.ulp.request_in", FT_FRAMENUM, BASE_NONE,
		       FRAMENUM_TYPE(FT_FRAMENUM_REQUEST),
		       "The frame with which the command begins"),
		IW_ROW(hf_response, "Answered in", "ibwire.ulp.response_in", FT_FRAMENUM, BASE_NONE,
		       FRAMENUM_TYPE(FT_FRAMENUM_RESPONSE),
		       "The frame with which the answer begins"),
		IW_ROW(hf_data_in, "Data in", "ibwire.ulp.data_in", FT_FRAMENUM, BASE_NONE, NULL,
		       "An RDMA READ or WRITE of memory that the command offers by an R_Key"),
		IW_ROW(hf_data_count, "RDMA READs and WRITEs", "ibwire.ulp.data_count", FT_UINT32,
		       BASE_DEC, NULL, "Of memory that the command offers"),
		IW_ROW(hf_data_bytes, "Bytes moved", "ibwire.ulp.data_bytes", FT_UINT64, BASE_DEC,
		       NULL, "That those ask for"),
		IW_ROW(hf_time, "Time", "ibwire.ulp.time", FT_RELATIVE_TIME, BASE_NONE, NULL,
		       "From the command to its answer"),
		IW_ROW(hf_status, "Status", "ibwire.ulp.status", FT_STRING, BASE_NONE, NULL,
		       "Of the answer"),
		IW_ROW(hf_failed, "Failed", "ibwire.ulp.failed", FT_BOOLEAN, BASE_NONE,
		       TFS(&tfs_yes_no), "Whether the status says that the command failed"),
		IW_ROW(hf_rest, "Data", "ibwire.ulp.data", FT_BYTES, BASE_NONE, NULL,
		       "What is after the headers of the message"),
	};
	static int *etts[] = { &ett_ulp, &ett_command };
	unsigned int i, n = 0;

	ulp_values = wmem_alloc0_array(wmem_epan_scope(), value_string, IBW_ULP_COUNT + 1);
	for (i = 0; i < IBW_ULP_COUNT; i++)
		if (ibw_ulp_text(i))
			ulp_values[n++] = (value_string){ i, ibw_ulp_text(i) };
	rows[0].hfinfo.strings = VALS(ulp_values);
	proto_register_field_array(iw_proto, rows, array_length(rows));
	proto_register_subtree_array(etts, array_length(etts));
}

/* Messages */

/* Wireshark has no dissector for it. */
static bool is_ours(const struct iw_ulp *u)
{
	return iw_ulp_has_message(u) && !theirs[u->ulp];
}

/* A packet of several is of the message that was whole with another one, or may become so. */
static bool is_told_elsewhere(const struct iw_message *m, const packet_info *pinfo)
{
	if (m->state == IW_MESSAGE_GROWING)
		return !pinfo->fd->visited;
	return m->state == IW_MESSAGE_WHOLE && m->last != pinfo->num;
}

/* What the packet is told as; *@whole: the message of several packets that it completes, NULL: none. */
static const struct iw_ulp *told(const struct iw_frame *frame, packet_info *pinfo,
				 const struct iw_message **whole)
{
	const struct ibw_packet *pkt = &frame->view.pkt;
	const struct iw_message *m;
	const struct iw_ulp *u;

	*whole = NULL;
	if (pkt->bth == IBW_NO_SPAN || !iw_frame_is_main(frame, pinfo))
		return NULL;
	m = iw_message_of(frame, pinfo);
	if (m && (m->state == IW_MESSAGE_REPEATED || m->state == IW_MESSAGE_DAMAGED))
		return NULL;
	if (!iw_message_has(m, pkt->opcode))
		return iw_ulp_kept(pinfo->num);
	if (is_told_elsewhere(m, pinfo))
		return NULL;
	if (m->state != IW_MESSAGE_WHOLE)
		return iw_ulp_kept(pinfo->num);
	*whole = m;
	u = iw_ulp_kept(
		m->frames[0]); /* of an rsocket it is the last packet that says what it is */
	return u ? u : iw_ulp_kept(pinfo->num);
}

static struct message message_of(struct iw_frame *frame, packet_info *pinfo,
				 const struct iw_message *whole)
{
	const struct ibw_packet *pkt = &frame->view.pkt;
	struct message m = { .n = ibw_packet_payload_captured(pkt), .len = pkt->payload_len };

	if (whole) {
		m.tvb = iw_whole_tvb(frame, pinfo, whole);
		m.p = whole->data;
		m.n = m.len = whole->len;
		return m;
	}
	m.tvb = iw_frame_tvb(frame, pkt->payload_off, &m.at);
	m.p = pkt->data + MIN(pkt->payload_off, pkt->caplen);
	if (!(ibw_opcodes[pkt->opcode].flags & IBW_OPF_ONLY))
		m.len = TRACK_ULP_LONG;
	return m;
}

/* Of an FPDU that ends its message. */
static const struct iw_ulp *fpdu_told(const struct iw_fpdu *f)
{
	if (!f->ends || f->opcode == IBW_RDMAP_READ_RESPONSE)
		return NULL;
	return f->ulp || !f->message ? f->ulp : f->message->ulp;
}

/* False: not all of it is kept. */
static bool message_of_fpdu(struct message *m, const struct iw_frame *frame,
			    const struct iw_fpdu *f)
{
	const struct iw_iwarp_message *of = f->message;

	*m = (struct message){ .n = f->data, .len = f->data };
	if (f->in_one_piece) {
		m->tvb =
			iw_frame_tvb(frame, f->off + (uint32_t)ibw_mpa_BYTES + f->n_header, &m->at);
		m->p = tvb_get_ptr(m->tvb, m->at, (int)f->data);
		return true;
	}
	if (!of || !of->data || of->lacks || !of->n_data)
		return false;
	m->p = of->data;
	m->n = m->len = of->n_data;
	m->tvb = tvb_new_child_real_data(frame->tvb, of->data, of->n_data, (int)of->n_data);
	return true;
}

/* Words */

static void out_status(struct ibw_out *o, const struct iw_ulp_command *c)
{
	char text[TRACK_ULP_STATUS_TEXT];

	ibw_out_str(o, track_ulp_status_words((enum ibw_ulp)c->queue->ulp, c->code, c->status, text,
					      sizeof(text)));
}

static void out_about(struct ibw_out *o, const struct iw_ulp_about *about)
{
	const struct iw_ulp_command *c = about->command;

	if (about->does == TRACK_ULP_DOES_MOVE)
		ibw_out_str(o, "data of ");
	track_ulp_out_command(o, c->queue, c->code, c->id);
	if (about->does == TRACK_ULP_DOES_ASK && c->asked) {
		ibw_out_str(o, ", ");
		ibw_out_dec(o, c->asked);
		ibw_out_str(o, " bytes");
	} else if (about->does == TRACK_ULP_DOES_ANSWER) {
		ibw_out_str(o, ": ");
		out_status(o, c);
	}
}

/* "4000 -> 4001, sequence number 12, 64 bytes, retransmitted" */
static void out_rds(struct ibw_out *o, const struct message *m)
{
	const struct ibw_rds_hdr_wire *rds = (const void *)m->p;

	if (m->n < ibw_rds_hdr_BYTES)
		return;
	if (ibw_rds_hdr_cong_bitmap(rds)) {
		ibw_out_str(o, "congestion map");
		return;
	}
	ibw_out_dec(o, ibw_rds_hdr_sport(rds));
	ibw_out_str(o, " -> ");
	ibw_out_dec(o, ibw_rds_hdr_dport(rds));
	if (!ibw_rds_hdr_seq(rds)) {
		ibw_out_str(o, ", acknowledges ");
		ibw_out_dec(o, ibw_rds_hdr_ack(rds));
		return;
	}
	ibw_out_str(o, ", sequence number ");
	ibw_out_dec(o, ibw_rds_hdr_seq(rds));
	ibw_out_str(o, ", ");
	ibw_out_dec(o, ibw_rds_hdr_len(rds));
	ibw_out_str(o, " bytes");
	if (ibw_rds_hdr_retransmitted(rds))
		ibw_out_str(o, ", retransmitted");
}

/* "data, 3000 bytes"; "credit and SGL, 5" */
static void out_word(struct ibw_out *o, const struct ibw_rsocket_word_wire *word)
{
	const char *name = ibw_name_of(ibw_rsocket_op_names, ibw_rsocket_word_op(word));

	ibw_out_str(o, name ? name : "unknown word");
	if (ibw_rsocket_word_op(word) == IBW_RSOCKET_CONTROL) {
		name = ibw_name_of(ibw_rsocket_control_names, ibw_rsocket_word_value(word));
		ibw_out_str(o, ", ");
		ibw_out_str(o, name ? name : "unknown");
		return;
	}
	ibw_out_str(o, ", ");
	ibw_out_dec(o, ibw_rsocket_word_value(word));
	if (ibw_rsocket_word_op(word) == IBW_RSOCKET_DATA)
		ibw_out_str(o, " bytes");
}

/* Its title where it is about no command: what its first header says. */
static void out_first(struct ibw_out *o, const struct iw_ulp *u, const struct message *m)
{
	const char *name = NULL;

	if (u->ulp == IBW_ULP_RDS)
		out_rds(o, m);
	else if (u->ulp == IBW_ULP_RSOCKET && m->n >= ibw_rsocket_word_BYTES)
		out_word(o, (const void *)m->p);
	else if (u->ulp == IBW_ULP_SRP && m->n)
		name = ibw_srp_opcode_name(m->p[0]);
	if (name)
		ibw_out_str(o, name);
}

/* "READ(10), tag 0x12: success"; nothing: there is nothing to be said. */
static const char *words(char text[TEXT], const struct iw_ulp *u, const struct message *m)
{
	struct ibw_out o = ibw_out_open(text, TEXT);
	unsigned int i;

	for (i = 0; i < u->n; i++) {
		if (i)
			ibw_out_str(&o, "; ");
		out_about(&o, &u->about[i]);
	}
	if (!u->n)
		out_first(&o, u, m);
	ibw_out_close(&o);
	return text;
}

static uint8_t ulp_of(const struct iw_ulp *u)
{
	return u->ulp == IBW_ULP_NONE ? u->about[0].command->queue->ulp : u->ulp;
}

/* Trees */

static void add_string(proto_tree *tree, tvbuff_t *tvb, int hf, const char *text)
{
	if (iw_wanted(tree, hf))
		proto_item_set_generated(proto_tree_add_string(tree, hf, tvb, 0, 0, text));
}

static void add_number(proto_tree *tree, tvbuff_t *tvb, int hf, uint64_t n)
{
	if (iw_wanted(tree, hf))
		proto_item_set_generated(proto_tree_add_uint64(tree, hf, tvb, 0, 0, n));
}

static void add_data(proto_tree *tree, tvbuff_t *tvb, const struct iw_ulp_command *c)
{
	const struct iw_ulp_moved *m;

	for (m = c->moved; m; m = m->next)
		iw_add_generated(tree, tvb, hf_data_in, m->frame);
	if (!c->n_moved)
		return;
	iw_add_generated(tree, tvb, hf_data_count, c->n_moved);
	add_number(tree, tvb, hf_data_bytes, c->bytes);
}

static void add_answer(proto_tree *tree, tvbuff_t *tvb, const struct iw_ulp_command *c)
{
	const enum ibw_ulp ulp = (enum ibw_ulp)c->queue->ulp;
	char text[TRACK_ULP_STATUS_TEXT];
	proto_item *item;

	iw_add_ns(tree, tvb, hf_time, c->ns);
	add_string(tree, tvb, hf_status,
		   track_ulp_status_words(ulp, c->code, c->status, text, sizeof(text)));
	if (!iw_wanted(tree, hf_failed))
		return;
	item = proto_tree_add_boolean(tree, hf_failed, tvb, 0, 0,
				      track_ulp_is_error(ulp, c->code, c->status));
	proto_item_set_generated(item);
}

static void add_command(proto_tree *tree, tvbuff_t *tvb, const struct iw_ulp_about *about)
{
	const struct iw_ulp_command *c = about->command;
	char text[TEXT];
	struct ibw_out o = ibw_out_open(text, sizeof(text));
	proto_item *item;

	track_ulp_out_command(&o, c->queue, c->code, c->id);
	ibw_out_close(&o);
	item = proto_tree_add_string(tree, hf_command, tvb, 0, 0, text);
	proto_item_set_generated(item);
	tree = proto_item_add_subtree(item, ett_command);
	add_string(tree, tvb, hf_operation, track_ulp_operation_text(c->queue, c->code, text));
	add_number(tree, tvb, hf_id, c->id);
	if (c->queue->ulp == IBW_ULP_NVME && !c->queue->id_unknown)
		iw_add_generated(tree, tvb, hf_queue, c->queue->id);
	if (about->does != TRACK_ULP_DOES_ASK)
		iw_add_generated(tree, tvb, hf_request, c->request);
	if (about->does != TRACK_ULP_DOES_MOVE)
		add_data(tree, tvb, c);
	if (about->does == TRACK_ULP_DOES_ANSWER)
		add_answer(tree, tvb, c);
	else if (c->response)
		iw_add_generated(tree, tvb, hf_response, c->response);
}

/* @hidden: Wireshark's dissector has shown them; a filter finds them all the same. */
static void add_headers(proto_tree *tree, const struct iw_ulp *u, const struct message *m,
			bool hidden)
{
	proto_node *last = tree->last_child;
	struct ibw_span span[SPANS];
	struct ibw_ulp_walked w;
	uint32_t i, n;

	ibw_ulp_walk(&w, (enum ibw_ulp)u->ulp, u->flags, m->p, m->n, m->len, span, SPANS);
	for (i = 0; i < w.n_spans; i++)
		iw_tree_header(tree, m->tvb, m->at + (int)span[i].off, m->p + span[i].off, &span[i],
			       NULL, false);
	if (!w.n_spans)
		w.data_len = m->n;
	n = w.data_off < m->n ? MIN(w.data_len, m->n - w.data_off) : 0;
	if (n && iw_wanted(tree, hf_rest))
		proto_tree_add_item(tree, hf_rest, m->tvb, m->at + (int)w.data_off, (int)n, ENC_NA);
	if (hidden && PTREE_DATA(tree)->visible)
		iw_hide_behind(tree, last);
}

/* The word of an rsocket; false: the packet has none. */
static bool word_of(const struct iw_frame *frame, struct message *m)
{
	const struct ibw_packet *pkt = &frame->view.pkt;
	unsigned int i = ibw_packet_find(pkt, IBW_LAYER_immdt);

	if (i == IBW_NO_SPAN)
		return false;
	m->p = ibw_packet_at(pkt, i);
	m->n = m->len = ibw_rsocket_word_BYTES;
	m->tvb = iw_frame_tvb(frame, pkt->span[i].off, &m->at);
	return true;
}

static void add_word(proto_tree *tree, const struct message *m)
{
	const struct ibw_span span = { .layer = IBW_LAYER_rsocket_word,
				       .len = ibw_rsocket_word_BYTES };

	iw_tree_header(tree, m->tvb, m->at, m->p, &span, NULL, false);
}

/* Returns its subtree. */
static proto_tree *add_ulp(proto_tree *tree, const struct iw_ulp *u, const struct message *m)
{
	proto_item *item = proto_tree_add_uint(tree, hf_ulp, m->tvb, m->at, (int)m->n, ulp_of(u));
	char text[TEXT];
	unsigned int i;

	proto_item_set_generated(item);
	if (PTREE_DATA(tree)->visible && *words(text, u, m))
		proto_item_append_text(item, ", %s", text);
	tree = proto_item_add_subtree(item, ett_ulp);
	for (i = 0; i < u->n; i++)
		add_command(tree, m->tvb, &u->about[i]);
	return tree;
}

/* Whether Wireshark's dissector shows the message: in take-over mode it is called after this. */
static bool is_shown(const struct iw_frame *frame, packet_info *pinfo, uint8_t ulp, uint16_t port)
{
	if (iw_prefs.all_fields || !theirs[ulp])
		return false;
	if (frame->shown)
		return port != 0;
	return proto_is_frame_protocol(pinfo->layers, theirs[ulp]);
}

void iw_ulp_tree(proto_tree *tree, packet_info *pinfo, struct iw_frame *frame)
{
	const struct iw_message *whole;
	const struct iw_ulp *u = told(frame, pinfo, &whole);
	struct message m;
	bool word;

	if (!u)
		return;
	m = message_of(frame, pinfo, whole);
	word = u->ulp == IBW_ULP_RSOCKET && word_of(frame, &m);
	if (u->ulp == IBW_ULP_NONE) {
		m.at = 0;
		m.n = 0;
	}
	tree = add_ulp(tree, u, &m);
	if (word)
		add_word(tree, &m);
	else if (m.n)
		add_headers(tree, u, &m,
			    is_shown(frame, pinfo, u->ulp, iw_service_port(frame, pinfo)));
}

void iw_ulp_fpdu_tree(proto_tree *tree, packet_info *pinfo, const struct iw_frame *frame,
		      const struct iw_fpdu *f)
{
	const struct iw_ulp *u = fpdu_told(f);
	struct message m;

	if (!u)
		return;
	if (!iw_ulp_has_message(u) || !message_of_fpdu(&m, frame, f))
		m = (struct message){ .tvb = frame->tvb };
	else if (!f->in_one_piece && is_ours(u)) /* others make one of their own */
		add_new_data_source(pinfo, m.tvb, "Reassembled iWARP message");
	tree = add_ulp(tree, u, &m);
	if (m.n)
		add_headers(
			tree, u, &m,
			is_shown(frame, pinfo, u->ulp, iw_service_of_port(iw_iwarp_port(f->conn))));
}

/* Columns */

bool iw_ulp_is_ours(const struct iw_frame *frame, packet_info *pinfo)
{
	const struct iw_message *whole;
	const struct iw_ulp *u = told(frame, pinfo, &whole);

	return is_ours(u) && u->ulp != IBW_ULP_RSOCKET;
}

bool iw_ulp_fpdu_is_ours(const struct iw_fpdu *f)
{
	return is_ours(fpdu_told(f));
}

void iw_ulp_columns(packet_info *pinfo, struct iw_frame *frame)
{
	const struct iw_message *whole;
	const struct iw_ulp *u;
	struct message m;
	char text[TEXT];

	if (!pinfo->cinfo || !col_get_writable(pinfo->cinfo, COL_INFO))
		return;
	u = told(frame, pinfo, &whole);
	if (!u || (!is_ours(u) && u->ulp != IBW_ULP_NONE))
		return;
	m = message_of(frame, pinfo, whole);
	if (u->ulp == IBW_ULP_RSOCKET && !word_of(frame, &m))
		return;
	words(text, u, &m);
	if (u->ulp == IBW_ULP_NONE) {
		iw_info_mark(pinfo, text);
		return;
	}
	col_set_str(pinfo->cinfo, COL_PROTOCOL, ibw_ulp_text(u->ulp));
	if (*text)
		col_add_str(pinfo->cinfo, COL_INFO, text);
}

/* Of FPDUs, that the Info column names. */
#define NAMED_MAX 3u

void iw_ulp_fpdu_columns(packet_info *pinfo, const struct iw_frame *frame)
{
	const struct iw_fpdu *f;
	const struct iw_ulp *u;
	unsigned int n = 0;
	struct message m;
	char text[TEXT];

	for (f = iw_iwarp_fpdus(pinfo->num); f && n < NAMED_MAX; f = f->next) {
		u = fpdu_told(f);
		if (!u || (!is_ours(u) && u->ulp != IBW_ULP_NONE))
			continue;
		m = (struct message){ .n = 0 };
		if (is_ours(u) && !message_of_fpdu(&m, frame, f))
			continue;
		if (*words(text, u, &m))
			iw_info_mark(pinfo, text);
		n++;
	}
}
