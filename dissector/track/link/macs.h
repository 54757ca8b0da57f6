/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * macs.h - which MAC addresses an IP address has: two in turn, where two ports of a host are in one subnet.
 *
 * Only RoCE v2 packets count that passed no router, by their TTL: those of a routed address have the MAC of a router. A single
 * change, as after a failover, does not count, nor does the change between two captures of one packet.
 *
 * Memory is bounded: the least recently seen address is evicted.
 */
#ifndef IBWIRE_TRACK_MACS_H
#define IBWIRE_TRACK_MACS_H

#include <ibwire/packet.h>

#include "track/base/event.h"

/* The largest number of addresses, of 150 bytes each. */
#define TRACK_MACS_MAX 65536

struct track_macs;

struct track_macs *track_macs_new(struct track_events *events);
void track_macs_free(struct track_macs *t); /* NULL is fine */

/* A packet of interface @iface without bit errors. */
void track_macs_feed(struct track_macs *t, const struct ibw_packet *pkt, uint32_t iface,
		     const struct track_at *at);

/* The same for a plain packet (view.h), of @len bytes at @data. */
void track_macs_plain(struct track_macs *t, const uint8_t *data, uint32_t len, uint32_t iface,
		      const struct track_at *at);

/* ARP of interface @iface: arp.h. */
void track_macs_arp(struct track_macs *t, const struct ibw_packet *pkt, uint32_t iface,
		    const struct track_at *at);

/* The end of the capture. False: there was no room for all events; call it again. */
bool track_macs_finish(struct track_macs *t);

/* The number of evicted addresses. */
uint64_t track_macs_evicted(const struct track_macs *t);

#endif /* IBWIRE_TRACK_MACS_H */
