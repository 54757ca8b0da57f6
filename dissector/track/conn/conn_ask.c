/* SPDX-License-Identifier: GPL-2.0-or-later */
/* conn_ask.c - answers questions about the halves of connections. */
#include "conn_impl.h"
#include "track/stream/qps.h"
#include "track/way/qp_impl.h"

uint64_t track_conn_count(const struct track_conn *c)
{
	return c->count;
}

uint64_t track_conn_evicted(const struct track_conn *c)
{
	return track_table_evicted(c->halves);
}

uint64_t track_conn_idle_evicted(const struct track_conn *c)
{
	return c->idle_evicted;
}

const struct track_half *track_conn_half(struct track_conn *c, const struct track_flow *flow)
{
	struct track_flow key = *flow;

	track_flow_as_gids(&key);
	return track_table_get(c->halves, &key);
}

void track_conn_copy(struct track_conn *c, const struct track_flow *flow)
{
	const struct track_half *h = track_conn_half(c, flow);

	if (h && h->qp)
		track_watch(&h->qp->dir[h->way])->copies++;
}

const struct track_half *track_conn_peer(const struct track_conn *c, const struct track_half *half)
{
	return half->peer == TRACK_NONE ? NULL : track_half_at(c, half->peer);
}

enum track_evidence track_conn_evidence(const struct track_half *half)
{
	return (enum track_evidence)half->evidence;
}

const struct track_qp *track_conn_qp(const struct track_conn *c, const struct track_half *half)
{
	const struct track_half *elder = track_pair_presumed(c, half);

	return half->qp && elder ? elder->qp : half->qp;
}

bool track_conn_rank(const struct track_conn *c, const struct track_half *half, uint32_t *rank)
{
	const struct track_qp *qp = track_conn_qp(c, half);

	if (qp)
		*rank = track_qps_rank(c->qps, qp);
	return qp != NULL;
}

uint64_t track_conn_service(const struct track_half *half)
{
	return half->qp ? track_qp_service_id(half->qp) : 0;
}

uint64_t track_conn_cm_frame(const struct track_half *half)
{
	return half->qp ? track_qp_cm_frame(half->qp) : 0;
}

uint32_t track_conn_depth(const struct track_half *half)
{
	return half->qp ? track_qp_depth(half->qp, (enum track_way)half->way) : TRACK_NO_DEPTH;
}

uint64_t track_conn_first_frame(const struct track_conn *c, const struct track_half *half)
{
	const struct track_half *peer = track_conn_peer(c, half);

	return peer ? MIN(half->first_frame, peer->first_frame) : half->first_frame;
}
