/* SPDX-License-Identifier: GPL-2.0-or-later */
/* conn.c - the table of halves, and the groups in which they look for each other. */
#include <string.h>

#include <glib.h>

#include <ibwire/ibwire.h>

#include "conn_impl.h"
#include "lids.h"
#include "track/stream/stream.h"

/* A part of the memory that is not counted by the piece. */
#define REST 4

/* No holes: compared as bytes. */
struct group_key {
	uint8_t low[16], high[16]; /* the two hosts, the smaller address first */
	uint32_t port;             /* 0x10000 and the UDP source port; 0: of all ports */
	uint8_t address;
	uint8_t service;
	uint16_t zero;
};

struct track_conn *track_conn_new(uint32_t max_halves, struct track_cm *cm)
{
	struct track_conn *c = g_new0(struct track_conn, 1);

	c->halves = track_table_new_apart(sizeof(struct track_flow), sizeof(struct track_half),
					  max_halves);
	c->groups = track_table_new_apart(sizeof(struct group_key), sizeof(struct track_group),
					  TRACK_LISTS * max_halves);
	c->lids = track_lids_new();
	c->cm = cm;
	c->paired = c->finished = TRACK_NONE;
	c->max_bytes = TRACK_MEMORY;
	return c;
}

/* What the tables leave to streams; packets that wait, events and the allocator take the rest. */
static uint64_t left_for_streams(const struct track_conn *c)
{
	uint64_t taken = track_table_bytes(c->halves) + track_table_bytes(c->groups) +
			 track_tables_bytes() + c->max_bytes / REST;

	return c->max_bytes > taken ? c->max_bytes - taken : 0;
}

void track_conn_memory(struct track_conn *c, uint64_t max_bytes)
{
	c->max_bytes = max_bytes;
}

void track_conn_free(struct track_conn *c)
{
	if (!c)
		return;
	track_qps_free(c->qps);
	track_headers_free(c->headers);
	track_table_free(c->halves);
	track_table_free(c->groups);
	track_table_free(c->lids);
	track_hosts_free(c->hosts);
	track_cc_free(c->cc);
	g_free(c->stray);
	track_table_free(c->unfollowed);
	g_free(c);
}

void track_conn_events(struct track_conn *c, struct track_events *events)
{
	c->events = events;
	if (events && !c->headers) {
		c->headers = track_headers_new();
		c->hosts = track_hosts_new(events);
		c->cc = track_cc_new(events);
	}
	if (c->qps) {
		c->qps->events = events;
		c->qps->cc = c->cc;
	}
}

struct track_hosts *track_conn_hosts(const struct track_conn *c)
{
	return c->hosts;
}

struct track_cc *track_conn_cc(const struct track_conn *c)
{
	return c->cc;
}

void track_conn_want_streams(struct track_conn *c)
{
	if (c->qps)
		return;
	c->qps = track_qps_new(left_for_streams(c));
	c->qps->events = c->events;
	c->qps->cc = c->cc;
}

struct track_qps *track_conn_streams(const struct track_conn *c)
{
	return c->qps;
}

bool track_conn_hears(const struct track_conn *c, const struct track_flow *flow)
{
	struct track_flow gids = *flow;

	track_flow_as_gids(&gids);
	return c->qps && track_heard_of(c->qps, gids.dst);
}

/* Nothing more comes that speaks against a pair, as far as there is room for events. */
static bool pair_halves(struct track_conn *c, const struct track_at *at)
{
	struct track_half *h = c->paired == TRACK_NONE ? NULL : track_half_at(c, c->paired);

	while ((h = track_table_next(c->halves, h))) {
		if (c->events && track_events_room(c->events) < TRACK_EVENTS_MAX / 2)
			return false;
		track_pair_only(c, h, at);
		c->paired = track_table_number(c->halves, h);
	}
	return true;
}

/* What only the end shows of each half, as far as there is room for events. */
static bool finish_halves(struct track_conn *c, const struct track_at *at)
{
	struct track_half *h = c->finished == TRACK_NONE ? NULL : track_half_at(c, c->finished);

	while ((h = track_table_next(c->halves, h))) {
		if (track_events_room(c->events) < TRACK_HEADER_EVENTS)
			return false;
		track_header_gone(c, h, at);
		c->finished = track_table_number(c->halves, h);
	}
	return true;
}

