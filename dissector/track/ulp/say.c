/* SPDX-License-Identifier: GPL-2.0-or-later */
/* say.c - what is wrong with a command, as events; what it is, in words. */
#include <string.h>

#include <ibwire/ibwire.h>
#include <ibwire/out.h>

#include "impl.h"
#include "track/qp.h"

static bool is_admin(const struct track_ulp_queue *q)
{
	return q->id == 0;
}

const char *track_ulp_operation_text(const struct track_ulp_queue *q, struct track_ulp_code code,
				     char buf[TRACK_ULP_TEXT])
{
	const char *name = ibw_nvme_opcode_name(is_admin(q), code.opcode, code.type);
	struct ibw_out o = ibw_out_open(buf, TRACK_ULP_TEXT);

	if (code.opcode == track_ulp_others.opcode && code.type == track_ulp_others.type) {
		ibw_out_str(&o, "others");
	} else if (name) {
		ibw_out_str(&o, name);
	} else {
		ibw_out_str(&o, "opcode ");
		ibw_out_hex(&o, code.opcode, 2);
	}
	ibw_out_close(&o);
	return buf;
}

const char *track_ulp_status_words(uint16_t status, bool fabrics, char *buf, size_t room)
{
	const char *name = ibw_nvme_status_name(status, fabrics);
	struct ibw_out o = ibw_out_open(buf, room);

	if (!status) {
		ibw_out_str(&o, "success");
	} else if (name) {
		ibw_out_str(&o, name);
	} else {
		ibw_out_str(&o, "status type ");
		ibw_out_dec(&o, status >> 8);
		ibw_out_str(&o, " code ");
		ibw_out_hex(&o, status & 0xff, 2);
	}
	ibw_out_close(&o);
	return buf;
}

const char *track_ulp_status_of(const struct track_ulp_command *c, char buf[TRACK_ULP_STATUS_TEXT])
{
	return track_ulp_status_words(c->status, c->code.opcode == IBW_NVME_ADMIN_FABRICS, buf,
				      TRACK_ULP_STATUS_TEXT);
}

bool track_ulp_suffers(struct track_ulp_code code, uint16_t status)
{
	if (!status)
		return false;
	if (code.opcode == IBW_NVME_ADMIN_FABRICS)
		return code.type == IBW_NVMF_CONNECT;
	switch (status >> 8) {
	case IBW_NVME_SCT_GENERIC:
		return status == IBW_NVME_SC_TRANSFER_ERROR || status == IBW_NVME_SC_ABORTED ||
		       status == IBW_NVME_SC_SQ_DELETED;
	case IBW_NVME_SCT_MEDIA: /* a Compare that finds a difference, and a block nobody wrote, are answers */
		return (status & 0xff) != IBW_NVME_SC_COMPARE_FAILED &&
		       (status & 0xff) != IBW_NVME_SC_UNWRITTEN;
	}
	return status >> 8 == IBW_NVME_SCT_PATH;
}

/* "NVMe Write, cid 12, queue 3" */
static void command_words(char *buf, const struct track_ulp_queue *q,
			  const struct track_ulp_command *c, bool named)
{
	struct ibw_out o = ibw_out_open(buf, TRACK_ABOUT_TEXT);
	char text[TRACK_ULP_TEXT];

	ibw_out_str(&o, "NVMe ");
	if (named) {
		ibw_out_str(&o, track_ulp_operation_text(q, c->code, text));
		ibw_out_str(&o, ", cid ");
		ibw_out_dec(&o, c->id);
		ibw_out_str(&o, ", ");
	}
	ibw_out_str(&o, is_admin(q) ? "admin queue" : "queue ");
	if (!is_admin(q))
		ibw_out_dec(&o, q->id);
	ibw_out_close(&o);
}

static void set_flow(struct track_event *e, const struct track_ulp_queue *q,
		     enum track_ulp_side side)
{
	e->flow = q->flow;
	if (side == TRACK_ULP_ANSWERS) {
		track_flow_turn(&e->flow);
		e->flow.dqpn = q->back_qpn;
	}
	e->flow.service = IBW_SERVICE_RC;
}

void track_ulp_say_failed(struct track_ulps *u, const struct track_ulp_queue *q,
			  const struct track_ulp_command *c, const struct track_at *at)
{
	struct track_event *e = track_event_add(u->events, TRACK_EVENT_ULP_FAILED, at);

	if (!e)
		return;
	set_flow(e, q, TRACK_ULP_ANSWERS);
	track_flow_as_seen(&e->flow);
	track_event_cause(e, c->frame);
	e->number[TRACK_ULP_FAILED_status] = c->status;
	e->number[TRACK_ULP_FAILED_opcode] = c->code.opcode;
	e->number[TRACK_ULP_FAILED_type] = c->code.type;
	e->number[TRACK_ULP_FAILED_queue] = q->id;
	e->number[TRACK_ULP_FAILED_id] = c->id;
	e->number[TRACK_ULP_FAILED_ns] = c->ns;
	e->number[TRACK_ULP_FAILED_cause] = c->frame;
	command_words(track_event_about(u->events, e), q, c, true);
}

/* What the capture lacks of the connection by now; packets that nobody sent again are not in it. */
static uint16_t doubt_of(struct track_conn *conn, const struct track_flow *flow)
{
	const struct track_half *half = conn ? track_conn_half(conn, flow) : NULL;
	const struct track_qp *qp = half ? track_conn_qp(conn, half) : NULL;
	uint16_t doubt = qp ? qp->doubt : 0;
	unsigned int way;

	for (way = 0; qp && way < TRACK_WAYS; way++)
		if (track_figure(&qp->dir[way], TRACK_FIGURE_psn_missing))
			doubt |= TRACK_DOUBT_LOSS;
	return doubt;
}

void track_ulp_say_fault(struct track_ulps *u, const struct track_ulp_fault *f,
			 struct track_conn *conn)
{
	const struct track_ulp_queue *q = u->queues->pdata[f->command.queue];
	struct track_event *e = track_event_add(u->events, TRACK_EVENT_ULP_FAULT, &f->at);
	bool named = f->fault != TRACK_ULP_UNASKED && f->command.time_ns;

	if (!e)
		return;
	set_flow(e, q, (enum track_ulp_side)f->side);
	e->doubt |= doubt_of(conn, &e->flow);
	track_flow_as_seen(&e->flow);
	if (f->number[2])
		track_event_cause(e, f->number[2]);
	e->number[TRACK_ULP_FAULT_fault] = f->fault;
	e->number[TRACK_ULP_FAULT_is] = f->number[0];
	e->number[TRACK_ULP_FAULT_meant] = f->number[1];
	e->number[TRACK_ULP_FAULT_cause] = f->number[2];
	e->number[TRACK_ULP_FAULT_key] = f->command.key;
	e->number[TRACK_ULP_FAULT_id] = f->command.id;
	command_words(track_event_about(u->events, e), q, &f->command, named);
}
