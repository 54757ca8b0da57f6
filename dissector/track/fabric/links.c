/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * links.c - evaluates the answers to a sweep: the places of nodes, links that go down, the owners of LIDs and keys.
 */
#include <string.h>

#include <glib.h>

#include <ibwire/out.h>

#include "fabric_impl.h"

/* Nobody moves a cable in less than this. */
#define MOVE_NS UINT64_C(1000000000)

/* LIDs given out in one sweep; it has put them right by the end of that. */
#define SWEEP_NS UINT64_C(5000000000)

#define PORT_MASK 0xff
#define BLOCK_MASK 0xffff

/* Where nodes are */

static void say_routes(const struct fabric_cable *a, const struct fabric_cable *b, char *about)
{
	struct ibw_out out = ibw_out_open(about, TRACK_ABOUT_TEXT);
	char text[TRACK_OBJECT_TEXT];

	ibw_out_str(&out, track_object_text(&a->route, "", NULL, text));
	ibw_out_str(&out, " (frame ");
	ibw_out_dec(&out, a->frame);
	ibw_out_str(&out, ") and");
	ibw_out_str(&out, track_object_text(&b->route, "", NULL, text));
	ibw_out_close(&out);
}

static void tell_twice(struct track_fabric *t, const struct fabric_mad *m,
		       const struct fabric_port_key *key, const struct fabric_cable *cable,
		       const struct fabric_cable *other)
{
	struct track_event *e = track_event_add(t->events, TRACK_EVENT_GUID_TWICE, m->at);

	if (!e)
		return;
	e->flow = m->flow;
	track_event_cause(e, cable->frame);
	e->number[TRACK_GUID_TWICE_guid] = key->guid;
	e->number[TRACK_GUID_TWICE_port] = key->port;
	e->number[TRACK_GUID_TWICE_at] = cable->to.guid;
	e->number[TRACK_GUID_TWICE_at_port] = cable->to.port;
	e->number[TRACK_GUID_TWICE_other] = other->to.guid;
	e->number[TRACK_GUID_TWICE_other_port] = other->to.port;
	e->number[TRACK_GUID_TWICE_frame] = cable->frame;
	say_routes(cable, other, track_event_about(t->events, e));
}

/* What is known of it by a route of its own stays, as long as that says the same. */
static void learn_other_end(struct track_fabric *t, const struct fabric_port_key *key,
			    const struct fabric_cable *here)
{
	struct fabric_cable *other = track_table_need(t->cables, &here->to);

	if (other->frame && !memcmp(&other->to, key, sizeof(*key)))
		return;
	*other = *here;
	other->to = *key;
	other->entered = false;
}

/* If one end is cabled to somewhere else since, the other is at nothing that is known. */
bool track_fabric_cable_is_known(const struct track_fabric *t, const struct fabric_port_key *key,
				 const struct fabric_cable *cable)
{
	const struct fabric_cable *other = track_table_get(t->cables, &cable->to);

	return other && !memcmp(&other->to, key, sizeof(*key));
}

const struct fabric_cable *track_fabric_cable(const struct track_fabric *t,
					      const struct fabric_port_key *key)
{
	const struct fabric_cable *cable = track_table_get(t->cables, key);

	return cable && track_fabric_cable_is_known(t, key, cable) ? cable : NULL;
}

/* The port that a node is entered by is cabled to the last port of the route. */
static void learn_cable(struct track_fabric *t, const struct fabric_mad *m)
{
	const struct track_spot *place, *parent;
	struct fabric_cable *cable, here;
	struct fabric_port_key key;
	const struct track_node *n;
	unsigned int hops;

	parent = track_nodes_place(t->nodes, m->mad, 1);
	if (!parent || parent->moved)
		return;
	here.to.guid = parent->guid;
	place = track_nodes_place(t->nodes, m->mad, 0);
	n = place ? track_nodes_get(t->nodes, place->guid) : NULL;
	if (!n)
		return;
	hops = ibw_smp_dr_status_hop_cnt(m->mad->dr_status);
	here.to.port = ibw_smp_dr_path_initial_path(m->mad->dr_path, hops);
	here.frame = m->at->frame;
	here.time_ns = m->at->time_ns;
	here.told = false;
	track_object_of(&here.route, m->mad);
	here.entered = true;
	key = (struct fabric_port_key){ place->guid, place->port };
	cable = track_table_need(t->cables, &key);
	if (cable->frame && memcmp(&cable->to, &here.to, sizeof(here.to)) != 0) {
		here.told = cable->told;
		if (n->type == IBW_NODE_CA && cable->entered && !cable->told &&
		    here.time_ns >= cable->time_ns && here.time_ns - cable->time_ns < MOVE_NS) {
			tell_twice(t, m, &key, cable, &here);
			here.told = true;
		}
	}
	*cable = here;
	learn_other_end(t, &key, &here);
}

