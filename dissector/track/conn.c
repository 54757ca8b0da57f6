/* SPDX-License-Identifier: GPL-2.0-or-later */
/* conn.c - the table of halves, and what makes two of them a connection. */
#include <string.h>

#include <glib.h>

#include <ibwire/ibwire.h>

#include "conn.h"
#include "table.h"

#define NONE UINT32_MAX
#define NO_QPN UINT32_MAX

/* More halves than this that might be meant say nothing, and would be slow to ask. */
#define SAME_PORT_MAX 16
#define SAME_HOSTS_MAX 32

#define ACKS_WANTED 3
#define ACKS_TRIED 4096
#define ACK_NS 1000000000u
#define PSN_JUMP (1 << 20)  /* further on is another start */
#define PSN_RANGE (1 << 22) /* older requests are not remembered */

/* Unpaired halves are listed twice: with those of the same hosts, and of the same port as well. */
enum { BY_HOSTS, BY_PORT, LISTS };

struct link {
	uint32_t previous, next;
};

struct track_half {
	uint64_t first_frame;
	uint64_t request_ns; /* when the last request was seen */
	uint64_t candidate;  /* first frame of the half that its ACKs mean; 0: none yet */
	uint64_t claimed;    /* first frame of the half whose ACKs mean this one */
	struct link link[LISTS];
	uint32_t group[LISTS]; /* NONE: none */
	uint32_t peer;         /* NONE: not known */
	uint32_t dqpn;
	uint32_t sqpn;      /* by CM, else NO_QPN */
	uint32_t low, high; /* PSNs requested */
	uint32_t ack_psn;   /* of the last ACK that counted */
	uint16_t tried;
	uint8_t dir, back; /* its direction in its groups, and that of what answers it */
	uint8_t evidence;  /* enum track_evidence */
	uint8_t points;    /* ACKs that mean the candidate */
	bool listed;       /* in the lists of its groups: alive and unpaired */
	bool has_requests;
	bool unclear; /* its PSNs contradict: no pair by ACKs */
	bool was_paired;
};

_Static_assert(sizeof(struct track_half) <= 128, "two cache lines a half");

/* No holes: compared as bytes. */
struct group_key {
	uint8_t low[16], high[16]; /* the two hosts, the smaller address first */
	uint32_t port;             /* 0x10000 and the UDP source port; 0: of all ports */
	uint8_t address;
	uint8_t service;
	uint16_t zero;
};

struct group {
	uint32_t first[2], listed[2]; /* the lists, by direction */
	uint32_t unpaired[2];         /* those counted: the listed ones, and ended ones */
	uint32_t halves;              /* that refer to it */
	bool one_host;                /* both directions are direction 0 */
};

/*
 * A half that is in the table, as its addresses stand in the packet: found without making a
 * struct track_flow, which with short packets is a fifth of all work.
 */
struct recent {
	uint8_t addresses[32]; /* source and destination, 4 or 16 bytes each */
	uint32_t qp;           /* service << 24 | destination QP */
	uint32_t bytes;        /* of addresses: 8 or 32; 0: empty */
	struct track_half *half;
};

#define RECENT 128

struct track_conn {
	struct track_table *halves; /* struct track_flow -> struct track_half */
	struct track_table *groups; /* struct group_key -> struct group */
	struct track_cm *cm;        /* the caller's */
	struct track_events *events;
	uint64_t count;
	void *base; /* where halves are: they move as the table grows */
	struct recent recent[RECENT];
};

struct track_conn *track_conn_new(uint32_t max_halves, struct track_cm *cm)
{
	struct track_conn *c = g_new0(struct track_conn, 1);

	c->halves =
		track_table_new(sizeof(struct track_flow), sizeof(struct track_half), max_halves);
	c->groups =
		track_table_new(sizeof(struct group_key), sizeof(struct group), LISTS * max_halves);
	c->cm = cm;
	return c;
}

