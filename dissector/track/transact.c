/* SPDX-License-Identifier: GPL-2.0-or-later */
/* transact.c - MAD transactions: requests, their copies, what answers them, and what does not. */
#include <string.h>

#include <glib.h>

#include <ibwire/ibwire.h>

#include "table.h"
#include "transact.h"

/* Nobody waits longer for an answer; RMPP and the SM tools wait less. */
#define WAIT_NS UINT64_C(2000000000)

/* A TID may be used again after that. */
#define REUSE_NS UINT64_C(60000000000)

/* The last bits of a LID that an LMC may leave to the sender. */
#define LMC_MASK 0x7f

/* Fewer responses than that say nothing about how busy a server is; more than a tenth of them is too much. */
#define BUSY_MIN 10
#define BUSY_SHARE 10

#define NONE UINT32_MAX

/* All members are set, and there are no holes: hashed and compared as bytes. So are the keys below. */
struct key {
	uint8_t client[16]; /* of a directed route: 0 */
	uint64_t tid;
	uint64_t path; /* of a directed route: what its way is */
	uint32_t qpn;  /* of the client */
	uint8_t mgmt_class;
	uint8_t zero[3];
};

struct counts_key {
	uint8_t address[16];
	uint16_t attr_id;
	uint8_t kind, mgmt_class;
	uint8_t zero[4];
};

enum state {
	WAITING,
	GIVEN_UP, /* an answer may still come */
	BEGUN,    /* the first segment of the answer is there */
	ANSWERED,
	STOPPED
};

struct transaction {
	uint64_t frame, time_ns; /* of the first copy */
	struct track_at last;    /* the last copy */
	uint64_t bytes;          /* what tells it from others */
	struct track_flow flow;  /* of the request */
	uint32_t before, after;  /* of those that wait, by the last copy */
	uint32_t copies;
	uint16_t attr_id;
	uint8_t method;
	uint8_t state;
	uint8_t hop; /* of a directed route: where it was seen first */
};

struct server {
	uint64_t frame;         /* of the last busy response */
	struct track_flow flow; /* of that */
	uint64_t time_ns;
	uint32_t responses, busy;
};

struct track_transact {
	struct track_events *events;
	struct track_table *transactions; /* struct key -> struct transaction */
	struct track_table *clients;      /* struct counts_key -> struct track_mad_counts */
	struct track_table *attributes;   /* likewise */
	struct track_table *servers;      /* address -> struct server */
	uint64_t begin_ns;                /* of the first MAD; 0: none yet */
	uint32_t oldest, newest;          /* of those that wait */
	uint32_t finished_servers;
	bool two_way; /* an answer was seen */
	bool missing; /* a request that waited was evicted: answers may seem to have none */
};

const char *const track_mad_figure_names[TRACK_MAD_FIGURE_COUNT] = {
#define TRACK_MAD_FIGURE(name, title, definition) [TRACK_MAD_FIGURE_##name] = #name,
#include "mad_figures.def"
};

const char *const track_mad_figure_titles[TRACK_MAD_FIGURE_COUNT] = {
#define TRACK_MAD_FIGURE(name, title, definition) [TRACK_MAD_FIGURE_##name] = (title),
#include "mad_figures.def"
};

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
	t->oldest = t->newest = NONE;
	return t;
}

static void free_counts(struct track_table *table)
{
	struct track_mad_counts *c = NULL;

	while ((c = track_table_next(table, c)))
		track_histogram_clear(&c->times);
	track_table_free(table);
}

void track_transact_free(struct track_transact *t)
{
	if (!t)
		return;
	free_counts(t->clients);
	free_counts(t->attributes);
	track_table_free(t->transactions);
	track_table_free(t->servers);
	g_free(t);
}

uint64_t track_transact_evicted(const struct track_transact *t)
{
	return track_table_evicted(t->transactions) + track_table_evicted(t->clients) +
	       track_table_evicted(t->attributes) + track_table_evicted(t->servers);
}

