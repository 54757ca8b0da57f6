/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * busy.h - packets and retransmissions of a connection by intervals of time: a reduced timeline, for connections that have little
 * else. The intervals are those of timeline.h: they begin at multiples of their length since 1970, and are merged in pairs when
 * there are too many.
 */
#ifndef IBWIRE_TRACK_BUSY_H
#define IBWIRE_TRACK_BUSY_H

#include <stdbool.h>
#include <stdint.h>

/* Of all together. */
#define TRACK_BUSY_BYTES ((uint64_t)16 << 20)

struct track_busy_bin {
	uint32_t packets, again; /* of them */
};

struct track_busy {
	uint64_t interval_ns, first; /* the first bin begins at first * interval_ns */
	struct track_busy_bin *bin;
	uint32_t n, room;
	uint32_t recent;   /* the bin of the last packet, */
	uint64_t begin_ns; /* and its time */
};

/* Of all connections: how long intervals are at first, 0: not wanted; how many there are at most; bytes that they take. */
struct track_busy_all {
	uint64_t interval_ns;
	uint32_t max;
	uint64_t used;
};

/* From here on; @interval_ns 0: that of timeline.h. */
void track_busy_want(struct track_busy_all *all, uint64_t interval_ns);

/* @busy is made with its first packet; it stays NULL where there is no room for it, or it is not wanted. */
void track_busy_add(struct track_busy_all *all, struct track_busy **busy, uint64_t time_ns,
		    bool again);

void track_busy_free(struct track_busy_all *all, struct track_busy *busy); /* NULL is fine */

#endif /* IBWIRE_TRACK_BUSY_H */
