/* SPDX-License-Identifier: GPL-2.0-or-later */
/* incident_say.c - an incident in a sentence, and the frames that it consists of. */
#include <ibwire/ibwire.h>

#include "pcap-lint/report/flow.h"
#include "incident.h"
#include "incident_cc.h"
#include "incident_stall.h"
#include "track/cm/cm_asked.h"
#include "track/track.h"
#include "track/way/qp_state.h"

/* Each frame once, as what it is first; 0 is none. */
static void add_frame(struct pl_incident_frame frames[PL_INCIDENT_FRAMES], unsigned int *n,
		      uint64_t frame, const char *what)
{
	unsigned int i;

	for (i = 0; i < *n && frames[i].frame != frame; i++)
		;
	if (frame && i == *n && i < PL_INCIDENT_FRAMES)
		frames[(*n)++] = (struct pl_incident_frame){ frame, what };
}

static void add_conversation(struct pl_incident_frame frames[PL_INCIDENT_FRAMES], unsigned int *n,
			     const struct pl_report *report, const struct pl_incident *incident)
{
	struct track_cm_asked asked[TRACK_CM_ASKED_MAX];
	unsigned int i, n_asked = track_cm_list_asked(track_conversations(report->track),
						      incident->conversation, asked);

	for (i = 0; i < n_asked; i++) {
		add_frame(frames, n, asked[i].first_frame, "the message");
		add_frame(frames, n, asked[i].again_frame, "the message again");
		add_frame(frames, n, asked[i].answer_frame, "its answer");
	}
	add_frame(frames, n, incident->incident->last_frame, "the last of its messages");
}

/* Of others than the root those that the sentence names: findings name them. */
static void add_mads(struct pl_incident_frame frames[PL_INCIDENT_FRAMES], unsigned int *n,
		     const struct pl_incident *incident)
{
	const struct track_mad_asked *a = pl_incident_root_mad(incident);

	add_frame(frames, n, a->first_frame, "the request");
	add_frame(frames, n, a->again_frame, "the request again");
	add_frame(frames, n, a->answer_frame, a->stopped ? "its end" : "its answer");
	if (!a->answer_frame)
		add_frame(frames, n, a->until_frame, "the packet up to which it had no answer");
	add_frame(frames, n, incident->incident->last_frame, "its last packet");
}

static void add_transfer(struct pl_incident_frame frames[PL_INCIDENT_FRAMES], unsigned int *n,
			 const struct track_transfer_trouble *transfer)
{
	add_frame(frames, n, transfer->root_frame, "the segment");
	add_frame(frames, n, transfer->again_frame, "the segment, after that");
	add_frame(frames, n, transfer->first_frame, "the first segment of the transfer");
	add_frame(frames, n, transfer->end_frame,
		  transfer->stop ? "the packet that stops it" : "the segment that completes it");
	add_frame(frames, n, transfer->last_frame, "its last packet");
}

static void add_congestion(struct pl_incident_frame frames[PL_INCIDENT_FRAMES], unsigned int *n,
			   const struct track_marked_way *is)
{
	add_frame(frames, n, is->mark_frame, "the first packet marked CE");
	add_frame(frames, n, is->cnp_frame, "the first CNP");
	add_frame(frames, n, is->mark_last_frame, "the last packet marked CE");
	add_frame(frames, n, is->cnp_last_frame, "the last CNP");
}

static void add_stall(struct pl_incident_frame frames[PL_INCIDENT_FRAMES], unsigned int *n,
		      const struct track_incident *i, bool missing)
{
	add_frame(frames, n, i->notice_frame, "the first duplicate ACK");
	add_frame(frames, n, i->resent_frame, "the first retransmission");
	add_frame(frames, n, i->root_frame, "the first octet that was missing");
	add_frame(frames, n, i->end_frame,
		  missing ? "the segment that completes it" : "the acknowledgement of all");
	add_frame(frames, n, i->last_frame, "its last packet");
}

unsigned int pl_incident_frames(const struct pl_report *report, const struct pl_incident *incident,
				struct pl_incident_frame frames[PL_INCIDENT_FRAMES])
{
	const struct track_incident *i = incident->incident;
	unsigned int n = 0;

