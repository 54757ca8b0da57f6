/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pause.c - pause frames by interface, sender and priority. */
#include <string.h>

#include <glib.h>

#include <ibwire/ibwire.h>

#include "mac.h"
#include "pause.h"
#include "track/base/subnet.h"
#include "track/base/table.h"

#define QUANTUM_BITS 512u
#define SECOND_NS 1000000000u

/* A storm: so many frames in one second, or paused for more than a tenth of such a time. */
#define STORM_FRAMES 1000u
#define WINDOW_NS 100000000u
#define STORM_NS (WINDOW_NS / 10)

/* No holes: compared as bytes. */
struct key {
	uint8_t mac[6];
	uint16_t zero;
	uint32_t iface;
};

/* One priority of a sender. */
struct paused {
	uint64_t first_frame, first_ns; /* of its first frame; 0: there was none */
	uint64_t since_ns, until_ns;    /* paused; until 0: that is not known */
	uint64_t ns;                    /* as far as known */
	uint64_t xoff, xon, unknown;    /* unknown: XOFFs that nobody knows the time of */
	uint64_t window, window_ns;     /* the last one, and how long it was paused there */
	uint64_t second_ns;             /* when the second began that is counted */
	uint32_t in_second;
	bool is_paused, stormed;
};

struct sender {
	struct paused class[TRACK_PRIORITIES + 1];
};

struct track_pauses {
	struct track_events *events;
	struct track_table *senders; /* struct key -> struct sender */
	uint32_t finished;
};

struct track_pauses *track_pauses_new(struct track_events *events)
{
	struct track_pauses *t = g_new0(struct track_pauses, 1);

	t->events = events;
	return t;
}

void track_pauses_free(struct track_pauses *t)
{
	if (t)
		track_table_free(t->senders);
	g_free(t);
}

uint64_t track_pauses_evicted(const struct track_pauses *t)
{
	return t->senders ? track_table_evicted(t->senders) : 0;
}

static void tell_storm(struct track_pauses *t, const struct key *key, unsigned int class,
		       struct paused *c, const struct track_at *at)
{
	struct track_event *e;

	c->stormed = true;
	e = track_event_add(t->events, TRACK_EVENT_PAUSE_STORM, at);
	if (!e)
		return;
	track_event_cause(e, c->first_frame);
	e->number[TRACK_PAUSE_STORM_mac] = track_mac_at(key->mac);
	e->number[TRACK_PAUSE_STORM_priority] = class;
	e->number[TRACK_PAUSE_STORM_frames] = c->in_second;
	e->number[TRACK_PAUSE_STORM_ns] = c->window_ns;
}

/* It was paused from @since to @until: how much of that was in one window of 100 ms. */
static void add_window(struct paused *c, uint64_t since, uint64_t until)
{
	uint64_t first = since / WINDOW_NS, last = until / WINDOW_NS;

	if (first != c->window)
		c->window_ns = 0;
	c->window = first;
	if (first == last) {
		c->window_ns += until - since;
		return;
	}
	c->window_ns += (first + 1) * WINDOW_NS - since;
	if (last > first + 1)
		c->window_ns = WINDOW_NS;
	else if (c->window_ns <= STORM_NS)
		c->window_ns = until - last * WINDOW_NS;
	else
		return; /* that was a storm, whatever follows */
	c->window = last;
}

/* It was paused up to @now, or up to when the last XOFF ran out. */
static void end_pause(struct paused *c, uint64_t now_ns)
{
	uint64_t until = c->until_ns ? MIN(c->until_ns, now_ns) : now_ns;

	c->is_paused = false;
	if (until <= c->since_ns)
		return;
	c->ns += until - c->since_ns;
	add_window(c, c->since_ns, until);
}

/* Without the speed nobody knows whether an XOFF ran out before the next one. */
static void again(struct paused *c, uint64_t now_ns)
{
	if (!c->until_ns)
		c->unknown++;
	else
		end_pause(c, now_ns);
}

uint64_t track_pause_ns(uint16_t quanta, uint64_t speed)
{
	return (uint64_t)quanta * QUANTUM_BITS * SECOND_NS / speed;
}

static void count_second(struct paused *c, uint64_t now_ns)
{
	if (now_ns < c->second_ns || now_ns - c->second_ns >= SECOND_NS) {
		c->second_ns = now_ns;
		c->in_second = 0;
	}
	c->in_second++;
}

static void feed(struct track_pauses *t, const struct key *key, struct sender *sender,
		 unsigned int class, uint16_t quanta, uint64_t speed, const struct track_at *at)
{
	struct paused *c = &sender->class[class];

	if (!c->first_frame) {
		c->first_frame = at->frame;
		c->first_ns = at->time_ns;
	}
	count_second(c, at->time_ns);
	if (quanta) {
		c->xoff++;
		if (c->is_paused)
			again(c, at->time_ns);
		c->is_paused = true;
		c->since_ns = at->time_ns;
		c->until_ns = speed ? at->time_ns + track_pause_ns(quanta, speed) : 0;
	} else {
		c->xon++;
		if (c->is_paused)
			end_pause(c, at->time_ns);
	}
	if (!c->stormed && (c->in_second > STORM_FRAMES || c->window_ns > STORM_NS))
		tell_storm(t, key, class, c, at);
}

