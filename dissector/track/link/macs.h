/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * macs.h - which MAC addresses an IP address has: two in turn, where two ports of a host are in one subnet.
 *
 * Looked at are packets of RoCE v2 that no router has touched, as their TTL says: those of a routed address have the MAC of
 * whichever router it was. One change, as after a failover, is none of this, nor is the change between two captures of a packet.
 *
 * Memory is bounded: the address not heard of for the longest makes room.
 */
#ifndef IBWIRE_TRACK_MACS_H
#define IBWIRE_TRACK_MACS_H

#include <ibwire/packet.h>

#include "track/base/event.h"

/* Addresses that are remembered; 150 bytes each. */
#define TRACK_MACS_MAX 65536

struct track_macs;

struct track_macs *track_macs_new(struct track_events *events);
void track_macs_free(struct track_macs *t); /* NULL is fine */

/* A packet of interface @iface without bit errors. */
void track_macs_feed(struct track_macs *t, const struct ibw_packet *pkt, uint32_t iface,
		     const struct track_at *at);

/* The same of a plain one: track_view.plain */
void track_macs_plain(struct track_macs *t, const struct ibw_packet *pkt, uint32_t iface,
		      const struct track_at *at);

/* ARP of interface @iface: arp.h. */
void track_macs_arp(struct track_macs *t, const struct ibw_packet *pkt, uint32_t iface,
		    const struct track_at *at);

/* The capture ended. False: there was no room for all events, call again. */
bool track_macs_finish(struct track_macs *t);

/* Addresses that made room for others. */
uint64_t track_macs_evicted(const struct track_macs *t);

#endif /* IBWIRE_TRACK_MACS_H */
