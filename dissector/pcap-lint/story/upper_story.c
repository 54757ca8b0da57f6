/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * upper_story.c - unusual commands in a story: those without an answer, those that failed, and those that took
 * long.
 */
#include <stdlib.h>
#include <string.h>

#include "pcap-lint/report/flow.h"
#include "pcap-lint/base/json_write.h"
#include "tell.h"
#include "pcap-lint/report/upper.h"

/* A command took long if it did so many times as long as half of those of its queue, of which there are some, and not a moment. */
#define SLOW_TIMES 20u
#define SLOW_NS 10000000u
#define SLOW_OF 4u

struct timed {
	uint32_t queue;
	uint64_t ns;
};

static int by_queue(const void *a, const void *b)
{
	const struct timed *x = a, *y = b;

	if (x->queue != y->queue)
		return x->queue < y->queue ? -1 : 1;
	return x->ns < y->ns ? -1 : x->ns > y->ns;
}

/* The time that half of the commands of each queue took at most; UINT64_MAX: there are too few. g_free() it. */
static uint64_t *medians(const struct track_ulps *ulps)
{
	unsigned int i, from, n, done = 0, queues = track_ulps_count(ulps);
	const struct track_ulp_command *c = track_ulps_records(ulps, &n);
	struct timed *timed = g_new(struct timed, n + 1);
	uint64_t *median = g_new(uint64_t, queues + 1);

	memset(median, 0xff, queues * sizeof(*median));
	for (i = 0; i < n; i++)
		if (c[i].end == TRACK_ULP_DONE &&
		    !track_ulp_waits(track_ulps_queue(ulps, c[i].queue), c[i].code))
			timed[done++] = (struct timed){ c[i].queue, c[i].ns };
	qsort(timed, done, sizeof(*timed), by_queue);
	for (from = 0; from < done; from = i) {
		for (i = from; i < done && timed[i].queue == timed[from].queue; i++)
			;
		if (i - from >= SLOW_OF)
			median[timed[from].queue] = timed[from + (i - from - 1) / 2].ns;
	}
	g_free(timed);
	return median;
}

static bool is_slow(const struct track_ulp_command *c, uint64_t median)
{
	return c->end == TRACK_ULP_DONE && c->ns >= SLOW_NS && median != UINT64_MAX &&
	       c->ns / SLOW_TIMES >= median;
}

static enum pl_upper_why why_of(const struct track_ulp_queue *q, const struct track_ulp_command *c,
				uint64_t median)
{
	if (track_ulp_waits(q, c->code))
		return PL_UPPER_USUAL;
	if (c->end == TRACK_ULP_CLOSED && track_ulp_is_missed(q, c))
		return PL_UPPER_UNANSWERED;
	if (c->end == TRACK_ULP_DONE && track_ulp_suffers((enum ibw_ulp)q->ulp, c->code, c->status))
		return PL_UPPER_FAILED;
	return is_slow(c, median) ? PL_UPPER_SLOW : PL_UPPER_USUAL;
}

/* What matters most first, and of the same kind what took longest. */
static bool is_before(const struct pl_upper_told *a, const struct pl_upper_told *b)
{
	if (a->why != b->why)
		return a->why > b->why;
	return a->command->ns > b->command->ns;
}

static void keep(struct pl_upper_story *s, struct pl_upper_told told)
{
	struct pl_upper_told other;
	unsigned int i;

	for (i = 0; i < s->n; i++) {
		if (!is_before(&told, &s->told[i]))
			continue;
		other = s->told[i];
		s->told[i] = told;
		told = other;
	}
	if (s->n < PL_UPPER_TOLD)
		s->told[s->n++] = told;
	else
		s->more++;
}

static int by_frame(const void *a, const void *b)
{
	const struct pl_upper_told *x = a, *y = b;

	return x->command->frame < y->command->frame ? -1 : x->command->frame > y->command->frame;
}

static bool is_told_of(const struct pl_report *report, const struct track_ulp_queue *q,
		       const uint32_t *where, uint32_t connection)
{
	if (connection == PL_UPPER_NOWHERE)
		return where[q->number] != PL_UPPER_NOWHERE && pl_upper_is_asked_for(report, q);
	return where[q->number] == connection;
}

