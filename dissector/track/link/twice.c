/* SPDX-License-Identifier: GPL-2.0-or-later */
/* twice.c - finds equal packets, and the hosts that they belong to. */
#include <glib.h>

#include <ibwire/ibwire.h>

#include "track/base/fnv.h"
#include "track/base/table.h"
#include "twice_hosts.h"

/* Pairs of hosts that have equal packets: of others none is taken for a copy. 700 bytes each. */
#define PAIRS_MAX 1024u

/* Keys of equal packets, with what all of them looked like. */
#define SEEN_MAX 65536u
#define LOOKS 3

/* Bytes from the BTH on that tell a packet from others where its ICRC is not there: the BTH and the largest header after it. */
#define HEADER_BYTES 40u

/* No holes: compared as bytes. */
struct pair_key {
	uint8_t low[16], high[16];
	uint64_t address; /* enum track_address */
};

struct seen_at {
	uint64_t ns;
	uint32_t frame;
};

/* All packets with one key; the first look is that of the first one. */
struct seen {
	uint32_t look[LOOKS];
	uint32_t n[LOOKS];
	struct seen_at
		once; /* the last one that looks so, if every second one of those is a copy */
	struct seen_at first; /* if none of those is */
};

struct track_twice_hosts {
	struct track_table *pairs; /* struct pair_key -> struct track_twice_pair */
	struct track_table *seen;  /* uint32_t -> struct seen */
	uint32_t watched;          /* pairs that are not decided */
	uint64_t frame;            /* the last one, while some are not */
};

static struct track_twice_bucket *buckets_new(uint32_t n)
{
	return g_new0(struct track_twice_bucket, n);
}

struct track_twice *track_twice_new(void)
{
	struct track_twice *t = g_new0(struct track_twice, 1);

	t->bucket = buckets_new(TRACK_TWICE_BUCKETS);
	t->mask = TRACK_TWICE_BUCKETS - 1;
	return t;
}

void track_twice_free(struct track_twice *t)
{
	if (!t)
		return;
	if (t->hosts) {
		track_table_free(t->hosts->pairs);
		track_table_free(t->hosts->seen);
		g_free(t->hosts);
	}
	g_free(t->bucket);
	g_free(t);
}

static bool has_id(const struct ibw_packet *pkt)
{
	return pkt->net != IBW_NO_SPAN && pkt->span[pkt->net].layer == IBW_LAYER_ipv4;
}

/* And the IPv4 identification. */
static uint64_t with_id(uint64_t hash, const struct ibw_packet *pkt)
{
	return track_fnv(hash, (const uint8_t *)ibw_packet_at(pkt, pkt->net) + ibw_ipv4_id_AT / 8,
			 2);
}

/* The key of a TCP segment: the sender numbers what it sends again anew. */
static uint32_t key_of_segment(const struct ibw_packet *pkt)
{
	const struct ibw_span *tcp = &pkt->span[pkt->n_spans - 1u];
	uint32_t end = MIN(pkt->caplen, tcp->off + 16u);
	uint64_t hash = track_fnv_long(TRACK_FNV_BEGIN ^ (pkt->len - tcp->off),
				       pkt->data + tcp->off, end - tcp->off);

	return has_id(pkt) ? (uint32_t)with_id(hash, pkt) | 1 : 0;
}

/* The key of a packet that has no ICRC, or not all of it: what the ICRC would cover as far as it tells packets apart. */
static uint32_t key_of_headers(const struct ibw_packet *pkt)
{
	uint64_t hash = TRACK_FNV_BEGIN;
	uint32_t at, end;

	if (pkt->bth == IBW_NO_SPAN)
		return pkt->n_spans && pkt->span[pkt->n_spans - 1u].layer == IBW_LAYER_tcp
			       ? key_of_segment(pkt)
			       : 0;
	at = pkt->span[pkt->bth].off;
	end = MIN(pkt->caplen, at + HEADER_BYTES);
	hash = track_fnv(hash ^ (pkt->len - at), pkt->data + at, 4);
	hash = track_fnv_long(hash, pkt->data + at + 5, end - at - 5); /* not FECN and BECN */
	return (uint32_t)(has_id(pkt) ? with_id(hash, pkt) : hash) | 1;
}

