/* SPDX-License-Identifier: GPL-2.0-or-later */
/* info.c - a packet in one line: the Info column, and the title of the tree. */
#include <string.h>

#include <ibwire/ibwire.h>
#include <ibwire/out.h>
#include <ibwire/print.h>

#include "info.h"
#include "wireshark/packet/frame.h"
#include "wireshark/packet/mad.h"
#include "wireshark/base/proto.h"
#include "wireshark/marks/stream.h"
#include "track/track.h"

/* " Name=" and the value of a field, hexadecimal or not as its kind asks. */
static void value(struct ibw_out *o, const char *name, uint64_t v, unsigned int hex_digits)
{
	ibw_out_str(o, name);
	if (hex_digits)
		ibw_out_hex(o, v, hex_digits);
	else
		ibw_out_dec(o, v);
}

/* "ACK, unlimited credits" of an AETH, as the printer says it, without the number. */
void iw_info_syndrome(struct ibw_out *o, const struct ibw_aeth_wire *aeth)
{
	const struct ibw_field *f = ibw_headers[IBW_LAYER_aeth].fields;
	char text[96];
	struct ibw_out inner = ibw_out_open(text, sizeof(text));
	char *meaning;

	while (f->name && f->kind != IBW_KIND_AETH_SYN)
		f++;
	ibw_print_value(&inner, f, aeth);
	ibw_out_close(&inner);
	meaning = strchr(text, '(');
	if (!meaning)
		return;
	ibw_out_char(o, ' ');
	ibw_out_str(o, meaning);
}

static void ext_header(struct ibw_out *o, const struct ibw_packet *pkt, unsigned int i)
{
	const void *p = ibw_packet_at(pkt, i);

	switch (pkt->span[i].layer) {
	case IBW_LAYER_reth:
		value(o, " VA=", ibw_reth_va(p), 16);
		value(o, " R_Key=", ibw_reth_rkey(p), 8);
		value(o, " Len=", ibw_reth_dmalen(p), 0);
		break;
	case IBW_LAYER_atomiceth:
		value(o, " VA=", ibw_atomiceth_va(p), 16);
		break;
	case IBW_LAYER_aeth:
		value(o, " MSN=", ibw_aeth_msn(p), 0);
		iw_info_syndrome(o, p);
		break;
	case IBW_LAYER_deth:
		value(o, " SrcQP=", ibw_deth_sqpn(p), 6);
		break;
	case IBW_LAYER_immdt:
		value(o, " Imm=", ibw_immdt_data(p), 8);
		break;
	case IBW_LAYER_ieth:
		value(o, " R_Key=", ibw_ieth_rkey(p), 8);
		break;
	default:
		break;
	}
}

/* What its RETH asks for, of a message all of it; else bytes of the packet. */
static uint32_t len_of(const struct ibw_packet *pkt)
{
	const struct ibw_reth_wire *reth = IBW_AT(pkt, reth);

	return reth ? ibw_reth_dmalen(reth) : pkt->payload_len;
}

static void transport(struct ibw_out *o, const struct ibw_packet *pkt)
{
	const struct ibw_bth_wire *bth = ibw_packet_at(pkt, pkt->bth);
	const char *text = ibw_packet_opcode_text(pkt);
	unsigned int i;

	if (text)
		ibw_out_str(o, text);
	else
		value(o, "Opcode ", pkt->opcode, 2);
	value(o, " QP=", ibw_bth_dqpn(bth), 6);
	value(o, " PSN=", ibw_bth_psn(bth), 6);
	for (i = pkt->bth + 1u; i < pkt->n_spans; i++)
		ext_header(o, pkt, i);
	/* A RETH has the length of the whole message. */
	if (text && pkt->payload_len && !(pkt->eths & IBW_ETH_RETH))
		value(o, " Len=", pkt->payload_len, 0);
}

