/* SPDX-License-Identifier: GPL-2.0-or-later */
/* verdict_iwarp.c - the sentence about Terminates of iWARP: which end refused which message, and why. */
#include "chosen.h"
#include "verdict.h"
#include "lint/iwp.h"
#include "track/iwarp/iwarp.h"

static bool is_asked_for(const struct pl_report *report, const struct track_event *e)
{
	return pl_chosen_flow(&report->options->chosen, report->track, &e->flow) == PL_CHOSEN_YES;
}

/* The one that sent the Terminate, or the other one. */
static void out_end(struct ibw_out *o, const struct track_event *e, bool other)
{
	char address[TRACK_ADDRESS_TEXT];

	ibw_out_str(o, track_address_text((enum track_address)e->flow.address,
					  other ? e->flow.dst : e->flow.src, address));
	ibw_out_str(o, " port ");
	ibw_out_dec(o, other ? e->flow.dqpn : e->flow.sport);
}

/* "10.7.0.2 port 7400 refused RDMA Write of frame 10, STag 0x98b0200, offset 0x0, of 10.7.0.1 port 59736: DDP, ..., Invalid STag" */
bool pl_verdict_say_iwarp(const struct pl_report *report, struct ibw_out *o)
{
	const struct track_iwarp *iwarp =
		report->track ? track_iwarp_connections(report->track) : NULL;
	const struct track_event *first = NULL, *e;
	unsigned int i, more = 0;

	for (i = 0; iwarp && i < iwarp->terminates->len; i++) {
		e = &g_array_index(iwarp->terminates, struct track_event, i);
		if (!is_asked_for(report, e))
			continue;
		more += first != NULL;
		first = first ? first : e;
	}
	if (!first)
		return false;
	out_end(o, first, false);
	ibw_out_str(o, " refused ");
	if (!lint_out_refused(o, first))
		ibw_out_str(o, "a message");
	ibw_out_str(o, ", of ");
	out_end(o, first, true);
	ibw_out_str(o, ": ");
	lint_out_terminate(o, first);
	ibw_out_str(o, "; that ends the connection");
	if (more) {
		ibw_out_str(o, "; and ");
		pl_out_counted(o, more, "more direction");
	}
	return true;
}
