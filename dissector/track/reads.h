/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reads.h - PSNs that READ Requests of one way asked for, and no response has carried yet.
 */
#ifndef IBWIRE_TRACK_READS_H
#define IBWIRE_TRACK_READS_H

#include <stdbool.h>
#include <stdint.h>

/* Runs of PSNs that are remembered. */
#define TRACK_READS_MAX 1024u

struct track_read {
	uint64_t low, high; /* high is not in it */
};

struct track_reads {
	struct track_read *run; /* the lowest first */
	uint32_t n, room;
	uint64_t missing; /* of earlier starts, and of runs that made room */
};

/* With some runs. */
#define TRACK_READS_BYTES (sizeof(struct track_reads) + sizeof(struct track_read[4]))

struct track_reads *track_reads_new(void);
void track_reads_free(struct track_reads *r); /* NULL is fine */

/* A READ Request, of PSNs that nobody requested before; @passed: responses came up to there. */
void track_reads_ask(struct track_reads *r, uint64_t low, uint64_t high, uint64_t passed);

/* A response carries @psn. */
void track_reads_answer(struct track_reads *r, uint64_t psn);

/* Whether a PSN from @low up to @high, which is not in it, was asked for, and no response has carried it. */
bool track_reads_wait(const struct track_reads *r, uint64_t low, uint64_t high);

/* How many of them are below @passed. */
uint64_t track_reads_missing(const struct track_reads *r, uint64_t passed);

/* The PSNs start anew; what is missing stays counted. */
void track_reads_restart(struct track_reads *r, uint64_t passed);

#endif /* IBWIRE_TRACK_READS_H */
