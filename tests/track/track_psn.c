/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which PSNs were requested: the runs of track/way/psn.c against a mark for each PSN. */
#include <string.h>

#include "check.h"
#include "random.h"
#include "track/way/psn.h"

#define NUMBERS 3000u
#define ROUNDS 60u
#define STEPS 400u

enum mark { FREE, REQUESTED, CLOSED /* free, but there are too many such runs */ };

static struct {
	enum mark mark[NUMBERS];
	unsigned int first, low, next; /* low == next: nothing yet */
} model;

static uint64_t base; /* of PSN 0 */

static bool is_free(uint64_t n)
{
	return n < model.low || n >= model.next || model.mark[n] == FREE;
}

static unsigned int runs(unsigned int start[NUMBERS])
{
	unsigned int i, n = 0;

	for (i = model.low; i < model.next; i++)
		if (model.mark[i] == FREE && (i == model.low || model.mark[i - 1] != FREE))
			start[n++] = i;
	return n;
}

static void request(unsigned int psn, unsigned int n)
{
	bool begins = model.low == model.next, below = !begins && psn < model.low;
	unsigned int start[NUMBERS], i;

	if (begins)
		model.first = model.low = model.next = psn;
	model.low = psn < model.low ? psn : model.low;
	model.next = psn + n > model.next ? psn + n : model.next;
	for (i = psn; i < psn + n; i++)
		if (model.mark[i] == FREE)
			model.mark[i] = REQUESTED;
	if (runs(start) <= TRACK_HOLES_MAX)
		return;
	/* The lowest of those there were makes room. */
	for (i = start[below ? 1 : 0]; model.mark[i] == FREE; i++)
		model.mark[i] = CLOSED;
}

static enum track_psn_class class_of(unsigned int psn)
{
	if (model.low == model.next)
		return TRACK_PSN_START;
	if (psn == model.next)
		return TRACK_PSN_NEXT;
	if (psn > model.next)
		return TRACK_PSN_AHEAD;
	return is_free(psn) ? TRACK_PSN_FILL : TRACK_PSN_REPEAT;
}

static void compare_runs(const struct track_psns *s, unsigned int from, unsigned int end)
{
	uint64_t low = base + from, high = low;
	unsigned int i = from, j, n;

	for (n = 0; track_psn_next_free(s, high, base + end, &low, &high); n++) {
		if (!CHECK(n < NUMBERS))
			return;
		while (i < end && !is_free(i))
			i++;
		for (j = i; j < end && is_free(j); j++)
			;
		CHECK_EQ(low - base, i);
		CHECK_EQ(high - base, j);
		i = j;
	}
	while (i < end && !is_free(i))
		i++;
	CHECK_EQ(i, end);
}

static void compare(const struct track_psns *s)
{
	unsigned int i, missing = 0, a = (unsigned int)next_random() % NUMBERS,
			b = (unsigned int)next_random() % NUMBERS;

	for (i = model.first; i < model.next; i++)
		missing += model.mark[i] != REQUESTED;
	CHECK_EQ(s->missing, missing);
	CHECK_EQ(s->next - base, model.next);
	for (i = 0; i < NUMBERS; i += 1 + (unsigned int)next_random() % 40)
		CHECK_EQ(track_psn_is_occupied(s, base + i), !is_free(i));
	compare_runs(s, a < b ? a : b, a < b ? b : a);
	compare_runs(s, 0, NUMBERS);
}

static void requests_at_random(void)
{
	struct track_psns s;
	unsigned int step, psn, n;
	uint64_t first;

	memset(&s, 0, sizeof(s));
	memset(&model, 0, sizeof(model));
	psn = NUMBERS / 2;
	first = track_psn_extend(&s, psn);
	base = first - psn;
	for (step = 0; step < STEPS; step++) {
		n = next_random() % 4 ? 1 : 1 + (unsigned int)next_random() % 30;
		if (step)
			psn = (unsigned int)next_random() % (NUMBERS - 30);
		CHECK_EQ(track_psn_extend(&s, psn), base + psn);
		CHECK_EQ(track_psn_class(&s, base + psn), class_of(psn));
		track_psn_occupy(&s, class_of(psn), base + psn, n, step + 1, 0);
		request(psn, n);
		compare(&s);
	}
	CHECK(s.holes_closed);
	track_psns_clear(&s);
}

