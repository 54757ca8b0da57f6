/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conn.h - halves, and the connections they make.
 *
 * A packet names the receiver's queue pair only. So the unit is a half: one direction to one QP,
 * of RC, UC, RD or XRC. Two halves are one connection by this evidence, in this order:
 *
 *	CM	a REQ and its REP name both QPs; a REQ on a QPN in use starts a new connection
 *	ports	the UDP source port is the same both ways and Linux's hash of the two QPNs,
 *		and no more than two unpaired halves in each direction have it
 *	ACKs	the PSNs one half acknowledges, in time, were requested by exactly one half of the
 *		same two hosts, three times, and nothing says otherwise
 *
 *	only the two hosts have one half in each direction, and answers of any kind fit the requests: the
 *	first one is enough, but the decision waits for three, the end, or the last packet that can wait,
 *	as something may contradict it old PSN requests to a new queue pair continue where those to the
 *	previous one stopped, and are refused: the half that refuses them begins a new connection with
 *	them
 *
 * Otherwise they stay unpaired: queue pairs that all start at PSN 0 look alike. Memory is bounded: the
 * half that has been without a packet for the longest time is evicted for a new one, and counted.
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

/* The memory of a half with its hosts: 190 bytes, or 400 if each half has a port and a host of its own. */
#define TRACK_HALF_BYTES 512u

struct track_cc;
struct track_half;
struct track_hosts;
struct track_conn;

/* @cm knows which QP answers which; the caller keeps it. */
struct track_conn *track_conn_new(uint32_t max_halves, struct track_cm *cm);

/* The memory limit of halves and streams together; call it before streams are wanted. */
void track_conn_memory(struct track_conn *c, uint64_t max_bytes);
void track_conn_free(struct track_conn *c); /* NULL is fine */

/* Where events go; NULL: nowhere. */
void track_conn_events(struct track_conn *c, struct track_events *events);

/* The state of connections is wanted as well: qp.h. */
void track_conn_want_streams(struct track_conn *c);
struct track_qps *track_conn_streams(const struct track_conn *c); /* NULL: not wanted */

/* Whether packets of connections came from the receiver of @flow: what it answers would have been captured. */
bool track_conn_hears(const struct track_conn *c, const struct track_flow *flow);

/* The number of evicted pairs of hosts; NULL: no events are wanted. */
struct track_hosts *track_conn_hosts(const struct track_conn *c);
struct track_cc *track_conn_cc(const struct track_conn *c);

/* The end of the capture. False: there are more events than there is room for; call it again. */
bool track_conn_finish(struct track_conn *c, const struct track_at *at);

/* A packet with a DETH and without a bad ICRC: it may be for the QP of a connection. */
void track_conn_datagram(struct track_conn *c, const struct track_view *view,
			 const struct track_at *at);

/*
 * Packets of connections. A packet with a bad ICRC, and a CNP, count for a connection but do not begin one. Packets are fed in
 * batches: fill the place of the next one, then feed it. Flush the batch before any other call.
 */
struct track_packet *track_conn_next(struct track_conn *c);
void track_conn_feed(struct track_conn *c);
void track_conn_flush(struct track_conn *c);

/* What a message of the CM was to the tracker of them. */
void track_conn_cm(struct track_conn *c, const struct track_cm_news *news,
		   const struct track_at *at);

/*
 * The number of connections. Of unpaired halves, the direction with more of them counts, per pair
 * of hosts and service, each half as one connection.
 */
uint64_t track_conn_count(const struct track_conn *c);

/* The number of evicted halves, and of those that were idle when the memory of connections was used up. */
uint64_t track_conn_evicted(const struct track_conn *c);
uint64_t track_conn_idle_evicted(const struct track_conn *c);

/* The packet of @flow is a copy: it was captured twice. */
void track_conn_copy(struct track_conn *c, const struct track_flow *flow);

/* The half of a packet of @flow; NULL: none is remembered. Valid until the next packet. */
const struct track_half *track_conn_half(struct track_conn *c, const struct track_flow *flow);

/* The other direction; NULL: not known, or no longer remembered. */
const struct track_half *track_conn_peer(const struct track_conn *c, const struct track_half *half);

/* The evidence by which the two were paired. */
enum track_evidence track_conn_evidence(const struct track_half *half);

/* Its connection, as far as known by now; NULL: not known. */
const struct track_qp *track_conn_qp(const struct track_conn *c, const struct track_half *half);

/*
 * The number of connections that began before that of the half, as far as known so far; false: not
 * known.
 */
bool track_conn_rank(const struct track_conn *c, const struct track_half *half, uint32_t *rank);

/* The service ID that the REQ of its connection asks for; 0: not known. */
uint64_t track_conn_service(const struct track_half *half);

/* The frame of the message of the CM that began its connection; 0: not known. */
uint64_t track_conn_cm_frame(const struct track_half *half);

/* track_qp_depth() of its requests. */
uint32_t track_conn_depth(const struct track_half *half);

/* The place of a packet of a half, for readers that keep a record of each packet. */
struct track_place {
	uint64_t half;   /* its first frame */
	uint64_t serial; /* of its connection, which may be joined to another one later */
	uint32_t sqpn;   /* the queue pair that sends; TRACK_CM_NO_QPN: not known yet */
	uint8_t way;     /* enum track_way, of that */
};

/* Of a packet of @flow, of normalised addresses. False: it is of no half, or streams are not wanted. */
bool track_conn_place(struct track_conn *c, const struct track_flow *flow,
		      struct track_place *place);

/* A connection is identified by the first frame of its two halves. */
uint64_t track_conn_first_frame(const struct track_conn *c, const struct track_half *half);

#endif /* IBWIRE_TRACK_CONN_H */
