/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * verdict_mad.c - the sentence about management requests: between which hosts they were repeated or not answered in time, and what waited
 * longest; and about transfers of RMPP that were held up.
 */
#include <ibwire/ibwire.h>

#include "pcap-lint/report/flow.h"
#include "verdict.h"

/* Of the requests between two hosts, and those between others. */
struct sums {
	uint64_t requests, of_outcome[TRACK_MAD_REPEATED + 1], repeated, elsewhere;
	const struct pl_incident *longest; /* with the request that waited longest */
};

static uint64_t waited(const struct pl_incident *incident)
{
	const struct track_mad_asked *a = pl_incident_root_mad(incident);

	return track_mad_asked_end(a) - a->first_ns;
}

static bool is_about_mads(const struct pl_incident *incident)
{
	return incident->mads && incident->proved;
}

/* What took longer; of the same the one with more requests, then the earlier one. */
static bool is_worse(const struct pl_incident *a, const struct pl_incident *b)
{
	if (waited(a) != waited(b))
		return waited(a) > waited(b);
	if (a->alike.n != b->alike.n)
		return a->alike.n > b->alike.n;
	return a->incident->root_frame < b->incident->root_frame;
}

static bool same_hosts(const struct pl_incident *a, const struct pl_incident *b)
{
	struct track_flow one, other;

	pl_incident_hosts(a, &one);
	pl_incident_hosts(b, &other);
	return pl_verdict_same_hosts(&one, &other);
}

static void add(struct sums *sums, const struct pl_incident *incident)
{
	uint32_t i;

	for (i = 0; i < incident->alike.n; i++) {
		const struct track_mad_asked *a =
			track_mads_asked_at(incident->mads, incident->alike.from + i);

		sums->requests++;
		sums->of_outcome[track_mad_asked_outcome(a)]++;
		sums->repeated += a->copies > 1;
	}
}

static struct sums sum_up(const struct pl_incident *incidents, unsigned int n,
			  struct pl_sentence *s)
{
	struct sums sums = { .longest = NULL };
	unsigned int i;

	for (i = 0; i < n; i++)
		if (is_about_mads(&incidents[i]) &&
		    (!sums.longest || is_worse(&incidents[i], sums.longest)))
			sums.longest = &incidents[i];
	for (i = 0; i < n; i++) {
		if (!is_about_mads(&incidents[i]))
			continue;
		if (!same_hosts(&incidents[i], sums.longest)) {
			sums.elsewhere += incidents[i].alike.n;
			continue;
		}
		s->incidents++;
		add(&sums, &incidents[i]);
	}
	return sums;
}

static void out_hosts(const struct pl_report *report, struct ibw_out *o,
		      const struct pl_incident *incident, const char *before)
{
	ibw_out_str(o, before);
	pl_out_incident_hosts(o, report, incident);
	ibw_out_str(o, ": ");
}

/* "; and 2 requests between other hosts" */
static void out_elsewhere(struct ibw_out *o, uint64_t n, const char *noun)
{
	if (!n)
		return;
	ibw_out_str(o, "; and ");
	pl_out_counted(o, n, noun);
	ibw_out_str(o, " between other hosts");
}

/* "SubnAdm Get(NodeRecord) for LID 0x0009" */
static void out_request(const struct pl_report *report, struct ibw_out *o,
			const struct pl_incident *incident)
{
	char name[LINT_MAD_TEXT], about[TRACK_OBJECT_TEXT];

	ibw_out_str(o, pl_incident_operation(incident, name));
	ibw_out_str(o, track_object_named(report->track, &pl_incident_root_mad(incident)->object,
					  about));
}

/* " was seen 4 times in 3.0 s and not answered", " was answered 5.6 s later" */
static void say_one(const struct pl_report *report, struct ibw_out *o,
		    const struct pl_incident *incident)
{
	static const char *const ends[] = {
		[TRACK_MAD_UNANSWERED] = "not answered",
		[TRACK_MAD_LATE] = "answered",
		[TRACK_MAD_STOPPED] = "stopped",
		[TRACK_MAD_REPEATED] = "answered",
	};
	const struct track_mad_asked *a = pl_incident_root_mad(incident);
	const bool is_repeated = a->copies > 1;
	const uint64_t ns = waited(incident);

	out_request(report, o, incident);
	ibw_out_str(o, " was ");
	if (is_repeated) {
		ibw_out_str(o, "seen ");
		pl_out_counted(o, a->copies, "time");
	}
	if (is_repeated && !a->answer_frame && ns) {
		ibw_out_str(o, " in ");
		pl_out_ns(o, ns);
	}
	ibw_out_str(o, is_repeated ? " and " : "");
	ibw_out_str(o, ends[track_mad_asked_outcome(a)]);
	if (!a->answer_frame || !ns)
		return;
	ibw_out_char(o, ' ');
	pl_out_ns(o, ns);
	ibw_out_str(o, is_repeated ? " after the first copy" : " later");
}

