/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rpc.c - RPC over RDMA: calls with their chunks, replies, and their NFS operations. RFC 8166, RFC 5531 */
#include <ibwire/ibwire.h>

#include "impl.h"

/* What was sent, whoever sent it. */
static const struct track_ulp_walk *walk(const struct track_ulp_x *x)
{
	return track_ulp_walk(x, IBW_ULP_RPCRDMA, TRACK_ULP_ASKS);
}

static const struct ibw_rpcrdma_hdr_wire *header_of(const struct track_ulp_x *x)
{
	return (const void *)x->p;
}

static bool has_header(const struct track_ulp_x *x)
{
	return x->n >= ibw_rpcrdma_hdr_BYTES && ibw_rpcrdma_hdr_vers(header_of(x)) == 1;
}

bool track_ulp_rpc_begins(const struct track_ulp_x *x)
{
	const struct track_ulp_walk *m;
	const struct ibw_rpc_call_wire *call;

	if (!has_header(x) || ibw_rpcrdma_hdr_type(header_of(x)) != IBW_RDMA_MSG ||
	    !ibw_rpcrdma_hdr_credit(header_of(x)))
		return false;
	m = walk(x);
	call = track_ulp_find(x, m, IBW_LAYER_rpc_call);
	return call && ibw_rpc_call_xid(call) == ibw_rpcrdma_hdr_xid(header_of(x)) &&
	       ibw_rpc_call_type(call) == IBW_RPC_CALL && ibw_rpc_call_rpcvers(call) == 2;
}

/* An operation that says what the next ones are about. RFC 8881, 16.2.3 */
static bool only_prepares(uint32_t op)
{
	return op == IBW_NFS4_OP_SEQUENCE || op == IBW_NFS4_OP_PUTFH ||
	       op == IBW_NFS4_OP_PUTROOTFH || op == IBW_NFS4_OP_PUTPUBFH ||
	       op == IBW_NFS4_OP_SAVEFH || op == IBW_NFS4_OP_RESTOREFH;
}

/* What a COMPOUND is for: its first operation that does more than prepare, else its last one; 0: none can be read. */
static uint32_t purpose_of(const struct track_ulp_walk *m, const struct track_ulp_x *x)
{
	uint32_t at = MIN(m->walked.data_off, x->n);
	uint32_t n = MIN(m->walked.data_len, x->n - at), op = 0, last = 0;
	bool reduced = track_ulp_find(x, m, IBW_LAYER_rpcrdma_read) != NULL;
	struct ibw_nfs4_ops ops;

	if (!ibw_nfs4_ops_begin(&ops, x->p + at, n, reduced))
		return 0;
	while (ibw_nfs4_next_op(&ops, &op)) {
		last = op;
		if (!only_prepares(op))
			break;
	}
	return last;
}

static struct track_ulp_code code_of(const struct track_ulp_walk *m, const struct track_ulp_x *x,
				     const struct ibw_rpc_call_wire *call)
{
	uint32_t vers = ibw_rpc_call_vers(call), proc = ibw_rpc_call_proc(call), op;
	struct track_ulp_code code = { .program = ibw_rpc_call_prog(call),
				       .type = (uint16_t)MIN(vers, UINT16_MAX),
				       .opcode = (uint16_t)MIN(proc, TRACK_ULP_NFS4_OP - 1) };

	if (code.program != IBW_RPC_NFS || vers != 4 || proc != IBW_NFS4_COMPOUND)
		return code;
	op = purpose_of(m, x);
	if (op && op < TRACK_ULP_NFS4_OP)
		code.opcode = (uint16_t)(TRACK_ULP_NFS4_OP | op);
	return code;
}

/* Data that the call offers to be read and written; a reply chunk has none of that, and in chunk 0 is the call itself. */
static uint32_t bytes_of(const struct track_ulp_walk *m, const struct track_ulp_x *x)
{
	const struct ibw_rpcrdma_read_wire *read;
	uint32_t i, bytes = 0;
	bool reply = false;

	for (i = 0; i < m->walked.n_spans; i++) {
		read = (const void *)(x->p + m->span[i].off);
		reply |= m->span[i].layer == IBW_LAYER_rpcrdma_reply;
		if (m->span[i].layer == IBW_LAYER_rpcrdma_read && ibw_rpcrdma_read_position(read))
			bytes += ibw_rpcrdma_read_length(read);
		else if (m->span[i].layer == IBW_LAYER_rpcrdma_segment && !reply)
			bytes += ibw_rpcrdma_segment_length((const void *)read);
	}
	return bytes;
}

