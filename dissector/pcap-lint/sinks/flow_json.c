/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flow_json.c - a connection as an object of JSON: its figures are those of track/way/figures.def, in
 * that order.
 */
#include "pcap-lint/report/flow.h"
#include "pcap-lint/base/json_write.h"

static void end_of(struct ibw_out *o, const struct track_qp *qp, enum track_way way,
		   const char *key)
{
	uint32_t qpn = track_qp_sqpn(qp, way);
	char address[TRACK_ADDRESS_TEXT];

	pl_json_key(o, key);
	ibw_out_str(o, "{\"address\":");
	pl_json_string(o, pl_flow_address(qp, way, address));
	pl_json_number_or_null(o, "qpn", qpn, qpn != TRACK_CM_NO_QPN);
	ibw_out_char(o, '}');
}

/* A histogram has up to 2,000 buckets, more than there is room for at once. */
void pl_json_histogram(struct pl_output *output, const char *name, const struct track_histogram *h)
{
	struct ibw_out *o = &output->out;
	unsigned int i;

	pl_json_key(o, name);
	ibw_out_str(o, "{\"count\":");
	ibw_out_dec(o, track_histogram_count(h));
	pl_json_number(o, "p50", track_histogram_percentile(h, 500));
	pl_json_number(o, "p99", track_histogram_percentile(h, 990));
	pl_json_number(o, "max", h->max);
	pl_json_key(o, "histogram");
	ibw_out_char(o, '[');
	for (i = 0; i < h->n; i++) {
		pl_output_room(output);
		ibw_out_str(o, i ? ",[" : "[");
		ibw_out_dec(o, track_bucket_upper(h->bucket[i].number));
		ibw_out_char(o, ',');
		ibw_out_dec(o, h->bucket[i].count);
		ibw_out_char(o, ']');
	}
	ibw_out_str(o, "]}");
}

void pl_json_figure(struct ibw_out *o, enum track_figure figure, bool known, uint64_t n)
{
	if (figure) {
		pl_json_number_or_null(o, track_figures[figure].name, n, known);
		return;
	}
	pl_json_string(o, track_figures[figure].name);
	ibw_out_char(o, ':');
	ibw_out_dec(o, n);
}

void pl_json_messages(struct ibw_out *o, enum track_verb verb, uint64_t n)
{
	if (!verb)
		pl_json_key(o, "messages");
	ibw_out_char(o, verb ? ',' : '{');
	pl_json_string(o, track_verbs[verb].name);
	ibw_out_char(o, ':');
	ibw_out_dec(o, n);
	if (verb + 1 == TRACK_VERB_COUNT)
		ibw_out_char(o, '}');
}

static void measure(struct pl_output *output, const char *name, uint64_t n)
{
	pl_output_room(output);
	pl_json_number_or_null(&output->out, name, n, n != TRACK_UNKNOWN);
}

static void named(struct pl_output *output, const char *name, const char *text)
{
	pl_output_room(output);
	pl_json_text(&output->out, name, text);
}

