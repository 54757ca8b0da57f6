/* SPDX-License-Identifier: GPL-2.0-or-later */
/* timeline_impl.h - what is told to timeline.c. */
#ifndef IBWIRE_TRACK_TIMELINE_IMPL_H
#define IBWIRE_TRACK_TIMELINE_IMPL_H

#include "qp_impl.h"
#include "timeline.h"

/* Intervals there is room for at first: what a timeline takes, in memory.h, before it needs more. */
#define TRACK_TIMELINE_FIRST 4u
#define TRACK_TIMELINE_BYTES                                                                       \
	(sizeof(struct track_timeline) + TRACK_TIMELINE_FIRST * sizeof(struct track_bin))

/* A packet that was looked at; @repeated: repeated_packets of its direction before it. */
void track_timeline_packet(struct track_qps *s, struct track_qp *qp, const struct track_packet *p,
			   uint32_t repeated);

/* A frame that asks to pause. */
void track_timeline_pause(struct track_qps *s, uint64_t time_ns);

/* @from, all of @way, is of the same connection. */
void track_timeline_join(struct track_qps *s, struct track_qp *qp, enum track_way way,
			 struct track_qp *from);

void track_timeline_drop(struct track_qps *s, struct track_timeline *t); /* NULL is fine */

#endif /* IBWIRE_TRACK_TIMELINE_IMPL_H */
