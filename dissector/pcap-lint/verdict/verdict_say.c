/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * verdict_say.c - the sentence about connections between two hosts: what happened, how much was retransmitted, and which side
 * lost time.
 */
#include <string.h>

#include <ibwire/ibwire.h>

#include "pcap-lint/report/flow.h"
#include "verdict.h"
#include "pcap-lint/base/wrap.h"
#include "track/cm/cm_list.h"

static void out_end(struct ibw_out *o, const struct pl_side *side, bool to, bool with_qp)
{
	enum track_way way = to ? (enum track_way) !side->way : side->way;
	char address[TRACK_ADDRESS_TEXT];

	if (with_qp)
		pl_out_short_end(o, side->qp, way);
	else
		ibw_out_str(o, pl_flow_address(side->qp, way, address));
}

/* "10.7.0.1 qp 21 -> 10.7.0.2 qp 20"; "10.7.0.1 -> 10.7.0.2, 3 of 8 connections" */
static void out_who(struct ibw_out *o, const struct pl_report *report, const struct pl_side *side,
		    unsigned int n)
{
	out_end(o, side, false, n == 1);
	ibw_out_str(o, " -> ");
	out_end(o, side, true, n == 1);
	if (n == 1)
		return;
	ibw_out_str(o, ", ");
	ibw_out_dec(o, n);
	ibw_out_str(o, " of ");
	pl_out_connections_between(o, report, side->qp, n);
}

/* What is said of several ways together. */
struct sums {
	uint64_t count[TRACK_INCIDENT_COUNT];
	uint64_t resent, requests, rnr, unasked[2];
	uint64_t longest_ns, waited_ns; /* of one */
	uint16_t doubt;
};

static struct sums sum_up(const struct pl_report *report, const struct pl_side *const *sides,
			  unsigned int n, enum pl_state state)
{
	struct sums sums = { .longest_ns = sides[0]->ns[state], .waited_ns = sides[0]->waited_ns };
	unsigned int i, kind;

	for (i = 0; i < n; i++) {
		const struct track_dir *d = &sides[i]->qp->dir[sides[i]->way];

		for (kind = 0; kind < TRACK_INCIDENT_COUNT; kind++)
			sums.count[kind] += sides[i]->count[kind];
		sums.resent += sides[i]->resent[state];
		sums.requests += track_figure(d, TRACK_FIGURE_request_packets);
		sums.unasked[0] += sides[i]->unasked[0];
		sums.unasked[1] += sides[i]->unasked[1];
		sums.rnr += sides[i]->rnr;
		sums.doubt |= track_qp_doubt(sides[i]->qp);
	}
	sums.doubt |= report->doubt;
	return sums;
}

static bool is_lost_somewhere(unsigned int kind)
{
	return kind == TRACK_INCIDENT_LOST_AFTER || kind == TRACK_INCIDENT_LOST_BEFORE;
}

/* "at least 34 requests lost after the capture point, 2 requests doubled" */
static void out_kinds(struct ibw_out *o, const struct sums *sums)
{
	const char *before = "", *other;
	unsigned int kind;

	for (kind = TRACK_INCIDENT_RNR + 1; kind < TRACK_INCIDENT_COUNT; kind++) {
		const struct track_incident_row *row = &track_incident_rows[kind];
		uint64_t n = sums->count[kind];

		if (!n)
			continue;
		ibw_out_str(o, before);
		if (is_lost_somewhere(kind))
			ibw_out_str(o, "at least ");
		ibw_out_dec(o, n);
		ibw_out_char(o, ' ');
		ibw_out_str(o, n == 1 ? row->one : row->many);
		other = pl_incident_or_else((enum track_incident_kind)kind, sums->doubt);
		if (other)
			ibw_out_str(o, other);
		before = ", ";
	}
	for (kind = 0; kind < G_N_ELEMENTS(sums->unasked); kind++) {
		if (!sums->unasked[kind])
			continue;
		ibw_out_str(o, before);
		pl_out_counted(o, sums->unasked[kind], "request");
		ibw_out_str(o, kind ? " retransmitted, reason not known"
				    : " retransmitted although answered");
		before = ", ";
	}
}

/* From the first request to the last packet. */
static uint64_t duration_of(const struct track_qp *qp)
{
	uint64_t first = UINT64_MAX, last = 0;
	unsigned int way;

	for (way = 0; way < TRACK_WAYS; way++) {
		const struct track_dir *d = &qp->dir[way];

		if (d->last_ns)
			first = MIN(first, d->first_ns);
		last = MAX(last, MAX(d->last_ns, track_answered(d)->since.last_ns));
	}
	return last > first ? last - first : 0;
}

