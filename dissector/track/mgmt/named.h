/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * named.h - queue pairs of IPoIB, by ARP: the receiver takes every datagram to one for IPoIB, whatever it begins with.
 *
 * A datagram counts if it has the P_Key and the Q_Key that the interface itself sent ARP with: after a restart the number may
 * be another program's. Memory is bounded: the queue pair named first is evicted.
 */
#ifndef IBWIRE_TRACK_NAMED_H
#define IBWIRE_TRACK_NAMED_H

#include <ibwire/packet.h>

/* Interfaces, of 12 bytes each and their place in a table. */
#define TRACK_NAMED_MAX 65536u

struct track_named;

struct track_named *track_named_new(void);
void track_named_free(struct track_named *t); /* NULL is fine */

/* A datagram of native InfiniBand without bit errors; @ip is IPoIB in it. */
void track_named_ipoib(struct track_named *t, const struct ibw_packet *pkt,
		       const struct ibw_packet *ip);

/* Whether a datagram goes to one. */
bool track_named_is(const struct track_named *t, const struct ibw_packet *pkt);

/* What made room for others. */
uint64_t track_named_evicted(const struct track_named *t);

#endif /* IBWIRE_TRACK_NAMED_H */
