/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * heard.c - when packets last arrived from an address, and what that tells about an end that does not
 * answer.
 */
#include <string.h>

#include "qp_impl.h"
#include "qp_state.h"

/* Odd numbers, as good as random: the golden ratio and another. */
#define FACTOR_HIGH 0x9e3779b97f4a7c15u
#define FACTOR 0xd6e8feb86659fd93u

static uint64_t key_of(const uint8_t address[16])
{
	uint64_t part[2];

	memcpy(part, address, sizeof(part));
	return ((part[0] * FACTOR_HIGH) ^ part[1]) * FACTOR | 1;
}

/* The two places of an address; each power of two has its own factor, so the high bits are the best. */
static uint32_t place_of(uint64_t key)
{
	return (uint32_t)(key >> 32) / (UINT32_MAX / (TRACK_HEARD_MAX / 2) + 1) * 2;
}

/* Its place, or that of the one heard of the longest ago. */
static struct track_heard *place_for(struct track_qps *s, uint64_t key)
{
	struct track_heard *h = &s->heard[place_of(key)];

	if (h[0].key != key && (h[1].key == key || h[1].last_ns < h[0].last_ns))
		return h + 1;
	return h;
}

void track_qps_heard(struct track_qps *s, const struct track_qp *qp, const struct track_packet *p)
{
	uint64_t key = key_of(p->flow.src);
	struct track_heard *h = place_for(s, key);

	if (h->key != key)
		*h = (struct track_heard){ .key = key, .serial = qp->serial };
	if (h->serial != qp->serial) {
		h->other_ns = h->last_ns;
		h->serial = qp->serial;
	}
	h->last_ns = p->at.time_ns;
}

const struct track_heard *track_heard_of(const struct track_qps *s, const uint8_t address[16])
{
	uint64_t key = key_of(address);
	const struct track_heard *h = &s->heard[place_of(key)];

	return h[0].key == key ? h : h[1].key == key ? h + 1 : NULL;
}

void track_qps_heard_aside(struct track_qps *s, const struct track_packet *p)
{
	uint64_t key = key_of(p->flow.src);
	struct track_heard *h = &s->heard[place_of(key)];

	if (h[0].key == key)
		h[0].aside_ns = p->at.time_ns;
	else if (h[1].key == key)
		h[1].aside_ns = p->at.time_ns;
}

/* @h: what was heard of the other end. */
static enum track_peer meanwhile(const struct track_heard *h, const struct track_qp *qp,
				 const struct track_packet *p)
{
	uint64_t since = qp->dir[p->way].last_ns, closed_ns = track_qp_closed_ns(qp);

	if (closed_ns && closed_ns <= p->at.time_ns)
		return TRACK_PEER_CLOSED;
	if (!h || track_qp_is_deaf(qp, (enum track_way)p->way))
		return TRACK_PEER_UNKNOWN;
	if (h->serial == qp->serial && h->last_ns > since)
		return TRACK_PEER_HERE;
	if ((h->serial == qp->serial ? h->other_ns : h->last_ns) > since)
		return TRACK_PEER_ELSEWHERE;
	return h->aside_ns > since ? TRACK_PEER_UNKNOWN : TRACK_PEER_SILENT;
}

/* So many rounds without an answer, or so many packets, are as by a cut link: of fewer each may be lost by itself. */
#define CUT_TIMEOUTS 3u
#define CUT_PACKETS 8u

static bool wants_answer(const struct track_request *q)
{
	return q->flags & TRACK_PACKET_ACKREQ || !(ibw_opcodes[q->opcode].flags & IBW_OPF_PAYLOAD);
}

/* When the first packet that waits for an answer was sent; without one, @now_ns. */
static uint64_t first_waiting(const struct track_dir *d, uint64_t now_ns)
{
	const struct track_requests *r = d->requests;
	uint32_t i;

	for (i = r ? r->n_covered : 0; r && i < r->n; i++)
		if (!r->request[i].answered && wants_answer(&r->request[i]))
			return r->request[i].time_ns;
	return now_ns;
}

/* Packets without an answer, up to as many as a cut link needs. */
static uint32_t waiting(const struct track_dir *d)
{
	const struct track_requests *r = d->requests;
	uint32_t i, n = 0;

	for (i = r ? r->n_covered : 0; r && i < r->n && n < CUT_PACKETS; i++)
		if (!r->request[i].answered)
			n += r->request[i].copies;
	return n;
}

/* Nothing was heard until @now_ns. */
static void quiet(struct track_watch *w, uint64_t now_ns)
{
	if (w->since.quiet_timeouts < TRACK_QUIET_TIMEOUTS ||
	    now_ns < w->since.quiet_from + w->quiet_ns)
		return;
	w->quiet_ns = now_ns - w->since.quiet_from;
	w->quiet_cut = w->since.quiet_timeouts >= CUT_TIMEOUTS || w->since.quiet_many;
}

enum track_peer track_qp_peer(const struct track_qps *s, struct track_qp *qp,
			      const struct track_packet *p)
{
	const struct track_heard *h = track_heard_of(s, p->flow.dst);
	struct track_watch *w = track_watch(&qp->dir[p->way]);
	enum track_peer peer = meanwhile(h, qp, p);

	w->since.peer = (uint8_t)peer;
	w->since.timeout_ns = p->at.time_ns;
	if (peer != TRACK_PEER_SILENT)
		return peer;
	if (w->since.quiet_since != h->last_ns) {
		w->since.quiet_timeouts = 0;
		w->since.quiet_from = first_waiting(&qp->dir[p->way], w->since.timeout_ns);
	}
	w->since.quiet_since = h->last_ns;
	w->since.quiet_timeouts++;
	w->since.quiet_many = waiting(&qp->dir[p->way]) >= CUT_PACKETS;
	quiet(w, p->at.time_ns);
	return peer;
}

void track_qp_quiet_ends(struct track_dir *d, uint64_t now_ns)
{
	quiet(d->watch, now_ns);
	d->watch->since.quiet_timeouts = 0;
}

enum track_ending track_qp_ending(const struct track_qps *s, const struct track_qp *qp,
				  enum track_way way)
{
	const struct track_heard *h =
		track_heard_of(s, way == TRACK_A_TO_B ? qp->flow.dst : qp->flow.src);
	const struct track_dir *d = &qp->dir[way];
	const struct track_watch *w = track_watched(d);
	bool open = d->psns.begun && d->since.covered < d->psns.next;

	if (!w->timeouts || !h)
		return TRACK_ENDING_NONE;
	if (w->since.peer == TRACK_PEER_CLOSED)
		return TRACK_ENDING_CLOSED;
	if (w->since.peer == TRACK_PEER_SILENT && h->last_ns <= w->since.timeout_ns &&
	    h->aside_ns <= w->since.timeout_ns)
		return TRACK_ENDING_SILENT;
	if (w->quiet_ns)
		return w->quiet_cut ? TRACK_ENDING_CUT : TRACK_ENDING_QUIET;
	if (w->since.peer == TRACK_PEER_ELSEWHERE && open && w->timeouts >= TRACK_QUIET_TIMEOUTS)
		return TRACK_ENDING_QP_GONE;
	return TRACK_ENDING_NONE;
}
