/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * incident_stall.c - makes an incident of lost TCP segments of an iWARP connection.
 *
 * The lost time is the time that the octets after them waited; for octets that the capture has, the time since the other end
 * could have acknowledged them.
 */
#include <glib.h>

#include "incident_stall.h"
#include "track/incident/incident.h"
#include "track/way/qp_impl.h"

static uint64_t between(uint64_t from_ns, uint64_t to_ns)
{
	return to_ns > from_ns ? to_ns - from_ns : 0;
}

static void set_times(struct track_incident *incident, const struct track_stall *is)
{
	uint64_t since = is->start_ns;

	incident->ns = between(is->start_ns, is->end_ns);
	if (is->notice_frame) {
		incident->noticed_ns = MIN(between(since, is->notice_ns), incident->ns);
		since += incident->noticed_ns;
	}
	if (!is->resent_frame) {
		incident->resent_ns = incident->ns - incident->noticed_ns;
		return;
	}
	incident->resent_ns =
		MIN(between(since, is->resent_ns), incident->ns - incident->noticed_ns);
	incident->repaired_ns = incident->ns - incident->noticed_ns - incident->resent_ns;
}

static struct track_incident incident_of(const struct track_stall *is, uint32_t number)
{
	struct track_incident incident = {
		.kind = TRACK_INCIDENT_SEGMENT_LOST,
		.stall = number + 1,
		.way = is->way,
		.frame = is->frame,
		.time_ns = is->time_ns,
		.root_frame = is->root_frame,
		.notice_frame = is->notice_frame,
		.resent_frame = is->resent_frame,
		.end_frame = is->end_frame,
		.last_frame = is->last_frame,
		.end_ns = is->end_ns,
		.resent_bytes = is->resent_octets,
		.resent_packets = is->resent_packets,
		.copies = is->copies,
		.ended = is->ended,
	};

	set_times(&incident, is);
	return incident;
}

void track_incidents_of_stalls(struct track_qps *s, const struct track_stalls *stalls)
{
	const struct track_stall *stall;
	struct track_incident incident;
	uint32_t n, i;

	if (!s->incidents || !stalls)
		return;
	stall = track_stalls_list(stalls, &n);
	for (i = 0; i < n; i++) {
		incident = incident_of(&stall[i], i);
		track_incidents_manage(s->incidents, &incident);
	}
}
