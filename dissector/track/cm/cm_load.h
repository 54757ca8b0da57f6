/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cm_load.h - detects floods of CM messages: REQs that arrive faster than a port can answer them, and queue
 * pairs that are repeatedly rejected as those of a stale connection.
 *
 * Memory is bounded: the least recently seen port or pair is evicted, and counted.
 */
#ifndef IBWIRE_TRACK_CM_LOAD_H
#define IBWIRE_TRACK_CM_LOAD_H

#include <stdint.h>

#include "cm.h"
#include "track/base/event.h"

#define TRACK_CM_PORTS_MAX 4096
#define TRACK_CM_PAIRS_MAX 16384

struct track_cm_load;

struct track_cm_load *track_cm_load_new(struct track_events *events);
void track_cm_load_free(struct track_cm_load *l); /* NULL is fine */

/* A message, as the CM tracker evaluated it; one with bit errors does not count. */
void track_cm_load_feed(struct track_cm_load *l, const struct track_cm_news *news,
			const struct track_at *at);

uint64_t track_cm_load_evicted(const struct track_cm_load *l);

#endif /* IBWIRE_TRACK_CM_LOAD_H */
