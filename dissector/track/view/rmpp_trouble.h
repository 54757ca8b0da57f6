/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rmpp_trouble.h - RMPP transfers in which something went wrong: segments were missing or came again, one end aborted, or the
 * rest never came.
 *
 * Whether a segment was sent again or doubled on its way, its bytes do not tell. A transfer of whose beginning the capture has
 * nothing is not called unfinished.
 */
#ifndef IBWIRE_TRACK_RMPP_TROUBLE_H
#define IBWIRE_TRACK_RMPP_TROUBLE_H

#include <stdbool.h>
#include <stdint.h>

#include <ibwire/ibwire.h>
#include <ibwire/rmpp.h>

#include "track/base/event.h"

/* So many are kept. */
#define TRACK_TROUBLES_MAX 65536u

/* Without a packet for so long a transfer is not finished any more: the time Linux gives a whole one. */
#define TRACK_TRANSFER_WAIT_NS UINT64_C(40000000000)

struct track_transfer_trouble {
	/* Frames; 0: there is none */
	uint64_t first_frame, last_frame; /* of its packets */
	uint64_t shown_frame;             /* shows that something is wrong */
	uint64_t gap_frame;               /* first that comes while one is missing before it */
	uint64_t root_frame,
		again_frame; /* copies of the root: the first, and the first once something is wrong */
	uint64_t end_frame; /* completes it, or stops it */
	uint64_t shown_ns, root_ns, again_ns, last_ns;
	uint64_t held_ns, held_until_ns; /* in which it was held up, and up to when */
	struct track_flow flow;          /* of the data */
	uint32_t
		root; /* number of the segment that was first missing, or came again, or was the last before the end */
	uint32_t copies;      /* of it */
	uint32_t gaps, again; /* segments with others missing before them; that came again */
	uint32_t missing;     /* now, between the first one seen and the highest */
	uint16_t attr_id;
	uint8_t mgmt_class, method;
	bool response;
	bool complete;
	uint8_t stop, status; /* type and status of the STOP or ABORT that ended it; 0: none did */
};

/* Those of a capture, as they were over. */
struct track_transfer_troubles {
	struct track_transfer_trouble *trouble;
	uint32_t n, room;
	uint64_t more; /* than there is room for */
};

/* While it goes on: what is wrong so far, and where each segment came first. */
struct track_transfer_now;

struct track_transfer_now *track_trouble_begin(const struct track_flow *flow, const uint8_t *mad,
					       const struct track_at *at);

/* Another MAD of it, which made @t of the transfer; its highest segment before was @highest. */
void track_trouble_feed(struct track_transfer_now *now, const struct ibw_transfer *t,
			const struct ibw_rmpp_wire *rmpp, uint32_t highest,
			const struct track_at *at);

/* It is over; @ns is the time by now. Frees @now, which may be NULL. */
void track_trouble_end(struct track_transfer_troubles *list, struct track_transfer_now *now,
		       uint64_t ns);

void track_troubles_free(struct track_transfer_troubles *list); /* NULL is fine */

#endif /* IBWIRE_TRACK_RMPP_TROUBLE_H */
