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

/*
 * Each is where the one before says: connections, the requests and answers of the way that is asked or
 * answered, the last request and the place after it. A request and its ACK often follow each other.
 */
void track_qps_ahead(const struct track_ahead ahead[], unsigned int n)
{
	const struct track_dir *dir[TRACK_AHEAD_MAX];
	const struct track_requests *r;
	unsigned int i, n_dirs = 0;

	for (i = 0; i < n; i++)
		if (!i || ahead[i].qp != ahead[i - 1].qp)
			track_ask(ahead[i].qp, sizeof(*ahead[i].qp));
	for (i = 0; i < n; i++) {
		const struct track_dir *d = requester(&ahead[i]);

		if (n_dirs && d == dir[n_dirs - 1])
			continue;
		dir[n_dirs++] = d;
		if (d->requests)
			track_ask(d->requests, sizeof(*d->requests));
		if (d->answers)
			track_ask(d->answers, sizeof(*d->answers));
	}
	for (i = 0; i < n_dirs; i++) {
		r = dir[i]->requests;
		if (r && r->n)
			track_ask(r->request + r->n - 1, 2 * sizeof(*r->request));
	}
}
