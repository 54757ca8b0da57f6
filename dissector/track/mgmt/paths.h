/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * paths.h - queries to the SA of a subnet, its answers, and whether packets take the paths that it
 * gives.
 *
 * Path records are kept by the pair of LIDs they are about. A later answer to the same query replaces
 * the former; answers to other queries (of another service or P_Key) are added. LIDs that differ only
 * in the bits of an LMC may belong to one port.
 *
 * Memory is bounded: the least recently seen entry is evicted.
 */
#ifndef IBWIRE_TRACK_PATHS_H
#define IBWIRE_TRACK_PATHS_H

#include "track/base/event.h"
#include "track/base/subnet.h"
#include "track/view/view.h"

/* Requests that wait; queries by client; pairs of LIDs, and of GIDs; clients: 100 to 250 bytes each. */
#define TRACK_QUERIES_MAX 16384
#define TRACK_ASKED_MAX 65536
#define TRACK_PATHS_MAX 65536
#define TRACK_CLIENTS_MAX 16384

struct track_paths;

struct track_paths *track_paths_new(struct track_events *events);
void track_paths_free(struct track_paths *t); /* NULL is fine */

/* A MAD of class SubnAdm without bit errors, the payload of @pkt. */
void track_paths_mad(struct track_paths *t, const struct ibw_packet *pkt,
		     const struct track_mad *mad, const struct track_at *at);

/* A packet of native InfiniBand without bit errors, with a BTH. */
void track_paths_data(struct track_paths *t, const struct ibw_packet *pkt,
		      const struct track_at *at);

/* The capture ended. False: there was no room for all events, call again. */
bool track_paths_finish(struct track_paths *t, const struct track_at *at);

/* What was asked for, and how long the answers took. */
void track_paths_list(const struct track_paths *t, struct track_subnet *s);

/* What made room for others. */
uint64_t track_paths_evicted(const struct track_paths *t);

#endif /* IBWIRE_TRACK_PATHS_H */
