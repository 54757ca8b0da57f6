/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * alive.c - checks the Keep Alive of NVMe over Fabrics: whether a host was silent for longer than its timeout.
 *
 * A controller measures the time from a Keep Alive or from any command, as it chooses; the host may not send a Keep Alive while
 * another is open. So only the time in which two hosts were idle counts: no command was open except those that wait for an event,
 * and none was sent on any queue.
 */
#include <ibwire/ibwire.h>

#include "impl.h"

#define NS_OF_MS UINT64_C(1000000)

static struct track_ulp_hosts *hosts_of(struct track_ulps *u, const struct track_ulp_queue *q)
{
	struct track_flow key = q->flow;

	key.dqpn = 0;
	key.sport = 0;
	return track_table_need(u->hosts, &key);
}

static struct track_ulp_queue *admin_of(struct track_ulps *u, const struct track_ulp_hosts *h)
{
	return h->admin ? u->queues->pdata[h->admin - 1] : NULL;
}

static void say_late(struct track_ulps *u, const struct track_ulp_hosts *h,
		     struct track_ulp_queue *admin, const struct track_at *at, uint64_t silent)
{
	const struct track_ulp_command none = { .queue = admin->number, .frame = at->frame };
	const uint64_t number[4] = { silent, admin->kato, h->busy_frame };

	admin->late_said = true;
	track_ulp_fault(u, TRACK_ULP_LATE, TRACK_ULP_ASKS, &none, at, number);
}

/* The time until now; an answer is needed that accepts the timeout. */
static void check(struct track_ulps *u, const struct track_ulp_hosts *h, const struct track_at *at)
{
	struct track_ulp_queue *admin = admin_of(u, h);
	uint64_t silent = at->time_ns > h->busy_ns ? at->time_ns - h->busy_ns : 0;

	if (!admin || !admin->kato || !admin->answers || admin->late_said || h->open)
		return;
	if (admin->closed_frame && admin->closed_frame < at->frame)
		return;
	if (silent > admin->kato * NS_OF_MS)
		say_late(u, h, admin, at, silent);
}

static void is_busy(struct track_ulp_hosts *h, const struct track_at *at)
{
	h->busy_ns = at->time_ns;
	h->busy_frame = at->frame;
}

static bool counts(const struct track_ulp_queue *q, struct track_ulp_code code)
{
	return q->ulp == IBW_ULP_NVME && !track_ulp_waits(q, code);
}

void track_ulp_alive_asked(struct track_ulps *u, struct track_ulp_queue *q,
			   struct track_ulp_code code, const struct track_at *at)
{
	struct track_ulp_hosts *h;

	if (q->ulp != IBW_ULP_NVME)
		return;
	h = hosts_of(u, q);
	check(u, h, at);
	if (q->kato && !q->id && !q->id_unknown && (!h->admin || h->admin - 1 < q->number))
		h->admin = q->number + 1;
	is_busy(h, at);
	if (!counts(q, code) || q->closed_frame)
		return;
	h->open++;
	q->counted++;
}

void track_ulp_alive_over(struct track_ulps *u, struct track_ulp_queue *q,
			  struct track_ulp_code code, const struct track_at *at)
{
	struct track_ulp_hosts *h;

	if (q->ulp != IBW_ULP_NVME)
		return;
	h = hosts_of(u, q);
	is_busy(h, at);
	if (!counts(q, code) || !q->counted)
		return;
	q->counted--;
	h->open -= h->open > 0;
}

void track_ulp_alive_closed(struct track_ulps *u, struct track_ulp_queue *q,
			    const struct track_at *at)
{
	struct track_ulp_hosts *h;

	if (q->ulp != IBW_ULP_NVME)
		return;
	h = hosts_of(u, q);
	if (admin_of(u, h) == q)
		check(u, h, at);
	h->open -= MIN(h->open, q->counted);
	q->counted = 0;
}

void track_ulp_alive_ends(struct track_ulps *u, const struct track_at *last)
{
	const struct track_ulp_hosts *h = NULL;
	const struct track_ulp_queue *admin;

	while ((h = track_table_next(u->hosts, h))) {
		admin = admin_of(u, h);
		if (admin && !admin->closed_frame)
			check(u, h, last);
	}
}
