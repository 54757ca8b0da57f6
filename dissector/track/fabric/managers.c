/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * managers.c - subnet managers: the master, handovers, and former masters that clients still query.
 */
#include <string.h>

#include "fabric_impl.h"

/* Attribute modifier of a Set(SMInfo) that hands the subnet over. IBTA vol 1, 14.4.1 */
#define SM_HANDOVER 1

static uint16_t lid_of(uint16_t lid)
{
	return lid == IBW_LID_PERMISSIVE ? 0 : lid;
}

/* Who hands over says who it is; who it is that takes over is in the answer. */
static void begins(struct track_fabric *t, const struct fabric_mad *m,
		   const struct ibw_sm_info_wire *wire)
{
	t->handover = (struct fabric_handover){ .frame = m->at->frame,
						.time_ns = m->at->time_ns,
						.tid = ibw_mad_tid(m->mad->mad),
						.from = ibw_sm_info_guid(wire),
						.flow = m->flow,
						.from_lid = lid_of(m->slid),
						.priority = ibw_sm_info_priority(wire),
						.waits = true };
}

static void to_and_fro(struct track_fabric *t, uint64_t to)
{
	const struct fabric_handover *h = &t->handover;
	struct fabric_to_and_fro *f = &t->to_and_fro;
	const struct track_at at = { h->frame, h->time_ns, 0 };
	struct track_event *e;

	if (f->n && f->to != h->from)
		f->n = 0;
	f->to = to;
	memmove(f->frame, f->frame + 1, sizeof(f->frame) - sizeof(f->frame[0]));
	memmove(f->time_ns, f->time_ns + 1, sizeof(f->time_ns) - sizeof(f->time_ns[0]));
	f->frame[FABRIC_HANDOVERS - 1] = h->frame;
	f->time_ns[FABRIC_HANDOVERS - 1] = h->time_ns;
	if (++f->n < FABRIC_HANDOVERS || f->told || h->time_ns < f->time_ns[0] ||
	    h->time_ns - f->time_ns[0] > FABRIC_THRESHOLD_NS(t, handover_time))
		return;
	f->told = true;
	e = track_fabric_event(t, TRACK_EVENT_SM_TO_AND_FRO, &at, &h->flow);
	if (!e)
		return;
	track_event_cause(e, f->frame[0]);
	track_event_cause(e, f->frame[1]);
	e->number[TRACK_SM_TO_AND_FRO_from] = h->from;
	e->number[TRACK_SM_TO_AND_FRO_to] = to;
	e->number[TRACK_SM_TO_AND_FRO_ns] = h->time_ns - f->time_ns[0];
}

static void tell_handover(struct track_fabric *t, uint64_t to)
{
	const struct track_told_of happened = { .kind = TRACK_HANDOVER,
						.guid = t->handover.from,
						.other = to };
	const struct track_at at = { t->handover.frame, t->handover.time_ns, 0 };

	track_chronicle_add(&t->chronicle, &happened, &at);
}

static void tell_state(struct track_fabric *t, const struct fabric_mad *m,
		       const struct ibw_sm_info_wire *wire)
{
	const struct track_told_of happened = { .kind = TRACK_SM_STATE,
						.guid = ibw_sm_info_guid(wire),
						.lid = lid_of(m->slid),
						.state = ibw_sm_info_state(wire) };

	track_chronicle_add(&t->chronicle, &happened, m->at);
}

static void takes_over(struct track_fabric *t, const struct fabric_mad *m, uint64_t guid)
{
	struct fabric_handover *h = &t->handover;
	const struct track_at at = { h->frame, h->time_ns, m->at->doubt };
	const struct fabric_manager *from, *to = track_table_get(t->managers, &guid);
	struct track_event *e;

	h->waits = false;
	tell_handover(t, guid);
	to_and_fro(t, guid);
	h->to_lid = to && to->lid ? to->lid : lid_of(m->slid);
	from = track_table_get(t->managers, &h->from);
	if (!h->from_lid && from)
		h->from_lid = from->lid;
	if (!to)
		return;
	e = track_fabric_event(t, TRACK_EVENT_SM_HANDOVER, &at, &h->flow);
	if (!e)
		return;
	track_event_cause(e, to->frame);
	e->number[TRACK_SM_HANDOVER_from] = h->from;
	e->number[TRACK_SM_HANDOVER_to] = guid;
	e->number[TRACK_SM_HANDOVER_from_priority] = h->priority;
	e->number[TRACK_SM_HANDOVER_to_priority] = to->priority;
	e->number[TRACK_SM_HANDOVER_was_master] = to->state == IBW_SM_MASTER;
	e->number[TRACK_SM_HANDOVER_frame] = to->frame;
}

void track_fabric_sm_info(struct track_fabric *t, const struct fabric_mad *m)
{
	const struct ibw_sm_info_wire *wire = TRACK_MAD_LAYER(m->mad, sm_info);
	bool response = ibw_mad_r(m->mad->mad), over;
	struct fabric_manager *manager;
	uint64_t guid;

	if (!wire || m->mad->status)
		return;
	over = ibw_mad_attr_mod(m->mad->mad) == SM_HANDOVER;
	if (!response) {
		if (ibw_mad_method(m->mad->mad) == IBW_METHOD_SET && over &&
		    !(t->handover.waits && t->handover.tid == ibw_mad_tid(m->mad->mad)))
			begins(t, m, wire);
		return;
	}
	guid = ibw_sm_info_guid(wire);
	if (!guid)
		return;
	if (over && t->handover.waits && t->handover.tid == ibw_mad_tid(m->mad->mad)) {
		takes_over(t, m, guid);
		return;
	}
	manager = track_table_need(t->managers, &guid);
	if (!manager->frame || manager->state != ibw_sm_info_state(wire))
		tell_state(t, m, wire);
	manager->frame = m->at->frame;
	manager->lid = lid_of(m->slid) ? m->slid : manager->lid;
	manager->priority = ibw_sm_info_priority(wire);
	manager->state = ibw_sm_info_state(wire);
	/* It is master once more. */
	if (manager->state == IBW_SM_MASTER && guid == t->handover.from && !t->handover.waits)
		t->handover.from_lid = 0;
}

void track_fabric_sa(struct track_fabric *t, const struct fabric_mad *m)
{
	if (!ibw_mad_r(m->mad->mad) || !m->slid)
		return;
	if (m->slid == t->handover.to_lid)
		t->handover.answers = true;
	else if (m->slid == t->handover.from_lid)
		t->handover.from_lid = 0; /* it still answers */
}

bool track_fabric_handed_over(const struct track_fabric *t, uint16_t lid, uint64_t time_ns,
			      uint16_t *to, uint64_t *frame)
{
	const struct fabric_handover *h = &t->handover;

	if (!h->answers || !h->from_lid || h->from_lid != lid || h->to_lid == lid ||
	    time_ns < h->time_ns)
		return false;
	*to = h->to_lid;
	*frame = h->frame;
	return true;
}
