/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sm.c - managers, nodes, ports and requests of SMPs. */
#include <stdlib.h>
#include <string.h>

#include <ibwire/ibwire.h>

#include "sm.h"
#include "table.h"

/* Attribute modifier of a Set(SMInfo) that hands the subnet over. IBTA vol 1, 14.4.1 */
#define SM_HANDOVER 1

/* The number of the port, in the attribute modifier of PortInfo. */
#define PORT_MASK 0xff

#define LAYER(mad, name)                                                                           \
	((const struct ibw_##name##_wire *)layer((mad), IBW_LAYER_##name, ibw_##name##_BYTES))

struct node {
	uint8_t type; /* IBW_NODE_... */
};

/* No holes: compared as bytes. */
struct port_key {
	uint64_t guid;
	uint64_t port;
};

struct port {
	uint64_t frame;
	uint32_t changes;
	uint8_t before, state;
	bool was_active;
};

struct track_sm_watch {
	struct track_table *requests; /* TID -> nothing */
	struct track_table *nodes;    /* GUID -> struct node */
	struct track_nodes *known;    /* by routes */
	struct track_table *ports;    /* struct port_key -> struct port */
	struct track_table *managers; /* GUID -> struct track_manager */
	struct track_sm sm;
};

struct track_sm_watch *track_sm_new(struct track_nodes *nodes)
{
	struct track_sm_watch *t = g_new0(struct track_sm_watch, 1);

	t->requests = track_table_new(sizeof(uint64_t), 1, TRACK_SMPS_MAX);
	t->nodes = track_table_new(sizeof(uint64_t), sizeof(struct node), TRACK_SMPS_MAX);
	t->known = nodes;
	t->ports = track_table_new(sizeof(struct port_key), sizeof(struct port), TRACK_PORTS_MAX);
	t->managers =
		track_table_new(sizeof(uint64_t), sizeof(struct track_manager), TRACK_MANAGERS_MAX);
	return t;
}

void track_sm_free(struct track_sm_watch *t)
{
	if (!t)
		return;
	track_table_free(t->requests);
	track_table_free(t->nodes);
	track_table_free(t->ports);
	track_table_free(t->managers);
	g_free(t);
}

uint64_t track_sm_evicted(const struct track_sm_watch *t)
{
	return track_table_evicted(t->requests) + track_table_evicted(t->nodes) +
	       track_table_evicted(t->ports) + track_table_evicted(t->managers);
}

/* The attribute, NULL if the MAD has it not, or not all of it. */
static const void *layer(const struct track_mad *mad, unsigned int layer, uint32_t bytes)
{
	unsigned int i;

	for (i = 0; i < mad->walked.n_spans; i++)
		if (mad->span[i].layer == layer && mad->span[i].len >= bytes &&
		    mad->span[i].off + bytes <= mad->n)
			return mad->p + mad->span[i].off;
	return NULL;
}

/* Managers */

static void manager(struct track_sm_watch *t, const struct ibw_sm_info_wire *wire, uint64_t frame)
{
	const uint64_t guid = ibw_sm_info_guid(wire);
	struct track_manager *m;

	if (!guid)
		return;
	m = track_table_need(t->managers, &guid);
	if (!m->first_frame)
		m->first_frame = frame;
	m->guid = guid;
	m->last_frame = frame;
	m->act_count = ibw_sm_info_act_count(wire);
	m->priority = ibw_sm_info_priority(wire);
	m->state = ibw_sm_info_state(wire);
}

/* What is in a Get says nothing; who sends a Set says who it is, as does who answers. */
static void sm_info(struct track_sm_watch *t, const struct track_mad *mad, uint64_t frame)
{
	const struct ibw_sm_info_wire *wire = LAYER(mad, sm_info);
	bool set = ibw_mad_method(mad->mad) == IBW_METHOD_SET && !ibw_mad_r(mad->mad);

	if (!wire || (!ibw_mad_r(mad->mad) && !set))
		return;
	manager(t, wire, frame);
	if (set && ibw_mad_attr_mod(mad->mad) == SM_HANDOVER) {
		t->sm.handovers++;
		t->sm.handover_frame = frame;
	}
}

/* The sweep */

static void node_info(struct track_sm_watch *t, const struct track_mad *mad)
{
	const struct ibw_node_info_wire *wire = LAYER(mad, node_info);
	struct node *n;
	uint64_t guid;

	if (!wire || !ibw_mad_r(mad->mad))
		return;
	guid = ibw_node_info_node_guid(wire);
	n = track_table_need(t->nodes, &guid);
	n->type = ibw_node_info_node_type(wire);
}

/* The first way up is no change. */
static void port_state(struct port *p, uint8_t state, uint64_t frame)
{
	bool first = !p->was_active && state > p->state;

	if (p->state && p->state != state && !first) {
		p->before = p->state;
		p->changes++;
		p->frame = frame;
	}
	p->state = state;
	p->was_active = p->was_active || state == IBW_PORT_ACTIVE;
}

/* A switch is asked for one of its ports; others say which they are. */
static void port_info(struct track_sm_watch *t, const struct track_mad *mad, uint64_t frame)
{
	const struct ibw_port_info_wire *wire = LAYER(mad, port_info);
	const struct track_spot *place;
	const struct node *n;
	struct port_key key;

	if (!wire || !ibw_mad_r(mad->mad))
		return;
	if (ibw_port_info_sm_lid(wire))
		t->sm.lid = ibw_port_info_sm_lid(wire);
	place = track_nodes_place(t->known, mad, 0);
	n = place ? track_table_get(t->nodes, &place->guid) : NULL;
	if (!n)
		return;
	key.guid = place->guid;
	key.port = n->type == IBW_NODE_SWITCH ? ibw_mad_attr_mod(mad->mad) & PORT_MASK
					      : ibw_port_info_local_port(wire);
	port_state(track_table_need(t->ports, &key), ibw_port_info_state(wire), frame);
}

/* MADs */

static void trap(struct track_sm_watch *t, const struct track_mad *mad)
{
	const struct ibw_notice_wire *n = LAYER(mad, notice);

	if (n && ibw_notice_is_generic(n) && ibw_notice_trap_num(n) == IBW_TRAP_LINK_STATE)
		t->sm.link_traps++;
}

static void count(struct track_sm_watch *t, const struct track_mad *mad)
{
	const uint64_t tid = ibw_mad_tid(mad->mad);
	void *asked = track_table_get(t->requests, &tid);

	if (!ibw_mad_r(mad->mad)) {
		t->sm.requests += !asked;
		track_table_need(t->requests, &tid);
	} else if (asked) {
		t->sm.answered++;
		track_table_remove(t->requests, asked);
	}
}

void track_sm_mad(struct track_sm_watch *t, const struct track_mad *mad, uint64_t frame)
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
		port_info(t, mad, frame);
		break;
	case IBW_ATTR_SM_SM_INFO:
		sm_info(t, mad, frame);
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

/* What changed most comes first. */
static int link_by_changes(const void *a, const void *b)
{
	const struct track_link *x = a, *y = b;

	if (x->changes != y->changes)
		return x->changes > y->changes ? -1 : 1;
	if (x->guid != y->guid)
		return x->guid < y->guid ? -1 : 1;
	return x->port - y->port;
}

static void add_link(struct track_subnet *s, const struct port_key *key, const struct port *p)
{
	const struct track_link link = { .guid = key->guid,
					 .frame = p->frame,
					 .changes = p->changes,
					 .port = (uint8_t)key->port,
					 .before = p->before,
					 .state = p->state };

	if (p->changes)
		g_array_append_val(s->links, link);
}

void track_sm_list(const struct track_sm_watch *t, struct track_subnet *s)
{
	const struct node *n;
	const struct port *p;
	const struct track_manager *m;

	s->sm = t->sm;
	s->sm.nodes = track_table_count(t->nodes);
	s->sm.ports = track_table_count(t->ports);
	for (n = NULL; (n = track_table_next(t->nodes, n));)
		s->sm.switches += n->type == IBW_NODE_SWITCH;
	for (m = NULL; (m = track_table_next(t->managers, m));)
		g_array_append_vals(s->managers, m, 1);
	for (p = NULL; (p = track_table_next(t->ports, p));)
		add_link(s, track_table_key(t->ports, p), p);
	g_array_sort(s->managers, manager_by_guid);
	g_array_sort(s->links, link_by_changes);
}
