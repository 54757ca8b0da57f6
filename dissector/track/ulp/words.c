/* SPDX-License-Identifier: GPL-2.0-or-later */
/* words.c - the names of commands and statuses, and which statuses are failures. */
#include <ibwire/ibwire.h>
#include <ibwire/out.h>

#include "impl.h"

/* MS-ERREF: the two high bits say that it is an error; a logon that goes on is none. */
#define NT_ERROR 0xc0000000u
#define NT_MORE_PROCESSING 0xc0000016u

#define SCSI_SENSE_KEY(status) ((status) >> 8 & 0xf)

/* Operations */

static bool is_fabrics(struct track_ulp_code code)
{
	return code.opcode == IBW_NVME_ADMIN_FABRICS;
}

static void out_named(struct ibw_out *o, const char *name, const char *kind, uint32_t number)
{
	if (name) {
		ibw_out_str(o, name);
		return;
	}
	ibw_out_str(o, kind);
	ibw_out_dec(o, number);
}

/* A name, or "opcode 0x9f". */
static void out_opcode(struct ibw_out *o, const char *name, uint8_t opcode)
{
	if (name) {
		ibw_out_str(o, name);
		return;
	}
	ibw_out_str(o, "opcode ");
	ibw_out_hex(o, opcode, 2);
}

static void out_rpc(struct ibw_out *o, struct track_ulp_code code)
{
	const char *program = ibw_rpc_program_name(code.program), *name;

	if (!code.program) {
		ibw_out_str(o, "call in a chunk");
		return;
	}
	out_named(o, program, "program ", code.program);
	if (code.program != IBW_RPC_NFS || code.type < 3 || code.type > 4) {
		ibw_out_str(o, " procedure ");
		ibw_out_dec(o, code.opcode);
		return;
	}
	ibw_out_dec(o, code.type);
	ibw_out_char(o, ' ');
	if (code.opcode & TRACK_ULP_NFS4_OP) {
		code.opcode &= TRACK_ULP_NFS4_OP - 1;
		out_named(o, ibw_nfs4_op_name(code.opcode), "operation ", code.opcode);
		return;
	}
	name = ibw_rpc_proc_name(code.program, code.type, code.opcode);
	out_named(o, name, "procedure ", code.opcode);
}

/* Where it is not known whether the queue is that for administration, only what both kinds have. */
static const char *nvme_name(const struct track_ulp_queue *q, struct track_ulp_code code)
{
	if (q->id_unknown && !is_fabrics(code))
		return NULL;
	return ibw_nvme_opcode_name(q->id == 0, (uint8_t)code.opcode, (uint8_t)code.type);
}

static void out_operation(struct ibw_out *o, const struct track_ulp_queue *q,
			  struct track_ulp_code code)
{
	uint8_t opcode = (uint8_t)code.opcode;

	switch (q->ulp) {
	case IBW_ULP_NVME:
		out_opcode(o, nvme_name(q, code), opcode);
		break;
	case IBW_ULP_SRP:
		out_opcode(o,
			   code.type == TRACK_ULP_OF_PDU ? ibw_srp_opcode_name(opcode)
							 : ibw_scsi_opcode_name(opcode),
			   opcode);
		break;
	case IBW_ULP_ISER:
		out_opcode(o,
			   code.type == TRACK_ULP_OF_PDU ? ibw_iscsi_opcode_name(opcode)
							 : ibw_scsi_opcode_name(opcode),
			   opcode);
		break;
	case IBW_ULP_RPCRDMA:
		out_rpc(o, code);
		break;
	case IBW_ULP_SMB_DIRECT:
		out_named(o, ibw_smb2_command_name(code.opcode), "command ", code.opcode);
		break;
	}
}

const char *track_ulp_operation_text(const struct track_ulp_queue *q, struct track_ulp_code code,
				     char buf[TRACK_ULP_TEXT])
{
	struct ibw_out o = ibw_out_open(buf, TRACK_ULP_TEXT);

	if (code.program == track_ulp_others.program)
		ibw_out_str(&o, "others");
	else
		out_operation(&o, q, code);
	ibw_out_close(&o);
	return buf;
}

const char *track_ulp_id_word(enum ibw_ulp ulp)
{
	switch (ulp) {
	case IBW_ULP_NVME:
		return "cid";
	case IBW_ULP_SRP:
		return "tag";
	case IBW_ULP_ISER:
		return "ITT";
	case IBW_ULP_RPCRDMA:
		return "XID";
	default:
		return "message ID";
	}
}

