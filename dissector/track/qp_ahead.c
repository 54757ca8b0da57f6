/* SPDX-License-Identifier: GPL-2.0-or-later */
/* qp_ahead.c - what a batch of packets needs of its connections, asked for before the first is fed. */
#include "ahead.h"
#include "qp_impl.h"

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

/*
 * Each is where the one before says; of the last request the place after it, too. A request and its ACK
 * often follow each other.
 */
void track_qps_ahead(const struct track_ahead ahead[], unsigned int n)
{
	const struct track_requests *requests[TRACK_AHEAD_MAX], *r;
	unsigned int i;

	n = ask_ways(ahead, n, requests);
	for (i = 0; i < n; i++) {
		r = requests[i];
		if (r->n)
			track_ask(r->request + r->n - 1, 2 * sizeof(*r->request));
	}
}
