/* SPDX-License-Identifier: GPL-2.0-or-later */
/* icmp.h - ICMP errors that quote a RoCE v2 packet: what was dropped, and why. */
#ifndef IBWIRE_TRACK_ICMP_H
#define IBWIRE_TRACK_ICMP_H

#include <ibwire/packet.h>

/* Type, code and checksum, then 4 bytes that depend on the type. */
#define TRACK_ICMP_BYTES 8

struct track_icmp {
	uint32_t off; /* of the error in the packet; what it quotes follows its 8 bytes */
	bool v6;
	uint8_t type, code;
	bool has_mtu;
	uint32_t mtu;             /* that would fit */
	const char *reason;       /* what type and code mean */
	bool cut;                 /* the capture has not all that is quoted */
	struct ibw_packet quoted; /* points into the packet, at off + TRACK_ICMP_BYTES */
};

/* Whether @pkt, walked with @options, is such an error; fills @icmp. */
bool track_icmp_quotes(struct track_icmp *icmp, const struct ibw_packet *pkt,
		       const struct ibw_walk_options *options);

#endif /* IBWIRE_TRACK_ICMP_H */
