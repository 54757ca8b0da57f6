/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cc.c - counts congestion marks of senders, and CNPs by queue pair, by pair of hosts and by host.
 */
#include <string.h>

#include <ibwire/net.h>

#include "cc.h"
#include "stream.h"
#include "track/incident/incident.h"

/* A CNP and a NAK that an adapter sends together. */
#define TOGETHER_NS UINT64_C(10000)

/* Marks over such a time want a CNP. */
#define MARKS_MIN 10u
#define MARKS_NS 1000000u

/* Fewer CNPs show no pacing. */
#define CNPS_MIN 10u

/* So many packets of a sender, all of them marked, were marked by the sender. */
#define ALL_MIN 1000u

struct gaps {
	uint64_t first_frame, last_ns, min_ns, sum_ns;
	uint64_t n; /* CNPs */
	bool told_dscp;
};

struct sender {
	struct track_flow flow; /* of its first packets with a mark */
	uint64_t packets, marked;
	uint64_t frame, time_ns;      /* of the first mark */
	uint64_t cnp_first, cnp_last; /* frames of CNPs to it; 0: none */
	bool unmarked;                /* a datagram was not */
};

enum level { BY_QP, BY_PAIR, BY_PORT, LEVELS };

/* CNPs come from the same few hosts: the one before has the value at hand. */
struct last_key {
	uint8_t key[sizeof(struct track_flow)];
	void *value; /* NULL: none */
};

struct track_cc {
	struct track_events *events;
	struct track_table *gaps[LEVELS]; /* struct track_flow, what is left out 0 -> struct gaps */
	struct track_table *senders;      /* 16 bytes of an address -> struct sender */
	struct last_key last_gaps[LEVELS], last_sender;
	uint64_t cnps, paced;  /* paced: of connections that the capture shows */
	struct track_at first; /* of them */
	bool finished;
};

struct track_cc *track_cc_new(struct track_events *events)
{
	struct track_cc *t = g_new0(struct track_cc, 1);

	t->events = events;
	return t;
}

void track_cc_free(struct track_cc *t)
{
	unsigned int i;

	if (!t)
		return;
	for (i = 0; i < LEVELS; i++)
		track_table_free(t->gaps[i]);
	track_table_free(t->senders);
	g_free(t);
}

uint64_t track_cc_evicted(const struct track_cc *t)
{
	uint64_t n = t->senders ? track_table_evicted(t->senders) : 0;
	unsigned int i;

	for (i = 0; i < LEVELS; i++)
		n += t->gaps[i] ? track_table_evicted(t->gaps[i]) : 0;
	return n;
}

static void *look_up(struct track_table **table, uint32_t key_bytes, uint32_t bytes,
		     const void *key)
{
	if (!*table)
		*table = track_table_new(key_bytes, bytes, TRACK_CC_MAX);
	return track_table_need(*table, key);
}

/* The value under @key of a table that is made when it is needed; values move only in here. */
static void *need(struct track_table **table, struct last_key *last, uint32_t key_bytes,
		  uint32_t bytes, const void *key)
{
	if (!last->value || memcmp(last->key, key, key_bytes) != 0) {
		last->value = look_up(table, key_bytes, bytes, key);
		memcpy(last->key, key, key_bytes);
	}
	return last->value;
}

static struct track_flow key_of(const struct track_flow *flow, enum level level)
{
	struct track_flow key = *flow;

	key.service = 0;
	if (level != BY_QP)
		key.dqpn = 0;
	if (level == BY_PORT)
		memset(key.dst, 0, sizeof(key.dst));
	return key;
}

static struct gaps *count_gap(struct track_cc *t, const struct track_packet *p, enum level level)
{
	const struct track_flow key = key_of(&p->flow, level);
	struct gaps *g = need(&t->gaps[level], &t->last_gaps[level], sizeof(key), sizeof(*g), &key);
	uint64_t ns = p->at.time_ns - g->last_ns;

	if (!g->n++)
		g->first_frame = p->at.frame;
	else if (p->at.time_ns < g->last_ns)
		g->n--;
	else {
		g->min_ns = g->n == 2 ? ns : MIN(g->min_ns, ns);
		g->sum_ns += ns;
	}
	g->last_ns = p->at.time_ns;
	return g;
}

