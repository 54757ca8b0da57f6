/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * services.h - which service a CM conversation is about, and what its queue pairs carry.
 *
 * The service ID stands in the REQ alone; the answer names the REQ by its
 * communication ID. Memory is bounded: a table of fixed size, in which a conversation
 * may lose its place to a later one. Its answers are then as if the REQ were missing.
 */
#ifndef IBWIRE_LINT_SERVICES_H
#define IBWIRE_LINT_SERVICES_H

#include <stdbool.h>
#include <stdint.h>

#include <ibwire/packet.h>

/* Conversations and queue pairs remembered at a time. */
#define LINT_SERVICES_MAX 4096

struct lint_services;

struct lint_services *lint_services_new(void);
void lint_services_free(struct lint_services *s);

/*
 * The MAD of @n captured bytes at @mad, the payload of @pkt. A REQ is remembered; for
 * a REP or REJ the service ID of its REQ is returned. 0: none, or not known.
 */
uint64_t lint_services_feed(struct lint_services *s, const struct ibw_packet *pkt,
			    const uint8_t *mad, uint32_t n);

/*
 * Whether the packet goes to a queue pair of an IPoIB connection (RFC 4755), by its CM
 * exchange, and is one that begins with the encapsulation header and holds all of what
 * follows it: a SEND Only.
 */
bool lint_services_ipoib(const struct lint_services *s, const struct ibw_packet *pkt);

#endif /* IBWIRE_LINT_SERVICES_H */
