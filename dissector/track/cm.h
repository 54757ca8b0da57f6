/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cm.h - which service a CM conversation is about, and what its queue pairs carry.
 *
 * The service ID stands in the REQ alone; the answer names the REQ by its
 * communication ID. Memory is bounded: the conversation or queue pair not heard of for the
 * longest makes room for a new one. Its answers are then as if the REQ were missing.
 */
#ifndef IBWIRE_TRACK_CM_H
#define IBWIRE_TRACK_CM_H

#include <stdbool.h>
#include <stdint.h>

#include <ibwire/packet.h>

/* Conversations and queue pairs remembered at a time, together; about 80 bytes each. */
#define TRACK_CM_MAX 65536

struct track_cm;

struct track_cm *track_cm_new(void);
void track_cm_free(struct track_cm *s);

/*
 * The MAD of @n captured bytes at @mad, the payload of @pkt. A REQ is remembered; for
 * a REP or REJ the service ID of its REQ is returned. 0: none, or not known.
 */
uint64_t track_cm_feed(struct track_cm *s, const struct ibw_packet *pkt, const uint8_t *mad,
		       uint32_t n);

/* Whether any of them is about IPoIB: if not, there is nothing to ask below. */
bool track_cm_any_ipoib(const struct track_cm *s);

/*
 * Whether the packet goes to a queue pair of an IPoIB connection (RFC 4755), by its CM
 * exchange, and is one that begins with the encapsulation header and holds all of what
 * follows it: a SEND Only.
 */
bool track_cm_is_ipoib(struct track_cm *s, const struct ibw_packet *pkt);

#endif /* IBWIRE_TRACK_CM_H */
