/* SPDX-License-Identifier: GPL-2.0-or-later */
/* incident_cc.h - sentences about incidents of marks and CNPs. */
#ifndef PL_INCIDENT_CC_H
#define PL_INCIDENT_CC_H

#include "incident.h"

/* @proved: no CNP came for any queue pair of their sender. */
void pl_out_congestion(const struct pl_incident_line *l, const struct track_marked_way *is,
		       bool proved);

#endif /* PL_INCIDENT_CC_H */
