/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * connections.h - how many connections a capture shows.
 *
 * A packet names the receiver's queue pair only, so which flow answers which is not
 * known without the exchange that set them up. Counted are the flows of RC, UC, RD
 * and XRC, each service by itself, of each pair of hosts: of the two directions, the
 * one with more flows has one for each connection.
 */
#ifndef PL_CONNECTIONS_H
#define PL_CONNECTIONS_H

#include <lint/lint.h>

/* Flows and pairs of hosts remembered, together; about 70 bytes each. */
#define PL_CONNECTIONS_MAX 131072

struct pl_connections;

struct pl_connections *pl_connections_new(unsigned int max);
void pl_connections_free(struct pl_connections *c);

/* Takes note of a packet that has a BTH (and had better have no bad ICRC). */
void pl_connections_packet(struct pl_connections *c, const struct ibw_packet *pkt);

/* The number; @more: there was no room for all of them, so it is at least this. */
uint64_t pl_connections_count(const struct pl_connections *c, bool *more);

#endif /* PL_CONNECTIONS_H */
