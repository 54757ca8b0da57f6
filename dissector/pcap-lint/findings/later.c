/* SPDX-License-Identifier: GPL-2.0-or-later */
/* later.c - keeps copies of findings until the end of the capture. */
#include <glib.h>

#include "pcap-lint/report/flow.h"
#include "later.h"
#include "track/base/event.h"
#include "track/base/flow.h"
#include "track/track.h"
#include "track/way/qp.h"

struct copy {
	struct pl_waiting waiting;
	struct track_flow flow;
	struct track_event event;
	uint64_t *related;
	char *message;
};

struct pl_later {
	const struct track *track;
	GPtrArray *copies;
	uint64_t forgotten;
};

static void copy_free(void *p)
{
	struct copy *copy = p;

	g_free(copy->related);
	g_free(copy->message);
	g_free(copy);
}

struct pl_whose pl_whose(const struct track *track, const struct track_flow *flow)
{
	struct pl_whose whose = { 0 };

	if (!track || !flow)
		return whose;
	whose.known = track_connection_rank(track, flow, &whose.connection) &&
		      track_connection_serial(track, flow, &whose.serial);
	whose.service_id = track_connection_service(track, flow);
	return whose;
}

struct pl_later *pl_later_new(const struct track *track)
{
	struct pl_later *later = g_new0(struct pl_later, 1);

	later->track = track;
	later->copies = g_ptr_array_new_with_free_func(copy_free);
	return later;
}

void pl_later_free(struct pl_later *later)
{
	if (!later)
		return;
	g_ptr_array_unref(later->copies);
	g_free(later);
}

void pl_later_take(struct pl_later *later, const struct lint_finding *finding, uint64_t n,
		   uint64_t last_frame)
{
	struct lint_finding *f;
	struct copy *copy;

	if (later->copies->len == PL_LATER_MAX) {
		later->forgotten += n ? n : 1;
		return;
	}
	copy = g_new0(struct copy, 1);
	copy->waiting = (struct pl_waiting){ *finding, pl_whose(later->track, finding->flow), n,
					     last_frame };
	f = &copy->waiting.finding;
	if (finding->flow) {
		copy->flow = *finding->flow;
		f->flow = &copy->flow;
	}
	if (finding->event) {
		copy->event = *finding->event;
		f->event = &copy->event;
	}
	if (n) { /* it has no words */
		f->related = NULL;
		f->n_related = 0;
		f->message = NULL;
	} else {
		copy->message = g_strdup(finding->message);
		f->message = copy->message;
		copy->related =
			g_memdup2(finding->related, finding->n_related * sizeof(*finding->related));
		f->related = copy->related;
	}
	g_ptr_array_add(later->copies, copy);
}

/* A connection that was merged into another one since has that one's number, if that had begun by then. */
static void settle(struct pl_waiting *waiting, const struct track *track, GHashTable *by_serial)
{
	const struct track_qp *qp = g_hash_table_lookup(by_serial, &waiting->whose.serial);
	const struct track_flow *flow = waiting->finding.flow;

	if (!waiting->whose.known)
		return;
	if (qp)
		waiting->whose.connection = qp->number;
	else if (track_connection_number(track, flow) <= waiting->finding.frame)
		waiting->whose = pl_whose(track, flow);
	else
		waiting->whose.known = false;
}

void pl_later_settle(struct pl_later *later, const struct track_qp *const *qps, unsigned int n)
{
	GHashTable *by_serial = pl_flows_by_serial(qps, n);
	unsigned int i;

	for (i = 0; i < later->copies->len; i++)
		settle(&((struct copy *)g_ptr_array_index(later->copies, i))->waiting, later->track,
		       by_serial);
	g_hash_table_unref(by_serial);
}

void pl_later_each(const struct pl_later *later, pl_later_do *what, void *user)
{
	const struct copy *copy;
	unsigned int i;

	for (i = 0; i < later->copies->len; i++) {
		copy = g_ptr_array_index(later->copies, i);
		what(user, &copy->waiting);
	}
}

bool pl_later_has_room(const struct pl_later *later)
{
	return later->copies->len < PL_LATER_MAX;
}

uint64_t pl_later_forgotten(const struct pl_later *later)
{
	return later->forgotten;
}
