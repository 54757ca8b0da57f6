/* SPDX-License-Identifier: GPL-2.0-or-later */
/* counters.c - counters of ports: their growth, counters at their maximum, and resets by another host. */
#include <string.h>

#include <glib.h>

#include <ibwire/out.h>

#include "fabric_impl.h"

/* Where they are in PortCounters, and how many bits they have. They stop at the greatest number these hold. IBTA vol 1, 16.1.3.5 */
#define AT(field) ibw_port_counters_##field##_AT
static const struct {
	const char *name;
	uint16_t at, bits;
	uint32_t select; /* its bit in CounterSelect; 0: it has none */
	uint32_t many;   /* ibqueryerrors warns of; 0: of none */
} counters[FABRIC_COUNTED] = {
	{ "SymbolErrorCounter", AT(symbol_errors), 16, 1 << 0, 10 },
	{ "LinkErrorRecoveryCounter", AT(link_recovers), 8, 1 << 1, 10 },
	{ "LinkDownedCounter", AT(link_downed), 8, 1 << 2, 10 },
	{ "PortRcvErrors", AT(rcv_errors), 16, 1 << 3, 10 },
	{ "PortRcvRemotePhysicalErrors", AT(rcv_remote_phys_errors), 16, 1 << 4, 100 },
	{ "PortRcvSwitchRelayErrors", AT(rcv_switch_relay_errors), 16, 1 << 5, 0 },
	{ "PortXmitDiscards", AT(xmit_discards), 16, 1 << 6, 100 },
	{ "PortXmitConstraintErrors", AT(xmit_constraint_errors), 8, 1 << 7, 100 },
	{ "PortRcvConstraintErrors", AT(rcv_constraint_errors), 8, 1 << 8, 100 },
	{ "LocalLinkIntegrityErrors", AT(local_integrity_errors), 4, 1 << 9, 10 },
	{ "ExcessiveBufferOverrunErrors", AT(buffer_overruns), 4, 1 << 10, 10 },
	{ "QP1Dropped", AT(qp1_dropped), 16, 0, 0 },
	{ "VL15Dropped", AT(vl15_dropped), 16, 1 << 11, 100 },
	{ "PortXmitData", AT(xmit_data), 32, 1 << 12, 0 },
	{ "PortRcvData", AT(rcv_data), 32, 1 << 13, 0 },
	{ "PortXmitPkts", AT(xmit_pkts), 32, 1 << 14, 0 },
	{ "PortRcvPkts", AT(rcv_pkts), 32, 1 << 15, 0 },
	{ "PortXmitWait", AT(xmit_wait), 32, 1 << 16, 0 }, /* the first of CounterSelect2 */
};

const char *fabric_counter_name(unsigned int counter)
{
	return counters[counter].name;
}

static void read_counters(uint32_t value[FABRIC_COUNTED], const uint8_t *p)
{
	unsigned int i, at;

	for (i = 0; i < FABRIC_COUNTED; i++) {
		at = counters[i].at / 8;
		if (counters[i].bits == 32)
			value[i] = ibw_get_be32(p + at);
		else if (counters[i].bits == 16)
			value[i] = ibw_get_be16(p + at);
		else if (counters[i].bits == 8)
			value[i] = p[at];
		else
			value[i] = counters[i].at % 8 ? p[at] & 0xf : p[at] >> 4;
	}
}

/* Those that a Set makes 0: a bit each. */
static uint32_t selected(const struct ibw_port_counters_wire *wire)
{
	const uint32_t select = ibw_port_counters_counter_select(wire) |
				(uint32_t)ibw_port_counters_counter_select2(wire) << 16;
	uint32_t value[FABRIC_COUNTED], found = 0;
	unsigned int i;

	read_counters(value, wire->b);
	for (i = 0; i < FABRIC_COUNTED; i++)
		found |= (uint32_t)(select & counters[i].select && !value[i]) << i;
	return found;
}

/* What is less than it was has been reset in between, and counts from 0. */
static void grow(struct fabric_counters *c, const uint32_t now[FABRIC_COUNTED])
{
	unsigned int i;

	for (i = 0; i < FABRIC_COUNTED && c->readings; i++)
		c->grown[i] += now[i] < c->base[i] ? now[i] : now[i] - c->base[i];
	memcpy(c->base, now, sizeof(c->base));
}

