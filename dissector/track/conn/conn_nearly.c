/* SPDX-License-Identifier: GPL-2.0-or-later */
/* conn_nearly.c - finds the connection of a packet with a wrong ICRC if a single bit of its addresses is wrong. */
#include "conn_impl.h"
#include "track/stream/stream.h"

/* How often the connection of a damaged packet is searched for: once per so many packets, and so often in addition. */
#define SEARCH_PACKETS 256u
#define SEARCHES 256u

static void flip(struct track_flow *flow, unsigned int bit)
{
	const unsigned int bits = 8 * sizeof(flow->src);

	if (bit < bits)
		flow->src[bit / 8] ^= (uint8_t)(1u << bit % 8);
	else if (bit < 2 * bits)
		flow->dst[(bit - bits) / 8] ^= (uint8_t)(1u << bit % 8);
	else
		flow->dqpn ^= 1u << (bit - 2 * bits);
}

/*
 * The half of requests that a damaged packet is of if one bit of its addresses or its queue pair is what is damaged; NULL:
 * there is none, or more than one. A receiver does not see such a packet either, and asks for it.
 */
static struct track_half *nearly_of(struct track_conn *c, const struct track_packet *p)
{
	const unsigned int bits = 16 * sizeof(p->flow.src) + 24;
	struct track_half *h, *found = NULL;
	struct track_flow flow = p->flow;
	unsigned int i;

	if (c->n_searched > SEARCHES + p->at.frame / SEARCH_PACKETS)
		return NULL;
	c->n_searched++;
	for (i = 0; i < bits; i++) {
		flip(&flow, i);
		h = track_conn_half_of(c, &flow);
		flip(&flow, i);
		if (!h || !h->qp || !h->has_requests)
			continue;
		if (found)
			return NULL;
		found = h;
	}
	return found;
}

void track_conn_feed_nearly(struct track_conn *c, struct track_packet *p)
{
	const struct track_half *h = nearly_of(c, p);

	if (!h)
		return;
	p->nearly = true;
	p->way = h->way;
	track_qp_feed_damaged(c->qps, h->qp, p);
}
