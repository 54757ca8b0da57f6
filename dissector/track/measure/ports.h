/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ports.h - the UDP source ports and MTUs of queue pairs by hosts, computed on request.
 *
 * Equal-cost paths are chosen by addresses and ports: queue pairs of two hosts that have one port share a path, whatever
 * the network.
 */
#ifndef IBWIRE_TRACK_PORTS_H
#define IBWIRE_TRACK_PORTS_H

struct track_qps;
struct track_subnet;

/* Adds one of two hosts each, that have two queue pairs at least; nothing without measures. */
void track_ports_list(const struct track_qps *s, struct track_subnet *subnet);

#endif /* IBWIRE_TRACK_PORTS_H */
