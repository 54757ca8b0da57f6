/* SPDX-License-Identifier: GPL-2.0-or-later */
/* transact_event.c - MAD transactions as events. */
#include <ibwire/ibwire.h>

#include "transact_impl.h"

/* Fewer responses than that say nothing about how busy a server is; more than a tenth of them is too much. */
#define BUSY_MIN 10
#define BUSY_SHARE 10

/* From this protection level on, a port answers no Get with another M_Key. */
#define MKEY_PROTECTS_GET 2

void track_tell_unanswered(struct track_transact *t, const struct transaction *x)
{
	const struct key *key = track_table_key(t->transactions, x);
	struct track_event *e =
		track_event_add(t->events, TRACK_EVENT_REQUEST_UNANSWERED, &x->last);

	if (!e)
		return;
	e->flow = x->flow;
	if (!t->two_way && !(t->conn && track_conn_hears(t->conn, &e->flow)))
		e->doubt |= TRACK_DOUBT_ONE_WAY;
	track_flow_as_seen(&e->flow);
	track_event_cause(e, x->frame);
	e->number[TRACK_REQUEST_UNANSWERED_tid] = key->tid;
	e->number[TRACK_REQUEST_UNANSWERED_mgmt_class] = key->mgmt_class;
	e->number[TRACK_REQUEST_UNANSWERED_method] = x->method;
	e->number[TRACK_REQUEST_UNANSWERED_attr_id] = x->attr_id;
	e->number[TRACK_REQUEST_UNANSWERED_copies] = x->copies;
	e->number[TRACK_REQUEST_UNANSWERED_ns] = TRACK_MAD_WAIT_NS;
	track_fabric_object_text(t->fabric, &x->object, track_event_about(t->events, e));
}

/* Of LIDs; 0: it went to none. */
static uint16_t server_lid(const struct transaction *x)
{
	return x->flow.address == TRACK_ADDRESS_LID ? ibw_get_be16(x->flow.dst + 14) : 0;
}

/* A port drops what has another M_Key: a Set always, a Get from protection level 2 on. IBTA vol 1, 14.2.4 */
static void tell_mkey(struct track_transact *t, const struct transaction *x, uint16_t lid)
{
	struct track_mkey_said said;
	struct track_event *e;

	if (!track_fabric_mkey(t->fabric, lid, &said) || said.mkey == x->mkey ||
	    said.frame > x->last.frame ||
	    (x->method != IBW_METHOD_SET && said.protect < MKEY_PROTECTS_GET))
		return;
	e = track_event_add(t->events, TRACK_EVENT_MKEY_OTHER, &x->last);
	if (!e)
		return;
	e->flow = x->flow;
	track_event_cause(e, said.frame);
	track_event_cause(e, x->frame);
	e->number[TRACK_MKEY_OTHER_lid] = lid;
	e->number[TRACK_MKEY_OTHER_client] = ibw_get_be16(x->flow.src + 14);
	e->number[TRACK_MKEY_OTHER_mkey] = x->mkey;
	e->number[TRACK_MKEY_OTHER_protect] = said.protect;
	e->number[TRACK_MKEY_OTHER_frame] = said.frame;
	e->number[TRACK_MKEY_OTHER_copies] = x->copies;
}

static void tell_sm(struct track_transact *t, const struct transaction *x, uint16_t lid)
{
	struct track_event *e;
	uint64_t frame;
	uint16_t to;

	if (!track_fabric_handed_over(t->fabric, lid, x->time_ns, &to, &frame))
		return;
	e = track_event_add(t->events, TRACK_EVENT_SM_OF_BEFORE, &x->last);
	if (!e)
		return;
	e->flow = x->flow;
	track_event_cause(e, frame);
	e->number[TRACK_SM_OF_BEFORE_lid] = lid;
	e->number[TRACK_SM_OF_BEFORE_to] = to;
	e->number[TRACK_SM_OF_BEFORE_frame] = frame;
	e->number[TRACK_SM_OF_BEFORE_method] = x->method;
	e->number[TRACK_SM_OF_BEFORE_attr_id] = x->attr_id;
	track_fabric_object_text(t->fabric, &x->object, track_event_about(t->events, e));
}

void track_tell_why_unanswered(struct track_transact *t, const struct transaction *x)
{
	const struct key *key = track_table_key(t->transactions, x);
	uint16_t lid = server_lid(x);

	if (!t->fabric || !lid || lid == IBW_LID_PERMISSIVE)
		return;
	if (key->mgmt_class == IBW_CLASS_SUBN_LID)
		tell_mkey(t, x, lid);
	else if (key->mgmt_class == IBW_CLASS_SUBN_ADM)
		tell_sm(t, x, lid);
}

void track_tell_asked(struct track_transact *t, const struct transaction *x, bool answered)
{
	const struct key *key = track_table_key(t->transactions, x);
	const struct track_route_asked asked = { .way = key->path,
						 .frame = x->frame,
						 .agent = track_mad_tid_agent(key->tid),
						 .last = &x->last,
						 .flow = &x->flow,
						 .object = &x->object,
						 .answered = answered };

	if (t->fabric && t->two_way && key->mgmt_class == IBW_CLASS_SUBN_DR &&
	    x->attr_id == IBW_ATTR_SM_NODE_INFO)
		track_fabric_asked(t->fabric, &asked);
}

