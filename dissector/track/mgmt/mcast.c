/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mcast.c - groups, members, and requests that wait for the SA. */
#include <string.h>

#include <glib.h>

#include <ibwire/rate.h>

#include "mcast_impl.h"
#include "track/fabric/fabric.h"

/* Failed joins of one port and group after which it is said. */
#define TRIES 4

/* A port that asks again sooner than this did not wait for its answer. */
#define ANSWER_NS 100000000u

/* What a port has sent when it leaves has arrived by then. */
#define LEFT_NS UINT64_C(1000000000)

/* A member that hears of a new MLID sends to it from then on. */
#define MLID_NS UINT64_C(1000000000)

/* Ports that went out of service. */
#define GONE_MAX 4096

/* Broadcast groups that refused a port: one per partition. */
#define OUTSIDERS_MAX 4096

#define BIT(field) (1ull << ibw_mcmember_rec_##field##_COMP)

/* What opensm asks for of who creates a group, in addition to MGID, PortGID and JoinState. */
#define CREATE_BITS (BIT(qkey) | BIT(tclass) | BIT(pkey) | BIT(sl) | BIT(flow_label))

/* No holes: compared as bytes. */
struct request_key {
	struct track_flow flow; /* of the request; no QP and no service */
	uint64_t tid;
};

struct request {
	uint64_t frame;
	uint64_t mask;
	struct ibw_mcmember_rec rec;
	uint8_t method;
};

struct track_mcast *track_mcast_new(struct track_events *events)
{
	struct track_mcast *t = g_new0(struct track_mcast, 1);

	t->events = events;
	t->groups = track_table_new(16, sizeof(struct group), TRACK_GROUPS_MAX);
	t->members = track_table_new(sizeof(struct member_key), sizeof(struct member),
				     TRACK_MEMBERS_MAX);
	t->requests = track_table_new(sizeof(struct request_key), sizeof(struct request),
				      TRACK_JOINS_MAX);
	t->mlids = track_table_new(sizeof(uint16_t), 16, UINT16_MAX);
	t->told = track_table_new(sizeof(struct told_key), sizeof(uint16_t), TRACK_MEMBERS_MAX);
	t->gone = track_table_new(16, sizeof(uint64_t), GONE_MAX);
	t->outsiders = track_table_new(16, sizeof(struct outsider), OUTSIDERS_MAX);
	return t;
}

void track_mcast_fabric(struct track_mcast *t, struct track_fabric *fabric)
{
	t->fabric = fabric;
}

void track_mcast_free(struct track_mcast *t)
{
	if (!t)
		return;
	track_table_free(t->groups);
	track_table_free(t->members);
	track_table_free(t->requests);
	track_table_free(t->mlids);
	track_table_free(t->told);
	track_table_free(t->gone);
	track_table_free(t->outsiders);
	g_free(t);
}

uint64_t track_mcast_evicted(const struct track_mcast *t)
{
	return track_table_evicted(t->groups) + track_table_evicted(t->members) +
	       track_table_evicted(t->requests);
}

/* Events */

/* All events about a group begin with the two halves of its MGID. */
static struct track_event *tell(struct track_mcast *t, enum track_event_kind kind,
				const uint8_t mgid[16], const struct track_at *at)
{
	struct track_event *e = track_event_add(t->events, kind, at);

	if (!e)
		return NULL;
	e->number[TRACK_GROUP_JOINED_mgid] = ibw_get_be64(mgid);
	e->number[TRACK_GROUP_JOINED_mgid_low] = ibw_get_be64(mgid + 8);
	return e;
}

/* Groups */

static void learn_mlid(struct track_mcast *t, const struct group *g, const struct track_at *at)
{
	const uint16_t mlid = g->rec.mlid;
	uint8_t *first = track_table_get(t->mlids, &mlid);
	struct track_event *e;

	if (!first) {
		first = track_table_add(t->mlids, &mlid);
		memcpy(first, g->rec.mgid, 16);
	} else if (memcmp(first, g->rec.mgid, 16) != 0) {
		e = tell(t, TRACK_EVENT_MLID_SHARED, g->rec.mgid, at);
		if (!e)
			return;
		e->number[TRACK_MLID_SHARED_other] = ibw_get_be64(first);
		e->number[TRACK_MLID_SHARED_other_low] = ibw_get_be64(first + 8);
		e->number[TRACK_MLID_SHARED_mlid] = mlid;
	}
}

