/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * opcode.h - splits a BTH opcode into its parts, and composes one from them.
 *
 *	struct ibw_opcode_parts parts = { IBW_SERVICE_RC, IBW_OPERATION_SEND, IBW_OPF_LAST,
 *					  IBW_WITH_INVALIDATE };
 *	uint8_t opcode;
 *
 *	if (ibw_opcode_make(&opcode, &parts))	... RC SEND Last with Invalidate, 0x16
 *
 * ibw_opcode_chain() (transport.h) says which headers and payload an opcode has. Nothing here keeps
 * state or reads other memory: any thread may call it at any time.
 */
#ifndef IBWIRE_OPCODE_H
#define IBWIRE_OPCODE_H

#include "transport.h"

/* What a packet is for. */
enum ibw_operation {
	IBW_OPERATION_NONE, /* the opcode is not defined, or the manufacturers' */
	IBW_OPERATION_SEND,
	IBW_OPERATION_WRITE,
	IBW_OPERATION_READ_REQUEST,
	IBW_OPERATION_READ_RESPONSE,
	IBW_OPERATION_ACKNOWLEDGE, /* and NAKs */
	IBW_OPERATION_ATOMIC_ACKNOWLEDGE,
	IBW_OPERATION_COMPARE_SWAP,
	IBW_OPERATION_FETCH_ADD,
	IBW_OPERATION_RESYNC,
	IBW_OPERATION_FLUSH,
	IBW_OPERATION_ATOMIC_WRITE,
	IBW_OPERATION_CNP
};
#define IBW_OPERATIONS (IBW_OPERATION_CNP + 1)

/* What the last packet of a SEND or WRITE carries for the receiver. */
enum ibw_with {
	IBW_WITH_NOTHING,
	IBW_WITH_IMMEDIATE, /* of SEND and WRITE */
	IBW_WITH_INVALIDATE /* of SEND, RC and XRC */
};

/* The parts of an opcode. */
struct ibw_opcode_parts {
	uint8_t service;   /* enum ibw_service */
	uint8_t operation; /* enum ibw_operation */
	uint8_t position;  /* IBW_OPF_FIRST, _MIDDLE, _LAST, _ONLY (transport.h) */
	uint8_t with;      /* enum ibw_with */
};

/* The operation by bits 4:0 of an opcode, which are the same in every service but CNP. */
static inline uint8_t ibw_opcode_operation_of(uint8_t low)
{
	switch (low) {
	case IBW_OP_RC_RDMA_READ_REQUEST:
		return IBW_OPERATION_READ_REQUEST;
	case IBW_OP_RC_ACKNOWLEDGE:
		return IBW_OPERATION_ACKNOWLEDGE;
	case IBW_OP_RC_ATOMIC_ACKNOWLEDGE:
		return IBW_OPERATION_ATOMIC_ACKNOWLEDGE;
	case IBW_OP_RC_COMPARE_SWAP:
		return IBW_OPERATION_COMPARE_SWAP;
	case IBW_OP_RC_FETCH_ADD:
		return IBW_OPERATION_FETCH_ADD;
	case (uint8_t)IBW_OP_RD_RESYNC & 0x1f:
		return IBW_OPERATION_RESYNC;
	case IBW_OP_RC_SEND_LAST_WITH_INVALIDATE:
	case IBW_OP_RC_SEND_ONLY_WITH_INVALIDATE:
		return IBW_OPERATION_SEND;
	case IBW_OP_RC_FLUSH:
		return IBW_OPERATION_FLUSH;
	case IBW_OP_RC_ATOMIC_WRITE:
		return IBW_OPERATION_ATOMIC_WRITE;
	}
	if (low <= IBW_OP_RC_SEND_ONLY_WITH_IMMEDIATE)
		return IBW_OPERATION_SEND;
	return low <= IBW_OP_RC_RDMA_WRITE_ONLY_WITH_IMMEDIATE ? IBW_OPERATION_WRITE
							       : IBW_OPERATION_READ_RESPONSE;
}

