/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pair.c - the evidence that two halves are one connection: conn.h has it in its order. */
#include <ibwire/ibwire.h>

#include "conn_impl.h"

/*
 * A port that more unpaired halves of two hosts have in one direction is not made of their QPNs, which would spread
 * over 16,384 ports. Some cards send all with 49152: by chance it is the hash of one in 16,384 pairs of QPNs, too.
 */
#define SAME_PORT_MAX 2
/* More halves than this that might be meant say nothing, and would be slow to ask. */
#define SAME_HOSTS_MAX 32

#define ACKS_WANTED 3
#define ACKS_TRIED 4096
#define ACK_NS 1000000000u
#define PSN_JUMP (1 << 20)  /* further on is another start */
#define PSN_RANGE (1 << 22) /* older requests are not remembered */

/* The list of unpaired halves that may answer @h; NULL: there is none, or too many. */
static struct track_half *answering(const struct track_conn *c, const struct track_half *h,
				    unsigned int list, uint32_t max)
{
	const struct track_group *g = track_group_at(c, h->group[list]);

	return g->listed[h->back] - 1 < max ? track_half_at(c, g->first[h->back]) : NULL;
}

static struct track_half *next_of(const struct track_conn *c, const struct track_half *h,
				  unsigned int list)
{
	return h->link[list].next == TRACK_NONE ? NULL : track_half_at(c, h->link[list].next);
}

/* A REQ and REP name the QP that @h comes from: then that decides. */
void track_pair_cm(struct track_conn *c, struct track_half *h, const struct track_flow *flow,
		   const struct track_at *at)
{
	struct track_flow back = *flow;
	struct track_half *other;

	track_flow_turn(&back);
	back.dqpn = h->sqpn;
	other = track_table_get(c->halves, &back);
	if (other && other != h && other->listed)
		track_conn_pair(c, h, other, TRACK_BY_CM, at);
}

/* rdma_calc_flow_label() and rdma_flow_label_to_udp_sport() of Linux, in include/rdma/ib_verbs.h */
static bool is_hash(uint16_t port, uint32_t a, uint32_t b)
{
	return ibw_flow_label_to_sport(ibw_qpns_to_flow_label(a, b)) == port;
}

static void pair_by_port(struct track_conn *c, struct track_half *h, uint16_t port,
			 const struct track_at *at)
{
	struct track_half *other, *found = NULL;

	if (track_group_at(c, h->group[TRACK_BY_SPORT])->listed[h->dir] > SAME_PORT_MAX)
		return;
	for (other = answering(c, h, TRACK_BY_SPORT, SAME_PORT_MAX); other;
	     other = next_of(c, other, TRACK_BY_SPORT)) {
		if (other == h || other->sqpn != TRACK_NO_QPN ||
		    !is_hash(port, h->dqpn, other->dqpn))
			continue;
		if (found)
			return;
		found = other;
	}
	if (found)
		track_conn_pair(c, h, found, TRACK_BY_PORT, at);
}

void track_pair_new(struct track_conn *c, struct track_half *h, const struct track_packet *p)
{
	if (h->sqpn != TRACK_NO_QPN)
		track_pair_cm(c, h, &p->flow, &p->at);
	else if (p->port)
		pair_by_port(c, h, p->port & 0xffff, &p->at);
}

/* Two cards have two clocks, so that the answer may seem to be older. */
static uint64_t apart_ns(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

static void requested(struct track_half *h, uint32_t psn, uint64_t time_ns)
{
	int32_t ahead = track_psn_from(h->high, psn);

	h->request_ns = time_ns;
	if (!h->has_requests || ahead > PSN_JUMP || ahead < -PSN_RANGE) {
		h->has_requests = true;
		h->low = h->high = psn;
	} else if (ahead > 0) {
		h->high = psn;
		if (track_psn_from(h->low, psn) > PSN_RANGE)
			h->low = psn - PSN_RANGE;
	} else if (track_psn_from(h->low, psn) < 0) {
		h->low = psn;
	}
}

static bool has_requested(const struct track_half *h, uint32_t psn)
{
	return h->has_requests && track_psn_from(h->low, psn) >= 0 &&
	       track_psn_from(h->high, psn) <= 0;
}

/*
 * The one half that requested what @h acknowledges; NULL: none, or more than one. A half whose
 * PSNs contradict is still one that may be meant.
 */
static struct track_half *only_requester(struct track_conn *c, struct track_half *h, uint32_t psn)
{
	struct track_half *other, *found = NULL;
	unsigned int n = 0;

	for (other = answering(c, h, TRACK_BY_HOSTS, SAME_HOSTS_MAX); other;
	     other = next_of(c, other, TRACK_BY_HOSTS)) {
		if (other == h || other->sqpn != TRACK_NO_QPN)
			continue;
		if (has_requested(other, psn)) {
			found = other;
			n++;
		} else if (other->first_frame == h->candidate) {
			h->unclear = true;
		}
	}
	return n == 1 ? found : NULL;
}

/* Whether the ACKs of both, as far as they were seen, mean each other and nobody else. */
static bool agree(const struct track_half *h, const struct track_half *other)
{
	return !h->unclear && !other->unclear && other->claimed == h->first_frame &&
	       h->candidate == other->first_frame &&
	       (!other->candidate || other->candidate == h->first_frame) &&
	       (!h->claimed || h->claimed == other->first_frame);
}

static void acknowledged(struct track_conn *c, struct track_half *h, uint32_t psn,
			 const struct track_at *at)
{
	struct track_half *other;

	if (h->unclear || h->sqpn != TRACK_NO_QPN || h->tried == ACKS_TRIED)
		return;
	other = only_requester(c, h, psn);
	h->tried++;
	if (!other || apart_ns(at->time_ns, other->request_ns) > ACK_NS ||
	    (h->points && track_psn_from(h->ack_psn, psn) <= 0))
		return;
	h->ack_psn = psn;
	h->points++;
	if (!h->candidate)
		h->candidate = other->first_frame;
	if (!other->claimed)
		other->claimed = h->first_frame;
	if (!agree(h, other))
		h->unclear = other->unclear = true;
	else if (h->points == ACKS_WANTED)
		track_conn_pair(c, h, other, TRACK_BY_ACKS, at);
}

/* An Acknowledge packet that is no NAK; one whose AETH was not captured may be one. */
static bool is_ack(const struct track_packet *p)
{
	return p->flags & TRACK_PACKET_AETH &&
	       (p->opcode == IBW_OP_RC_ACKNOWLEDGE || p->opcode == IBW_OP_XRC_ACKNOWLEDGE) &&
	       IBW_AETH_TYPE(p->syndrome) == IBW_AETH_TYPE_ACK;
}

void track_pair_watch(struct track_conn *c, struct track_half *h, const struct track_packet *p)
{
	if (ibw_opcodes[p->opcode].flags & IBW_OPF_REQUEST)
		requested(h, p->psn, p->at.time_ns);
	else if (is_ack(p) && answering(c, h, TRACK_BY_HOSTS, SAME_HOSTS_MAX))
		acknowledged(c, h, p->psn, &p->at);
}
