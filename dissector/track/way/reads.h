/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reads.h - PSNs that READ Requests of one way asked for and no response has brought yet.
 *
 * A responder answers in order: a response that a later response or ACK passes is missing or late.
 */
#ifndef IBWIRE_TRACK_READS_H
#define IBWIRE_TRACK_READS_H

#include <stdbool.h>
#include <stdint.h>

#include "track/view/packet.h"

/* Runs of PSNs that are remembered. */
#define TRACK_READS_MAX 1024u

struct track_read {
	uint64_t low, high; /* high is not in it */
	/* The answer that passed it; frame 0: none did since it was asked for */
	uint64_t frame, time_ns;
	/* The READ Request that asked for it again since then; frame 0: none did */
	uint64_t again_frame, again_ns;
	uint16_t ip_id; /* of what passed it */
	bool again;     /* it was asked for again, passed or not */
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

/*
 * A response, @by, carries @psn, and passes what is below. Whether it was waited for; then @was is the run it was in,
 * as it was before.
 */
bool track_reads_answer(struct track_reads *r, uint64_t psn, const struct track_packet *by,
			struct track_read *was);

/* Another answer, to a request of @psn, passes the runs before it. */
void track_reads_pass(struct track_reads *r, uint64_t psn, const struct track_packet *by);

/* The first run that ends after @psn; r->n: there is none. */
uint32_t track_reads_find(const struct track_reads *r, uint64_t psn);

/* A READ Request asks for what is waited for from @low up to @high again. */
void track_reads_ask_again(struct track_reads *r, uint64_t low, uint64_t high,
			   const struct track_at *at);

/* It is said that @run was lost: it is waited for as if nothing had passed it, or since @by does. */
void track_read_lost(struct track_read *run, const struct track_packet *by);

/* Whether a PSN from @low up to @high, which is not in it, was asked for, and no response has carried it. */
bool track_reads_wait(const struct track_reads *r, uint64_t low, uint64_t high);

/* Whether all of those were, and none was carried. */
bool track_reads_wait_all(const struct track_reads *r, uint64_t low, uint64_t high);

/* How many of them are below @passed. */
uint64_t track_reads_missing(const struct track_reads *r, uint64_t passed);

/* The PSNs start anew; what is missing stays counted. */
void track_reads_restart(struct track_reads *r, uint64_t passed);

#endif /* IBWIRE_TRACK_READS_H */
