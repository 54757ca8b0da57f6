/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rpcrdma.c - RPC over RDMA version 1: the header with its lists of chunks, the RPC message after it. */
#include "ulp_walk.h"

/* The word at the cursor, which has to be 0 or 1: whether something of @layer is there. -1: no, and that is recorded. */
static int present(struct ulp_walk *w, uint16_t layer)
{
	uint32_t word;

	if (ulp_left(w) < 4) {
		cursor_short(&w->c, w->c.off, layer, 4);
		return -1;
	}
	word = ibw_get_be32(w->c.p + w->c.off);
	if (word <= 1)
		return (int)word;
	ulp_wrong(w, w->c.off, layer, "present", 1, word);
	return -1;
}

/* The word that ends a list is no header. */
static bool list_ends(struct ulp_walk *w, int is)
{
	if (is == 0)
		w->c.off += 4;
	return is == 0;
}

static bool walk_reads(struct ulp_walk *w)
{
	int is;

	while ((is = present(w, IBW_LAYER_rpcrdma_read)) == 1)
		if (!ULP_TAKE(w, rpcrdma_read))
			return false;
	return list_ends(w, is);
}

/* The segments of a chunk that says it has @count; more than the message has room for are none. */
static bool walk_segments(struct ulp_walk *w, uint32_t off, uint16_t layer, uint32_t count)
{
	uint32_t room = (w->c.end - w->c.off) / (uint32_t)ibw_rpcrdma_segment_BYTES;

	if (count > room) {
		ulp_wrong(w, off, layer, "count", room, count);
		return false;
	}
	for (; count; count--)
		if (!ULP_TAKE(w, rpcrdma_segment))
			return false;
	return true;
}

static bool walk_writes(struct ulp_walk *w)
{
	const struct ibw_rpcrdma_write_wire *chunk;
	uint32_t off;
	int is;

	while ((is = present(w, IBW_LAYER_rpcrdma_write)) == 1) {
		off = w->c.off;
		chunk = ULP_TAKE(w, rpcrdma_write);
		if (!chunk ||
		    !walk_segments(w, off, IBW_LAYER_rpcrdma_write, ibw_rpcrdma_write_count(chunk)))
			return false;
	}
	return list_ends(w, is);
}

static bool walk_reply_chunk(struct ulp_walk *w)
{
	int is = present(w, IBW_LAYER_rpcrdma_reply);
	const struct ibw_rpcrdma_reply_wire *chunk;
	uint32_t off = w->c.off;

	if (is != 1)
		return list_ends(w, is);
	chunk = ULP_TAKE(w, rpcrdma_reply);
	return chunk &&
	       walk_segments(w, off, IBW_LAYER_rpcrdma_reply, ibw_rpcrdma_reply_count(chunk));
}

/* A credential or verifier with its body and its pad: RFC 5531, 8.2 */
#define AUTH_MAX 400u

static bool walk_auth(struct ulp_walk *w)
{
	const struct ibw_rpc_auth_wire *auth = ULP_TAKE(w, rpc_auth);
	uint32_t off = w->c.off - (uint32_t)ibw_rpc_auth_BYTES, n;

	if (!auth)
		return false;
	n = ibw_rpc_auth_body_len(auth);
	if (n > AUTH_MAX) {
		ulp_wrong(w, off, IBW_LAYER_rpc_auth, "body_len", AUTH_MAX, n);
		return false;
	}
	n = (n + 3) & ~3u;
	if (!ulp_fits(w, off, IBW_LAYER_rpc_auth, "body_len", n))
		return false;
	w->c.off += n;
	return true;
}

static void walk_call(struct ulp_walk *w)
{
	if (ULP_TAKE(w, rpc_call) && walk_auth(w) && walk_auth(w))
		ulp_rest(w, IBW_LAYER_rpc_call);
}

static void walk_accepted(struct ulp_walk *w)
{
	const struct ibw_rpc_accepted_wire *accepted;

	if (!walk_auth(w))
		return;
	accepted = ULP_TAKE(w, rpc_accepted);
	if (!accepted)
		return;
	if (ibw_rpc_accepted_stat(accepted) == IBW_RPC_PROG_MISMATCH && !ULP_TAKE(w, rpc_versions))
		return;
	ulp_rest(w, IBW_LAYER_rpc_accepted);
}

