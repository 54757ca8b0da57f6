/* SPDX-License-Identifier: GPL-2.0-or-later */
/* story_json.c - a story as objects: one of the story, one of each event. */
#include "pcap-lint/report/flow.h"
#include "pcap-lint/base/json_write.h"
#include "pcap-lint/story/story.h"

static void psn(struct ibw_out *o, const struct track_event *e)
{
	const struct track_event_number_row *row = track_event_rows[e->kind].number;
	unsigned int i;

	for (i = 0; i < TRACK_EVENT_NUMBERS; i++)
		if (row[i].name && g_strcmp0(row[i].name, "psn") == 0)
			break;
	if (i < TRACK_EVENT_NUMBERS)
		pl_json_number(o, "psn", e->number[i]);
	else
		pl_json_text(o, "psn", NULL);
}

static void event(struct pl_report *report, const struct pl_story *story,
		  const struct pl_story_line *line)
{
	const struct track_event *e = line->event;
	const struct pl_place place = pl_frames_place(&report->frames, e->frame);
	struct ibw_out *o = &report->output->out;
	char text[PL_STORY_TEXT];

	pl_output_room(report->output);
	pl_json_begin(o, "event");
	pl_json_number(o, "schema", PL_JSON_SCHEMA);
	pl_json_text(o, "file", place.file);
	pl_json_number(o, "frame", place.frame);
	pl_json_time(o, "time", e->time_ns != 0, e->time_ns);
	pl_json_number(o, "connection", pl_listed_number(&story->one));
	pl_json_text(o, "direction",
		     pl_story_way(&story->one, e) == TRACK_A_TO_B ? "a_to_b" : "b_to_a");
	pl_json_text(o, "event", track_event_rows[e->kind].name);
	psn(o, e);
	pl_json_number(o, "count", line->n + line->more);
	pl_json_number(o, "ns", line->after_ns);
	pl_json_frames(o, "cause", &report->frames, e->frames, e->n_frames, place.file);
	pl_json_doubts(o, (uint16_t)(e->doubt | report->doubt | pl_listed_doubt(&story->one)));
	pl_json_text(o, "text", pl_story_text(report, story, line, text));
	pl_json_end(o);
}

void pl_json_story(struct pl_report *report, const struct pl_story *story)
{
	struct ibw_out *o = &report->output->out;
	bool has = pl_story_has_one(story);
	char why[PL_STORY_TEXT];
	unsigned int i;

	if (story->subnet) {
		pl_json_story_subnet(report, story->subnet);
		return;
	}
	pl_output_room(report->output);
	pl_json_begin(o, "story");
	pl_json_number(o, "schema", PL_JSON_SCHEMA);
	pl_json_text(o, "file",
		     has ? pl_frames_place(&report->frames, pl_listed_first_frame(&story->one)).file
			 : report->frames.about);
	pl_json_number_or_null(o, "connection", has ? pl_listed_number(&story->one) : 0, has);
	pl_json_number(o, "connections", story->connections);
	pl_json_number(o, "faulty", story->faulty);
	pl_json_number(o, "events", story->n_lines);
	pl_json_number(o, "more", story->more);
	pl_json_text(o, "text", pl_story_why(report, story, why));
	pl_json_upper_story(
		report, &story->commands,
		has ? pl_frames_place(&report->frames, pl_listed_first_frame(&story->one)).file
		    : report->frames.about);
	pl_json_end(o);
	for (i = 0; has && i < story->n_lines; i++)
		event(report, story, &story->line[i]);
}
