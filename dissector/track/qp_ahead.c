/* SPDX-License-Identifier: GPL-2.0-or-later */
/* qp_ahead.c - what a batch of packets needs of its connections, asked for before the first is fed. */
#include "qp_impl.h"

#define LINE 64

static inline void ask(const void *p, size_t bytes)
{
	const char *at = p, *end = at + bytes;

	for (; at < end; at += LINE)
		__builtin_prefetch(at, 1);
}

static bool is_request(const struct track_packet *p)
{
	return track_packet_opf(p) & IBW_OPF_REQUEST;
}

/* Each is where the one before says: connections, what their ways keep, the last request. */
void track_qps_ahead(const struct track_ahead ahead[], unsigned int n)
{
	const struct track_dir *dir[TRACK_AHEAD_MAX];
	unsigned int i;

	for (i = 0; i < n; i++)
		ask(ahead[i].qp, sizeof(*ahead[i].qp));
	for (i = 0; i < n; i++) {
		/* The way of the requests, of which this is one, or which it answers. */
		dir[i] = &ahead[i].qp->dir[ahead[i].way ^ !is_request(ahead[i].packet)];
		if (dir[i]->requests)
			ask(dir[i]->requests, sizeof(*dir[i]->requests));
		if (dir[i]->answers)
			ask(dir[i]->answers, sizeof(*dir[i]->answers));
	}
	for (i = 0; i < n; i++)
		if (dir[i]->requests && dir[i]->requests->n)
			ask(dir[i]->requests->request + dir[i]->requests->n - 1,
			    sizeof(*dir[i]->requests->request));
}
