/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sm.c - managers, nodes, ports and requests of SMPs. */
#include <stdlib.h>
#include <string.h>

#include <ibwire/ibwire.h>

#include "sm.h"
#include "track/base/table.h"
#include "track/fabric/nodes.h"

/* Attribute modifier of a Set(SMInfo) that hands the subnet over. IBTA vol 1, 14.4.1 */
#define SM_HANDOVER 1

struct node {
	uint8_t type; /* IBW_NODE_... */
};

struct track_sm_watch {
	struct track_table *requests; /* TID -> bool: it was counted */
	struct track_table *nodes;    /* GUID -> struct node */
	struct track_table *managers; /* GUID -> struct track_manager */
	struct track_sm sm;
};

struct track_sm_watch *track_sm_watch_new(void)
{
	struct track_sm_watch *t = g_new0(struct track_sm_watch, 1);

	t->requests = track_table_new(sizeof(uint64_t), sizeof(bool), TRACK_SMPS_MAX);
	t->nodes = track_table_new(sizeof(uint64_t), sizeof(struct node), TRACK_SMPS_MAX);
	t->managers =
		track_table_new(sizeof(uint64_t), sizeof(struct track_manager), TRACK_MANAGERS_MAX);
	return t;
}

void track_sm_watch_free(struct track_sm_watch *t)
{
	if (!t)
		return;
	track_table_free(t->requests);
	track_table_free(t->nodes);
	track_table_free(t->managers);
	g_free(t);
}

uint64_t track_sm_evicted(const struct track_sm_watch *t)
{
	return track_table_evicted(t->requests) + track_table_evicted(t->nodes) +
	       track_table_evicted(t->managers);
}

/* Managers */

static void manager(struct track_sm_watch *t, const struct ibw_sm_info_wire *wire,
		    const struct track_at *at)
{
	const uint64_t guid = ibw_sm_info_guid(wire);
	struct track_manager *m;

	if (!guid)
		return;
	m = track_table_need(t->managers, &guid);
	if (!m->first_frame) {
		m->first_frame = at->frame;
		m->state_frame = at->frame;
	} else if (m->state != ibw_sm_info_state(wire)) {
		m->state_frame = at->frame;
		m->changes++;
	}
	m->guid = guid;
	m->last_frame = at->frame;
	m->last_ns = at->time_ns;
	m->act_count = ibw_sm_info_act_count(wire);
	m->priority = ibw_sm_info_priority(wire);
	m->state = ibw_sm_info_state(wire);
}

/* What is in a Get says nothing; who sends a Set says who it is, as does who answers. */
static void sm_info(struct track_sm_watch *t, const struct track_mad *mad,
		    const struct track_at *at)
{
	const struct ibw_sm_info_wire *wire = TRACK_MAD_LAYER(mad, sm_info);
	bool set = ibw_mad_method(mad->mad) == IBW_METHOD_SET && !ibw_mad_r(mad->mad);

	if (!wire || (!ibw_mad_r(mad->mad) && !set))
		return;
	manager(t, wire, at);
	if (set && ibw_mad_attr_mod(mad->mad) == SM_HANDOVER) {
		t->sm.handovers++;
		t->sm.handover_frame = at->frame;
	}
}

/* The sweep */

static void node_info(struct track_sm_watch *t, const struct track_mad *mad)
{
	const struct ibw_node_info_wire *wire = TRACK_MAD_LAYER(mad, node_info);
	struct node *n;
	uint64_t guid;

	if (!wire || !ibw_mad_r(mad->mad))
		return;
	guid = ibw_node_info_node_guid(wire);
	n = track_table_need(t->nodes, &guid);
	n->type = ibw_node_info_node_type(wire);
}

static void port_info(struct track_sm_watch *t, const struct track_mad *mad)
{
	const struct ibw_port_info_wire *wire = TRACK_MAD_LAYER(mad, port_info);

	if (wire && ibw_mad_r(mad->mad) && ibw_port_info_sm_lid(wire))
		t->sm.lid = ibw_port_info_sm_lid(wire);
}

/* MADs */

static void trap(struct track_sm_watch *t, const struct track_mad *mad)
{
	const struct ibw_notice_wire *n = TRACK_MAD_LAYER(mad, notice);

	if (n && ibw_notice_is_generic(n) && ibw_notice_trap_num(n) == IBW_TRAP_LINK_STATE)
		t->sm.link_traps++;
}

static void count(struct track_sm_watch *t, const struct track_mad *mad)
{
	const uint64_t tid = ibw_mad_tid(mad->mad);
	bool *asked;

	if (!ibw_mad_r(mad->mad)) {
		asked = track_table_need(t->requests, &tid);
		t->sm.requests += !*asked;
		*asked = true;
	} else if ((asked = track_table_get(t->requests, &tid))) {
		t->sm.answered++;
		track_table_remove(t->requests, asked);
	}
}

void track_sm_mad(struct track_sm_watch *t, const struct track_mad *mad, const struct track_at *at)
{
	uint8_t method;

	if (!mad->mad || !mad->walked.attr)
		return;
	method = ibw_mad_method(mad->mad);
	if (method == IBW_METHOD_TRAP)
		trap(t, mad);
	if (method != IBW_METHOD_GET && method != IBW_METHOD_SET)
		return;
	if (mad->dr_status)
		count(t, mad);
	if (mad->status)
		return;
	switch (mad->walked.attr->id) {
	case IBW_ATTR_SM_NODE_INFO:
		node_info(t, mad);
		break;
	case IBW_ATTR_SM_PORT_INFO:
		port_info(t, mad);
		break;
	case IBW_ATTR_SM_SM_INFO:
		sm_info(t, mad, at);
		break;
	default:
		break;
	}
}

/* Lists */

static int manager_by_guid(const void *a, const void *b)
{
	const struct track_manager *x = a, *y = b;

	return x->guid < y->guid ? -1 : x->guid > y->guid;
}

void track_sm_list(const struct track_sm_watch *t, struct track_subnet *s)
{
	const struct node *n;
	const struct track_manager *m;

	s->sm = t->sm;
	s->sm.nodes = track_table_count(t->nodes);
	for (n = NULL; (n = track_table_next(t->nodes, n));)
		s->sm.switches += n->type == IBW_NODE_SWITCH;
	for (m = NULL; (m = track_table_next(t->managers, m));)
		g_array_append_vals(s->managers, m, 1);
	g_array_sort(s->managers, manager_by_guid);
}