/* Its MACs, TTL and addresses: who mirrors, and by which way that comes. */
uint64_t track_twice_tunnel_look(const struct ibw_packet *pkt)
{
	uint64_t look = TRACK_FNV_BEGIN;
	unsigned int i;

	for (i = 0; i < pkt->first; i++) {
		const uint8_t *p = ibw_packet_at(pkt, i);

		if (pkt->span[i].layer == IBW_LAYER_eth)
			look = track_fnv(look, p, 12);
		else if (pkt->span[i].layer == IBW_LAYER_ipv4)
			look = track_fnv(track_fnv(look, p + ibw_ipv4_ttl_AT / 8, 1),
					 p + ibw_ipv4_src_AT / 8, 8);
		else if (pkt->span[i].layer == IBW_LAYER_ipv6)
			look = track_fnv(look, p + ibw_ipv6_hop_limit_AT / 8, 1 + 32);
	}
	return look;
}

static struct track_twice_point point_of(const struct ibw_packet *pkt, uint32_t iface,
					 uint32_t look)
{
	struct track_twice_point point = { .look = look,
					   .iface = iface,
					   .vlan = TRACK_TWICE_NO_VLAN };
	unsigned int i;

	if (pkt->eth != IBW_NO_SPAN) {
		memcpy(point.macs, ibw_packet_at(pkt, pkt->eth), sizeof(point.macs));
		point.has_macs = true;
	}
	i = ibw_packet_find(pkt, IBW_LAYER_vlan);
	if (i != IBW_NO_SPAN)
		point.vlan = ibw_vlan_vid(ibw_packet_at(pkt, i));
	if (pkt->net != IBW_NO_SPAN)
		point.ttl = track_twice_ttl(pkt);
	return point;
}

/* More are remembered from the first equal one on: points may lie milliseconds apart. */
static void grow(struct track_twice *t)
{
	struct track_twice_bucket *old = t->bucket;
	uint32_t n = t->mask + 1, i;
	int way;

	t->bucket = buckets_new(TRACK_TWICE_BUCKETS_MAX);
	t->mask = TRACK_TWICE_BUCKETS_MAX - 1;
	for (i = 0; i < n; i++)
		for (way = TRACK_TWICE_WAYS - 1; way >= 0; way--) /* the last ones first again */
			if (old[i].key[way])
				track_twice_keep(&t->bucket[old[i].key[way] & t->mask],
						 old[i].key[way], old[i].look[way],
						 old[i].frame[way], old[i].ns[way]);
	g_free(old);
	t->hosts = g_new0(struct track_twice_hosts, 1);
	t->hosts->pairs = track_table_new(sizeof(struct pair_key), sizeof(struct track_twice_pair),
					  PAIRS_MAX);
	t->hosts->seen = track_table_new(sizeof(uint32_t), sizeof(struct seen), SEEN_MAX);
}

/* The pair of hosts of a packet, and which way it goes; NULL: there is no address, or they are too many. */
static struct track_twice_pair *pair_of(struct track_twice *t, const struct ibw_packet *pkt,
					bool need, unsigned int *way)
{
	struct track_twice_pair *pair;
	struct track_flow flow = { .address = TRACK_ADDRESS_NONE };
	struct pair_key key = { .address = 0 };

	if (!track_flow_addresses_of(pkt, &flow))
		return NULL;
	*way = memcmp(flow.src, flow.dst, sizeof(flow.src)) > 0;
	key.address = flow.address;
	memcpy(key.low, *way ? flow.dst : flow.src, sizeof(key.low));
	memcpy(key.high, *way ? flow.src : flow.dst, sizeof(key.high));
	pair = track_table_get(t->hosts->pairs, &key);
	if (!pair && need && !track_table_full(t->hosts->pairs))
		pair = track_table_add(t->hosts->pairs, &key);
	return pair;
}