/* What only all halves show. */
static bool finish_hosts(struct track_conn *c, const struct track_at *at)
{
	if (c->qps && !c->mtus_told)
		track_qps_mtus(c->qps, c->hosts);
	c->mtus_told = true;
	if (track_events_room(c->events) < TRACK_EVENTS_MAX / 2)
		return false;
	track_header_finish(c, at);
	track_cc_finish(c->cc, at);
	return track_hosts_finish(c->hosts, at);
}

bool track_conn_finish(struct track_conn *c, const struct track_at *at)
{
	track_conn_flush(c);
	if (!pair_halves(c, at) || (c->qps && !track_qps_finish(c->qps, at)))
		return false;
	return !c->headers || (finish_halves(c, at) && finish_hosts(c, at));
}

/* Events */

struct track_event *track_conn_event(struct track_conn *c, enum track_event_kind kind,
				     const struct track_half *h, const struct track_at *at)
{
	struct track_event *e = track_event_add(c->events, kind, at);

	if (!e)
		return NULL;
	e->half = h->first_frame;
	e->flow = *(const struct track_flow *)track_table_key(c->halves, h);
	track_flow_as_seen(&e->flow);
	if (h->sqpn == TRACK_NO_QPN)
		e->doubt |= TRACK_DOUBT_MID_STREAM;
	return e;
}

static void tell_begun(struct track_conn *c, const struct track_half *h, uint32_t psn,
		       const struct track_at *at)
{
	struct track_event *e = track_conn_event(c, TRACK_EVENT_HALF_BEGUN, h, at);

	if (!e)
		return;
	e->number[TRACK_HALF_BEGUN_dqpn] = h->dqpn;
	e->number[TRACK_HALF_BEGUN_psn] = psn;
}

static void tell_paired(struct track_conn *c, const struct track_half *a,
			const struct track_half *b, const struct track_at *at)
{
	struct track_event *e = track_conn_event(c, TRACK_EVENT_PAIRED, a, at);

	if (!e)
		return;
	track_event_cause(e, MIN(a->first_frame, b->first_frame));
	track_event_cause(e, MAX(a->first_frame, b->first_frame));
	e->number[TRACK_PAIRED_evidence] = a->evidence;
	e->number[TRACK_PAIRED_dqpn] = a->dqpn;
	e->number[TRACK_PAIRED_back] = b->dqpn;
	e->number[TRACK_PAIRED_back_half] = b->first_frame;
}

/* @h is forgotten, because its connection @ended or for want of room. */
static void tell_gone(struct track_conn *c, const struct track_half *h, bool ended,
		      const struct track_at *at)
{
	struct track_event *e = track_conn_event(
		c, ended ? TRACK_EVENT_HALF_ENDED : TRACK_EVENT_HALF_EVICTED, h, at);

	if (!e)
		return;
	e->number[ended ? TRACK_HALF_ENDED_dqpn : TRACK_HALF_EVICTED_dqpn] = h->dqpn;
	track_event_cause(e, h->first_frame);
	if (!h->was_paired && !track_group_at(c, h->group[TRACK_BY_HOSTS])->listed[h->back])
		e->doubt |= TRACK_DOUBT_ONE_WAY;
}

/* Counting */

static uint32_t worth(const struct track_group *g)
{
	return g->one_host ? (g->unpaired[0] + 1) / 2 : MAX(g->unpaired[0], g->unpaired[1]);
}

static void count_unpaired(struct track_conn *c, const struct track_half *h, int change)
{
	struct track_group *g = track_group_at(c, h->group[TRACK_BY_HOSTS]);

	c->count -= worth(g);
	g->unpaired[h->dir] += (uint32_t)change;
	c->count += worth(g);
}

/* The lists */

static void insert(struct track_conn *c, struct track_half *h, unsigned int list)
{
	struct track_group *g = track_group_at(c, h->group[list]);
	uint32_t number = track_table_number(c->halves, h), next = g->first[h->dir];

	h->link[list].previous = TRACK_NONE;
	h->link[list].next = next;
	if (next != TRACK_NONE)
		track_half_at(c, next)->link[list].previous = number;
	g->first[h->dir] = number;
	g->listed[h->dir]++;
}

