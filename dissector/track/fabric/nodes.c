/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nodes.c - nodes by the routes to them. */
#include <string.h>

#include <glib.h>

#include <ibwire/ibwire.h>
#include <ibwire/out.h>

#include "nodes.h"
#include "track/base/fnv.h"
#include "track/base/table.h"

/* Bytes of a description in a sentence. */
#define DESC_SHOWN 40

_Static_assert(TRACK_DESC_TEXT + sizeof(" (GUID 0x0002c90100000010, LID 0x0009) port 255") <=
		       TRACK_NODE_TEXT,
	       "what follows a description fits");

/* DrSLID and DrDLID */
#define BOTH_LIDS 4

/* Of what everybody hears by a route. */
#define ANYBODY UINT32_MAX

/* Of a route whose way back is not known, as of a request. */
#define ONE_WAY (~TRACK_FNV_BEGIN)

/* No holes: compared as bytes. */
struct place_key {
	uint64_t way;
	uint32_t agent;
	uint32_t zero;
};

struct track_nodes {
	struct track_table *nodes;  /* GUID -> struct track_node */
	struct track_table *places; /* struct place_key -> struct track_spot */
	struct track_table *ports;  /* port GUID -> GUID of its node */
};

struct track_nodes *track_nodes_new(void)
{
	struct track_nodes *t = g_new0(struct track_nodes, 1);

	t->nodes = track_table_new(sizeof(uint64_t), sizeof(struct track_node), TRACK_NODES_MAX);
	t->places = track_table_new(sizeof(struct place_key), sizeof(struct track_spot),
				    TRACK_PLACES_MAX);
	t->ports = track_table_new(sizeof(uint64_t), sizeof(uint64_t), TRACK_NODES_MAX);
	return t;
}

void track_nodes_free(struct track_nodes *t)
{
	if (!t)
		return;
	track_table_free(t->nodes);
	track_table_free(t->places);
	track_table_free(t->ports);
	g_free(t);
}

uint64_t track_nodes_evicted(const struct track_nodes *t)
{
	return track_table_evicted(t->nodes) + track_table_evicted(t->places) +
	       track_table_evicted(t->ports);
}

const void *track_mad_layer(const struct track_mad *mad, enum ibw_layer layer, uint32_t bytes)
{
	unsigned int i;

	for (i = 0; i < mad->walked.n_spans; i++)
		if (mad->span[i].layer == layer && mad->span[i].len >= bytes &&
		    mad->span[i].off + bytes <= mad->n)
			return mad->p + mad->span[i].off;
	return NULL;
}

/*
 * Of @mad without its last @back hops; false: it is by no route, or by a shorter one. Who makes two ways alike on purpose has them
 * taken for one.
 */
static bool key_of(struct place_key *key, const struct track_mad *mad, unsigned int back)
{
	unsigned int hops;

	memset(key, 0, sizeof(*key));
	if (!mad->dr_status || !mad->dr_path)
		return false;
	hops = ibw_smp_dr_status_hop_cnt(mad->dr_status);
	if (hops > IBW_SMP_HOPS_MAX || back > hops)
		return false;
	hops -= back;
	key->way = track_fnv(TRACK_FNV_BEGIN + hops, mad->dr_path->b + 1, hops);
	key->way =
		track_fnv(key->way, mad->dr_path->b + ibw_smp_dr_path_return_path_AT / 8 + 1, hops);
	if (track_mad_by_lid(mad))
		key->way = track_fnv(key->way, mad->dr->b + ibw_smp_dr_dr_slid_AT / 8, BOTH_LIDS);
	key->agent = track_mad_tid_agent(ibw_mad_tid(mad->mad));
	return true;
}

static struct place_key one_way(const uint8_t *ports, unsigned int hops, uint32_t agent)
{
	return (struct place_key){ .way = track_fnv(ONE_WAY + hops, ports, hops), .agent = agent };
}

static void learn_port(struct track_nodes *t, const struct ibw_node_info_wire *wire)
{
	const uint64_t port = ibw_node_info_port_guid(wire);

	*(uint64_t *)track_table_need(t->ports, &port) = ibw_node_info_node_guid(wire);
}

/* By @agent: another one who hears of another node makes it doubtful. Whether it is not the port that was there before. */
static bool learn(struct track_nodes *t, const struct place_key *key, uint32_t agent,
		  const struct ibw_node_info_wire *wire, uint64_t frame)
{
	struct track_spot *p = track_table_need(t->places, key);
	bool other = !p->frame || p->guid != ibw_node_info_node_guid(wire) ||
		     p->port_guid != ibw_node_info_port_guid(wire);

	if (p->frame && p->guid != ibw_node_info_node_guid(wire) && p->agent != agent)
		p->doubtful = 1;
	if (p->frame && p->guid != ibw_node_info_node_guid(wire))
		p->moved = 1;
	p->agent = agent;
	p->guid = ibw_node_info_node_guid(wire);
	p->port_guid = ibw_node_info_port_guid(wire);
	p->port = ibw_node_info_local_port(wire);
	p->frame = frame;
	return other;
}

static void node_info(struct track_nodes *t, const struct track_mad *mad, uint64_t frame)
{
	const struct ibw_node_info_wire *wire = TRACK_MAD_LAYER(mad, node_info);
	struct place_key key, any;
	struct track_node *n;
	uint64_t guid;

	if (!wire || !key_of(&key, mad, 0))
		return;
	guid = ibw_node_info_node_guid(wire);
	n = track_table_need(t->nodes, &guid);
	n->guid = guid;
	n->frame = frame;
	n->type = ibw_node_info_node_type(wire);
	n->ports = ibw_node_info_num_ports(wire);
	n->pkeys = ibw_node_info_partition_cap(wire);
	any = (struct place_key){ .way = key.way, .agent = ANYBODY };
	if (learn(t, &key, key.agent, wire, frame))
		learn_port(t, wire);
	learn(t, &any, key.agent, wire, frame);
	if (track_mad_by_lid(mad))
		return;
	any = one_way(mad->dr_path->b + 1, ibw_smp_dr_status_hop_cnt(mad->dr_status), key.agent);
	learn(t, &any, key.agent, wire, frame);
}

