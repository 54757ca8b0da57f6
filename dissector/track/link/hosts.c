/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hosts.c - pairs of hosts, and the classes of the whole capture. */
#include <string.h>

#include <glib.h>

#include <ibwire/ibwire.h>
#include <ibwire/net.h>

#include "hosts.h"
#include "track/base/table.h"
#include "track/cm/cm.h"
#include "track/way/qp.h"

/* Queue pairs with one port between them, and packets, from which on it is worth a word. */
#define SHARED_MIN 8u
#define PACKETS_MIN 100u

/* DSCPs that switches map to priority 3 by default, which is usually the lossless one. */
#define LOSSLESS_FIRST 24u
#define LOSSLESS_LAST 31u

#define SMALL_MTU 1024u

/* A REQ that the end of the capture did not cut off from its answer. */
#define ANSWER_NS 1000000000u

#define DSCPS 64
#define PCPS 8

struct pair {
	struct track_flow flow;  /* one way, no QPN */
	uint64_t first_frame[4]; /* by enum track_version; 0: none */
	uint64_t first_ns[4];    /* of those */
	uint64_t half_frame;     /* the first half over UDP */
	uint64_t half_ns;
	uint32_t halves, port;
	bool ports_differ, told;
	uint8_t req_version; /* of a REQ that nobody answered; TRACK_NATIVE: none */
	bool answered;       /* one was */
	struct track_at req;
};

struct track_hosts {
	struct track_events *events;
	struct track_table *pairs;   /* struct track_flow -> struct pair */
	uint64_t frame[DSCPS][PCPS]; /* first of each; 0: none */
	uint64_t ns[DSCPS][PCPS];    /* of those */
	uint64_t packets;            /* of connections */
	uint64_t first_frame, first_ns;
	bool dscp_set, ecn_capable;
	uint64_t jumbo_frame;
	uint32_t jumbo;
	struct track_flow small; /* a connection with a small path MTU */
	struct track_at small_at;
	uint64_t smalls;
	uint32_t finished;
	bool told;
};

struct track_hosts *track_hosts_new(struct track_events *events)
{
	struct track_hosts *t = g_new0(struct track_hosts, 1);

	t->events = events;
	return t;
}

void track_hosts_free(struct track_hosts *t)
{
	if (t)
		track_table_free(t->pairs);
	g_free(t);
}

uint64_t track_hosts_evicted(const struct track_hosts *t)
{
	return t->pairs ? track_table_evicted(t->pairs) : 0;
}

static struct track_flow key_of(const struct track_flow *flow)
{
	struct track_flow key = *flow;

	key.dqpn = 0;
	key.service = 0;
	return key;
}

static struct pair *pair_of(struct track_hosts *t, const struct track_flow *flow)
{
	const struct track_flow key = key_of(flow);
	struct pair *pair;

	if (!t->pairs)
		t->pairs = track_table_new(sizeof(key), sizeof(*pair), TRACK_HOST_PAIRS_MAX);
	pair = track_table_need(t->pairs, &key);
	pair->flow = key;
	return pair;
}

static void see_version(struct pair *pair, uint8_t version, const struct track_at *at)
{
	if (pair->first_frame[version])
		return;
	pair->first_frame[version] = at->frame;
	pair->first_ns[version] = at->time_ns;
}

void track_hosts_half(struct track_hosts *t, const struct track_packet *p)
{
	struct pair *pair;

	if (p->version == TRACK_NATIVE)
		return;
	pair = pair_of(t, &p->flow);
	see_version(pair, p->version, &p->at);
	if (!p->port)
		return;
	if (!pair->halves++) {
		pair->half_frame = p->at.frame;
		pair->half_ns = p->at.time_ns;
		pair->port = p->port;
	}
	pair->ports_differ |= p->port != pair->port;
}

void track_hosts_path(struct track_hosts *t, const struct track_packet *p)
{
	unsigned int dscp = p->tclass >> 2;
	struct pair *pair;
	unsigned int pcp;

	if (p->version == TRACK_NATIVE)
		return;
	if (!t->first_frame) {
		t->first_frame = p->at.frame;
		t->first_ns = p->at.time_ns;
	}
	t->dscp_set |= dscp != 0;
	t->ecn_capable |= (p->tclass & 3) != 0;
	pair = pair_of(t, &p->flow);
	see_version(pair, p->version, &p->at);
	pair->ports_differ |= pair->halves && p->port && p->port != pair->port;
	if (p->tag == TRACK_NO_TAG)
		return;
	pcp = p->tag >> 13;
	if (t->frame[dscp][pcp])
		return;
	t->frame[dscp][pcp] = p->at.frame;
	t->ns[dscp][pcp] = p->at.time_ns;
}

void track_hosts_data(struct track_hosts *t, uint64_t packets)
{
	t->packets += packets;
}

