/* SPDX-License-Identifier: GPL-2.0-or-later */
/* incident_say.c - an incident in a sentence, and the frames that it consists of. */
#include <ibwire/ibwire.h>

#include "flow.h"
#include "incident.h"
#include "track/qp_state.h"

unsigned int pl_incident_frames(const struct pl_incident *incident,
				struct pl_incident_frame frames[PL_INCIDENT_FRAMES])
{
	const struct track_incident *i = incident->incident;
	const struct pl_incident_frame all[PL_INCIDENT_FRAMES] = {
		{ i->frame, "what shows it" },
		{ i->lost_frame, "the copy that was lost" },
		{ i->root_frame, "the request, or its first copy" },
		{ i->nak_frame, i->rnr ? "the RNR NAK" : "the NAK" },
		{ i->notice_frame, "the first resend" },
		{ i->resent_frame, "the request again" },
		{ i->end_frame, "its end" },
		{ i->last_frame, "its last resend" },
	};
	unsigned int j, k, n = 0;

	for (j = 0; j < PL_INCIDENT_FRAMES; j++) {
		for (k = 0; k < n && frames[k].frame != all[j].frame; k++)
			;
		if (all[j].frame && k == n)
			frames[n++] = all[j];
	}
	return n;
}

bool pl_refusal_is_known(const struct track_incident *i)
{
	return i->syndrome <= IBW_AETH_NAK_INVALID_RD;
}

void pl_out_refusal(struct ibw_out *o, const struct track_incident *i)
{
	const char *error = ibw_name_of(ibw_aeth_syndrome_names, i->syndrome);
	const char *why = ibw_name_of(track_refusal_names, i->why);

	ibw_out_str(o, error ? error : "reserved NAK code");
	if (!pl_refusal_is_known(i) || !why || !*why)
		return;
	ibw_out_str(o, ", ");
	ibw_out_str(o, why);
}

void pl_out_retries(struct ibw_out *o, const struct track_agreed *agreed)
{
	if (!agreed || !agreed->retries_known)
		return;
	ibw_out_str(o, ", and the REQ allows ");
	pl_out_counted(o, agreed->retries, "retry");
}

/* A line about one incident. */
struct line {
	const struct pl_report *report;
	struct ibw_out *o;
	const struct track_incident *i;
	const char *file; /* whose frames have their numbers; NULL: all have those of the report */
};

static void out_frame(const struct line *l, const char *before, uint64_t frame)
{
	ibw_out_str(l->o, before);
	if (l->file)
		pl_out_frame(l->o, &l->report->frames, frame, l->file);
	else
		ibw_out_dec(l->o, frame);
}

/* "RC RDMA WRITE Middle psn 0xa3491b (frame 988)": the copy that was lost, or the first one, if it came before */
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
	if (!frame || frame >= i->frame) /* later ones are resends */
		return;
	out_frame(l, " (frame ", frame);
	ibw_out_char(l->o, ')');
}

/* "refused in frame 7: NAK remote access error for RC RDMA WRITE Only: VA ..." */
static void out_refused(const struct line *l, const char *message)
{
	const struct track_incident *i = l->i;
	char buf[PL_FRAMES_MESSAGE];

	out_frame(l, " in frame ", i->nak_frame);
	ibw_out_str(l->o, ": ");
	if (message) {
		ibw_out_str(l->o,
			    l->file ? pl_frames_message(&l->report->frames, message, l->file, buf)
				    : message);
		return;
	}
	pl_out_refusal(l->o, i);
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
	if (i->resent_packets > 1) { /* no comma: "frame 8, 12" is two frames */
		ibw_out_str(l->o, "; ");
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
	pl_out_retries(l->o, agreed);
	pl_out_ending(l->o, l->report, incident->qp, (enum track_way)l->i->way);
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
	ibw_out_str(o, kind == TRACK_INCIDENT_LATE && incident->incident->response
			       ? "got a response late"
			       : track_incident_rows[kind].is);
	other = pl_incident_or_else(kind, report->doubt | track_qp_doubt(incident->qp));
	if (other)
		ibw_out_str(o, other);
}

void pl_out_incident(struct ibw_out *o, const struct pl_report *report,
		     const struct pl_incident *incident, const char *file)
{
	const struct track_incident *i = incident->incident;
	const struct line l = { report, o, i, file };

	out_root(&l);
	ibw_out_char(o, ' ');
	out_what(o, report, incident);
	if (i->kind == TRACK_INCIDENT_REFUSED) {
		out_refused(&l, incident->message);
		return;
	}
	if (i->kind == TRACK_INCIDENT_RETRIES)
		out_retries(&l, incident);
	out_naks(&l);
	out_resent(&l);
	out_end(&l);
}

const char *pl_incident_text(const struct pl_report *report, const struct pl_incident *incident,
			     const char *file, char buf[PL_INCIDENT_TEXT])
{
	struct ibw_out o = ibw_out_open(buf, PL_INCIDENT_TEXT);

	pl_out_incident(&o, report, incident, file);
	ibw_out_close(&o);
	return buf;
}