static void take_out(struct track_conn *c, struct track_half *h, unsigned int list)
{
	struct track_group *g = track_group_at(c, h->group[list]);
	struct track_link link = h->link[list];

	if (link.previous != TRACK_NONE)
		track_half_at(c, link.previous)->link[list].next = link.next;
	else
		g->first[h->dir] = link.next;
	if (link.next != TRACK_NONE)
		track_half_at(c, link.next)->link[list].previous = link.previous;
	g->listed[h->dir]--;
}

static void set_listed(struct track_conn *c, struct track_half *h, bool listed)
{
	unsigned int list;

	if (h->listed == listed)
		return;
	h->listed = listed;
	for (list = 0; list < TRACK_LISTS; list++) {
		if (h->group[list] == TRACK_NONE)
			continue;
		if (listed)
			insert(c, h, list);
		else
			take_out(c, h, list);
	}
}

/* Groups */

static uint32_t join_group(struct track_conn *c, const struct group_key *key)
{
	/* There is room: a half has no more than TRACK_LISTS of them. */
	struct track_group *g = track_table_need(c->groups, key);

	if (!g->halves) {
		g->first[0] = g->first[1] = TRACK_NONE;
		g->one_host = memcmp(key->low, key->high, sizeof(key->low)) == 0;
	}
	g->halves++;
	return track_table_number(c->groups, g);
}

static void leave_group(struct track_conn *c, uint32_t number)
{
	struct track_group *g = number == TRACK_NONE ? NULL : track_group_at(c, number);

	if (g && !--g->halves)
		track_table_remove(c->groups, g);
}

static struct group_key key_of(const struct track_flow *flow)
{
	bool down = memcmp(flow->src, flow->dst, sizeof(flow->src)) > 0;
	struct group_key key = { .address = flow->address, .service = flow->service };

	memcpy(key.low, down ? flow->dst : flow->src, sizeof(key.low));
	memcpy(key.high, down ? flow->src : flow->dst, sizeof(key.high));
	return key;
}

struct track_group *track_conn_group(const struct track_conn *c, const struct track_flow *flow,
				     unsigned int *dir)
{
	const struct group_key key = key_of(flow);

	*dir = memcmp(key.low, flow->src, sizeof(key.low)) != 0;
	return track_table_get(c->groups, &key);
}

static void join_hosts(struct track_conn *c, struct track_half *h, const struct track_flow *flow)
{
	const struct group_key key = key_of(flow);
	struct track_group *g;

	h->dir = memcmp(key.low, flow->src, sizeof(key.low)) != 0;
	h->back = !h->dir;
	h->group[TRACK_BY_HOSTS] = join_group(c, &key);
	g = track_group_at(c, h->group[TRACK_BY_HOSTS]);
	g->only[h->dir].halves = (uint8_t)MIN(g->only[h->dir].halves + 1, 2);
	h->anews = g->anews[h->dir];
	h->unnamed = g->unnamed;
	h->unnamed_all = c->unnamed;
	if (g->one_host)
		h->back = 0;
}

static void join_sport(struct track_conn *c, struct track_half *h, const struct track_flow *flow)
{
	struct group_key key = key_of(flow);

	h->group[TRACK_BY_SPORT] = TRACK_NONE;
	if (!h->has_sport)
		return;
	key.port = 0x10000u | h->sport;
	h->group[TRACK_BY_SPORT] = join_group(c, &key);
}

/* Paired, it does not look for another one: most connections have a port of their own. */
static void leave_sport(struct track_conn *c, struct track_half *h)
{
	leave_group(c, h->group[TRACK_BY_SPORT]);
	h->group[TRACK_BY_SPORT] = TRACK_NONE;
}

/* Streams */

/* What was a connection of its own, of one way, is way @way of @qp from now on. */
static void adopt(struct track_conn *c, struct track_half *h, struct track_qp *qp,
		  enum track_way way)
{
	if (!qp || !h->qp || qp == h->qp || track_qp_cm_frame(h->qp) || h->qp->halves != 1 ||
	    qp->dir[way].packets)
		return;
	track_qps_join(c->qps, qp, h->qp, way);
	h->qp = qp;
	h->way = (uint8_t)way;
}

/* The one the CM knows, or the elder one, takes the other in. */
static void join(struct track_conn *c, struct track_half *a, struct track_half *b)
{
	if (!a->qp || !b->qp)
		return;
	if (track_qp_cm_frame(b->qp) ||
	    (!track_qp_cm_frame(a->qp) && b->first_frame < a->first_frame))
		adopt(c, a, b->qp, (enum track_way) !b->way);
	else
		adopt(c, b, a->qp, (enum track_way) !a->way);
}

