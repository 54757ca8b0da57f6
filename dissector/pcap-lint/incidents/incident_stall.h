/* SPDX-License-Identifier: GPL-2.0-or-later */
/* incident_stall.h - sentences about incidents of lost TCP segments. */
#ifndef PL_INCIDENT_STALL_H
#define PL_INCIDENT_STALL_H

#include "incident.h"

void pl_out_stall(const struct pl_incident_line *l, const struct track_stall *is);

/* Of its segments, as events and findings have it. */
void pl_stall_flow(const struct track_stall *is, struct track_flow *flow);

#endif /* PL_INCIDENT_STALL_H */
