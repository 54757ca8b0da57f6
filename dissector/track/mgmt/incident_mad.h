/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * incident_mad.h - MAD requests that were seen more than once, or got no answer in time, one incident per cause.
 */
#ifndef IBWIRE_TRACK_INCIDENT_MAD_H
#define IBWIRE_TRACK_INCIDENT_MAD_H

#include "mad_asked.h"
#include "track/way/qp.h"

/* The capture has ended: those of @mads, which it sorts, go to the incidents of @s, if somebody asked for any. */
void track_incidents_of_mads(struct track_qps *s, struct track_mads_asked *mads);

#endif /* IBWIRE_TRACK_INCIDENT_MAD_H */
