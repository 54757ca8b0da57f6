/* SPDX-License-Identifier: GPL-2.0-or-later */
/* qp_state.c - the state of a connection in one word. */
#include <ibwire/ibwire.h>

#include "qp_state.h"

const char *const track_qp_state_names[TRACK_QP_STATES] = {
	[TRACK_QP_REJECTED] = "rejected",
	[TRACK_QP_FAILED] = "failed",
	[TRACK_QP_CLOSED] = "closed",
	[TRACK_QP_STALLED] = "stalled",
	[TRACK_QP_SETUP] = "setup",
	[TRACK_QP_MID_STREAM] = "mid-stream",
	[TRACK_QP_ESTABLISHED] = "established",
};

bool track_dir_is_fatal(const struct track_dir *d)
{
	return track_figure(d, TRACK_FIGURE_nak_invalid_request) ||
	       track_figure(d, TRACK_FIGURE_nak_remote_access) ||
	       track_figure(d, TRACK_FIGURE_nak_remote_operational);
}

/* Requests are open that were sent more than once; what waits for nothing is no stall. */
static bool is_stalled(const struct track_dir *d)
{
	return track_watched(d)->timeouts && d->psns.begun && d->since.covered < d->psns.next;
}

static bool has_packets(const struct track_qp *qp, enum track_way way)
{
	return qp->dir[way].packets != 0;
}

enum track_qp_state track_qp_state(const struct track_qp *qp)
{
	const struct track_dir *a = &qp->dir[TRACK_A_TO_B], *b = &qp->dir[TRACK_B_TO_A];

	if (qp->cm_state == TRACK_CM_REJECTED)
		return TRACK_QP_REJECTED;
	if (track_dir_is_fatal(a) || track_dir_is_fatal(b) || track_watched(a)->gave_up ||
	    track_watched(b)->gave_up)
		return TRACK_QP_FAILED;
	if (qp->cm_state == TRACK_CM_DREQ_SENT || qp->cm_state == TRACK_CM_DISCONNECTED)
		return TRACK_QP_CLOSED;
	if (is_stalled(a) || is_stalled(b))
		return TRACK_QP_STALLED;
	if (!track_qp_cm_frame(qp))
		return TRACK_QP_MID_STREAM;
	if (has_packets(qp, TRACK_A_TO_B) || has_packets(qp, TRACK_B_TO_A) ||
	    qp->cm_state == TRACK_CM_ESTABLISHED)
		return TRACK_QP_ESTABLISHED;
	return TRACK_QP_SETUP;
}

uint16_t track_qp_doubt(const struct track_qp *qp)
{
	return (uint16_t)(qp->doubt | (track_qp_cm_frame(qp) ? 0 : TRACK_DOUBT_MID_STREAM));
}