/* Ports */

static void port_down(const struct track_fabric *t, struct fabric_port *p,
		      const struct track_at *at)
{
	const uint64_t flaps = FABRIC_THRESHOLD(t, flap_downs);
	uint64_t first_ns;

	if (!p->downs)
		p->first_ns = at->time_ns;
	p->last_ns = at->time_ns;
	memmove(p->down_ns, p->down_ns + 1, (FABRIC_DOWNS - 1) * sizeof(p->down_ns[0]));
	p->down_ns[FABRIC_DOWNS - 1] = at->time_ns;
	p->downs++;
	p->back = false;
	if (p->flaps)
		return;
	p->down_frame = at->frame;
	p->frame_ns = at->time_ns;
	first_ns = p->down_ns[FABRIC_DOWNS - flaps];
	p->flaps = p->downs >= flaps && at->time_ns >= first_ns &&
		   at->time_ns - first_ns <= FABRIC_THRESHOLD_NS(t, flap_time);
}

/* Links are up at Active. Ports that nobody saw come up are not told of. */
static void tell_port_state(struct track_fabric *t, const struct fabric_port_key *key,
			    const struct fabric_port *p, uint8_t state, const struct track_at *at)
{
	const struct track_told_of h = {
		.kind = state == IBW_PORT_ACTIVE ? TRACK_LINK_UP : TRACK_LINK_DOWN,
		.guid = key->guid,
		.port = (uint32_t)key->port,
	};

	if (state == IBW_PORT_ACTIVE ? p->said && !p->is_up : p->is_up && state <= IBW_PORT_INIT)
		track_chronicle_add(&t->chronicle, &h, at);
}

/* The first way up is no change. */
static void port_changes(struct fabric_port *p, uint8_t state, uint64_t frame)
{
	bool first = !p->was_up && state > p->said;

	if (p->said && p->said != state && !first) {
		p->before = p->said;
		p->changes++;
		p->changed = frame;
	}
	p->said = state;
	p->was_up = p->was_up || state == IBW_PORT_ACTIVE;
}

/* From Active it comes to Initialize only by going down. Until it is Active again, that is one time. */
static void port_state(const struct track_fabric *t, struct fabric_port *p, uint8_t state,
		       const struct track_at *at)
{
	if (p->is_up && state <= IBW_PORT_INIT) {
		p->is_up = false;
		port_down(t, p, at);
	} else if (state == IBW_PORT_ACTIVE) {
		p->is_up = true;
		p->back = p->downs;
	}
	p->state = state;
}

static void port_lid(struct track_fabric *t, const struct fabric_port_key *key, uint16_t lid,
		     const struct track_at *at)
{
	struct fabric_lid *l = track_table_need(t->lids, &lid);
	const struct fabric_port *other;

	if (l->last != key->guid)
		l->since = at->frame;
	l->moved |= l->last && l->last != key->guid;
	l->last = key->guid;
	if (!l->at.frame || !memcmp(&l->port, key, sizeof(*key))) {
		l->port = *key;
		l->at = *at;
		return;
	}
	other = track_table_get(t->ports, &l->port);
	if (!other || other->lid != lid || at->time_ns < l->at.time_ns ||
	    at->time_ns - l->at.time_ns > SWEEP_NS) {
		l->port = *key;
		l->at = *at;
		l->twice.frame = 0;
		return;
	}
	if (l->twice.frame && !memcmp(&l->other, key, sizeof(*key)))
		return;
	l->other = *key;
	l->twice = *at;
}

static void learn_mkey(struct track_fabric *t, const struct ibw_port_info_wire *wire,
		       const struct track_at *at)
{
	const uint16_t lid = ibw_port_info_lid(wire);
	struct fabric_mkey *k;

	if (!lid || !ibw_port_info_mkey(wire))
		return;
	k = track_table_need(t->mkeys, &lid);
	k->mkey = ibw_port_info_mkey(wire);
	k->protect = ibw_port_info_mkey_protect(wire);
	k->frame = at->frame;
}

/* While a port comes up it may have the prefix of when it was made. Of all ports that get the new one the first is told of. */
static void port_prefix(struct track_fabric *t, const struct fabric_mad *m,
			const struct fabric_port_key *key, struct fabric_port *p, uint64_t now)
{
	const uint64_t before = p->prefix, frame = p->prefix_frame;
	struct track_event *e;

	if (!now || p->state != IBW_PORT_ACTIVE)
		return;
	p->prefix = now;
	p->prefix_frame = m->at->frame;
	if (!before || before == now || (t->prefixes[0] == before && t->prefixes[1] == now))
		return;
	t->prefixes[0] = before;
	t->prefixes[1] = now;
	e = track_fabric_event(t, TRACK_EVENT_PREFIX_CHANGED, m->at, &m->flow);
	if (!e)
		return;
	track_event_cause(e, frame);
	e->number[TRACK_PREFIX_CHANGED_guid] = key->guid;
	e->number[TRACK_PREFIX_CHANGED_port] = key->port;
	e->number[TRACK_PREFIX_CHANGED_before] = before;
	e->number[TRACK_PREFIX_CHANGED_now] = now;
	e->number[TRACK_PREFIX_CHANGED_frame] = frame;
	track_nodes_text(t->nodes, key->guid, (unsigned int)key->port,
			 track_event_about(t->events, e));
}

