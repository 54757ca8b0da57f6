/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * html_worst.c - the worst connections in detail, the first one open; if none has a fault, the connection with most
 * packets.
 */
#include "pcap-lint/report/flow.h"
#include "html.h"

static bool has_incident(const struct pl_html *html, const struct track_qp *qp)
{
	unsigned int i;

	for (i = 0; i < html->incidents->len; i++) {
		const struct pl_incident *one =
			&g_array_index(html->incidents, struct pl_incident, i);

		if (one->qp == qp && pl_incident_severity(one) <= html->report->options->severity)
			return true;
	}
	return false;
}

static bool is_bad(const struct pl_html *html, const struct pl_listed *one)
{
	uint64_t bad[PL_BADNESS];
	unsigned int i;

	if (one->qp)
		return pl_flow_is_bad(one->qp) || has_incident(html, one->qp);
	pl_iwarp_badness(one->iwarp, bad);
	for (i = 0; i < PL_PACKETS; i++)
		if (bad[i])
			return true;
	return pl_iwarp_dir(one->iwarp, TRACK_A_TO_B)->counts.stall_ns ||
	       pl_iwarp_dir(one->iwarp, TRACK_B_TO_A)->counts.stall_ns;
}

static bool has_packets(const struct pl_listed *one)
{
	uint64_t bad[PL_BADNESS];

	if (one->qp)
		return pl_flow_figure(one->qp, TRACK_FIGURE_packets);
	pl_iwarp_badness(one->iwarp, bad);
	return bad[PL_PACKETS];
}

void pl_html_choose(struct pl_html *html)
{
	unsigned int i;

	html->has_details = g_hash_table_new(NULL, NULL);
	for (i = 0; i < html->n_listed && html->n_worst < PL_HTML_WORST; i++) {
		const struct pl_listed *one = &html->listed[i];

		if (!has_packets(one) || (html->n_worst && !is_bad(html, one)))
			continue;
		html->worst[html->n_worst++] = *one;
		g_hash_table_add(html->has_details, one->qp ? (void *)one->qp : (void *)one->iwarp);
	}
}

/* ": 3 timeouts, ..." */
static void against(GString *p, const struct pl_html *html, const struct track_qp *qp)
{
	char text[512];
	struct ibw_out o = ibw_out_open(text, sizeof(text));

	pl_out_against(&o, html->report, qp);
	ibw_out_close(&o);
	pl_html_text(p, text);
}

/* "; frames 1 to 88; in doubt for: capture started late" */
static void extent(GString *p, const struct pl_html *html, uint64_t first_frame,
		   uint64_t last_frame, const char *doubt)
{
	g_string_append(p, "; frames ");
	pl_html_frame(p, html->report, first_frame);
	g_string_append(p, " to ");
	pl_html_frame(p, html->report, last_frame);
	if (!*doubt)
		return;
	g_string_append(p, "; in doubt for: ");
	pl_html_text(p, doubt);
}

static void facts(GString *p, const struct pl_html *html, const struct track_qp *qp)
{
	char text[256], upper[PL_FLOW_UPPER], doubt[PL_FLOW_DOUBT];
	struct ibw_out o = ibw_out_open(text, sizeof(text));

	g_string_append(p, "<p class=\"more\">");
	pl_html_text(p, pl_flow_service(qp));
	if (track_qp_mtu(qp))
		g_string_append_printf(p, ", MTU %u", track_qp_mtu(qp));
	if (pl_flow_upper(qp, upper)) {
		g_string_append(p, ", ");
		pl_html_text(p, upper);
	}
	pl_out_state(&o, html->report, qp);
	ibw_out_close(&o);
	g_string_append(p, ", ");
	pl_html_text(p, text);
	pl_flow_doubt(html->report, qp, doubt);
	extent(p, html, qp->first_frame, qp->last_frame, doubt);
	g_string_append(p, ". A is ");
	o = ibw_out_open(text, sizeof(text));
	pl_out_end(&o, qp, TRACK_A_TO_B);
	ibw_out_str(&o, ", B is ");
	pl_out_end(&o, qp, TRACK_B_TO_A);
	ibw_out_close(&o);
	pl_html_text(p, text);
	g_string_append(p, ".</p>\n");
}

