/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cm.h - conversations of the CM in a report: the lines of JSON, the table of --stats. Their figures are those of
 * track/cm/cm_figures.def, which has their names and titles. A is the client, B the server.
 */
#ifndef PL_CM_H
#define PL_CM_H

#include "pcap-lint/base/columns.h"
#include "report.h"
#include "track/cm/cm_list.h"

/*
 * Worst first: those that came to nothing or did not end in order, then by retries, then by first frame.
 * Those that are asked for; g_free() it.
 */
const struct track_cm_record **pl_cm_sorted(const struct track_cm_list *list,
					    const struct pl_chosen *chosen, unsigned int *n);

/* "10.7.0.1" */
const char *pl_cm_address(const struct track_cm_record *r, enum track_cm_side side,
			  char buf[TRACK_ADDRESS_TEXT]);

/* "host 3": the node of a side; "": not known. */
const char *pl_cm_node(const struct pl_report *report, const struct track_cm_record *r,
		       enum track_cm_side side, char buf[TRACK_NODE_SHORT]);

/* The first @most of them as a table; *@n: all. */
struct pl_columns *pl_cm_columns(const struct pl_report *report, const struct track_cm_list *list,
				 unsigned int most, unsigned int *n);

#endif /* PL_CM_H */