void track_conn_pair(struct track_conn *c, struct track_half *a, struct track_half *b,
		     enum track_evidence evidence, const struct track_at *at)
{
	track_pair_presume_not(c, a);
	set_listed(c, a, false);
	set_listed(c, b, false);
	count_unpaired(c, a, -1);
	count_unpaired(c, b, -1);
	a->peer = track_table_number(c->halves, b);
	b->peer = track_table_number(c->halves, a);
	a->evidence = b->evidence = (uint8_t)evidence;
	a->was_paired = b->was_paired = true;
	c->count++;
	leave_sport(c, a);
	leave_sport(c, b);
	if (c->qps)
		join(c, a, b);
	tell_paired(c, a, b, at);
	if (c->headers)
		track_header_paired(c, a, at);
}

/* Leaving */

/* QPNs in a row have places of their own: Fibonacci hashing. */
static inline uint32_t mark_of(const struct track_flow *flow)
{
	uint32_t host;

	memcpy(&host, flow->dst + sizeof(flow->dst) - sizeof(host), sizeof(host));
	return (flow->dqpn ^ host) * 0x9e3779b1u;
}

static inline struct track_recent *recent_at(struct track_conn *c, uint32_t mark)
{
	return c->recent[mark >> (32 - TRACK_RECENT_BITS)];
}

static struct track_recent *recent_of(struct track_conn *c, const struct track_flow *flow)
{
	return recent_at(c, mark_of(flow));
}

struct track_recent *track_conn_recent(struct track_conn *c, const struct track_half *h)
{
	struct track_recent *recent = recent_of(c, track_table_key(c->halves, h));
	unsigned int i;

	for (i = 0; i < TRACK_RECENT_WAYS; i++)
		if (recent[i].half == h)
			return &recent[i];
	return NULL;
}

/* What is left of a pair when one half goes. */
static void widow(struct track_conn *c, const struct track_half *h, bool ended)
{
	struct track_half *other = track_half_at(c, h->peer);

	other->peer = TRACK_NONE;
	if (ended)
		return; /* of a connection that stays counted */
	c->count--;
	other->evidence = TRACK_UNPAIRED;
	count_unpaired(c, other, 1);
	join_sport(c, other, track_table_key(c->halves, other));
	set_listed(c, other, true);
}

void track_conn_forget(struct track_conn *c, struct track_half *h, bool ended,
		       const struct track_at *at)
{
	struct track_recent *recent = track_conn_recent(c, h);

	track_pair_presume_not(c, h);
	if (c->headers)
		track_header_gone(c, h, at);
	tell_gone(c, h, ended, at);
	if (h->qp)
		track_qps_leave(c->qps, h->qp);
	if (recent)
		recent->half = NULL;
	if (h->peer != TRACK_NONE)
		widow(c, h, ended);
	else if (h->listed && !ended)
		count_unpaired(c, h, -1);
	set_listed(c, h, false);
	leave_group(c, h->group[TRACK_BY_HOSTS]);
	leave_group(c, h->group[TRACK_BY_SPORT]);
	if (ended)
		track_table_remove(c->halves, h);
	else
		track_table_evict(c->halves, h);
}

/* Packets */

/* What a message with bit errors says is no evidence. */
static bool name_sender(struct track_half *h, const struct track_cm_said *said)
{
	if (!said || said->sure_sqpn == TRACK_CM_NO_QPN)
		return false;
	h->sqpn = said->sure_sqpn;
	return true;
}

/* RD, QP 0 and 1 and groups have no streams, whatever opcode goes there. */
static bool has_streams(const struct track_flow *flow)
{
	return flow->service != IBW_SERVICE_RD && flow->dqpn > IBW_QPN_GSI &&
	       flow->dqpn != IBW_QPN_MULTICAST;
}

/* The PSN after the highest requested. */
static uint32_t expected(const struct track_half *h)
{
	uint64_t next = h->listed ? (uint64_t)h->high + 1 : h->qp->dir[h->way].psns.next;

	return next & 0xffffff;
}