/* After the data it cannot overtake it. */
static void check_dscp(struct track_cc *t, struct gaps *g, const struct track_packet *p,
		       uint32_t path)
{
	uint32_t dscp = p->tclass >> 2, data = path & 0x3f;
	struct track_event *e;

	if (p->version == TRACK_NATIVE || g->told_dscp || (dscp && (!path || dscp != data)))
		return;
	g->told_dscp = true;
	e = track_event_add(t->events, TRACK_EVENT_CNP_DSCP, &p->at);
	if (!e)
		return;
	e->flow = p->flow;
	track_flow_as_seen(&e->flow);
	e->number[TRACK_CNP_DSCP_dscp] = dscp;
	e->number[TRACK_CNP_DSCP_known] = path != 0;
	e->number[TRACK_CNP_DSCP_data] = data;
}

static struct sender *sender_of(struct track_cc *t, const uint8_t address[16])
{
	return need(&t->senders, &t->last_sender, 16, sizeof(struct sender), address);
}

/* Its packets are what this CNP is about. */
static void count_about(struct track_cc *t, const struct track_packet *p)
{
	struct sender *sender = sender_of(t, p->flow.dst);

	if (!sender->cnp_first)
		sender->cnp_first = p->at.frame;
	sender->cnp_last = p->at.frame;
}

void track_cc_notified(struct track_cc *t, const struct track_packet *p, bool known, uint32_t path)
{
	struct gaps *pair;

	t->cnps++;
	if (known && !t->paced++)
		t->first = p->at;
	count_gap(t, p, BY_QP);
	pair = count_gap(t, p, BY_PAIR);
	count_gap(t, p, BY_PORT);
	count_about(t, p);
	check_dscp(t, pair, p, path);
}

void track_cc_datagram(struct track_cc *t, const struct track_view *view)
{
	struct track_flow flow;
	struct ibw_net net;

	if (!ibw_packet_net(&view->pkt, &net) || ibw_net_ecn(&net) == IBW_ECN_CE ||
	    !track_flow_gids_of(&view->pkt, &flow))
		return;
	sender_of(t, flow.src)->unmarked = true;
}

void track_cc_marked(struct track_watch *w, const struct track_packet *p)
{
	if ((p->opcode & IBW_SERVICE_MASK) == IBW_SERVICE_CNP)
		return;
	w->ce_marks++;
	w->ce_acks += TRACK_OPERATION(p->opcode) == IBW_OP_RC_ACKNOWLEDGE;
	w->ce_last_ns = p->at.time_ns;
	w->ce_last_frame = p->at.frame;
	if (!w->ce_open_count++)
		w->ce_open = (struct track_mark){ p->psn, p->at.frame, p->at.time_ns };
	if (w->ce.frame)
		return;
	w->ce = w->ce_open;
}

static bool is_together(const struct track_mark *nak, uint64_t now_ns)
{
	return nak->frame && now_ns - nak->time_ns + TOGETHER_NS <= 2 * TOGETHER_NS;
}

/* The marks that a CNP answers. */
static void say_notified(struct track_replies *replies, const struct track_watch *w,
			 const struct track_packet *p)
{
	uint64_t now = p->at.time_ns, since = w->ce_open.time_ns;
	const struct track_reply r = { .request = w->ce_last_frame,
				       .answer = p->at.frame,
				       .ns = now >= since ? now - since : TRACK_NO_TIME,
				       .count = w->ce_open_count,
				       .kind = TRACK_REPLY_CNP,
				       .opcode = p->opcode };

	track_reply_add(replies, &r);
}

void track_cc_about(struct track_qps *s, struct track_watch *w, const struct track_packet *p)
{
	if (!w->cnps_about++)
		w->cnp = (struct track_mark){ p->psn, p->at.frame, p->at.time_ns };
	w->cnp_last = (struct track_mark){ p->psn, p->at.frame, p->at.time_ns };
	if (w->ce_open_count)
		say_notified(s->replies, w, p);
	w->ce_open_count = 0;
	if (w->ce.frame || w->cnp_bare.frame || is_together(&w->since.last_nak, p->at.time_ns))
		return;
	w->cnp_bare = (struct track_mark){ p->psn, p->at.frame, p->at.time_ns };
}

