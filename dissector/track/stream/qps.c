/* SPDX-License-Identifier: GPL-2.0-or-later */
/* qps.c - the connections of a capture: how they begin, are joined, and are evicted. */
#include <stdlib.h>
#include <string.h>

#include "stream.h"
#include "track/base/ahead.h"
#include "track/incident/incident_impl.h"
#include "track/link/hosts.h"
#include "track/measure/measure_impl.h"
#include "track/measure/series_impl.h"
#include "track/measure/timeline_impl.h"
#include "track/measure/waited_impl.h"
#include "track/way/history.h"

/* A way of a connection, by what the CM says of its packets. */
struct owner {
	uint64_t serial; /* of the connection */
	uint32_t way;
	uint32_t zero;
};

struct track_qps *track_qps_new(uint64_t max_bytes)
{
	struct track_qps *s = g_new0(struct track_qps, 1);

	s->by_flow = track_table_new(sizeof(struct track_flow), sizeof(struct owner),
				     TRACK_CM_FLOWS * TRACK_CM_MAX);
	s->by_cm = g_hash_table_new(g_int64_hash, g_int64_equal);
	s->by_serial = g_hash_table_new(g_int64_hash, g_int64_equal);
	track_ranks_open(&s->ranks);
	s->memory.max = max_bytes;
	return s;
}

void track_qps_want_incidents(struct track_qps *s)
{
	if (!s->incidents)
		s->incidents = track_incidents_new();
}

const struct track_incidents *track_qps_incidents(const struct track_qps *s)
{
	return s ? s->incidents : NULL;
}

void track_qps_tick(struct track_qps *s, uint64_t now_ns)
{
	struct track_qp *qp;

	if (!s->incidents)
		return;
	for (qp = s->oldest; qp; qp = qp->newer) {
		track_incident_tick(s, qp, TRACK_A_TO_B, now_ns);
		track_incident_tick(s, qp, TRACK_B_TO_A, now_ns);
	}
}

void track_qps_room(struct track_qps *s, uint64_t max_bytes)
{
	s->memory.max = max_bytes;
}

/*
 * What figures of reports take, of a connection without much to tell. It is taken when the connection begins: packets
 * may wait until the end of the capture before any of that is needed.
 */
static size_t bytes_of_figures(const struct track_qps *s)
{
	return (s->measures || s->replies ? TRACK_WAYS * TRACK_FLIGHT_BYTES : 0) +
	       (s->measures ? TRACK_WAYS * TRACK_MEASURE_BYTES + track_waited_bytes() : 0) +
	       (s->interval_ns ? TRACK_TIMELINE_BYTES : 0);
}

static void free_qp(struct track_qps *s, struct track_qp *qp)
{
	unsigned int way;

	if (qp->waiting) {
		s->waiting -= qp->waiting->n;
		g_free(qp->waiting->packet);
		g_free(qp->waiting);
	}
	track_timeline_leave(s, qp);
	for (way = 0; way < TRACK_WAYS; way++)
		track_dir_clear(&qp->dir[way]);
	g_free(qp->agreed);
	track_waited_free(qp);
	track_memory_give(&s->memory, sizeof(*qp) + bytes_of_figures(s));
	g_free(s->spare);
	s->spare = qp;
}

/* The last one that went is in a cache yet. */
static struct track_qp *alloc_qp(struct track_qps *s)
{
	struct track_qp *qp = s->spare;

	s->spare = NULL;
	if (!qp)
		return g_new0(struct track_qp, 1);
	memset(qp, 0, sizeof(*qp));
	return qp;
}

void track_qps_free(struct track_qps *s)
{
	struct track_qp *qp, *next;

	if (!s)
		return;
	for (qp = s->oldest; qp; qp = next) {
		next = qp->newer;
		free_qp(s, qp);
	}
	track_timeline_drop(s, s->timeline);
	g_free(s->spare);
	g_hash_table_destroy(s->by_cm);
	g_hash_table_destroy(s->by_serial);
	track_ranks_close(&s->ranks);
	track_table_free(s->paused_gaps);
	track_table_free(s->unreached);
	track_table_free(s->sprayed);
	track_pausing_free(s->pausing);
	track_incidents_free(s->incidents);
	g_free(s->series);
	track_table_free(s->by_flow);
	g_free(s);
}