void track_conn_free(struct track_conn *c)
{
	if (!c)
		return;
	track_table_free(c->halves);
	track_table_free(c->groups);
	g_free(c);
}

void track_conn_events(struct track_conn *c, struct track_events *events)
{
	c->events = events;
}

static struct track_half *half_at(const struct track_conn *c, uint32_t number)
{
	return track_table_at(c->halves, number);
}

static struct group *group_at(const struct track_conn *c, uint32_t number)
{
	return track_table_at(c->groups, number);
}

/* Events */

/* About a half, by the packet of @at; NULL: nobody asked. */
static struct track_event *event(struct track_conn *c, enum track_event_kind kind,
				 const struct track_half *h, const struct track_at *at)
{
	struct track_event *e = track_event_add(c->events, kind, at);

	if (!e)
		return NULL;
	e->half = h->first_frame;
	if (h->sqpn == NO_QPN)
		e->doubt |= TRACK_DOUBT_MID_STREAM;
	return e;
}

static void tell_begun(struct track_conn *c, const struct track_half *h, uint32_t psn,
		       const struct track_at *at)
{
	struct track_event *e = event(c, TRACK_EVENT_HALF_BEGUN, h, at);

	if (!e)
		return;
	e->number[TRACK_HALF_BEGUN_dqpn] = h->dqpn;
	e->number[TRACK_HALF_BEGUN_psn] = psn;
}

static void tell_paired(struct track_conn *c, const struct track_half *a,
			const struct track_half *b, const struct track_at *at)
{
	struct track_event *e = event(c, TRACK_EVENT_PAIRED, a, at);

	if (!e)
		return;
	track_event_cause(e, MIN(a->first_frame, b->first_frame));
	track_event_cause(e, MAX(a->first_frame, b->first_frame));
	e->number[TRACK_PAIRED_evidence] = a->evidence;
	e->number[TRACK_PAIRED_dqpn] = a->dqpn;
	e->number[TRACK_PAIRED_back] = b->dqpn;
	e->number[TRACK_PAIRED_back_half] = b->first_frame;
}

/* @h is forgotten, because its connection @ended or for want of room. */
static void tell_gone(struct track_conn *c, const struct track_half *h, bool ended,
		      const struct track_at *at)
{
	struct track_event *e =
		event(c, ended ? TRACK_EVENT_HALF_ENDED : TRACK_EVENT_HALF_EVICTED, h, at);

	if (!e)
		return;
	e->number[ended ? TRACK_HALF_ENDED_dqpn : TRACK_HALF_EVICTED_dqpn] = h->dqpn;
	track_event_cause(e, h->first_frame);
	if (!h->was_paired && !group_at(c, h->group[BY_HOSTS])->listed[h->back])
		e->doubt |= TRACK_DOUBT_ONE_WAY;
}

/* Counting */

static uint32_t worth(const struct group *g)
{
	return g->one_host ? (g->unpaired[0] + 1) / 2 : MAX(g->unpaired[0], g->unpaired[1]);
}

static void count_unpaired(struct track_conn *c, const struct track_half *h, int change)
{
	struct group *g = group_at(c, h->group[BY_HOSTS]);

	c->count -= worth(g);
	g->unpaired[h->dir] += (uint32_t)change;
	c->count += worth(g);
}

/* The lists */

static void insert(struct track_conn *c, struct track_half *h, unsigned int list)
{
	struct group *g = group_at(c, h->group[list]);
	uint32_t number = track_table_number(c->halves, h), next = g->first[h->dir];

	h->link[list].previous = NONE;
	h->link[list].next = next;
	if (next != NONE)
		half_at(c, next)->link[list].previous = number;
	g->first[h->dir] = number;
	g->listed[h->dir]++;
}

static void take_out(struct track_conn *c, struct track_half *h, unsigned int list)
{
	struct group *g = group_at(c, h->group[list]);
	struct link link = h->link[list];

	if (link.previous != NONE)
		half_at(c, link.previous)->link[list].next = link.next;
	else
		g->first[h->dir] = link.next;
	if (link.next != NONE)
		half_at(c, link.next)->link[list].previous = link.previous;
	g->listed[h->dir]--;
}

