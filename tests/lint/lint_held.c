/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * lint_held.c - findings that wait: what settles them, in which order they come, what doubt makes
 * of them, how many keep their words, and that all are counted.
 */
#include <malloc.h>
#include <stdlib.h>

#include <glib.h>

#include "check.h"
#include <lint/base/rule.h>
#include <lint/events/held.h>
#include <lint/lint.h>

#define SEEN_MAX 200

/* What the sink was given. */
struct seen {
	uint64_t frame, connection;
	enum lint_rule_id rule;
	enum lint_severity severity;
	unsigned int n_related;
	char message[600];
};

static struct {
	struct seen seen[SEEN_MAX];
	unsigned int taken; /* with words */
	uint64_t counted;   /* all */
	uint64_t sums, more, first_frame, last_frame;
	enum lint_severity more_severity;
	enum lint_severity shown;
} sink;

static bool count(void *user, const struct lint_finding *f)
{
	(void)user;
	sink.counted++;
	return f->severity <= sink.shown;
}

static void take(void *user, const struct lint_finding *f)
{
	struct seen *s = &sink.seen[sink.taken % SEEN_MAX];

	(void)user;
	sink.taken++;
	CHECK(f->event && f->layer && f->flow);
	s->frame = f->frame;
	s->connection = f->connection;
	s->rule = f->rule;
	s->severity = f->severity;
	s->n_related = f->n_related;
	g_strlcpy(s->message, f->message, sizeof(s->message));
}

static void more(void *user, const struct lint_finding *first, uint64_t n, uint64_t last_frame)
{
	(void)user;
	CHECK(n > 0 && last_frame >= first->frame && !first->message && first->layer);
	sink.sums++;
	sink.more += n;
	sink.counted += n;
	sink.first_frame = first->frame;
	sink.last_frame = last_frame;
	sink.more_severity = first->severity;
}

/* From rules.def: warnings that are on by default; nothing of what they say is asked here. */
#define RULE_A LINT_BTH005
#define RULE_B LINT_BTH008
#define AN_ERROR LINT_BTH001

static struct lint *new_lint(uint64_t words)
{
	struct lint_options options = { .held = words };

	memset(&sink, 0, sizeof(sink));
	sink.shown = LINT_PERF;
	lint_select_default(options.rules);
	options.rules[RULE_B] = true;
	return lint_new(&options, &(struct lint_sink){ count, take, more, NULL });
}

static struct track_event event_of(enum track_event_kind kind, uint64_t half, uint64_t frame)
{
	struct track_event e = { .kind = (uint8_t)kind, .half = half, .frame = frame };

	e.time_ns = frame * 1000;
	e.flow.address = TRACK_ADDRESS_IPV4;
	e.flow.dqpn = (uint32_t)half;
	return e;
}

/* As rules about events have it. */
#define HOLD(l, rule, e, ...)                                                                      \
	do {                                                                                       \
		if (lint_on(l, rule) && !lint_held_counted(l, rule, e))                            \
			lint_held_add(l, rule, e, __VA_ARGS__);                                    \
	} while (0)

static void hold_event(struct lint *l, enum lint_rule_id rule, struct track_event e, uint16_t doubt)
{
	e.doubt = doubt;
	track_event_cause(&e, 1);
	lint_held_needs(l, &e);
	HOLD(l, rule, &e, "frame %u", (unsigned int)e.frame);
}

/* A gap of @psns PSNs: true unless so many requests were not captured, or took others. */
static void hold_gap(struct lint *l, enum lint_rule_id rule, uint64_t half, uint64_t frame,
		     uint64_t psns, uint16_t doubt)
{
	struct track_event e = event_of(TRACK_EVENT_PSN_GAP, half, frame);

	e.number[TRACK_PSN_GAP_count] = psns;
	hold_event(l, rule, e, doubt);
}

