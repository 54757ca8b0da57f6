/* SPDX-License-Identifier: GPL-2.0-or-later */
/* verdict_cm.c - the sentence about connection management: between which hosts messages came more than once, and how long set-up and closing took. */
#include <string.h>

#include <ibwire/ibwire.h>

#include "cm.h"
#include "flow.h"
#include "verdict.h"

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

static bool same_hosts(const struct track_cm_record *a, const struct track_cm_record *b)
{
	return a->client.address == b->client.address &&
	       memcmp(a->client.src, b->client.src, sizeof(a->client.src)) == 0 &&
	       memcmp(a->client.dst, b->client.dst, sizeof(a->client.dst)) == 0;
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
		if (!same_hosts(all[i], worst))
			continue;
		s->cm_all++;
		if (!all[i]->retries || is_twice(report, all[i]))
			continue;
		s->cm_repeated++;
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

void pl_verdict_say_cm(const struct pl_report *report, struct pl_sentence *s, struct ibw_out *o)
{
	const struct track_cm_list *list =
		report->track ? track_conversations(report->track) : NULL;
	const struct track_cm_record **all, *worst;
	char address[TRACK_ADDRESS_TEXT];
	unsigned int n;

	if (!list || !is_slow(report))
		return;
	all = pl_cm_sorted(list, &report->options->chosen, &n);
	worst = worst_of(report, all, n);
	if (worst) {
		count(report, s, all, n, worst);
		ibw_out_str(o, ", ");
		ibw_out_str(o, pl_cm_address(worst, TRACK_CM_CLIENT, address));
		ibw_out_str(o, " -> ");
		ibw_out_str(o, pl_cm_address(worst, TRACK_CM_SERVER, address));
		ibw_out_str(o, ": messages of ");
		ibw_out_dec(o, s->cm_repeated);
		ibw_out_str(o, " of ");
		pl_out_counted(o, s->cm_all, "connection");
		ibw_out_str(o, " came more than once");
		out_time(o, ", up to ", s->cm_open_ns, " to open");
		out_time(o, ", up to ", s->cm_close_ns, " to close");
	}
	g_free(all);
}
