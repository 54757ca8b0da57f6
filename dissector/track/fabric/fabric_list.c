/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fabric_list.c - lists of what is known of a fabric: nodes, links, traps, counters, partitions. */
#include <string.h>

#include "fabric_impl.h"
#include "track/base/subnet.h"

static const struct track_node *node_of_lid(const struct track_fabric *t, uint16_t lid)
{
	const struct fabric_lid *l = lid ? track_table_get(t->lids, &lid) : NULL;

	return l ? track_nodes_get(t->nodes, l->last) : NULL;
}

static int by_number(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* Cables */

/* @cable: at @key, and known; NULL: none is. */
static bool peer_of(const struct track_fabric *t, const struct fabric_port_key *key,
		    const struct fabric_cable *cable, struct track_cabled *peer)
{
	if (!cable)
		return false;
	*peer = (struct track_cabled){
		.guid = key->guid,
		.port = (uint32_t)key->port,
		.peer_guid = cable->to.guid,
		.peer_port = (uint32_t)cable->to.port,
		.node = track_nodes_get(t->nodes, cable->to.guid),
	};
	return peer->node;
}

/* Nodes */

/* A port of a node and its LID, to be sorted. */
struct port_lid {
	uint64_t guid, port;
	uint16_t lid;
};

static int lid_by_port(const void *a, const void *b)
{
	const struct port_lid *x = a, *y = b;

	return x->guid != y->guid ? by_number(x->guid, y->guid) : by_number(x->port, y->port);
}

static int peer_by_port(const void *a, const void *b)
{
	const struct track_cabled *x = a, *y = b;

	return x->guid != y->guid ? by_number(x->guid, y->guid) : by_number(x->port, y->port);
}

static int node_by_guid(const void *a, const void *b)
{
	return by_number(((const struct track_node_row *)a)->guid,
			 ((const struct track_node_row *)b)->guid);
}

static GArray *all_lids(const struct track_fabric *t)
{
	GArray *all = g_array_new(FALSE, FALSE, sizeof(struct port_lid));
	const struct fabric_port *p;

	for (p = NULL; (p = track_table_next(t->ports, p));) {
		const struct fabric_port_key *key = track_table_key(t->ports, p);
		const struct port_lid lid = { key->guid, key->port, p->lid };

		if (p->lid)
			g_array_append_val(all, lid);
	}
	g_array_sort(all, lid_by_port);
	return all;
}

static void list_peers(const struct track_fabric *t, struct track_subnet *s)
{
	const struct fabric_cable *c;
	struct track_cabled peer;

	for (c = NULL; (c = track_table_next(t->cables, c));) {
		const struct fabric_port_key *key = track_table_key(t->cables, c);

		if (track_fabric_cable_is_known(t, key, c) && peer_of(t, key, c, &peer))
			g_array_append_val(s->peers, peer);
	}
	g_array_sort(s->peers, peer_by_port);
}

/* What belongs to each node is in a row, in the order of the nodes. */
static void list_nodes(const struct track_fabric *t, struct track_subnet *s)
{
	GArray *lids = all_lids(t);
	const struct port_lid *lid;
	struct track_node_row *row;
	const struct track_node *n;
	unsigned int i, l = 0, p = 0;

	list_peers(t, s);
	for (n = NULL; (n = track_nodes_next(t->nodes, n));) {
		const struct track_node_row one = { .node = n, .guid = n->guid };

		g_array_append_val(s->nodes, one);
	}
	g_array_sort(s->nodes, node_by_guid);
	for (i = 0; i < s->nodes->len; i++) {
		row = &g_array_index(s->nodes, struct track_node_row, i);
		row->first_lid = s->lids->len;
		for (; l < lids->len; l++) {
			lid = &g_array_index(lids, struct port_lid, l);
			if (lid->guid > row->guid)
				break;
			if (lid->guid == row->guid)
				g_array_append_val(s->lids, lid->lid);
		}
		row->n_lids = s->lids->len - row->first_lid;
		while (p < s->peers->len &&
		       g_array_index(s->peers, struct track_cabled, p).guid < row->guid)
			p++;
		row->first_peer = p;
		while (p < s->peers->len &&
		       g_array_index(s->peers, struct track_cabled, p).guid == row->guid)
			p++;
		row->n_peers = p - row->first_peer;
	}
	g_array_unref(lids);
}

/* Links */

/* What changed most comes first. */
static int link_by_changes(const void *a, const void *b)
{
	const struct track_link *x = a, *y = b;

	if (x->changes != y->changes)
		return x->changes > y->changes ? -1 : 1;
	return x->guid != y->guid ? by_number(x->guid, y->guid) : by_number(x->port, y->port);
}

/* A port that is down, always was, and of which no cable is known, has no link. */
static void add_link(const struct track_fabric *t, struct track_subnet *s,
		     const struct fabric_port_key *key, const struct fabric_port *p)
{
	struct track_link link = { .guid = key->guid,
				   .port = (uint8_t)key->port,
				   .node = track_nodes_get(t->nodes, key->guid) };
	bool cabled = peer_of(t, key, track_fabric_cable(t, key), &link.peer);

	if (p) {
		link.frame = p->changed;
		link.changes = p->changes;
		link.before = p->before;
		link.state = p->said;
		link.width = p->said >= IBW_PORT_INIT ? p->width.active : 0;
		link.speed = p->said >= IBW_PORT_INIT ? p->speed.active : 0;
	}
	s->sm.changed += link.changes > 0;
	if (link.changes || (key->port && (cabled || link.state >= IBW_PORT_INIT)))
		g_array_append_val(s->links, link);
}

static void list_links(const struct track_fabric *t, struct track_subnet *s)
{
	const struct fabric_cable *c;
	const struct fabric_port *p;

	for (p = NULL; (p = track_table_next(t->ports, p));)
		add_link(t, s, track_table_key(t->ports, p), p);
	for (c = NULL; (c = track_table_next(t->cables, c));) {
		const struct fabric_port_key *key = track_table_key(t->cables, c);

		if (!track_table_get(t->ports, key) && track_fabric_cable_is_known(t, key, c))
			add_link(t, s, key, NULL);
	}
	g_array_sort(s->links, link_by_changes);
}

/* Traps */

static int trap_by_frame(const void *a, const void *b)
{
	return by_number(((const struct track_trap_row *)a)->first_frame,
			 ((const struct track_trap_row *)b)->first_frame);
}

static void read_details(struct track_trap_row *row, const uint8_t *details)
{
	const struct ibw_notice_trap_129_wire *port = (const void *)details;
	const struct ibw_notice_trap_256_wire *mkey = (const void *)details;
	const struct ibw_notice_trap_257_wire *key = (const void *)details;
	const struct ibw_notice_trap_259_wire *of_switch = (const void *)details;

	switch (row->trap_num) {
	case 129:
	case 130:
	case 131:
		row->lid = ibw_notice_trap_129_lid(port);
		row->port = ibw_notice_trap_129_port(port);
		break;
	case 256:
		row->lid = ibw_notice_trap_256_lid(mkey);
		break;
	case 257:
	case 258:
		row->lid = ibw_notice_trap_257_lid1(key);
		row->to_lid = ibw_notice_trap_257_lid2(key);
		row->key = ibw_notice_trap_257_key(key);
		row->qpn = ibw_notice_trap_257_qp1(key);
		row->to_qpn = ibw_notice_trap_257_qp2(key);
		break;
	case 259:
		row->lid = ibw_notice_trap_259_lid1(of_switch);
		row->to_lid = ibw_notice_trap_259_lid2(of_switch);
		row->key = ibw_notice_trap_259_pkey(of_switch);
		row->qpn = ibw_notice_trap_259_qp1(of_switch);
		row->to_qpn = ibw_notice_trap_259_qp2(of_switch);
		break;
	default:
		row->lid = row->issuer_lid;
		break;
	}
}

static void list_traps(const struct track_fabric *t, struct track_subnet *s)
{
	const struct fabric_trap *trap;

	for (trap = NULL; (trap = track_table_next(t->traps, trap));) {
		const struct fabric_trap_key *key = track_table_key(t->traps, trap);
		struct track_trap_row row = {
			.first_frame = trap->at.frame,
			.last_frame = trap->last_frame,
			.ns = trap->last_ns > trap->at.time_ns ? trap->last_ns - trap->at.time_ns
							       : 0,
			.count = trap->count,
			.longest = trap->longest,
			.trap_num = key->trap_num,
			.issuer_lid = key->issuer,
			.issuer = node_of_lid(t, key->issuer),
		};

		read_details(&row, key->details);
		row.node = node_of_lid(t, row.lid);
		g_array_append_val(s->traps, row);
	}
	g_array_sort(s->traps, trap_by_frame);
}

/* Counters */

static int counters_by_port(const void *a, const void *b)
{
	const struct track_counter_row *x = a, *y = b;

	return x->lid != y->lid ? by_number(x->lid, y->lid) : by_number(x->port, y->port);
}

/* Counters of data count 4 bytes each. IBTA vol 1, 16.1.3.5 */
#define DATA_BYTES 4

static void add_counters(const struct track_fabric *t, struct track_subnet *s,
			 const struct fabric_counters_key *key, const struct fabric_counters *c)
{
	const uint64_t *data = c->grown + FABRIC_COUNTERS;
	struct track_counter_row row = {
		.node = node_of_lid(t, key->lid),
		.first_frame = c->first_frame,
		.last_frame = c->frame,
		.ns = c->last_ns > c->first_ns ? c->last_ns - c->first_ns : 0,
		.bytes_out = data[0] * DATA_BYTES,
		.bytes_in = data[1] * DATA_BYTES,
		.packets_out = data[2],
		.packets_in = data[3],
		.wait = data[4],
		.readings = c->readings,
		.resets = c->resets,
		.first_counter = s->counted->len,
		.lid = key->lid,
		.port = key->port,
	};
	struct track_counter one;
	unsigned int i;

	for (i = 0; i < FABRIC_COUNTERS; i++) {
		one = (struct track_counter){ fabric_counter_name(i), c->grown[i], c->value[i] };
		if (one.value || one.grown)
			g_array_append_val(s->counted, one);
	}
	row.n_counters = s->counted->len - row.first_counter;
	g_array_append_val(s->counters, row);
}

static void list_counters(const struct track_fabric *t, struct track_subnet *s)
{
	const struct fabric_counters *c;

	for (c = NULL; (c = track_table_next(t->counters, c));)
		if (c->readings)
			add_counters(t, s, track_table_key(t->counters, c), c);
	g_array_sort(s->counters, counters_by_port);
}

/* Partitions */

static int member_by_partition(const void *a, const void *b)
{
	const struct track_partition_member *x = a, *y = b;
	unsigned int p = x->pkey | IBW_PKEY_FULL, q = y->pkey | IBW_PKEY_FULL;

	if (p != q)
		return by_number(p, q);
	if (x->port_guid != y->port_guid)
		return by_number(x->port_guid, y->port_guid);
	return by_number(y->pkey, x->pkey);
}

static void list_members(const struct track_fabric *t, struct track_subnet *s)
{
	const struct fabric_pkeys *k;
	unsigned int i;

	for (k = NULL; (k = track_table_next(t->pkeys, k));) {
		const struct fabric_pkeys_key *key = track_table_key(t->pkeys, k);
		struct track_partition_member m = { .port_guid = key->port_guid,
						    .guid = k->guid,
						    .frame = k->frame,
						    .node = track_nodes_get(t->nodes, k->guid) };

		for (i = 0; i < FABRIC_PKEYS; i++) {
			m.pkey = k->pkey[i];
			if (m.pkey & (uint16_t)~IBW_PKEY_FULL)
				g_array_append_val(s->partition_members, m);
		}
	}
	g_array_sort(s->partition_members, member_by_partition);
}

static void list_partitions(const struct track_fabric *t, struct track_subnet *s)
{
	struct track_partition *p = NULL;
	unsigned int i;

	list_members(t, s);
	for (i = 0; i < s->partition_members->len; i++) {
		const struct track_partition_member *m =
			&g_array_index(s->partition_members, struct track_partition_member, i);

		if (!p || p->pkey != (m->pkey | IBW_PKEY_FULL)) {
			const struct track_partition one = { .first_member = i,
							     .pkey = m->pkey | IBW_PKEY_FULL };

			g_array_append_val(s->partitions, one);
			p = &g_array_index(s->partitions, struct track_partition,
					   s->partitions->len - 1);
		}
		p->n_members++;
		p->full += m->pkey >= IBW_PKEY_FULL;
	}
}

static void list_managers(const struct track_fabric *t, struct track_subnet *s)
{
	const struct fabric_manager *known;
	struct track_manager *m;
	unsigned int i;

	for (i = 0; i < s->managers->len; i++) {
		m = &g_array_index(s->managers, struct track_manager, i);
		known = track_table_get(t->managers, &m->guid);
		m->lid = known ? known->lid : 0;
	}
}

void track_fabric_list(struct track_fabric *t, struct track_subnet *s)
{
	s->sm.ports = track_table_count(t->ports);
	list_managers(t, s);
	list_nodes(t, s);
	list_links(t, s);
	list_traps(t, s);
	list_counters(t, s);
	list_partitions(t, s);
}
