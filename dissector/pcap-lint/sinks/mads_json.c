/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mads_json.c - MAD clients and attributes as objects of JSON: their figures in the order of mad_figures.def. */
#include "lists.h"
#include "pcap-lint/report/flow.h"
#include "pcap-lint/base/json_write.h"
#include "pcap-lint/report/mads.h"

static void object(struct pl_report *report, const char *type, const struct track_mad_counts *c)
{
	const char *file = pl_frames_place(&report->frames, c->first_frame).file;
	struct ibw_out *o = &report->output->out;
	char client[TRACK_ADDRESS_TEXT], node[TRACK_NODE_SHORT];
	unsigned int i;

	pl_output_room(report->output);
	pl_json_begin(o, type);
	pl_json_number(o, "schema", PL_JSON_SCHEMA);
	pl_json_text(o, "file", file);
	if (c->kind != TRACK_ADDRESS_NONE)
		pl_json_text(o, "client", pl_mad_client(c, client));
	pl_json_number(o, "class", c->mgmt_class);
	pl_json_text(o, "class_name", pl_mad_class(c));
	if (c->kind == TRACK_ADDRESS_NONE) {
		pl_json_number(o, "attribute", c->attr_id);
		pl_json_text(o, "attribute_name", pl_mad_attribute(c));
	}
	pl_json_key(o, "first_frame");
	pl_json_frame(o, &report->frames, c->first_frame, file);
	pl_json_key(o, "last_frame");
	pl_json_frame(o, &report->frames, c->last_frame, file);
	for (i = 0; i < TRACK_MAD_FIGURE_COUNT; i++)
		pl_json_number(o, track_mad_figure_names[i],
			       track_mad_figure(c, (enum track_mad_figure)i));
	pl_json_histogram(report->output, "response_time", &c->times);
	if (c->kind != TRACK_ADDRESS_NONE) {
		pl_mad_client_node(report, c, node);
		pl_json_text(o, "client_node", *node ? node : NULL);
		pl_json_number_or_null(o, "agent", c->agent, c->agent != TRACK_MAD_NO_AGENT);
	}
	pl_json_end(o);
}

static void objects(struct pl_report *report, const struct track_transact *mads, bool clients)
{
	const struct track_mad_counts **all;
	unsigned int n, i;

	all = pl_mads_sorted(mads, clients, &n);
	for (i = 0; i < n; i++)
		object(report, clients ? "mad_client" : "mad_attribute", all[i]);
	g_free(all);
}

void pl_json_mads(struct pl_report *report, const struct track_transact *mads)
{
	objects(report, mads, true);
	objects(report, mads, false);
}
