/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * story.h - the story of one connection: --story.
 *
 * The earliest events of every connection are kept, because the worst connection is known only at the
 * end. Then one connection is chosen; a line of its story is an event, or several like events in a row.
 */
#ifndef PL_STORY_H
#define PL_STORY_H

#include "pcap-lint/report/iwarp.h"
#include "pcap-lint/report/report.h"
#include "track/fabric/chronicle.h"
#include "pcap-lint/report/upper.h"

/* Of a connection; of all of them --max-memory / PL_STORY_PART. */
#define PL_STORY_EVENTS 256u
#define PL_STORY_PART 16u

/* With what is said before and after them, a screen. */
#define PL_STORY_LINES 18u

struct pl_stories;

struct pl_stories *pl_stories_new(uint64_t max_memory);
void pl_stories_free(struct pl_stories *stories); /* NULL is fine */

/* Those of @n events that stories tell are kept. */
void pl_stories_events(struct pl_stories *stories, const struct track_event *e, unsigned int n);

/* Events that there was no room for, of connections whose beginning is not kept for that. */
uint64_t pl_stories_forgotten(const struct pl_stories *stories);

struct pl_story_line {
	const struct track_event *event; /* the first */
	uint64_t n, last_frame, last_ns;
	uint64_t more, more_frame; /* of a timeout: packets after it that were sent again, too */
	uint64_t after_ns;         /* since the line before */
	bool again;                /* a message of the CM comes again */
};

struct pl_story {
	const struct track_chronicle *subnet; /* it is of that; NULL: of a connection */
	struct pl_listed one; /* without either: none, as the capture has none or not that one */
	unsigned int connections, faulty;
	bool is_chosen;                  /* by --story auto */
	const struct track_event *first; /* the first fault */
	bool is_part;                    /* connections: those that are asked for only */
	uint64_t begin_ns;
	struct pl_story_line line[PL_STORY_LINES];
	unsigned int n_lines;      /* 0: there is nothing to tell */
	uint64_t more, more_frame; /* events left out, and the frame of the last of them */
	struct pl_upper_story commands;
};

/* Of all connections of the capture: report->sink->story() of the one that is asked for. */
void pl_story_tell(struct pl_report *report, const struct track_qp *const *qps, unsigned int n);

/* Whether the event is about what A sends, or B. */
enum track_way pl_story_way(const struct pl_listed *one, const struct track_event *e);

/* story_of.c: the connection that is told of. */
static inline bool pl_story_has_one(const struct pl_story *story)
{
	return story->one.qp || story->one.iwarp;
}

uint64_t pl_listed_number(const struct pl_listed *one);
uint64_t pl_listed_first_frame(const struct pl_listed *one);
uint64_t pl_listed_last_frame(const struct pl_listed *one);

/* enum track_doubt: what the capture does not show of it. */
uint16_t pl_listed_doubt(const struct pl_listed *one);

/* A figure of both directions; 0: it has no meaning. */
uint64_t pl_listed_figure(const struct pl_listed *one, enum track_figure figure);

/* "RC between A, 10.7.0.1 qp 0x17 (23), and B, 10.7.0.2 qp 0x17 (23)" */
void pl_out_listed(struct ibw_out *o, const struct pl_listed *one);

/* story_tell.c: a line as a sentence, of event.def. */
#define PL_STORY_TEXT 1024
const char *pl_story_text(const struct pl_report *report, const struct pl_story *story,
			  const struct pl_story_line *line, char buf[PL_STORY_TEXT]);

/* Why this connection; or why there is nothing to tell. */
const char *pl_story_why(const struct pl_report *report, const struct pl_story *story,
			 char buf[PL_STORY_TEXT]);

/* story_subnet.c: what happened in the subnet. */
void pl_text_story_subnet(struct pl_report *report, const struct track_chronicle *c);
void pl_json_story_subnet(struct pl_report *report, const struct track_chronicle *c);

/* Each line of it; returns how many events there was no line for. */
typedef void pl_story_subnet_line(void *user, const struct track_told_of *h, const char *text);
uint64_t pl_story_subnet_each(const struct pl_report *report, const struct track_chronicle *c,
			      pl_story_subnet_line *line, void *user);

/* For the sinks. */
void pl_text_story(struct pl_report *report, const struct pl_story *story);
void pl_json_story(struct pl_report *report, const struct pl_story *story);

#endif /* PL_STORY_H */
