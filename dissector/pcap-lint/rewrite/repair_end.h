/* SPDX-License-Identifier: GPL-2.0-or-later */
/* repair_end.h - finds the end of a packet whose lengths may be wrong. */
#ifndef PL_REPAIR_END_H
#define PL_REPAIR_END_H

#include "repair_packet.h"

/* Bytes from the start of the data. */
struct pl_end {
	unsigned int first; /* the first span of the packet itself: what is before is a tunnel */
	uint32_t headers;   /* where the payload begins */
	uint32_t payload;   /* where it ends, and the pad begins */
	uint32_t icrc;      /* where the pad ends, and the ICRC begins */
	uint32_t after;     /* after the ICRC: VCRC, padding, FCS */
	bool missing;       /* the ICRC: icrc and after are the same */
};

/*
 * Finds it for a packet with a BTH that is no fragment. False: it is not to be known. Unless
 * @is_sure that these are the packet's headers, a CRC has to speak for an end. The bytes of @r
 * are a copy of the packet's, to be written to.
 */
bool pl_end_find(struct pl_end *end, struct pl_repaired *r, const struct ibw_packet *pkt,
		 uint8_t fcs_len, bool is_sure);

#endif /* PL_REPAIR_END_H */
