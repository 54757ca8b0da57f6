/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * owner.h - finds the connection of a packet, from a first pass over its capture.
 *
 * A queue pair may belong to several connections in succession: the frame of a packet decides.
 */
#ifndef PL_OWNER_H
#define PL_OWNER_H

#include <stdbool.h>
#include <stdint.h>

#include "pcap-lint/options/chosen.h"

struct track;
struct pl_owners;
struct track_message_place;

/* Those of all packets that @known has read; it must stay until pl_owners_free(), where NULL is fine. */
struct pl_owners *pl_owners_new(struct track *known);
void pl_owners_free(struct pl_owners *owners);

/*
 * Where that packet belongs, as far as it is of one connection: the last one that began before it. The number is its place among
 * track_qps_sorted(). False: it is of none.
 */
bool pl_owners_place(const struct pl_owners *owners, const struct track_flow *flow, uint64_t frame,
		     struct track_message_place *place);

/* Whether the packet of @frame that goes the way of @flow is of a connection that is asked for. */
bool pl_owners_choose(const struct pl_owners *owners, const struct pl_chosen *chosen,
		      const struct track_flow *flow, uint64_t frame);

#endif /* PL_OWNER_H */