	add_frame(frames, &n, i->frame, "what shows it");
	if (!incident->qp) {
		if (incident->mads)
			add_mads(frames, &n, incident);
		else if (incident->transfer)
			add_transfer(frames, &n, incident->transfer);
		else if (incident->congestion)
			add_congestion(frames, &n, incident->congestion);
		else if (incident->stall)
			add_stall(frames, &n, i, incident->stall->octets != 0);
		else
			add_conversation(frames, &n, report, incident);
		return n;
	}
	add_frame(frames, &n, i->lost_frame, "the copy that was lost");
	add_frame(frames, &n, i->root_frame, "the request, or its first copy");
	add_frame(frames, &n, i->nak_frame, i->rnr ? "the RNR NAK" : "the NAK");
	add_frame(frames, &n, i->notice_frame, "the first retransmission");
	add_frame(frames, &n, i->resent_frame, "the request again");
	add_frame(frames, &n, i->end_frame, "its end");
	add_frame(frames, &n, i->last_frame, "its last retransmission");
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

void pl_out_incident_frame(const struct pl_incident_line *l, const char *before, uint64_t frame)
{
	ibw_out_str(l->o, before);
	if (l->file)
		pl_out_frame(l->o, &l->report->frames, frame, l->file);
	else
		ibw_out_dec(l->o, frame);
}

const char *pl_incident_operation(const struct pl_incident *incident, char buf[LINT_MAD_TEXT])
{
	const struct track_incident *i = incident->incident;
	const struct track_mad_asked *a;

	if (incident->mads) {
		a = pl_incident_root_mad(incident);
		return lint_mad_request_text(a->mgmt_class, a->method, a->attr_id, buf);
	}
	if (incident->transfer) {
		const struct lint_mad_numbers n = { .mgmt_class = incident->transfer->mgmt_class,
						    .response = incident->transfer->response,
						    .method = incident->transfer->method,
						    .attr_id = incident->transfer->attr_id };

		return lint_mad_numbers_text(&n, buf);
	}
	if (i->cm_frame)
		return track_cm_message_name((enum track_cm_message)i->opcode);
	return i->known ? ibw_name_of(ibw_opcode_names, i->opcode) : NULL;
}

/* "RC RDMA WRITE Middle psn 0xa3491b (frame 988)": the copy that was lost, or the first one, if it came before */
static void out_root(const struct pl_incident_line *l)
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
	pl_out_incident_frame(l, " (frame ", frame);
	ibw_out_char(l->o, ')');
}

/* "refused in frame 7: NAK remote access error for RC RDMA WRITE Only: VA ..." */
static void out_refused(const struct pl_incident_line *l, const char *message)
{
	const struct track_incident *i = l->i;
	char buf[PL_FRAMES_MESSAGE];

	pl_out_incident_frame(l, " in frame ",
			      i->end_frame); /* an earlier NAK may have asked for it again */
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
static void out_naks(const struct pl_incident_line *l)
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
	pl_out_incident_frame(l, i->rnr + i->naks > 1 ? " from frame " : " in frame ",
			      i->nak_frame);
	if (i->rnr + i->naks > 1)
		ibw_out_str(l->o, " on");
}

/* Whether what was sent again is what the NAK asks for: of a request that came first after it, the time would be another one. */
static bool is_asked_for(const struct track_incident *i)
{
	return i->nak_frame && i->nak_frame == i->notice_frame && i->resent_frame > i->nak_frame &&
	       (i->root_frame < i->nak_frame || i->root_frame == i->resent_frame || i->noticed_ns ||
		i->kind == TRACK_INCIDENT_LATE);
}

