/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * html_ladder.c - the packets around the costliest incident of a direction, one row per run of like packets. The end
 * that sends the requests of the picture is on its side of the connection: A left, B right.
 */
#include <ibwire/ibwire.h>

#include "pcap-lint/report/flow.h"
#include "html_picture.h"
#include "track/measure/series.h"

#define ROWS 26u
#define HEAD_ROWS 14u /* of more rows than that: the first ones, and the last ones */
#define ROW 20u
#define TOP 34u
#define LEFT 330u
#define RIGHT 770u

/* A silence that has a row: this long, or a part of all the time that is shown. */
#define SILENCE_NS 1000000u
#define SILENCE_PART 20u

struct row {
	const struct track_rung *rung; /* NULL: none of these */
	int32_t missing, until;        /* PSNs that should have come */
	uint64_t silence_ns;
	unsigned int left_out; /* rows */
};

struct ladder {
	const struct track_series *t;
	struct track_rungs rungs; /* to be freed */
	const struct track_qp *qp;
	const struct track_incident *incident;
	enum track_way way;
};

/* The costliest that is shown; its packets are kept if it ended, or are the last ones if it did not. */
static const struct track_incident *costliest(const struct pl_html *html, const struct track_qp *qp,
					      enum track_way way)
{
	const struct track_incident *found = NULL;
	unsigned int i;

	for (i = 0; i < html->incidents->len; i++) {
		const struct pl_incident *one =
			&g_array_index(html->incidents, struct pl_incident, i);

		if (one->qp == qp && one->incident->way == way &&
		    pl_incident_severity(one) <= html->report->options->severity &&
		    (!found || one->incident->ns > found->ns))
			found = one->incident;
	}
	return found;
}

static bool find(struct ladder *l, const struct pl_html *html)
{
	const struct track_rung_costliest *kept = l->t->ladder.costliest;

	l->incident = costliest(html, l->qp, l->way);
	if (!l->incident)
		return false;
	if (kept && kept->frame == l->incident->frame) {
		l->rungs = kept->rungs;
		l->rungs.run = g_memdup2(kept->rungs.run, kept->rungs.n * sizeof(*kept->rungs.run));
	} else if (!l->incident->ended) {
		l->rungs = track_ladder_last(l->t);
	}
	return l->rungs.n;
}

/* Rows */

static void add(GArray *rows, const struct row *row)
{
	g_array_append_vals(rows, row, 1);
}

/* Between runs: what is missing, and silence. */
static GArray *rows_of(const struct ladder *l)
{
	const struct track_rung *first = &l->rungs.run[0], *rung, *before = NULL;
	const struct track_rung *last = &l->rungs.run[l->rungs.n - 1];
	uint64_t all = last->last_ns > first->time_ns ? last->last_ns - first->time_ns : 0;
	GArray *rows = g_array_new(FALSE, FALSE, sizeof(struct row));
	uint32_t i;

	for (i = 0; i < l->rungs.n; i++, before = rung) {
		rung = &l->rungs.run[i];
		if (before && rung->time_ns > before->last_ns &&
		    rung->time_ns - before->last_ns >= MAX(SILENCE_NS, all / SILENCE_PART))
			add(rows, &(struct row){ .silence_ns = rung->time_ns - before->last_ns });
		if (rung->missing != TRACK_SERIES_NONE && rung->missing < rung->psn)
			add(rows, &(struct row){ .rung = rung,
						 .missing = rung->missing,
						 .until = rung->psn - 1,
						 .left_out = 1 });
		add(rows, &(struct row){ .rung = rung });
	}
	return rows;
}

/* Of too many the ones in the middle are a row. */
static void shorten(GArray *rows)
{
	unsigned int left_out = rows->len - (ROWS - 1);
	struct row row = { .left_out = left_out };

	if (rows->len <= ROWS)
		return;
	g_array_remove_range(rows, HEAD_ROWS, left_out);
	g_array_insert_val(rows, HEAD_ROWS, row);
}

/* Words */

static const char *kind_of(const struct track_rung *rung)
{
	static const char *const kinds[] = { [TRACK_RUNG_FIRST] = "new",
					     [TRACK_RUNG_AGAIN] = "again",
					     [TRACK_RUNG_RESPONSE] = "response",
					     [TRACK_RUNG_ACK] = "ack",
					     [TRACK_RUNG_NAK] = "nak" };

	return kinds[rung->kind];
}

