/* SPDX-License-Identifier: GPL-2.0-or-later */
/* incidents.c - the incidents of a capture, and the words for them. */
#include <glib.h>

#include "incident.h"

const struct track_incident_row track_incident_rows[TRACK_INCIDENT_COUNT] = {
#define TRACK_INCIDENT(id, name, one, many, is) { name, one, many, is },
#include "incident.def"
};

struct track_incidents *track_incidents_new(void)
{
	return g_new0(struct track_incidents, 1);
}

void track_incidents_manage(struct track_incidents *list, const struct track_incident *incident)
{
	list->managed = g_renew(struct track_incident, list->managed, list->n_managed + 1);
	list->managed[list->n_managed++] = *incident;
}

void track_incident_copied(struct track_incident *incident, uint64_t first_ns, uint64_t again_frame,
			   uint64_t again_ns)
{
	incident->notice_frame = incident->resent_frame = again_frame;
	if (again_frame && again_ns > first_ns)
		incident->noticed_ns = MIN(again_ns - first_ns, incident->ns);
	if (again_frame)
		incident->repaired_ns = incident->ns - incident->noticed_ns;
	else
		incident->resent_ns = incident->ns;
}

void track_incidents_free(struct track_incidents *list)
{
	if (!list)
		return;
	g_free(list->kept);
	g_free(list->managed);
	g_free(list);
}