/*
 * Who joined before sends to the MLID that it was told. Only a client that was told both shows that the one takes the place
 * of the other: two subnets may each have a group with this MGID.
 */
static void other_mlid(struct group *g, uint16_t mlid, uint16_t told, const struct track_at *at)
{
	g->to_and_fro |= mlid == g->mlid_before;
	if (!told || told == mlid || told == g->mlid_before)
		return;
	g->mlid_before = told;
	g->mlid_frame = at->frame;
	g->mlid_ns = at->time_ns;
	g->told_mlid = false;
}

/* The MLID that a client was told before; 0: none. Now it is told that of @rec. */
static uint16_t told_before(struct track_mcast *t, const struct ibw_mcmember_rec *rec,
			    const uint8_t client[16])
{
	struct told_key key;
	uint16_t *mlid, before;

	memcpy(key.mgid, rec->mgid, 16);
	memcpy(key.client, client, 16);
	mlid = track_table_need(t->told, &key);
	before = *mlid;
	*mlid = rec->mlid;
	return before;
}

/* An answer of the SA to a client describes the group. */
static void learn_group(struct track_mcast *t, const struct ibw_mcmember_rec *rec,
			const uint8_t client[16], const struct track_at *at)
{
	struct group *g = track_table_get(t->groups, rec->mgid);
	bool known = g && g->rec.mlid == rec->mlid;

	if (!ibw_gid_is_multicast(rec->mgid) || rec->mlid < IBW_LID_MULTICAST_FIRST ||
	    rec->mlid == IBW_LID_PERMISSIVE)
		return;
	if (!g)
		g = track_table_need(t->groups, rec->mgid);
	other_mlid(g, rec->mlid, told_before(t, rec, client), at);
	g->frame = at->frame;
	g->rec = *rec;
	if (!known)
		learn_mlid(t, g, at);
}

/* Whose ports the broadcast group of IPoIB refused */

static bool is_broadcast(const uint8_t mgid[16])
{
	return ibw_mgid_signature(mgid) == IBW_MGID_IPOIB_IPV4 &&
	       ibw_get_be32(mgid + 12) == UINT32_MAX;
}

static void keep_outside(struct track_mcast *t, const struct ibw_mcmember_rec *rec, uint64_t frame)
{
	struct outsider *o =
		is_broadcast(rec->mgid) ? track_table_need(t->outsiders, rec->mgid) : NULL;

	if (!o)
		return;
	o->several |= o->frame && memcmp(o->port, rec->port_gid, 16) != 0;
	memcpy(o->port, rec->port_gid, 16);
	o->frame = frame;
}

static void take_in(struct track_mcast *t, const struct ibw_mcmember_rec *rec)
{
	struct outsider *o = track_table_get(t->outsiders, rec->mgid);

	if (o && !o->several && !memcmp(o->port, rec->port_gid, 16))
		o->frame = 0;
}

/* Requests */

static struct member *member_of(struct track_mcast *t, const struct ibw_mcmember_rec *rec)
{
	struct member_key key;

	memcpy(key.mgid, rec->mgid, 16);
	memcpy(key.port, rec->port_gid, 16);
	return track_table_need(t->members, &key);
}

/* It was refused, or nobody answered it before the next one. */
static void failed(struct track_mcast *t, struct member *m, const uint8_t mgid[16], uint8_t status,
		   const struct track_at *at)
{
	struct track_event *e;

	m->failed++;
	m->unanswered += !status;
	if (m->failed != TRIES)
		return;
	e = tell(t, TRACK_EVENT_JOIN_FAILED, mgid, at);
	if (!e)
		return;
	track_event_cause(e, m->asked);
	e->number[TRACK_JOIN_FAILED_tries] = m->failed;
	e->number[TRACK_JOIN_FAILED_unanswered] = m->unanswered;
	e->number[TRACK_JOIN_FAILED_status] = status;
}

