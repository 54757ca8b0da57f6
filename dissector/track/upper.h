/* SPDX-License-Identifier: GPL-2.0-or-later */
/* upper.h - the upper layer that a message of a connection is of. */
#ifndef IBWIRE_TRACK_UPPER_H
#define IBWIRE_TRACK_UPPER_H

#include <ibwire/ulp.h>

/* What ibw_ulp_walk() has to be told of the message that a packet begins. */
struct track_upper {
	uint8_t ulp; /* enum ibw_ulp; IBW_ULP_NONE: the packet begins none, or nobody knows of which upper layer */
	uint8_t flags; /* enum ibw_ulp_flags */
};

#endif /* IBWIRE_TRACK_UPPER_H */
