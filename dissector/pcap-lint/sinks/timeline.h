/* SPDX-License-Identifier: GPL-2.0-or-later */
/* timeline.h - figures by intervals: --interval. */
#ifndef PL_TIMELINE_H
#define PL_TIMELINE_H

#include "pcap-lint/report/report.h"
#include "track/measure/timeline.h"

/* An object of all connections together, and one of each. */
void pl_json_timeline(struct pl_report *report, const struct track_qp *const *qps, unsigned int n);

/* All connections together, in a few lines. */
void pl_text_timeline(struct pl_report *report, const struct track_qp *const *qps, unsigned int n);

#endif /* PL_TIMELINE_H */
