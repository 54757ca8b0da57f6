/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cc.h - congestion: marks (CE, FECN), and the CNPs that answer them.
 *
 * NICs send a CNP for a queue pair, but at most one every 50 us or so per queue pair, per pair of addresses
 * or per port. So whether a host answers marks at all is decided per host, not per queue pair. All of this
 * only produces events; a packet that is neither marked nor a CNP costs nothing.
 */
#ifndef IBWIRE_TRACK_CC_H
#define IBWIRE_TRACK_CC_H

#include "track/base/event.h"
#include "track/view/packet.h"
#include "track/view/view.h"

/* Queue pairs, pairs of hosts, and hosts, that CNPs or marks are remembered of; 100 bytes each. */
#define TRACK_CC_MAX 16384

struct track_cc;
struct track_qp;
struct track_qps;
struct track_watch;

struct track_cc *track_cc_new(struct track_events *events);
void track_cc_free(struct track_cc *t); /* NULL is fine */

/* A CNP; @known: of a connection; @path: track_path_of() the packets it is about, 0: not known. */
void track_cc_notified(struct track_cc *t, const struct track_packet *p, bool known, uint32_t path);

/* A datagram without a mark: its sender's packets are not all marked. */
void track_cc_datagram(struct track_cc *t, const struct track_view *view);

/* A packet of a connection that is marked, and a CNP about its way !p->way. */
void track_cc_marked(struct track_watch *w, const struct track_packet *p);
void track_cc_about(struct track_qps *s, struct track_watch *w, const struct track_packet *p);

/* A sequence NAK to requests of the way of @w: NICs send a CNP with it. */
void track_cc_nak(struct track_watch *w, const struct track_at *at);

/* No more packets of the way @way of @qp come. */
void track_cc_way(struct track_qps *s, const struct track_qp *qp, unsigned int way);

/* The capture ended, and all ways. */
void track_cc_finish(struct track_cc *t, const struct track_at *at);

uint64_t track_cc_evicted(const struct track_cc *t);

#endif /* IBWIRE_TRACK_CC_H */
