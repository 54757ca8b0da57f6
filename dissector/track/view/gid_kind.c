/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gid_kind.c - what kind of address a sender has. */
#include <ibwire/ibwire.h>

#include "gid_kind.h"

#define DEFAULT_PREFIX 0xfe80000000000000u

const char *track_gid_kind_name(enum track_gid_kind kind)
{
	static const char *const names[] = {
#define TRACK_GID_KIND(id, name) [TRACK_GID_##id] = (name),
		TRACK_GID_KINDS(TRACK_GID_KIND)
	};

	return names[kind];
}

static enum track_gid_kind of_ipv6(const uint8_t gid[16])
{
	if (!ibw_get_be64(gid) && ibw_get_be32(gid + 8) == 0xffff)
		return TRACK_GID_IPV4_MAPPED;
	if ((ibw_get_be16(gid) & 0xffc0) == 0xfe80)
		return TRACK_GID_LINK_LOCAL;
	return (gid[0] & 0xfe) == 0xfc ? TRACK_GID_UNIQUE_LOCAL : TRACK_GID_GLOBAL;
}

enum track_gid_kind track_gid_kind_of(const struct track_flow *flow, bool native)
{
	if (flow->address == TRACK_ADDRESS_LID)
		return TRACK_GID_LID;
	if (!native)
		return of_ipv6(flow->src);
	return ibw_get_be64(flow->src) == DEFAULT_PREFIX ? TRACK_GID_IB_DEFAULT
							 : TRACK_GID_IB_PREFIX;
}