static void offer_read(struct track_ulp_x *x, const struct track_ulp_command *c,
		       const struct ibw_rpcrdma_read_wire *read)
{
	const struct track_ulp_memory memory = { .address = ibw_rpcrdma_read_offset(read),
						 .length = ibw_rpcrdma_read_length(read) };

	track_ulp_offer(x, c, ibw_rpcrdma_read_handle(read), &memory);
}

static void offer_segment(struct track_ulp_x *x, const struct track_ulp_command *c,
			  const struct ibw_rpcrdma_segment_wire *segment, bool reply)
{
	const struct track_ulp_memory memory = { .address = ibw_rpcrdma_segment_offset(segment),
						 .length = ibw_rpcrdma_segment_length(segment),
						 .reply = reply };

	track_ulp_offer(x, c, ibw_rpcrdma_segment_handle(segment), &memory);
}

static void offer_all(struct track_ulp_x *x, const struct track_ulp_walk *m,
		      const struct track_ulp_command *c)
{
	bool reply = false;
	const void *at;
	uint32_t i;

	for (i = 0; i < m->walked.n_spans; i++) {
		at = x->p + m->span[i].off;
		if (m->span[i].layer == IBW_LAYER_rpcrdma_read) {
			offer_read(x, c, at);
		} else if (m->span[i].layer == IBW_LAYER_rpcrdma_reply) {
			reply = true;
		} else if (m->span[i].layer == IBW_LAYER_rpcrdma_segment) {
			/* The reply begins in the first segment of its chunk. */
			offer_segment(x, c, at,
				      reply && m->span[i - 1].layer == IBW_LAYER_rpcrdma_reply);
		}
	}
}

/* A call that is in a chunk, of which position 0 says so. RFC 8166, 3.5.3 */
static bool is_call_in_chunk(const struct track_ulp_walk *m, const struct track_ulp_x *x)
{
	const struct ibw_rpcrdma_read_wire *read;
	uint32_t i;

	for (i = 0; i < m->walked.n_spans; i++) {
		read = (const void *)(x->p + m->span[i].off);
		if (m->span[i].layer == IBW_LAYER_rpcrdma_read && !ibw_rpcrdma_read_position(read))
			return ibw_rpcrdma_hdr_type(header_of(x)) == IBW_RDMA_NOMSG;
	}
	return false;
}

/* A reply goes the same way: to a call of the other end. RFC 8167 */
void track_ulp_rpc_request(struct track_ulp_x *x)
{
	const struct track_ulp_walk *m;
	const struct ibw_rpc_call_wire *call;
	struct track_ulp_command c;

	if (!has_header(x))
		return;
	m = walk(x);
	call = track_ulp_find(x, m, IBW_LAYER_rpc_call);
	if (!call && !is_call_in_chunk(m, x))
		return;
	c = track_ulp_command_of(x, ibw_rpcrdma_hdr_xid(header_of(x)));
	if (call)
		c.code = code_of(m, x, call);
	c.bytes = bytes_of(m, x);
	track_ulp_ask(x, &c);
	offer_all(x, m, &c);
}

static bool is_nfs(struct track_ulp_code code)
{
	return code.program == IBW_RPC_NFS && (code.type == 3 || code.type == 4);
}

/* The state of a reply that was accepted, of which results of @n bytes at @p follow: those of NFS begin with a status. */
static uint32_t accepted(uint32_t stat, const uint8_t *p, uint32_t n, struct track_ulp_code code)
{
	if (stat)
		return TRACK_ULP_RPC_NOT_ACCEPTED | MIN(stat, 0xff);
	if (!is_nfs(code) || !code.opcode || n < 4)
		return 0;
	return ibw_get_be32(p) & (TRACK_ULP_RPC_IN_CHUNK - 1);
}

