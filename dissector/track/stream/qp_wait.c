/* SPDX-License-Identifier: GPL-2.0-or-later */
/* qp_wait.c - holds packets until the other way of their connection, or the path MTU, is known. */
#include <string.h>

#include "stream.h"

#define ROOM_FIRST 1u

/* One that is damaged waits for its turn, and says nothing. */
static bool is_damaged(const struct track_packet *p)
{
	return p->flags & TRACK_PACKET_BAD;
}

static bool shows_mtu(const struct track_packet *p)
{
	return track_shows_mtu(p) && !is_damaged(p);
}

static bool waits_for_mtu(const struct track_qp *qp, const struct track_packet *p)
{
	return track_is_read_request(p) && !is_damaged(p) && !track_qp_psns(qp, p);
}

static bool is_request(const struct track_packet *p)
{
	return track_packet_opf(p) & IBW_OPF_REQUEST && !is_damaged(p);
}

static bool is_full(const struct track_waiting *w)
{
	return w->n - w->damaged >= TRACK_WAITING_MAX;
}

static void append(struct track_qps *s, struct track_waiting *w, const struct track_packet *p)
{
	if (w->first && w->first + w->n == w->room) {
		memmove(w->packet, w->packet + w->first, w->n * sizeof(*p));
		w->first = 0;
	}
	if (w->n == w->room) {
		w->room = w->room ? 2 * w->room : ROOM_FIRST;
		w->packet = g_renew(struct track_packet, w->packet, w->room);
	}
	w->packet[w->first + w->n++] = *p;
	w->requests[p->way] += is_request(p);
	w->damaged += is_damaged(p);
	s->waiting++;
}

static void free_waiting(struct track_qp *qp)
{
	g_free(qp->waiting->packet);
	g_free(qp->waiting);
	qp->waiting = NULL;
}

/* The first is taken out and looked at. */
static void take(struct track_qps *s, struct track_qp *qp, uint32_t n)
{
	struct track_waiting *w = qp->waiting;
	const struct track_packet *p = &w->packet[w->first];

	w->first++;
	w->n--;
	w->requests[p->way] -= is_request(p);
	w->damaged -= is_damaged(p);
	s->waiting--;
	if (G_UNLIKELY(is_damaged(p)))
		track_qp_damaged(s, qp, p);
	else
		track_qp_packet(s, qp, p, n);
}

/* Whether a response ONLY is the answer to the READ Request @read: then it takes one PSN. */
static bool answers_alone(const struct track_packet *p, const struct track_packet *read)
{
	return TRACK_OPERATION(p->opcode) == IBW_OP_RC_RDMA_READ_RESPONSE_ONLY &&
	       p->way != read->way && p->psn == read->psn;
}

/* PSNs up to the next request, if that is what a READ of a path MTU takes; else one. */
static uint32_t guess(struct track_qp *qp)
{
	const struct track_waiting *w = qp->waiting;
	const struct track_packet *read = &w->packet[w->first];
	uint32_t i, mtu, requests = 1;
	int32_t ahead = 0;

	qp->doubt |= TRACK_DOUBT_MTU;
	for (i = 1; i < w->n && ahead <= 0 && requests < TRACK_WAITING_REQUESTS; i++) {
		if (read[i].way != read->way || !is_request(&read[i]))
			continue;
		ahead = track_psn_from(read->psn, read[i].psn);
		requests++;
	}
	for (mtu = TRACK_MTU_MIN; mtu <= 4096 && ahead > 0; mtu *= 2)
		if (track_packets_of(read->dmalen, mtu) == (uint32_t)ahead)
			return (uint32_t)ahead;
	return 1;
}

/* What the READ Request that waits first takes, as what came after it says; 0: it is still waited for. */
static uint32_t psns_of_read(struct track_qp *qp, bool at_once)
{
	const struct track_waiting *w = qp->waiting;
	const struct track_packet *read = &w->packet[w->first];
	uint32_t i, requests = 1;

	for (i = 1; i < w->n && requests < TRACK_WAITING_REQUESTS; i++) {
		if (shows_mtu(&read[i]))
			return track_packets_of(read->dmalen, read[i].payload);
		if (answers_alone(&read[i], read))
			return 1;
		requests += read[i].way == read->way && is_request(&read[i]);
	}
	if (at_once || requests >= TRACK_WAITING_REQUESTS || is_full(w))
		return guess(qp);
	return 0;
}