static void walk_denied(struct ulp_walk *w)
{
	const struct ibw_rpc_denied_wire *denied = ULP_TAKE(w, rpc_denied);

	if (!denied)
		return;
	if (ibw_rpc_denied_stat(denied) == IBW_RPC_MISMATCH)
		ULP_TAKE(w, rpc_versions);
	else if (ibw_rpc_denied_stat(denied) == IBW_RPC_AUTH_ERROR)
		ULP_TAKE(w, rpc_auth_error);
	if (w->c.outcome == IBW_OK)
		ulp_rest(w, IBW_LAYER_rpc_denied);
}

static void walk_reply(struct ulp_walk *w)
{
	const struct ibw_rpc_reply_wire *reply = ULP_TAKE(w, rpc_reply);
	uint32_t off = w->c.off - (uint32_t)ibw_rpc_reply_BYTES;

	if (!reply)
		return;
	switch (ibw_rpc_reply_stat(reply)) {
	case IBW_RPC_ACCEPTED:
		walk_accepted(w);
		break;
	case IBW_RPC_DENIED:
		walk_denied(w);
		break;
	default:
		ulp_wrong(w, off, IBW_LAYER_rpc_reply, "stat", 0, ibw_rpc_reply_stat(reply));
	}
}

/* The RPC message; either end may call, for a server has a channel back. */
static void walk_rpc(struct ulp_walk *w)
{
	uint32_t off = w->c.off, type;

	if (ulp_left(w) < 8) {
		cursor_short(&w->c, off, IBW_LAYER_rpc_call, 8);
		return;
	}
	type = ibw_get_be32(w->c.p + off + ibw_rpc_call_type_AT / 8);
	if (type == IBW_RPC_CALL)
		walk_call(w);
	else if (type == IBW_RPC_REPLY)
		walk_reply(w);
	else
		ulp_wrong(w, off, IBW_LAYER_rpc_call, "type", 0, type);
}

static void walk_error(struct ulp_walk *w)
{
	const struct ibw_rpcrdma_error_wire *e = ULP_TAKE(w, rpcrdma_error);

	if (e &&
	    (ibw_rpcrdma_error_err(e) != IBW_RPCRDMA_ERR_VERS || ULP_TAKE(w, rpcrdma_versions)))
		ulp_rest(w, IBW_LAYER_rpcrdma_error);
}

void ibw_ulp_walk_rpcrdma(struct ulp_walk *w)
{
	const struct ibw_rpcrdma_hdr_wire *rpc = ULP_TAKE(w, rpcrdma_hdr);

	if (!rpc)
		return;
	if (ibw_rpcrdma_hdr_vers(rpc) != 1) {
		ulp_wrong(w, 0, IBW_LAYER_rpcrdma_hdr, "vers", 1, ibw_rpcrdma_hdr_vers(rpc));
		return;
	}
	switch (ibw_rpcrdma_hdr_type(rpc)) {
	case IBW_RDMA_MSG:
		if (walk_reads(w) && walk_writes(w) && walk_reply_chunk(w))
			walk_rpc(w);
		break;
	case IBW_RDMA_NOMSG:
		if (walk_reads(w) && walk_writes(w) && walk_reply_chunk(w))
			ulp_rest(w, IBW_LAYER_rpcrdma_hdr);
		break;
	case IBW_RDMA_ERROR:
		walk_error(w);
		break;
	case IBW_RDMA_MSGP: /* obsolete, and so not taken apart */
	case IBW_RDMA_DONE:
		ulp_rest(w, IBW_LAYER_rpcrdma_hdr);
		break;
	default:
		ulp_wrong(w, 0, IBW_LAYER_rpcrdma_hdr, "type", 0, ibw_rpcrdma_hdr_type(rpc));
	}
}

const char *ibw_rpc_program_name(uint32_t prog)
{
	return ibw_name_of(ibw_rpc_program_names, prog);
}
