/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pair.c - the evidence that two halves are one connection: conn.h has it in its order. */
#include <ibwire/ibwire.h>

#include "conn_impl.h"
#include "track/stream/stream.h"

/*
 * A port that more unpaired halves of two hosts have in one direction is not made of their QPNs, which would spread
 * over 16,384 ports. Some cards send all with 49152: by chance it is the hash of one in 16,384 pairs of QPNs, too.
 */
#define SAME_PORT_MAX 2
/* More halves than this that might be meant say nothing, and would be slow to ask. */
#define SAME_HOSTS_MAX 32

#define ACKS_WANTED 3 /* or other answers, of the only pair */
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

/*
 * The only pair: two hosts that have one half each way, and answers of any kind that fit the requests. The first one
 * joins the two, unless something speaks against it before there are three, or the capture ends, or no more packets
 * can wait for it.
 */

/* The only half that may answer @h, where neither direction ever had another; NULL: there is none. */
static struct track_half *only_other(const struct track_conn *c, const struct track_half *h)
{
	const struct track_group *g = track_group_at(c, h->group[TRACK_BY_HOSTS]);
	struct track_half *other;

	if (!h->listed || g->one_host || g->only[0].halves != 1 || g->only[1].halves != 1 ||
	    track_table_evicted(c->halves))
		return NULL;
	other = answering(c, h, TRACK_BY_HOSTS, 1);
	return other && other->sqpn == TRACK_NO_QPN && h->sqpn == TRACK_NO_QPN ? other : NULL;
}

/* What is known of the requests of direction @dir between the hosts of @h. */
static struct track_only *only_of(const struct track_conn *c, const struct track_half *h,
				  unsigned int dir)
{
	return &track_group_at(c, h->group[TRACK_BY_HOSTS])->only[dir];
}

/* How many PSNs a READ takes depends on the path MTU: no more than by the smallest one. */
static uint32_t psns_at_most(const struct track_packet *p)
{
	if (!track_is_read_request(p))
		return 1;
	if (!(p->flags & TRACK_PACKET_RETH))
		return PSN_JUMP;
	return CLAMP(track_packets_of(p->dmalen, TRACK_MTU_MIN), 1, PSN_JUMP);
}

/* Whether a READ response answers it: IBTA vol 1, 9.4.4, and A19 for FLUSH and ATOMIC WRITE. */
static bool is_read(uint8_t opcode)
{
	switch (TRACK_OPERATION(opcode)) {
	case IBW_OP_RC_RDMA_READ_REQUEST:
	case IBW_OP_RC_FLUSH:
	case IBW_OP_RC_ATOMIC_WRITE:
		return true;
	default:
		return false;
	}
}

static void only_requested(const struct track_conn *c, const struct track_half *h,
			   const struct track_packet *p)
{
	struct track_only *only = only_of(c, h, h->dir);
	uint32_t reach = (p->psn + psns_at_most(p) - 1) & 0xffffff;

	if (h->low == h->high || track_psn_from(only->reach, reach) > 0)
		only->reach = reach;
	only->reads |= is_read(p->opcode);
	only->atomics |= track_verb_of(p->opcode) == TRACK_VERB_ATOMIC;
}

/* An ATOMIC Acknowledge answers an atomic; any other answer may be of each request. */
static bool is_asked(const struct track_only *requests, uint8_t opcode)
{
	unsigned int operation = TRACK_OPERATION(opcode);

	if (operation >= IBW_OP_RC_RDMA_READ_RESPONSE_FIRST &&
	    operation <= IBW_OP_RC_RDMA_READ_RESPONSE_ONLY)
		return requests->reads;
	return operation != IBW_OP_RC_ATOMIC_ACKNOWLEDGE || requests->atomics;
}

/* Whether the answer @p is one to the requests of @other, as far as PSNs say; what was before those says nothing. */
static bool fits(const struct track_half *other, struct track_only *requests,
		 const struct track_packet *p)
{
	int32_t from_low = track_psn_from(other->low, p->psn);

	if (from_low < 0) {
		requests->against |= requests->fits || from_low < -PSN_JUMP;
		return false;
	}
	requests->against |=
		track_psn_from(requests->reach, p->psn) > 0 || !is_asked(requests, p->opcode);
	return !requests->against && apart_ns(p->at.time_ns, other->request_ns) <= ACK_NS &&
	       (!requests->fits || track_psn_from(requests->answered, p->psn) > 0);
}

static bool is_only_pair(const struct track_conn *c, const struct track_half *h,
			 const struct track_half *other)
{
	const struct track_only *there = only_of(c, h, h->dir), *back = only_of(c, h, h->back);

	return other && !there->against && !back->against && !h->unclear && !other->unclear &&
	       there->fits + back->fits;
}