/* ", retransmitted 69.8 ms later (frame 1000)", "; retransmitted by timer in frame 85" */
static void out_resent(const struct pl_incident_line *l)
{
	const struct track_incident *i = l->i;

	if (is_asked_for(i)) {
		ibw_out_str(l->o, ", retransmitted ");
		pl_out_ns(l->o, i->resent_ns);
		pl_out_incident_frame(l, " later (frame ", i->resent_frame);
		ibw_out_char(l->o, ')');
	} else if (i->resent_frame) {
		ibw_out_str(l->o, i->by_timer ? "; retransmitted by timer" : "; retransmitted");
		pl_out_incident_frame(l, " in frame ", i->resent_frame);
	}
	if (i->resent_packets > 1) { /* no comma: "frame 8, 12" is two frames */
		ibw_out_str(l->o, "; ");
		pl_out_counted(l->o, i->resent_packets, "packet");
		ibw_out_str(l->o, " retransmitted");
	}
}

/* "; answered in frame 1022: 142 ms without progress" */
static void out_end(const struct pl_incident_line *l)
{
	const struct track_incident *i = l->i;

	if (i->ended && i->end_frame > i->frame)
		pl_out_incident_frame(l, "; answered in frame ", i->end_frame);
	else if (!i->ended && i->kind != TRACK_INCIDENT_RETRIES)
		ibw_out_str(l->o, "; never answered");
	if (!i->ns)
		return;
	ibw_out_str(l->o, ": ");
	pl_out_ns(l->o, i->ns);
	ibw_out_str(l->o, " without progress");
}

/* "; sent 4 times, and the REQ allows 3 retries, nothing at all from 10.7.0.2 any more" */
static void out_retries(const struct pl_incident_line *l, const struct pl_incident *incident)
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
		if (kind == TRACK_INCIDENT_ANSWER_LOST)
			ibw_out_str(o, "was retransmitted although answered");
		else if (incident->incident->resent_frame)
			ibw_out_str(o, "was retransmitted, reason not known");
		else
			ibw_out_str(o,
				    "had no answer yet when later ones were retransmitted, reason "
				    "not known");
		return;
	}
	ibw_out_str(o, kind == TRACK_INCIDENT_LATE && incident->incident->response
			       ? "got a response out of order"
			       : track_incident_rows[kind].is);
	other = pl_incident_or_else(kind, report->doubt | track_qp_doubt(incident->qp));
	if (other)
		ibw_out_str(o, other);
}

/* " was seen 2 times, again 6.17 s later in frame 25" */
static void out_copies(const struct pl_incident_line *l, uint32_t copies, uint64_t again_frame,
		       uint64_t first_ns, uint64_t again_ns)
{
	ibw_out_str(l->o, " was seen ");
	pl_out_counted(l->o, copies, "time");
	ibw_out_str(l->o, ", again ");
	if (again_ns > first_ns) {
		pl_out_ns(l->o, again_ns - first_ns);
		ibw_out_str(l->o, " later ");
	}
	pl_out_incident_frame(l, "in frame ", again_frame);
}

/* "; REP 6.18 s after the first REQ in frame 26" */
static void out_answer(const struct pl_incident_line *l, const struct track_cm_asked *a)
{
	const char *name = track_cm_message_name((enum track_cm_message)a->message);

	if (!a->answer) {
		ibw_out_str(l->o, "; no answer to it was captured");
		return;
	}
	ibw_out_str(l->o, "; ");
	ibw_out_str(l->o, track_cm_message_name((enum track_cm_message)a->answer));
	if (a->answer_ns > a->first_ns) {
		ibw_out_char(l->o, ' ');
		pl_out_ns(l->o, a->answer_ns - a->first_ns);
		ibw_out_str(l->o, a->again_frame ? " after the first " : " after the ");
		ibw_out_str(l->o, name);
	}
	if (a->answer_frame)
		pl_out_incident_frame(l, " in frame ", a->answer_frame);
}

/* "REQ of frame 4 was seen 2 times, again 6.17 s later in frame 25; REP 6.18 s after the first REQ in frame 26; DREQ of ..." */
static void out_conversation(const struct pl_incident_line *l,
			     const struct track_cm_record *conversation)
{
	struct track_cm_asked asked[TRACK_CM_ASKED_MAX];
	unsigned int i,
		n = track_cm_list_asked(track_conversations(l->report->track), conversation, asked);

	for (i = 0; i < n; i++) {
		ibw_out_str(l->o, i ? "; " : "");
		ibw_out_str(l->o, track_cm_message_name((enum track_cm_message)asked[i].message));
		pl_out_incident_frame(l, " of frame ", asked[i].first_frame);
		if (asked[i].again_frame)
			out_copies(l, asked[i].copies, asked[i].again_frame, asked[i].first_ns,
				   asked[i].again_ns);
		out_answer(l, &asked[i]);
	}
}

