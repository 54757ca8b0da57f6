/* SPDX-License-Identifier: GPL-2.0-or-later */
/* flow_worst.c - one of the worst connections in a line. */
#include <string.h>

#include "flow.h"
#include "pcap-lint/base/wrap.h"
#include "track/cm/cm_list.h"

/* "14 sequence NAKs", "1 packet with a bad ICRC": of the title of a figure, which is plural. */
static void fact(struct ibw_out *o, uint64_t n, const char *title)
{
	static const char *const after[] = { " with ", " in ", " that ", " marked " };
	const char *end = title + strlen(title), *p;
	unsigned int i;

	for (i = 0; i < G_N_ELEMENTS(after); i++) {
		p = strstr(title, after[i]);
		if (p && p < end)
			end = p;
	}
	ibw_out_dec(o, n);
	ibw_out_char(o, ' ');
	ibw_out_mem(o, title, (size_t)(end - title) - (n == 1 && end > title && end[-1] == 's'));
	ibw_out_str(o, end);
}

static uint64_t count(const struct track_qp *qp, enum track_figure figure)
{
	if (figure == TRACK_FIGURE_gap_episodes)
		return pl_flow_gaps(qp);
	if (figure == TRACK_FIGURE_response_gaps)
		return pl_flow_response_gaps(qp);
	return pl_flow_figure(qp, figure);
}

/* ", 14 sequence NAKs", of both directions; @before is what is put between. */
static const char *facts(struct ibw_out *o, const struct track_qp *qp, const char *before,
			 const enum track_figure *figures, unsigned int n_figures)
{
	unsigned int i;
	uint64_t n;

	for (i = 0; i < n_figures; i++) {
		n = count(qp, figures[i]);
		if (!n)
			continue;
		ibw_out_str(o, before);
		fact(o, n, track_figures[figures[i]].title);
		before = ", ";
	}
	return before;
}

static const char *resent_fact(struct ibw_out *o, const struct track_qp *qp, const char *before)
{
	unsigned int percent =
		MAX(pl_flow_resent(&qp->dir[TRACK_A_TO_B]), pl_flow_resent(&qp->dir[TRACK_B_TO_A]));

	if (!percent)
		return before;
	ibw_out_str(o, before);
	ibw_out_dec(o, percent);
	ibw_out_str(o, " % retransmitted");
	return ", ";
}

void pl_out_ending(struct ibw_out *o, const struct pl_report *report, const struct track_qp *qp,
		   enum track_way way)
{
	enum track_ending ending = track_qp_ending(track_streams(report->track), qp, way);
	char address[TRACK_ADDRESS_TEXT], quiet[32];
	const char *peer =
		pl_flow_address(qp, way == TRACK_A_TO_B ? TRACK_B_TO_A : TRACK_A_TO_B, address);

	pl_time_text(quiet, sizeof(quiet), track_watched(&qp->dir[way])->quiet_ns);
	switch (ending) {
	case TRACK_ENDING_CLOSED:
		ibw_out_str(o, ", no answer after the DREQ: the queue pair at ");
		ibw_out_str(o, peer);
		ibw_out_str(o, " is gone");
		break;
	case TRACK_ENDING_QP_GONE:
		ibw_out_str(o, ", ");
		ibw_out_str(o, peer);
		ibw_out_str(o, " answers on other connections: the queue pair is gone, or only its "
			       "packets are lost");
		break;
	case TRACK_ENDING_SILENT:
		ibw_out_str(o, ", nothing at all from ");
		ibw_out_str(o, peer);
		ibw_out_str(o, " any more");
		break;
	case TRACK_ENDING_QUIET:
	case TRACK_ENDING_CUT:
		ibw_out_str(o, ", nothing at all from ");
		ibw_out_str(o, peer);
		ibw_out_str(o, " for ");
		ibw_out_str(o, quiet);
		ibw_out_str(o, ", then again");
		if (ending == TRACK_ENDING_CUT)
			ibw_out_str(o, ": as by a cut link");
		break;
	case TRACK_ENDING_NONE:
		break;
	}
}

