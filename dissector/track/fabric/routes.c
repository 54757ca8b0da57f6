/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * routes.c - finds LIDs for which a switch has no port, and LIDs that switches forward in a loop, at the end of the capture.
 *
 * A table counts for a LID only if it is newer than the LID. Every entry of every table is read, so switches, their ports and
 * their blocks are numbered first, and nothing is looked up by its key after that.
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

/* Blocks that unicast LIDs are in. */
#define BLOCKS (IBW_LID_MULTICAST_FIRST / FABRIC_LFT)

/* Events of a LID, at most. */
#define OF_LID 2

/* A port of a switch that is cabled to another one. */
struct route_port {
	struct route_switch *to; /* NULL: it is not */
	uint64_t frame;          /* that shows the cable */
};

/* A switch, and what is known of it for the LID at hand. */
struct route_switch {
	uint64_t guid;
	const struct fabric_lft *lft;  /* the block that the LID is in; NULL: not known */
	const struct route_port *port; /* from port 0 on */
	uint32_t n_ports;
	uint32_t lid, way; /* the LID and the way that it was passed on last */
};

struct route_block {
	const struct fabric_lft *lft;
	struct route_switch *at;
	uint32_t block;
};

struct routes {
	struct track_fabric *t;
	GArray *switches; /* struct route_switch */
	GArray *ports;    /* struct route_port */
	GArray *blocks;   /* struct route_block, by block and switch */
	uint32_t first[BLOCKS + 1];
	uint32_t block; /* at hand; BLOCKS: none */
};

static struct route_switch *switch_at(const struct routes *r, uint32_t i)
{
	return &g_array_index(r->switches, struct route_switch, i);
}

/* What is numbered */

static void number_switches(struct routes *r, struct track_table *numbers)
{
	const struct track_node *n;
	struct route_switch s;

	for (n = NULL; (n = track_nodes_next(r->t->nodes, n));) {
		if (n->type != IBW_NODE_SWITCH)
			continue;
		*(uint32_t *)track_table_need(numbers, &n->guid) = r->switches->len;
		s = (struct route_switch){ .guid = n->guid };
		g_array_append_val(r->switches, s);
	}
}

/* The switch that has the end @key of @cable, if the other end is at a switch, too, and says the same; NULL: none. */
static struct route_switch *switch_of(const struct routes *r, struct track_table *numbers,
				      const struct fabric_port_key *key,
				      const struct fabric_cable *cable, struct route_switch **to)
{
	const uint32_t *at = track_table_get(numbers, &key->guid);
	const uint32_t *other = at ? track_table_get(numbers, &cable->to.guid) : NULL;

	if (!other || !key->port || key->port >= NOWHERE ||
	    !track_fabric_cable_is_known(r->t, key, cable))
		return NULL;
	*to = switch_at(r, *other);
	return switch_at(r, *at);
}

/* An end of a cable between switches. */
struct route_end {
	struct route_port port;
	struct route_switch *at;
	uint32_t number; /* of the port */
};

static void number_ports(struct routes *r, struct track_table *numbers)
{
	GArray *ends = g_array_new(FALSE, FALSE, sizeof(struct route_end));
	const struct fabric_cable *c;
	struct route_port *ports;
	struct route_end end;
	uint32_t n = 0, i;

	for (c = NULL; (c = track_table_next(r->t->cables, c));) {
		const struct fabric_port_key *key = track_table_key(r->t->cables, c);

		end.port.frame = c->frame;
		end.at = switch_of(r, numbers, key, c, &end.port.to);
		end.number = (uint32_t)key->port;
		if (!end.at)
			continue;
		end.at->n_ports = MAX(end.at->n_ports, end.number + 1);
		g_array_append_val(ends, end);
	}
	for (i = 0; i < r->switches->len; i++)
		n += switch_at(r, i)->n_ports;
	g_array_set_size(r->ports, n);
	ports = (struct route_port *)(void *)r->ports->data;
	for (i = 0, n = 0; i < r->switches->len; i++) {
		switch_at(r, i)->port = ports + n;
		n += switch_at(r, i)->n_ports;
	}
	for (i = 0; i < ends->len; i++) {
		end = g_array_index(ends, struct route_end, i);
		ports[end.at->port - ports + end.number] = end.port;
	}
	g_array_unref(ends);
}

