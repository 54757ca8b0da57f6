/* SPDX-License-Identifier: GPL-2.0-or-later */
/* incident_cm.h - conversations of the CM in which something went wrong, one incident each. */
#ifndef IBWIRE_TRACK_INCIDENT_CM_H
#define IBWIRE_TRACK_INCIDENT_CM_H

#include "track/cm/cm_list.h"
#include "track/way/qp.h"

/* The capture has ended: those of @cm go to the incidents of @s as the first managed ones, if somebody asked for any. */
void track_incidents_of_cm(struct track_qps *s, const struct track_cm_list *cm);

#endif /* IBWIRE_TRACK_INCIDENT_CM_H */
