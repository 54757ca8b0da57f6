/* SPDX-License-Identifier: GPL-2.0-or-later */
/* verdict_json.c - a verdict as an object of JSON. */
#include "pcap-lint/report/flow.h"
#include "pcap-lint/base/json_write.h"
#include "pcap-lint/verdict/verdict.h"

static void sentence(struct ibw_out *o, const struct pl_sentence *s)
{
	static const char *const names[] = { "incidents",  "findings", "resent",   "requests",
					     "ns",         "of_ns",    "repeated", "connections",
					     "open_ns",    "close_ns", "commands", "failed",
					     "unanswered", "rejected", "marks",    "cnps" };
	const uint64_t numbers[] = {
		s->incidents,  s->findings,    s->resent,   s->requests,
		s->ns,         s->of_ns,       s->repeated, s->cm_all + s->congested,
		s->cm_open_ns, s->cm_close_ns, s->commands, s->failed,
		s->unanswered, s->cm_rejected, s->marks,    s->cnps
	};
	unsigned int i;

	ibw_out_str(o, "{\"state\":");
	pl_json_string(o, pl_state_names[s->state]);
	pl_json_key(o, "connections");
	ibw_out_char(o, '[');
	for (i = 0; i < s->n_connections; i++) {
		if (i)
			ibw_out_char(o, ',');
		ibw_out_dec(o, s->connection[i]);
	}
	ibw_out_char(o, ']');
	pl_json_counts(o, "numbers", names, numbers, G_N_ELEMENTS(numbers));
	pl_json_text(o, "text", s->text);
	ibw_out_char(o, '}');
}

static void kinds(struct ibw_out *o, const uint64_t *n)
{
	const char *names[TRACK_INCIDENT_COUNT];
	unsigned int i;

	for (i = 0; i < TRACK_INCIDENT_COUNT; i++)
		names[i] = track_incident_rows[i].name;
	pl_json_counts(o, "kinds", names, n, TRACK_INCIDENT_COUNT);
}

/* What the capture lacks, of all connections together. */
static uint16_t limits(const struct pl_report *report)
{
	uint16_t doubt = report->doubt;
	unsigned int i;

	for (i = 0; i < report->n_qps; i++)
		doubt |= track_qp_doubt(report->qps[i]);
	return doubt;
}

void pl_json_verdict(struct pl_report *report, const struct pl_verdict *verdict)
{
	struct ibw_out *o = &report->output->out;
	char text[PL_VERDICT_TEXT];
	unsigned int i;

	pl_json_begin(o, "verdict");
	pl_json_number(o, "schema", PL_JSON_SCHEMA);
	pl_json_text(o, "file", report->frames.about);
	pl_json_text(o, "state",
		     pl_state_names[verdict->n ? verdict->sentence[0].state : PL_STATE_NONE]);
	pl_json_text(o, "text", pl_verdict_text(verdict, text));
	pl_json_key(o, "sentences");
	ibw_out_char(o, '[');
	for (i = 0; i < verdict->n; i++) {
		if (i)
			ibw_out_char(o, ',');
		sentence(o, &verdict->sentence[i]);
	}
	ibw_out_char(o, ']');
	kinds(o, verdict->kinds);
	pl_json_doubts_as(o, "limits", limits(report));
	pl_json_end(o);
}
