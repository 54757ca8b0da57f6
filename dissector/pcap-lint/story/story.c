/* SPDX-License-Identifier: GPL-2.0-or-later */
/* story.c - keeps events, and chooses the connection and the events of a story. */
#include <stdlib.h>
#include <string.h>

#include "pcap-lint/report/flow.h"
#include "pcap-lint/report/sink.h"
#include "story.h"

/* Copies of a message of the CM so close are one that was captured twice. */
#define COPY_NS 1000000u

/* The earliest events of a connection, in order of frames. */
struct kept {
	struct track_event *event;
	unsigned int n, room;
	uint64_t more, more_frame; /* later ones */
};

struct pl_stories {
	GHashTable *kept; /* first frame of a connection -> struct kept */
	uint64_t room;    /* for so many events more */
	uint64_t forgotten;
};

static void free_kept(void *data)
{
	struct kept *k = data;

	g_free(k->event);
	g_free(k);
}

struct pl_stories *pl_stories_new(uint64_t max_memory)
{
	struct pl_stories *s = g_new0(struct pl_stories, 1);

	s->kept = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, free_kept);
	s->room = max_memory / PL_STORY_PART / sizeof(struct track_event);
	return s;
}

void pl_stories_free(struct pl_stories *stories)
{
	if (!stories)
		return;
	g_hash_table_destroy(stories->kept);
	g_free(stories);
}

uint64_t pl_stories_forgotten(const struct pl_stories *stories)
{
	return stories->forgotten;
}

/* The connection is known by its first frame, a conversation of the CM by its REQ. */
static uint64_t key_of(const struct track_event *e)
{
	if (e->half)
		return e->half;
	return e->n_frames ? e->frames[0] : e->frame;
}

static struct kept *kept_of(struct pl_stories *s, uint64_t key)
{
	struct kept *k = g_hash_table_lookup(s->kept, &key);
	uint64_t *copy;

	if (k || !s->room)
		return k;
	k = g_new0(struct kept, 1);
	copy = g_new(uint64_t, 1);
	*copy = key;
	g_hash_table_insert(s->kept, copy, k);
	return k;
}

static void later(struct kept *k, uint64_t frame)
{
	k->more++;
	k->more_frame = MAX(k->more_frame, frame);
}

/* Nearly always it is the latest. */
static void insert(struct kept *k, const struct track_event *e)
{
	unsigned int i = k->n;

	while (i && k->event[i - 1].frame > e->frame)
		i--;
	memmove(&k->event[i + 1], &k->event[i], (k->n - i) * sizeof(*e));
	k->event[i] = *e;
	k->n++;
}

static void keep(struct pl_stories *s, const struct track_event *e)
{
	struct kept *k = kept_of(s, key_of(e));

	if (!k) {
		s->forgotten++;
		return;
	}
	if (k->n == PL_STORY_EVENTS) {
		if (e->frame >= k->event[k->n - 1].frame) {
			later(k, e->frame);
			return;
		}
		later(k, k->event[--k->n].frame);
	} else if (k->n == k->room) {
		if (!s->room) {
			later(k, e->frame);
			return;
		}
		k->room = k->room ? MIN(2 * k->room, PL_STORY_EVENTS) : 4;
		s->room -= MIN(s->room, k->room - k->n);
		k->event = g_renew(struct track_event, k->event, k->room);
	}
	insert(k, e);
}

void pl_stories_events(struct pl_stories *stories, const struct track_event *e, unsigned int n)
{
	for (; n; e++, n--)
		if (track_event_rows[e->kind].role != TRACK_ROLE_NONE)
			keep(stories, e);
}

/* Events of one connection */

/* A connection whose REQ was captured begins with that. */
static const struct kept *events_of(const struct pl_stories *s, const struct pl_listed *one)
{
	uint64_t key = pl_listed_first_frame(one);

	return g_hash_table_lookup(s->kept, &key);
}

/* Which copy of a message of the CM event @i is, from 1; 0: the same packet was captured twice. */
static unsigned int copy_of(const struct kept *k, unsigned int i)
{
	const struct track_event *e = &k->event[i], *before;
	unsigned int copies = 1, j;

	if (e->flow.service == TRACK_SERVICE_IWARP)
		return 1; /* TCP has its own for that */
	for (j = 0; j < i; j++) {
		before = &k->event[j];
		if (before->kind != e->kind || before->number[0] != e->number[0])
			continue;
		if (e->time_ns - before->time_ns < COPY_NS)
			return 0;
		copies++;
	}
	return copies;
}

