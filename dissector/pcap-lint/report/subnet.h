/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * subnet.h - the subnet in --stats: groups, neighbours, subnet management, queries to the SA.
 *
 * Keys, columns and definitions are those of track/base/objects.def. A row added there appears in JSON, in the
 * tables of text and in the man page.
 */
#ifndef PL_SUBNET_H
#define PL_SUBNET_H

#include "pcap-lint/base/columns.h"
#include "report.h"
#include "track/base/subnet.h"
#include "track/link/pause.h"

/* A table of each kind that there is any of, its first @most rows; members only if they are asked for. */
void pl_subnet_each(const struct pl_report *report, const struct track_subnet *s, bool members,
		    unsigned int most, pl_columns_take *table, void *user);

/* "52:54:00:00:07:01" */
#define PL_MAC_TEXT 18
const char *pl_mac_text(uint64_t mac, char buf[PL_MAC_TEXT]);

/* An IPv4 address as such, a GID or an IPv6 address. */
const char *pl_subnet_address(const uint8_t address[16], char buf[TRACK_ADDRESS_TEXT]);

#endif /* PL_SUBNET_H */