/* A queue pair is sent to at several LIDs of its port: what is missing at one went to another. */
static void look_for_lids(struct track_conn *c, const struct track_half *h,
			  const struct track_packet *p)
{
	const struct track_half *before;
	struct track_flow flow;

	if (!track_lids_begin(c->lids, &p->flow, &flow) || !(track_packet_opf(p) & IBW_OPF_REQUEST))
		return;
	before = track_table_get(c->halves, &flow);
	if (!before || !before->qp || !before->has_requests || expected(before) != p->psn)
		return;
	before->qp->doubt |= TRACK_DOUBT_LIDS;
	h->qp->doubt |= TRACK_DOUBT_LIDS;
}

/* Damaged packets from before its first good one count for none, but may be what is asked for. */
static void feed_strays(struct track_conn *c, const struct track_half *h)
{
	const struct track_flow *flow = track_table_key(c->halves, h);
	struct track_packet *p;
	unsigned int i;

	for (i = 0; i < TRACK_STRAYS; i++) {
		p = &c->stray[(c->n_strays + i) % TRACK_STRAYS];
		if (!p->at.frame || !track_flow_equal(&p->flow, flow))
			continue;
		p->way = h->way;
		track_qp_feed_damaged(c->qps, h->qp, p);
		p->at.frame = 0;
	}
}

/* Makes it a way of a connection, if there is room for one. */
static void follow(struct track_conn *c, struct track_half *h, const struct track_packet *p)
{
	enum track_way way = TRACK_A_TO_B;

	h->qp = track_qps_half(c->qps, p, &way);
	h->way = (uint8_t)way;
}

/* @hash: of its flow; NULL: not known yet. */
static struct track_half *new_half(struct track_conn *c, const struct track_packet *p,
				   const uint32_t *hash)
{
	const struct track_cm_said *said = track_cm_ask(c->cm, &p->flow);
	struct track_half *h;

	if (c->qps)
		track_qps_room(c->qps, left_for_streams(c));
	track_conn_make_room(c, &p->at);
	h = hash ? track_table_add_hashed(c->halves, &p->flow, *hash)
		 : track_table_add(c->halves, &p->flow);
	if (c->room != track_table_room(c->halves)) {
		c->room = track_table_room(c->halves);
		memset(c->recent, 0, sizeof(c->recent));
	}
	h->first_frame = p->at.frame;
	h->request_ns = p->at.time_ns;
	h->peer = TRACK_NONE;
	h->dqpn = p->flow.dqpn;
	h->sqpn = TRACK_NO_QPN;
	h->has_sport = p->port != 0;
	h->sport = (uint16_t)p->port;
	track_conn_anew_begun(c, said, &p->flow);
	join_hosts(c, h, &p->flow);
	join_sport(c, h, &p->flow);
	set_listed(c, h, true);
	count_unpaired(c, h, 1);
	name_sender(h, said);
	if (c->qps && has_streams(&p->flow))
		follow(c, h, p);
	if (h->qp && p->flow.address == TRACK_ADDRESS_LID)
		look_for_lids(c, h, p);
	tell_begun(c, h, p->psn, &p->at);
	if (c->headers)
		track_header_begun(c, h, p);
	if (c->hosts)
		track_hosts_half(c->hosts, p);
	track_pair_new(c, h, p);
	track_pair_presume(c, h);
	if (c->stray && h->qp)
		feed_strays(c, h);
	return h;
}

static inline uint64_t word(const struct track_flow *flow, unsigned int i)
{
	uint64_t w;

	memcpy(&w, (const uint8_t *)flow + i * sizeof(w), sizeof(w));
	return w;
}

/* As track_flow_equal(), without a call. */
static inline bool is_flow(const struct track_flow *a, const struct track_flow *b)
{
	_Static_assert(sizeof(*a) == 5 * sizeof(uint64_t), "five words");
	return !((word(a, 4) ^ word(b, 4)) | (word(a, 3) ^ word(b, 3)) | (word(a, 2) ^ word(b, 2)) |
		 (word(a, 1) ^ word(b, 1)) | (word(a, 0) ^ word(b, 0)));
}

static inline struct track_half *recall(struct track_conn *c, const struct track_flow *flow)
{
	uint32_t mark = mark_of(flow);
	const struct track_recent *recent = recent_at(c, mark);
	unsigned int i;

	for (i = 0; i < TRACK_RECENT_WAYS; i++)
		if (recent[i].mark == mark && recent[i].half && is_flow(recent[i].flow, flow))
			return recent[i].half;
	return NULL;
}