/* "34 x WRITE, sent again, PSN +373 to +406" */
static char *words_of(const struct track_rung *rung)
{
	const char *name = ibw_name_of(ibw_opcode_names, rung->opcode);
	GString *text = g_string_new(NULL);

	if (rung->count > 1)
		g_string_append_printf(text, "%u \xc3\x97 ", rung->count);
	if (rung->kind == TRACK_RUNG_NAK) {
		if (IBW_AETH_TYPE(rung->syndrome) == IBW_AETH_TYPE_RNR)
			name = "RNR NAK";
		else
			name = ibw_name_of(ibw_aeth_syndrome_names, rung->syndrome);
		g_string_append(text, name ? name : "NAK, reserved code");
	} else if (rung->kind == TRACK_RUNG_ACK) {
		g_string_append(text, "ACK");
	} else if (rung->count > 1) {
		g_string_append(text, rung->kind == TRACK_RUNG_RESPONSE
					      ? "response"
					      : track_verbs[rung->verb].title);
	} else {
		g_string_append(text, name ? name : "packet");
	}
	if (rung->kind == TRACK_RUNG_AGAIN)
		g_string_append(text, ", retransmitted");
	g_string_append_printf(text, ", PSN %+d", rung->psn);
	if (rung->last_psn != rung->psn)
		g_string_append_printf(text, " to %+d", rung->last_psn);
	return g_string_free(text, FALSE);
}

/* "-15 us", since the incident was seen first. */
static void time_text(char text[48], const struct ladder *l, uint64_t time_ns)
{
	bool before = time_ns < l->incident->time_ns;
	char ns[32];

	pl_time_text(ns, sizeof(ns),
		     before ? l->incident->time_ns - time_ns : time_ns - l->incident->time_ns);
	if (time_ns == l->incident->time_ns)
		g_strlcpy(text, "0", 48);
	else
		g_snprintf(text, 48, "%s%s", before ? "-" : "+", ns);
}

/* Drawing */

static bool is_answer(const struct track_rung *rung)
{
	return rung->kind >= TRACK_RUNG_RESPONSE;
}

/* An arrow from the end that sends it; cut short with a cross, if it is known to be lost. */
static void arrow(GString *p, const struct ladder *l, const struct track_rung *rung, unsigned int y,
		  bool lost)
{
	bool to_right = (l->way == TRACK_A_TO_B) != is_answer(rung);
	unsigned int from = to_right ? LEFT : RIGHT, to = to_right ? RIGHT : LEFT;
	unsigned int end = !lost ? to : to_right ? to - 60 : to + 60;
	const char *kind = kind_of(rung);

	g_string_append_printf(p, "<path class=\"a-%s\" d=\"M%u %uH%u\"/>", kind, from, y, end);
	if (lost)
		g_string_append_printf(
			p, "<path class=\"m-refused\" d=\"M%u %um-5-5l10 10m0-10l-10 10\"/>", end,
			y);
	else
		g_string_append_printf(p, "<path class=\"f-%s\" d=\"M%u %ul%s8-4v8z\"/>", kind, end,
				       y, to_right ? "-" : "");
}

static void frames(GString *p, const struct pl_html *html, const struct track_rung *rung,
		   unsigned int y)
{
	GString *text = g_string_new("frame ");

	pl_html_frame(text, html->report, rung->frame);
	if (rung->last_frame != rung->frame) {
		g_string_append(text, "\xe2\x80\x93");
		pl_html_number(text,
			       pl_frames_place(&html->report->frames, rung->last_frame).frame);
	}
	g_string_append_printf(
		p, "<text x=\"96\" y=\"%u\" class=\"t\" text-anchor=\"start\">%s</text>", y,
		text->str);
	g_string_free(text, TRUE);
}

static void run_row(GString *p, const struct pl_html *html, const struct ladder *l,
		    const struct track_rung *rung, unsigned int y)
{
	uint64_t lost = l->incident->lost_frame;
	bool has_lost = lost && !is_answer(rung) && rung->frame <= lost && rung->last_frame >= lost;
	char *words = words_of(rung), *note, time[48];

	time_text(time, l, rung->time_ns);
	pl_svg_text(p, 88, y + 4, "t", "end", time);
	frames(p, html, rung, y + 4);
	arrow(p, l, rung, y, has_lost && rung->count == 1);
	pl_svg_text(p, (LEFT + RIGHT) / 2, y - 4, "l", "middle", words);
	if (has_lost) {
		note = g_strdup_printf("frame %" G_GUINT64_FORMAT " was lost",
				       (guint64)pl_frames_place(&html->report->frames, lost).frame);
		pl_svg_text(p, RIGHT + 12, y + 4, "bad", "start", note);
		g_free(note);
	}
	g_free(words);
}

