/* SPDX-License-Identifier: GPL-2.0-or-later */
/* track_impl.h - all trackers of one capture. */
#ifndef IBWIRE_TRACK_IMPL_H
#define IBWIRE_TRACK_IMPL_H

#include <glib.h>

#include "track.h"
#include "trackers.def"

struct track {
	struct track_at at;                            /* the packet at hand */
	uint64_t latest_ns;                            /* the latest time of a packet */
	uint64_t tick_ns;                              /* when the next tick is due */
	struct track_events *events;                   /* NULL: not wanted */
#define TRACKER(name, of, when, made) struct of *name; /* NULL: not wanted, or not yet */
#include "trackers.def"
	struct track_replies *replies; /* NULL: not wanted */
	struct track_upper upper;      /* of the packet at hand */
	const uint32_t *ulp_opcodes;   /* of RC, that commands are looked for in: NULL with ulps */
	uint64_t memory;               /* what connections may take */
	uint64_t speed;                /* of the link of pause frames */
	struct track_thresholds thresholds;
	bool senders;                 /* wanted */
	struct track_context context; /* of the packet at hand */
};

/* Connections are tracked some packets late: not if somebody asks, or is told otherwise. */
static inline void track_flush(const struct track *t)
{
	if (t->conn)
		track_conn_flush(t->conn);
}

#endif /* IBWIRE_TRACK_IMPL_H */
