/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * smc.h - SMC-R on its TCP connection: an end declines to use RDMA.
 *
 *	if (track_smc_may_be(pkt))
 *		track_smc_packet(events, pkt, &at);
 */
#ifndef IBWIRE_TRACK_SMC_H
#define IBWIRE_TRACK_SMC_H

#include <ibwire/packet.h>
#include <ibwire/ibwire.h>

#include "track/base/event.h"

/* "SMCR" in EBCDIC: what a message begins and ends with. */
#define TRACK_SMC_EYECATCHER 0xe2d4c3d9u

/* Of a packet whose last header is that of TCP: whether its data begin as such a message. */
static inline bool track_smc_may_be(const struct ibw_packet *pkt)
{
	const struct ibw_span *span = &pkt->span[pkt->n_spans - 1];
	const uint32_t at = span->off + span->len;

	return at + 4 <= pkt->caplen && ibw_get_be32(pkt->data + at) == TRACK_SMC_EYECATCHER;
}

void track_smc_packet(struct track_events *events, const struct ibw_packet *pkt,
		      const struct track_at *at);

#endif /* IBWIRE_TRACK_SMC_H */
