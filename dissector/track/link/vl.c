/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vl.c - the VL of each path and SL. */
#include <string.h>

#include <glib.h>

#include <ibwire/ibwire.h>

#include "vl.h"
#include "track/base/flow.h"
#include "track/base/table.h"

#define VL_MANAGEMENT 15

/* Paths looked at last: what goes on as it was is seen without the table. */
#define RECENT 64

/* No holes: compared as bytes. */
struct key {
	uint16_t slid, dlid;
	uint16_t sl, zero;
	uint32_t iface;
};

struct lane {
	uint64_t frame; /* since when */
	uint8_t vl;
};

struct recent {
	struct key key;
	uint8_t vl;
	bool used;
};

struct track_vls {
	struct track_events *events;
	struct track_table *lanes; /* struct key -> struct lane */
	struct recent recent[RECENT];
};

struct track_vls *track_vls_new(struct track_events *events)
{
	struct track_vls *t = g_new0(struct track_vls, 1);

	t->events = events;
	t->lanes = track_table_new(sizeof(struct key), sizeof(struct lane), TRACK_VLS_MAX);
	return t;
}

void track_vls_free(struct track_vls *t)
{
	if (!t)
		return;
	track_table_free(t->lanes);
	g_free(t);
}

static struct lane *lane_of(struct track_vls *t, const struct key *key)
{
	return track_table_need(t->lanes, key);
}

static void tell(struct track_vls *t, const struct track_view *view, const struct lane *before,
		 uint8_t vl, const struct track_at *at)
{
	struct track_event *e = track_event_add(t->events, TRACK_EVENT_VL_CHANGED, at);

	if (!e)
		return;
	track_flow_of(&view->pkt, &e->flow);
	track_event_cause(e, before->frame);
	e->number[TRACK_VL_CHANGED_sl] = ibw_lrh_sl(IBW_KNOWN(&view->pkt, lrh));
	e->number[TRACK_VL_CHANGED_vl] = vl;
	e->number[TRACK_VL_CHANGED_before] = before->vl;
}

/* The ICRC does not cover the VL: only the VCRC shows whether it was received as it was sent. */
static __attribute__((cold)) void look_up(struct track_vls *t, struct track_view *view,
					  struct recent *recent, const struct key *key, uint8_t vl,
					  const struct track_at *at)
{
	uint8_t vcrc = ibw_packet_vcrc(&view->pkt).status;
	struct lane *lane;

	if (vcrc == IBW_CRC_BAD || vcrc == IBW_CRC_UNVERIFIABLE)
		return;
	lane = lane_of(t, key);
	if (lane->frame && lane->vl != vl)
		tell(t, view, lane, vl, at);
	if (!lane->frame || lane->vl != vl)
		*lane = (struct lane){ at->frame, vl };
	*recent = (struct recent){ *key, vl, true };
}

void track_vls_feed(struct track_vls *t, struct track_view *view, uint32_t iface,
		    const struct track_at *at)
{
	const struct ibw_lrh_wire *lrh = IBW_KNOWN(&view->pkt, lrh);
	const struct key key = { ibw_lrh_slid(lrh), ibw_lrh_dlid(lrh), ibw_lrh_sl(lrh), 0, iface };
	struct recent *recent = &t->recent[(key.slid + key.dlid * 7u + key.sl) % RECENT];
	uint8_t vl = ibw_lrh_vl(lrh);

	if (recent->used && recent->vl == vl && memcmp(&recent->key, &key, sizeof(key)) == 0)
		return;
	if (vl != VL_MANAGEMENT && track_view_icrc(view).status != IBW_CRC_BAD)
		look_up(t, view, recent, &key, vl, at);
}
