/* SPDX-License-Identifier: GPL-2.0-or-later */
/* upper.h - the upper layer of a message of a connection. */
#ifndef IBWIRE_TRACK_UPPER_H
#define IBWIRE_TRACK_UPPER_H

#include <ibwire/ulp.h>

struct track_ulp_of;

/* What ibw_ulp_walk() has to be told of the message that a packet begins. */
struct track_upper {
	uint8_t ulp; /* enum ibw_ulp; IBW_ULP_NONE: the packet begins none, or nobody knows of which upper layer */
	uint8_t flags; /* enum ibw_ulp_flags */
	uint32_t
		len; /* of the message; TRACK_ULP_LONG: it goes on in further packets, which are not looked at */
	/* The commands that it answers, or that the RDMA READ or WRITE is for: if they are wanted; until the next packet. */
	const struct track_ulp_of *of;
	uint8_t n_of;
};

#define TRACK_ULP_LONG (UINT32_C(1) << 30)

#endif /* IBWIRE_TRACK_UPPER_H */
