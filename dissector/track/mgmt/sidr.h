/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sidr.h - datagram services that are looked up by SIDR: the client and the service, the queue pair and Q_Key in
 * the answer, and whether datagrams to that queue pair have that Q_Key.
 *
 * Memory is bounded: the least recently seen request or queue pair is evicted, and counted.
 */
#ifndef IBWIRE_TRACK_SIDR_H
#define IBWIRE_TRACK_SIDR_H

#include <stdint.h>

#include <ibwire/packet.h>

#include "track/base/event.h"
#include "track/cm/cm.h"
#include "track/view/mad.h"

#define TRACK_SIDR_MAX 16384

struct track_sidr;

struct track_sidr *track_sidr_new(struct track_events *events);
void track_sidr_free(struct track_sidr *s); /* NULL is fine */

/*
 * A MAD of the CM whose ICRC is not wrong, the payload of @pkt. If it is of a request by SIDR that is known, @news has
 * it as the CM tracker has its messages; else @news stays as it is.
 */
void track_sidr_feed(struct track_sidr *s, const struct ibw_packet *pkt,
		     const struct track_mad *mad, const struct track_at *at,
		     struct track_cm_news *news);

/* A datagram whose ICRC is not wrong. */
void track_sidr_data(struct track_sidr *s, const struct ibw_packet *pkt, const struct track_at *at);

uint64_t track_sidr_evicted(const struct track_sidr *s);

#endif /* IBWIRE_TRACK_SIDR_H */
