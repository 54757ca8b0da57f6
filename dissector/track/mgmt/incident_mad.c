/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * incident_mad.c - makes an incident of MAD requests with one cause that were seen more than once, were answered late, or not
 * at all.
 *
 * Its root is the request that waited longest. The lost time is all time in which one of the requests waited: from its first
 * copy to its answer, or, without an answer, to its last copy, as it is unknown how long its sender waited after that.
 */
#include <glib.h>

#include "incident_mad.h"
#include "track/incident/incident.h"
#include "track/way/qp_impl.h"

static uint64_t took(const struct track_mad_asked *a)
{
	return track_mad_asked_end(a) - a->first_ns;
}

/* Each moment once. */
static uint64_t waited_ns(const struct track_mads_asked *mads, const struct track_mads_alike *these)
{
	const struct track_mad_asked *a;
	uint64_t ns = 0, until = 0, end;
	uint32_t i;

	for (i = 0; i < these->n; i++) {
		a = track_mads_asked_at(mads, these->from + i);
		end = track_mad_asked_end(a);
		if (end <= until)
			continue;
		ns += end - MAX(a->first_ns, until);
		until = end;
	}
	return ns;
}

static const struct track_mad_asked *root_of(const struct track_mads_asked *mads,
					     const struct track_mads_alike *these)
{
	const struct track_mad_asked *root = track_mads_asked_at(mads, these->from), *a;
	uint32_t i;

	for (i = 1; i < these->n; i++) {
		a = track_mads_asked_at(mads, these->from + i);
		if (took(a) > took(root))
			root = a;
	}
	return root;
}

static void set_frames(struct track_incident *incident, const struct track_mads_asked *mads,
		       const struct track_mads_alike *these)
{
	const struct track_mad_asked *a;
	uint64_t shown;
	uint32_t i;

	for (i = 0; i < these->n; i++) {
		a = track_mads_asked_at(mads, these->from + i);
		shown = track_mad_asked_shown(a);
		if (!incident->frame || shown < incident->frame) {
			incident->frame = shown;
			incident->time_ns = track_mad_asked_shown_ns(a);
		}
		incident->last_frame =
			MAX(incident->last_frame, MAX(a->last_frame, a->answer_frame));
		incident->resent_packets += a->copies - 1;
	}
}

static struct track_incident incident_of(const struct track_mads_asked *mads, uint32_t number)
{
	const struct track_mads_alike *these = &mads->alike[number];
	const struct track_mad_asked *root = root_of(mads, these);
	struct track_incident incident = {
		.kind = TRACK_INCIDENT_MAD,
		.mads = number + 1,
		.way = TRACK_A_TO_B,
		.root_frame = root->first_frame,
		.end_frame = root->answer_frame,
		.end_ns = track_mad_asked_end(root),
		.copies = root->copies,
		.known = true,
		.ended = root->answer_frame != 0,
		.ns = waited_ns(mads, these),
	};

	set_frames(&incident, mads, these);
	track_incident_copied(&incident, root->first_ns, root->again_frame, root->again_ns);
	return incident;
}

void track_incidents_of_mads(struct track_qps *s, struct track_mads_asked *mads)
{
	struct track_incident incident;
	uint32_t from, i;

	if (!s->incidents || !mads->n)
		return;
	track_mads_asked_sort(mads);
	from = s->incidents->n_managed;
	for (i = 0; i < mads->n_alike; i++) {
		incident = incident_of(mads, i);
		track_incidents_manage(s->incidents, &incident);
	}
	track_incidents_sort_managed(s->incidents, from);
}
