/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chronicle.h - what happens in a subnet, in order of time: managers, sweeps, links, joins, traps.
 *
 * What is alike and follows each other is one entry. The first TRACK_CHRONICLE_MAX are kept, of the others it is known how many
 * there are.
 */
#ifndef IBWIRE_TRACK_CHRONICLE_H
#define IBWIRE_TRACK_CHRONICLE_H

#include <stdbool.h>
#include <stdint.h>

#include "track/base/event.h"

#define TRACK_CHRONICLE_MAX 1024u

/* What matters most comes first: if there is no room for all, the last kinds go first. */
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
	uint32_t sweep; /* 1 and the one that goes on; 0: none does */
	uint32_t agent; /* who does */
	uint64_t more, more_frame;
};

void track_chronicle_free(struct track_chronicle *c);

/* What happened; alike with the last one it is part of that. */
void track_chronicle_add(struct track_chronicle *c, const struct track_told_of *h,
			 const struct track_at *at);

/* An answer with NodeInfo to @agent, who sweeps from node @guid. */
void track_chronicle_node(struct track_chronicle *c, uint32_t agent, uint64_t guid,
			  const struct track_at *at);

#endif /* IBWIRE_TRACK_CHRONICLE_H */
