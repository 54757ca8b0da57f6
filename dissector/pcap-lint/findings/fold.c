/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fold.c - finds incidents by direction and frame. */
#include <stdlib.h>
#include <string.h>

#include "fold.h"
#include "pcap-lint/report/sink.h"
#include "pcap-lint/verdict/verdict.h"
#include "track/track.h"
#include "track/way/qp_state.h"

/* An incident, and of those of its direction that begin no later the one that goes on longest. */
struct fold {
	struct pl_incident *incident, *longest;
	uint64_t from; /* the frame with which it begins */
};

/* By direction, then by where they begin. */
struct sorted {
	struct fold *fold;
	unsigned int n;
};

struct pl_folds {
	struct sorted shown;  /* from the packets that show them on */
	struct sorted begun;  /* from the first packets of what is in the way on */
	GHashTable *messages; /* frame of a message of the CM, or of another MAD -> incident */
	GHashTable *
		transfers; /* frame of a transfer of RMPP -> incident: what stops it may be a message, too */
	GPtrArray *stalls; /* those of iWARP */
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

static bool is_of(const struct pl_incident *i, uint32_t connection, unsigned int way)
{
	return i->qp->number == connection && i->incident->way == way;
}

static int in_order(const void *a, const void *b)
{
	const struct fold *x = a, *y = b;
	const struct pl_incident *one = x->incident, *other = y->incident;

	if (one->qp->number != other->qp->number)
		return one->qp->number < other->qp->number ? -1 : 1;
	if (one->incident->way != other->incident->way)
		return (int)one->incident->way - (int)other->incident->way;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return one->number < other->number ? -1 : one->number > other->number;
}

static void sort(struct sorted *sorted)
{
	struct fold *f;
	unsigned int i;

	qsort(sorted->fold, sorted->n, sizeof(*f), in_order);
	for (i = 0; i < sorted->n; i++) {
		f = &sorted->fold[i];
		f->longest = f->incident;
		if (i &&
		    is_of(f[-1].incident, f->incident->qp->number, f->incident->incident->way) &&
		    last_of(f[-1].longest) > last_of(f->incident))
			f->longest = f[-1].longest;
	}
}

static void add(struct sorted *sorted, struct pl_incident *incident, uint64_t from)
{
	sorted->fold[sorted->n++] = (struct fold){ .incident = incident, .from = from };
}

static void add_messages(struct pl_folds *folds, const struct pl_report *report,
			 struct pl_incident *incident)
{
	GHashTable *of = incident->transfer ? folds->transfers : folds->messages;
	GArray *frames = pl_incident_known_by(report, incident);
	unsigned int i;

