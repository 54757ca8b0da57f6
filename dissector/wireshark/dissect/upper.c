/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * upper.c - what an RDMA packet carries, handed to those who know it.
 *
 * Upper layers register as heuristics of the built-in dissector and expect what it tells
 * them: struct infinibandinfo, QPs as ports, and the conversations it makes of the CM
 * exchange. So CM packets are shown to the built-in dissector, too: it learns the
 * connections, and the private data of the upper layers is decoded below its tree.
 */
#include <string.h>

#include <ibwire/ibwire.h>

#include "upper.h"
#include "wireshark/base/builtin.h"
#include "wireshark/marks/decode_as.h"
#include "export.h"
#include "wireshark/packet/frame.h"
#include "wireshark/packet/mad.h"
#include "wireshark/marks/pass.h"
#include "wireshark/base/proto.h"
#include "wireshark/marks/reassemble.h"
#include "wireshark/marks/service.h"
#include "wireshark/marks/twice.h"
#include "wireshark/tree/ulp_tree.h"
#include "wireshark/tree/whole.h"
#include "track/track.h"

#include <epan/conversation.h>
#include <epan/dissectors/packet-infiniband.h>

#define QPN_UNKNOWN 0xffffffffu

static heur_dissector_list_t payload_heuristics;
static dissector_table_t payload_table;
static dissector_table_t ethertypes;
static int proto_infiniband = -1;
/* Without a CM packet in the file there are no connections to look for. */
static bool cm_seen;

void iw_upper_init(void)
{
	cm_seen = false;
}

void iw_upper_handoff(void)
{
	payload_heuristics = find_heur_dissector_list("infiniband.payload");
	payload_table = find_dissector_table("infiniband");
	ethertypes = find_dissector_table("ethertype");
	proto_infiniband = proto_get_id_by_filter_name("infiniband");
}

/*
 * Of connections without a CM exchange, as their packets show it, where Decode As needs it: on all passes what
 * was known on the first.
 */
static uint32_t chosen_source_qp(packet_info *pinfo, const struct iw_frame *frame)
{
	uint32_t key = frame->view.pkt.payload_off | 0x40000000, sqpn;

	if (!iw_decode_as_any())
		return QPN_UNKNOWN;
	if (pinfo->fd->visited)
		return GPOINTER_TO_UINT(p_get_proto_data(wmem_file_scope(), pinfo, iw_proto, key)) -
		       1;
	if (!iw_pass_sender(frame, &sqpn))
		return QPN_UNKNOWN;
	p_set_proto_data(wmem_file_scope(), pinfo, iw_proto, key, GUINT_TO_POINTER(sqpn + 1));
	return sqpn;
}

/* What the sender's QP is, a CM exchange has said; a packet names the receiver's only. */
static uint32_t source_qp(packet_info *pinfo, const struct iw_frame *frame)
{
	const struct ibw_packet *pkt = &frame->view.pkt;
	unsigned int deth = ibw_packet_find(pkt, IBW_LAYER_deth);
	conversation_infiniband_data *data;
	conversation_t *conversation;

	if (deth != IBW_NO_SPAN)
		return ibw_deth_sqpn(ibw_packet_at(pkt, deth));
	if (!cm_seen)
		return chosen_source_qp(pinfo, frame);
	conversation = find_conversation(pinfo->num, &pinfo->dst, &pinfo->dst, CONVERSATION_IBQP,
					 pinfo->destport, pinfo->destport, NO_ADDR_B | NO_PORT_B);
	if (!conversation)
		return chosen_source_qp(pinfo, frame);
	data = conversation_get_proto_data(conversation, proto_infiniband);
	return data ? data->src_qp : QPN_UNKNOWN;
}

static void set_ports(packet_info *pinfo, const struct iw_frame *frame)
{
	const struct ibw_packet *pkt = &frame->view.pkt;

	pinfo->ptype = PT_IBQP;
	pinfo->destport = ibw_bth_dqpn(ibw_packet_at(pkt, pkt->bth));
	pinfo->srcport = source_qp(pinfo, frame);
}

static void fill_info(struct infinibandinfo *info, const struct ibw_packet *pkt, proto_tree *tree)
{
	const struct ibw_bth_wire *bth = ibw_packet_at(pkt, pkt->bth);
	unsigned int i = ibw_packet_find(pkt, IBW_LAYER_reth);
	const struct ibw_reth_wire *reth;

	info->payload_tree = tree;
	info->opCode = pkt->opcode;
	info->pad_count = ibw_bth_padcnt(bth);
	info->packet_seq_num = ibw_bth_psn(bth);
	if (i == IBW_NO_SPAN)
		return;
	reth = ibw_packet_at(pkt, i);
	info->reth_remote_address = ibw_reth_va(reth);
	info->reth_remote_key = ibw_reth_rkey(reth);
	info->reth_dma_length = ibw_reth_dmalen(reth);
}