/* It has the key of place @i: what it would be a copy of. */
static struct track_twice_equal again(struct track_twice *t, const struct track_twice_bucket *b,
				      unsigned int i, uint32_t look, const struct track_at *at)
{
	struct seen *seen = track_table_need(t->hosts->seen, &b->key[i]);
	struct track_twice_equal e = { .is_equal = true };
	struct seen_at of;

	if (!seen->n[0])
		*seen = (struct seen){ .look = { b->look[i] },
				       .n = { 1 },
				       .once = { b->ns[i], b->frame[i] },
				       .first = { b->ns[i], b->frame[i] } };
	e.frames = (uint32_t)at->frame - b->frame[i];
	e.first_look = seen->look[0];
	e.is_same = look == e.first_look;
	of = e.is_same ? seen->once : seen->first;
	t->of = of.frame;
	e.ns = at->time_ns > of.ns ? at->time_ns - of.ns : of.ns - at->time_ns;
	for (i = 0; i < LOOKS && seen->n[i] && seen->look[i] != look; i++)
		;
	if (i == LOOKS)
		return e;
	seen->look[i] = look;
	e.nth = ++seen->n[i];
	e.is_copy = e.is_same ? seen->n[0] % 2 == 0 : seen->n[i] <= seen->n[0];
	if (e.is_same)
		seen->first = (struct seen_at){ at->time_ns, (uint32_t)at->frame };
	if (e.is_same && !e.is_copy)
		seen->once = seen->first;
	return e;
}

/* Once it is decided, or not any more. */
static void count_watched(struct track_twice *t, bool before, bool after)
{
	t->hosts->watched += after;
	t->hosts->watched -= before;
	t->open = t->hosts->watched > 0;
}

/* Number of the pair, the way and whether it looks the same; 0: it equals none. */
static uint32_t ticket_of(const struct track_twice *t, const struct track_twice_pair *pair,
			  unsigned int way, bool is_same)
{
	return (track_table_number(t->hosts->pairs, pair) + 1) << 2 | way << 1 | is_same;
}

/* Where in its bucket a key is; TRACK_TWICE_WAYS: nowhere. */
static unsigned int place_of(const struct track_twice_bucket *b, uint32_t key)
{
	unsigned int i = 0;

	while (i < TRACK_TWICE_WAYS && b->key[i] != key)
		i++;
	return i;
}

/* A receiver sends CNPs again and again, byte for byte: until something else is equal they show nothing. */
static bool is_usual(const struct track_twice *t, const struct ibw_packet *pkt, bool is_same)
{
	return !t->hosts && pkt->opcode == IBW_OP_CNP && is_same;
}

static enum track_twice_is judge(struct track_twice *t, struct track_twice_pair *pair,
				 unsigned int way, const struct ibw_packet *pkt,
				 const struct track_at *at, const struct track_twice_point *point,
				 const struct track_twice_equal *e, uint32_t *ticket)
{
	bool was_open = t->open, watched = pair->state == TRACK_TWICE_WATCHED;

	if (track_twice_pair_packet(pair, way, pkt, at, point, e))
		*ticket = ticket_of(t, pair, way, e->is_same);
	count_watched(t, watched, !track_twice_pair_decide(pair, at->frame, false));
	if (t->open || was_open)
		return TRACK_TWICE_OPEN;
	return track_twice_is_copy(t, *ticket) ? TRACK_TWICE_COPY : TRACK_TWICE_NEW;
}