static bool asks_for_new_group(const struct ibw_mcmember_rec *rec)
{
	return ibw_gid_is_zero(rec->mgid);
}

static void asks(struct track_mcast *t, const struct request *q, const struct track_at *at)
{
	struct member *m = member_of(t, &q->rec);

	if (m->asked && at->time_ns > m->asked_ns + ANSWER_NS)
		failed(t, m, q->rec.mgid, 0, at);
	m->asked = at->frame;
	m->asked_ns = at->time_ns;
}

static void feed_request(struct track_mcast *t, const struct request_key *key,
			 const struct request *asked, const struct track_at *at)
{
	struct request *q = track_table_need(t->requests, key);

	*q = *asked;
	if (q->method == IBW_METHOD_SET && !asks_for_new_group(&q->rec))
		asks(t, q, at);
}

/* Answers */

static void joined(struct track_mcast *t, const struct request *q,
		   const struct ibw_mcmember_rec *rec, const struct track_at *at)
{
	struct member *m = member_of(t, rec);
	uint64_t data_frame = m->data_frame;
	struct track_event *e;

	e = tell(t, TRACK_EVENT_GROUP_JOINED, rec->mgid, at);
	if (e) {
		track_event_cause(e, q->frame);
		e->number[TRACK_GROUP_JOINED_join_state] = q->rec.join_state;
		e->number[TRACK_GROUP_JOINED_before] = m->state;
		e->number[TRACK_GROUP_JOINED_mlid] = rec->mlid;
	}
	if (t->fabric && !m->state)
		track_fabric_member(t->fabric, rec->mgid, rec->port_gid, true, at);
	m->frame = at->frame;
	m->asked = 0;
	m->left_ns = 0;
	m->failed = m->unanswered = 0;
	m->refused = 0;
	take_in(t, rec);
	m->state |= q->rec.join_state | rec->join_state;
	m->data_frame = 0;
	e = data_frame ? tell(t, TRACK_EVENT_SENT_BEFORE_JOIN, rec->mgid, at) : NULL;
	if (!e)
		return;
	track_event_cause(e, data_frame);
	/* It may have joined before the capture began, and joins once more. */
	if (!m->has_left)
		e->doubt |= TRACK_DOUBT_MID_STREAM;
	e->number[TRACK_SENT_BEFORE_JOIN_sent] = data_frame;
}

static void left(struct track_mcast *t, const struct request *q, const struct ibw_mcmember_rec *rec,
		 const struct track_at *at)
{
	struct member *m = member_of(t, rec);
	struct track_event *e = tell(t, TRACK_EVENT_GROUP_LEFT, rec->mgid, at);

	if (e) {
		track_event_cause(e, m->frame);
		track_event_cause(e, q->frame);
		e->number[TRACK_GROUP_LEFT_join_state] = q->rec.join_state;
		e->number[TRACK_GROUP_LEFT_before] = m->state;
		e->number[TRACK_GROUP_LEFT_answer] = rec->join_state;
	}
	m->frame = at->frame;
	m->state &= (uint8_t)~q->rec.join_state;
	if (!rec->join_state) /* the SA says what is left */
		m->state = 0;
	if (t->fabric && !m->state)
		track_fabric_member(t->fabric, rec->mgid, rec->port_gid, false, at);
	m->left_ns = m->state ? 0 : at->time_ns;
	m->told_left = false;
	m->has_left = true;
	m->data_frame = 0;
}

static void tell_misfit(struct track_mcast *t, const struct request *q, const struct group *g,
			enum track_group_field field, uint8_t selector, uint64_t asked,
			uint64_t has, const struct track_at *at)
{
	struct track_event *e = tell(t, TRACK_EVENT_JOIN_MISFIT, q->rec.mgid, at);

	if (!e)
		return;
	track_event_cause(e, g->frame);
	track_event_cause(e, q->frame);
	e->number[TRACK_JOIN_MISFIT_field] = field;
	e->number[TRACK_JOIN_MISFIT_asked] = asked;
	e->number[TRACK_JOIN_MISFIT_has] = has;
	e->number[TRACK_JOIN_MISFIT_selector] = selector;
}

