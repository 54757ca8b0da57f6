/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report.h - the report of one capture: findings as they are found, sums, a summary.
 *
 * Counting and choosing what to show are the same for all formats (report.c); a sink turns what is
 * shown into characters (sink.h).
 */
#ifndef PL_REPORT_H
#define PL_REPORT_H

#include <lint/lint.h>

#include "pcap-lint/base/frames.h"
#include "limit.h"
#include "pcap-lint/options/options.h"
#include "pcap-lint/base/output.h"
#include "track/way/qp.h"

#define PL_DSCP_VALUES 64

struct pl_commented;
struct pl_html;
struct pl_interfaces;
struct pl_iwarp;
struct pl_pairs;
struct pl_proofs;
struct pl_said;
struct pl_whose;

/* What is true of the capture as a whole. */
struct pl_totals {
	uint64_t packets;
	uint64_t copies;   /* captured twice, not among those: they count in nothing else */
	uint64_t bytes;    /* on the wire */
	uint64_t begin_ns; /* of the first packet that has a time; 0: none has */
	uint64_t first_ns, last_ns; /* the earliest and the latest time; 0: no packet has one */
	uint64_t protocols[IBW_PROTO_COUNT];
	uint64_t ect, ce, cnp;         /* packets with a BTH: by ECN, and of opcode CNP */
	uint64_t dscp[PL_DSCP_VALUES]; /* packets of RoCE v2 */
	uint64_t connections;
	uint64_t refused;      /* of those, by a REJ or a reply of MPA */
	uint64_t empty;        /* others without a packet but for the CM's */
	bool more_connections; /* there were more than could be told apart */
	uint64_t iwarp, fpdus; /* of those, of iWARP; and their FPDUs */
	uint64_t unexamined;   /* packets in a form that nothing is said of: CAP019 */
	/* For want of memory, CAP021: connections that made room, directions that got none, and whatever else made room */
	uint64_t evicted, unfollowed, forgotten;
	uint64_t severities[LINT_SEVERITY_COUNT];
	uint64_t rules[LINT_RULE_COUNT];
	uint64_t shown[LINT_RULE_COUNT]; /* those of them at or above --severity */
	uint64_t firm[LINT_RULE_COUNT];  /* and of those warnings and errors */
	uint64_t withheld;               /* at note level, for doubt */
	uint16_t withheld_doubt;         /* enum track_doubt of those */
};

/* The values of a traffic class. */
#define PL_TCLASSES 256

/* Refusals that are told in full. */
#define PL_REFUSALS_MAX 65536u

