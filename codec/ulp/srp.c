/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* srp.c - the SCSI RDMA Protocol: the information units of initiator and target. */
#include "ulp_walk.h"

/* What a command says of one direction; a table has @count descriptors in the message. */
static bool walk_descriptors(struct ulp_walk *w, uint8_t format, uint8_t count)
{
	unsigned int i;

	switch (format) {
	case IBW_SRP_DESC_DIRECT:
		return ULP_TAKE(w, srp_direct) != NULL;
	case IBW_SRP_DESC_INDIRECT:
		if (!ULP_TAKE(w, srp_indirect))
			return false;
		for (i = 0; i < count; i++)
			if (!ULP_TAKE(w, srp_direct))
				return false;
		return true;
	case IBW_SRP_DESC_IMM:
		return ULP_TAKE(w, srp_imm) != NULL;
	default:
		return true;
	}
}

/*
 * Immediate data is where the login said; wherever that is, it goes to the end of the message, for nothing follows it
 * (one source: Linux).
 */
static void walk_immediate(struct ulp_walk *w, const struct ibw_srp_imm_wire *imm, uint32_t off)
{
	uint32_t n = ibw_srp_imm_len(imm);

	if (!ulp_fits(w, off, IBW_LAYER_srp_imm, "len", n))
		return;
	w->c.off = w->c.end - n;
	ulp_rest(w, IBW_LAYER_srp_imm);
}

static void walk_cmd(struct ulp_walk *w)
{
	const struct ibw_srp_cmd_wire *cmd = ULP_TAKE(w, srp_cmd);
	uint32_t off = w->c.off, more;

	if (!cmd)
		return;
	ibw_ulp_over_cdb(w, off - ibw_srp_cmd_BYTES + ibw_srp_cmd_cdb_AT / 8);
	more = ibw_srp_cmd_add_cdb_len(cmd) * 4u;
	if (!ulp_fits(w, 0, IBW_LAYER_srp_cmd, "add_cdb_len", more))
		return;
	w->c.off += more;
	off = w->c.off;
	if (!walk_descriptors(w, ibw_srp_cmd_out_fmt(cmd), ibw_srp_cmd_out_cnt(cmd)) ||
	    !walk_descriptors(w, ibw_srp_cmd_in_fmt(cmd), ibw_srp_cmd_in_cnt(cmd)))
		return;
	if (ibw_srp_cmd_out_fmt(cmd) == IBW_SRP_DESC_IMM)
		walk_immediate(w, (const struct ibw_srp_imm_wire *)(w->c.p + off), off);
	else
		ulp_rest(w, IBW_LAYER_srp_cmd);
}

static void walk_rsp(struct ulp_walk *w)
{
	const struct ibw_srp_rsp_wire *rsp = ULP_TAKE(w, srp_rsp);
	uint32_t resp, sense, off;

	if (!rsp)
		return;
	resp = ibw_srp_rsp_rspvalid(rsp) ? ibw_srp_rsp_resp_len(rsp) : 0;
	sense = ibw_srp_rsp_snsvalid(rsp) ? ibw_srp_rsp_sense_len(rsp) : 0;
	if (!ulp_fits(w, 0, IBW_LAYER_srp_rsp, "resp_len", resp))
		return;
	off = w->c.off + resp;
	if (resp >= ibw_srp_rsp_data_BYTES && !ULP_TAKE(w, srp_rsp_data))
		return;
	w->c.off = off;
	if (!ulp_fits(w, 0, IBW_LAYER_srp_rsp, "sense_len", sense))
		return;
	ibw_ulp_walk_sense(w, sense);
	ulp_rest(w, IBW_LAYER_srp_rsp);
}

static void walk_aer_req(struct ulp_walk *w)
{
	const struct ibw_srp_aer_req_wire *aer = ULP_TAKE(w, srp_aer_req);

	if (!aer ||
	    !ulp_fits(w, 0, IBW_LAYER_srp_aer_req, "sense_len", ibw_srp_aer_req_sense_len(aer)))
		return;
	ibw_ulp_walk_sense(w, ibw_srp_aer_req_sense_len(aer));
	ulp_rest(w, IBW_LAYER_srp_aer_req);
}

/* An information unit that is one header; bytes after it are data that nothing is said of. */
static void walk_one(struct ulp_walk *w, uint16_t layer)
{
	if (ulp_take(w, layer, ibw_headers[layer].bytes))
		ulp_rest(w, layer);
}

static void walk_of_initiator(struct ulp_walk *w, uint8_t opcode)
{
	switch (opcode) {
	case IBW_SRP_LOGIN_REQ:
		walk_one(w, IBW_LAYER_srp_login_req);
		break;
	case IBW_SRP_TSK_MGMT:
		walk_one(w, IBW_LAYER_srp_tsk_mgmt);
		break;
	case IBW_SRP_CMD:
		walk_cmd(w);
		break;
	case IBW_SRP_I_LOGOUT:
		walk_one(w, IBW_LAYER_srp_i_logout);
		break;
	case IBW_SRP_CRED_RSP:
		walk_one(w, IBW_LAYER_srp_cred_rsp);
		break;
	case IBW_SRP_AER_RSP:
		walk_one(w, IBW_LAYER_srp_aer_rsp);
		break;
	default:
		ulp_wrong(w, 0, IBW_LAYER_srp_cmd, "opcode", IBW_SRP_CMD, opcode);
	}
}

static void walk_of_target(struct ulp_walk *w, uint8_t opcode)
{
	switch (opcode) {
	case IBW_SRP_LOGIN_RSP:
		walk_one(w, IBW_LAYER_srp_login_rsp);
		break;
	case IBW_SRP_LOGIN_REJ:
		walk_one(w, IBW_LAYER_srp_login_rej);
		break;
	case IBW_SRP_RSP:
		walk_rsp(w);
		break;
	case IBW_SRP_T_LOGOUT:
		walk_one(w, IBW_LAYER_srp_t_logout);
		break;
	case IBW_SRP_CRED_REQ:
		walk_one(w, IBW_LAYER_srp_cred_req);
		break;
	case IBW_SRP_AER_REQ:
		walk_aer_req(w);
		break;
	default:
		ulp_wrong(w, 0, IBW_LAYER_srp_rsp, "opcode", IBW_SRP_RSP, opcode);
	}
}

void ibw_ulp_walk_srp(struct ulp_walk *w)
{
	bool initiator = w->flags & IBW_ULP_FROM_INITIATOR;

	if (!ulp_left(w))
		cursor_short(&w->c, 0, initiator ? IBW_LAYER_srp_cmd : IBW_LAYER_srp_rsp, 1);
	else if (initiator)
		walk_of_initiator(w, w->c.p[0]);
	else
		walk_of_target(w, w->c.p[0]);
}

const char *ibw_srp_opcode_name(uint8_t opcode)
{
	return ibw_name_of(ibw_srp_opcode_names, opcode);
}
