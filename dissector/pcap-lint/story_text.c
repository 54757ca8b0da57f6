/* SPDX-License-Identifier: GPL-2.0-or-later */
/* story_text.c - a story as text: who, why, what happened, what it came to. */
#include <string.h>

#include "flow.h"
#include "story.h"
#include "tell.h"

static void begin(struct pl_report *report, const struct track_qp *qp)
{
	struct ibw_out *o = &report->output->out;

	pl_out_name(o, qp ? pl_frames_place(&report->frames, qp->first_frame).file
			  : report->frames.about);
	ibw_out_str(o, ": story");
}

static void who(struct pl_report *report, const struct track_qp *qp)
{
	struct ibw_out *o = &report->output->out;

	ibw_out_str(o, " of connection ");
	ibw_out_dec(o, qp->number);
	ibw_out_str(o, ": ");
	ibw_out_str(o, pl_flow_service(qp));
	ibw_out_str(o, " between A, ");
	pl_out_end(o, qp, TRACK_A_TO_B);
	ibw_out_str(o, ", and B, ");
	pl_out_end(o, qp, TRACK_B_TO_A);
}

static void frame(struct pl_report *report, const struct track_qp *qp, uint64_t number)
{
	struct ibw_out *o = &report->output->out;

	ibw_out_str(o, "frame ");
	pl_out_frame(o, &report->frames, number,
		     pl_frames_place(&report->frames, qp->first_frame).file);
}

static void line(struct pl_report *report, const struct pl_story *story,
		 const struct pl_story_line *l)
{
	struct ibw_out *o = &report->output->out;
	char text[PL_STORY_TEXT];

	ibw_out_str(o, "  ");
	frame(report, story->qp, l->event->frame);
	if (l->after_ns) {
		ibw_out_str(o, ", ");
		pl_out_took(o, l->after_ns);
		ibw_out_str(o, " later");
	}
	ibw_out_str(o, ": ");
	ibw_out_str(o, pl_story_text(report, story, l, text));
	ibw_out_char(o, '\n');
}

/* "A sent 47 packets again (48 k of payload), 14 of which B had answered before" */
static const char *again(struct ibw_out *o, const struct track_qp *qp, enum track_way way,
			 const char *before)
{
	const struct track_dir *d = &qp->dir[way];
	uint64_t n = track_figure(d, TRACK_FIGURE_repeated_packets);
	uint64_t had = track_measure_figure(d, TRACK_MEASURE_repeated_answered);
	char bytes[32];

	if (!n)
		return before;
	pl_bytes_text(bytes, sizeof(bytes), track_figure(d, TRACK_FIGURE_repeated_bytes));
	ibw_out_str(o, before);
	ibw_out_char(o, way == TRACK_A_TO_B ? 'A' : 'B');
	ibw_out_str(o, " retransmitted ");
	pl_out_counted(o, n, "packet");
	ibw_out_str(o, " (");
	ibw_out_str(o, bytes);
	ibw_out_str(o, strcmp(bytes, "1") == 0 ? " byte of payload)" : " bytes of payload)");
	if (had) {
		ibw_out_str(o, ", ");
		ibw_out_dec(o, had);
		ibw_out_str(o, " of which ");
		ibw_out_char(o, way == TRACK_A_TO_B ? 'B' : 'A');
		ibw_out_str(o, " had answered before");
	}
	return "; ";
}

static void sum(struct pl_report *report, const struct track_qp *qp)
{
	struct ibw_out *o = &report->output->out;
	const char *before = "  in all: ";
	uint64_t stall =
		MAX(track_measure_figure(&qp->dir[TRACK_A_TO_B], TRACK_MEASURE_stall_max_ns),
		    track_measure_figure(&qp->dir[TRACK_B_TO_A], TRACK_MEASURE_stall_max_ns));

	before = again(o, qp, TRACK_A_TO_B, before);
	before = again(o, qp, TRACK_B_TO_A, before);
	if (stall) {
		ibw_out_str(o, before);
		ibw_out_str(o, "at most ");
		pl_out_took(o, stall);
		ibw_out_str(o, " without a packet while a request waited for its response");
		before = "; ";
	}
	ibw_out_str(o, *before == ';' ? "\n" : "");
}

/* What its state does not say. */
static void how_it_ended(struct pl_report *report, const struct track_qp *qp)
{
	struct ibw_out *o = &report->output->out;
	const struct track_cm_record *cm = pl_flow_cm(report, qp);

	if (track_qp_state(qp) == TRACK_QP_FAILED)
		ibw_out_str(o, track_dir_is_fatal(&qp->dir[TRACK_A_TO_B]) ||
					       track_dir_is_fatal(&qp->dir[TRACK_B_TO_A])
				       ? "; a NAK ended it"
				       : "; its retries were used up");
	else if (!cm || !cm->end)
		ibw_out_str(o, "; its end is not in the capture");
}

static void end(struct pl_report *report, const struct track_qp *qp)
{
	struct ibw_out *o = &report->output->out;
	char doubt[PL_FLOW_DOUBT];

	ibw_out_str(o, "  last ");
	frame(report, qp, qp->last_frame);
	ibw_out_str(o, ": ");
	pl_out_state(o, report, qp);
	how_it_ended(report, qp);
	pl_flow_doubt(report, qp, doubt);
	if (*doubt) {
		ibw_out_str(o, " (doubt: ");
		ibw_out_str(o, doubt);
		ibw_out_char(o, ')');
	}
	ibw_out_char(o, '\n');
}

void pl_text_story(struct pl_report *report, const struct pl_story *story)
{
	struct ibw_out *o = &report->output->out;
	char why[PL_STORY_TEXT];
	unsigned int i;

	if (story->subnet) {
		pl_text_story_subnet(report, story->subnet);
		return;
	}
	pl_output_room(report->output);
	begin(report, story->qp);
	if (story->qp && story->n_lines) {
		who(report, story->qp);
		ibw_out_str(o, "\n  it is ");
		ibw_out_str(o, pl_story_why(report, story, why));
	} else {
		if (story->qp)
			who(report, story->qp);
		ibw_out_str(o, ": ");
		ibw_out_str(o, pl_story_why(report, story, why));
	}
	ibw_out_char(o, '\n');
	if (!story->n_lines)
		return;
	if (story->line[0].event->frame != story->qp->first_frame) {
		ibw_out_str(o, "  ");
		frame(report, story->qp, story->qp->first_frame);
		ibw_out_str(o, ": it begins\n");
	}
	for (i = 0; i < story->n_lines; i++)
		line(report, story, &story->line[i]);
	if (story->more) {
		ibw_out_str(o, "  and so on: ");
		pl_out_counted(o, story->more, "more event");
		ibw_out_str(o, ", up to ");
		frame(report, story->qp, story->more_frame);
		ibw_out_char(o, '\n');
	}
	sum(report, story->qp);
	end(report, story->qp);
}
