/* SPDX-License-Identifier: GPL-2.0-or-later */
/* traps.c - traps of ports: each trap about each culprit once, with a count. */
#include <string.h>

#include <glib.h>

#include "fabric_impl.h"

/* What tells one culprit from another, in bytes of the details: not the GIDs and counters after that. */
#define KEY_DETAILS 24

static const struct ibw_notice_wire *notice_of(const struct track_mad *mad, const uint8_t **details)
{
	const uint8_t *p = track_mad_layer(mad, IBW_LAYER_notice, ibw_notice_BYTES);

	if (!p || (size_t)(p - mad->p) + ibw_notice_BYTES + 54 > mad->n)
		return NULL;
	*details = p + ibw_notice_BYTES;
	return (const struct ibw_notice_wire *)p;
}

static bool is_told(uint16_t trap_num)
{
	return (trap_num >= IBW_TRAP_LINK_STATE && trap_num <= 131) || trap_num == 144 ||
	       (trap_num >= 256 && trap_num <= 259);
}

void track_fabric_trap(struct track_fabric *t, const struct fabric_mad *m)
{
	const uint8_t *details = NULL;
	const struct ibw_notice_wire *n = notice_of(m->mad, &details);
	uint8_t hop = m->mad->dr_status ? ibw_smp_dr_status_hop_ptr(m->mad->dr_status) : 0;
	struct fabric_trap_key key;
	struct fabric_trap *trap;

	if (!n || !ibw_notice_is_generic(n) || !is_told(ibw_notice_trap_num(n)))
		return;
	memset(&key, 0, sizeof(key));
	memcpy(key.details, details, ibw_notice_trap_num(n) == 144 ? 4 : KEY_DETAILS);
	key.issuer = ibw_notice_issuer_lid(n);
	key.trap_num = ibw_notice_trap_num(n);
	trap = track_table_need(t->traps, &key);
	if (!trap->count) {
		trap->at = *m->at;
		trap->flow = m->flow;
		trap->hop = hop;
	} else if (trap->hop != hop) {
		return; /* the same one, further on its way */
	}
	track_chronicle_add(&t->chronicle,
			    &(struct track_told_of){ .kind = TRACK_TRAP_SENT,
						     .lid = key.issuer,
						     .trap_num = key.trap_num },
			    m->at);
	trap->run =
		trap->count && m->at->time_ns - trap->last_ns < FABRIC_THRESHOLD_NS(t, storm_gap)
			? trap->run + 1
			: 1;
	trap->longest = MAX(trap->longest, trap->run);
	trap->count++;
	trap->last_ns = m->at->time_ns;
	trap->last_frame = m->at->frame;
}

static uint64_t lasted(const struct fabric_trap *trap)
{
	return trap->last_ns > trap->at.time_ns ? trap->last_ns - trap->at.time_ns : 0;
}

/* 256: somebody used another M_Key. */
static void tell_mkey(struct track_fabric *t, const struct fabric_trap *trap,
		      const struct fabric_trap_key *key)
{
	const struct ibw_notice_trap_256_wire *d = (const void *)key->details;
	struct track_event *e =
		track_fabric_event(t, TRACK_EVENT_TRAP_MKEY, &trap->at, &trap->flow);

	if (!e)
		return;
	e->number[TRACK_TRAP_MKEY_lid] = ibw_notice_trap_256_lid(d);
	e->number[TRACK_TRAP_MKEY_method] = ibw_notice_trap_256_method(d);
	e->number[TRACK_TRAP_MKEY_attr_id] = ibw_notice_trap_256_attr_id(d);
	e->number[TRACK_TRAP_MKEY_count] = trap->count;
	e->number[TRACK_TRAP_MKEY_ns] = lasted(trap);
}

/* 257, 258: packets of a queue pair with another P_Key or Q_Key; 259: of a switch, which has no queue pairs but quotes them. */
static void tell_key(struct track_fabric *t, const struct fabric_trap *trap,
		     const struct fabric_trap_key *key)
{
	const struct ibw_notice_trap_257_wire *d = (const void *)key->details;
	const struct ibw_notice_trap_259_wire *s = (const void *)key->details;
	struct track_event *e = track_fabric_event(t, TRACK_EVENT_TRAP_KEY, &trap->at, &trap->flow);
	bool of_switch = key->trap_num == 259;

	if (!e)
		return;
	e->number[TRACK_TRAP_KEY_trap_num] = key->trap_num;
	e->number[TRACK_TRAP_KEY_lid1] =
		of_switch ? ibw_notice_trap_259_lid1(s) : ibw_notice_trap_257_lid1(d);
	e->number[TRACK_TRAP_KEY_lid2] =
		of_switch ? ibw_notice_trap_259_lid2(s) : ibw_notice_trap_257_lid2(d);
	e->number[TRACK_TRAP_KEY_key] =
		of_switch ? ibw_notice_trap_259_pkey(s) : ibw_notice_trap_257_key(d);
	e->number[TRACK_TRAP_KEY_qp1] =
		of_switch ? ibw_notice_trap_259_qp1(s) : ibw_notice_trap_257_qp1(d);
	e->number[TRACK_TRAP_KEY_qp2] =
		of_switch ? ibw_notice_trap_259_qp2(s) : ibw_notice_trap_257_qp2(d);
	e->number[TRACK_TRAP_KEY_count] = trap->count;
	e->number[TRACK_TRAP_KEY_ns] = lasted(trap);
}

/* 128 and 144 are about the port that sends them, 129 to 131 about a port of a switch. */
static void tell_port(struct track_fabric *t, const struct fabric_trap *trap,
		      const struct fabric_trap_key *key)
{
	const struct ibw_notice_trap_129_wire *d = (const void *)key->details;
	struct track_event *e =
		track_fabric_event(t, TRACK_EVENT_TRAP_PORT, &trap->at, &trap->flow);
	bool of_port = key->trap_num > IBW_TRAP_LINK_STATE && key->trap_num <= 131;

	if (!e)
		return;
	e->number[TRACK_TRAP_PORT_trap_num] = key->trap_num;
	e->number[TRACK_TRAP_PORT_lid] = of_port ? ibw_notice_trap_129_lid(d) : key->issuer;
	e->number[TRACK_TRAP_PORT_port] = of_port ? ibw_notice_trap_129_port(d) : 0;
	e->number[TRACK_TRAP_PORT_count] = trap->count;
	e->number[TRACK_TRAP_PORT_longest] = trap->longest;
	e->number[TRACK_TRAP_PORT_ns] = lasted(trap);
}

bool track_fabric_finish_traps(struct track_fabric *t)
{
	for (; t->finished_traps < track_table_count(t->traps); t->finished_traps++) {
		const struct fabric_trap *trap = track_table_at(t->traps, t->finished_traps);
		const struct fabric_trap_key *key = track_table_key(t->traps, trap);

		if (!track_events_room(t->events))
			return false;
		if (key->trap_num == 256)
			tell_mkey(t, trap, key);
		else if (key->trap_num > 256)
			tell_key(t, trap, key);
		else
			tell_port(t, trap, key);
	}
	return true;
}