void track_ulp_out_id(struct ibw_out *o, enum ibw_ulp ulp, uint64_t id)
{
	if (ulp == IBW_ULP_NVME || ulp == IBW_ULP_SMB_DIRECT)
		ibw_out_dec(o, id);
	else
		ibw_out_hex(o, id, 1);
}

/* Statuses */

/* A name, or "status 0x99". */
static void out_status(struct ibw_out *o, const char *name, const char *kind, uint32_t status,
		       unsigned int digits)
{
	if (name) {
		ibw_out_str(o, name);
		return;
	}
	ibw_out_str(o, kind);
	ibw_out_char(o, ' ');
	ibw_out_hex(o, status, digits);
}

static void out_nvme_status(struct ibw_out *o, struct track_ulp_code code, uint32_t status)
{
	const char *name = ibw_nvme_status_name((uint16_t)status, is_fabrics(code));

	if (name) {
		ibw_out_str(o, name);
		return;
	}
	ibw_out_str(o, "status type ");
	ibw_out_dec(o, status >> 8);
	ibw_out_str(o, " code ");
	ibw_out_hex(o, status & 0xff, 2);
}

/* "CHECK CONDITION: ILLEGAL REQUEST, asc 0x20 ascq 0x00" */
static void out_scsi_status(struct ibw_out *o, uint32_t status)
{
	uint8_t key = SCSI_SENSE_KEY(status);

	out_status(o, ibw_scsi_status_name((uint8_t)status), "status", status & 0xff, 2);
	if (!(status & TRACK_ULP_SCSI_SENSE))
		return;
	ibw_out_str(o, ": ");
	out_status(o, ibw_scsi_sense_key_name(key), "sense key", key, 1);
	ibw_out_str(o, ", asc ");
	ibw_out_hex(o, status >> 16 & 0xff, 2);
	ibw_out_str(o, " ascq ");
	ibw_out_hex(o, status >> 24, 2);
}

static void out_srp_status(struct ibw_out *o, uint32_t status)
{
	uint32_t code = status >> 16;

	if (status & TRACK_ULP_SCSI_SENSE || !(status & TRACK_ULP_ISCSI_RESPONSE))
		out_scsi_status(o, status);
	else
		out_status(o, ibw_name_of(ibw_srp_rsp_code_names, code), "response code", code, 2);
}

static void out_iser_status(struct ibw_out *o, struct track_ulp_code code, uint32_t status)
{
	const struct ibw_name *names = ibw_iscsi_response_names;

	if (code.type != TRACK_ULP_OF_PDU) {
		if (status & TRACK_ULP_SCSI_SENSE || !(status & TRACK_ULP_ISCSI_RESPONSE)) {
			out_scsi_status(o, status);
			return;
		}
		status >>= 16;
	} else if (code.opcode == IBW_ISCSI_LOGIN_REQUEST) {
		out_status(o, ibw_iscsi_login_status_name((uint16_t)status), "status", status, 4);
		return;
	} else {
		names = code.opcode == IBW_ISCSI_LOGOUT_REQUEST ? ibw_iscsi_logout_response_names
								: ibw_iscsi_tm_response_names;
	}
	out_status(o, ibw_name_of(names, status), "response", status, 2);
}

/* "RDMA_ERROR: version, 1 to 1 are supported" */
static void out_rdma_error(struct ibw_out *o, uint32_t error, uint32_t low, uint32_t high)
{
	if (error != IBW_RPCRDMA_ERR_VERS) {
		ibw_out_str(o, "RDMA_ERROR: chunk");
		return;
	}
	ibw_out_str(o, "RDMA_ERROR: version");
	if (!high)
		return;
	ibw_out_str(o, ", ");
	ibw_out_dec(o, low);
	ibw_out_str(o, " to ");
	ibw_out_dec(o, high);
	ibw_out_str(o, " are supported");
}

static void out_rpc_status(struct ibw_out *o, uint32_t status)
{
	uint32_t stat = status & 0xff;

	if (status & TRACK_ULP_RPC_DENIED)
		ibw_out_str(o, "call denied");
	else if (status & TRACK_ULP_RPC_NOT_ACCEPTED)
		out_status(o, ibw_name_of(ibw_rpc_accept_stat_names, stat), "accept status", stat,
			   2);
	else if (status & TRACK_ULP_RPC_IN_CHUNK)
		ibw_out_str(o, "reply in a chunk");
	else if (status & TRACK_ULP_RPC_ERROR)
		out_rdma_error(o, stat, status >> 8 & 0xff, status >> 16 & 0xff);
	else
		out_status(o, ibw_nfs_status_name(status), "status", status, 4);
}