static void hold(struct lint *l, enum lint_rule_id rule, uint64_t half, uint64_t frame)
{
	hold_gap(l, rule, half, frame, 1, 0);
}

static void tell(struct lint *l, enum track_event_kind kind, uint64_t half, uint64_t upto,
		 uint16_t doubt)
{
	struct track_event e = event_of(kind, half, 1000);

	if (kind == TRACK_EVENT_SETTLED)
		e.number[TRACK_SETTLED_upto] = upto;
	e.doubt = doubt;
	lint_events(l, &e, 1);
}

static void ends(struct lint *l, uint64_t counted)
{
	lint_finish(l);
	CHECK_EQ(sink.counted, counted);
	lint_free(l);
}

/* The frames handed over since the last call, "5 7 9". */
static const char *frames(void)
{
	static char text[SEEN_MAX * 8];
	unsigned int i, n = MIN(sink.taken, SEEN_MAX);

	*text = '\0';
	for (i = 0; i < n; i++) {
		char one[16];

		snprintf(one, sizeof(one), i ? " %" PRIu64 : "%" PRIu64, sink.seen[i].frame);
		g_strlcat(text, one, sizeof(text));
	}
	sink.taken = 0;
	return text;
}

/* Each of what settles does so, for its half and as far as it goes. */
static void causes(void)
{
	struct lint *l = new_lint(0);

	hold(l, RULE_A, 5, 5);
	hold(l, RULE_A, 5, 9);
	hold(l, RULE_A, 6, 7);
	CHECK_STR(frames(), "");
	tell(l, TRACK_EVENT_SETTLED, 5, 8, 0);
	CHECK_STR(frames(), "5");
	tell(l, TRACK_EVENT_SETTLED, 5, 8, 0);
	CHECK_STR(frames(), "");
	tell(l, TRACK_EVENT_SETTLED, 5, 9, 0);
	CHECK_STR(frames(), "9");
	tell(l, TRACK_EVENT_SETTLED, 4, 99, 0); /* of a half of which nothing is held */
	CHECK_STR(frames(), "");
	tell(l, TRACK_EVENT_HALF_ENDED, 6, 0, 0);
	CHECK_STR(frames(), "7");
	hold(l, RULE_A, 8, 8);
	hold(l, RULE_A, 8, 10);
	tell(l, TRACK_EVENT_HALF_BEGUN, 8, 0, 0); /* says nothing */
	CHECK_STR(frames(), "");
	tell(l, TRACK_EVENT_HALF_EVICTED, 8, 0, 0);
	CHECK_STR(frames(), "8 10");
	hold(l, RULE_A, 5, 11);
	hold(l, RULE_A, 6, 12);
	tell(l, TRACK_EVENT_SETTLED, 0, 11, 0); /* all halves */
	CHECK_STR(frames(), "11");
	lint_finish(l);
	CHECK_STR(frames(), "12");
	lint_finish(l); /* nothing is left */
	CHECK_EQ(sink.counted, 7);
	lint_free(l);
}

/* Frame n is of n us; live, a second later it is settled. */
static void ticks(void)
{
	struct lint *l = new_lint(1);

	hold(l, RULE_A, 5, 5);
	hold(l, RULE_A, 5, 6); /* counted only */
	hold(l, RULE_A, 6, 7);
	lint_tick(l, 0);
	lint_tick(l, 999999999);
	lint_tick(l, 1000000000 + 5000);
	CHECK_STR(frames(), "");
	lint_tick(l, 1000000000 + 5001);
	CHECK_STR(frames(), "5");
	CHECK_EQ(sink.more, 0);
	lint_tick(l, 1000000000 + 6001);
	CHECK_EQ(sink.more, 1);
	lint_tick(l, 1000000000 + 7001);
	CHECK_STR(frames(), "7");
	ends(l, 3);
}

