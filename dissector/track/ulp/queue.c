/* SPDX-License-Identifier: GPL-2.0-or-later */
/* queue.c - connections with an upper layer: how they begin, which packets are theirs, and how they end. */
#include <string.h>

#include "impl.h"

#define OPCODE(name) (UINT32_C(1) << IBW_OP_RC_##name)

/* Messages that begin, and what moves their data once there is a queue. */
#define SENDS (OPCODE(SEND_FIRST) | OPCODE(SEND_ONLY) | OPCODE(SEND_ONLY_WITH_INVALIDATE))
#define TRANSFERS                                                                                  \
	(OPCODE(RDMA_WRITE_FIRST) | OPCODE(RDMA_WRITE_ONLY) |                                      \
	 OPCODE(RDMA_WRITE_ONLY_WITH_IMMEDIATE) | OPCODE(RDMA_READ_REQUEST))
#define RESPONSES (OPCODE(RDMA_READ_RESPONSE_FIRST) | OPCODE(RDMA_READ_RESPONSE_ONLY))

#define NO_QUEUE UINT32_MAX

struct track_ulps *track_ulps_new(struct track_events *events, struct track_cm *cm)
{
	struct track_ulps *u = g_new0(struct track_ulps, 1);

	u->events = events;
	u->cm = cm;
	u->ways = track_table_new(sizeof(struct track_flow), sizeof(struct track_ulp_way),
				  2 * TRACK_ULP_QUEUES_MAX);
	u->open = track_table_new(sizeof(struct track_ulp_key), sizeof(struct track_ulp_command),
				  TRACK_ULP_OPEN_MAX);
	u->offers = track_table_new(sizeof(struct track_ulp_key), sizeof(struct track_ulp_offer),
				    TRACK_ULP_OFFERS_MAX);
	u->queues = g_ptr_array_new();
	u->records = g_array_new(FALSE, FALSE, sizeof(struct track_ulp_command));
	u->faults = g_array_new(FALSE, FALSE, sizeof(struct track_ulp_fault));
	u->opcodes = SENDS;
	u->unpaired = NO_QUEUE;
	return u;
}

static void free_queue(struct track_ulp_queue *q)
{
	unsigned int i;

	for (i = 0; i < q->n_operations; i++)
		track_histogram_clear(&q->operation[i].times);
	g_free(q->operation);
	g_free(q->first_failed);
	g_free(q->first_unanswered);
	g_free(q->name);
	g_free(q);
}

void track_ulps_free(struct track_ulps *u)
{
	unsigned int i;

	if (!u)
		return;
	for (i = 0; i < u->queues->len; i++)
		free_queue(u->queues->pdata[i]);
	g_ptr_array_free(u->queues, TRUE);
	g_array_free(u->records, TRUE);
	g_array_free(u->faults, TRUE);
	track_table_free(u->ways);
	track_table_free(u->open);
	track_table_free(u->offers);
	g_free(u);
}

const uint32_t *track_ulps_opcodes(const struct track_ulps *u)
{
	return &u->opcodes;
}

void track_ulps_want_records(struct track_ulps *u)
{
	u->records_wanted = true;
}

unsigned int track_ulps_count(const struct track_ulps *u)
{
	return u->queues->len;
}

const struct track_ulp_queue *track_ulps_queue(const struct track_ulps *u, unsigned int number)
{
	return u->queues->pdata[number];
}

uint64_t track_ulps_evicted(const struct track_ulps *u)
{
	return u->unfollowed + track_table_evicted(u->ways) + track_table_evicted(u->open);
}

/* Which packets are whose */

static void close_queue(struct track_ulp_queue *q, const struct track_at *at)
{
	if (q->closed_frame)
		return;
	q->closed_frame = at->frame;
	q->closed_ns = at->time_ns;
}

/* From here on packets of @flow are of @q; those of the queue before it are over. */
static void own(struct track_ulps *u, const struct track_ulp_queue *q,
		const struct track_flow *flow, enum track_ulp_side side, const struct track_at *at)
{
	struct track_ulp_way *way = track_table_need(u->ways, flow);

	if (way->queue && way->queue - 1 != q->number)
		close_queue(u->queues->pdata[way->queue - 1], at);
	*way = (struct track_ulp_way){ .queue = q->number + 1, .side = side };
}

