/* SPDX-License-Identifier: GPL-2.0-or-later */
/* macs.c - the MAC addresses of each IP address. */
#include <string.h>

#include <glib.h>

#include <ibwire/ibwire.h>

#include "arp.h"
#include "mac.h"
#include "macs.h"
#include "track/base/flow.h"
#include "track/base/table.h"
#include "track/view/view.h"

/* From A to B, back, and to B again: a failover and its end are two changes. Of those to it fewer are enough. */
#define TURNS_MIN 3u

/* Changes for each that a second capture of a packet makes. */
#define TURNS_A_COPY 4u

/* What was seen last, by a hash of the address; packets of each that a copy may be of. */
#define SLOTS 256u
#define RECENT 32u

/* No holes: compared as bytes. */
struct key {
	uint8_t address[16];
	uint32_t iface;
	uint32_t vlan;
};

/* Of two addresses. */
struct slot {
	uint64_t ends; /* of IPv6 the low bytes alone */
	uint64_t macs; /* with the TTL and the interface: which they are does not show */
	uint32_t n;
	uint32_t packet[RECENT]; /* a ring */
};

enum { FROM, TO, WAYS };

struct address {
	struct track_flow flow; /* of the first packet from the second MAC */
	uint64_t frame[3];      /* from the first MAC, from the second, and from the first again */
	uint64_t time_ns;       /* of the second of them */
	uint64_t mac[2];        /* 0: none yet */
	uint32_t turns[WAYS], copies;
	uint8_t last[WAYS]; /* 1 + which of the two */
};

struct track_macs {
	struct track_events *events;
	struct track_arps *arps;
	struct track_table *addresses; /* struct key -> struct address */
	uint32_t finished;
	struct slot slot[SLOTS];
};

struct track_macs *track_macs_new(struct track_events *events)
{
	struct track_macs *t = g_new0(struct track_macs, 1);

	t->events = events;
	t->arps = track_arps_new(events);
	return t;
}

void track_macs_free(struct track_macs *t)
{
	if (!t)
		return;
	track_arps_free(t->arps);
	track_table_free(t->addresses);
	g_free(t);
}

uint64_t track_macs_evicted(const struct track_macs *t)
{
	return (t->addresses ? track_table_evicted(t->addresses) : 0) + track_arps_evicted(t->arps);
}

/* A packet, and one end of it. */
struct end {
	const struct ibw_packet *pkt;
	const uint8_t *address;
	uint32_t address_bytes;
	uint64_t mac;
	uint32_t iface, vlan;
};

static struct address *address_of(struct track_macs *t, const struct end *end, bool add)
{
	struct key key = { .iface = end->iface, .vlan = end->vlan };

	memcpy(key.address + 16 - end->address_bytes, end->address, end->address_bytes);
	if (!t->addresses && add)
		t->addresses = track_table_new(sizeof(key), sizeof(struct address), TRACK_MACS_MAX);
	if (add)
		return track_table_need(t->addresses, &key);
	return t->addresses ? track_table_get(t->addresses, &key) : NULL;
}

static bool is_copy(const struct slot *slot, uint32_t packet)
{
	uint32_t i, n = MIN(slot->n, RECENT);

	for (i = 0; i < n && slot->packet[i] != packet; i++)
		;
	return i < n;
}

static uint8_t which_of(const struct address *a, uint64_t mac)
{
	return mac == a->mac[0] ? 1 : mac == a->mac[1] ? 2 : 0;
}

/* It sends from a MAC that is not the one before, or nothing is known of it. */
static void from_other(struct address *a, const struct end *end, bool copy,
		       const struct track_at *at)
{
	uint8_t which = which_of(a, end->mac);

	if (!which && a->mac[1])
		return; /* a third */
	if (!which) {
		which = a->mac[0] ? 2 : 1;
		a->mac[which - 1] = end->mac;
		a->frame[which - 1] = at->frame;
		if (which == 2) {
			a->time_ns = at->time_ns;
			track_flow_of(end->pkt, &a->flow);
		}
	}
	if (a->last[FROM] && a->last[FROM] != which) {
		a->copies += copy;
		a->turns[FROM] += !copy;
		if (which == 1 && !a->frame[2])
			a->frame[2] = at->frame;
	}
	a->last[FROM] = which;
}

/* A packet goes to another MAC of it. */
static void to_other(struct address *a, const struct end *end)
{
	uint8_t which = which_of(a, end->mac);

	if (!which)
		return;
	a->turns[TO] += a->last[TO] && a->last[TO] != which;
	a->last[TO] = which;
}

