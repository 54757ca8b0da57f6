/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hosts.h - how hosts address each other: RoCE version, UDP source ports, DSCP and PCP, ECN.
 *
 * A half reports when it begins, when these properties of its packets change, and at its end, so a
 * packet like the previous one costs nothing. All of this only produces events.
 */
#ifndef IBWIRE_TRACK_HOSTS_H
#define IBWIRE_TRACK_HOSTS_H

#include "track/base/event.h"
#include "track/view/packet.h"
#include "track/view/view.h"

/* The largest number of pairs of hosts, per direction, of 150 bytes each. */
#define TRACK_HOST_PAIRS_MAX 65536

/* A frame that only a link of a large MTU carries. */
#define TRACK_JUMBO_MIN 4200u

struct track_hosts;
struct track_cm_news;
struct track_qp;

struct track_hosts *track_hosts_new(struct track_events *events);
void track_hosts_free(struct track_hosts *t); /* NULL is fine */

/* A half begins with @p; the properties of its packets change with @p. */
void track_hosts_half(struct track_hosts *t, const struct track_packet *p);
void track_hosts_path(struct track_hosts *t, const struct track_packet *p);

/* A half of RoCE had so many packets. */
void track_hosts_data(struct track_hosts *t, uint64_t packets);

/* A datagram of RoCE. */
void track_hosts_datagram(struct track_hosts *t, const struct track_view *view,
			  const struct track_at *at);

/* A message of the CM. */
void track_hosts_cm(struct track_hosts *t, const struct ibw_packet *pkt,
		    const struct track_cm_news *news, const struct track_at *at);

/* The directions of a connection of @flow have different versions, which was said of it. */
void track_hosts_split(struct track_hosts *t, const struct track_flow *flow);

/* An Ethernet frame of so many bytes, TRACK_JUMBO_MIN at least; a connection and its path MTU. */
void track_hosts_jumbo(struct track_hosts *t, uint32_t bytes, uint64_t frame);
void track_hosts_mtu(struct track_hosts *t, const struct track_qp *qp);

/* False: there are more events than there is room for; call it again. */
bool track_hosts_finish(struct track_hosts *t, const struct track_at *last);

uint64_t track_hosts_evicted(const struct track_hosts *t);

#endif /* IBWIRE_TRACK_HOSTS_H */
