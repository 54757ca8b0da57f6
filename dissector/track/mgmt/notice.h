/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * notice.h - traps and their TrapRepress, subscriptions to notices, and subnet managers that claim to be
 * master.
 *
 * A trap is repeated until a TrapRepress arrives: IBTA vol 1, 13.4.9. It is identified by its sender and
 * its notice, without the toggle bit and the count. A subscription is identified by its port and its
 * subject; the GUID of a port of which only the LID is given comes from the paths and groups that name
 * it.
 *
 * Memory is bounded: a fixed number of each is kept, and the least recently used is evicted.
 */
#ifndef IBWIRE_TRACK_NOTICE_H
#define IBWIRE_TRACK_NOTICE_H

#include <stdbool.h>
#include <stdint.h>

#include "track/base/event.h"
#include "track/view/mad.h"

#define TRACK_NOTICES_MAX 4096
#define TRACK_MASTERS_MAX 64

struct track_notices;

struct track_notices *track_notices_new(struct track_events *events);
void track_notices_free(struct track_notices *t); /* NULL is fine */

/* A MAD whose ICRC is not wrong. */
void track_notices_feed(struct track_notices *t, const struct ibw_packet *pkt,
			const struct track_mad *mad, const struct track_at *at);

/* The capture ended. False: there was no room for all events, call again. */
bool track_notices_finish(struct track_notices *t);

/* What made room for others. */
uint64_t track_notices_evicted(const struct track_notices *t);

#endif /* IBWIRE_TRACK_NOTICE_H */
