/* SPDX-License-Identifier: GPL-2.0-or-later */
/* neigh_impl.h - what the parts of the tracker of neighbours share. */
#ifndef IBWIRE_TRACK_NEIGH_IMPL_H
#define IBWIRE_TRACK_NEIGH_IMPL_H

#include <string.h>

#include <ibwire/ibwire.h>

#include "neigh.h"
#include "track/base/table.h"

/* No holes: compared as bytes. So are the keys below. IPv4 addresses are mapped. */
struct ask_key {
	uint8_t sender[16], target[16];
};

struct ask {
	uint64_t first, last; /* frames */
	uint64_t first_ns, last_ns;
	uint8_t gid[16]; /* of who asks; 0: not said (neighbor discovery) */
	uint16_t pkey;   /* of the group it asks in; 0: the capture has none */
	uint32_t lid;    /* of who asks; 0: the capture has none */
	uint32_t times;  /* that it was asked */
	bool answered;
};

/* Whoever asks is known by its LID. */
struct gid_key {
	uint8_t gid[16]; /* of the neighbour */
	uint32_t lid;    /* of who asks */
};

struct qp_key {
	uint16_t slid, dlid;
	uint32_t dqpn;
};

/* Partitions may have the same addresses. */
struct owner_key {
	uint8_t address[16];
	uint32_t pkey; /* without the bit of full members; NO_PKEY: the capture has none */
};

/* Which port says that it has an address. */
struct owner {
	uint8_t gid[16], other[16];  /* the last one to say so, and the one before */
	uint64_t frame, other_frame; /* when each said so last */
	uint64_t other_ns;
	uint64_t ask; /* the request that the last answer is for; 0: none */
	uint16_t lid; /* of the last one; 0: the capture has none */
	bool told;
};

/* Who needs a path to a host that asked by ARP, to answer it: GID of that host -> this. */
struct back {
	uint64_t frame; /* of the first query; 0: none yet */
	uint16_t lid;   /* of the client */
	bool several;   /* clients */
	bool answered, refused;
};

struct neighbour {
	uint64_t asked, answered; /* frames; asked 0: not captured */
	uint64_t time_ns;         /* of the answer */
	struct track_flow flow;   /* from who asked, to the neighbour */
	struct track_neighbour row;
	uint64_t first_ns, last_ns;       /* of the answers */
	uint64_t other_frame, other_ns;   /* the first packet to another QP of it */
	uint64_t calls_first, calls_last; /* packets to its QP that ask for an answer: frames */
	uint64_t calls_first_ns, calls_last_ns;
	uint32_t other_qpn;
	uint32_t others; /* such packets */
	uint32_t calls;
	uint32_t times; /* that it answered */
	uint16_t pkey;  /* of the answer */
	bool followed;  /* by a query or a packet */
	bool back;      /* something came from it after the first packet to another QP */
	bool told_pkey;
	bool connected; /* it takes connected mode, and may answer there */
};

/* A host, as another one knows it. */
struct address_key {
	uint8_t address[16];
	uint16_t slid, dlid;
};

struct track_neigh {
	struct track_events *events;
	struct track_mcast *mcast;
	struct track_fabric *fabric;    /* NULL: nobody to tell */
	struct track_table *asks;       /* struct ask_key -> struct ask */
	struct track_table *neighbours; /* struct gid_key -> struct neighbour */
	struct track_table *qps;        /* struct qp_key -> struct gid_key */
	struct track_table *addresses;  /* struct address_key -> struct gid_key */
	struct track_table *owners;     /* struct owner_key -> struct owner */
	struct track_table *backs;      /* GID -> struct back */
	struct track_table
		*reqs; /* uint64_t, the frame of a REQ of the RDMA CM -> struct gid_key */
	uint32_t finished, finished_asks;
	bool plain_answers;  /* packets without a LID: somebody answers */
	uint8_t hears[8192]; /* LIDs that something comes to, a bit each */
};

/* An IPv4 address as an IPv6 one. */
static inline void track_neigh_map(uint8_t address[16], uint32_t ipv4)
{
	memset(address, 0, 10);
	memset(address + 10, 0xff, 2);
	ibw_put_be32(address + 12, ipv4);
}

/* neigh_after.c: a datagram to one port. */
void track_neigh_unicast(struct track_neigh *t, const struct ibw_packet *pkt,
			 const struct ibw_packet *ip, const struct ibw_deth_wire *deth,
			 const struct track_at *at);

/* neigh_owner.c: the port with this GID says that it has @address; @ask: it answers this request, NULL: it asks itself. */
void track_neigh_owns(struct track_neigh *t, const struct ibw_packet *pkt,
		      const uint8_t address[16], const uint8_t gid[16], const struct ask *ask,
		      const struct track_at *at);

/* A query for the path to @gid, or its answer. */
void track_neigh_back(struct track_neigh *t, const uint8_t gid[16], uint16_t client, bool answer,
		      bool refused, const struct track_at *at);

/* Why nobody answers, as far as the file shows it, and the frame that shows it. */
enum track_silence track_neigh_why(struct track_neigh *t, const struct ask *ask, uint64_t *frame);

/* Whether anything to a LID is in the capture, so that answers to it are. */
bool track_neigh_hears(const struct track_neigh *t, uint16_t lid);

/* neigh_event.c: what is told of a packet ... */
void track_neigh_tell_owners(struct track_neigh *t, const struct ibw_packet *pkt,
			     const uint8_t address[16], const struct owner *owner,
			     const struct track_at *at);
void track_neigh_tell_pkey(struct track_neigh *t, struct neighbour *n, const struct ibw_packet *pkt,
			   const struct track_at *at);

/* ... and at the end. */
void track_neigh_tell_neighbour(struct track_neigh *t, const struct neighbour *n,
				const struct track_at *at);
void track_neigh_tell_ask(struct track_neigh *t, const struct ask *ask);

#endif /* IBWIRE_TRACK_NEIGH_IMPL_H */
