/* SPDX-License-Identifier: GPL-2.0-or-later */
/* story_of.c - the connection of a story: one of queue pairs, or of iWARP. */
#include <string.h>

#include "pcap-lint/report/flow.h"
#include "story.h"

uint64_t pl_listed_number(const struct pl_listed *one)
{
	return one->qp ? one->qp->number : one->iwarp->number;
}

uint64_t pl_listed_first_frame(const struct pl_listed *one)
{
	return one->qp ? one->qp->first_frame : one->iwarp->record->conn.first_frame;
}

uint64_t pl_listed_last_frame(const struct pl_listed *one)
{
	return one->qp ? one->qp->last_frame : one->iwarp->record->conn.last_frame;
}

uint16_t pl_listed_doubt(const struct pl_listed *one)
{
	return one->qp ? (uint16_t)track_qp_doubt(one->qp)
		       : track_iwarp_doubt(&one->iwarp->record->conn);
}

uint64_t pl_listed_figure(const struct pl_listed *one, enum track_figure figure)
{
	uint64_t n, sum = 0;
	unsigned int way;

	if (one->qp)
		return pl_flow_figure(one->qp, figure);
	for (way = 0; way < TRACK_WAYS; way++)
		if (track_iwarp_figure(pl_iwarp_dir(one->iwarp, way), figure, &n))
			sum += n;
	return sum;
}

static void end(struct ibw_out *o, const struct pl_listed *one, enum track_way way)
{
	if (one->qp)
		pl_out_end(o, one->qp, way);
	else
		pl_iwarp_out_end(o, one->iwarp, way);
}

void pl_out_listed(struct ibw_out *o, const struct pl_listed *one)
{
	ibw_out_str(o, one->qp ? pl_flow_service(one->qp) : "iWARP");
	ibw_out_str(o, " between A, ");
	end(o, one, TRACK_A_TO_B);
	ibw_out_str(o, ", and B, ");
	end(o, one, TRACK_B_TO_A);
}

static enum track_way way_of_iwarp(const struct pl_iwarp *c, const struct track_event *e)
{
	const struct track_tcp_ends *ends = &c->record->ends;
	unsigned int a = track_iwarp_opener(&c->record->conn);

	return e->flow.sport == ends->port[a] &&
			       memcmp(e->flow.src, ends->address[a], sizeof(e->flow.src)) == 0
		       ? TRACK_A_TO_B
		       : TRACK_B_TO_A;
}

enum track_way pl_story_way(const struct pl_listed *one, const struct track_event *e)
{
	struct track_flow flow;

	if (one->iwarp)
		return way_of_iwarp(one->iwarp, e);
	flow = one->qp->flow;
	track_flow_as_seen(&flow);
	if (memcmp(flow.src, flow.dst, sizeof(flow.src)) == 0)
		return e->flow.dqpn == one->qp->dir[TRACK_A_TO_B].dqpn ? TRACK_A_TO_B
								       : TRACK_B_TO_A;
	return memcmp(flow.src, e->flow.src, sizeof(flow.src)) == 0 ? TRACK_A_TO_B : TRACK_B_TO_A;
}
