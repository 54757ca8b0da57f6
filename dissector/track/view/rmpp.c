/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rmpp.c - the RMPP transfers of a capture: a bounded table of them. */
#include <string.h>

#include <glib.h>

#include <ibwire/ibwire.h>

#include "rmpp.h"
#include "track/base/flow.h"

/* All members are set, and there are no holes: hashed and compared as bytes. */
struct key {
	struct track_flow flow; /* of the data */
	uint64_t tid;
	uint64_t mgmt_class;
};

struct entry {
	struct track_transfer transfer; /* first: what callers see */
	struct key key;
	uint64_t used; /* turn of the last MAD */
	uint64_t used_ns;
	uint64_t first_frame;
	uint8_t *room;
	struct track_transfer_now *trouble; /* NULL: nobody asks */
	bool over;                          /* to be forgotten at the next call; one at most is */
	bool given_up;                      /* an event said so */
};

struct track_rmpp {
	struct entry *entries[TRACK_TRANSFERS_MAX];
	struct entry *done[TRACK_TRANSFERS_MAX]; /* complete, for their last ACKs: a ring */
	unsigned int next_done;
	struct track_events *events;
	struct track_transfer_troubles *troubles; /* NULL: nobody asks */
	uint64_t turn;
	uint64_t now_ns;
	uint64_t evicted;
	bool any_over;
};

struct track_rmpp *track_rmpp_new(void)
{
	return g_new0(struct track_rmpp, 1);
}

void track_rmpp_events(struct track_rmpp *ts, struct track_events *events)
{
	ts->events = events;
}

void track_rmpp_want_troubles(struct track_rmpp *ts)
{
	if (!ts->troubles)
		ts->troubles = g_new0(struct track_transfer_troubles, 1);
}

/* An event about @e; NULL: nobody asked. */
static struct track_event *event(struct track_rmpp *ts, enum track_event_kind kind,
				 const struct entry *e, const struct track_at *at)
{
	struct track_event *event = track_event_add(ts->events, kind, at);

	if (!event)
		return NULL;
	track_event_cause(event, e->first_frame);
	event->flow = e->key.flow;
	event->number[TRACK_TRANSFER_COMPLETE_tid] = e->key.tid;
	event->number[TRACK_TRANSFER_COMPLETE_mgmt_class] = e->key.mgmt_class;
	event->number[TRACK_TRANSFER_COMPLETE_segments] = e->transfer.rmpp.have;
	return event;
}

static void give_up(struct track_rmpp *ts, struct entry *e, enum track_given_up why,
		    const struct track_at *at)
{
	struct track_event *up;

	if (e->over || e->given_up)
		return;
	e->given_up = true;
	up = event(ts, TRACK_EVENT_TRANSFER_GIVEN_UP, e, at);
	if (!up)
		return;
	up->number[TRACK_TRANSFER_GIVEN_UP_why] = why;
	if (!e->transfer.rmpp.acked && !e->transfer.rmpp.window)
		up->doubt |= TRACK_DOUBT_ONE_WAY;
}

/* What is wrong with a segment or an ACK; @highest was the highest segment before it. */
static void tell_order(struct track_rmpp *ts, const struct entry *e, uint16_t highest, bool data,
		       const struct track_at *at)
{
	const struct ibw_transfer *t = &e->transfer.rmpp;
	struct track_event *up;

	if (data && t->flags & IBW_TRANSFER_GAP && highest) {
		up = event(ts, TRACK_EVENT_TRANSFER_GAP, e, at);
		if (up) {
			up->number[TRACK_TRANSFER_GAP_segment] = t->highest;
			up->number[TRACK_TRANSFER_GAP_expected] = highest + 1u;
		}
	}
	if (!data && t->acked > t->highest) {
		up = event(ts, TRACK_EVENT_TRANSFER_ACK_AHEAD, e, at);
		if (up) {
			track_flow_turn(&up->flow);
			up->number[TRACK_TRANSFER_ACK_AHEAD_segment] = t->acked;
			up->number[TRACK_TRANSFER_ACK_AHEAD_highest] = t->highest;
		}
	}
}

static void tell_beyond(struct track_rmpp *ts, const struct entry *e, uint32_t segment,
			const struct track_at *at)
{
	struct track_event *up;

	if (!(e->transfer.rmpp.flags & IBW_TRANSFER_BEYOND_WINDOW))
		return;
	up = event(ts, TRACK_EVENT_TRANSFER_BEYOND, e, at);
	if (!up)
		return;
	up->number[TRACK_TRANSFER_BEYOND_segment] = segment;
	up->number[TRACK_TRANSFER_BEYOND_window] = e->transfer.rmpp.window;
}

