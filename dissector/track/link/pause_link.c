/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pause_link.c - the pauses of each link, and the packets that go there. */
#include <glib.h>

#include <ibwire/ibwire.h>

#include "mac.h"
#include "pause.h"
#include "pause_link.h"

#define CLASSES (TRACK_PRIORITIES + 1)

struct sender {
	uint64_t mac;
	uint32_t iface;
	bool station;            /* packets have its address */
	uint64_t latest;         /* of until[] */
	uint64_t until[CLASSES]; /* 0: not paused yet */
};

struct interface {
	uint64_t mac[2]; /* that all packets have; 0: there is none */
	uint32_t iface;
};

struct track_pause_links {
	uint64_t now; /* the latest time of a frame */
	unsigned int n_senders, n_interfaces;
	struct sender sender[TRACK_PAUSE_LINK_SENDERS];
	struct interface interface[TRACK_PAUSE_LINK_INTERFACES];
};

struct track_pause_links *track_pause_links_new(void)
{
	return g_new0(struct track_pause_links, 1);
}

void track_pause_links_free(struct track_pause_links *t)
{
	g_free(t);
}

static struct sender *sender_of(struct track_pause_links *t, uint64_t mac, uint32_t iface)
{
	struct sender *s;

	for (s = t->sender; s < t->sender + t->n_senders; s++)
		if (s->mac == mac && s->iface == iface)
			return s;
	if (t->n_senders == TRACK_PAUSE_LINK_SENDERS)
		return NULL;
	t->n_senders++;
	s->mac = mac;
	s->iface = iface;
	return s;
}

void track_pause_links_feed(struct track_pause_links *t, const struct ibw_packet *pkt,
			    uint32_t iface, uint64_t speed, uint64_t time_ns)
{
	uint16_t quanta[TRACK_PRIORITIES];
	unsigned int asked = track_pause_of(pkt, quanta), i;
	struct sender *s;

	s = asked ? sender_of(t, track_mac_at(ibw_eth_src(IBW_KNOWN(pkt, eth))), iface) : NULL;
	if (!s)
		return;
	t->now = MAX(t->now, time_ns);
	for (i = 0; i < CLASSES; i++) {
		uint16_t units = quanta[i % TRACK_PRIORITIES];

		if (!(asked >> i & 1))
			continue;
		if (units)
			s->until[i] = t->now +
				      track_pause_ns(units, speed ? speed : TRACK_PAUSE_LINK_SPEED);
		else
			s->until[i] = MIN(s->until[i], t->now);
		s->latest = MAX(s->latest, s->until[i]);
	}
}

/* Classes that @s pauses, or did until just now. */
static unsigned int paused_by(const struct track_pause_links *t, const struct sender *s)
{
	unsigned int classes = 0, i;

	if (t->now > s->latest + TRACK_PAUSE_LINK_SOON_NS)
		return 0;
	for (i = 0; i < CLASSES; i++)
		if (s->until[i] && t->now <= s->until[i] + TRACK_PAUSE_LINK_SOON_NS)
			classes |= 1u << i;
	return classes;
}

static bool is_one_of(uint64_t mac, uint64_t src, uint64_t dst)
{
	return mac == src || mac == dst;
}

/* Whether it is the port of one host, as far as its packets since the first pause frame show. */
static bool is_of_one_host(struct track_pause_links *t, uint32_t iface, uint64_t src, uint64_t dst)
{
	struct interface *n;

	for (n = t->interface; n < t->interface + t->n_interfaces; n++)
		if (n->iface == iface)
			break;
	if (n == t->interface + TRACK_PAUSE_LINK_INTERFACES)
		return false;
	if (n == t->interface + t->n_interfaces) {
		t->n_interfaces++;
		*n = (struct interface){ { src, dst }, iface };
	}
	n->mac[0] = is_one_of(n->mac[0], src, dst) ? n->mac[0] : 0;
	n->mac[1] = is_one_of(n->mac[1], src, dst) ? n->mac[1] : 0;
	return n->mac[0] || n->mac[1];
}

/* Classes that are paused on the link of a packet from @src to @dst. */
static unsigned int paused_between(struct track_pause_links *t, uint32_t iface, uint64_t src,
				   uint64_t dst)
{
	unsigned int classes = 0, by_switch = 0;
	struct sender *s;

	for (s = t->sender; s < t->sender + t->n_senders; s++) {
		if (s->iface != iface)
			continue;
		if (is_one_of(s->mac, src, dst)) {
			s->station = true;
			classes |= paused_by(t, s);
		} else if (!s->station) {
			by_switch |= paused_by(t, s);
		}
	}
	return is_of_one_host(t, iface, src, dst) ? classes | by_switch : classes;
}

void track_pause_links_packet(struct track_pause_links *t, struct track_packet *p,
			      const struct ibw_packet *pkt, uint32_t iface)
{
	const struct ibw_eth_wire *eth = IBW_AT(pkt, eth);
	unsigned int classes, own;

	if (!eth)
		return;
	t->now = MAX(t->now, p->at.time_ns);
	classes = paused_between(t, iface, track_mac_at(ibw_eth_src(eth)),
				 track_mac_at(ibw_eth_dst(eth)));
	own = p->tag == TRACK_NO_TAG ? (1u << TRACK_PRIORITIES) - 1 : 1u << (p->tag >> 13);
	if (classes & (own | 1u << TRACK_PAUSE_GLOBAL))
		p->flags |= TRACK_PACKET_PAUSED;
	if (classes >> TRACK_PAUSE_GLOBAL & 1)
		p->flags |= TRACK_PACKET_ALL_PAUSED;
}
