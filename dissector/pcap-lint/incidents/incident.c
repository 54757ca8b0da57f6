/* SPDX-License-Identifier: GPL-2.0-or-later */
/* incident.c - the incidents of the connections that are shown. */
#include <stdlib.h>

#include "pcap-lint/options/chosen.h"
#include "pcap-lint/report/flow.h"
#include "incident.h"
#include "incident_stall.h"
#include "proof.h"
#include "track/iwarp/iwarp.h"
#include "track/stream/qps.h"
#include "track/track.h"
#include "track/way/qp_state.h"

/* The rule that says it, if it finds it. */
static enum lint_rule_id own_rule(const struct track_incident *i)
{
	static const uint16_t rules[TRACK_INCIDENT_COUNT] = {
#define PL_INCIDENT(kind, rule, state) [TRACK_INCIDENT_##kind] = LINT_##rule,
#include "verdict.def"
	};

	return (enum lint_rule_id)rules[i->kind];
}

static const uint16_t traces[PL_TRACE_COUNT] = {
#define PL_TRACE(rule, states) [PL_TRACE_##rule] = LINT_##rule,
#include "verdict.def"
};

enum pl_trace pl_trace_of(enum lint_rule_id rule)
{
	unsigned int i;

	for (i = 0; i < PL_TRACE_COUNT && traces[i] != rule; i++)
		;
	return (enum pl_trace)i;
}

enum pl_trace_about pl_trace_about(enum lint_rule_id rule)
{
	static const uint8_t about[LINT_RULE_COUNT] = {
#define PL_CM_TRACE(rule, states) [LINT_##rule] = PL_ABOUT_MESSAGES,
#define PL_MAD_TRACE(rule, states) [LINT_##rule] = PL_ABOUT_MESSAGES,
#define PL_RMPP_TRACE(rule, states) [LINT_##rule] = PL_ABOUT_TRANSFERS,
#define PL_CC_TRACE(rule, states) [LINT_##rule] = PL_ABOUT_MARKS,
#define PL_TCP_TRACE(rule, states) [LINT_##rule] = PL_ABOUT_SEGMENTS,
#include "verdict.def"
	};

	return (enum pl_trace_about)about[rule];
}

bool pl_is_managed_trace(enum lint_rule_id rule)
{
	const enum pl_trace_about about = pl_trace_about(rule);

	return about != PL_ABOUT_REQUESTS && about != PL_ABOUT_SEGMENTS;
}

enum lint_rule_id pl_trace_rule(enum pl_trace trace)
{
	return (enum lint_rule_id)traces[trace];
}

static bool has_proof(const struct pl_report *report, struct pl_incident *i, enum lint_rule_id rule)
{
	if (!pl_proofs_has(report->proofs, i->qp->serial, rule))
		return false;
	i->rule = rule;
	i->proved = true;
	return true;
}

static void add_frame(GArray *frames, uint64_t frame)
{
	if (frame)
		g_array_append_val(frames, frame);
}

GArray *pl_incident_known_by(const struct pl_report *report, const struct pl_incident *incident)
{
	GArray *frames = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	struct track_cm_sent sent[TRACK_CM_SENT_MAX];
	const struct track_mad_asked *a;
	uint32_t i, n;

	if (incident->conversation) {
		n = track_cm_list_sent(track_conversations(report->track), incident->conversation,
				       sent);
		for (i = 0; i < n; i++)
			add_frame(frames, sent[i].frame);
	}
	for (i = 0; incident->mads && i < incident->alike.n; i++) {
		a = track_mads_asked_at(incident->mads, incident->alike.from + i);
		add_frame(frames, a->given_up_frame);
		add_frame(frames, a->answer_frame);
	}
	if (incident->transfer) { /* findings are related to its first frame */
		add_frame(frames, incident->transfer->first_frame);
		add_frame(frames, incident->transfer->gap_frame);
		if (incident->transfer->stop)
			add_frame(frames, incident->transfer->end_frame);
	}
	if (incident->congestion) {
		add_frame(frames, incident->congestion->mark_frame);
		add_frame(frames, incident->congestion->bare_frame);
	}
	return frames;
}

/* CNPs for marks are no fault, and there is a rule that only tells how they come. */
static enum lint_rule_id rule_of(const struct track_marked_way *is)
{
	if (!is->cnps)
		return LINT_CNG004;
	return is->bare_frame ? LINT_CNG003 : LINT_CNG005;
}