static void tell_length(struct track_rmpp *ts, const struct entry *e, const struct track_at *at)
{
	const struct ibw_transfer *t = &e->transfer.rmpp;
	struct track_event *up;

	if (t->state != IBW_TRANSFER_COMPLETE || !t->promised || t->promised == t->payload)
		return;
	up = event(ts, TRACK_EVENT_TRANSFER_LENGTH, e, at);
	if (!up)
		return;
	up->number[TRACK_TRANSFER_LENGTH_said] = t->promised;
	up->number[TRACK_TRANSFER_LENGTH_has] = t->payload;
}

/* What the MAD in @at made of @e. */
static void tell(struct track_rmpp *ts, const struct entry *e, const struct track_at *at)
{
	const struct ibw_transfer *t = &e->transfer.rmpp;
	struct track_event *up;

	switch (t->state) {
	case IBW_TRANSFER_COMPLETE:
		up = event(ts, TRACK_EVENT_TRANSFER_COMPLETE, e, at);
		if (up)
			up->number[TRACK_TRANSFER_COMPLETE_bytes] = t->len;
		break;
	case IBW_TRANSFER_STOPPED:
		up = event(ts, TRACK_EVENT_TRANSFER_STOPPED, e, at);
		if (up)
			up->number[TRACK_TRANSFER_STOPPED_status] = t->status;
		break;
	case IBW_TRANSFER_BROKEN:
	case IBW_TRANSFER_TOO_BIG:
		up = event(ts, TRACK_EVENT_TRANSFER_GIVEN_UP, e, at);
		if (up)
			up->number[TRACK_TRANSFER_GIVEN_UP_why] = t->state == IBW_TRANSFER_BROKEN
									  ? TRACK_GIVEN_UP_BROKEN
									  : TRACK_GIVEN_UP_TOO_BIG;
		break;
	default:
		break;
	}
}

/* What it takes to judge an ACK that comes after the last segment. */
static void keep_done(struct track_rmpp *ts, struct entry *e)
{
	struct entry **place = &ts->done[ts->next_done++ % TRACK_TRANSFERS_MAX];

	g_free(*place);
	*place = e;
	e->room = NULL;
	e->transfer.frames = NULL;
}

static void end_trouble(struct track_rmpp *ts, struct entry *e)
{
	track_trouble_end(ts->troubles, e->trouble, e->over ? 0 : ts->now_ns);
	e->trouble = NULL;
}

static void forget(struct track_rmpp *ts, unsigned int i)
{
	struct entry *e = ts->entries[i];

	if (!e)
		return;
	g_free(e->transfer.frames);
	g_free(e->room);
	end_trouble(ts, e);
	ts->entries[i] = NULL;
	if (e->transfer.rmpp.state == IBW_TRANSFER_COMPLETE)
		keep_done(ts, e);
	else
		g_free(e);
}

void track_rmpp_free(struct track_rmpp *ts)
{
	unsigned int i;

	if (!ts)
		return;
	for (i = 0; i < TRACK_TRANSFERS_MAX; i++)
		forget(ts, i);
	for (i = 0; i < TRACK_TRANSFERS_MAX; i++)
		g_free(ts->done[i]);
	track_troubles_free(ts->troubles);
	g_free(ts);
}

uint64_t track_rmpp_evicted(const struct track_rmpp *ts)
{
	return ts->evicted + (ts->troubles ? ts->troubles->more : 0);
}

/* The place among @places of the one with @key, or NULL. */
static struct entry **place_of(struct entry **places, const struct key *key)
{
	unsigned int i;

	for (i = 0; i < TRACK_TRANSFERS_MAX; i++)
		if (places[i] && places[i]->key.tid == key->tid &&
		    !memcmp(&places[i]->key, key, sizeof(*key)))
			return &places[i];
	return NULL;
}

static struct entry *find(struct track_rmpp *ts, const struct key *key)
{
	struct entry **place = place_of(ts->entries, key);

	return place ? *place : NULL;
}

/* Another transfer has the key of one that is complete: its ACKs are of this one. */
static void forget_done(struct track_rmpp *ts, const struct key *key)
{
	struct entry **place = place_of(ts->done, key);

	if (!place)
		return;
	g_free(*place);
	*place = NULL;
}

