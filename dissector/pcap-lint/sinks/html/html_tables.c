/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * html_tables.c - tables other than connections: commands of upper layers, CM conversations, MAD clients, groups and the rest
 * of a subnet.
 */
#include "pcap-lint/report/cm.h"
#include "html.h"
#include "pcap-lint/report/mads.h"
#include "pcap-lint/report/subnet.h"
#include "pcap-lint/report/upper.h"

/* @list: conversations, of which there is a picture, too; NULL: none. */
static void table(struct pl_html *html, const char *title, const struct pl_columns *columns,
		  unsigned int more, const struct track_cm_list *list)
{
	char *title_case = g_strdup(title);
	GString *p = html->page;

	if (!g_ascii_isupper(title_case[1])) /* iSER stays as it is */
		*title_case = g_ascii_toupper(*title_case);
	g_string_append(p, "<h2>");
	pl_html_text(p, title_case);
	g_string_append(p, "</h2>\n");
	if (list)
		pl_html_cm(html, list);
	pl_html_columns(p, columns, title_case);
	g_free(title_case);
	if (!more)
		return;
	g_string_append(p, "<p class=\"more\">");
	pl_html_number(p, more);
	g_string_append(p, " more: ");
	pl_html_command(p, html->report, "--stats --ignore all --max-per-rule 0");
	g_string_append(p, "</p>\n");
}

static void cm(struct pl_html *html)
{
	const struct track_cm_list *list = track_conversations(html->report->track);
	struct pl_columns *c;
	unsigned int n;

	if (!list)
		return;
	c = pl_cm_columns(html->report, list, PL_HTML_ROWS, &n);
	if (n)
		table(html, "connections of the CM, worst first", c, n - MIN(n, PL_HTML_ROWS),
		      list);
	pl_columns_free(c);
}

static void mads(struct pl_html *html, bool clients, const char *title)
{
	const struct track_transact *list = track_transactions(html->report->track);
	struct pl_columns *c;
	unsigned int n;

	if (!list)
		return;
	c = pl_mads_columns(html->report, list, clients, PL_HTML_ROWS, &n);
	if (n)
		table(html, title, c, n - MIN(n, PL_HTML_ROWS), NULL);
	pl_columns_free(c);
}

/* A table of several that are alike. */
static void each(void *user, const char *title, const struct pl_columns *columns, unsigned int more)
{
	table(user, title, columns, more, NULL);
}

void pl_html_commands(struct pl_html *html)
{
	const struct pl_report *report = html->report;

	if (report->track && track_commands(report->track))
		pl_upper_each(report, track_commands(report->track), PL_HTML_ROWS, each, html);
}

void pl_html_tables(struct pl_html *html)
{
	if (!html->report->track)
		return;
	cm(html);
	if (pl_chosen_any(&html->report->options->chosen))
		return;
	mads(html, true, "MAD clients, worst first");
	mads(html, false, "MADs by attribute, queries of the SA first");
}

void pl_html_subnet(struct pl_html *html)
{
	struct track_subnet s;

	if (!html->report->track || pl_chosen_any(&html->report->options->chosen))
		return;
	track_subnet_open(&s);
	track_subnet_list(html->report->track, &s);
	pl_subnet_each(html->report, &s, true, PL_HTML_ROWS, each, html);
	track_subnet_close(&s);
}
