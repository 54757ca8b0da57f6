/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * heard.h - when packets of connections last arrived from an address, to tell whether a queue pair
 * or its whole host is silent.
 *
 * The table has a fixed size: an address is evicted when another one takes its place.
 */
#ifndef IBWIRE_TRACK_HEARD_H
#define IBWIRE_TRACK_HEARD_H

#include <stdint.h>

#define TRACK_HEARD_MAX 1024u

struct track_qps;
struct track_qp;
struct track_packet;

struct track_heard {
	uint64_t key;      /* made of the address */
	uint64_t serial;   /* of the connection it was heard on last */
	uint64_t last_ns;  /* and when */
	uint64_t other_ns; /* when on another one; 0: never */
	uint64_t aside_ns; /* when on none: datagrams, messages of the CM; 0: never */
};

/* @p came. */
void track_qps_heard(struct track_qps *s, const struct track_qp *qp, const struct track_packet *p);

/* And is of no connection: it makes no address known. */
void track_qps_heard_aside(struct track_qps *s, const struct track_packet *p);

/* What @address was heard of; NULL: nothing, or no longer known. */
const struct track_heard *track_heard_of(const struct track_qps *s, const uint8_t address[16]);

#endif /* IBWIRE_TRACK_HEARD_H */