static int by_block(const void *a, const void *b)
{
	const struct route_block *x = a, *y = b;

	if (x->block != y->block)
		return x->block < y->block ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

static void number_blocks(struct routes *r, struct track_table *numbers)
{
	const struct fabric_lft *l;
	uint32_t i, block = 0;

	for (l = NULL; (l = track_table_next(r->t->lfts, l));) {
		const struct fabric_block_key *key = track_table_key(r->t->lfts, l);
		const uint32_t *at = track_table_get(numbers, &key->guid);
		struct route_block b;

		if (!at || key->block >= BLOCKS)
			continue;
		b = (struct route_block){ l, switch_at(r, *at), key->block };
		g_array_append_val(r->blocks, b);
	}
	g_array_sort(r->blocks, by_block);
	for (i = 0; i < r->blocks->len; i++)
		while (block <= g_array_index(r->blocks, struct route_block, i).block)
			r->first[block++] = i;
	while (block <= BLOCKS)
		r->first[block++] = i;
}

static void routes_open(struct routes *r, struct track_fabric *t)
{
	struct track_table *numbers =
		track_table_new(sizeof(uint64_t), sizeof(uint32_t), TRACK_NODES_MAX);

	r->t = t;
	r->block = BLOCKS;
	r->switches = g_array_new(FALSE, TRUE, sizeof(struct route_switch));
	r->ports = g_array_new(FALSE, TRUE, sizeof(struct route_port));
	r->blocks = g_array_new(FALSE, FALSE, sizeof(struct route_block));
	number_switches(r, numbers);
	number_ports(r, numbers);
	number_blocks(r, numbers);
	track_table_free(numbers);
}

static void routes_close(struct routes *r)
{
	g_array_unref(r->switches);
	g_array_unref(r->ports);
	g_array_unref(r->blocks);
}

/* The first of those that are of @block or later ones. */
static const struct route_block *first_of(const struct routes *r, uint32_t block)
{
	return (const struct route_block *)(const void *)r->blocks->data + r->first[block];
}

/* Each switch gets the block of its table that LIDs of @block are in. */
static void take_block(struct routes *r, uint32_t block)
{
	const struct route_block *b, *end;

	if (block == r->block)
		return;
	if (r->block < BLOCKS)
		for (b = first_of(r, r->block), end = first_of(r, r->block + 1); b < end; b++)
			b->at->lft = NULL;
	r->block = block;
	for (b = first_of(r, block), end = first_of(r, block + 1); b < end; b++)
		b->at->lft = b->lft;
}

/* Ways */

/* The next switch of the way from @s; NULL: it ends here, or is not known. */
static inline struct route_switch *next_switch(const struct route_switch *s, uint16_t lid,
					       uint64_t since)
{
	const struct fabric_lft *l = s->lft;
	const struct route_port *p;
	uint8_t port;

	if (!l || l->frame < since)
		return NULL;
	port = l->port[lid % FABRIC_LFT];
	if (port >= s->n_ports)
		return NULL;
	p = s->port + port;
	return p->to && p->frame <= l->frame ? p->to : NULL;
}

/* "spine 1 (GUID ...), leaf 2 (GUID ...)", up to two of them. */
static void tell_loop(struct routes *r, uint16_t lid, const struct route_switch *begin,
		      uint64_t since)
{
	const struct track_at at = { begin->lft->frame, begin->lft->time_ns, 0 };
	struct track_event *e = track_event_add(r->t->events, TRACK_EVENT_ROUTE_LOOP, &at);
	char text[TRACK_NODE_TEXT], about[TRACK_ABOUT_TEXT];
	struct ibw_out out = ibw_out_open(about, sizeof(about));
	const struct route_switch *s = begin;
	unsigned int n = 0;

	if (!e)
		return;
	do {
		if (n < 2) {
			ibw_out_str(&out, n ? ", " : "");
			ibw_out_str(&out, track_nodes_text(r->t->nodes, s->guid, 0, text));
		}
		n++;
		s = next_switch(s, lid, since);
		if (!s)
			break;
		if (s->lft && s->lft->frame != at.frame)
			track_event_cause(e, s->lft->frame);
	} while (s != begin && n < WAY_MAX);
	if (n > 2)
		ibw_out_str(&out, ", ...");
	ibw_out_close(&out);
	e->number[TRACK_ROUTE_LOOP_lid] = lid;
	e->number[TRACK_ROUTE_LOOP_switches] = n;
	g_strlcpy(track_event_about(r->t->events, e), about, TRACK_ABOUT_TEXT);
}

static void tell_nowhere(struct routes *r, uint16_t lid, const struct route_switch *s,
			 unsigned int switches)
{
	const struct track_at at = { s->lft->frame, s->lft->time_ns, 0 };
	struct track_event *e = track_event_add(r->t->events, TRACK_EVENT_NO_ROUTE, &at);

	if (!e)
		return;
	e->number[TRACK_NO_ROUTE_lid] = lid;
	e->number[TRACK_NO_ROUTE_guid] = s->guid;
	e->number[TRACK_NO_ROUTE_switches] = switches;
	track_nodes_text(r->t->nodes, s->guid, 0, track_event_about(r->t->events, e));
}

/* From @s on: a circle begins where the same way comes by again. NULL: there is none. */
static const struct route_switch *circle_from(struct route_switch *s, uint16_t lid, uint64_t since,
					      uint32_t way)
{
	unsigned int hops;

	for (hops = 0; s && hops < WAY_MAX; hops++) {
		if (s->lid == lid)
			return s->way == way ? s : NULL;
		s->lid = lid;
		s->way = way;
		s = next_switch(s, lid, since);
	}
	return NULL;
}

static void look(struct routes *r, uint16_t lid, const struct fabric_lid *l)
{
	const struct fabric_port *port = track_table_get(r->t->ports, &l->port);
	const struct route_switch *nowhere = NULL, *circle = NULL;
	const struct route_block *b, *end;
	unsigned int n = 0;
	uint32_t way = 0;

	if (!port || port->lid != lid || l->twice.frame ||
	    (l->port.port && port->state != IBW_PORT_ACTIVE))
		return;
	take_block(r, lid / FABRIC_LFT);
	for (b = first_of(r, r->block), end = first_of(r, r->block + 1); b < end; b++) {
		if (b->lft->frame < l->since)
			continue;
		if (b->lft->port[lid % FABRIC_LFT] == NOWHERE) {
			nowhere = nowhere ? nowhere : b->at;
			n++;
		} else if (!circle && b->at->lid != lid) { /* no way came by */
			circle = circle_from(b->at, lid, l->since, ++way);
		}
	}
	if (nowhere)
		tell_nowhere(r, lid, nowhere, n);
	if (circle)
		tell_loop(r, lid, circle, l->since);
}

bool track_fabric_finish_routes(struct track_fabric *t)
{
	struct routes r;

	if (!track_table_count(t->lfts) || t->finished_routes == track_table_count(t->lids))
		return true;
	routes_open(&r, t);
	for (; t->finished_routes < track_table_count(t->lids); t->finished_routes++) {
		const struct fabric_lid *l = track_table_at(t->lids, t->finished_routes);

		if (track_events_room(t->events) < OF_LID)
			break;
		look(&r, *(const uint16_t *)track_table_key(t->lids, l), l);
	}
	routes_close(&r);
	return t->finished_routes == track_table_count(t->lids);
}