const char *track_ulp_status_words(enum ibw_ulp ulp, struct track_ulp_code code, uint32_t status,
				   char *buf, size_t room)
{
	struct ibw_out o = ibw_out_open(buf, room);

	if (!status)
		ibw_out_str(&o, "success");
	else if (ulp == IBW_ULP_NVME)
		out_nvme_status(&o, code, status);
	else if (ulp == IBW_ULP_SRP)
		out_srp_status(&o, status);
	else if (ulp == IBW_ULP_ISER)
		out_iser_status(&o, code, status);
	else if (ulp == IBW_ULP_RPCRDMA)
		out_rpc_status(&o, status);
	else
		out_status(&o, NULL, "NT status", status, 8);
	ibw_out_close(&o);
	return buf;
}

/* Failures */

bool track_ulp_is_login(enum ibw_ulp ulp, struct track_ulp_code code)
{
	return ulp == IBW_ULP_ISER && code.type == TRACK_ULP_OF_PDU &&
	       code.opcode == IBW_ISCSI_LOGIN_REQUEST;
}

bool track_ulp_is_rdma_error(uint32_t status)
{
	return !(status &
		 (TRACK_ULP_RPC_DENIED | TRACK_ULP_RPC_NOT_ACCEPTED | TRACK_ULP_RPC_IN_CHUNK)) &&
	       status & TRACK_ULP_RPC_ERROR;
}

bool track_ulp_is_error(enum ibw_ulp ulp, struct track_ulp_code code, uint32_t status)
{
	(void)code;
	if (ulp == IBW_ULP_SMB_DIRECT)
		return status >= NT_ERROR && status != NT_MORE_PROCESSING;
	return status != 0 && (ulp != IBW_ULP_RPCRDMA || status != TRACK_ULP_RPC_IN_CHUNK);
}

static bool nvme_suffers(struct track_ulp_code code, uint32_t status)
{
	if (is_fabrics(code))
		return code.type == IBW_NVMF_CONNECT;
	switch (status >> 8) {
	case IBW_NVME_SCT_GENERIC:
		return status == IBW_NVME_SC_TRANSFER_ERROR || status == IBW_NVME_SC_ABORTED ||
		       status == IBW_NVME_SC_SQ_DELETED;
	case IBW_NVME_SCT_MEDIA: /* a Compare that finds a difference, and a block nobody wrote, are answers */
		return (status & 0xff) != IBW_NVME_SC_COMPARE_FAILED &&
		       (status & 0xff) != IBW_NVME_SC_UNWRITTEN;
	}
	return status >> 8 == IBW_NVME_SCT_PATH;
}

/* A login that is sent to another portal is not refused. */
static bool is_redirected(uint32_t status)
{
	return status >> 8 == IBW_ISCSI_CLASS_REDIRECTION;
}

/* A unit attention comes once after each login or reset, and what a target cannot do it is asked all the same. */
static bool scsi_suffers(struct track_ulp_code code, uint32_t status)
{
	uint8_t key = SCSI_SENSE_KEY(status);

	if (code.type == TRACK_ULP_OF_PDU || !(status & TRACK_ULP_SCSI_SENSE))
		return code.type == TRACK_ULP_OF_PDU
			       ? code.opcode == IBW_ISCSI_LOGIN_REQUEST && !is_redirected(status)
			       : (status & TRACK_ULP_ISCSI_RESPONSE) != 0 ||
					 (status & 0xff) == IBW_SCSI_TASK_ABORTED;
	return key == IBW_SCSI_KEY_MEDIUM_ERROR || key == IBW_SCSI_KEY_HARDWARE_ERROR ||
	       key == IBW_SCSI_KEY_ABORTED_COMMAND;
}

/* That a file is not there, or may not be read, is an answer; that the server cannot read it, or no longer knows it, none. */
static bool rpc_suffers(uint32_t status)
{
	return status >= TRACK_ULP_RPC_ERROR || status == IBW_NFS_STATUS_IO ||
	       status == IBW_NFS_STATUS_STALE || status == IBW_NFS_STATUS_SERVERFAULT;
}

bool track_ulp_suffers(enum ibw_ulp ulp, struct track_ulp_code code, uint32_t status)
{
	if (!track_ulp_is_error(ulp, code, status))
		return false;
	switch (ulp) {
	case IBW_ULP_NVME:
		return nvme_suffers(code, status);
	case IBW_ULP_SRP:
	case IBW_ULP_ISER:
		return scsi_suffers(code, status);
	case IBW_ULP_RPCRDMA:
		return rpc_suffers(status);
	default: /* who may not connect to a share has nothing of it */
		return code.opcode == IBW_SMB2_SESSION_SETUP ||
		       code.opcode == IBW_SMB2_TREE_CONNECT;
	}
}
