/* SPDX-License-Identifier: GPL-2.0-or-later */
/* incident.c - the incidents of the connections that are shown. */
#include "incident.h"
#include "track/context.h"
#include "track/qp_state.h"

enum lint_rule_id pl_incident_rule(const struct track_incident *incident)
{
	static const uint16_t rules[TRACK_INCIDENT_COUNT] = {
#define PL_INCIDENT(kind, rule, state) [TRACK_INCIDENT_##kind] = LINT_##rule,
#include "verdict.def"
	};

	enum lint_rule_id rule = (enum lint_rule_id)rules[incident->kind];

	if (rule == LINT_QPS002 && incident->naks)
		return LINT_QPS008;
	return rule == LINT_QPS017 && !incident->timers ? LINT_QPS003 : rule;
}

enum lint_severity pl_incident_severity(const struct pl_incident *incident)
{
	return (enum lint_severity)lint_rules[pl_incident_rule(incident->incident)].severity;
}

static GHashTable *by_serial(const struct pl_report *report)
{
	GHashTable *found = g_hash_table_new(g_int64_hash, g_int64_equal);
	unsigned int i;

	for (i = 0; i < report->n_qps; i++)
		g_hash_table_insert(found, (void *)&report->qps[i]->serial, (void *)report->qps[i]);
	return found;
}

struct pl_incident *pl_incidents_of(const struct pl_report *report, unsigned int *n)
{
	const struct track_qps *streams = report->track ? track_streams(report->track) : NULL;
	const struct track_incidents *list = streams ? track_qps_incidents(streams) : NULL;
	struct pl_incident *found;
	GHashTable *qps;
	unsigned int i;

	*n = 0;
	if (!list || !list->n)
		return NULL;
	found = g_new(struct pl_incident, list->n);
	qps = by_serial(report);
	for (i = 0; i < list->n; i++) {
		const struct track_qp *qp = g_hash_table_lookup(qps, &list->kept[i].serial);

		if (qp && !(track_qp_doubt(qp) & TRACK_DOUBT_TWICE)) /* else it may be of a copy */
			found[(*n)++] = (struct pl_incident){ &list->kept[i], qp, i };
	}
	g_hash_table_unref(qps);
	return found;
}