/* Of a connection that was captured twice: a packet that comes again may be the same one. */
static bool is_second_look(const struct track_event *e, uint16_t doubt)
{
	if (!(doubt & TRACK_DOUBT_TWICE) || e->kind != TRACK_EVENT_RESENT)
		return false;
	switch (e->number[TRACK_RESENT_cause]) {
	case TRACK_RESEND_NAK:
	case TRACK_RESEND_RNR:
	case TRACK_RESEND_TIMEOUT:
	case TRACK_RESEND_UNASKED:
		return false;
	default:
		return e->number[TRACK_RESENT_ns] < COPY_NS;
	}
}

/* What is not in the capture may have come to it another way, or was lost by it. */
static bool is_hole(const struct track_event *e, uint16_t doubt)
{
	return e->kind == TRACK_EVENT_PSN_GAP &&
	       e->number[TRACK_PSN_GAP_came] != TRACK_CAME_DAMAGED &&
	       doubt & (TRACK_DOUBT_LOSS | TRACK_DOUBT_LIDS);
}

/* More is missing of a direction than the sniffer is known to have lost. */
static bool is_missing_more(const struct track_dir *d)
{
	return d->psns.missing > 2 * track_watched(d)->lost;
}

static uint16_t doubt_of(const struct pl_listed *one)
{
	const struct track_qp *qp = one->qp;
	uint16_t doubt;

	if (!qp)
		return pl_listed_doubt(one);
	doubt = qp->doubt;
	if (is_missing_more(&qp->dir[TRACK_A_TO_B]) || is_missing_more(&qp->dir[TRACK_B_TO_A]))
		doubt &= (uint16_t)~TRACK_DOUBT_LOSS;
	return doubt;
}

/* Copies are told apart by themselves; and of holes too many to be told apart something is missing all the same. */
#define APART (TRACK_DOUBT_TWICE | TRACK_DOUBT_HOLES)

/*
 * What findings would say less of: what the capture lacks may make it untrue. Of packets that are
 * counted, and of those that come twice, is_hole() and is_second_look() decide.
 */
static bool is_doubtful(const struct track_event *e, uint16_t doubt)
{
	const struct track_untrue untrue = track_event_untrue(e);
	uint16_t meets = track_event_doubt(&untrue, e->doubt | (e->half ? doubt : 0));
	unsigned int i;

	for (i = 0; i < TRACK_DOUBT_COUNT; i++)
		if (meets & 1u << i && !track_doubt_rows[i].counted && !(1u << i & APART))
			return true;
	return is_second_look(e, doubt) || is_hole(e, doubt);
}

/* The end of the capture is no fault. */
static bool is_fault(const struct kept *k, unsigned int i, uint16_t doubt)
{
	const struct track_event *e = &k->event[i];

	if (is_doubtful(e, doubt))
		return false;
	if (e->kind == TRACK_EVENT_CM_GIVEN_UP)
		return e->number[TRACK_CM_GIVEN_UP_why] == TRACK_GIVEN_UP_TIMEOUT;
	if (track_event_rows[e->kind].role == TRACK_ROLE_CM)
		return copy_of(k, i) > 1;
	return track_event_rows[e->kind].role == TRACK_ROLE_FAULT;
}

/* The first one; k->n: there is none. */
static unsigned int first_fault(const struct kept *k, uint16_t doubt)
{
	unsigned int i;

	for (i = 0; i < k->n && !is_fault(k, i, doubt); i++)
		;
	return i;
}

static bool is_faulty(const struct pl_stories *s, const struct pl_listed *one)
{
	const struct kept *k = events_of(s, one);

	return k && first_fault(k, doubt_of(one)) < k->n;
}

/* Lines */

static bool is_of_cm(const struct track_event *e)
{
	return track_event_rows[e->kind].role == TRACK_ROLE_CM;
}

static bool is_same_way(const struct track_event *a, const struct track_event *b)
{
	return memcmp(a->flow.src, b->flow.src, sizeof(a->flow.src)) == 0 &&
	       a->flow.dqpn == b->flow.dqpn;
}

