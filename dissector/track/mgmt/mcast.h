/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mcast.h - multicast groups of a subnet: their properties by the SA, members that join and leave,
 * senders.
 *
 * A port joins with Set(MCMemberRecord) and leaves with Delete. Only the SA knows the properties and
 * members of a group, so a request proves nothing before it is answered: groups and members are learned
 * from answers, and a fault of a request is reported when it is refused. With RoCE there is no SA.
 *
 * Memory is bounded: the least recently seen group, member or request is evicted.
 */
#ifndef IBWIRE_TRACK_MCAST_H
#define IBWIRE_TRACK_MCAST_H

#include "track/base/event.h"
#include "track/base/subnet.h"
#include "track/view/view.h"

/* Groups; pairs of group and port, joined or only sending; requests that wait: about 100 bytes each. */
#define TRACK_GROUPS_MAX 65536
#define TRACK_MEMBERS_MAX 131072
#define TRACK_JOINS_MAX 16384

struct track_mcast;

struct track_mcast *track_mcast_new(struct track_events *events);
/* Who knows P_Key tables. */
struct track_fabric;
void track_mcast_fabric(struct track_mcast *t, struct track_fabric *fabric);

void track_mcast_free(struct track_mcast *t); /* NULL is fine */

/* A MAD of class SubnAdm without bit errors, the payload of @pkt. */
void track_mcast_mad(struct track_mcast *t, const struct ibw_packet *pkt,
		     const struct track_mad *mad, const struct track_at *at);

/* A datagram of native InfiniBand without bit errors, to a group. */
void track_mcast_data(struct track_mcast *t, const struct ibw_packet *pkt,
		      const struct track_at *at);

/*
 * The Q_Key of the broadcast group of IPoIB in a partition, and the frame that says so. False: it is
 * not known.
 */
bool track_mcast_broadcast(struct track_mcast *t, uint16_t pkey, uint32_t *qkey, uint64_t *frame);

/*
 * The frame in which the SA refused the last join of the IPoIB broadcast group of a partition by the port with this GID;
 * NULL: by the only port that it refused. 0: it refused none, or took it in later.
 */
uint64_t track_mcast_outside(struct track_mcast *t, uint16_t pkey, const uint8_t gid[16]);

/* The capture ended. False: there was no room for all events, call again. */
bool track_mcast_finish(struct track_mcast *t, const struct track_at *at);

/* Groups and members, as they are by now. */
void track_mcast_list(const struct track_mcast *t, struct track_subnet *s);

/* What made room for others. */
uint64_t track_mcast_evicted(const struct track_mcast *t);

#endif /* IBWIRE_TRACK_MCAST_H */
