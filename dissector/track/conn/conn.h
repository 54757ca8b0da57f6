/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conn.h - halves, and the connections they make.
 *
 * A packet names the receiver's queue pair only. So the unit is a half: one direction to one QP,
 * of RC, UC, RD or XRC. Two halves are one connection by this evidence, in this order:
 *
 *	CM	a REQ and its REP name both QPs; a REQ on a QPN in use starts a new connection
 *	ports	the UDP source port is the same both ways and Linux's hash of the two QPNs,
 *		and no more than two unpaired halves each way have it
 *	ACKs	the PSNs one half acknowledges, in time, were requested by exactly one half of the
 *		same two hosts, three times, and nothing says otherwise
 *
 *	only	the two hosts have one half each way, and answers of any kind fit the requests: the
 *		first one is enough, but three, the end, or the last packet that can wait is waited for, as
 *		something may speak against it
 *	old PSN	requests to a new queue pair go on where those to the one before stopped, and are refused:
 *		what refuses them begins a new connection with them
 *
 * Else they stay unpaired: queue pairs that all start at PSN 0 look alike. Memory is bounded:
 * the half without a packet for the longest makes room for a new one, and is counted.
 */
#ifndef IBWIRE_TRACK_CONN_H
#define IBWIRE_TRACK_CONN_H

#include <stdbool.h>
#include <stdint.h>

#include <ibwire/packet.h>

#include "track/base/event.h"
#include "track/cm/cm.h"
#include "track/view/packet.h"
#include "track/view/view.h"

/* What a half may take, with what hosts it is of: 190 bytes, if each has a port and a host of its own 400. */
#define TRACK_HALF_BYTES 512u

struct track_cc;
struct track_half;
struct track_hosts;
struct track_conn;

/* @cm says which QP answers which; it stays the caller's. */
struct track_conn *track_conn_new(uint32_t max_halves, struct track_cm *cm);

/* Before streams are wanted: what halves and streams may take together. */
void track_conn_memory(struct track_conn *c, uint64_t max_bytes);
void track_conn_free(struct track_conn *c); /* NULL is fine */

/* Where events go; NULL: nowhere. */
void track_conn_events(struct track_conn *c, struct track_events *events);

/* What the packets of connections did is wanted as well: qp.h. */
void track_conn_want_streams(struct track_conn *c);
struct track_qps *track_conn_streams(const struct track_conn *c); /* NULL: not wanted */

/* Whether packets of connections came from the receiver of @flow: what it answers would have been captured. */
bool track_conn_hears(const struct track_conn *c, const struct track_flow *flow);

/* Pairs of hosts that made room for others; NULL: no events are wanted. */
struct track_hosts *track_conn_hosts(const struct track_conn *c);
struct track_cc *track_conn_cc(const struct track_conn *c);

/* The capture ended. False: there are more events than there is room for; to be called again. */
bool track_conn_finish(struct track_conn *c, const struct track_at *at);

/* A packet with a DETH, that has no bad ICRC: it may be for the QP of a connection. */
void track_conn_datagram(struct track_conn *c, const struct track_view *view,
			 const struct track_at *at);

/*
 * Packets of connections. One with a bad ICRC, and a CNP, begin none, and count for one only. They are fed in batches: fill the place of the next
 * one, then feed it. Before anything else is told or asked, the batch is to be flushed.
 */
struct track_packet *track_conn_next(struct track_conn *c);
void track_conn_feed(struct track_conn *c);
void track_conn_flush(struct track_conn *c);

/* What a message of the CM was to the tracker of them. */
void track_conn_cm(struct track_conn *c, const struct track_cm_news *news,
		   const struct track_at *at);

/*
 * How many connections are remembered. Of unpaired halves, the direction with more of them counts,
 * of each pair of hosts and service: each is of one connection.
 */
uint64_t track_conn_count(const struct track_conn *c);

/* Halves that made room for others, and those of them that were idle when the memory of connections was used up. */
uint64_t track_conn_evicted(const struct track_conn *c);
uint64_t track_conn_idle_evicted(const struct track_conn *c);

/* A packet of @flow was captured twice, and this is the copy. */
void track_conn_copy(struct track_conn *c, const struct track_flow *flow);

/* The half of a packet of @flow; NULL: none is remembered. Valid until the next packet. */
const struct track_half *track_conn_half(struct track_conn *c, const struct track_flow *flow);

/* The other direction; NULL: not known, or no longer remembered. */
const struct track_half *track_conn_peer(const struct track_conn *c, const struct track_half *half);

/* By what the two were found. */
enum track_evidence track_conn_evidence(const struct track_half *half);

/* Its connection, as far as known by now; NULL: not known. */
const struct track_qp *track_conn_qp(const struct track_conn *c, const struct track_half *half);

/* How many connections began before that of the half, as far as known by now; false: not known. */
bool track_conn_rank(const struct track_conn *c, const struct track_half *half, uint32_t *rank);

/* The service ID that the REQ of its connection asks for; 0: not known. */
uint64_t track_conn_service(const struct track_half *half);

/* The frame of the message of the CM that began its connection; 0: not known. */
uint64_t track_conn_cm_frame(const struct track_half *half);

/* track_qp_depth() of its requests. */
uint32_t track_conn_depth(const struct track_half *half);

/* Where a packet of a half belongs: for who keeps a record of each packet. */
struct track_place {
	uint64_t half;   /* its first frame */
	uint64_t serial; /* of its connection, which may be joined to another one later */
	uint32_t sqpn;   /* the queue pair that sends; TRACK_CM_NO_QPN: not known by now */
	uint8_t way;     /* enum track_way, of that */
};

/* Of a packet of @flow, of normalised addresses. False: it is of no half, or streams are not wanted. */
bool track_conn_place(struct track_conn *c, const struct track_flow *flow,
		      struct track_place *place);

/* A connection is known by the first frame of its two halves. */
uint64_t track_conn_first_frame(const struct track_conn *c, const struct track_half *half);

#endif /* IBWIRE_TRACK_CONN_H */
