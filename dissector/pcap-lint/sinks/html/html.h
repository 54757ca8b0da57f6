/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * html.h - the page that --format html writes: its parts, each in a file of its own.
 *
 * A page is one file: it loads nothing, which its Content-Security-Policy enforces, and is complete without its
 * script. The same input gives the same bytes: there is no creation time and no locale. Every limited list says what
 * was left out, and which command shows it.
 */
#ifndef PL_HTML_H
#define PL_HTML_H

#include "html_write.h"
#include "pcap-lint/incidents/incident.h"
#include "pcap-lint/report/iwarp.h"
#include "pcap-lint/report/sink.h"
#include "pcap-lint/verdict/verdict.h"

#define PL_HTML_INCIDENTS 100u
#define PL_HTML_FLOWS 300u
#define PL_HTML_WORST 8u /* connections in detail */
#define PL_HTML_ROWS 30u /* of every other table */

/* Findings of a rule, as rows of a table. */
struct pl_html_rule {
	GString *rows; /* NULL: none so far */
	uint64_t n, first_frame;
};

/* What is known of a capture until it is written, at its end. */
struct pl_html {
	const struct pl_report *report;
	GString *page; /* where it is written to */
	struct pl_html_rule rule[LINT_RULE_COUNT];
	GArray *incidents;        /* of struct pl_incident, of connections */
	GArray *managed;          /* of conversations of the CM, and of MADs */
	struct pl_listed *listed; /* all connections, worst first */
	unsigned int n_listed;
	GHashTable *has_row; /* struct track_qp *: those in the table of connections */
	struct pl_verdict verdict;
	struct pl_listed worst[PL_HTML_WORST];
	unsigned int n_worst;
	GHashTable *has_details; /* of those: struct track_qp *, struct pl_iwarp * */
	GString *files;          /* what the files say of themselves: rows */
	unsigned int index;      /* of the capture on the page */
};

/* Several captures on a page. */
struct pl_html_book {
	char *title; /* of the first; NULL: there is none */
	GString *list, *sections;
	unsigned int captures, unlisted;
};

/* The text of <style> and of <script>: what their hashes are of. */
extern const char pl_html_style[];
extern const char pl_html_script[];

/* A name that no other element of the page has: "c7", of the third capture "3-c7". */
void pl_html_id(GString *p, const struct pl_html *html, const char *kind, uint64_t number);

/* What a connection's ends are called, as a link to its details or its row, if there is any. */
void pl_html_link(GString *p, const struct pl_html *html, const struct track_qp *qp, bool from_b);

/* Sorts the connections, before any part names one. */
void pl_html_list_flows(struct pl_html *html);

/* Which ones are shown in detail. */
void pl_html_choose(struct pl_html *html);

/* Of one of these. */
void pl_html_octets(struct pl_html *html, const struct pl_iwarp *c);
void pl_html_iwarp_figures(struct pl_html *html, const struct pl_iwarp *c);
void pl_html_psn(struct pl_html *html, const struct track_qp *qp);
void pl_html_ladder(struct pl_html *html, const struct track_qp *qp);
void pl_html_latency(struct pl_html *html, const struct track_qp *qp);
void pl_html_figures(struct pl_html *html, const struct track_qp *qp);

/* Incidents of connections, then of conversations of the CM. */
unsigned int pl_html_all_incidents(const struct pl_html *html);
const struct pl_incident *pl_html_incident(const struct pl_html *html, unsigned int i);

/* The parts, in the order they have on the page. */
void pl_html_head(struct pl_html *html);
void pl_html_times(struct pl_html *html);
void pl_html_incidents(struct pl_html *html);
void pl_html_congestion(struct pl_html *html);
void pl_html_waited(struct pl_html *html);
void pl_html_worst(struct pl_html *html);
void pl_html_commands(struct pl_html *html);
void pl_html_story(struct pl_html *html);
void pl_html_tables(struct pl_html *html);
struct track_cm_list;
void pl_html_cm(struct pl_html *html, const struct track_cm_list *list);
void pl_html_pairs(struct pl_html *html);
void pl_html_findings(struct pl_html *html);
void pl_html_flows(struct pl_html *html);
void pl_html_subnet(struct pl_html *html);
void pl_html_capture(struct pl_html *html);

/* What is wrong, in at most three sentences; without any, what was looked for. */
void pl_html_say(GString *p, const struct pl_html *html);

/* All connections by intervals of time, which are as long in those of each; NULL: there are none. */
struct track_timeline;
const struct track_timeline *pl_html_timeline(const struct pl_html *html);

/* A finding that is shown. */
void pl_html_add_finding(struct pl_html *html, const struct lint_finding *finding);

/* What a file says of itself, once it has been read. */
struct capture;
void pl_html_add_file(struct pl_html *html, const char *file, const struct capture *capture);

#endif /* PL_HTML_H */
