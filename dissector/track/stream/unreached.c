/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unreached.c - finds hosts that are not reached: all queue pairs that send to them keep retransmitting their first
 * requests.
 *
 * A requester that is answered in time does not retransmit, whether or not the answers were captured. A single queue
 * pair may be at fault itself; if all queue pairs from one host to another are affected, the path is at fault.
 */
#include <string.h>

#include "stream.h"

/* Rounds of resends, after the first copy; and as many queue pairs. */
#define ROUNDS_MIN 3u
#define PAIRS_MIN 2u

#define HOSTS_MAX 4096u

struct hosts {
	uint8_t src[16], dst[16];
};

struct count {
	uint32_t pairs, stuck;
	bool told;
};

static void hosts_of(struct hosts *hosts, const struct track_qp *qp, unsigned int way)
{
	memcpy(hosts->src, way == TRACK_A_TO_B ? qp->flow.src : qp->flow.dst, sizeof(hosts->src));
	memcpy(hosts->dst, way == TRACK_A_TO_B ? qp->flow.dst : qp->flow.src, sizeof(hosts->dst));
}

/* It sends what it began with again, and nothing more. */
static bool is_stuck(const struct track_qp *qp, unsigned int way)
{
	const struct track_dir *d = &qp->dir[way];
	const struct track_requests *r = d->requests;
	uint64_t waited_ns = track_watched(d)->since.waited_ns;

	return r && r->n && waited_ns && !qp->agreed && track_qp_is_deaf(qp, (enum track_way)way) &&
	       r->request[0].psn == d->psns.first && r->request[0].tries > ROUNDS_MIN &&
	       r->request[r->n - 1].time_ns < r->request[0].time_ns + waited_ns;
}

/* Those that some queue pair does not reach. */
static void find(struct track_qps *s)
{
	const struct track_qp *qp;
	struct hosts hosts;
	unsigned int way;

	for (qp = s->oldest; qp; qp = qp->newer)
		for (way = 0; way < TRACK_WAYS; way++) {
			if (!is_stuck(qp, way))
				continue;
			hosts_of(&hosts, qp, way);
			if (track_heard_of(s, hosts.dst))
				continue;
			if (!s->unreached)
				s->unreached = track_table_new(sizeof(hosts), sizeof(struct count),
							       HOSTS_MAX);
			if (!track_table_full(s->unreached) &&
			    !track_table_get(s->unreached, &hosts))
				track_table_add(s->unreached, &hosts);
		}
}

void track_qps_unreached(struct track_qps *s)
{
	const struct track_qp *qp;
	struct count *count;
	struct hosts hosts;
	unsigned int way;

	find(s);
	for (qp = s->unreached ? s->oldest : NULL; qp; qp = qp->newer)
		for (way = 0; way < TRACK_WAYS; way++) {
			hosts_of(&hosts, qp, way);
			count = track_table_get(s->unreached, &hosts);
			if (!count || !qp->dir[way].request_packets)
				continue;
			count->pairs++;
			count->stuck += is_stuck(qp, way);
		}
}

void track_qp_unreached(struct track_qps *s, const struct track_qp *qp, enum track_way way)
{
	const struct track_request *q;
	struct count *count;
	struct track_event *e;
	struct hosts hosts;

	if (!s->unreached || !is_stuck(qp, way))
		return;
	hosts_of(&hosts, qp, way);
	count = track_table_get(s->unreached, &hosts);
	if (!count || count->told || count->pairs < PAIRS_MIN || count->stuck < count->pairs)
		return;
	count->told = true;
	q = qp->dir[way].requests->request;
	e = track_qp_event_of(s, qp, way, TRACK_EVENT_UNREACHED, q->last_frame, q->last_ns);
	if (!e)
		return;
	e->number[TRACK_UNREACHED_psn] = q->psn & 0xffffff;
	e->number[TRACK_UNREACHED_pairs] = count->pairs;
	track_event_cause(e, q->frame);
}