static void set_listed(struct track_conn *c, struct track_half *h, bool listed)
{
	unsigned int list;

	if (h->listed == listed)
		return;
	h->listed = listed;
	for (list = 0; list < LISTS; list++) {
		if (h->group[list] == NONE)
			continue;
		if (listed)
			insert(c, h, list);
		else
			take_out(c, h, list);
	}
}

/* Groups */

static uint32_t join_group(struct track_conn *c, const struct group_key *key)
{
	struct group *g = track_table_get(c->groups, key);

	if (!g) { /* there is room: a half has no more than LISTS of them */
		g = track_table_add(c->groups, key);
		g->first[0] = g->first[1] = NONE;
		g->one_host = memcmp(key->low, key->high, sizeof(key->low)) == 0;
	}
	g->halves++;
	return track_table_number(c->groups, g);
}

static void leave_group(struct track_conn *c, uint32_t number)
{
	struct group *g = number == NONE ? NULL : group_at(c, number);

	if (g && !--g->halves)
		track_table_remove(c->groups, g);
}

static void join_groups(struct track_conn *c, struct track_half *h, const struct track_flow *flow,
			const struct ibw_packet *pkt)
{
	bool down = memcmp(flow->src, flow->dst, sizeof(flow->src)) > 0;
	struct group_key key = { .address = flow->address, .service = flow->service };

	memcpy(key.low, down ? flow->dst : flow->src, sizeof(key.low));
	memcpy(key.high, down ? flow->src : flow->dst, sizeof(key.high));
	h->dir = down;
	h->back = !down;
	h->group[BY_HOSTS] = join_group(c, &key);
	if (group_at(c, h->group[BY_HOSTS])->one_host)
		h->back = 0;
	h->group[BY_PORT] = NONE;
	if (pkt->udp != IBW_NO_SPAN) {
		key.port = 0x10000u | ibw_udp_sport(ibw_packet_at(pkt, pkt->udp));
		h->group[BY_PORT] = join_group(c, &key);
	}
}

/* Pairs */

static void pair(struct track_conn *c, struct track_half *a, struct track_half *b,
		 enum track_evidence evidence, const struct track_at *at)
{
	set_listed(c, a, false);
	set_listed(c, b, false);
	count_unpaired(c, a, -1);
	count_unpaired(c, b, -1);
	a->peer = track_table_number(c->halves, b);
	b->peer = track_table_number(c->halves, a);
	a->evidence = b->evidence = (uint8_t)evidence;
	a->was_paired = b->was_paired = true;
	c->count++;
	tell_paired(c, a, b, at);
}

/* The list of unpaired halves that may answer @h; NULL: there is none, or too many. */
static struct track_half *answering(const struct track_conn *c, const struct track_half *h,
				    unsigned int list, uint32_t max)
{
	const struct group *g = group_at(c, h->group[list]);

	return g->listed[h->back] - 1 < max ? half_at(c, g->first[h->back]) : NULL;
}

static struct track_half *next_of(const struct track_conn *c, const struct track_half *h,
				  unsigned int list)
{
	return h->link[list].next == NONE ? NULL : half_at(c, h->link[list].next);
}

/* What a message with bit errors says is no evidence. */
static bool ask_sender(const struct track_conn *c, struct track_half *h,
		       const struct track_flow *flow)
{
	const struct track_cm_said *said = track_cm_ask(c->cm, flow);

	if (!said || said->sure_sqpn == TRACK_CM_NO_QPN)
		return false;
	h->sqpn = said->sure_sqpn;
	return true;
}