/* By frame, rule and connection, whatever the order they were held in. */
static void ordered(void)
{
	static const struct {
		enum lint_rule_id rule;
		uint64_t half, frame;
	} held[] = { { RULE_B, 9, 20 }, { RULE_A, 9, 20 }, { RULE_A, 3, 20 },
		     { RULE_B, 9, 21 }, { RULE_A, 3, 22 }, { RULE_A, 2, 19 } },
	  want[] = { { RULE_A, 2, 19 }, { RULE_A, 3, 20 }, { RULE_A, 9, 20 },
		     { RULE_B, 9, 20 }, { RULE_B, 9, 21 }, { RULE_A, 3, 22 } };
	struct lint_options options = { .held = 0 };
	struct track *track = track_new();
	struct track_event two[2];
	unsigned int i;
	struct lint *l;

	memset(&sink, 0, sizeof(sink));
	sink.shown = LINT_PERF;
	options.rules[RULE_A] = options.rules[RULE_B] = true;
	options.track = track;
	l = lint_new(&options, &(struct lint_sink){ count, take, more, NULL });
	for (i = 0; i < G_N_ELEMENTS(held); i++)
		hold(l, held[i].rule, held[i].half, held[i].frame);
	lint_finish(l);
	CHECK_EQ(sink.taken, G_N_ELEMENTS(want));
	for (i = 0; i < G_N_ELEMENTS(want); i++) {
		check_case("place %u", i);
		CHECK_EQ(sink.seen[i].frame, want[i].frame);
		CHECK_EQ(sink.seen[i].rule, want[i].rule);
		CHECK_EQ(sink.seen[i].connection, want[i].half); /* no other half is known */
		CHECK_EQ(sink.seen[i].n_related, 1);
	}
	check_case("%s", "");
	sink.taken = 0;

	/* Two halves settled by one packet, then by two packets that are told of at a time. */
	hold(l, RULE_A, 3, 30);
	hold(l, RULE_A, 4, 29);
	for (i = 0; i < 2; i++) {
		two[i] = event_of(TRACK_EVENT_SETTLED, 3 + i, 1000);
		two[i].number[TRACK_SETTLED_upto] = 50;
	}
	lint_events(l, two, 2);
	CHECK_STR(frames(), "29 30");
	hold(l, RULE_A, 3, 30);
	hold(l, RULE_A, 4, 29);
	two[1].frame = 1001;
	lint_events(l, two, 2);
	CHECK_STR(frames(), "30 29");
	lint_free(l);
	track_free(track);
}

/* One of @kind that is settled with @bits, told with the settling or @before it: how severe, in what words. */
static void doubtful(enum track_event_kind kind, uint16_t at_hold, uint16_t before, uint16_t bits,
		     enum lint_severity want, const char *message)
{
	struct lint *l = new_lint(0);

	check_case("%s, doubt 0x%x 0x%x 0x%x", track_event_rows[kind].name, at_hold, before, bits);
	hold_event(l, AN_ERROR, event_of(kind, 5, 5), at_hold);
	if (before)
		tell(l, TRACK_EVENT_SETTLED, 5, 0, before);
	CHECK_EQ(sink.taken, 0);
	tell(l, TRACK_EVENT_SETTLED, 5, 5, bits);
	CHECK_EQ(sink.taken, 1);
	CHECK_EQ(sink.seen[0].severity, want);
	CHECK_STR(sink.seen[0].message, message);

	/* What was said is said. */
	tell(l, TRACK_EVENT_SETTLED, 5, 6, TRACK_DOUBT_SAMPLED);
	CHECK_EQ(sink.taken, 1);
	ends(l, 1);
	check_case("%s", "");
}

