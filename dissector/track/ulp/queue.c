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
#define FURTHER                                                                                    \
	(OPCODE(SEND_MIDDLE) | OPCODE(SEND_LAST) | OPCODE(SEND_LAST_WITH_IMMEDIATE) |              \
	 OPCODE(SEND_LAST_WITH_INVALIDATE))
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
	u->agreed = track_table_new(sizeof(struct track_flow), sizeof(struct track_ulp_agreed),
				    TRACK_CM_FLOWS * TRACK_ULP_QUEUES_MAX);
	u->hosts = track_table_new(sizeof(struct track_flow), sizeof(struct track_ulp_hosts),
				   TRACK_ULP_QUEUES_MAX);
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
	track_table_free(u->agreed);
	track_table_free(u->hosts);
	g_free(u);
}

const uint32_t *track_ulps_opcodes(const struct track_ulps *u)
{
	return &u->opcodes;
}

/* The shortest message that begins a queue is the request of SMB Direct. */
bool track_ulps_begins_nothing(const struct track_ulps *u, uint32_t payload_len)
{
	return payload_len < ibw_smb_direct_req_BYTES && !u->queues->len && !u->n_named &&
	       !u->any_agreed;
}

void track_ulps_want_commands_of_packets(struct track_ulps *u)
{
	u->of_wanted = true;
}