struct pl_report {
	const struct pl_options *options;
	struct pl_output *output;
	const struct pl_sink *sink;
	const struct track *track; /* knows the connections of findings; NULL: nobody does */
	struct pl_frames frames;   /* where the frames of findings are */
	struct pl_limit *limit;
	struct pl_stories *stories; /* NULL: nobody wants one */
	struct pl_groups *groups;   /* NULL: findings are shown as they come */
	struct pl_later *later;     /* NULL: no queue pair is asked for */
	struct pl_later
		*traces; /* findings that may be part of incidents; NULL: each has its own line */
	GArray *told; /* incidents, by their numbers, that were told before the end; NULL: not live */
	uint64_t n_told, looked_at; /* of those; and what there was at the last look */
	gint64 look_at;             /* not before */
	GHashTable *refusals; /* frame of a NAK -> what its finding says; NULL: there was none */
	const struct pl_whose *
		whose; /* the connection of the finding at hand; NULL: that which has its flow now */
	const struct pl_incident
		*part_of; /* the finding at hand is; NULL: of none, or it is not known */
	bool parts_known; /* it is known by now of which incidents findings are part */
	const struct track_qp *const *qps; /* all connections, at the end; NULL: not known */
	unsigned int n_qps;
	const struct pl_iwarp *iwarp; /* those of iWARP, with --stats */
	unsigned int n_iwarp;
	uint32_t first_iwarp;             /* the number that the first of all those of iWARP has */
	bool summed;                      /* a line stands for several findings */
	bool broken;                      /* some of the capture could not be read */
	uint64_t written, unwritten;      /* findings, by a sink that has a limit */
	uint64_t incidents;               /* that have a line, or are in one */
	uint32_t story;                   /* the connection of the costliest */
	bool story_known;                 /* it is of one */
	uint64_t kept;                    /* findings in @traces that are no traces */
	uint64_t folded[LINT_RULE_COUNT]; /* findings that are part of those */
	struct pl_pairs *pairs;           /* who sends to whom; NULL: nobody asks */
	struct pl_proofs *proofs; /* of what is said of the capture as a whole; NULL: nothing is */
	struct pl_commented *commented;   /* gets findings, too; NULL: nobody wants it */
	struct pl_html *html;             /* what --format html holds of the capture; else NULL */
	struct pl_said *said;             /* what a sink holds back to its end; NULL: nothing */
	struct pl_records *records;       /* where frames are in their files; NULL: nobody asks */
	struct pl_interfaces *interfaces; /* of those; NULL: likewise */
	const struct pl_incident *list;   /* all incidents, at the end, by their numbers */
	unsigned int n_list;
	struct pl_totals totals;
	/* Packets with a BTH, of RoCE v2 and of others; what comes to ect, ce and dscp of totals. */
	uint64_t tclasses_v2[PL_TCLASSES], tclasses[PL_TCLASSES];
	enum pl_limited_to to;           /* what becomes of the finding at hand */
	bool explained[LINT_RULE_COUNT]; /* with -v */
	uint64_t rows[LINT_RULE_COUNT];  /* findings that a page shows */
	bool waits;                      /* the finding at hand, in @later */
	bool shown;                      /* it is */
	bool interrupted;                /* by a signal */
	bool live;      /* packets come as they happen: what can be said before the end is */
	uint16_t doubt; /* enum track_doubt, of all connections */
};

/* What is written before the reports of all captures. */
struct pl_sink;
void pl_report_begin(struct pl_output *output, const struct pl_sink *sink);

/*
 * @sink writes it. @track knows the connections of findings; NULL: nobody does. @live: packets come as they are made.
 * pl_frames_file(&report->frames, ...) says which file frames are of, before the first of them.
 */
void pl_report_open(struct pl_report *report, const struct pl_options *options,
		    struct pl_output *output, const struct pl_sink *sink, const struct track *track,
		    bool live);

/* Whether it tells incidents, or what is wrong with the capture as a whole. */
bool pl_report_wants_incidents(const struct pl_report *report);

/* Whether connections are measured for it, as with --stats. */
bool pl_report_has_stats(const struct pl_report *report);

/* Whether it has the PSNs of directions over time. */
bool pl_report_has_series(const struct pl_report *report);

/* Whether it has figures by intervals of time. */
bool pl_report_has_timeline(const struct pl_report *report);

/* Findings of a rule and half that are worth keeping with their words: struct lint_options. */
uint64_t pl_report_held(const struct pl_report *report);

/* A packet more, for the totals. */
struct capture_packet;
void pl_report_packet(struct pl_report *report, const struct capture_packet *record,
		      const struct ibw_packet *pkt);
void pl_report_plain(struct pl_report *report, const struct capture_packet *record,
		     const struct track_plain *p);

/*
 * Whether it was captured just now. What is older is of a file that a program reads for us: of that all is known at its end, and
 * what is said then does not depend on how fast it comes.
 */
bool pl_is_now(uint64_t time_ns);

/* Live: what can be said by now is. @idle: nothing is to be read. */
void pl_report_tick(struct pl_report *report, bool idle);

/* For lint_new(): findings go to @report. */
struct lint_sink pl_report_sink(struct pl_report *report);

/*
 * The sums, with --stats the connections, and unless options->quiet the worst of them and the summary. @qps are
 * all connections; NULL: nobody followed them.
 */
void pl_report_close(struct pl_report *report, const struct track_qp *const *qps, unsigned int n);

/*
 * What is true of all captures together, if there were several; with --count-rules that alone. Then what is written
 * after all of them.
 */
void pl_report_total(struct pl_output *output, const struct pl_options *options,
		     const struct pl_sink *sink, const struct pl_totals *all, unsigned int files);

/* Whether there were findings at or above --fail-on. */
bool pl_report_failed(const struct pl_report *report);

#endif /* PL_REPORT_H */