/* A switch has a LID at its port 0 only. */
static void port_info(struct track_fabric *t, const struct fabric_mad *m)
{
	const struct ibw_port_info_wire *wire = TRACK_MAD_LAYER(m->mad, port_info);
	const struct track_spot *place = wire ? track_nodes_place(t->nodes, m->mad, 0) : NULL;
	struct track_node *n = place ? track_nodes_get(t->nodes, place->guid) : NULL;
	uint32_t number = ibw_mad_attr_mod(m->mad->mad) & PORT_MASK;
	struct fabric_port_key key;
	struct fabric_port *p;
	uint16_t lid;

	if (!n)
		return;
	if (n->type != IBW_NODE_SWITCH && !number)
		number = ibw_port_info_local_port(wire);
	key = (struct fabric_port_key){ n->guid, number };
	p = track_table_need(t->ports, &key);
	p->frame = m->at->frame;
	p->frame_time_ns = m->at->time_ns;
	track_lanes_of(&p->width, &p->speed, wire);
	if (ibw_port_info_state(wire) && key.port)
		tell_port_state(t, &key, p, ibw_port_info_state(wire), m->at);
	port_changes(p, ibw_port_info_state(wire), m->at->frame);
	if (ibw_port_info_state(wire))
		port_state(t, p, ibw_port_info_state(wire), m->at);
	lid = ibw_port_info_lid(wire);
	if (!lid || lid >= IBW_LID_MULTICAST_FIRST || (n->type == IBW_NODE_SWITCH && number))
		return;
	port_prefix(t, m, &key, p, ibw_port_info_gid_prefix(wire));
	track_fabric_lid_now(t, &key, p->lid, lid, ibw_port_info_lmc(wire), m->at);
	n->lid = lid;
	p->lid = lid;
	port_lid(t, &key, lid, m->at);
	learn_mkey(t, wire, m->at);
}

static void pkey_table(struct track_fabric *t, const struct fabric_mad *m)
{
	const struct ibw_pkey_table_wire *wire = TRACK_MAD_LAYER(m->mad, pkey_table);
	const struct track_spot *place = wire ? track_nodes_place(t->nodes, m->mad, 0) : NULL;
	const struct track_node *n = place ? track_nodes_get(t->nodes, place->guid) : NULL;
	struct fabric_pkeys_key key;
	struct fabric_pkeys *k;
	unsigned int i;

	if (!n || n->type == IBW_NODE_SWITCH)
		return;
	key = (struct fabric_pkeys_key){ place->port_guid,
					 ibw_mad_attr_mod(m->mad->mad) & BLOCK_MASK };
	k = track_table_need(t->pkeys, &key);
	k->frame = m->at->frame;
	k->guid = place->guid;
	for (i = 0; i < FABRIC_PKEYS; i++)
		k->pkey[i] = ibw_pkey_table_pkey(wire, i);
}

/* The entries are filled from the first on: after one that is 0 there is none. */
enum track_pkey_there track_fabric_pkey(struct track_fabric *t, uint64_t port_guid, uint16_t pkey,
					uint64_t *frame)
{
	struct fabric_pkeys_key key = { port_guid, 0 };
	const struct fabric_pkeys *k;
	unsigned int i;

	for (; (k = track_table_get(t->pkeys, &key)); key.block++) {
		*frame = k->frame;
		for (i = 0; i < FABRIC_PKEYS; i++)
			if (!((k->pkey[i] ^ pkey) & (unsigned int)~IBW_PKEY_FULL & UINT16_MAX))
				return TRACK_PKEY_THERE;
		if (!k->pkey[FABRIC_PKEYS - 1])
			return TRACK_PKEY_MISSING;
	}
	return TRACK_PKEY_UNKNOWN;
}

bool track_fabric_mkey(struct track_fabric *t, uint16_t lid, struct track_mkey_said *said)
{
	const struct fabric_mkey *k = track_table_get(t->mkeys, &lid);

	if (!k)
		return false;
	*said = (struct track_mkey_said){ k->mkey, k->frame, k->protect };
	return true;
}