static void remember(struct track_conn *c, struct track_half *h)
{
	const struct track_flow *flow = track_table_key(c->halves, h);
	struct track_recent *recent = recent_of(c, flow);
	unsigned int i;

	for (i = TRACK_RECENT_WAYS - 1; i; i--)
		recent[i] = recent[i - 1];
	*recent = (struct track_recent){ flow, h, mark_of(flow) };
}

/* Not one of the recent ones. @hash: of its flow; NULL: not known yet. */
static struct track_half *look_up(struct track_conn *c, const struct track_packet *p,
				  const uint32_t *hash)
{
	struct track_recent *last = recent_of(c, &p->flow) + TRACK_RECENT_WAYS - 1;
	struct track_half *h;

	if (last->half && track_conn_is_full(c)) /* it makes room for this one */
		track_conn_used(c, last->half);
	h = hash ? track_table_get_hashed(c->halves, &p->flow, *hash)
		 : track_table_get(c->halves, &p->flow);
	if (!h)
		h = new_half(c, p, hash);
	remember(c, h);
	return h;
}

/* @p, and what comes after it to its queue pair, is of a new connection: that of @other. */
static struct track_half *begin_session(struct track_conn *c, struct track_half *h,
					const struct track_half *other,
					const struct track_packet *p)
{
	struct track_half *before = track_half_at(c, h->peer), *now;
	uint32_t number = track_table_number(c->halves, other);
	struct track_watch *w = track_watch(&other->qp->dir[other->way]);

	w->since.kept = (struct track_mark){ other->low, other->first_frame, 0 };
	w->since.kept_qpn = before->dqpn;
	track_conn_forget(c, before, true, &p->at);
	track_conn_forget(c, h, true, &p->at);
	track_conn_used(c, other);
	now = new_half(c, p, NULL);
	remember(c, now);
	if (now->peer == TRACK_NONE)
		track_conn_pair(c, now, track_half_at(c, number), TRACK_BY_OLD_PSN, &p->at);
	return now;
}

/* There was no room for its connection: others may be idle by now. */
static __attribute__((noinline)) void follow_late(struct track_conn *c, struct track_half *h,
						  const struct track_packet *p)
{
	track_conn_used(c, h);
	if (!h->listed || !h->has_requests)
		h->request_ns = p->at.time_ns;
	track_conn_make_room(c, &p->at);
	if (track_qps_full(c->qps))
		return;
	follow(c, h, p);
	if (h->peer != TRACK_NONE)
		join(c, h, track_half_at(c, h->peer));
}

static void feed(struct track_conn *c, struct track_half *h, struct track_packet *p)
{
	const struct track_half *kept;

	if (p->syndrome == IBW_AETH_NAK_PSN_SEQUENCE && h->peer != TRACK_NONE) {
		kept = track_pair_kept(c, h, p);
		if (kept)
			h = begin_session(c, h, kept, p);
	}
	if (h->listed)
		track_pair_watch(c, h, p);
	if (c->headers && track_header_differs(&h->header, p))
		track_header_look(c, h, p);
	if (!h->qp && c->qps && has_streams(&p->flow))
		follow_late(c, h, p);
	if (!h->qp) {
		if (c->qps)
			track_qps_heard_aside(c->qps, p);
		return;
	}
	p->way = h->way;
	if (G_UNLIKELY(h->unnamed_all != c->unnamed))
		track_conn_anew_look(c, h);
	if (G_UNLIKELY(h->listed || h->closed || h->unsure) &&
	    track_packet_opf(p) & IBW_OPF_REQUEST)
		p->anew = track_conn_anew_of(c, h);
	track_qp_feed(c->qps, h->qp, p);
}

/* A CNP, or a packet with bit errors: it is of a half, or of none, and begins nothing. */
static bool is_aside(const struct track_packet *p)
{
	return p->flags & TRACK_PACKET_BAD || (p->opcode & IBW_SERVICE_MASK) == IBW_SERVICE_CNP;
}

/* The half of @flow, which may be among the recent ones; NULL: none is remembered. */
static struct track_half *known(struct track_conn *c, const struct track_flow *flow)
{
	struct track_half *h = recall(c, flow);

	return h ? h : track_table_get(c->halves, flow);
}

