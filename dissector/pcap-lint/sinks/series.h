/* SPDX-License-Identifier: GPL-2.0-or-later */
/* series.h - series in a report. */
#ifndef PL_SERIES_H
#define PL_SERIES_H

#include "pcap-lint/report/report.h"

/* One line of JSON a direction. */
void pl_json_series(struct pl_report *report, const struct track_qp *const *qps, unsigned int n);

#endif /* PL_SERIES_H */
