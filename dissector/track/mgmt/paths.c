/* SPDX-License-Identifier: GPL-2.0-or-later */
/* paths.c - queries to the SA, the paths it answers with, and the packets that go there. */
#include <string.h>

#include <glib.h>

#include <ibwire/ibwire.h>

#include "paths.h"
#include "track/base/histogram.h"
#include "track/base/table.h"

/* The last bits of a LID that an LMC may leave to the sender. */
#define LMC_MASK 0x7f

#define SECOND_NS 1000000000u

/* More than so many queries a second, or such a time to answer 99 % of them, are too much for an SM. */
#define STORM_QUERIES 500
#define SLOW_NS 200000000u
#define SLOW_ANSWERS 100

/* So many queries with the same answer need no cache. */
#define SAME_MAX 3

/* Unanswered requests before it is said that none is. */
#define UNANSWERED_MIN 3

/* The destinations that are told apart in one answer. */
#define ANSWER_LIDS 8

/* No holes: compared as bytes. So are the keys below. */
struct request_key {
	struct track_flow flow; /* of the request; no QP and no service */
	uint64_t tid;
};

struct query {
	uint64_t mask;
	uint8_t rec[ibw_path_rec_BYTES];
};

struct request {
	uint64_t frame, time_ns;
	struct query query; /* of a PathRecord; else mask 0 */
	bool default_pkey;
};

struct asked_key {
	uint8_t client[16];
	struct query query;
};

struct asked {
	struct track_flow flow;
	uint64_t first, last; /* frames of the answers */
	uint32_t same;        /* answers that were the same */
	uint8_t rec[ibw_path_rec_BYTES];
};

struct lids_key {
	uint16_t slid, dlid;
};

struct path {
	uint64_t frame; /* of the last answer */
	struct query query;
	uint16_t sls; /* 1 << SL, of the answers */
	uint16_t mtu; /* bytes, the largest; 0: not said */
	bool own;     /* who sends there asked for it */
	bool used;    /* by a packet with one of these SLs */
	bool told_sl, told_mtu;
};

struct gids_key {
	uint8_t sgid[16], dgid[16];
};

struct gids {
	uint64_t frame;
	uint16_t dlid[ANSWER_LIDS];
	uint8_t n;
	bool told;
};

/* Requests of a client to the SA, by whether they have the default P_Key. */
struct client {
	struct track_flow flow;
	uint64_t first; /* frame of the first one with the default P_Key */
	uint32_t asked[2], answered[2];
};

struct track_paths {
	struct track_events *events;
	struct track_table *requests; /* struct request_key -> struct request */
	struct track_table *asked;    /* struct asked_key -> struct asked */
	struct track_table *lids;     /* struct lids_key -> struct path */
	struct track_table *gids;     /* struct gids_key -> struct gids */
	struct track_table *clients;  /* struct track_flow -> struct client */
	struct track_histogram times; /* from request to answer */
	struct track_sa sa;
	uint64_t second_ns; /* when the second began that is counted */
	uint32_t in_second;
	uint64_t
		most_ns; /* of the second with the most requests: from the first to the last of them */
	uint32_t most;         /* so many */
	struct track_at storm; /* the first request that was one too many; frame 0: none */
	bool told_storm, slow; /* said */
	uint32_t finished_asked, finished_lids, finished_clients;
	uint8_t sends[8192]; /* LIDs that sent something, a bit each */
};

struct track_paths *track_paths_new(struct track_events *events)
{
	struct track_paths *t = g_new0(struct track_paths, 1);

	t->events = events;
	t->requests = track_table_new(sizeof(struct request_key), sizeof(struct request),
				      TRACK_QUERIES_MAX);
	t->asked = track_table_new(sizeof(struct asked_key), sizeof(struct asked), TRACK_ASKED_MAX);
	t->lids = track_table_new(sizeof(struct lids_key), sizeof(struct path), TRACK_PATHS_MAX);
	t->gids = track_table_new(sizeof(struct gids_key), sizeof(struct gids), TRACK_PATHS_MAX);
	t->clients = track_table_new(sizeof(struct track_flow), sizeof(struct client),
				     TRACK_CLIENTS_MAX);
	return t;
}

void track_paths_free(struct track_paths *t)
{
	if (!t)
		return;
	track_table_free(t->requests);
	track_table_free(t->asked);
	track_table_free(t->lids);
	track_table_free(t->gids);
	track_table_free(t->clients);
	track_histogram_clear(&t->times);
	g_free(t);
}

uint64_t track_paths_evicted(const struct track_paths *t)
{
	return track_table_evicted(t->requests) + track_table_evicted(t->asked) +
	       track_table_evicted(t->lids) + track_table_evicted(t->gids) +
	       track_table_evicted(t->clients);
}

/* Requests */