/* Who asks is the node that the route of no hops ends at. */
static void tell_sweep(struct track_fabric *t, const struct fabric_mad *m)
{
	const unsigned int hops = ibw_smp_dr_status_hop_cnt(m->mad->dr_status);
	const struct track_spot *place = track_nodes_place(t->nodes, m->mad, hops);

	track_chronicle_node(&t->chronicle, track_mad_tid_agent(ibw_mad_tid(m->mad->mad)),
			     place ? place->guid : 0, m->at);
}

void track_fabric_smp(struct track_fabric *t, const struct fabric_mad *m)
{
	const struct track_spot *place;

	if (!ibw_mad_r(m->mad->mad) || m->mad->status || !m->mad->dr_status)
		return;
	track_nodes_mad(t->nodes, m->mad, m->at->frame);
	switch (m->mad->walked.attr->id) {
	case IBW_ATTR_SM_NODE_INFO:
		tell_sweep(t, m);
		learn_cable(t, m);
		break;
	case IBW_ATTR_SM_LFT:
		if ((place = track_nodes_place(t->nodes, m->mad, 0)))
			track_fabric_lft(t, m, place->guid);
		break;
	case IBW_ATTR_SM_MFT:
		if ((place = track_nodes_place(t->nodes, m->mad, 0)))
			track_fabric_mft(t, m, place->guid);
		break;
	case IBW_ATTR_SM_PORT_INFO:
		port_info(t, m);
		break;
	case IBW_ATTR_SM_PKEY_TABLE:
		pkey_table(t, m);
		break;
	default:
		break;
	}
}

/* The end */

/* Of the two ends of a link one is enough: the one that went down more often, else the one nearer to who asks. */
static bool is_other_end(struct track_fabric *t, const struct fabric_port_key *key,
			 const struct fabric_port *p)
{
	const struct fabric_cable *cable = track_table_get(t->cables, key), *back;
	const struct fabric_port *other = cable ? track_table_get(t->ports, &cable->to) : NULL;

	if (!other || other->downs != p->downs)
		return other && other->downs > p->downs;
	back = track_table_get(t->cables, &cable->to);
	if (back && back->entered == cable->entered)
		return memcmp(key, &cable->to, sizeof(*key)) > 0;
	return cable->entered;
}

static void tell_port(struct track_fabric *t, const struct fabric_port_key *key,
		      const struct fabric_port *p)
{
	const struct track_at at = { p->down_frame, p->frame_ns, 0 };
	struct track_event *e;

	if (!p->downs || is_other_end(t, key, p))
		return;
	e = track_event_add(t->events, TRACK_EVENT_PORT_DOWN, &at);
	if (!e)
		return;
	e->number[TRACK_PORT_DOWN_guid] = key->guid;
	e->number[TRACK_PORT_DOWN_port] = key->port;
	e->number[TRACK_PORT_DOWN_downs] = p->downs;
	e->number[TRACK_PORT_DOWN_ns] = p->last_ns - p->first_ns;
	e->number[TRACK_PORT_DOWN_flaps] = p->flaps;
	e->number[TRACK_PORT_DOWN_back] = p->back;
	e->number[TRACK_PORT_DOWN_state] = p->state;
	track_nodes_text(t->nodes, key->guid, (unsigned int)key->port,
			 track_event_about(t->events, e));
}

static void tell_lid(struct track_fabric *t, uint16_t lid, const struct fabric_lid *l)
{
	const struct fabric_port *a = track_table_get(t->ports, &l->port);
	const struct fabric_port *b = track_table_get(t->ports, &l->other);
	struct track_event *e;

	if (!l->twice.frame || !a || !b || a->lid != lid || b->lid != lid)
		return;
	e = track_event_add(t->events, TRACK_EVENT_LID_TWICE, &l->twice);
	if (!e)
		return;
	track_event_cause(e, l->at.frame);
	e->number[TRACK_LID_TWICE_lid] = lid;
	e->number[TRACK_LID_TWICE_guid] = l->port.guid;
	e->number[TRACK_LID_TWICE_port] = l->port.port;
	e->number[TRACK_LID_TWICE_other] = l->other.guid;
	e->number[TRACK_LID_TWICE_other_port] = l->other.port;
	e->number[TRACK_LID_TWICE_frame] = l->at.frame;
}

bool track_fabric_finish_links(struct track_fabric *t)
{
	for (; t->finished_ports < track_table_count(t->ports); t->finished_ports++) {
		const struct fabric_port *p = track_table_at(t->ports, t->finished_ports);

		if (!track_events_room(t->events))
			return false;
		tell_port(t, track_table_key(t->ports, p), p);
	}
	for (; t->finished_lids < track_table_count(t->lids); t->finished_lids++) {
		const struct fabric_lid *l = track_table_at(t->lids, t->finished_lids);

		if (!track_events_room(t->events))
			return false;
		tell_lid(t, *(const uint16_t *)track_table_key(t->lids, l), l);
	}
	return true;
}
