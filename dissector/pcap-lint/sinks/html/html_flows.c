/* SPDX-License-Identifier: GPL-2.0-or-later */
/* html_flows.c - all connections, worst first, a line each: figures of both directions together. */
#include "pcap-lint/report/flow.h"
#include "html.h"

enum { PACKETS, BYTES, RESENT, NAKS, RNR, TIMEOUTS, CE, CNP, LONGEST, ACK_P99, READ_P99, COLUMNS };

static const struct {
	const char *title;
	enum { COUNT, SIZE, TIME } kind;
} columns[COLUMNS] = {
	[PACKETS] = { "packets", COUNT },
	[BYTES] = { "bytes", SIZE },
	[RESENT] = { "retransmitted", COUNT },
	[NAKS] = { "NAKs", COUNT },
	[RNR] = { "RNR NAKs", COUNT },
	[TIMEOUTS] = { "timeouts", COUNT },
	[CE] = { "CE", COUNT },
	[CNP] = { "CNPs", COUNT },
	[LONGEST] = { "longest incident", TIME },
	[ACK_P99] = { "ACK p99", TIME },
	[READ_P99] = { "READ p99", TIME },
};

/* The slower direction. */
static uint64_t p99(const struct track_qp *qp, enum track_times times)
{
	uint64_t most = 0;
	unsigned int way;

	for (way = 0; way < TRACK_WAYS; way++) {
		const struct track_histogram *h = track_dir_times(&qp->dir[way], times);

		if (h->n)
			most = MAX(most, MIN(track_histogram_percentile(h, 990), h->max));
	}
	return most;
}

static void figures(uint64_t n[COLUMNS], const struct track_qp *qp, GHashTable *longest)
{
	const uint64_t *ns = g_hash_table_lookup(longest, qp);

	n[PACKETS] = pl_flow_figure(qp, TRACK_FIGURE_packets);
	n[BYTES] = pl_flow_figure(qp, TRACK_FIGURE_wire_bytes);
	n[RESENT] = pl_flow_figure(qp, TRACK_FIGURE_retransmitted_packets);
	n[NAKS] = pl_flow_figure(qp, TRACK_FIGURE_nak_sequence) +
		  pl_flow_figure(qp, TRACK_FIGURE_nak_invalid_request) +
		  pl_flow_figure(qp, TRACK_FIGURE_nak_remote_access) +
		  pl_flow_figure(qp, TRACK_FIGURE_nak_remote_operational);
	n[RNR] = pl_flow_figure(qp, TRACK_FIGURE_rnr_nak);
	n[TIMEOUTS] = pl_flow_figure(qp, TRACK_FIGURE_timeouts);
	n[CE] = pl_flow_figure(qp, TRACK_FIGURE_ce_packets);
	n[CNP] = pl_flow_figure(qp, TRACK_FIGURE_cnp_packets);
	n[LONGEST] = ns ? *ns : 0;
	n[ACK_P99] = p99(qp, TRACK_TIMES_ACK);
	n[READ_P99] = p99(qp, TRACK_TIMES_READ);
}

static void iwarp_figures(uint64_t n[COLUMNS], const struct pl_iwarp *c)
{
	unsigned int way;

	for (way = 0; way < TRACK_WAYS; way++) {
		const struct track_iwarp_counts *counts =
			&pl_iwarp_dir(c, (enum track_way)way)->counts;

		n[PACKETS] += counts->segments;
		n[BYTES] += counts->wire_bytes;
		n[RESENT] += counts->retransmitted;
	}
}

static void figures_of(uint64_t n[COLUMNS], const struct pl_listed *one, GHashTable *longest)
{
	unsigned int i;

	for (i = 0; i < COLUMNS; i++)
		n[i] = 0;
	if (one->qp)
		figures(n, one->qp, longest);
	else
		iwarp_figures(n, one->iwarp);
}

/* The time that the costliest incident of each connection took. */
static GHashTable *longest_of(const struct pl_html *html)
{
	GHashTable *found = g_hash_table_new(NULL, NULL);
	unsigned int i;

	for (i = 0; i < html->incidents->len; i++) {
		const struct pl_incident *one =
			&g_array_index(html->incidents, struct pl_incident, i);
		const uint64_t *ns = g_hash_table_lookup(found, one->qp);

		if (pl_incident_severity(one) <= html->report->options->severity &&
		    (!ns || one->incident->ns > *ns))
			g_hash_table_insert(found, (void *)one->qp, (void *)&one->incident->ns);
	}
	return found;
}

void pl_html_link(GString *p, const struct pl_html *html, const struct track_qp *qp, bool from_b)
{
	bool has_row = g_hash_table_contains(html->has_row, qp) ||
		       g_hash_table_contains(html->has_details, qp);

	if (has_row) {
		g_string_append(p, "<a href=\"#");
		pl_html_id(p, html, "c", qp->number);
		g_string_append(p, "\">");
	}
	pl_html_ends(p, qp, from_b);
	g_string_append(p, has_row ? "</a>" : "");
}

