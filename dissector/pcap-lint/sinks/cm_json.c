/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cm_json.c - conversations of the CM as objects of JSON: their figures in the order of cm_figures.def. */
#include "lists.h"
#include "pcap-lint/report/cm.h"
#include "pcap-lint/report/flow.h"
#include "pcap-lint/base/json_write.h"
#include "track/stream/qps.h"

static void end_of(struct ibw_out *o, const struct track_cm_record *r, enum track_cm_side side,
		   const char *key)
{
	uint32_t qpn = r->qpn[side], id = r->comm_id[side];
	char address[TRACK_ADDRESS_TEXT];

	pl_json_key(o, key);
	ibw_out_str(o, "{\"address\":");
	pl_json_string(o, pl_cm_address(r, side, address));
	pl_json_number_or_null(o, "qpn", qpn, qpn != TRACK_CM_NO_QPN);
	pl_json_number_or_null(o, "comm_id", id, id != 0);
	ibw_out_char(o, '}');
}

static void service(struct ibw_out *o, const struct track_cm_record *r)
{
	char id[sizeof("0x0123456789abcdef")], text[TRACK_CM_SERVICE_TEXT];

	g_snprintf(id, sizeof(id), "0x%016" G_GINT64_MODIFIER "x", (guint64)r->service_id);
	pl_json_text(o, "transport", track_service_text(r->service));
	pl_json_text(o, "service_id", r->service_id ? id : NULL);
	pl_json_text(o, "service", track_cm_service_text(r->service_id, text));
}

/* How it ended: the side, and why. */
static void end(struct ibw_out *o, const struct track_cm_record *r)
{
	char text[TRACK_CM_END_TEXT];

	pl_json_text(o, "state", ibw_name_of(track_cm_state_names, track_cm_record_state(r)));
	pl_json_text(o, "end", track_cm_end_text(r, text));
	pl_json_text(o, "ended_by", !r->end ? NULL : r->ended_by == TRACK_CM_CLIENT ? "a" : "b");
	pl_json_number_or_null(o, "reason", r->reason, r->end && r->end != TRACK_CM_DREQ);
}

/* "messages":[[7,1763715012000123456,"REQ","a_to_b"],...] */
static void messages(struct pl_report *report, const struct track_cm_list *list,
		     const struct track_cm_record *r, const char *file)
{
	struct track_cm_sent sent[TRACK_CM_SENT_MAX];
	struct ibw_out *o = &report->output->out;
	unsigned int i, n = track_cm_list_sent(list, r, sent);

	pl_json_key(o, "messages");
	ibw_out_char(o, '[');
	for (i = 0; i < n; i++) {
		ibw_out_str(o, i ? ",[" : "[");
		pl_json_frame(o, &report->frames, sent[i].frame, file);
		ibw_out_char(o, ',');
		ibw_out_dec(o, sent[i].time_ns);
		ibw_out_char(o, ',');
		pl_json_string(o, track_cm_message_name((enum track_cm_message)sent[i].message));
		ibw_out_char(o, ',');
		pl_json_string(o, sent[i].side == TRACK_CM_CLIENT ? "a_to_b" : "b_to_a");
		ibw_out_char(o, ']');
	}
	ibw_out_char(o, ']');
}

static void node_of(struct pl_report *report, const struct track_cm_record *r,
		    enum track_cm_side side, const char *key)
{
	char node[TRACK_NODE_SHORT];

	pl_cm_node(report, r, side, node);
	pl_json_text(&report->output->out, key, *node ? node : NULL);
}

static void object(struct pl_report *report, const struct track_cm_record *r)
{
	const char *file = pl_frames_place(&report->frames, r->first_frame).file;
	const struct track_qp *qp = track_qps_of_cm(track_streams(report->track), r->first_frame);
	struct ibw_out *o = &report->output->out;
	unsigned int i;
	uint64_t ns;
	bool known;

	pl_output_room(report->output);
	pl_json_begin(o, "cm");
	pl_json_number(o, "schema", PL_JSON_SCHEMA);
	pl_json_text(o, "file", file);
	pl_json_number_or_null(o, "connection", qp ? qp->number : 0, qp != NULL);
	service(o, r);
	end_of(o, r, TRACK_CM_CLIENT, "a");
	end_of(o, r, TRACK_CM_SERVER, "b");
	pl_json_key(o, "first_frame");
	pl_json_frame(o, &report->frames, r->first_frame, file);
	pl_json_key(o, "last_frame");
	pl_json_frame(o, &report->frames, r->last_frame, file);
	end(o, r);
	for (i = 0; i < TRACK_CM_STEPS; i++) {
		ns = 0;
		known = track_cm_step_ns(r, (enum track_cm_step)i, &ns);
		pl_json_number_or_null(o, track_cm_step_names[i], ns, known);
	}
	for (i = 0; i < TRACK_CM_FIGURE_COUNT; i++)
		pl_json_number(o, track_cm_figure_names[i],
			       track_cm_figure(r, (enum track_cm_figure)i));
	messages(report, track_conversations(report->track), r, file);
	node_of(report, r, TRACK_CM_CLIENT, "a_node");
	node_of(report, r, TRACK_CM_SERVER, "b_node");
	pl_json_end(o);
}

void pl_json_cm(struct pl_report *report, const struct track_cm_list *list)
{
	const struct track_cm_record **all;
	unsigned int n, i;

	all = pl_cm_sorted(list, &report->options->chosen, &n);
	for (i = 0; i < n; i++)
		object(report, all[i]);
	g_free(all);
}
