/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lid_before.c - former LIDs of ports, and hosts that still send to them. */
#include <glib.h>

#include <ibwire/ibwire.h>

#include "fabric_impl.h"

/* Those who are told of a new LID have heard of it by then. */
#define HEARD_NS UINT64_C(1000000000)

/* A LID that is somebody's is no longer one of before. */
static void is_in_use(struct track_fabric *t, uint16_t lid)
{
	struct fabric_lid_before *b = track_table_get(t->before, &lid);

	if (b)
		track_table_remove(t->before, b);
}

void track_fabric_lid_now(struct track_fabric *t, const struct fabric_port_key *key, uint16_t had,
			  uint16_t lid, uint8_t lmc, const struct track_at *at)
{
	const struct fabric_lid *l = had ? track_table_get(t->lids, &had) : NULL;
	struct fabric_lid_before *b;

	if (track_table_count(t->before))
		is_in_use(t, lid);
	if (!had || (had >= lid && had - lid < 1 << lmc) || (l && l->last != key->guid))
		return;
	b = track_table_need(t->before, &had);
	*b = (struct fabric_lid_before){ *key, at->frame, at->time_ns, lid, false };
}

bool track_fabric_moved(const struct track_fabric *t)
{
	return track_table_count(t->before) > 0;
}

void track_fabric_packet(struct track_fabric *t, const struct ibw_packet *pkt,
			 const struct track_at *at)
{
	const struct ibw_lrh_wire *lrh = IBW_AT(pkt, lrh);
	const uint16_t lid = lrh ? ibw_lrh_dlid(lrh) : 0;
	struct fabric_lid_before *b = lid ? track_table_get(t->before, &lid) : NULL;
	struct track_event *e;
	struct track_flow flow;

	if (!b || b->told || at->time_ns < b->time_ns + HEARD_NS || !track_flow_of(pkt, &flow))
		return;
	b->told = true;
	e = track_fabric_event(t, TRACK_EVENT_LID_OF_BEFORE, at, &flow);
	if (!e)
		return;
	track_event_cause(e, b->frame);
	e->number[TRACK_LID_OF_BEFORE_lid] = lid;
	e->number[TRACK_LID_OF_BEFORE_now] = b->now;
	e->number[TRACK_LID_OF_BEFORE_sender] = ibw_lrh_slid(lrh);
	e->number[TRACK_LID_OF_BEFORE_frame] = b->frame;
	e->number[TRACK_LID_OF_BEFORE_ns] = at->time_ns - b->time_ns;
	track_nodes_text(t->nodes, b->port.guid, (unsigned int)b->port.port,
			 track_event_about(t->events, e));
}
