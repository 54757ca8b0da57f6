/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cm_load.c - REQs by the port they go to, REJs for stale connections by their queue pairs. */
#include <string.h>

#include <glib.h>

#include <ibwire/ibwire.h>

#include "cm_load.h"
#include "track/base/table.h"

/* A second is counted in slots, so that it may begin at any of them. */
#define SLOTS 32u
#define SLOT_NS (1000000000u / SLOTS)

/* In a second. */
#define STORM_REQS 1000u

/* For one pair. */
#define STALE_REJS 3u

/* No holes: compared as bytes. */
struct pair_key {
	struct track_flow client; /* from the client */
	uint32_t qpn[TRACK_CM_SIDES];
};

struct pair {
	uint64_t first_frame; /* of the REJs */
	uint64_t last_frame;
	uint32_t rejs;
};

/* A port that REQs go to. */
struct port {
	uint64_t slot; /* the newest, by its time */
	uint64_t first_frame[SLOTS];
	uint32_t in_slot[SLOTS]; /* of the second that ends with the newest; the others are 0 */
	uint32_t in_second;
	bool told;
};

struct track_cm_load {
	struct track_table *pairs; /* struct pair_key -> struct pair */
	struct track_table *ports; /* struct track_flow, to it -> struct port */
	struct track_events *events;
};

struct track_cm_load *track_cm_load_new(struct track_events *events)
{
	struct track_cm_load *l = g_new0(struct track_cm_load, 1);

	l->pairs =
		track_table_new(sizeof(struct pair_key), sizeof(struct pair), TRACK_CM_PAIRS_MAX);
	l->ports =
		track_table_new(sizeof(struct track_flow), sizeof(struct port), TRACK_CM_PORTS_MAX);
	l->events = events;
	return l;
}

void track_cm_load_free(struct track_cm_load *l)
{
	if (!l)
		return;
	track_table_free(l->pairs);
	track_table_free(l->ports);
	g_free(l);
}

uint64_t track_cm_load_evicted(const struct track_cm_load *l)
{
	return track_table_evicted(l->pairs) + track_table_evicted(l->ports);
}

/* Goes on to @slot: what is older than a second is forgotten. Time may go back: then nothing is known. */
static void go_on(struct port *port, uint64_t slot)
{
	uint32_t *old;

	if (slot < port->slot || slot - port->slot >= SLOTS) {
		memset(port->in_slot, 0, sizeof(port->in_slot));
		port->in_second = 0;
		port->slot = slot;
	}
	while (port->slot < slot) {
		old = &port->in_slot[++port->slot % SLOTS];
		port->in_second -= *old;
		*old = 0;
	}
}

/* The first REQ of the second that ends with the newest slot. */
static uint64_t first_of(const struct port *port)
{
	uint64_t slot = port->slot + 1; /* that of a second ago */

	while (!port->in_slot[slot % SLOTS])
		slot++;
	return port->first_frame[slot % SLOTS];
}

/* From anybody to the port. */
static void count_req(struct track_cm_load *l, const struct track_cm_news *news,
		      const struct track_at *at)
{
	const uint64_t slot = at->time_ns / SLOT_NS;
	struct track_flow to = news->client;
	struct track_event *e;
	struct port *port;

	memset(to.src, 0, sizeof(to.src));
	port = track_table_need(l->ports, &to);
	if (port->told)
		return;
	go_on(port, slot);
	if (!port->in_slot[slot % SLOTS]++)
		port->first_frame[slot % SLOTS] = at->frame;
	if (++port->in_second <= STORM_REQS)
		return;
	port->told = true;
	e = track_event_add(l->events, TRACK_EVENT_CM_STORM, at);
	if (!e)
		return;
	track_event_cause(e, first_of(port));
	e->number[TRACK_CM_STORM_reqs] = port->in_second;
}

static struct pair_key key_of(const struct track_cm_news *news)
{
	struct pair_key key = { .client = news->client };

	memcpy(key.qpn, news->qpn, sizeof(key.qpn));
	return key;
}

static void count_stale(struct track_cm_load *l, const struct track_cm_news *news,
			const struct track_at *at)
{
	const struct pair_key key = key_of(news);
	struct pair *pair = track_table_need(l->pairs, &key);
	struct track_event *e;

	if (!pair->rejs)
		pair->first_frame = at->frame;
	pair->rejs++;
	if (pair->rejs == STALE_REJS + 1) {
		e = track_event_add(l->events, TRACK_EVENT_CM_STALE_LOOP, at);
		if (!e)
			return;
		e->flow = news->client;
		if (news->side == TRACK_CM_SERVER)
			track_flow_turn(&e->flow);
		e->flow.dqpn = IBW_QPN_GSI;
		e->flow.service = IBW_SERVICE_UD;
		track_flow_as_seen(&e->flow);
		track_event_cause(e, pair->first_frame);
		track_event_cause(e, pair->last_frame);
		e->number[TRACK_CM_STALE_LOOP_qpn] = news->qpn[TRACK_CM_CLIENT];
		e->number[TRACK_CM_STALE_LOOP_rejs] = pair->rejs;
	}
	pair->last_frame = at->frame;
}

/* The server took the client's queue pair after all. */
static void accepted(struct track_cm_load *l, const struct track_cm_news *news)
{
	struct pair_key key = key_of(news);
	struct pair *pair;

	key.qpn[TRACK_CM_SERVER] = TRACK_CM_NO_QPN;
	pair = track_table_get(l->pairs, &key);
	if (pair)
		track_table_remove(l->pairs, pair);
}

void track_cm_load_feed(struct track_cm_load *l, const struct track_cm_news *news,
			const struct track_at *at)
{
	if (news->doubt)
		return;
	if (news->message == TRACK_CM_REQ)
		count_req(l, news, at);
	if (!news->known)
		return;
	if (news->message == TRACK_CM_REJ && news->detail == IBW_CM_REJ_STALE_CONN)
		count_stale(l, news, at);
	else if (news->message == TRACK_CM_REP)
		accepted(l, news);
}
