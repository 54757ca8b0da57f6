/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cm_event.c - events of the CM. */
#include <glib.h>

#include <ibwire/ibwire.h>

#include "cm_event.h"
#include "track/base/table.h"

/* Conversations looked at in a tick. */
#define TICK_MAX 256

/* Kept under the frame of its REQ. */
struct wait {
	struct track_at asked;           /* the last copy of the message that is to be answered */
	uint64_t since_ns;               /* of it, or of the MRA that asks for more time */
	uint64_t wait_ns;                /* 0: for nothing */
	uint64_t req_ns;                 /* of the last copy of the REQ */
	uint64_t try_ns[TRACK_CM_SIDES]; /* how long each may take to answer */
	uint64_t service_id;
	uint32_t comm_id;
	uint32_t copies; /* of the message */
	uint32_t reqs;   /* copies of the REQ */
	uint8_t tries;   /* of each message */
	uint8_t side;    /* who waits: enum track_cm_side */
	uint8_t state;   /* enum track_cm_state */
	uint8_t n_flows; /* to the server's QP */
	struct track_flow client;
	struct track_flow flow[TRACK_CM_ADDRESSINGS];
};

struct track_cm_waits {
	struct track_table *waits; /* uint64_t -> struct wait */
	struct track_events *events;
	struct track_conn *conn;    /* NULL: nobody to ask */
	struct track_cm_list *list; /* NULL: nobody to tell */
	uint32_t cursor;            /* the next one to look at in a tick */
	bool two_way;               /* a message was answered: the capture has both directions */
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

void track_cm_waits_conn(struct track_cm_waits *w, struct track_conn *conn)
{
	w->conn = conn;
}

void track_cm_waits_list(struct track_cm_waits *w, struct track_cm_list *list)
{
	w->list = list;
}

/* Messages */

static const uint8_t kinds[] = {
	[TRACK_CM_REQ] = TRACK_EVENT_CM_REQ,   [TRACK_CM_MRA] = TRACK_EVENT_CM_MRA,
	[TRACK_CM_REJ] = TRACK_EVENT_CM_REJ,   [TRACK_CM_REP] = TRACK_EVENT_CM_REP,
	[TRACK_CM_RTU] = TRACK_EVENT_CM_RTU,   [TRACK_CM_DREQ] = TRACK_EVENT_CM_DREQ,
	[TRACK_CM_DREP] = TRACK_EVENT_CM_DREP,
};

static struct track_flow flow_from(const struct track_flow *client, uint8_t side)
{
	struct track_flow flow = *client;

