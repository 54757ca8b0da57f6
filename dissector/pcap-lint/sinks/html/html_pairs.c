/* SPDX-License-Identifier: GPL-2.0-or-later */
/* html_pairs.c - who sends to whom, where it is not plain from the connections. */
#include "pcap-lint/report/flow.h"
#include "html.h"
#include "pcap-lint/report/pairs.h"

/* Two hosts that have connections have a pair a direction. */
#define PLAIN 2u

static void row(GString *p, const struct pl_report *report, const struct pl_pair *pair)
{
	char host[PL_HOST_TEXT], bytes[32];
	struct track_flow flow = pair->flow;

	track_flow_as_seen(&flow);
	g_string_append(p, "<tr>");
	pl_html_cell(p, pl_host_text(report, &flow, true, host));
	pl_html_cell(p, pl_host_text(report, &flow, false, host));
	pl_html_cell(p, pl_pair_service(pair));
	pl_html_number_cell(p, pair->packets);
	pl_bytes_text(bytes, sizeof(bytes), pair->bytes);
	pl_html_sorted_cell(p, pair->bytes, bytes);
	g_string_append(p, "</tr>\n");
}

static void others(GString *p, const struct pl_pair *const *sorted, unsigned int n,
		   const struct pl_pair *rest)
{
	uint64_t packets = rest->packets;
	unsigned int i;

	for (i = 0; i < n; i++)
		packets += sorted[i]->packets;
	if (!packets)
		return;
	g_string_append(p, "<p class=\"more\">");
	pl_html_counted(p, packets, "packet");
	g_string_append(p, " of other pairs.</p>\n");
}

void pl_html_pairs(struct pl_html *html)
{
	GString *p = html->page;
	const struct pl_pair **sorted;
	struct pl_pair rest;
	unsigned int i, n, shown;

	if (pl_chosen_any(&html->report->options->chosen))
		return;
	sorted = pl_pairs_sorted(html->report->pairs, &n, &rest);
	shown = MIN(n, PL_HTML_ROWS);
	if (n && (n > PLAIN || !html->n_listed)) {
		g_string_append(
			p,
			"<h2>Who sends to whom</h2>\n<div class=\"wide\"><table class=\"s\"><caption>Packets of RDMA, those without a connection too."
			"</caption><thead><tr><th>sender</th><th>receiver</th><th>service</th><th class=\"n\">packets</th>"
			"<th class=\"n\">bytes</th></tr></thead><tbody>\n");
		for (i = 0; i < shown; i++)
			row(p, html->report, sorted[i]);
		g_string_append(p, "</tbody></table></div>\n");
		others(p, sorted + shown, n - shown, &rest);
	}
	g_free(sorted);
}