/* The parts of @opcode. False: it is not defined; the parts are its service and no operation. */
static inline bool ibw_opcode_split(struct ibw_opcode_parts *parts, uint8_t opcode)
{
	uint32_t chain = ibw_opcode_chain(opcode);

	parts->service = (uint8_t)(opcode & IBW_SERVICE_MASK);
	parts->operation = IBW_OPERATION_NONE;
	parts->position = 0;
	parts->with = IBW_WITH_NOTHING;
	if (!chain)
		return false;
	parts->operation = IBW_OPERATION_CNP;
	if (parts->service != IBW_SERVICE_CNP)
		parts->operation = ibw_opcode_operation_of(opcode & 0x1f);
	parts->position = (uint8_t)(chain >> 16 & 0xf);
	if (chain & IBW_ETH_IMMDT)
		parts->with = IBW_WITH_IMMEDIATE;
	else if (chain & IBW_ETH_IETH)
		parts->with = IBW_WITH_INVALIDATE;
	return true;
}

/* How far a position is after the first of SENDs and WRITEs; 2 and 4 are followed by immediate data. */
static inline uint8_t ibw_opcode_request_step(const struct ibw_opcode_parts *parts)
{
	uint8_t step = 0;

	if (parts->position == IBW_OPF_MIDDLE)
		step = 1;
	else if (parts->position == IBW_OPF_LAST)
		step = 2;
	else if (parts->position == IBW_OPF_ONLY)
		step = 4;
	return (uint8_t)(step + (parts->with == IBW_WITH_IMMEDIATE));
}

/* Bits 4:0 of the opcode that has these parts, if any has. */
static inline uint8_t ibw_opcode_low_of(const struct ibw_opcode_parts *parts)
{
	switch (parts->operation) {
	case IBW_OPERATION_SEND:
		if (parts->with == IBW_WITH_INVALIDATE)
			return parts->position == IBW_OPF_LAST
				       ? (uint8_t)IBW_OP_RC_SEND_LAST_WITH_INVALIDATE
				       : (uint8_t)IBW_OP_RC_SEND_ONLY_WITH_INVALIDATE;
		return ibw_opcode_request_step(parts);
	case IBW_OPERATION_WRITE:
		return (uint8_t)((uint8_t)IBW_OP_RC_RDMA_WRITE_FIRST +
				 ibw_opcode_request_step(parts));
	case IBW_OPERATION_READ_REQUEST:
		return IBW_OP_RC_RDMA_READ_REQUEST;
	case IBW_OPERATION_READ_RESPONSE:
		if (parts->position == IBW_OPF_FIRST)
			return IBW_OP_RC_RDMA_READ_RESPONSE_FIRST;
		if (parts->position == IBW_OPF_MIDDLE)
			return IBW_OP_RC_RDMA_READ_RESPONSE_MIDDLE;
		return parts->position == IBW_OPF_LAST ? (uint8_t)IBW_OP_RC_RDMA_READ_RESPONSE_LAST
						       : (uint8_t)IBW_OP_RC_RDMA_READ_RESPONSE_ONLY;
	case IBW_OPERATION_ACKNOWLEDGE:
		return IBW_OP_RC_ACKNOWLEDGE;
	case IBW_OPERATION_ATOMIC_ACKNOWLEDGE:
		return IBW_OP_RC_ATOMIC_ACKNOWLEDGE;
	case IBW_OPERATION_COMPARE_SWAP:
		return IBW_OP_RC_COMPARE_SWAP;
	case IBW_OPERATION_FETCH_ADD:
		return IBW_OP_RC_FETCH_ADD;
	case IBW_OPERATION_RESYNC:
		return (uint8_t)IBW_OP_RD_RESYNC & 0x1f;
	case IBW_OPERATION_FLUSH:
		return IBW_OP_RC_FLUSH;
	case IBW_OPERATION_ATOMIC_WRITE:
		return IBW_OP_RC_ATOMIC_WRITE;
	}
	return (uint8_t)IBW_OP_CNP & 0x1f;
}

/* The opcode with these parts. False, and @opcode is unchanged: there is none. */
static inline bool ibw_opcode_make(uint8_t *opcode, const struct ibw_opcode_parts *parts)
{
	uint8_t made = (uint8_t)((parts->service & IBW_SERVICE_MASK) | ibw_opcode_low_of(parts));
	struct ibw_opcode_parts back;

	/* The table decides: most combinations of parts are not an opcode. */
	if (!ibw_opcode_split(&back, made) || back.service != parts->service ||
	    back.operation != parts->operation || back.position != parts->position ||
	    back.with != parts->with)
		return false;
	*opcode = made;
	return true;
}

#endif /* IBWIRE_OPCODE_H */