/* The list, by birth */

static void forget(struct track_qps *s, struct track_qp *qp)
{
	if (!qp->halves)
		g_queue_unlink(&s->left, &qp->left);
	if (qp->older)
		qp->older->newer = qp->newer;
	else
		s->oldest = qp->newer;
	if (qp->newer)
		qp->newer->older = qp->older;
	else
		s->newest = qp->older;
	if (qp->agreed) {
		if (g_hash_table_lookup(s->by_cm, &qp->agreed->cm_frame) == qp)
			g_hash_table_remove(s->by_cm, &qp->agreed->cm_frame);
		g_hash_table_remove(s->by_serial, &qp->serial);
	}
	track_ranks_take(&s->ranks, qp->serial);
	s->count--;
	free_qp(s, qp);
}

bool track_qps_evict(struct track_qps *s)
{
	struct track_qp *qp = g_queue_peek_head(&s->left);

	if (!qp)
		return false;
	s->evicted++;
	forget(s, qp);
	return true;
}

bool track_qps_full(const struct track_qps *s)
{
	return s->count >= TRACK_QPS_LEAST && track_memory_is_full(&s->memory);
}

static struct track_qp *new_qp(struct track_qps *s, const struct track_flow *flow,
			       const struct track_at *at)
{
	struct track_qp *qp;

	if (track_qps_full(s) && !track_qps_evict(s)) {
		s->unfollowed++;
		return NULL;
	}
	qp = alloc_qp(s);
	qp->left.data = qp;
	track_memory_take(&s->memory, sizeof(*qp) + bytes_of_figures(s));
	qp->dir[TRACK_A_TO_B].memory = qp->dir[TRACK_B_TO_A].memory = &s->memory;
	qp->first_frame = qp->last_frame = at->frame;
	qp->flow = *flow;
	qp->flow.dqpn = 0;
	qp->flow.service = 0;
	qp->dir[TRACK_A_TO_B].dqpn = qp->dir[TRACK_B_TO_A].dqpn = TRACK_CM_NO_QPN;
	qp->serial = ++s->serial;
	qp->timed = s->measures;
	qp->older = s->newest;
	if (s->newest)
		s->newest->newer = qp;
	else
		s->oldest = qp;
	s->newest = qp;
	g_queue_push_tail_link(&s->left, &qp->left);
	s->count++;
	return qp;
}

/* The CM */

static struct track_qp *owned(struct track_qps *s, const struct track_flow *flow,
			      enum track_way *way)
{
	struct track_flow key = *flow;
	const struct owner *owner;

	key.service = 0;
	owner = track_table_get(s->by_flow, &key);
	if (!owner)
		return NULL;
	*way = (enum track_way)owner->way;
	return g_hash_table_lookup(s->by_serial, &owner->serial);
}

static void own(struct track_qps *s, struct track_qp *qp, const struct track_flow *flow,
		enum track_way way)
{
	struct owner *owner = track_table_need(s->by_flow, flow);

	*owner = (struct owner){ .serial = qp->serial, .way = way };
}

static struct track_qp *of_conversation(struct track_qps *s, const struct track_cm_news *news,
					const struct track_at *at)
{
	struct track_qp *qp = g_hash_table_lookup(s->by_cm, &news->first_frame);

	if (qp)
		return qp;
	qp = new_qp(s, &news->client, at);
	if (!qp)
		return NULL;
	qp->agreed = g_new(struct track_agreed, 1);
	*qp->agreed = (struct track_agreed){ .cm_frame = news->first_frame,
					     .service_id = news->service_id };
	qp->service = news->service;
	g_hash_table_insert(s->by_cm, &qp->agreed->cm_frame, qp);
	g_hash_table_insert(s->by_serial, &qp->serial, qp);
	return qp;
}

const struct track_qp *track_qps_of_cm(const struct track_qps *s, uint64_t cm_frame)
{
	return s ? g_hash_table_lookup(s->by_cm, &cm_frame) : NULL;
}

