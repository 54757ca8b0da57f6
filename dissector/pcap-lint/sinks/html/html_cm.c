/* SPDX-License-Identifier: GPL-2.0-or-later */
/* html_cm.c - conversations of the CM over time: a row each, its messages as triangles, down from the client, up from the server. */
#include "pcap-lint/report/cm.h"
#include "html_picture.h"

#define LEFT 230u
#define RIGHT 985u
#define TOP 14u
#define ROW 22u

/* Half as wide as high. */
#define HIGH 9

/* A conversation, and its first messages. */
struct talk {
	const struct track_cm_record *r;
	struct track_cm_sent sent[TRACK_CM_SENT_MAX];
	unsigned int n;
};

static uint64_t all_of(const struct track_cm_record *r)
{
	uint64_t n = 0;
	unsigned int i;

	for (i = TRACK_CM_FIGURE_req; i < TRACK_CM_FIGURE_COUNT; i++)
		n += track_cm_figure(r, (enum track_cm_figure)i);
	return n;
}

static bool came_before(const struct talk *t, unsigned int at)
{
	unsigned int i;

	for (i = 0; i < at; i++)
		if (t->sent[i].message == t->sent[at].message &&
		    t->sent[i].side == t->sent[at].side)
			return true;
	return false;
}

/* From the RTU to the DREQ or REJ after it. */
static void established(GString *p, const struct pl_axis *axis, const struct talk *t,
			unsigned int y)
{
	const struct track_cm_sent *from = NULL, *to = NULL;
	unsigned int i;
	int64_t x;

	for (i = 0; i < t->n && !to; i++) {
		if (t->sent[i].message == TRACK_CM_RTU && !from)
			from = &t->sent[i];
		else if (from && (t->sent[i].message == TRACK_CM_DREQ ||
				  t->sent[i].message == TRACK_CM_REJ))
			to = &t->sent[i];
	}
	if (!from || (!to && t->n < all_of(t->r))) /* then it ends where nobody knows */
		return;
	x = pl_axis_x(axis, from->time_ns);
	g_string_append(p, "<path class=\"f-b0\" d=\"");
	pl_svg_box(p, x, (int64_t)y * 10 - 30,
		   MAX(pl_axis_x(axis, to ? to->time_ns : axis->end_ns) - x, 10), 60);
	g_string_append(p, "\"/>\n");
}

static void message(GString *p, const struct pl_html *html, const struct pl_axis *axis,
		    const struct talk *t, unsigned int i, unsigned int y)
{
	const struct track_cm_sent *sent = &t->sent[i];
	const bool up = sent->side == TRACK_CM_SERVER, again = came_before(t, i);
	char address[TRACK_ADDRESS_TEXT];

	g_string_append_printf(p, "<path class=\"f-%s\" d=\"M",
			       again || sent->message == TRACK_CM_REJ ? "again" : "new");
	pl_svg_tenths(p, pl_axis_x(axis, sent->time_ns));
	g_string_append_printf(p, " %ul5 %dh-10z\" data-t=\"frame ", up ? y - 1 : y + 1,
			       up ? HIGH : -HIGH);
	pl_html_frame(p, html->report, sent->frame);
	g_string_append_printf(p, ": %s from ",
			       track_cm_message_name((enum track_cm_message)sent->message));
	pl_html_text(p, pl_cm_address(t->r, (enum track_cm_side)sent->side, address));
	g_string_append(p, again ? ", again\"/>\n" : "\"/>\n");
}

