/* SPDX-License-Identifier: GPL-2.0-or-later */
/* transact.c - matches MAD requests and their copies with responses. */
#include <string.h>

#include <glib.h>

#include <ibwire/ibwire.h>

#include "transact_impl.h"

/* A TID may be used again after that. */
#define REUSE_NS UINT64_C(60000000000)

/* The last bits of a LID that an LMC may leave to the sender. */
#define LMC_MASK 0x7f

#define NONE UINT32_MAX

struct track_transact *track_transact_new(struct track_events *events)
{
	struct track_transact *t = g_new0(struct track_transact, 1);

	t->events = events;
	t->transactions = track_table_new(sizeof(struct key), sizeof(struct transaction),
					  TRACK_TRANSACTIONS_MAX);
	t->clients = track_table_new(sizeof(struct counts_key), sizeof(struct track_mad_counts),
				     TRACK_MAD_CLIENTS_MAX);
	t->attributes = track_table_new(sizeof(struct counts_key), sizeof(struct track_mad_counts),
					TRACK_MAD_ATTRIBUTES_MAX);
	t->servers = track_table_new(16, sizeof(struct server), TRACK_MAD_SERVERS_MAX);
	t->asked = g_new0(struct track_mads_asked, 1);
	t->oldest = t->newest = NONE;
	return t;
}

void track_transact_want_replies(struct track_transact *t, struct track_replies *replies)
{
	t->replies = replies;
}

void track_transact_fabric(struct track_transact *t, struct track_fabric *fabric)
{
	t->fabric = fabric;
}

void track_transact_conn(struct track_transact *t, const struct track_conn *conn)
{
	t->conn = conn;
}

void track_transact_free(struct track_transact *t)
{
	if (!t)
		return;
	track_mad_free_counts(t->clients);
	track_mad_free_counts(t->attributes);
	track_table_free(t->transactions);
	track_table_free(t->servers);
	track_mads_asked_free(t->asked);
	g_free(t);
}

struct track_mads_asked *track_transact_asked(const struct track_transact *t)
{
	return t->asked;
}

uint64_t track_transact_evicted(const struct track_transact *t)
{
	return track_table_evicted(t->transactions) + track_table_evicted(t->clients) +
	       track_table_evicted(t->attributes) + track_table_evicted(t->servers) +
	       t->asked->more;
}

/* What waits, by the time of its last copy */

static struct transaction *at_number(const struct track_transact *t, uint32_t number)
{
	return number == NONE ? NULL : track_table_at(t->transactions, number);
}

static void wait_no_longer(struct track_transact *t, const struct transaction *x)
{
	struct transaction *before = at_number(t, x->before), *after = at_number(t, x->after);

	if (before)
		before->after = x->after;
	else
		t->oldest = x->after;
	if (after)
		after->before = x->before;
	else
		t->newest = x->before;
}

static void wait_from_now(struct track_transact *t, struct transaction *x)
{
	struct transaction *newest = at_number(t, t->newest);
	uint32_t number = track_table_number(t->transactions, x);

	x->before = t->newest;
	x->after = NONE;
	if (newest)
		newest->after = number;
	else
		t->oldest = number;
	t->newest = number;
}

static void settle(struct track_transact *t, struct transaction *x, enum state state)
{
	if (x->state == WAITING)
		wait_no_longer(t, x);
	x->state = (uint8_t)state;
}

static bool is_past(const struct transaction *x, uint64_t now_ns, uint64_t ns)
{
	return now_ns > x->last.time_ns && now_ns - x->last.time_ns >= ns;
}

static bool is_late(const struct transaction *x, uint64_t now_ns)
{
	return is_past(x, now_ns, TRACK_MAD_WAIT_NS);
}

static void give_up(struct track_transact *t, struct transaction *x)
{
	settle(t, x, GIVEN_UP);
	track_mad_asked_given_up(t, x);
	track_tell_unanswered(t, x);
	track_tell_why_unanswered(t, x);
	track_tell_asked(t, x, false);
}

/* After so long; false: there is no room for all events. */
static bool give_up_after(struct track_transact *t, uint64_t now_ns, uint64_t ns)
{
	struct transaction *x;

	while ((x = at_number(t, t->oldest)) && is_past(x, now_ns, ns)) {
		if (track_events_room(t->events) < 2)
			return false;
		give_up(t, x);
	}
	return true;
}

static void say_reply(const struct track_transact *t, const struct transaction *x,
		      const struct track_at *at, enum track_reply_kind kind)
{
	const struct track_reply r = {
		.request = x->frame,
		.answer = at->frame,
		.ns = at->time_ns >= x->time_ns ? at->time_ns - x->time_ns : TRACK_NO_TIME,
		.kind = (uint8_t)kind,
		.opcode = x->method,
	};

	track_reply_add(t->replies, &r);
}

