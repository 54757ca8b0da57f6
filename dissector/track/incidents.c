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

void track_incidents_free(struct track_incidents *list)
{
	if (!list)
		return;
	g_free(list->kept);
	g_free(list->managed);
	g_free(list);
}
