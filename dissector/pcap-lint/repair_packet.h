/* SPDX-License-Identifier: GPL-2.0-or-later */
/* repair_packet.h - one packet made right. */
#ifndef PL_REPAIR_PACKET_H
#define PL_REPAIR_PACKET_H

#include <glib.h>

#include <ibwire/packet.h>

/* One field that was wrong. */
struct pl_change {
	enum ibw_layer layer; /* of icrc and vcrc: that of the BTH or LRH */
	const char *field;
	uint32_t was, is;
};

/* LRH, GRH; two IPv4, IPv6 and UDP each; BTH; ICRC, VCRC, FCS */
#define PL_CHANGES_MAX 24

struct pl_repaired {
	GByteArray *bytes; /* the packet as it should be; the caller's */
	struct pl_change change[PL_CHANGES_MAX];
	unsigned int n_changes;
};

/*
 * Fills in ->bytes and the changes; none: the packet was right, or nothing can be known
 * of it, and ->bytes are those it has. Where the lengths of several headers disagree, the
 * packet ends where the walk says: at the first of them.
 */
void pl_repair_packet(struct pl_repaired *r, const struct ibw_packet *pkt, uint8_t fcs_len);

#endif /* PL_REPAIR_PACKET_H */
