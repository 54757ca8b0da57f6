/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rpc.c - RPC over RDMA, whose dissector reads beyond the end of what is none, and of replies without their data. */
#include <ibwire/ibwire.h>
#include <ibwire/opcode.h>
#include <ibwire/ulp.h>

#include "rpc.h"

#include <epan/dissectors/packet-infiniband.h>
#include <epan/exceptions.h>

#define SPANS_MAX 64u

struct walked {
	struct ibw_ulp_walked ulp;
	struct ibw_span span[SPANS_MAX];
};

static void walk(struct walked *w, tvbuff_t *tvb)
{
	const uint32_t n = tvb_captured_length(tvb);

	ibw_ulp_walk(&w->ulp, IBW_ULP_RPCRDMA, 0, tvb_get_ptr(tvb, 0, (int)n), n,
		     tvb_reported_length(tvb), w->span, SPANS_MAX);
}

static bool is_of_rdma(uint16_t layer)
{
	return layer >= IBW_LAYER_rpcrdma_hdr && layer <= IBW_LAYER_rpcrdma_versions;
}

static bool is_send(uint8_t opcode)
{
	return opcode == IBW_OP_RC_SEND_ONLY || opcode == IBW_OP_RC_SEND_ONLY_WITH_IMMEDIATE ||
	       opcode == IBW_OP_RC_SEND_ONLY_WITH_INVALIDATE;
}

bool iw_rpc_has_headers(tvbuff_t *tvb, uint8_t opcode)
{
	struct walked w;

	if (!is_send(opcode))
		return true;
	walk(&w, tvb);
	/* Of an RDMA_MSGP, which nobody sends any more, it reads a length before it has it. */
	if (w.ulp.n_spans && ibw_rpcrdma_hdr_type((const struct ibw_rpcrdma_hdr_wire *)tvb_get_ptr(
				     tvb, 0, (int)ibw_rpcrdma_hdr_BYTES)) == IBW_RDMA_MSGP)
		return false;
	return w.ulp.outcome != IBW_MALFORMED || !is_of_rdma(w.ulp.error.layer);
}

static bool has(const struct walked *w, uint16_t layer)
{
	uint32_t i;

	for (i = 0; i < w->ulp.n_spans; i++)
		if (w->span[i].layer == layer)
			return true;
	return false;
}

bool iw_rpc_is_reduced(tvbuff_t *tvb, uint8_t opcode)
{
	struct walked w;

	if (!is_send(opcode))
		return false;
	walk(&w, tvb);
	return has(&w, IBW_LAYER_rpcrdma_write) && has(&w, IBW_LAYER_rpc_reply);
}

/* Without a tree, columns, layers and taps, as what an ICMP error quotes: what it throws is caught below it, or here. */
static void take_notes(heur_dissector_list_t list, tvbuff_t *tvb, packet_info *pinfo,
		       const struct infinibandinfo *info)
{
	struct infinibandinfo copy = *info;
	const bool writable = col_get_writable(pinfo->cinfo, -1);
	const bool in_error = pinfo->flags.in_error_pkt;
	const unsigned int n_layers = wmem_list_count(pinfo->layers);
	const uint8_t layer = pinfo->curr_layer_num;
	heur_dtbl_entry_t *entry;

	copy.payload_tree = NULL;
	pinfo->flags.in_error_pkt = true;
	col_set_writable(pinfo->cinfo, -1, false);
	TRY
	{
		dissector_try_heuristic(list, tvb, pinfo, NULL, &entry, &copy);
	}
	CATCH_BOUNDS_ERRORS
	{
	}
	FINALLY
	{
		pinfo->flags.in_error_pkt = in_error;
		col_set_writable(pinfo->cinfo, -1, writable);
		/* What was reassembled is found again at the same layer only. */
		while (wmem_list_count(pinfo->layers) > n_layers)
			wmem_list_remove_frame(pinfo->layers, wmem_list_tail(pinfo->layers));
		pinfo->curr_layer_num = layer;
	}
	ENDTRY;
}

bool iw_rpc_first_look(heur_dissector_list_t list, tvbuff_t *tvb, packet_info *pinfo,
		       const struct infinibandinfo *info)
{
	if (pinfo->fd->visited || !iw_rpc_is_reduced(tvb, info->opCode))
		return pinfo->fd->visited;
	take_notes(list, tvb, pinfo, info);
	pinfo->fd->visited = 1;
	return false;
}