const struct track_mad_counts *track_transact_client(const struct track_transact *t,
						     const struct track_mad_counts *before)
{
	return track_table_next(t->clients, before);
}

const struct track_mad_counts *track_transact_attribute(const struct track_transact *t,
							const struct track_mad_counts *before)
{
	return track_table_next(t->attributes, before);
}

uint64_t track_mad_figure(const struct track_mad_counts *c, enum track_mad_figure figure)
{
	const uint64_t *f = c->figure;

	if (figure != TRACK_MAD_FIGURE_unanswered)
		return f[figure];
	/* What was begun before this was forgotten may end after it. */
	if (f[TRACK_MAD_FIGURE_requests] <
	    f[TRACK_MAD_FIGURE_answered] + f[TRACK_MAD_FIGURE_stopped])
		return 0;
	return f[TRACK_MAD_FIGURE_requests] - f[TRACK_MAD_FIGURE_answered] -
	       f[TRACK_MAD_FIGURE_stopped];
}

/* What is counted */

static struct track_mad_counts *counts_of(struct track_table *table, const struct counts_key *key,
					  const struct track_at *at)
{
	struct track_mad_counts *c = track_table_get(table, key), *old;

	if (!c) {
		if (track_table_full(table)) {
			old = track_table_oldest(table);
			track_histogram_clear(&old->times);
			track_table_evict(table, old);
		}
		c = track_table_add(table, key);
		memcpy(c->address, key->address, sizeof(c->address));
		c->kind = key->kind;
		c->mgmt_class = key->mgmt_class;
		c->attr_id = key->attr_id;
		c->first_frame = at->frame;
	}
	c->last_frame = at->frame;
	return c;
}

/* Of the MAD at hand. */
struct mad {
	const struct track_mad *mad;
	const struct track_at *at;
	struct track_flow flow; /* of the request */
	struct key key;
	struct transaction *of; /* NULL: none is known */
	struct track_mad_counts *client, *attribute;
};

static void count(const struct mad *m, enum track_mad_figure figure)
{
	m->client->figure[figure]++;
	m->attribute->figure[figure]++;
}

static void count_time(const struct mad *m, const struct transaction *x)
{
	if (m->at->time_ns < x->time_ns)
		return;
	track_histogram_add(&m->client->times, m->at->time_ns - x->time_ns);
	track_histogram_add(&m->attribute->times, m->at->time_ns - x->time_ns);
}

