/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nodes.h - which node it is that a directed-route SMP is about, and what it is called.
 *
 * A route says nothing by itself: 0,1 is one switch for the one who asks and another for the other. So a place is known by the
 * route there and the way back (the ports by which each switch on the way was entered), by the LIDs of a part that is by LIDs, and by
 * who asks: the upper half of its transaction IDs. Two who ask by the same route, one from here and one from there, and hear of different nodes, make the place
 * doubtful for everybody else.
 *
 * Memory is bounded: what was not heard of for the longest makes room.
 */
#ifndef IBWIRE_TRACK_NODES_H
#define IBWIRE_TRACK_NODES_H

#include "track/base/event.h"
#include "track/view/object.h"

#define TRACK_NODES_MAX 65536
#define TRACK_PLACES_MAX 131072

struct track_node {
	uint64_t guid, frame; /* of the last NodeInfo */
	uint16_t lid;         /* of its last port that said one; 0: none did */
	uint8_t type;         /* IBW_NODE_... */
	uint8_t ports;
	uint16_t pkeys; /* entries of a P_Key table */
	uint8_t desc[64];
};

/* Who answers by a route: a port of a node. */
struct track_spot {
	uint64_t guid, port_guid;
	uint64_t frame;
	uint8_t port;     /* that the SMP came in by */
	uint8_t doubtful; /* others hear of another node here */
	uint8_t moved;    /* there was another node before */
	uint8_t zero;
	uint32_t agent;
};

struct track_nodes;

struct track_nodes *track_nodes_new(void);
void track_nodes_free(struct track_nodes *t); /* NULL is fine */
uint64_t track_nodes_evicted(const struct track_nodes *t);

/* A NodeInfo or NodeDescription that answers, by directed route. */
void track_nodes_mad(struct track_nodes *t, const struct track_mad *mad, uint64_t frame);

/* Who the answer @mad is of; NULL: not known for sure. Of @back hops before its last one. */
const struct track_spot *track_nodes_place(struct track_nodes *t, const struct track_mad *mad,
					   unsigned int back);

/* Who answered @agent last by a route of so many ports, no part of it by LIDs; NULL: not known. */
const struct track_spot *track_nodes_route(struct track_nodes *t, const uint8_t *ports,
					   unsigned int hops, uint32_t agent);

/*
 * The same if nobody else ever did: for what is said later than it is seen. Agents are counters of their host: where two hosts have the
 * same one, that is known of neither.
 */
const struct track_spot *track_nodes_only_route(struct track_nodes *t, const uint8_t *ports,
						unsigned int hops, uint32_t agent);

struct track_node *track_nodes_get(struct track_nodes *t, uint64_t guid);

/* GUID of the node that has the port with @port_guid; 0: not known. */
uint64_t track_nodes_of_port(struct track_nodes *t, uint64_t port_guid);

/* All of them: for (n = NULL; (n = track_nodes_next(t, n));) */
const struct track_node *track_nodes_next(const struct track_nodes *t, const struct track_node *n);

bool track_node_has_name(const struct track_node *n);

/* "spine 1", its description; "": it has none. Returns @buf. */
#define TRACK_NODE_NAME 264
const char *track_node_name(const struct track_node *n, char buf[TRACK_NODE_NAME]);

/* "spine 1 (GUID 0x0002c90100000010, LID 0x0009) port 3", as far as it is known; port 0: without. Returns @buf. */
#define TRACK_NODE_TEXT 128
const char *track_nodes_text(struct track_nodes *t, uint64_t guid, unsigned int port,
			     char buf[TRACK_NODE_TEXT]);

/* "spine 1", or "GUID 0x0002c90100000010" without a description. Returns @buf. */
const char *track_nodes_short(struct track_nodes *t, uint64_t guid, char buf[TRACK_NODE_TEXT]);

/* The attribute in @mad, if all of it is there. */
const void *track_mad_layer(const struct track_mad *mad, enum ibw_layer layer, uint32_t bytes);
#define TRACK_MAD_LAYER(mad, name)                                                                 \
	((const struct ibw_##name##_wire *)track_mad_layer((mad), IBW_LAYER_##name,                \
							   ibw_##name##_BYTES))

#endif /* IBWIRE_TRACK_NODES_H */