static bool is_rc_send(uint8_t opcode)
{
	return opcode <= IBW_OP_RC_SEND_ONLY_WITH_IMMEDIATE ||
	       opcode == IBW_OP_RC_SEND_LAST_WITH_INVALIDATE ||
	       opcode == IBW_OP_RC_SEND_ONLY_WITH_INVALIDATE;
}

static bool is_send_part(uint8_t opcode)
{
	return is_rc_send(opcode) && iw_message_is_part(opcode);
}

static bool has_reader(const struct ibw_packet *pkt)
{
	const struct ibw_opcode_row *row = &ibw_opcodes[pkt->opcode];

	if (pkt->opcode == IBW_OP_RC_RDMA_READ_REQUEST)
		return true; /* nothing in it, but what is to be read is said here */
	if (!(row->flags & IBW_OPF_PAYLOAD) || !pkt->payload_len)
		return false;
	return !is_rc_send(pkt->opcode) || pkt->payload_len >= IW_SEND_BYTES_MIN;
}

/* The payload of a walk, or more, as a tvb: no longer than was captured, and says what it should be. */
static tvbuff_t *bytes_of(const struct iw_frame *frame, const struct ibw_packet *pkt, uint32_t len)
{
	uint32_t there = MIN(len, pkt->caplen - MIN(pkt->caplen, pkt->payload_off));
	tvbuff_t *tvb;
	int at;

	tvb = iw_frame_tvb(frame, pkt->payload_off, &at);
	if (!there && len)
		return NULL;
	return tvb_new_subset_length_caplen(tvb, at, (int)there, (int)len);
}

static tvbuff_t *payload_of(const struct iw_frame *frame, const struct ibw_packet *pkt)
{
	return bytes_of(frame, pkt, pkt->payload_len);
}

static bool try_heuristics(const struct iw_frame *frame, tvbuff_t *tvb, packet_info *pinfo,
			   proto_tree *tree, struct infinibandinfo *info)
{
	bool part = is_send_part(info->opCode);

	if (iw_service_try(frame, payload_heuristics, tvb, pinfo, tree, info, part))
		return true;
#if IW_WIRESHARK >= 406
	/* Some want whole messages only, say so, and are asked again; one packet is one here. */
	if (info->do_rc_send_reassembling && ibw_opcodes[info->opCode].flags & IBW_OPF_ONLY)
		return iw_service_try(frame, payload_heuristics, tvb, pinfo, tree, info, part);
#endif
	return false;
}

/* Some add to Info after a bar, for which the built-in dissector leaves a blank. */
static void make_room(packet_info *pinfo, const char *before)
{
	const char *now = col_get_text(pinfo->cinfo, COL_INFO);
	size_t n = before ? strlen(before) : 0;

	if (n && now && strncmp(now, before, n) == 0 && now[n] == '|')
		col_add_fstr(pinfo->cinfo, COL_INFO, "%s %s", before,
			     wmem_strdup(pinfo->pool, now + n));
}

static bool try_upper(const struct iw_frame *frame, tvbuff_t *tvb, packet_info *pinfo,
		      proto_tree *tree, struct infinibandinfo *info)
{
	const char *before = NULL;

	if (iw_try_payload(payload_table, tvb, pinfo, tree, info))
		return true;
	if (pinfo->cinfo && col_get_writable(pinfo->cinfo, COL_INFO))
		before = wmem_strdup(pinfo->pool, col_get_text(pinfo->cinfo, COL_INFO));
	if (!try_heuristics(frame, tvb, pinfo, tree, info))
		return false;
	make_room(pinfo, before);
	return true;
}

/* The message that the packet completes; NULL: it completes none. */
static const struct iw_message *completed(const struct iw_message *m, const packet_info *pinfo)
{
	return m && m->state == IW_MESSAGE_WHOLE && m->last == pinfo->num ? m : NULL;
}

/* As it would be in one packet. */
static void fill_whole(struct infinibandinfo *info, const struct iw_message *m)
{
	info->opCode = iw_message_opcode(m, 0, m->n_frames);
	info->packet_seq_num = (uint32_t)m->first & 0xffffff;
	info->reth_remote_address = m->va;
	info->reth_remote_key = m->rkey;
	info->reth_dma_length = m->dmalen;
}

