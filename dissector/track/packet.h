/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * packet.h - a packet of a connection, in as few bytes as its trackers need.
 *
 * It points nowhere: it can be kept, queued and fed to the trackers again without the packet.
 * So it is all they see of one.
 */
#ifndef IBWIRE_TRACK_PACKET_H
#define IBWIRE_TRACK_PACKET_H

#include <stdbool.h>
#include <stdint.h>

#include <ibwire/packet.h>

#include "event.h"
#include "flow.h"

struct track_packet {
	struct track_at at;
	struct track_flow flow; /* of normalised addresses: track_flow_as_gids() */
	uint32_t psn;
	uint32_t port;    /* 0x10000 and the UDP source port; 0: no UDP */
	uint8_t opcode;   /* of the BTH */
	uint8_t syndrome; /* of an AETH; 0 is one, too */
};

_Static_assert(sizeof(struct track_packet) <= 128, "two cache lines a packet");

/* Fills @p; false: the packet, which has a BTH, is of no connection. */
bool track_packet_of(struct track_packet *p, const struct ibw_packet *pkt,
		     const struct track_at *at);

#endif /* IBWIRE_TRACK_PACKET_H */