/* What happened in the file stays, whatever is missing; what needs a packet that may be missing does not. */
static void doubts(void)
{
	static const char sure[] = "frame 5", unsure[] = "frame 5, or not captured";
	const enum track_event_kind gap = TRACK_EVENT_PSN_GAP;
	char longest[600];
	struct track_event e = event_of(TRACK_EVENT_PSN_GAP, 5, 5);
	struct lint *l;

	doubtful(gap, 0, 0, 0, LINT_ERROR, sure);
	doubtful(gap, TRACK_DOUBT_CUT, 0, TRACK_DOUBT_TWICE, LINT_ERROR, sure);
	doubtful(gap, TRACK_DOUBT_MID_STREAM, 0, TRACK_DOUBT_CLOCK, LINT_ERROR, sure);
	doubtful(gap, 0, TRACK_DOUBT_ONE_WAY, 0, LINT_WARNING, unsure); /* nobody sent it again */
	doubtful(gap, 0, 0, TRACK_DOUBT_LOSS, LINT_ERROR, sure);        /* of no request */
	doubtful(gap, 0, 0, TRACK_DOUBT_DROPPED, LINT_WARNING, unsure);
	doubtful(gap, TRACK_DOUBT_MID_STREAM, TRACK_DOUBT_ONE_WAY, TRACK_DOUBT_SAMPLED,
		 LINT_WARNING, unsure);
	doubtful(gap, TRACK_DOUBT_FILTERED, 0, 0, LINT_ERROR,
		 sure); /* nothing between these hosts */
	doubtful(gap, 0, TRACK_DOUBT_SAMPLED, 0, LINT_WARNING, unsure);
	doubtful(gap, 0, 0, TRACK_DOUBT_LIDS, LINT_WARNING, unsure);
	doubtful(gap, TRACK_DOUBT_MTU, 0, 0, LINT_WARNING, sure); /* captured, as what it is not */
	doubtful(TRACK_EVENT_ACK_MISSING, 0, TRACK_DOUBT_ONE_WAY, 0, LINT_WARNING, unsure);
	doubtful(TRACK_EVENT_ACK_MISSING, 0, TRACK_DOUBT_CLOCK, 0, LINT_WARNING, sure);
	doubtful(TRACK_EVENT_ACK_MISSING, 0, 0, TRACK_DOUBT_LOSS, LINT_ERROR, sure); /* requests */
	doubtful(TRACK_EVENT_ACK_MISSING, 0, 0, TRACK_DOUBT_LOSSY, LINT_WARNING, unsure);
	doubtful(gap, 0, 0, TRACK_DOUBT_LOSSY, LINT_WARNING, unsure);
	doubtful(TRACK_EVENT_NAK_REPEATED, 0, 0, TRACK_DOUBT_ONE_WAY, LINT_WARNING, unsure);
	doubtful(TRACK_EVENT_MSN_WRONG, TRACK_DOUBT_MID_STREAM, 0, 0, LINT_WARNING, unsure);
	doubtful(TRACK_EVENT_NAK_FATAL, UINT16_MAX, UINT16_MAX, UINT16_MAX, LINT_ERROR, sure);
	doubtful(TRACK_EVENT_RNR, UINT16_MAX, UINT16_MAX, UINT16_MAX, LINT_ERROR, sure);
	doubtful(TRACK_EVENT_RESENT, 0, 0, TRACK_DOUBT_TWICE, LINT_WARNING,
		 "frame 5, or captured twice");

	/* What happened, and why. */
	doubtful(TRACK_EVENT_RESENT, TRACK_DOUBT_ONE_WAY, 0, 0, LINT_ERROR,
		 sure); /* no cause yet */
	doubtful(TRACK_EVENT_TIMEOUT, TRACK_DOUBT_ONE_WAY, 0, 0, LINT_ERROR,
		 "frame 5, or an RNR NAK that was not captured");
	doubtful(TRACK_EVENT_NAK_SEQUENCE, 0, 0, TRACK_DOUBT_ONE_WAY, LINT_ERROR, unsure);
	doubtful(TRACK_EVENT_NAK_SEQUENCE, 0, 0, TRACK_DOUBT_MID_STREAM, LINT_ERROR, sure);

	/* Of the whole capture, and only of findings that are still held. */
	l = new_lint(0);
	hold(l, AN_ERROR, 5, 5);
	tell(l, TRACK_EVENT_SETTLED, 5, 5, 0);
	hold(l, AN_ERROR, 6, 6);
	lint_doubt(l, TRACK_DOUBT_SAMPLED);
	lint_finish(l);
	CHECK_EQ(sink.seen[0].severity, LINT_ERROR);
	CHECK_EQ(sink.seen[1].severity, LINT_WARNING);
	ends(l, 2);

	/* What was sent again was lost, though no answer says so. */
	e.number[TRACK_PSN_GAP_end] = TRACK_GAP_RESENT;
	l = new_lint(0);
	hold_event(l, AN_ERROR, e, TRACK_DOUBT_ONE_WAY);
	tell(l, TRACK_EVENT_SETTLED, 5, 5, TRACK_DOUBT_ONE_WAY);
	CHECK_EQ(sink.seen[0].severity, LINT_ERROR);
	ends(l, 1);

	/* A message that fills its room is not written past. */
	memset(longest, 'x', sizeof(longest));
	longest[sizeof(longest) - 1] = '\0';
	l = new_lint(0);
	e.doubt = TRACK_DOUBT_DROPPED;
	HOLD(l, RULE_A, &e, "%s", longest);
	lint_finish(l);
	CHECK_EQ(strlen(sink.seen[0].message), 511);
	ends(l, 1);
}

