/* SPDX-License-Identifier: GPL-2.0-or-later */
/* notice.c - traps, subscriptions to notices, and masters. */
#include <string.h>

#include <glib.h>

#include <ibwire/ibwire.h>

#include "notice.h"
#include "track/base/table.h"

/* How often a trap may come again before somebody should have stopped it. */
#define REPEATS_MAX 5

#define GUID_BYTES 8

/* No holes: compared as bytes. So are the keys below. */
struct trap_key {
	uint8_t sender[16];
	uint8_t notice[ibw_notice_BYTES - 2]; /* without toggle and count */
	uint8_t details[54];
	uint8_t mgmt_class;
	uint8_t zero[1];
};

struct trap {
	uint64_t frame, time_ns; /* of the first copy */
	uint32_t repeats;
	uint8_t hop; /* of a directed route */
	bool told;
};

struct subscription_key {
	uint8_t port[16];
	uint16_t trap_num, type;
	uint8_t generic;
	uint8_t zero[3];
};

struct subscription {
	uint64_t frame;
	struct track_flow flow;
};

struct gone {
	struct track_at at;
	struct track_flow flow;
	uint8_t gid[16];
};

struct master {
	uint64_t guid;
	uint64_t frame; /* where it said so last */
	bool is_master;
};

struct track_notices {
	struct track_events *events;
	struct track_table *traps;         /* struct trap_key -> struct trap */
	struct track_table *subscriptions; /* struct subscription_key -> struct subscription */
	struct track_table *guids;         /* address of a port -> its GUID */
	struct track_table *gone;          /* GUID -> struct gone */
	struct master master[TRACK_MASTERS_MAX];
	unsigned int n_masters;
	uint64_t handover; /* frame of the last Set(SMInfo) */
	uint32_t finished;
	bool repressed; /* somebody stops traps where the capture was made */
	bool told_masters;
};

struct track_notices *track_notices_new(struct track_events *events)
{
	struct track_notices *t = g_new0(struct track_notices, 1);

	t->events = events;
	t->traps = track_table_new(sizeof(struct trap_key), sizeof(struct trap), TRACK_NOTICES_MAX);
	t->subscriptions = track_table_new(sizeof(struct subscription_key),
					   sizeof(struct subscription), TRACK_NOTICES_MAX);
	t->guids = track_table_new(16, GUID_BYTES, TRACK_NOTICES_MAX);
	t->gone = track_table_new(GUID_BYTES, sizeof(struct gone), TRACK_NOTICES_MAX);
	return t;
}

void track_notices_free(struct track_notices *t)
{
	if (!t)
		return;
	track_table_free(t->traps);
	track_table_free(t->subscriptions);
	track_table_free(t->guids);
	track_table_free(t->gone);
	g_free(t);
}

uint64_t track_notices_evicted(const struct track_notices *t)
{
	return track_table_evicted(t->traps) + track_table_evicted(t->subscriptions) +
	       track_table_evicted(t->guids) + track_table_evicted(t->gone);
}

/* Traps */

static const uint8_t *layer_at(const struct track_mad *m, enum ibw_layer layer, uint32_t bytes)
{
	unsigned int i;

	for (i = 0; i < m->walked.n_spans; i++)
		if (m->span[i].layer == layer && m->span[i].off + bytes <= m->n)
			return m->p + m->span[i].off;
	return NULL;
}

static bool trap_key_of(struct trap_key *key, const struct track_mad *m, const uint8_t sender[16])
{
	const uint8_t *p = layer_at(m, IBW_LAYER_notice, ibw_notice_BYTES + sizeof(key->details));

	if (!p)
		return false;
	memset(key, 0, sizeof(*key));
	memcpy(key->sender, sender, sizeof(key->sender));
	memcpy(key->notice, p, sizeof(key->notice));
	memcpy(key->details, p + ibw_notice_BYTES, sizeof(key->details));
	key->mgmt_class = ibw_mad_mgmt_class(m->mad);
	return true;
}

static void tell_trap(struct track_notices *t, const struct trap *trap, const struct trap_key *key,
		      const struct track_flow *flow, const struct track_at *at)
{
	const struct ibw_notice_wire *n = (const void *)key->notice;
	struct track_event *e = track_event_add(t->events, TRACK_EVENT_TRAP_REPEATED, at);

	if (!e)
		return;
	if (!t->repressed)
		e->doubt |= TRACK_DOUBT_ONE_WAY;
	e->flow = *flow;
	track_flow_as_seen(&e->flow);
	track_event_cause(e, trap->frame);
	e->number[TRACK_TRAP_REPEATED_trap_num] = ibw_notice_trap_num(n);
	e->number[TRACK_TRAP_REPEATED_issuer_lid] = ibw_notice_issuer_lid(n);
	e->number[TRACK_TRAP_REPEATED_repeats] = trap->repeats;
	e->number[TRACK_TRAP_REPEATED_ns] =
		at->time_ns > trap->time_ns ? at->time_ns - trap->time_ns : 0;
}