static void other_row(GString *p, const struct ladder *l, const struct row *row, unsigned int y)
{
	char text[96], time[32];
	bool to_right;

	if (row->silence_ns) {
		pl_time_text(time, sizeof(time), row->silence_ns);
		g_snprintf(text, sizeof(text), "%s nothing", time);
		pl_svg_text(p, (LEFT + RIGHT) / 2, y, "bad", "middle", text);
		return;
	}
	if (!row->rung) {
		g_snprintf(text, sizeof(text), "\xe2\x80\xa6 %u rows left out", row->left_out);
		pl_svg_text(p, (LEFT + RIGHT) / 2, y, "t", "middle", text);
		return;
	}
	to_right = (l->way == TRACK_A_TO_B) != is_answer(row->rung);
	g_string_append_printf(p, "<path class=\"s-missing\" d=\"M%u %uH%u\"/>",
			       to_right ? LEFT : RIGHT, y, to_right ? RIGHT : LEFT);
	if (row->until > row->missing)
		g_snprintf(text, sizeof(text), "PSN %+d to %+d: not in the capture by then",
			   row->missing, row->until);
	else
		g_snprintf(text, sizeof(text), "PSN %+d: not in the capture by then", row->missing);
	pl_svg_text(p, (LEFT + RIGHT) / 2, y - 4, "bad", "middle", text);
}

static void rails(GString *p, const struct ladder *l, unsigned int bottom)
{
	char text[160];
	unsigned int way;

	for (way = 0; way < TRACK_WAYS; way++) {
		unsigned int x = way ? RIGHT : LEFT;
		struct ibw_out o = ibw_out_open(text, sizeof(text));

		ibw_out_str(&o, way ? "B: " : "A: ");
		pl_out_short_end(&o, l->qp, (enum track_way)way);
		ibw_out_close(&o);
		g_string_append_printf(
			p, "<line class=\"axis\" x1=\"%u\" y1=\"20\" x2=\"%u\" y2=\"%u\"/>", x, x,
			bottom);
		pl_svg_text(p, x, 14, "l", "middle", text);
	}
}

static void draw(struct pl_html *html, const struct ladder *l)
{
	GArray *rows = rows_of(l);
	const struct track_rung *first = &l->rungs.run[0];
	const struct track_rung *last = &l->rungs.run[l->rungs.n - 1];
	GString *p = html->page;
	char *sentence, lost[32];
	unsigned int i, y = TOP;

	shorten(rows);
	pl_time_text(lost, sizeof(lost), l->incident->ns);
	sentence = g_strdup_printf(
		"Packets around the costliest incident, %s, which took %s: frames %" G_GUINT64_FORMAT
		" to %" G_GUINT64_FORMAT ".",
		track_incident_rows[l->incident->kind].one, lost,
		(guint64)pl_frames_place(&html->report->frames, first->frame).frame,
		(guint64)pl_frames_place(&html->report->frames, last->last_frame).frame);
	g_string_append_printf(
		p,
		"<figure><figcaption>The costliest incident of %s requests, with these and their answers: %s, %s without progress. Times count from frame ",
		l->way == TRACK_A_TO_B ? "A's" : "B's", track_incident_rows[l->incident->kind].one,
		lost);
	pl_html_frame(p, html->report, l->incident->frame);
	g_string_append_printf(p, ", where it shows first, PSNs from 0x%06x.%s</figcaption>",
			       (unsigned int)(l->t->base & 0xffffff),
			       l->rungs.forgot ? " What came before is not kept." : "");
	pl_svg_begin(p, TOP + rows->len * ROW, sentence, NULL);
	rails(p, l, TOP + rows->len * ROW - 8);
	for (i = 0; i < rows->len; i++, y += ROW) {
		const struct row *row = &g_array_index(rows, struct row, i);

		if (row->rung && !row->left_out)
			run_row(p, html, l, row->rung, y);
		else
			other_row(p, l, row, y);
	}
	pl_svg_end(p);
	g_string_append(p, "</figure>\n");
	g_free(sentence);
	g_array_unref(rows);
}

void pl_html_ladder(struct pl_html *html, const struct track_qp *qp)
{
	unsigned int way;

	for (way = 0; way < TRACK_WAYS; way++) {
		struct ladder l = { .t = track_dir_series(&qp->dir[way]),
				    .qp = qp,
				    .way = (enum track_way)way };

		if (l.t && find(&l, html))
			draw(html, &l);
		g_free(l.rungs.run);
	}
}