/* Requests */

/* What is over is kept for answers and copies that come again, and soon makes room: for many only while they wait. */
static struct transaction *makes_room(struct track_transact *t)
{
	struct transaction *old;

	if (track_table_full(t->transactions))
		return track_table_oldest(t->transactions);
	if (track_table_count(t->transactions) < TRACK_TRANSACTIONS_KEPT)
		return NULL;
	old = track_table_oldest(t->transactions);
	return old->state == ANSWERED || old->state == STOPPED ? old : NULL;
}

static struct transaction *place(struct track_transact *t, const struct mad *m)
{
	struct transaction *old = makes_room(t);
	const struct track_at *now = m->at;

	if (old) {
		if (old->state == WAITING && is_late(old, now->time_ns))
			give_up(t, old);
		track_mad_asked_until(t, old, now->frame);
		if (old->state == WAITING) {
			t->missing = true;
			wait_no_longer(t, old);
			track_table_evict(t->transactions, old);
		} else {
			track_table_remove(t->transactions, old);
		}
	}
	return track_table_add_hashed(t->transactions, &m->key, m->hash);
}

static void begin(struct track_transact *t, const struct mad *m, struct transaction *x,
		  uint64_t bytes)
{
	if (x)
		memset(x, 0, sizeof(*x));
	else
		x = place(t, m);
	x->frame = m->at->frame;
	x->time_ns = m->at->time_ns;
	x->last = *m->at;
	x->bytes = bytes;
	x->flow = m->flow;
	x->copies = 1;
	x->attr_id = ibw_mad_attr_id(m->mad->mad);
	x->method = ibw_mad_method(m->mad->mad);
	x->state = WAITING;
	if (m->mad->dr_status)
		x->hop = ibw_smp_dr_status_hop_ptr(m->mad->dr_status);
	track_object_of(&x->object, m->mad);
	x->mkey = m->mad->smp ? ibw_smp_mkey(m->mad->smp) : 0;
	wait_from_now(t, x);
	track_mad_count(m, TRACK_MAD_FIGURE_requests);
}

static void request(struct track_transact *t, const struct mad *m)
{
	struct transaction *x = m->of;
	bool open = x && (x->state == WAITING || x->state == GIVEN_UP);
	uint64_t bytes = track_mad_bytes(m->mad);

	if (open && x->bytes == bytes) {
		if (m->mad->dr_status && x->hop != ibw_smp_dr_status_hop_ptr(m->mad->dr_status))
			return; /* the same one, further on its way */
		say_reply(t, x, m->at, TRACK_REPLY_RETRY);
		x->copies++;
		x->last = *m->at;
		track_mad_asked_again(t, x);
		track_mad_count(m, TRACK_MAD_FIGURE_retries);
		if (x->state == WAITING) {
			wait_no_longer(t, x);
			wait_from_now(t, x);
		}
		return;
	}
	if (x && m->mad->dr_status && x->bytes == bytes &&
	    x->hop != ibw_smp_dr_status_hop_ptr(m->mad->dr_status))
		return;
	if (open && m->at->time_ns < x->last.time_ns + REUSE_NS)
		track_tell_reused(t, m, x);
	if (x && x->state == WAITING && is_late(x, m->at->time_ns))
		give_up(t, x);
	if (x) {
		track_mad_asked_until(t, x, m->at->frame);
		settle(t, x, ANSWERED);
	}
	begin(t, m, x, bytes);
}

/* Responses */

/* Whether @flow is the way back of the request @x. */
static bool is_server(const struct transaction *x, const struct track_flow *flow)
{
	if (flow->address == TRACK_ADDRESS_LID && x->flow.address == TRACK_ADDRESS_LID)
		return !((ibw_get_be16(x->flow.dst + 14) ^ ibw_get_be16(flow->dst + 14)) &
			 ~LMC_MASK);
	return !memcmp(x->flow.dst, flow->dst, sizeof(flow->dst));
}

static void count_busy(struct track_transact *t, const struct mad *m)
{
	struct server *s = track_table_need(t->servers, m->flow.dst);
	bool busy = m->mad->status & IBW_STATUS_BUSY;

	s->responses++;
	if (!busy)
		return;
	s->busy++;
	s->frame = m->at->frame;
	s->time_ns = m->at->time_ns;
	s->flow = m->flow;
	track_flow_turn(&s->flow);
	s->flow.dqpn = m->key.qpn;
}

