/* SPDX-License-Identifier: GPL-2.0-or-later */
/* heard.c - when packets last came from an address, and what that says of one that does not answer. */
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
	return (h->serial == qp->serial ? h->other_ns : h->last_ns) > since ? TRACK_PEER_ELSEWHERE
									    : TRACK_PEER_SILENT;
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
	if (w->since.quiet_since != h->last_ns)
		w->since.quiet_timeouts = 0;
	w->since.quiet_since = h->last_ns;
	if (++w->since.quiet_timeouts >= TRACK_QUIET_TIMEOUTS && p->at.time_ns > h->last_ns)
		w->quiet_ns = MAX(w->quiet_ns, p->at.time_ns - h->last_ns);
	return peer;
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
	if (w->since.peer == TRACK_PEER_SILENT && h->last_ns <= w->since.timeout_ns)
		return TRACK_ENDING_SILENT;
	if (w->quiet_ns)
		return TRACK_ENDING_CUT;
	if (w->since.peer == TRACK_PEER_ELSEWHERE && open && w->timeouts >= TRACK_QUIET_TIMEOUTS)
		return TRACK_ENDING_QP_GONE;
	return TRACK_ENDING_NONE;
}
