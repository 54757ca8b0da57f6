/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arp.h - ARP about the IP addresses that RoCE uses: which MAC answers for one, and whether packets to it still go to a former
 * MAC.
 *
 * Linux updates a known address from the sender of a request, too. A host does not receive frames that are not addressed to it.
 *
 * Memory is bounded: the least recently seen address is evicted.
 */
#ifndef IBWIRE_TRACK_ARP_H
#define IBWIRE_TRACK_ARP_H

#include <ibwire/packet.h>

#include "track/base/event.h"

/* The largest number of addresses, of 300 bytes each. */
#define TRACK_ARPS_MAX 65536

struct track_arps;

/* Where an address is: ports and VLANs may each have a subnet of the same addresses. No holes. */
struct track_arp_key {
	uint32_t address, iface, vlan;
};

/* A packet of RoCE over IPv4 that no router has passed on. */
struct track_arp_packet {
	const struct ibw_packet *pkt;
	struct track_arp_key src, dst;
	uint64_t src_mac, dst_mac;
};

struct track_arps *track_arps_new(struct track_events *events);
void track_arps_free(struct track_arps *t); /* NULL is fine */

/*
 * @pkt is ARP; @before: the MAC that its sender's packets came from so far, 0: not known. True: from now on, each RoCE
 * packet has to be checked again.
 */
bool track_arps_feed(struct track_arps *t, const struct ibw_packet *pkt,
		     const struct track_arp_key *sender, uint64_t before,
		     const struct track_at *at);

/* True: the next one with the same addresses and MACs has to be checked, too. */
bool track_arps_packet(struct track_arps *t, const struct track_arp_packet *p,
		       const struct track_at *at);

/* The end of the capture. False: there was no room for all events; call it again. */
bool track_arps_finish(struct track_arps *t);

/* The number of evicted addresses. */
uint64_t track_arps_evicted(const struct track_arps *t);

#endif /* IBWIRE_TRACK_ARP_H */