void track_ulps_want_requests_of_packets(struct track_ulps *u)
{
	u->of_wanted = u->asks_wanted = true;
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

void track_ulp_look_at(struct track_ulps *u, enum ibw_ulp ulp, bool lengths)
{
	if (lengths || ulp == IBW_ULP_RDS)
		u->opcodes |= FURTHER;
	if (ulp == IBW_ULP_RSOCKET)
		u->opcodes |= TRANSFERS | OPCODE(RDMA_WRITE_LAST_WITH_IMMEDIATE);
}

/* Which packets are whose */

static void close_queue(struct track_ulps *u, struct track_ulp_queue *q, const struct track_at *at)
{
	if (q->closed_frame)
		return;
	track_ulp_alive_closed(u, q, at);
	q->closed_frame = at->frame;
	q->closed_ns = at->time_ns;
}

/* From here on packets of @flow are of @q; those of the queue before it are over. */
static void own(struct track_ulps *u, const struct track_ulp_queue *q,
		const struct track_flow *flow, enum track_ulp_side side, const struct track_at *at)
{
	struct track_ulp_way *way = track_table_need(u->ways, flow);

	if (way->queue && way->queue - 1 != q->number)
		close_queue(u, u->queues->pdata[way->queue - 1], at);
	*way = (struct track_ulp_way){ .queue = q->number + 1, .side = side };
}

struct track_flow track_ulp_turned(const struct track_flow *flow)
{
	struct track_flow back = *flow;

	track_flow_turn(&back);
	back.sport = (uint16_t)flow->dqpn;
	back.dqpn = flow->sport;
	return back;
}

struct track_flow track_ulp_back_of(const struct track_ulp_queue *q)
{
	struct track_flow flow = q->flow;

	if (track_ulp_is_iwarp(q))
		return track_ulp_turned(&q->flow);
	track_flow_turn(&flow);
	flow.dqpn = q->back_qpn;
	return flow;
}

void track_ulp_pair(struct track_ulps *u, struct track_ulp_queue *q, uint32_t back_qpn,
		    const struct track_at *at)
{
	struct track_flow back;

	q->back_qpn = back_qpn;
	q->paired_frame = at->frame;
	back = track_ulp_back_of(q);
	own(u, q, &back, TRACK_ULP_ANSWERS, at);
}

struct track_ulp_queue *track_ulp_begin(struct track_ulp_x *x, uint8_t ulp)
{
	const struct track_cm_said *said = x->sent ? NULL : track_cm_ask(x->u->cm, x->flow);
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
	q->named = x->by_name;
	q->by_name = x->by_name ? x->by_name - 1 : 0;
	q->id_unknown = q->named && ulp == IBW_ULP_NVME;
	g_ptr_array_add(x->u->queues, q);
	x->u->opcodes |= TRANSFERS;
	own(x->u, q, x->flow, TRACK_ULP_ASKS, x->at);
	if (x->sent) {
		q->connection = x->sent->connection;
		q->connection_frame = x->sent->first_frame;
		q->from_start = x->sent->msn == 1;
		track_ulp_pair(x->u, q, x->flow->sport, x->at);
	} else if (said && said->sure_sqpn != TRACK_CM_NO_QPN) {
		q->from_start = said->psn == x->psn;
		track_ulp_pair(x->u, q, said->sure_sqpn, x->at);
	} else if (x->by_name) {
		x->u->unpaired_named++;
	} else {
		x->u->unpaired = q->number;
	}
	return q;
}

bool track_ulp_fits(const struct track_ulp_x *x)
{
	struct track_ulp_reply reply[TRACK_ULP_REPLIES_MAX];
	unsigned int i, n = x->message == TRACK_ULP_SEND ? track_ulp_replies(x, reply) : 0;

	for (i = 0; i < n; i++)
		if ((x->q->id_unknown || reply[i].queue == x->q->id) &&
		    track_ulp_asked(x, reply[i].id))
			return true;
	return false;
}

/* An answer that only the last queue waits for whose other way is not known: from here on that is known. */
static struct track_ulp_queue *find_pair(struct track_ulp_x *x)
{
	struct track_flow back;

	if (x->u->unpaired_named && track_ulp_named_pair(x))
		return x->q;
	if (x->u->unpaired == NO_QUEUE)
		return NULL;
	x->q = x->u->queues->pdata[x->u->unpaired];
	back = x->q->flow;
	track_flow_turn(&back);
	back.dqpn = x->flow->dqpn;
	if (!track_flow_equal(&back, x->flow) || !track_ulp_fits(x)) {
		x->q = NULL;
		return NULL;
	}
	track_ulp_pair(x->u, x->q, x->flow->dqpn, x->at);
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

static void answers(struct track_ulp_x *x)
{
	struct track_ulp_reply reply[TRACK_ULP_REPLIES_MAX];
	unsigned int i, n = track_ulp_replies(x, reply);

	for (i = 0; i < n; i++) {
		x->q->answers++;
		if (x->q->id_unknown && track_ulp_asked(x, reply[i].id)) {
			x->q->id = reply[i].queue;
			x->q->id_unknown = false;
		}
		track_ulp_answer(x, &reply[i]);
	}
}

bool track_ulp_is_again(struct track_ulp_x *x)
{
	struct track_ulp_sent *sent = &x->q->sent[x->side];

	if (!x->sent && seen_before(sent, x->psn))
		return true;
	sent->psn[sent->n++ % TRACK_ULP_RECENT] = x->psn;
	return false;
}

/* The bytes of a SEND so far are more than its receiver has room for: once a message. */
static void check_length(struct track_ulp_x *x)
{
	struct track_ulp_sent *sent = &x->q->sent[x->side];
	uint32_t longest = x->q->longest[x->side];

	sent->counting = !x->ends;
	if (!longest || sent->bytes <= longest)
		return;
	track_ulp_wrong(x, x->q->ulp == IBW_ULP_RDS ? TRACK_ULP_RDS_FRAGMENT : TRACK_ULP_TOO_LONG,
			sent->bytes, longest);
	sent->counting = false;
}

/* A further packet of a SEND, of which all that came before are known; segments of iWARP come in the order of their stream. */
static void goes_on(struct track_ulp_x *x)
{
	struct track_ulp_sent *sent = &x->q->sent[x->side];

	if (x->q->ulp == IBW_ULP_RDS)
		track_ulp_rds_sent(x);
	if (!sent->counting || (!x->sent && x->psn != sent->next_psn))
		return;
	sent->next_psn = (x->psn + 1) & 0xffffff;
	sent->bytes += MIN(x->carried, UINT32_MAX - sent->bytes);
	check_length(x);
}

static void message(struct track_ulp_x *x)
{
	struct track_ulp_sent *sent = &x->q->sent[x->side];

	if (track_ulp_is_again(x))
		return;
	track_ulp_check(x);
	if (x->q->ulp == IBW_ULP_RDS)
		track_ulp_rds_sent(x);
	sent->next_psn = (x->psn + 1) & 0xffffff;
	sent->bytes = x->carried;
	check_length(x);
	if (x->side == TRACK_ULP_ASKS)
		track_ulp_request(x);
	else
		answers(x);
}

/* A READ or WRITE of memory that was offered; what comes after a later one was sent before, or comes late. */
static void transfer(struct track_ulp_x *x)
{
	struct track_ulp_sent *sent = &x->q->sent[x->side];

	if (x->side == TRACK_ULP_ANSWERS && track_ulp_offers(x->q))
		track_ulp_transfer(x, !x->sent && sent->any && after(x->psn, sent->high) <= 0);
}

static void of_queue(struct track_ulp_x *x)
{
	struct track_ulp_sent *sent = &x->q->sent[x->side];

	if ((x->q->named && !track_ulp_named_holds(x)) || !track_ulp_is_of_agreed(x)) {
		x->q = NULL;
		return;
	}
	if (x->message == TRACK_ULP_SEND_GOES_ON) {
		goes_on(x);
		return;
	}
	if (x->message == TRACK_ULP_SEND)
		message(x);
	else if (x->message == TRACK_ULP_READ_ANSWER)
		track_ulp_nvme_names(x);
	else if (x->q->ulp == IBW_ULP_RSOCKET)
		track_ulp_rsocket_write(x);
	else if (x->message != TRACK_ULP_WRITE_ENDS)
		transfer(x);
	if (x->message != TRACK_ULP_READ_ANSWER) {
		if (!sent->any || after(x->psn, sent->high) > 0)
			sent->high = x->psn;
		sent->any = true;
	}
	if (x->q->name_asked)
		x->u->opcodes |= RESPONSES;
}

static void begin(struct track_ulp_x *x, enum ibw_ulp ulp)
{
	x->side = TRACK_ULP_ASKS;
	x->q = track_ulp_begin(x, (uint8_t)ulp);
	if (!x->q)
		return;
	if (!x->by_name)
		track_ulp_first(x);
	track_ulp_as_agreed(x);
	of_queue(x);
}

/* A Connect command says itself that a queue begins, though its queue pairs are those of an open one. */
static bool is_other_connect(const struct track_ulp_x *x)
{
	return track_ulp_nvme_begins(x) && (x->side == TRACK_ULP_ANSWERS || x->sent ||
					    !seen_before(&x->q->sent[TRACK_ULP_ASKS], x->psn));
}

/* The upper layer of a connection that begins with the packet. */
static enum ibw_ulp beginning(const struct track_ulp_x *x)
{
	enum ibw_ulp ulp;

	if (!x->q || x->q->closed_frame) {
		ulp = track_ulp_agreed_begins(x);
		return ulp != IBW_ULP_NONE || x->message != TRACK_ULP_SEND ? ulp
									   : track_ulp_begins(x);
	}
	if (x->message != TRACK_ULP_SEND)
		return IBW_ULP_NONE;
	if (x->q->named && !x->q->confirmed) {
		ulp = track_ulp_begins(x);
		if (ulp != x->q->ulp)
			return ulp;
	}
	return is_other_connect(x) ? IBW_ULP_NVME : IBW_ULP_NONE;
}

/* Not one that only goes on, or that only rsockets have. */
static bool is_known_message(const struct track_ulp_x *x)
{
	return x->message != TRACK_ULP_SEND_GOES_ON && x->message != TRACK_ULP_WRITE_ENDS;
}

static void packet(struct track_ulp_x *x)
{
	struct track_ulps *u = x->u;
	const struct track_ulp_way *way = u->queues->len ? track_table_get(u->ways, x->flow) : NULL;
	enum ibw_ulp ulp;

	if (way) {
		x->q = u->queues->pdata[way->queue - 1];
		x->side = (enum track_ulp_side)way->side;
	}
	if (x->q && x->q->given_up)
		x->q = NULL;
	ulp = beginning(x);
	if (ulp == IBW_ULP_NONE && !x->q && u->n_named)
		ulp = track_ulp_named_begins(x);
	else if (ulp != IBW_ULP_NONE && u->n_named)
		track_ulp_named_shown(x, ulp);
	if (ulp != IBW_ULP_NONE) {
		begin(x, ulp);
	} else if (x->q) {
		of_queue(x);
	} else if (!x->sent && is_known_message(x) && find_pair(x)) {
		x->side = TRACK_ULP_ANSWERS;
		of_queue(x);
	}
}

static enum track_ulp_message message_of(uint8_t opcode)
{
	if (SENDS >> TRACK_OPERATION(opcode) & 1)
		return TRACK_ULP_SEND;
	if (RESPONSES >> TRACK_OPERATION(opcode) & 1)
		return TRACK_ULP_READ_ANSWER;
	if (FURTHER >> TRACK_OPERATION(opcode) & 1)
		return TRACK_ULP_SEND_GOES_ON;
	if (opcode == IBW_OP_RC_RDMA_WRITE_LAST_WITH_IMMEDIATE)
		return TRACK_ULP_WRITE_ENDS;
	return opcode == IBW_OP_RC_RDMA_READ_REQUEST ? TRACK_ULP_READ : TRACK_ULP_WRITE;
}

/* An RDMA Write of an rsocket: its immediate data say what was written. */
static bool is_word(const struct track_ulp_x *x)
{
	return x->q->ulp == IBW_ULP_RSOCKET && x->has_imm;
}

/* Over iWARP they are in the byte order of the sender, which nothing but the tracker reads. */
static bool is_host_word(const struct track_ulp_x *x)
{
	return x->q->ulp == IBW_ULP_RSOCKET && x->sent;
}

/* What the walk over a message of the queue has to be told. */
static struct track_upper upper_of(const struct track_ulp_x *x)
{
	struct track_upper upper = {
		.ulp = IBW_ULP_NONE, .len = x->len, .of = x->u->of, .n_of = (uint8_t)x->u->n_of
	};

	if (!x->q || (x->message != TRACK_ULP_SEND && !is_word(x)) || is_host_word(x))
		return upper;
	upper.ulp = x->q->ulp;
	if (x->side == TRACK_ULP_ASKS)
		upper.flags |= IBW_ULP_FROM_INITIATOR;
	if (x->q->ulp == IBW_ULP_NVME && x->q->id)
		upper.flags |= IBW_ULP_NVME_IO;
	return upper;
}

/* A SEND that ends with this packet. */
static bool is_last(uint8_t opcode)
{
	return opcode != IBW_OP_RC_SEND_FIRST && opcode != IBW_OP_RC_SEND_MIDDLE;
}

static __attribute__((noinline)) struct track_upper
any_packet(struct track_ulps *u, const struct ibw_packet *pkt, const struct track_at *at)
{
	struct track_ulp_walk walk;
	struct track_ulp_x x = {
		.u = u, .at = at, .message = message_of(pkt->opcode), .walk = &walk
	};
	const struct ibw_reth_wire *reth = IBW_AT(pkt, reth);
	const struct ibw_ieth_wire *ieth = IBW_AT(pkt, ieth);
	const struct ibw_immdt_wire *immdt = IBW_AT(pkt, immdt);
	struct track_flow flow;

	if (!track_flow_gids_of(pkt, &flow))
		return upper_of(&x);
	flow.service = 0;
	walk.ulp = IBW_ULP_NONE;
	x.flow = &flow;
	x.p = pkt->data + MIN(pkt->payload_off, pkt->caplen);
	x.n = MIN(pkt->payload_len, pkt->caplen - MIN(pkt->payload_off, pkt->caplen));
	x.len = pkt->opcode == IBW_OP_RC_SEND_FIRST ? TRACK_ULP_LONG : pkt->payload_len;
	x.cut = x.n < pkt->payload_len;
	x.carried = pkt->payload_len;
	x.ends = is_last(pkt->opcode);
	x.psn = ibw_bth_psn(IBW_KNOWN(pkt, bth));
	if (reth) {
		x.key = ibw_reth_rkey(reth);
		x.va = ibw_reth_va(reth);
		x.bytes = ibw_reth_dmalen(reth);
	}
	if (ieth) {
		x.invalidates = true;
		x.key = ibw_ieth_rkey(ieth);
	}
	if (immdt) {
		x.has_imm = true;
		x.imm = ibw_immdt_data(immdt);
	}
	packet(&x);
	return upper_of(&x);
}

struct track_upper track_ulps_packet(struct track_ulps *u, const struct ibw_packet *pkt,
				     const struct track_at *at)
{
	u->n_of = 0;
	if (track_ulps_begins_nothing(u, pkt->payload_len))
		return (struct track_upper){ .ulp = IBW_ULP_NONE, .of = u->of };
	return any_packet(u, pkt, at);
}

/* RoCE counts its packets by PSN, iWARP its messages. */
struct track_upper track_ulps_message(struct track_ulps *u, const struct track_ulp_sent_message *m,
				      const struct track_at *at)
{
	struct track_ulp_walk walk;
	struct track_ulp_x x = { .u = u,
				 .walk = &walk,
				 .flow = &m->flow,
				 .at = at,
				 .message = m->message,
				 .p = m->p,
				 .n = m->n,
				 .len = m->whole ? m->n : TRACK_ULP_LONG,
				 .carried = m->bytes,
				 .ends = m->last,
				 .invalidates = m->invalidates,
				 .key = m->key,
				 .bytes = m->bytes,
				 .va = m->va,
				 .sent = m };

	u->n_of = 0;
	walk.ulp = IBW_ULP_NONE;
	packet(&x);
	return upper_of(&x);
}

/* The queue of a flow; NULL: it has none. */
static struct track_ulp_queue *queue_of(struct track_ulps *u, const struct track_flow *flow)
{
	const struct track_ulp_way *way = u->queues->len ? track_table_get(u->ways, flow) : NULL;

	return way ? u->queues->pdata[way->queue - 1] : NULL;
}

void track_ulps_close(struct track_ulps *u, const struct track_flow *flow,
		      const struct track_at *at)
{
	struct track_ulp_queue *q = queue_of(u, flow);

	if (q)
		close_queue(u, q, at);
}

void track_ulps_lack(struct track_ulps *u, const struct track_flow *flow, uint16_t doubt)
{
	struct track_ulp_queue *q = queue_of(u, flow);

	if (q)
		q->doubt |= doubt;
}

/* A DREQ of either side ends the queue that its two queue pairs are of. */
void track_ulps_cm(struct track_ulps *u, const struct track_cm_news *news,
		   const struct track_mad *m, const struct track_at *at)
{
	struct track_flow flow = news->client;

	track_ulp_refused_by_cm(u, news, at);
	track_ulp_agree(u, news, m, at);
	if (news->message != TRACK_CM_DREQ || news->doubt || !u->queues->len ||
	    news->qpn[TRACK_CM_SERVER] == TRACK_CM_NO_QPN)
		return;
	track_flow_as_gids(&flow);
	flow.dqpn = news->qpn[TRACK_CM_SERVER];
	flow.service = 0;
	track_ulps_close(u, &flow, at);
}

/* Every upper layer but these begins a connection with a message by which it is known: commands before the first one may be open. */
static bool asks_are_known(const struct track_ulp_queue *q)
{
	return q->from_start || (!q->named && q->ulp != IBW_ULP_RPCRDMA && q->ulp != IBW_ULP_SRP);
}

/* Whether what is remembered and captured can show a fault: no answer was, or what it lacks may have made room. */
static bool is_known(const struct track_ulps *u, const struct track_ulp_fault *f,
		     struct track_conn *conn)
{
	const struct track_ulp_queue *q = u->queues->pdata[f->command.queue];

	if (q->named && !q->confirmed)
		return false;
	switch (f->fault) {
	case TRACK_ULP_ID_REUSED:
		return q->answers > 0 && (!q->named || f->number[2] >= q->paired_frame);
	case TRACK_ULP_LATE:
		return !track_table_evicted(u->hosts) && !track_table_evicted(u->open);
	case TRACK_ULP_TOO_MANY:
		return q->answers > 0 && !track_table_evicted(u->open);
	case TRACK_ULP_UNASKED:
		return !track_table_evicted(u->open) && asks_are_known(q) &&
		       !track_ulp_asks_missing(u, f, conn);
	case TRACK_ULP_INVALIDATE:
	case TRACK_ULP_CHUNK_OTHER:
		return !track_table_evicted(u->offers);
	case TRACK_ULP_BEYOND: /* another command may offer the key, too */
		return asks_are_known(q);
	case TRACK_ULP_NOT_OFFERED:
		return !track_table_evicted(u->offers) && !track_table_evicted(u->open) &&
		       asks_are_known(q) && !track_ulp_asks_missing(u, f, conn);
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
		if (is_known(u, f, conn))
			track_ulp_say_fault(u, f, conn);
	}
	return true;
}
