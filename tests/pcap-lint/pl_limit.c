/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * pcap-lint's bounded table of findings shown and summed up, against a plain count of what
 * was put in, below its capacity and beyond.
 */
#include "check.h"
#include <lint/lint.h>
#include <pcap-lint/report/limit.h>

static uint64_t summed, sums, first_frame, last_frame;
static enum lint_severity worst;

static void sum(void *user, const struct pl_limited *limited)
{
	CHECK(user == &summed);
	CHECK(limited->count > 0);
	sums++;
	summed += limited->count;
	first_frame = limited->first_frame;
	last_frame = limited->last_frame;
	worst = limited->severity;
}

static struct lint_finding finding_of(uint32_t dqpn, enum lint_rule_id rule, uint64_t frame,
				      struct track_flow *flow)
{
	struct lint_finding f = { .rule = rule, .severity = LINT_ERROR, .frame = frame };

	memset(flow, 0, sizeof(*flow));
	flow->address = TRACK_ADDRESS_IPV4;
	flow->dqpn = dqpn;
	f.flow = flow;
	return f;
}

/* @n findings of @flows flows in turn; how many are shown, and that the rest is summed. */
static void limit_round(uint64_t shown, unsigned int pairs, unsigned int flows, unsigned int n,
			uint64_t want_shown, uint64_t want_forgotten)
{
	struct pl_limit *limit = pl_limit_new(shown, pairs, sum, &summed);
	struct track_flow flow;
	uint64_t seen = 0;
	unsigned int i;

	check_case("%u findings of %u flows, %u pairs", n, flows, pairs);
	summed = sums = 0;
	for (i = 0; i < n; i++) {
		struct lint_finding f = finding_of(i % flows, LINT_CRC001, i + 1, &flow);

		seen += pl_limit_count(limit, &f) == PL_LIMIT_SHOW;
	}
	pl_limit_finish(limit);
	CHECK_EQ(seen, want_shown);
	CHECK_EQ(seen + summed, n);
	CHECK_EQ(pl_limit_forgotten(limit), want_forgotten);
	pl_limit_free(limit);
	check_case("%s", "");
}

static void limits(void)
{
	struct pl_limit *limit;
	struct track_flow flow;
	struct lint_finding f;

	limit_round(10, 100, 1, 5, 5, 0);
	limit_round(10, 100, 1, 1000, 10, 0);
	CHECK_EQ(sums, 1);
	CHECK_EQ(first_frame, 11);
	CHECK_EQ(last_frame, 1000);
	limit_round(0, 100, 1, 1000, 1000, 0);
	limit_round(3, 100, 100, 1000, 300, 0);
	CHECK_EQ(sums, 100);
	/* One flow more than there is room for, in turn: each is forgotten before it comes again. */
	limit_round(1, 100, 101, 1010, 1010, 910);

	/* The same flow under two rules, and no flow at all, are three pairs. */
	limit = pl_limit_new(1, 8, sum, &summed);
	f = finding_of(1, LINT_CRC001, 1, &flow);
	CHECK_EQ(pl_limit_count(limit, &f), PL_LIMIT_SHOW);
	f.rule = LINT_BTH001;
	CHECK_EQ(pl_limit_count(limit, &f), PL_LIMIT_SHOW);
	f.flow = NULL;
	CHECK_EQ(pl_limit_count(limit, &f), PL_LIMIT_SHOW);
	CHECK_EQ(pl_limit_count(limit, &f), PL_LIMIT_FIRST);
	pl_limit_free(limit);

	/* The pair used last is not the one to go: 1 2 3 1 4 forgets 2. */
	limit = pl_limit_new(1, 3, sum, &summed);
	summed = 0;
	for (unsigned int i = 0; i < 5; i++) {
		f = finding_of((const uint32_t[]){ 1, 2, 3, 1, 4 }[i], LINT_CRC001, i + 1, &flow);
		CHECK_EQ(pl_limit_count(limit, &f), i == 3 ? PL_LIMIT_FIRST : PL_LIMIT_SHOW);
	}
	f = finding_of(1, LINT_CRC001, 6, &flow);
	CHECK_EQ(pl_limit_count(limit, &f), PL_LIMIT_SUM);
	f = finding_of(2, LINT_CRC001, 7, &flow);
	CHECK_EQ(pl_limit_count(limit, &f), PL_LIMIT_SHOW);
	CHECK_EQ(pl_limit_forgotten(limit), 2);
	pl_limit_finish(limit);
	CHECK_EQ(summed, 2);
	pl_limit_free(limit);
}

/* The findings beyond those shown in this order: how severe the sum is. */
static void mixed(const char *severities, enum lint_severity want)
{
	static const char letters[] = "EWNP";
	struct pl_limit *limit = pl_limit_new(2, 8, sum, &summed);
	struct track_flow flow;
	struct lint_finding f;
	unsigned int i;

	check_case("shown 2 of \"%s\"", severities);
	for (i = 0; severities[i]; i++) {
		f = finding_of(1, LINT_SAQ006, i + 1, &flow);
		f.severity = (enum lint_severity)(strchr(letters, severities[i]) - letters);
		CHECK_EQ(pl_limit_count(limit, &f), i < 2    ? PL_LIMIT_SHOW
						    : i == 2 ? PL_LIMIT_FIRST
							     : PL_LIMIT_SUM);
	}
	sums = 0;
	pl_limit_finish(limit);
	CHECK_EQ(sums, 1);
	CHECK_EQ(worst, want);
	pl_limit_free(limit);
	check_case("%s", "");
}

/* The worst of those that are not shown. */
static void severities(void)
{
	mixed("WWWEW", LINT_ERROR);
	mixed("WWEWW", LINT_ERROR);
	mixed("WWWWE", LINT_ERROR);
	mixed("EEWWN", LINT_WARNING);
	mixed("EENWN", LINT_WARNING);
	mixed("WENPN", LINT_NOTE);
	mixed("PPPNP", LINT_NOTE);
	mixed("EWPPP", LINT_PERF);
}

/* Findings that were held and only counted are part of the sum, in whatever order they come. */
static void counted_only(uint64_t shown)
{
	struct pl_limit *limit = pl_limit_new(shown, 8, sum, &summed);
	struct track_flow flow;
	struct lint_finding f;

	check_case("shown %d", (int)shown);
	summed = sums = 0;
	f = finding_of(1, LINT_CRC001, 50, &flow);
	f.severity = LINT_WARNING;
	pl_limit_more(limit, &f, 7, 90);
	f.frame = 10;
	CHECK_EQ(pl_limit_count(limit, &f), PL_LIMIT_SHOW);
	f.frame = 20;
	CHECK_EQ(pl_limit_count(limit, &f), shown ? PL_LIMIT_SUM : PL_LIMIT_SHOW);
	f.frame = 30;
	f.severity = LINT_NOTE;
	pl_limit_more(limit, &f, 100, 40);
	pl_limit_finish(limit);
	CHECK_EQ(sums, 1);
	CHECK_EQ(summed, shown ? 108 : 107);
	CHECK_EQ(first_frame, shown ? 20 : 30);
	CHECK_EQ(last_frame, 90);
	CHECK_EQ(worst, LINT_WARNING);
	pl_limit_free(limit);
	check_case("%s", "");
}

int main(void)
{
	limits();
	severities();
	counted_only(0);
	counted_only(1);
	return check_end();
}