static void name_cells(GString *p, const struct pl_html *html, const struct pl_listed *one)
{
	uint64_t number = one->qp ? one->qp->number : one->iwarp->number;
	char text[256];
	struct ibw_out o;
	bool has_details = g_hash_table_contains(html->has_details,
						 one->qp ? (const void *)one->qp : one->iwarp);

	if (has_details) {
		g_string_append(p, "<tr>");
	} else {
		g_string_append(p, "<tr id=\"");
		pl_html_id(p, html, "c", number);
		g_string_append(p, "\">");
	}
	pl_html_number_cell(p, number);
	if (one->qp) {
		g_string_append(p, "<td>");
		if (has_details)
			pl_html_link(p, html, one->qp, false);
		else
			pl_html_ends(p, one->qp, false);
		g_string_append(p, "</td>");
		pl_html_cell(p, pl_flow_service(one->qp));
		o = ibw_out_open(text, sizeof(text));
		pl_out_state(&o, html->report, one->qp);
		ibw_out_close(&o);
		pl_html_cell(p, text);
		return;
	}
	pl_iwarp_ends_text(text, sizeof(text), one->iwarp);
	g_string_append(p, "<td>");
	if (has_details) {
		g_string_append(p, "<a href=\"#");
		pl_html_id(p, html, "c", number);
		g_string_append(p, "\">");
	}
	pl_html_text(p, text);
	g_string_append(p, has_details ? "</a></td>" : "</td>");
	pl_html_cell(p, "iWARP");
	pl_html_cell(p, pl_iwarp_state(one->iwarp));
}

static void figure_cell(GString *p, unsigned int column, uint64_t n)
{
	char text[32];

	switch (columns[column].kind) {
	case COUNT:
		pl_html_number_cell(p, n);
		return;
	case SIZE:
		pl_bytes_text(text, sizeof(text), n);
		break;
	case TIME:
		pl_time_text(text, sizeof(text), n);
		break;
	}
	pl_html_sorted_cell(p, n, n ? text : "");
}

static void rows(struct pl_html *html, const struct pl_listed *listed, unsigned int n,
		 GHashTable *longest, const bool has[COLUMNS])
{
	uint64_t of[COLUMNS];
	unsigned int i, column;

	for (i = 0; i < n; i++) {
		name_cells(html->page, html, &listed[i]);
		figures_of(of, &listed[i], longest);
		for (column = 0; column < COLUMNS; column++)
			if (has[column])
				figure_cell(html->page, column, of[column]);
		g_string_append(html->page, "</tr>\n");
	}
}

/* What the others have together. */
static void rest(struct pl_html *html, const struct pl_listed *listed, unsigned int n,
		 GHashTable *longest)
{
	uint64_t of[COLUMNS], packets = 0, resent = 0;
	GString *p = html->page;
	unsigned int i;

	if (!n)
		return;
	for (i = 0; i < n; i++) {
		figures_of(of, &listed[i], longest);
		packets += of[PACKETS];
		resent += of[RESENT];
	}
	g_string_append(p, "<p class=\"more\">");
	pl_html_counted(p, n, "connection");
	g_string_append(p, " more, with ");
	pl_html_counted(p, packets, "packet");
	g_string_append(p, ", ");
	pl_html_number(p, resent);
	g_string_append(p, " retransmitted: ");
	pl_html_command(p, html->report, "--stats --ignore all --max-per-rule 0");
	g_string_append(p, "</p>\n");
}

static void table(struct pl_html *html, const struct pl_listed *listed, unsigned int n)
{
	GHashTable *longest = longest_of(html);
	bool has[COLUMNS] = { false };
	unsigned int i, column, shown = MIN(n, PL_HTML_FLOWS);
	uint64_t of[COLUMNS];
	GString *p = html->page;

	for (i = 0; i < shown; i++) {
		figures_of(of, &listed[i], longest);
		for (column = 0; column < COLUMNS; column++)
			has[column] |= of[column] != 0;
	}
	g_string_append(
		p,
		"<h2>All connections</h2>\n<div class=\"wide\"><table class=\"s\"><caption>Worst first; figures of both directions together, of times the slower one."
		"</caption><thead><tr><th class=\"n\">number</th><th>ends</th><th>service</th><th>state</th>");
	for (column = 0; column < COLUMNS; column++)
		if (has[column])
			g_string_append_printf(p, "<th class=\"n\">%s</th>", columns[column].title);
	g_string_append(p, "</tr></thead><tbody>\n");
	rows(html, listed, shown, longest, has);
	g_string_append(p, "</tbody></table></div>\n");
	rest(html, listed + shown, n - shown, longest);
	g_hash_table_unref(longest);
}

void pl_html_list_flows(struct pl_html *html)
{
	const struct pl_report *report = html->report;
	unsigned int i;

	html->n_listed = report->n_qps + report->n_iwarp;
	html->listed = pl_flows_listed(report, report->qps, report->n_qps);
	html->has_row = g_hash_table_new(NULL, NULL);
	for (i = 0; i < MIN(html->n_listed, PL_HTML_FLOWS); i++)
		if (html->listed[i].qp)
			g_hash_table_add(html->has_row, (void *)html->listed[i].qp);
}

void pl_html_flows(struct pl_html *html)
{
	if (html->n_listed)
		table(html, html->listed, html->n_listed);
}