/* The versions that an RDMA_ERROR says are supported: those of the status from bit 8 on; 0: it says none. */
static uint32_t versions_of(const struct track_ulp_walk *m, const struct track_ulp_x *x)
{
	const struct ibw_rpcrdma_versions_wire *of =
		track_ulp_find(x, m, IBW_LAYER_rpcrdma_versions);

	if (!of)
		return 0;
	return MIN(ibw_rpcrdma_versions_low(of), 0xff) << 8 |
	       MIN(ibw_rpcrdma_versions_high(of), 0xff) << 16;
}

static uint32_t status_of(const struct track_ulp_walk *m, const struct track_ulp_x *x,
			  struct track_ulp_code code)
{
	const struct ibw_rpcrdma_error_wire *error = track_ulp_find(x, m, IBW_LAYER_rpcrdma_error);
	const struct ibw_rpc_accepted_wire *of = track_ulp_find(x, m, IBW_LAYER_rpc_accepted);
	const struct ibw_rpc_reply_wire *reply = track_ulp_find(x, m, IBW_LAYER_rpc_reply);
	uint32_t at = MIN(m->walked.data_off, x->n);

	if (error)
		return TRACK_ULP_RPC_ERROR | MIN(ibw_rpcrdma_error_err(error), 0xff) |
		       versions_of(m, x);
	if (reply && ibw_rpc_reply_stat(reply) == IBW_RPC_DENIED)
		return TRACK_ULP_RPC_DENIED;
	if (!of)
		return 0;
	return accepted(ibw_rpc_accepted_stat(of), x->p + at, MIN(m->walked.data_len, x->n - at),
			code);
}

/* A reply as it is written to its chunk: no header of RPC over RDMA is in front. */
void track_ulp_rpc_written(const struct track_ulp_x *x, struct track_ulp_command *c)
{
	const struct ibw_rpc_reply_wire *reply = (const void *)x->p;
	const struct ibw_rpc_auth_wire *verifier = (const void *)(x->p + ibw_rpc_reply_BYTES);
	uint32_t at = (uint32_t)(ibw_rpc_reply_BYTES + ibw_rpc_auth_BYTES), body;

	if (x->n < ibw_rpc_reply_BYTES || ibw_rpc_reply_xid(reply) != (uint32_t)c->id ||
	    ibw_rpc_reply_type(reply) != IBW_RPC_REPLY)
		return;
	if (ibw_rpc_reply_stat(reply) == IBW_RPC_DENIED) {
		c->status = TRACK_ULP_RPC_DENIED;
		c->heard = true;
		return;
	}
	if (x->n < at)
		return;
	body = ibw_rpc_auth_body_len(verifier);
	if (body > x->n - at)
		return;
	at += (body + 3) & ~3u;
	if (at + ibw_rpc_accepted_BYTES > x->n)
		return;
	c->status = accepted(ibw_rpc_accepted_stat((const void *)(x->p + at)),
			     x->p + at + ibw_rpc_accepted_BYTES,
			     x->n - at - (uint32_t)ibw_rpc_accepted_BYTES, c->code);
	c->heard = true;
}

/* Whether it is an answer: it is no call of its own end, and if its reply is in a chunk, none of the RPC is here. */
static bool is_answer(const struct track_ulp_walk *m, const struct track_ulp_x *x)
{
	switch (ibw_rpcrdma_hdr_type(header_of(x))) {
	case IBW_RDMA_MSG:
		return track_ulp_find(x, m, IBW_LAYER_rpc_reply) != NULL;
	case IBW_RDMA_NOMSG:
		return !is_call_in_chunk(m, x);
	case IBW_RDMA_ERROR:
		return track_ulp_find(x, m, IBW_LAYER_rpcrdma_error) != NULL;
	}
	return false;
}

