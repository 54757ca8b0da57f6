/* SPDX-License-Identifier: GPL-2.0-or-later */
/* verdict_iwarp.c - the sentences about iWARP: which end refused which message, and why; for how long TCP held messages up. */
#include "pcap-lint/options/chosen.h"
#include "verdict.h"
#include "lint/upper/iwp.h"
#include "track/iwarp/iwarp.h"

/* The one that sent it, or the other one. */
static void out_end(struct ibw_out *o, const struct track_event *e, bool other)
{
	char address[TRACK_ADDRESS_TEXT];

	ibw_out_str(o, track_address_text((enum track_address)e->flow.address,
					  other ? e->flow.dst : e->flow.src, address));
	ibw_out_str(o, " port ");
	ibw_out_dec(o, other ? e->flow.dqpn : e->flow.sport);
}

static void out_more(struct ibw_out *o, unsigned int more)
{
	if (!more)
		return;
	ibw_out_str(o, "; and ");
	pl_out_counted(o, more, "more direction");
}

/* Whether a finding says it, of what is asked for. */
static bool is_told(const struct pl_report *report, const struct track_event *e,
		    enum track_event_kind kind)
{
	return e->kind == kind && (kind != TRACK_EVENT_IWARP_TCP || lint_is_slow_tcp(e)) &&
	       pl_chosen_flow(&report->options->chosen, report->track, &e->flow) == PL_CHOSEN_YES;
}

/* How long it took, and then how many segments were sent again. */
static bool is_worse(const struct track_event *a, const struct track_event *b)
{
	const uint64_t *one = a->number, *other = b->number;
	uint64_t took = MAX(one[TRACK_IWARP_TCP_stall], one[TRACK_IWARP_TCP_unacknowledged]);
	uint64_t before = MAX(other[TRACK_IWARP_TCP_stall], other[TRACK_IWARP_TCP_unacknowledged]);

	if (took != before)
		return took > before;
	return one[TRACK_IWARP_TCP_resent] > other[TRACK_IWARP_TCP_resent];
}

/* Of Terminates the first, of what TCP did the worst; NULL: there is none. @more: how many others. */
static const struct track_event *chosen(const struct pl_report *report, enum track_event_kind kind,
					unsigned int *more)
{
	const struct track_iwarp *iwarp =
		report->track ? track_iwarp_connections(report->track) : NULL;
	const struct track_event *found = NULL, *e;
	unsigned int i;

	*more = 0;
	for (i = 0; iwarp && i < iwarp->told->len; i++) {
		e = &g_array_index(iwarp->told, struct track_event, i);
		if (!is_told(report, e, kind))
			continue;
		*more += found != NULL;
		if (!found || (kind == TRACK_EVENT_IWARP_TCP && is_worse(e, found)))
			found = e;
	}
	return found;
}

/* "10.7.0.2 port 7400 refused RDMA Write of frame 10, STag 0x98b0200, offset 0x0, of 10.7.0.1 port 59736: DDP, ..., Invalid STag" */
static bool say_refused(const struct pl_report *report, struct ibw_out *o)
{
	unsigned int more;
	const struct track_event *e = chosen(report, TRACK_EVENT_IWARP_TERMINATE, &more);

	if (!e)
		return false;
	out_end(o, e, false);
	ibw_out_str(o, " refused ");
	if (!lint_out_refused(o, e))
		ibw_out_str(o, "a message");
	ibw_out_str(o, ", of ");
	out_end(o, e, true);
	ibw_out_str(o, ": ");
	lint_out_terminate(o, e);
	ibw_out_str(o, "; that ends the connection");
	out_more(o, more);
	return true;
}

/* "10.7.0.1 port 52422 -> 10.7.0.2 port 7174: 5 of 112 segments were retransmitted; messages were held up for 4.1 ms by octets ..." */
static bool say_slow(const struct pl_report *report, struct ibw_out *o)
{
	char text[LINT_IWP_TEXT];
	unsigned int more;
	const struct track_event *e = chosen(report, TRACK_EVENT_IWARP_TCP, &more);

	if (!e)
		return false;
	out_end(o, e, false);
	ibw_out_str(o, " -> ");
	out_end(o, e, true);
	ibw_out_str(o, ": ");
	ibw_out_str(o, lint_tcp_text(e, text));
	out_more(o, more);
	return true;
}

bool pl_verdict_say_iwarp(const struct pl_report *report, enum pl_state state, struct ibw_out *o)
{
	if (state == PL_STATE_TERMINATED)
		return say_refused(report, o);
	return state == PL_STATE_HELD_UP && say_slow(report, o);
}
