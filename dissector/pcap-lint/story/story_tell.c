/* SPDX-License-Identifier: GPL-2.0-or-later */
/* story_tell.c - the sentences of a story: its lines, why it is told, or why there is none. */
#include "pcap-lint/report/flow.h"
#include "story.h"
#include "tell.h"

const char *pl_story_text(const struct pl_report *report, const struct pl_story *story,
			  const struct pl_story_line *line, char buf[PL_STORY_TEXT])
{
	static const char *const ends[] = { "A", "B" };
	bool of_a = pl_story_way(&story->one, line->event) == TRACK_A_TO_B;
	struct pl_told told = { .event = line->event,
				.file = pl_frames_place(&report->frames, line->event->frame).file,
				.sender = ends[!of_a],
				.other = ends[of_a],
				.n = line->n,
				.last_frame = line->last_frame,
				.more = line->more,
				.more_frame = line->more_frame,
				.many = line->n > 1 || line->again };
	struct ibw_out o = ibw_out_open(buf, PL_STORY_TEXT);

	pl_tell(&o, &report->frames, &told);
	ibw_out_close(&o);
	return buf;
}

/* "2 connections" */
static void connections(struct ibw_out *o, const struct pl_story *story)
{
	pl_out_counted(o, story->connections, "connection");
	if (story->is_part)
		ibw_out_str(o, " asked for");
}

/* " (doubt: sampled, ...)": what the capture may hide; without a connection, of any. */
static void may_hide(struct ibw_out *o, const struct pl_report *report,
		     const struct pl_story *story)
{
	unsigned int doubt = report->doubt, i;
	const char *before = " (doubt: ";

	if (pl_story_has_one(story))
		doubt |= pl_listed_doubt(&story->one);
	for (i = 0; !pl_story_has_one(story) && i < report->n_qps; i++)
		doubt |= track_qp_doubt(report->qps[i]);
	for (i = 0; !pl_story_has_one(story) && i < report->n_iwarp; i++)
		doubt |= track_iwarp_doubt(&report->iwarp[i].record->conn);
	for (i = 0; i < TRACK_DOUBT_COUNT; i++) {
		if (!(doubt & 1u << i))
			continue;
		ibw_out_str(o, before);
		ibw_out_str(o, track_doubt_rows[i].name);
		ibw_out_str(o, ": ");
		ibw_out_str(o, track_doubt_rows[i].text);
		before = "; ";
	}
	if (*before == ';')
		ibw_out_char(o, ')');
}

/* Packets that come twice at once, of a connection or of all; TCP knows copies. */
static void twice(struct ibw_out *o, const struct pl_report *report, const struct pl_story *story)
{
	uint64_t packets = 0;
	unsigned int i;

	for (i = 0; i < report->n_qps; i++)
		if (!pl_story_has_one(story) || story->one.qp == report->qps[i])
			packets += pl_flow_figure(report->qps[i], TRACK_FIGURE_duplicated_packets);
	if (!packets)
		return;
	ibw_out_str(o, "; ");
	pl_out_counted(o, packets, "request");
	ibw_out_str(o, packets == 1 ? " is" : " are");
	ibw_out_str(o, " in it twice at once: captured twice, or duplicated by the network");
}

static void nothing(struct ibw_out *o, const struct pl_report *report, const struct pl_story *story)
{
	if (story->commands.n) {
		ibw_out_str(o, "there is nothing to tell of its packets");
		return;
	}
	ibw_out_str(o, "there is nothing to tell: ");
	if (!story->connections) {
		ibw_out_str(o, "the capture has no ");
		ibw_out_str(o, story->is_part ? "connection that is asked for"
					      : "connection of RC, UC, XRC or iWARP");
		return;
	}
	if (!pl_story_has_one(story) && !story->is_chosen) {
		ibw_out_str(o, "there is no such connection; the capture has ");
		connections(o, story);
		ibw_out_str(o, ", numbered from 0");
		return;
	}
	ibw_out_str(o, "nothing is known to be missing, retransmitted, refused or wrong ");
	if (!story->is_chosen) {
		ibw_out_str(o, "in its ");
		pl_out_counted(o, pl_listed_figure(&story->one, TRACK_FIGURE_packets), "packet");
	} else if (story->connections == 1) {
		ibw_out_str(o, "on the one connection");
	} else {
		ibw_out_str(o, "on any of ");
		connections(o, story);
	}
	twice(o, report, story);
	may_hide(o, report, story);
}

static void chosen(struct ibw_out *o, const struct pl_story *story)
{
	if (!story->is_chosen) {
		ibw_out_str(o, "the one asked for");
	} else if (story->connections == 1) {
		ibw_out_str(o, "the only connection");
	} else if (story->faulty == 1) {
		ibw_out_str(o, "the only one with a fault, of ");
		connections(o, story);
	} else {
		ibw_out_str(o, "the worst of ");
		ibw_out_dec(o, story->faulty);
		ibw_out_str(o, " with a fault, of ");
		connections(o, story);
	}
}

const char *pl_story_why(const struct pl_report *report, const struct pl_story *story,
			 char buf[PL_STORY_TEXT])
{
	struct ibw_out o = ibw_out_open(buf, PL_STORY_TEXT);

	if (story->n_lines) {
		chosen(&o, story);
		if (story->one.qp)
			pl_out_against(&o, report, story->one.qp);
		else
			pl_iwarp_out_against(&o, story->one.iwarp);
	} else {
		nothing(&o, report, story);
	}
	ibw_out_close(&o);
	return buf;
}
