/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * forward.c - forwarding tables as they are at the end of the capture: LIDs that a switch has no way to, circles, ports of
 * groups that are down.
 *
 * A table counts for a LID if it is newer than that: before it could not know it.
 */
#include <string.h>

#include <glib.h>

#include <ibwire/ibwire.h>
#include <ibwire/out.h>

#include "fabric_impl.h"

/* No port: what goes there is dropped. IBTA vol 1, 14.2.5.10 */
#define NOWHERE 255

/* Switches on a way: a directed route is not longer. */
#define WAY_MAX IBW_SMP_HOPS_MAX

#define MFT_BLOCK 0x1ff
#define MFT_POSITION 28
#define PORTS_OF_POSITION 16

/* Events of a LID, at most. */
#define OF_LID 2

void track_fabric_lft(struct track_fabric *t, const struct fabric_mad *m, uint64_t guid)
{
	const struct ibw_lft_wire *wire = TRACK_MAD_LAYER(m->mad, lft);
	const struct fabric_block_key key = { guid, ibw_mad_attr_mod(m->mad->mad), 0 };
	struct fabric_lft *l;

	if (!wire)
		return;
	l = track_table_need(t->lfts, &key);
	l->frame = m->at->frame;
	l->time_ns = m->at->time_ns;
	memcpy(l->port, wire->b, sizeof(l->port));
}

void track_fabric_mft(struct track_fabric *t, const struct fabric_mad *m, uint64_t guid)
{
	const struct ibw_mft_wire *wire = TRACK_MAD_LAYER(m->mad, mft);
	const uint32_t mod = ibw_mad_attr_mod(m->mad->mad);
	const struct fabric_block_key key = { guid, mod & MFT_BLOCK, mod >> MFT_POSITION };
	struct fabric_mft *f;
	unsigned int i;

	if (!wire)
		return;
	f = track_table_need(t->mfts, &key);
	f->frame = m->at->frame;
	f->time_ns = m->at->time_ns;
	for (i = 0; i < FABRIC_MFT; i++)
		f->ports[i] = ibw_mft_ports(wire, i);
}

/* Ways */

static const struct fabric_lft *block_of(const struct track_fabric *t, uint64_t guid, uint16_t lid)
{
	const struct fabric_block_key key = { guid, lid / FABRIC_LFT, 0 };

	return track_table_get(t->lfts, &key);
}

/* The next switch of the way from @guid; false: it ends here, or is not known. */
static bool next_switch(const struct track_fabric *t, uint64_t *guid, uint16_t lid, uint64_t since,
			const struct fabric_lft **block)
{
	const struct fabric_lft *l = block_of(t, *guid, lid);
	const struct fabric_cable *cable;
	struct fabric_port_key key;
	const struct track_node *n;

	if (!l || l->frame < since)
		return false;
	key = (struct fabric_port_key){ *guid, l->port[lid % FABRIC_LFT] };
	cable = key.port && key.port != NOWHERE ? track_fabric_cable(t, &key) : NULL;
	n = cable ? track_nodes_get(t->nodes, cable->to.guid) : NULL;
	if (!n || n->type != IBW_NODE_SWITCH || cable->frame > l->frame)
		return false;
	*block = l;
	*guid = n->guid;
	return true;
}

/* "0x0005: spine 1 (GUID ...), leaf 2 (GUID ...)", up to three of them. */
static void tell_loop(struct track_fabric *t, uint16_t lid, uint64_t guid, uint64_t since)
{
	char text[TRACK_NODE_TEXT], about[TRACK_ABOUT_TEXT];
	struct ibw_out out = ibw_out_open(about, sizeof(about));
	const struct fabric_lft *block = block_of(t, guid, lid);
	const struct track_at at = { block->frame, block->time_ns, 0 };
	struct track_event *e = track_event_add(t->events, TRACK_EVENT_ROUTE_LOOP, &at);
	const uint64_t begin = guid;
	unsigned int n = 0;

	if (!e)
		return;
	do {
		if (n < 2)
			ibw_out_str(&out, n ? ", " : "");
		if (n < 2)
			ibw_out_str(&out, track_nodes_text(t->nodes, guid, 0, text));
		n++;
		if (!next_switch(t, &guid, lid, since, &block))
			break;
		if (block->frame != at.frame)
			track_event_cause(e, block->frame);
	} while (guid != begin && n < WAY_MAX);
	if (n > 2)
		ibw_out_str(&out, ", ...");
	ibw_out_close(&out);
	e->number[TRACK_ROUTE_LOOP_lid] = lid;
	e->number[TRACK_ROUTE_LOOP_switches] = n;
	g_strlcpy(track_event_about(t->events, e), about, TRACK_ABOUT_TEXT);
}

static void tell_nowhere(struct track_fabric *t, uint16_t lid, uint64_t guid, unsigned int switches)
{
	const struct fabric_lft *block = block_of(t, guid, lid);
	const struct track_at at = { block->frame, block->time_ns, 0 };
	struct track_event *e = track_event_add(t->events, TRACK_EVENT_NO_ROUTE, &at);

	if (!e)
		return;
	e->number[TRACK_NO_ROUTE_lid] = lid;
	e->number[TRACK_NO_ROUTE_guid] = guid;
	e->number[TRACK_NO_ROUTE_switches] = switches;
	track_nodes_text(t->nodes, guid, 0, track_event_about(t->events, e));
}