/* One sentence for both: of the same, from the same end, for the same reason; of a timeout, its round. */
static bool is_alike(const struct pl_story_line *line, const struct track_event *b)
{
	const struct track_event *a = line->event;

	return a->kind == b->kind && is_same_way(a, b) && !line->more &&
	       (a->kind != TRACK_EVENT_RESENT ||
		(a->number[TRACK_RESENT_cause] == b->number[TRACK_RESENT_cause] &&
		 a->number[TRACK_RESENT_why] == b->number[TRACK_RESENT_why]));
}

/* What is told whatever comes first: how it began, and who ended it. */
static bool is_of_frame(const struct track_event *e)
{
	return e->kind == TRACK_EVENT_CM_REQ || e->kind == TRACK_EVENT_CM_REP ||
	       e->kind == TRACK_EVENT_CM_DREQ || e->kind == TRACK_EVENT_IWARP_REQUEST ||
	       e->kind == TRACK_EVENT_IWARP_REPLY || e->kind == TRACK_EVENT_IWARP_CLOSE;
}

/* What is said of the same packet already. */
static bool is_said(const struct pl_story *story, const struct track_event *e)
{
	const struct pl_story_line *before;

	if (!story->n_lines || e->kind != TRACK_EVENT_RESENT)
		return false;
	before = &story->line[story->n_lines - 1];
	return before->last_frame == e->frame && before->event->kind == TRACK_EVENT_TIMEOUT;
}

/* The first fault has a line of its own; what the CM sends again is one run. */
static bool joins(const struct pl_story *story, const struct pl_story_line *line,
		  const struct track_event *e, bool again)
{
	if (story->more || !is_alike(line, e))
		return false;
	return is_of_cm(e) ? line->again && again : line->event != story->first;
}

/* The timeout after which a packet is sent again, as others before it; NULL: none. */
static struct pl_story_line *round_of(struct pl_story *story, const struct track_event *e)
{
	unsigned int i = story->n_lines;
	struct pl_story_line *line;

	if (e->kind != TRACK_EVENT_RESENT || story->more ||
	    e->number[TRACK_RESENT_cause] != TRACK_RESEND_TIMEOUT)
		return NULL;
	while (i--) {
		line = &story->line[i];
		if (line->event->kind == TRACK_EVENT_TIMEOUT && is_same_way(line->event, e))
			return line->n == 1 ? line : NULL;
		if (track_event_rows[line->event->kind].role != TRACK_ROLE_AFTER)
			break;
	}
	return NULL;
}

static void add(struct pl_story *story, const struct track_event *e, bool again)
{
	struct pl_story_line *line = story->n_lines ? &story->line[story->n_lines - 1] : NULL;
	struct pl_story_line *round = round_of(story, e);
	uint64_t before_ns = line ? line->last_ns : story->begin_ns;

	if (round) {
		round->more++;
		round->more_frame = e->frame;
		line->last_ns = MAX(line->last_ns, e->time_ns);
	} else if (line && joins(story, line, e, again)) {
		line->n++;
		line->last_frame = e->frame;
		line->last_ns = MAX(line->last_ns, e->time_ns);
	} else if (story->n_lines == PL_STORY_LINES) {
		story->more++;
		story->more_frame = e->frame;
	} else {
		story->line[story->n_lines++] = (struct pl_story_line){
			.event = e,
			.n = 1,
			.last_frame = e->frame,
			.last_ns = e->time_ns,
			.after_ns = e->time_ns > before_ns ? e->time_ns - before_ns : 0,
			.again = again,
		};
	}
}

static void lines_of(struct pl_story *story, const struct kept *k)
{
	uint16_t doubt = doubt_of(&story->one);
	unsigned int first = first_fault(k, doubt), i;
	bool of_cm = first < k->n && is_of_cm(&k->event[first]);
	const struct track_event *e;

	if (first == k->n)
		return;
	story->first = &k->event[first];
	for (i = 0; i < k->n; i++) {
		e = &k->event[i];
		if (i < first && !of_cm && !is_of_frame(e))
			continue;
		if (is_doubtful(e, doubt) || (is_of_cm(e) && !copy_of(k, i)))
			continue;
		if (!is_said(story, e))
			add(story, e, is_of_cm(e) && copy_of(k, i) > 1);
	}
	story->more += k->more;
	story->more_frame = MAX(story->more_frame, k->more_frame);
}