static uint32_t psns_of_first(struct track_qp *qp, bool at_once)
{
	const struct track_packet *p = &qp->waiting->packet[qp->waiting->first];

	if (waits_for_mtu(qp, p))
		return psns_of_read(qp, at_once);
	return is_request(p) ? track_qp_psns(qp, p) : 1;
}

static void drain(struct track_qps *s, struct track_qp *qp, bool at_once)
{
	uint32_t n;

	while (qp->waiting->n) {
		n = psns_of_first(qp, at_once);
		if (!n)
			return;
		take(s, qp, n);
	}
	free_waiting(qp);
}

void track_qp_drain(struct track_qps *s, struct track_qp *qp)
{
	if (!qp->paired)
		qp->doubt |= TRACK_DOUBT_ONE_WAY;
	qp->paired = true;
	if (qp->waiting)
		drain(s, qp, true);
}

/* Whether @p, the last of those that wait, may be what the first one waits for. */
static bool is_news(const struct track_qp *qp, const struct track_packet *p)
{
	const struct track_waiting *w = qp->waiting;
	const struct track_packet *first = &w->packet[w->first];

	return w->n == 1 || track_shows_mtu(p) || answers_alone(p, first) ||
	       w->requests[first->way] >= TRACK_WAITING_REQUESTS || is_full(w);
}

bool track_qp_waits_in_vain(const struct track_qps *s, const struct track_qp *qp)
{
	return !qp->paired && qp->waiting &&
	       (qp->waiting->n - qp->waiting->damaged + 1 >= TRACK_WAITING_MAX ||
		s->waiting + 1 >= TRACK_WAITING_ALL);
}

static __attribute__((noinline)) void wait(struct track_qps *s, struct track_qp *qp,
					   const struct track_packet *p)
{
	if (!qp->waiting)
		qp->waiting = g_new0(struct track_waiting, 1);
	append(s, qp->waiting, p);
	if (!qp->paired && (is_full(qp->waiting) || s->waiting >= TRACK_WAITING_ALL))
		qp->paired = true;
	if (qp->paired && is_news(qp, p))
		drain(s, qp, false);
}

void track_qp_feed(struct track_qps *s, struct track_qp *qp, const struct track_packet *p)
{
	qp->last_frame = MAX(qp->last_frame, p->at.frame);
	track_qps_heard(s, qp, p);
	if (qp->paired && !qp->waiting && !waits_for_mtu(qp, p))
		track_qp_packet(s, qp, p, track_qp_psns(qp, p));
	else
		wait(s, qp, p);
}

void track_qp_feed_damaged(struct track_qps *s, struct track_qp *qp, const struct track_packet *p)
{
	if (track_packet_opf(p) & IBW_OPF_RESPONSE ||
	    (p->opcode & IBW_SERVICE_MASK) == IBW_SERVICE_CNP)
		return;
	if (qp->paired && !qp->waiting) {
		track_qp_damaged(s, qp, p);
		return;
	}
	if (!qp->waiting)
		qp->waiting = g_new0(struct track_waiting, 1);
	if (qp->waiting->damaged < TRACK_WAITING_MAX && s->waiting < TRACK_WAITING_ALL)
		append(s, qp->waiting, p);
}

void track_qp_paired(struct track_qps *s, struct track_qp *qp)
{
	qp->paired = true;
	if (qp->waiting)
		drain(s, qp, false);
}

void track_qp_wait_together(struct track_qps *s, struct track_qp *qp, struct track_qp *from,
			    enum track_way way)
{
	struct track_waiting *a = qp->waiting, *b = from->waiting;
	struct track_waiting both = { .packet = NULL };
	uint32_t i = 0, j = 0;
	bool second;

	if (b) {
		for (i = 0; i < b->n; i++)
			b->packet[b->first + i].way = (uint8_t)way;
		for (i = 0; (a && i < a->n) || j < b->n;) {
			second = !a || i == a->n ||
				 (j < b->n && b->packet[b->first + j].at.frame <
						      a->packet[a->first + i].at.frame);
			append(s, &both,
			       second ? &b->packet[b->first + j++] : &a->packet[a->first + i++]);
		}
		s->waiting -= both.n;
		free_waiting(from);
		if (a)
			g_free(a->packet);
		else
			qp->waiting = g_new(struct track_waiting, 1);
		*qp->waiting = both;
	}
	track_qp_paired(s, qp);
}
