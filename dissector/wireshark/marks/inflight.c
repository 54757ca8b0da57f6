/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * inflight.c - what was in flight when a request was sent, with it: sent, and not answered yet.
 *
 * The trackers count it, as for --stats, and say so with each request. A request's record has it where that of
 * an answer has a time: packets, READs and atomics, bytes; a READ Request has no payload, and there its first
 * response takes the place of the bytes.
 */
#include <ibwire/ibwire.h>

#include "inflight.h"
#include "wireshark/packet/frame.h"
#include "wireshark/base/hf.h"
#include "links.h"
#include "wireshark/base/proto.h"
#include "stream.h"
#include "track/stream/qps.h"
#include "track/track.h"
#include "track/view/packet.h"

/* What has no place in the record is not known. */
#define PACKETS_MAX ((1u << 20) - 2)
#define READS_UNKNOWN ((1u << 11) - 1)
#define BYTES_UNKNOWN UINT32_MAX

static int hf_packets, hf_bytes, hf_reads, hf_depth, hf_full;

void iw_inflight_register(void)
{
	static hf_register_info rows[] = {
		{ &hf_packets,
		  { "Packets in flight", "ibwire.analysis.packets_in_flight", FT_UINT32, BASE_DEC,
		    NULL, 0, "Requests of the direction without an answer, with this one",
		    HFILL } },
		{ &hf_bytes,
		  { "Bytes in flight", "ibwire.analysis.bytes_in_flight", FT_UINT32, BASE_DEC, NULL,
		    0, "Payload of the packets in flight; not of READ Requests", HFILL } },
		{ &hf_reads,
		  { "READs in flight", "ibwire.analysis.reads_in_flight", FT_UINT32, BASE_DEC, NULL,
		    0, "Of the packets in flight those that are READ Requests or atomics",
		    HFILL } },
		{ &hf_depth,
		  { "READs agreed on", "ibwire.analysis.read_depth", FT_UINT32, BASE_DEC, NULL, 0,
		    "READ Requests and atomics that may be in flight, as REQ and REP say",
		    HFILL } },
		{ &hf_full,
		  { "As many READs in flight as agreed on", "ibwire.analysis.reads_full", FT_NONE,
		    BASE_NONE, NULL, 0, "The next READ Request or atomic has to wait for an answer",
		    HFILL } },
	};

	proto_register_field_array(iw_proto, rows, array_length(rows));
}

/* One more than there are: 0 is what a record has that nobody filled. */
static uint32_t packets_of(uint64_t packets)
{
	return packets <= PACKETS_MAX ? (uint32_t)packets + 1 : 0;
}

static bool is_read(uint8_t opcode)
{
	return TRACK_OPERATION(opcode) == IBW_OP_RC_RDMA_READ_REQUEST;
}

void iw_inflight_add(const struct track_reply *r)
{
	struct iw_link *link;

	if (r->kind < TRACK_REPLY_BEGINS)
		return;
	link = iw_stream_make_link((uint32_t)r->answer);
	if (!link)
		return;
	link->packets = packets_of(r->open_packets) & ((1u << 20) - 1);
	link->reads = MIN(r->open_reads, READS_UNKNOWN) & READS_UNKNOWN;
	if (!link->has_first)
		link->bytes = (uint32_t)MIN(r->open_bytes, BYTES_UNKNOWN);
}

static bool may_wait(uint8_t opcode)
{
	unsigned int operation = TRACK_OPERATION(opcode);

	return is_read(opcode) || operation == IBW_OP_RC_COMPARE_SWAP ||
	       operation == IBW_OP_RC_FETCH_ADD;
}

void iw_inflight_tree(proto_tree *tree, packet_info *pinfo, const struct iw_frame *frame)
{
	const struct ibw_packet *pkt = &frame->view.pkt;
	const struct iw_link *link = frame->whole ? iw_stream_link(pinfo->num) : NULL;
	uint32_t depth;

	if (!link || pkt->bth == IBW_NO_SPAN || pkt->eths & IBW_ETH_DETH ||
	    !(ibw_opcodes[pkt->opcode].flags & IBW_OPF_REQUEST) || !link->packets ||
	    (pkt->opcode & IBW_SERVICE_MASK) == IBW_SERVICE_UC)
		return;
	iw_add_generated(tree, frame->tvb, hf_packets, link->packets - 1u);
	if (!is_read(pkt->opcode) && !link->has_first && link->bytes != BYTES_UNKNOWN)
		iw_add_generated(tree, frame->tvb, hf_bytes, link->bytes);
	if (link->reads != READS_UNKNOWN)
		iw_add_generated(tree, frame->tvb, hf_reads, link->reads);
	depth = may_wait(pkt->opcode) ? iw_stream_depth(pinfo->num) : TRACK_NO_DEPTH;
	if (depth == TRACK_NO_DEPTH)
		return;
	iw_add_generated(tree, frame->tvb, hf_depth, depth);
	if (link->reads != READS_UNKNOWN && link->reads >= depth)
		proto_item_set_generated(
			proto_tree_add_item(tree, hf_full, frame->tvb, 0, 0, ENC_NA));
}