enum track_twice_is track_twice_look(struct track_twice *t, struct track_view *view,
				     const struct track_at *at, uint32_t iface, uint32_t key,
				     uint32_t *ticket)
{
	const enum track_twice_is other = t->open ? TRACK_TWICE_OPEN : TRACK_TWICE_NEW;
	const struct ibw_packet *pkt = &view->pkt;
	const uint32_t look = track_twice_look_of(pkt, iface);
	struct track_twice_equal e = { .is_equal = false };
	struct track_twice_pair *pair = NULL;
	struct track_twice_point point;
	struct track_twice_bucket *b;
	unsigned int way = 0, i;

	*ticket = 0;
	if (t->hosts)
		t->hosts->frame = at->frame;
	if (!key)
		key = key_of_headers(pkt);
	if (!key)
		return other;
	b = &t->bucket[key & t->mask];
	i = place_of(b, key);
	e.is_equal = i < TRACK_TWICE_WAYS;
	if (e.is_equal && is_usual(t, pkt, b->look[i] == look))
		return TRACK_TWICE_NEW;
	if (e.is_equal && !t->hosts) {
		grow(t);
		b = &t->bucket[key & t->mask];
		i = place_of(b, key);
	}
	if (e.is_equal || (t->hosts && t->open))
		pair = pair_of(t, pkt, e.is_equal, &way);
	/* Most that is retransmitted is of hosts of which it is known that they are captured once. */
	if (e.is_equal && pair && !t->open && track_twice_pair_rests(pair))
		return TRACK_TWICE_NEW;
	if (e.is_equal) {
		e = again(t, b, i, look, at);
		t->unequal = 0;
		t->sparse = 0;
	} else {
		track_twice_keep(b, key, look, (uint32_t)at->frame, at->time_ns);
	}
	if (!pair)
		return other;
	point = point_of(pkt, iface, look);
	return judge(t, pair, way, pkt, at, &point, &e, ticket);
}

/* Whose packets are too few goes by what others show. */
static void follow(struct track_twice *t)
{
	struct track_twice_pair *pair;
	bool other = false;
	uint64_t same_ns = 0;

	for (pair = track_table_next(t->hosts->pairs, NULL); pair;
	     pair = track_table_next(t->hosts->pairs, pair)) {
		if (pair->state != TRACK_TWICE_IS)
			continue;
		other |= pair->drops_other;
		if (pair->way[0].drops_same || pair->way[1].drops_same)
			same_ns = MAX(same_ns, pair->most_ns);
	}
	for (pair = track_table_next(t->hosts->pairs, NULL); pair;
	     pair = track_table_next(t->hosts->pairs, pair)) {
		track_twice_pair_follow(pair, t->hosts->frame, other, same_ns);
		track_twice_pair_decide(pair, t->hosts->frame, true);
	}
}

void track_twice_decide(struct track_twice *t)
{
	if (!t->open)
		return;
	follow(t);
	t->hosts->watched = 0;
	t->open = false;
}

bool track_twice_is_copy(const struct track_twice *t, uint32_t ticket)
{
	const struct track_twice_pair *pair;

	if (!ticket)
		return false;
	pair = track_table_at(t->hosts->pairs, (ticket >> 2) - 1);
	return track_twice_pair_drops(pair, ticket >> 1 & 1, ticket & 1);
}

/* How the two points of a pair differ, by the direction that has more copies. */
static void find_points(const struct track_twice_pair *pair, struct track_twice_point point[2])
{
	const struct track_twice_way *a = &pair->way[0], *b = &pair->way[1];
	const struct track_twice_way *w = a->other >= b->other ? a : b;
	unsigned int i;

	if (!pair->drops_other)
		return;
	for (i = 0; i < w->n_points; i++) {
		if (w->point[i].look == w->first_look)
			point[0] = w->point[i];
		if (w->point[i].look == w->copy_look)
			point[1] = w->point[i];
	}
}

struct track_twice_found track_twice_find(const struct track_twice *t)
{
	const struct track_twice_pair *pair, *most = NULL;
	struct track_twice_found found = { .copies = 0 };
	const struct pair_key *key;

	if (!t->hosts)
		return found;
	for (pair = track_table_next(t->hosts->pairs, NULL); pair;
	     pair = track_table_next(t->hosts->pairs, pair)) {
		uint64_t copies = track_twice_pair_copies(pair);

		if (!copies)
			continue;
		found.pairs++;
		found.copies += copies;
		if (copies > found.of_pair) {
			found.of_pair = copies;
			most = pair;
		}
	}
	if (!most)
		return found;
	key = track_table_key(t->hosts->pairs, most);
	memcpy(found.flow.src, key->low, sizeof(key->low));
	memcpy(found.flow.dst, key->high, sizeof(key->high));
	found.flow.address = (uint8_t)key->address;
	found.frame = most->frame;
	found.least_ns = most->least_ns;
	found.most_ns = most->most_ns;
	find_points(most, found.point);
	return found;
}
