/* SPDX-License-Identifier: GPL-2.0-or-later */
/* check.c - what is wrong with a message of an upper layer by itself. */
#include <ibwire/ibwire.h>

#include "impl.h"

/* Headers of a message; the checks need no more. */
#define SPANS 264

/* All of a message is at hand: then its lengths can be judged. */
static bool is_whole(const struct track_ulp_x *x)
{
	return x->n == x->len;
}

static void wrong(struct track_ulp_x *x, uint8_t what, uint64_t is, uint64_t meant)
{
	const struct track_ulp_command none = { .queue = x->q->number, .frame = x->at->frame };

	track_ulp_say(x, what, &none, is, meant, 0);
}

static enum ibw_outcome walk(const struct track_ulp_x *x, struct ibw_ulp_walked *w,
			     struct ibw_span span[SPANS])
{
	return ibw_ulp_walk(w, (enum ibw_ulp)x->q->ulp,
			    x->side == TRACK_ULP_ASKS ? IBW_ULP_FROM_INITIATOR : 0, x->p, x->n,
			    x->len, span, SPANS);
}

/* NVMe over Fabrics */

/* Where the SGL descriptor of a capsule is, and in it its type; NVMe base 2.0, 4.1.2 */
#define SGL_AT 24u
#define SGL_TYPE_AT 15u
#define SGL_OFFSET 0x01    /* data in the capsule */
#define SGL_SEGMENT 0x30   /* the last segment */
#define SGL_KEYED 0x40     /* memory of the host */
#define SGL_KEYED_INV 0x4f /* the same, which the answer invalidates */

static void check_nvme_command(struct track_ulp_x *x)
{
	const struct ibw_nvme_sgl_wire *sgl = (const void *)(x->p + SGL_AT);
	uint64_t bytes = x->len - IBW_NVME_CAPSULE_BYTES, end;
	uint8_t type;

	if (x->n < IBW_NVME_CAPSULE_BYTES)
		return;
	type = x->p[SGL_AT + SGL_TYPE_AT];
	end = (uint64_t)ibw_get_le32(ibw_nvme_sgl_length(sgl));
	if (type != SGL_OFFSET && type != SGL_SEGMENT && type != SGL_KEYED &&
	    type != SGL_KEYED_INV && (type || end))
		wrong(x, TRACK_ULP_SGL_TYPE, type, 0);
	if (type != SGL_OFFSET || x->len == TRACK_ULP_LONG)
		return;
	if (ibw_get_le64(x->p + SGL_AT) > bytes || end > bytes - ibw_get_le64(x->p + SGL_AT))
		wrong(x, TRACK_ULP_SGL_BEYOND, end, bytes);
}

static void check_nvme_answer(struct track_ulp_x *x)
{
	if (x->len != ibw_nvme_completion_BYTES)
		wrong(x, TRACK_ULP_CQE_BYTES, x->len == TRACK_ULP_LONG ? x->n : x->len,
		      ibw_nvme_completion_BYTES);
}

/* iSER */

#define PDU_AT (uint32_t) ibw_iser_ctrl_BYTES

static const struct ibw_iscsi_scsi_req_wire *pdu_of(const struct track_ulp_x *x)
{
	return (const void *)(x->p + PDU_AT);
}

/* RFC 7145, 9.2: who expects data says where it is to go. What comes in the PDU is not fetched. */
static void check_stags(struct track_ulp_x *x)
{
	const struct ibw_iser_ctrl_wire *iser = (const void *)x->p;
	uint32_t bytes = ibw_iscsi_scsi_req_data_length(pdu_of(x));

	if (ibw_iscsi_scsi_req_read(pdu_of(x)) && bytes && !ibw_iser_ctrl_rsv(iser))
		wrong(x, TRACK_ULP_NO_READ_STAG, bytes, 0);
	if (ibw_iscsi_scsi_req_write(pdu_of(x)) && bytes > ibw_iscsi_scsi_req_dlength(pdu_of(x)) &&
	    !ibw_iser_ctrl_wsv(iser))
		wrong(x, TRACK_ULP_NO_WRITE_STAG, bytes, ibw_iscsi_scsi_req_dlength(pdu_of(x)));
}

static void check_iser(struct track_ulp_x *x)
{
	const struct ibw_iser_ctrl_wire *iser = (const void *)x->p;
	uint8_t opcode;

	if (!x->n)
		return;
	opcode = x->p[0] >> 4;
	if (!ibw_name_of(ibw_iser_opcode_names, opcode)) {
		wrong(x, TRACK_ULP_ISER_OPCODE, opcode, 0);
		return;
	}
	if (opcode != IBW_ISER_CONTROL)
		return;
	if (x->len < PDU_AT + ibw_iscsi_scsi_req_BYTES) {
		wrong(x, TRACK_ULP_ISER_SHORT, x->len, PDU_AT + ibw_iscsi_scsi_req_BYTES);
		return;
	}
	if (x->n >= PDU_AT && ibw_iser_ctrl_rsvd_set(iser))
		wrong(x, TRACK_ULP_ISER_RESERVED, ibw_get_be32(x->p) & 0x3ffffff, 0);
	if (x->side == TRACK_ULP_ASKS && x->n >= PDU_AT + ibw_iscsi_scsi_req_BYTES &&
	    ibw_iscsi_scsi_req_opcode(pdu_of(x)) == IBW_ISCSI_SCSI_COMMAND)
		check_stags(x);
}

/* RPC over RDMA */