void track_cc_nak(struct track_watch *w, const struct track_at *at)
{
	if (w->cnp_bare.frame && is_together(&w->cnp_bare, at->time_ns))
		w->cnp_bare.frame = 0;
}

/* What becomes known at the end of a way */

static void tell_bare(struct track_qps *s, const struct track_qp *qp, enum track_way way)
{
	const struct track_watch *w = track_watched(&qp->dir[way]);
	struct track_event *e;

	if (!w->cnp_bare.frame || !qp->dir[way].packets)
		return;
	e = track_qp_event_of(s, qp, way == TRACK_A_TO_B ? TRACK_B_TO_A : TRACK_A_TO_B,
			      TRACK_EVENT_CNP_NO_CE, w->cnp_bare.frame, w->cnp_bare.time_ns);
	if (!e)
		return;
	e->number[TRACK_CNP_NO_CE_cnps] = w->cnps_about;
	e->number[TRACK_CNP_NO_CE_marks] = w->ce_packets;
}

static void tell_acks(struct track_qps *s, const struct track_qp *qp, enum track_way way)
{
	const struct track_watch *w = track_watched(&qp->dir[way]);
	struct track_event *e;

	if (!w->ce_acks || w->ce_acks != w->ce_packets || track_watched(&qp->dir[!way])->ce_packets)
		return;
	e = track_qp_event_of(s, qp, way, TRACK_EVENT_CE_ON_ACKS, w->ce.frame, w->ce.time_ns);
	if (!e)
		return;
	e->number[TRACK_CE_ON_ACKS_psn] = w->ce.psn;
	e->number[TRACK_CE_ON_ACKS_marks] = w->ce_acks;
}

static bool is_answered(const struct track_cc *t, const struct track_flow *flow)
{
	struct track_flow back = key_of(flow, BY_PAIR);

	track_flow_as_gids(&back);
	track_flow_turn(&back);
	return t->gaps[BY_PAIR] && track_table_get(t->gaps[BY_PAIR], &back);
}

static void tell_unanswered(struct track_qps *s, const struct track_qp *qp, enum track_way way)
{
	const struct track_watch *w = track_watched(&qp->dir[way]);
	struct track_flow flow = qp->flow;
	struct track_event *e;

	if (way == TRACK_B_TO_A)
		track_flow_turn(&flow);
	if (!w->ce.frame || w->ce_packets < MARKS_MIN || w->ce_last_ns < w->ce.time_ns + MARKS_NS ||
	    flow.address == TRACK_ADDRESS_LID || !qp->dir[!way].packets ||
	    qp->doubt & TRACK_DOUBT_SAMPLED || is_answered(s->cc, &flow))
		return;
	e = track_qp_event_of(s, qp, way, TRACK_EVENT_CE_NO_CNP, w->ce.frame, w->ce.time_ns);
	if (!e)
		return;
	e->number[TRACK_CE_NO_CNP_psn] = w->ce.psn;
	e->number[TRACK_CE_NO_CNP_marks] = w->ce_packets;
	e->number[TRACK_CE_NO_CNP_cnps] = s->cc->cnps;
	e->number[TRACK_CE_NO_CNP_ns] = w->ce_last_ns - w->ce.time_ns;
}

static void add_sender(struct track_cc *t, const struct track_qp *qp, enum track_way way)
{
	const struct track_dir *d = &qp->dir[way];
	const struct track_watch *w = track_watched(d);
	struct track_flow flow = qp->flow;
	struct sender *sender;

	if (!d->packets || qp->doubt & TRACK_DOUBT_SAMPLED)
		return;
	if (way == TRACK_B_TO_A)
		track_flow_turn(&flow);
	track_flow_as_gids(&flow);
	sender = sender_of(t, flow.src);
	sender->packets += d->packets - w->cnp_packets;
	sender->marked += w->ce.frame ? w->ce_packets : 0;
	if (w->ce.frame && (!sender->frame || w->ce.frame < sender->frame)) {
		sender->flow = flow;
		sender->frame = w->ce.frame;
		sender->time_ns = w->ce.time_ns;
	}
}