/* "; answered 3 s after the first copy and 2 s after the last one in frame 6" */
static void out_mad_answer(const struct pl_incident_line *l, const struct track_mad_asked *a)
{
	if (!a->answer_frame && a->until_frame) {
		pl_out_incident_frame(l, "; no answer to it by frame ", a->until_frame);
		return;
	}
	if (!a->answer_frame) {
		ibw_out_str(l->o, "; no answer to it was captured");
		return;
	}
	ibw_out_str(l->o, a->stopped ? "; stopped " : "; answered ");
	if (a->answer_ns > a->first_ns) {
		pl_out_ns(l->o, a->answer_ns - a->first_ns);
		ibw_out_str(l->o, a->again_frame ? " after the first copy " : " later ");
		if (a->again_frame && a->answer_ns > a->last_ns) {
			ibw_out_str(l->o, "and ");
			pl_out_ns(l->o, a->answer_ns - a->last_ns);
			ibw_out_str(l->o, " after the last one ");
		}
	}
	pl_out_incident_frame(l, "in frame ", a->answer_frame);
}

/* "; no answer to 4 more requests either, up to frame 19" */
static void out_other_mads(const struct pl_incident_line *l, enum track_mad_outcome outcome,
			   uint32_t n)
{
	static const char *const after[] = {
		[TRACK_MAD_UNANSWERED] = " either",
		[TRACK_MAD_LATE] = " answered late",
		[TRACK_MAD_STOPPED] = " stopped",
		[TRACK_MAD_REPEATED] = " seen more than once",
	};
	const bool is_done_to = outcome != TRACK_MAD_UNANSWERED;

	ibw_out_str(l->o, outcome == TRACK_MAD_UNANSWERED ? "; no answer to " : "; ");
	pl_out_counted(l->o, n, "more request");
	if (is_done_to)
		ibw_out_str(l->o, n == 1 ? " was" : " were");
	ibw_out_str(l->o, after[outcome]);
	pl_out_incident_frame(l, ", up to frame ", l->i->last_frame);
}

/* "SubnAdm Get(NodeRecord) for LID 0x0009 of frame 4 was seen 2 times, again 1 s later in frame 5; no answer to it was captured" */
static void out_mads(const struct pl_incident_line *l, const struct pl_incident *incident)
{
	const struct track_mad_asked *a = pl_incident_root_mad(incident);
	char name[LINT_MAD_TEXT], about[TRACK_OBJECT_TEXT];

	ibw_out_str(l->o, pl_incident_operation(incident, name));
	ibw_out_str(l->o, track_object_named(l->report->track, &a->object, about));
	pl_out_incident_frame(l, " of frame ", a->first_frame);
	if (a->again_frame)
		out_copies(l, a->copies, a->again_frame, a->first_ns, a->again_ns);
	out_mad_answer(l, a);
	if (incident->alike.n > 1)
		out_other_mads(l, track_mad_asked_outcome(a), incident->alike.n - 1);
}

/* ": segment 4 was missing in frame 9, and came 1.0 s later in frame 14; 3 segments came with others missing before them" */
static void out_missing(const struct pl_incident_line *l, const struct track_transfer_trouble *t)
{
	ibw_out_str(l->o, ": segment ");
	ibw_out_dec(l->o, t->root);
	pl_out_incident_frame(l, " was missing in frame ", t->gap_frame);
	if (t->again_frame) {
		ibw_out_str(l->o, ", and came ");
		if (t->again_ns > t->shown_ns) {
			pl_out_ns(l->o, t->again_ns - t->shown_ns);
			ibw_out_str(l->o, " later ");
		}
		pl_out_incident_frame(l, "in frame ", t->again_frame);
	} else {
		ibw_out_str(l->o, ", and never came");
	}
	if (t->gaps < 2)
		return;
	ibw_out_str(l->o, "; ");
	pl_out_counted(l->o, t->gaps, "segment");
	ibw_out_str(l->o, " came with others missing before them");
}

