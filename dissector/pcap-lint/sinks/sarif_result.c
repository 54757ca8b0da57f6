/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sarif_result.c - findings and incidents as results of SARIF. */
#include <string.h>

#include "pcap-lint/report/flow.h"
#include "pcap-lint/base/json_write.h"
#include "sarif.h"

/* A fingerprint: half a SHA-256, in hexadecimal digits. */
#define FINGERPRINT 32

/* A finding, or several of which only that is known which they have in common. */
struct result {
	enum lint_rule_id rule;
	enum lint_severity severity;
	const char *layer;
	const char *message;
	const struct track_flow *flow;
	uint64_t frame, time_ns, count;
	uint32_t offset, length, psn;
	const uint64_t *related;
	const char *const *what; /* those are; NULL: not said */
	unsigned int n_related;
	const struct pl_incident *incident; /* NULL: it is none */
	uint32_t qpn;                       /* that tells it from others at the same time */
};

static void related(struct pl_report *report, const struct result *r)
{
	struct ibw_out *o = &report->output->out;
	unsigned int i;

	if (!r->n_related)
		return;
	pl_json_key(o, "relatedLocations");
	for (i = 0; i < r->n_related; i++) {
		pl_output_room(report->output);
		ibw_out_str(o, i ? ",{\"id\":" : "[{\"id\":");
		ibw_out_dec(o, i + 1);
		ibw_out_char(o, ',');
		pl_sarif_location(report, r->related[i], NULL);
		if (r->what)
			pl_sarif_key_message(o, "message", r->what[i]);
		ibw_out_char(o, '}');
	}
	ibw_out_char(o, ']');
}

static void fingerprint(struct ibw_out *o, const char *of)
{
	char *sum = g_compute_checksum_for_string(G_CHECKSUM_SHA256, of, -1);

	ibw_out_char(o, '"');
	ibw_out_mem(o, sum, FINGERPRINT);
	ibw_out_char(o, '"');
	g_free(sum);
}

/* Both ends, without queue pairs: those are others tomorrow. */
static char *hosts(const struct track_flow *flow)
{
	char src[TRACK_ADDRESS_TEXT], dst[TRACK_ADDRESS_TEXT];

	if (!flow)
		return g_strdup("");
	return g_strdup_printf(
		"%s %s", track_address_text((enum track_address)flow->address, flow->src, src),
		track_address_text((enum track_address)flow->address, flow->dst, dst));
}

/* "40", "5.5", "64." or "(6.0": an address has more dots, and a colon follows the number of an interface. */
static bool is_count(const char *word, size_t n)
{
	size_t i = *word == '(', dots = 0;

	if (!g_ascii_isdigit(word[i]))
		return false;
	for (; i < n && (g_ascii_isdigit(word[i]) || word[i] == '.'); i++)
		dots += word[i] == '.';
	return dots < 3 && (i == n || strchr(",;)", word[i]));
}

/*
 * What a text about a whole capture says without its counts and times, each with the word after it: those are others where the
 * capture begins later. Freed by the caller.
 */
static char *without_counts(const char *text)
{
	GString *kept = g_string_new(NULL);
	bool after_count = false;
	size_t n;

	for (; *text; text += n + (text[n] == ' ')) {
		n = strcspn(text, " ");
		if (is_count(text, n)) {
			after_count = true;
			continue;
		}
		if (!after_count) {
			g_string_append_len(kept, text, (gssize)n);
			g_string_append_c(kept, ' ');
		}
		after_count = false;
	}
	return g_string_free(kept, FALSE);
}

/*
 * "finding/v1": the same for the same packet, whatever its number and its file are called. "cause/v1": the same for the
 * same fault of the same hosts in a capture of another day.
 */
static void fingerprints(struct pl_report *report, const struct result *r, const char *service)
{
	struct ibw_out *o = &report->output->out;
	const char *id = lint_rules[r->rule].id;
	char *ends = hosts(r->flow), *of,
	     *what = r->frame ? g_strdup("") : without_counts(r->message);

	of = g_strdup_printf(
		"%s|%s|%" G_GUINT32_FORMAT "|%" G_GUINT32_FORMAT "|%s|%" G_GUINT32_FORMAT
		"|%" G_GUINT32_FORMAT "|%" G_GUINT64_FORMAT "|%" G_GUINT64_FORMAT "|%s",
		id, ends, r->qpn, r->psn,
		r->incident ? track_incident_rows[r->incident->incident->kind].name : r->layer,
		r->offset, r->length, (guint64)r->time_ns, (guint64)r->count, what);
	ibw_out_str(o, ",\"partialFingerprints\":{\"finding/v1\":");
	fingerprint(o, of);
	g_free(of);
	g_free(what);
	of = g_strdup_printf("%s|%s|%s", id, ends, service ? service : "");
	ibw_out_str(o, ",\"cause/v1\":");
	fingerprint(o, of);
	ibw_out_char(o, '}');
	g_free(of);
	g_free(ends);
}

/* What is known of an incident. */
static void incident_properties(struct ibw_out *o, const struct pl_incident *incident)
{
	const struct track_incident *i = incident->incident;

	pl_json_number(o, "incident", incident->number);
	pl_json_text(o, "kind", track_incident_rows[i->kind].name);
	pl_json_number(o, "ns", i->ns);
	pl_json_number(o, "packetsResent", i->resent_packets);
	pl_json_bool(o, "ended", i->ended);
}