static bool is_as_sent(uint8_t hop_limit)
{
	return hop_limit == 64 || hop_limit == 128 || hop_limit == 255;
}

/* ARP is about IPv4. */
static struct track_arp_key arp_key(const struct end *end)
{
	return (struct track_arp_key){ ibw_get_be32(end->address), end->iface, end->vlan };
}

static uint32_t vlan_of(const struct ibw_packet *pkt)
{
	return pkt->span[pkt->eth + 1].layer == IBW_LAYER_vlan
		       ? ibw_vlan_vid(ibw_packet_at(pkt, pkt->eth + 1u))
		       : 0;
}

/*
 * Addresses or MACs are other than those of the last packet in its slot, or that was to be looked at again; true: so is the next.
 */
static __attribute__((noinline)) bool look(struct track_macs *t, const struct ibw_packet *pkt,
					   uint32_t iface, bool copy, const struct track_at *at)
{
	const uint8_t *eth = ibw_packet_at(pkt, pkt->eth), *ip = ibw_packet_at(pkt, pkt->net);
	bool v4 = pkt->span[pkt->net].layer == IBW_LAYER_ipv4;
	struct end src = { .pkt = pkt, .address_bytes = v4 ? 4 : 16, .iface = iface }, dst;
	struct track_arp_packet packet = { .pkt = pkt };
	struct address *a;

	if (!is_as_sent(v4 ? ibw_ipv4_ttl((const void *)ip) : ibw_ipv6_hop_limit((const void *)ip)))
		return false;
	src.vlan = vlan_of(pkt);
	dst = src;
	src.address = ip + (v4 ? ibw_ipv4_src_AT : ibw_ipv6_src_AT) / 8;
	dst.address = src.address + src.address_bytes;
	src.mac = track_mac_at(eth + ibw_eth_src_AT / 8);
	dst.mac = track_mac_at(eth + ibw_eth_dst_AT / 8);
	if (src.mac)
		from_other(address_of(t, &src, true), &src, copy, at);
	a = address_of(t, &dst, false);
	if (a)
		to_other(a, &dst);
	if (!v4)
		return false;
	packet.src = arp_key(&src);
	packet.dst = arp_key(&dst);
	packet.src_mac = src.mac;
	packet.dst_mac = dst.mac;
	return track_arps_packet(t->arps, &packet, at);
}

#define SCATTER UINT64_C(0x9e3779b97f4a7c15)

/* Nothing but its numbers of a packet is needed, unless addresses or MACs are others. */
struct seen {
	uint64_t ends, macs; /* as in the slot; macs: without those of Ethernet so far */
	uint32_t packet;
};

static inline struct seen over_ipv4(const uint8_t *ip, const uint8_t *bth, uint32_t iface)
{
	return (struct seen){
		.ends = ibw_get_le64(ip + ibw_ipv4_src_AT / 8),
		.macs = (uint64_t)iface << 8 | ip[ibw_ipv4_ttl_AT / 8],
		.packet = ibw_get_be32(bth + ibw_bth_ackreq_AT / 8) ^
			  (uint32_t)ibw_ipv4_id((const void *)ip) << 16,
	};
}

static struct seen over_ipv6(const uint8_t *ip, const uint8_t *bth, uint32_t iface)
{
	return (struct seen){
		.ends = ibw_get_le32(ip + ibw_ipv6_src_AT / 8 + 12) |
			(uint64_t)ibw_get_le32(ip + ibw_ipv6_dst_AT / 8 + 12) << 32,
		.macs = (uint64_t)iface << 8 | ip[ibw_ipv6_hop_limit_AT / 8],
		.packet = ibw_get_be32(bth + ibw_bth_ackreq_AT / 8),
	};
}

static inline struct seen with_macs(struct seen seen, const uint8_t *eth)
{
	seen.macs = (seen.macs << 32 | ibw_get_le32(eth + ibw_eth_src_AT / 8 + 2)) +
		    ibw_get_le64(eth) * SCATTER;
	return seen;
}

static inline struct slot *slot_of(struct track_macs *t, const struct seen *seen)
{
	return &t->slot[(seen->ends * SCATTER) >> 56];
}

static inline bool is_other(const struct slot *slot, const struct seen *seen)
{
	return slot->ends != seen->ends || slot->macs != seen->macs;
}

static void see_other(struct track_macs *t, struct slot *slot, const struct ibw_packet *pkt,
		      uint32_t iface, const struct seen *seen, const struct track_at *at)
{
	bool copy;

	if (slot->ends != seen->ends)
		slot->n = 0;
	copy = is_copy(slot, seen->packet);
	slot->ends = seen->ends;
	slot->macs = look(t, pkt, iface, copy, at) ? ~seen->macs : seen->macs;
}

