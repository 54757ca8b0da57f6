/* SPDX-License-Identifier: GPL-2.0-or-later */
/* qps.h - the connections of a capture, for readers: which there are, and how many were evicted. */
#ifndef IBWIRE_TRACK_QPS_H
#define IBWIRE_TRACK_QPS_H

#include "track/way/qp.h"

/* From here on they go to @replies, each once both frames are known. */
void track_qps_want_replies(struct track_qps *s, struct track_replies *replies);

/* From here on what goes wrong is told as incidents. */
void track_qps_want_incidents(struct track_qps *s);

/* All of them, after track_finish(); NULL: nobody asked. @s may be NULL. */
const struct track_incidents *track_qps_incidents(const struct track_qps *s);

/* Live: incidents that ended long enough before that time are listed. */
void track_qps_tick(struct track_qps *s, uint64_t now_ns);

/* A packet that is about to be fed, and what it is likely to be of. */
struct track_ahead {
	const struct track_qp *qp;
	const struct track_packet *packet;
	uint8_t way; /* enum track_way */
};

#define TRACK_AHEAD_MAX 64

/* Asks for the memory that @n packets need, without waiting for it. */
void track_qps_ahead(const struct track_ahead ahead[], unsigned int n);

/* The same of a connection that goes soon, which is there itself: what is read of it then. */
void track_qps_hint(const struct track_qp *qp);

/* READs and atomics of @way that may be outstanding, as REQ and REP say; TRACK_NO_DEPTH: they were not captured. */
uint32_t track_qp_depth(const struct track_qp *qp, enum track_way way);

#define TRACK_NO_DEPTH UINT32_MAX

/* All connections remembered, by their first frame, which is how they are numbered; freed by the
 * caller with g_free(), the connections stay. To be asked for after track_finish(). */
struct track_qp **track_qps_sorted(struct track_qps *s, unsigned int *n);

/* The one that a conversation of the CM set up, by its first frame; NULL: none is remembered. */
const struct track_qp *track_qps_of_cm(const struct track_qps *s, uint64_t cm_frame);

/* How many are remembered by now. */
uint32_t track_qps_count(const struct track_qps *s);

/* How many of those remembered began before @qp. */
uint32_t track_qps_rank(struct track_qps *s, const struct track_qp *qp);

/* So many connections are followed, whatever they take. */
#define TRACK_QPS_LEAST 64u

/* Whether memory is used up: a new connection needs that of another one. */
bool track_qps_full(const struct track_qps *s);

/* Of those that no half is of, the one that this holds of for the longest goes; false: there is none. */
bool track_qps_evict(struct track_qps *s);

/* Connections that made room for others; halves that got none; requests that made room before they were answered. */
uint64_t track_qps_evicted(const struct track_qps *s);
uint64_t track_qps_unfollowed(const struct track_qps *s);
uint64_t track_qps_forgotten(const struct track_qps *s);

#endif /* IBWIRE_TRACK_QPS_H */
