/* SPDX-License-Identifier: GPL-2.0-or-later */
/* incident_text.c - incidents as lines of text: the costliest each in its own, the others of a rule in one. */
#include <stdlib.h>

#include <ibwire/ibwire.h>

#include "flow.h"
#include "incident.h"
#include "sink.h"
#include "track/qp_state.h"
#include "wrap.h"

/* Lines of their own: of a connection, and of a capture; with -v of a capture. */
#define SHOWN_OF_CONNECTION 3u
#define SHOWN 8u
#define SHOWN_VERBOSE 300u

/* What a line says of several of a rule. */
struct rest {
	const struct pl_incident *first; /* by frame */
	uint64_t kinds[TRACK_INCIDENT_COUNT];
	uint64_t unasked; /* in no kind */
	uint64_t n, last_frame, ns, longest_ns, resent;
	GHashTable *sides; /* of which they are */
};

static void *side_of(const struct pl_incident *i)
{
	return GSIZE_TO_POINTER((gsize)i->qp->number * TRACK_WAYS + i->incident->way + 1);
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

/* "10.7.0.1 qp 21 -> 10.7.0.2 qp 20 [NFS 20049]: ": the side whose requests they are about */
static void out_side(struct ibw_out *o, const struct pl_incident *i)
{
	const enum track_way way = (enum track_way)i->incident->way;
	const uint64_t service_id = track_qp_service_id(i->qp);
	char buf[TRACK_CM_SERVICE_TEXT];
	const char *service = service_id ? track_cm_service_text(service_id, buf) : NULL;

	pl_out_short_end(o, i->qp, way);
	ibw_out_str(o, " -> ");
	pl_out_short_end(o, i->qp, (enum track_way) !way);
	if (service) {
		ibw_out_str(o, " [");
		ibw_out_str(o, service);
		ibw_out_char(o, ']');
	}
	ibw_out_str(o, ": ");
}

/* A line about one incident. */
struct line {
	struct pl_report *report;
	struct ibw_out *o;
	const struct track_incident *i;
	const char *file;
};

static void out_frame(const struct line *l, const char *before, uint64_t frame)
{
	ibw_out_str(l->o, before);
	pl_out_frame(l->o, &l->report->frames, frame, l->file);
}

/* "RC RDMA WRITE Middle psn 0xa3491b (frame 988)": the copy that was lost, or the first one */
static void out_root(const struct line *l)
{
	const struct track_incident *i = l->i;
	const char *name = i->known ? ibw_name_of(ibw_opcode_names, i->opcode) : NULL;
	uint64_t frame = i->lost_frame ? i->lost_frame : i->root_frame;

	if (name) {
		ibw_out_str(l->o, name);
		ibw_out_char(l->o, ' ');
	}
	ibw_out_str(l->o, "psn ");
	ibw_out_hex(l->o, i->psn, 6);
	if (!frame || frame == i->frame)
		return;
	out_frame(l, " (frame ", frame);
	ibw_out_char(l->o, ')');
}

/* "refused in frame 7: NAK remote access error for RC RDMA WRITE Only: VA ..." */
static void out_refused(const struct line *l, const char *message)
{
	const struct track_incident *i = l->i;
	const char *error = ibw_name_of(ibw_aeth_syndrome_names, i->syndrome);
	char buf[PL_FRAMES_MESSAGE];
	const char *why = ibw_name_of(track_refusal_names, i->why);

	out_frame(l, " in frame ", i->nak_frame);
	ibw_out_str(l->o, ": ");
	if (message) {
		ibw_out_str(l->o, pl_frames_message(&l->report->frames, message, l->file, buf));
		return;
	}
	ibw_out_str(l->o, error ? error : "reserved NAK code");
	if (i->syndrome <= IBW_AETH_NAK_INVALID_RD && why && *why) {
		ibw_out_str(l->o, ", ");
		ibw_out_str(l->o, why);
	}
}

/* "; 4 RNR NAKs and 2 NAKs from frame 8 on", "; NAK in frame 990" */
static void out_naks(const struct line *l)
{
	const struct track_incident *i = l->i;

	if (!i->rnr && !i->naks)
		return;
	ibw_out_str(l->o, "; ");
	if (i->rnr)
		pl_out_counted(l->o, i->rnr, "RNR NAK");
	if (i->rnr && i->naks)
		ibw_out_str(l->o, " and ");
	if (i->rnr + i->naks == 1 && i->naks)
		ibw_out_str(l->o, "NAK");
	else if (i->naks)
		pl_out_counted(l->o, i->naks, "NAK");
	out_frame(l, i->rnr + i->naks > 1 ? " from frame " : " in frame ", i->nak_frame);
	if (i->rnr + i->naks > 1)
		ibw_out_str(l->o, " on");
}

/* ", resent 69.8 ms later (frame 1000)", "; resent by timer in frame 85" */
static void out_resent(const struct line *l)
{
	const struct track_incident *i = l->i;

	if (i->nak_frame && i->nak_frame == i->notice_frame && i->resent_frame > i->nak_frame) {
		ibw_out_str(l->o, ", resent ");
		pl_out_ns(l->o, i->resent_ns);
		out_frame(l, " later (frame ", i->resent_frame);
		ibw_out_char(l->o, ')');
	} else if (i->resent_frame) {
		ibw_out_str(l->o, i->timers ? "; resent by timer" : "; resent");
		out_frame(l, " in frame ", i->resent_frame);
	}
	if (i->resent_packets > 1) {
		ibw_out_str(l->o, ", ");
		pl_out_counted(l->o, i->resent_packets, "packet");
		ibw_out_str(l->o, " resent");
	}
}

/* "; answered in frame 1022: 142 ms without progress" */
static void out_end(const struct line *l)
{
	const struct track_incident *i = l->i;

	if (i->ended && i->end_frame > i->frame)
		out_frame(l, "; answered in frame ", i->end_frame);
	else if (!i->ended && i->kind != TRACK_INCIDENT_RETRIES)
		ibw_out_str(l->o, "; never answered");
	if (!i->ns)
		return;
	ibw_out_str(l->o, ": ");
	pl_out_ns(l->o, i->ns);
	ibw_out_str(l->o, " without progress");
}

/* "; sent 4 times, and the REQ allows 3 retries, nothing at all from 10.7.0.2 any more" */
static void out_retries(const struct line *l, const struct pl_incident *incident)
{
	const struct track_agreed *agreed = incident->qp->agreed;

	if (l->i->rnr)
		return;
	ibw_out_str(l->o, "; sent ");
	pl_out_counted(l->o, l->i->copies, "time");
	if (agreed && agreed->retries_known) {
		ibw_out_str(l->o, ", and the REQ allows ");
		pl_out_counted(l->o, agreed->retries, "retry");
	}
	pl_out_ending(l->o, l->report, incident->qp, (enum track_way)l->i->way);
}

static void out_head(const struct line *l, const struct pl_incident *incident, uint64_t frame)
{
	pl_text_head(l->report, frame, pl_incident_severity(incident), incident->rule);
}

/* Of one that nobody asked to be resent, its kind is only a guess. */
static void out_what(struct ibw_out *o, const struct pl_report *report,
		     const struct pl_incident *incident)
{
	const enum track_incident_kind kind = (enum track_incident_kind)incident->incident->kind;
	const char *other;

	if (pl_incident_is_unasked(incident)) {
		ibw_out_str(o, kind == TRACK_INCIDENT_ANSWER_LOST ? "was resent although answered"
								  : "was resent, why is not known");
		return;
	}
	ibw_out_str(o, track_incident_rows[kind].is);
	other = pl_incident_or_else(kind, report->doubt | track_qp_doubt(incident->qp));
	if (other)
		ibw_out_str(o, other);
}

static void text_incident(struct pl_report *report, const struct pl_incident *incident)
{
	const struct track_incident *i = incident->incident;
	const struct line l = { report, &report->output->out, i,
				pl_frames_place(&report->frames, i->frame).file };
	const char *from = l.o->p;

	out_head(&l, incident, i->frame);
	out_side(l.o, incident);
	out_root(&l);
	ibw_out_char(l.o, ' ');
	out_what(l.o, report, incident);
	if (i->kind == TRACK_INCIDENT_REFUSED) {
		out_refused(&l, incident->message);
	} else {
		if (i->kind == TRACK_INCIDENT_RETRIES)
			out_retries(&l, incident);
		out_naks(&l);
		out_resent(&l);
		out_end(&l);
	}
	ibw_out_char(l.o, '\n');
	pl_wrap(report->output, from);
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
	rest->ns += i->ns;
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
	ibw_out_str(o, rest->unasked == 1 ? "request resent" : "requests resent");
}

/* "31 more requests lost after the capture point, up to frame 1239: 373 ms without progress"; of several sides the longest */
static void text_rest(struct pl_report *report, const struct rest *rest)
{
	const struct track_incident *i = rest->first->incident;
	const struct line l = { report, &report->output->out, i,
				pl_frames_place(&report->frames, i->frame).file };
	unsigned int sides = g_hash_table_size(rest->sides);
	const char *from = l.o->p;

	out_head(&l, rest->first, i->frame);
	if (sides == 1)
		out_side(l.o, rest->first);
	out_kinds(l.o, rest);
	if (sides > 1) {
		ibw_out_str(l.o, " in ");
		pl_out_counted(l.o, sides, "direction");
	}
	if (rest->n > 1)
		out_frame(&l, ", up to frame ", rest->last_frame);
	if (rest->resent) {
		ibw_out_str(l.o, ", ");
		pl_out_counted(l.o, rest->resent, "packet");
		ibw_out_str(l.o, " resent");
	}
	if (rest->longest_ns) {
		ibw_out_str(l.o, sides == 1 ? ": " : ": the longest took ");
		pl_out_ns(l.o, sides == 1 ? rest->ns : rest->longest_ns);
		ibw_out_str(l.o, " without progress");
	}
	ibw_out_char(l.o, '\n');
	pl_wrap(report->output, from);
}

/* In a line of its own. */
static bool is_shown(const struct pl_report *report, const struct pl_incident *i, GHashTable *shown,
		     unsigned int n)
{
	gpointer side = side_of(i);
	gsize of_side = GPOINTER_TO_SIZE(g_hash_table_lookup(shown, side));

	if (report->options->verbose)
		return n < SHOWN_VERBOSE;
	if (n == SHOWN || of_side == SHOWN_OF_CONNECTION)
		return false;
	g_hash_table_insert(shown, side, GSIZE_TO_POINTER(of_side + 1));
	return true;
}

static void text_sorted(struct pl_report *report, const struct pl_incident *const *sorted,
			unsigned int n)
{
	GHashTable *shown = g_hash_table_new(NULL, NULL);
	struct rest *rest = g_new0(struct rest, LINT_RULE_COUNT);
	enum lint_rule_id order[LINT_RULE_COUNT]; /* the costliest first */
	unsigned int i, n_rest = 0, n_shown = 0;

	for (i = 0; i < n; i++) {
		if (!is_shown(report, sorted[i], shown, n_shown)) {
			if (!rest[sorted[i]->rule].n)
				order[n_rest++] = sorted[i]->rule;
			add(&rest[sorted[i]->rule], sorted[i]);
			continue;
		}
		n_shown++;
		pl_output_room(report->output);
		text_incident(report, sorted[i]);
		pl_output_line(report->output);
	}
	for (i = 0; i < n_rest; i++) {
		pl_output_room(report->output);
		text_rest(report, &rest[order[i]]);
		pl_output_line(report->output);
		g_hash_table_unref(rest[order[i]].sides);
	}
	g_free(rest);
	g_hash_table_unref(shown);
}

void pl_text_incidents(struct pl_report *report, const struct pl_incident *incidents,
		       unsigned int n)
{
	const struct pl_incident **sorted = g_new(const struct pl_incident *, n + 1);
	unsigned int i, n_sorted = 0;

	for (i = 0; i < n; i++)
		if (pl_incident_is_told(report, &incidents[i]))
			sorted[n_sorted++] = &incidents[i];
	qsort(sorted, n_sorted, sizeof(void *), worst_first);
	report->incidents = n_sorted;
	if (n_sorted)
		report->story = sorted[0]->qp->number;
	text_sorted(report, sorted, n_sorted);
	g_free(sorted);
}