/* The first free place, or that of the transfer longest without a segment. */
static unsigned int place(struct track_rmpp *ts, const struct track_at *at)
{
	unsigned int i, oldest = 0;

	for (i = 0; i < TRACK_TRANSFERS_MAX; i++) {
		if (!ts->entries[i])
			return i;
		if (ts->entries[i]->used < ts->entries[oldest]->used)
			oldest = i;
	}
	ts->evicted++;
	give_up(ts, ts->entries[oldest], TRACK_GIVEN_UP_EVICTED, at);
	forget(ts, oldest);
	return oldest;
}

static struct entry *begin(struct track_rmpp *ts, const struct key *key, const uint8_t *mad,
			   const struct track_at *at)
{
	const struct ibw_mad_wire *header = (const struct ibw_mad_wire *)mad;
	const struct ibw_rmpp_wire *rmpp = (const struct ibw_rmpp_wire *)(mad + ibw_mad_BYTES);
	const struct ibw_mad_class_row *row = ibw_mad_class_of(ibw_mad_mgmt_class(header));
	struct entry *e = g_new0(struct entry, 1);
	struct track_event *begun;

	forget_done(ts, key);
	e->key = *key;
	e->first_frame = at->frame;
	e->room = g_malloc(TRACK_TRANSFER_BYTES);
	e->transfer.frames = g_new(uint64_t, IBW_TRANSFER_SEGMENTS_MAX);
	e->transfer.attr = ibw_mad_attr_of(row, ibw_mad_attr_id(header));
	e->transfer.attr_mod = ibw_mad_attr_mod(header);
	if (row->layers[1] == IBW_LAYER_sa)
		e->transfer.record_stride =
			ibw_sa_attr_offset((const struct ibw_sa_wire *)(mad + ibw_mad_BYTES +
									ibw_rmpp_BYTES)) *
			8u;
	if (ts->troubles)
		e->trouble = track_trouble_begin(&e->key.flow, mad, at);
	ibw_transfer_start(&e->transfer.rmpp, e->room, TRACK_TRANSFER_BYTES);
	ts->entries[place(ts, at)] = e;
	begun = event(ts, TRACK_EVENT_TRANSFER_BEGUN, e, at);
	if (begun)
		begun->number[TRACK_TRANSFER_BEGUN_segment] = ibw_rmpp_data1(rmpp);
	return e;
}

/* The key under which data of this packet's sender is kept, or of its receiver. */
static bool key_of(struct key *key, const struct ibw_packet *pkt, const uint8_t *mad, bool reverse)
{
	const struct ibw_mad_wire *header = (const struct ibw_mad_wire *)mad;
	struct track_flow flow;

	memset(key, 0, sizeof(*key));
	if (!track_flow_of(pkt, &flow))
		return false;
	key->flow = flow;
	if (reverse) {
		memcpy(key->flow.src, flow.dst, sizeof(flow.src));
		memcpy(key->flow.dst, flow.src, sizeof(flow.dst));
	}
	key->tid = ibw_mad_tid(header);
	key->mgmt_class = ibw_mad_mgmt_class(header);
	return true;
}

static const struct ibw_rmpp_wire *rmpp_of(const uint8_t *mad, uint32_t n)
{
	const struct ibw_mad_wire *header = ibw_mad_view(mad, n);
	const struct ibw_mad_class_row *row =
		header ? ibw_mad_class_of(ibw_mad_mgmt_class(header)) : NULL;
	const struct ibw_rmpp_wire *rmpp;

	if (!row || row->layers[0] != IBW_LAYER_rmpp || n < IBW_MAD_BYTES)
		return NULL;
	rmpp = (const struct ibw_rmpp_wire *)(mad + ibw_mad_BYTES);
	return ibw_rmpp_flags(rmpp) & IBW_RMPP_ACTIVE ? rmpp : NULL;
}

static struct entry *entry_of(struct track_rmpp *ts, const struct ibw_packet *pkt,
			      const uint8_t *mad, const struct ibw_rmpp_wire *rmpp,
			      const struct track_at *at)
{
	uint8_t flags = ibw_rmpp_flags(rmpp);
	struct entry *e;
	struct key key;

	if (!key_of(&key, pkt, mad, false))
		return NULL;
	e = find(ts, &key);
	if (ibw_rmpp_type(rmpp) == IBW_RMPP_DATA) {
		if (!e && (!(flags & IBW_RMPP_FIRST) || !(flags & IBW_RMPP_LAST)))
			e = begin(ts, &key, mad, at);
		return e;
	}
	/* ACK comes from the receiver; STOP and ABORT from either end. */
	if (e || !key_of(&key, pkt, mad, true))
		return e;
	return find(ts, &key);
}

