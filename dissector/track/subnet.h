/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * subnet.h - what is known of a subnet: groups and members, neighbours, subnet managers, queries to the SA, pauses, UDP source
 * ports by hosts.
 *
 * A list of what the trackers remember at the moment it is asked for; objects.def says what of it is
 * reported, and how it is defined.
 */
#ifndef IBWIRE_TRACK_SUBNET_H
#define IBWIRE_TRACK_SUBNET_H

#include <stdbool.h>

#include <glib.h>

#include <ibwire/ibwire.h>

/* By whom it is said who is a member. */
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
	uint64_t data;            /* the first packet to its QP */
	uint32_t qpn, mtu;        /* mtu of the path, in bytes; 0: not said */
	uint32_t changes;         /* of the QPN */
	uint16_t lid;             /* of who asks */
};

struct track_manager {
	uint64_t guid;
	uint64_t first_frame, last_frame;
	uint32_t act_count;
	uint8_t priority, state;
};

struct track_link {
	uint64_t guid;  /* of the node */
	uint64_t frame; /* of the last change */
	uint32_t changes;
	uint8_t port, before, state;
};

/* What SMPs say. */
struct track_sm {
	uint64_t requests, answered;
	uint64_t handovers, handover_frame;
	uint64_t link_traps;
	uint32_t nodes, switches, ports;
	uint16_t lid; /* of the master; 0: not said */
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
	uint64_t sharing;                      /* whose port another one has, too */
	uint32_t mtu_least, mtu_most, longest; /* bytes: of path MTUs, 0: not known; of packets */
};

struct track_subnet {
	GArray *groups, *members, *neighbours, *managers, *links, *pausers,
		*ports; /* of the structures above */
	struct track_sm sm;
	struct track_sa sa;
};

void track_subnet_open(struct track_subnet *s);
void track_subnet_close(struct track_subnet *s);

/* Whether SMPs said anything. */
bool track_subnet_managed(const struct track_subnet *s);

/* The GUID of the last one that said it is the master; 0: none. */
uint64_t track_subnet_master(const struct track_subnet *s);

/* How far it came with a neighbour: "no answer", ... */
const char *track_neighbour_state(const struct track_neighbour *n);

/* "SA" */
extern const char *const track_group_by_names[];

#endif /* IBWIRE_TRACK_SUBNET_H */
