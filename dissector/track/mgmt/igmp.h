/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * igmp.h - multicast groups of RoCE: hosts join and leave them by IGMP and MLD, as there is no SA.
 *
 * A host that answers a query is a member, and so is one that reports without a query. RFC 1112, 2236 and
 * 3376; RFC 2710 and 3810.
 *
 * Memory is bounded: the least recently seen pair of group and host is evicted.
 */
#ifndef IBWIRE_TRACK_IGMP_H
#define IBWIRE_TRACK_IGMP_H

#include "track/base/subnet.h"
#include "track/view/view.h"

/* Pairs of group and host: about 70 bytes each. */
#define TRACK_HOSTS_MAX 131072

struct track_igmp;

struct track_igmp *track_igmp_new(void);
void track_igmp_free(struct track_igmp *t); /* NULL is fine */

/* A packet that is not RDMA. */
void track_igmp_packet(struct track_igmp *t, const struct ibw_packet *pkt, uint64_t frame);

/* A datagram of RoCE without bit errors, to a group. */
void track_igmp_data(struct track_igmp *t, const struct ibw_packet *pkt, uint64_t frame);

/* Groups and members, as they are by now. */
void track_igmp_list(const struct track_igmp *t, struct track_subnet *s);

/* What made room for others. */
uint64_t track_igmp_evicted(const struct track_igmp *t);

#endif /* IBWIRE_TRACK_IGMP_H */