static enum track_cm_state state_after(const struct track_cm_news *news, uint8_t before)
{
	switch (news->message) {
	case TRACK_CM_REQ:
		return MAX(before, TRACK_CM_REQ_SENT);
	case TRACK_CM_REP:
		return MAX(before, TRACK_CM_REP_SENT);
	case TRACK_CM_RTU:
		return MAX(before, TRACK_CM_ESTABLISHED);
	case TRACK_CM_DREQ:
		return MAX(before, TRACK_CM_DREQ_SENT);
	case TRACK_CM_DREP:
		return TRACK_CM_DISCONNECTED;
	case TRACK_CM_REJ:
		return TRACK_CM_REJECTED;
	default:
		return before;
	}
}

static void happened(struct track_qp *qp, const struct track_cm_news *news)
{
	static const uint8_t what[] = {
		[TRACK_CM_REQ] = TRACK_DID_R,  [TRACK_CM_REP] = TRACK_DID_R,
		[TRACK_CM_RTU] = TRACK_DID_U,  [TRACK_CM_MRA] = TRACK_DID_M,
		[TRACK_CM_REJ] = TRACK_DID_J,  [TRACK_CM_DREQ] = TRACK_DID_D,
		[TRACK_CM_DREP] = TRACK_DID_D,
	};

	if (news->message == TRACK_CM_OTHER || news->message >= G_N_ELEMENTS(what))
		return;
	track_qp_happened(qp, news->side == TRACK_CM_CLIENT ? TRACK_A_TO_B : TRACK_B_TO_A,
			  (enum track_happened)what[news->message]);
}

void track_qps_cm(struct track_qps *s, const struct track_cm_news *news, const struct track_at *at)
{
	struct track_qp *qp;
	enum track_way way;
	unsigned int i;

	if (!news->first_frame || news->doubt)
		return;
	qp = of_conversation(s, news, at);
	if (!qp)
		return;
	qp->last_frame = MAX(qp->last_frame, at->frame);
	qp->cm_state = (uint8_t)state_after(news, qp->cm_state);
	qp->mtu_asked = news->mtu;
	track_qp_agreed_cm(s, qp, news, at);
	if (s->series)
		track_series_cm(qp, at);
	if (news->qpn[TRACK_CM_CLIENT] != TRACK_CM_NO_QPN)
		qp->dir[TRACK_B_TO_A].dqpn = news->qpn[TRACK_CM_CLIENT];
	if (news->qpn[TRACK_CM_SERVER] != TRACK_CM_NO_QPN)
		qp->dir[TRACK_A_TO_B].dqpn = news->qpn[TRACK_CM_SERVER];
	happened(qp, news);
	way = news->message == TRACK_CM_REQ ? TRACK_B_TO_A : TRACK_A_TO_B;
	for (i = 0; i < news->n_flows; i++)
		own(s, qp, &news->flow[i], way);
	if (qp->service == IBW_SERVICE_UC || (qp->dir[TRACK_A_TO_B].dqpn != TRACK_CM_NO_QPN &&
					      qp->dir[TRACK_B_TO_A].dqpn != TRACK_CM_NO_QPN))
		track_qp_paired(s, qp);
}

/* Halves */

static bool is_special(uint32_t dqpn)
{
	return dqpn == IBW_QPN_SMI || dqpn == IBW_QPN_GSI || dqpn == IBW_QPN_MULTICAST;
}

/* Packets to a QPN that nobody gave, but that a side of the CM gave in the other byte order. */
static void look_for_swapped(struct track_qps *s, const struct track_qp *qp,
			     const struct track_packet *p)
{
	struct track_flow flow = p->flow;
	const struct track_qp *meant;
	enum track_way way;
	struct track_event *e;

	flow.dqpn = (p->flow.dqpn & 0xff) << 16 | (p->flow.dqpn & 0xff00) | p->flow.dqpn >> 16;
	meant = flow.dqpn == p->flow.dqpn ? NULL : owned(s, &flow, &way);
	if (!meant || meant->dir[way].packets)
		return;
	e = track_qp_event(s, qp, TRACK_A_TO_B, TRACK_EVENT_WRONG_QPN, &p->at);
	if (!e)
		return;
	e->number[TRACK_WRONG_QPN_dqpn] = p->flow.dqpn;
	e->number[TRACK_WRONG_QPN_agreed] = flow.dqpn;
	track_event_cause(e, track_qp_cm_frame(meant));
}

