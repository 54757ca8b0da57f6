/* SPDX-License-Identifier: GPL-2.0-or-later */
/* arp.c - ARP about the addresses of RoCE. */
#include <glib.h>

#include <ibwire/ibwire.h>

#include "arp.h"
#include "mac.h"
#include "track/base/flow.h"
#include "track/base/table.h"

/* An answer comes within this of its request. What is sent later than this to the MAC before was not on its way. */
#define ANSWER_NS 1000000000u
#define LATE_NS 1000000000u

/* Fewer packets to the MAC before are not told. */
#define LATE_MIN 3u

#define EVERYBODY 0u

/* The last request for an address. */
struct asked {
	uint64_t frame, ns;
	uint64_t mac, answer; /* of the first answer, and its frame; 0: none yet */
	uint32_t by;
};

/* A request that two MACs answered; frame 0: there was none. */
struct both {
	uint64_t frame, ns; /* of the second answer */
	uint64_t asked, answer;
	uint64_t mac[2];
	uint32_t times;
};

/* Where it is, as was said last, and where it was before; 0: not known. */
struct place {
	uint64_t mac, frame, ns;
	uint64_t old;
	uint32_t heard_by;
};

/* Packets that went to where it was before. */
struct late {
	struct track_flow flow;
	uint64_t n, frame, ns, last_ns;
	struct place place; /* as was said before the first of them */
	bool from_old;      /* it sends from there itself */
};

struct named {
	struct track_flow flow; /* of a packet of RoCE from or to it; all 0: there was none */
	struct asked asked;
	struct both both;
	struct place place;
	struct late late;
};

struct track_arps {
	struct track_events *events;
	struct track_table *named; /* struct track_arp_key -> struct named */
	uint32_t finished;
};

struct track_arps *track_arps_new(struct track_events *events)
{
	struct track_arps *t = g_new0(struct track_arps, 1);

	t->events = events;
	return t;
}

void track_arps_free(struct track_arps *t)
{
	if (t)
		track_table_free(t->named);
	g_free(t);
}

uint64_t track_arps_evicted(const struct track_arps *t)
{
	return t->named ? track_table_evicted(t->named) : 0;
}

static struct named *named_of(struct track_arps *t, const struct track_arp_key *key)
{
	if (!t->named)
		t->named = track_table_new(sizeof(*key), sizeof(struct named), TRACK_ARPS_MAX);
	return track_table_need(t->named, key);
}

static void asks(struct asked *asked, uint32_t by, const struct track_at *at)
{
	*asked = (struct asked){ .frame = at->frame, .ns = at->time_ns, .by = by };
}

/* To one request. An address may move from one MAC to another between two of them. */
static void answers(struct named *n, uint32_t to, uint64_t mac, const struct track_at *at)
{
	struct asked *asked = &n->asked;

	if (!asked->frame || asked->by != to || at->time_ns > asked->ns + ANSWER_NS)
		return;
	if (!asked->mac) {
		asked->mac = mac;
		asked->answer = at->frame;
	} else if (asked->mac != mac) {
		if (!n->both.frame)
			n->both = (struct both){ .frame = at->frame,
						 .ns = at->time_ns,
						 .asked = asked->frame,
						 .answer = asked->answer,
						 .mac = { asked->mac, mac } };
		n->both.times++;
		asked->frame = 0;
	}
}

/* True: this is news. What was told late enough of the one before is kept. */
static bool is_at(struct named *n, uint64_t mac, uint32_t heard_by, uint64_t before,
		  const struct track_at *at)
{
	struct place *place = &n->place;

	if (place->mac == mac && (place->heard_by == EVERYBODY || place->heard_by == heard_by))
		return false;
	if (place->mac != mac) {
		place->old = place->mac ? place->mac : before;
		if (place->old == mac)
			place->old = 0;
	}
	place->mac = mac;
	place->frame = at->frame;
	place->ns = at->time_ns;
	place->heard_by = heard_by;
	if (n->late.n < LATE_MIN)
		n->late = (struct late){ 0 };
	return true;
}

/* The bit of a MAC address that is of a group. */
static bool is_group(uint64_t mac)
{
	return mac >> 40 & 1;
}

bool track_arps_feed(struct track_arps *t, const struct ibw_packet *pkt,
		     const struct track_arp_key *sender, uint64_t before, const struct track_at *at)
{
	const struct ibw_arp_wire *arp = IBW_AT(pkt, arp);
	const struct ibw_eth_wire *eth = IBW_AT(pkt, eth);
	struct track_arp_key target = *sender;
	uint64_t mac;
	bool to_all;

	if (!arp || !eth || ibw_arp_htype(arp) != IBW_ARP_HTYPE_ETHERNET ||
	    ibw_arp_ptype(arp) != IBW_ETHERTYPE_IPV4)
		return false;
	mac = track_mac_at(ibw_arp_sha(arp));
	target.address = ibw_arp_tpa(arp);
	if (!mac || is_group(mac))
		return false;
	to_all = is_group(track_mac_at(ibw_eth_dst(eth)));
	if (ibw_arp_op(arp) == IBW_ARP_REQUEST && target.address != sender->address)
		asks(&named_of(t, &target)->asked, sender->address, at);
	else if (ibw_arp_op(arp) == IBW_ARP_REPLY && target.address != sender->address)
		answers(named_of(t, sender), target.address, mac, at);
	if (!sender->address) /* it looks whether somebody has that one */
		return false;
	return is_at(named_of(t, sender), mac, to_all ? EVERYBODY : target.address, before, at);
}

