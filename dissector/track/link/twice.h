/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * twice.h - which packets were captured at two points: two mirrors, merged files, all interfaces at once.
 *
 * A packet is recognised by its ICRC, which covers everything but the fields that switches and routers may change, or, if
 * the ICRC is not captured, by its transport header. That alone does not prove a second capture point: senders retransmit,
 * networks duplicate. Two hosts are captured twice if the later ones of their equal packets differ from the first
 * (interface, MACs, VLAN, TTL), or if nearly all packets of one direction occur twice. For such hosts, the later one of two
 * equal packets is a copy that no tracker should see: from the first equal packet on, the caller holds the packets that it
 * reads until that is decided.
 *
 *	switch (track_twice_feed(t, view, &at, iface, &ticket)) {
 *	case TRACK_TWICE_NEW:  ... everybody sees it ...
 *	case TRACK_TWICE_COPY: ... it only counts ...
 *	case TRACK_TWICE_OPEN: ... keep it, with @ticket ...
 *	}
 *	if (nothing more is kept for some reason)
 *		track_twice_decide(t);
 *	if (!track_twice_is_open(t))
 *		... of what is kept, track_twice_is_copy(t, ticket) ...
 */
#ifndef IBWIRE_TRACK_TWICE_H
#define IBWIRE_TRACK_TWICE_H

#include <string.h>

#include <ibwire/bits.h>
#include <ibwire/packet.h>

#include "track/base/event.h"
#include "track/base/flow.h"
#include "track/view/plain.h"

/* Packets that are remembered under keys that are alike, and how many such keys there are: first, and once two were equal. */
#define TRACK_TWICE_WAYS 4
#define TRACK_TWICE_BUCKETS 4096u
#define TRACK_TWICE_BUCKETS_MAX 65536u

/*
 * After this many packets without two equal ones, only one in eight is checked: by its key, which its copy has, too. The first
 * copies of hosts that a second point sees only after that may be missed.
 */
#define TRACK_TWICE_DENSE 4096u
#define TRACK_TWICE_SPARSE 0x700u

/* The most packets, and the most bytes, that are kept until it is decided. */
#define TRACK_TWICE_AHEAD 16384u
#define TRACK_TWICE_AHEAD_BYTES (8u << 20)

enum track_twice_is { TRACK_TWICE_NEW, TRACK_TWICE_COPY, TRACK_TWICE_OPEN };

/* The last ones come first. */
struct track_twice_bucket {
	uint32_t key[TRACK_TWICE_WAYS]; /* 0: none */
	uint32_t look[TRACK_TWICE_WAYS];
	uint32_t frame[TRACK_TWICE_WAYS]; /* its low bits */
	uint64_t ns[TRACK_TWICE_WAYS];
};

#define TRACK_TWICE_NO_VLAN 4096

/* How one capture point sees the packets of a direction, as far as it matters. */
struct track_twice_point {
	uint32_t look; /* 0: not known */
	uint32_t iface;
	uint16_t vlan; /* TRACK_TWICE_NO_VLAN: none */
	uint8_t ttl;   /* or hop limit; 0: none */
	bool has_macs;
	uint8_t macs[12]; /* destination and source */
};

/* The result for reports: the copies, and the two hosts that have most of them. */
struct track_twice_found {
	uint64_t copies;
	uint64_t pairs;             /* of hosts */
	uint64_t of_pair;           /* copies */
	uint64_t frame;             /* of the first copy of these two */
	uint64_t least_ns, most_ns; /* between a copy and the first one */
	struct track_flow flow;     /* its addresses */
	struct track_twice_point
		point[2]; /* that differ; look 0: they do not, or it is not known */
};

struct track_twice_hosts;

struct track_twice {
	struct track_twice_bucket *bucket;
	uint32_t mask; /* buckets - 1 */
	bool open;     /* the copies of some hosts are not decided */
	uint32_t of;   /* the low bits of the frame that the last equal packet would be a copy of */
	uint32_t unequal; /* packets since the last equal one */
	uint32_t sparse;  /* packets with one of these bits in their key are not checked */
	struct track_twice_hosts *hosts;
};

struct track_twice *track_twice_new(void);
void track_twice_free(struct track_twice *t); /* NULL is fine */

/* The same by what is slow: no ICRC (@key 0), or equal to an earlier one, or while it is open. */
enum track_twice_is track_twice_look(struct track_twice *t, struct track_view *view,
				     const struct track_at *at, uint32_t iface, uint32_t key,
				     uint32_t *ticket);

/* The same of what is around a packet in a tunnel. */
uint64_t track_twice_tunnel_look(const struct ibw_packet *pkt);

/* TTL or hop limit, of a packet with a network header. */
static inline uint8_t track_twice_ttl(const struct ibw_packet *pkt)
{
	const uint8_t *net = ibw_packet_at(pkt, pkt->net);

	_Static_assert((int)ibw_ipv6_hop_limit_AT == (int)ibw_grh_hop_limit_AT, "the same in both");
	return net[(pkt->span[pkt->net].layer == IBW_LAYER_ipv4 ? ibw_ipv4_ttl_AT
								: ibw_ipv6_hop_limit_AT) /
		   8];
}

/* Parts of a look: the two MACs; the VLAN and type before the network header, where that is, and its TTL. */
static inline uint64_t track_twice_of_macs(const uint8_t *macs)
{
	uint64_t word;
	uint32_t half;

	memcpy(&half, macs, sizeof(half));
	memcpy(&word, macs + 4, sizeof(word));
	return (word ^ half) * UINT64_C(0x9e3779b97f4a7c15);
}

