/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iser.c - iSER: iSCSI PDUs of initiator and target, and the memory that their header announces. */
#include <string.h>

#include <ibwire/ibwire.h>

#include "impl.h"

#define PDU_AT (uint32_t) ibw_iser_ctrl_BYTES
#define BHS_BYTES (uint32_t) ibw_iscsi_scsi_req_BYTES
#define OPCODE 0x3f

/* A PDU that no other one answers, or that answers none. RFC 7143, 11.19.1 */
#define NO_TAG UINT32_MAX

static bool has_pdu(const struct track_ulp_x *x)
{
	return x->n >= PDU_AT + BHS_BYTES && x->p[0] >> 4 == IBW_ISER_CONTROL;
}

/* All requests have their tag, and the length of their data, where a SCSI command has them. */
static const struct ibw_iscsi_scsi_req_wire *pdu_of(const struct track_ulp_x *x)
{
	return (const void *)(x->p + PDU_AT);
}

static uint8_t opcode_of(const struct track_ulp_x *x)
{
	return x->p[PDU_AT] & OPCODE;
}

bool track_ulp_iser_begins(const struct track_ulp_x *x)
{
	return has_pdu(x) && opcode_of(x) == IBW_ISCSI_LOGIN_REQUEST;
}

/* The target that a login asks for. */
static void take_target(struct track_ulp_x *x)
{
	const uint8_t *text = x->p + PDU_AT + BHS_BYTES;
	uint32_t n = MIN(x->n - PDU_AT - BHS_BYTES, ibw_iscsi_scsi_req_dlength(pdu_of(x))), at = 0,
		 i;
	struct ibw_iscsi_key k;

	while (!x->q->name && ibw_iscsi_next_key(&k, text, n, &at)) {
		if (k.key_bytes != 10 || memcmp(k.key, "TargetName", 10) != 0)
			continue;
		for (i = 0; i < k.value_bytes && k.value[i] > ' ' && k.value[i] < 0x7f;)
			i++;
		if (i && i < TRACK_ULP_NAME)
			x->q->name = g_strndup((const char *)k.value, i);
	}
}

/* What the initiator lets the target write and read. RFC 7145, 9.2 */
static void offer_all(struct track_ulp_x *x, const struct track_ulp_command *c)
{
	const struct ibw_iser_ctrl_wire *iser = (const void *)x->p;
	const struct track_ulp_memory write = { .address = ibw_iser_ctrl_write_va(iser),
						.length = c->bytes };
	const struct track_ulp_memory read = { .address = ibw_iser_ctrl_read_va(iser),
					       .length = c->bytes };

	if (ibw_iser_ctrl_wsv(iser))
		track_ulp_offer(x, c, ibw_iser_ctrl_write_stag(iser), &write);
	if (ibw_iser_ctrl_rsv(iser))
		track_ulp_offer(x, c, ibw_iser_ctrl_read_stag(iser), &read);
}

/* RFC 7143, 11.5: only the abort of a task names one. */
static void task_management(struct track_ulp_x *x, const struct track_ulp_command *c)
{
	const struct ibw_iscsi_tm_wire *tm = (const void *)pdu_of(x);
	uint64_t id = ibw_iscsi_tm_rtt(tm);

	track_ulp_task(x, c, ibw_iscsi_tm_func(tm),
		       ibw_iscsi_tm_func(tm) == IBW_ISCSI_TM_ABORT_TASK ? &id : NULL);
}

void track_ulp_iser_request(struct track_ulp_x *x)
{
	struct track_ulp_command c;

	if (!has_pdu(x))
		return;
	c = track_ulp_command_of(x, ibw_iscsi_scsi_req_itt(pdu_of(x)));
	c.code = (struct track_ulp_code){ .type = TRACK_ULP_OF_PDU, .opcode = opcode_of(x) };
	switch (opcode_of(x)) {
	case IBW_ISCSI_SCSI_COMMAND:
		c.code = (struct track_ulp_code){ .opcode = ibw_iscsi_scsi_req_cdb(pdu_of(x))[0] };
		c.bytes = ibw_iscsi_scsi_req_data_length(pdu_of(x));
		track_ulp_ask(x, &c);
		offer_all(x, &c);
		break;
	case IBW_ISCSI_NOP_OUT:
		if (c.id == NO_TAG)
			break;
		track_ulp_ask(x, &c);
		break;
	case IBW_ISCSI_LOGIN_REQUEST:
		take_target(x);
		track_ulp_ask(x, &c);
		break;
	case IBW_ISCSI_TASK_MANAGEMENT_REQUEST:
		task_management(x, &c);
		track_ulp_ask(x, &c);
		break;
	case IBW_ISCSI_TEXT_REQUEST:
	case IBW_ISCSI_LOGOUT_REQUEST:
		track_ulp_ask(x, &c);
		break;
	}
}

