/* SPDX-License-Identifier: GPL-2.0-or-later */
/* incident_text.c - incidents as lines of text: the costliest each in its own, the others of a rule in one. */
#include <ibwire/ibwire.h>

#include "pcap-lint/report/cm.h"
#include "pcap-lint/report/flow.h"
#include "pcap-lint/incidents/incident.h"
#include "pcap-lint/findings/report_impl.h"
#include "pcap-lint/report/sink.h"
#include "pcap-lint/incidents/spans.h"
#include "pcap-lint/base/wrap.h"
#include "track/base/fnv.h"
#include "track/way/qp_state.h"

/* Lines of their own: of a connection, and of a capture; with -v of a capture. */
#define SHOWN_OF_CONNECTION 3u
#define SHOWN 8u
#define SHOWN_VERBOSE 300u

/* Frames of those that a line stands for, too. */
#define NAMED_LIKE 4u

/* What a line says of several of a rule. */
struct rest {
	const struct pl_incident *first; /* by frame */
	uint64_t kinds[TRACK_INCIDENT_COUNT];
	uint64_t unasked; /* in no kind */
	uint64_t n, last_frame, longest_ns, resent;
	GArray *spans;     /* without progress */
	GHashTable *sides; /* of which they are */
};

/* No side of a queue pair has this bit. */
#define OF_HOSTS (G_MAXSIZE ^ (G_MAXSIZE >> 1))

/* Of conversations of the CM, of MADs, and of transfers, the hosts; of iWARP, the direction. */
static void *side_of(const struct pl_incident *i)
{
	struct track_flow hosts;

	if (!pl_incident_way_of(i)) {
		if (i->stall)
			pl_incident_flow(i, &hosts);
		else
			pl_incident_hosts(i, &hosts);
		return GSIZE_TO_POINTER((gsize)track_fnv(TRACK_FNV_BEGIN, &hosts, sizeof(hosts)) |
					OF_HOSTS);
	}
	return GSIZE_TO_POINTER((gsize)i->connection->number * TRACK_WAYS + i->incident->way + 1);
}

static void out_client_or_server(struct ibw_out *o, const struct track_cm_record *r,
				 enum track_cm_side side, bool with_qp)
{
	char address[TRACK_ADDRESS_TEXT];

	ibw_out_str(o, pl_cm_address(r, side, address));
	if (!with_qp)
		return;
	ibw_out_str(o, " qp ");
	if (r->qpn[side] == TRACK_CM_NO_QPN)
		ibw_out_char(o, '?');
	else
		ibw_out_dec(o, r->qpn[side]);
}

static void out_service(struct ibw_out *o, uint64_t service_id)
{
	char buf[TRACK_CM_SERVICE_TEXT];
	const char *service = service_id ? track_cm_service_text(service_id, buf) : NULL;

	if (!service)
		return;
	ibw_out_str(o, " [");
	ibw_out_str(o, service);
	ibw_out_char(o, ']');
}

/* "10.7.0.1 qp 21 -> 10.7.0.2 qp 20 [NFS 20049]: ": who asks for the connection, and who is asked; of several the hosts */
static void out_conversation_side(struct ibw_out *o, const struct track_cm_record *r, bool several)
{
	out_client_or_server(o, r, TRACK_CM_CLIENT, !several);
	ibw_out_str(o, " -> ");
	out_client_or_server(o, r, TRACK_CM_SERVER, !several);
	if (!several)
		out_service(o, r->service_id);
	ibw_out_str(o, ": ");
}

/* "10.7.0.1 port 52422 -> 10.7.0.2 port 7174: " */
static void out_tcp_side(struct ibw_out *o, const struct pl_incident *i)
{
	char address[TRACK_ADDRESS_TEXT];
	struct track_flow flow;

	pl_incident_flow(i, &flow);
	ibw_out_str(o, track_address_text((enum track_address)flow.address, flow.src, address));
	ibw_out_str(o, " port ");
	ibw_out_dec(o, flow.sport);
	ibw_out_str(o, " -> ");
	ibw_out_str(o, track_address_text((enum track_address)flow.address, flow.dst, address));
	ibw_out_str(o, " port ");
	ibw_out_dec(o, flow.dqpn);
	ibw_out_str(o, ": ");
}

/* "10.7.0.1 qp 21 -> 10.7.0.2 qp 20 [NFS 20049]: ": the side whose requests they are about */
static void out_side(struct ibw_out *o, const struct pl_report *report, const struct pl_incident *i,
		     bool several)
{
	const enum track_way way = (enum track_way)i->incident->way;

	if (i->conversation) {
		out_conversation_side(o, i->conversation, several);
		return;
	}
	if (i->stall && !several) {
		out_tcp_side(o, i);
		return;
	}
	if (!pl_incident_way_of(i)) {
		pl_out_incident_hosts(o, report, i);
		ibw_out_str(o, ": ");
		return;
	}
	pl_out_short_end(o, i->connection, way);
	ibw_out_str(o, " -> ");
	pl_out_short_end(o, i->connection, (enum track_way) !way);
	out_service(o, track_qp_service_id(i->connection));
	ibw_out_str(o, ": ");
}

