/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ladder.h - the last packets of a direction, requests and what answers them, as runs of packets alike; and those
 * around its costliest incident. It is a part of a series; the series' room is for what it keeps, too.
 */
#ifndef IBWIRE_TRACK_LADDER_H
#define IBWIRE_TRACK_LADDER_H

#include "track/way/qp.h"

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
	uint32_t n;
	bool forgot;
};

/* Runs are in a ring of places: one for a packet, two for a run of several, and for a NAK. */
struct track_rung_place {
	uint64_t frame_what; /* ladder.c */
	uint64_t time_ns;
	int32_t psn, other;
};

struct track_rung_costliest {
	struct track_rungs rungs; /* as they were at the end of it */
	uint64_t frame, ns;       /* of that incident; 0: none ended, or there was no room */
};

struct track_ladder {
	struct track_rung_place *place;
	uint8_t first, end; /* of the places that are used, of those of all that ever were */
	uint8_t room;       /* places */
	uint8_t n;          /* runs in them */
	uint8_t last;       /* places of the last one */
	bool forgot;
	struct track_rung_costliest *costliest; /* NULL: no incident ended */
};

/* The last runs, to be freed. */
struct track_rungs track_ladder_last(const struct track_ladder *l);

#endif /* IBWIRE_TRACK_LADDER_H */