/* How people call the classes that have many MADs. */
static const char *class_text(const struct ibw_mad_class_row *row)
{
	switch (row->attrs) {
	case IBW_ATTRS_SA:
		return "SA";
	case IBW_ATTRS_CM:
		return "CM";
	case IBW_ATTRS_PERF:
		return "Perf";
	default:
		return row->text;
	}
}

/* "GetTable", "GetTableResp"; nothing for CM, whose MADs are all sent alike. */
static void add_method(struct ibw_out *o, uint8_t method, bool cm)
{
	const char *text = ibw_name_of(ibw_mad_method_names, method & 0x7f);

	if (cm && method == IBW_METHOD_SEND)
		return;
	ibw_out_char(o, ' ');
	if (text)
		ibw_out_str(o, text);
	else
		value(o, "method ", method & 0x7f, 2);
	if (method & 0x80)
		ibw_out_str(o, "Resp");
}

void iw_info_mad(struct ibw_out *o, const struct track_mad *mad, uint8_t method)
{
	const struct ibw_mad_wire *wire = (const struct ibw_mad_wire *)mad->p;
	const struct ibw_mad_class_row *row = mad->walked.class_row;

	if (!row) {
		value(o, "MAD class ", ibw_mad_mgmt_class(wire), 2);
		return;
	}
	ibw_out_str(o, class_text(row));
	add_method(o, method, row->attrs == IBW_ATTRS_CM);
	if (mad->walked.flags & IBW_MAD_CONTROL)
		return;
	ibw_out_char(o, ' ');
	if (mad->walked.attr)
		ibw_out_str(o, mad->walked.attr->text);
	else
		value(o, "attribute ", ibw_mad_attr_id(wire), 4);
}

/* A component as the specification writes it: DGID for dgid, NumbPath for numb_path. */
static void component(struct ibw_out *o, const char *name)
{
	static const char *const acronyms[] = { "dgid", "sgid", "mgid", "gid", "dlid", "slid",
						"mlid", "lid",  "sl",   "mtu", "id",   "guid" };
	const char *word = name, *end;
	unsigned int i;

	for (;; word = end + 1) {
		for (end = word; *end && *end != '_'; end++)
			continue;
		for (i = 0; i < array_length(acronyms); i++)
			if (strlen(acronyms[i]) == (size_t)(end - word) &&
			    strncmp(acronyms[i], word, (size_t)(end - word)) == 0)
				break;
		for (; word < end; word++)
			if (i < array_length(acronyms) || word == name || word[-1] == '_')
				ibw_out_char(o, g_ascii_toupper(*word));
			else
				ibw_out_char(o, *word);
		if (!*end)
			return;
	}
}

/* The names of the components an SA request selects by. */
static void components(struct ibw_out *o, const struct track_mad *mad, uint64_t mask)
{
	const struct ibw_mad_attr_row *attr = mad->walked.attr;
	const char *before = " (";
	unsigned int i, row;

	for (i = 0; i < array_length(attr->layers) && attr->layers[i] < IBW_LAYER_COUNT; i++)
		for (row = 0; row < ibw_headers[attr->layers[i]].n_fields; row++) {
			const struct ibw_field *f = &ibw_headers[attr->layers[i]].fields[row];

			if (f->flags & IBW_FIELD_RSVD || f->comp < 0 || f->comp > 63 ||
			    !(mask >> f->comp & 1))
				continue;
			ibw_out_str(o, before);
			component(o, f->name);
			before = ", ";
		}
	if (*before == ',')
		ibw_out_char(o, ')');
}

static void service_id(struct ibw_out *o, uint64_t sid)
{
	struct ibw_sid parts = ibw_sid_split(sid);
	const char *space = ibw_name_of(ibw_rdma_port_space_names, parts.port_space);

	if (parts.kind != IBW_SID_RDMA_CM || !space) {
		value(o, " ServiceID=", sid, 16);
		return;
	}
	value(o, " port ", parts.port, 0);
	ibw_out_str(o, " (");
	ibw_out_str(o, space);
	ibw_out_str(o, " port space)");
}

