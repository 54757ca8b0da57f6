/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fabric.c - hands each MAD to the parts of the fabric tracker. */
#include <string.h>

#include <glib.h>

#include "fabric_impl.h"

static void make_forwarding(struct track_fabric *t)
{
	t->lfts = track_table_new(sizeof(struct fabric_block_key), sizeof(struct fabric_lft),
				  TRACK_FABRIC_BLOCKS_MAX);
	t->mfts = track_table_new(sizeof(struct fabric_block_key), sizeof(struct fabric_mft),
				  TRACK_FABRIC_BLOCKS_MAX);
}

/* No report reads forwarding tables, and lists of a large subnet need the memory. What was evicted is still asked for. */
static void drop_forwarding(struct track_fabric *t)
{
	if (track_table_evicted(t->lfts) || track_table_evicted(t->mfts))
		return;
	track_table_free(t->lfts);
	track_table_free(t->mfts);
	make_forwarding(t);
}

struct track_fabric *track_fabric_new(struct track_events *events)
{
	struct track_fabric *t = g_new0(struct track_fabric, 1);

	t->events = events;
	track_thresholds_default(&t->thresholds);
	t->nodes = track_nodes_new();
	t->ports = track_table_new(sizeof(struct fabric_port_key), sizeof(struct fabric_port),
				   TRACK_FABRIC_PORTS_MAX);
	t->cables = track_table_new(sizeof(struct fabric_port_key), sizeof(struct fabric_cable),
				    TRACK_FABRIC_PORTS_MAX);
	t->lids = track_table_new(sizeof(uint16_t), sizeof(struct fabric_lid), UINT16_MAX);
	t->pkeys = track_table_new(sizeof(struct fabric_pkeys_key), sizeof(struct fabric_pkeys),
				   TRACK_FABRIC_PORTS_MAX);
	t->traps = track_table_new(sizeof(struct fabric_trap_key), sizeof(struct fabric_trap),
				   TRACK_FABRIC_TRAPS_MAX);
	t->managers = track_table_new(sizeof(uint64_t), sizeof(struct fabric_manager),
				      TRACK_FABRIC_MANAGERS_MAX);
	t->counters = track_table_new(sizeof(struct fabric_counters_key),
				      sizeof(struct fabric_counters), TRACK_FABRIC_COUNTERS_MAX);
	t->mkeys = track_table_new(sizeof(uint16_t), sizeof(struct fabric_mkey), UINT16_MAX);
	t->before = track_table_new(sizeof(uint16_t), sizeof(struct fabric_lid_before), UINT16_MAX);
	t->asked = track_table_new(sizeof(struct fabric_asked_key), sizeof(struct fabric_asked),
				   TRACK_FABRIC_ROUTES_MAX);
	make_forwarding(t);
	t->addresses = track_table_new(16, 16, TRACK_FABRIC_ADDRESSES_MAX);
	return t;
}

void track_fabric_thresholds(struct track_fabric *t, const struct track_thresholds *thresholds)
{
	t->thresholds = *thresholds;
}

void track_fabric_free(struct track_fabric *t)
{
	if (!t)
		return;
	track_chronicle_free(&t->chronicle);
	track_nodes_free(t->nodes);
	track_table_free(t->ports);
	track_table_free(t->cables);
	track_table_free(t->lids);
	track_table_free(t->pkeys);
	track_table_free(t->traps);
	track_table_free(t->managers);
	track_table_free(t->counters);
	track_table_free(t->mkeys);
	track_table_free(t->before);
	track_table_free(t->asked);
	track_table_free(t->lfts);
	track_table_free(t->mfts);
	track_table_free(t->addresses);
	g_free(t);
}

uint64_t track_fabric_evicted(const struct track_fabric *t)
{
	return track_nodes_evicted(t->nodes) + track_table_evicted(t->ports) +
	       track_table_evicted(t->cables) + track_table_evicted(t->lids) +
	       track_table_evicted(t->pkeys) + track_table_evicted(t->traps) +
	       track_table_evicted(t->managers) + track_table_evicted(t->counters) +
	       track_table_evicted(t->mkeys) + track_table_evicted(t->before) +
	       track_table_evicted(t->asked) + track_table_evicted(t->lfts) +
	       track_table_evicted(t->mfts) + track_table_evicted(t->addresses);
}

struct track_event *track_fabric_event(struct track_fabric *t, enum track_event_kind kind,
				       const struct track_at *at, const struct track_flow *flow)
{
	struct track_event *e = track_event_add(t->events, kind, at);

	if (e) {
		e->flow = *flow;
		track_flow_as_seen(&e->flow);
	}
	return e;
}

/* Requests of subnet management say nothing, but for a trap, and who is a manager. */
static bool is_smp_request(const struct track_mad *mad)
{
	return track_mad_is_smp(mad) && !ibw_mad_r(mad->mad) &&
	       ibw_mad_method(mad->mad) != IBW_METHOD_TRAP &&
	       mad->walked.attr->id != IBW_ATTR_SM_SM_INFO;
}

void track_fabric_mad(struct track_fabric *t, const struct ibw_packet *pkt,
		      const struct track_mad *mad, const struct track_at *at)
{
	struct fabric_mad m = { .mad = mad, .at = at };
	const struct ibw_lrh_wire *lrh = IBW_AT(pkt, lrh);

	if (!mad->mad || !mad->walked.attr || is_smp_request(mad) || !track_flow_of(pkt, &m.flow) ||
	    ibw_mad_base_version(mad->mad) != IBW_MAD_BASE_VERSION)
		return;
	if (lrh) {
		m.slid = ibw_lrh_slid(lrh);
		m.dlid = ibw_lrh_dlid(lrh);
	}
	if (track_mad_is_smp(mad)) {
		if (ibw_mad_method(mad->mad) == IBW_METHOD_TRAP && !ibw_mad_r(mad->mad))
			track_fabric_trap(t, &m);
		else if (mad->walked.attr->id == IBW_ATTR_SM_SM_INFO)
			track_fabric_sm_info(t, &m);
		else
			track_fabric_smp(t, &m);
	} else if (track_mad_is_sa(mad)) {
		track_fabric_sa(t, &m);
	} else if (ibw_mad_mgmt_class(mad->mad) == IBW_CLASS_PERF) {
		track_fabric_counters(t, &m);
	}
}

void track_fabric_member(struct track_fabric *t, const uint8_t mgid[16], const uint8_t gid[16],
			 bool joins, const struct track_at *at)
{
	struct track_told_of h = { .kind = joins ? TRACK_GROUP_JOIN : TRACK_GROUP_LEAVE };

	memcpy(h.mgid, mgid, sizeof(h.mgid));
	memcpy(h.gid, gid, sizeof(h.gid));
	track_chronicle_add(&t->chronicle, &h, at);
}

void track_fabric_address(struct track_fabric *t, const uint8_t gid[16], const uint8_t address[16])
{
	memcpy(track_table_need(t->addresses, gid), address, 16);
}

const struct track_chronicle *track_fabric_chronicle(const struct track_fabric *t)
{
	return &t->chronicle;
}

const char *track_fabric_node_text(struct track_fabric *t, uint64_t guid, unsigned int port,
				   char *buf)
{
	return track_nodes_text(t->nodes, guid, port, buf);
}

bool track_fabric_finish(struct track_fabric *t)
{
	if (!track_fabric_finish_links(t) || !track_fabric_finish_below(t) ||
	    !track_fabric_finish_routes(t) || !track_fabric_finish_groups(t) ||
	    !track_fabric_finish_counters(t) || !track_fabric_finish_traps(t))
		return false;
	drop_forwarding(t);
	return true;
}
