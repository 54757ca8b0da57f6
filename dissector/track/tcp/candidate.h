/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * candidate.h - TCP connections that may be iWARP: a fixed table, so that other TCP traffic costs nothing.
 *
 * A connection becomes a candidate by its SYN, and stops being one if its first byte is not that of an MPA frame; or by
 * data that look like FPDUs, and it is iWARP if enough of them fit in a row. Ports do not matter.
 */
#ifndef IBWIRE_TRACK_TCP_CANDIDATE_H
#define IBWIRE_TRACK_TCP_CANDIDATE_H

#include "segment.h"

#define TRACK_TCP_CANDIDATES 4096u

/* FPDUs in a row that make a connection iWARP whose start was not captured. */
#define TRACK_TCP_FITTING 4u

struct track_tcp_candidate {
	struct track_tcp_ends ends;
	uint32_t seq[2];    /* of the first byte, or of the next FPDU */
	bool syn[2];        /* seq is that of the first byte */
	uint8_t fitting[2]; /* FPDUs in a row before seq */
	uint16_t mss[2];    /* of the SYNs */
	uint8_t first_side; /* that the first SYN came from */
	uint64_t first_frame, first_ns,
		syn_ns;    /* of that SYN; 0: there is none. syn_ns: of its last copy */
	uint64_t round_ns; /* to the first segment of that side after it */
};

/*
 * How many candidates and connections there are of some ports, by a hash that is the same both ways: most of TCP
 * has none.
 */
#define TRACK_TCP_WATCHED 4096u

struct track_tcp_candidates {
	uint32_t watched[TRACK_TCP_WATCHED];
	bool used[TRACK_TCP_CANDIDATES];
	struct track_tcp_candidate candidate[TRACK_TCP_CANDIDATES];
};

static inline uint32_t track_tcp_watch_of(uint32_t sport, uint32_t dport)
{
	return (sport ^ dport) * 0x9e3779b1u >> 20;
}

/* What is of these ends is looked at. */
static inline void track_tcp_watch(struct track_tcp_candidates *t,
				   const struct track_tcp_ends *ends)
{
	t->watched[track_tcp_watch_of(ends->port[0], ends->port[1])]++;
}

static inline void track_tcp_unwatch(struct track_tcp_candidates *t,
				     const struct track_tcp_ends *ends)
{
	t->watched[track_tcp_watch_of(ends->port[0], ends->port[1])]--;
}

struct track_tcp_candidates *track_tcp_candidates_new(void);
void track_tcp_candidates_free(struct track_tcp_candidates *t); /* NULL is fine */

/* The one of these ends; NULL: there is none. */
struct track_tcp_candidate *track_tcp_candidate_of(struct track_tcp_candidates *t,
						   const struct track_tcp_ends *ends);

/* A new one, in the place of whatever is there. */
struct track_tcp_candidate *track_tcp_candidate_add(struct track_tcp_candidates *t,
						    const struct track_tcp_ends *ends);

void track_tcp_candidate_drop(struct track_tcp_candidates *t, struct track_tcp_candidate *c);

#endif /* IBWIRE_TRACK_TCP_CANDIDATE_H */
