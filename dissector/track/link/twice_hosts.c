/* SPDX-License-Identifier: GPL-2.0-or-later */
/* twice_hosts.c - whether two hosts are captured at two points. */
#include <glib.h>

#include <ibwire/ibwire.h>

#include "twice_hosts.h"

/* Fewer equal packets show nothing. */
#define EQUALS_MIN 8u

/* Packets of a direction without half as many equal ones, and packets of both: then they are captured once. */
#define ONCE_MIN 1024u
#define ONCE_MAX 8192u

/* Where another direction is there twice, so many without equal ones show that this one is not. */
#define ONCE_FEW 64u

/*
 * What looks the same and has the same IPv4 identification whatever it is may be sent again, and is so much later at least:
 * no timer is that short.
 */
#define RESENT_NS 100000u
#define UNREPEATED_MIN 2u

/* All packets of one direction on another path, and none of the other direction: a timer may have sent them again, but not so soon. */
#define RESENT_ALL_NS 5000000u

/* Where packets of one direction are so few, the other one decides. */
#define FEW 4u

static uint32_t equals(const struct track_twice_way *w)
{
	return w->same + w->other;
}

/*
 * Packets of a direction that would be there twice. Those before the first equal one, back to what that equals, were not counted:
 * of the frames as many are of the direction as of those since.
 */
static uint32_t originals(const struct track_twice_pair *pair, const struct track_twice_way *w)
{
	uint64_t since = pair->now - pair->frame + 1;
	uint64_t before = (uint64_t)w->lag * w->packets / since;

	return w->packets - equals(w) + (uint32_t)MIN(before, UINT32_MAX / 2);
}

static void see_id(struct track_twice_way *w, const struct ibw_packet *pkt)
{
	uint16_t id;

	if (pkt->net == IBW_NO_SPAN || pkt->span[pkt->net].layer != IBW_LAYER_ipv4)
		return;
	id = ibw_ipv4_id(IBW_KNOWN(pkt, ipv4));
	w->ids += w->packets && id != w->id;
	w->id = id;
}

static void see_point(struct track_twice_way *w, const struct track_twice_point *point)
{
	unsigned int i;

	for (i = 0; i < w->n_points; i++)
		if (w->point[i].look == point->look)
			return;
	if (w->n_points < TRACK_TWICE_POINTS)
		w->point[w->n_points++] = *point;
}

/* A requester repeats requests, and a responder READ responses: none of them an ACK, by itself, or a datagram. */
static bool is_unrepeated(const struct ibw_packet *pkt)
{
	return pkt->eths & IBW_ETH_DETH || pkt->opcode == IBW_OP_RC_ACKNOWLEDGE;
}

static void see_equal(struct track_twice_pair *pair, struct track_twice_way *w,
		      const struct ibw_packet *pkt, const struct track_at *at, uint32_t look,
		      const struct track_twice_equal *e)
{
	if (!equals(&pair->way[0]) && !equals(&pair->way[1])) {
		pair->frame = at->frame;
		pair->least_ns = e->ns;
		pair->most_ns = e->ns;
	}
	pair->least_ns = MIN(pair->least_ns, e->ns);
	pair->most_ns = MAX(pair->most_ns, e->ns);
	if (!equals(w) && at->frame - e->frames < pair->frame)
		w->lag = (uint32_t)(pair->frame - (at->frame - e->frames)) - 1;
	w->same += e->is_same;
	w->other += !e->is_same;
	w->unrepeated += is_unrepeated(pkt);
	w->copy_look = look;
	w->first_look = e->first_look;
}

/* What is said again and again, byte for byte, is no evidence where it looks the same. */
static bool is_evidence(const struct ibw_packet *pkt, const struct track_twice_equal *e)
{
	if (!e->is_equal || !e->is_copy)
		return false;
	return !e->is_same || (e->nth == 2 && pkt->opcode != IBW_OP_CNP);
}