void pl_upper_story_of(const struct pl_report *report, uint32_t connection,
		       struct pl_upper_story *s)
{
	const struct track_ulps *ulps = report->track ? track_commands(report->track) : NULL;
	const struct track_ulp_command *c;
	const struct track_ulp_queue *q;
	struct pl_upper_told told;
	uint64_t *median;
	uint32_t *where;
	unsigned int i, n;

	*s = (struct pl_upper_story){ .ulps = ulps, .worst = PL_UPPER_NOWHERE };
	if (!ulps || !track_ulps_count(ulps))
		return;
	median = medians(ulps);
	where = pl_upper_where(report, ulps);
	c = track_ulps_records(ulps, &n);
	for (i = 0; i < n; i++) {
		q = track_ulps_queue(ulps, c[i].queue);
		if (!is_told_of(report, q, where, connection))
			continue;
		s->commands++;
		told = (struct pl_upper_told){ .command = &c[i],
					       .why = why_of(q, &c[i], median[q->number]),
					       .median = median[q->number],
					       .connection = where[q->number] };
		if (told.why != PL_UPPER_USUAL)
			keep(s, told);
	}
	if (s->n)
		s->worst = s->told[0].connection;
	qsort(s->told, s->n, sizeof(s->told[0]), by_frame);
	g_free(median);
	g_free(where);
}

/* Sentences */

/* "the Identify with cid 4104 (0x1008) of the admin queue" */
static void out_command(struct ibw_out *o, const struct track_ulp_queue *q,
			const struct track_ulp_command *c)
{
	enum ibw_ulp ulp = (enum ibw_ulp)q->ulp;
	char text[TRACK_ULP_TEXT];

	ibw_out_str(o, "the ");
	ibw_out_str(o, track_ulp_operation_text(q, c->code, text));
	ibw_out_str(o, " with ");
	ibw_out_str(o, track_ulp_id_word(ulp));
	ibw_out_char(o, ' ');
	track_ulp_out_id(o, ulp, c->id);
	if (ulp != IBW_ULP_NVME)
		return;
	if (c->id > 9) {
		ibw_out_str(o, " (");
		ibw_out_hex(o, c->id, 1);
		ibw_out_char(o, ')');
	}
	if (q->id_unknown)
		return;
	ibw_out_str(o, q->id ? " of queue " : " of the admin queue");
	if (q->id)
		ibw_out_dec(o, q->id);
}

static const char *answer_word(unsigned int ulp)
{
	switch (ulp) {
	case IBW_ULP_NVME:
		return "completion";
	case IBW_ULP_RPCRDMA:
		return "reply";
	default:
		return "response";
	}
}

static void out_frame(struct ibw_out *o, const struct pl_report *report, uint64_t frame,
		      const char *file)
{
	ibw_out_str(o, " (frame ");
	pl_out_frame(o, &report->frames, frame, file);
	ibw_out_char(o, ')');
}

/* " had its data after 1.3 ms (frame 83) and" */
static void out_data(struct ibw_out *o, const struct pl_report *report,
		     const struct track_ulp_command *c, const char *file)
{
	if (!c->transfers[1] || c->transfers[1] > c->end_frame) {
		ibw_out_str(o, " had");
		return;
	}
	ibw_out_str(o, c->fetched ? " had its data asked for after " : " had its data after ");
	pl_out_took(o, c->data_ns);
	out_frame(o, report, c->transfers[1], file);
	ibw_out_str(o, " and");
}

static void out_slow(struct ibw_out *o, const struct pl_report *report,
		     const struct track_ulp_queue *q, const struct pl_upper_told *told,
		     const char *file)
{
	out_data(o, report, told->command, file);
	ibw_out_str(o, " its ");
	ibw_out_str(o, answer_word(q->ulp));
	ibw_out_str(o, " after ");
	pl_out_took(o, told->command->ns);
	out_frame(o, report, told->command->end_frame, file);
	ibw_out_str(o, "; half of them took at most ");
	pl_out_took(o, told->median);
}

