/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flow.h - flows: one direction between two addresses, to one queue pair.
 *
 * A packet names the receiver's QP only (BTH.DestQP); the sender's is known from
 * DETH or from the CM exchange. So a flow is one direction: source address,
 * destination address, destination QP. The two directions of a connection are
 * two flows, which are joined once both QP numbers are known.
 */
#ifndef IBWIRE_TRACK_FLOW_H
#define IBWIRE_TRACK_FLOW_H

#include <stdbool.h>
#include <stdint.h>

#include <ibwire/packet.h>

enum track_address {
	TRACK_ADDRESS_NONE,
	TRACK_ADDRESS_IPV4, /* the low 4 bytes of the 16 */
	TRACK_ADDRESS_IPV6,
	TRACK_ADDRESS_GID, /* of a GRH */
	TRACK_ADDRESS_LID  /* the low 2 bytes of the 16 */
};

/* All members are set, padding included: the struct may be hashed and compared as bytes. */
struct track_flow {
	uint8_t src[16];
	uint8_t dst[16];
	uint32_t dqpn;   /* of iWARP: the TCP port of the receiver */
	uint8_t address; /* enum track_address */
	uint8_t service; /* enum ibw_service, or TRACK_SERVICE_IWARP */
	uint16_t sport;  /* of iWARP: the TCP port of the sender; else 0 */
};

#define TRACK_SERVICE_IWARP 0xff

/* "10.0.0.1 -> 10.0.0.2 qp 0x000117"; of iWARP "10.0.0.1:4000 -> 10.0.0.2:4420"; returns @buf. */
#define TRACK_FLOW_TEXT 128
const char *track_flow_text(const struct track_flow *flow, char buf[TRACK_FLOW_TEXT]);

/* "RC": bits 7:5 of an opcode. */
const char *track_service_text(uint64_t opcode);

/* The text of one address of @kind; returns @buf. */
#define TRACK_ADDRESS_TEXT 48
const char *track_address_text(enum track_address kind, const uint8_t address[16],
			       char buf[TRACK_ADDRESS_TEXT]);

bool track_flow_equal(const struct track_flow *a, const struct track_flow *b);

/* Sets only the addresses, for a packet that has some; the rest stays unchanged. */
bool track_flow_addresses_of(const struct ibw_packet *pkt, struct track_flow *flow);

/* Whether a packet is RDMA traffic of a QP, and so has a flow. */
bool track_flow_of(const struct ibw_packet *pkt, struct track_flow *flow);

/* An IPv4 address is a GID, and so is an IPv6 address: the same end in any notation. */
void track_flow_as_gids(struct track_flow *flow);

/* Both at once. */
bool track_flow_gids_of(const struct ibw_packet *pkt, struct track_flow *flow);

/* The reverse, for output: GIDs that are IPv4 addresses become IPv4 addresses. */
void track_flow_as_seen(struct track_flow *flow);

/* Swaps the addresses. */
void track_flow_turn(struct track_flow *flow);

#endif /* IBWIRE_TRACK_FLOW_H */