/* " status 1 (invalid service ID)" */
static void meaning(struct ibw_out *o, const char *name, uint8_t v, const struct ibw_name *names)
{
	const char *text = ibw_name_of(names, v);

	value(o, name, v, 0);
	if (!text)
		return;
	ibw_out_str(o, " (");
	ibw_out_str(o, text);
	ibw_out_char(o, ')');
}

/* What of the layers of a MAD is worth the line: the service asked for, the segment. */
static void mad_layers(struct ibw_out *o, const struct track_mad *mad)
{
	uint32_t i;

	for (i = 0; i < mad->walked.n_spans; i++) {
		const struct ibw_header *h = &ibw_headers[mad->span[i].layer];
		const void *wire = mad->p + mad->span[i].off;
		const struct ibw_field *f;

		if (mad->span[i].layer == IBW_LAYER_sa && mad->walked.attr)
			components(o, mad, ibw_sa_comp_mask(wire));
		if (mad->span[i].layer == IBW_LAYER_rmpp && mad->walked.flags & IBW_MAD_SEGMENT)
			value(o, " segment ", ibw_rmpp_data1(wire), 0);
		if (mad->span[i].layer == IBW_LAYER_cm_rej)
			meaning(o, " reason ", ibw_cm_rej_reason(wire), ibw_cm_rej_reason_names);
		if (mad->span[i].layer == IBW_LAYER_cm_sidr_rep)
			meaning(o, " status ", ibw_cm_sidr_rep_status(wire),
				ibw_cm_sidr_status_names);
		if (mad->walked.class_row->attrs != IBW_ATTRS_CM)
			continue;
		for (f = h->fields; f->name; f++)
			if (f->kind == IBW_KIND_SERVICE_ID)
				service_id(o, ibw_field_get(f, wire, 0));
	}
}

/* "RMPP ACK segment 3": what keeps a transfer going, or ends it. */
static void rmpp_control(struct ibw_out *o, const struct track_mad *mad)
{
	const struct ibw_rmpp_wire *rmpp;
	const char *text;
	uint32_t i;

	ibw_out_str(o, " RMPP");
	for (i = 0; i < mad->walked.n_spans && mad->span[i].layer != IBW_LAYER_rmpp; i++)
		continue;
	if (i == mad->walked.n_spans)
		return;
	rmpp = (const struct ibw_rmpp_wire *)(mad->p + mad->span[i].off);
	text = ibw_name_of(ibw_rmpp_type_names, ibw_rmpp_type(rmpp));
	ibw_out_char(o, ' ');
	ibw_out_str(o, text ? text : "control");
	if (ibw_rmpp_type(rmpp) == IBW_RMPP_ACK)
		value(o, " segment ", ibw_rmpp_data1(rmpp), 0);
}

uint8_t iw_info_method(const struct track_mad *mad)
{
	const struct ibw_mad_wire *wire = (const struct ibw_mad_wire *)mad->p;

	return (uint8_t)(ibw_mad_r(wire) << 7 | ibw_mad_method(wire));
}

static void management(struct ibw_out *o, const struct track_mad *mad)
{
	const struct ibw_mad_wire *wire = (const struct ibw_mad_wire *)mad->p;
	const struct ibw_mad_class_row *row = mad->walked.class_row;

	if (!mad->walked.n_spans)
		return;
	iw_info_mad(o, mad, iw_info_method(mad));
	if (!row)
		return;
	if (mad->walked.flags & IBW_MAD_CONTROL) {
		rmpp_control(o, mad);
		return;
	}
	mad_layers(o, mad);
	if (ibw_mad_status(wire) && row->first != IBW_CLASS_SUBN_DR)
		value(o, " status ", ibw_mad_status(wire), 4);
}

