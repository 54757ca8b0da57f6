/* SPDX-License-Identifier: GPL-2.0-or-later */
/* timeline_impl.h - the calls into timeline.c. */
#ifndef IBWIRE_TRACK_TIMELINE_IMPL_H
#define IBWIRE_TRACK_TIMELINE_IMPL_H

#include "timeline.h"
#include "track/way/qp_impl.h"

/* Intervals there is room for at first: what a timeline takes, in memory.h, before it needs more. */
#define TRACK_TIMELINE_FIRST 4u
#define TRACK_TIMELINE_BYTES                                                                       \
	(sizeof(struct track_timeline) + TRACK_TIMELINE_FIRST * sizeof(struct track_bin))

/* Each packet, before it is counted, and after it. */
void track_timeline_before(struct track_qps *s, struct track_qp *qp, uint64_t time_ns);
void track_timeline_after(struct track_qp *qp);

/* A pause frame. */
void track_timeline_pause(struct track_qps *s, uint64_t time_ns);

/* What is known so far about when priorities were paused: pausing.h. */
void track_timeline_paused(struct track_qps *s);

/* @from, all of @way, is of the same connection; before what was counted of it goes there. */
void track_timeline_join(struct track_qps *s, struct track_qp *qp, enum track_way way,
			 struct track_qp *from);

void track_timeline_drop(struct track_qps *s, struct track_timeline *t); /* NULL is fine */

/* A connection is removed; called before its counts are. */
void track_timeline_leave(struct track_qps *s, struct track_qp *qp);

#endif /* IBWIRE_TRACK_TIMELINE_IMPL_H */
