/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * congestion.h - congestion incidents of ways whose packets were marked CE, or that CNPs are about.
 *
 * A CNP that only accompanies a NAK does not show congestion: NICs send it for the loss.
 */
#ifndef IBWIRE_TRACK_CONGESTION_H
#define IBWIRE_TRACK_CONGESTION_H

#include <stdint.h>

/* The largest number kept. */
#define TRACK_CONGESTIONS_MAX 65536u

/* Frames; 0: there is none */
struct track_marked_way {
	uint64_t serial; /* of its connection: struct track_qp */
	uint64_t mark_frame, mark_ns, mark_last_frame, mark_last_ns;
	uint64_t bare_frame, bare_ns; /* the first CNP about it, if no packet was marked before */
	uint64_t cnp_frame, cnp_ns, cnp_last_frame, cnp_last_ns;
	uint32_t marks, acks; /* packets marked, and those of them that only acknowledge */
	uint32_t cnps;        /* about it */
	uint8_t way;          /* enum track_way, that congestion is on */
};

struct track_marked_ways {
	struct track_marked_way *way;
	uint32_t n, room;
	uint64_t more; /* than there is room for */
};

struct track_incidents;
struct track_qps;

void track_congestion_keep(struct track_incidents *list, const struct track_marked_way *way);

/* At the end of the capture, each becomes an incident. */
void track_incidents_of_congestion(struct track_qps *s);

#endif /* IBWIRE_TRACK_CONGESTION_H */