static void row(GString *p, const struct pl_html *html, const struct pl_axis *axis,
		const struct talk *t, unsigned int y)
{
	const struct track_cm_record *r = t->r;
	char address[TRACK_ADDRESS_TEXT], *name;
	uint64_t more = all_of(r) - t->n;
	unsigned int i;

	pl_cm_address(r, TRACK_CM_CLIENT, address);
	name = r->qpn[TRACK_CM_CLIENT] == TRACK_CM_NO_QPN
		       ? g_strdup(address)
		       : g_strdup_printf("%s qp %u", address, r->qpn[TRACK_CM_CLIENT]);
	g_string_append_printf(p,
			       "<line class=\"mark\" x1=\"%u\" y1=\"%u\" x2=\"%u\" y2=\"%u\"/>\n",
			       LEFT, y, RIGHT, y);
	pl_svg_text(p, LEFT - 8, y + 4, "l", "end", name);
	g_free(name);
	established(p, axis, t, y);
	for (i = 0; i < t->n; i++)
		message(p, html, axis, t, i, y);
	if (!more)
		return;
	name = g_strdup_printf("%" G_GUINT64_FORMAT " more", (guint64)more);
	pl_svg_text(p, RIGHT, y - 6, "t", "end", name);
	g_free(name);
}

static struct pl_axis axis_of(const struct pl_html *html, const struct talk *all, unsigned int n)
{
	struct pl_axis axis = { .begin_ns = UINT64_MAX,
				.zero_ns = html->report->totals.begin_ns,
				.left = LEFT,
				.right = RIGHT };
	unsigned int i, at;

	for (i = 0; i < n; i++)
		for (at = 0; at < all[i].n; at++) {
			axis.begin_ns = MIN(axis.begin_ns, all[i].sent[at].time_ns);
			axis.end_ns = MAX(axis.end_ns, all[i].sent[at].time_ns);
		}
	axis.end_ns = MAX(axis.end_ns, axis.begin_ns + 1);
	return axis;
}

static char *sentence_of(const struct track_cm_record *const *all, unsigned int n,
			 unsigned int shown)
{
	unsigned int i, rejected = 0, again = 0;
	uint64_t copies = 0;

	for (i = 0; i < n; i++) {
		rejected += track_cm_record_state(all[i]) == TRACK_CM_REJECTED;
		again += all[i]->retries != 0;
		copies += all[i]->retries;
	}
	return g_strdup_printf(
		"Connection management, a row per conversation, worst first: %u of %u shown; %u rejected, %u with messages sent "
		"again, %" G_GUINT64_FORMAT " such messages.",
		shown, n, rejected, again, (guint64)copies);
}

static void picture(struct pl_html *html, const struct track_cm_list *list,
		    const struct track_cm_record *const *all, unsigned int n)
{
	const unsigned int shown = MIN(n, PL_HTML_ROWS), bottom = TOP + shown * ROW;
	struct talk *talks = g_new(struct talk, shown);
	struct pl_axis axis;
	char *sentence = sentence_of(all, n, shown);
	GString *p = html->page;
	unsigned int i, sent = 0;

	for (i = 0; i < shown; i++) {
		talks[i].r = all[i];
		talks[i].n = track_cm_list_sent(list, all[i], talks[i].sent);
		sent += talks[i].n;
	}
	if (!sent) { /* there was no room for any */
		g_free(sentence);
		g_free(talks);
		return;
	}
	axis = axis_of(html, talks, shown);
	g_string_append(
		p, "<figure><figcaption>Messages over time, a row per conversation, worst first."
		   "<ul class=\"legend\">");
	pl_svg_key(p, "new", "", "from the client: \xe2\x96\xbc, from the server: \xe2\x96\xb2");
	pl_svg_key(p, "again", "", "retransmitted, or a rejection");
	pl_svg_key(p, "b0", "", "established");
	g_string_append(p, "</ul></figcaption>");
	pl_svg_begin(p, bottom + 18, sentence, &axis);
	pl_svg_times(p, &axis, 4, bottom);
	for (i = 0; i < shown; i++)
		row(p, html, &axis, &talks[i], TOP + i * ROW);
	pl_svg_end(p);
	g_string_append(p, "</figure>\n");
	g_free(sentence);
	g_free(talks);
}

void pl_html_cm(struct pl_html *html, const struct track_cm_list *list)
{
	const struct track_cm_record **all;
	unsigned int n;

	all = pl_cm_sorted(list, &html->report->options->chosen, &n);
	if (n)
		picture(html, list, all, n);
	g_free(all);
}
