/* SPDX-License-Identifier: GPL-2.0-or-later */
/* story_text.c - a story as text: the connection, the reason, the events, the result. */
#include <string.h>

#include "pcap-lint/report/flow.h"
#include "pcap-lint/story/story.h"
#include "pcap-lint/story/tell.h"

static const char *file_of(const struct pl_report *report, const struct pl_listed *one)
{
	return pl_frames_place(&report->frames, pl_listed_first_frame(one)).file;
}

static void begin(struct pl_report *report, const struct pl_story *story)
{
	struct ibw_out *o = &report->output->out;

	pl_out_name(o,
		    pl_story_has_one(story) ? file_of(report, &story->one) : report->frames.about);
	ibw_out_str(o, ": story");
}

static void who(struct pl_report *report, const struct pl_listed *one)
{
	struct ibw_out *o = &report->output->out;

	ibw_out_str(o, " of connection ");
	ibw_out_dec(o, pl_listed_number(one));
	ibw_out_str(o, ": ");
	pl_out_listed(o, one);
}

static void frame(struct pl_report *report, const struct pl_listed *one, uint64_t number)
{
	struct ibw_out *o = &report->output->out;

	ibw_out_str(o, "frame ");
	pl_out_frame(o, &report->frames, number, file_of(report, one));
}

static void line(struct pl_report *report, const struct pl_story *story,
		 const struct pl_story_line *l)
{
	struct ibw_out *o = &report->output->out;
	char text[PL_STORY_TEXT];

	ibw_out_str(o, "  ");
	frame(report, &story->one, l->event->frame);
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

static void end(struct pl_report *report, const struct pl_listed *one)
{
	struct ibw_out *o = &report->output->out;
	char doubt[PL_FLOW_DOUBT];

	ibw_out_str(o, "  last ");
	frame(report, one, pl_listed_last_frame(one));
	ibw_out_str(o, ": ");
	if (one->qp) {
		pl_out_state(o, report, one->qp);
		how_it_ended(report, one->qp);
		pl_flow_doubt(report, one->qp, doubt);
	} else {
		pl_iwarp_out_state(o, one->iwarp);
		pl_iwarp_doubt(report, one->iwarp, doubt);
	}
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
	begin(report, story);
	if (story->n_lines) {
		who(report, &story->one);
		ibw_out_str(o, "\n  it is ");
		ibw_out_str(o, pl_story_why(report, story, why));
	} else {
		if (pl_story_has_one(story))
			who(report, &story->one);
		ibw_out_str(o, ": ");
		ibw_out_str(o, pl_story_why(report, story, why));
	}
	ibw_out_char(o, '\n');
	if (!story->n_lines) {
		if (pl_story_has_one(story))
			pl_text_upper_story(report, &story->commands, file_of(report, &story->one));
		return;
	}
	if (story->line[0].event->frame != pl_listed_first_frame(&story->one)) {
		ibw_out_str(o, "  ");
		frame(report, &story->one, pl_listed_first_frame(&story->one));
		ibw_out_str(o, ": it begins\n");
	}
	for (i = 0; i < story->n_lines; i++)
		line(report, story, &story->line[i]);
	if (story->more) {
		ibw_out_str(o, "  and so on: ");
		pl_out_counted(o, story->more, "more event");
		ibw_out_str(o, ", up to ");
		frame(report, &story->one, story->more_frame);
		ibw_out_char(o, '\n');
	}
	if (story->one.qp)
		sum(report, story->one.qp);
	else
		pl_iwarp_sum(report, story->one.iwarp);
	pl_text_upper_story(report, &story->commands, file_of(report, &story->one));
	end(report, &story->one);
}
