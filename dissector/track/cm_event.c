/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cm_event.c - events of the CM. */
#include <glib.h>

#include <ibwire/ibwire.h>

#include "cm_event.h"
#include "table.h"

/* Conversations looked at in a tick. */
#define TICK_MAX 256

/* Kept under the frame of its REQ. */
struct wait {
	uint64_t since_ns;
	uint64_t wait_ns;                   /* 0: for nothing */
	uint64_t answer_ns[TRACK_CM_SIDES]; /* how long each may take, all retries counted */
	uint64_t last_frame;
	uint64_t service_id;
	uint32_t comm_id;
	uint8_t state; /* enum track_cm_state */
	bool one_way;  /* who is to answer was not seen yet */
};

struct track_cm_waits {
	struct track_table *waits; /* uint64_t -> struct wait */
	struct track_events *events;
	uint32_t cursor; /* the next one to look at in a tick */
};

struct track_cm_waits *track_cm_waits_new(struct track_events *events, uint32_t max)
{
	struct track_cm_waits *w = g_new0(struct track_cm_waits, 1);

	w->waits = track_table_new(sizeof(uint64_t), sizeof(struct wait), max);
	w->events = events;
	return w;
}

void track_cm_waits_free(struct track_cm_waits *w)
{
	if (!w)
		return;
	track_table_free(w->waits);
	g_free(w);
}

/* Messages */

static const uint8_t kinds[] = {
	[TRACK_CM_REQ] = TRACK_EVENT_CM_REQ,   [TRACK_CM_MRA] = TRACK_EVENT_CM_MRA,
	[TRACK_CM_REJ] = TRACK_EVENT_CM_REJ,   [TRACK_CM_REP] = TRACK_EVENT_CM_REP,
	[TRACK_CM_RTU] = TRACK_EVENT_CM_RTU,   [TRACK_CM_DREQ] = TRACK_EVENT_CM_DREQ,
	[TRACK_CM_DREP] = TRACK_EVENT_CM_DREP,
};

static void tell(struct track_cm_waits *w, const struct track_cm_news *news,
		 const struct track_at *at)
{
	struct track_event *e;

	e = track_event_add(w->events, (enum track_event_kind)kinds[news->message], at);
	if (!e)
		return;
	if (!news->known)
		e->doubt |= TRACK_DOUBT_MID_STREAM;
	track_event_cause(e, news->req_frame);
	track_event_cause(e, news->last_frame);
	e->number[TRACK_CM_MRA_local_comm_id] = news->local_id;
	e->number[TRACK_CM_MRA_remote_comm_id] = news->remote_id;
	e->number[TRACK_CM_MRA_service_timeout] = news->detail; /* of others it is another number */
	e->number[TRACK_CM_MRA_before] = news->before;
	if (news->message == TRACK_CM_REQ) {
		e->number[TRACK_CM_REQ_qpn] = news->qpn[TRACK_CM_CLIENT];
		e->number[TRACK_CM_REQ_service_id] = news->service_id;
	} else if (news->message == TRACK_CM_REP) {
		e->number[TRACK_CM_REP_qpn] = news->qpn[TRACK_CM_SERVER];
	}
}

/* Waiting */

static void give_up(struct track_cm_waits *w, struct wait *wait, enum track_given_up why,
		    const struct track_at *at)
{
	const uint64_t *req_frame = track_table_key(w->waits, wait);
	struct track_event *e;

	if (!wait->wait_ns)
		return;
	wait->wait_ns = 0;
	e = track_event_add(w->events, TRACK_EVENT_CM_GIVEN_UP, at);
	if (!e)
		return;
	if (wait->one_way)
		e->doubt |= TRACK_DOUBT_ONE_WAY;
	track_event_cause(e, *req_frame);
	track_event_cause(e, wait->last_frame);
	e->number[TRACK_CM_GIVEN_UP_local_comm_id] = wait->comm_id;
	e->number[TRACK_CM_GIVEN_UP_why] = why;
	e->number[TRACK_CM_GIVEN_UP_service_id] = wait->service_id;
	e->number[TRACK_CM_GIVEN_UP_before] = wait->state;
}

