/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * congestion.c - makes an incident of the marks and CNPs of a way of a connection.
 *
 * Its root is the first packet that is marked, or the first CNP. The capture shows no lost time: a sender that is slowed down
 * still makes progress.
 */
#include <glib.h>

#include "incident.h"
#include "track/way/qp_impl.h"

void track_congestion_keep(struct track_incidents *list, const struct track_marked_way *way)
{
	struct track_marked_ways *all = &list->congested;

	if (all->n == TRACK_CONGESTIONS_MAX) {
		all->more++;
		return;
	}
	if (all->n == all->room) {
		all->room = all->room ? 2 * all->room : 16;
		all->way = g_renew(struct track_marked_way, all->way, all->room);
	}
	all->way[all->n++] = *way;
}

static struct track_incident incident_of(const struct track_marked_way *is, uint32_t number)
{
	const bool by_cnp = is->bare_frame && (!is->mark_frame || is->bare_frame < is->mark_frame);

	return (struct track_incident){
		.kind = TRACK_INCIDENT_CONGESTION,
		.congestion = number + 1,
		.serial = is->serial,
		.way = is->way,
		.frame = by_cnp ? is->bare_frame : is->mark_frame,
		.time_ns = by_cnp ? is->bare_ns : is->mark_ns,
		.root_frame = by_cnp ? is->bare_frame : is->mark_frame,
		.notice_frame = is->cnp_frame,
		.last_frame = MAX(is->mark_last_frame, is->cnp_last_frame),
		.ended = true,
	};
}

void track_incidents_of_congestion(struct track_qps *s)
{
	struct track_incidents *list = s->incidents;
	struct track_incident incident;
	uint32_t from, i;

	if (!list)
		return;
	from = list->n_managed;
	for (i = 0; i < list->congested.n; i++) {
		incident = incident_of(&list->congested.way[i], i);
		track_incidents_manage(list, &incident);
	}
	track_incidents_sort_managed(list, from);
}
