/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * html_head.c - the part to paste into a ticket: the name of the capture, what is wrong, and the figures that are not 0.
 */
#include "pcap-lint/report/flow.h"
#include "html.h"

static const char *const protocol_titles[IBW_PROTO_COUNT] = {
	[IBW_PROTO_ROCEV1] = "RoCE v1",  [IBW_PROTO_ROCEV2] = "RoCE v2",
	[IBW_PROTO_IB] = "InfiniBand",   [IBW_PROTO_IPOIB] = "IPoIB",
	[IBW_PROTO_IWARP] = "iWARP MPA", [IBW_PROTO_PAUSE] = "pause frames",
};

/* Packets that this program is about; of iWARP, most of which say it by what was before them, FPDUs. */
static uint64_t of_ours(const struct pl_totals *totals)
{
	uint64_t n = totals->fpdus;
	unsigned int i;

	for (i = 0; i < IBW_PROTO_COUNT; i++)
		n += protocol_titles[i] ? totals->protocols[i] : 0;
	return n;
}

/* "No errors, warnings or notes": of what was looked for. */
static void nothing_found(GString *p, const struct pl_report *report)
{
	const struct pl_totals *totals = &report->totals;

	if (!totals->packets) {
		g_string_append(p, "No packets.");
		return;
	}
	if (!of_ours(totals)) {
		g_string_append(p, "Nothing to check: none of ");
		pl_html_counted(p, totals->packets, "packet");
		g_string_append(p, totals->rules[LINT_ROC001]
					   ? " is RDMA, but for RoCE v2 at another UDP port."
					   : " is RDMA.");
		return;
	}
	g_string_append(p, report->options->severity == LINT_ERROR ? "No errors."
								   : "No errors or warnings.");
}

void pl_html_say(GString *p, const struct pl_html *html)
{
	char text[PL_VERDICT_TEXT];

	if (!html->verdict.n) {
		nothing_found(p, html->report);
		return;
	}
	pl_verdict_text(&html->verdict, text);
	*text = g_ascii_toupper(*text);
	pl_html_text(p, text);
	g_string_append_c(p, '.');
}

/* What the capture lacks, of all connections together. */
static uint16_t doubt_of(const struct pl_report *report)
{
	uint16_t doubt = report->doubt;
	unsigned int i;

	for (i = 0; i < report->n_qps; i++)
		doubt |= track_qp_doubt(report->qps[i]);
	for (i = 0; i < report->n_iwarp; i++)
		doubt |= track_iwarp_doubt(&report->iwarp[i].record->conn);
	return doubt;
}

static void left_aside(GString *p, const struct pl_totals *totals)
{
	if (totals->unexamined) {
		pl_html_counted(p, totals->unexamined, "packet");
		g_string_append(p, " not examined (CAP019). ");
	}
	if (!totals->evicted && !totals->unfollowed && !totals->forgotten)
		return;
	g_string_append(p, "Memory was used up: ");
	pl_html_counted(p, totals->evicted, "connection");
	g_string_append(p, " evicted, ");
	pl_html_counted(p, totals->unfollowed, "direction");
	g_string_append(p, " of connections not followed, ");
	pl_html_counted(p, totals->forgotten, "entry");
	g_string_append(p, " of tables evicted (CAP021). ");
}

static void withheld(GString *p, const struct pl_report *report)
{
	const struct pl_totals *totals = &report->totals;
	const char *before = " at note level because ";
	unsigned int i;

	if (!totals->withheld || report->options->severity >= LINT_NOTE)
		return;
	pl_html_counted(p, totals->withheld, "finding");
	for (i = 0; i < TRACK_DOUBT_COUNT; i++) {
		if (!(totals->withheld_doubt & 1u << i))
			continue;
		g_string_append(p, before);
		g_string_append(p, track_doubt_rows[i].because);
		before = " and ";
	}
	g_string_append(p, ". ");
}

