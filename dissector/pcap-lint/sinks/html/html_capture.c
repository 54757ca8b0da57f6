/* SPDX-License-Identifier: GPL-2.0-or-later */
/* html_capture.c - the capture itself: what its files say, the options, and what was not decoded. */
#include <pcap/pcap.h>

#include "pcap-lint/report/flow.h"
#include "html.h"
#include "capture/capture.h"
#include "track/measure/series.h"

/* Interfaces of a file that have a line. */
#define INTERFACES_MAX 16u

static void linktype(GString *p, uint32_t number)
{
	const char *name = pcap_datalink_val_to_name((int)number);

	g_string_append(p, "<td>");
	if (name)
		pl_html_text(p, name);
	else
		pl_html_number(p, number);
	g_string_append(p, "</td>");
}

static void count_cell(GString *p, const struct capture_interface *i, uint64_t n)
{
	if (i->has_stats || n)
		pl_html_number_cell(p, n);
	else
		g_string_append(p, "<td class=\"n\">not said</td>");
}

static void interface_row(GString *p, const struct capture_interface *i)
{
	char speed[32];

	pl_html_cell(p, *i->name ? i->name : "-");
	linktype(p, i->linktype);
	g_string_append(p, "<td class=\"n\">");
	if (i->snaplen)
		pl_html_number(p, i->snaplen);
	else
		g_string_append(p, "no limit");
	g_string_append(p, "</td>");
	pl_bytes_text(speed, sizeof(speed), i->speed);
	pl_html_sorted_cell(p, i->speed, i->speed ? speed : "not said");
	count_cell(p, i, MAX(i->if_drops + i->os_drops, i->packet_drops));
}

void pl_html_add_file(struct pl_html *html, const char *file, const struct capture *capture)
{
	unsigned int i, n = capture_interface_count(capture);
	const char *compression = capture_compression(capture);
	GString *p = html->files;

	for (i = 0; i < MIN(MAX(n, 1), INTERFACES_MAX); i++) {
		g_string_append(p, "<tr>");
		pl_html_cell(p, i ? "" : file);
		g_string_append(p, "<td>");
		g_string_append(p, capture_format_name(capture));
		if (compression)
			g_string_append_printf(p, ", %s", compression);
		g_string_append(p, "</td>");
		pl_html_number_cell(p, capture_frames(capture));
		if (n)
			interface_row(p, capture_interface(capture, i));
		else
			g_string_append(p, "<td>-</td><td>-</td><td>-</td><td>-</td><td>-</td>");
		g_string_append(p, "</tr>\n");
	}
	if (n <= INTERFACES_MAX)
		return;
	g_string_append_printf(p, "<tr><td colspan=\"8\">%u interfaces more</td></tr>\n",
			       n - INTERFACES_MAX);
}

static void files(struct pl_html *html)
{
	GString *p = html->page;

	if (!html->files->len)
		return;
	g_string_append(
		p,
		"<div class=\"wide\"><table><caption>Files and their interfaces</caption><thead><tr><th>file</th><th>form</th>"
		"<th class=\"n\">frames</th><th>interface</th><th>link type</th><th class=\"n\">snap length</th>"
		"<th class=\"n\">bits/s</th><th class=\"n\">lost by the capturing host</th></tr></thead><tbody>\n");
	g_string_append_len(p, html->files->str, (gssize)html->files->len);
	g_string_append(p, "</tbody></table></div>\n");
}

static void begin(GString *p, const char *what)
{
	g_string_append_printf(p, "<dt>%s</dt><dd>", what);
}

static void number(GString *p, const char *what, uint64_t n)
{
	begin(p, what);
	pl_html_number(p, n);
	g_string_append(p, "</dd>\n");
}

static void times(GString *p, const struct pl_totals *totals)
{
	char text[64];
	struct ibw_out o = ibw_out_open(text, sizeof(text));

	if (!totals->last_ns)
		return;
	pl_out_utc(&o, totals->first_ns);
	ibw_out_close(&o);
	begin(p, "first packet");
	pl_html_text(p, text);
	g_string_append(p, "</dd>\n");
	o = ibw_out_open(text, sizeof(text));
	pl_out_utc(&o, totals->last_ns);
	ibw_out_close(&o);
	begin(p, "last packet");
	pl_html_text(p, text);
	g_string_append(p, "</dd>\n");
}