static bool is_late(const struct place *place, uint64_t mac, const struct track_at *at)
{
	return mac == place->old && at->time_ns > place->ns + LATE_NS;
}

static void count_late(struct named *n, const struct ibw_packet *pkt, const struct track_at *at)
{
	struct late *late = &n->late;

	if (late->n && late->place.frame != n->place.frame)
		return;
	if (!late->n) {
		late->frame = at->frame;
		late->ns = at->time_ns;
		late->place = n->place;
		track_flow_of(pkt, &late->flow);
	}
	late->n++;
	late->last_ns = at->time_ns;
}

static void seen(struct named *n, const struct ibw_packet *pkt)
{
	if (n->flow.address == TRACK_ADDRESS_NONE)
		track_flow_of(pkt, &n->flow);
}

/* True: what it sends later from where it was is to be seen. */
static bool sent_by(struct named *n, const struct track_arp_packet *p, const struct track_at *at)
{
	seen(n, p->pkt);
	n->late.from_old |= n->place.old && is_late(&n->place, p->src_mac, at);
	return n->place.old && p->src_mac == n->place.old && !n->late.from_old;
}

/* True: so is what goes there. */
static bool sent_to(struct named *n, const struct track_arp_packet *p, const struct track_at *at)
{
	const struct place *place = &n->place;

	seen(n, p->pkt);
	if (!place->old || p->dst_mac != place->old ||
	    (place->heard_by != EVERYBODY && place->heard_by != p->src.address))
		return false;
	if (is_late(place, p->dst_mac, at))
		count_late(n, p->pkt, at);
	return true;
}

bool track_arps_packet(struct track_arps *t, const struct track_arp_packet *p,
		       const struct track_at *at)
{
	struct named *n;
	bool again = false;

	if (!t->named)
		return false;
	n = track_table_get(t->named, &p->src);
	if (n)
		again = sent_by(n, p, at);
	n = track_table_get(t->named, &p->dst);
	if (n)
		again |= sent_to(n, p, at);
	return again;
}

/* The end */

static void tell_both(struct track_arps *t, const struct track_arp_key *key, const struct named *n)
{
	const struct both *both = &n->both;
	const struct track_at at = { .frame = both->frame, .time_ns = both->ns };
	struct track_event *e = track_event_add(t->events, TRACK_EVENT_ADDRESS_ANSWERED, &at);

	if (!e)
		return;
	track_event_cause(e, both->asked);
	track_event_cause(e, both->answer);
	e->flow = n->flow;
	e->number[TRACK_ADDRESS_ANSWERED_mac] = both->mac[0];
	e->number[TRACK_ADDRESS_ANSWERED_other] = both->mac[1];
	e->number[TRACK_ADDRESS_ANSWERED_times] = both->times;
	e->number[TRACK_ADDRESS_ANSWERED_address] = key->address;
}

static void tell_late(struct track_arps *t, const struct late *late)
{
	const struct track_at at = { .frame = late->frame, .time_ns = late->ns };
	struct track_event *e = track_event_add(t->events, TRACK_EVENT_ADDRESS_MOVED, &at);

	if (!e)
		return;
	track_event_cause(e, late->place.frame);
	e->flow = late->flow;
	e->number[TRACK_ADDRESS_MOVED_mac] = late->place.mac;
	e->number[TRACK_ADDRESS_MOVED_old] = late->place.old;
	e->number[TRACK_ADDRESS_MOVED_packets] = late->n;
	e->number[TRACK_ADDRESS_MOVED_ns] = late->last_ns - late->place.ns;
	e->number[TRACK_ADDRESS_MOVED_from_old] = late->from_old;
}

bool track_arps_finish(struct track_arps *t)
{
	const struct named *n = t->finished ? track_table_at(t->named, t->finished - 1) : NULL;

	while (t->named && (n = track_table_next(t->named, n))) {
		if (track_events_room(t->events) < 2)
			return false;
		if (n->both.times && n->flow.address != TRACK_ADDRESS_NONE)
			tell_both(t, track_table_key(t->named, n), n);
		if (n->late.n >= LATE_MIN)
			tell_late(t, &n->late);
		t->finished = track_table_number(t->named, n) + 1;
	}
	return true;
}
