/* SPDX-License-Identifier: GPL-2.0-or-later */
/* psn.c - PSNs: counted from the first one, and the one that comes next. */
#include <ibwire/ibwire.h>

#include "psn.h"
#include "wireshark/packet/frame.h"
#include "wireshark/base/hf.h"
#include "wireshark/base/proto.h"
#include "wireshark/base/prefs.h"
#include "track/stream/qps.h"
#include "track/track.h"
#include "track/view/packet.h"

#define PSN_MASK 0xffffffu
#define PSN_NONE UINT32_MAX

static int hf_relative, hf_next;

void iw_psn_register(void)
{
	static hf_register_info rows[] = {
		{ &hf_relative,
		  { "Relative PSN", "ibwire.bth.psn_rel", FT_UINT24, BASE_DEC, NULL, 0,
		    "Counted from the first request of the direction it belongs to", HFILL } },
		{ &hf_next,
		  { "Next relative PSN", "ibwire.psn.next", FT_UINT24, BASE_DEC, NULL, 0,
		    "Of the request after this one: after a READ Request that after its last response",
		    HFILL } },
	};

	proto_register_field_array(iw_proto, rows, array_length(rows));
}

/* A READ Request takes as many as there are responses. PSN_NONE: the path MTU is not known. */
static uint32_t next_of(const struct ibw_packet *pkt, uint32_t psn, uint32_t mtu)
{
	const struct ibw_reth_wire *reth = IBW_AT(pkt, reth);
	uint32_t bytes;

	if (TRACK_OPERATION(pkt->opcode) != IBW_OP_RC_RDMA_READ_REQUEST)
		return psn + 1;
	bytes = reth ? ibw_reth_dmalen(reth) : UINT32_MAX;
	if (bytes <= TRACK_MTU_MIN)
		return psn + 1;
	return reth && mtu ? psn + bytes / mtu + (bytes % mtu != 0) : PSN_NONE;
}

void iw_psn_tree(proto_tree *tree, const struct iw_frame *frame, const struct iw_psn_base *base)
{
	const struct ibw_packet *pkt = &frame->view.pkt;
	const struct ibw_bth_wire *bth = IBW_AT(pkt, bth);
	bool relative = iw_prefs.relative_psns && base->known;
	uint32_t from = relative ? base->first : 0, next;

	if (!bth || (pkt->opcode & IBW_SERVICE_MASK) == IBW_SERVICE_CNP)
		return;
	if (relative)
		iw_add_generated(tree, frame->tvb, hf_relative,
				 (ibw_bth_psn(bth) - from) & PSN_MASK);
	if (!(ibw_opcodes[pkt->opcode].flags & IBW_OPF_REQUEST) ||
	    (iw_prefs.relative_psns && !base->known))
		return;
	next = next_of(pkt, ibw_bth_psn(bth), base->mtu);
	if (next != PSN_NONE)
		iw_add_generated(tree, frame->tvb, hf_next, (next - from) & PSN_MASK);
}