/* Whether what is asked for of a value cannot be, as the group has @has. */
static bool cannot_hold(uint8_t selector, uint32_t asked, uint32_t has)
{
	switch (selector) {
	case IBW_SELECTOR_GREATER:
		return has <= asked;
	case IBW_SELECTOR_LESS:
		return has >= asked;
	case IBW_SELECTOR_EXACTLY:
		return has != asked;
	default:
		return false;
	}
}

/* A P_Key of the same partition, and one of the two a full member. */
static bool pkeys_fit(uint16_t a, uint16_t b)
{
	return !((a ^ b) & 0x7fff) && (a | b) & 0x8000;
}

/* What of a refused request is not as the group is. */
static void compare(struct track_mcast *t, const struct request *q, const struct group *g,
		    const struct track_at *at)
{
	const struct ibw_mcmember_rec *asked = &q->rec, *has = &g->rec;

	if (q->mask & BIT(qkey) && asked->qkey != has->qkey)
		tell_misfit(t, q, g, TRACK_GROUP_QKEY, IBW_SELECTOR_EXACTLY, asked->qkey, has->qkey,
			    at);
	if (q->mask & BIT(pkey) && !pkeys_fit(asked->pkey, has->pkey))
		tell_misfit(t, q, g, TRACK_GROUP_PKEY, IBW_SELECTOR_EXACTLY, asked->pkey, has->pkey,
			    at);
	if (q->mask & BIT(mtu) && q->mask & BIT(mtu_sel) &&
	    cannot_hold(asked->mtu_sel, asked->mtu, has->mtu))
		tell_misfit(t, q, g, TRACK_GROUP_MTU, asked->mtu_sel, asked->mtu, has->mtu, at);
	if (q->mask & BIT(rate) && q->mask & BIT(rate_sel) &&
	    cannot_hold(asked->rate_sel, ibw_rate_mbps(asked->rate), ibw_rate_mbps(has->rate)))
		tell_misfit(t, q, g, TRACK_GROUP_RATE, asked->rate_sel, asked->rate, has->rate, at);
}

static void tell_cause(struct track_mcast *t, const struct request *q, enum track_join_cause cause,
		       uint64_t asked, uint64_t has, const struct track_at *at, uint64_t frame)
{
	struct track_event *e = tell(t, TRACK_EVENT_JOIN_CAUSE, q->rec.mgid, at);

	if (!e)
		return;
	track_event_cause(e, frame);
	track_event_cause(e, q->frame);
	e->number[TRACK_JOIN_CAUSE_gid] = ibw_get_be64(q->rec.port_gid);
	e->number[TRACK_JOIN_CAUSE_gid_low] = ibw_get_be64(q->rec.port_gid + 8);
	e->number[TRACK_JOIN_CAUSE_cause] = cause;
	e->number[TRACK_JOIN_CAUSE_asked] = asked;
	e->number[TRACK_JOIN_CAUSE_has] = has;
	e->number[TRACK_JOIN_CAUSE_frame] = frame;
}

/* IPoIB has the P_Key of its partition in the MGID: RFC 4391, 4. 0: it is no such MGID. */
static uint16_t pkey_of_mgid(const uint8_t mgid[16])
{
	uint16_t kind = ibw_mgid_signature(mgid);

	return kind == IBW_MGID_IPOIB_IPV4 || kind == IBW_MGID_IPOIB_IPV6 ? ibw_get_be16(mgid + 4)
									  : 0;
}

/* What else in the file explains a refusal. */
static void explain(struct track_mcast *t, const struct request *q, const struct group *g,
		    const struct track_at *at)
{
	uint16_t of_mgid = pkey_of_mgid(q->rec.mgid), pkey;
	uint64_t frame = 0;

	if (of_mgid && q->mask & BIT(pkey) &&
	    (of_mgid ^ q->rec.pkey) & (unsigned int)~IBW_PKEY_FULL & UINT16_MAX)
		tell_cause(t, q, TRACK_JOIN_MGID_PKEY, q->rec.pkey, of_mgid, at, 0);
	pkey = g ? g->rec.pkey : q->mask & BIT(pkey) ? q->rec.pkey : 0;
	if (pkey && t->fabric &&
	    track_fabric_pkey(t->fabric, ibw_get_be64(q->rec.port_gid + 8), pkey, &frame) ==
		    TRACK_PKEY_MISSING)
		tell_cause(t, q, TRACK_JOIN_NO_PARTITION, pkey, 0, at, frame);
}

