/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flow.h - connections in a report: their names, which are worst, and how they are written.
 *
 * Their figures are those of track/way/figures.def, which has their names, titles and counters. A
 * figure added there appears in JSON and in the text of --stats -v.
 */
#ifndef PL_FLOW_H
#define PL_FLOW_H

#include "report.h"
#include "track/cm/cm_list.h"
#include "track/measure/measure.h"
#include "track/measure/waited.h"
#include "track/track.h"
#include "track/way/history.h"
#include "track/way/qp_state.h"

/* They by their serials, uint64_t; freed by the caller. */
GHashTable *pl_flows_by_serial(const struct track_qp *const *qps, unsigned int n);

/* "10.7.0.1": the end that sends @way. */
const char *pl_flow_address(const struct track_qp *qp, enum track_way way,
			    char buf[TRACK_ADDRESS_TEXT]);

/* "RC" */
const char *pl_flow_service(const struct track_qp *qp);

/* "TCP 4420": the port that its REQ asks for; NULL: not known, or no port. */
#define PL_FLOW_UPPER 32
const char *pl_flow_upper(const struct track_qp *qp, char buf[PL_FLOW_UPPER]);

/* "NFS 20049": what the CM says that the connection of a flow is for; NULL: not known. NULL for either is fine. */
const char *pl_flow_named(const struct track *track, const struct track_flow *flow,
			  char buf[TRACK_CM_SERVICE_TEXT]);

/* "cm", "learnt" or "none": by what both ends are known. */
const char *pl_flow_setup(const struct track_qp *qp);

/* "10.7.0.1 qp 0x17 (23)"; "10.7.0.1 qp 23" */
void pl_out_end(struct ibw_out *o, const struct track_qp *qp, enum track_way way);

/* "LID 0x0004 (host 3)": the source, else the destination of a flow, with the name of its node as far as it is known. */
void pl_out_host(struct ibw_out *o, const struct pl_report *report, const struct track_flow *flow,
		 bool source);

/* "LID 0x0004 (host 3) -> LID 0x0002 qp 0x000001": track_flow_text() with those names. */
void pl_out_flow(struct ibw_out *o, const struct pl_report *report, const struct track_flow *flow);

/* The same two as strings. */
#define PL_HOST_TEXT (TRACK_ADDRESS_TEXT + TRACK_NODE_SHORT)
#define PL_FLOW_TEXT (TRACK_FLOW_TEXT + 2 * TRACK_NODE_SHORT)
const char *pl_host_text(const struct pl_report *report, const struct track_flow *flow, bool source,
			 char buf[PL_HOST_TEXT]);
const char *pl_flow_text(const struct pl_report *report, const struct track_flow *flow,
			 char buf[PL_FLOW_TEXT]);
void pl_out_short_end(struct ibw_out *o, const struct track_qp *qp, enum track_way way);

/* "mid-stream, clock": what the capture does not show, but what the state says already. */
#define PL_FLOW_DOUBT 128
const char *pl_flow_doubt(const struct pl_report *report, const struct track_qp *qp,
			  char buf[PL_FLOW_DOUBT]);

/* The same of enum track_doubt. */
const char *pl_doubt_text(unsigned int doubt, bool mid_stream, char buf[PL_FLOW_DOUBT]);

/* "592 k"; "4.8 ms" */
void pl_bytes_text(char *buf, size_t size, uint64_t n);
void pl_time_text(char *buf, size_t size, uint64_t ns);
void pl_out_ns(struct ibw_out *o, uint64_t ns);

/* ", 3 refused"; nothing of none. */
void pl_out_some(struct ibw_out *o, uint64_t n, const char *what);

/* Of all, in percent. */
unsigned int pl_percent(uint64_t n, uint64_t all);

/* Packets sent again of all requests, in percent. */
unsigned int pl_flow_resent(const struct track_dir *d);

/* The sum of both directions. */
uint64_t pl_flow_figure(const struct track_qp *qp, enum track_figure figure);

/* Gaps in the PSNs of requests that were more than late packets, of both directions. */
uint64_t pl_flow_gaps(const struct track_qp *qp);
uint64_t pl_flow_response_gaps(const struct track_qp *qp);

/* Whether there is anything to say against it. */
bool pl_flow_is_bad(const struct track_qp *qp);

/*
 * How bad a connection is: of two the first number that differs tells which is worse, the last one is no fault. Of those
 * alike in all of them the lower number is first.
 */
enum pl_badness {
	PL_FATAL,
	PL_TIMEOUTS,
	PL_RESENT,
	PL_SEQUENCE_NAKS,
	PL_RNR_NAKS,
	PL_GAPS,
	PL_BAD_CRC,
	PL_PACKETS,
	PL_BADNESS
};