static void first_response(struct track_transact *t, const struct mad *m, struct transaction *x,
			   bool last)
{
	track_mad_count(m, TRACK_MAD_FIGURE_answered);
	if (m->mad->status & IBW_STATUS_BUSY)
		track_mad_count(m, TRACK_MAD_FIGURE_busy);
	if (m->mad->status & ~(unsigned int)IBW_STATUS_BUSY)
		track_mad_count(m, TRACK_MAD_FIGURE_errors);
	track_mad_asked_answered(t, m, x, is_late(x, m->at->time_ns), false);
	if (is_late(x, m->at->time_ns)) {
		track_mad_count(m, TRACK_MAD_FIGURE_late);
		if (x->state == WAITING)
			track_tell_late(t, m, x);
	}
	count_busy(t, m);
	settle(t, x, last ? ANSWERED : BEGUN);
	if (last)
		track_mad_count_time(m, x);
	t->two_way = true;
	if (!is_late(x, m->at->time_ns))
		track_tell_asked(t, x, true);
}

static void response(struct track_transact *t, const struct mad *m)
{
	struct transaction *x = m->of;
	uint32_t segment = track_mad_segment(m->mad);
	bool last = !segment || ibw_rmpp_flags(m->mad->rmpp) & IBW_RMPP_LAST;

	if (!x) {
		if (segment <= 1)
			track_tell_unasked(t, m);
		return;
	}
	if (x->state == WAITING || x->state == GIVEN_UP || segment)
		say_reply(t, x, m->at, TRACK_REPLY_MAD);
	if (x->state == WAITING || x->state == GIVEN_UP) {
		if (segment > 1)
			track_tell_beheaded(t, m, segment);
		first_response(t, m, x, last);
	} else if (segment) {
		if (x->state == BEGUN && last) { /* it came again: once is enough */
			track_mad_count_time(m, x);
			x->state = ANSWERED;
		}
	} else if (x->state != STOPPED && !m->mad->dr_status) {
		track_mad_count(m, TRACK_MAD_FIGURE_repeated_responses);
	}
}

static void stop(struct track_transact *t, const struct mad *m)
{
	struct transaction *x = m->of;

	if (!x || (x->state != WAITING && x->state != GIVEN_UP))
		return;
	track_mad_asked_answered(t, m, x, false, true);
	settle(t, x, STOPPED);
	track_mad_count(m, TRACK_MAD_FIGURE_stopped);
}

void track_transact_feed(struct track_transact *t, const struct ibw_packet *pkt,
			 const struct track_mad *mad, const struct track_transfer *transfer,
			 const struct track_at *at)
{
	struct mad m = { .mad = mad, .at = at };
	enum role role;

	if (!mad->mad || !mad->walked.class_row ||
	    ibw_mad_base_version(mad->mad) != IBW_MAD_BASE_VERSION)
		return;
	role = track_mad_role(mad);
	if (role == NOTHING || !track_mad_key(&m, pkt, ibw_mad_r(mad->mad)))
		return;
	if (!t->begin_ns)
		t->begin_ns = at->time_ns;
	m.of = track_table_find(t->transactions, &m.key, &m.hash);
	if (m.of && role == RESPONSE && !mad->dr_status && !is_server(m.of, &m.flow))
		m.of = NULL;
	track_mad_find_counts(t, &m, role != REQUEST && role != TRAP && role != REPRESS);
	if (transfer && transfer->rmpp.state == IBW_TRANSFER_COMPLETE)
		track_mad_count(&m, TRACK_MAD_FIGURE_transfers);
	switch (role) {
	case REQUEST:
		request(t, &m);
		break;
	case RESPONSE:
		response(t, &m);
		break;
	case STOP:
		stop(t, &m);
		break;
	case TRAP:
		track_mad_count(&m, TRACK_MAD_FIGURE_traps);
		break;
	case REPRESS:
		track_mad_count(&m, TRACK_MAD_FIGURE_represses);
		break;
	default:
		break;
	}
}

void track_transact_tick(struct track_transact *t, const struct track_at *now)
{
	give_up_after(t, now->time_ns, TRACK_MAD_GONE_NS);
}

/* The end */

bool track_transact_finish(struct track_transact *t, const struct track_at *at)
{
	if (!give_up_after(t, at->time_ns, TRACK_MAD_WAIT_NS))
		return false;
	for (; t->finished_servers < track_table_count(t->servers); t->finished_servers++) {
		if (!track_events_room(t->events))
			return false;
		track_tell_busy(t, track_table_at(t->servers, t->finished_servers), at);
	}
	return true;
}