/* A segment of the write list or reply chunk of a reply: as it was offered, or shorter. RFC 8166, 3.4.6 */
static void check_segment(struct track_ulp_x *x, const struct track_ulp_command *c,
			  const struct ibw_rpcrdma_segment_wire *segment)
{
	uint32_t key = ibw_rpcrdma_segment_handle(segment);
	const struct track_ulp_memory *memory = track_ulp_memory_of(x, c, key);
	struct track_ulp_command of = *c;

	of.key = key;
	if (!memory || memory->address != ibw_rpcrdma_segment_offset(segment))
		track_ulp_say(x, TRACK_ULP_CHUNK_OTHER, &of, ibw_rpcrdma_segment_offset(segment), 0,
			      c->frame);
	else if (ibw_rpcrdma_segment_length(segment) > memory->length)
		track_ulp_say(x, TRACK_ULP_CHUNK_OVERRUN, &of, ibw_rpcrdma_segment_length(segment),
			      memory->length, c->frame);
}

/* What a reply says of the chunks that its call offered. */
static void check_reply(struct track_ulp_x *x, const struct track_ulp_walk *m)
{
	const struct track_ulp_command *c = track_ulp_asked(x, ibw_rpcrdma_hdr_xid(header_of(x)));
	const struct ibw_rpcrdma_segment_wire *segment;
	uint32_t i;

	if (!c || !is_answer(m, x))
		return;
	for (i = 0; i < m->walked.n_spans; i++) {
		segment = (const void *)(x->p + m->span[i].off);
		if (m->span[i].layer == IBW_LAYER_rpcrdma_segment &&
		    ibw_rpcrdma_segment_length(segment))
			check_segment(x, c, segment);
	}
}

/* RFC 8166, 4.2: version, type, credits; the lists of chunks fit, and the XID is that of the RPC message. */
void track_ulp_rpc_check(struct track_ulp_x *x)
{
	const struct ibw_rpcrdma_hdr_wire *h = header_of(x);
	const struct ibw_rpc_call_wire *rpc; /* a reply begins as a call */
	const struct track_ulp_walk *m;

	if (x->n < ibw_rpcrdma_hdr_BYTES)
		return;
	if (ibw_rpcrdma_hdr_vers(h) != 1) {
		track_ulp_wrong(x, TRACK_ULP_RPC_VERSION, ibw_rpcrdma_hdr_vers(h), 1);
		return;
	}
	if (!ibw_name_of(ibw_rpcrdma_type_names, ibw_rpcrdma_hdr_type(h))) {
		track_ulp_wrong(x, TRACK_ULP_RPC_TYPE, ibw_rpcrdma_hdr_type(h), 0);
		return;
	}
	if (!ibw_rpcrdma_hdr_credit(h))
		track_ulp_wrong(x, TRACK_ULP_RPC_CREDIT, 0, 0);
	m = walk(x);
	rpc = track_ulp_find(x, m, IBW_LAYER_rpc_call);
	if (!rpc)
		rpc = track_ulp_find(x, m, IBW_LAYER_rpc_reply);
	if (m->walked.outcome == IBW_MALFORMED && track_ulp_is_whole(x))
		track_ulp_wrong(x, TRACK_ULP_RPC_LISTS, m->walked.error.off, 0);
	else if (rpc && ibw_rpc_call_xid(rpc) != ibw_rpcrdma_hdr_xid(h))
		track_ulp_wrong(x, TRACK_ULP_RPC_XID, ibw_rpc_call_xid(rpc),
				ibw_rpcrdma_hdr_xid(h));
	if (x->side == TRACK_ULP_ANSWERS)
		check_reply(x, m);
}

unsigned int track_ulp_rpc_replies(const struct track_ulp_x *x,
				   struct track_ulp_reply reply[TRACK_ULP_REPLIES_MAX])
{
	const struct track_ulp_walk *m;
	const struct track_ulp_command *c;
	struct track_ulp_code none = { 0 };

	if (!has_header(x))
		return 0;
	m = walk(x);
	if (!is_answer(m, x))
		return 0;
	reply->id = ibw_rpcrdma_hdr_xid(header_of(x));
	reply->queue = 0;
	reply->header = 0;
	c = track_ulp_asked(x, reply->id);
	if (ibw_rpcrdma_hdr_type(header_of(x)) == IBW_RDMA_NOMSG)
		reply->status = c && c->heard ? c->status : TRACK_ULP_RPC_IN_CHUNK;
	else
		reply->status = status_of(m, x, c ? c->code : none);
	return 1;
}