void track_tell_late(struct track_transact *t, const struct mad *m, const struct transaction *x)
{
	struct track_event *e = track_event_add(t->events, TRACK_EVENT_ANSWERED_LATE, m->at);

	if (!e)
		return;
	e->flow = m->flow;
	track_flow_turn(&e->flow);
	e->flow.dqpn = m->key.qpn;
	track_flow_as_seen(&e->flow);
	track_event_cause(e, x->frame);
	track_event_cause(e, x->last.frame);
	track_fabric_object_text(t->fabric, &x->object, track_event_about(t->events, e));
	e->number[TRACK_ANSWERED_LATE_tid] = m->key.tid;
	e->number[TRACK_ANSWERED_LATE_mgmt_class] = m->key.mgmt_class;
	e->number[TRACK_ANSWERED_LATE_method] = x->method;
	e->number[TRACK_ANSWERED_LATE_attr_id] = x->attr_id;
	e->number[TRACK_ANSWERED_LATE_copies] = x->copies;
	e->number[TRACK_ANSWERED_LATE_request] = x->frame;
	e->number[TRACK_ANSWERED_LATE_ns] =
		m->at->time_ns > x->time_ns ? m->at->time_ns - x->time_ns : 0;
	e->number[TRACK_ANSWERED_LATE_last_ns] = m->at->time_ns - x->last.time_ns;
}

void track_tell_reused(struct track_transact *t, const struct mad *m, const struct transaction *x)
{
	struct track_event *e;

	track_mad_count(m, TRACK_MAD_FIGURE_reused_tids);
	e = track_event_add(t->events, TRACK_EVENT_TID_REUSED, m->at);
	if (!e)
		return;
	e->flow = m->flow;
	track_flow_as_seen(&e->flow);
	track_event_cause(e, x->frame);
	e->number[TRACK_TID_REUSED_tid] = m->key.tid;
	e->number[TRACK_TID_REUSED_mgmt_class] = m->key.mgmt_class;
	e->number[TRACK_TID_REUSED_method] = ibw_mad_method(m->mad->mad);
	e->number[TRACK_TID_REUSED_attr_id] = ibw_mad_attr_id(m->mad->mad);
	e->number[TRACK_TID_REUSED_was_method] = x->method;
	e->number[TRACK_TID_REUSED_was_attr_id] = x->attr_id;
	e->number[TRACK_TID_REUSED_frame] = x->frame;
	track_fabric_object_text(t->fabric, &x->object, track_event_about(t->events, e));
	e->number[TRACK_TID_REUSED_ns] =
		m->at->time_ns > x->last.time_ns ? m->at->time_ns - x->last.time_ns : 0;
}

void track_tell_unasked(struct track_transact *t, const struct mad *m)
{
	struct track_event *e;

	track_mad_count(m, TRACK_MAD_FIGURE_unasked_responses);
	/* Requests of a client of which none is there may go another way. */
	if (t->missing || !m->client->figure[TRACK_MAD_FIGURE_answered])
		return;
	e = track_event_add(t->events, TRACK_EVENT_RESPONSE_UNASKED, m->at);
	if (!e)
		return;
	if (m->at->time_ns < t->begin_ns + TRACK_MAD_WAIT_NS)
		e->doubt |= TRACK_DOUBT_MID_STREAM;
	e->flow = m->flow;
	track_flow_turn(&e->flow);
	e->flow.dqpn = m->key.qpn;
	track_flow_as_seen(&e->flow);
	e->number[TRACK_RESPONSE_UNASKED_tid] = m->key.tid;
	e->number[TRACK_RESPONSE_UNASKED_mgmt_class] = m->key.mgmt_class;
	e->number[TRACK_RESPONSE_UNASKED_method] = ibw_mad_method(m->mad->mad);
	e->number[TRACK_RESPONSE_UNASKED_attr_id] = ibw_mad_attr_id(m->mad->mad);
}

/* A transfer of which the first segment captured is not the first one, though its request is there. */
void track_tell_beheaded(struct track_transact *t, const struct mad *m, uint32_t segment)
{
	struct track_event *e = track_event_add(t->events, TRACK_EVENT_TRANSFER_GAP, m->at);

	if (!e)
		return;
	e->flow = m->flow;
	track_flow_turn(&e->flow);
	e->flow.dqpn = m->key.qpn;
	track_flow_as_seen(&e->flow);
	e->number[TRACK_TRANSFER_GAP_tid] = m->key.tid;
	e->number[TRACK_TRANSFER_GAP_mgmt_class] = m->key.mgmt_class;
	e->number[TRACK_TRANSFER_GAP_segment] = segment;
	e->number[TRACK_TRANSFER_GAP_expected] = 1;
}

void track_tell_busy(struct track_transact *t, const struct server *s, const struct track_at *at)
{
	struct track_at busy = { s->frame, s->time_ns, at->doubt };
	struct track_event *e;

	if (s->responses < BUSY_MIN || s->busy * BUSY_SHARE <= s->responses)
		return;
	e = track_event_add(t->events, TRACK_EVENT_SERVER_BUSY, &busy);
	if (!e)
		return;
	e->flow = s->flow;
	track_flow_as_seen(&e->flow);
	e->number[TRACK_SERVER_BUSY_responses] = s->responses;
	e->number[TRACK_SERVER_BUSY_busy] = s->busy;
}