static uint64_t ns_of(uint32_t code)
{
	return UINT64_C(4096) << (code & 0x1f);
}

static struct wait *new_wait(struct track_cm_waits *w, const struct track_cm_news *news,
			     const struct ibw_cm_req_wire *req, const struct track_at *at)
{
	unsigned int tries = ibw_cm_req_max_cm_retries(req) + 1u;
	struct wait *wait;

	if (track_table_full(w->waits)) {
		give_up(w, track_table_oldest(w->waits), TRACK_GIVEN_UP_EVICTED, at);
		track_table_evict(w->waits, track_table_oldest(w->waits));
	}
	wait = track_table_add(w->waits, &news->req_frame);
	wait->comm_id = news->local_id;
	wait->service_id = news->service_id;
	wait->answer_ns[TRACK_CM_CLIENT] = tries * ns_of(ibw_cm_req_local_resp_timeout(req));
	wait->answer_ns[TRACK_CM_SERVER] = tries * ns_of(ibw_cm_req_remote_resp_timeout(req));
	return wait;
}

/* For what the conversation waits after the message. */
static void listen(struct wait *wait, const struct track_cm_news *news, const struct track_at *at)
{
	unsigned int other = news->side == TRACK_CM_CLIENT ? TRACK_CM_SERVER : TRACK_CM_CLIENT;

	wait->since_ns = at->time_ns;
	wait->last_frame = at->frame;
	wait->one_way = !news->seen[other];
	switch (news->message) {
	case TRACK_CM_REQ:
		wait->wait_ns = wait->answer_ns[other];
		wait->state = TRACK_CM_REQ_SENT;
		break;
	case TRACK_CM_REP:
		wait->wait_ns = wait->answer_ns[other];
		wait->state = TRACK_CM_REP_SENT;
		break;
	case TRACK_CM_DREQ:
		wait->wait_ns = wait->answer_ns[other];
		wait->state = TRACK_CM_DREQ_SENT;
		break;
	case TRACK_CM_MRA: /* it is its sender who is waited for */
		wait->wait_ns = wait->answer_ns[news->side] + ns_of(news->detail);
		wait->one_way = false;
		break;
	default: /* RTU, REJ, DREP */
		wait->wait_ns = 0;
		break;
	}
}

void track_cm_waits_feed(struct track_cm_waits *w, const struct track_cm_news *news,
			 const struct track_mad *mad, const struct track_at *at)
{
	struct wait *wait;

	if (news->message == TRACK_CM_OTHER || news->doubt)
		return;
	tell(w, news, at);
	if (!news->known)
		return;
	wait = track_table_get(w->waits, &news->req_frame);
	if (!wait && news->message == TRACK_CM_REQ)
		wait = new_wait(w, news, (const void *)(mad->p + ibw_mad_BYTES), at);
	if (wait)
		listen(wait, news, at);
}

void track_cm_waits_tick(struct track_cm_waits *w, const struct track_at *now)
{
	uint32_t n = MIN(track_table_count(w->waits), TICK_MAX);
	struct wait *wait;

	while (n--) { /* none is ever taken out, but for a new one: numbers have no gap */
		w->cursor = (w->cursor + 1) % track_table_count(w->waits);
		wait = track_table_at(w->waits, w->cursor);
		if (now->time_ns > wait->since_ns && now->time_ns - wait->since_ns > wait->wait_ns)
			give_up(w, wait, TRACK_GIVEN_UP_TIMEOUT, now);
	}
}

bool track_cm_waits_finish(struct track_cm_waits *w, const struct track_at *at)
{
	struct wait *wait = NULL;

	while ((wait = track_table_next(w->waits, wait))) {
		if (!track_events_room(w->events))
			return false;
		give_up(w, wait, TRACK_GIVEN_UP_END, at);
	}
	return true;
}
