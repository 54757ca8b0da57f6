/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ladder.h - the last packets of a direction, requests and what answers them, as runs of packets alike; and those
 * around its costliest incident. It is a part of a series, and there only if that has room for it.
 */
#ifndef IBWIRE_TRACK_LADDER_H
#define IBWIRE_TRACK_LADDER_H

#include "qp.h"

#define TRACK_LADDER_RUNS 64u

/* Packets further apart are no run. */
#define TRACK_LADDER_GAP_NS 1000000u

enum track_rung_kind {
	TRACK_RUNG_FIRST,
	TRACK_RUNG_AGAIN,
	TRACK_RUNG_RESPONSE,
	TRACK_RUNG_ACK,
	TRACK_RUNG_NAK /* or RNR NAK */
};

/* PSNs count as in series.h. */
struct track_rung {
	uint64_t frame, last_frame;
	uint64_t time_ns, last_ns;
	uint32_t count;
	int32_t psn, last_psn;
	int32_t missing;  /* the first PSN that should have come before; TRACK_SERIES_NONE: none */
	uint8_t kind;     /* enum track_rung_kind */
	uint8_t opcode;   /* of the first */
	uint8_t verb;     /* enum track_verb, of requests */
	uint8_t syndrome; /* of a NAK */
};

/* In order; those before may be forgotten. */
struct track_rungs {
	struct track_rung *run;
	uint32_t first, n, room; /* a ring: the oldest is at first */
	bool forgot;
};

struct track_ladder {
	struct track_rungs last;
	struct track_rungs costliest; /* as they were at the end of it */
	uint64_t frame, ns;           /* of that incident; 0: none ended */
};

static inline const struct track_rung *track_rung_at(const struct track_rungs *runs, uint32_t i)
{
	return &runs->run[(runs->first + i) % runs->room];
}

#endif /* IBWIRE_TRACK_LADDER_H */
