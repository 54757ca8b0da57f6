/* SPDX-License-Identifier: GPL-2.0-or-later */
/* html_story.c - what happened in the subnet, one row per event, as in --story subnet. */
#include "html.h"
#include "pcap-lint/story/story.h"

static void row(void *user, const struct track_told_of *h, const char *text)
{
	struct pl_html *html = user;
	GString *p = html->page;

	g_string_append(p, "<tr><td class=\"n\">");
	pl_html_since(p, html->report, h->time_ns);
	g_string_append(p, "</td><td class=\"n\">");
	pl_html_frame(p, html->report, h->frame);
	g_string_append(p, "</td>");
	pl_html_cell(p, text);
	g_string_append(p, "</tr>\n");
}

static void more(GString *p, uint64_t n)
{
	if (!n)
		return;
	g_string_append(p, "<p class=\"more\">");
	pl_html_counted(p, n, "more event");
	g_string_append(p, n == 1 ? " that matters less.</p>\n" : " that matter less.</p>\n");
}

void pl_html_story(struct pl_html *html)
{
	const struct track_chronicle *c = track_chronicle_of(html->report->track);
	GString *p = html->page;
	uint64_t n;

	if (!c || !c->n || pl_chosen_any(&html->report->options->chosen))
		return;
	g_string_append(
		p,
		"<h2>What happened in the subnet</h2>\n<div class=\"wide\"><table class=\"s\">"
		"<caption>In order of time; what is alike and follows each other is one row.</caption><thead><tr>"
		"<th class=\"n\">second</th><th class=\"n\">frame</th><th>event</th></tr></thead><tbody>\n");
	n = pl_story_subnet_each(html->report, c, row, html);
	g_string_append(p, "</tbody></table></div>\n");
	more(p, n);
}
