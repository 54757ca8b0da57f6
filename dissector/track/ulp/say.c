/* SPDX-License-Identifier: GPL-2.0-or-later */
/* say.c - reports faults of commands as events, with the command in words. */
#include <string.h>

#include <ibwire/ibwire.h>
#include <ibwire/out.h>

#include "impl.h"
#include "track/way/qp.h"

static bool is_admin(const struct track_ulp_queue *q)
{
	return q->id == 0;
}

/* "queue 3", after @before; nothing of an upper layer without queues, or if it is not known which one it is. */
static void out_queue(struct ibw_out *o, const struct track_ulp_queue *q, const char *before)
{
	if (q->ulp != IBW_ULP_NVME || q->id_unknown)
		return;
	ibw_out_str(o, before);
	ibw_out_str(o, is_admin(q) ? "admin queue" : "queue ");
	if (!is_admin(q))
		ibw_out_dec(o, q->id);
}

void track_ulp_out_command(struct ibw_out *o, const struct track_ulp_queue *q,
			   struct track_ulp_code code, uint64_t id)
{
	char text[TRACK_ULP_TEXT];

	ibw_out_str(o, track_ulp_operation_text(q, code, text));
	ibw_out_str(o, ", ");
	ibw_out_str(o, track_ulp_id_word((enum ibw_ulp)q->ulp));
	ibw_out_char(o, ' ');
	track_ulp_out_id(o, (enum ibw_ulp)q->ulp, id);
	out_queue(o, q, ", ");
}

/* "NVMe Write, cid 12, queue 3", "SRP READ(10), tag 0x12"; without the command "NVMe queue 3" */
static void command_words(char *buf, const struct track_ulp_queue *q,
			  const struct track_ulp_command *c, bool named)
{
	struct ibw_out o = ibw_out_open(buf, TRACK_ABOUT_TEXT);

	ibw_out_str(&o, ibw_ulp_text(q->ulp));
	if (named) {
		ibw_out_char(&o, ' ');
		track_ulp_out_command(&o, q, c->code, c->id);
	} else {
		out_queue(&o, q, " ");
	}
	ibw_out_close(&o);
}

/* What an end of @q sends. */
static struct track_flow flow_of(const struct track_ulp_queue *q, enum track_ulp_side side)
{
	struct track_flow flow = side == TRACK_ULP_ANSWERS ? track_ulp_back_of(q) : q->flow;

	if (!track_ulp_is_iwarp(q))
		flow.service = IBW_SERVICE_RC;
	return flow;
}

void track_ulp_set_flow(struct track_event *e, const struct track_ulp_queue *q,
			enum track_ulp_side side)
{
	e->flow = flow_of(q, side);
}

void track_ulp_set_cm_flow(struct track_event *e, const struct track_cm_news *news)
{
	e->flow = news->sent;
	e->flow.dqpn = IBW_QPN_GSI;
	e->flow.service = IBW_SERVICE_UD;
	track_flow_as_seen(&e->flow);
}

void track_ulp_say_failed(struct track_ulps *u, const struct track_ulp_queue *q,
			  const struct track_ulp_command *c, const struct track_at *at)
{
	struct track_event *e = track_event_add(u->events, TRACK_EVENT_ULP_FAILED, at);

	if (!e)
		return;
	track_ulp_set_flow(e, q, TRACK_ULP_ANSWERS);
	track_flow_as_seen(&e->flow);
	track_event_cause(e, c->frame);
	e->number[TRACK_ULP_FAILED_status] = c->status;
	e->number[TRACK_ULP_FAILED_opcode] = c->code.opcode;
	e->number[TRACK_ULP_FAILED_type] = (uint64_t)c->code.program << 16 | c->code.type;
	e->number[TRACK_ULP_FAILED_queue] = q->id;
	e->number[TRACK_ULP_FAILED_id] = c->id;
	e->number[TRACK_ULP_FAILED_ns] = c->ns;
	e->number[TRACK_ULP_FAILED_cause] = c->frame;
	e->number[TRACK_ULP_FAILED_upper] = q->ulp;
	command_words(track_event_about(u->events, e), q, c, true);
}

/* The connection of a flow; NULL: not known. */
static const struct track_qp *qp_of(struct track_conn *conn, const struct track_flow *flow)
{
	const struct track_half *half = conn ? track_conn_half(conn, flow) : NULL;

	return half ? track_conn_qp(conn, half) : NULL;
}

/* What the capture lacks of the connection by now; packets that nobody sent again are not in it. */
static uint16_t doubt_of(struct track_conn *conn, const struct track_flow *flow)
{
	const struct track_qp *qp = qp_of(conn, flow);
	uint16_t doubt = qp ? qp->doubt : 0;
	unsigned int way;

	for (way = 0; qp && way < TRACK_WAYS; way++)
		if (track_figure(&qp->dir[way], TRACK_FIGURE_psn_missing))
			doubt |= TRACK_DOUBT_LOSS;
	return doubt;
}

bool track_ulp_asks_missing(const struct track_ulps *u, const struct track_ulp_fault *f,
			    struct track_conn *conn)
{
	const struct track_ulp_queue *q = u->queues->pdata[f->command.queue];
	const struct track_flow asker =
		flow_of(q, f->side == TRACK_ULP_ANSWERS ? TRACK_ULP_ASKS : TRACK_ULP_ANSWERS);
	const struct track_qp *qp;
	struct track_place place;

	if (track_ulp_is_iwarp(q))
		return q->doubt & TRACK_DOUBT_LOSS;
	qp = qp_of(conn, &asker);
	return qp && qp->doubt & TRACK_DOUBT_LOSS && track_conn_place(conn, &asker, &place) &&
	       track_figure(&qp->dir[place.way], TRACK_FIGURE_psn_missing);
}

void track_ulp_say_fault(struct track_ulps *u, const struct track_ulp_fault *f,
			 struct track_conn *conn)
{
	const struct track_ulp_queue *q = u->queues->pdata[f->command.queue];
	struct track_event *e = track_event_add(u->events, TRACK_EVENT_ULP_FAULT, &f->at);
	bool named = f->fault != TRACK_ULP_UNASKED && f->command.time_ns;

	if (!e)
		return;
	track_ulp_set_flow(e, q, (enum track_ulp_side)f->side);
	e->doubt |= track_ulp_is_iwarp(q) ? q->doubt : doubt_of(conn, &e->flow);
	track_flow_as_seen(&e->flow);
	if (f->number[2])
		track_event_cause(e, f->number[2]);
	e->number[TRACK_ULP_FAULT_fault] = f->fault;
	e->number[TRACK_ULP_FAULT_is] = f->number[0];
	e->number[TRACK_ULP_FAULT_meant] = f->number[1];
	e->number[TRACK_ULP_FAULT_cause] = f->number[2];
	e->number[TRACK_ULP_FAULT_key] = f->command.key;
	e->number[TRACK_ULP_FAULT_id] = f->command.id;
	e->number[TRACK_ULP_FAULT_upper] = q->ulp;
	command_words(track_event_about(u->events, e), q, &f->command, named);
}
