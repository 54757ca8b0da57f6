/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flight.h - the requests of a way that are in flight: the open ones, as figures.def defines them.
 *
 * Kept and computed only if measures or replies are requested.
 */
#ifndef IBWIRE_TRACK_FLIGHT_H
#define IBWIRE_TRACK_FLIGHT_H

#include "qp.h"

struct track_flight {
	uint64_t done; /* requests below are */
	uint64_t packets, bytes;
	uint64_t reads; /* and atomics */
};

/* Of one way; qps.c takes them. */
#define TRACK_FLIGHT_BYTES (sizeof(struct track_flight) + TRACK_MEMORY_PIECE)

/* To be read, wanted or not. */
static inline const struct track_flight *track_flown(const struct track_dir *d)
{
	static const struct track_flight nothing;

	return d->flight ? d->flight : &nothing;
}

/* To be changed. */
struct track_flight *track_flight(struct track_dir *d);

/* A request, an answer: each before it counts for its connection. */
void track_flight_request(struct track_dir *d, const struct track_packet *p, uint64_t psn,
			  uint32_t n, enum track_psn_class class);
void track_flight_answer(struct track_dir *d, const struct track_packet *p, uint64_t psn);

/* Of UC there are no answers. */
static inline bool track_is_answered(uint8_t opcode)
{
	return (opcode & IBW_SERVICE_MASK) != IBW_SERVICE_UC;
}

#endif /* IBWIRE_TRACK_FLIGHT_H */
