/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pairs_json.c - who sends to whom, as objects of JSON: most packets first, then what is of others. */
#include "lists.h"
#include "pcap-lint/incidents/incident.h"
#include "pcap-lint/base/json_write.h"
#include "pcap-lint/report/pairs.h"
#include "pcap-lint/report/report.h"

/* @flow NULL: of several pairs. */
static void object(struct pl_report *report, const struct pl_pair *pair,
		   const struct track_flow *flow)
{
	char src[TRACK_ADDRESS_TEXT], dst[TRACK_ADDRESS_TEXT];
	struct ibw_out *o = &report->output->out;
	enum track_address kind = flow ? (enum track_address)flow->address : TRACK_ADDRESS_NONE;

	pl_output_room(report->output);
	pl_json_begin(o, "pair");
	pl_json_number(o, "schema", PL_JSON_SCHEMA);
	pl_json_text(o, "file", report->frames.about);
	pl_json_text(o, "source", flow ? track_address_text(kind, flow->src, src) : NULL);
	pl_json_text(o, "destination", flow ? track_address_text(kind, flow->dst, dst) : NULL);
	pl_json_text(o, "service", flow ? pl_pair_service(pair) : NULL);
	pl_json_number(o, "packets", pair->packets);
	pl_json_number(o, "bytes", pair->bytes);
	pl_json_number(o, "more", pair->more);
	if (flow)
		pl_json_nodes(report, flow);
	pl_json_end(o);
}

void pl_json_pairs(struct pl_report *report)
{
	const struct pl_pair **sorted;
	struct track_flow flow;
	struct pl_pair rest;
	unsigned int i, n;

	sorted = pl_pairs_sorted(report->pairs, &n, &rest);
	for (i = 0; i < n; i++) {
		flow = sorted[i]->flow;
		track_flow_as_seen(&flow);
		object(report, sorted[i], &flow);
	}
	if (rest.packets)
		object(report, &rest, NULL);
	g_free(sorted);
}