void pl_flow_badness(const struct track_qp *qp, uint64_t bad[PL_BADNESS]);
int pl_badness_compare(const uint64_t a[PL_BADNESS], const uint64_t b[PL_BADNESS]);

/*
 * Worst first: failed or refused for good, then by timeouts, packets sent again (in percent), sequence NAKs,
 * RNR NAKs, gaps, packets with a bad ICRC, then by packets. Those alike in all that stay in order.
 */
void pl_flow_sort(const struct track_qp **qps, unsigned int n);

/* Those of all @n that there is something to say against, the worst ones, worst first; how many. */
#define PL_FLOW_WORST 3u
unsigned int pl_flow_worst(const struct track_qp *const *qps, unsigned int n,
			   const struct track_qp *worst[PL_FLOW_WORST]);

/* What it waited for, by track/measure/waits.def. */
void pl_flow_waited(const struct pl_report *report, const struct track_qp *qp,
		    uint64_t ns[TRACK_WAIT_COUNT]);

/* The same of all of them together; the sum of all causes. */
uint64_t pl_flows_waited(const struct pl_report *report, const struct track_qp *const *qps,
			 unsigned int n, uint64_t ns[TRACK_WAIT_COUNT]);

/* "57.1 %", of a share that may be as large as the whole */
void pl_out_share(struct ibw_out *o, uint64_t some, uint64_t all);

/* "application 57.1 %, ACKs 42.8 %", of @all of it. */
void pl_out_waits(struct ibw_out *o, const uint64_t ns[TRACK_WAIT_COUNT], uint64_t all);

/* A line of text: all connections, or one; nothing, if no time went by. */
void pl_text_waited(struct pl_report *report, const struct track_qp *const *qps, unsigned int n);
void pl_text_qp_waited(struct pl_report *report, const struct track_qp *qp);

/* Keys and values; an object of all connections. */
void pl_json_waits(struct ibw_out *o, const uint64_t ns[TRACK_WAIT_COUNT]);
void pl_json_waited(struct pl_report *report, const struct track_qp *const *qps, unsigned int n);

/* A key and the object {"count":n, ...} of a histogram. */
void pl_json_histogram(struct pl_output *output, const char *name, const struct track_histogram *h);

/* "doubt":["clock", ...] of enum track_doubt. */
void pl_json_doubts(struct ibw_out *o, uint16_t doubt);

/* The same under another key. */
void pl_json_doubts_as(struct ibw_out *o, const char *key, uint16_t doubt);

/* A figure of a direction, and what it has of one kind of message: the first of each has no comma before it. */
void pl_json_figure(struct ibw_out *o, enum track_figure figure, bool known, uint64_t n);
void pl_json_messages(struct ibw_out *o, enum track_verb verb, uint64_t n);

/* Of a connection among all: its place in the table, 1 is the worst; and its incidents that are told. */
struct pl_standing {
	uint64_t incidents;
	bool known; /* the number of incidents */
	unsigned int rank;
};

/* A line of JSON; the keys of its standing. */
void pl_json_flow(struct pl_report *report, const struct track_qp *qp,
		  const struct pl_standing *standing);
void pl_json_standing(struct pl_report *report, const struct pl_standing *standing);

/* The table of --stats, worst first, those of iWARP with the others; with -v all figures. */
void pl_text_flows(struct pl_report *report, const struct track_qp *const *qps, unsigned int n);

/* -v: what the table has no room for. */
void pl_text_details(struct pl_report *report, const struct track_qp *qp);

/* "                12  packets": a line of it, if it is not 0. */
void pl_text_figure(struct pl_output *output, const char *title, const char *counter, uint64_t n);
void pl_text_duration(struct pl_output *output, const char *title, uint64_t ns);

/* ": 3 timeouts, ...": what there is to say against it; nothing, if there is nothing. */
/* What the CM has of a connection; NULL: none of its messages were captured. */
struct track_cm_record;
const struct track_cm_record *pl_flow_cm(const struct pl_report *report, const struct track_qp *qp);

/* "failed, closed by A, no DREP": what became of it. */
void pl_out_state(struct ibw_out *o, const struct pl_report *report, const struct track_qp *qp);

/* ", nothing at all from 10.7.0.2 any more": who did not answer what was sent @way; nothing, if that is not known. */
void pl_out_ending(struct ibw_out *o, const struct pl_report *report, const struct track_qp *qp,
		   enum track_way way);

/* Whether there is anything of the kind to say of either way. */
bool pl_flow_has_ending(const struct pl_report *report, const struct track_qp *qp);

void pl_out_against(struct ibw_out *o, const struct pl_report *report, const struct track_qp *qp);

/* "worst: ...": a line of text. */
void pl_text_worst(struct pl_report *report, const struct track_qp *qp);

#endif /* PL_FLOW_H */