static bool try_whole(proto_tree *tree, packet_info *pinfo, struct iw_frame *frame,
		      const struct iw_message *m, struct infinibandinfo *info)
{
	fill_whole(info, m);
	return try_upper(frame, iw_whole_tvb(frame, pinfo, m), pinfo, tree, info);
}

/*
 * In its packets, in their order: for who counts those. What was made of them on the first pass is told
 * to the last one.
 */
static bool try_packets(proto_tree *tree, packet_info *pinfo, struct iw_frame *frame,
			const struct iw_message *m, struct infinibandinfo *info)
{
	uint32_t len = m->len + m->pad;
	tvbuff_t *whole = tvb_new_child_real_data(frame->tvb, m->data, len, (int)len);
	uint32_t i = pinfo->fd->visited ? m->n_frames - 1 : 0, n;
	bool taken = false;

	for (; i < m->n_frames; i++) {
		n = i + 1 < m->n_frames ? m->mtu : len - i * m->mtu;
		info->opCode = iw_message_opcode(m, i, 1);
		info->packet_seq_num = (uint32_t)(m->first + i) & 0xffffff;
		info->reth_remote_address = i ? 0 : m->va;
		info->reth_remote_key = i ? 0 : m->rkey;
		info->reth_dma_length = i ? 0 : m->dmalen;
		taken |= try_upper(frame, tvb_new_subset_length(whole, (int)(i * m->mtu), (int)n),
				   pinfo, tree, info);
	}
	return taken;
}

/* One packet of a message whose upper layer is not known. */
static bool try_part(proto_tree *tree, tvbuff_t *tvb, packet_info *pinfo, struct iw_frame *frame,
		     const struct iw_message *m, struct infinibandinfo *info)
{
	if (!has_reader(&frame->view.pkt) || !try_upper(frame, tvb, pinfo, tree, info))
		return false;
	if (m && !pinfo->fd->visited)
		iw_message_in_parts(frame, pinfo);
	return true;
}

/* A message that never becomes whole, or a packet of it that came before or is damaged: who puts messages together has no use for it. */
static bool is_stray(const struct iw_message *m)
{
	return m && !m->next && m->state != IW_MESSAGE_NO_MEMORY;
}

/*
 * Of a SEND of several whoever takes such packets has them, the others the whole message: once nobody
 * took the first, nobody is asked for another.
 */
static bool try_send(proto_tree *tree, tvbuff_t *tvb, packet_info *pinfo, struct iw_frame *frame,
		     const struct iw_message *m, struct infinibandinfo *info)
{
	bool first = ibw_opcodes[info->opCode].flags & IBW_OPF_FIRST;

	if (!first && is_stray(m))
		return false;
	if (m && m->next && !m->in_parts && !(first && !pinfo->fd->visited))
		return completed(m, pinfo) && try_whole(tree, pinfo, frame, m, info);
	return try_part(tree, tvb, pinfo, frame, m, info);
}

/* Of a service that is known: each message once, and whole. */
static bool try_message(proto_tree *tree, tvbuff_t *tvb, packet_info *pinfo, struct iw_frame *frame,
			const struct iw_message *m, struct infinibandinfo *info)
{
	const struct ibw_packet *pkt = &frame->view.pkt;
	bool counts = iw_service_counts(frame, pinfo, info->opCode);

	if (m && (m->state == IW_MESSAGE_REPEATED || m->state == IW_MESSAGE_DAMAGED))
		return false;
	if (iw_message_has(m, info->opCode)) {
		if (!completed(m, pinfo))
			return false;
		fill_whole(info, m);
		iw_export(pinfo, iw_whole_tvb(frame, pinfo, m), info,
			  iw_service_port(frame, pinfo));
		return (counts ? try_packets : try_whole)(tree, pinfo, frame, m, info);
	}
	iw_export(pinfo, tvb, info, iw_service_port(frame, pinfo));
	if (counts)
		tvb = bytes_of(frame, pkt, pkt->payload_len + pkt->pad_len);
	return has_reader(pkt) && try_upper(frame, tvb, pinfo, tree, info);
}

