/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trim.c - packets that a congested switch trimmed: it sends their first bytes on, in another class.
 *
 * The receiver learns at once what is missing. A trimmed packet ends after as many bytes as all the others, has
 * the DSCP of trimmed ones, and its lengths say more, or, where the switch corrected them, those of
 * other packets of its message do, and its ICRC is wrong. Whether it is one shows when others of
 * the connection are whole. Until then what is said of its end is kept: slice.c.
 */
#include <glib.h>
#include <string.h>

#include "wait.h"
#include "lint/base/lint_impl.h"
#include "track/view/plain.h"

/* Fewer may be damaged ones. */
#define TRIMMED_MIN 3

#define NO_PART UINT32_MAX

/* What trackers say of a packet may come some packets later, as they take in several at a time: never so many. */
#define BEGAN 1024

struct trim {
	struct track_flow flow;
	bool used, trimmed;
	bool says_more;        /* the lengths of one do */
	bool whole;            /* others are */
	uint8_t dscp;          /* of those that may be trimmed */
	uint8_t whole_dscp;    /* of the others */
	uint32_t iface, bytes; /* where they are, and how long */
	uint32_t part;         /* payload of a First or Middle among them */
	uint32_t whole_part;   /* of the longest among the others */
	uint32_t n;            /* of them */
	uint32_t psn;          /* of the first */
	struct track_frame first;
	uint64_t last_frame;
};

struct lint_trim_state {
	uint64_t dscps;        /* 1 << DSCP of each whole packet with a payload */
	unsigned int n;        /* connections in use */
	uint64_t began[BEGAN]; /* at its number: a frame that was the first of a connection */
	struct trim trim[LINT_TRIMS]; /* by their hash; one makes room for another */
};

struct lint_trim_state *lint_trim_new(void)
{
	return g_new0(struct lint_trim_state, 1);
}

void lint_trim_free(struct lint_trim_state *trim)
{
	g_free(trim);
}

static uint8_t dscp_of(const struct ibw_packet *pkt)
{
	const struct ibw_ipv4_wire *ipv4 = IBW_AT(pkt, ipv4);

	return ipv4 ? ibw_ipv4_dscp(ipv4) : ibw_ipv6_dscp(IBW_KNOWN(pkt, ipv6));
}

/* Its payload is the path MTU's. */
static bool is_part(const struct ibw_packet *pkt)
{
	return ibw_opcodes[pkt->opcode].flags & IBW_OPF_MTU;
}

static struct trim *slot_of(struct lint_trim_state *state, const struct track_flow *flow)
{
	uint32_t hash = flow->dqpn;
	unsigned int i;

	for (i = 0; i < sizeof(flow->src); i += 4)
		hash = hash * 31 + (ibw_get_be32(flow->src + i) ^ ibw_get_be32(flow->dst + i) << 1);
	return &state->trim[(hash ^ hash >> 16) % LINT_TRIMS];
}

static unsigned int number_of(const struct lint_trim_state *state, const struct trim *t)
{
	return (unsigned int)(t - state->trim) + 1;
}

/* Nothing of it waits any longer. */
static void end(struct lint *l, struct lint_trim_state *state, struct trim *t)
{
	if (!t->trimmed)
		lint_slice_settle(l, number_of(state, t), false);
	else
		lint_found_of_flow(
			l, LINT_ROC029, &t->first, &t->flow, t->psn,
			"%u packets up to frame %llu were trimmed to %u bytes, with DSCP %u "
			"instead of %u: a congested switch sent their headers on and dropped "
			"the rest",
			t->n, (unsigned long long)t->last_frame, t->bytes, t->dscp, t->whole_dscp);
	t->used = false;
	state->n--;
}

static void decide(struct lint *l, struct lint_trim_state *state, struct trim *t)
{
	bool says_more = t->says_more || (t->part != NO_PART && t->whole_part > t->part);

	if (t->trimmed || t->n < TRIMMED_MIN || !t->whole || !says_more)
		return;
	t->trimmed = true;
	lint_slice_settle(l, number_of(state, t), true);
}

static void begin(struct lint_trim_state *state, struct trim *t, const struct track_flow *flow,
		  const struct lint_packet *p)
{
	*t = (struct trim){ .flow = *flow,
			    .used = true,
			    .dscp = dscp_of(p->pkt),
			    .iface = p->frame->iface,
			    .bytes = p->pkt->len,
			    .part = NO_PART,
			    .psn = ibw_bth_psn(IBW_KNOWN(p->pkt, bth)),
			    .first = *p->frame };
	state->began[p->frame->number % BEGAN] = p->frame->number;
	state->n++;
}

static bool is_like(const struct trim *t, const struct lint_packet *p)
{
	return t->bytes == p->pkt->len && t->dscp == dscp_of(p->pkt) && t->iface == p->frame->iface;
}