static void asked_for(GString *p, const struct pl_report *report)
{
	char names[PL_CHOSEN_TEXT];
	struct ibw_out o = ibw_out_open(names, sizeof(names));

	if (!pl_chosen_any(&report->options->chosen))
		return;
	pl_out_chosen(&o, &report->options->chosen);
	ibw_out_close(&o);
	g_string_append(p, "Shown is what is of ");
	pl_html_text(p, names);
	g_string_append(p, "; packets and findings are counted of the whole capture. ");
}

/* What holds for all that is said of the capture. */
static void reservations(struct pl_html *html)
{
	const struct pl_report *report = html->report;
	GString *p = html->page;
	gsize begin = p->len, empty;

	g_string_append(p, "<p class=\"but\">");
	empty = p->len;
	if (report->interrupted) {
		g_string_append(p, "Interrupted after ");
		pl_html_counted(p, report->totals.packets, "packet");
		g_string_append(p, ". ");
	}
	if (report->broken)
		g_string_append(p, "Some of the capture could not be read. ");
	asked_for(p, report);
	left_aside(p, &report->totals);
	withheld(p, report);
	if (p->len == empty)
		g_string_truncate(p, begin);
	else
		g_string_append(p, "</p>\n");
}

/* Tiles */

static void tile(GString *p, const char *what, const char *value)
{
	g_string_append(p, "<div><dt>");
	pl_html_text(p, what);
	g_string_append(p, "</dt><dd>");
	pl_html_text(p, value);
	g_string_append(p, "</dd></div>\n");
}

static void number_tile(GString *p, const char *what, uint64_t n)
{
	char text[32];

	if (!n)
		return;
	g_snprintf(text, sizeof(text), "%" G_GUINT64_FORMAT, (guint64)n);
	tile(p, what, text);
}

/* Whether there is a sign that packets are not in the capture, and which. */
static void captured_tile(GString *p, const struct pl_report *report)
{
	static const uint16_t lacks = TRACK_DOUBT_ONE_WAY | TRACK_DOUBT_DROPPED | TRACK_DOUBT_LOSS |
				      TRACK_DOUBT_SAMPLED | TRACK_DOUBT_CUT | TRACK_DOUBT_FILTERED |
				      TRACK_DOUBT_HEADERS | TRACK_DOUBT_LOSSY;
	GString *what = g_string_new("capture complete?");
	uint16_t doubt = doubt_of(report);
	const char *before = " (";
	unsigned int i;

	for (i = 0; i < TRACK_DOUBT_COUNT; i++) {
		if (!(doubt & 1u << i & (lacks | TRACK_DOUBT_MID_STREAM)))
			continue;
		g_string_append(what, before);
		g_string_append(what, track_doubt_rows[i].because);
		before = ", ";
	}
	if (before[0] == ',')
		g_string_append_c(what, ')');
	tile(p, what->str,
	     doubt & lacks                     ? "no"
	     : report->n_qps + report->n_iwarp ? "no sign of a gap"
					       : "not known");
	g_string_free(what, TRUE);
}

static void incident_tiles(GString *p, const struct pl_html *html)
{
	GHashTable *hurt = g_hash_table_new(NULL, NULL);
	const struct pl_incident *i;
	char text[64], longest[32];
	uint64_t longest_ns = 0, incidents = 0;
	unsigned int at;

	for (at = 0; at < pl_html_all_incidents(html); at++) {
		i = pl_html_incident(html, at);
		if (pl_incident_severity(i) > html->report->options->severity)
			continue;
		incidents++;
		longest_ns = MAX(longest_ns, i->incident->ns);
		if (i->connection)
			g_hash_table_add(hurt, (void *)i->connection);
	}
	if (g_hash_table_size(hurt)) {
		g_snprintf(text, sizeof(text), "%u of %u", g_hash_table_size(hurt),
			   html->report->n_qps);
		tile(p, "connections with incidents", text);
	}
	number_tile(p, "incidents", incidents);
	if (longest_ns) {
		pl_time_text(longest, sizeof(longest), longest_ns);
		tile(p, "costliest incident", longest);
	}
	g_hash_table_unref(hurt);
}