/* How many come in one second. */
static void count_second(struct track_paths *t, const struct track_at *at)
{
	if (at->time_ns < t->second_ns || at->time_ns - t->second_ns >= SECOND_NS) {
		t->second_ns = at->time_ns;
		t->in_second = 0;
	}
	if (++t->in_second > STORM_QUERIES && !t->storm.frame)
		t->storm = *at;
	if (t->in_second <= t->most)
		return;
	t->most = t->in_second;
	t->most_ns = at->time_ns - t->second_ns;
}

static void look_storm(struct track_paths *t)
{
	struct track_event *e;

	if (!t->storm.frame || t->told_storm)
		return;
	t->told_storm = true;
	e = track_event_add(t->events, TRACK_EVENT_SA_STORM, &t->storm);
	if (!e)
		return;
	e->number[TRACK_SA_STORM_requests] = t->most;
	e->number[TRACK_SA_STORM_ns] = t->most_ns;
}

static void read_query(struct query *query, const struct track_mad *mad)
{
	const struct ibw_path_rec_wire *wire = TRACK_MAD_RECORD(mad, 0, path_rec);

	if (mad->walked.attr->id != IBW_ATTR_SA_PATH_REC || !wire)
		return;
	query->mask = ibw_sa_comp_mask(mad->sa);
	memcpy(query->rec, wire->b, sizeof(query->rec));
}

static struct client *client_of(struct track_paths *t, const struct request_key *key)
{
	struct client *c = track_table_need(t->clients, &key->flow);

	c->flow = key->flow;
	return c;
}

/* A cache of the client has what answered the same query before. */
static void count_path(struct track_paths *t, const struct request_key *key,
		       const struct query *query)
{
	struct asked_key asked = { .query = *query };

	memcpy(asked.client, key->flow.src, 16);
	t->sa.path_queries++;
	t->sa.path_cached += track_table_get(t->asked, &asked) != NULL;
}

static void request(struct track_paths *t, const struct request_key *key,
		    const struct ibw_packet *pkt, const struct track_mad *mad,
		    const struct track_at *at)
{
	struct request *q = track_table_get(t->requests, key);
	struct client *c;

	count_second(t, at);
	if (q)
		return; /* sent again: the first one counts */
	q = track_table_need(t->requests, key);
	q->frame = at->frame;
	q->time_ns = at->time_ns;
	q->default_pkey = (ibw_bth_pkey(IBW_KNOWN(pkt, bth)) | IBW_PKEY_FULL) == 0xffff;
	read_query(&q->query, mad);
	if (q->query.mask)
		count_path(t, key, &q->query);
	c = client_of(t, key);
	c->asked[q->default_pkey]++;
	if (q->default_pkey && !c->first)
		c->first = at->frame;
}

/* Answers */

/* The same client, the same query, the same path. */
static void count_same(struct track_paths *t, const struct request_key *key,
		       const struct request *q, const struct ibw_path_rec_wire *wire,
		       const struct track_at *at)
{
	struct asked_key asked = { .query = q->query };
	struct asked *a;

	memcpy(asked.client, key->flow.src, 16);
	a = track_table_need(t->asked, &asked);
	if (!a->same || memcmp(a->rec, wire->b, sizeof(a->rec)) != 0) {
		memcpy(a->rec, wire->b, sizeof(a->rec));
		a->flow = key->flow;
		a->first = at->frame;
		a->same = 0;
	}
	a->same++;
	a->last = at->frame;
}

static void learn_lids(struct track_paths *t, const struct request *q, bool own,
		       const struct ibw_path_rec *rec, const struct track_at *at)
{
	const struct lids_key key = { rec->slid, rec->dlid };
	uint16_t mtu = ibw_mtu_code_defined(rec->mtu) ? (uint16_t)ibw_mtu_bytes(rec->mtu) : 0;
	struct path *p = track_table_need(t->lids, &key);

	if (p->frame != at->frame && !memcmp(&p->query, &q->query, sizeof(p->query))) {
		p->sls = p->mtu = 0;
		p->told_sl = p->told_mtu = false;
	}
	p->query = q->query;
	p->frame = at->frame;
	p->sls |= (uint16_t)(1u << rec->sl);
	p->mtu = MAX(p->mtu, mtu);
	p->own |= own;
}

static void learn_gids(struct track_paths *t, const struct ibw_path_rec *rec,
		       const struct track_at *at)
{
	struct gids_key key;
	struct gids *g;

	memcpy(key.sgid, rec->sgid, 16);
	memcpy(key.dgid, rec->dgid, 16);
	g = track_table_need(t->gids, &key);
	if (g->frame != at->frame) {
		g->frame = at->frame;
		g->n = 0;
		g->told = false;
	}
	if (g->n < ANSWER_LIDS)
		g->dlid[g->n++] = rec->dlid;
}