static void direction(struct pl_report *report, const char *key, const struct track_dir *d,
		      const char *file)
{
	struct pl_output *output = report->output;
	struct ibw_out *o = &output->out;

	pl_json_key(o, key);
	ibw_out_char(o, '{');
#define TRACK_FIGURE(name, value, title, counter)                                                  \
	pl_json_figure(o, TRACK_FIGURE_##name, true, track_figure(d, TRACK_FIGURE_##name));
#define TRACK_VERB(id, name, title)                                                                \
	pl_json_messages(o, TRACK_VERB_##id, d->messages[TRACK_VERB_##id]);
#define TRACK_TIMES(id, name, title)                                                               \
	pl_json_histogram(output, #name, track_dir_times(d, TRACK_TIMES_##id));
#define TRACK_MEASURE(name, unit, value, title, counter, definition)                               \
	measure(output, #name, track_measure_figure(d, TRACK_MEASURE_##name));
#define TRACK_NAMED(name, value, title, definition)                                                \
	named(output, #name, track_named_figure(d, TRACK_NAMED_##name));
#define TRACK_FRAME(name, value, title, definition)                                                \
	pl_json_key(o, #name);                                                                     \
	pl_json_frame(o, &report->frames, track_frame_figure(d, TRACK_FRAME_##name), file);
#define TRACK_SAMPLES(id, name, unit, title, definition)                                           \
	pl_json_histogram(output, #name, track_dir_samples(d, TRACK_SAMPLES_##id));
#include "track/way/figures.def"
	ibw_out_char(o, '}');
}

void pl_json_doubts(struct ibw_out *o, uint16_t doubt)
{
	pl_json_doubts_as(o, "doubt", doubt);
}

void pl_json_doubts_as(struct ibw_out *o, const char *key, uint16_t doubt)
{
	const char *before = "[";
	unsigned int i;

	pl_json_key(o, key);
	for (i = 0; i < TRACK_DOUBT_COUNT; i++) {
		if (!(doubt & 1u << i))
			continue;
		ibw_out_str(o, before);
		pl_json_string(o, track_doubt_rows[i].name);
		before = ",";
	}
	ibw_out_str(o, *before == '[' ? "[]" : "]");
}

static void number_or_null(struct ibw_out *o, uint64_t n, bool known)
{
	if (known)
		ibw_out_dec(o, n);
	else
		ibw_out_str(o, "null");
}

/* What REQ and REP say: the times and retries of the requests of A, the first PSNs of both, the READs that either may have. */
static void negotiated(struct ibw_out *o, const struct track_agreed *a)
{
	const struct track_agreed_way *to, *from;

	if (!a || (!a->retries_known && !a->way[TRACK_A_TO_B].start_known)) {
		pl_json_text(o, "negotiated", NULL);
		return;
	}
	to = &a->way[TRACK_A_TO_B];
	from = &a->way[TRACK_B_TO_A];
	pl_json_key(o, "negotiated");
	ibw_out_str(o, "{\"retry_count\":");
	number_or_null(o, a->retries, a->retries_known);
	pl_json_number_or_null(o, "rnr_retry_count", to->rnr_retries, to->rnr_known);
	pl_json_number_or_null(o, "ack_timeout", a->ack_timeout, a->retries_known);
	pl_json_key(o, "starting_psn");
	ibw_out_char(o, '[');
	number_or_null(o, to->start, to->start_known);
	ibw_out_char(o, ',');
	number_or_null(o, from->start, from->start_known);
	ibw_out_char(o, ']');
	pl_json_number_or_null(o, "initiator_depth", to->depth, to->depth_known);
	pl_json_number_or_null(o, "responder_resources", from->depth, from->depth_known);
	ibw_out_char(o, '}');
}

void pl_json_standing(struct pl_report *report, const struct pl_standing *standing)
{
	struct ibw_out *o = &report->output->out;

	pl_json_number_or_null(o, "incidents", standing->incidents, standing->known);
	pl_json_number(o, "rank", standing->rank);
}

void pl_json_flow(struct pl_report *report, const struct track_qp *qp,
		  const struct pl_standing *standing)
{
	const char *file = pl_frames_place(&report->frames, qp->first_frame).file;
	struct ibw_out *o = &report->output->out;
	char upper[PL_FLOW_UPPER], history[TRACK_HISTORY_TEXT];
	uint64_t waited[TRACK_WAIT_COUNT];

	pl_json_begin(o, "flow");
	pl_json_number(o, "schema", PL_JSON_SCHEMA);
	pl_json_text(o, "file", file);
	pl_json_number(o, "connection", qp->number);
	pl_json_text(o, "service", pl_flow_service(qp));
	pl_json_text(o, "upper", pl_flow_upper(qp, upper));
	pl_json_number_or_null(o, "mtu", track_qp_mtu(qp), track_qp_mtu(qp) != 0);
	pl_json_text(o, "setup", pl_flow_setup(qp));
	pl_json_text(o, "state", track_qp_state_names[track_qp_state(qp)]);
	pl_json_text(o, "history", track_qp_history(qp, history));
	end_of(o, qp, TRACK_A_TO_B, "a");
	end_of(o, qp, TRACK_B_TO_A, "b");
	pl_json_key(o, "first_frame");
	pl_json_frame(o, &report->frames, qp->first_frame, file);
	pl_json_key(o, "last_frame");
	pl_json_frame(o, &report->frames, qp->last_frame, file);
	pl_json_doubts(o, report->doubt | track_qp_doubt(qp));
	direction(report, "a_to_b", &qp->dir[TRACK_A_TO_B], file);
	direction(report, "b_to_a", &qp->dir[TRACK_B_TO_A], file);
	pl_flow_waited(report, qp, waited);
	pl_json_key(o, "waited");
	ibw_out_char(o, '{');
	pl_json_waits(o, waited);
	ibw_out_char(o, '}');
	pl_json_standing(report, standing);
	negotiated(o, qp->agreed);
	pl_json_end(o);
}