/* The XID of the RPC message that follows the chunks; false: there is none, or it is not at hand. */
static bool rpc_xid(const struct track_ulp_x *x, const struct ibw_span *span, uint32_t n,
		    uint32_t *xid)
{
	uint32_t i;

	for (i = 0; i < n; i++) {
		if (span[i].layer == IBW_LAYER_rpc_call || span[i].layer == IBW_LAYER_rpc_reply) {
			*xid = ibw_get_be32(x->p + span[i].off);
			return true;
		}
	}
	return false;
}

/* RFC 8166, 4.2: version, type, credits; the lists of chunks fit, and the XID is that of the RPC message. */
static void check_rpc(struct track_ulp_x *x)
{
	const struct ibw_rpcrdma_hdr_wire *h = (const void *)x->p;
	struct ibw_span span[SPANS];
	struct ibw_ulp_walked w;
	uint32_t xid;

	if (x->n < ibw_rpcrdma_hdr_BYTES)
		return;
	if (ibw_rpcrdma_hdr_vers(h) != 1) {
		wrong(x, TRACK_ULP_RPC_VERSION, ibw_rpcrdma_hdr_vers(h), 1);
		return;
	}
	if (!ibw_name_of(ibw_rpcrdma_type_names, ibw_rpcrdma_hdr_type(h))) {
		wrong(x, TRACK_ULP_RPC_TYPE, ibw_rpcrdma_hdr_type(h), 0);
		return;
	}
	if (!ibw_rpcrdma_hdr_credit(h))
		wrong(x, TRACK_ULP_RPC_CREDIT, 0, 0);
	if (walk(x, &w, span) == IBW_MALFORMED && is_whole(x))
		wrong(x, TRACK_ULP_RPC_LISTS, w.error.off, 0);
	else if (rpc_xid(x, span, w.n_spans, &xid) && xid != ibw_rpcrdma_hdr_xid(h))
		wrong(x, TRACK_ULP_RPC_XID, xid, ibw_rpcrdma_hdr_xid(h));
}

/* SMB Direct */

/* MS-SMBD, 2.2.3: data begin after the header, at a multiple of 8. */
#define SMB_ALIGN 8u
#define SMB_DATA_AT 24u

static void check_smb(struct track_ulp_x *x)
{
	const struct ibw_smb_direct_data_wire *data = (const void *)x->p;
	struct ibw_span span[SPANS];
	struct ibw_ulp_walked w;
	uint32_t off, n;

	walk(x, &w, span);
	if (!w.n_spans || span[0].layer != IBW_LAYER_smb_direct_data)
		return;
	off = ibw_get_le32(ibw_smb_direct_data_data_offset(data));
	n = ibw_get_le32(ibw_smb_direct_data_data_length(data));
	if (!ibw_get_le16(ibw_smb_direct_data_credits_requested(data)))
		wrong(x, TRACK_ULP_SMB_CREDITS, 0, 0);
	if (!n)
		return;
	if (off < SMB_DATA_AT || off % SMB_ALIGN)
		wrong(x, TRACK_ULP_SMB_OFFSET, off, SMB_DATA_AT);
	else if (x->len != TRACK_ULP_LONG && (off > x->len || n > x->len - off))
		wrong(x, TRACK_ULP_SMB_LENGTH, (uint64_t)off + n, x->len);
}

/* SRP */

/* A whole table in the command says how much it describes. T10 SRP, 5.4.2 */
static void check_table(struct track_ulp_x *x, const struct ibw_span *span, uint32_t n)
{
	const struct ibw_srp_indirect_wire *table;
	uint64_t sum;
	uint32_t i, k;

	for (i = 0; i < n; i++) {
		if (span[i].layer != IBW_LAYER_srp_indirect)
			continue;
		table = (const void *)(x->p + span[i].off);
		for (sum = 0, k = i + 1; k < n && span[k].layer == IBW_LAYER_srp_direct; k++)
			sum += ibw_srp_direct_len((const void *)(x->p + span[k].off));
		if (ibw_srp_indirect_table_len(table) == (k - i - 1) * ibw_srp_direct_BYTES &&
		    sum != ibw_srp_indirect_len(table))
			wrong(x, TRACK_ULP_SRP_SUM, sum, ibw_srp_indirect_len(table));
		i = k - 1;
	}
}

static void check_srp(struct track_ulp_x *x)
{
	struct ibw_span span[SPANS];
	struct ibw_ulp_walked w;

	if (!x->n)
		return;
	if (!ibw_srp_opcode_name(x->p[0])) {
		wrong(x, TRACK_ULP_SRP_TYPE, x->p[0], 0);
		return;
	}
	if (walk(x, &w, span) == IBW_MALFORMED && is_whole(x))
		wrong(x, TRACK_ULP_SRP_LENGTH, w.error.off, 0);
	else
		check_table(x, span, w.n_spans);
}

void track_ulp_check(struct track_ulp_x *x)
{
	switch (x->q->ulp) {
	case IBW_ULP_NVME:
		if (x->side == TRACK_ULP_ASKS)
			check_nvme_command(x);
		else
			check_nvme_answer(x);
		break;
	case IBW_ULP_SRP:
		check_srp(x);
		break;
	case IBW_ULP_ISER:
		check_iser(x);
		break;
	case IBW_ULP_RPCRDMA:
		check_rpc(x);
		if (x->side == TRACK_ULP_ANSWERS)
			track_ulp_rpc_check_reply(x);
		break;
	case IBW_ULP_SMB_DIRECT:
		check_smb(x);
		break;
	}
}