/* ": segment 3 of frame 8 was seen 2 times, again 400 ms later in frame 11" */
static void out_repeated(const struct pl_incident_line *l, const struct track_transfer_trouble *t)
{
	ibw_out_str(l->o, ": segment ");
	ibw_out_dec(l->o, t->root);
	pl_out_incident_frame(l, " of frame ", t->root_frame);
	out_copies(l, t->copies, t->again_frame, t->root_ns, t->again_ns);
}

/* "; ABORT with status 126 (too many retries) in frame 30", "; complete in frame 20" */
static void out_transfer_end(const struct pl_incident_line *l,
			     const struct track_transfer_trouble *t, const char *before)
{
	const char *status = ibw_name_of(ibw_rmpp_status_names, t->status);

	ibw_out_str(l->o, before);
	if (t->complete) {
		pl_out_incident_frame(l, "complete in frame ", t->end_frame);
		return;
	}
	if (!t->stop) {
		pl_out_incident_frame(l, "not complete by frame ", t->last_frame);
		return;
	}
	ibw_out_str(l->o, t->stop == IBW_RMPP_STOP ? "STOP with status " : "ABORT with status ");
	ibw_out_dec(l->o, t->status);
	if (status) {
		ibw_out_str(l->o, " (");
		ibw_out_str(l->o, status);
		ibw_out_char(l->o, ')');
	}
	pl_out_incident_frame(l, " in frame ", t->end_frame);
}

/* "SubnAdm GetTableResp(PathRecord) from frame 5 on: segment 4 ...; 6 segments repeated; complete in frame 20: 1.0 s without progress" */
static void out_transfer(const struct pl_incident_line *l, const struct pl_incident *incident)
{
	const struct track_transfer_trouble *t = incident->transfer;
	const bool was_missing = t->shown_frame == t->gap_frame;
	const bool was_repeated = !was_missing && t->again_frame;
	char name[LINT_MAD_TEXT];

	ibw_out_str(l->o, pl_incident_operation(incident, name));
	pl_out_incident_frame(l, " from frame ", t->first_frame);
	ibw_out_str(l->o, " on");
	if (was_missing)
		out_missing(l, t);
	else if (was_repeated)
		out_repeated(l, t);
	if (t->again > was_repeated) {
		ibw_out_str(l->o, "; ");
		pl_out_counted(l->o, t->again, "segment");
		ibw_out_str(l->o, " repeated");
	}
	out_transfer_end(l, t, was_missing || was_repeated ? "; " : ": ");
	if (!l->i->ns)
		return;
	ibw_out_str(l->o, ": ");
	pl_out_ns(l->o, l->i->ns);
	ibw_out_str(l->o, " without progress");
}

void pl_out_incident_hosts(struct ibw_out *o, const struct pl_report *report,
			   const struct pl_incident *incident)
{
	struct track_flow hosts;

	pl_incident_hosts(incident, &hosts);
	pl_out_host(o, report, &hosts, true);
	ibw_out_str(o, " -> ");
	pl_out_host(o, report, &hosts, false);
}

void pl_out_incident(struct ibw_out *o, const struct pl_report *report,
		     const struct pl_incident *incident, const char *file)
{
	const struct track_incident *i = incident->incident;
	const struct pl_incident_line l = { report, o, i, file };

	if (incident->conversation) {
		out_conversation(&l, incident->conversation);
		return;
	}
	if (incident->mads) {
		out_mads(&l, incident);
		return;
	}
	if (incident->transfer) {
		out_transfer(&l, incident);
		return;
	}
	if (incident->congestion) {
		pl_out_congestion(&l, incident->congestion, incident->proved);
		return;
	}
	if (incident->stall) {
		pl_out_stall(&l, incident->stall);
		return;
	}
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
