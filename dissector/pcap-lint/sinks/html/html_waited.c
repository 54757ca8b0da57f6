/* SPDX-License-Identifier: GPL-2.0-or-later */
/* html_waited.c - who waited for whom: a bar of all connections together. */
#include "pcap-lint/report/flow.h"
#include "html.h"

/* Tenths of a pixel. */
#define BAR_WIDTH 9280u
#define BAR_LEFT 0u

static void legend(GString *p, const uint64_t ns[TRACK_WAIT_COUNT], uint64_t all)
{
	unsigned int i;

	g_string_append(p, "<ul class=\"legend\">");
	for (i = 0; i < TRACK_WAIT_COUNT; i++) {
		if (!ns[i])
			continue;
		g_string_append_printf(p, "<li><i class=\"w-%s\"></i>", track_wait_rows[i].name);
		g_string_append(p, track_wait_rows[i].title);
		g_string_append_c(p, ' ');
		pl_html_share(p, ns[i], all);
		g_string_append(p, " (");
		pl_html_ns(p, ns[i]);
		g_string_append(p, ")</li>");
	}
	g_string_append(p, "</ul>");
}

static void bar(GString *p, const uint64_t ns[TRACK_WAIT_COUNT], uint64_t all)
{
	unsigned int i, from, to = BAR_LEFT;
	uint64_t sum = 0;

	g_string_append(
		p,
		"<svg viewBox=\"0 0 928 26\" role=\"img\" aria-label=\"Time by what was waited for: ");
	pl_html_waits(p, ns, all);
	g_string_append(p, "\">");
	for (i = 0; i < TRACK_WAIT_COUNT; i++) {
		if (!ns[i])
			continue;
		sum += ns[i];
		from = to;
		to = BAR_LEFT + (unsigned int)((double)sum / (double)all * BAR_WIDTH + 0.5);
		g_string_append_printf(
			p,
			"<rect class=\"w-%s\" x=\"%u.%u\" y=\"0\" width=\"%u.%u\" height=\"26\"/>",
			track_wait_rows[i].name, from / 10, from % 10, (to - from) / 10,
			(to - from) % 10);
	}
	g_string_append(p, "</svg>");
}

void pl_html_waited(struct pl_html *html)
{
	const struct pl_report *report = html->report;
	uint64_t ns[TRACK_WAIT_COUNT], all;
	GString *p = html->page;

	all = pl_flows_waited(report, report->qps, report->n_qps, ns);
	if (!all)
		return;
	g_string_append(
		p, "<h2>Who waited</h2>\n<figure><figcaption>What connections waited for, of ");
	pl_html_ns(p, all);
	g_string_append(p,
			report->n_qps == 1 ? " of 1 connection." : " of all connections together.");
	legend(p, ns, all);
	g_string_append(p, "</figcaption>");
	bar(p, ns, all);
	g_string_append(p, "</figure>\n");
}