/* The first rule that finds something in it. */
static void set_managed_rule(const struct pl_report *report, struct pl_incident *i)
{
	const enum pl_trace_about about = i->transfer     ? PL_ABOUT_TRANSFERS
					  : i->congestion ? PL_ABOUT_MARKS
							  : PL_ABOUT_MESSAGES;
	GArray *frames = pl_incident_known_by(report, i);
	unsigned int trace, m;

	i->rule = i->congestion ? rule_of(i->congestion) : own_rule(i->incident);
	for (trace = 0; trace < PL_TRACE_COUNT && !i->proved; trace++) {
		const enum lint_rule_id rule = pl_trace_rule((enum pl_trace)trace);

		if (pl_trace_about(rule) != about)
			continue;
		for (m = 0; m < frames->len && !i->proved; m++)
			i->proved = pl_proofs_has_message(report->proofs,
							  g_array_index(frames, uint64_t, m), rule);
		if (i->proved)
			i->rule = rule;
	}
	g_array_unref(frames);
}

/* The rule that finds something in its direction. */
static void set_stall_rule(const struct pl_report *report, struct pl_incident *i)
{
	struct track_flow flow;

	pl_stall_flow(i->stall, &flow);
	i->rule = own_rule(i->incident);
	i->proved = pl_proofs_has_flow(report->proofs, &flow, i->rule);
}

/* Its own rule, or another one that finds what it consists of. */
static void set_rule(const struct pl_report *report, struct pl_incident *i)
{
	const struct track_incident *incident = i->incident;
	enum lint_rule_id own = own_rule(incident);

	if (i->stall) {
		set_stall_rule(report, i);
		return;
	}
	if (!i->qp) {
		set_managed_rule(report, i);
		return;
	}
	i->rule = own;
	if (own == LINT_QPS017 && !incident->timers)
		i->rule = LINT_QPS003;
	else if (has_proof(report, i, own))
		return;
	if ((incident->naks && has_proof(report, i, LINT_QPS008)) ||
	    (incident->timers && has_proof(report, i, LINT_QPS017)))
		return;
	if (own == LINT_QPS017)
		has_proof(report, i, LINT_QPS003);
}

bool pl_incident_is_unasked(const struct pl_incident *incident)
{
	return incident->rule == LINT_QPS003 &&
	       (incident->incident->kind == TRACK_INCIDENT_ANSWER_LOST ||
		incident->incident->kind == TRACK_INCIDENT_NO_ANSWER);
}

/* Whether the capture may lack such packets of the sender of the requests, or of their receiver. */
static bool may_lack(uint16_t doubt, enum track_absent what)
{
	unsigned int i;

	for (i = 0; i < TRACK_DOUBT_COUNT; i++)
		if (doubt & 1u << i && track_doubt_rows[i].absent[TRACK_SHOWN_REQUESTS] & what)
			return true;
	return false;
}

const char *pl_incident_or_else(enum track_incident_kind kind, uint16_t doubt)
{
	bool no_request = may_lack(doubt, TRACK_ABSENT_REQUEST);
	bool no_response = may_lack(doubt, TRACK_ABSENT_RESPONSE);

	switch (kind) {
	case TRACK_INCIDENT_LOST_BEFORE:
	case TRACK_INCIDENT_RESEND_LOST_BEFORE:
	case TRACK_INCIDENT_UC_GAP:
		return no_request ? " (or not captured)" : NULL;
	case TRACK_INCIDENT_LOST_AFTER:
		return no_request ? " (or discarded there)" : NULL;
	case TRACK_INCIDENT_RESPONSE_MISSING:
		return no_response ? " (or not captured)" : NULL;
	case TRACK_INCIDENT_NO_ANSWER:
		return no_response ? " (or the answers were not captured)" : NULL;
	default:
		return NULL;
	}
}

enum lint_severity pl_incident_severity(const struct pl_incident *incident)
{
	return incident->proved ? (enum lint_severity)lint_rules[incident->rule].severity
				: LINT_NOTE;
}

bool pl_incident_is_told(const struct pl_report *report, const struct pl_incident *incident)
{
	return incident->proved && pl_incident_severity(incident) <= report->options->severity;
}

/* False: its connection is not shown, or it may be of a copy. */
static bool add(struct pl_incident *found, unsigned int *n, GHashTable *qps,
		const struct track_incident *incident, unsigned int number)
{
	const struct track_qp *qp = g_hash_table_lookup(qps, &incident->serial);

	if (!qp || track_qp_doubt(qp) & TRACK_DOUBT_TWICE)
		return false;
	found[(*n)++] = (struct pl_incident){
		.incident = incident, .qp = qp, .connection = qp, .number = number
	};
	return true;
}

