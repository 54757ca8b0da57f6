/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * series_json.c - the series of a direction in JSON: a list per column with packets and per mark, and counts of those that are
 * not kept.
 */
#include "pcap-lint/base/json_write.h"
#include "series.h"
#include "track/measure/series.h"

static void begin_list(struct pl_output *output, const char *name)
{
	pl_json_key(&output->out, name);
	ibw_out_char(&output->out, '[');
}

static void signed_number(struct ibw_out *o, int64_t n)
{
	if (n < 0)
		ibw_out_char(o, '-');
	ibw_out_dec(o, n < 0 ? (uint64_t)-n : (uint64_t)n);
}

/* A PSN since the first one, or null. */
static void psn(struct ibw_out *o, int32_t n)
{
	if (n == TRACK_SERIES_NONE)
		ibw_out_str(o, "null");
	else
		signed_number(o, n);
}

/* An entry of a list of lists. */
static void begin_entry(struct pl_output *output, bool *any)
{
	pl_output_room(output);
	ibw_out_str(&output->out, *any ? ",[" : "[");
	*any = true;
}

static void columns(struct pl_report *report, const struct track_series *t, const char *file)
{
	struct pl_output *output = report->output;
	struct ibw_out *o = &output->out;
	struct track_column *column;
	bool any = false;
	unsigned int of;
	uint32_t i, n;

	column = track_series_columns(t, &n);
	begin_list(output, "columns");
	for (i = 0; i < n; i++) {
		const struct track_column *c = &column[i];

		if (!c->first_frame)
			continue;
		begin_entry(output, &any);
		ibw_out_dec(o, i);
		ibw_out_char(o, ',');
		pl_json_frame(o, &report->frames, c->first_frame, file);
		ibw_out_char(o, ',');
		ibw_out_dec(o, c->packets);
		ibw_out_char(o, ',');
		ibw_out_dec(o, c->wire_bytes);
		for (of = 0; of < TRACK_SERIES_OFS; of++) {
			ibw_out_char(o, ',');
			psn(o, c->low[of]);
			ibw_out_char(o, ',');
			psn(o, c->high[of]);
		}
		ibw_out_char(o, ',');
		psn(o, c->covered);
		ibw_out_char(o, ']');
	}
	ibw_out_char(o, ']');
	g_free(column);
}

static void marks(struct pl_report *report, const struct track_series *t, const char *file)
{
	struct pl_output *output = report->output;
	struct ibw_out *o = &output->out;
	const struct track_series_mark *m;
	bool any = false;
	uint32_t i;

	begin_list(output, "marks");
	for (i = 0; (m = track_series_mark_at(t, i)); i++) {
		begin_entry(output, &any);
		signed_number(o, (int64_t)(m->time_ns / t->interval_ns - t->first));
		ibw_out_char(o, ',');
		pl_json_frame(o, &report->frames, m->frame, file);
		ibw_out_char(o, ',');
		pl_json_string(o, track_series_mark_names[m->kind]);
		ibw_out_char(o, ',');
		psn(o, m->psn);
		ibw_out_char(o, ']');
	}
	ibw_out_char(o, ']');
}

static void more(struct pl_report *report, const struct track_series *t)
{
	struct pl_output *output = report->output;
	struct ibw_out *o = &output->out;
	bool any = false;
	unsigned int kind;
	uint32_t i;

	begin_list(output, "more");
	for (i = 0; i < TRACK_SERIES_COLUMNS; i++)
		for (kind = 0; kind < TRACK_SERIES_MARK_KINDS; kind++) {
			uint32_t n = track_series_more(t, i, kind);

			if (!n)
				continue;
			begin_entry(output, &any);
			ibw_out_dec(o, i);
			ibw_out_char(o, ',');
			pl_json_string(o, track_series_mark_names[kind]);
			ibw_out_char(o, ',');
			ibw_out_dec(o, n);
			ibw_out_char(o, ']');
		}
	ibw_out_char(o, ']');
}

static void direction(struct pl_report *report, const struct track_qp *qp, enum track_way way)
{
	const struct track_series *t = track_dir_series(&qp->dir[way]);
	const char *file = pl_frames_place(&report->frames, qp->first_frame).file;
	struct ibw_out *o = &report->output->out;

	if (!t || !t->n)
		return;
	pl_output_room(report->output);
	pl_json_begin(o, "series");
	pl_json_number(o, "schema", PL_JSON_SCHEMA);
	pl_json_text(o, "file", file);
	pl_json_number(o, "connection", qp->number);
	pl_json_text(o, "direction", way == TRACK_A_TO_B ? "a_to_b" : "b_to_a");
	pl_json_time(o, "start", true, t->first * t->interval_ns);
	pl_json_number(o, "interval_ns", t->interval_ns);
	pl_json_number(o, "psn", t->base & 0xffffff);
	columns(report, t, file);
	marks(report, t, file);
	more(report, t);
	pl_output_room(report->output);
	pl_json_end(o);
}

void pl_json_series(struct pl_report *report, const struct track_qp *const *qps, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		direction(report, qps[i], TRACK_A_TO_B);
		direction(report, qps[i], TRACK_B_TO_A);
	}
}
