/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sink_html.c - the page as a whole: its first part is known last, so all of it is held until the end. */
#include <string.h>

#include "html.h"
#include "track/measure/timeline.h"

/* Bytes of captures that are held; of those beyond, only the line of the list is. */
#define HELD_MAX (64u << 20)

static void html_open(struct pl_output *output)
{
	struct pl_html_book *book = g_new0(struct pl_html_book, 1);

	book->list = g_string_new(NULL);
	book->sections = g_string_new(NULL);
	output->book = book;
}

static void html_begin(struct pl_report *report)
{
	struct pl_html *html = g_new0(struct pl_html, 1);

	html->report = report;
	html->index = report->output->captures;
	html->incidents = g_array_new(FALSE, FALSE, sizeof(struct pl_incident));
	html->managed = g_array_new(FALSE, FALSE, sizeof(struct pl_incident));
	html->files = g_string_new(NULL);
	report->html = html;
}

static void html_finding(struct pl_report *report, const struct lint_finding *finding)
{
	pl_html_add_finding(report->html, finding);
}

/* Never asked for: findings of a rule are counted, not summed up by flow. */
static void html_sum(struct pl_report *report, const struct pl_limited *limited)
{
	(void)report;
	(void)limited;
}

static void html_incident(struct pl_report *report, const struct pl_incident *incident)
{
	g_array_append_val(incident->qp ? report->html->incidents : report->html->managed,
			   *incident);
}

static void html_verdict(struct pl_report *report, const struct pl_verdict *verdict)
{
	report->html->verdict = *verdict;
}

void pl_html_id(GString *p, const struct pl_html *html, const char *kind, uint64_t number)
{
	if (html->index)
		g_string_append_printf(p, "s%u-", html->index + 1);
	g_string_append_printf(p, "%s%" G_GUINT64_FORMAT, kind, (guint64)number);
}

/* A line of the list: where it is, what is wrong. */
static void list(struct pl_html_book *book, const struct pl_html *html, bool is_held)
{
	const struct pl_totals *totals = &html->report->totals;
	GString *p = book->list;

	g_string_append(p, "<tr><td>");
	if (is_held)
		g_string_append_printf(p, "<a href=\"#capture%u\">", html->index + 1);
	pl_html_text(p, html->report->frames.about);
	if (is_held)
		g_string_append(p, "</a>");
	g_string_append(p, "</td><td>");
	pl_html_say(p, html);
	g_string_append(p, "</td>");
	pl_html_number_cell(p, totals->severities[LINT_ERROR]);
	pl_html_number_cell(p, totals->severities[LINT_WARNING]);
	pl_html_number_cell(p, totals->packets);
	g_string_append(p, "</tr>\n");
}

static void section(struct pl_html *html)
{
	g_string_append_printf(html->page, "<section id=\"capture%u\">\n", html->index + 1);
	pl_html_head(html);
	pl_html_times(html);
	pl_html_incidents(html);
	pl_html_congestion(html);
	pl_html_waited(html);
	pl_html_worst(html);
	pl_html_commands(html);
	pl_html_story(html);
	pl_html_tables(html);
	pl_html_pairs(html);
	pl_html_findings(html);
	pl_html_flows(html);
	pl_html_subnet(html);
	pl_html_capture(html);
	g_string_append(html->page, "</section>\n");
}

static void html_free(struct pl_html *html)
{
	unsigned int i;

	for (i = 0; i < LINT_RULE_COUNT; i++)
		if (html->rule[i].rows)
			g_string_free(html->rule[i].rows, TRUE);
	g_array_unref(html->incidents);
	g_array_unref(html->managed);
	g_hash_table_unref(html->has_row);
	g_hash_table_unref(html->has_details);
	g_free(html->listed);
	g_string_free(html->files, TRUE);
	g_free(html);
}

static void html_end(struct pl_report *report)
{
	struct pl_html_book *book = report->output->book;
	struct pl_html *html = report->html;
	bool is_held;

	html->page = g_string_new(NULL);
	pl_html_list_flows(html);
	pl_html_choose(html);
	if (pl_html_timeline(html))
		track_timelines_align(track_streams(report->track));
	section(html);
	is_held = book->sections->len + html->page->len <= HELD_MAX;
	if (is_held)
		g_string_append_len(book->sections, html->page->str, (gssize)html->page->len);
	else
		book->unlisted++;
	list(book, html, is_held);
	if (!book->captures++)
		book->title = g_strdup(report->frames.about);
	g_string_free(html->page, TRUE);
	html_free(html);
	report->html = NULL;
}