/* Where each switch was passed on the way to the LID at hand. */
struct passed {
	uint64_t guid;
	uint32_t lid, way;
};

/* From @guid on: a circle begins where the same way comes by again. 0: there is none. */
static uint64_t circle_from(const struct track_fabric *t, struct track_table *passed, uint64_t guid,
			    uint16_t lid, uint64_t since, uint32_t way)
{
	const struct fabric_lft *block;
	struct passed *p;
	unsigned int hops;

	for (hops = 0; hops < WAY_MAX; hops++) {
		p = track_table_need(passed, &guid);
		if (p->lid == lid)
			return p->way == way ? guid : 0;
		p->lid = lid;
		p->way = way;
		if (!next_switch(t, &guid, lid, since, &block))
			return 0;
	}
	return 0;
}

static void look_routes(struct track_fabric *t, struct track_table *passed, GArray *switches,
			uint16_t lid, const struct fabric_lid *l)
{
	const struct fabric_port *port = track_table_get(t->ports, &l->port);
	uint64_t nowhere = 0, circle = 0, guid;
	const struct fabric_lft *block;
	unsigned int i, n = 0;

	if (!port || port->lid != lid || l->twice.frame ||
	    (l->port.port && port->state != IBW_PORT_ACTIVE))
		return;
	for (i = 0; i < switches->len; i++) {
		guid = g_array_index(switches, uint64_t, i);
		block = block_of(t, guid, lid);
		if (!block || block->frame < l->since)
			continue;
		if (block->port[lid % FABRIC_LFT] == NOWHERE) {
			nowhere = nowhere ? nowhere : guid;
			n++;
		} else if (!circle) {
			circle = circle_from(t, passed, guid, lid, l->since, i + 1);
		}
	}
	if (nowhere)
		tell_nowhere(t, lid, nowhere, n);
	if (circle)
		tell_loop(t, lid, circle, l->since);
}

static GArray *all_switches(const struct track_fabric *t)
{
	GArray *switches = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	const struct track_node *n;

	for (n = NULL; (n = track_nodes_next(t->nodes, n));)
		if (n->type == IBW_NODE_SWITCH)
			g_array_append_val(switches, n->guid);
	return switches;
}

static bool finish_lfts(struct track_fabric *t)
{
	struct track_table *passed;
	GArray *switches;

	if (!track_table_count(t->lfts) || t->finished_routes == track_table_count(t->lids))
		return true;
	switches = all_switches(t);
	passed = track_table_new(sizeof(uint64_t), sizeof(struct passed), TRACK_NODES_MAX);
	for (; t->finished_routes < track_table_count(t->lids); t->finished_routes++) {
		const struct fabric_lid *l = track_table_at(t->lids, t->finished_routes);

		if (track_events_room(t->events) < OF_LID)
			break;
		look_routes(t, passed, switches, *(const uint16_t *)track_table_key(t->lids, l), l);
	}
	track_table_free(passed);
	g_array_unref(switches);
	return t->finished_routes == track_table_count(t->lids);
}

/* Groups */

/* The ports of a block, each with its first MLID. */
static void look_ports(struct track_fabric *t, const struct fabric_block_key *key,
		       const struct fabric_mft *f)
{
	const struct track_at at = { f->frame, f->time_ns, 0 };
	unsigned int bit, i;

	for (bit = 0; bit < PORTS_OF_POSITION; bit++) {
		const struct fabric_port_key of = { key->guid,
						    key->position * PORTS_OF_POSITION + bit };
		const struct fabric_port *p = of.port ? track_table_get(t->ports, &of) : NULL;
		struct track_event *e;

		if (!p || p->state != IBW_PORT_DOWN)
			continue;
		for (i = 0; i < FABRIC_MFT && !(f->ports[i] >> bit & 1); i++)
			;
		if (i == FABRIC_MFT)
			continue;
		e = track_event_add(t->events, TRACK_EVENT_GROUP_PORT_DOWN, &at);
		if (!e)
			return;
		track_event_cause(e, p->frame);
		e->number[TRACK_GROUP_PORT_DOWN_guid] = of.guid;
		e->number[TRACK_GROUP_PORT_DOWN_port] = of.port;
		e->number[TRACK_GROUP_PORT_DOWN_mlid] =
			IBW_LID_MULTICAST_FIRST + key->block * FABRIC_MFT + i;
		e->number[TRACK_GROUP_PORT_DOWN_frame] = p->frame;
		track_nodes_text(t->nodes, of.guid, (unsigned int)of.port,
				 track_event_about(t->events, e));
	}
}

bool track_fabric_finish_routes(struct track_fabric *t)
{
	if (!finish_lfts(t))
		return false;
	for (; t->finished_mfts < track_table_count(t->mfts); t->finished_mfts++) {
		const struct fabric_mft *f = track_table_at(t->mfts, t->finished_mfts);

		if (track_events_room(t->events) < PORTS_OF_POSITION)
			return false;
		look_ports(t, track_table_key(t->mfts, f), f);
	}
	return true;
}
