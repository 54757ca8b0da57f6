/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * incident_rmpp.c - makes an incident of an RMPP transfer with missing or repeated segments, or without its end.
 *
 * Its root is the segment that was first missing or repeated, or the last one before the end. The lost time is all time in
 * which the transfer was held up: while a segment was missing, and before a packet that repeats a segment or stops the
 * transfer.
 */
#include <glib.h>

#include "incident_rmpp.h"
#include "track/incident/incident.h"
#include "track/way/qp_impl.h"

static struct track_incident incident_of(const struct track_transfer_troubles *troubles,
					 uint32_t number)
{
	const struct track_transfer_trouble *is = &troubles->trouble[number];
	const bool was_missing = is->shown_frame == is->gap_frame;
	struct track_incident incident = {
		.kind = TRACK_INCIDENT_RMPP,
		.transfer = number + 1,
		.way = TRACK_A_TO_B,
		.frame = is->shown_frame,
		.time_ns = is->shown_ns,
		.root_frame = is->root_frame,
		.end_frame = is->end_frame,
		.last_frame = is->last_frame,
		.end_ns = is->held_until_ns,
		.copies = is->copies,
		.resent_packets = is->again,
		.known = true,
		.ended = is->end_frame != 0,
		.ns = is->held_ns,
	};

	track_incident_copied(&incident, was_missing ? is->shown_ns : is->root_ns, is->again_frame,
			      is->again_ns);
	return incident;
}

void track_incidents_of_transfers(struct track_qps *s,
				  const struct track_transfer_troubles *troubles)
{
	struct track_incident incident;
	uint32_t from, i;

	if (!s->incidents || !troubles)
		return;
	from = s->incidents->n_managed;
	for (i = 0; i < troubles->n; i++) {
		incident = incident_of(troubles, i);
		track_incidents_manage(s->incidents, &incident);
	}
	track_incidents_sort_managed(s->incidents, from);
}
