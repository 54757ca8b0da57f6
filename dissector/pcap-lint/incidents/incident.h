/* SPDX-License-Identifier: GPL-2.0-or-later */
/* incident.h - incidents in a report: those of the connections that are shown, and what proves them. */
#ifndef PL_INCIDENT_H
#define PL_INCIDENT_H

#include "lint/mgmt/mad_text.h"
#include "pcap-lint/report/report.h"
#include "track/cm/cm_list.h"
#include "track/incident/incident.h"
#include "track/iwarp/stall.h"
#include "track/mgmt/mad_asked.h"
#include "track/view/rmpp_trouble.h"

/* Rules whose findings are traces of incidents: of their connection one tells what they tell. */
enum pl_trace {
#define PL_TRACE(rule, states) PL_TRACE_##rule,
#include "verdict.def"
	PL_TRACE_COUNT
};

/* PL_TRACE_COUNT: they are not. */
enum pl_trace pl_trace_of(enum lint_rule_id rule);

/* What the findings of a trace are about; of no trace, too, requests of queue pairs. */
enum pl_trace_about {
	PL_ABOUT_REQUESTS,
	PL_ABOUT_MESSAGES,  /* of the CM, and other MADs */
	PL_ABOUT_TRANSFERS, /* of RMPP */
	PL_ABOUT_MARKS,     /* and CNPs */
	PL_ABOUT_SEGMENTS   /* of iWARP */
};

enum pl_trace_about pl_trace_about(enum lint_rule_id rule);

/* Messages, transfers and marks are known by frames. */
bool pl_is_managed_trace(enum lint_rule_id rule);

static inline bool pl_is_trace(enum lint_rule_id rule)
{
	return pl_trace_of(rule) != PL_TRACE_COUNT;
}

enum lint_rule_id pl_trace_rule(enum pl_trace trace);

struct pl_incident {
	const struct track_incident *incident;
	const struct track_qp *
		qp; /* NULL: it is about a conversation of the CM, MADs, a transfer of RMPP, or iWARP */
	const struct track_cm_record *conversation;
	const struct track_mads_asked *mads;           /* NULL: it is about none */
	struct track_mads_alike alike;                 /* of those, its requests */
	const struct track_transfer_trouble *transfer; /* NULL: it is about none */
	const struct track_marked_way *congestion;     /* NULL: it is about no marks and CNPs */
	const struct track_stall *stall;   /* NULL: it is about no connection of iWARP */
	uint32_t stalled;                  /* the number of that connection */
	const struct track_qp *connection; /* @qp, or what the conversation set up; NULL: nothing */
	unsigned int number;               /* among all of the capture */
	enum lint_rule_id rule;            /* that proves it, or would */
	bool proved;                       /* a warning or an error does */
	const char *message; /* of the finding that shows a refusal; NULL: it is not at hand */
	uint32_t findings[PL_TRACE_COUNT]; /* that are part of it */
	/* Others of its way and kind, which have no place of their own */
	struct track_incidents_rest rest;
	/* By kind, hosts and time: those with the same cause lie next to each other. NULL: at the ends. */
	const struct pl_incident *before, *after;
};

/* It, and those of its way and kind that have no place of their own. */
static inline uint64_t pl_incident_count(const struct pl_incident *incident)
{
	return 1 + incident->rest.n;
}

/* Whose way it is about; NULL: it is about hosts, or iWARP. */
static inline const struct track_qp *pl_incident_way_of(const struct pl_incident *incident)
{
	return incident->congestion ? incident->connection : incident->qp;
}

/* The connection that it is of; false: of none that is known. */
static inline bool pl_incident_connection(const struct pl_incident *incident, uint32_t *number)
{
	if (incident->stall) {
		*number = incident->stalled;
		return incident->stall->connection != TRACK_STALL_NO_CONNECTION;
	}
	*number = incident->connection ? incident->connection->number : 0;
	return incident->connection != NULL;
}

/* The hosts of a conversation, of its client, of requests of MADs, of the data of a transfer, or of TCP segments: a flow without a queue pair. */
void pl_incident_hosts(const struct pl_incident *incident, struct track_flow *flow);

/* The frames, uint64_t, by which findings of a conversation, of MADs or of a transfer are known; g_array_unref() it. */
GArray *pl_incident_known_by(const struct pl_report *report, const struct pl_incident *incident);

/* What the capture lacks of what it is about: enum track_doubt. */
uint16_t pl_incident_doubt(const struct pl_report *report, const struct pl_incident *incident);

/* It was sent again, and neither a timer nor a NAK that is known of is the reason. */
bool pl_incident_is_unasked(const struct pl_incident *incident);

/* What else may be the cause, where the capture lacks packets by @doubt; NULL: nothing. */
const char *pl_incident_or_else(enum track_incident_kind kind, uint16_t doubt);

