/* SPDX-License-Identifier: GPL-2.0-or-later */
/* incident_like.c - finds incidents of several connections that probably have one cause, and their connections. */
#include <stdlib.h>
#include <string.h>

#include <ibwire/ibwire.h>

#include "pcap-lint/report/flow.h"
#include "incident.h"

/* They began within so long. */
#define LIKE_NS 1000000000u

/* Neighbours that are looked at, before and after: one connection may have thousands of the same kind. */
#define STEPS 256u

/* What incidents of one cause have in common, and their order in time. */
struct place {
	struct pl_incident *incident;
	struct track_flow hosts; /* of the requests; no QP */
};

static int by_cause(const struct place *a, const struct place *b)
{
	if (a->incident->incident->kind != b->incident->incident->kind)
		return (int)a->incident->incident->kind - (int)b->incident->incident->kind;
	if (a->incident->proved != b->incident->proved)
		return (int)a->incident->proved - (int)b->incident->proved;
	return memcmp(&a->hosts, &b->hosts, sizeof(a->hosts));
}

static int in_order(const void *a, const void *b)
{
	const struct pl_incident *one = ((const struct place *)a)->incident;
	const struct pl_incident *other = ((const struct place *)b)->incident;
	int by = by_cause(a, b);

	if (by)
		return by;
	if (one->incident->frame != other->incident->frame)
		return one->incident->frame < other->incident->frame ? -1 : 1;
	return one->number < other->number ? -1 : one->number > other->number;
}

static struct place place_of(struct pl_incident *incident)
{
	struct track_flow flow, hosts = { .address = TRACK_ADDRESS_NONE };

	pl_incident_flow(incident, &flow);
	memcpy(hosts.src, flow.src, sizeof(hosts.src));
	memcpy(hosts.dst, flow.dst, sizeof(hosts.dst));
	hosts.address = flow.address;
	return (struct place){ incident, hosts };
}

static bool are_of_several(const struct pl_incident *incidents, unsigned int n)
{
	const struct track_qp *first = NULL;
	unsigned int i;

	for (i = 0; i < n; i++) {
		if (first && incidents[i].qp && incidents[i].qp != first)
			return true;
		first = first ? first : incidents[i].qp;
	}
	return false;
}

void pl_incidents_link(struct pl_incident *incidents, unsigned int n)
{
	struct place *places;
	unsigned int i, of_qps = 0;

	if (!are_of_several(incidents, n)) /* then none has another one of its cause */
		return;
	places = g_new(struct place, n + 1);
	for (i = 0; i < n; i++)
		if (incidents[i].qp)
			places[of_qps++] = place_of(&incidents[i]);
	qsort(places, of_qps, sizeof(*places), in_order);
	for (i = 1; i < of_qps; i++) {
		if (by_cause(&places[i - 1], &places[i]))
			continue;
		places[i - 1].incident->after = places[i].incident;
		places[i].incident->before = places[i - 1].incident;
	}
	g_free(places);
}

static bool is_near(const struct pl_incident *a, const struct pl_incident *b)
{
	uint64_t one = a->incident->time_ns, other = b->incident->time_ns;

	return (one > other ? one - other : other - one) <= LIKE_NS;
}

static bool has(const struct pl_incident *incident, const struct pl_incident *const *like,
		unsigned int n, const struct pl_incident *other)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (like[i]->qp == other->qp)
			return true;
	return incident->qp == other->qp;
}

/* The nearest ones on one side of it, after @n others, up to @most; how many there are then. */
static unsigned int gather(const struct pl_incident *incident, bool before,
			   const struct pl_incident *like[PL_INCIDENTS_LIKE], unsigned int n,
			   unsigned int most)
{
	const struct pl_incident *other = incident;
	unsigned int steps;

	for (steps = 0; n < most && steps < STEPS; steps++) {
		other = before ? other->before : other->after;
		if (!other || !is_near(incident, other))
			break;
		if (!has(incident, like, n, other))
			like[n++] = other;
	}
	return n;
}

unsigned int pl_incidents_like(const struct pl_incident *incident,
			       const struct pl_incident *like[PL_INCIDENTS_LIKE])
{
	unsigned int i, n = gather(incident, true, like, 0, PL_INCIDENTS_LIKE / 2);
	const struct pl_incident *swap;

	for (i = 0; i < n / 2; i++) {
		swap = like[i];
		like[i] = like[n - 1 - i];
		like[n - 1 - i] = swap;
	}
	return gather(incident, false, like, n, PL_INCIDENTS_LIKE);
}

/* Those on one side of it, the nearest of each connection that is not one @of yet. */
static void each_like(const struct pl_incident *incident, bool before, GHashTable *of,
		      void (*take)(const struct pl_incident *like, void *data), void *data)
{
	const struct pl_incident *other = incident;

	while ((other = before ? other->before : other->after) && is_near(incident, other))
		if (other->qp != incident->qp && g_hash_table_add(of, (gpointer)other->qp))
			take(other, data);
}

void pl_incidents_each_like(const struct pl_incident *incident,
			    void (*take)(const struct pl_incident *like, void *data), void *data)
{
	GHashTable *of = g_hash_table_new(NULL, NULL);

	each_like(incident, true, of, take, data);
	each_like(incident, false, of, take, data);
	g_hash_table_unref(of);
}

static unsigned int between(const struct pl_report *report, const struct track_qp *qp)
{
	const struct track_flow *flow = &qp->flow;
	unsigned int i, n = 0;

	for (i = 0; i < report->n_qps; i++) {
		const struct track_flow *other = &report->qps[i]->flow;

		if (other->address == flow->address &&
		    ((memcmp(other->src, flow->src, sizeof(flow->src)) == 0 &&
		      memcmp(other->dst, flow->dst, sizeof(flow->dst)) == 0) ||
		     (memcmp(other->src, flow->dst, sizeof(flow->src)) == 0 &&
		      memcmp(other->dst, flow->src, sizeof(flow->dst)) == 0)))
			n++;
	}
	return n;
}

void pl_out_connections_between(struct ibw_out *o, const struct pl_report *report,
				const struct track_qp *qp, unsigned int least)
{
	pl_out_counted(o, MAX(between(report, qp), least), "connection");
	if (pl_chosen_any(&report->options->chosen)) /* of others nothing is shown */
		ibw_out_str(o, " shown");
}
