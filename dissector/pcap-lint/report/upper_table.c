/* SPDX-License-Identifier: GPL-2.0-or-later */
/* upper_table.c - operations of queues as a table of each upper layer, the slowest first. */
#include <string.h>

#include "pcap-lint/base/columns.h"
#include "flow.h"
#include "upper.h"

#define CELL 64

enum {
	CONNECTION,
	QUEUE,
	OPERATION,
	COUNT,
	ERRORS,
	OPEN,
	OPEN_MAX,
	BYTES,
	TIMES,
	SLOWEST,
	COLUMNS
};

static const struct pl_column titles[COLUMNS] = {
	[CONNECTION] = { "connection", true },
	[QUEUE] = { "queue", false },
	[OPERATION] = { "operation", false },
	[COUNT] = { "commands", true },
	[ERRORS] = { "failed", true },
	[OPEN] = { "not answered", true },
	[OPEN_MAX] = { "open at most", true },
	[BYTES] = { "data", true },
	[TIMES] = { "answer p50/p99/p99.9", true },
	[SLOWEST] = { "slowest", false },
};

static void number(char *buf, uint64_t n)
{
	if (n)
		g_snprintf(buf, CELL, "%" G_GUINT64_FORMAT, (guint64)n);
}

static void times(char *buf, const struct track_histogram *h)
{
	static const unsigned int thousandths[] = { 500, 990, 999 };
	struct ibw_out o = ibw_out_open(buf, CELL);
	unsigned int i;
	char text[CELL];

	for (i = 0; h->n && i < G_N_ELEMENTS(thousandths); i++) {
		pl_time_text(text, sizeof(text),
			     MIN(track_histogram_percentile(h, thousandths[i]), h->max));
		ibw_out_str(&o, i ? " / " : "");
		ibw_out_str(&o, text);
	}
	ibw_out_close(&o);
}

/* "12.3 ms, frame 80" */
static void slowest(const struct pl_report *report, char *buf, const struct pl_upper *upper)
{
	const char *file = pl_frames_place(&report->frames, upper->queue->first_frame).file;
	const struct track_ulp_operation *op = upper->operation;
	struct ibw_out o = ibw_out_open(buf, CELL);
	char text[CELL];

	if (op->slowest_frame) {
		pl_time_text(text, sizeof(text), op->times.max);
		ibw_out_str(&o, text);
		ibw_out_str(&o, ", frame ");
		pl_out_frame(&o, &report->frames, op->slowest_frame, file);
	}
	ibw_out_close(&o);
}

static void row(const struct pl_report *report, struct pl_columns *columns,
		const struct pl_upper *upper)
{
	const struct track_ulp_operation *op = upper->operation;
	char cell[COLUMNS][CELL];
	const char *cells[COLUMNS];
	unsigned int i;

	memset(cell, 0, sizeof(cell));
	for (i = 0; i < COLUMNS; i++)
		cells[i] = cell[i];
	if (upper->connection != PL_UPPER_NOWHERE)
		g_snprintf(cell[CONNECTION], CELL, "%u", upper->connection);
	if (upper->queue->id)
		g_snprintf(cell[QUEUE], CELL, "%u", upper->queue->id);
	else if (upper->queue->ulp == IBW_ULP_NVME && !upper->queue->id_unknown)
		g_strlcpy(cell[QUEUE], "admin", CELL);
	track_ulp_operation_text(upper->queue, op->code, cell[OPERATION]);
	number(cell[COUNT], op->count);
	number(cell[ERRORS], op->errors);
	number(cell[OPEN], op->open);
	number(cell[OPEN_MAX], op->open_max);
	if (op->bytes)
		pl_bytes_text(cell[BYTES], CELL, op->bytes);
	times(cell[TIMES], &op->times);
	slowest(report, cell[SLOWEST], upper);
	pl_columns_add(columns, cells);
}

/* The first @most rows of one upper layer; how many there are, shown or not. */
static unsigned int add_rows(const struct pl_report *report, struct pl_columns *columns,
			     const struct pl_upper *list, unsigned int n, unsigned int ulp,
			     unsigned int most)
{
	unsigned int i, all = 0;

	for (i = 0; i < n; i++)
		if (list[i].queue->ulp == ulp && all++ < most)
			row(report, columns, &list[i]);
	return all;
}

void pl_upper_each(const struct pl_report *report, const struct track_ulps *ulps, unsigned int most,
		   pl_columns_take *table, void *user)
{
	unsigned int n, ulp, all;
	uint32_t *where = pl_upper_where(report, ulps);
	struct pl_upper *list = pl_upper_list(report, ulps, where, true, &n);
	struct pl_columns *columns;
	char *title;

	for (ulp = 0; n && ulp < IBW_ULP_COUNT; ulp++) {
		columns = pl_columns_new(titles, COLUMNS);
		all = add_rows(report, columns, list, n, ulp, most);
		/* NVMe has queues with a number of their own. */
		title = g_strdup_printf("%s commands by %soperation, slowest first",
					pl_upper_protocol(ulp),
					ulp == IBW_ULP_NVME ? "queue and " : "");
		if (all)
			table(user, title, columns, all - MIN(all, most));
		g_free(title);
		pl_columns_free(columns);
	}
	g_free(list);
	g_free(where);
}