static inline uint64_t track_twice_of_net(const uint8_t *net, uint32_t off, uint8_t ttl)
{
	uint32_t half;

	memcpy(&half, net - 4, sizeof(half)); /* VLAN and type, or source and type */
	return half * UINT64_C(0xff51afd7ed558ccd) + ((uint64_t)ttl << 40) + ((uint64_t)off << 48);
}

/* The look of all parts. */
static inline uint32_t track_twice_look_sum(uint32_t iface, uint64_t parts)
{
	const uint64_t look = iface * UINT64_C(0xc2b2ae3d27d4eb4f) + parts;

	return (uint32_t)(look >> 32) | 1; /* 0: not known */
}

/* What distinguishes two points: MACs, VLAN, TTL and interface. */
static inline uint32_t track_twice_look_of(const struct ibw_packet *pkt, uint32_t iface)
{
	uint64_t parts = 0;

	if (pkt->eth != IBW_NO_SPAN) {
		parts = track_twice_of_macs(ibw_packet_at(pkt, pkt->eth));
		if (pkt->net != IBW_NO_SPAN)
			parts += track_twice_of_net(ibw_packet_at(pkt, pkt->net),
						    pkt->span[pkt->net].off, track_twice_ttl(pkt));
	}
	if (__builtin_expect(pkt->flags & IBW_PKT_TUNNEL, 0))
		parts += track_twice_tunnel_look(pkt);
	return track_twice_look_sum(iface, parts);
}

/* The same of a plain packet, from its bytes. */
static inline uint32_t track_twice_look_of_plain(const struct track_plain *p, uint32_t iface)
{
	return track_twice_look_sum(iface, track_twice_of_macs(p->data) +
						   track_twice_of_net(p->data + TRACK_PLAIN_IP,
								      TRACK_PLAIN_IP,
								      p->packet.hop_limit));
}

static inline bool track_twice_has(const struct track_twice_bucket *b, uint32_t key)
{
	return b->key[0] == key || b->key[1] == key || b->key[2] == key || b->key[3] == key;
}

static inline void track_twice_put(uint32_t last[TRACK_TWICE_WAYS], uint32_t value)
{
	last[3] = last[2];
	last[2] = last[1];
	last[1] = last[0];
	last[0] = value;
}

static inline void track_twice_keep(struct track_twice_bucket *b, uint32_t key, uint32_t look,
				    uint32_t frame, uint64_t ns)
{
	track_twice_put(b->key, key);
	track_twice_put(b->look, look);
	track_twice_put(b->frame, frame);
	b->ns[3] = b->ns[2];
	b->ns[2] = b->ns[1];
	b->ns[1] = b->ns[0];
	b->ns[0] = ns;
}

/* One that equals none before is kept; its look is @look. */
static inline void track_twice_new_one(struct track_twice *t, uint32_t key, uint32_t look,
				       const struct track_at *at)
{
	track_twice_keep(&t->bucket[key & t->mask], key, look, (uint32_t)at->frame, at->time_ns);
	if (++t->unequal == TRACK_TWICE_DENSE)
		t->sparse = TRACK_TWICE_SPARSE;
}

/* Whether more is to be asked of a packet: it has no ICRC (@key 0), it may equal an earlier one, or others are undecided. */
static inline bool track_twice_asks(const struct track_twice *t, uint32_t key)
{
	return !key || t->open || track_twice_has(&t->bucket[key & t->mask], key);
}

/* Each packet, in the order of the file. @ticket: of one that is open. */
static inline enum track_twice_is track_twice_feed(struct track_twice *t, struct track_view *view,
						   const struct track_at *at, uint32_t iface,
						   uint32_t *ticket)
{
	struct ibw_crc_verdict icrc;
	uint32_t key;

	icrc = track_view_icrc(view);
	key = icrc.status == IBW_CRC_GOOD || icrc.status == IBW_CRC_BAD ? icrc.computed : 0;
	if (__builtin_expect(key & t->sparse, 1))
		return TRACK_TWICE_NEW;
	if (__builtin_expect(track_twice_asks(t, key), 0))
		return track_twice_look(t, view, at, iface, key, ticket);
	track_twice_new_one(t, key, track_twice_look_of(&view->pkt, iface), at);
	return TRACK_TWICE_NEW;
}

/* The same of a plain one. False: its view is to be asked, and nothing was done; true: it is TRACK_TWICE_NEW. */
static inline bool track_twice_feed_plain(struct track_twice *t, const struct track_plain *p,
					  const struct track_at *at, uint32_t iface)
{
	if (__builtin_expect(p->icrc.computed & t->sparse, 1))
		return true;
	if (__builtin_expect(track_twice_asks(t, p->icrc.computed), 0))
		return false;
	track_twice_new_one(t, p->icrc.computed, track_twice_look_of_plain(p, iface), at);
	return true;
}

static inline bool track_twice_is_open(const struct track_twice *t)
{
	return t->open;
}

/* Whether nothing more is to be kept after @n packets with so many @bytes: it is decided, or there are too many. */
static inline bool track_twice_is_due(const struct track_twice *t, uint64_t n, uint64_t bytes)
{
	return !t->open || n >= TRACK_TWICE_AHEAD || bytes >= TRACK_TWICE_AHEAD_BYTES;
}

/* No more packets follow: decides what is open by the evidence so far. */
void track_twice_decide(struct track_twice *t);

/* Of what was open, once nothing is. */
bool track_twice_is_copy(const struct track_twice *t, uint32_t ticket);

struct track_twice_found track_twice_find(const struct track_twice *t);

#endif /* IBWIRE_TRACK_TWICE_H */
