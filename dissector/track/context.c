/* SPDX-License-Identifier: GPL-2.0-or-later */
/* context.c - the first pass: every tracker sees every packet, in this order. */
#include <glib.h>

#include "cm.h"
#include "context.h"

struct track {
	struct track_cm *cm;
	struct track_rmpp *rmpp;
	struct track_conn *conn;      /* NULL: not wanted */
	struct track_context context; /* of the packet at hand */
};

static const struct track_context nothing;

struct track *track_new(void)
{
	struct track *t = g_new0(struct track, 1);

	t->cm = track_cm_new();
	t->rmpp = track_rmpp_new();
	return t;
}

void track_free(struct track *t)
{
	if (!t)
		return;
	track_cm_free(t->cm);
	track_rmpp_free(t->rmpp);
	track_conn_free(t->conn);
	g_free(t);
}

void track_want_connections(struct track *t)
{
	if (!t->conn)
		t->conn = track_conn_new(TRACK_HALVES_MAX);
}

struct track_conn *track_connections(const struct track *t)
{
	return t->conn;
}

void track_apply(struct track_view *view, const struct track_context *context)
{
	struct track_mad *m;

	if (context->ipoib)
		track_view_set_ipoib(view);
	if (!context->service_id)
		return;
	m = track_view_mad(view);
	if (m) /* the frame may be seen otherwise than it was then */
		track_mad_answer(m, context->service_id);
}

static void management(struct track *t, const struct ibw_packet *pkt, const struct track_mad *m,
		       uint64_t frame)
{
	const struct track_transfer *transfer;

	if (track_mad_is_cm(m))
		t->context.service_id = track_cm_feed(t->cm, pkt, m->p, m->n);
	transfer = track_rmpp_feed(t->rmpp, pkt, m->p, m->n, frame);
	if (transfer && transfer->rmpp.state == IBW_TRANSFER_COMPLETE)
		t->context.transfer = transfer;
}

static void payload(struct track *t, struct track_view *view, const struct track_frame *frame)
{
	const struct track_mad *m = track_view_mad(view);

	t->context = nothing;
	if (m)
		management(t, &view->pkt, m, frame->number);
	else
		t->context.ipoib = track_cm_is_ipoib(t->cm, &view->pkt);
	track_apply(view, &t->context);
}

/* Of a packet with bit errors, who it is for is not known. */
static void connections(struct track *t, struct track_view *view, const struct track_frame *frame)
{
	const struct track_mad *m;

	if (view->pkt.bth == IBW_NO_SPAN || track_view_icrc(view).status == IBW_CRC_BAD)
		return;
	m = track_view_mad(view);
	if (m && track_mad_is_cm(m))
		track_conn_cm(t->conn, &view->pkt, m, frame->number);
	else
		track_conn_packet(t->conn, &view->pkt, frame->number, frame->time_ns);
}

const struct track_context *track_packet(struct track *t, struct track_view *view,
					 const struct track_frame *frame)
{
	if (t->conn)
		connections(t, view, frame);
	/* There is nothing to say of most. */
	if (!(view->pkt.eths & IBW_ETH_DETH) && !track_cm_any_ipoib(t->cm))
		return &nothing;
	payload(t, view, frame);
	return &t->context;
}