/* An ACK of a transfer that is complete. */
static void ack_of_done(struct track_rmpp *ts, const struct ibw_packet *pkt, const uint8_t *mad,
			const struct ibw_rmpp_wire *rmpp, const struct track_at *at)
{
	struct entry **place;
	struct key key;

	if (ibw_rmpp_type(rmpp) != IBW_RMPP_ACK || !key_of(&key, pkt, mad, true))
		return;
	place = place_of(ts->done, &key);
	if (!place)
		return;
	(*place)->transfer.rmpp.acked = ibw_rmpp_data1(rmpp);
	tell_order(ts, *place, 0, false, at);
}

const struct track_transfer *track_rmpp_feed(struct track_rmpp *ts, const struct ibw_packet *pkt,
					     const uint8_t *mad, uint32_t n,
					     const struct track_at *at)
{
	const struct ibw_rmpp_wire *rmpp = rmpp_of(mad, n);
	struct track_transfer *t;
	struct entry *e;
	unsigned int i;
	uint16_t highest;
	bool data;

	ts->now_ns = MAX(ts->now_ns, at->time_ns);
	for (i = 0; ts->any_over && i < TRACK_TRANSFERS_MAX; i++) {
		if (ts->entries[i] && ts->entries[i]->over) {
			forget(ts, i);
			ts->any_over = false;
		}
	}
	e = rmpp ? entry_of(ts, pkt, mad, rmpp, at) : NULL;
	if (rmpp && !e)
		ack_of_done(ts, pkt, mad, rmpp, at);
	if (!e)
		return NULL;
	t = &e->transfer;
	e->used = ++ts->turn;
	e->used_ns = at->time_ns;
	highest = t->rmpp.highest;
	data = ibw_rmpp_type(rmpp) == IBW_RMPP_DATA;
	ibw_transfer_feed(&t->rmpp, mad, n);
	if (e->trouble)
		track_trouble_feed(e->trouble, &t->rmpp, rmpp, highest, at);
	if (data && !(t->rmpp.flags & IBW_TRANSFER_DUPLICATE) &&
	    t->n_frames < IBW_TRANSFER_SEGMENTS_MAX)
		t->frames[t->n_frames++] = at->frame;
	e->over = ts->any_over = t->rmpp.state != IBW_TRANSFER_RUNNING;
	if (data)
		tell_beyond(ts, e, ibw_rmpp_data1(rmpp), at);
	if (data || ibw_rmpp_type(rmpp) == IBW_RMPP_ACK)
		tell_order(ts, e, highest, data, at);
	tell(ts, e, at);
	tell_length(ts, e, at);
	return t;
}

void track_rmpp_tick(struct track_rmpp *ts, const struct track_at *now)
{
	struct entry *e;
	unsigned int i;

	ts->now_ns = MAX(ts->now_ns, now->time_ns);
	for (i = 0; i < TRACK_TRANSFERS_MAX; i++) {
		e = ts->entries[i];
		if (e && now->time_ns > e->used_ns &&
		    now->time_ns - e->used_ns > TRACK_TRANSFER_WAIT_NS)
			give_up(ts, e, TRACK_GIVEN_UP_TIMEOUT, now);
	}
}

const struct track_transfer_troubles *track_rmpp_troubles(const struct track_rmpp *ts)
{
	return ts->troubles;
}

const struct track_transfer_troubles *track_rmpp_finish_troubles(struct track_rmpp *ts)
{
	unsigned int i;

	for (i = 0; ts->troubles && i < TRACK_TRANSFERS_MAX; i++)
		if (ts->entries[i])
			end_trouble(ts, ts->entries[i]);
	return ts->troubles;
}

bool track_rmpp_finish(struct track_rmpp *ts, const struct track_at *at)
{
	unsigned int i;

	ts->now_ns = MAX(ts->now_ns, at->time_ns);
	for (i = 0; i < TRACK_TRANSFERS_MAX; i++) {
		if (ts->events && !track_events_room(ts->events))
			return false;
		if (ts->entries[i])
			give_up(ts, ts->entries[i], TRACK_GIVEN_UP_END, at);
	}
	return true;
}