/* A REQ and REP name the QP @h comes from: then that decides. */
static void pair_by_cm(struct track_conn *c, struct track_half *h, const struct track_flow *flow,
		       const struct track_at *at)
{
	struct track_flow back = *flow;
	struct track_half *other;

	track_flow_turn(&back);
	back.dqpn = h->sqpn;
	other = track_table_get(c->halves, &back);
	if (other && other != h && other->listed)
		pair(c, h, other, TRACK_BY_CM, at);
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

	for (other = answering(c, h, BY_PORT, SAME_PORT_MAX); other;
	     other = next_of(c, other, BY_PORT)) {
		if (other == h || other->sqpn != NO_QPN || !is_hash(port, h->dqpn, other->dqpn))
			continue;
		if (found)
			return;
		found = other;
	}
	if (found)
		pair(c, h, found, TRACK_BY_PORT, at);
}

/* PSNs: from @b to @a, modulo 2^24 */
static int32_t psn_diff(uint32_t a, uint32_t b)
{
	return (int32_t)((a - b) << 8) >> 8;
}

static void requested(struct track_half *h, uint32_t psn, uint64_t time_ns)
{
	int32_t ahead = psn_diff(psn, h->high);

	h->request_ns = time_ns;
	if (!h->has_requests || ahead > PSN_JUMP || ahead < -PSN_RANGE) {
		h->has_requests = true;
		h->low = h->high = psn;
	} else if (ahead > 0) {
		h->high = psn;
		if (psn_diff(psn, h->low) > PSN_RANGE)
			h->low = psn - PSN_RANGE;
	} else if (psn_diff(psn, h->low) < 0) {
		h->low = psn;
	}
}

static bool has_requested(const struct track_half *h, uint32_t psn)
{
	return h->has_requests && psn_diff(psn, h->low) >= 0 && psn_diff(psn, h->high) <= 0;
}

/*
 * The one half that requested what @h acknowledges; NULL: none, or more than one. A half whose
 * PSNs contradict is still one that may be meant.
 */
static struct track_half *only_requester(struct track_conn *c, struct track_half *h, uint32_t psn)
{
	struct track_half *other, *found = NULL;
	unsigned int n = 0;

	for (other = answering(c, h, BY_HOSTS, SAME_HOSTS_MAX); other;
	     other = next_of(c, other, BY_HOSTS)) {
		if (other == h || other->sqpn != NO_QPN)
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

	if (h->unclear || h->sqpn != NO_QPN || h->tried == ACKS_TRIED)
		return;
	other = only_requester(c, h, psn);
	h->tried++;
	if (!other || at->time_ns - other->request_ns > ACK_NS ||
	    (h->points && psn_diff(psn, h->ack_psn) <= 0))
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
		pair(c, h, other, TRACK_BY_ACKS, at);
}

/* Leaving */

static struct recent *recent_of(struct track_conn *c, uint32_t qp, uint8_t last)
{
	return &c->recent[(qp + last) % RECENT];
}

static struct recent *recent_half(struct track_conn *c, const struct track_half *h)
{
	const struct track_flow *flow = track_table_key(c->halves, h);
	struct recent *recent =
		recent_of(c, (uint32_t)flow->service << 24 | flow->dqpn, flow->dst[15]);

