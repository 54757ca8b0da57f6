/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * verdict_cm.c - the sentence about connection management: between which hosts messages were repeated, or connections were
 * rejected.
 */
#include <ibwire/ibwire.h>

#include "pcap-lint/report/cm.h"
#include "pcap-lint/report/flow.h"
#include "verdict.h"
#include "track/stream/qps.h"

/* A REQ, REP or DREQ had no answer in time: then it is said what followed. */
static bool is_slow(const struct pl_report *report)
{
	static const enum lint_rule_id rules[] = { LINT_CMS003, LINT_CMS004, LINT_CMS009,
						   LINT_CMS011 };
	unsigned int i;

	for (i = 0; i < G_N_ELEMENTS(rules); i++)
		if (report->totals.firm[rules[i]])
			return true;
	return false;
}

/* Of what was captured twice a copy shows nothing. */
static bool is_twice(const struct pl_report *report, const struct track_cm_record *r)
{
	const struct track_qps *streams = track_streams(report->track);
	const struct track_qp *qp = streams ? track_qps_of_cm(streams, r->first_frame) : NULL;

	return (report->doubt | (qp ? track_qp_doubt(qp) : 0)) & TRACK_DOUBT_TWICE;
}

static void longest(uint64_t *ns, const struct track_cm_record *r, enum track_cm_step step)
{
	uint64_t took;

	if (track_cm_step_ns(r, step, &took))
		*ns = MAX(*ns, took);
}

/* Of the conversations between the hosts of @worst. */
static void count(const struct pl_report *report, struct pl_sentence *s,
		  const struct track_cm_record *const *all, unsigned int n,
		  const struct track_cm_record *worst)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		if (!pl_verdict_same_hosts(&all[i]->client, &worst->client))
			continue;
		s->cm_all++;
		if (!all[i]->retries || is_twice(report, all[i]))
			continue;
		s->repeated++;
		longest(&s->cm_open_ns, all[i], TRACK_CM_STEP_REP);
		longest(&s->cm_close_ns, all[i], TRACK_CM_STEP_DREP);
	}
}

static void out_time(struct ibw_out *o, const char *before, uint64_t ns, const char *after)
{
	if (!ns)
		return;
	ibw_out_str(o, before);
	pl_out_ns(o, ns);
	ibw_out_str(o, after);
}

/* The one with most copies that are none of the capture; NULL: nothing came more than once. */
static const struct track_cm_record *
worst_of(const struct pl_report *report, const struct track_cm_record *const *all, unsigned int n)
{
	const struct track_cm_record *worst = NULL;
	unsigned int i;

	for (i = 0; i < n; i++)
		if (all[i]->retries > (worst ? worst->retries : 0) && !is_twice(report, all[i]))
			worst = all[i];
	return worst;
}

static void out_hosts(struct ibw_out *o, const struct track_cm_record *r)
{
	char address[TRACK_ADDRESS_TEXT];

	ibw_out_str(o, ", ");
	ibw_out_str(o, pl_cm_address(r, TRACK_CM_CLIENT, address));
	ibw_out_str(o, " -> ");
	ibw_out_str(o, pl_cm_address(r, TRACK_CM_SERVER, address));
	ibw_out_str(o, ": ");
}

static void say_repeated(struct pl_sentence *s, struct ibw_out *o,
			 const struct track_cm_record *worst)
{
	out_hosts(o, worst);
	ibw_out_str(o, "messages of ");
	ibw_out_dec(o, s->repeated);
	ibw_out_str(o, " of ");
	pl_out_counted(o, s->cm_all, "connection");
	ibw_out_str(o, " were repeated");
	out_time(o, ", up to ", s->cm_open_ns, " to open");
	out_time(o, ", up to ", s->cm_close_ns, " to close");
}

/* The first one that was rejected, by its last message; NULL: none was. */
static const struct track_cm_record *first_rejected(const struct track_cm_record *const *all,
						    unsigned int n)
{
	const struct track_cm_record *first = NULL;
	unsigned int i;

	for (i = 0; i < n; i++)
		if (track_cm_record_state(all[i]) == TRACK_CM_REJECTED &&
		    (!first || all[i]->first_frame < first->first_frame))
			first = all[i];
	return first;
}

/* "the first (NVMe-oF 4420) with reason 28, consumer defined: NVMe connection refused: invalid queue ID" */
static void out_reason(struct ibw_out *o, const struct track_cm_record *r)
{
	bool datagrams = r->end == TRACK_CM_SIDR_REP;
	const char *reason = ibw_name_of(
		datagrams ? ibw_cm_sidr_status_names : ibw_cm_rej_reason_names, r->reason);
	char text[TRACK_CM_SERVICE_TEXT], words[TRACK_REJECTION_TEXT];
	const char *service = track_cm_service_text(r->service_id, text);

	if (service) {
		ibw_out_str(o, " (");
		ibw_out_str(o, service);
		ibw_out_char(o, ')');
	}
	ibw_out_str(o, datagrams ? " with status " : " with reason ");
	ibw_out_dec(o, r->reason);
	if (reason) {
		ibw_out_str(o, ", ");
		ibw_out_str(o, reason);
	}
	track_rejection_text(&r->rejection, words);
	ibw_out_str(o, words[0] ? ": " : "");
	ibw_out_str(o, words);
}

static void say_rejected(struct pl_sentence *s, struct ibw_out *o,
			 const struct track_cm_record *const *all, unsigned int n,
			 const struct track_cm_record *first)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		if (!pl_verdict_same_hosts(&all[i]->client, &first->client))
			continue;
		s->cm_all++;
		s->cm_rejected += track_cm_record_state(all[i]) == TRACK_CM_REJECTED;
	}
	out_hosts(o, first);
	ibw_out_dec(o, s->cm_rejected);
	ibw_out_str(o, " of ");
	pl_out_counted(o, s->cm_all, "connection");
	ibw_out_str(o, s->cm_rejected == 1 ? " rejected" : " rejected, the first");
	out_reason(o, first);
}

void pl_verdict_say_cm(const struct pl_report *report, struct pl_sentence *s, struct ibw_out *o)
{
	const struct track_cm_list *list =
		report->track ? track_conversations(report->track) : NULL;
	const struct track_cm_record **all, *worst = NULL, *rejected = NULL;
	unsigned int n;

	if (!list)
		return;
	all = pl_cm_sorted(list, &report->options->chosen, &n);
	if (is_slow(report))
		worst = worst_of(report, all, n);
	if (report->totals.firm[LINT_CMS005])
		rejected = first_rejected(all, n);
	if (worst) {
		count(report, s, all, n, worst);
		say_repeated(s, o, worst);
	} else if (rejected) {
		say_rejected(s, o, all, n, rejected);
	}
	g_free(all);
}
