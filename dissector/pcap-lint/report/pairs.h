/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pairs.h - who sends to whom: packets and bytes by addresses and service, of connections, of UD and of MADs. As many
 * pairs as fit are told apart; what comes of others is counted together.
 */
#ifndef PL_PAIRS_H
#define PL_PAIRS_H

#include <ibwire/packet.h>

#include "track/base/flow.h"
#include "track/view/plain.h"

#define PL_PAIRS_MAX 1024u

struct pl_pair {
	struct track_flow flow; /* no QPN, addresses as GIDs: track_flow_as_seen() */
	uint64_t packets, bytes;
	unsigned int more; /* of what is counted together: how many pairs, at least */
};

struct pl_pairs;

struct pl_pairs *pl_pairs_new(void);
void pl_pairs_free(struct pl_pairs *pairs); /* NULL is fine */

/* A packet of so many bytes on the wire; of what is no RDMA, nothing is counted. */
void pl_pairs_add(struct pl_pairs *pairs, const struct ibw_packet *pkt, uint64_t bytes);

/* A plain packet. */
void pl_pairs_add_plain(struct pl_pairs *pairs, const struct track_plain *p);

/* "RC" */
const char *pl_pair_service(const struct pl_pair *pair);

/* All of them, most packets first; freed by the caller. *@rest: the others together. */
const struct pl_pair **pl_pairs_sorted(const struct pl_pairs *pairs, unsigned int *n,
				       struct pl_pair *rest);

#endif /* PL_PAIRS_H */
