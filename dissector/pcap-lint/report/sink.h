/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sink.h - sinks, which write a report in one form: text and JSON lines are two of them.
 *
 * A sink turns what report.c has chosen to show into characters, and decides nothing. It writes
 * to report->output->out, where there is room for PL_PIECE_MAX characters at each call. Frames are
 * numbers of report->frames, which says of what file they are.
 */
#ifndef PL_SINK_H
#define PL_SINK_H

#include <lint/lint.h>

#include "limit.h"
#include "report.h"
#include "track/cm/cm_list.h"
#include "track/mgmt/transact.h"

struct pl_group;
struct pl_incident;
struct pl_verdict;
struct pl_story;
struct track_subnet;
struct track_ulps;

/* What was found: one finding, or several of which the first is told. */
struct pl_line {
	uint64_t frame; /* 0: about the whole file */
	enum lint_severity severity;
	enum lint_rule_id rule;
	const struct track_flow *flow; /* NULL: none */
	const char *message;
};

/* Findings of a rule that a page has, unless --max-per-rule says otherwise. */
#define PL_HTML_FINDINGS 20u

struct pl_sink {
	/* Findings of a capture that this form has at most, however many of a rule; 0: as --max-per-rule has it. */
	uint64_t most;
	/* Its findings name the incident that they are part of, and wait for that. */
	bool parts;
	/* It says where in their files the records of frames are. */
	bool places;
	/* All of a capture is written at its end, connections and verdict too, whatever was asked for: a page for people. */
	bool page;
	/* Before all captures, and after them. NULL: there is nothing around them. */
	void (*open)(struct pl_output *output);
	void (*close)(struct pl_output *output);
	/* Before the findings of a capture, and after them, whatever was asked for. NULL: likewise. */
	void (*begin)(struct pl_report *report);
	void (*end)(struct pl_report *report);
	void (*finding)(struct pl_report *report, const struct lint_finding *finding);
	/* One line per cause. NULL: this form shows each finding as it comes. */
	void (*group)(struct pl_report *report, const struct pl_group *group);
	/* How many findings of each rule have no line of a cause, as there are too many causes. NULL: likewise. */
	void (*causes)(struct pl_report *report, const uint64_t of_rule[LINT_RULE_COUNT]);
	/* The findings of one rule and flow that were not shown. */
	void (*sum)(struct pl_report *report, const struct pl_limited *limited);
	/* All three in one shape: those are pl_line_finding() and so on then. NULL: they are the sink's own. */
	void (*line)(struct pl_report *report, const struct pl_line *line);
	/* --stats: the connections, in order of their numbers. NULL: this form has no place for them. */
	void (*flows)(struct pl_report *report, const struct track_qp *const *qps, unsigned int n);
	/* --stats: MAD clients and what they ask for. NULL: likewise. */
	void (*mads)(struct pl_report *report, const struct track_transact *mads);
	/* --stats: commands of upper layers. NULL: likewise. */
	void (*upper)(struct pl_report *report, const struct track_ulps *ulps);
	/* --stats: who sends to whom. NULL: likewise. */
	void (*pairs)(struct pl_report *report);
	/* --stats: the conversations of the CM. NULL: likewise. */
	void (*cm)(struct pl_report *report, const struct track_cm_list *list);
	/* --stats: what is known of the subnet, after them. NULL: likewise. */
	void (*subnet)(struct pl_report *report, const struct track_subnet *s);
	/* --interval: connections by intervals of time. NULL: likewise. */
	void (*timeline)(struct pl_report *report, const struct track_qp *const *qps,
			 unsigned int n);
	/* --series: the PSNs of directions over time. NULL: likewise. */
	void (*series)(struct pl_report *report, const struct track_qp *const *qps, unsigned int n);
	/* An incident, by their numbers. NULL: likewise. */
	void (*incident)(struct pl_report *report, const struct pl_incident *incident);
	/* One that is told as it closes, live. NULL: none is. */
	void (*incident_now)(struct pl_report *report, const struct pl_incident *incident);
	/* All of them, before the findings that are part of none. NULL: likewise. */
	void (*incidents)(struct pl_report *report, const struct pl_incident *incidents,
			  unsigned int n);
	/* What is wrong in the capture; nothing may be. NULL: likewise. */
	void (*verdict)(struct pl_report *report, const struct pl_verdict *verdict);
	/* After findings: what the capture lacks of connections with incidents, by enum track_doubt. NULL: likewise. */
	void (*captured)(struct pl_report *report, uint16_t doubt);
	/* One of the worst connections, worst first. NULL: likewise. */
	void (*worst)(struct pl_report *report, const struct track_qp *qp);
	/* --story: what happened to a connection, or why there is nothing to tell. NULL: likewise. */
	void (*story)(struct pl_report *report, const struct pl_story *story);
	/* The last of a capture, with what is true of it as a whole. NULL: end() says it. */
	void (*summary)(struct pl_report *report);
	/* Of several captures, what is true of all. NULL: this form has no place for it. */
	void (*total)(struct pl_report *report, unsigned int files);
};

/* The rule with most in @of_rule of those not @said yet, which is said from now on; LINT_RULE_COUNT: there is none. */
enum lint_rule_id pl_rule_next(const uint64_t of_rule[LINT_RULE_COUNT], bool said[LINT_RULE_COUNT]);

/* "FILE:7: warning: QPS008 nak-seq-error: ", as each line of text begins that is about a packet. */
void pl_text_head(struct pl_report *report, uint64_t frame, enum lint_severity severity,
		  enum lint_rule_id rule);

#define PL_SINK(name) extern const struct pl_sink pl_sink_##name;
#include "pcap-lint/options/sinks.def"

/* sinks.c: that of a format. */
const struct pl_sink *pl_sink_of(enum pl_format format);

void pl_line_finding(struct pl_report *report, const struct lint_finding *finding);
void pl_line_group(struct pl_report *report, const struct pl_group *group);
void pl_line_sum(struct pl_report *report, const struct pl_limited *limited);

/* The costliest first; others are counted. */
#define PL_LINE_INCIDENTS 10u
void pl_line_incidents(struct pl_report *report, const struct pl_incident *incidents,
		       unsigned int n);

/* "x.pcap:15: error: 10.7.0.1 -> 10.7.0.2 qp 0x000018: ..."; freed by the caller. */
char *pl_line_text(struct pl_report *report, const struct pl_line *line);

/* Related frames that a finding names; it may have thousands. */
#define PL_RELATED_SHOWN 8u

/* "34 more, up to frame 48213": what a sum says, in any form. */
void pl_out_sum(struct ibw_out *o, const struct pl_report *report,
		const struct pl_limited *limited);

#endif /* PL_SINK_H */