struct track_qp *track_qps_half(struct track_qps *s, const struct track_packet *p,
				enum track_way *way)
{
	struct track_qp *qp;
	bool born;

	if (is_special(p->flow.dqpn))
		return NULL;
	qp = owned(s, &p->flow, way);
	born = !qp;
	if (born) {
		qp = new_qp(s, &p->flow, &p->at);
		*way = TRACK_A_TO_B;
		if (!qp)
			return NULL;
		/* What answers is of no interest to UC. */
		qp->paired = p->flow.service == IBW_SERVICE_UC;
	}
	qp->service = p->flow.service;
	qp->dir[*way].dqpn = p->flow.dqpn;
	if (!qp->halves++)
		g_queue_unlink(&s->left, &qp->left);
	if (born)
		look_for_swapped(s, qp, p);
	return qp;
}

struct track_qp *track_qps_cm_half(struct track_qps *s, const struct track_flow *flow,
				   enum track_way *way)
{
	return owned(s, flow, way);
}

/* What was found of a way when it was the only one of its connection. */
static void move_dir(struct track_qp *qp, enum track_way way, struct track_qp *from)
{
	struct track_dir *to = &qp->dir[way], *dir = &from->dir[TRACK_A_TO_B];
	uint64_t covered = to->since.covered, high = to->since_rare.response_high;

	if (!dir->packets && !track_watched(dir)->icrc_bad) {
		to->dqpn = dir->dqpn;
		return;
	}
	track_dir_clear(to);
	*to = *dir;
	memset(dir, 0, sizeof(*dir));
	if (to->psns.begun)
		to->since.covered = MAX(to->since.covered, covered);
	to->since_rare.response_high = high;
}

void track_qps_join(struct track_qps *s, struct track_qp *qp, struct track_qp *from,
		    enum track_way way)
{
	qp->first_frame = MIN(qp->first_frame, from->first_frame);
	qp->last_frame = MAX(qp->last_frame, from->last_frame);
	if (!qp->mtu_seen)
		qp->mtu_seen = from->mtu_seen;
	qp->service = from->service;
	qp->doubt |= from->doubt;
	if (!qp->halves && from->halves)
		g_queue_unlink(&s->left, &qp->left);
	qp->halves = (uint8_t)(qp->halves + from->halves);
	track_qp_happened_join(qp, from, way);
	track_timeline_join(s, qp, way, from);
	move_dir(qp, way, from);
	track_waited_join(qp, way, from);
	track_qp_wait_together(s, qp, from, way);
	forget(s, from);
}

void track_qps_hint(const struct track_qp *qp)
{
	const struct track_requests *r;
	unsigned int way;

	for (way = 0; way < TRACK_WAYS; way++) {
		r = qp->dir[way].requests;
		if (r)
			track_hint(r, sizeof(*r) + sizeof(r->request[0]));
		if (qp->dir[way].answers)
			track_hint(qp->dir[way].answers, sizeof(*qp->dir[way].answers));
	}
	if (qp->older)
		__builtin_prefetch(&qp->older->newer, 1);
	if (qp->newer)
		__builtin_prefetch(&qp->newer->older, 1);
}

void track_qps_leave(struct track_qps *s, struct track_qp *qp)
{
	qp->halves--;
	if (qp->halves)
		return;
	track_qp_finish(s, qp);
	g_queue_push_tail_link(&s->left, &qp->left);
}

/* Questions */

uint32_t track_qps_count(const struct track_qps *s)
{
	return (uint32_t)s->count;
}

uint32_t track_qps_rank(struct track_qps *s, const struct track_qp *qp)
{
	return (uint32_t)track_ranks_below(&s->ranks, qp->serial);
}

/* The end */

