/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * waited_impl.h - the calls into waited.c for each packet, from measure.c and its neighbours. First time passes,
 * then the packet changes what is waited for.
 */
#ifndef IBWIRE_TRACK_WAITED_IMPL_H
#define IBWIRE_TRACK_WAITED_IMPL_H

#include "pausing.h"
#include "waited.h"
#include "track/way/qp_impl.h"

/* Any packet, before it is evaluated. */
void track_wait_pass(struct track_qp *qp, const struct track_packet *p,
		     const struct track_pausing *pausing);

/* A MAC control frame: pausing.h. */
void track_wait_pause(struct track_qps *s, const struct ibw_packet *pkt, uint32_t iface,
		      uint64_t speed, uint64_t time_ns);

/* The end of the connection. */
void track_wait_finish(const struct track_qps *s, struct track_qp *qp);

/* A request of this PSN, before what an RNR NAK asked for is no longer waited for. */
void track_wait_request(struct track_qp *qp, const struct track_packet *p, uint64_t psn, uint32_t n,
			enum track_psn_class class);

/* An answer; all below @done was done before it. */
void track_wait_answer(struct track_qp *qp, const struct track_packet *p, uint64_t psn,
		       uint64_t done);

/* A CNP about the other direction than it travels in. */
void track_wait_cnp(struct track_qp *qp, const struct track_packet *p);

/* @from, of which the packets of @way were looked at, is of the same connection. */
void track_waited_join(struct track_qp *qp, enum track_way way, struct track_qp *from);

void track_waited_free(struct track_qp *qp);

/* Of one connection; qps.c takes them. */
size_t track_waited_bytes(void);

#endif /* IBWIRE_TRACK_WAITED_IMPL_H */
