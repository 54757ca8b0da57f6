/* SPDX-License-Identifier: GPL-2.0-or-later */
/* incident_stall.h - TCP segments of iWARP connections that were lost and held messages up, one incident each. */
#ifndef IBWIRE_TRACK_INCIDENT_STALL_H
#define IBWIRE_TRACK_INCIDENT_STALL_H

#include "stall.h"
#include "track/way/qp.h"

/* The capture has ended: those of @stalls go to the incidents of @s, if somebody asked for any. */
void track_incidents_of_stalls(struct track_qps *s, const struct track_stalls *stalls);

#endif /* IBWIRE_TRACK_INCIDENT_STALL_H */