static void protocols(GString *p, const struct pl_totals *totals)
{
	const char *before = "";
	unsigned int i;

	begin(p, "protocols");
	for (i = 0; i < IBW_PROTO_COUNT; i++) {
		if (!totals->protocols[i])
			continue;
		g_string_append_printf(p, "%s%" G_GUINT64_FORMAT " %s", before,
				       (guint64)totals->protocols[i], ibw_proto_names[i]);
		before = ", ";
	}
	g_string_append(p, *before ? "</dd>\n" : "none</dd>\n");
}

/* "3 errors, 12 warnings, 40 notes": whether shown or not. */
static void severities(GString *p, const struct pl_report *report)
{
	static const char *const names[LINT_SEVERITY_COUNT] = { "error", "warning", "note",
								"perf" };
	unsigned int i;

	begin(p, "findings");
	for (i = 0; i < LINT_SEVERITY_COUNT; i++) {
		if (i == LINT_PERF && !report->totals.severities[i])
			continue;
		g_string_append(p, i ? ", " : "");
		pl_html_counted(p, report->totals.severities[i], names[i]);
	}
	g_string_append_printf(p, "; shown from level %s on</dd>\n",
			       lint_severity_names[report->options->severity]);
}

static void rules(GString *p, const struct pl_report *report)
{
	unsigned int i, on = 0;

	for (i = 0; i < LINT_RULE_COUNT; i++)
		on += report->options->rules[i];
	begin(p, "rules");
	g_string_append_printf(p, "%u of %u were on</dd>\n", on, (unsigned int)LINT_RULE_COUNT);
}

static void asked(GString *p, const struct pl_report *report)
{
	const struct pl_options *options = report->options;
	char names[PL_CHOSEN_TEXT];
	struct ibw_out o = ibw_out_open(names, sizeof(names));

	if (options->filter) {
		begin(p, "filter");
		pl_html_text(p, options->filter);
		g_string_append(p, "</dd>\n");
	}
	if (options->count)
		number(p, "packets at most", options->count);
	if (!pl_chosen_any(&options->chosen))
		return;
	pl_out_chosen(&o, &options->chosen);
	ibw_out_close(&o);
	begin(p, "only");
	pl_html_text(p, names);
	g_string_append(p, "</dd>\n");
}

/* What there was no room for. */
static void series(GString *p, const struct pl_report *report)
{
	const struct track_qps *streams = report->track ? track_streams(report->track) : NULL;
	const struct track_iwarp *iwarp =
		report->track ? track_iwarp_connections(report->track) : NULL;
	const struct track_series_room *rooms[] = { streams ? track_qps_series(streams) : NULL,
						    iwarp ? iwarp->series : NULL };
	uint64_t left_out = 0;
	bool is_short = false;
	unsigned int i;

	for (i = 0; i < G_N_ELEMENTS(rooms); i++) {
		is_short |= track_series_is_short(rooms[i]);
		left_out += track_series_left_out(rooms[i]);
	}
	if (!is_short)
		return;
	begin(p, "pictures");
	g_string_append(p, "PSNs and octets are drawn in fewer columns, for want of memory");
	if (left_out) {
		g_string_append(p, "; not of ");
		pl_html_counted(p, left_out, "direction");
	}
	g_string_append(p, "</dd>\n");
}

void pl_html_capture(struct pl_html *html)
{
	const struct pl_report *report = html->report;
	const struct pl_totals *totals = &report->totals;
	GString *p = html->page;

	g_string_append(p, "<h2>The capture</h2>\n<dl class=\"facts\">\n");
	times(p, totals);
	number(p, "packets", totals->packets);
	number(p, "bytes", totals->bytes);
	protocols(p, totals);
	begin(p, "connections");
	g_string_append(p, totals->more_connections ? "at least " : "");
	pl_html_number(p, totals->connections);
	g_string_append(p, "</dd>\n");
	severities(p, report);
	rules(p, report);
	asked(p, report);
	if (totals->unexamined)
		number(p, "packets not examined", totals->unexamined);
	series(p, report);
	begin(p, "made by");
	g_string_append(p, "pcap-lint " PL_VERSION "</dd>\n</dl>\n");
	files(html);
}
