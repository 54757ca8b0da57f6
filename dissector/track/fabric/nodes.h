/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nodes.h - identifies the node that a directed-route SMP is about, and its name.
 *
 * A route alone does not identify a node: 0,1 is one switch for one client and another for another client. So a place is
 * identified by the route there and the way back (the ports by which each switch on the way was entered), by the LIDs of a
 * LID-routed part, and by the client: the upper half of its transaction IDs. If two clients at different places use the same
 * route and find different nodes, the place is in doubt for all other clients.
 *
 * Memory is bounded: the least recently seen entry is evicted.
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

/* The port of a node that answers by a route. */
struct track_spot {
	uint64_t guid, port_guid;
	uint64_t frame;
	uint8_t port;     /* that the SMP came in by */
	uint8_t doubtful; /* other clients find another node here */
	uint8_t moved;    /* another node was here before */
	uint8_t zero;
	uint32_t agent;
};

struct track_nodes;

struct track_nodes *track_nodes_new(void);
void track_nodes_free(struct track_nodes *t); /* NULL is fine */
uint64_t track_nodes_evicted(const struct track_nodes *t);

/* A NodeInfo or NodeDescription that answers, by directed route. */
void track_nodes_mad(struct track_nodes *t, const struct track_mad *mad, uint64_t frame);

/* The node that sent the answer @mad, @back hops before its last one; NULL: not known for sure. */
const struct track_spot *track_nodes_place(struct track_nodes *t, const struct track_mad *mad,
					   unsigned int back);

/*
 * The node that last answered @agent by a route of this many ports, without a LID-routed part;
 * NULL: not known.
 */
const struct track_spot *track_nodes_route(struct track_nodes *t, const uint8_t *ports,
					   unsigned int hops, uint32_t agent);

/*
 * The same, if no other node ever did: for reports that come later than the packet. Agents are counters of their host: if two
 * hosts have the same one, it is known of neither.
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

/* Of a description in a sentence: so many characters, of which a byte that is not printable ASCII takes four: "\xe9". */
#define TRACK_DESC_TEXT 48

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
