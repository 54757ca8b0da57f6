/* SPDX-License-Identifier: GPL-2.0-or-later */
/* incident_rmpp.h - RMPP transfers in which something went wrong, one incident each. */
#ifndef IBWIRE_TRACK_INCIDENT_RMPP_H
#define IBWIRE_TRACK_INCIDENT_RMPP_H

#include "track/view/rmpp_trouble.h"
#include "track/way/qp.h"

/* The capture has ended: those of @troubles go to the incidents of @s, if somebody asked for any. */
void track_incidents_of_transfers(struct track_qps *s,
				  const struct track_transfer_troubles *troubles);

#endif /* IBWIRE_TRACK_INCIDENT_RMPP_H */
