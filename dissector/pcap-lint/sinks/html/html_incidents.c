/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * html_incidents.c - incidents, one line per cause, the costliest first. Small incidents of one kind on one way of a
 * connection share a line.
 */
#include <stdlib.h>
#include <string.h>

#include "pcap-lint/report/flow.h"
#include "html.h"

/* Small is what takes less than this part of the costliest one. */
#define SMALL_PART 10u

/* Frames that a line of several names. */
#define FRAMES_NAMED 12u

struct line {
	const struct pl_incident *first; /* the one of the lowest frame */
	const struct pl_incident **all;  /* by frame */
	unsigned int n;
	uint64_t ns, noticed_ns, resent_ns, repaired_ns;
};

unsigned int pl_html_all_incidents(const struct pl_html *html)
{
	return html->incidents->len + html->managed->len;
}

const struct pl_incident *pl_html_incident(const struct pl_html *html, unsigned int i)
{
	const unsigned int n = html->incidents->len;

	return i < n ? &g_array_index(html->incidents, struct pl_incident, i)
		     : &g_array_index(html->managed, struct pl_incident, i - n);
}

static int by_cost(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	if (x->first->incident->frame != y->first->incident->frame)
		return x->first->incident->frame < y->first->incident->frame ? -1 : 1;
	return x->first->number < y->first->number ? -1 : 1;
}

static int by_hosts(const struct pl_incident *x, const struct pl_incident *y)
{
	struct track_flow a, b;

	pl_incident_hosts(x, &a);
	pl_incident_hosts(y, &b);
	return memcmp(&a, &b, sizeof(a));
}

/* Ways of connections, then hosts. */
static int by_side(const struct pl_incident *x, const struct pl_incident *y)
{
	const struct track_qp *a = pl_incident_way_of(x), *b = pl_incident_way_of(y);

	if (!a != !b)
		return a ? -1 : 1;
	if (!a)
		return by_hosts(x, y);
	if (a->number != b->number)
		return a->number < b->number ? -1 : 1;
	return (int)x->incident->way - (int)y->incident->way;
}

/* Alike first, then by frame. */
static int by_kind(const void *a, const void *b)
{
	const struct pl_incident *x = *(const struct pl_incident *const *)a,
				 *y = *(const struct pl_incident *const *)b;

	const int side = by_side(x, y);

	if (side)
		return side;
	if (x->incident->kind != y->incident->kind)
		return x->incident->kind < y->incident->kind ? -1 : 1;
	if (x->incident->frame != y->incident->frame)
		return x->incident->frame < y->incident->frame ? -1 : 1;
	return x->number < y->number ? -1 : 1;
}

static bool is_alike(const struct pl_incident *x, const struct pl_incident *y)
{
	return !by_side(x, y) && x->incident->kind == y->incident->kind && x->rule == y->rule &&
	       x->proved == y->proved;
}

static void add(struct line *line, const struct pl_incident **one)
{
	const struct track_incident *i = (*one)->incident;

	if (!line->n++) {
		line->first = *one;
		line->all = one;
	}
	line->ns += i->ns;
	line->noticed_ns += i->noticed_ns;
	line->resent_ns += i->resent_ns;
	line->repaired_ns += i->repaired_ns;
}

/* @sorted is as by_kind() has it, with the large ones, which have a line each, at its end. */
static unsigned int lines_of(const struct pl_incident **sorted, unsigned int n_small,
			     unsigned int n, struct line *lines)
{
	unsigned int i, at = 0;

	for (i = 0; i < n; i++) {
		if (i && (i >= n_small || !is_alike(sorted[i], lines[at].first)))
			at++;
		add(&lines[at], &sorted[i]);
	}
	qsort(lines, at + 1, sizeof(*lines), by_cost);
	return at + 1;
}

/* What is known of one, as all forms have it. */
static void told(GString *p, const struct pl_html *html, const struct pl_incident *incident)
{
	const uint64_t frame = incident->incident->frame;
	const char *file = pl_frames_place(&html->report->frames, frame).file;
	char text[PL_INCIDENT_TEXT];

	pl_html_text(p, pl_incident_text(html->report, incident, file, text));
}

/* Of those that nobody asked to be resent, the kind is only a guess. */
static void told_together(GString *p, const struct pl_html *html, const struct line *line)
{
	const struct pl_incident *first = line->first;
	unsigned int i;

	g_string_append_printf(p, "%u %s: frames ", line->n,
			       pl_incident_is_unasked(first)
				       ? "requests resent"
				       : track_incident_rows[first->incident->kind].many);
	for (i = 0; i < MIN(line->n, FRAMES_NAMED); i++) {
		g_string_append(p, i ? ", " : "");
		pl_html_frame(p, html->report, line->all[i]->incident->frame);
	}
	if (line->n > i)
		g_string_append(p, " \xe2\x80\xa6");
}

static void time_cell(GString *p, uint64_t ns)
{
	char text[32];

	pl_time_text(text, sizeof(text), ns);
	pl_html_sorted_cell(p, ns, ns ? text : "0");
}