static struct track_flow back_of(const struct track_ulp_queue *q)
{
	struct track_flow flow = q->flow;

	track_flow_turn(&flow);
	flow.dqpn = q->back_qpn;
	return flow;
}

static void pair(struct track_ulps *u, struct track_ulp_queue *q, uint32_t back_qpn,
		 const struct track_at *at)
{
	struct track_flow back;

	q->back_qpn = back_qpn;
	back = back_of(q);
	own(u, q, &back, TRACK_ULP_ANSWERS, at);
}

struct track_ulp_queue *track_ulp_begin(struct track_ulp_x *x, uint8_t ulp)
{
	const struct track_cm_said *said = track_cm_ask(x->u->cm, x->flow);
	struct track_ulp_queue *q;

	if (x->u->queues->len >= TRACK_ULP_QUEUES_MAX) {
		x->u->unfollowed++;
		return NULL;
	}
	q = g_new0(struct track_ulp_queue, 1);
	q->flow = *x->flow;
	q->back_qpn = TRACK_CM_NO_QPN;
	q->number = x->u->queues->len;
	q->first_frame = x->at->frame;
	q->ulp = ulp;
	g_ptr_array_add(x->u->queues, q);
	x->u->opcodes |= TRANSFERS;
	own(x->u, q, x->flow, TRACK_ULP_ASKS, x->at);
	if (said && said->sure_sqpn != TRACK_CM_NO_QPN)
		pair(x->u, q, said->sure_sqpn, x->at);
	else
		x->u->unpaired = q->number;
	return q;
}

/* An answer that only the last queue waits for whose other way is not known: from here on that is known. */
static struct track_ulp_queue *find_pair(struct track_ulp_x *x)
{
	struct track_flow back;

	if (x->u->unpaired == NO_QUEUE)
		return NULL;
	x->q = x->u->queues->pdata[x->u->unpaired];
	back = x->q->flow;
	track_flow_turn(&back);
	back.dqpn = x->flow->dqpn;
	if (!track_flow_equal(&back, x->flow) || !track_ulp_nvme_fits(x))
		return NULL;
	pair(x->u, x->q, x->flow->dqpn, x->at);
	x->u->unpaired = NO_QUEUE;
	return x->q;
}

/* PSNs */

/* How many PSNs @a is after @b, which is less than half of all. */
static int32_t after(uint32_t a, uint32_t b)
{
	return (int32_t)((a - b) << 8) >> 8;
}

/* Whether the message that begins at @psn is remembered, or older than all that are. */
static bool seen_before(const struct track_ulp_sent *sent, uint32_t psn)
{
	uint32_t i, n = MIN(sent->n, TRACK_ULP_RECENT), oldest = psn;

	for (i = 0; i < n; i++) {
		if (sent->psn[i] == psn)
			return true;
		if (after(sent->psn[i], oldest) < 0)
			oldest = sent->psn[i];
	}
	return n == TRACK_ULP_RECENT && oldest == psn;
}

/* Packets */

static void message(struct track_ulp_x *x)
{
	struct track_ulp_sent *sent = &x->q->sent[x->side];

	if (seen_before(sent, x->psn))
		return;
	sent->psn[sent->n++ % TRACK_ULP_RECENT] = x->psn;
	if (x->side == TRACK_ULP_ASKS)
		track_ulp_nvme_request(x);
	else
		track_ulp_nvme_answer(x);
}

/* A READ or WRITE of memory that was offered; what comes after a later one was sent before, or comes late. */
static void transfer(struct track_ulp_x *x)
{
	struct track_ulp_sent *sent = &x->q->sent[x->side];

	if (x->side == TRACK_ULP_ANSWERS)
		track_ulp_transfer(x, sent->any && after(x->psn, sent->high) <= 0);
}