static void feed_bad(struct track_conn *c, const struct track_half *h, const struct track_packet *p)
{
	struct track_event *e;

	track_watch(&h->qp->dir[h->way])->icrc_bad++;
	e = track_qp_event(c->qps, h->qp, (enum track_way)h->way, TRACK_EVENT_BAD_ICRC, &p->at);
	if (!e)
		return;
	e->number[TRACK_BAD_ICRC_psn] = p->psn;
	e->number[TRACK_BAD_ICRC_opcode] = p->opcode;
}

/* All flows of two hosts, one way. */
static struct track_flow of_hosts(const struct track_flow *flow)
{
	struct track_flow hosts = *flow;

	hosts.dqpn = 0;
	hosts.service = 0;
	return hosts;
}

bool track_conn_unfollowed(const struct track_conn *c, const struct track_flow *flow)
{
	struct track_flow hosts = of_hosts(flow);

	track_flow_turn(&hosts);
	return c->unfollowed && track_table_get(c->unfollowed, &hosts);
}

static void keep_stray(struct track_conn *c, const struct track_packet *p)
{
	const struct track_flow hosts = of_hosts(&p->flow);

	if (!c->unfollowed)
		c->unfollowed = track_table_new(sizeof(hosts), 1, TRACK_UNFOLLOWED);
	if (!track_table_get(c->unfollowed, &hosts) && !track_table_full(c->unfollowed))
		track_table_add(c->unfollowed, &hosts);
	if (!c->stray)
		c->stray = g_new0(struct track_packet, TRACK_STRAYS);
	c->stray[c->n_strays++ % TRACK_STRAYS] = *p;
}

/* A CNP to the QP of @h; NULL: that is not known. */
static void notified(struct track_conn *c, const struct track_half *h, const struct track_packet *p)
{
	const struct track_half *data = h ? track_conn_peer(c, h) : NULL;

	track_cc_notified(c->cc, p, h != NULL, data ? data->header.path[TRACK_REQUESTS] : 0);
}

/* A CNP, or of a vendor: which service a connection has that it is of, it does not say. */
static bool is_of_any(uint8_t service)
{
	return service == IBW_SERVICE_CNP || track_is_of_vendor(service);
}

struct track_half *track_conn_half_of(struct track_conn *c, const struct track_flow *from)
{
	static const uint8_t services[] = { IBW_SERVICE_RC, IBW_SERVICE_UC, IBW_SERVICE_XRC };
	struct track_flow flow = *from;
	struct track_half *h = NULL;
	unsigned int i;

	for (i = 0; !h && i < G_N_ELEMENTS(services); i++) {
		if (!is_of_any(from->service) && from->service != services[i])
			continue;
		flow.service = services[i];
		h = known(c, &flow);
	}
	return h;
}

static void feed_aside(struct track_conn *c, struct track_packet *p)
{
	struct track_half *h = track_conn_half_of(c, &p->flow);

	if (c->cc && !(p->flags & TRACK_PACKET_BAD))
		notified(c, h && h->qp ? h : NULL, p);
	p->nearly = false;
	if (!h && p->flags & TRACK_PACKET_BAD) {
		keep_stray(c, p);
		if (c->qps)
			track_conn_feed_nearly(c, p);
	}
	if (!h || !h->qp)
		return;
	p->way = h->way;
	if (p->flags & TRACK_PACKET_BAD) {
		if (!track_is_of_vendor(p->opcode))
			feed_bad(c, h, p);
		track_qp_feed_damaged(c->qps, h->qp, p);
	} else {
		track_qp_feed(c->qps, h->qp, p);
	}
}

/* What is asked of the table for a batch at once: what is none of the recent ones. */
struct ahead {
	uint32_t hashes[TRACK_BATCH];
	uint8_t hashed[TRACK_BATCH]; /* of each packet: 0: not, else 1 and which of those */
};

/* From packet @i of the batch on. */
static __attribute__((noinline)) void look_ahead(struct track_conn *c, unsigned int i,
						 struct ahead *ahead)
{
	struct track_ahead streams[TRACK_BATCH];
	const struct track_packet *packets[TRACK_BATCH], *p;
	const void *keys[TRACK_BATCH];
	void *guess[TRACK_BATCH];
	const struct track_half *h;
	unsigned int n = 0, n_streams = 0;

