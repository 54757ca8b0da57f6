/* SPDX-License-Identifier: GPL-2.0-or-later */
/* flow_waited.c - what connections waited for, each and all together: track/measure/waits.def. */
#include <string.h>

#include "flow.h"
#include "pcap-lint/base/json_write.h"

void pl_flow_waited(const struct pl_report *report, const struct track_qp *qp,
		    uint64_t ns[TRACK_WAIT_COUNT])
{
	uint16_t doubt = (uint16_t)(report->doubt | track_qp_doubt(qp));
	unsigned int i;

	for (i = 0; i < TRACK_WAIT_COUNT; i++)
		ns[i] = track_waited_ns(qp, (enum track_wait)i, doubt);
}

uint64_t pl_flows_waited(const struct pl_report *report, const struct track_qp *const *qps,
			 unsigned int n, uint64_t ns[TRACK_WAIT_COUNT])
{
	uint64_t one[TRACK_WAIT_COUNT], sum = 0;
	unsigned int i, wait;

	memset(ns, 0, sizeof(one));
	for (i = 0; i < n; i++) {
		pl_flow_waited(report, qps[i], one);
		for (wait = 0; wait < TRACK_WAIT_COUNT; wait++)
			ns[wait] += one[wait];
	}
	for (wait = 0; wait < TRACK_WAIT_COUNT; wait++)
		sum += ns[wait];
	return sum;
}

void pl_out_share(struct ibw_out *o, uint64_t some, uint64_t all)
{
	double tenths = (double)some * 1000 / (double)all;
	uint64_t rounded = (uint64_t)(tenths + 0.5);

	ibw_out_dec(o, rounded / 10);
	ibw_out_char(o, '.');
	ibw_out_dec(o, rounded % 10);
	ibw_out_str(o, " %");
}

void pl_out_waits(struct ibw_out *o, const uint64_t ns[TRACK_WAIT_COUNT], uint64_t all)
{
	const char *before = "";
	unsigned int i;

	for (i = 0; i < TRACK_WAIT_COUNT; i++) {
		if (!ns[i])
			continue;
		ibw_out_str(o, before);
		ibw_out_str(o, track_wait_rows[i].title);
		ibw_out_char(o, ' ');
		pl_out_share(o, ns[i], all);
		before = ", ";
	}
}

void pl_text_waited(struct pl_report *report, const struct track_qp *const *qps, unsigned int n)
{
	struct ibw_out *o = &report->output->out;
	uint64_t ns[TRACK_WAIT_COUNT], all = pl_flows_waited(report, qps, n, ns);

	if (!all)
		return;
	pl_output_room(report->output);
	pl_out_files(o, &report->frames);
	ibw_out_str(o, ": who waited: ");
	pl_out_waits(o, ns, all);
	ibw_out_str(o, ", of ");
	pl_out_ns(o, all);
	ibw_out_str(o, n == 1 ? " of 1 connection\n" : " of all connections\n");
}

void pl_text_qp_waited(struct pl_report *report, const struct track_qp *qp)
{
	struct ibw_out *o = &report->output->out;
	uint64_t ns[TRACK_WAIT_COUNT], all = pl_flows_waited(report, &qp, 1, ns);

	if (!all)
		return;
	pl_output_room(report->output);
	ibw_out_str(o, "      waited: ");
	pl_out_waits(o, ns, all);
	ibw_out_char(o, '\n');
}

void pl_json_waits(struct ibw_out *o, const uint64_t ns[TRACK_WAIT_COUNT])
{
	unsigned int i;

	for (i = 0; i < TRACK_WAIT_COUNT; i++) {
		if (i)
			ibw_out_char(o, ',');
		pl_json_string(o, track_wait_rows[i].name);
		ibw_out_char(o, ':');
		ibw_out_dec(o, ns[i]);
	}
}

void pl_json_waited(struct pl_report *report, const struct track_qp *const *qps, unsigned int n)
{
	struct ibw_out *o = &report->output->out;
	uint64_t ns[TRACK_WAIT_COUNT];

	pl_flows_waited(report, qps, n, ns);
	pl_output_room(report->output);
	pl_json_begin(o, "waited");
	pl_json_number(o, "schema", PL_JSON_SCHEMA);
	pl_json_text(o, "file", report->frames.about);
	pl_json_number(o, "connections", n);
	ibw_out_char(o, ',');
	pl_json_waits(o, ns);
	pl_json_end(o);
}