void track_hosts_datagram(struct track_hosts *t, const struct track_view *view,
			  const struct track_at *at)
{
	uint8_t version = track_packet_version(&view->pkt);
	struct track_flow flow;

	if (version != TRACK_NATIVE && track_flow_gids_of(&view->pkt, &flow))
		see_version(pair_of(t, &flow), version, at);
}

/* A REQ, which its receiver may answer later, or what shows that it heard of it. */
void track_hosts_cm(struct track_hosts *t, const struct ibw_packet *pkt,
		    const struct track_cm_news *news, const struct track_at *at)
{
	uint8_t version = track_packet_version(pkt);
	struct track_flow flow;
	struct pair *pair;

	if (version == TRACK_NATIVE || !track_flow_gids_of(pkt, &flow))
		return;
	if (news->message == TRACK_CM_REQ) {
		pair = pair_of(t, &flow);
		if (pair->req_version)
			return;
		pair->req_version = version;
		pair->req = *at;
	} else if (news->side == TRACK_CM_SERVER) {
		track_flow_turn(&flow);
		pair_of(t, &flow)->answered = true;
	}
}

void track_hosts_jumbo(struct track_hosts *t, uint32_t bytes, uint64_t frame)
{
	if (t->jumbo_frame)
		return;
	t->jumbo = bytes;
	t->jumbo_frame = frame;
}

void track_hosts_mtu(struct track_hosts *t, const struct track_qp *qp)
{
	if (qp->mtu_seen != SMALL_MTU || qp->flow.address == TRACK_ADDRESS_LID)
		return;
	if (t->smalls++ && t->small_at.frame < qp->first_frame)
		return;
	t->small = qp->flow;
	t->small_at = (struct track_at){ .frame = qp->first_frame };
}

void track_hosts_split(struct track_hosts *t, const struct track_flow *flow)
{
	pair_of(t, flow)->told = true;
}

/* The end */

static struct track_event *event(struct track_hosts *t, enum track_event_kind kind,
				 const struct track_flow *flow, uint64_t frame, uint64_t time_ns)
{
	const struct track_at at = { .frame = frame, .time_ns = time_ns };
	struct track_event *e = track_event_add(t->events, kind, &at);

	if (e && flow) {
		e->flow = *flow;
		track_flow_as_seen(&e->flow);
	}
	return e;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a && b ? MIN(a, b) : a + b;
}

static uint64_t v1_of(const struct pair *pair)
{
	return pair ? pair->first_frame[TRACK_ROCE_V1] : 0;
}

static uint64_t v2_of(const struct pair *pair)
{
	return pair ? earlier(pair->first_frame[TRACK_ROCE_V2_IPV4],
			      pair->first_frame[TRACK_ROCE_V2_IPV6])
		    : 0;
}

static bool sends(const struct pair *pair)
{
	return v1_of(pair) || v2_of(pair);
}

/* When that frame came, which is the first one of a version. */
static uint64_t time_of(const struct pair *pair, uint64_t frame)
{
	unsigned int version;

	for (version = 0; version < G_N_ELEMENTS(pair->first_frame); version++)
		if (pair->first_frame[version] == frame)
			return pair->first_ns[version];
	return 0;
}

/* Both ways: said of one. A host that nobody answers exchanges nothing, and an answer may be all that was captured. */
static void check_versions(struct track_hosts *t, struct pair *pair, struct pair *back)
{
	uint64_t v1 = earlier(v1_of(pair), v1_of(back)), v2 = earlier(v2_of(pair), v2_of(back));
	struct track_event *e;

	if (!v1 || !v2 || !sends(pair) || !sends(back) || pair->told || back->told)
		return;
	pair->told = true;
	e = event(t, TRACK_EVENT_VERSIONS_BOTH, &pair->flow, MAX(v1, v2),
		  MAX(time_of(pair, MAX(v1, v2)), time_of(back, MAX(v1, v2))));
	if (!e)
		return;
	track_event_cause(e, MIN(v1, v2));
	e->number[TRACK_VERSIONS_BOTH_v1] = v1;
	e->number[TRACK_VERSIONS_BOTH_v2] = v2;
	e->number[TRACK_VERSIONS_BOTH_sent] = (v1_of(pair) ? 2u : 0) | (v2_of(pair) ? 4u : 0);
	e->number[TRACK_VERSIONS_BOTH_back] = (v1_of(back) ? 2u : 0) | (v2_of(back) ? 4u : 0);
}

/* The REQ came by a version that its receiver does not send. */
static void check_req(struct track_hosts *t, const struct pair *pair, const struct pair *back,
		      const struct track_at *last)
{
	bool by_v1 = pair->req_version == TRACK_ROCE_V1;
	struct track_event *e;

	if (!pair->req_version || pair->answered || !back ||
	    last->time_ns < pair->req.time_ns + ANSWER_NS || (by_v1 ? v1_of(back) : v2_of(back)) ||
	    !(by_v1 ? v2_of(back) : v1_of(back)))
		return;
	e = event(t, TRACK_EVENT_VERSION_ONE_SIDED, &pair->flow, pair->req.frame,
		  pair->req.time_ns);
	if (!e)
		return;
	track_event_cause(e, by_v1 ? v2_of(back) : v1_of(back));
	e->number[TRACK_VERSION_ONE_SIDED_version] = by_v1 ? 1 : 2;
	e->number[TRACK_VERSION_ONE_SIDED_back] = by_v1 ? 2 : 1;
}

