/* SPDX-License-Identifier: GPL-2.0-or-later */
/* connections.c - how many connections a capture shows. */
#include <string.h>

#include <glib.h>

#include <ibwire/ibwire.h>

#include "connections.h"

#define SLOTS_FIRST 256 /* a power of two */

/*
 * Either a flow, or a pair of hosts: then the flow's destination QP is NO_QP, the
 * smaller address comes first, and n counts flows in that direction and the other.
 */
struct entry {
	struct track_flow key;
	uint32_t n[2];
};

#define NO_QP 0xffffffffu

/* Where the entry is that has this hash; number 0 is an empty slot. */
struct slot {
	uint32_t hash;
	uint32_t number; /* its index, plus one */
};

/*
 * A flow that is in the table, as it stands in the packet: found without making a
 * struct track_flow of it, which with short packets is a fifth of all work.
 */
struct recent {
	uint8_t addresses[32]; /* source and destination, 4 or 16 bytes each */
	uint32_t qp;           /* service << 24 | destination QP */
	uint32_t bytes;        /* of addresses: 8 or 32; 0: empty */
};

#define RECENT 128

struct pl_connections {
	struct slot *slots; /* open addressing, at most half full */
	uint32_t mask;
	unsigned int max;
	GArray *entries;
	uint64_t count;
	bool more;
	struct recent recent[RECENT];
};

struct pl_connections *pl_connections_new(unsigned int max)
{
	struct pl_connections *c = g_new0(struct pl_connections, 1);

	c->max = max;
	c->mask = SLOTS_FIRST - 1;
	c->slots = g_new0(struct slot, SLOTS_FIRST);
	c->entries = g_array_new(FALSE, FALSE, sizeof(struct entry));
	return c;
}

void pl_connections_free(struct pl_connections *c)
{
	if (!c)
		return;
	g_array_unref(c->entries);
	g_free(c->slots);
	g_free(c);
}

static struct entry *entry_at(const struct pl_connections *c, uint32_t number)
{
	return &g_array_index(c->entries, struct entry, number - 1);
}

/* The slot of @key, or the empty one it belongs into. */
static struct slot *slot_of(const struct pl_connections *c, const struct track_flow *key,
			    uint32_t hash)
{
	uint32_t i = hash & c->mask;

	while (c->slots[i].number &&
	       (c->slots[i].hash != hash ||
		!track_flow_equal(&entry_at(c, c->slots[i].number)->key, key)))
		i = (i + 1) & c->mask;
	return &c->slots[i];
}

static void grow(struct pl_connections *c)
{
	uint32_t n = c->mask + 1, i, j;
	struct slot *old = c->slots;

	c->mask = 2 * n - 1;
	c->slots = g_new0(struct slot, 2 * (gsize)n);
	for (i = 0; i < n; i++) {
		if (!old[i].number)
			continue;
		for (j = old[i].hash & c->mask; c->slots[j].number; j = (j + 1) & c->mask)
			continue;
		c->slots[j] = old[i];
	}
	g_free(old);
}

/* The entry of @key, made if it is not there; @made says so. NULL: no room. */
static struct entry *entry_of(struct pl_connections *c, const struct track_flow *key, uint32_t hash,
			      bool *made)
{
	struct slot *slot = slot_of(c, key, hash);
	struct entry entry = { *key, { 0, 0 } };

	*made = !slot->number;
	if (slot->number)
		return entry_at(c, slot->number);
	if (c->entries->len >= c->max) {
		c->more = true;
		return NULL;
	}
	g_array_append_val(c->entries, entry);
	slot->hash = hash;
	slot->number = c->entries->len;
	if (c->entries->len > c->mask / 2)
		grow(c);
	return entry_at(c, c->entries->len);
}

/* A flow that was not seen before: is it one more than its pair of hosts had either way? */
static void new_flow(struct pl_connections *c, const struct track_flow *flow)
{
	struct track_flow hosts = *flow;
	int order = memcmp(flow->src, flow->dst, sizeof(flow->src));
	struct entry *pair;
	bool made;

	hosts.dqpn = NO_QP;
	if (order > 0) {
		memcpy(hosts.src, flow->dst, sizeof(hosts.src));
		memcpy(hosts.dst, flow->src, sizeof(hosts.dst));
	}
	pair = entry_of(c, &hosts, track_flow_hash(&hosts), &made);
	if (!pair)
		return;
	pair->n[order > 0]++;
	if (order == 0) /* a host to itself: both flows go the same way */
		c->count += pair->n[0] % 2;
	else if (pair->n[order > 0] > pair->n[order < 0])
		c->count++;
}

/* Whether the flow was met lately; if not, it takes the place of one that was. */
static bool met(struct pl_connections *c, const uint8_t *addresses, uint32_t bytes, uint32_t qp)
{
	struct recent *recent = &c->recent[(qp + addresses[bytes - 1]) % RECENT];

	if (recent->qp == qp && recent->bytes == bytes &&
	    memcmp(recent->addresses, addresses, bytes == 8 ? 8 : 32) == 0)
		return true;
	memcpy(recent->addresses, addresses, bytes);
	recent->qp = qp;
	recent->bytes = bytes;
	return false;
}

static bool met_lately(struct pl_connections *c, const struct ibw_packet *pkt)
{
	const struct ibw_bth_wire *bth = ibw_packet_at(pkt, pkt->bth);
	uint32_t qp = (uint32_t)(pkt->opcode & IBW_SERVICE_MASK) << 24 | ibw_bth_dqpn(bth);
	const uint8_t *net;

	if (pkt->net == IBW_NO_SPAN)
		return false;
	net = ibw_packet_at(pkt, pkt->net);
	if (pkt->span[pkt->net].layer == IBW_LAYER_ipv4)
		return met(c, net + ibw_ipv4_src_AT / 8, 8, qp);
	IBW_STATIC_ASSERT((int)ibw_ipv6_src_AT == (int)ibw_grh_sgid_AT,
			  "addresses of IPv6 and GRH");
	return met(c, net + ibw_ipv6_src_AT / 8, 32, qp);
}

/* Services with a connection: UD has none, and CNP's packets go to a QP of another service. */
static bool connected(uint8_t opcode)
{
	switch (opcode & IBW_SERVICE_MASK) {
	case IBW_SERVICE_RC:
	case IBW_SERVICE_UC:
	case IBW_SERVICE_RD:
	case IBW_SERVICE_XRC:
		return true;
	default:
		return false;
	}
}

void pl_connections_packet(struct pl_connections *c, const struct ibw_packet *pkt)
{
	struct track_flow flow;
	bool made;

	if (!connected(pkt->opcode) || met_lately(c, pkt) || !track_flow_of(pkt, &flow))
		return;
	if (entry_of(c, &flow, track_flow_hash(&flow), &made) && made)
		new_flow(c, &flow);
}

uint64_t pl_connections_count(const struct pl_connections *c, bool *more)
{
	*more = c->more;
	return c->count;
}