static struct sender *sender_of(struct track_pauses *t, const struct key *key)
{
	if (!t->senders)
		t->senders = track_table_new(sizeof(*key), sizeof(struct sender), TRACK_PAUSES_MAX);
	return track_table_need(t->senders, key);
}

unsigned int track_pause_of(const struct ibw_packet *pkt, uint16_t quanta[TRACK_PRIORITIES])
{
	const struct ibw_pause_wire *pause = IBW_AT(pkt, pause);
	unsigned int at = ibw_packet_find(pkt, IBW_LAYER_pfc), i;
	const struct ibw_pfc_wire *pfc = at == IBW_NO_SPAN ? NULL : ibw_packet_at(pkt, at);

	if (pkt->eth == IBW_NO_SPAN || pkt->outcome != IBW_OK ||
	    (!pfc && (!pause || ibw_pause_opcode(pause) != IBW_MAC_CONTROL_PAUSE)))
		return 0;
	for (i = 0; i < TRACK_PRIORITIES; i++)
		quanta[i] = pfc ? ibw_get_be16((const uint8_t *)pfc + ibw_pfc_quanta_AT / 8 +
					       (size_t)2 * i)
				: ibw_pause_quanta(pause);
	return pfc ? ibw_pfc_enable(pfc) & ((1u << TRACK_PRIORITIES) - 1)
		   : 1u << TRACK_PAUSE_GLOBAL;
}

void track_pauses_feed(struct track_pauses *t, const struct ibw_packet *pkt, uint32_t iface,
		       uint64_t speed, const struct track_at *at)
{
	uint16_t quanta[TRACK_PRIORITIES];
	unsigned int asked = track_pause_of(pkt, quanta), i;
	struct key key = { .iface = iface };
	struct sender *sender;

	if (!asked)
		return;
	memcpy(key.mac, ibw_eth_src(IBW_KNOWN(pkt, eth)), sizeof(key.mac));
	sender = sender_of(t, &key);
	for (i = 0; i <= TRACK_PAUSE_GLOBAL; i++)
		if (asked >> i & 1)
			feed(t, &key, sender, i, quanta[i % TRACK_PRIORITIES], speed, at);
}

static void tell_paused(struct track_pauses *t, const struct key *key, unsigned int class,
			const struct paused *c)
{
	const struct track_at at = { .frame = c->first_frame, .time_ns = c->first_ns };
	struct track_event *e = track_event_add(t->events, TRACK_EVENT_PAUSED, &at);

	if (!e)
		return;
	e->number[TRACK_PAUSED_mac] = track_mac_at(key->mac);
	e->number[TRACK_PAUSED_priority] = class;
	e->number[TRACK_PAUSED_xoff] = c->xoff;
	e->number[TRACK_PAUSED_xon] = c->xon;
	e->number[TRACK_PAUSED_ns] = c->ns;
	e->number[TRACK_PAUSED_unknown] = c->unknown;
}

static void finish(struct track_pauses *t, const struct key *key, struct sender *sender,
		   const struct track_at *last)
{
	unsigned int i;

	for (i = 0; i < G_N_ELEMENTS(sender->class); i++) {
		struct paused *c = &sender->class[i];

		if (c->is_paused && c->until_ns)
			end_pause(c, last->time_ns);
		else if (c->is_paused)
			c->unknown++;
		c->is_paused = false;
		if (c->first_frame && !c->stormed && c->window_ns > STORM_NS)
			tell_storm(t, key, i, c, last);
		if (c->first_frame)
			tell_paused(t, key, i, c);
	}
}

bool track_pauses_finish(struct track_pauses *t, const struct track_at *last)
{
	struct sender *sender = NULL;

	if (!t->senders)
		return true;
	if (t->finished)
		sender = track_table_at(t->senders, t->finished - 1);
	while ((sender = track_table_next(t->senders, sender))) {
		if (track_events_room(t->events) < 2 * G_N_ELEMENTS(sender->class))
			return false;
		finish(t, track_table_key(t->senders, sender), sender, last);
		t->finished = track_table_number(t->senders, sender) + 1;
	}
	return true;
}

void track_pauses_list(const struct track_pauses *t, struct track_subnet *s)
{
	const struct sender *sender = NULL;
	const struct key *key;
	unsigned int i;

	while (t->senders && (sender = track_table_next(t->senders, sender))) {
		key = track_table_key(t->senders, sender);
		for (i = 0; i < G_N_ELEMENTS(sender->class); i++) {
			const struct track_pauser pauser = {
				.mac = track_mac_at(key->mac),
				.first_frame = sender->class[i].first_frame,
				.xoff = sender->class[i].xoff,
				.xon = sender->class[i].xon,
				.ns = sender->class[i].ns,
				.unknown = sender->class[i].unknown,
				.iface = key->iface,
				.priority = (uint8_t)i,
			};
			if (pauser.first_frame)
				g_array_append_val(s->pausers, pauser);
		}
	}
}
