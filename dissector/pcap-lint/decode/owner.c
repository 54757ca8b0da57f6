/* SPDX-License-Identifier: GPL-2.0-or-later */
/* owner.c - finds the way of a connection by a packet's addresses, queue pair and frame. */
#include <string.h>

#include <ibwire/ibwire.h>

#include "owner.h"
#include "track/message/message.h"
#include "track/stream/qps.h"
#include "track/track.h"
#include "track/way/qp.h"

/* Connections of one queue pair that a packet is compared with, those that began last before it. */
#define OWNERS_COMPARED 64u

struct owner {
	struct track_flow way; /* with its dqpn; no service */
	const struct track_qp *qp;
	uint32_t number;
	uint8_t travels; /* enum track_way */
};

struct pl_owners {
	const struct track *known;
	GArray *owners; /* struct owner, by way, then by first frame */
};

static int compare_ways(const struct track_flow *a, const struct track_flow *b)
{
	int by = memcmp(a->src, b->src, sizeof(a->src));

	if (!by)
		by = memcmp(a->dst, b->dst, sizeof(a->dst));
	if (!by)
		by = a->address < b->address ? -1 : a->address > b->address;
	if (!by)
		by = a->dqpn < b->dqpn ? -1 : a->dqpn > b->dqpn;
	return by;
}

static int compare_owners(const void *left, const void *right)
{
	const struct owner *a = left, *b = right;
	int by = compare_ways(&a->way, &b->way);

	if (!by)
		by = a->qp->first_frame < b->qp->first_frame
			     ? -1
			     : a->qp->first_frame > b->qp->first_frame;
	return by;
}

static void add(struct pl_owners *owners, const struct track_qp *qp, uint32_t number,
		enum track_way way)
{
	struct owner owner = {
		.way = qp->flow, .qp = qp, .number = number, .travels = (uint8_t)way
	};

	if (qp->dir[way].dqpn == TRACK_CM_NO_QPN)
		return;
	track_flow_as_gids(&owner.way);
	if (way == TRACK_B_TO_A)
		track_flow_turn(&owner.way);
	owner.way.dqpn = qp->dir[way].dqpn;
	g_array_append_val(owners->owners, owner);
}

struct pl_owners *pl_owners_new(struct track *known)
{
	struct pl_owners *owners = g_new(struct pl_owners, 1);
	struct track_qp **qps;
	unsigned int i, n;

	owners->known = known;
	owners->owners = g_array_new(FALSE, FALSE, sizeof(struct owner));
	qps = track_qps_sorted(track_streams(known), &n);
	for (i = 0; i < n; i++) {
		add(owners, qps[i], i, TRACK_A_TO_B);
		add(owners, qps[i], i, TRACK_B_TO_A);
	}
	g_free(qps);
	g_array_sort(owners->owners, compare_owners);
	return owners;
}

void pl_owners_free(struct pl_owners *owners)
{
	if (!owners)
		return;
	g_array_free(owners->owners, TRUE);
	g_free(owners);
}

/* How many are before the first one of that way which begins after @frame. */
static unsigned int until(const struct pl_owners *owners, const struct track_flow *way,
			  uint64_t frame)
{
	unsigned int from = 0, to = owners->owners->len, middle;
	const struct owner *o;
	int by;

	while (from < to) {
		middle = from + (to - from) / 2;
		o = &g_array_index(owners->owners, struct owner, middle);
		by = compare_ways(&o->way, way);
		if (by < 0 || (!by && o->qp->first_frame <= frame))
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

/* As a CNP, what a vendor's packet is does not say what service its connection has. */
static bool serves(const struct track_qp *qp, uint8_t service)
{
	return qp->service == service || service == IBW_SERVICE_CNP || track_is_of_vendor(service);
}

/* Connections that packets of a way may be of, and whose packets go on to @frame: the one that began last comes first. */
struct candidates {
	const struct pl_owners *owners;
	struct track_flow way;
	uint64_t frame;
	unsigned int i, compared;
};

static struct candidates candidates_of(const struct pl_owners *owners,
				       const struct track_flow *flow, uint64_t frame)
{
	struct candidates c = { .owners = owners, .way = *flow, .frame = frame };

	track_flow_as_gids(&c.way);
	c.i = until(owners, &c.way, frame);
	return c;
}

/* NULL: there is no more. */
static const struct owner *next(struct candidates *c)
{
	const struct owner *o;

	while (c->i && c->compared++ < OWNERS_COMPARED) {
		o = &g_array_index(c->owners->owners, struct owner, --c->i);
		if (compare_ways(&o->way, &c->way) != 0)
			return NULL;
		if (o->qp->last_frame >= c->frame)
			return o;
	}
	return NULL;
}

bool pl_owners_place(const struct pl_owners *owners, const struct track_flow *flow, uint64_t frame,
		     struct track_message_place *place)
{
	struct candidates c = candidates_of(owners, flow, frame);
	const struct owner *o;

	while ((o = next(&c)))
		if (o->qp->service == flow->service && o->qp->dir[o->travels].packets)
			break;
	if (!o)
		return false;
	place->connection = o->number;
	place->way = o->travels;
	place->mtu = track_qp_mtu(o->qp);
	place->last_frame = o->qp->last_frame;
	place->answers = o->qp->dir[!o->travels].packets > 0;
	return true;
}

bool pl_owners_choose(const struct pl_owners *owners, const struct pl_chosen *chosen,
		      const struct track_flow *flow, uint64_t frame)
{
	struct candidates c = candidates_of(owners, flow, frame);
	const struct owner *o;
	bool found = false;

	while ((o = next(&c))) {
		if (!serves(o->qp, flow->service))
			continue;
		if (pl_chosen_connection(chosen, o->qp))
			return true;
		found = true;
	}
	return !found && pl_chosen_flow(chosen, owners->known, flow) == PL_CHOSEN_YES;
}
