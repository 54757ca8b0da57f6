/* SPDX-License-Identifier: GPL-2.0-or-later */
/* series_json.c - the series of a direction: a list of each figure, a number each column that has something in it. */
#include "json_write.h"
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

/* For each column with a packet: how it is written. */
#define EACH_COLUMN(output, t, name, write)                                                        \
	do {                                                                                       \
		bool any = false;                                                                  \
		uint32_t i;                                                                        \
                                                                                                   \
		begin_list(output, name);                                                          \
		for (i = 0; i < (t)->n; i++) {                                                     \
			const struct track_column *c = &(t)->column[i];                            \
                                                                                                   \
			if (!c->first_frame)                                                       \
				continue;                                                          \
			pl_output_room(output);                                                    \
			if (any)                                                                   \
				ibw_out_char(&(output)->out, ',');                                 \
			any = true;                                                                \
			write;                                                                     \
		}                                                                                  \
		ibw_out_char(&(output)->out, ']');                                                 \
	} while (0)

/* All of a series, with those that are empty. */
struct columns {
	struct track_column *column;
	uint32_t n;
};

static void columns(struct pl_report *report, const struct columns *t, const char *file)
{
	struct pl_output *output = report->output;
	struct ibw_out *o = &output->out;
	char name[32];
	unsigned int of;

	EACH_COLUMN(output, t, "column", ibw_out_dec(o, i));
	EACH_COLUMN(output, t, "first_frame",
		    pl_json_frame(o, &report->frames, c->first_frame, file));
	EACH_COLUMN(output, t, "packets", ibw_out_dec(o, c->packets));
	EACH_COLUMN(output, t, "wire_bytes", ibw_out_dec(o, c->wire_bytes));
	for (of = 0; of < TRACK_SERIES_OFS; of++) {
		g_snprintf(name, sizeof(name), "%s_low", track_series_names[of]);
		EACH_COLUMN(output, t, name, psn(o, c->low[of]));
		g_snprintf(name, sizeof(name), "%s_high", track_series_names[of]);
		EACH_COLUMN(output, t, name, psn(o, c->high[of]));
	}
	EACH_COLUMN(output, t, "covered", psn(o, c->covered));
}

static void marks(struct pl_report *report, const struct track_series *t, const char *file)
{
	struct pl_output *output = report->output;
	struct ibw_out *o = &output->out;
	const struct track_series_mark *m;
	uint64_t n = 0;
	uint32_t i;

	begin_list(output, "marks");
	for (i = 0; (m = track_series_mark_at(t, i)); i++) {
		pl_output_room(output);
		ibw_out_str(o, i ? ",{\"kind\":" : "{\"kind\":");
		pl_json_string(o, track_series_mark_names[m->kind]);
		pl_json_key(o, "frame");
		pl_json_frame(o, &report->frames, m->frame, file);
		pl_json_time(o, "time", true, m->time_ns);
		pl_json_key(o, "psn");
		psn(o, m->psn);
		ibw_out_char(o, '}');
	}
	ibw_out_char(o, ']');
	for (i = 0; i < TRACK_SERIES_MARK_KINDS; i++)
		n += t->marks[i];
	pl_json_number(o, "marks_left_out", n - t->n_marks);
	pl_json_counts(o, "marks_of", track_series_mark_names, t->marks, TRACK_SERIES_MARK_KINDS);
}

static void direction(struct pl_report *report, const struct track_qp *qp, enum track_way way)
{
	const struct track_series *t = track_dir_series(&qp->dir[way]);
	const char *file = pl_frames_place(&report->frames, qp->first_frame).file;
	struct ibw_out *o = &report->output->out;
	struct columns all;

	if (!t || !t->n)
		return;
	all.column = track_series_columns(t, &all.n);
	pl_output_room(report->output);
	pl_json_begin(o, "series");
	pl_json_number(o, "schema", PL_JSON_SCHEMA);
	pl_json_text(o, "file", file);
	pl_json_number(o, "connection", qp->number);
	pl_json_text(o, "direction", way == TRACK_A_TO_B ? "a_to_b" : "b_to_a");
	pl_json_number(o, "psn", t->base & 0xffffff);
	pl_json_time(o, "start", true, t->first * t->interval_ns);
	pl_json_number(o, "interval_ns", t->interval_ns);
	pl_json_number(o, "columns", all.n);
	columns(report, &all, file);
	marks(report, t, file);
	pl_json_end(o);
	g_free(all.column);
}

void pl_json_series(struct pl_report *report, const struct track_qp *const *qps, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		direction(report, qps[i], TRACK_A_TO_B);
		direction(report, qps[i], TRACK_B_TO_A);
	}
}
