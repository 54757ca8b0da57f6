/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * html_write.h - text and markup of a page of HTML.
 *
 * Markup is written here and in html_*.c with g_string_append(); everything else is text, and goes through
 * pl_html_text() (markup.h), the only function that escapes.
 */
#ifndef PL_HTML_WRITE_H
#define PL_HTML_WRITE_H

#include "pcap-lint/base/columns.h"
#include "pcap-lint/base/markup.h"
#include "pcap-lint/report/report.h"

void pl_html_number(GString *p, uint64_t n);

/* "1 packet", "12 packets" */
void pl_html_counted(GString *p, uint64_t n, const char *what);

/* "4.8 ms" */
void pl_html_ns(GString *p, uint64_t ns);

/* "57.1 %" */
void pl_html_share(GString *p, uint64_t some, uint64_t all);

/* "application 57.1 %, ACKs 42.8 %", of @all of it. */
void pl_html_waits(GString *p, const uint64_t *ns, uint64_t all);

/* Seconds since the first packet: "1.500741". */
void pl_html_since(GString *p, const struct pl_report *report, uint64_t time_ns);

/* "7", "FILE:7" */
void pl_html_frame(GString *p, const struct pl_report *report, uint64_t frame);

/* "10.7.0.1 qp 21 -> 10.7.0.2 qp 20", with an arrow */
struct track_qp;
void pl_html_ends(GString *p, const struct track_qp *qp, bool from_b);

/* A cell: of text; of a number, which the reader's eye and the script compare. */
void pl_html_cell(GString *p, const char *text);
void pl_html_number_cell(GString *p, uint64_t n);

/* A cell that shows @text and is sorted by @n; no text: an empty one. */
void pl_html_sorted_cell(GString *p, uint64_t n, const char *text);

/* A table of @columns; @label: what it is, for who does not see it. */
void pl_html_columns(GString *p, const struct pl_columns *columns, const char *label);

/* "<code>pcap-lint --stats x.pcap</code>": what to run to see more of the capture. */
void pl_html_command(GString *p, const struct pl_report *report, const char *options);

#endif /* PL_HTML_WRITE_H */
