/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pause_link.h - the pauses that may affect a packet: those of its link, in effect or just over.
 *
 * A pause frame stops the neighbour on the link and is never forwarded. It is of a packet's link if an address of the packet
 * sent it. A port of a switch has an address that no packet shows: its pauses count where all packets of the interface
 * have one address in common, because that is the port of one host. For other interfaces, mirrors of several links, it is
 * unknown.
 */
#ifndef IBWIRE_TRACK_PAUSE_LINK_H
#define IBWIRE_TRACK_PAUSE_LINK_H

#include <ibwire/packet.h>

#include "track/view/packet.h"

/* The largest numbers of senders of pause frames, and of interfaces that have some. */
#define TRACK_PAUSE_LINK_SENDERS 64u
#define TRACK_PAUSE_LINK_INTERFACES 64u

/* What was lost while a queue was paused shows by the next packet that leaves it. */
#define TRACK_PAUSE_LINK_SOON_NS 1000000u

/* An XOFF without an XON on a link of unknown speed ends as it would at the lowest speed of RoCE adapters. */
#define TRACK_PAUSE_LINK_SPEED UINT64_C(10000000000)

struct track_pause_links;

struct track_pause_links *track_pause_links_new(void);
void track_pause_links_free(struct track_pause_links *t); /* NULL is fine */

/* A pause frame of interface @iface, whose link has @speed bits a second; 0: not known. */
void track_pause_links_feed(struct track_pause_links *t, const struct ibw_packet *pkt,
			    uint32_t iface, uint64_t speed, uint64_t time_ns);

/* The packet @p of interface @iface, whose frame is @pkt, gets TRACK_PACKET_PAUSED and TRACK_PACKET_ALL_PAUSED. */
void track_pause_links_packet(struct track_pause_links *t, struct track_packet *p,
			      const struct ibw_packet *pkt, uint32_t iface);

#endif /* IBWIRE_TRACK_PAUSE_LINK_H */
