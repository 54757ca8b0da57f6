/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* iser.c - iSER: its header, the iSCSI PDU after it, and the text of logins. */
#include "ulp_walk.h"

/* The header of a PDU by its opcode; IBW_LAYER_COUNT: it is not defined. */
static uint16_t layer_of(uint8_t opcode)
{
	switch (opcode) {
	case IBW_ISCSI_NOP_OUT:
		return IBW_LAYER_iscsi_nopout;
	case IBW_ISCSI_SCSI_COMMAND:
		return IBW_LAYER_iscsi_scsi_req;
	case IBW_ISCSI_TASK_MANAGEMENT_REQUEST:
		return IBW_LAYER_iscsi_tm;
	case IBW_ISCSI_LOGIN_REQUEST:
		return IBW_LAYER_iscsi_login_req;
	case IBW_ISCSI_TEXT_REQUEST:
		return IBW_LAYER_iscsi_text;
	case IBW_ISCSI_SCSI_DATA_OUT:
		return IBW_LAYER_iscsi_data_out;
	case IBW_ISCSI_LOGOUT_REQUEST:
		return IBW_LAYER_iscsi_logout;
	case IBW_ISCSI_SNACK_REQUEST:
		return IBW_LAYER_iscsi_snack;
	case IBW_ISCSI_NOP_IN:
		return IBW_LAYER_iscsi_nopin;
	case IBW_ISCSI_SCSI_RESPONSE:
		return IBW_LAYER_iscsi_scsi_rsp;
	case IBW_ISCSI_TASK_MANAGEMENT_RESPONSE:
		return IBW_LAYER_iscsi_tm_rsp;
	case IBW_ISCSI_LOGIN_RESPONSE:
		return IBW_LAYER_iscsi_login_rsp;
	case IBW_ISCSI_TEXT_RESPONSE:
		return IBW_LAYER_iscsi_text_rsp;
	case IBW_ISCSI_SCSI_DATA_IN:
		return IBW_LAYER_iscsi_data_in;
	case IBW_ISCSI_LOGOUT_RESPONSE:
		return IBW_LAYER_iscsi_logout_rsp;
	case IBW_ISCSI_READY_TO_TRANSFER:
		return IBW_LAYER_iscsi_r2t;
	case IBW_ISCSI_ASYNCHRONOUS_MESSAGE:
		return IBW_LAYER_iscsi_async;
	case IBW_ISCSI_REJECT:
		return IBW_LAYER_iscsi_reject;
	}
	return IBW_LAYER_COUNT;
}

/* Two bytes of length, then sense data: RFC 7143, 11.4.7.2 */
static void walk_sense(struct ulp_walk *w, uint32_t n)
{
	uint32_t off = w->c.off, sense;

	if (n < 2 || ulp_left(w) < 2)
		return;
	sense = ibw_get_be16(w->c.p + off);
	w->c.off += 2;
	ibw_ulp_walk_sense(w, sense < n - 2 ? sense : n - 2);
	w->c.off = off;
}

/* The opcodes of a target have this bit. */
#define OF_TARGET 0x20

/* The PDU at the cursor, to the end of the message. */
static void walk_pdu(struct ulp_walk *w)
{
	const struct ibw_iscsi_scsi_req_wire *pdu; /* all begin alike */
	uint32_t off = w->c.off, n, more;
	uint16_t layer;
	uint8_t opcode;

	if (!ulp_left(w)) {
		cursor_short(&w->c, off, IBW_LAYER_iscsi_scsi_req, ibw_iscsi_scsi_req_BYTES);
		return;
	}
	opcode = w->c.p[off] & 0x3f;
	layer = layer_of(opcode);
	if (layer == IBW_LAYER_COUNT ||
	    !(opcode & OF_TARGET) != !!(w->flags & IBW_ULP_FROM_INITIATOR)) {
		ulp_wrong(w, off, IBW_LAYER_iscsi_scsi_req, "opcode", 0, opcode);
		return;
	}
	pdu = (const struct ibw_iscsi_scsi_req_wire *)ulp_take(w, layer, ibw_iscsi_scsi_req_BYTES);
	if (!pdu)
		return;
	if (layer == IBW_LAYER_iscsi_scsi_req)
		ibw_ulp_over_cdb(w, off + ibw_iscsi_scsi_req_cdb_AT / 8);
	more = ibw_iscsi_scsi_req_hlength(pdu) * 4u;
	n = ibw_iscsi_scsi_req_dlength(pdu);
	if (!ulp_fits(w, off, layer, "hlength", more))
		return;
	w->c.off += more;
	if (!ulp_fits(w, off, layer, "dlength", n))
		return;
	if (layer == IBW_LAYER_iscsi_scsi_rsp)
		walk_sense(w, n);
	cursor_end(&w->c, w->c.off + n, layer);
	ulp_rest(w, layer);
}

void ibw_ulp_walk_iser(struct ulp_walk *w)
{
	const struct ibw_iser_ctrl_wire *iser = ULP_TAKE(w, iser_ctrl);

	if (!iser)
		return;
	switch (ibw_iser_ctrl_opcode(iser)) {
	case IBW_ISER_CONTROL:
		walk_pdu(w);
		break;
	case IBW_ISER_HELLO:
	case IBW_ISER_HELLO_REPLY:
		ulp_rest(w, IBW_LAYER_iser_ctrl);
		break;
	default:
		ulp_wrong(w, 0, IBW_LAYER_iser_ctrl, "opcode", IBW_ISER_CONTROL,
			  ibw_iser_ctrl_opcode(iser));
	}
}

const char *ibw_iscsi_opcode_name(uint8_t opcode)
{
	return ibw_name_of(ibw_iscsi_opcode_names, opcode & 0x3f);
}

const char *ibw_iscsi_login_status_name(uint16_t status)
{
	return ibw_name_of(ibw_iscsi_login_status_names, status);
}

bool ibw_iscsi_next_key(struct ibw_iscsi_key *k, const uint8_t *p, uint32_t n, uint32_t *at)
{
	uint32_t i = *at;

	while (i < n && !p[i]) /* pads */
		i++;
	if (i >= n)
		return false;
	k->key = p + i;
	while (i < n && p[i] && p[i] != '=')
		i++;
	k->key_bytes = (uint32_t)(p + i - k->key);
	if (i < n && p[i])
		i++;
	k->value = p + i;
	while (i < n && p[i])
		i++;
	k->value_bytes = (uint32_t)(p + i - k->value);
	*at = i;
	return true;
}
