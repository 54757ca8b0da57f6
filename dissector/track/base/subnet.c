/* SPDX-License-Identifier: GPL-2.0-or-later */
/* subnet.c - lists what is known of a subnet. */
#include "subnet.h"

const char *const track_group_by_names[] = { "SA", "IGMP", "MLD" };

void track_subnet_open(struct track_subnet *s)
{
	*s = (struct track_subnet){
		.groups = g_array_new(FALSE, FALSE, sizeof(struct track_group)),
		.members = g_array_new(FALSE, FALSE, sizeof(struct track_member)),
		.neighbours = g_array_new(FALSE, FALSE, sizeof(struct track_neighbour)),
		.managers = g_array_new(FALSE, FALSE, sizeof(struct track_manager)),
		.links = g_array_new(FALSE, FALSE, sizeof(struct track_link)),
		.pausers = g_array_new(FALSE, FALSE, sizeof(struct track_pauser)),
		.ports = g_array_new(FALSE, FALSE, sizeof(struct track_port_use)),
		.nodes = g_array_new(FALSE, FALSE, sizeof(struct track_node_row)),
		.lids = g_array_new(FALSE, FALSE, sizeof(uint16_t)),
		.peers = g_array_new(FALSE, FALSE, sizeof(struct track_cabled)),
		.traps = g_array_new(FALSE, FALSE, sizeof(struct track_trap_row)),
		.counters = g_array_new(FALSE, FALSE, sizeof(struct track_counter_row)),
		.counted = g_array_new(FALSE, FALSE, sizeof(struct track_counter)),
		.partitions = g_array_new(FALSE, FALSE, sizeof(struct track_partition)),
		.partition_members =
			g_array_new(FALSE, FALSE, sizeof(struct track_partition_member)),
	};
}

void track_subnet_close(struct track_subnet *s)
{
	g_array_unref(s->groups);
	g_array_unref(s->members);
	g_array_unref(s->neighbours);
	g_array_unref(s->managers);
	g_array_unref(s->links);
	g_array_unref(s->pausers);
	g_array_unref(s->ports);
	g_array_unref(s->nodes);
	g_array_unref(s->lids);
	g_array_unref(s->peers);
	g_array_unref(s->traps);
	g_array_unref(s->counters);
	g_array_unref(s->counted);
	g_array_unref(s->partitions);
	g_array_unref(s->partition_members);
}

bool track_subnet_managed(const struct track_subnet *s)
{
	const struct track_sm *sm = &s->sm;

	return sm->requests || sm->link_traps || sm->nodes || sm->handovers || s->managers->len;
}

uint64_t track_subnet_master(const struct track_subnet *s)
{
	const struct track_manager *m, *master = NULL;
	unsigned int i;

	for (i = 0; i < s->managers->len; i++) {
		m = &g_array_index(s->managers, struct track_manager, i);
		if (m->state == IBW_SM_MASTER && (!master || m->last_frame > master->last_frame))
			master = m;
	}
	return master ? master->guid : 0;
}

const char *track_neighbour_state(const struct track_neighbour *n)
{
	if (!n->answered)
		return "no answer";
	if (n->back || n->rdma_rep)
		return "works";
	if (n->rdma_rej)
		return "REQ rejected";
	if (n->data)
		return "no data back";
	if (n->rdma_req)
		return "REQ not answered";
	if (n->req)
		return "no data after the REQ";
	if (n->path)
		return "no data";
	if (n->refused)
		return "path refused";
	return n->query ? "no path" : "no query";
}