static void feed_trap(struct track_notices *t, const struct track_mad *m,
		      const struct track_flow *flow, const struct track_at *at)
{
	uint8_t hop = m->dr_status ? ibw_smp_dr_status_hop_ptr(m->dr_status) : 0;
	struct trap_key key;
	struct trap *trap;

	if (!trap_key_of(&key, m, flow->src))
		return;
	trap = track_table_need(t->traps, &key);
	if (!trap->frame) {
		*trap = (struct trap){ .frame = at->frame, .time_ns = at->time_ns, .hop = hop };
		return;
	}
	if (trap->hop != hop)
		return; /* the same one, further on its way */
	if (++trap->repeats <= REPEATS_MAX || trap->told)
		return;
	trap->told = true;
	tell_trap(t, trap, &key, flow, at);
}

static void feed_repress(struct track_notices *t, const struct track_mad *m,
			 const struct track_flow *flow)
{
	struct trap_key key;
	struct trap *trap;

	t->repressed = true;
	if (!trap_key_of(&key, m, flow->dst))
		return;
	trap = track_table_get(t->traps, &key);
	if (trap)
		track_table_remove(t->traps, trap);
}

/* Subscriptions */

static void learn_guid(struct track_notices *t, const struct track_flow *flow, bool sender,
		       const uint8_t *gid)
{
	if (flow->address == TRACK_ADDRESS_LID)
		memcpy(track_table_need(t->guids, sender ? flow->src : flow->dst),
		       gid + 16 - GUID_BYTES, GUID_BYTES);
}

/* A client names itself in what it asks for. */
static void learn_guids(struct track_notices *t, const struct track_mad *m,
			const struct track_flow *flow)
{
	uint64_t mask = ibw_sa_comp_mask(m->sa);
	const struct ibw_mcmember_rec_wire *member = NULL;
	const struct ibw_path_rec_wire *path = NULL;

	if (m->walked.attr->id == IBW_ATTR_SA_MCMEMBER_REC)
		member = TRACK_MAD_RECORD(m, 0, mcmember_rec);
	else if (m->walked.attr->id == IBW_ATTR_SA_PATH_REC)
		path = TRACK_MAD_RECORD(m, 0, path_rec);
	if (member && mask >> ibw_mcmember_rec_port_gid_COMP & 1)
		learn_guid(t, flow, true, ibw_mcmember_rec_port_gid(member));
	if (path && mask >> ibw_path_rec_sgid_COMP & 1)
		learn_guid(t, flow, true, ibw_path_rec_sgid(path));
}

static void feed_inform(struct track_notices *t, const struct track_mad *m,
			const struct track_flow *flow, const struct track_at *at)
{
	const struct ibw_inform_info_wire *info = TRACK_MAD_RECORD(m, 0, inform_info);
	struct subscription_key key;
	struct subscription *s;

	if (!info || m->status)
		return;
	memset(&key, 0, sizeof(key));
	memcpy(key.port, flow->dst, sizeof(key.port));
	key.trap_num = ibw_inform_info_trap_num(info);
	key.type = ibw_inform_info_type(info);
	key.generic = ibw_inform_info_is_generic(info);
	if (ibw_inform_info_subscribe(info)) {
		s = track_table_need(t->subscriptions, &key);
		s->frame = at->frame;
		s->flow = *flow;
		return;
	}
	s = track_table_get(t->subscriptions, &key);
	if (s)
		track_table_remove(t->subscriptions, s);
}

static void feed_notice(struct track_notices *t, const struct track_mad *m,
			const struct track_flow *flow, const struct track_at *at)
{
	const struct ibw_notice_wire *n =
		(const void *)layer_at(m, IBW_LAYER_notice, ibw_notice_BYTES);
	const struct ibw_notice_trap_64_wire *details =
		(const void *)layer_at(m, IBW_LAYER_notice_trap_64, ibw_notice_trap_64_BYTES);
	const uint8_t *gid;
	struct gone *gone;

	if (!n || !details || ibw_notice_trap_num(n) != IBW_TRAP_OUT_OF_SERVICE)
		return;
	gid = ibw_notice_trap_64_gid(details);
	gone = track_table_need(t->gone, gid + 16 - GUID_BYTES);
	if (gone->at.frame)
		return;
	gone->at = *at;
	gone->flow = *flow;
	memcpy(gone->gid, gid, sizeof(gone->gid));
}

/* Masters */

static struct master *master_of(struct track_notices *t, uint64_t guid)
{
	unsigned int i;

	for (i = 0; i < t->n_masters && t->master[i].guid != guid; i++)
		;
	if (i == TRACK_MASTERS_MAX)
		return NULL;
	t->n_masters = MAX(t->n_masters, i + 1);
	t->master[i].guid = guid;
	return &t->master[i];
}