	memset(ahead->hashed, 0, sizeof(ahead->hashed));
	for (; i < c->n_batch; i++) {
		p = &c->batch[i];
		if (is_aside(p) || recall(c, &p->flow) || (n && is_flow(keys[n - 1], &p->flow)))
			continue;
		packets[n] = p;
		keys[n++] = &p->flow;
		ahead->hashed[i] = (uint8_t)n;
	}
	if (!n)
		return;
	track_table_ahead(c->halves, keys, ahead->hashes, guess, n);
	for (i = 0; i < n && c->qps; i++) {
		h = guess[i];
		if (h && h->qp)
			streams[n_streams++] = (struct track_ahead){ h->qp, packets[i], h->way };
	}
	track_qps_ahead(streams, n_streams);
}

void track_conn_flush(struct track_conn *c)
{
	bool looked_ahead = false;
	struct track_packet *p;
	struct track_half *h;
	struct ahead ahead;
	unsigned int i;

	for (i = 0; i < c->n_batch; i++) {
		p = &c->batch[i];
		if (is_aside(p)) {
			feed_aside(c, p);
			continue;
		}
		h = recall(c, &p->flow);
		if (!h) {
			if (!looked_ahead)
				look_ahead(c, i, &ahead);
			looked_ahead = true;
			h = look_up(c, p,
				    ahead.hashed[i] ? &ahead.hashes[ahead.hashed[i] - 1] : NULL);
		}
		feed(c, h, p);
	}
	/* Connections in use grow: idle ones make way for that, too. */
	if (c->n_batch && c->qps && track_qps_full(c->qps))
		track_conn_make_room(c, &c->batch[c->n_batch - 1].at);
	c->n_batch = 0;
}

struct track_packet *track_conn_next(struct track_conn *c)
{
	return &c->batch[c->n_batch];
}

void track_conn_feed(struct track_conn *c)
{
	const struct track_packet *p = &c->batch[c->n_batch];

	if (!c->qps && is_aside(p) && !(c->headers && p->flags & TRACK_PACKET_BAD))
		return;
	if (++c->n_batch == TRACK_BATCH)
		track_conn_flush(c);
}

/* The CM */

/* Whether @h is of an earlier connection: of before the REQ; without that, as it is in one, or another REP gave it. */
static bool is_before(const struct track_half *h, const struct track_cm_news *news)
{
	if (news->req_frame)
		return h->first_frame < news->req_frame;
	return h->peer != TRACK_NONE || (h->qp && track_qp_cm_frame(h->qp));
}

/* A QP is put to use: a half to it of an earlier connection ended. */
static void put_to_use(struct track_conn *c, const struct track_flow *flow,
		       const struct track_cm_news *news, const struct track_at *at)
{
	struct track_half *h = track_table_get(c->halves, flow);
	enum track_way way = TRACK_A_TO_B;

	if (h && is_before(h, news)) {
		track_conn_anew_peer(c, h);
		track_conn_forget(c, h, true, at);
		return;
	}
	if (!h)
		return;
	if (c->qps)
		adopt(c, h, track_qps_cm_half(c->qps, flow, &way), way);
	if (h->listed && name_sender(h, track_cm_ask(c->cm, flow))) {
		track_pair_presume(c, h);
		track_pair_cm(c, h, flow, at);
	}
}

void track_conn_cm(struct track_conn *c, const struct track_cm_news *news,
		   const struct track_at *at)
{
	static const uint8_t services[] = { IBW_SERVICE_RC, IBW_SERVICE_UC, IBW_SERVICE_RD,
					    IBW_SERVICE_XRC };
	struct track_flow flow;
	unsigned int i, s;

	track_conn_anew_cm(c, news);
	if (c->qps) {
		track_conn_make_room(c, at);
		track_qps_cm(c->qps, news, at);
	}
	for (i = 0; i < news->n_flows && !news->doubt; i++) {
		flow = news->flow[i];
		for (s = 0; s < G_N_ELEMENTS(services); s++) {
			flow.service = services[s];
			put_to_use(c, &flow, news, at);
		}
	}
}

bool track_conn_place(struct track_conn *c, const struct track_flow *flow,
		      struct track_place *place)
{
	const struct track_half *h =
		track_is_of_vendor(flow->service) ? NULL : track_conn_half_of(c, flow);

	if (h && h->qp)
		*place = (struct track_place){
			h->first_frame,
			h->qp->serial,
			track_qp_sqpn(h->qp, (enum track_way)h->way),
			h->way,
		};
	return h && h->qp;
}