/* What comes back counts where the request does: the answer to a MultiPathRecord is a PathRecord. */
static void find_counts(struct track_transact *t, struct mad *m, bool back)
{
	const struct transaction *x = back ? m->of : NULL;
	const struct track_flow *flow = x ? &x->flow : &m->flow;
	struct counts_key key = { .kind = flow->address, .mgmt_class = m->key.mgmt_class };

	memcpy(key.address, flow->src, sizeof(key.address));
	m->client = counts_of(t->clients, &key, m->at);
	key = (struct counts_key){ .mgmt_class = m->key.mgmt_class,
				   .attr_id = x ? x->attr_id : ibw_mad_attr_id(m->mad->mad) };
	m->attribute = counts_of(t->attributes, &key, m->at);
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

static bool is_late(const struct transaction *x, uint64_t now_ns)
{
	return now_ns > x->last.time_ns && now_ns - x->last.time_ns >= WAIT_NS;
}

static void give_up(struct track_transact *t, struct transaction *x)
{
	const struct key *key = track_table_key(t->transactions, x);
	struct track_event *e =
		track_event_add(t->events, TRACK_EVENT_REQUEST_UNANSWERED, &x->last);

	settle(t, x, GIVEN_UP);
	if (!e)
		return;
	if (!t->two_way)
		e->doubt |= TRACK_DOUBT_ONE_WAY;
	e->flow = x->flow;
	track_flow_as_seen(&e->flow);
	track_event_cause(e, x->frame);
	e->number[TRACK_REQUEST_UNANSWERED_tid] = key->tid;
	e->number[TRACK_REQUEST_UNANSWERED_mgmt_class] = key->mgmt_class;
	e->number[TRACK_REQUEST_UNANSWERED_method] = x->method;
	e->number[TRACK_REQUEST_UNANSWERED_attr_id] = x->attr_id;
	e->number[TRACK_REQUEST_UNANSWERED_copies] = x->copies;
	e->number[TRACK_REQUEST_UNANSWERED_ns] = WAIT_NS;
}

/* False: there is no room for all events. */
static bool give_up_late(struct track_transact *t, uint64_t now_ns)
{
	struct transaction *x;

	while ((x = at_number(t, t->oldest)) && is_late(x, now_ns)) {
		if (!track_events_room(t->events))
			return false;
		give_up(t, x);
	}
	return true;
}

/* Requests */

/* FNV-1a. Who makes two requests alike on purpose has them taken for copies. */
static uint64_t hash(uint64_t h, const uint8_t *p, uint32_t n)
{
	uint32_t i;

	for (i = 0; i < n; i++)
		h = (h ^ p[i]) * UINT64_C(0x100000001b3);
	return h;
}

/* All that stays the same in a copy: of a directed route neither hop pointer nor return path. */
static uint64_t bytes_of(const struct track_mad *m)
{
	uint64_t h = hash(UINT64_C(0xcbf29ce484222325), m->p, 4);
	uint32_t from = ibw_mad_tid_AT / 8, to = m->n;

	if (m->dr_status)
		to = MIN(to, IBW_MAD_BYTES - 64);
	return to > from ? hash(h, m->p + from, to - from) : h;
}

static uint64_t path_of(const struct track_mad *m)
{
	uint32_t hops = MIN(ibw_smp_dr_status_hop_cnt(m->dr_status), IBW_SMP_HOPS_MAX);
	uint64_t h = hops + 1u;

	return m->dr_path ? hash(h, m->dr_path->b + 1, hops) : h;
}

static void tell_reused(struct track_transact *t, const struct mad *m, const struct transaction *x)
{
	struct track_event *e;

	count(m, TRACK_MAD_FIGURE_reused_tids);
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
	e->number[TRACK_TID_REUSED_ns] =
		m->at->time_ns > x->last.time_ns ? m->at->time_ns - x->last.time_ns : 0;
}

static struct transaction *place(struct track_transact *t, const struct key *key)
{
	struct transaction *old;

	if (track_table_full(t->transactions)) {
		old = track_table_oldest(t->transactions);
		if (old->state == WAITING) {
			t->missing = true;
			wait_no_longer(t, old);
			track_table_evict(t->transactions, old);
		} else {
			track_table_remove(t->transactions, old);
		}
	}
	return track_table_add(t->transactions, key);
}

static void begin(struct track_transact *t, const struct mad *m, struct transaction *x,
		  uint64_t bytes)
{
	if (!x)
		x = place(t, &m->key);
	*x = (struct transaction){ .frame = m->at->frame,
				   .time_ns = m->at->time_ns,
				   .last = *m->at,
				   .bytes = bytes,
				   .flow = m->flow,
				   .copies = 1,
				   .attr_id = ibw_mad_attr_id(m->mad->mad),
				   .method = ibw_mad_method(m->mad->mad),
				   .state = WAITING };
	if (m->mad->dr_status)
		x->hop = ibw_smp_dr_status_hop_ptr(m->mad->dr_status);
	wait_from_now(t, x);
	count(m, TRACK_MAD_FIGURE_requests);
}

static void request(struct track_transact *t, const struct mad *m)
{
	struct transaction *x = m->of;
	bool open = x && (x->state == WAITING || x->state == GIVEN_UP);
	uint64_t bytes = bytes_of(m->mad);

	if (open && x->bytes == bytes) {
		if (m->mad->dr_status && x->hop != ibw_smp_dr_status_hop_ptr(m->mad->dr_status))
			return; /* the same one, further on its way */
		x->copies++;
		x->last = *m->at;
		count(m, TRACK_MAD_FIGURE_retries);
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
		tell_reused(t, m, x);
	if (x)
		settle(t, x, ANSWERED);
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

static void tell_unasked(struct track_transact *t, const struct mad *m)
{
	struct track_event *e;

	count(m, TRACK_MAD_FIGURE_unasked_responses);
	/* Requests of a client of which none is there may go another way. */
	if (t->missing || !m->client->figure[TRACK_MAD_FIGURE_answered])
		return;
	e = track_event_add(t->events, TRACK_EVENT_RESPONSE_UNASKED, m->at);
	if (!e)
		return;
	if (m->at->time_ns < t->begin_ns + WAIT_NS)
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

static void count_busy(struct track_transact *t, const struct mad *m)
{
	struct server *s = track_table_get(t->servers, m->flow.dst);
	bool busy = m->mad->status & IBW_STATUS_BUSY;

	if (!s) {
		if (track_table_full(t->servers))
			track_table_evict(t->servers, track_table_oldest(t->servers));
		s = track_table_add(t->servers, m->flow.dst);
	}
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

/* A transfer of which the first segment captured is not the first one, though its request is there. */
static void tell_beheaded(struct track_transact *t, const struct mad *m, uint32_t segment)
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

/* The segment of several that the MAD is; 0: it is a MAD by itself, or unsent. */
static uint32_t segment_of(const struct track_mad *m)
{
	const struct ibw_rmpp_wire *rmpp = m->rmpp;

	return rmpp && ibw_rmpp_flags(rmpp) & IBW_RMPP_ACTIVE &&
			       ibw_rmpp_type(rmpp) == IBW_RMPP_DATA
		       ? ibw_rmpp_data1(rmpp)
		       : 0;
}

static void first_response(struct track_transact *t, const struct mad *m, struct transaction *x,
			   bool last)
{
	count(m, TRACK_MAD_FIGURE_answered);
	if (m->mad->status & IBW_STATUS_BUSY)
		count(m, TRACK_MAD_FIGURE_busy);
	if (m->mad->status & ~(unsigned int)IBW_STATUS_BUSY)
		count(m, TRACK_MAD_FIGURE_errors);
	if (is_late(x, m->at->time_ns))
		count(m, TRACK_MAD_FIGURE_late);
	count_busy(t, m);
	settle(t, x, last ? ANSWERED : BEGUN);
	if (last)
		count_time(m, x);
	t->two_way = true;
}

static void response(struct track_transact *t, const struct mad *m)
{
	struct transaction *x = m->of;
	uint32_t segment = segment_of(m->mad);
	bool last = !segment || ibw_rmpp_flags(m->mad->rmpp) & IBW_RMPP_LAST;

	if (!x) {
		if (segment <= 1)
			tell_unasked(t, m);
		return;
	}
	if (x->state == WAITING || x->state == GIVEN_UP) {
		if (segment > 1)
			tell_beheaded(t, m, segment);
		first_response(t, m, x, last);
	} else if (segment) {
		if (x->state == BEGUN && last) { /* it came again: once is enough */
			count_time(m, x);
			x->state = ANSWERED;
		}
	} else if (x->state != STOPPED && !m->mad->dr_status) {
		count(m, TRACK_MAD_FIGURE_repeated_responses);
	}
}

static void stop(struct track_transact *t, const struct mad *m)
{
	struct transaction *x = m->of;

	if (!x || (x->state != WAITING && x->state != GIVEN_UP))
		return;
	settle(t, x, STOPPED);
	count(m, TRACK_MAD_FIGURE_stopped);
}

/* What a MAD is to its transaction. */
enum role { NOTHING, REQUEST, SEGMENT, RESPONSE, STOP, TRAP, REPRESS, CONTROL };

static bool is_answered(uint8_t method)
{
	switch (method) {
	case IBW_METHOD_GET:
	case IBW_METHOD_SET:
	case IBW_METHOD_REPORT:
	case IBW_METHOD_GET_TABLE:
	case IBW_METHOD_GET_TRACE_TABLE:
	case IBW_METHOD_GET_MULTI:
	case IBW_METHOD_DELETE:
		return true;
	default:
		return false;
	}
}

static enum role role_of(const struct track_mad *m)
{
	uint8_t method = ibw_mad_method(m->mad);

	if (m->rmpp && ibw_rmpp_flags(m->rmpp) & IBW_RMPP_ACTIVE &&
	    ibw_rmpp_type(m->rmpp) > IBW_RMPP_DATA)
		return ibw_rmpp_type(m->rmpp) == IBW_RMPP_STOP ||
				       ibw_rmpp_type(m->rmpp) == IBW_RMPP_ABORT
			       ? STOP
			       : CONTROL;
	if (ibw_mad_r(m->mad))
		return is_answered(method) ? RESPONSE : NOTHING;
	if (method == IBW_METHOD_TRAP)
		return TRAP;
	if (method == IBW_METHOD_TRAP_REPRESS)
		return REPRESS;
	if (!is_answered(method))
		return NOTHING;
	return segment_of(m) > 1 ? SEGMENT : REQUEST;
}

/* By the request's way; false: there is none. */
static bool find_key(struct mad *m, const struct ibw_packet *pkt, bool back)
{
	const struct ibw_deth_wire *deth = IBW_AT(pkt, deth);
	struct key *key = &m->key;

	if (!deth || !track_flow_gids_of(pkt, &m->flow))
		return false;
	memset(key, 0, sizeof(*key));
	key->qpn = back ? m->flow.dqpn : ibw_deth_sqpn(deth);
	if (back) {
		track_flow_turn(&m->flow);
		m->flow.dqpn = ibw_deth_sqpn(deth);
	}
	key->mgmt_class = ibw_mad_mgmt_class(m->mad->mad);
	key->tid = ibw_mad_tid(m->mad->mad);
	if (m->mad->dr_status)
		key->path = path_of(m->mad);
	else
		memcpy(key->client, m->flow.src, sizeof(key->client));
	return true;
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
	role = role_of(mad);
	if (role == NOTHING || !find_key(&m, pkt, ibw_mad_r(mad->mad)))
		return;
	if (!t->begin_ns)
		t->begin_ns = at->time_ns;
	m.of = track_table_get(t->transactions, &m.key);
	if (m.of && role == RESPONSE && !mad->dr_status && !is_server(m.of, &m.flow))
		m.of = NULL;
	find_counts(t, &m, role != REQUEST && role != TRAP && role != REPRESS);
	if (transfer && transfer->rmpp.state == IBW_TRANSFER_COMPLETE)
		count(&m, TRACK_MAD_FIGURE_transfers);
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
		count(&m, TRACK_MAD_FIGURE_traps);
		break;
	case REPRESS:
		count(&m, TRACK_MAD_FIGURE_represses);
		break;
	default:
		break;
	}
}

void track_transact_tick(struct track_transact *t, const struct track_at *now)
{
	give_up_late(t, now->time_ns);
}

/* The end */

static void look_busy(struct track_transact *t, const struct server *s, const struct track_at *at)
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

bool track_transact_finish(struct track_transact *t, const struct track_at *at)
{
	if (!give_up_late(t, at->time_ns))
		return false;
	for (; t->finished_servers < track_table_count(t->servers); t->finished_servers++) {
		if (!track_events_room(t->events))
			return false;
		look_busy(t, track_table_at(t->servers, t->finished_servers), at);
	}
	return true;
}
