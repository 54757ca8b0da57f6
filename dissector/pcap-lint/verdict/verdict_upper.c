/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * verdict_upper.c - the sentence about commands of upper layers: between which hosts they failed, and the status of the first
 * one.
 */
#include "pcap-lint/report/flow.h"
#include "pcap-lint/report/upper.h"
#include "verdict.h"

/* Between the same hosts, with the same upper layer. */
static bool are_alike(const struct track_ulp_queue *a, const struct track_ulp_queue *b)
{
	return a->ulp == b->ulp && pl_verdict_same_hosts(&a->flow, &b->flow);
}

/* A rule says that a command failed: its own status, an RDMA_ERROR, a login. */
static bool is_failure_firm(const struct pl_report *report)
{
	return report->totals.firm[LINT_ULP010] || report->totals.firm[LINT_ULP016] ||
	       report->totals.firm[LINT_ULP025];
}

/* What only the doubt of the capture speaks of, nobody tells. */
static bool is_firm(const struct pl_report *report, const struct track_ulp_queue *q)
{
	return (q->failed && is_failure_firm(report)) ||
	       (q->unanswered && report->totals.firm[LINT_ULP004]);
}

/* The first queue that is asked for of which a command failed, or was not answered; NULL: there is none. */
static const struct track_ulp_queue *first_of(const struct pl_report *report,
					      const struct track_ulps *ulps)
{
	const struct track_ulp_queue *q;
	unsigned int i;

	for (i = 0; i < track_ulps_count(ulps); i++) {
		q = track_ulps_queue(ulps, i);
		if (is_firm(report, q) && pl_upper_is_asked_for(report, q))
			return q;
	}
	return NULL;
}

/* The one whose answer came first, or that was sent first. */
static void earlier(const struct track_ulp_command **first, const struct track_ulp_command *c,
		    bool by_answer)
{
	if (!*first ||
	    (by_answer ? c->end_frame < (*first)->end_frame : c->frame < (*first)->frame))
		*first = c;
}

/* Of the queues between the hosts of @first; the first command that failed, and the first one that was not answered. */
static void count(const struct pl_report *report, struct pl_sentence *s,
		  const struct track_ulps *ulps, const struct track_ulp_queue *first,
		  const struct track_ulp_command *command[2])
{
	const struct track_ulp_queue *q;
	unsigned int i, k;

	for (i = 0; i < track_ulps_count(ulps); i++) {
		q = track_ulps_queue(ulps, i);
		if (!are_alike(q, first) || !pl_upper_is_asked_for(report, q))
			continue;
		for (k = 0; k < q->n_operations; k++)
			s->commands += q->operation[k].count;
		if (q->failed && is_failure_firm(report)) {
			s->failed += q->failed;
			earlier(&command[0], q->first_failed, true);
		}
		if (q->unanswered && report->totals.firm[LINT_ULP004]) {
			s->unanswered += q->unanswered;
			earlier(&command[1], q->first_unanswered, false);
		}
	}
}

static void out_command(struct ibw_out *o, const struct track_ulps *ulps,
			const struct track_ulp_command *c)
{
	const struct track_ulp_queue *q = track_ulps_queue(ulps, c->queue);
	char text[TRACK_ULP_TEXT];

	ibw_out_str(o, track_ulp_operation_text(q, c->code, text));
	if (q->ulp != IBW_ULP_NVME || q->id_unknown)
		return;
	ibw_out_str(o, q->id ? " of queue " : " of the admin queue");
	if (q->id)
		ibw_out_dec(o, q->id);
}

/* " NVMe commands", of which those are that the sentence counts. */
static void out_noun(struct ibw_out *o, const struct track_ulps *ulps, const struct pl_sentence *s,
		     const struct track_ulp_command *c)
{
	ibw_out_char(o, ' ');
	ibw_out_str(o, ibw_ulp_text(track_ulps_queue(ulps, c->queue)->ulp));
	ibw_out_str(o, s->commands == 1 ? " command" : " commands");
}

/* "1 of 12 NVMe commands failed, first Connect of the admin queue: Connect Invalid Parameters" */
static void out_failed(struct ibw_out *o, const struct pl_sentence *s,
		       const struct track_ulps *ulps, const struct track_ulp_command *c)
{
	char status[TRACK_ULP_STATUS_TEXT];

	ibw_out_dec(o, s->failed);
	ibw_out_str(o, " of ");
	ibw_out_dec(o, s->commands);
	out_noun(o, ulps, s, c);
	ibw_out_str(o, " failed, ");
	ibw_out_str(o, s->failed == 1 ? "" : "the first ");
	out_command(o, ulps, c);
	ibw_out_str(o, ": ");
	ibw_out_str(o, pl_upper_status(track_ulps_queue(ulps, c->queue), c, status));
}

static void out_unanswered(struct ibw_out *o, const struct pl_sentence *s,
			   const struct track_ulps *ulps, const struct track_ulp_command *c)
{
	ibw_out_dec(o, s->unanswered);
	ibw_out_str(o, s->failed ? " not answered" : " of ");
	if (!s->failed) {
		ibw_out_dec(o, s->commands);
		out_noun(o, ulps, s, c);
		ibw_out_str(o, " not answered");
	}
	ibw_out_str(o, " before the connection was closed, ");
	ibw_out_str(o, s->unanswered == 1 ? "" : "the first ");
	out_command(o, ulps, c);
}

bool pl_verdict_say_upper(const struct pl_report *report, struct pl_sentence *s, struct ibw_out *o)
{
	const struct track_ulps *ulps = report->track ? track_commands(report->track) : NULL;
	const struct track_ulp_queue *first = ulps ? first_of(report, ulps) : NULL;
	const struct track_ulp_command *command[2] = { NULL };
	char address[TRACK_ADDRESS_TEXT];
	struct track_flow flow;

	if (!first)
		return false;
	count(report, s, ulps, first, command);
	flow = first->flow;
	track_flow_as_seen(&flow);
	ibw_out_str(o, ", ");
	ibw_out_str(o, track_address_text((enum track_address)flow.address, flow.src, address));
	ibw_out_str(o, " -> ");
	ibw_out_str(o, track_address_text((enum track_address)flow.address, flow.dst, address));
	ibw_out_str(o, ": ");
	if (command[0])
		out_failed(o, s, ulps, command[0]);
	if (command[0] && command[1])
		ibw_out_str(o, ", ");
	if (command[1])
		out_unanswered(o, s, ulps, command[1]);
	return true;
}