static void out_failed(struct ibw_out *o, const struct pl_report *report,
		       const struct track_ulp_queue *q, const struct track_ulp_command *c,
		       const char *file)
{
	char status[TRACK_ULP_STATUS_TEXT];

	ibw_out_str(o, " failed after ");
	pl_out_took(o, c->ns);
	out_frame(o, report, c->end_frame, file);
	ibw_out_str(o, ": ");
	ibw_out_str(o, pl_upper_status(q, c, status));
}

static void out_unanswered(struct ibw_out *o, const struct pl_report *report,
			   const struct track_ulp_queue *q, const struct track_ulp_command *c,
			   const char *file)
{
	ibw_out_str(o, " has no ");
	ibw_out_str(o, answer_word(q->ulp));
	ibw_out_str(o, " in the capture; the connection was closed ");
	pl_out_took(o, q->closed_ns > c->time_ns ? q->closed_ns - c->time_ns : 0);
	ibw_out_str(o, " later");
	out_frame(o, report, q->closed_frame, file);
}

const char *pl_upper_sentence(const struct pl_report *report, const struct pl_upper_story *s,
			      const struct pl_upper_told *told, char buf[PL_UPPER_SENTENCE])
{
	const struct track_ulp_command *c = told->command;
	const struct track_ulp_queue *q = track_ulps_queue(s->ulps, c->queue);
	const char *file = pl_frames_place(&report->frames, c->frame).file;
	struct ibw_out o = ibw_out_open(buf, PL_UPPER_SENTENCE);

	out_command(&o, q, c);
	switch (told->why) {
	case PL_UPPER_UNANSWERED:
		out_unanswered(&o, report, q, c, file);
		break;
	case PL_UPPER_FAILED:
		out_failed(&o, report, q, c, file);
		break;
	case PL_UPPER_SLOW:
		out_slow(&o, report, q, told, file);
		break;
	case PL_UPPER_USUAL:
		break;
	}
	ibw_out_close(&o);
	return buf;
}

/* "  of 62 commands, some are unusual", and a line for each. */
void pl_text_upper_story(struct pl_report *report, const struct pl_upper_story *s, const char *file)
{
	struct ibw_out *o = &report->output->out;
	char text[PL_UPPER_SENTENCE];
	unsigned int i;

	if (!s->n)
		return;
	pl_output_room(report->output);
	ibw_out_str(o, "  of ");
	pl_out_counted(o, s->commands, "command");
	ibw_out_str(o, s->n + s->more == 1 ? ", one is unusual\n" : ", some are unusual\n");
	for (i = 0; i < s->n; i++) {
		pl_output_room(report->output);
		ibw_out_str(o, "  frame ");
		pl_out_frame(o, &report->frames, s->told[i].command->frame, file);
		ibw_out_str(o, ": ");
		ibw_out_str(o, pl_upper_sentence(report, s, &s->told[i], text));
		ibw_out_char(o, '\n');
	}
	if (!s->more)
		return;
	ibw_out_str(o, "  and so on: ");
	pl_out_counted(o, s->more, "more command");
	ibw_out_str(o, " (--stats --format json has all)\n");
}

void pl_json_upper_story(struct pl_report *report, const struct pl_upper_story *s, const char *file)
{
	static const char *const whys[] = { [PL_UPPER_USUAL] = NULL,
					    [PL_UPPER_SLOW] = "slow",
					    [PL_UPPER_FAILED] = "failed",
					    [PL_UPPER_UNANSWERED] = "unanswered" };
	struct ibw_out *o = &report->output->out;
	const struct track_ulp_command *c;
	char text[PL_UPPER_SENTENCE];
	unsigned int i;

	pl_json_key(o, "commands");
	ibw_out_char(o, '[');
	for (i = 0; i < s->n; i++) {
		c = s->told[i].command;
		pl_output_room(report->output);
		ibw_out_str(o, i ? ",{\"frame\":" : "{\"frame\":");
		pl_json_frame(o, &report->frames, c->frame, file);
		pl_json_text(o, "why", whys[s->told[i].why]);
		pl_json_text(o, "text", pl_upper_sentence(report, s, &s->told[i], text));
		ibw_out_char(o, '}');
	}
	ibw_out_char(o, ']');
	pl_json_number(o, "more_commands", s->more);
}