/* Powers of two, so that what is retransmitted all the time is looked at now and then. */
static bool is_time_to_look(uint32_t n)
{
	return n >= EQUALS_MIN && (n & (n - 1)) == 0;
}

bool track_twice_pair_rests(struct track_twice_pair *pair)
{
	if (pair->state != TRACK_TWICE_ONCE || pair->equals >= UINT32_MAX - 1 ||
	    is_time_to_look(pair->equals + 1))
		return false;
	pair->equals++;
	return true;
}

static void watch(struct track_twice_pair *pair)
{
	memset(pair->way, 0, sizeof(pair->way));
	pair->state = TRACK_TWICE_WATCHED;
}

static void count(struct track_twice_pair *pair, struct track_twice_way *w,
		  const struct ibw_packet *pkt, const struct track_at *at, uint32_t look,
		  const struct track_twice_equal *e)
{
	see_id(w, pkt);
	w->packets++;
	if (!e->is_equal && w->other) {
		w->again += look != w->copy_look;
		w->news += look == w->copy_look;
	}
	w->thirds += e->is_same && e->nth == 3;
	w->copies_same += e->is_copy && e->is_same;
	w->copies_other += e->is_copy && !e->is_same;
	if (is_evidence(pkt, e))
		see_equal(pair, w, pkt, at, look, e);
}

bool track_twice_pair_packet(struct track_twice_pair *pair, unsigned int way,
			     const struct ibw_packet *pkt, const struct track_at *at,
			     const struct track_twice_point *point,
			     const struct track_twice_equal *e)
{
	if (is_evidence(pkt, e)) {
		pair->equals += pair->equals != UINT32_MAX;
		if (pair->state == TRACK_TWICE_UNKNOWN ||
		    (pair->state == TRACK_TWICE_ONCE && is_time_to_look(pair->equals)))
			watch(pair);
	}
	if (pair->state != TRACK_TWICE_WATCHED && pair->state != TRACK_TWICE_IS)
		return false;
	see_point(&pair->way[way], point);
	count(pair, &pair->way[way], pkt, at, point->look, e);
	return e->is_copy;
}

static bool nearly_all(uint32_t n, uint32_t of)
{
	return n && 5 * (uint64_t)n >= 4 * (uint64_t)of;
}

static bool ids_vary(const struct track_twice_pair *pair, const struct track_twice_way *w)
{
	return w->ids && 2 * w->ids >= originals(pair, w);
}

/*
 * A path that changed makes what is sent again look otherwise, too; then all that is sent from then on does. With two points the
 * first look goes on.
 */
static bool goes_on(const struct track_twice_pair *pair, const struct track_twice_way *w)
{
	return w->other && 2 * w->other >= originals(pair, w) && w->again >= UNREPEATED_MIN &&
	       w->news <= w->other;
}

/* Where it does not, all of the direction is there twice, and nothing new on the other path. */
static bool is_all_there(const struct track_twice_pair *pair, const struct track_twice_way *w)
{
	return nearly_all(w->other, originals(pair, w)) && 4 * w->news <= w->other;
}

/* Nothing of the direction speaks against it. */
static bool may_be_other(const struct track_twice_pair *pair, const struct track_twice_way *w)
{
	return !equals(w) || w->packets <= FEW || 2 * w->other >= originals(pair, w);
}

static bool by_other(const struct track_twice_pair *pair, bool last, uint32_t least)
{
	const struct track_twice_way *a = &pair->way[0], *b = &pair->way[1];
	bool only_one = !equals(a) || !equals(b);

	if (a->other + b->other < least || !may_be_other(pair, a) || !may_be_other(pair, b))
		return false;
	if (goes_on(pair, a) || goes_on(pair, b))
		return true;
	return last && (is_all_there(pair, a) || is_all_there(pair, b)) &&
	       (!only_one || pair->most_ns < RESENT_ALL_NS);
}

