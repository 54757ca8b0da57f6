/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * neigh.h - neighbours of IPoIB: who asks for an address by ARP or neighbor discovery, who answers, and
 * what follows.
 *
 * The answer names a GID and a QP. A LID is needed, too: a PathRecord query for the GID follows, then
 * packets to the QP, or in connected mode a REQ about it. A host that asked before already has the
 * path.
 *
 * Memory is bounded: the least recently seen neighbour is evicted.
 */
#ifndef IBWIRE_TRACK_NEIGH_H
#define IBWIRE_TRACK_NEIGH_H

#include "mcast.h"
#include "track/base/event.h"
#include "track/base/subnet.h"
#include "track/cm/cm.h"
#include "track/view/view.h"

/* Requests that wait, and pairs of who asks and who answers: about 100 bytes each. */
#define TRACK_NEIGHBOURS_MAX 65536

struct track_neigh;

struct track_neigh *track_neigh_new(struct track_events *events, struct track_mcast *mcast);
/* Who names GIDs learns IP addresses of them. */
struct track_fabric;
void track_neigh_fabric(struct track_neigh *t, struct track_fabric *fabric);

void track_neigh_free(struct track_neigh *t); /* NULL is fine */

/* A datagram of native InfiniBand without bit errors; @ip is IPoIB in it. */
void track_neigh_ipoib(struct track_neigh *t, const struct ibw_packet *pkt,
		       const struct ibw_packet *ip, const struct track_at *at);

/* IPoIB by link type, or from a cooked capture: without LIDs. */
void track_neigh_plain(struct track_neigh *t, const struct ibw_packet *pkt,
		       const struct track_at *at);

/* A MAD of class SubnAdm without bit errors, the payload of @pkt. */
void track_neigh_mad(struct track_neigh *t, const struct ibw_packet *pkt,
		     const struct track_mad *mad, const struct track_at *at);

/* A message of the CM, in @pkt. */
void track_neigh_cm(struct track_neigh *t, const struct ibw_packet *pkt,
		    const struct track_mad *mad, const struct track_cm_news *news,
		    const struct track_at *at);

/* The capture ended. False: there was no room for all events, call again. */
bool track_neigh_finish(struct track_neigh *t, const struct track_at *at);

/* Neighbours, and who was asked for in vain. */
void track_neigh_list(const struct track_neigh *t, struct track_subnet *s);

/* What made room for others. */
uint64_t track_neigh_evicted(const struct track_neigh *t);

#endif /* IBWIRE_TRACK_NEIGH_H */