/* "; 652 of 1132 requests retransmitted (58 %)": packets */
static void out_resent(struct ibw_out *o, struct pl_sentence *s, const struct sums *sums)
{
	if (!sums->resent)
		return;
	s->resent = sums->resent;
	s->requests = sums->requests;
	ibw_out_str(o, "; ");
	ibw_out_dec(o, sums->resent);
	ibw_out_str(o, " of ");
	pl_out_counted(o, sums->requests, "request");
	ibw_out_str(o, " retransmitted (");
	ibw_out_dec(o, pl_percent(sums->resent, sums->requests));
	ibw_out_str(o, " %)");
}

/* ", no progress for 664 ms of 731 ms"; of several the longest */
static void out_time(struct ibw_out *o, struct pl_sentence *s, const struct pl_side *side,
		     const struct sums *sums, unsigned int n)
{
	uint64_t of_ns = duration_of(side->qp);

	if (!sums->longest_ns)
		return;
	s->ns = sums->longest_ns;
	ibw_out_str(o, n > 1 ? ", one of them without progress for " : ", no progress for ");
	pl_out_ns(o, sums->longest_ns);
	if (n > 1 || of_ns < sums->longest_ns)
		return;
	s->of_ns = of_ns;
	ibw_out_str(o, " of ");
	pl_out_ns(o, of_ns);
}

/*
 * "; 547 ms of that passed between NAKs and the retransmissions": if it is most of it. Whether the requester got the NAKs is not
 * seen: they may be lost after the capture point.
 */
static void out_blame(struct ibw_out *o, const struct sums *sums)
{
	if (!sums->waited_ns || 2 * sums->waited_ns < sums->longest_ns ||
	    sums->longest_ns < 1000000)
		return;
	ibw_out_str(o, "; ");
	pl_out_ns(o, sums->waited_ns);
	ibw_out_str(o, " of that passed between NAKs and the retransmissions");
}

/* "10.7.0.1 qp 25 -> 10.7.0.2 qp 25 died: PSN 0xde00e7 was sent 4 times without an answer, and the REQ allows 3 retries" */
static void say_dead(struct ibw_out *o, const struct pl_report *report, const struct pl_side *side,
		     unsigned int n)
{
	const struct track_incident *i = side->first[TRACK_INCIDENT_RETRIES];
	const struct track_agreed *agreed = side->qp->agreed;

	out_who(o, report, side, n);
	ibw_out_str(o, n == 1 ? " died: PSN " : ", died: on one of them, PSN ");
	ibw_out_hex(o, i->psn, 6);
	if (i->rnr) {
		ibw_out_str(o, " got ");
		pl_out_counted(o, i->rnr, "RNR NAK");
		ibw_out_str(o, ", as ");
		out_end(o, side, true, false);
		ibw_out_str(o, " had no receive posted");
		return;
	}
	ibw_out_str(o, " was sent ");
	pl_out_counted(o, i->copies, "time");
	ibw_out_str(o, " without an answer");
	if (agreed && agreed->drep_frame && i->root_frame > agreed->drep_frame)
		ibw_out_str(o, ", after DREQ and DREP had ended the connection");
	pl_out_retries(o, agreed);
}

/* "10.7.0.2 refused RC RDMA WRITE Only, PSN 0xa05c53, of 10.7.0.1 qp 30: remote access error" */
static void say_refused(struct ibw_out *o, const struct pl_report *report,
			const struct pl_side *side, unsigned int n)
{
	const struct track_incident *i = side->first[TRACK_INCIDENT_REFUSED];

	out_end(o, side, true, n == 1);
	ibw_out_str(o, " refused ");
	if (i->known) {
		ibw_out_str(o, ibw_name_of(ibw_opcode_names, i->opcode));
		ibw_out_str(o, ", ");
	}
	ibw_out_str(o, "PSN ");
	ibw_out_hex(o, i->psn, 6);
	ibw_out_str(o, ", of ");
	out_end(o, side, false, n == 1);
	ibw_out_str(o, ": ");
	pl_out_refusal(o, i);
	if (n == 1) {
		if (pl_refusal_is_known(i))
			ibw_out_str(o, "; that ends the connection");
		return;
	}
	ibw_out_str(o, "; requests were refused on ");
	ibw_out_dec(o, n);
	ibw_out_str(o, " of ");
	pl_out_connections_between(o, report, side->qp, n);
}