static bool try_packet(proto_tree *tree, tvbuff_t *tvb, packet_info *pinfo, struct iw_frame *frame)
{
	const struct iw_message *m = iw_message_of(frame, pinfo);
	struct infinibandinfo info = { 0 };

	fill_info(&info, &frame->view.pkt, tree);
	if (iw_service_known(frame, pinfo))
		return try_message(tree, tvb, pinfo, frame, m, &info);
	if (is_send_part(info.opCode))
		return try_send(tree, tvb, pinfo, frame, m, &info);
	return try_part(tree, tvb, pinfo, frame, m, &info);
}

static void ethertype_upper(proto_tree *tree, packet_info *pinfo, tvbuff_t *tvb, uint16_t type)
{
	if (!dissector_try_uint(ethertypes, type, tvb, pinfo, tree))
		call_data_dissector(tvb, pinfo, tree);
}

static void ip_upper(proto_tree *tree, packet_info *pinfo, const struct iw_frame *frame,
		     const struct ibw_packet *body)
{
	const struct ibw_ipoib_wire *ipoib;
	unsigned int i;
	tvbuff_t *tvb;
	int at;

	for (i = 0; i < body->n_spans && body->span[i].layer != IBW_LAYER_ipoib; i++)
		continue;
	if (i == body->n_spans)
		return;
	ipoib = ibw_packet_at(body, i);
	tvb = iw_frame_tvb(frame, body->span[i].off + ibw_ipoib_BYTES, &at);
	/* What is after the IP packet is pad and CRC; IP's own length leaves them out. */
	ethertype_upper(tree, pinfo, tvb_new_subset_remaining(tvb, at), ibw_ipoib_type(ipoib));
}

/* A packet that has no transport of InfiniBand's, but a type of its own or IPv6 after the LRH. */
static void raw_upper(proto_tree *tree, packet_info *pinfo, const struct iw_frame *frame)
{
	const struct ibw_packet *pkt = &frame->view.pkt;
	const struct ibw_span *last = &pkt->span[pkt->n_spans - 1];
	tvbuff_t *tvb;
	int at;

	if (last->layer == IBW_LAYER_rwh) {
		tvb = pkt->payload_len ? payload_of(frame, pkt) : NULL;
		if (tvb)
			ethertype_upper(tree, pinfo, tvb,
					ibw_rwh_type(ibw_packet_at(pkt, pkt->n_spans - 1u)));
	} else if (pkt->lrh != IBW_NO_SPAN &&
		   ibw_lrh_lnh(ibw_packet_at(pkt, pkt->lrh)) == IBW_LNH_IPV6) {
		tvb = iw_frame_tvb(frame, pkt->span[pkt->lrh].off + ibw_lrh_BYTES, &at);
		ethertype_upper(tree, pinfo, tvb_new_subset_remaining(tvb, at), IBW_ETHERTYPE_IPV6);
	}
}

static bool is_cm(struct iw_frame *frame)
{
	const struct track_mad *mad = iw_mad_of(frame);

	return mad && mad->walked.class_row && mad->walked.class_row->first == IBW_CLASS_COMM_MGT;
}

void iw_upper(proto_tree *tree, proto_tree *ours, tvbuff_t *tvb, packet_info *pinfo,
	      struct iw_frame *frame, dissector_handle_t builtin, void *data)
{
	const struct ibw_packet *pkt = &frame->view.pkt;
	const struct ibw_packet *ipoib = track_view_ipoib(&frame->view);
	tvbuff_t *payload;

	if (builtin && !is_cm(frame))
		iw_builtin_fields(builtin, tvb, pinfo, ours, data);
	if (ipoib) {
		payload = payload_of(frame, pkt);
		if (payload && builtin)
			iw_builtin_payload(ours, payload);
		ip_upper(tree, pinfo, frame, ipoib);
		return;
	}
	if (pkt->outcome == IBW_MALFORMED || !pkt->n_spans)
		return;
	if (pkt->bth == IBW_NO_SPAN) {
		raw_upper(tree, pinfo, frame);
		return;
	}
	set_ports(pinfo, frame);
	if (iw_mad_of(frame)) {
		if (builtin && is_cm(frame)) {
			cm_seen = true;
			iw_builtin_show(builtin, tvb, pinfo, tree, data);
		}
		return;
	}
	payload = pkt->payload_len || has_reader(pkt) ? payload_of(frame, pkt) : NULL;
	if (!payload || iw_ulp_is_ours(frame, pinfo))
		return;
	if ((iw_twice_of(pinfo->num) || !try_packet(tree, payload, pinfo, frame)) &&
	    pkt->payload_len)
		call_data_dissector(payload, pinfo, tree);
}
