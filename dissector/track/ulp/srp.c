/* SPDX-License-Identifier: GPL-2.0-or-later */
/* srp.c - SRP: information units of initiator and target; SCSI statuses, as iSER has them, too. */
#include <ibwire/ibwire.h>

#include "impl.h"

static const struct ibw_srp_cmd_wire *cmd_at(const uint8_t *p)
{
	return (const void *)p;
}

/* Fields that are reserved, and those of which most values are not defined, leave one message of chance in 2^60. */
static bool looks_like_command(const struct track_ulp_x *x)
{
	const struct ibw_srp_cmd_wire *cmd = cmd_at(x->p);

	return x->n >= ibw_srp_cmd_BYTES && x->p[0] == IBW_SRP_CMD && x->p[1] < 8 &&
	       !ibw_srp_cmd_rsvd_set(cmd) && ibw_srp_cmd_out_fmt(cmd) <= IBW_SRP_DESC_IMM &&
	       ibw_srp_cmd_in_fmt(cmd) <= IBW_SRP_DESC_INDIRECT &&
	       ibw_scsi_opcode_name(ibw_srp_cmd_cdb(cmd)[0]);
}

bool track_ulp_srp_begins(const struct track_ulp_x *x)
{
	const struct track_ulp_walk *w;

	if (x->len == TRACK_ULP_LONG || !looks_like_command(x))
		return false;
	w = track_ulp_walk(x, IBW_ULP_SRP, TRACK_ULP_ASKS);
	return w->walked.outcome == IBW_OK &&
	       (w->walked.data_len == 0 || ibw_srp_cmd_out_fmt(cmd_at(x->p)) == IBW_SRP_DESC_IMM);
}

static void offer(struct track_ulp_x *x, struct track_ulp_command *c, uint32_t key, uint64_t va,
		  uint32_t bytes)
{
	const struct track_ulp_memory memory = { .address = va, .length = bytes };

	track_ulp_offer(x, c, key, &memory);
}

/* The memory that the descriptors name; in a table each, and that of the table itself. */
static void offer_all(struct track_ulp_x *x, struct track_ulp_command *c,
		      const struct ibw_span *span, uint32_t n)
{
	const struct ibw_srp_indirect_wire *table;
	const struct ibw_srp_direct_wire *direct;
	uint32_t i;

	for (i = 0; i < n; i++) {
		direct = (const void *)(x->p + span[i].off);
		table = (const void *)(x->p + span[i].off);
		if (span[i].layer == IBW_LAYER_srp_direct)
			offer(x, c, ibw_srp_direct_key(direct), ibw_srp_direct_va(direct),
			      ibw_srp_direct_len(direct));
		else if (span[i].layer == IBW_LAYER_srp_indirect)
			offer(x, c, ibw_srp_indirect_key(table), ibw_srp_indirect_va(table),
			      ibw_srp_indirect_table_len(table));
	}
}

/* The data of both directions: a table says how much it has in all. */
static uint32_t bytes_of(const struct track_ulp_x *x, const struct ibw_span *span, uint32_t n)
{
	uint32_t i, bytes = 0, in_table = 0;
	const uint8_t *at;

	for (i = 0; i < n; i++) {
		at = x->p + span[i].off;
		if (span[i].layer == IBW_LAYER_srp_indirect) {
			bytes += ibw_srp_indirect_len((const void *)at);
			in_table = 1;
		} else if (span[i].layer == IBW_LAYER_srp_direct && !in_table) {
			bytes += ibw_srp_direct_len((const void *)at);
		} else if (span[i].layer == IBW_LAYER_srp_imm) {
			bytes += ibw_srp_imm_len((const void *)at);
		}
	}
	return bytes;
}

static void command(struct track_ulp_x *x)
{
	struct track_ulp_command c = track_ulp_command_of(x, ibw_srp_cmd_tag(cmd_at(x->p)));
	const struct track_ulp_walk *w = track_ulp_walk(x, IBW_ULP_SRP, TRACK_ULP_ASKS);

	c.code.opcode = ibw_srp_cmd_cdb(cmd_at(x->p))[0];
	c.bytes = bytes_of(x, w->span, w->walked.n_spans);
	track_ulp_ask(x, &c);
	offer_all(x, &c, w->span, w->walked.n_spans);
}

