/* SPDX-License-Identifier: GPL-2.0-or-later */
/* names.c - the names of nodes in findings and tables, by LID, GUID, GID or directed route. */
#include <glib.h>

#include "fabric_impl.h"

/* Whether the last node that said the LID still has it, at the port that did. */
static bool is_held(struct track_fabric *t, const struct fabric_lid *l, uint16_t lid)
{
	const struct fabric_port_key *key = l->port.guid == l->last ? &l->port : &l->other;
	const struct fabric_port *p = track_table_get(t->ports, key);

	return p && p->lid == lid;
}

const char *track_fabric_lid_node(struct track_fabric *t, uint64_t lid, char *buf)
{
	const uint16_t key = (uint16_t)lid;
	const struct fabric_lid *l = track_table_get(t->lids, &key);

	*buf = '\0';
	return l && l->last && is_held(t, l, key) ? track_nodes_short(t->nodes, l->last, buf) : buf;
}

const char *track_fabric_only_lid_node(struct track_fabric *t, uint64_t lid, char *buf)
{
	const uint16_t key = (uint16_t)lid;
	const struct fabric_lid *l = track_table_get(t->lids, &key);

	*buf = '\0';
	return l && l->moved ? buf : track_fabric_lid_node(t, lid, buf);
}

/* A GUID says as much as a node without a description is called. */
const char *track_fabric_guid_node(struct track_fabric *t, uint64_t guid, char *buf)
{
	const struct track_node *n = track_nodes_get(t->nodes, guid);

	*buf = '\0';
	if (!n)
		n = track_nodes_get(t->nodes, track_nodes_of_port(t->nodes, guid));
	return n && track_node_has_name(n) ? track_nodes_short(t->nodes, n->guid, buf) : buf;
}

/* The subnet manager may give a port GIDs of other halves, too. */
const char *track_fabric_gid_node(struct track_fabric *t, const uint8_t *gid, char *buf)
{
	return track_fabric_guid_node(t, ibw_get_be64(gid + 8), buf);
}

static const char *spot_node(struct track_fabric *t, const struct track_spot *spot, char *buf)
{
	*buf = '\0';
	return spot && spot->guid ? track_nodes_short(t->nodes, spot->guid, buf) : buf;
}

const char *track_fabric_route_node(struct track_fabric *t, const struct track_mad *mad, char *buf)
{
	const struct track_spot *spot = NULL;
	unsigned int hops;

	*buf = '\0';
	if (!mad->dr_status || !mad->dr_path)
		return buf;
	hops = ibw_smp_dr_status_hop_cnt(mad->dr_status);
	if (ibw_mad_r(mad->mad))
		spot = track_nodes_place(t->nodes, mad, 0);
	else if (hops <= IBW_SMP_HOPS_MAX && !track_mad_by_lid(mad))
		spot = track_nodes_route(t->nodes, mad->dr_path->b + 1, hops,
					 track_mad_tid_agent(ibw_mad_tid(mad->mad)));
	return spot_node(t, spot, buf);
}

const char *track_fabric_asker_node(struct track_fabric *t, uint32_t agent, char *buf)
{
	return spot_node(t, track_nodes_only_route(t->nodes, NULL, 0, agent), buf);
}

static const char *object_node(struct track_fabric *t, const struct track_object *o, char *buf)
{
	switch (o->kind) {
	case TRACK_OBJECT_ROUTE:
		return spot_node(t,
				 o->by_lid || o->n > TRACK_OBJECT_HOPS
					 ? NULL
					 : track_nodes_only_route(t->nodes, o->b, o->n, o->agent),
				 buf);
	case TRACK_OBJECT_PATH_LID:
	case TRACK_OBJECT_LID:
		return track_fabric_only_lid_node(t, o->number, buf);
	case TRACK_OBJECT_PATH:
		return track_fabric_gid_node(t, o->b, buf);
	case TRACK_OBJECT_MEMBER:
		return track_fabric_gid_node(t, o->b + 16, buf);
	default:
		*buf = '\0';
		return buf;
	}
}

G_STATIC_ASSERT(TRACK_OBJECT_TEXT <= TRACK_ABOUT_TEXT);

const char *track_fabric_object_text(struct track_fabric *t, const struct track_object *o,
				     char *buf)
{
	char name[TRACK_NODE_TEXT] = "";

	if (!t)
		return track_object_text(o, name, NULL, buf);
	return track_object_text(
		o, object_node(t, o, name),
		o->kind == TRACK_OBJECT_PATH ? track_table_get(t->addresses, o->b) : NULL, buf);
}