static void join_refused(struct track_mcast *t, const struct request *q, uint8_t status,
			 const struct track_at *at)
{
	const struct group *g = track_table_get(t->groups, q->rec.mgid);
	struct track_event *e = tell(t, TRACK_EVENT_JOIN_REFUSED, q->rec.mgid, at);
	struct member *m;

	if (e) {
		track_event_cause(e, q->frame);
		e->number[TRACK_JOIN_REFUSED_status] = status;
		e->number[TRACK_JOIN_REFUSED_missing] = CREATE_BITS & ~q->mask;
		e->number[TRACK_JOIN_REFUSED_join_state] = q->rec.join_state;
		e->number[TRACK_JOIN_REFUSED_known] = g != NULL;
	}
	if (g)
		compare(t, q, g, at);
	if (status == IBW_SA_STATUS_REQ_INVALID)
		explain(t, q, g, at);
	if (asks_for_new_group(&q->rec))
		return;
	m = member_of(t, &q->rec);
	failed(t, m, q->rec.mgid, status, at);
	m->asked = 0;
	m->refused = at->frame;
	keep_outside(t, &q->rec, at->frame);
}

static void leave_refused(struct track_mcast *t, const struct request *q, uint8_t status,
			  const struct track_at *at)
{
	const struct member *m = member_of(t, &q->rec);
	struct track_event *e = tell(t, TRACK_EVENT_LEAVE_REFUSED, q->rec.mgid, at);

	if (!e)
		return;
	track_event_cause(e, m->frame);
	track_event_cause(e, q->frame);
	e->number[TRACK_LEAVE_REFUSED_status] = status;
	e->number[TRACK_LEAVE_REFUSED_join_state] = q->rec.join_state;
	e->number[TRACK_LEAVE_REFUSED_has] = m->state;
}

/* The SA's status; what is none of its own counts as "request invalid". */
static uint8_t status_of(const struct track_mad *mad)
{
	uint8_t status = (uint8_t)(mad->status >> 8);

	return mad->status && !status ? IBW_SA_STATUS_REQ_INVALID : status;
}

static void feed_answer(struct track_mcast *t, const struct request *q, const struct track_mad *mad,
			const struct ibw_mcmember_rec *rec, const struct track_at *at)
{
	uint8_t status = status_of(mad);

	if (q->method == IBW_METHOD_SET && status)
		join_refused(t, q, status, at);
	else if (q->method == IBW_METHOD_SET)
		joined(t, q, rec, at);
	else if (q->method == IBW_METHOD_DELETE && status)
		leave_refused(t, q, status, at);
	else if (q->method == IBW_METHOD_DELETE)
		left(t, q, rec, at);
}

/* MADs */

/* A response, and of what: a Delete is answered as a Delete, a Set as a Get. */
static void answer(struct track_mcast *t, const struct request_key *key,
		   const struct track_mad *mad, const struct track_at *at)
{
	const struct ibw_mcmember_rec_wire *wire;
	struct request *q = track_table_get(t->requests, key);
	struct ibw_mcmember_rec rec = { .mlid = 0 };
	unsigned int i;

	for (i = 0; !mad->status && (wire = TRACK_MAD_RECORD(mad, i, mcmember_rec)); i++) {
		ibw_mcmember_rec_unpack(&rec, wire);
		if (ibw_mad_method(mad->mad) != IBW_METHOD_DELETE)
			learn_group(t, &rec, key->flow.src, at);
	}
	if (!q)
		return;
	if (i == 1 || mad->status)
		feed_answer(t, q, mad, &rec, at);
	track_table_remove(t->requests, q);
}