/* Each direction with packets enough has nearly all of them twice, and what nobody sends again among them. */
static bool by_same_quick(const struct track_twice_pair *pair)
{
	unsigned int i, unrepeated = 0;

	for (i = 0; i < 2; i++) {
		const struct track_twice_way *w = &pair->way[i];

		if (w->packets >= FEW && !nearly_all(w->same, originals(pair, w)))
			return false;
		if (4 * w->thirds > w->same)
			return false;
		unrepeated += w->unrepeated;
	}
	return unrepeated >= UNREPEATED_MIN && pair->most_ns < RESENT_NS;
}

/* A sender that numbers its packets gives what it sends again another number. */
static bool by_same_numbered(const struct track_twice_pair *pair, const struct track_twice_way *w)
{
	return w->same >= EQUALS_MIN / 2 && nearly_all(w->same, originals(pair, w)) &&
	       ids_vary(pair, w);
}

static bool has_few_equal(const struct track_twice_pair *pair, const struct track_twice_way *w)
{
	return 2 * equals(w) < originals(pair, w);
}

/* It has equal packets, though neither all nor few. */
static bool is_unclear(const struct track_twice_pair *pair, const struct track_twice_way *w)
{
	return w->same && !by_same_numbered(pair, w) &&
	       !(originals(pair, w) >= ONCE_FEW && has_few_equal(pair, w));
}

static bool by_same(struct track_twice_pair *pair, bool last)
{
	struct track_twice_way *a = &pair->way[0], *b = &pair->way[1];
	bool quick;

	if (a->same + b->same < EQUALS_MIN)
		return false;
	quick = by_same_quick(pair);
	if (!quick && !by_same_numbered(pair, a) && !by_same_numbered(pair, b))
		return false;
	if (!quick && !last && (is_unclear(pair, a) || is_unclear(pair, b)))
		return false;
	a->drops_same = quick || by_same_numbered(pair, a) || a->packets < 2 * FEW;
	b->drops_same = quick || by_same_numbered(pair, b) || b->packets < 2 * FEW;
	return true;
}

/* Neither direction that has equal packets has many, and one of them has had time to. */
static bool is_once(const struct track_twice_pair *pair)
{
	const struct track_twice_way *a = &pair->way[0], *b = &pair->way[1];

	if (a->packets + b->packets >= ONCE_MAX)
		return true;
	return (!equals(a) || has_few_equal(pair, a)) && (!equals(b) || has_few_equal(pair, b)) &&
	       (equals(a) ? originals(pair, a) : originals(pair, b)) >= ONCE_MIN;
}

bool track_twice_pair_decide(struct track_twice_pair *pair, uint64_t frame, bool last)
{
	if (pair->state != TRACK_TWICE_WATCHED)
		return true;
	pair->now = frame;
	pair->drops_other = by_other(pair, last, EQUALS_MIN);
	if (by_same(pair, last) || pair->drops_other)
		pair->state = TRACK_TWICE_IS;
	else if (last || is_once(pair))
		pair->state = TRACK_TWICE_ONCE;
	return pair->state != TRACK_TWICE_WATCHED;
}

void track_twice_pair_follow(struct track_twice_pair *pair, uint64_t frame, bool other,
			     uint64_t same_ns)
{
	struct track_twice_way *a = &pair->way[0], *b = &pair->way[1];
	bool soon;

	if (pair->state != TRACK_TWICE_WATCHED)
		return;
	pair->now = frame;
	pair->drops_other = other && by_other(pair, true, 1);
	soon = pair->most_ns / 2 <= same_ns && same_ns;
	a->drops_same = soon && nearly_all(a->same, originals(pair, a));
	b->drops_same = soon && nearly_all(b->same, originals(pair, b));
	if (pair->drops_other || a->drops_same || b->drops_same)
		pair->state = TRACK_TWICE_IS;
}