static void waited(GString *p, const struct pl_report *report, const struct track_qp *qp)
{
	uint64_t ns[TRACK_WAIT_COUNT], all = pl_flows_waited(report, &qp, 1, ns);

	if (!all)
		return;
	g_string_append(p, "<p class=\"more\">It waited for: ");
	pl_html_waits(p, ns, all);
	g_string_append(p, ", of ");
	pl_html_ns(p, all);
	g_string_append(p, ".</p>\n");
}

static void iwarp_against(GString *p, const struct pl_iwarp *c)
{
	char text[512];
	struct ibw_out o = ibw_out_open(text, sizeof(text));

	pl_iwarp_out_against(&o, c);
	ibw_out_close(&o);
	pl_html_text(p, text);
}

static void iwarp_facts(GString *p, const struct pl_html *html, const struct pl_iwarp *c)
{
	const struct track_iwarp_conn *conn = &c->record->conn;
	char text[256], doubt[PL_FLOW_DOUBT];
	struct ibw_out o = ibw_out_open(text, sizeof(text));

	g_string_append(p, "<p class=\"more\">iWARP");
	if (track_iwarp_mss(conn))
		g_string_append_printf(p, ", MSS %u", track_iwarp_mss(conn));
	pl_iwarp_out_state(&o, c);
	ibw_out_close(&o);
	g_string_append(p, ", ");
	pl_html_text(p, text);
	pl_iwarp_doubt(html->report, c, doubt);
	extent(p, html, conn->first_frame, conn->last_frame, doubt);
	g_string_append(p, ". A is ");
	o = ibw_out_open(text, sizeof(text));
	pl_iwarp_out_end(&o, c, TRACK_A_TO_B);
	ibw_out_str(&o, ", B is ");
	pl_iwarp_out_end(&o, c, TRACK_B_TO_A);
	ibw_out_close(&o);
	pl_html_text(p, text);
	g_string_append(p, ".</p>\n");
}

static void summary(struct pl_html *html, const struct pl_listed *one, bool open)
{
	uint64_t number = one->qp ? one->qp->number : one->iwarp->number;
	GString *p = html->page;
	char text[256];

	g_string_append(p, "<details class=\"worst\" id=\"");
	pl_html_id(p, html, "c", number);
	g_string_append(p, open ? "\" open=\"\"><summary><b>" : "\"><summary><b>");
	pl_html_number(p, number);
	g_string_append(p, ": ");
	if (one->qp) {
		pl_html_ends(p, one->qp, false);
	} else {
		pl_iwarp_ends_text(text, sizeof(text), one->iwarp);
		pl_html_text(p, text);
	}
	g_string_append(p, "</b>");
	if (one->qp)
		against(p, html, one->qp);
	else
		iwarp_against(p, one->iwarp);
	g_string_append(p, "</summary>\n");
}

static void detail(struct pl_html *html, const struct pl_listed *one, bool open)
{
	GString *p = html->page;

	summary(html, one, open);
	if (one->qp) {
		facts(p, html, one->qp);
		waited(p, html->report, one->qp);
		pl_html_psn(html, one->qp);
		pl_html_ladder(html, one->qp);
		pl_html_latency(html, one->qp);
		pl_html_figures(html, one->qp);
	} else {
		iwarp_facts(p, html, one->iwarp);
		pl_html_octets(html, one->iwarp);
		pl_html_iwarp_figures(html, one->iwarp);
	}
	g_string_append(p, "</details>\n");
}

void pl_html_worst(struct pl_html *html)
{
	unsigned int i;

	if (!html->n_worst)
		return;
	g_string_append(html->page, is_bad(html, &html->worst[0])
					    ? "<h2>Worst connections</h2>\n"
					    : "<h2>The busiest connection</h2>\n");
	for (i = 0; i < html->n_worst; i++)
		detail(html, &html->worst[i], !i);
}
