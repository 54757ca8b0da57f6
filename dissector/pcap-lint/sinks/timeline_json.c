/* SPDX-License-Identifier: GPL-2.0-or-later */
/* timeline_json.c - timelines in JSON: a list per figure, with a number per interval. */
#include "pcap-lint/base/json_write.h"
#include "timeline.h"
#include "pcap-lint/report/upper.h"

static void begin_list(struct ibw_out *o, const char *name, bool first)
{
	if (!first)
		ibw_out_char(o, ',');
	pl_json_string(o, name);
	ibw_out_str(o, ":[");
}

static void list(struct pl_output *output, const char *name, const struct track_timeline *t,
		 enum track_way way, enum track_bin_figure figure)
{
	struct ibw_out *o = &output->out;
	uint32_t i;

	begin_list(o, name, figure == 0);
	for (i = 0; i < t->n; i++) {
		pl_output_room(output);
		if (i)
			ibw_out_char(o, ',');
		ibw_out_dec(o, t->bin[i].way[way][figure]);
	}
	ibw_out_char(o, ']');
}

/* @ns: how long, not how many */
static void pauses(struct pl_output *output, const char *name, const struct track_timeline *t,
		   bool ns)
{
	uint32_t i;

	begin_list(&output->out, name, false);
	for (i = 0; i < t->n; i++) {
		pl_output_room(output);
		if (i)
			ibw_out_char(&output->out, ',');
		ibw_out_dec(&output->out, ns ? t->bin[i].paused_ns : t->bin[i].pause);
	}
	ibw_out_char(&output->out, ']');
}

static void lists(struct pl_output *output, const char *key, const struct track_timeline *t,
		  enum track_way way, bool all)
{
	unsigned int i;

	pl_json_key(&output->out, key);
	ibw_out_char(&output->out, '{');
	for (i = 0; i < TRACK_BIN_COUNT; i++) {
		list(output, track_bin_names[i], t, way, (enum track_bin_figure)i);
		if (all && i == TRACK_BIN_open_max)
			pauses(output, "pause", t, false);
	}
	if (all)
		pauses(output, "paused_ns", t, true);
	ibw_out_char(&output->out, '}');
}

static void begin(struct pl_report *report, const struct track_timeline *t,
		  const struct track_qp *qp)
{
	struct ibw_out *o = &report->output->out;

	pl_output_room(report->output);
	pl_json_begin(o, "timeline");
	pl_json_number(o, "schema", PL_JSON_SCHEMA);
	pl_json_text(o, "file",
		     qp ? pl_frames_place(&report->frames, qp->first_frame).file
			: report->frames.about);
	pl_json_number_or_null(o, "connection", qp ? qp->number : 0, qp);
	pl_json_time(o, "start", true, t->first * t->interval_ns);
	pl_json_number(o, "interval_ns", t->interval_ns);
	pl_json_number(o, "intervals", t->n);
}

static void numbers(struct pl_output *output, const char *name, const uint32_t *list, uint32_t n,
		    bool first)
{
	uint32_t i;

	begin_list(&output->out, name, first);
	for (i = 0; i < n; i++) {
		pl_output_room(output);
		if (i)
			ibw_out_char(&output->out, ',');
		ibw_out_dec(&output->out, list[i]);
	}
	ibw_out_char(&output->out, ']');
}

/* Commands of upper layers, where there are any. */
static void commands(struct pl_output *output, struct pl_upper_changes *changes,
		     const struct track_timeline *t, uint32_t connection)
{
	struct pl_upper_bins bins;

	if (!pl_upper_bins_of(changes, t, connection, &bins))
		return;
	pl_json_key(&output->out, "commands");
	ibw_out_char(&output->out, '{');
	numbers(output, "answered", bins.answered, bins.n, true);
	numbers(output, "open_max", bins.open_max, bins.n, false);
	ibw_out_char(&output->out, '}');
	pl_upper_bins_free(&bins);
}

void pl_json_timeline(struct pl_report *report, const struct track_qp *const *qps, unsigned int n)
{
	struct pl_output *output = report->output;
	const struct track_timeline *t = track_qps_timeline(track_streams(report->track));
	struct pl_upper_changes *changes = pl_upper_changes_of(report);
	unsigned int i;

	if (t && !pl_chosen_any(&report->options->chosen)) {
		begin(report, t, NULL);
		lists(output, "all", t, TRACK_A_TO_B, true);
		commands(output, changes, t, PL_UPPER_NOWHERE);
		pl_json_end(&output->out);
	}
	for (i = 0; i < n; i++) {
		t = track_qp_timeline(qps[i]);
		if (!t)
			continue;
		begin(report, t, qps[i]);
		lists(output, "a_to_b", t, TRACK_A_TO_B, false);
		lists(output, "b_to_a", t, TRACK_B_TO_A, false);
		commands(output, changes, t, qps[i]->number);
		pl_json_end(&output->out);
	}
	g_free(changes);
}