/* "10.7.0.1 -> 10.7.0.2" of managers, as a link to what the CM set up, if it did */
static void side(GString *p, const struct pl_html *html, const struct pl_incident *incident,
		 bool several)
{
	char host[PL_HOST_TEXT];
	struct track_flow flow;

	if (incident->connection && !(incident->conversation && several)) {
		pl_html_link(p, html, incident->connection,
			     pl_incident_way_of(incident) &&
				     incident->incident->way == TRACK_B_TO_A);
		return;
	}
	pl_incident_hosts(incident, &flow);
	pl_html_text(p, pl_host_text(html->report, &flow, true, host));
	g_string_append(p, " \xe2\x86\x92 ");
	pl_html_text(p, pl_host_text(html->report, &flow, false, host));
}

static void row(const struct pl_html *html, const struct line *line)
{
	const struct pl_incident *first = line->first;
	const struct track_incident *i = first->incident;
	const enum lint_severity severity = pl_incident_severity(first);
	GString *p = html->page;

	g_string_append_printf(p, "<tr data-i=\"%u\"><td class=\"n\">", first->number);
	pl_html_since(p, html->report, i->time_ns);
	g_string_append(p, "</td><td class=\"n\">");
	pl_html_frame(p, html->report, i->frame);
	g_string_append(p, "</td><td>");
	side(p, html, first, line->n > 1);
	g_string_append(p, "</td><td>");
	if (line->n == 1)
		told(p, html, first);
	else
		told_together(p, html, line);
	g_string_append(p, "</td><td>");
	g_string_append_printf(p, "<span class=\"%s\">%s</span> %s", lint_severity_names[severity],
			       lint_severity_names[severity], lint_rules[first->rule].id);
	g_string_append(p, "</td>");
	time_cell(p, line->ns);
	time_cell(p, line->noticed_ns);
	time_cell(p, line->resent_ns);
	time_cell(p, line->repaired_ns);
	g_string_append(p, "</tr>\n");
}

static void table(const struct pl_html *html, const struct line *lines, unsigned int n)
{
	unsigned int i, shown = MIN(n, PL_HTML_INCIDENTS);
	GString *p = html->page;
	uint64_t more = 0;

	g_string_append(
		p,
		"<div class=\"wide\"><table class=\"s\"><caption>One line per cause, by the time without progress that it cost: until it was noticed, until the retransmission, and until it was repaired."
		"</caption><thead><tr><th class=\"n\">second</th><th class=\"n\">frame</th><th class=\"who\">requests of</th>"
		"<th>what happened</th><th>level</th><th class=\"n\">no progress</th><th class=\"n\">noticed</th>"
		"<th class=\"n\">retransmitted</th><th class=\"n\">repaired</th></tr></thead><tbody>\n");
	for (i = 0; i < shown; i++)
		row(html, &lines[i]);
	g_string_append(p, "</tbody></table></div>\n");
	for (; i < n; i++)
		more += lines[i].n;
	if (!more)
		return;
	g_string_append(p, "<p class=\"more\">");
	pl_html_counted(p, more, "incident");
	g_string_append(p, " more, of less than ");
	pl_html_ns(p, lines[shown - 1].ns + 1);
	g_string_append(p, " each: ");
	pl_html_command(p, html->report, "--format json");
	g_string_append(p, "</p>\n");
}

/* Those of a level that is not shown. */
static void hidden(const struct pl_html *html, unsigned int n)
{
	GString *p = html->page;

	if (!n)
		return;
	g_string_append(p, "<p class=\"more\">");
	pl_html_counted(p, n, "incident");
	g_string_append(p, " of a level that was not asked for: ");
	pl_html_command(p, html->report, "--severity note --format html");
	g_string_append(p, "</p>\n");
}

void pl_html_incidents(struct pl_html *html)
{
	unsigned int i, at, n = 0, n_small = 0, all = pl_html_all_incidents(html);
	const struct pl_incident **sorted = g_new0(const struct pl_incident *, all + 1), *one;
	struct line *lines = g_new0(struct line, all + 1);
	uint64_t most = 0;

	for (i = 0; i < all; i++) {
		one = pl_html_incident(html, i);
		if (pl_incident_severity(one) <= html->report->options->severity)
			most = MAX(most, one->incident->ns);
	}
	for (at = 0; at < 2; at++) {
		for (i = 0; i < all; i++) {
			one = pl_html_incident(html, i);
			if (pl_incident_severity(one) <= html->report->options->severity &&
			    (!most || one->incident->ns < most / SMALL_PART) == !at)
				sorted[n++] = one;
		}
		n_small = at ? n_small : n;
	}
	if (all)
		g_string_append(html->page, "<h2>Incidents</h2>\n");
	if (n) {
		qsort(sorted, n_small, sizeof(void *), by_kind);
		table(html, lines, lines_of(sorted, n_small, n, lines));
	}
	hidden(html, all - n);
	g_free(sorted);
	g_free(lines);
}