/* "10.7.0.2 qp 27 had no receive posted: 4 RNR NAKs" */
static void say_not_ready(struct ibw_out *o, const struct pl_report *report,
			  const struct pl_side *side, const struct sums *sums, unsigned int n)
{
	out_end(o, side, true, n == 1);
	ibw_out_str(o, " had no receive posted for ");
	out_end(o, side, false, n == 1);
	if (n > 1) {
		ibw_out_str(o, " on ");
		ibw_out_dec(o, n);
		ibw_out_str(o, " of ");
		pl_out_connections_between(o, report, side->qp, n);
	}
	ibw_out_str(o, ": ");
	pl_out_counted(o, sums->rnr, "RNR NAK");
}

static void say_more(struct ibw_out *o, const struct pl_sentence *s, unsigned int n)
{
	if (s->all_connections == n)
		return;
	ibw_out_str(o, "; and ");
	pl_out_counted(o, s->all_connections - n, "more direction");
}

/* Those that the sentence is about. */
static uint64_t incidents_of(const struct sums *sums, enum pl_state state)
{
	uint64_t n = sums->unasked[0] + sums->unasked[1];
	unsigned int kind;

	switch (state) {
	case PL_STATE_DEAD:
		return sums->count[TRACK_INCIDENT_RETRIES];
	case PL_STATE_REFUSED:
		return sums->count[TRACK_INCIDENT_REFUSED];
	case PL_STATE_NOT_READY:
		return sums->count[TRACK_INCIDENT_RNR];
	default:
		for (kind = TRACK_INCIDENT_RNR + 1; kind < TRACK_INCIDENT_COUNT; kind++)
			n += sums->count[kind];
		return n;
	}
}

void pl_verdict_say(struct pl_report *report, struct pl_sentence *s,
		    const struct pl_side *const *sides, unsigned int n)
{
	struct ibw_out o = ibw_out_open(s->text, sizeof(s->text));
	const struct sums sums = sum_up(report, sides, n, s->state);
	unsigned int i;

	for (i = 0; i < MIN(n, PL_SENTENCE_CONNECTIONS); i++)
		s->connection[s->n_connections++] = sides[i]->qp->number;
	s->incidents = incidents_of(&sums, s->state);
	switch (s->state) {
	case PL_STATE_DEAD:
		say_dead(&o, report, sides[0], n);
		break;
	case PL_STATE_REFUSED:
		say_refused(&o, report, sides[0], n);
		break;
	case PL_STATE_NOT_READY:
		say_not_ready(&o, report, sides[0], &sums, n);
		out_resent(&o, s, &sums);
		out_time(&o, s, sides[0], &sums, n);
		break;
	default:
		out_who(&o, report, sides[0], n);
		ibw_out_str(&o, ": ");
		out_kinds(&o, &sums);
		out_resent(&o, s, &sums);
		out_time(&o, s, sides[0], &sums, n);
		out_blame(&o, &sums);
		break;
	}
	say_more(&o, s, n);
	ibw_out_close(&o);
}

const char *pl_verdict_text(const struct pl_verdict *verdict, char buf[PL_VERDICT_TEXT])
{
	struct ibw_out o = ibw_out_open(buf, PL_VERDICT_TEXT);
	unsigned int i;

	for (i = 0; i < verdict->n; i++) {
		if (i)
			ibw_out_str(&o, ". ");
		ibw_out_str(&o, verdict->sentence[i].text);
	}
	if (!verdict->n)
		ibw_out_str(&o, "no findings");
	ibw_out_close(&o);
	return buf;
}

/* "x.pcap: captured: only one direction was captured; the clock went back" */
void pl_text_captured(struct pl_report *report, uint16_t doubt)
{
	struct ibw_out *o = &report->output->out;
	const char *from = o->p, *before = ": captured: ";
	unsigned int i;

	pl_out_files(o, &report->frames);
	for (i = 0; i < TRACK_DOUBT_COUNT; i++) {
		if (!(doubt & 1u << i))
			continue;
		ibw_out_str(o, before);
		ibw_out_str(o, track_doubt_rows[i].because);
		before = "; ";
	}
	ibw_out_char(o, '\n');
	pl_wrap(report->output, from);
}

void pl_text_verdict(struct pl_report *report, const struct pl_verdict *verdict)
{
	struct ibw_out *o = &report->output->out;
	const char *from = o->p;
	char text[PL_VERDICT_TEXT];

	if (!verdict->n)
		return;
	pl_out_files(o, &report->frames);
	ibw_out_str(o, ": verdict: ");
	ibw_out_str(o, pl_verdict_text(verdict, text));
	ibw_out_char(o, '\n');
	pl_wrap(report->output, from);
}
