/* SPDX-License-Identifier: GPL-2.0-or-later */
/* counters.c - error counters of ports: those at their end, and those that somebody else resets. */
#include <string.h>

#include <glib.h>

#include <ibwire/out.h>

#include "fabric_impl.h"

/* Where they are in PortCounters, and how many bits they have. They stop at the greatest number these hold. IBTA vol 1, 16.1.3.5 */
static const struct {
	const char *name;
	uint16_t at, bits;
} counters[FABRIC_COUNTERS] = {
	{ "SymbolErrorCounter", ibw_port_counters_symbol_errors_AT, 16 },
	{ "LinkErrorRecoveryCounter", ibw_port_counters_link_recovers_AT, 8 },
	{ "LinkDownedCounter", ibw_port_counters_link_downed_AT, 8 },
	{ "PortRcvErrors", ibw_port_counters_rcv_errors_AT, 16 },
	{ "PortRcvRemotePhysicalErrors", ibw_port_counters_rcv_remote_phys_errors_AT, 16 },
	{ "PortRcvSwitchRelayErrors", ibw_port_counters_rcv_switch_relay_errors_AT, 16 },
	{ "PortXmitDiscards", ibw_port_counters_xmit_discards_AT, 16 },
	{ "PortXmitConstraintErrors", ibw_port_counters_xmit_constraint_errors_AT, 8 },
	{ "PortRcvConstraintErrors", ibw_port_counters_rcv_constraint_errors_AT, 8 },
	{ "LocalLinkIntegrityErrors", ibw_port_counters_local_integrity_errors_AT, 4 },
	{ "ExcessiveBufferOverrunErrors", ibw_port_counters_buffer_overruns_AT, 4 },
	{ "QP1Dropped", ibw_port_counters_qp1_dropped_AT, 16 },
	{ "VL15Dropped", ibw_port_counters_vl15_dropped_AT, 16 },
};

static void read_counters(uint16_t value[FABRIC_COUNTERS], const uint8_t *p)
{
	unsigned int i, at;

	for (i = 0; i < FABRIC_COUNTERS; i++) {
		at = counters[i].at / 8;
		if (counters[i].bits == 16)
			value[i] = ibw_get_be16(p + at);
		else if (counters[i].bits == 8)
			value[i] = p[at];
		else
			value[i] = counters[i].at % 8 ? p[at] & 0xf : p[at] >> 4;
	}
}

/* ": SymbolErrorCounter 65535, LinkDownedCounter 255"; false: none is. */
static bool say_ended(const uint16_t value[FABRIC_COUNTERS], char *about)
{
	struct ibw_out out = ibw_out_open(about, TRACK_ABOUT_TEXT);
	const char *between = ": ";
	unsigned int i;

	for (i = 0; i < FABRIC_COUNTERS; i++) {
		if (value[i] != (1u << counters[i].bits) - 1)
			continue;
		ibw_out_str(&out, between);
		ibw_out_str(&out, counters[i].name);
		ibw_out_char(&out, ' ');
		ibw_out_dec(&out, value[i]);
		between = ", ";
	}
	ibw_out_close(&out);
	return *between == ',';
}

static void look_ended(struct track_fabric *t, const struct fabric_mad *m,
		       struct fabric_counters *c, const struct fabric_counters_key *key)
{
	char text[TRACK_ABOUT_TEXT];
	struct track_event *e;

	if (c->told_end || !say_ended(c->value, text))
		return;
	c->told_end = true;
	e = track_fabric_event(t, TRACK_EVENT_COUNTER_ENDED, m->at, &m->flow);
	if (!e)
		return;
	e->number[TRACK_COUNTER_ENDED_lid] = key->lid;
	e->number[TRACK_COUNTER_ENDED_port] = key->port;
	g_strlcpy(track_event_about(t->events, e), text, TRACK_ABOUT_TEXT);
}

/* The first that is smaller than it was for this reader. */
static unsigned int fallen(const uint16_t before[FABRIC_COUNTERS],
			   const uint16_t now[FABRIC_COUNTERS])
{
	unsigned int i;

	for (i = 0; i < FABRIC_COUNTERS && now[i] >= before[i]; i++)
		;
	return i;
}

static void look_reset(struct track_fabric *t, const struct fabric_mad *m,
		       struct fabric_counters *c, const struct fabric_counters_key *key,
		       const uint16_t now[FABRIC_COUNTERS])
{
	unsigned int i = fallen(c->value, now);
	struct track_event *e;

	if (c->told_reset || !c->reset_frame || c->reset_frame < c->frame || c->reader != m->dlid ||
	    c->resetter == m->dlid || i == FABRIC_COUNTERS)
		return;
	c->told_reset = true;
	e = track_fabric_event(t, TRACK_EVENT_COUNTER_RESET, m->at, &m->flow);
	if (!e)
		return;
	track_event_cause(e, c->frame);
	track_event_cause(e, c->reset_frame);
	e->number[TRACK_COUNTER_RESET_lid] = key->lid;
	e->number[TRACK_COUNTER_RESET_port] = key->port;
	e->number[TRACK_COUNTER_RESET_reader] = m->dlid;
	e->number[TRACK_COUNTER_RESET_resetter] = c->resetter;
	e->number[TRACK_COUNTER_RESET_frame] = c->reset_frame;
	e->number[TRACK_COUNTER_RESET_before] = c->value[i];
	e->number[TRACK_COUNTER_RESET_now] = now[i];
	g_strlcpy(track_event_about(t->events, e), counters[i].name, TRACK_ABOUT_TEXT);
}

/* The answer to a Set says no values. */
void track_fabric_counters(struct track_fabric *t, const struct fabric_mad *m)
{
	const struct ibw_port_counters_wire *wire = TRACK_MAD_LAYER(m->mad, port_counters);
	bool response = ibw_mad_r(m->mad->mad);
	uint16_t now[FABRIC_COUNTERS];
	struct fabric_counters_key key;
	struct fabric_counters *c;

	if (!wire || m->mad->status || !m->slid ||
	    m->mad->walked.attr->id != IBW_ATTR_PERF_COUNTERS)
		return;
	memset(&key, 0, sizeof(key));
	key.lid = response ? m->slid : m->dlid;
	key.port = ibw_port_counters_port_select(wire);
	if (!response && ibw_mad_method(m->mad->mad) != IBW_METHOD_SET)
		return;
	c = track_table_need(t->counters, &key);
	if (!response) {
		c->reset_tid = ibw_mad_tid(m->mad->mad);
		c->reset_frame = m->at->frame;
		c->resetter = m->slid;
		return;
	}
	if (c->resetter == m->dlid && c->reset_tid == ibw_mad_tid(m->mad->mad))
		return;
	read_counters(now, wire->b);
	look_reset(t, m, c, &key, now);
	memcpy(c->value, now, sizeof(now));
	c->frame = m->at->frame;
	c->reader = m->dlid;
	look_ended(t, m, c, &key);
}
