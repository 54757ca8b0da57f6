/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chronicle.h - what happens in a subnet, in order of time: managers, sweeps, links, joins, traps.
 *
 * Like events in a row are one entry. The first TRACK_CHRONICLE_MAX are kept; the others are counted.
 */
#ifndef IBWIRE_TRACK_CHRONICLE_H
#define IBWIRE_TRACK_CHRONICLE_H

#include <stdbool.h>
#include <stdint.h>

#include "track/base/event.h"

#define TRACK_CHRONICLE_MAX 1024u

/*
 * The most important kinds come first: if there is no room for all, the last kinds are left out
 * first.
 */
enum track_happening {
	TRACK_HANDOVER,    /* guid hands over to other */
	TRACK_SM_STATE,    /* guid said state */
	TRACK_LINK_DOWN,   /* guid and port, the first of n */
	TRACK_LINK_UP,     /* likewise */
	TRACK_TRAP_SENT,   /* trap_num by lid */
	TRACK_SWEEP,       /* by guid, 0: not known; n nodes answered */
	TRACK_GROUP_LEAVE, /* gid leaves mgid, the first of n */
	TRACK_GROUP_JOIN,  /* likewise */
	TRACK_HAPPENINGS
};

struct track_told_of {
	uint64_t frame, time_ns;
	uint64_t last_frame, last_ns;
	uint64_t guid, other;
	uint64_t n;
	uint8_t gid[16], mgid[16];
	uint32_t port;
	uint16_t lid, trap_num;
	uint8_t kind, state;
};

struct track_chronicle {
	struct track_told_of *entry;
	uint32_t n;
	uint32_t sweep; /* 1 plus the number of the one that continues it; 0: none does */
	uint32_t agent; /* who does */
	uint64_t more, more_frame;
};

void track_chronicle_free(struct track_chronicle *c);

/* Adds what happened; if it is like the last entry, it becomes part of that. */
void track_chronicle_add(struct track_chronicle *c, const struct track_told_of *h,
			 const struct track_at *at);

/* An answer with NodeInfo to @agent, who sweeps from node @guid. */
void track_chronicle_node(struct track_chronicle *c, uint32_t agent, uint64_t guid,
			  const struct track_at *at);

#endif /* IBWIRE_TRACK_CHRONICLE_H */