static void out_head(struct pl_report *report, const struct pl_incident *incident)
{
	pl_text_head(report, incident->incident->frame, pl_incident_severity(incident),
		     incident->rule);
}

/* Incidents without a line of their own that one stands for. */
struct like {
	const struct pl_report *report;
	GHashTable *told;
	unsigned int n, named;
	uint64_t frame[NAMED_LIKE]; /* the first ones */
};

/* Keeps the first frames in their order. */
static void name_frame(struct like *like, uint64_t frame)
{
	unsigned int i = like->named;

	if (i == NAMED_LIKE && frame >= like->frame[i - 1])
		return;
	if (i < NAMED_LIKE)
		like->named++;
	else
		i--;
	for (; i && like->frame[i - 1] > frame; i--)
		like->frame[i] = like->frame[i - 1];
	like->frame[i] = frame;
}

static void take_like(const struct pl_incident *incident, void *data)
{
	struct like *like = data;

	if (pl_report_is_told_live(like->report, incident) ||
	    !pl_incident_is_told(like->report, incident) ||
	    !g_hash_table_add(like->told, (gpointer)incident))
		return;
	like->n++;
	name_frame(like, incident->incident->frame);
}

/* "; likewise on 2 more of 8 connections between these hosts (frames 93, 331)" */
static void out_likewise(struct pl_report *report, const struct pl_incident *incident,
			 const struct like *like)
{
	const char *file = pl_frames_place(&report->frames, incident->incident->frame).file;
	struct ibw_out *o = &report->output->out;
	unsigned int i;

	ibw_out_str(o, "; likewise on ");
	ibw_out_dec(o, like->n);
	ibw_out_str(o, " more of ");
	pl_out_connections_between(o, report, incident->qp, like->n + 1);
	ibw_out_str(o, like->n == 1 ? " between these hosts (frame "
				    : " between these hosts (frames ");
	for (i = 0; i < like->named; i++) {
		ibw_out_str(o, i ? ", " : "");
		pl_out_frame(o, &report->frames, like->frame[i], file);
	}
	ibw_out_str(o, like->n > like->named ? ", ...)" : ")");
}

/* With those that it stands for, if any. */
static void text_incident(struct pl_report *report, const struct pl_incident *incident,
			  const struct like *like)
{
	struct ibw_out *o = &report->output->out;
	const char *from = o->p;

	out_head(report, incident);
	out_side(o, report, incident, false);
	pl_out_incident(o, report, incident,
			pl_frames_place(&report->frames, incident->incident->frame).file);
	if (like && like->n)
		out_likewise(report, incident, like);
	ibw_out_char(o, '\n');
	pl_wrap(report->output, from);
}

void pl_text_incident(struct pl_report *report, const struct pl_incident *incident)
{
	text_incident(report, incident, NULL);
}

/* The rest */

static void add(struct rest *rest, const struct pl_incident *incident)
{
	const struct track_incident *i = incident->incident;

	if (!rest->n++)
		rest->sides = g_hash_table_new(NULL, NULL);
	if (pl_incident_is_unasked(incident))
		rest->unasked++;
	else
		rest->kinds[i->kind]++;
	if (rest->n == 1 || i->frame < rest->first->incident->frame)
		rest->first = incident;
	rest->last_frame = MAX(rest->last_frame, i->frame);
	pl_spans_add(&rest->spans, i->end_ns, i->ns);
	rest->longest_ns = MAX(rest->longest_ns, i->ns);
	rest->resent += i->resent_packets;
	g_hash_table_add(rest->sides, side_of(incident));
}

/* "25 more requests lost after the capture point, 6 requests late" */
static void out_kinds(struct ibw_out *o, const struct rest *rest)
{
	const char *between = " more ", *before = "";
	unsigned int kind;

	for (kind = 0; kind < TRACK_INCIDENT_COUNT; kind++) {
		const struct track_incident_row *row = &track_incident_rows[kind];

		if (!rest->kinds[kind])
			continue;
		ibw_out_str(o, before);
		ibw_out_dec(o, rest->kinds[kind]);
		ibw_out_str(o, between);
		ibw_out_str(o, rest->kinds[kind] == 1 ? row->one : row->many);
		between = " ";
		before = ", ";
	}
	if (!rest->unasked)
		return;
	ibw_out_str(o, before);
	ibw_out_dec(o, rest->unasked);
	ibw_out_str(o, between);
	ibw_out_str(o, rest->unasked == 1 ? "request retransmitted" : "requests retransmitted");
}