/* One that may be trimmed: no whole packet before it has its DSCP. */
static __attribute__((noinline)) void
may_be(struct lint_trim_state *state, const struct lint_packet *p, const struct track_flow *flow)
{
	struct trim *t = slot_of(state, flow);
	bool same = t->used && track_flow_equal(&t->flow, flow);

	if (same && t->trimmed && !is_like(t, p))
		return;
	if (t->used && !(same && is_like(t, p)))
		end(p->lint, state, t);
	if (!t->used)
		begin(state, t, flow, p);
	t->n++;
	t->last_frame = p->frame->number;
	if (p->pkt->flags & IBW_PKT_BEYOND)
		t->says_more = true;
	else if (is_part(p->pkt))
		t->part = p->pkt->payload_len;
	decide(p->lint, state, t);
}

static __attribute__((noinline)) void
is_whole(struct lint_trim_state *state, const struct lint_packet *p, const struct track_flow *flow)
{
	struct trim *t = slot_of(state, flow);

	if (!t->used || !track_flow_equal(&t->flow, flow))
		return;
	if (dscp_of(p->pkt) == t->dscp && !t->trimmed) {
		end(p->lint, state, t);
		return;
	}
	t->whole = true;
	t->whole_dscp = dscp_of(p->pkt);
	if (is_part(p->pkt))
		t->whole_part = MAX(t->whole_part, p->pkt->payload_len);
	decide(p->lint, state, t);
}

void lint_trim(struct lint_packet *p)
{
	struct lint_trim_state *state = lint_trim_of(p->lint);
	const struct ibw_packet *pkt = p->pkt;
	bool beyond = pkt->flags & IBW_PKT_BEYOND;
	struct track_flow flow;
	uint64_t dscp;

	if (!beyond && p->view->icrc.status == IBW_CRC_GOOD) {
		if (pkt->payload_len)
			state->dscps |= UINT64_C(1) << dscp_of(pkt);
		if (state->n && track_flow_of(pkt, &flow))
			is_whole(state, p, &flow);
		return;
	}
	if (pkt->caplen != pkt->len || !state->dscps ||
	    (!beyond && p->view->icrc.status != IBW_CRC_BAD))
		return;
	dscp = UINT64_C(1) << dscp_of(pkt);
	if (!(state->dscps & dscp) && track_flow_of(pkt, &flow))
		may_be(state, p, &flow);
}

bool lint_trim_asks(const struct lint_trim_state *state)
{
	return state->n;
}

void lint_trim_plain(struct lint_trim_state *state, const struct track_plain *p)
{
	if (p->payload_len)
		state->dscps |= UINT64_C(1) << (p->packet.tclass >> 2);
}

/* The one that the packet was put to just now. */
static struct trim *of_packet(const struct lint_packet *p)
{
	struct lint_trim_state *state = lint_trim_of(p->lint);
	struct track_flow flow;
	struct trim *t;

	if (!state->n || p->pkt->proto != IBW_PROTO_ROCEV2 || !track_flow_of(p->pkt, &flow))
		return NULL;
	t = slot_of(state, &flow);
	return t->used && t->last_frame == p->frame->number && track_flow_equal(&t->flow, &flow)
		       ? t
		       : NULL;
}

/* What a packet that ends too early is found to have. */
static bool is_of_end(enum lint_rule_id rule)
{
	return rule == LINT_ROC005 || rule == LINT_CRC001 || rule == LINT_BTH011;
}

unsigned int lint_trim_waits(const struct lint_packet *p, enum lint_rule_id rule)
{
	const struct trim *t = is_of_end(rule) ? of_packet(p) : NULL;

	return t && !t->trimmed ? number_of(lint_trim_of(p->lint), t) : 0;
}

bool lint_trim_explains(const struct lint_packet *p, enum lint_rule_id rule)
{
	const struct trim *t = is_of_end(rule) ? of_packet(p) : NULL;

	return t && t->trimmed;
}

bool lint_trim_began(const struct lint *l, uint64_t frame)
{
	return frame && lint_trim_of(l)->began[frame % BEGAN] == frame;
}

uint64_t lint_trim_frames(const struct lint *l, uint32_t iface, uint32_t bytes)
{
	const struct lint_trim_state *state = lint_trim_of(l);
	uint64_t n = 0;
	unsigned int i;

	for (i = 0; i < LINT_TRIMS; i++)
		if (state->trim[i].trimmed && state->trim[i].iface == iface &&
		    state->trim[i].bytes == bytes)
			n += state->trim[i].n;
	return n;
}

void lint_trim_finish(struct lint *l, const struct lint_trim_state *trim)
{
	struct lint_trim_state *state = lint_trim_of(l);
	unsigned int i;

	(void)trim;
	for (i = 0; i < LINT_TRIMS; i++)
		if (state->trim[i].used)
			end(l, state, &state->trim[i]);
}