/* How many of half 5 are lowered, by gaps of @psns PSNs of way @way, if @lost requests of way 0 were not captured. */
static void lost(const uint64_t psns[2], uint8_t way, uint64_t lost, unsigned int lowered)
{
	struct track_event e = event_of(TRACK_EVENT_SETTLED, 5, 1000);
	struct lint *l = new_lint(0);
	unsigned int i, n = 0;

	check_case("%u of way %u lost", (unsigned int)lost, way);
	for (i = 0; i < 2; i++) {
		struct track_event gap = event_of(TRACK_EVENT_PSN_GAP, 5, 5 + i);

		gap.way = way;
		gap.number[TRACK_PSN_GAP_count] = psns[i];
		hold_event(l, AN_ERROR, gap, 0);
	}
	e.number[TRACK_SETTLED_upto] = UINT64_MAX;
	e.number[TRACK_SETTLED_lost] = lost;
	e.doubt = TRACK_DOUBT_LOSS;
	lint_events(l, &e, 1);
	CHECK_EQ(sink.taken, 2);
	for (i = 0; i < 2; i++)
		n += sink.seen[i].severity == LINT_WARNING;
	CHECK_EQ(n, lowered);
	ends(l, 2);
	check_case("%s", "");
}

/* A request that was not captured explains one gap, also where an answer is missing for which it explains nothing. */
static void lost_of_answers(void)
{
	struct track_event e = event_of(TRACK_EVENT_SETTLED, 5, 1000);
	struct lint *l = new_lint(0);

	hold(l, AN_ERROR, 5, 5);
	hold_event(l, AN_ERROR, event_of(TRACK_EVENT_ACK_MISSING, 5, 6), 0);
	hold_event(l, AN_ERROR, event_of(TRACK_EVENT_TIMEOUT, 5, 7), 0);
	e.number[TRACK_SETTLED_upto] = UINT64_MAX;
	e.number[TRACK_SETTLED_lost] = 1;
	e.doubt = TRACK_DOUBT_LOSS;
	lint_events(l, &e, 1);
	CHECK_EQ(sink.taken, 3);
	CHECK_EQ(sink.seen[0].severity, LINT_WARNING);
	CHECK_EQ(sink.seen[1].severity, LINT_ERROR);
	CHECK_EQ(sink.seen[2].severity, LINT_ERROR);
	CHECK_STR(sink.seen[2].message, "frame 7");
	ends(l, 3);
}