/* "3 requests not answered, 2 answered late; 4 of these 5 were repeated" */
static void out_counts(struct ibw_out *o, const struct sums *sums)
{
	static const char *const words[] = {
		[TRACK_MAD_UNANSWERED] = " not answered",
		[TRACK_MAD_LATE] = " answered late",
		[TRACK_MAD_STOPPED] = " stopped",
		[TRACK_MAD_REPEATED] = " answered when repeated",
	};
	const char *before = "", *noun = "request";
	unsigned int outcome;

	for (outcome = 0; outcome < G_N_ELEMENTS(words); outcome++) {
		const uint64_t n = sums->of_outcome[outcome];

		if (!n)
			continue;
		ibw_out_str(o, before);
		if (noun)
			pl_out_counted(o, n, noun);
		else
			ibw_out_dec(o, n);
		ibw_out_str(o, words[outcome]);
		before = ", ";
		noun = NULL;
	}
	if (!sums->repeated || sums->repeated == sums->of_outcome[TRACK_MAD_REPEATED])
		return;
	ibw_out_str(o, "; ");
	if (sums->repeated == sums->requests) {
		ibw_out_str(o, "all were repeated");
		return;
	}
	ibw_out_dec(o, sums->repeated);
	ibw_out_str(o, " of these ");
	ibw_out_dec(o, sums->requests);
	ibw_out_str(o, sums->repeated == 1 ? " was repeated" : " were repeated");
}

/* "; the longest, PerfMgt Get(PortCounters), waited 5.6 s": without an answer at least */
static void out_longest(const struct pl_report *report, struct ibw_out *o,
			const struct pl_incident *incident)
{
	const uint64_t ns = waited(incident);

	ibw_out_str(o, ns ? "; the longest, " : "; among them ");
	out_request(report, o, incident);
	if (!ns)
		return;
	ibw_out_str(o, pl_incident_root_mad(incident)->answer_frame ? ", waited "
								    : ", waited at least ");
	pl_out_ns(o, ns);
}

static void say_requests(const struct pl_report *report, struct pl_sentence *s, struct ibw_out *o,
			 const struct pl_incident *incidents, unsigned int n)
{
	const struct sums sums = sum_up(incidents, n, s);

	if (!sums.longest)
		return;
	s->requests = sums.requests;
	s->unanswered = sums.of_outcome[TRACK_MAD_UNANSWERED];
	s->repeated = sums.repeated;
	s->ns = waited(sums.longest);
	out_hosts(report, o, sums.longest, ", ");
	if (sums.requests == 1) {
		say_one(report, o, sums.longest);
	} else {
		out_counts(o, &sums);
		out_longest(report, o, sums.longest);
	}
	out_elsewhere(o, sums.elsewhere, "request");
}

/* Transfers of RMPP */

static bool is_held_up(const struct pl_incident *incident)
{
	return incident->transfer && incident->proved;
}

/* What took longest, of the same the earlier one. */
static const struct pl_incident *longest_of(const struct pl_incident *incidents, unsigned int n)
{
	const struct pl_incident *longest = NULL;
	unsigned int i;

	for (i = 0; i < n; i++)
		if (is_held_up(&incidents[i]) &&
		    (!longest || incidents[i].incident->ns > longest->incident->ns))
			longest = &incidents[i];
	return longest;
}

/* "2 transfers with missing segments, 1 stopped; the longest, ": of what is proved each is one of these. */
static void out_transfers(struct ibw_out *o, uint64_t missing, uint64_t stopped)
{
	if (missing) {
		pl_out_counted(o, missing, "transfer");
		ibw_out_str(o, " with missing segments");
	}
	if (missing && stopped) {
		ibw_out_str(o, ", ");
		ibw_out_dec(o, stopped);
	} else if (stopped) {
		pl_out_counted(o, stopped, "transfer");
	}
	ibw_out_str(o, stopped ? " stopped; the longest, " : "; the longest, ");
}

/* "LID 0x0002 -> LID 0x0004: SubnAdm GetTableResp(PathRecord) had missing segments, 1.0 s without progress; and 2 transfers between other hosts" */
static void say_transfers(const struct pl_report *report, struct pl_sentence *s, struct ibw_out *o,
			  const struct pl_incident *incidents, unsigned int n)
{
	const struct pl_incident *longest = longest_of(incidents, n);
	uint64_t missing = 0, stopped = 0, elsewhere = 0;
	char name[LINT_MAD_TEXT];
	unsigned int i;

	if (!longest)
		return;
	for (i = 0; i < n; i++) {
		if (!is_held_up(&incidents[i]))
			continue;
		if (!same_hosts(&incidents[i], longest))
			elsewhere++;
		else if (incidents[i].transfer->stop)
			stopped++;
		else
			missing++;
	}
	out_hosts(report, o, longest, s->incidents ? "; " : ", ");
	if (missing + stopped > 1)
		out_transfers(o, missing, stopped);
	ibw_out_str(o, pl_incident_operation(longest, name));
	ibw_out_str(o, missing + stopped > 1 ? "," : "");
	ibw_out_str(o, longest->transfer->stop ? " was stopped" : " had missing segments");
	if (longest->incident->ns) {
		ibw_out_str(o, ", ");
		pl_out_ns(o, longest->incident->ns);
		ibw_out_str(o, " without progress");
	}
	out_elsewhere(o, elsewhere, "transfer");
	s->incidents += missing + stopped;
	s->ns = MAX(s->ns, longest->incident->ns);
}

void pl_verdict_say_mad(const struct pl_report *report, struct pl_sentence *s, struct ibw_out *o,
			const struct pl_incident *incidents, unsigned int n)
{
	say_requests(report, s, o, incidents, n);
	say_transfers(report, s, o, incidents, n);
}
