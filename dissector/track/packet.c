/* SPDX-License-Identifier: GPL-2.0-or-later */
/* packet.c - the summary of a packet. */
#include <ibwire/ibwire.h>

#include "packet.h"

/* Services with a connection: UD has none, and CNP's packets go to a QP of another service. */
static bool connected(uint8_t opcode)
{
	return 1u << (opcode >> 5) & (1u << (IBW_SERVICE_RC >> 5) | 1u << (IBW_SERVICE_UC >> 5) |
				      1u << (IBW_SERVICE_RD >> 5) | 1u << (IBW_SERVICE_XRC >> 5));
}

bool track_packet_of(struct track_packet *p, const struct ibw_packet *pkt,
		     const struct track_at *at)
{
	const struct ibw_aeth_wire *aeth;

	if (!connected(pkt->opcode) || !track_flow_gids_of(pkt, &p->flow))
		return false;
	p->at = *at;
	p->psn = ibw_bth_psn(IBW_KNOWN(pkt, bth));
	p->port = pkt->udp == IBW_NO_SPAN ? 0 : 0x10000u | ibw_udp_sport(IBW_KNOWN(pkt, udp));
	p->opcode = pkt->opcode;
	aeth = IBW_AT(pkt, aeth);
	p->syndrome = aeth ? ibw_aeth_syndrome(aeth) : 0;
	return true;
}
