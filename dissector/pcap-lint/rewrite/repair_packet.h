/* SPDX-License-Identifier: GPL-2.0-or-later */
/* repair_packet.h - corrects one packet. */
#ifndef PL_REPAIR_PACKET_H
#define PL_REPAIR_PACKET_H

#include <glib.h>

#include <ibwire/packet.h>

#include "capture/capture.h"

/* One field that was wrong. CRCs have the order of their bytes on the wire, as in findings. */
struct pl_change {
	enum ibw_layer
		layer; /* of pad and icrc that of the BTH, of vcrc the LRH, of fcs Ethernet */
	const char *field;
	uint32_t was, is;
	uint8_t digits; /* hexadecimal ones to print at least */
	bool added;     /* it was not there at all */
};

/* LRH, GRH; two IPv4, IPv6 and UDP each; BTH; ERF; pad, ICRC, VCRC, FCS */
#define PL_CHANGES_MAX 24

struct pl_repaired {
	GByteArray *bytes; /* the packet as it should be; the caller's */
	struct pl_change change[PL_CHANGES_MAX];
	unsigned int n_changes;
	char left
		[160]; /* why a packet of RDMA was left as it is, or what of any is missing; "": neither */
};

/*
 * Fills in ->bytes, and the changes or why there are none to be made: ->bytes are those the
 * packet has then. Neither: it was right, or is no RDMA.
 *
 * Where lengths contradict each other or the frame, the packet ends where its ICRC is right;
 * if that is nowhere, where the walk says: at the first of the lengths.
 */
void pl_repair_packet(struct pl_repaired *r, const struct capture_packet *record,
		      const struct ibw_walk_options *walk);

#endif /* PL_REPAIR_PACKET_H */
