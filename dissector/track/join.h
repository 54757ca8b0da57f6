/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * join.h - which queue pair answers which, by the REQ and REP of a connection.
 *
 * The packets of a connection may be addressed as its CM messages are, by the GIDs of the REQ's
 * primary path, or by its LIDs: all three are learned. Flows here have normalised addresses
 * (track_flow_as_gids()) and service 0: the QPs of all services are one number space. Memory is
 * bounded; what was not asked for the longest makes room. The QPN of an XRC REP in Local EECN
 * is not read.
 */
#ifndef IBWIRE_TRACK_JOIN_H
#define IBWIRE_TRACK_JOIN_H

#include <stdbool.h>
#include <stdint.h>

#include "flow.h"
#include "mad.h"

/* REQs remembered at a time, and directions of connections; about 110 and 70 bytes each. */
#define TRACK_JOIN_REQUESTS_MAX 65536
#define TRACK_JOINS_MAX 262144

/* How a connection's packets may be addressed. */
#define TRACK_JOIN_ADDRESSINGS 3

/* A QP that a CM message puts to use: the flows to it, and the frame of the REQ. */
struct track_join_news {
	unsigned int count; /* 0: nothing new */
	uint64_t since;
	struct track_flow flows[TRACK_JOIN_ADDRESSINGS];
};

struct track_joins;

struct track_joins *track_joins_new(void);
void track_joins_free(struct track_joins *j); /* NULL is fine */

/* A MAD of the flow @flow. A repeated message is no news. */
void track_joins_feed(struct track_joins *j, const struct track_flow *flow,
		      const struct track_mad *mad, uint64_t frame, struct track_join_news *news);

/* The QP that the packets of @flow come from; false: no REQ and REP say so. */
bool track_joins_sender(struct track_joins *j, const struct track_flow *flow, uint32_t *qpn);

#endif /* IBWIRE_TRACK_JOIN_H */