static void properties(struct pl_report *report, const struct result *r, const char *service)
{
	struct ibw_out *o = &report->output->out;
	uint32_t number = 0;
	bool known;

	if (r->incident)
		known = pl_incident_connection(r->incident, &number);
	else
		known = r->flow && report->track &&
			track_connection_rank(report->track, r->flow, &number);
	pl_json_key(o, "properties");
	pl_sarif_first(o, "layer", r->layer);
	pl_json_time(o, "time", r->time_ns != 0, r->time_ns);
	pl_json_number(o, "offset", r->offset);
	pl_json_number(o, "length", r->length);
	pl_json_number_or_null(o, "connection", number, known);
	pl_json_text(o, "service", service);
	pl_json_number_or_null(o, "psn", r->psn, r->psn != LINT_NO_PSN);
	if (r->incident)
		incident_properties(o, r->incident);
	ibw_out_char(o, '}');
}

static void result(struct pl_report *report, const struct result *r)
{
	struct ibw_out *o = &report->output->out;
	char text[TRACK_CM_SERVICE_TEXT];
	const char *service = pl_flow_named(report->track, r->flow, text);

	ibw_out_str(o, report->written > 1 ? ",\n" : "\n");
	pl_sarif_first(o, "ruleId", lint_rules[r->rule].id);
	pl_json_number(o, "ruleIndex", r->rule);
	pl_json_text(o, "level", pl_sarif_level(r->severity));
	pl_sarif_key_message(o, "message", r->message);
	ibw_out_str(o, ",\"locations\":[{");
	pl_sarif_location(report, r->frame, r->flow);
	ibw_out_str(o, "}]");
	related(report, r);
	pl_output_room(report->output);
	if (r->count > 1)
		pl_json_number(o, "occurrenceCount", r->count);
	fingerprints(report, r, service);
	properties(report, r, service);
	ibw_out_char(o, '}');
}

void pl_sarif_finding(struct pl_report *report, const struct lint_finding *f)
{
	const struct result r = {
		.rule = f->rule,
		.severity = f->severity,
		.layer = f->layer,
		.message = f->message,
		.flow = f->flow,
		.frame = f->frame,
		.time_ns = f->time_ns,
		.count = 1,
		.offset = f->offset,
		.length = f->length,
		.psn = f->psn,
		.qpn = f->flow ? f->flow->dqpn : 0,
		.related = f->related,
		.n_related = MIN(f->n_related, PL_RELATED_SHOWN),
	};

	result(report, &r);
}

void pl_sarif_sum(struct pl_report *report, const struct pl_limited *limited)
{
	char words[PL_FRAMES_MESSAGE];
	struct ibw_out text = ibw_out_open(words, sizeof(words));
	const struct result r = {
		.rule = limited->rule,
		.severity = limited->severity,
		.layer = limited->layer,
		.message = words,
		.flow = limited->flow.address == TRACK_ADDRESS_NONE ? NULL : &limited->flow,
		.frame = limited->first_frame,
		.time_ns = limited->first_time_ns,
		.count = limited->count,
		.psn = LINT_NO_PSN,
		.qpn = limited->flow.address == TRACK_ADDRESS_NONE ? 0 : limited->flow.dqpn,
		.related = &limited->last_frame,
		.n_related = limited->last_frame > limited->first_frame,
	};

	pl_out_sum(&text, report, limited);
	ibw_out_close(&text);
	result(report, &r);
}

/* Of the packet that shows it first, which may be all of it that was captured: an answer goes to the queue pair that sent the requests. */
static uint32_t shown_to(const struct pl_incident *incident, const struct track_flow *flow)
{
	const struct track_incident *i = incident->incident;

	if (!incident->qp || i->frame != i->nak_frame)
		return flow->dqpn;
	return incident->qp->dir[i->way == TRACK_A_TO_B ? TRACK_B_TO_A : TRACK_A_TO_B].dqpn;
}

/* The place that its fingerprint has is its kind: frames are others in a capture that begins later. */
void pl_sarif_incident(struct pl_report *report, const struct pl_incident *incident)
{
	const struct track_incident *i = incident->incident;
	const char *file = pl_frames_place(&report->frames, i->frame).file;
	struct pl_incident_frame frames[PL_INCIDENT_FRAMES];
	uint64_t related_frames[PL_INCIDENT_FRAMES] = { 0 };
	const char *what[PL_INCIDENT_FRAMES] = { NULL };
	char words[PL_INCIDENT_TEXT];
	struct track_flow flow;
	struct result r = {
		.rule = incident->rule,
		.severity = pl_incident_severity(incident),
		.layer = lint_rules[incident->rule].layer,
		.message = pl_incident_text(report, incident, file, words),
		.flow = &flow,
		.frame = i->frame,
		.time_ns = i->time_ns,
		.count = 1,
		.psn = incident->qp ? i->psn : LINT_NO_PSN,
		.related = related_frames,
		.what = what,
		.incident = incident,
	};
	unsigned int n, n_frames = pl_incident_frames(report, incident, frames);

	for (n = 1; n < n_frames; n++) {
		related_frames[n - 1] = frames[n].frame;
		what[n - 1] = frames[n].what;
	}
	r.n_related = n_frames - 1;
	pl_incident_flow(incident, &flow);
	r.qpn = shown_to(incident, &flow);
	result(report, &r);
}
