/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ulp.h - upper layers: the walk over one message of a connection, and the names of its requests.
 *
 * A message is what a SEND of RC or iWARP carries, whole. The caller knows, from the CM or from the first
 * message, which upper layer a connection has and which end sends requests.
 *
 *	struct ibw_span span[8];
 *	struct ibw_ulp_walked u;
 *
 *	ibw_ulp_walk(&u, IBW_ULP_NVME, IBW_ULP_FROM_INITIATOR | IBW_ULP_NVME_IO, p, n, len, span, 8);
 *	for (i = 0; i < u.n_spans; i++)
 *		... ibw_header_at(span[i].layer) lies at p + span[i].off ...
 *	... then u.data_len bytes of data at p + u.data_off ...
 */
#ifndef IBWIRE_ULP_H
#define IBWIRE_ULP_H

#include "iser.h"
#include "nvme.h"
#include "packet.h"
#include "rds.h"
#include "rpcrdma.h"
#include "smbdirect.h"
#include "srp.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* The upper layers. */
enum ibw_ulp {
	IBW_ULP_NONE,
	IBW_ULP_NVME,
	IBW_ULP_ISER,
	IBW_ULP_SRP,
	IBW_ULP_RPCRDMA,
	IBW_ULP_SMB_DIRECT,
	IBW_ULP_RDS,
	IBW_ULP_RSOCKET,
	IBW_ULP_SMC,
	IBW_ULP_SDP,
	IBW_ULP_RTRS,
	IBW_ULP_CEPH,
	IBW_ULP_COUNT
};

/* "NVMe", "iSER", "SRP" ...; NULL for IBW_ULP_NONE, and for a number that is none. */
const char *ibw_ulp_text(unsigned int ulp);

/* What the walk has to be told of a message. */
enum ibw_ulp_flags {
	IBW_ULP_FROM_INITIATOR = 1 << 0, /* from the end that connected: host, client */
	IBW_ULP_NVME_IO = 1 << 1 /* on an I/O queue; else its opcode is that of an admin command */
};

/* A message that was walked. */
struct ibw_ulp_walked {
	uint8_t outcome; /* enum ibw_outcome: OK, CUT or MALFORMED, or OTHER: not known here */
	uint8_t ulp;     /* enum ibw_ulp */
	uint32_t data_off,
		data_len; /* what follows the headers and is data; the end may not be captured */
	uint32_t n_spans; /* written to the caller's array */
	uint32_t needed_spans;  /* more than n_spans: the array was too small */
	struct ibw_error error; /* of CUT and MALFORMED */
};

/*
 * Walks the @n captured bytes at @p, of a message of @len bytes, and writes up to @cap spans to @span, offsets from @p.
 * @flags: enum ibw_ulp_flags. Returns the outcome. Spans found before something was wrong are valid.
 */
enum ibw_outcome ibw_ulp_walk(struct ibw_ulp_walked *u, enum ibw_ulp ulp, unsigned int flags,
			      const uint8_t *p, uint32_t n, uint32_t len, struct ibw_span *span,
			      uint32_t cap);

/*
 * "Write", "Identify", "Connect": what a command of NVMe is. @fctype is only looked at where @opcode is that
 * of Fabrics, which queues of both kinds have. NULL: it is not defined.
 */
const char *ibw_nvme_opcode_name(bool admin_queue, uint8_t opcode, uint8_t fctype);

/*
 * "Invalid Field in Command" ...: what a status (ibw_nvme_completion_status()) says. The codes of type 1 from 0x80 on
 * depend on whether the command was one of @fabrics. NULL: it is not defined, a vendor's own for one.
 */
const char *ibw_nvme_status_name(uint16_t status, bool fabrics);

/* "READ(10)", "INQUIRY" ...; "CHECK CONDITION" ...; "ILLEGAL REQUEST" ... NULL: it is not defined, or not of block devices. */
const char *ibw_scsi_opcode_name(uint8_t opcode);
const char *ibw_scsi_status_name(uint8_t status);
const char *ibw_scsi_sense_key_name(uint8_t key);

/* "SRP_CMD", "SRP_RSP" ...: what an information unit of SRP is, by its first byte. NULL: it is not defined. */
const char *ibw_srp_opcode_name(uint8_t opcode);

/* "SCSI Command", "Login Response" ...: what an iSCSI PDU is, by the low 6 bits of its first byte. NULL: it is not defined. */
const char *ibw_iscsi_opcode_name(uint8_t opcode);
/* "Authentication failure" ...: what a login response says, by class << 8 | detail. NULL: it is not defined. */
const char *ibw_iscsi_login_status_name(uint16_t status);

/* A key and its value in the text of a login or text PDU; neither ends with a NUL. */
struct ibw_iscsi_key {
	const uint8_t *key, *value;
	uint32_t key_bytes, value_bytes;
};

/*
 * The next "key=value" of the text of @n bytes at @p, from *@at on, which is moved on; *@at is 0 at first. False: there is none.
 * What has no "=" has no value; the last one may end without a NUL.
 */
bool ibw_iscsi_next_key(struct ibw_iscsi_key *k, const uint8_t *p, uint32_t n, uint32_t *at);

/* "NFS" ...: a program of RPC; NULL: it is not known here. */
const char *ibw_rpc_program_name(uint32_t prog);
/* "READ", "COMPOUND" ...: a procedure of NFS version 3 or 4; NULL: it is not defined, or not known here. */
const char *ibw_rpc_proc_name(uint32_t prog, uint32_t vers, uint32_t proc);
/* "WRITE", "OPEN" ...: an operation of a COMPOUND. "NOENT", "STALE" ...: what an NFS reply of any version says. */
const char *ibw_nfs4_op_name(uint32_t op);
const char *ibw_nfs_status_name(uint32_t status);

/* The operations of a COMPOUND call, one after the other. */
struct ibw_nfs4_ops {
	const uint8_t *p; /* the arguments of the call: what the walk left as data */
	uint32_t n, at;   /* captured bytes of them, and where the next operation is */
	uint32_t count;   /* operations that the call says it has */
	uint32_t done;    /* those that were given */
	uint32_t minor;   /* the minor version */
	bool reduced;     /* what is written is in a read chunk */
	bool known; /* where the next one begins; false: the arguments of one cannot be stepped over */
};

/* The operations in the @n captured bytes at @p. @reduced: the message has a read chunk. False: they end before the first one. */
bool ibw_nfs4_ops_begin(struct ibw_nfs4_ops *o, const uint8_t *p, uint32_t n, bool reduced);
/* The next one; false: there is none, or it is not known where it begins. */
bool ibw_nfs4_next_op(struct ibw_nfs4_ops *o, uint32_t *op);

/* "Read", "Tree Connect" ...: a command of SMB2. NULL: it is not defined. */
const char *ibw_smb2_command_name(uint16_t command);

/*
 * "data", "credit and SGL" ...: what a word of rsockets says, in host order: immediate data is big endian on the wire. NULL: it is
 * not defined. Its value is in the other 29 bits.
 */
const char *ibw_rsocket_op_name(uint32_t word);

#pragma GCC visibility pop

/* In the static library only: see tables.h. */
extern const char *const ibw_ulp_names[IBW_ULP_COUNT];
#ifdef __cplusplus
}
#endif

#endif /* IBWIRE_ULP_H */