/* All of the capture, with those that are not shown; NULL: nobody asked for any. */
const struct track_incidents *pl_incidents_all(const struct pl_report *report);

/* Those of the connections of @report, by their numbers; freed by the caller. */
struct pl_incident *pl_incidents_of(const struct pl_report *report, unsigned int *n);

/* Whether it has a line of text, or is in one: it is proved, and of a level that is shown. */
bool pl_incident_is_told(const struct pl_report *report, const struct pl_incident *incident);

/* Those of them, errors first, then the costliest; freed by the caller. */
const struct pl_incident **pl_incidents_told(const struct pl_report *report,
					     const struct pl_incident *incidents, unsigned int n,
					     unsigned int *told);

/* Sets before and after of each. */
void pl_incidents_link(struct pl_incident *incidents, unsigned int n);

/*
 * Those of the same kind of other connections between the same hosts, one of each, within a second: one cause, as far as
 * anybody can tell. The nearest ones, the earlier first; how many there are.
 */
#define PL_INCIDENTS_LIKE 31u
unsigned int pl_incidents_like(const struct pl_incident *incident,
			       const struct pl_incident *like[PL_INCIDENTS_LIKE]);

/* All of them, however many: those before it, then those after, the nearest first. */
void pl_incidents_each_like(const struct pl_incident *incident,
			    void (*take)(const struct pl_incident *like, void *data), void *data);

/* "8 connections": those between the hosts of @qp, its own included, @least at least; "2 connections shown", where not all are asked for. */
void pl_out_connections_between(struct ibw_out *o, const struct pl_report *report,
				const struct track_qp *qp, unsigned int least);

/* "RC RDMA WRITE Middle", "REQ", "SubnAdm Get(PathRecord)"; NULL: its root is not in the capture. */
const char *pl_incident_operation(const struct pl_incident *incident, char buf[LINT_MAD_TEXT]);

/* Of MADs, the request that is its root. */
const struct track_mad_asked *pl_incident_root_mad(const struct pl_incident *incident);

/* The way of its requests, or of the messages of the CM, or of the first of its MADs, or of its segments. */
void pl_incident_flow(const struct pl_incident *incident, struct track_flow *flow);

/* The level of its rule; a note, if nothing proves it. */
enum lint_severity pl_incident_severity(const struct pl_incident *incident);

/* A line of text. */
void pl_text_incident(struct pl_report *report, const struct pl_incident *incident);

/* Lines of text: the costliest, the others of a kind in a line. */
void pl_text_incidents(struct pl_report *report, const struct pl_incident *incidents,
		       unsigned int n);

/* "NAK remote access error, that R_Key was never accepted"; whether the code of the NAK is not reserved. */
void pl_out_refusal(struct ibw_out *o, const struct track_incident *i);
bool pl_refusal_is_known(const struct track_incident *i);

/* ", and the REQ allows 3 retries", if the REQ was captured; NULL: it was not. */
void pl_out_retries(struct ibw_out *o, const struct track_agreed *agreed);

/* "10.7.0.1 -> 10.7.0.2": pl_incident_hosts(), with the names of their nodes */
void pl_out_incident_hosts(struct ibw_out *o, const struct pl_report *report,
			   const struct pl_incident *incident);

/* A line about an incident. */
struct pl_incident_line {
	const struct pl_report *report;
	struct ibw_out *o;
	const struct track_incident *i;
	const char *file; /* whose frames have their numbers; NULL: all have those of the report */
};

/* " in frame 12": @before, and the frame as its reader finds it. */
void pl_out_incident_frame(const struct pl_incident_line *l, const char *before, uint64_t frame);

/* A sentence without its connection; frames as the reader of @file finds them, of NULL with the numbers of @report. */
void pl_out_incident(struct ibw_out *o, const struct pl_report *report,
		     const struct pl_incident *incident, const char *file);
#define PL_INCIDENT_TEXT 2560
const char *pl_incident_text(const struct pl_report *report, const struct pl_incident *incident,
			     const char *file, char buf[PL_INCIDENT_TEXT]);

/* The frames that it consists of, the one that shows it first; how many there are. */
#define PL_INCIDENT_FRAMES 20u
struct pl_incident_frame {
	uint64_t frame;
	const char *what; /* "the NAK" */
};
unsigned int pl_incident_frames(const struct pl_report *report, const struct pl_incident *incident,
				struct pl_incident_frame frames[PL_INCIDENT_FRAMES]);

/* "source_node", "destination_node": the names of the nodes of a flow, as far as they are known. */
void pl_json_nodes(struct pl_report *report, const struct track_flow *flow);

/* A line of JSON; "file_offset", if it is known. */
void pl_json_place(struct pl_report *report, uint64_t number);
void pl_json_incident(struct pl_report *report, const struct pl_incident *incident);

#endif /* PL_INCIDENT_H */