/* Of a conversation that set up nothing, too. */
static void add_cm(const struct pl_report *report, struct pl_incident *found, unsigned int *n,
		   GHashTable *qps, const struct track_incident *incident, unsigned int number)
{
	const struct track_qp *qp = g_hash_table_lookup(qps, &incident->serial);
	const struct track_cm_record *conversation =
		track_cm_list_get(track_conversations(report->track), incident->cm_frame);

	if (conversation && pl_chosen_conversation(&report->options->chosen, conversation) &&
	    !(qp && track_qp_doubt(qp) & TRACK_DOUBT_TWICE))
		found[(*n)++] = (struct pl_incident){ .incident = incident,
						      .conversation = conversation,
						      .connection = qp,
						      .number = number };
}

/* Those between hosts that are asked for. */
static void add_mads(const struct pl_report *report, struct pl_incident *found, unsigned int *n,
		     const struct track_incident *incident, unsigned int number)
{
	const struct track_mads_asked *mads = track_mads_asked(report->track);
	const struct track_mads_alike *alike = &mads->alike[incident->mads - 1];

	if (pl_chosen_flow(&report->options->chosen, report->track,
			   &track_mads_asked_at(mads, alike->from)->flow) == PL_CHOSEN_YES)
		found[(*n)++] = (struct pl_incident){
			.incident = incident, .mads = mads, .alike = *alike, .number = number
		};
}

static void add_transfer(const struct pl_report *report, struct pl_incident *found, unsigned int *n,
			 const struct track_incident *incident, unsigned int number)
{
	const struct track_transfer_trouble *transfer =
		&track_troubles(report->track)->trouble[incident->transfer - 1];

	if (pl_chosen_flow(&report->options->chosen, report->track, &transfer->flow) ==
	    PL_CHOSEN_YES)
		found[(*n)++] = (struct pl_incident){ .incident = incident,
						      .transfer = transfer,
						      .number = number };
}

/* As an incident of its connection, which has packets between that are about something else. */
static void add_congestion(const struct pl_report *report, struct pl_incident *found,
			   unsigned int *n, GHashTable *qps, const struct track_incident *incident,
			   unsigned int number)
{
	const struct track_qp *qp = g_hash_table_lookup(qps, &incident->serial);

	if (qp && !(track_qp_doubt(qp) & TRACK_DOUBT_TWICE))
		found[(*n)++] = (struct pl_incident){
			.incident = incident,
			.congestion =
				&pl_incidents_all(report)->congested.way[incident->congestion - 1],
			.connection = qp,
			.number = number,
		};
}

/* Connections of iWARP have the numbers after those of queue pairs. */
static void add_stall(const struct pl_report *report, struct pl_incident *found, unsigned int *n,
		      const struct track_incident *incident, unsigned int number)
{
	uint32_t count;
	const struct track_stall *stall = &track_stalls_list(
		track_iwarp_connections(report->track)->stalls, &count)[incident->stall - 1];
	struct track_flow flow;

	pl_stall_flow(stall, &flow);
	if (pl_chosen_flow(&report->options->chosen, report->track, &flow) == PL_CHOSEN_YES)
		found[(*n)++] = (struct pl_incident){
			.incident = incident,
			.stall = stall,
			.stalled = report->first_iwarp + stall->connection,
			.number = number,
		};
}

static void add_managed(const struct pl_report *report, struct pl_incident *found, unsigned int *n,
			GHashTable *qps, const struct track_incident *incident, unsigned int number)
{
	if (incident->mads)
		add_mads(report, found, n, incident, number);
	else if (incident->transfer)
		add_transfer(report, found, n, incident, number);
	else if (incident->stall)
		add_stall(report, found, n, incident, number);
	else if (incident->congestion)
		add_congestion(report, found, n, qps, incident, number);
	else
		add_cm(report, found, n, qps, incident, number);
}

const struct track_incidents *pl_incidents_all(const struct pl_report *report)
{
	return report->track ? track_qps_incidents(track_streams(report->track)) : NULL;
}

struct pl_incident *pl_incidents_of(const struct pl_report *report, unsigned int *n)
{
	const struct track_incidents *list = pl_incidents_all(report);
	struct pl_incident *found;
	GHashTable *qps;
	unsigned int i;

