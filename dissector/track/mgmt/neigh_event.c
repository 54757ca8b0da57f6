/* SPDX-License-Identifier: GPL-2.0-or-later */
/* neigh_event.c - reports neighbours of IPoIB that cannot be reached, and at which step. */
#include <string.h>

#include <ibwire/ibwire.h>

#include "neigh_impl.h"

/* The query has followed by then, or it does not. */
#define FOLLOWS_NS 1000000000u

/* Asked so often, and over so long a time, a host that is there answers. */
#define OFTEN 3
#define OFTEN_NS UINT64_C(2000000000)

static bool is_often(uint32_t times, uint64_t first_ns, uint64_t last_ns)
{
	return times >= OFTEN && last_ns > first_ns && last_ns - first_ns >= OFTEN_NS;
}

/* An IPv4 address, or the halves of an IPv6 address. */
static void put_address(uint64_t number[3], const uint8_t address[16])
{
	if (ibw_gid_is_ipv4(address)) {
		number[0] = ibw_get_be32(address + 12);
		return;
	}
	number[1] = ibw_get_be64(address);
	number[2] = ibw_get_be64(address + 8);
}

/* The P_Key of the answer is that of the interface: RFC 4391, 4. Its port drops packets of another partition. */
void track_neigh_tell_pkey(struct track_neigh *t, struct neighbour *n, const struct ibw_packet *pkt,
			   const struct track_at *at)
{
	uint16_t pkey = ibw_bth_pkey(IBW_KNOWN(pkt, bth));
	struct track_event *e;

	if (n->told_pkey || !((n->pkey ^ pkey) & (unsigned int)~IBW_PKEY_FULL & UINT16_MAX))
		return;
	n->told_pkey = true;
	e = track_event_add(t->events, TRACK_EVENT_NEIGHBOUR_OTHER_PKEY, at);
	if (!e)
		return;
	track_flow_of(pkt, &e->flow);
	track_event_cause(e, n->answered);
	e->number[TRACK_NEIGHBOUR_OTHER_PKEY_pkey] = pkey;
	e->number[TRACK_NEIGHBOUR_OTHER_PKEY_has] = n->pkey;
	e->number[TRACK_NEIGHBOUR_OTHER_PKEY_frame] = n->answered;
	put_address(&e->number[TRACK_NEIGHBOUR_OTHER_PKEY_address], n->row.address);
}

void track_neigh_tell_owners(struct track_neigh *t, const struct ibw_packet *pkt,
			     const uint8_t address[16], const struct owner *owner,
			     const struct track_at *at)
{
	struct track_event *e = track_event_add(t->events, TRACK_EVENT_NEIGHBOUR_TWO_PORTS, at);

	if (!e)
		return;
	track_flow_of(pkt, &e->flow);
	track_event_cause(e, owner->other_frame);
	put_address(&e->number[TRACK_NEIGHBOUR_TWO_PORTS_address], address);
	e->number[TRACK_NEIGHBOUR_TWO_PORTS_gid] = ibw_get_be64(owner->gid);
	e->number[TRACK_NEIGHBOUR_TWO_PORTS_gid_low] = ibw_get_be64(owner->gid + 8);
	e->number[TRACK_NEIGHBOUR_TWO_PORTS_other] = ibw_get_be64(owner->other);
	e->number[TRACK_NEIGHBOUR_TWO_PORTS_other_low] = ibw_get_be64(owner->other + 8);
	e->number[TRACK_NEIGHBOUR_TWO_PORTS_frame] = owner->other_frame;
}

/* It is asked and answers, and whoever asked does not go on. */
static void tell_unreached(struct track_neigh *t, const struct neighbour *n)
{
	const struct track_at at = { n->answered, n->first_ns, 0 };
	struct track_event *e = track_event_add(t->events, TRACK_EVENT_NEIGHBOUR_UNREACHED, &at);

	if (!e)
		return;
	e->flow = n->flow;
	track_event_cause(e, n->asked);
	put_address(&e->number[TRACK_NEIGHBOUR_UNREACHED_address], n->row.address);
	e->number[TRACK_NEIGHBOUR_UNREACHED_times] = n->times;
	e->number[TRACK_NEIGHBOUR_UNREACHED_ns] = n->last_ns - n->first_ns;
}

static void tell_other_qp(struct track_neigh *t, const struct neighbour *n)
{
	const struct track_at at = { n->other_frame, n->other_ns, 0 };
	struct track_event *e;

	if (n->others < OFTEN || n->back || n->row.qpn == n->other_qpn)
		return;
	e = track_event_add(t->events, TRACK_EVENT_NEIGHBOUR_OTHER_QP, &at);
	if (!e)
		return;
	e->flow = n->flow;
	track_event_cause(e, n->answered);
	e->number[TRACK_NEIGHBOUR_OTHER_QP_qpn] = n->other_qpn;
	e->number[TRACK_NEIGHBOUR_OTHER_QP_has] = n->row.qpn;
	e->number[TRACK_NEIGHBOUR_OTHER_QP_frame] = n->answered;
	put_address(&e->number[TRACK_NEIGHBOUR_OTHER_QP_address], n->row.address);
	e->number[TRACK_NEIGHBOUR_OTHER_QP_packets] = n->others;
}

