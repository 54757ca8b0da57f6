/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pausing.h - the times when each priority was paused, for connections that waited for it; waits.def says
 * what counts.
 *
 * The sender of a pause frame does not matter: the frame does not say which port it stops. A global pause
 * pauses every priority.
 */
#ifndef IBWIRE_TRACK_PAUSING_H
#define IBWIRE_TRACK_PAUSING_H

#include <stdbool.h>
#include <stdint.h>

#include <ibwire/packet.h>

/* The number of senders of pause frames that are followed. */
#define TRACK_PAUSING_SENDERS 64u

/* The last pauses of each priority are kept. */
#define TRACK_PAUSING_TIMES 4096u

/* Of all of them together, so that none is counted twice; before the earliest nothing counts any more. */
#define TRACK_PAUSING_TOGETHER 64u

struct track_pausing;

struct track_pausing *track_pausing_new(void);
void track_pausing_free(struct track_pausing *t); /* NULL is fine */

/* A MAC control frame of interface @iface, whose link has @speed bits a second; 0: not known. */
void track_pausing_feed(struct track_pausing *t, const struct ibw_packet *pkt, uint32_t iface,
			uint64_t speed, uint64_t time_ns);

/*
 * The times when any priority was paused, each time once, in pieces: after each frame, what is known then. False:
 * nothing more.
 */
bool track_pausing_take(struct track_pausing *t, uint64_t *begin, uint64_t *end);

/* What is paused until a time that is known is so until @now at most. */
void track_pausing_end(struct track_pausing *t, uint64_t now);

/* How long @priority was paused from @from to @to, in ns, as far as known; @t may be NULL: nothing was. */
uint64_t track_pausing_ns(const struct track_pausing *t, unsigned int priority, uint64_t from,
			  uint64_t to);

/* Whether it has been paused since *@since, for an unknown time. */
bool track_pausing_open(const struct track_pausing *t, unsigned int priority, uint64_t *since);

#endif /* IBWIRE_TRACK_PAUSING_H */
