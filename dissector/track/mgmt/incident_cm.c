/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * incident_cm.c - makes an incident of a CM conversation with messages that were seen more than once, or were never
 * answered.
 *
 * Its root is the message that waited longest for its answer, or one that never got any. The lost time is all time in
 * which one of these messages waited: from its first copy to its answer, or, without an answer, to the last message of
 * the conversation.
 */
#include <glib.h>

#include "incident_cm.h"
#include "track/cm/cm_asked.h"
#include "track/incident/incident.h"
#include "track/stream/qps.h"
#include "track/way/qp_impl.h"

static uint64_t end_of(const struct track_cm_asked *a, const struct track_cm_record *r)
{
	return MAX(a->answer ? a->answer_ns : r->last_ns, a->first_ns);
}

static const struct track_cm_asked *root_of(const struct track_cm_asked *asked, unsigned int n,
					    const struct track_cm_record *r)
{
	const struct track_cm_asked *root = asked, *a;

	for (a = asked + 1; a < asked + n; a++) {
		uint64_t took = end_of(a, r) - a->first_ns;
		uint64_t longest = end_of(root, r) - root->first_ns;

		if (!a->answer > !root->answer || (!a->answer == !root->answer && took > longest))
			root = a;
	}
	return root;
}

/* Each moment once. */
static uint64_t waited_ns(const struct track_cm_asked *asked, unsigned int n,
			  const struct track_cm_record *r)
{
	uint64_t ns = 0, until = 0, end;
	unsigned int i;

	for (i = 0; i < n; i++) {
		end = end_of(&asked[i], r);
		if (end <= until)
			continue;
		ns += end - MAX(asked[i].first_ns, until);
		until = end;
	}
	return ns;
}

static void set_frames(struct track_incident *incident, const struct track_cm_asked *asked,
		       unsigned int n)
{
	const struct track_cm_asked *a;

	for (a = asked; a < asked + n; a++) {
		uint64_t shown = a->again_frame ? a->again_frame : a->first_frame;

		if (!incident->frame || shown < incident->frame) {
			incident->frame = shown;
			incident->time_ns = a->again_frame ? a->again_ns : a->first_ns;
		}
		incident->last_frame =
			MAX(incident->last_frame, MAX(a->last_frame, a->answer_frame));
		incident->resent_packets += a->copies - 1;
	}
}

static struct track_incident incident_of(const struct track_cm_asked *asked, unsigned int n,
					 const struct track_cm_record *r)
{
	const struct track_cm_asked *root = root_of(asked, n, r);
	struct track_incident incident = {
		.kind = TRACK_INCIDENT_CM,
		.cm_frame = r->first_frame,
		.way = root->side == TRACK_CM_CLIENT ? TRACK_A_TO_B : TRACK_B_TO_A,
		.root_frame = root->first_frame,
		.end_frame = root->answer_frame,
		.end_ns = end_of(root, r),
		.copies = root->copies,
		.opcode = root->message,
		.known = true,
		.ended = root->answer != 0,
		.ns = waited_ns(asked, n, r),
	};

	set_frames(&incident, asked, n);
	track_incident_copied(&incident, root->first_ns, root->again_frame, root->again_ns);
	return incident;
}

void track_incidents_of_cm(struct track_qps *s, const struct track_cm_list *cm)
{
	struct track_cm_asked asked[TRACK_CM_ASKED_MAX];
	const struct track_cm_record *r = NULL;
	struct track_incident incident;
	const struct track_qp *qp;
	unsigned int n;

	if (!s->incidents)
		return;
	s->incidents->n_managed = 0;
	while ((r = track_cm_list_next(cm, r))) {
		n = track_cm_list_asked(cm, r, asked);
		if (!n)
			continue;
		incident = incident_of(asked, n, r);
		qp = track_qps_of_cm(s, incident.cm_frame);
		incident.serial = qp ? qp->serial : 0;
		track_incidents_manage(s->incidents, &incident);
	}
}