static void resent_tile(GString *p, const struct pl_report *report)
{
	uint64_t resent = 0, requests = 0;
	char text[96];
	unsigned int i;

	for (i = 0; i < report->n_qps; i++) {
		resent += pl_flow_figure(report->qps[i], TRACK_FIGURE_retransmitted_packets);
		requests += pl_flow_figure(report->qps[i], TRACK_FIGURE_request_packets);
	}
	if (!resent)
		return;
	g_snprintf(text, sizeof(text), "%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " (%u %%)",
		   (guint64)resent, (guint64)requests, pl_percent(resent, requests));
	tile(p, "requests retransmitted, of all", text);
}

static void figure_tile(GString *p, const struct pl_report *report, const char *what,
			enum track_figure figure)
{
	uint64_t n = 0;
	unsigned int i;

	for (i = 0; i < report->n_qps; i++)
		n += pl_flow_figure(report->qps[i], figure);
	number_tile(p, what, n);
}

static void packets_tile(GString *p, const struct pl_totals *totals)
{
	char text[64], time[32], what[96];
	struct ibw_out o = ibw_out_open(text, sizeof(text));

	pl_time_text(time, sizeof(time), totals->last_ns - totals->first_ns);
	pl_out_counted(&o, totals->packets, "packet");
	ibw_out_close(&o);
	g_snprintf(what, sizeof(what), "in %s", time);
	tile(p, totals->last_ns > totals->first_ns ? what : "in all", text);
}

static void tiles(struct pl_html *html)
{
	const struct pl_report *report = html->report;
	const struct pl_totals *totals = &report->totals;
	GString *p = html->page;
	unsigned int i;

	g_string_append(p, "<dl class=\"tiles\">\n");
	captured_tile(p, report);
	incident_tiles(p, html);
	resent_tile(p, report);
	figure_tile(p, report, "timers expired", TRACK_FIGURE_timeouts);
	figure_tile(p, report, "sequence NAKs", TRACK_FIGURE_nak_sequence);
	figure_tile(p, report, "RNR NAKs", TRACK_FIGURE_rnr_nak);
	number_tile(p, "connections refused", totals->refused);
	number_tile(p, "errors", totals->severities[LINT_ERROR]);
	number_tile(p, "warnings", totals->severities[LINT_WARNING]);
	number_tile(p, "packets marked CE", totals->ce);
	number_tile(p, "CNPs", totals->cnp);
	for (i = 0; i < IBW_PROTO_COUNT; i++)
		if (protocol_titles[i])
			number_tile(p, protocol_titles[i], totals->protocols[i]);
	number_tile(p, "iWARP FPDUs", totals->fpdus);
	packets_tile(p, totals);
	g_string_append(p, "</dl>\n");
}

void pl_html_head(struct pl_html *html)
{
	const struct pl_frames *frames = &html->report->frames;
	GString *p = html->page;
	unsigned int i, n = pl_frames_count(frames);

	g_string_append(p, html->report->output->book->captures ? "<h2 class=\"name\">" : "<h1>");
	pl_html_text(p, frames->about);
	if (n > 1) {
		g_string_append(p, " and ");
		for (i = 1; i < n && i < 3; i++) {
			g_string_append(p, i > 1 ? ", " : "");
			pl_html_text(p, pl_frames_name(frames, i));
		}
		if (n > i)
			g_string_append_printf(p, ", %u more", n - i);
	}
	g_string_append(p, html->report->output->book->captures ? "</h2>" : "</h1>");
	g_string_append(p, "\n<p class=\"verdict\">");
	pl_html_say(p, html);
	g_string_append(p, "</p>\n");
	reservations(html);
	tiles(html);
}
