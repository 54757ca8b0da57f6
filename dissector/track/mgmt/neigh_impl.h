/* SPDX-License-Identifier: GPL-2.0-or-later */
/* neigh_impl.h - what the parts of the tracker of neighbours share. */
#ifndef IBWIRE_TRACK_NEIGH_IMPL_H
#define IBWIRE_TRACK_NEIGH_IMPL_H

#include "neigh.h"
#include "track/base/table.h"

/* No holes: compared as bytes. So are the keys below. IPv4 addresses are mapped. */
struct ask_key {
	uint8_t sender[16], target[16];
};

struct ask {
	uint64_t first, last; /* frames */
	uint64_t first_ns, last_ns;
	uint32_t lid;   /* of who asks; 0: the capture has none */
	uint32_t times; /* that it was asked */
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

struct neighbour {
	uint64_t asked, answered; /* frames; asked 0: not captured */
	uint64_t time_ns;         /* of the answer */
	struct track_flow flow;   /* from who asked, to the neighbour */
	struct track_neighbour row;
	uint64_t first_ns, last_ns;     /* of the answers */
	uint64_t other_frame, other_ns; /* the first packet to another QP of it */
	uint32_t other_qpn;
	uint32_t others; /* such packets */
	uint32_t times;  /* that it answered */
	uint16_t pkey;   /* of the answer */
	bool followed;   /* by a query or a packet */
	bool back;       /* something came from it after the first packet to another QP */
	bool told_pkey;
};

/* A host, as another one knows it. */
struct address_key {
	uint8_t address[16];
	uint16_t slid, dlid;
};

struct track_neigh {
	struct track_events *events;
	struct track_mcast *mcast;
	struct track_table *asks;       /* struct ask_key -> struct ask */
	struct track_table *neighbours; /* struct gid_key -> struct neighbour */
	struct track_table *qps;        /* struct qp_key -> struct gid_key */
	struct track_table *addresses;  /* struct address_key -> struct gid_key */
	uint32_t finished, finished_asks;
	bool plain_answers;  /* packets without a LID: somebody answers */
	uint8_t hears[8192]; /* LIDs that something comes to, a bit each */
};

/* neigh_event.c: what is told of a packet ... */
void track_neigh_tell_pkey(struct track_neigh *t, struct neighbour *n, const struct ibw_packet *pkt,
			   const struct track_at *at);

/* ... and at the end. */
void track_neigh_tell_neighbour(struct track_neigh *t, const struct neighbour *n,
				const struct track_at *at);
void track_neigh_tell_ask(struct track_neigh *t, const struct ask *ask);

#endif /* IBWIRE_TRACK_NEIGH_IMPL_H */
