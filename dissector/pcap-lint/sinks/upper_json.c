/* SPDX-License-Identifier: GPL-2.0-or-later */
/* upper_json.c - operations of queues, and their commands, as objects of JSON. */
#include <stdlib.h>

#include "lists.h"
#include "pcap-lint/report/flow.h"
#include "pcap-lint/base/json_write.h"
#include "pcap-lint/report/upper.h"

static void begin(struct pl_report *report, const char *type, const struct track_ulp_queue *q,
		  uint32_t connection, const char *file)
{
	struct ibw_out *o = &report->output->out;

	pl_output_room(report->output);
	pl_json_begin(o, type);
	pl_json_number(o, "schema", PL_JSON_SCHEMA);
	pl_json_text(o, "file", file);
	pl_json_number_or_null(o, "connection", connection, connection != PL_UPPER_NOWHERE);
	pl_json_text(o, "protocol", pl_upper_protocol(q->ulp));
}

static bool has_id(const struct track_ulp_queue *q)
{
	return q->ulp == IBW_ULP_NVME && !q->id_unknown;
}

static void times(struct ibw_out *o, const struct track_ulp_operation *op,
		  const struct pl_frames *frames, const char *file)
{
	const struct track_histogram *h = &op->times;

	pl_json_key(o, "time");
	ibw_out_str(o, "{\"count\":");
	ibw_out_dec(o, track_histogram_count(h));
	pl_json_number(o, "p50", track_histogram_percentile(h, 500));
	pl_json_number(o, "p99", track_histogram_percentile(h, 990));
	pl_json_number(o, "p999", track_histogram_percentile(h, 999));
	pl_json_number(o, "max", h->max);
	pl_json_key(o, "frame");
	if (op->slowest_frame)
		pl_json_frame(o, frames, op->slowest_frame, file);
	else
		ibw_out_str(o, "null");
	ibw_out_char(o, '}');
}

static void operation(struct pl_report *report, const struct pl_upper *row)
{
	const struct track_ulp_operation *op = row->operation;
	const struct track_ulp_queue *q = row->queue;
	const char *file = pl_frames_place(&report->frames, q->first_frame).file;
	struct ibw_out *o = &report->output->out;
	char text[TRACK_ULP_TEXT];

	begin(report, "upper", q, row->connection, file);
	pl_json_key(o, "evidence");
	ibw_out_str(o, q->named ? "[\"option\"]" : "[\"content\"]");
	pl_json_number_or_null(o, "queue", q->id, has_id(q));
	pl_json_text(o, "operation", track_ulp_operation_text(q, op->code, text));
	pl_json_number(o, "count", op->count);
	pl_json_number(o, "errors", op->errors);
	pl_json_number(o, "bytes", op->bytes);
	pl_json_number(o, "open", op->open);
	pl_json_number(o, "open_max", op->open_max);
	times(o, op, &report->frames, file);
	pl_json_text(o, "subsystem", q->ulp == IBW_ULP_NVME ? q->name : NULL);
	pl_json_text(o, "target", q->ulp == IBW_ULP_NVME ? NULL : q->name);
	pl_json_end(o);
}

static void transfers(struct pl_report *report, const struct track_ulp_command *c, const char *file)
{
	struct ibw_out *o = &report->output->out;

	pl_json_key(o, "transfers");
	ibw_out_char(o, '[');
	if (c->transfers[0])
		pl_json_frame(o, &report->frames, c->transfers[0], file);
	if (c->transfers[1] > c->transfers[0]) {
		ibw_out_char(o, ',');
		pl_json_frame(o, &report->frames, c->transfers[1], file);
	}
	ibw_out_char(o, ']');
}

static void command(struct pl_report *report, const struct track_ulp_queue *q, uint32_t connection,
		    const struct track_ulp_command *c)
{
	static const char *const ends[] = { [TRACK_ULP_OPEN] = "open",
					    [TRACK_ULP_DONE] = "answered",
					    [TRACK_ULP_CLOSED] = "closed",
					    [TRACK_ULP_REPLACED] = "replaced" };
	const char *file = pl_frames_place(&report->frames, c->frame).file;
	bool done = c->end == TRACK_ULP_DONE;
	struct ibw_out *o = &report->output->out;
	char text[TRACK_ULP_TEXT], status[TRACK_ULP_STATUS_TEXT];

	begin(report, "command", q, connection, file);
	pl_json_number_or_null(o, "queue", q->id, has_id(q));
	pl_json_text(o, "name", track_ulp_operation_text(q, c->code, text));
	pl_json_number(o, "id", c->id);
	pl_json_frame_or_null(o, "frame", &report->frames, c->frame, file);
	pl_json_frame_or_null(o, "end", &report->frames, done ? c->end_frame : 0, file);
	pl_json_time(o, "time", true, c->time_ns);
	pl_json_number_or_null(o, "ns", c->ns, done);
	pl_json_text(o, "status", done ? pl_upper_status(q, c, status) : NULL);
	pl_json_number(o, "bytes", c->bytes);
	transfers(report, c, file);
	pl_json_text(o, "outcome", ends[c->end]);
	pl_json_number(o, "transferred", c->transferred);
	pl_json_end(o);
}

static int by_frame(const void *a, const void *b)
{
	const struct track_ulp_command *x = *(const struct track_ulp_command *const *)a;
	const struct track_ulp_command *y = *(const struct track_ulp_command *const *)b;

	return x->frame < y->frame ? -1 : x->frame > y->frame;
}

/* In the order they were asked, each whole. */
static void commands(struct pl_report *report, const struct track_ulps *ulps, const uint32_t *where)
{
	const struct track_ulp_command *all, **sorted;
	const struct track_ulp_queue *q;
	unsigned int i, n;

	all = track_ulps_records(ulps, &n);
	sorted = g_new(const struct track_ulp_command *, n + 1);
	for (i = 0; i < n; i++)
		sorted[i] = &all[i];
	qsort(sorted, n, sizeof(void *), by_frame);
	for (i = 0; i < n; i++) {
		q = track_ulps_queue(ulps, sorted[i]->queue);
		if (pl_upper_is_asked_for(report, q))
			command(report, q, where[q->number], sorted[i]);
	}
	g_free(sorted);
}

void pl_json_upper(struct pl_report *report, const struct track_ulps *ulps)
{
	unsigned int i, n;
	uint32_t *where = pl_upper_where(report, ulps);
	struct pl_upper *list = pl_upper_list(report, ulps, where, false, &n);

	for (i = 0; i < n; i++)
		operation(report, &list[i]);
	g_free(list);
	commands(report, ulps, where);
	g_free(where);
}