/* As many findings are in doubt as packets are known to be missing; of more all stay. */
static void counted(void)
{
	static const uint64_t one_each[2] = { 1, 1 }, three[2] = { 1, 2 };
	struct lint *l;
	unsigned int i;

	lost(one_each, 0, 2, 2);
	lost(one_each, 0, 1, 0);
	lost(one_each, 1, 2, 0); /* requests of the other way */
	lost(three, 0, 2, 0);
	lost(three, 0, 3, 2);
	lost_of_answers();

	/* What the capturing side counts is of the whole capture, and known at its end. */
	for (i = 0; i < 3; i++) {
		l = new_lint(0);
		lint_dropped(l, 1);
		hold(l, AN_ERROR, 5, 5);
		tell(l, TRACK_EVENT_SETTLED, 5, UINT64_MAX, 0);
		CHECK_EQ(sink.taken, 0);
		if (i)
			hold(l, AN_ERROR, 6, 6);
		if (i == 2)
			lint_dropped(l, 1);
		lint_finish(l);
		CHECK_EQ(sink.seen[0].severity, i == 1 ? LINT_ERROR : LINT_WARNING);
		CHECK_STR(sink.seen[0].message, i == 1 ? "frame 5" : "frame 5, or not captured");
		ends(l, i ? 2 : 1);
	}
}

/* No more keep their words than will be shown, of a rule and a half; all are counted. */
static void limits(void)
{
	struct lint *l = new_lint(3);
	uint64_t frame;

	for (frame = 1; frame <= 100; frame++)
		hold_gap(l, AN_ERROR, 5, frame, 1, frame % 2 ? TRACK_DOUBT_LIDS : 0);
	hold(l, RULE_A, 5, 101);
	hold(l, AN_ERROR, 6, 102);
	tell(l, TRACK_EVENT_SETTLED, 5, 99, 0); /* the last but one counted is settled */
	CHECK_STR(frames(), "1 2 3");
	CHECK_EQ(sink.sums, 1);
	CHECK_EQ(sink.more, 48); /* 5, 7 ... 99 */
	CHECK_EQ(sink.first_frame, 5);
	CHECK_EQ(sink.more_severity, LINT_WARNING);
	tell(l, TRACK_EVENT_SETTLED, 5, 100, 0);
	CHECK_EQ(sink.sums, 2);
	CHECK_EQ(sink.more, 97);
	CHECK_EQ(sink.more_severity, LINT_ERROR);
	CHECK_EQ(sink.last_frame, 100);

	/* Of this half and rule enough was said. */
	hold(l, AN_ERROR, 5, 103);
	tell(l, TRACK_EVENT_SETTLED, 5, 103, 0);
	CHECK_STR(frames(), "101");
	CHECK_EQ(sink.more, 98);
	ends(l, 103);

	/* But what nobody wanted was not said. */
	l = new_lint(1);
	sink.shown = LINT_ERROR;
	hold_gap(l, AN_ERROR, 5, 1, 1, TRACK_DOUBT_LIDS);
	tell(l, TRACK_EVENT_SETTLED, 5, 1, 0);
	hold(l, AN_ERROR, 5, 2);
	lint_finish(l);
	CHECK_STR(frames(), "2");
	ends(l, 2);
}

/* @n findings of as many halves as @halves, held with @words: how many have theirs. */
static void flood(uint64_t words, uint64_t halves, uint64_t n, uint64_t want)
{
	struct lint *l = new_lint(words);
	uint64_t i;

	check_case("%" PRIu64 " of %" PRIu64 " halves", n, halves);
	for (i = 0; i < n; i++)
		hold(l, RULE_A, 1 + i % halves, i + 1);
	lint_finish(l);
	CHECK_EQ(sink.taken, want);
	CHECK_EQ(sink.more, n - want);
	ends(l, n);
	check_case("%s", "");
}