static void check_ports(struct track_hosts *t, const struct pair *pair)
{
	struct track_event *e;

	if (pair->halves < SHARED_MIN || pair->ports_differ)
		return;
	e = event(t, TRACK_EVENT_SPORT_SHARED, &pair->flow, pair->half_frame, pair->half_ns);
	if (!e)
		return;
	e->number[TRACK_SPORT_SHARED_halves] = pair->halves;
	e->number[TRACK_SPORT_SHARED_sport] = pair->port & 0xffff;
}

static void tell_pcp(struct track_hosts *t, unsigned int dscp, unsigned int pcp,
		     unsigned int other_dscp, unsigned int other)
{
	uint64_t frame = t->frame[dscp][pcp], before = t->frame[other_dscp][other];
	struct track_event *e = event(t, TRACK_EVENT_PCP_DIFFERS, NULL, MAX(frame, before),
				      frame > before ? t->ns[dscp][pcp] : t->ns[other_dscp][other]);

	if (!e)
		return;
	track_event_cause(e, MIN(frame, before));
	e->number[TRACK_PCP_DIFFERS_dscp] = dscp;
	e->number[TRACK_PCP_DIFFERS_pcp] = pcp;
	e->number[TRACK_PCP_DIFFERS_other_dscp] = other_dscp;
	e->number[TRACK_PCP_DIFFERS_other] = other;
}

/* The first PCP of @dscp from @pcp on; PCPS: none. */
static unsigned int pcp_from(const struct track_hosts *t, unsigned int dscp, unsigned int pcp)
{
	while (pcp < PCPS && !t->frame[dscp][pcp])
		pcp++;
	return pcp;
}

static void check_pcps(struct track_hosts *t)
{
	unsigned int dscp, first, second, prior = DSCPS;

	for (dscp = 0; dscp < DSCPS; dscp++) {
		first = pcp_from(t, dscp, 0);
		second = first < PCPS ? pcp_from(t, dscp, first + 1) : PCPS;
		if (second < PCPS)
			tell_pcp(t, dscp, second, dscp, first);
		if (prior == DSCPS && pcp_from(t, dscp, 1) < PCPS)
			prior = dscp;
	}
	for (dscp = LOSSLESS_FIRST; dscp <= LOSSLESS_LAST && prior < DSCPS; dscp++)
		if (t->frame[dscp][0] && pcp_from(t, dscp, 1) == PCPS)
			tell_pcp(t, dscp, 0, prior, pcp_from(t, prior, 1));
}

static void check_classes(struct track_hosts *t)
{
	struct track_event *e;

	if (t->packets >= PACKETS_MIN && !t->dscp_set) {
		e = event(t, TRACK_EVENT_DSCP_ZERO, NULL, t->first_frame, t->first_ns);
		if (e)
			e->number[TRACK_DSCP_ZERO_packets] = t->packets;
	}
	if (t->packets >= PACKETS_MIN && !t->ecn_capable) {
		e = event(t, TRACK_EVENT_NOT_ECT, NULL, t->first_frame, t->first_ns);
		if (e)
			e->number[TRACK_NOT_ECT_packets] = t->packets;
	}
}

/* The time of the frame is not kept. */
static void check_mtu(struct track_hosts *t)
{
	struct track_event *e;

	if (!t->smalls || !t->jumbo_frame)
		return;
	e = event(t, TRACK_EVENT_MTU_SMALL, &t->small, t->small_at.frame, 0);
	if (!e)
		return;
	track_event_cause(e, t->jumbo_frame);
	e->number[TRACK_MTU_SMALL_connections] = t->smalls;
	e->number[TRACK_MTU_SMALL_mtu] = SMALL_MTU;
	e->number[TRACK_MTU_SMALL_frame] = t->jumbo;
}

bool track_hosts_finish(struct track_hosts *t, const struct track_at *last)
{
	struct pair *pair = t->finished ? track_table_at(t->pairs, t->finished - 1) : NULL, *back;
	struct track_flow key;

	while (t->pairs && (pair = track_table_next(t->pairs, pair))) {
		if (track_events_room(t->events) < 3)
			return false;
		key = pair->flow;
		track_flow_turn(&key);
		back = track_table_get(t->pairs, &key);
		check_versions(t, pair, back);
		check_req(t, pair, back, last);
		check_ports(t, pair);
		t->finished = track_table_number(t->pairs, pair) + 1;
	}
	if (t->told)
		return true;
	if (track_events_room(t->events) < DSCPS + LOSSLESS_LAST - LOSSLESS_FIRST + 4)
		return false;
	t->told = true;
	check_pcps(t);
	check_classes(t);
	check_mtu(t);
	return true;
}