static void ending(struct ibw_out *o, const struct ibw_packet *pkt)
{
	if (pkt->outcome == IBW_CUT) {
		ibw_out_str(o, " [Packet size limited during capture]");
	} else if (pkt->outcome == IBW_MALFORMED) {
		ibw_out_str(o, " [malformed: ");
		ibw_out_str(o, ibw_headers[pkt->error.layer].name);
		ibw_out_char(o, ']');
	}
}

void iw_info(struct ibw_out *o, struct iw_frame *frame)
{
	const struct ibw_packet *pkt = &frame->view.pkt;
	const struct track_mad *mad = iw_mad_of(frame);

	if (mad)
		management(o, mad);
	else if (pkt->bth != IBW_NO_SPAN)
		transport(o, pkt);
	else if (pkt->outcome == IBW_CUT) /* in here */
		ibw_out_str(o, ibw_headers[pkt->error.layer].title);
	else if (pkt->n_spans)
		ibw_out_str(o, ibw_headers[pkt->span[pkt->n_spans - 1].layer].title);
	ending(o, pkt);
}

/* Where the built-in dissector ends with its queue pair, nobody has said more. */
static bool ends_with_qp(const char *info)
{
	static const char qp[] = "QP=0x";
	size_t tail = sizeof("QP=0x000011 ") - 1, len = strlen(info);

	return len > tail && info[len - 1] == ' ' &&
	       memcmp(info + len - tail, qp, sizeof(qp) - 1) == 0;
}

void iw_info_len(packet_info *pinfo, const struct iw_frame *frame)
{
	const struct ibw_packet *pkt = &frame->view.pkt;
	uint32_t len = pkt->bth == IBW_NO_SPAN ? 0 : len_of(pkt);
	const char *info = len && pinfo->cinfo ? col_get_text(pinfo->cinfo, COL_INFO) : NULL;
	char text[sizeof("Len=4294967295")];
	struct ibw_out out = ibw_out_open(text, sizeof(text));

	if (info && ends_with_qp(info)) {
		ibw_out_str(&out, "Len=");
		ibw_out_dec(&out, len);
		ibw_out_close(&out);
		col_append_lstr(pinfo->cinfo, COL_INFO, text, COL_ADD_LSTR_TERMINATOR);
	}
}

/* "RC WRITE First, PSN 0x000015, Len 2048", "CM ConnectRequest" */
static void title_of(struct ibw_out *o, struct iw_frame *frame)
{
	const struct ibw_packet *pkt = &frame->view.pkt;
	const struct ibw_bth_wire *bth = ibw_packet_at(pkt, pkt->bth);
	const struct track_mad *mad = iw_mad_of(frame);
	const char *text = ibw_packet_opcode_text(pkt);
	uint32_t len = len_of(pkt);

	if (mad && mad->walked.n_spans) {
		iw_info_mad(o, mad, iw_info_method(mad));
		return;
	}
	ibw_out_str(o, text ? text : "unknown opcode");
	if ((pkt->opcode & IBW_SERVICE_MASK) == IBW_SERVICE_CNP)
		return;
	value(o, ", PSN ", ibw_bth_psn(bth), 6);
	if (len)
		value(o, ", Len ", len, 0);
}

/* A filter needs none. */
void iw_title(proto_item *item, packet_info *pinfo, struct iw_frame *frame)
{
	char text[160];
	struct ibw_out o = ibw_out_open(text, sizeof(text));
	uint32_t number;

	if (frame->view.pkt.bth == IBW_NO_SPAN || !item || !PTREE_DATA(item)->visible)
		return;
	ibw_out_str(&o, IW_SHORT_NAME);
	if (frame->whole && iw_stream_number(pinfo->num, &number))
		value(&o, ", stream ", number, 0);
	ibw_out_str(&o, ", ");
	title_of(&o, frame);
	ibw_out_close(&o);
	proto_item_set_text(item, "%s", text);
}