/* The connection */

/* The time of its first frame: of a packet, or a message of the CM. */
static uint64_t begin_of(const struct pl_listed *one, const struct kept *k)
{
	const struct track_measure *m, *first = NULL;
	const struct track_qp *qp = one->qp;
	unsigned int way;

	if (one->iwarp)
		return one->iwarp->record->conn.first_ns;
	if (k && k->n && k->event[0].frame == qp->first_frame)
		return k->event[0].time_ns;
	for (way = 0; way < TRACK_WAYS; way++) {
		m = qp->dir[way].measure;
		if (m && m->begins && (!first || m->begin_frame < first->begin_frame))
			first = m;
	}
	return first ? first->begin_ns : UINT64_MAX;
}

/* The worst that has a fault; nothing can be said against others. @n_faulty: how many have. */
static struct pl_listed worst(struct pl_report *report, const struct pl_listed *listed,
			      unsigned int n, unsigned int *n_faulty)
{
	struct pl_listed found = { 0 };
	unsigned int i;

	*n_faulty = 0;
	for (i = 0; i < n; i++)
		if (is_faulty(report->stories, &listed[i]) && !(*n_faulty)++)
			found = listed[i];
	return found;
}

static struct pl_listed numbered(const struct pl_listed *listed, unsigned int n, uint64_t number)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (pl_listed_number(&listed[i]) == number)
			return listed[i];
	return (struct pl_listed){ 0 };
}

/* The worst of those that have that name; the first, if nothing can be said against them. Ports are no queue pairs. */
static struct pl_listed named(struct pl_report *report, const struct pl_listed *listed,
			      unsigned int n)
{
	struct pl_listed *called = g_new0(struct pl_listed, n + 1), found = { 0 };
	unsigned int i, n_called = 0, n_faulty;

	for (i = 0; i < n; i++)
		if (listed[i].qp &&
		    pl_chosen_connection(&report->options->story_named, listed[i].qp))
			called[n_called++] = listed[i];
	found = worst(report, called, n_called, &n_faulty);
	for (i = 0; !n_faulty && i < n_called; i++)
		if (!found.qp || called[i].qp->number < found.qp->number)
			found = called[i];
	g_free(called);
	return found;
}

/* Where nothing is wrong with packets: the connection of the most unusual command. */
static struct pl_listed of_commands(const struct pl_report *report, const struct pl_listed *listed,
				    unsigned int n)
{
	struct pl_upper_story commands;

	pl_upper_story_of(report, PL_UPPER_NOWHERE, &commands);
	if (commands.worst == PL_UPPER_NOWHERE)
		return (struct pl_listed){ 0 };
	return numbered(listed, n, commands.worst);
}

static void tell(struct pl_report *report, struct pl_story *story, const struct pl_listed *listed,
		 unsigned int n)
{
	const struct pl_options *options = report->options;
	const struct kept *k;

	story->one = worst(report, listed, n, &story->faulty);
	if (pl_chosen_any(&options->story_named))
		story->one = named(report, listed, n);
	else if (options->story_of != PL_STORY_AUTO)
		story->one = numbered(listed, n, options->story_of);
	else
		story->is_chosen = true;
	if (story->is_chosen && !story->faulty)
		story->one = of_commands(report, listed, n);
	if (!pl_story_has_one(story))
		return;
	pl_upper_story_of(report, (uint32_t)pl_listed_number(&story->one), &story->commands);
	k = events_of(report->stories, &story->one);
	story->begin_ns = begin_of(&story->one, k);
	if (k)
		lines_of(story, k);
}

void pl_story_tell(struct pl_report *report, const struct track_qp *const *qps, unsigned int n)
{
	const struct pl_options *options = report->options;
	struct pl_story story = { .connections = n + report->n_iwarp,
				  .is_part = pl_chosen_any(&options->chosen) };
	struct pl_listed *listed;

	if (options->story_of == PL_STORY_SUBNET) {
		story.subnet = track_chronicle_of(report->track);
		report->sink->story(report, &story);
		return;
	}
	listed = pl_flows_listed(report, qps, n);
	tell(report, &story, listed, story.connections);
	report->sink->story(report, &story);
	g_free(listed);
}