static int by_first_frame(const void *a, const void *b)
{
	const struct track_qp *const *x = a, *const *y = b;

	if ((*x)->first_frame != (*y)->first_frame)
		return (*x)->first_frame < (*y)->first_frame ? -1 : 1;
	return (*x)->serial < (*y)->serial ? -1 : 1;
}

struct track_qp **track_qps_sorted(struct track_qps *s, unsigned int *n)
{
	struct track_qp **sorted = g_new(struct track_qp *, s->count + 1), *qp;
	bool in_order = true;
	unsigned int i = 0;

	/* Most are born in the order of their first frames. */
	for (qp = s->oldest; qp; qp = qp->newer) {
		in_order = in_order && (!qp->older || qp->older->first_frame < qp->first_frame);
		sorted[i++] = qp;
	}
	if (!in_order)
		qsort(sorted, i, sizeof(struct track_qp *), by_first_frame);
	for (*n = i; i-- > 0;)
		sorted[i]->number = i;
	sorted[*n] = NULL;
	return sorted;
}

/* Events that what is left of one connection may be. */
#define EVENTS_OF_ONE (TRACK_EVENTS_MAX / 2)

static bool is_room(const struct track_qps *s)
{
	return !s->events || track_events_room(s->events) >= EVENTS_OF_ONE;
}

/* Gaps are many, and few captures have pause frames: no room for them in each connection. */
#define PAUSED_GAPS_MAX 65536

static void gap_key(uint64_t key[2], const struct track_qp *qp, unsigned int way)
{
	key[0] = qp->serial;
	key[1] = way;
}

void track_qps_paused_gap(struct track_qps *s, const struct track_qp *qp,
			  const struct track_packet *p)
{
	struct track_paused_gaps *g;
	uint64_t key[2];

	gap_key(key, qp, p->way);
	if (!s->paused_gaps)
		s->paused_gaps = track_table_new(sizeof(key), sizeof(*g), PAUSED_GAPS_MAX);
	g = track_table_get(s->paused_gaps, key);
	if (!g && track_table_full(s->paused_gaps))
		return;
	if (!g) {
		g = track_table_add(s->paused_gaps, key);
		g->first = (struct track_mark){ p->psn, p->at.frame, p->at.time_ns };
		g->tag = p->tag;
		g->global = p->flags & TRACK_PACKET_ALL_PAUSED;
	}
	g->gaps++;
}

const struct track_paused_gaps *track_qps_paused_gaps(const struct track_qps *s,
						      const struct track_qp *qp, unsigned int way)
{
	uint64_t key[2];

	gap_key(key, qp, way);
	return s->paused_gaps ? track_table_get(s->paused_gaps, key) : NULL;
}

void track_qps_mtus(const struct track_qps *s, struct track_hosts *hosts)
{
	const struct track_qp *qp;

	for (qp = s->oldest; qp; qp = qp->newer)
		track_hosts_mtu(hosts, qp);
}

bool track_qps_finish(struct track_qps *s, const struct track_at *last)
{
	s->last_frame = MAX(s->last_frame, last->frame);
	s->last_ns = MAX(s->last_ns, last->time_ns);
	if (s->end == TRACK_END_NOT) {
		s->finish = s->oldest;
		s->end = TRACK_END_DRAIN;
	}
	for (; s->end == TRACK_END_DRAIN && s->finish; s->finish = s->finish->newer) {
		if (!is_room(s))
			return false;
		track_qp_drain(s, s->finish);
	}
	if (s->end == TRACK_END_DRAIN) {
		track_qps_sampled(s);
		track_qps_unreached(s);
		s->finish = s->oldest;
		s->end = TRACK_END_FINISH;
	}
	for (; s->finish; s->finish = s->finish->newer) {
		if (!is_room(s))
			return false;
		track_qp_finish(s, s->finish);
	}
	return track_qps_sprayed(s);
}

uint64_t track_qps_evicted(const struct track_qps *s)
{
	return s->evicted;
}

uint64_t track_qps_unfollowed(const struct track_qps *s)
{
	return s->unfollowed;
}

uint64_t track_qps_forgotten(const struct track_qps *s)
{
	return s->memory.forgotten;
}