static inline void keep(struct slot *slot, uint32_t packet)
{
	slot->packet[slot->n++ % RECENT] = packet;
}

/* It is walked only if its addresses or MACs are others. */
static __attribute__((noinline)) void see_other_plain(struct track_macs *t, struct slot *slot,
						      const uint8_t *data, uint32_t len,
						      uint32_t iface, const struct seen *seen,
						      const struct track_at *at)
{
	struct ibw_packet pkt;

	ibw_packet_walk(&pkt, data, len, len, IBW_LINKTYPE_ETHERNET, NULL);
	see_other(t, slot, &pkt, iface, seen, at);
}

void track_macs_plain(struct track_macs *t, const uint8_t *data, uint32_t len, uint32_t iface,
		      const struct track_at *at)
{
	const struct seen seen =
		with_macs(over_ipv4(data + TRACK_PLAIN_IP, data + TRACK_PLAIN_BTH, iface), data);
	struct slot *slot = slot_of(t, &seen);

	if (G_UNLIKELY(is_other(slot, &seen)))
		see_other_plain(t, slot, data, len, iface, &seen, at);
	keep(slot, seen.packet);
}

void track_macs_feed(struct track_macs *t, const struct ibw_packet *pkt, uint32_t iface,
		     const struct track_at *at)
{
	const uint8_t *ip, *bth;
	struct slot *slot;
	struct seen seen;

	if (pkt->proto != IBW_PROTO_ROCEV2 || pkt->eth == IBW_NO_SPAN || pkt->bth == IBW_NO_SPAN ||
	    pkt->flags & IBW_PKT_TUNNEL)
		return;
	ip = ibw_packet_at(pkt, pkt->net);
	bth = ibw_packet_at(pkt, pkt->bth);
	seen = pkt->span[pkt->net].layer == IBW_LAYER_ipv4 ? over_ipv4(ip, bth, iface)
							   : over_ipv6(ip, bth, iface);
	seen = with_macs(seen, ibw_packet_at(pkt, pkt->eth));
	slot = slot_of(t, &seen);
	if (G_UNLIKELY(is_other(slot, &seen)))
		see_other(t, slot, pkt, iface, &seen, at);
	keep(slot, seen.packet);
}

void track_macs_arp(struct track_macs *t, const struct ibw_packet *pkt, uint32_t iface,
		    const struct track_at *at)
{
	const struct ibw_arp_wire *arp = IBW_AT(pkt, arp);
	struct end sender = { .pkt = pkt, .address_bytes = 4, .iface = iface };
	struct track_arp_key key;
	const struct address *a;
	unsigned int i;

	if (!arp || pkt->eth == IBW_NO_SPAN || pkt->flags & IBW_PKT_TUNNEL)
		return;
	sender.address = (const uint8_t *)arp + ibw_arp_spa_AT / 8;
	sender.vlan = vlan_of(pkt);
	key = arp_key(&sender);
	a = address_of(t, &sender, false);
	if (!track_arps_feed(t->arps, pkt, &key, a && a->last[FROM] ? a->mac[a->last[FROM] - 1] : 0,
			     at))
		return;
	for (i = 0; i < SLOTS; i++)
		t->slot[i].macs = ~t->slot[i].macs;
}

static void tell(struct track_macs *t, const struct address *a)
{
	const struct track_at at = { .frame = a->frame[1], .time_ns = a->time_ns };
	struct track_event *e = track_event_add(t->events, TRACK_EVENT_ADDRESS_MACS, &at);

	if (!e)
		return;
	track_event_cause(e, a->frame[0]);
	track_event_cause(e, a->frame[2]);
	e->flow = a->flow;
	e->number[TRACK_ADDRESS_MACS_mac] = a->mac[0];
	e->number[TRACK_ADDRESS_MACS_other] = a->mac[1];
	e->number[TRACK_ADDRESS_MACS_turns] = a->turns[FROM];
	e->number[TRACK_ADDRESS_MACS_turns_to] = a->turns[TO];
}

bool track_macs_finish(struct track_macs *t)
{
	const struct address *a =
		t->finished ? track_table_at(t->addresses, t->finished - 1) : NULL;

	while (t->addresses && (a = track_table_next(t->addresses, a))) {
		if (!track_events_room(t->events))
			return false;
		if (a->turns[FROM] >= TURNS_MIN && TURNS_A_COPY * a->copies <= a->turns[FROM])
			tell(t, a);
		t->finished = track_table_number(t->addresses, a) + 1;
	}
	return track_arps_finish(t->arps);
}