	return recent->bytes && recent->half == h ? recent : NULL;
}

/* What is left of a pair when one half goes. */
static void widow(struct track_conn *c, const struct track_half *h, bool ended)
{
	struct track_half *other = half_at(c, h->peer);

	other->peer = NONE;
	if (ended)
		return; /* of a connection that stays counted */
	c->count--;
	other->evidence = TRACK_UNPAIRED;
	count_unpaired(c, other, 1);
	set_listed(c, other, true);
}

/* @h goes: because its connection @ended, and stays counted, or for want of room. */
static void forget(struct track_conn *c, struct track_half *h, bool ended,
		   const struct track_at *at)
{
	struct recent *recent = recent_half(c, h);

	tell_gone(c, h, ended, at);
	if (recent)
		recent->bytes = 0;
	if (h->peer != NONE)
		widow(c, h, ended);
	else if (h->listed && !ended)
		count_unpaired(c, h, -1);
	set_listed(c, h, false);
	leave_group(c, h->group[BY_HOSTS]);
	leave_group(c, h->group[BY_PORT]);
	if (ended)
		track_table_remove(c->halves, h);
	else
		track_table_evict(c->halves, h);
}

static void used(struct track_conn *c, const struct track_half *h)
{
	track_table_get(c->halves, track_table_key(c->halves, h));
}

/* What is found among the recent ones is not looked up in the table: it is used all the same. */
static void make_room(struct track_conn *c, const struct track_at *at)
{
	struct track_half *oldest;
	struct recent *recent;

	while (track_table_full(c->halves)) {
		oldest = track_table_oldest(c->halves);
		recent = recent_half(c, oldest);
		if (recent) {
			recent->bytes = 0;
			used(c, oldest);
		} else {
			forget(c, oldest, false, at);
		}
	}
}

/* Packets */

static struct track_half *new_half(struct track_conn *c, const struct track_flow *flow,
				   const struct ibw_packet *pkt, const struct track_at *at)
{
	struct track_half *h;

	make_room(c, at);
	h = track_table_add(c->halves, flow);
	if (c->base != half_at(c, 0)) {
		c->base = half_at(c, 0);
		memset(c->recent, 0, sizeof(c->recent));
	}
	h->first_frame = at->frame;
	h->peer = NONE;
	h->dqpn = flow->dqpn;
	h->sqpn = NO_QPN;
	join_groups(c, h, flow, pkt);
	set_listed(c, h, true);
	count_unpaired(c, h, 1);
	ask_sender(c, h, flow);
	tell_begun(c, h, ibw_bth_psn(IBW_KNOWN(pkt, bth)), at);
	if (h->sqpn != NO_QPN)
		pair_by_cm(c, h, flow, at);
	else if (pkt->udp != IBW_NO_SPAN)
		pair_by_port(c, h, ibw_udp_sport(IBW_KNOWN(pkt, udp)), at);
	return h;
}

static struct track_half *half_of(struct track_conn *c, const struct ibw_packet *pkt,
				  const struct track_at *at)
{
	struct track_flow flow;
	struct track_half *h;

	if (!track_flow_of(pkt, &flow))
		return NULL;
	track_flow_as_gids(&flow);
	h = track_table_get(c->halves, &flow);
	return h ? h : new_half(c, &flow, pkt, at);
}

/* The half of a packet whose addresses are these bytes. */
static inline struct track_half *recall(struct track_conn *c, const struct ibw_packet *pkt,
					const uint8_t *addresses, uint32_t bytes, uint32_t qp,
					const struct track_at *at)
{
	struct recent *recent = recent_of(c, qp, addresses[bytes - 1]);
	struct track_half *h;

	if (recent->qp == qp && recent->bytes == bytes &&
	    memcmp(recent->addresses, addresses, bytes) == 0)
		return recent->half;
	if (recent->bytes && track_table_full(c->halves))
		used(c, recent->half);
	h = half_of(c, pkt, at);
	memcpy(recent->addresses, addresses, bytes);
	recent->qp = qp;
	recent->bytes = bytes;
	recent->half = h;
	return h;
}

static struct track_half *find(struct track_conn *c, const struct ibw_packet *pkt,
			       const struct ibw_bth_wire *bth, const struct track_at *at)
{
	uint32_t qp = (uint32_t)(pkt->opcode & IBW_SERVICE_MASK) << 24 | ibw_bth_dqpn(bth);
	const uint8_t *net;

	if (pkt->net == IBW_NO_SPAN)
		return half_of(c, pkt, at);
	net = ibw_packet_at(pkt, pkt->net);
	if (pkt->span[pkt->net].layer == IBW_LAYER_ipv4)
		return recall(c, pkt, net + ibw_ipv4_src_AT / 8, 8, qp, at);
	IBW_STATIC_ASSERT((int)ibw_ipv6_src_AT == (int)ibw_grh_sgid_AT,
			  "addresses of IPv6 and GRH");
	return recall(c, pkt, net + ibw_ipv6_src_AT / 8, 32, qp, at);
}

/* Services with a connection: UD has none, and CNP's packets go to a QP of another service. */
static bool connected(uint8_t opcode)
{
	return 1u << (opcode >> 5) & (1u << (IBW_SERVICE_RC >> 5) | 1u << (IBW_SERVICE_UC >> 5) |
				      1u << (IBW_SERVICE_RD >> 5) | 1u << (IBW_SERVICE_XRC >> 5));
}

/* What PSNs tell of the pair: of an ACK that is no NAK, and of requests. */
static void watch(struct track_conn *c, struct track_half *h, const struct ibw_packet *pkt,
		  uint32_t psn, const struct track_at *at)
{
	const struct ibw_aeth_wire *aeth;

	if (pkt->opcode == IBW_OP_RC_ACKNOWLEDGE || pkt->opcode == IBW_OP_XRC_ACKNOWLEDGE) {
		if (!answering(c, h, BY_HOSTS, SAME_HOSTS_MAX))
			return;
		aeth = IBW_AT(pkt, aeth);
		if (aeth && IBW_AETH_TYPE(ibw_aeth_syndrome(aeth)) == IBW_AETH_TYPE_ACK)
			acknowledged(c, h, psn, at);
	} else if (ibw_opcodes[pkt->opcode].flags & IBW_OPF_REQUEST) {
		requested(h, psn, at->time_ns);
	}
}

void track_conn_packet(struct track_conn *c, const struct ibw_packet *pkt,
		       const struct track_at *at)
{
	const struct ibw_bth_wire *bth;
	struct track_half *h;

	if (!connected(pkt->opcode))
		return;
	bth = ibw_packet_at(pkt, pkt->bth);
	h = find(c, pkt, bth, at);
	if (h && h->listed)
		watch(c, h, pkt, ibw_bth_psn(bth), at);
}

/* The CM */

/* A QP is put to use: a half to it of before the REQ is of another connection, that ended. */
static void put_to_use(struct track_conn *c, const struct track_flow *flow, uint64_t since,
		       const struct track_at *at)
{
	struct track_half *h = track_table_get(c->halves, flow);

	if (h && h->first_frame < since)
		forget(c, h, true, at);
	else if (h && h->listed && ask_sender(c, h, flow))
		pair_by_cm(c, h, flow, at);
}

void track_conn_cm(struct track_conn *c, const struct track_cm_news *news,
		   const struct track_at *at)
{
	static const uint8_t services[] = { IBW_SERVICE_RC, IBW_SERVICE_UC, IBW_SERVICE_RD,
					    IBW_SERVICE_XRC };
	struct track_flow flow;
	unsigned int i, s;

	for (i = 0; i < news->n_flows && !news->doubt; i++) {
		flow = news->flow[i];
		for (s = 0; s < G_N_ELEMENTS(services); s++) {
			flow.service = services[s];
			put_to_use(c, &flow, news->req_frame, at);
		}
	}
}

/* Questions */

uint64_t track_conn_count(const struct track_conn *c)
{
	return c->count;
}

uint64_t track_conn_evicted(const struct track_conn *c)
{
	return track_table_evicted(c->halves);
}

const struct track_half *track_conn_half(struct track_conn *c, const struct track_flow *flow)
{
	struct track_flow key = *flow;

	track_flow_as_gids(&key);
	return track_table_get(c->halves, &key);
}

const struct track_half *track_conn_peer(const struct track_conn *c, const struct track_half *half)
{
	return half->peer == NONE ? NULL : half_at(c, half->peer);
}

enum track_evidence track_conn_evidence(const struct track_half *half)
{
	return (enum track_evidence)half->evidence;
}

uint64_t track_conn_first_frame(const struct track_conn *c, const struct track_half *half)
{
	const struct track_half *peer = track_conn_peer(c, half);

	return peer ? MIN(half->first_frame, peer->first_frame) : half->first_frame;
}