bool track_pair_only(struct track_conn *c, struct track_half *h, const struct track_at *at)
{
	struct track_half *other = only_other(c, h);

	if (!is_only_pair(c, h, other))
		return false;
	track_conn_pair(c, h, other, TRACK_BY_ONLY, at);
	return true;
}

void track_pair_presume_not(struct track_conn *c, const struct track_half *h)
{
	struct track_group *g = track_group_at(c, h->group[TRACK_BY_HOSTS]);

	if (g->presumed)
		track_ranks_give(&c->qps->ranks, g->presumed);
	g->presumed = 0;
}

void track_pair_presume(struct track_conn *c, const struct track_half *h)
{
	struct track_group *g = track_group_at(c, h->group[TRACK_BY_HOSTS]);
	const struct track_half *other = only_other(c, h), *younger;

	if (!is_only_pair(c, h, other) || !h->qp || !other->qp || track_qp_cm_frame(h->qp) ||
	    track_qp_cm_frame(other->qp)) {
		track_pair_presume_not(c, h);
		return;
	}
	younger = h->first_frame < other->first_frame ? other : h;
	g->presumed = younger->qp->serial;
	track_ranks_take(&c->qps->ranks, g->presumed);
}

const struct track_half *track_pair_presumed(const struct track_conn *c, const struct track_half *h)
{
	const struct track_group *g = track_group_at(c, h->group[TRACK_BY_HOSTS]);

	return h->qp && g->presumed == h->qp->serial ? only_other(c, h) : NULL;
}

static void only_answered(struct track_conn *c, struct track_half *h, const struct track_packet *p)
{
	struct track_half *other = only_other(c, h);
	struct track_only *requests = only_of(c, h, h->back);

	if (!other || !other->has_requests)
		return;
	if (fits(other, requests, p)) {
		requests->answered = p->psn;
		requests->fits++;
	}
	if (requests->fits < ACKS_WANTED || !track_pair_only(c, h, &p->at))
		track_pair_presume(c, h);
}

/* An Acknowledge packet that is no NAK; one whose AETH was not captured may be one. */
static bool is_ack(const struct track_packet *p)
{
	return p->flags & TRACK_PACKET_AETH &&
	       (p->opcode == IBW_OP_RC_ACKNOWLEDGE || p->opcode == IBW_OP_XRC_ACKNOWLEDGE) &&
	       IBW_AETH_TYPE(p->syndrome) == IBW_AETH_TYPE_ACK;
}

static void answered(struct track_conn *c, struct track_half *h, const struct track_packet *p)
{
	if (is_ack(p) && answering(c, h, TRACK_BY_HOSTS, SAME_HOSTS_MAX))
		acknowledged(c, h, p->psn, &p->at);
	if (h->listed && track_packet_opf(p) & IBW_OPF_RESPONSE)
		only_answered(c, h, p);
}

void track_pair_watch(struct track_conn *c, struct track_half *h, const struct track_packet *p)
{
	if (track_packet_opf(p) & IBW_OPF_REQUEST) {
		requested(h, p->psn, p->at.time_ns);
		only_requested(c, h, p);
	} else {
		answered(c, h, p);
	}
	if (h->listed && h->qp && track_qp_waits_in_vain(c->qps, h->qp))
		track_pair_only(c, h, &p->at);
}

/*
 * A requester that kept the PSN of the session before: its requests to a new queue pair go on where those to the one
 * before stopped, and a sequence NAK asks for what neither has open.
 */

static bool is_sequence_nak(const struct track_packet *p)
{
	return p->flags & TRACK_PACKET_AETH && p->syndrome == IBW_AETH_NAK_PSN_SEQUENCE &&
	       TRACK_OPERATION(p->opcode) == IBW_OP_RC_ACKNOWLEDGE;
}

struct track_half *track_pair_kept(struct track_conn *c, const struct track_half *h,
				   const struct track_packet *p)
{
	struct track_half *before = track_half_at(c, h->peer), *other, *found = NULL;
	const struct track_dir *d = before->qp ? &before->qp->dir[before->way] : NULL;
	unsigned int n = 0;

	if (!is_sequence_nak(p) || h->evidence == TRACK_BY_CM || !d || !d->psns.begun ||
	    (track_psn_from(d->since.covered, p->psn) >= 0 &&
	     track_psn_from(d->psns.next, p->psn) <= 0))
		return NULL;
	for (other = answering(c, h, TRACK_BY_HOSTS, SAME_HOSTS_MAX); other;
	     other = next_of(c, other, TRACK_BY_HOSTS)) {
		if (other->sqpn != TRACK_NO_QPN || !other->qp || !other->has_requests ||
		    other->low != (d->psns.next & 0xffffff) ||
		    other->first_frame <= before->qp->last_frame)
			continue;
		found = other;
		n++;
	}
	return n == 1 ? found : NULL;
}
