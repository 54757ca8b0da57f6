/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gid_kind.h - what kind of address a sender has: which row of its GID table it uses.
 *
 * IPv6 prefixes: RFC 4291, 2.4, and RFC 4193; the default prefix of a subnet: IBTA vol 1, 4.1.1.
 */
#ifndef IBWIRE_TRACK_GID_KIND_H
#define IBWIRE_TRACK_GID_KIND_H

#include <stdbool.h>

#include "track/base/flow.h"

#define TRACK_GID_KINDS(KIND)                                                                      \
	KIND(LID, "lid")                                                                           \
	KIND(IB_DEFAULT, "ib-default")                                                             \
	KIND(IB_PREFIX, "ib-prefix")                                                               \
	KIND(IPV4_MAPPED, "ipv4-mapped")                                                           \
	KIND(LINK_LOCAL, "link-local")                                                             \
	KIND(UNIQUE_LOCAL, "unique-local")                                                         \
	KIND(GLOBAL, "global")

enum track_gid_kind {
#define TRACK_GID_KIND(id, name) TRACK_GID_##id,
	TRACK_GID_KINDS(TRACK_GID_KIND)
#undef TRACK_GID_KIND
};

/* Of the sender; @flow: as in struct track_packet. */
enum track_gid_kind track_gid_kind_of(const struct track_flow *flow, bool native);
const char *track_gid_kind_name(enum track_gid_kind kind);

#endif /* IBWIRE_TRACK_GID_KIND_H */