	if (side == TRACK_CM_SERVER)
		track_flow_turn(&flow);
	flow.dqpn = IBW_QPN_GSI;
	flow.service = IBW_SERVICE_UD;
	track_flow_as_seen(&flow);
	return flow;
}

/* @wait: of its conversation, before the message; NULL: none yet. */
static void tell(struct track_cm_waits *w, const struct track_cm_news *news,
		 const struct wait *wait, const struct track_at *at)
{
	struct track_event *e;

	e = track_event_add(w->events, (enum track_event_kind)kinds[news->message], at);
	if (!e)
		return;
	if (!news->known)
		e->doubt |= TRACK_DOUBT_MID_STREAM;
	if (news->first_frame)
		e->flow = flow_from(&news->client, news->side);
	track_event_cause(e, news->req_frame);
	track_event_cause(e, news->last_frame);
	e->number[TRACK_CM_MRA_local_comm_id] = news->local_id;
	e->number[TRACK_CM_MRA_remote_comm_id] = news->remote_id;
	e->number[TRACK_CM_MRA_service_timeout] = news->detail; /* of others it is another number */
	e->number[TRACK_CM_MRA_before] = news->before;
	if (news->message == TRACK_CM_REQ) {
		e->number[TRACK_CM_REQ_qpn] = news->qpn[TRACK_CM_CLIENT];
		e->number[TRACK_CM_REQ_service_id] = news->service_id;
		e->number[TRACK_CM_REQ_copies] = wait ? wait->reqs + 1 : 1;
		if (wait && at->time_ns > wait->req_ns)
			e->number[TRACK_CM_REQ_ns] = at->time_ns - wait->req_ns;
	} else if (news->message == TRACK_CM_REP) {
		e->number[TRACK_CM_REP_qpn] = news->qpn[TRACK_CM_SERVER];
	}
}

/* A message whose remote communication ID nobody gave. */
static void tell_wrong_id(struct track_cm_waits *w, const struct track_cm_news *news,
			  const struct track_at *at)
{
	struct track_event *e = track_event_add(w->events, TRACK_EVENT_CM_WRONG_ID, at);

	if (!e)
		return;
	e->flow = flow_from(&news->client, news->side);
	track_event_cause(e, news->meant_frame);
	e->number[TRACK_CM_WRONG_ID_local_comm_id] = news->local_id;
	e->number[TRACK_CM_WRONG_ID_remote_comm_id] = news->remote_id;
	e->number[TRACK_CM_WRONG_ID_meant] = news->meant_id;
}

/* Waiting */

static bool is_late(const struct wait *wait, const struct track_at *now)
{
	return wait->wait_ns && now->time_ns > wait->since_ns &&
	       now->time_ns - wait->since_ns > wait->wait_ns;
}

static bool has_data(const struct track_cm_waits *w, const struct wait *wait)
{
	unsigned int i;

	for (i = 0; w->conn && i < wait->n_flows; i++)
		if (track_conn_half(w->conn, &wait->flow[i]))
			return true;
	return false;
}

/* Data stand for the RTU. */
static void note(const struct track_cm_waits *w, const struct wait *wait, uint64_t req_frame)
{
	static const uint8_t messages[] = { [TRACK_CM_REQ_SENT] = TRACK_CM_REQ,
					    [TRACK_CM_REP_SENT] = TRACK_CM_REP,
					    [TRACK_CM_DREQ_SENT] = TRACK_CM_DREQ };

	if (w->list && (wait->state != TRACK_CM_REP_SENT || !has_data(w, wait)))
		track_cm_list_give_up(w->list, req_frame, (enum track_cm_side)wait->side,
				      (enum track_cm_message)messages[wait->state]);
}

static void give_up(struct track_cm_waits *w, struct wait *wait, enum track_given_up why)
{
	const uint64_t *req_frame = track_table_key(w->waits, wait);
	struct track_event *e;

	if (!wait->wait_ns)
		return;
	e = track_event_add(w->events, TRACK_EVENT_CM_GIVEN_UP, &wait->asked);
	if (e) {
		e->flow = flow_from(&wait->client, wait->side);
		if (!w->two_way && !(w->conn && track_conn_hears(w->conn, &e->flow)))
			e->doubt |= TRACK_DOUBT_ONE_WAY;
		track_event_cause(e, *req_frame);
		e->number[TRACK_CM_GIVEN_UP_local_comm_id] = wait->comm_id;
		e->number[TRACK_CM_GIVEN_UP_why] = why;
		e->number[TRACK_CM_GIVEN_UP_service_id] = wait->service_id;
		e->number[TRACK_CM_GIVEN_UP_before] = wait->state;
		e->number[TRACK_CM_GIVEN_UP_copies] = wait->copies;
		e->number[TRACK_CM_GIVEN_UP_ns] = wait->wait_ns;
		e->number[TRACK_CM_GIVEN_UP_data] = has_data(w, wait);
	}
	if (why == TRACK_GIVEN_UP_TIMEOUT)
		note(w, wait, *req_frame);
	wait->wait_ns = 0;
}

static uint64_t ns_of(uint32_t code)
{
	return UINT64_C(4096) << (code & 0x1f);
}

static struct wait *new_wait(struct track_cm_waits *w, const struct track_cm_news *news,
			     const struct ibw_cm_req_wire *req)
{
	uint64_t path_ns = ns_of(ibw_cm_req_primary_ack_timeout(req));
	struct wait *wait;

	if (track_table_full(w->waits)) {
		give_up(w, track_table_oldest(w->waits), TRACK_GIVEN_UP_EVICTED);
		track_table_evict(w->waits, track_table_oldest(w->waits));
	}
	wait = track_table_add(w->waits, &news->req_frame);
	wait->comm_id = news->local_id;
	wait->service_id = news->service_id;
	wait->client = news->client;
	wait->tries = (uint8_t)(ibw_cm_req_max_cm_retries(req) + 1);
	wait->try_ns[TRACK_CM_CLIENT] = ns_of(ibw_cm_req_local_resp_timeout(req)) + path_ns;
	wait->try_ns[TRACK_CM_SERVER] = ns_of(ibw_cm_req_remote_resp_timeout(req)) + path_ns;
	return wait;
}

/* With the messages of the other side so far. */
static bool is_answered(const struct track_cm_news *news)
{
	static const uint8_t answers[] = {
		[TRACK_CM_REQ] = 1 << TRACK_CM_REP | 1 << TRACK_CM_REJ,
		[TRACK_CM_REP] = 1 << TRACK_CM_RTU | 1 << TRACK_CM_REJ | 1 << TRACK_CM_DREQ,
		[TRACK_CM_DREQ] = 1 << TRACK_CM_DREP | 1 << TRACK_CM_DREQ,
	};
	unsigned int other = news->side == TRACK_CM_CLIENT ? TRACK_CM_SERVER : TRACK_CM_CLIENT;

	return news->seen[other] & answers[news->message];
}

/* For the tries that are left. */
static uint64_t answer_ns(const struct wait *wait)
{
	unsigned int left = wait->copies < wait->tries ? wait->tries - wait->copies + 1 : 1;
	unsigned int other = wait->side == TRACK_CM_CLIENT ? TRACK_CM_SERVER : TRACK_CM_CLIENT;

	return left * wait->try_ns[other];
}

static void ask(struct wait *wait, const struct track_cm_news *news, enum track_cm_state state,
		const struct track_at *at)
{
	if (is_answered(news))
		return;
	wait->copies = news->repeated && wait->state == state ? wait->copies + 1 : 1;
	wait->asked = *at;
	wait->since_ns = at->time_ns;
	wait->side = news->side;
	wait->state = (uint8_t)state;
	wait->wait_ns = answer_ns(wait);
}

static void note_flows(struct wait *wait, const struct track_cm_news *news)
{
	unsigned int i;

	if (!news->n_flows)
		return;
	wait->n_flows = (uint8_t)news->n_flows;
	for (i = 0; i < news->n_flows; i++) {
		wait->flow[i] = news->flow[i];
		wait->flow[i].service = news->service;
	}
}

/* Who waited in vain may say so itself. */
static void refuse(struct track_cm_waits *w, struct wait *wait, const struct track_cm_news *news)
{
	if (news->side == wait->side && news->detail == IBW_CM_REJ_TIMEOUT)
		give_up(w, wait, TRACK_GIVEN_UP_TIMEOUT);
	wait->wait_ns = 0;
}

/* For what the conversation waits after the message. */
static void listen(struct track_cm_waits *w, struct wait *wait, const struct track_cm_news *news,
		   const struct track_at *at)
{
	w->two_way |= news->seen[TRACK_CM_CLIENT] && news->seen[TRACK_CM_SERVER];
	switch (news->message) {
	case TRACK_CM_REQ:
		wait->reqs++;
		wait->req_ns = at->time_ns;
		ask(wait, news, TRACK_CM_REQ_SENT, at);
		break;
	case TRACK_CM_REP:
		note_flows(wait, news);
		ask(wait, news, TRACK_CM_REP_SENT, at);
		break;
	case TRACK_CM_DREQ:
		if (is_answered(news))
			wait->wait_ns = 0;
		ask(wait, news, TRACK_CM_DREQ_SENT, at);
		break;
	case TRACK_CM_MRA: /* it is its sender who is waited for */
		if (!wait->wait_ns || news->side == wait->side)
			break;
		wait->since_ns = at->time_ns;
		wait->wait_ns = answer_ns(wait) + ns_of(news->detail);
		break;
	case TRACK_CM_REJ:
		refuse(w, wait, news);
		break;
	case TRACK_CM_RTU: /* it may come again after the DREQ */
		if (wait->state == TRACK_CM_REP_SENT)
			wait->wait_ns = 0;
		break;
	default: /* DREP */
		wait->wait_ns = 0;
		break;
	}
}

void track_cm_waits_feed(struct track_cm_waits *w, const struct track_cm_news *news,
			 const struct track_mad *mad, const struct track_at *at)
{
	struct wait *wait;

	if (news->message == TRACK_CM_OTHER || news->message >= TRACK_CM_LAP || news->doubt)
		return;
	wait = news->known ? track_table_get(w->waits, &news->req_frame) : NULL;
	if (wait && is_late(wait, at))
		give_up(w, wait, TRACK_GIVEN_UP_TIMEOUT);
	tell(w, news, wait, at);
	if (news->meant_frame)
		tell_wrong_id(w, news, at);
	if (!news->known)
		return;
	if (!wait && news->message == TRACK_CM_REQ)
		wait = new_wait(w, news, (const void *)(mad->p + ibw_mad_BYTES));
	if (wait)
		listen(w, wait, news, at);
}

void track_cm_waits_tick(struct track_cm_waits *w, const struct track_at *now)
{
	uint32_t n = MIN(track_table_count(w->waits), TICK_MAX);
	struct wait *wait;

	while (n--) { /* none is ever taken out, but for a new one: numbers have no gap */
		w->cursor = (w->cursor + 1) % track_table_count(w->waits);
		wait = track_table_at(w->waits, w->cursor);
		if (is_late(wait, now))
			give_up(w, wait, TRACK_GIVEN_UP_TIMEOUT);
	}
}

bool track_cm_waits_finish(struct track_cm_waits *w, const struct track_at *at)
{
	struct wait *wait = NULL;

	while ((wait = track_table_next(w->waits, wait))) {
		if (!track_events_room(w->events))
			return false;
		give_up(w, wait, is_late(wait, at) ? TRACK_GIVEN_UP_TIMEOUT : TRACK_GIVEN_UP_END);
	}
	return true;
}