static void keep(struct track_qps *s, const struct track_qp *qp, enum track_way way)
{
	const struct track_watch *w = track_watched(&qp->dir[way]);
	const struct track_marked_way is = { .serial = qp->serial,
					     .way = (uint8_t)way,
					     .mark_frame = w->ce.frame,
					     .mark_ns = w->ce.time_ns,
					     .mark_last_frame = w->ce_last_frame,
					     .mark_last_ns = w->ce_last_ns,
					     .bare_frame = w->cnp_bare.frame,
					     .bare_ns = w->cnp_bare.time_ns,
					     .cnp_frame = w->cnp.frame,
					     .cnp_ns = w->cnp.time_ns,
					     .cnp_last_frame = w->cnp_last.frame,
					     .cnp_last_ns = w->cnp_last.time_ns,
					     .marks = w->ce_marks,
					     .acks = w->ce_acks,
					     .cnps = w->cnps_about };

	if (s->incidents && qp->dir[way].packets && (is.mark_frame || is.bare_frame))
		track_congestion_keep(s->incidents, &is);
}

void track_cc_way(struct track_qps *s, const struct track_qp *qp, unsigned int way)
{
	if (!s->cc)
		return;
	tell_bare(s, qp, (enum track_way)way);
	tell_acks(s, qp, (enum track_way)way);
	tell_unanswered(s, qp, (enum track_way)way);
	add_sender(s->cc, qp, (enum track_way)way);
	keep(s, qp, (enum track_way)way);
}

/* What becomes known at the end of the capture */

/* No switch began to mark while it was looked at: where CNPs come at all, they came before, too. */
static bool is_as_ever(const struct sender *sender)
{
	return !sender->cnp_first ||
	       (sender->cnp_first < sender->frame && sender->cnp_last > sender->frame);
}

static void tell_all_marked(struct track_cc *t, const struct sender *sender)
{
	const struct track_at at = { .frame = sender->frame, .time_ns = sender->time_ns };
	struct track_event *e;

	if (sender->packets < ALL_MIN || sender->marked < sender->packets || sender->unmarked ||
	    !is_as_ever(sender))
		return;
	e = track_event_add(t->events, TRACK_EVENT_CE_ALL, &at);
	if (!e)
		return;
	e->flow = sender->flow;
	track_flow_as_seen(&e->flow);
	e->number[TRACK_CE_ALL_packets] = sender->packets;
}

/* The shortest gap of all queue pairs (or pairs of hosts, or hosts), and the mean. */
static void sum_gaps(const struct track_table *table, uint64_t *min_ns, uint64_t *mean_ns)
{
	uint64_t sum = 0, n = 0, min = UINT64_MAX;
	struct gaps *g;

	for (g = NULL; (g = track_table_next(table, g));) {
		if (g->n < 2)
			continue;
		sum += g->sum_ns;
		n += g->n - 1;
		min = MIN(min, g->min_ns);
	}
	*min_ns = n ? min : 0;
	*mean_ns = n ? sum / n : 0;
}

static void tell_interval(struct track_cc *t)
{
	struct track_event *e;

	if (t->paced < CNPS_MIN)
		return;
	e = track_event_add(t->events, TRACK_EVENT_CNP_INTERVAL, &t->first);
	if (!e)
		return;
	e->number[TRACK_CNP_INTERVAL_cnps] = t->paced;
	sum_gaps(t->gaps[BY_QP], &e->number[TRACK_CNP_INTERVAL_qp_min],
		 &e->number[TRACK_CNP_INTERVAL_qp_mean]);
	sum_gaps(t->gaps[BY_PAIR], &e->number[TRACK_CNP_INTERVAL_pair_min],
		 &e->number[TRACK_CNP_INTERVAL_pair_mean]);
	sum_gaps(t->gaps[BY_PORT], &e->number[TRACK_CNP_INTERVAL_port_min],
		 &e->number[TRACK_CNP_INTERVAL_port_mean]);
}

void track_cc_finish(struct track_cc *t, const struct track_at *at)
{
	struct sender *sender = NULL;

	(void)at;
	if (t->finished)
		return;
	t->finished = true;
	tell_interval(t);
	while (t->senders && (sender = track_table_next(t->senders, sender)))
		tell_all_marked(t, sender);
}
