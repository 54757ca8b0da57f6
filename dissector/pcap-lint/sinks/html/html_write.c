/* SPDX-License-Identifier: GPL-2.0-or-later */
/* html_write.c - text and markup of a page of HTML. */
#include <string.h>

#include "pcap-lint/report/flow.h"
#include "html_write.h"

/* Of what is written into a buffer before it is text of the page. */
#define TEXT 256

void pl_html_number(GString *p, uint64_t n)
{
	g_string_append_printf(p, "%" G_GUINT64_FORMAT, (guint64)n);
}

void pl_html_counted(GString *p, uint64_t n, const char *what)
{
	char text[TEXT];
	struct ibw_out o = ibw_out_open(text, sizeof(text));

	pl_out_counted(&o, n, what);
	ibw_out_close(&o);
	pl_html_text(p, text);
}

void pl_html_ns(GString *p, uint64_t ns)
{
	char text[32];

	pl_time_text(text, sizeof(text), ns);
	pl_html_text(p, text);
}

void pl_html_share(GString *p, uint64_t some, uint64_t all)
{
	char text[32];
	struct ibw_out o = ibw_out_open(text, sizeof(text));

	pl_out_share(&o, some, all);
	ibw_out_close(&o);
	g_string_append(p, text);
}

void pl_html_waits(GString *p, const uint64_t *ns, uint64_t all)
{
	char text[256];
	struct ibw_out o = ibw_out_open(text, sizeof(text));

	pl_out_waits(&o, ns, all);
	ibw_out_close(&o);
	pl_html_text(p, text);
}

void pl_html_since(GString *p, const struct pl_report *report, uint64_t time_ns)
{
	uint64_t begin = report->totals.begin_ns;
	uint64_t ns = time_ns < begin ? begin - time_ns : time_ns - begin;

	g_string_append_printf(p, "%s%" G_GUINT64_FORMAT ".%06u", time_ns < begin ? "-" : "",
			       (guint64)(ns / 1000000000), (unsigned int)(ns % 1000000000 / 1000));
}

void pl_html_frame(GString *p, const struct pl_report *report, uint64_t frame)
{
	const struct pl_place place = pl_frames_place(&report->frames, frame);

	if (place.file != report->frames.about) {
		pl_html_text(p, place.file);
		g_string_append_c(p, ':');
	}
	pl_html_number(p, place.frame);
}

void pl_html_ends(GString *p, const struct track_qp *qp, bool from_b)
{
	enum track_way way = from_b ? TRACK_B_TO_A : TRACK_A_TO_B;
	char text[TEXT];
	struct ibw_out o = ibw_out_open(text, sizeof(text));

	pl_out_short_end(&o, qp, way);
	ibw_out_str(&o, " \xe2\x86\x92 ");
	pl_out_short_end(&o, qp, (enum track_way) !way);
	ibw_out_close(&o);
	pl_html_text(p, text);
}

void pl_html_cell(GString *p, const char *text)
{
	g_string_append(p, "<td>");
	pl_html_text(p, text);
	g_string_append(p, "</td>");
}

void pl_html_number_cell(GString *p, uint64_t n)
{
	g_string_append(p, "<td class=\"n\">");
	pl_html_number(p, n);
	g_string_append(p, "</td>");
}

void pl_html_sorted_cell(GString *p, uint64_t n, const char *text)
{
	g_string_append(p, "<td class=\"n\" data-v=\"");
	pl_html_number(p, n);
	g_string_append(p, "\">");
	pl_html_text(p, text);
	g_string_append(p, "</td>");
}

void pl_html_columns(GString *p, const struct pl_columns *columns, const char *label)
{
	unsigned int row, i, n = pl_columns_count(columns);

	g_string_append(p, "<div class=\"wide\"><table class=\"s\" aria-label=\"");
	pl_html_text(p, label);
	g_string_append(p, "\"><thead><tr>");
	for (i = 0; i < n; i++) {
		if (!pl_columns_has(columns, i))
			continue;
		g_string_append(p, pl_columns_is_right(columns, i) ? "<th class=\"n\">" : "<th>");
		pl_html_text(p, pl_columns_title(columns, i));
		g_string_append(p, "</th>");
	}
	g_string_append(p, "</tr></thead><tbody>\n");
	for (row = 0; pl_columns_cell(columns, row, 0); row++) {
		g_string_append(p, "<tr>");
		for (i = 0; i < n; i++) {
			if (!pl_columns_has(columns, i))
				continue;
			g_string_append(p, pl_columns_is_right(columns, i) ? "<td class=\"n\">"
									   : "<td>");
			pl_html_text(p, pl_columns_cell(columns, row, i));
			g_string_append(p, "</td>");
		}
		g_string_append(p, "</tr>\n");
	}
	g_string_append(p, "</tbody></table></div>\n");
}

static void quoted(GString *p, const char *text)
{
	char *word = g_shell_quote(text);

	g_string_append_c(p, ' ');
	pl_html_text(p, word);
	g_free(word);
}

/* A name that begins with - is no option after "./". */
static void file(GString *p, const char *name)
{
	char *path = *name == '-' && name[1] ? g_strconcat("./", name, NULL) : g_strdup(name);

	quoted(p, path);
	g_free(path);
}

void pl_html_command(GString *p, const struct pl_report *report, const char *options)
{
	unsigned int i;

	g_string_append(p, "<code>pcap-lint ");
	pl_html_text(p, options);
	if (report->options->filter) {
		g_string_append(p, " -f");
		quoted(p, report->options->filter);
	}
	if (report->options->join)
		g_string_append(p, " --join");
	for (i = 0; i < pl_frames_count(&report->frames); i++)
		file(p, pl_frames_name(&report->frames, i));
	g_string_append(p, "</code>");
}