static void tell_unused(struct track_neigh *t, const struct neighbour *n, const struct track_at *at)
{
	const struct gid_key *key = track_table_key(t->neighbours, n);
	struct track_event *e;

	if (n->followed || at->time_ns < n->time_ns + FOLLOWS_NS)
		return;
	if (is_often(n->times, n->first_ns, n->last_ns)) {
		tell_unreached(t, n);
		return;
	}
	e = track_event_add(t->events, TRACK_EVENT_NEIGHBOUR_UNUSED, at);
	if (!e)
		return;
	e->flow = n->flow;
	track_event_cause(e, n->asked);
	track_event_cause(e, n->answered);
	e->number[TRACK_NEIGHBOUR_UNUSED_gid] = ibw_get_be64(key->gid);
	e->number[TRACK_NEIGHBOUR_UNUSED_gid_low] = ibw_get_be64(key->gid + 8);
	if (ibw_gid_is_ipv4(n->row.address)) {
		e->number[TRACK_NEIGHBOUR_UNUSED_address] = ibw_get_be32(n->row.address + 12);
	} else {
		e->number[TRACK_NEIGHBOUR_UNUSED_ipv6] = ibw_get_be64(n->row.address);
		e->number[TRACK_NEIGHBOUR_UNUSED_ipv6_low] = ibw_get_be64(n->row.address + 8);
	}
	e->number[TRACK_NEIGHBOUR_UNUSED_qpn] = n->flow.dqpn;
	e->number[TRACK_NEIGHBOUR_UNUSED_asked] = n->asked;
	e->number[TRACK_NEIGHBOUR_UNUSED_answered] = n->answered;
}

/* It answers in connected mode where it takes that, which is not looked for here. */
static void tell_no_reply(struct track_neigh *t, const struct neighbour *n)
{
	const struct track_at at = { n->calls_last, n->calls_last_ns, 0 };
	struct track_event *e;

	if (!is_often(n->calls, n->calls_first_ns, n->calls_last_ns) || n->row.back ||
	    n->connected || n->told_pkey)
		return;
	e = track_event_add(t->events, TRACK_EVENT_NEIGHBOUR_NO_REPLY, &at);
	if (!e)
		return;
	e->flow = n->flow;
	track_event_cause(e, n->answered);
	track_event_cause(e, n->calls_first);
	put_address(&e->number[TRACK_NEIGHBOUR_NO_REPLY_address], n->row.address);
	e->number[TRACK_NEIGHBOUR_NO_REPLY_times] = n->calls;
	e->number[TRACK_NEIGHBOUR_NO_REPLY_ns] = n->calls_last_ns - n->calls_first_ns;
	e->number[TRACK_NEIGHBOUR_NO_REPLY_first] = n->calls_first;
	e->number[TRACK_NEIGHBOUR_NO_REPLY_answered] = n->answered;
}

void track_neigh_tell_neighbour(struct track_neigh *t, const struct neighbour *n,
				const struct track_at *at)
{
	tell_unused(t, n, at);
	tell_other_qp(t, n);
	tell_no_reply(t, n);
}

/* Whether answers to who asks can be in the capture at all. */
static bool is_heard(const struct track_neigh *t, const struct ask *ask)
{
	return ask->lid ? track_neigh_hears(t, (uint16_t)ask->lid) : t->plain_answers;
}

/* Not who looks whether its own address is taken. */
void track_neigh_tell_ask(struct track_neigh *t, const struct ask *ask)
{
	const struct ask_key *key = track_table_key(t->asks, ask);
	const struct track_at at = { ask->last, ask->last_ns, 0 };
	struct track_event *e;

	if (ask->answered || !memcmp(key->sender, key->target, 16) ||
	    !is_often(ask->times, ask->first_ns, ask->last_ns) || !is_heard(t, ask))
		return;
	e = track_event_add(t->events, TRACK_EVENT_NEIGHBOUR_SILENT, &at);
	if (!e)
		return;
	track_event_cause(e, ask->first);
	put_address(&e->number[TRACK_NEIGHBOUR_SILENT_address], key->target);
	e->number[TRACK_NEIGHBOUR_SILENT_times] = ask->times;
	e->number[TRACK_NEIGHBOUR_SILENT_ns] = ask->last_ns - ask->first_ns;
	e->number[TRACK_NEIGHBOUR_SILENT_first] = ask->first;
	e->number[TRACK_NEIGHBOUR_SILENT_lid] = ask->lid;
	e->number[TRACK_NEIGHBOUR_SILENT_cause] =
		track_neigh_why(t, ask, &e->number[TRACK_NEIGHBOUR_SILENT_cause_frame]);
	track_event_cause(e, e->number[TRACK_NEIGHBOUR_SILENT_cause_frame]);
}