static void node_desc(struct track_nodes *t, const struct track_mad *mad)
{
	const struct ibw_node_desc_wire *wire = TRACK_MAD_LAYER(mad, node_desc);
	const struct track_spot *p = wire ? track_nodes_place(t, mad, 0) : NULL;
	struct track_node *n = p ? track_nodes_get(t, p->guid) : NULL;

	if (n)
		memcpy(n->desc, ibw_node_desc_text(wire), sizeof(n->desc));
}

void track_nodes_mad(struct track_nodes *t, const struct track_mad *mad, uint64_t frame)
{
	if (!ibw_mad_r(mad->mad) || mad->status || !mad->walked.attr)
		return;
	if (mad->walked.attr->id == IBW_ATTR_SM_NODE_INFO)
		node_info(t, mad, frame);
	else if (mad->walked.attr->id == IBW_ATTR_SM_NODE_DESC)
		node_desc(t, mad);
}

const struct track_spot *track_nodes_place(struct track_nodes *t, const struct track_mad *mad,
					   unsigned int back)
{
	const struct track_spot *p;
	struct place_key key;

	if (!key_of(&key, mad, back))
		return NULL;
	p = track_table_get(t->places, &key);
	if (p)
		return p;
	key.agent = ANYBODY;
	p = track_table_get(t->places, &key);
	return p && !p->doubtful ? p : NULL;
}

const struct track_spot *track_nodes_route(struct track_nodes *t, const uint8_t *ports,
					   unsigned int hops, uint32_t agent)
{
	const struct place_key key = one_way(ports, hops, agent);

	return track_table_get(t->places, &key);
}

const struct track_spot *track_nodes_only_route(struct track_nodes *t, const uint8_t *ports,
						unsigned int hops, uint32_t agent)
{
	const struct track_spot *from = track_nodes_route(t, ports, 0, agent);
	const struct track_spot *to =
		from && from->moved ? NULL : track_nodes_route(t, ports, hops, agent);

	return to && !to->moved ? to : NULL;
}

struct track_node *track_nodes_get(struct track_nodes *t, uint64_t guid)
{
	return track_table_get(t->nodes, &guid);
}

uint64_t track_nodes_of_port(struct track_nodes *t, uint64_t port_guid)
{
	const uint64_t *guid = track_table_get(t->ports, &port_guid);

	return guid ? *guid : 0;
}

const struct track_node *track_nodes_next(const struct track_nodes *t, const struct track_node *n)
{
	return track_table_next(t->nodes, n);
}

/* What is before the first NUL, and not blank; @most bytes of it. */
static size_t desc_bytes(const struct track_node *n, size_t most)
{
	const uint8_t *end = memchr(n->desc, 0, sizeof(n->desc));
	size_t bytes = end ? (size_t)(end - n->desc) : sizeof(n->desc);

	while (bytes && n->desc[bytes - 1] == ' ')
		bytes--;
	return MIN(bytes, most);
}

/* Of a sentence: whole bytes, as ibw_out_escaped() writes them. */
static size_t desc_shown(const struct track_node *n)
{
	const size_t bytes = desc_bytes(n, DESC_SHOWN);
	size_t i, width = 0;

	for (i = 0; i < bytes; i++) {
		width += ibw_out_escaped_len(n->desc[i]);
		if (width > TRACK_DESC_TEXT)
			break;
	}
	return i;
}

bool track_node_has_name(const struct track_node *n)
{
	return desc_bytes(n, 1) > 0;
}

const char *track_node_name(const struct track_node *n, char buf[TRACK_NODE_NAME])
{
	struct ibw_out out = ibw_out_open(buf, TRACK_NODE_NAME);

	ibw_out_escaped(&out, n->desc, desc_bytes(n, sizeof(n->desc)));
	ibw_out_close(&out);
	return buf;
}

const char *track_nodes_short(struct track_nodes *t, uint64_t guid, char buf[TRACK_NODE_TEXT])
{
	struct ibw_out out = ibw_out_open(buf, TRACK_NODE_TEXT);
	const struct track_node *n = track_nodes_get(t, guid);
	size_t bytes = n ? desc_shown(n) : 0;

	if (bytes) {
		ibw_out_escaped(&out, n->desc, bytes);
	} else {
		ibw_out_str(&out, "GUID ");
		ibw_out_hex(&out, guid, 16);
	}
	ibw_out_close(&out);
	return buf;
}

const char *track_nodes_text(struct track_nodes *t, uint64_t guid, unsigned int port,
			     char buf[TRACK_NODE_TEXT])
{
	struct ibw_out out = ibw_out_open(buf, TRACK_NODE_TEXT);
	const struct track_node *n = track_nodes_get(t, guid);
	size_t bytes = n ? desc_shown(n) : 0;

	if (bytes) {
		ibw_out_escaped(&out, n->desc, bytes);
		ibw_out_str(&out, " (");
	}
	ibw_out_str(&out, "GUID ");
	ibw_out_hex(&out, guid, 16);
	if (n && n->lid) {
		ibw_out_str(&out, ", LID ");
		ibw_out_hex(&out, n->lid, 4);
	}
	if (bytes)
		ibw_out_char(&out, ')');
	if (port) {
		ibw_out_str(&out, " port ");
		ibw_out_dec(&out, port);
	}
	ibw_out_close(&out);
	return buf;
}