bool pl_flow_has_ending(const struct pl_report *report, const struct track_qp *qp)
{
	const struct track_qps *streams = track_streams(report->track);

	return track_qp_ending(streams, qp, TRACK_A_TO_B) != TRACK_ENDING_NONE ||
	       track_qp_ending(streams, qp, TRACK_B_TO_A) != TRACK_ENDING_NONE;
}

void pl_out_short_end(struct ibw_out *o, const struct track_qp *qp, enum track_way way)
{
	uint32_t qpn = track_qp_sqpn(qp, way);
	char address[TRACK_ADDRESS_TEXT];

	ibw_out_str(o, pl_flow_address(qp, way, address));
	ibw_out_str(o, " qp ");
	if (qpn == TRACK_CM_NO_QPN)
		ibw_out_char(o, '?');
	else
		ibw_out_dec(o, qpn);
}

/* "NVMe-oF 4420, "; "closed, closed by A": what the CM says of it, if its messages were captured. */
static void upper(struct ibw_out *o, const struct track_cm_record *r)
{
	char buf[TRACK_CM_SERVICE_TEXT];
	const char *text = r ? track_cm_service_text(r->service_id, buf) : NULL;

	if (!text)
		return;
	ibw_out_str(o, text);
	ibw_out_str(o, ", ");
}

const struct track_cm_record *pl_flow_cm(const struct pl_report *report, const struct track_qp *qp)
{
	const struct track_cm_list *list = track_conversations(report->track);

	return list && track_qp_cm_frame(qp) ? track_cm_list_get(list, track_qp_cm_frame(qp))
					     : NULL;
}

void pl_out_state(struct ibw_out *o, const struct pl_report *report, const struct track_qp *qp)
{
	const struct track_cm_record *r = pl_flow_cm(report, qp);
	char buf[TRACK_CM_END_TEXT];

	if (r && r->end) {
		if (track_qp_state(qp) == TRACK_QP_FAILED)
			ibw_out_str(o, "failed, ");
		ibw_out_str(o, track_cm_end_text(r, buf));
		return;
	}
	ibw_out_str(o, track_qp_state_names[track_qp_state(qp)]);
}

void pl_out_against(struct ibw_out *o, const struct pl_report *report, const struct track_qp *qp)
{
	static const enum track_figure fatal[] = { TRACK_FIGURE_nak_invalid_request,
						   TRACK_FIGURE_nak_remote_access,
						   TRACK_FIGURE_nak_remote_operational };
	static const enum track_figure loss[] = {
		TRACK_FIGURE_nak_sequence, TRACK_FIGURE_timeouts,      TRACK_FIGURE_rnr_nak,
		TRACK_FIGURE_gap_episodes, TRACK_FIGURE_response_gaps, TRACK_FIGURE_icrc_bad
	};
	const char *before = ": ";

	before = facts(o, qp, before, fatal, G_N_ELEMENTS(fatal));
	before = resent_fact(o, qp, before);
	facts(o, qp, before, loss, G_N_ELEMENTS(loss));
	pl_out_ending(o, report, qp, TRACK_A_TO_B);
	pl_out_ending(o, report, qp, TRACK_B_TO_A);
}

void pl_text_worst(struct pl_report *report, const struct track_qp *qp)
{
	struct ibw_out *o = &report->output->out;
	const char *from = o->p;
	char doubt[PL_FLOW_DOUBT];

	pl_out_name(o, pl_frames_place(&report->frames, qp->first_frame).file);
	ibw_out_str(o, ": worst: ");
	pl_out_short_end(o, qp, TRACK_A_TO_B);
	ibw_out_str(o, " -> ");
	pl_out_short_end(o, qp, TRACK_B_TO_A);
	pl_out_against(o, report, qp);
	ibw_out_str(o, " (");
	ibw_out_str(o, pl_flow_service(qp));
	ibw_out_str(o, ", ");
	upper(o, pl_flow_cm(report, qp));
	fact(o, pl_flow_figure(qp, TRACK_FIGURE_packets),
	     track_figures[TRACK_FIGURE_packets].title);
	ibw_out_str(o, ", ");
	pl_out_state(o, report, qp);
	pl_flow_doubt(report, qp, doubt);
	if (*doubt) {
		ibw_out_str(o, "; doubt: ");
		ibw_out_str(o, doubt);
	}
	ibw_out_str(o, ")\n");
	pl_wrap(report->output, from);
}