static void learn(struct track_paths *t, const struct request *q, const struct ibw_packet *pkt,
		  const struct ibw_path_rec_wire *wire, const struct track_at *at)
{
	struct ibw_path_rec rec;
	bool own;

	ibw_path_rec_unpack(&rec, wire);
	if (pkt->lrh == IBW_NO_SPAN || !rec.slid || !rec.dlid ||
	    rec.dlid >= IBW_LID_MULTICAST_FIRST)
		return;
	own = ibw_lrh_dlid(IBW_KNOWN(pkt, lrh)) == rec.slid;
	learn_lids(t, q, own, &rec, at);
	learn_gids(t, &rec, at);
}

static void answer(struct track_paths *t, const struct request_key *key,
		   const struct ibw_packet *pkt, const struct track_mad *mad,
		   const struct track_at *at)
{
	const struct ibw_path_rec_wire *wire;
	struct request *q = track_table_get(t->requests, key);
	unsigned int i;

	if (!q)
		return;
	client_of(t, key)->answered[q->default_pkey]++;
	if (at->time_ns >= q->time_ns)
		track_histogram_add(&t->times, at->time_ns - q->time_ns);
	if (mad->walked.attr->id == IBW_ATTR_SA_PATH_REC && !mad->status && q->query.mask) {
		for (i = 0; (wire = TRACK_MAD_RECORD(mad, i, path_rec)); i++)
			learn(t, q, pkt, wire, at);
		wire = TRACK_MAD_RECORD(mad, 0, path_rec);
		if (wire)
			count_same(t, key, q, wire, at);
	}
	track_table_remove(t->requests, q);
}

/* What the SA has to answer: no traps and no reports, which it sends itself or takes. */
static bool is_query(uint8_t method)
{
	return method != IBW_METHOD_TRAP && method != IBW_METHOD_REPORT &&
	       method != IBW_METHOD_TRAP_REPRESS;
}

void track_paths_mad(struct track_paths *t, const struct ibw_packet *pkt,
		     const struct track_mad *mad, const struct track_at *at)
{
	struct request_key key;

	memset(&key, 0, sizeof(key));
	if (!mad->sa || !mad->walked.attr || !track_flow_gids_of(pkt, &key.flow))
		return;
	key.flow.dqpn = 0;
	key.flow.service = 0;
	key.tid = ibw_mad_tid(mad->mad);
	if (ibw_mad_r(mad->mad)) {
		track_flow_turn(&key.flow);
		answer(t, &key, pkt, mad, at);
	} else if (is_query(ibw_mad_method(mad->mad))) {
		request(t, &key, pkt, mad, at);
	}
}

/* Data */

static void tell_other(struct track_paths *t, enum track_path_field field, uint64_t frame,
		       uint64_t has, uint64_t said, const struct ibw_packet *pkt,
		       const struct track_at *at)
{
	struct track_event *e = track_event_add(t->events, TRACK_EVENT_PATH_OTHER, at);

	if (!e)
		return;
	track_flow_of(pkt, &e->flow);
	track_event_cause(e, frame);
	e->number[TRACK_PATH_OTHER_field] = field;
	e->number[TRACK_PATH_OTHER_has] = has;
	e->number[TRACK_PATH_OTHER_said] = said;
}

static void by_lids(struct track_paths *t, const struct ibw_packet *pkt, const struct track_at *at)
{
	const struct ibw_lrh_wire *lrh = IBW_KNOWN(pkt, lrh);
	const struct lids_key key = { ibw_lrh_slid(lrh), ibw_lrh_dlid(lrh) };
	struct path *p = track_table_get(t->lids, &key);
	uint8_t sl = ibw_lrh_sl(lrh);

	if (!p)
		return;
	if (p->sls >> sl & 1) {
		p->used = true;
	} else if (!p->told_sl) {
		p->told_sl = true;
		tell_other(t, TRACK_PATH_SL, p->frame, sl, (uint64_t)__builtin_ctz(p->sls), pkt,
			   at);
	}
	if (p->mtu && pkt->payload_len > p->mtu && !p->told_mtu) {
		p->told_mtu = true;
		tell_other(t, TRACK_PATH_MTU, p->frame, pkt->payload_len, p->mtu, pkt, at);
	}
}

static void by_gids(struct track_paths *t, const struct ibw_packet *pkt, const struct track_at *at)
{
	const struct ibw_grh_wire *grh = IBW_KNOWN(pkt, grh);
	uint16_t dlid = ibw_lrh_dlid(IBW_KNOWN(pkt, lrh));
	struct gids_key key;
	struct gids *g;
	unsigned int i;

	memcpy(key.sgid, ibw_grh_sgid(grh), 16);
	memcpy(key.dgid, ibw_grh_dgid(grh), 16);
	g = track_table_get(t->gids, &key);
	if (!g || g->told)
		return;
	for (i = 0; i < g->n; i++)
		if (!((g->dlid[i] ^ dlid) & ~LMC_MASK))
			return;
	g->told = true;
	tell_other(t, TRACK_PATH_DLID, g->frame, dlid, g->dlid[0], pkt, at);
}