/* Response, then status; the sense data have their length in front: RFC 7143, 11.4 */
static uint32_t status_of_command(const struct track_ulp_x *x)
{
	const struct ibw_iscsi_scsi_rsp_wire *rsp = (const void *)(x->p + PDU_AT);
	uint32_t n = x->n - PDU_AT - BHS_BYTES;
	const uint8_t *data = x->p + PDU_AT + BHS_BYTES;

	if (ibw_iscsi_scsi_rsp_response(rsp))
		return TRACK_ULP_ISCSI_RESPONSE | (uint32_t)ibw_iscsi_scsi_rsp_response(rsp) << 16;
	n = MIN(n, ibw_iscsi_scsi_rsp_dlength(rsp));
	if (n < 2)
		return ibw_iscsi_scsi_rsp_status(rsp);
	return track_ulp_scsi_status(ibw_iscsi_scsi_rsp_status(rsp), data + 2,
				     MIN(n - 2, ibw_get_be16(data)));
}

/* What answers a request; false: it is no answer. */
static bool status_of(const struct track_ulp_x *x, uint32_t *status)
{
	const void *pdu = x->p + PDU_AT;

	*status = 0;
	switch (opcode_of(x)) {
	case IBW_ISCSI_SCSI_RESPONSE:
		*status = status_of_command(x);
		return true;
	case IBW_ISCSI_TASK_MANAGEMENT_RESPONSE:
		*status = ibw_iscsi_tm_rsp_response(pdu);
		return true;
	case IBW_ISCSI_LOGOUT_RESPONSE:
		*status = ibw_iscsi_logout_rsp_response(pdu);
		return true;
	case IBW_ISCSI_LOGIN_RESPONSE:
		*status = (uint32_t)ibw_iscsi_login_rsp_status_class(pdu) << 8 |
			  ibw_iscsi_login_rsp_status_detail(pdu);
		return true;
	case IBW_ISCSI_NOP_IN:
		return ibw_iscsi_scsi_req_itt(pdu_of(x)) != NO_TAG;
	case IBW_ISCSI_TEXT_RESPONSE:
		return true;
	}
	return false;
}

unsigned int track_ulp_iser_replies(const struct track_ulp_x *x,
				    struct track_ulp_reply reply[TRACK_ULP_REPLIES_MAX])
{
	uint32_t status;

	if (!has_pdu(x) || !status_of(x, &status))
		return 0;
	*reply = (struct track_ulp_reply){ .id = ibw_iscsi_scsi_req_itt(pdu_of(x)),
					   .status = status };
	return 1;
}

/* RFC 7145, 9.2: who expects data says where it is to go. What comes in the PDU is not fetched. */
static void check_stags(struct track_ulp_x *x)
{
	const struct ibw_iser_ctrl_wire *iser = (const void *)x->p;
	uint32_t bytes = ibw_iscsi_scsi_req_data_length(pdu_of(x));

	if (ibw_iscsi_scsi_req_read(pdu_of(x)) && bytes && !ibw_iser_ctrl_rsv(iser))
		track_ulp_wrong(x, TRACK_ULP_NO_READ_STAG, bytes, 0);
	if (ibw_iscsi_scsi_req_write(pdu_of(x)) && bytes > ibw_iscsi_scsi_req_dlength(pdu_of(x)) &&
	    !ibw_iser_ctrl_wsv(iser))
		track_ulp_wrong(x, TRACK_ULP_NO_WRITE_STAG, bytes,
				ibw_iscsi_scsi_req_dlength(pdu_of(x)));
}

void track_ulp_iser_check(struct track_ulp_x *x)
{
	const struct ibw_iser_ctrl_wire *iser = (const void *)x->p;
	uint8_t opcode;

	if (!x->n)
		return;
	opcode = x->p[0] >> 4;
	if (!ibw_name_of(ibw_iser_opcode_names, opcode)) {
		track_ulp_wrong(x, TRACK_ULP_ISER_OPCODE, opcode, 0);
		return;
	}
	if (opcode != IBW_ISER_CONTROL)
		return;
	if (x->len < PDU_AT + BHS_BYTES) {
		track_ulp_wrong(x, TRACK_ULP_ISER_SHORT, x->len, PDU_AT + BHS_BYTES);
		return;
	}
	if (x->n >= PDU_AT && ibw_iser_ctrl_rsvd_set(iser))
		track_ulp_wrong(x, TRACK_ULP_ISER_RESERVED, ibw_get_be32(x->p) & 0x3ffffff, 0);
	if (x->side == TRACK_ULP_ASKS && x->n >= PDU_AT + BHS_BYTES &&
	    ibw_iscsi_scsi_req_opcode(pdu_of(x)) == IBW_ISCSI_SCSI_COMMAND)
		check_stags(x);
}
