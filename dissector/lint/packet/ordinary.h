/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ordinary.h - the first test of groups BTH and XTH, which plain.c uses, too: no rule of theirs applies to a packet that
 * passes; a packet that does not pass need not be wrong.
 */
#ifndef IBWIRE_LINT_ORDINARY_H
#define IBWIRE_LINT_ORDINARY_H

#include "lint/found/found.h"

/* bth.c: which bits of byte 1 of the BTH an opcode may have set. */
extern const uint8_t lint_byte1_allowed[256];

/* The bits of a field in the first eight bytes of the BTH. */
#define LINT_BITS(from, to) (IBW_BITS_MASK((to) - (from) + 1) << (63 - (to)))
#define LINT_FIELD(name) LINT_BITS(ibw_bth_##name##_AT, ibw_bth_##name##_END_)
#define LINT_USED_BY_ADAPTERS LINT_BITS(35, 35) /* see rules/bth.def at BTH005 */
#define LINT_RSVD_BYTE4                                                                            \
	(LINT_BITS(ibw_bth_rsvd34_AT_, ibw_bth_rsvd34_END_) & ~LINT_USED_BY_ADAPTERS)
#define LINT_RSVD_BYTE8 (0xffu >> ibw_bth_rsvd65_AT_ % 8)

/* The fields of byte 1. */
#define LINT_BYTE1(name) (LINT_FIELD(name) >> 48 & 0xff)

/* What is the same in every ordinary packet: the default partition, nothing odd. */
#define LINT_PKEY_FULL ((uint64_t)IBW_PKEY_FULL << (63 - ibw_bth_pkey_END_))
#define LINT_ORDINARY (LINT_FIELD(pkey) & ~LINT_PKEY_FULL)
#define LINT_ORDINARY_MASK (LINT_FIELD(padcnt) | LINT_ORDINARY | LINT_RSVD_BYTE4)

static inline bool lint_byte1_fits(uint8_t opcode, uint8_t byte1)
{
	return !((byte1 | LINT_BYTE1(migreq)) & ~(unsigned int)lint_byte1_allowed[opcode]);
}

static inline bool lint_dqpn_special(uint32_t dqpn)
{
	return ((dqpn + 1) & IBW_QPN_MULTICAST) <= IBW_QPN_GSI + 1;
}

/* @bytes: payload and pad together, of a packet whose lengths can be believed. */
static inline bool lint_unaligned(uint32_t bytes)
{
	return (bytes & 3) != 0;
}

/* But for the queue pair. */
static inline bool lint_bth_ordinary_else(const struct ibw_bth_wire *bth, uint32_t bytes)
{
	uint64_t head = ibw_get_be64(bth->b);

	return !((head ^ LINT_ORDINARY) & LINT_ORDINARY_MASK) &&
	       lint_byte1_fits(bth->b[0], bth->b[1]) &&
	       !(bth->b[ibw_bth_rsvd65_AT_ / 8] & LINT_RSVD_BYTE8) && !lint_unaligned(bytes);
}

static inline bool lint_bth_ordinary(const struct ibw_bth_wire *bth, uint32_t bytes)
{
	return lint_bth_ordinary_else(bth, bytes) && !lint_dqpn_special(ibw_bth_dqpn(bth));
}

/* xth.c: what an opcode may not be. */
#define LINT_WITH_PAYLOAD 1u
#define LINT_WITHOUT_PAYLOAD 2u
extern const uint8_t lint_payload_refused[256];

static inline bool lint_payload_fits(uint8_t opcode, uint32_t payload_len)
{
	return !(lint_payload_refused[opcode] &
		 (payload_len ? LINT_WITH_PAYLOAD : LINT_WITHOUT_PAYLOAD));
}

static inline bool lint_reth_ordinary(const struct ibw_reth_wire *reth)
{
	uint64_t va = ibw_reth_va(reth);
	uint32_t len = ibw_reth_dmalen(reth);

	/* A length of 0 becomes a large one here. */
	return len - 1 < IBW_MESSAGE_MAX && va + (len - 1) >= va && ibw_reth_rkey(reth);
}

static inline bool lint_aeth_ordinary(const struct ibw_aeth_wire *aeth)
{
	return IBW_AETH_TYPE(ibw_aeth_syndrome(aeth)) == IBW_AETH_TYPE_ACK;
}

#endif /* IBWIRE_LINT_ORDINARY_H */