static void member_rec(struct track_mcast *t, struct request_key *key, const struct track_mad *mad,
		       const struct track_at *at)
{
	const struct ibw_mcmember_rec_wire *wire = TRACK_MAD_RECORD(mad, 0, mcmember_rec);
	struct request asked = { .frame = at->frame };

	if (ibw_mad_r(mad->mad)) {
		track_flow_turn(&key->flow);
		answer(t, key, mad, at);
		return;
	}
	asked.method = ibw_mad_method(mad->mad);
	if (!wire || (asked.method != IBW_METHOD_SET && asked.method != IBW_METHOD_DELETE))
		return;
	asked.mask = ibw_sa_comp_mask(mad->sa);
	ibw_mcmember_rec_unpack(&asked.rec, wire);
	feed_request(t, key, &asked, at);
}

/* The SM says that a port is gone. */
static void notice(struct track_mcast *t, const struct track_mad *mad, const struct track_at *at)
{
	const struct ibw_notice_wire *n = NULL;
	const struct ibw_notice_trap_64_wire *details = NULL;
	unsigned int i;
	uint64_t *frame;

	for (i = 0; i < mad->walked.n_spans; i++) {
		if (mad->span[i].layer == IBW_LAYER_notice)
			n = (const void *)(mad->p + mad->span[i].off);
		else if (mad->span[i].layer == IBW_LAYER_notice_trap_64)
			details = (const void *)(mad->p + mad->span[i].off);
	}
	if (!n || !details || ibw_notice_trap_num(n) != IBW_TRAP_OUT_OF_SERVICE)
		return;
	frame = track_table_need(t->gone, ibw_notice_trap_64_gid(details));
	*frame = at->frame;
}

void track_mcast_mad(struct track_mcast *t, const struct ibw_packet *pkt,
		     const struct track_mad *mad, const struct track_at *at)
{
	struct request_key key;

	memset(&key, 0, sizeof(key));
	if (!mad->sa || !mad->walked.attr || !track_flow_gids_of(pkt, &key.flow))
		return;
	if (mad->walked.attr->id == IBW_ATTR_SA_NOTICE)
		notice(t, mad, at);
	if (mad->walked.attr->id != IBW_ATTR_SA_MCMEMBER_REC)
		return;
	key.flow.dqpn = 0;
	key.flow.service = 0;
	key.tid = ibw_mad_tid(mad->mad);
	member_rec(t, &key, mad, at);
}

/* Data */

static void other_qkey(struct track_mcast *t, const struct group *g, uint32_t qkey,
		       const struct ibw_packet *pkt, const struct track_at *at)
{
	struct track_event *e = tell(t, TRACK_EVENT_GROUP_OTHER_QKEY, g->rec.mgid, at);

	if (!e)
		return;
	track_flow_of(pkt, &e->flow);
	track_event_cause(e, g->frame);
	e->number[TRACK_GROUP_OTHER_QKEY_qkey] = qkey;
	e->number[TRACK_GROUP_OTHER_QKEY_has] = g->rec.qkey;
}

/* What was on its way when it left. */
static void sent_after_leave(struct track_mcast *t, const struct member_key *key, struct member *m,
			     const struct ibw_packet *pkt, const struct track_at *at)
{
	struct track_event *e;

	if (!m->left_ns || m->told_left || at->time_ns < m->left_ns + LEFT_NS)
		return;
	m->told_left = true;
	e = tell(t, TRACK_EVENT_SENT_AFTER_LEAVE, key->mgid, at);
	if (!e)
		return;
	track_flow_of(pkt, &e->flow);
	track_event_cause(e, m->frame);
	e->number[TRACK_SENT_AFTER_LEAVE_left] = m->frame;
	e->number[TRACK_SENT_AFTER_LEAVE_ns] = at->time_ns - m->left_ns;
}