/* How far from the expected PSN a request is another start: by where it is and what is there. */
static void another_start(void)
{
	static const struct {
		int32_t from_expected;
		enum track_psn_class class;
	} at[] = { { (1 << 20) - 1, TRACK_PSN_AHEAD },
		   { 1 << 20, TRACK_PSN_AHEAD },
		   { (1 << 20) + 1, TRACK_PSN_RESTART },
		   { (1 << 23) - 1, TRACK_PSN_RESTART },
		   { -(1 << 23), TRACK_PSN_RESTART },
		   { -(1 << 20) - 1, TRACK_PSN_RESTART },
		   { -(1 << 20), TRACK_PSN_FILL },
		   { -(1 << 20) + 1, TRACK_PSN_FILL },
		   { -1, TRACK_PSN_REPEAT },
		   { 0, TRACK_PSN_NEXT },
		   { -(1 << 20) - 100, TRACK_PSN_REPEAT } };
	struct track_psns s;
	uint64_t expected;
	uint32_t first = 0xfffff0;
	unsigned int i;

	memset(&s, 0, sizeof(s));
	expected = track_psn_extend(&s, first);
	/* A READ of 100 PSNs, far more missing, and the request before the expected PSN. */
	track_psn_occupy(&s, TRACK_PSN_START, expected - (1 << 20) - 150, 100, 1, 0);
	track_psn_occupy(&s, TRACK_PSN_AHEAD, expected - 1, 1, 2, 0);
	CHECK_EQ(s.next, expected);
	for (i = 0; i < sizeof(at) / sizeof(*at); i++) {
		check_case("%d from the expected PSN", (int)at[i].from_expected);
		CHECK_EQ(track_psn_extend(&s, (first + (uint32_t)at[i].from_expected) & 0xffffff),
			 expected + (uint64_t)(int64_t)at[i].from_expected);
		CHECK_EQ(track_psn_class(&s, expected + (uint64_t)(int64_t)at[i].from_expected),
			 at[i].class);
	}
	check_case("%s", "");
	track_psns_clear(&s);
}

/* The most that a READ Request can ask for, at the smallest path MTU there is, and at none. */
static void ask_for_all(void)
{
	struct track_psns s;
	uint64_t psn, low, high, free = 0;
	unsigned int i, n = 0;

	memset(&s, 0, sizeof(s));
	psn = track_psn_extend(&s, 7);
	CHECK(track_psn_next_free(&s, psn, psn + UINT32_MAX, &low, &high));
	CHECK_EQ(low, psn);
	CHECK_EQ(high, psn + UINT32_MAX);
	track_psn_occupy(&s, TRACK_PSN_START, psn, 1, 1, 0);
	for (i = 1; i <= TRACK_HOLES_MAX; i++)
		track_psn_occupy(&s, TRACK_PSN_AHEAD, psn + UINT64_C(1000) * i, 1, i + 1, 0);
	for (high = psn;
	     n <= NUMBERS && track_psn_next_free(&s, high, psn + UINT32_MAX, &low, &high); n++)
		free += high - low;
	CHECK_EQ(n, TRACK_HOLES_MAX + 1);
	CHECK_EQ(free, UINT32_MAX - 1 - (uint64_t)TRACK_HOLES_MAX);
	track_psns_clear(&s);
}

int main(void)
{
	unsigned int round;

	for (round = 0; round < ROUNDS; round++) {
		check_case("round %u", round);
		requests_at_random();
	}
	check_case("%s", "");
	another_start();
	ask_for_all();
	return check_end();
}
