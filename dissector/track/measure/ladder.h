/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ladder.h - the last packets of a direction, requests and their answers, as runs of like packets, and those
 * around its costliest incident. It is a part of a series, and uses the memory of the series.
 */
#ifndef IBWIRE_TRACK_LADDER_H
#define IBWIRE_TRACK_LADDER_H

#include "track/way/qp.h"

#define TRACK_LADDER_RUNS 64u

/* Packets further apart are not one run. */
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

/* In order; earlier ones may have been overwritten. */
struct track_rungs {
	struct track_rung *run;
	uint32_t n;
	bool forgot;
};

/* Runs are in a ring of places: one for a packet, two for a run of several, and for a NAK. */
struct track_rung_place {
	uint64_t frame_what; /* series_impl.h */
	uint64_t time_ns;
	int32_t psn, other;
};

/* The current run. Its last packet is here, and gets a place when the run is over. */
struct track_rung_now {
	uint64_t last; /* PSN */
	uint64_t last_ns, last_frame;
	/* A request in order within this time is of the column at hand, and no time lies between it and the one before. */
	uint64_t window_ns, window;
	uint64_t first; /* PSN */
	uint32_t acks;  /* of a run of ACKs: how many */
	uint8_t key;    /* what goes on with it: series_impl.h */
	bool is_long;   /* of several packets */
};

struct track_rung_costliest {
	struct track_rungs rungs; /* as they were at the end of it */
	uint64_t frame, ns;       /* of that incident; 0: none ended, or there was no room */
};

struct track_ladder {
	struct track_rung_place *place;
	uint64_t end;  /* places that ever were used: the last ones of them are there */
	uint32_t mask; /* places there are, a power of two, less one */
	bool is_full;  /* there is no memory for more of them */
	struct track_rung_costliest *costliest; /* NULL: no incident ended */
};

/* The last runs, to be freed. */
struct track_series;
struct track_rungs track_ladder_last(const struct track_series *t);

#endif /* IBWIRE_TRACK_LADDER_H */
