/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* icrc_masks.h - the lists of masks, and where IPv4 options move them. Private to codec/. */
#ifndef IBWIRE_CODEC_ICRC_MASKS_H
#define IBWIRE_CODEC_ICRC_MASKS_H

#include <ibwire/icrc_masks.h>

/* The bytes of IPv4 options in front of the UDP header; an IHL below 5 counts as 5. */
static inline size_t icrc_ipv4_options(const uint8_t *p)
{
	unsigned int words = p[0] & 0xf;

	return words > ibw_ipv4_BYTES / 4 ? words * 4 - ibw_ipv4_BYTES : 0;
}
#define ICRC_IPV4_OPTIONS_MAX 40

#endif /* IBWIRE_CODEC_ICRC_MASKS_H */