static void of_queue(struct track_ulp_x *x, uint8_t opcode)
{
	struct track_ulp_sent *sent = &x->q->sent[x->side];

	if (SENDS >> opcode & 1)
		message(x);
	else if (TRANSFERS >> opcode & 1)
		transfer(x);
	else
		track_ulp_nvme_names(x);
	if (!(RESPONSES >> opcode & 1)) {
		if (!sent->any || after(x->psn, sent->high) > 0)
			sent->high = x->psn;
		sent->any = true;
	}
	if (x->q->name_asked)
		x->u->opcodes |= RESPONSES;
}

static void begin(struct track_ulp_x *x)
{
	x->q = track_ulp_begin(x, IBW_ULP_NVME);
	if (!x->q)
		return;
	track_ulp_nvme_begin(x);
	of_queue(x, x->pkt->opcode);
}

/* Of a connection of its own, though the queue pair may have had one before. */
static bool is_first_message(const struct track_ulp_x *x)
{
	return SENDS >> x->pkt->opcode & 1 && track_ulp_nvme_begins(x->p, x->n) &&
	       (!x->q || x->side == TRACK_ULP_ANSWERS || x->q->closed_frame ||
		!seen_before(&x->q->sent[TRACK_ULP_ASKS], x->psn));
}

void track_ulps_packet(struct track_ulps *u, const struct ibw_packet *pkt,
		       const struct track_at *at)
{
	struct track_ulp_x x = { .u = u, .pkt = pkt, .at = at };
	const struct track_ulp_way *way;
	struct track_flow flow;

	if (!track_flow_gids_of(pkt, &flow))
		return;
	flow.service = 0;
	x.flow = &flow;
	x.p = pkt->data + MIN(pkt->payload_off, pkt->caplen);
	x.n = MIN(pkt->payload_len, pkt->caplen - MIN(pkt->payload_off, pkt->caplen));
	x.psn = ibw_bth_psn(IBW_KNOWN(pkt, bth));
	way = u->queues->len ? track_table_get(u->ways, &flow) : NULL;
	if (way) {
		x.q = u->queues->pdata[way->queue - 1];
		x.side = (enum track_ulp_side)way->side;
	}
	if (is_first_message(&x)) {
		x.side = TRACK_ULP_ASKS;
		begin(&x);
	} else if (way) {
		of_queue(&x, pkt->opcode);
	} else if (find_pair(&x)) {
		x.side = TRACK_ULP_ANSWERS;
		of_queue(&x, pkt->opcode);
	}
}

/* A DREQ of either side ends the queue that its two queue pairs are of. */
void track_ulps_cm(struct track_ulps *u, const struct track_cm_news *news,
		   const struct track_at *at)
{
	struct track_flow flow = news->client;
	const struct track_ulp_way *way;

	if (news->message != TRACK_CM_DREQ || news->doubt || !u->queues->len ||
	    news->qpn[TRACK_CM_SERVER] == TRACK_CM_NO_QPN)
		return;
	track_flow_as_gids(&flow);
	flow.dqpn = news->qpn[TRACK_CM_SERVER];
	flow.service = 0;
	way = track_table_get(u->ways, &flow);
	if (way)
		close_queue(u->queues->pdata[way->queue - 1], at);
}

/* Whether what is remembered and captured can show a fault: no answer was, or what it lacks may have made room. */
static bool is_known(const struct track_ulps *u, const struct track_ulp_fault *f)
{
	const struct track_ulp_queue *q = u->queues->pdata[f->command.queue];

	switch (f->fault) {
	case TRACK_ULP_ID_REUSED:
		return q->answers > 0;
	case TRACK_ULP_TOO_MANY:
		return q->answers > 0 && !track_table_evicted(u->open);
	case TRACK_ULP_UNASKED:
		return !track_table_evicted(u->open);
	case TRACK_ULP_NOT_OFFERED:
		return !track_table_evicted(u->offers);
	}
	return true;
}

bool track_ulps_finish(struct track_ulps *u, struct track_conn *conn, const struct track_at *last)
{
	const struct track_ulp_fault *f;

	if (!u->drained)
		track_ulp_drain(u, last);
	u->drained = true;
	for (; u->told < u->faults->len; u->told++) {
		f = &g_array_index(u->faults, struct track_ulp_fault, u->told);
		if (!track_events_room(u->events))
			return false;
		if (is_known(u, f))
			track_ulp_say_fault(u, f, conn);
	}
	return true;
}