	for (i = 0; i < frames->len; i++)
		g_hash_table_insert(
			of, g_memdup2(&g_array_index(frames, uint64_t, i), sizeof(uint64_t)),
			incident);
	g_array_unref(frames);
}

/* Of directions of iWARP, by the direction, then in the order of their ends. */
static int by_flow(const struct pl_incident *incident, const struct track_flow *flow)
{
	struct track_flow own;

	pl_incident_flow(incident, &own);
	return memcmp(&own, flow, sizeof(own));
}

static int by_end(const void *a, const void *b)
{
	const struct pl_incident *one = *(struct pl_incident *const *)a;
	const struct pl_incident *other = *(struct pl_incident *const *)b;
	struct track_flow flow;
	int by;

	pl_incident_flow(other, &flow);
	by = by_flow(one, &flow);
	if (by)
		return by;
	if (last_of(one) != last_of(other))
		return last_of(one) < last_of(other) ? -1 : 1;
	return one->number < other->number ? -1 : one->number > other->number;
}

struct pl_folds *pl_folds_new(const struct pl_report *report, struct pl_incident *incidents,
			      unsigned int n, bool all)
{
	struct pl_folds *folds = g_new0(struct pl_folds, 1);
	unsigned int i;

	folds->shown.fold = g_new(struct fold, n + 1);
	folds->begun.fold = g_new(struct fold, n + 1);
	folds->messages = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
	folds->transfers = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
	folds->stalls = g_ptr_array_new();
	for (i = 0; i < n; i++) {
		if (!all && !pl_incident_is_told(report, &incidents[i]))
			continue;
		if (incidents[i].stall) {
			g_ptr_array_add(folds->stalls, &incidents[i]);
			continue;
		}
		if (!incidents[i].qp) {
			add_messages(folds, report, &incidents[i]);
			continue;
		}
		add(&folds->shown, &incidents[i], incidents[i].incident->frame);
		add(&folds->begun, &incidents[i], first_of(&incidents[i]));
	}
	sort(&folds->shown);
	sort(&folds->begun);
	g_ptr_array_sort(folds->stalls, by_end);
	return folds;
}

void pl_folds_free(struct pl_folds *folds)
{
	if (!folds)
		return;
	g_free(folds->shown.fold);
	g_free(folds->begun.fold);
	g_hash_table_unref(folds->messages);
	g_hash_table_unref(folds->transfers);
	g_ptr_array_unref(folds->stalls);
	g_free(folds);
}

/* How many come before what begins after @frame, of a way of the connection of that number. */
static unsigned int before(const struct sorted *sorted, uint32_t connection, unsigned int way,
			   uint64_t frame)
{
	unsigned int low = 0, high = sorted->n, middle;

	while (low < high) {
		const struct pl_incident *i;

		middle = low + (high - low) / 2;
		i = sorted->fold[middle].incident;
		if (i->qp->number < connection ||
		    (i->qp->number == connection &&
		     (i->incident->way < way ||
		      (i->incident->way == way && sorted->fold[middle].from <= frame))))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool pl_folds_has(const struct pl_folds *folds, const struct track_qp *qp)
{
	unsigned int n = before(&folds->begun, qp->number, TRACK_WAYS, 0);

	return n && folds->begun.fold[n - 1].incident->qp == qp;
}

static struct pl_incident *find(const struct sorted *sorted, uint32_t connection, unsigned int way,
				uint64_t frame)
{
	unsigned int n = before(sorted, connection, way, frame);
	const struct fold *f = n ? &sorted->fold[n - 1] : NULL;

	if (!f || !is_of(f->incident, connection, way))
		return NULL;
	if (last_of(f->incident) >= frame)
		return f->incident;
	return last_of(f->longest) >= frame ? f->longest : NULL;
}

/* The way of the requests that it is about, as far as its event says. */
static unsigned int way_of(const struct lint_finding *finding)
{
	const struct track_event *e = finding->event;

	if (!e)
		return TRACK_A_TO_B;
	return track_event_untrue(e).shown == TRACK_SHOWN_ANSWERS ? !e->way : e->way;
}

/* That which went on by then comes before one whose first packet it only is. */
static struct pl_incident *at(const struct pl_folds *folds, uint32_t connection, unsigned int way,
			      uint64_t frame)
{
	struct pl_incident *found = find(&folds->shown, connection, way, frame);

	return found ? found : find(&folds->begun, connection, way, frame);
}

/* The first one of its direction that goes on then. */
static struct pl_incident *stalled(const struct pl_folds *folds, const struct lint_finding *finding,
				   uint64_t frame)
{
	unsigned int low = 0, high = finding->flow ? folds->stalls->len : 0, middle;
	struct pl_incident *at;
	int by;

	while (low < high) {
		middle = low + (high - low) / 2;
		at = folds->stalls->pdata[middle];
		by = by_flow(at, finding->flow);
		if (by < 0 || (!by && last_of(at) < frame))
			low = middle + 1;
		else
			high = middle;
	}
	at = finding->flow && low < folds->stalls->len ? folds->stalls->pdata[low] : NULL;
	return at && !by_flow(at, finding->flow) && at->incident->frame <= frame ? at : NULL;
}

/* That of its message; of one that is not listed, that of an earlier one to which it is related. */
static struct pl_incident *managed(const struct pl_folds *folds, const struct lint_finding *finding,
				   uint64_t frame)
{
	GHashTable *of = pl_trace_about(finding->rule) == PL_ABOUT_TRANSFERS ? folds->transfers
									     : folds->messages;
	struct pl_incident *found = g_hash_table_lookup(of, &frame);
	unsigned int i;

	for (i = 0; !found && i < finding->n_related; i++)
		found = g_hash_table_lookup(of, &finding->related[i]);
	return found;
}

struct pl_incident *pl_fold_of(const struct pl_folds *folds, const struct pl_waiting *waiting,
			       uint64_t frame)
{
	const struct lint_finding *finding = &waiting->finding;
	const unsigned int way = way_of(finding);
	struct pl_incident *found = NULL;
	unsigned int i, j;

	if (pl_trace_about(finding->rule) == PL_ABOUT_SEGMENTS)
		return stalled(folds, finding, frame);
	if (pl_is_managed_trace(finding->rule))
		return managed(folds, finding, frame);
	if (!folds->begun.n || !waiting->whose.known || !pl_is_trace(finding->rule))
		return NULL;
	for (j = 0; !found && j <= MIN(finding->n_related, PL_RELATED_SHOWN); j++)
		for (i = 0; !found && i < TRACK_WAYS; i++)
			found = at(folds, waiting->whose.connection, i ? !way : way,
				   j ? finding->related[j - 1] : frame);
	return found;
}
