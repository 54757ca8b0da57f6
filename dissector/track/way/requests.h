/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * requests.h - the last requests of one way, to which answers refer.
 *
 * These are the unanswered ones, up to TRACK_REQUESTS_MAX, and some answered ones, because answers
 * arrive late and requests are retransmitted.
 */
#ifndef IBWIRE_TRACK_REQUESTS_H
#define IBWIRE_TRACK_REQUESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "track/base/memory.h"
#include "track/view/packet.h"

#define TRACK_REQUESTS_MAX 4096u

/* Answered ones that are kept; so many once a quarter of the memory is used, so that more connections fit. */
#define TRACK_REQUESTS_KEPT 64u
#define TRACK_REQUESTS_KEPT_TIGHT 4u

struct track_request {
	uint64_t psn;
	uint64_t frame, time_ns;      /* of the first copy */
	uint64_t last_frame, last_ns; /* and the last one */
	uint64_t answered_ns;         /* of its ACK, or its first response; 0: none yet */
	uint64_t va;
	uint32_t rkey, dmalen;
	uint32_t payload;
	uint32_t n;       /* PSNs it takes */
	uint32_t message; /* which it is of, from 1 */
	uint32_t copies;
	uint32_t
		tries; /* as copies, but not counting what an RNR NAK or a duplicate is the cause of */
	uint8_t opcode;
	uint8_t flags;   /* enum track_packet_flags, of the first copy */
	bool touched;    /* another READ Request asks for some of it, too */
	bool missed;     /* its answer was said to be missing */
	bool answered;   /* the last of its READ responses came */
	bool ends_early; /* track_packet's, of the last copy */
	uint16_t ip_id;  /* of the copy that was sent last */
};

/* By PSN, each PSN in one of them at most. In one piece: of many connections none is in a cache. */
struct track_requests {
	struct track_memory *memory;
	uint32_t n, room;
	uint32_t n_covered; /* the first ones, which were answered */
	struct track_request request[];
};

struct track_requests *track_requests_new(struct track_memory *memory);
void track_requests_free(struct track_requests *r); /* NULL is fine */

/* Forgets all of them. */
void track_requests_restart(struct track_requests *r);

/*
 * A new place for the request @psn of @n PSNs, to be filled; @covered: requests below were
 * answered. Valid until the next one. All of them may move.
 */
struct track_request *track_requests_add(struct track_requests **list, uint64_t psn, uint32_t n,
					 uint64_t covered);

/* The same of one after all others. */
struct track_request *track_requests_append(struct track_requests **list, uint64_t psn, uint32_t n,
					    uint64_t covered);

/* The one with the highest PSN; NULL: there is none. */
static inline struct track_request *track_requests_last(struct track_requests *r)
{
	return r->n ? &r->request[r->n - 1] : NULL;
}

/* The first one that ends after @psn; r->n: none. */
uint32_t track_requests_search(const struct track_requests *r, uint64_t psn);

static inline uint32_t track_requests_from(const struct track_requests *r, uint64_t psn)
{
	const struct track_request *last = r->request + r->n - 1;

	/* What is asked for is most often the last, or what comes after it. */
	if (r->n && psn >= last->psn)
		return psn < last->psn + last->n ? r->n - 1 : r->n;
	return track_requests_search(r, psn);
}

/* The request that takes @psn; NULL: not known, or no longer. */
static inline struct track_request *track_requests_find(struct track_requests *r, uint64_t psn)
{
	uint32_t at = track_requests_from(r, psn);

	return at < r->n && r->request[at].psn <= psn ? &r->request[at] : NULL;
}

#endif /* IBWIRE_TRACK_REQUESTS_H */