/* "sha256-..." of what is between the tags, as the policy of the page has it. */
static void source(GString *p, const char *kind, const char *text)
{
	GChecksum *sum = g_checksum_new(G_CHECKSUM_SHA256);
	gsize n = 32;
	guint8 digest[32];
	char *base64;

	g_checksum_update(sum, (const guchar *)text, -1);
	g_checksum_get_digest(sum, digest, &n);
	base64 = g_base64_encode(digest, n);
	g_string_append_printf(p, "; %s-src 'sha256-%s'", kind, base64);
	g_free(base64);
	g_checksum_free(sum);
}

static void head(GString *p, const char *title)
{
	g_string_append(
		p, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		   "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'");
	source(p, "style", pl_html_style);
	source(p, "script", pl_html_script);
	g_string_append(p,
			"; base-uri 'none'; form-action 'none'\">\n"
			"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
			"<meta name=\"color-scheme\" content=\"light dark\">\n<title>");
	pl_html_text(p, title);
	g_string_append(p, "</title>\n<style>");
	g_string_append(p, pl_html_style);
	g_string_append(p, "</style>\n</head>\n<body>\n<main>\n");
}

static void captures(GString *p, const struct pl_html_book *book)
{
	if (!book->captures) {
		g_string_append(p, "<h1>No capture could be read</h1>\n");
		return;
	}
	g_string_append(p, "<h1>");
	pl_html_counted(p, book->captures, "capture");
	g_string_append(
		p,
		"</h1>\n<div class=\"wide\"><table class=\"s\"><caption>Captures</caption><thead><tr>"
		"<th>capture</th><th>what is wrong</th><th class=\"n\">errors</th>"
		"<th class=\"n\">warnings</th><th class=\"n\">packets</th></tr></thead><tbody>\n");
	g_string_append_len(p, book->list->str, (gssize)book->list->len);
	g_string_append(p, "</tbody></table></div>\n");
	if (!book->unlisted)
		return;
	g_string_append(p, "<p class=\"more\">");
	pl_html_counted(p, book->unlisted, "capture");
	g_string_append_printf(
		p, " %s no section, as a page has at most %u MiB of them: check %s alone.</p>\n",
		book->unlisted == 1 ? "has" : "have", HELD_MAX >> 20,
		book->unlisted == 1 ? "it" : "each of them");
}

static void html_close(struct pl_output *output)
{
	struct pl_html_book *book = output->book;
	GString *p = g_string_new(NULL);
	char *title = g_strdup("pcap-lint");

	if (book->title) {
		g_free(title);
		title = book->captures > 1 ? g_strdup_printf("%s and %u more: pcap-lint",
							     book->title, book->captures - 1)
					   : g_strdup_printf("%s: pcap-lint", book->title);
	}
	head(p, title);
	g_free(title);
	if (book->captures != 1)
		captures(p, book);
	if (book->captures > 1) { /* then the first one's name is not that of the page */
		g_string_replace(book->sections, "<h1>", "<h2 class=\"name\">", 1);
		g_string_replace(book->sections, "</h1>", "</h2>", 1);
	}
	pl_output_mem(output, p->str, p->len);
	pl_output_mem(output, book->sections->str, book->sections->len);
	g_string_truncate(p, 0);
	g_string_append(p, "</main>\n<script>");
	g_string_append(p, pl_html_script);
	g_string_append(p, "</script>\n</body>\n</html>\n");
	pl_output_mem(output, p->str, p->len);
	g_string_free(p, TRUE);
	g_string_free(book->list, TRUE);
	g_string_free(book->sections, TRUE);
	g_free(book->title);
	g_free(book);
	output->book = NULL;
}

const struct pl_sink pl_sink_html = { .page = true,
				      .open = html_open,
				      .close = html_close,
				      .begin = html_begin,
				      .end = html_end,
				      .finding = html_finding,
				      .sum = html_sum,
				      .incident = html_incident,
				      .verdict = html_verdict };
