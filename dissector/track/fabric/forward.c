/* SPDX-License-Identifier: GPL-2.0-or-later */
/* forward.c - forwarding tables at the end of the capture: their contents, and ports of groups that are down. */
#include <string.h>

#include <glib.h>

#include <ibwire/ibwire.h>
#include <ibwire/out.h>

#include "fabric_impl.h"

#define MFT_BLOCK 0x1ff
#define MFT_POSITION 28
#define PORTS_OF_POSITION 16

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

bool track_fabric_finish_groups(struct track_fabric *t)
{
	for (; t->finished_mfts < track_table_count(t->mfts); t->finished_mfts++) {
		const struct fabric_mft *f = track_table_at(t->mfts, t->finished_mfts);

		if (track_events_room(t->events) < PORTS_OF_POSITION)
			return false;
		look_ports(t, track_table_key(t->mfts, f), f);
	}
	return true;
}
