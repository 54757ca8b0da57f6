/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pause.h - Ethernet flow control: which port paused its neighbour, for which priority, and for how long.
 *
 * A pause frame is for the neighbour on the link and is never forwarded: their absence proves nothing.
 * The time from XOFF to XON is measured; an XOFF without an XON lasts its quanta of 512 bit times, if the
 * speed of the link is known. What is not known is not guessed.
 */
#ifndef IBWIRE_TRACK_PAUSE_H
#define IBWIRE_TRACK_PAUSE_H

#include "track/base/event.h"
#include "track/view/view.h"

/* The largest number of senders of pause frames, of 1 KB each. */
#define TRACK_PAUSES_MAX 4096

/* Priorities, and what a global pause is counted as. */
#define TRACK_PRIORITIES 8u
#define TRACK_PAUSE_GLOBAL TRACK_PRIORITIES

/*
 * The priorities that the packet pauses or resumes, 1 << TRACK_PAUSE_GLOBAL: all; 0: it is not a pause frame.
 * @quanta: of those, of 512 bit times.
 */
unsigned int track_pause_of(const struct ibw_packet *pkt, uint16_t quanta[TRACK_PRIORITIES]);

/* Nanoseconds of @quanta; @speed: bits per second. */
uint64_t track_pause_ns(uint16_t quanta, uint64_t speed);

struct track_pauses;
struct track_subnet;

struct track_pauses *track_pauses_new(struct track_events *events);
void track_pauses_free(struct track_pauses *t); /* NULL is fine */

/* A MAC control frame of interface @iface, whose link has @speed bits a second; 0: not known. */
void track_pauses_feed(struct track_pauses *t, const struct ibw_packet *pkt, uint32_t iface,
		       uint64_t speed, const struct track_at *at);

/* False: there are more events than there is room for; call it again. */
bool track_pauses_finish(struct track_pauses *t, const struct track_at *last);

/* The pauses so far. */
void track_pauses_list(const struct track_pauses *t, struct track_subnet *s);

uint64_t track_pauses_evicted(const struct track_pauses *t);

#endif /* IBWIRE_TRACK_PAUSE_H */
