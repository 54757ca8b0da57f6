/* SPDX-License-Identifier: GPL-2.0-or-later */
/* incident_cc.h - incidents of marks and CNPs: what is said of one. */
#ifndef PL_INCIDENT_CC_H
#define PL_INCIDENT_CC_H

#include "incident.h"

struct pl_cc_line {
	const struct pl_report *report;
	struct ibw_out *o;
	bool proved;      /* no CNP came for any queue pair of their sender */
	const char *file; /* whose frames have their numbers; NULL: all have those of the report */
};

void pl_out_congestion(const struct pl_cc_line *l, const struct track_marked_way *is);

#endif /* PL_INCIDENT_CC_H */
