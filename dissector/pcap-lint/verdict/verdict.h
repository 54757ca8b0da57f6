/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * verdict.h - the verdict: what is wrong in a capture, in at most three sentences, worst first.
 *
 * It is based on the incidents of connections and on the number of findings of each rule at level warning or
 * error, within the selection: so it says nothing that no finding says.
 */
#ifndef PL_VERDICT_H
#define PL_VERDICT_H

#include "pcap-lint/incidents/incident.h"

enum pl_state {
#define PL_STATE(id, name) PL_STATE_##id,
#define PL_STATE_OF_RULES(id, name, words, in) PL_STATE_##id,
#include "pcap-lint/incidents/verdict.def"
	PL_STATE_NONE,
	PL_STATE_COUNT
};

extern const char *const pl_state_names[PL_STATE_COUNT];

#define PL_SENTENCES 3u
#define PL_SENTENCE_TEXT 1536
#define PL_SENTENCE_CONNECTIONS 8u

/* What a sentence says, and of whom. */
struct pl_sentence {
	enum pl_state state;
	char text[PL_SENTENCE_TEXT];
	uint32_t connection[PL_SENTENCE_CONNECTIONS]; /* the costliest first */
	unsigned int n_connections, all_connections;
	uint64_t incidents, findings, resent, requests, ns, of_ns; /* 0: not said */
	/* Of conversations of the CM, or of requests of MADs, between two hosts: those that came more than once, or some of whose messages did */
	uint64_t repeated;
	uint64_t cm_all, cm_open_ns, cm_close_ns; /* all conversations, how long those took */
	uint64_t cm_rejected;                     /* or those that were rejected */
	/* Of upper layers, and of MADs, between two hosts */
	uint64_t commands, failed, unanswered;
	/* Of congestion: connections, their packets marked CE, and CNPs about those */
	uint64_t congested, marks, cnps;
};

struct pl_verdict {
	struct pl_sentence sentence[PL_SENTENCES];
	unsigned int n;
	uint64_t kinds[TRACK_INCIDENT_COUNT]; /* of incidents */
};

void pl_verdict(struct pl_report *report, const struct pl_incident *incidents, unsigned int n,
		struct pl_verdict *verdict);

/* One way of a connection, and its incidents. */
struct pl_side {
	const struct track_qp *qp;
	enum track_way way;
	const struct track_incident *first[TRACK_INCIDENT_COUNT]; /* the costliest of its kind */
	uint64_t count[TRACK_INCIDENT_COUNT];
	/* pl_incident_is_unasked(), in no count: of what was answered, and of what was not */
	uint64_t unasked[2];
	uint64_t resent[PL_STATE_COUNT];  /* packets, as ns */
	uint64_t ns[PL_STATE_COUNT];      /* without progress; of lost, what is slow counts, too */
	GArray *spans[PL_STATE_COUNT];    /* of which these are the sums, with */
	uint64_t rest_ns[PL_STATE_COUNT]; /* those that are not listed */
	uint64_t waited_ns;               /* of that between a NAK and the resend */
	uint64_t rnr;
	uint64_t sort_ns; /* by it they are sorted */
};

/* verdict_say.c: what happened to the first of @n, all of them between the same hosts, and to the others. */
void pl_verdict_say(struct pl_report *report, struct pl_sentence *s,
		    const struct pl_side *const *sides, unsigned int n);

/* Whether both go from one host to the same other one, written alike. */
bool pl_verdict_same_hosts(const struct track_flow *a, const struct track_flow *b);

/*
 * verdict_cm.c: ", A -> B: messages of 4 of 8 connections came more than once, up to 6.2 s to open", or how many were rejected;
 * nothing, if none were.
 */
void pl_verdict_say_cm(const struct pl_report *report, struct pl_sentence *s, struct ibw_out *o);

/*
 * verdict_mad.c: ", A -> B: 3 requests not answered, 2 answered late; the longest, SubnAdm Get(PathRecord), waited 5.6 s", and which
 * transfers of RMPP were held up, of those incidents that are proved; nothing, if there are none.
 */
void pl_verdict_say_mad(const struct pl_report *report, struct pl_sentence *s, struct ibw_out *o,
			const struct pl_incident *incidents, unsigned int n);

/* verdict_cc.c: ", 2 connections: 120 packets marked CE, 38 CNPs". False: there is nothing to say. */
bool pl_verdict_say_cc(struct pl_sentence *s, struct ibw_out *o,
		       const struct pl_incident *incidents, unsigned int n);

/* verdict_upper.c: likewise of commands of upper layers. False: there is nothing to say. */
bool pl_verdict_say_upper(const struct pl_report *report, struct pl_sentence *s, struct ibw_out *o);

/* verdict_iwarp.c: which message an end of iWARP refused, and why; for how long TCP held messages up. False: there is nothing to say. */
bool pl_verdict_say_iwarp(const struct pl_report *report, enum pl_state state, struct ibw_out *o);

/* All of its sentences; "no findings" without any. */
#define PL_VERDICT_TEXT ((size_t)PL_SENTENCES * (PL_SENTENCE_TEXT + 2))
const char *pl_verdict_text(const struct pl_verdict *verdict, char buf[PL_VERDICT_TEXT]);

void pl_text_verdict(struct pl_report *report, const struct pl_verdict *verdict);

/* A line: what limits the verdict. */
void pl_text_captured(struct pl_report *report, uint16_t doubt);
void pl_json_verdict(struct pl_report *report, const struct pl_verdict *verdict);

#endif /* PL_VERDICT_H */
