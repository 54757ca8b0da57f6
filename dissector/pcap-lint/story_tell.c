/* SPDX-License-Identifier: GPL-2.0-or-later */
/* story_tell.c - sentences of a story: event.def has them, with places for what is different each time. */
#include <string.h>

#include <ibwire/ibwire.h>

#include "flow.h"
#include "story.h"

/* What a sentence is about. */
struct told {
	const struct pl_report *report;
	const struct track_qp *qp;
	const struct pl_story_line *line;
	const char *file;
	bool missing; /* a number in it is 0, or a frame is not known */
};

static void out_end(struct ibw_out *o, const struct told *t, bool sender)
{
	enum track_way way = pl_story_way(t->qp, t->line->event);

	ibw_out_char(o, (way == TRACK_A_TO_B) == sender ? 'A' : 'B');
}

/* A number as it is said in a sentence. */
static void out_number(struct ibw_out *o, const struct track_event_number_row *row, uint64_t n)
{
	const char *name = row->names ? ibw_name_of(row->names, (uint32_t)n) : NULL;

	if (name)
		ibw_out_str(o, name);
	else if (g_str_has_suffix(row->title, "(ns)"))
		pl_out_ns(o, n);
	else if (row->kind == IBW_KIND_PSN || row->kind == IBW_KIND_QPN)
		ibw_out_hex(o, n, 6);
	else if (row->kind == IBW_KIND_HEX || row->names)
		ibw_out_hex(o, n, 1);
	else
		ibw_out_dec(o, n);
}

static bool is_missing(const struct track_event_number_row *row, uint64_t n)
{
	const char *name = row->names ? ibw_name_of(row->names, (uint32_t)n) : NULL;

	return name ? !*name : !n && row->kind != IBW_KIND_PSN;
}

/* The first is 1; 0: the last. */
static void frame_place(struct ibw_out *o, struct told *t, unsigned int which)
{
	const struct track_event *e = t->line->event;
	unsigned int n = which ? which : e->n_frames;

	if (!n || n > e->n_frames) {
		t->missing = true;
		return;
	}
	pl_out_frame(o, &t->report->frames, e->frames[n - 1], t->file);
}

static void number_place(struct ibw_out *o, struct told *t, const char *name, size_t len)
{
	const struct track_event *e = t->line->event;
	const struct track_event_number_row *row = track_event_rows[e->kind].number;
	const char *word = memchr(name, '#', len);
	bool asks = *name == '?';
	size_t n_name = word ? (size_t)(word - name) : len;
	unsigned int i;

	for (i = 0; i < TRACK_EVENT_NUMBERS; i++)
		if (row[i].name && strlen(row[i].name) == n_name - asks &&
		    memcmp(row[i].name, name + asks, n_name - asks) == 0)
			break;
	if (i == TRACK_EVENT_NUMBERS)
		return;
	t->missing |= asks ? !e->number[i] : is_missing(&row[i], e->number[i]);
	if (asks)
		return;
	out_number(o, &row[i], e->number[i]);
	if (!word)
		return;
	ibw_out_char(o, ' ');
	ibw_out_mem(o, word + 1, len - n_name - 1);
	if (e->number[i] != 1)
		ibw_out_char(o, 's');
}

/* What "{...}" stands for. */
static void place(struct ibw_out *o, struct told *t, const char *name, size_t len)
{
	if (len == 1 && (*name == 'a' || *name == 'b'))
		out_end(o, t, *name == 'a');
	else if (len == 1 && *name == 'n')
		ibw_out_dec(o, t->line->n);
	else if (len == 1 && g_ascii_isdigit(*name))
		frame_place(o, t, (unsigned int)(*name - '0'));
	else if (len == 4 && memcmp(name, "last", 4) == 0)
		pl_out_frame(o, &t->report->frames, t->line->last_frame, t->file);
	else
		number_place(o, t, name, len);
}

static void sentence(struct ibw_out *o, struct told *t, const char *text)
{
	struct ibw_out before = *o; /* what is between [ and ] */
	const char *close;

	for (; *text; text++) {
		if (*text == '[') {
			before = *o;
			t->missing = false;
		} else if (*text == ']') {
			if (t->missing)
				*o = before;
		} else if (*text == '{' && (close = strchr(text, '}'))) {
			place(o, t, text + 1, (size_t)(close - text - 1));
			text = close;
		} else {
			ibw_out_char(o, *text);
		}
	}
}

const char *pl_story_text(const struct pl_report *report, const struct pl_story *story,
			  const struct pl_story_line *line, char buf[PL_STORY_TEXT])
{
	const struct track_event_row *row = &track_event_rows[line->event->kind];
	struct told told = { .report = report, .qp = story->qp, .line = line };
	struct ibw_out o = ibw_out_open(buf, PL_STORY_TEXT);

	told.file = pl_frames_place(&report->frames, line->event->frame).file;
	sentence(&o, &told, line->n > 1 || line->again ? row->many : row->one);
	ibw_out_close(&o);
	return buf;
}

/* "2 connections" */
static void connections(struct ibw_out *o, const struct pl_story *story)
{
	ibw_out_dec(o, story->connections);
	ibw_out_str(o, story->connections == 1 ? " connection" : " connections");
	if (story->is_part)
		ibw_out_str(o, " asked for");
}

/* " (doubt: sampled, ...)": what the capture may hide; without a connection, of any. */
static void may_hide(struct ibw_out *o, const struct pl_report *report, const struct track_qp *qp)
{
	unsigned int doubt = report->doubt, i;
	const char *before = " (doubt: ";

	for (i = 0; i < report->n_qps; i++)
		if (!qp || qp == report->qps[i])
			doubt |= track_qp_doubt(report->qps[i]);
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

/* Packets that come twice at once, of a connection or of all. */
static void twice(struct ibw_out *o, const struct pl_report *report, const struct track_qp *qp)
{
	uint64_t packets = 0;
	unsigned int i;

	for (i = 0; i < report->n_qps; i++)
		if (!qp || qp == report->qps[i])
			packets += pl_flow_figure(report->qps[i], TRACK_FIGURE_duplicated_packets);
	if (!packets)
		return;
	ibw_out_str(o, "; ");
	ibw_out_dec(o, packets);
	ibw_out_str(o, packets == 1 ? " request is" : " requests are");
	ibw_out_str(o, " in it twice at once: captured twice, or doubled by the network");
}

static void nothing(struct ibw_out *o, const struct pl_report *report, const struct pl_story *story)
{
	ibw_out_str(o, "there is nothing to tell: ");
	if (!story->connections) {
		ibw_out_str(o, "the capture has no ");
		ibw_out_str(o, story->is_part ? "connection that is asked for"
					      : "connection of RC, UC or XRC");
		return;
	}
	if (!story->qp && !story->is_chosen) {
		ibw_out_str(o, "there is no such connection; the capture has ");
		connections(o, story);
		ibw_out_str(o, ", numbered from 0");
		return;
	}
	ibw_out_str(o, "nothing is known to be missing, sent again, refused or wrong ");
	if (!story->is_chosen) {
		ibw_out_str(o, "in its ");
		ibw_out_dec(o, pl_flow_figure(story->qp, TRACK_FIGURE_packets));
		ibw_out_str(o, " packets");
	} else if (story->connections == 1) {
		ibw_out_str(o, "on the one connection");
	} else {
		ibw_out_str(o, "on any of ");
		connections(o, story);
	}
	twice(o, report, story->qp);
	may_hide(o, report, story->qp);
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
		pl_out_against(&o, report, story->qp);
	} else {
		nothing(&o, report, story);
	}
	ibw_out_close(&o);
	return buf;
}
