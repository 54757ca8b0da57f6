/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mac.h - a MAC address as a number, for tables and events. */
#ifndef IBWIRE_TRACK_MAC_H
#define IBWIRE_TRACK_MAC_H

#include <stdint.h>

#include <ibwire/bits.h>

/* The 6 bytes at @at, in the order of the wire: the first is the highest. */
static inline uint64_t track_mac_at(const uint8_t *at)
{
	return (uint64_t)ibw_get_be16(at) << 32 | ibw_get_be32(at + 2);
}

#endif /* IBWIRE_TRACK_MAC_H */