/* Of each new one the first packet that goes to the old one. */
static void sent_to_mlid(struct track_mcast *t, struct group *g, const struct ibw_packet *pkt,
			 const struct track_at *at)
{
	const struct ibw_lrh_wire *lrh = IBW_AT(pkt, lrh);
	struct track_event *e;

	if (!g->mlid_before || g->told_mlid || g->to_and_fro || !lrh ||
	    ibw_lrh_dlid(lrh) != g->mlid_before || at->time_ns < g->mlid_ns + MLID_NS)
		return;
	g->told_mlid = true;
	e = tell(t, TRACK_EVENT_MLID_OF_BEFORE, g->rec.mgid, at);
	if (!e)
		return;
	track_flow_of(pkt, &e->flow);
	track_event_cause(e, g->mlid_frame);
	e->number[TRACK_MLID_OF_BEFORE_mlid] = g->mlid_before;
	e->number[TRACK_MLID_OF_BEFORE_now] = g->rec.mlid;
	e->number[TRACK_MLID_OF_BEFORE_frame] = g->mlid_frame;
	e->number[TRACK_MLID_OF_BEFORE_ns] = at->time_ns - g->mlid_ns;
}

void track_mcast_data(struct track_mcast *t, const struct ibw_packet *pkt,
		      const struct track_at *at)
{
	const struct ibw_grh_wire *grh = IBW_KNOWN(pkt, grh);
	const struct ibw_deth_wire *deth = IBW_AT(pkt, deth);
	struct member_key key;
	struct group *g;
	struct member *m;

	if (!deth)
		return;
	memcpy(key.mgid, ibw_grh_dgid(grh), 16);
	memcpy(key.port, ibw_grh_sgid(grh), 16);
	g = track_table_get(t->groups, key.mgid);
	if (g && g->rec.qkey != ibw_deth_qkey(deth))
		other_qkey(t, g, ibw_deth_qkey(deth), pkt, at);
	if (g)
		sent_to_mlid(t, g, pkt, at);
	m = track_table_need(t->members, &key);
	sent_after_leave(t, &key, m, pkt, at);
	if (!m->state && !m->data_frame)
		m->data_frame = at->frame;
}

/* As opensm makes it and Linux looks for it. RFC 4391, 4 */
static void broadcast_mgid(uint8_t mgid[16], uint16_t pkey)
{
	ibw_ipoib_mgid_broadcast(mgid, IBW_SCOPE_LINK_LOCAL, pkey | IBW_PKEY_FULL);
}

bool track_mcast_broadcast(struct track_mcast *t, uint16_t pkey, uint32_t *qkey, uint64_t *frame)
{
	const struct group *g;
	uint8_t mgid[16];

	broadcast_mgid(mgid, pkey);
	g = track_table_get(t->groups, mgid);
	if (!g)
		return false;
	*qkey = g->rec.qkey;
	*frame = g->frame;
	return true;
}

uint64_t track_mcast_outside(struct track_mcast *t, uint16_t pkey, const uint8_t gid[16])
{
	const struct outsider *only;
	const struct member *m;
	struct member_key key;

	broadcast_mgid(key.mgid, pkey);
	if (!gid) {
		only = track_table_get(t->outsiders, key.mgid);
		return only && !only->several ? only->frame : 0;
	}
	memcpy(key.port, gid, 16);
	m = track_table_get(t->members, &key);
	return m ? m->refused : 0;
}

/* The end: ports that went away as members. */

static void look_after(struct track_mcast *t, const struct member *m, const struct track_at *at)
{
	const struct member_key *key = track_table_key(t->members, m);
	const uint64_t *gone = track_table_get(t->gone, key->port);
	struct track_event *e;

	if (!gone || !m->state || m->frame > *gone)
		return;
	e = tell(t, TRACK_EVENT_NEVER_LEFT, key->mgid, at);
	if (!e)
		return;
	track_event_cause(e, m->frame);
	track_event_cause(e, *gone);
	e->number[TRACK_NEVER_LEFT_join_state] = m->state;
	e->number[TRACK_NEVER_LEFT_gone] = *gone;
}

bool track_mcast_finish(struct track_mcast *t, const struct track_at *at)
{
	struct member *m;

	if (!track_table_count(t->gone))
		return true;
	for (; t->finished < track_table_count(t->members); t->finished++) {
		if (!track_events_room(t->events))
			return false;
		m = track_table_at(t->members, t->finished);
		look_after(t, m, at);
	}
	return true;
}