	*n = 0;
	if (!list || (!list->count && !list->n_managed))
		return NULL;
	found = g_new(struct pl_incident, list->n + TRACK_INCIDENT_COUNT + list->n_managed);
	qps = pl_flows_by_serial(report->qps, report->n_qps);
	for (i = 0; i < list->n; i++)
		if (add(found, n, qps, &list->kept[i], i))
			found[*n - 1].rest = track_incidents_rest_of(list, i);
	for (i = 0; i < TRACK_INCIDENT_COUNT; i++)
		if (list->costliest[i].frame)
			add(found, n, qps, &list->costliest[i], list->n + i);
	for (i = 0; i < list->n_managed; i++)
		add_managed(report, found, n, qps, &list->managed[i],
			    track_incidents_managed_from(list) + i);
	g_hash_table_unref(qps);
	for (i = 0; i < *n; i++)
		set_rule(report, &found[i]);
	return found;
}

static int compare(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

/* Errors first, then the costliest. */
static int worst_first(const void *a, const void *b)
{
	const struct pl_incident *one = *(const struct pl_incident *const *)a;
	const struct pl_incident *other = *(const struct pl_incident *const *)b;
	int by = compare(pl_incident_severity(one), pl_incident_severity(other));

	if (!by)
		by = compare(other->incident->ns, one->incident->ns);
	if (!by)
		by = compare(one->incident->frame, other->incident->frame);
	return by ? by : compare(one->number, other->number);
}

const struct pl_incident **pl_incidents_told(const struct pl_report *report,
					     const struct pl_incident *incidents, unsigned int n,
					     unsigned int *told)
{
	const struct pl_incident **sorted = g_new(const struct pl_incident *, n + 1);
	unsigned int i;

	*told = 0;
	for (i = 0; i < n; i++)
		if (pl_incident_is_told(report, &incidents[i]))
			sorted[(*told)++] = &incidents[i];
	qsort(sorted, *told, sizeof(void *), worst_first);
	return sorted;
}

uint16_t pl_incident_doubt(const struct pl_report *report, const struct pl_incident *incident)
{
	return report->doubt | (incident->connection ? track_qp_doubt(incident->connection) : 0);
}

const struct track_mad_asked *pl_incident_root_mad(const struct pl_incident *incident)
{
	const struct track_mad_asked *a = NULL;
	uint32_t i;

	for (i = 0; i < incident->alike.n; i++) {
		a = track_mads_asked_at(incident->mads, incident->alike.from + i);
		if (a->first_frame == incident->incident->root_frame)
			break;
	}
	return a;
}

/* Of a direction of its connection. */
static void way_flow(const struct pl_incident *incident, struct track_flow *flow)
{
	const enum track_way way = (enum track_way)incident->incident->way;

	*flow = incident->connection->flow;
	if (way == TRACK_B_TO_A)
		track_flow_turn(flow);
	flow->dqpn = track_qp_sqpn(incident->connection, (enum track_way) !way);
	track_flow_as_seen(flow);
}

void pl_incident_hosts(const struct pl_incident *incident, struct track_flow *flow)
{
	if (incident->congestion) {
		way_flow(incident, flow);
		flow->sport = 0;
	} else if (incident->stall) {
		pl_stall_flow(incident->stall, flow);
		flow->sport = 0;
	} else if (incident->transfer)
		*flow = incident->transfer->flow;
	else if (incident->mads)
		*flow = track_mads_asked_at(incident->mads, incident->alike.from)->flow;
	else
		*flow = incident->conversation->client;
	track_flow_as_seen(flow);
	flow->dqpn = 0;
	flow->service = 0;
}

/* The CM's messages of the side that its root is of; the requests of MADs; the data of a transfer. */
static void managed_flow(const struct pl_incident *incident, struct track_flow *flow)
{
	if (!incident->conversation) {
		*flow = incident->transfer ? incident->transfer->flow
					   : pl_incident_root_mad(incident)->flow;
		track_flow_as_seen(flow);
		return;
	}
	*flow = incident->conversation->client;
	if (incident->incident->way == TRACK_B_TO_A)
		track_flow_turn(flow);
	flow->dqpn = IBW_QPN_GSI;
	flow->service = IBW_SERVICE_UD;
	track_flow_as_seen(flow);
}

void pl_incident_flow(const struct pl_incident *incident, struct track_flow *flow)
{
	if (incident->stall)
		pl_stall_flow(incident->stall, flow);
	else if (!pl_incident_way_of(incident))
		managed_flow(incident, flow);
	else
		way_flow(incident, flow);
}