static bool grew(const struct fabric_counters *c)
{
	unsigned int i;

	for (i = 0; i < FABRIC_COUNTERS && !c->grown[i]; i++)
		;
	return i < FABRIC_COUNTERS;
}

/* ": SymbolErrorCounter 65535, LinkDownedCounter 255"; false: none is. */
static bool say_ended(const uint32_t value[FABRIC_COUNTED], char *about)
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
static unsigned int fallen(const uint32_t before[FABRIC_COUNTED],
			   const uint32_t now[FABRIC_COUNTED])
{
	unsigned int i;

	for (i = 0; i < FABRIC_COUNTERS && now[i] >= before[i]; i++)
		;
	return i;
}

static void look_reset(struct track_fabric *t, const struct fabric_mad *m,
		       struct fabric_counters *c, const struct fabric_counters_key *key,
		       const uint32_t now[FABRIC_COUNTED])
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

/* Answered: what is read next counts from 0. An answer that comes twice changes nothing. */
static void is_reset(struct fabric_counters *c)
{
	unsigned int i;

	c->resets += c->selected != 0;
	for (i = 0; i < FABRIC_COUNTED; i++)
		if (c->selected >> i & 1)
			c->base[i] = 0;
	c->selected = 0;
}

/* The answer to a Set says no values. */
void track_fabric_counters(struct track_fabric *t, const struct fabric_mad *m)
{
	const struct ibw_port_counters_wire *wire = TRACK_MAD_LAYER(m->mad, port_counters);
	bool response = ibw_mad_r(m->mad->mad);
	uint32_t now[FABRIC_COUNTED];
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
		c->selected = selected(wire);
		return;
	}
	if (c->resetter == m->dlid && c->reset_tid == ibw_mad_tid(m->mad->mad)) {
		is_reset(c);
		return;
	}
	read_counters(now, wire->b);
	look_reset(t, m, c, &key, now);
	grow(c, now);
	if (!c->grew_frame && grew(c)) {
		c->grew_frame = m->at->frame;
		c->grew_ns = m->at->time_ns;
		c->flow = m->flow;
	}
	memcpy(c->value, now, sizeof(now));
	if (!c->readings++) {
		c->first_frame = m->at->frame;
		c->first_ns = m->at->time_ns;
	}
	c->frame = m->at->frame;
	c->last_ns = m->at->time_ns;
	c->reader = m->dlid;
	look_ended(t, m, c, &key);
}

/* "SymbolErrorCounter by 120, LinkDownedCounter by 2"; whether one of them grew by many. */
static bool say_grown(const struct fabric_counters *c, char *about)
{
	struct ibw_out out = ibw_out_open(about, TRACK_ABOUT_TEXT);
	const char *between = "";
	bool many = false;
	unsigned int i;

	for (i = 0; i < FABRIC_COUNTERS; i++) {
		if (!c->grown[i])
			continue;
		many = many || (counters[i].many && c->grown[i] >= counters[i].many);
		ibw_out_str(&out, between);
		ibw_out_str(&out, counters[i].name);
		ibw_out_str(&out, " by ");
		ibw_out_dec(&out, c->grown[i]);
		between = ", ";
	}
	ibw_out_close(&out);
	return many;
}

static void tell_grown(struct track_fabric *t, const struct fabric_counters *c,
		       const struct fabric_counters_key *key)
{
	const struct track_at at = { c->grew_frame, c->grew_ns, 0 };
	struct track_event *e;
	char *about;

	if (!c->grew_frame)
		return;
	e = track_fabric_event(t, TRACK_EVENT_COUNTER_GREW, &at, &c->flow);
	if (!e)
		return;
	e->number[TRACK_COUNTER_GREW_lid] = key->lid;
	e->number[TRACK_COUNTER_GREW_port] = key->port;
	e->number[TRACK_COUNTER_GREW_readings] = c->readings;
	e->number[TRACK_COUNTER_GREW_ns] = c->last_ns > c->first_ns ? c->last_ns - c->first_ns : 0;
	about = track_event_about(t->events, e);
	e->number[TRACK_COUNTER_GREW_many] = say_grown(c, about);
}

bool track_fabric_finish_counters(struct track_fabric *t)
{
	for (; t->finished_counters < track_table_count(t->counters); t->finished_counters++) {
		const struct fabric_counters *c = track_table_at(t->counters, t->finished_counters);

		if (!track_events_room(t->events))
			return false;
		tell_grown(t, c, track_table_key(t->counters, c));
	}
	return true;
}