static void tell_masters(struct track_notices *t, const struct master *a, const struct master *b,
			 const struct track_flow *flow, const struct track_at *at)
{
	struct track_event *e = track_event_add(t->events, TRACK_EVENT_TWO_MASTERS, at);

	t->told_masters = true;
	if (!e)
		return;
	e->flow = *flow;
	track_flow_as_seen(&e->flow);
	track_event_cause(e, a->frame);
	track_event_cause(e, b->frame);
	e->number[TRACK_TWO_MASTERS_guid] = a->guid;
	e->number[TRACK_TWO_MASTERS_other] = b->guid;
	e->number[TRACK_TWO_MASTERS_frame] = b->frame;
}

/* One was master before the other said that it is, and still is after it: no handover between them. */
static void feed_master(struct track_notices *t, const struct track_mad *m,
			const struct track_flow *flow, const struct track_at *at)
{
	const struct ibw_sm_info_wire *info =
		(const void *)layer_at(m, IBW_LAYER_sm_info, ibw_sm_info_BYTES);
	struct master *own;
	unsigned int i;

	if (!info)
		return;
	if (!ibw_mad_r(m->mad)) {
		if (ibw_mad_method(m->mad) == IBW_METHOD_SET)
			t->handover = at->frame;
		return;
	}
	own = master_of(t, ibw_sm_info_guid(info));
	if (!own || m->status)
		return;
	for (i = 0; i < t->n_masters && own->is_master && !t->told_masters; i++)
		if (&t->master[i] != own && t->master[i].is_master &&
		    t->master[i].frame > own->frame && t->handover < own->frame &&
		    ibw_sm_info_state(info) == IBW_SM_MASTER)
			tell_masters(t, own, &t->master[i], flow, at);
	own->is_master = ibw_sm_info_state(info) == IBW_SM_MASTER;
	own->frame = at->frame;
}

/* Of subnet management only traps, what stops them, and managers: not a sweep. */
static bool is_of_interest(const struct track_mad *mad)
{
	const uint8_t method = ibw_mad_method(mad->mad);

	return !track_mad_is_smp(mad) || mad->walked.attr->id == IBW_ATTR_SM_SM_INFO ||
	       method == IBW_METHOD_TRAP || method == IBW_METHOD_TRAP_REPRESS;
}

void track_notices_feed(struct track_notices *t, const struct ibw_packet *pkt,
			const struct track_mad *mad, const struct track_at *at)
{
	struct track_flow flow;
	uint8_t method;

	if (!mad->mad || !mad->walked.attr ||
	    ibw_mad_base_version(mad->mad) != IBW_MAD_BASE_VERSION || !is_of_interest(mad) ||
	    !track_flow_gids_of(pkt, &flow))
		return;
	method = ibw_mad_method(mad->mad);
	if (method == IBW_METHOD_TRAP && !ibw_mad_r(mad->mad))
		feed_trap(t, mad, &flow, at);
	else if (method == IBW_METHOD_TRAP_REPRESS && !ibw_mad_r(mad->mad))
		feed_repress(t, mad, &flow);
	if (track_mad_is_smp(mad) && mad->walked.attr->id == IBW_ATTR_SM_SM_INFO)
		feed_master(t, mad, &flow, at);
	if (!track_mad_is_sa(mad) || !mad->sa)
		return;
	if (mad->walked.attr->id == IBW_ATTR_SA_NOTICE)
		feed_notice(t, mad, &flow, at);
	else if (!ibw_mad_r(mad->mad))
		learn_guids(t, mad, &flow);
	else if (mad->walked.attr->id == IBW_ATTR_SA_INFORM_INFO)
		feed_inform(t, mad, &flow, at);
}

/* The end */

static void look_after(struct track_notices *t, const struct subscription *s)
{
	const struct subscription_key *key = track_table_key(t->subscriptions, s);
	const uint8_t *guid = s->flow.address == TRACK_ADDRESS_LID
				      ? track_table_get(t->guids, key->port)
				      : key->port + 16 - GUID_BYTES;
	const struct gone *gone = guid ? track_table_get(t->gone, guid) : NULL;
	struct track_event *e;

	if (!gone || gone->at.frame < s->frame)
		return;
	e = track_event_add(t->events, TRACK_EVENT_NEVER_UNSUBSCRIBED, &gone->at);
	if (!e)
		return;
	e->flow = gone->flow;
	track_flow_as_seen(&e->flow);
	track_event_cause(e, s->frame);
	e->number[TRACK_NEVER_UNSUBSCRIBED_gid] = ibw_get_be64(gone->gid);
	e->number[TRACK_NEVER_UNSUBSCRIBED_gid_low] = ibw_get_be64(gone->gid + 8);
	e->number[TRACK_NEVER_UNSUBSCRIBED_trap_num] = key->trap_num;
	e->number[TRACK_NEVER_UNSUBSCRIBED_subscribed] = s->frame;
}

bool track_notices_finish(struct track_notices *t)
{
	struct subscription *s = NULL;
	uint32_t i = 0;

	while ((s = track_table_next(t->subscriptions, s))) {
		if (i++ < t->finished)
			continue;
		if (!track_events_room(t->events))
			return false;
		t->finished++;
		look_after(t, s);
	}
	return true;
}