/* "31 more requests lost after the capture point, up to frame 1239: 373 ms without progress"; of several sides the longest */
static void text_rest(struct pl_report *report, const struct rest *rest)
{
	const struct track_incident *i = rest->first->incident;
	const char *file = pl_frames_place(&report->frames, i->frame).file;
	struct ibw_out *o = &report->output->out;
	unsigned int sides = g_hash_table_size(rest->sides);
	const char *from = o->p;

	out_head(report, rest->first);
	if (sides == 1)
		out_side(o, report, rest->first, rest->n > 1);
	out_kinds(o, rest);
	if (sides > 1) {
		ibw_out_str(o, " in ");
		pl_out_counted(o, sides, "direction");
	}
	if (rest->n > 1) {
		ibw_out_str(o, ", up to frame ");
		pl_out_frame(o, &report->frames, rest->last_frame, file);
	}
	if (rest->resent && rest->first->qp) {
		ibw_out_str(o, "; ");
		pl_out_counted(o, rest->resent, "packet");
		ibw_out_str(o, " retransmitted");
	}
	if (rest->longest_ns && !rest->first->qp) {
		ibw_out_str(o, ": the longest took ");
		pl_out_ns(o, rest->longest_ns);
	} else if (rest->longest_ns) {
		ibw_out_str(o, sides == 1 ? ": " : ": the longest took ");
		pl_out_ns(o, sides == 1 ? pl_spans_ns(rest->spans) : rest->longest_ns);
		ibw_out_str(o, " without progress");
	}
	ibw_out_char(o, '\n');
	pl_wrap(report->output, from);
}

/* What has a line so far. */
struct told {
	GHashTable *of_side;
	GHashTable *those; /* incidents: in a line of their own, of another one, or of the rest */
	unsigned int n;
};

/* In a line of its own. */
static bool is_shown(const struct pl_report *report, const struct pl_incident *i,
		     const struct told *told)
{
	gpointer side = side_of(i);
	gsize of_side = GPOINTER_TO_SIZE(g_hash_table_lookup(told->of_side, side));

	if (pl_report_is_told_live(report, i))
		return true;
	if (report->options->verbose)
		return told->n < SHOWN_VERBOSE;
	if (told->n == SHOWN || of_side == SHOWN_OF_CONNECTION)
		return false;
	g_hash_table_insert(told->of_side, side, GSIZE_TO_POINTER(of_side + 1));
	return true;
}

/* With -v each has its own line. */
static void show(struct pl_report *report, const struct pl_incident *incident, struct told *told)
{
	struct like like = { .report = report, .told = told->those };

	told->n++;
	g_hash_table_add(told->those, (gpointer)incident);
	if (pl_report_is_told_live(report, incident))
		return;
	if (!report->options->verbose && incident->qp)
		pl_incidents_each_like(incident, take_like, &like);
	pl_output_room(report->output);
	text_incident(report, incident, &like);
	pl_output_line(report->output);
}

static void text_sorted(struct pl_report *report, const struct pl_incident *const *sorted,
			unsigned int n)
{
	struct told told = { g_hash_table_new(NULL, NULL), g_hash_table_new(NULL, NULL), 0 };
	struct rest *rest = g_new0(struct rest, LINT_RULE_COUNT);
	enum lint_rule_id order[LINT_RULE_COUNT]; /* the costliest first */
	unsigned int i, n_rest = 0;

	for (i = 0; i < n; i++) {
		if (g_hash_table_contains(told.those, sorted[i]))
			continue;
		if (is_shown(report, sorted[i], &told)) {
			show(report, sorted[i], &told);
			continue;
		}
		g_hash_table_add(told.those, (gpointer)sorted[i]);
		if (!rest[sorted[i]->rule].n)
			order[n_rest++] = sorted[i]->rule;
		add(&rest[sorted[i]->rule], sorted[i]);
	}
	for (i = 0; i < n_rest; i++) {
		pl_output_room(report->output);
		text_rest(report, &rest[order[i]]);
		pl_output_line(report->output);
		g_hash_table_unref(rest[order[i]].sides);
		pl_spans_free(rest[order[i]].spans);
	}
	g_free(rest);
	g_hash_table_unref(told.of_side);
	g_hash_table_unref(told.those);
}

void pl_text_incidents(struct pl_report *report, const struct pl_incident *incidents,
		       unsigned int n)
{
	unsigned int n_sorted, i;
	const struct pl_incident **sorted = pl_incidents_told(report, incidents, n, &n_sorted);

	for (i = 0; i < n_sorted; i++)
		report->incidents += pl_incident_count(sorted[i]);
	for (i = 0; i < n_sorted && !report->story_known; i++)
		report->story_known = pl_incident_connection(sorted[i], &report->story);
	text_sorted(report, sorted, n_sorted);
	g_free(sorted);
}
