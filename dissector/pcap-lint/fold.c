/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fold.c - incidents by connection and first packet, to be found by a frame. */
#include <stdlib.h>

#include "fold.h"
#include "sink.h"
#include "track/context.h"
#include "verdict.h"

/* An incident, and of those of its connection that begin no later the one that goes on longest. */
struct fold {
	struct pl_incident *incident, *longest;
};

struct pl_folds {
	struct fold *fold; /* by connection, then by first packet */
	unsigned int n;
	GHashTable *refused; /* frame of the NAK -> struct pl_incident */
};

/* Its first packet: that of what is in the way may come before the one that shows it. */
static uint64_t first_of(const struct pl_incident *i)
{
	uint64_t root = i->incident->root_frame;

	return root ? MIN(root, i->incident->frame) : i->incident->frame;
}

/* Its last packet: what nothing answered goes on to the end. */
static uint64_t last_of(const struct pl_incident *i)
{
	return i->incident->ended ? i->incident->last_frame : UINT64_MAX;
}

static int in_order(const void *a, const void *b)
{
	const struct pl_incident *one = ((const struct fold *)a)->incident;
	const struct pl_incident *other = ((const struct fold *)b)->incident;

	if (one->qp->number != other->qp->number)
		return one->qp->number < other->qp->number ? -1 : 1;
	if (first_of(one) != first_of(other))
		return first_of(one) < first_of(other) ? -1 : 1;
	return one->number < other->number ? -1 : one->number > other->number;
}

struct pl_folds *pl_folds_new(const struct pl_report *report, struct pl_incident *incidents,
			      unsigned int n)
{
	struct pl_folds *folds = g_new0(struct pl_folds, 1);
	struct fold *f;
	unsigned int i;

	folds->fold = g_new(struct fold, n + 1);
	for (i = 0; i < n; i++)
		if (pl_incident_is_told(report, &incidents[i]))
			folds->fold[folds->n++].incident = &incidents[i];
	qsort(folds->fold, folds->n, sizeof(*folds->fold), in_order);
	folds->refused = g_hash_table_new(g_int64_hash, g_int64_equal);
	for (i = 0; i < folds->n; i++) {
		f = &folds->fold[i];
		if (f->incident->incident->kind == TRACK_INCIDENT_REFUSED)
			g_hash_table_insert(folds->refused,
					    (void *)&f->incident->incident->nak_frame, f->incident);
		f->longest = f->incident;
		if (i && f[-1].incident->qp == f->incident->qp &&
		    last_of(f[-1].longest) > last_of(f->incident))
			f->longest = f[-1].longest;
	}
	return folds;
}

void pl_folds_free(struct pl_folds *folds)
{
	if (!folds)
		return;
	g_hash_table_unref(folds->refused);
	g_free(folds->fold);
	g_free(folds);
}

/* How many come before packets after @frame of the connection of that number. */
static unsigned int before(const struct pl_folds *folds, uint32_t connection, uint64_t frame)
{
	unsigned int low = 0, high = folds->n, middle;

	while (low < high) {
		const struct pl_incident *i;

		middle = low + (high - low) / 2;
		i = folds->fold[middle].incident;
		if (i->qp->number < connection ||
		    (i->qp->number == connection && first_of(i) <= frame))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool pl_folds_has(const struct pl_folds *folds, const struct track_qp *qp)
{
	unsigned int n = before(folds, qp->number, UINT64_MAX);

	return n && folds->fold[n - 1].incident->qp == qp;
}

static const struct pl_incident *find(const struct pl_folds *folds, uint32_t connection,
				      uint64_t frame)
{
	unsigned int n = before(folds, connection, frame);
	const struct fold *f = n ? &folds->fold[n - 1] : NULL;

	if (!f || f->incident->qp->number != connection)
		return NULL;
	if (last_of(f->incident) >= frame)
		return f->incident;
	return last_of(f->longest) >= frame ? f->longest : NULL;
}

void pl_fold_refusal(struct pl_folds *folds, const struct lint_finding *finding)
{
	struct pl_incident *i;

	if (finding->rule != LINT_QPS012)
		return;
	i = g_hash_table_lookup(folds->refused, &finding->frame);
	if (i)
		i->message = finding->message;
}

const struct pl_incident *pl_fold_of(const struct pl_folds *folds, const struct track *track,
				     const struct lint_finding *finding)
{
	const struct pl_incident *found;
	uint32_t connection;
	unsigned int i;

	if (!folds->n || !finding->flow || !track || !pl_verdict_tells(finding->rule) ||
	    !track_connection_rank(track, finding->flow, &connection))
		return NULL;
	found = find(folds, connection, finding->frame);
	for (i = 0; !found && i < MIN(finding->n_related, PL_RELATED_SHOWN); i++)
		found = find(folds, connection, finding->related[i]);
	return found;
}
