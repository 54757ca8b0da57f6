/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * view.h - one packet, understood once: headers, CRC verdicts, and what its payload holds.
 *
 * A view is a pure function of the frame's bytes, its link type and the options. It points into
 * those bytes and is valid as long as they are. What costs something is worked out at the first
 * question. The linter, --decode and the plugin see a packet by its view and in no other way.
 *
 *	struct track_view view;
 *
 *	track_view_packet(&view, data, caplen, len, linktype, &options);
 *	mad = track_view_mad(&view);
 *
 * What earlier packets say about this one is not in here: track.h.
 */
#ifndef IBWIRE_TRACK_VIEW_H
#define IBWIRE_TRACK_VIEW_H

#include <ibwire/packet.h>

#include "mad.h"

/* What the payload holds; UNKNOWN: not worked out yet. */
enum track_body { TRACK_BODY_UNKNOWN, TRACK_BODY_NONE, TRACK_BODY_MAD, TRACK_BODY_IPOIB };

/* Where the headers of a plain frame are. It is whole, its lengths agree, IPv4 has no options and the opcode is known. */
enum {
	TRACK_PLAIN_IP = ibw_eth_BYTES,
	TRACK_PLAIN_UDP = TRACK_PLAIN_IP + ibw_ipv4_BYTES,
	TRACK_PLAIN_BTH = TRACK_PLAIN_UDP + ibw_udp_BYTES
};

struct track_view {
	struct ibw_packet pkt;
	/* Ask the functions below for the rest. */
	bool plain; /* Ethernet, IPv4, UDP and BTH, with nothing between them: at TRACK_PLAIN_... */
	bool has_icrc; /* icrc is worked out */
	uint8_t body;  /* enum track_body */
	struct ibw_crc_verdict icrc;
	struct ibw_packet ipoib;
	struct track_mad mad;
};

/* Fills @view; the arguments are those of ibw_packet_walk(). */
void track_view_packet(struct track_view *view, const uint8_t *data, uint32_t caplen, uint32_t len,
		       uint32_t linktype, const struct ibw_walk_options *options);

/* The bytes that the ICRC covers. */
static inline const uint8_t *track_covered(const struct ibw_packet *pkt)
{
	return pkt->data + pkt->cover_off;
}

static inline uint32_t track_covered_bytes(const struct ibw_packet *pkt)
{
	return pkt->icrc_off - pkt->cover_off;
}

/* The verdict on the ICRC. */
static inline struct ibw_crc_verdict track_view_icrc(struct track_view *view)
{
	if (!view->has_icrc) {
		view->icrc = ibw_packet_icrc(&view->pkt);
		view->has_icrc = true;
	}
	return view->icrc;
}

/* Finds out what a datagram holds: view->body. */
void track_view_datagram(struct track_view *view);

/* The MAD in the payload; NULL: there is none. Its header may still be cut: mad->mad is NULL. */
static inline struct track_mad *track_view_mad(struct track_view *view)
{
	if (!(view->pkt.eths & IBW_ETH_DETH))
		return NULL; /* the fast path */
	track_view_datagram(view);
	return view->body == TRACK_BODY_MAD ? &view->mad : NULL;
}

/*
 * The payload as IPoIB: of a datagram by what it looks like or by the group it goes to, in a
 * capture of an IPoIB interface the packet itself. NULL: it is none, or nothing in the packet
 * says so (connected mode).
 */
const struct ibw_packet *track_view_ipoib(struct track_view *view);

/* Takes the payload for IPoIB: earlier packets say that it is. */
void track_view_set_ipoib(struct track_view *view);

#endif /* IBWIRE_TRACK_VIEW_H */
