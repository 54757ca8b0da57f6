/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mirror.h - losses of mirrors, from the sequence numbers of ERSPAN sessions.
 */
#ifndef IBWIRE_TRACK_MIRROR_H
#define IBWIRE_TRACK_MIRROR_H

#include <ibwire/packet.h>

#include "track/base/event.h"

/* The largest number of sessions, of 100 bytes each. */
#define TRACK_MIRRORS_MAX 1024

struct track_mirrors;

struct track_mirrors *track_mirrors_new(struct track_events *events);
void track_mirrors_free(struct track_mirrors *t); /* NULL is fine */

/* A packet inside a tunnel. */
void track_mirrors_feed(struct track_mirrors *t, const struct ibw_packet *pkt,
			const struct track_at *at);

#endif /* IBWIRE_TRACK_MIRROR_H */
