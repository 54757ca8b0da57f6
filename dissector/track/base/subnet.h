/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * subnet.h - what is known of a subnet: groups and members, neighbours, subnet managers, queries to the SA, pauses, UDP source
 * ports by hosts.
 *
 * A list shows the state of the trackers at the moment of the call; objects.def says which parts are reported, and defines
 * them.
 */
#ifndef IBWIRE_TRACK_SUBNET_H
#define IBWIRE_TRACK_SUBNET_H

#include <stdbool.h>

#include <glib.h>

#include <ibwire/ibwire.h>

#include "lanes.h"

/* The source of membership. */
enum track_group_by { TRACK_BY_SA, TRACK_BY_IGMP, TRACK_BY_MLD };

struct track_member {
	uint8_t mgid[16], address[16];
	uint64_t frame;     /* that says so */
	uint8_t join_state; /* enum ibw_join_state */
};

/* Its members are those from @first_member on. */
struct track_group {
	uint8_t mgid[16];
	uint64_t frame; /* of the answer that described it; 0: none did */
	struct ibw_mcmember_rec rec;
	uint32_t first_member, n_members;
	uint32_t senders; /* that did not join */
	uint8_t by;       /* enum track_group_by */
};

/* Frames; 0: not captured. */
struct track_neighbour {
	uint8_t address[16], gid[16];
	uint64_t asked, answered; /* by ARP, or neighbor discovery */
	uint64_t query;           /* for a path to the GID */
	uint64_t path, refused;   /* what the SA answered */
	uint64_t req;             /* connected mode */
	uint64_t data, back;      /* the first packet to its QP; the first one from it after that */
	uint64_t rdma_req, rdma_rep,
		rdma_rej;  /* RDMA CM: the first REQ to the GID, its answer; the last REJ */
	uint32_t qpn, mtu; /* mtu of the path, in bytes; 0: not said */
	uint32_t changes;  /* of the QPN */
	uint16_t lid;      /* of the client */
};

struct track_manager {
	uint64_t guid;
	uint64_t first_frame, last_frame;
	uint64_t last_ns, state_frame; /* of the last SMInfo; of the first one with the state */
	uint32_t act_count;
	uint32_t changes; /* of its state */
	uint16_t lid;     /* 0: not said */
	uint8_t priority, state;
};

struct track_node; /* of nodes.h; NULL: not known */

/* Its LIDs and peers are those from @first_lid and @first_peer on. */
struct track_node_row {
	const struct track_node *node;
	uint64_t guid;
	uint32_t first_lid, n_lids;
	uint32_t first_peer, n_peers;
};

/* A port, and the port that it is cabled to. */
struct track_cabled {
	uint64_t guid, peer_guid;
	const struct track_node *node;
	uint32_t port, peer_port;
};

struct track_link {
	uint64_t guid; /* of the node */
	const struct track_node *node;
	struct track_cabled peer; /* its node NULL: not known */
	uint64_t frame;           /* of the last change */
	uint32_t changes;
	uint8_t port, before, state;
	uint8_t width, speed; /* of lanes.h, of a link that is up; 0: not known */
};

/* Port, keys and queue pairs are 0 where the trap has none. */
struct track_trap_row {
	uint64_t first_frame, last_frame, ns;
	const struct track_node *issuer, *node; /* who sent it; whom it is about */
	uint32_t count, longest;
	uint32_t key, qpn, to_qpn;
	uint16_t trap_num, issuer_lid, lid, to_lid;
	uint8_t port;
};

struct track_counter {
	const char *name;
	uint64_t grown;
	uint32_t value;
};

/* Its counters are those from @first_counter on. */
struct track_counter_row {
	const struct track_node *node;
	uint64_t first_frame, last_frame, ns;
	uint64_t bytes_out, bytes_in, packets_out, packets_in, wait;
	uint32_t readings, resets;
	uint32_t first_counter, n_counters;
	uint16_t lid;
	uint8_t port;
};

/* Its members are those from @first_member on. */
struct track_partition {
	uint32_t first_member, n_members, full;
	uint16_t pkey; /* with the bit of a full member */
};

struct track_partition_member {
	uint64_t port_guid, guid, frame;
	const struct track_node *node;
	uint16_t pkey; /* as it is in the table */
};

/* What SMPs say. */
struct track_sm {
	uint64_t requests, answered;
	uint64_t handovers, handover_frame;
	uint64_t link_traps;
	uint32_t nodes, switches, ports;
	uint32_t changed; /* ports */
	uint16_t lid;     /* of the master; 0: not said */
};

/* Paths that the SA was asked for. */
struct track_sa {
	uint64_t path_queries, path_cached;
};

/* A port that pauses a priority. */
struct track_pauser {
	uint64_t mac;
	uint64_t first_frame;
	uint64_t xoff, xon, ns, unknown;
	uint32_t iface;
	uint8_t priority; /* TRACK_PAUSE_GLOBAL: all */
};

/* Queue pairs of one host that send to another. */
struct track_port_use {
	uint8_t sender[16], receiver[16];
	uint64_t queue_pairs, ports;
	uint64_t most;                         /* of one port */
	uint64_t sharing;                      /* whose port another queue pair has, too */
	uint32_t mtu_least, mtu_most, longest; /* bytes: of path MTUs, 0: not known; of packets */
};

/* Of the structures above. */
struct track_subnet {
	GArray *groups, *members, *neighbours, *managers, *links, *pausers, *ports;
	GArray *nodes, *lids, *peers, *traps, *counters, *counted, *partitions, *partition_members;
	struct track_sm sm;
	struct track_sa sa;
};

void track_subnet_open(struct track_subnet *s);
void track_subnet_close(struct track_subnet *s);

/* Whether SMPs said anything. */
bool track_subnet_managed(const struct track_subnet *s);

/* The GUID of the last one that said it is the master; 0: none. */
uint64_t track_subnet_master(const struct track_subnet *s);

/* The state of a neighbour: "no answer", ... */
const char *track_neighbour_state(const struct track_neighbour *n);

/* "SA" */
extern const char *const track_group_by_names[];

#endif /* IBWIRE_TRACK_SUBNET_H */
