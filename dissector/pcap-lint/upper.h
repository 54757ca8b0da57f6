/* SPDX-License-Identifier: GPL-2.0-or-later */
/* upper.h - commands of upper layers in a report: what each queue was asked to do, and each command. */
#ifndef PL_UPPER_H
#define PL_UPPER_H

#include "columns.h"
#include "report.h"
#include "track/ulp/ulp.h"

/* One operation of one queue. */
struct pl_upper {
	const struct track_ulp_queue *queue;
	const struct track_ulp_operation *operation;
	uint32_t connection; /* its number, or PL_UPPER_NOWHERE */
};

/* upper_where.c: the connection of each queue, by its number; g_free() it. PL_UPPER_NOWHERE: it is not known. */
#define PL_UPPER_NOWHERE UINT32_MAX
uint32_t *pl_upper_where(const struct pl_report *report, const struct track_ulps *ulps);

/*
 * Those of the queues that are asked for, in the order they began, with their connections (pl_upper_where()); @slowest: the slowest operation first. g_free() it;
 * *@n: how many.
 */
struct pl_upper *pl_upper_list(const struct pl_report *report, const struct track_ulps *ulps,
			       const uint32_t *where, bool slowest, unsigned int *n);

/* Whether a queue is asked for. */
bool pl_upper_is_asked_for(const struct pl_report *report, const struct track_ulp_queue *q);

/* "NVMe-oF": as flow has it; of enum ibw_ulp. */
const char *pl_upper_protocol(unsigned int ulp);

/* What the answer to a command of the queue says, in words; returns @buf. */
const char *pl_upper_status(const struct track_ulp_queue *q, const struct track_ulp_command *c,
			    char buf[TRACK_ULP_STATUS_TEXT]);

/* A table of each upper layer that there is any command of, its first @most rows. */
typedef void pl_upper_table(void *user, const char *title, const struct pl_columns *columns,
			    unsigned int more);
void pl_upper_each(const struct pl_report *report, const struct track_ulps *ulps, unsigned int most,
		   pl_upper_table *table, void *user);

/* The lines of JSON; the tables of --stats. */
void pl_json_upper(struct pl_report *report, const struct track_ulps *ulps);
void pl_text_upper(struct pl_report *report, const struct track_ulps *ulps);

#endif /* PL_UPPER_H */