static void task_management(struct track_ulp_x *x)
{
	const struct ibw_srp_tsk_mgmt_wire *task = (const void *)x->p;
	struct track_ulp_command c = track_ulp_command_of(x, ibw_srp_tsk_mgmt_tag(task));
	uint64_t id;

	c.code = (struct track_ulp_code){ .type = TRACK_ULP_OF_PDU, .opcode = IBW_SRP_TSK_MGMT };
	id = ibw_srp_tsk_mgmt_task_tag(task);
	track_ulp_task(x, &c, ibw_srp_tsk_mgmt_func(task),
		       ibw_srp_tsk_mgmt_func(task) == IBW_SRP_ABORT_TASK ? &id : NULL);
	track_ulp_ask(x, &c);
}

void track_ulp_srp_request(struct track_ulp_x *x)
{
	if (x->n < ibw_srp_cmd_BYTES)
		return;
	if (x->p[0] == IBW_SRP_CMD)
		command(x);
	else if (x->p[0] == IBW_SRP_TSK_MGMT)
		task_management(x);
}

/* As far as the codes of the sense data go; shorter ones say nothing. SPC-4, 4.5 */
#define FIXED_BYTES 14u
#define DESC_BYTES 4u

uint32_t track_ulp_scsi_status(uint8_t status, const uint8_t *sense, uint32_t n)
{
	const struct ibw_scsi_sense_desc_wire *desc = (const void *)sense;
	const struct ibw_scsi_sense_wire *fixed = (const void *)sense;
	uint32_t of = status | TRACK_ULP_SCSI_SENSE;

	if (!status || !n)
		return status;
	if ((sense[0] & 0x7e) == 0x70 && n >= FIXED_BYTES)
		return of | (uint32_t)ibw_scsi_sense_key(fixed) << 8 |
		       (uint32_t)ibw_scsi_sense_asc(fixed) << 16 |
		       (uint32_t)ibw_scsi_sense_ascq(fixed) << 24;
	if ((sense[0] & 0x7e) == 0x72 && n >= DESC_BYTES)
		return of | (uint32_t)ibw_scsi_sense_desc_key(desc) << 8 |
		       (uint32_t)ibw_scsi_sense_desc_asc(desc) << 16 |
		       (uint32_t)ibw_scsi_sense_desc_ascq(desc) << 24;
	return status;
}

/* The status of a command with its sense data, which follow the response data; or the response of a task management. */
static uint32_t status_of(const struct track_ulp_x *x)
{
	const struct ibw_srp_rsp_wire *rsp = (const void *)x->p;
	uint32_t left = x->n - (uint32_t)ibw_srp_rsp_BYTES;
	uint32_t data = ibw_srp_rsp_rspvalid(rsp) ? ibw_srp_rsp_resp_len(rsp) : 0;
	uint32_t sense = ibw_srp_rsp_snsvalid(rsp) ? ibw_srp_rsp_sense_len(rsp) : 0;
	const uint8_t *p = x->p + ibw_srp_rsp_BYTES;
	uint8_t code;

	if (ibw_srp_rsp_status(rsp))
		return track_ulp_scsi_status(ibw_srp_rsp_status(rsp), p + MIN(data, left),
					     MIN(sense, left - MIN(data, left)));
	code = MIN(data, left) >= ibw_srp_rsp_data_BYTES ? ibw_srp_rsp_data_code((const void *)p)
							 : 0;
	return code ? TRACK_ULP_ISCSI_RESPONSE | (uint32_t)code << 16 : 0;
}

unsigned int track_ulp_srp_replies(const struct track_ulp_x *x,
				   struct track_ulp_reply reply[TRACK_ULP_REPLIES_MAX])
{
	if (x->n < ibw_srp_rsp_BYTES || x->p[0] != IBW_SRP_RSP)
		return 0;
	*reply = (struct track_ulp_reply){ .id = ibw_srp_rsp_tag((const void *)x->p),
					   .status = status_of(x) };
	return 1;
}

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
			track_ulp_wrong(x, TRACK_ULP_SRP_SUM, sum, ibw_srp_indirect_len(table));
		i = k - 1;
	}
}

void track_ulp_srp_check(struct track_ulp_x *x)
{
	const struct track_ulp_walk *w;

	if (!x->n)
		return;
	if (!ibw_srp_opcode_name(x->p[0])) {
		track_ulp_wrong(x, TRACK_ULP_SRP_TYPE, x->p[0], 0);
		return;
	}
	w = track_ulp_walk(x, IBW_ULP_SRP, x->side);
	if (w->walked.outcome == IBW_MALFORMED && track_ulp_is_whole(x))
		track_ulp_wrong(x, TRACK_ULP_SRP_LENGTH, w->walked.error.off, 0);
	else
		check_table(x, w->span, w->walked.n_spans);
}