void track_paths_data(struct track_paths *t, const struct ibw_packet *pkt,
		      const struct track_at *at)
{
	uint16_t slid;

	if (!track_table_count(t->lids) || ibw_bth_dqpn(IBW_KNOWN(pkt, bth)) <= IBW_QPN_GSI)
		return;
	slid = ibw_lrh_slid(IBW_KNOWN(pkt, lrh));
	t->sends[slid >> 3] |= (uint8_t)(1u << (slid & 7));
	by_lids(t, pkt, at);
	if (pkt->net != IBW_NO_SPAN)
		by_gids(t, pkt, at);
}

void track_paths_list(const struct track_paths *t, struct track_subnet *s)
{
	s->sa = t->sa;
}

/* The end */

static void look_slow(struct track_paths *t, const struct track_at *at)
{
	uint64_t p99 = track_histogram_percentile(&t->times, 990);
	uint64_t answers = track_histogram_count(&t->times);
	struct track_event *e;

	if (t->slow || answers < SLOW_ANSWERS || p99 <= SLOW_NS)
		return;
	t->slow = true;
	e = track_event_add(t->events, TRACK_EVENT_SA_SLOW, at);
	if (!e)
		return;
	e->number[TRACK_SA_SLOW_answers] = answers;
	e->number[TRACK_SA_SLOW_p99] = p99;
}

static void look_same(struct track_paths *t, const struct asked *a, const struct track_at *at)
{
	const struct ibw_path_rec_wire *wire = (const void *)a->rec;
	struct track_event *e;

	if (a->same <= SAME_MAX)
		return;
	e = track_event_add(t->events, TRACK_EVENT_PATH_REPEATED, at);
	if (!e)
		return;
	e->flow = a->flow;
	e->flow.dqpn = IBW_QPN_GSI;
	track_event_cause(e, a->first);
	track_event_cause(e, a->last);
	e->number[TRACK_PATH_REPEATED_dgid] = ibw_get_be64(ibw_path_rec_dgid(wire));
	e->number[TRACK_PATH_REPEATED_dgid_low] = ibw_get_be64(ibw_path_rec_dgid(wire) + 8);
	e->number[TRACK_PATH_REPEATED_times] = a->same;
}

static void look_unused(struct track_paths *t, const struct path *p, const struct track_at *at)
{
	const struct lids_key *key = track_table_key(t->lids, p);
	struct track_event *e;

	if (!p->own || p->used || p->told_sl || !(t->sends[key->slid >> 3] >> (key->slid & 7) & 1))
		return;
	e = track_event_add(t->events, TRACK_EVENT_PATH_UNUSED, at);
	if (!e)
		return;
	track_event_cause(e, p->frame);
	e->number[TRACK_PATH_UNUSED_slid] = key->slid;
	e->number[TRACK_PATH_UNUSED_dlid] = key->dlid;
	e->number[TRACK_PATH_UNUSED_sl] = (uint64_t)__builtin_ctz(p->sls);
	e->number[TRACK_PATH_UNUSED_answer] = p->frame;
}

static void look_pkeys(struct track_paths *t, const struct client *c, const struct track_at *at)
{
	struct track_event *e;

	if (c->asked[true] < UNANSWERED_MIN || c->answered[true] || !c->answered[false])
		return;
	e = track_event_add(t->events, TRACK_EVENT_SA_DEFAULT_PKEY, at);
	if (!e)
		return;
	e->flow = c->flow;
	e->flow.dqpn = IBW_QPN_GSI;
	track_event_cause(e, c->first);
	e->number[TRACK_SA_DEFAULT_PKEY_requests] = c->asked[true];
	e->number[TRACK_SA_DEFAULT_PKEY_others] = c->answered[false];
}

bool track_paths_finish(struct track_paths *t, const struct track_at *at)
{
	look_storm(t);
	look_slow(t, at);
	for (; t->finished_asked < track_table_count(t->asked); t->finished_asked++) {
		if (!track_events_room(t->events))
			return false;
		look_same(t, track_table_at(t->asked, t->finished_asked), at);
	}
	for (; t->finished_lids < track_table_count(t->lids); t->finished_lids++) {
		if (!track_events_room(t->events))
			return false;
		look_unused(t, track_table_at(t->lids, t->finished_lids), at);
	}
	for (; t->finished_clients < track_table_count(t->clients); t->finished_clients++) {
		if (!track_events_room(t->events))
			return false;
		look_pkeys(t, track_table_at(t->clients, t->finished_clients), at);
	}
	return true;
}
