/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * qp_ahead.c - fetches the state of the connections of a batch of packets before the first packet is
 * fed.
 */
#include "qps.h"
#include "track/base/ahead.h"
#include "track/measure/ladder.h"
#include "track/measure/measure.h"
#include "track/measure/series.h"
#include "track/measure/timeline.h"
#include "track/way/qp_impl.h"

static bool is_request(const struct track_packet *p)
{
	return track_packet_opf(p) & IBW_OPF_REQUEST;
}

static const struct track_dir *requester(const struct track_ahead *a)
{
	return &a->qp->dir[a->way ^ !is_request(a->packet)];
}

/* Their connections, then the requests and answers of the ways that are asked or answered; how many. */
static unsigned int ask_ways(const struct track_ahead ahead[], unsigned int n,
			     const struct track_requests *requests[])
{
	const struct track_dir *d, *before = NULL;
	unsigned int i, n_requests = 0;

	for (i = 0; i < n; i++)
		if (!i || ahead[i].qp != ahead[i - 1].qp)
			track_ask(ahead[i].qp, sizeof(*ahead[i].qp));
	for (i = 0; i < n; i++, before = d) {
		d = requester(&ahead[i]);
		if (d == before)
			continue;
		if (d->requests) {
			track_ask(d->requests, sizeof(*d->requests));
			requests[n_requests++] = d->requests;
		}
		if (d->answers)
			track_ask(d->answers, sizeof(*d->answers));
	}
	return n_requests;
}

/* The bin of its last packet, which the next one is counted in, or ends. */
static void ask_timeline(const struct track_timeline *t)
{
	if (t->n)
		track_ask(&t->bin[t->recent], sizeof(*t->bin));
}

/* Where its column goes as it is over; the last run, and where its last packet goes. */
static void ask_kept(const struct track_series *t)
{
	const struct track_ladder *l = &t->ladder;

	if (t->n)
		track_ask(&t->kept[t->recent], sizeof(*t->kept));
	if (l->place)
		track_ask(&l->place[(l->end - 1) & l->mask], 2 * sizeof(*l->place));
}

/* What is measured, where it is: of each connection once in a row. */
static void ask_measures(const struct track_ahead ahead[], unsigned int n)
{
	const struct track_series *series[TRACK_AHEAD_MAX];
	const struct track_timeline *timelines[TRACK_AHEAD_MAX];
	const struct track_measure *measures[TRACK_AHEAD_MAX];
	unsigned int i, n_measures = 0, n_timelines = 0, n_series = 0;

	for (i = 0; i < n; i++) {
		if (i && ahead[i].qp == ahead[i - 1].qp)
			continue;
		if (requester(&ahead[i])->measure)
			measures[n_measures++] = requester(&ahead[i])->measure;
		if (ahead[i].qp->timeline)
			timelines[n_timelines++] = ahead[i].qp->timeline;
	}
	for (i = 0; i < n_measures; i++)
		track_ask(measures[i], sizeof(*measures[i]));
	for (i = 0; i < n_timelines; i++)
		track_ask(timelines[i], sizeof(*timelines[i]));
	for (i = 0; i < n_measures; i++)
		if (measures[i]->series)
			series[n_series++] = measures[i]->series;
	for (i = 0; i < n_series; i++)
		track_ask(series[i], offsetof(struct track_series, all));
	for (i = 0; i < n_timelines; i++)
		ask_timeline(timelines[i]);
	for (i = 0; i < n_series; i++)
		ask_kept(series[i]);
}

/*
 * Each is where the one before says; of the last request the place after it, too. A request and its ACK
 * often follow each other.
 */
void track_qps_ahead(const struct track_ahead ahead[], unsigned int n_packets)
{
	const struct track_requests *requests[TRACK_AHEAD_MAX], *r;
	unsigned int i, n;

	n = ask_ways(ahead, n_packets, requests);
	for (i = 0; i < n; i++) {
		r = requests[i];
		if (r->n)
			track_ask(r->request + r->n - 1, 2 * sizeof(*r->request));
	}
	ask_measures(ahead, n_packets);
}