/* There is room again for what comes after those that were settled. */
static void twice(void)
{
	struct lint *l = new_lint(0);
	uint64_t i;

	for (i = 0; i < 80000; i++) {
		hold(l, RULE_A, 1, i + 1);
		if (i == 40000)
			tell(l, TRACK_EVENT_SETTLED, 1, i + 1, 0);
	}
	lint_finish(l);
	CHECK_EQ(sink.taken, 80000);
	ends(l, 80000);
}

/* More pairs of rule and half than are remembered: the oldest is settled early, with all it has. */
static void pairs(void)
{
	struct lint *l = new_lint(2);
	uint64_t i;

	for (i = 0; i < 3; i++)
		hold(l, RULE_A, 1, 1);
	hold(l, RULE_B, 1, 2);
	for (i = 0; i < LINT_HELD_PAIRS - 2; i++)
		hold(l, RULE_A, 2 + i, 3 + i);
	CHECK_EQ(sink.counted, 0);
	hold(l, RULE_A, 2, 100000); /* one that is there already */
	hold(l, RULE_B, 2, 100001); /* a pair more, but no half */
	CHECK_STR(frames(), "1 1 2");
	CHECK_EQ(sink.counted, 4);
	ends(l, 4 + LINT_HELD_PAIRS - 2 + 2);

	/* A half more. */
	l = new_lint(2);
	for (i = 0; i <= LINT_HELD_PAIRS; i++)
		hold(l, RULE_A, 1 + i, 1 + i);
	CHECK_STR(frames(), "1");
	ends(l, LINT_HELD_PAIRS + 1);
}

/* Of no half: by their flow. */
static void without_half(void)
{
	struct track_event e = event_of(TRACK_EVENT_HALF_BEGUN, 0, 1);
	struct lint *l = new_lint(1);
	unsigned int i;

	for (i = 0; i < 6; i++) {
		e.frame = i + 1;
		e.flow.dqpn = i % 2;
		HOLD(l, RULE_A, &e, "x");
	}
	tell(l, TRACK_EVENT_SETTLED, 1, 100, 0);
	CHECK_EQ(sink.counted, 0);
	lint_finish(l);
	CHECK_STR(frames(), "1 2");
	CHECK_EQ(sink.more, 4);
	ends(l, 6);
}

/* A rule that is off says nothing, and what was held when all ends early is freed. */
static void off(void)
{
	struct lint_options options = { .held = 0 };
	struct lint *l;

	memset(&sink, 0, sizeof(sink));
	l = lint_new(&options, &(struct lint_sink){ count, take, more, NULL });
	hold(l, RULE_A, 5, 5);
	ends(l, 0);
	l = new_lint(1);
	hold(l, RULE_A, 5, 5);
	hold(l, RULE_A, 5, 6);
	lint_free(l);
	CHECK_EQ(sink.counted, 0);
}

/* What a million findings take that are never settled, of one rule and half, or one each. */
static void memory(uint64_t words, uint64_t halves, size_t most)
{
	size_t before = mallinfo2().uordblks, after;
	struct lint *l = new_lint(words);
	uint64_t i;

	check_case("memory of %" PRIu64 " halves", halves);
	for (i = 0; i < 1000000; i++)
		hold(l, RULE_A, 1 + i % halves, i + 1);
	after = mallinfo2().uordblks;
	CHECK(after - before < most);
	ends(l, 1000000);
	check_case("%s", "");
}

int main(void)
{
	causes();
	ticks();
	ordered();
	doubts();
	counted();
	limits();
	flood(0, 1, 65536, 65536);
	flood(0, 1, 70000, 65536);
	flood(10, 1, 70000, 10);
	flood(10, 10000, 70000, 65536);
	flood(10, 60000, 70000, 65536);
	twice();
	pairs();
	without_half();
	off();
	memory(0, 1, 40 << 20);
	memory(10, 1000000, 100 << 20);
	return check_end();
}
