/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Numbers of which some are taken away: those left below each, against a count of all of them. */
#include "check.h"
#include "random.h"
#include "track/base/ranks.h"

#define NUMBERS 20000u

static bool taken[NUMBERS + 1];

static void compare(const struct track_ranks *r)
{
	uint64_t left = 0;
	unsigned int i;

	for (i = 1; i <= NUMBERS; i++) {
		check_case("number %u", i);
		CHECK_EQ(track_ranks_below(r, i), left);
		left += !taken[i];
	}
	check_case("%s", "");
}

int main(void)
{
	struct track_ranks r;
	unsigned int i, n;

	track_ranks_open(&r);
	compare(&r);
	for (i = 0; i < 6000; i++) {
		n = i % 3 ? 1 + (unsigned int)(next_random() % NUMBERS) : 4000 + i % 300;
		track_ranks_take(&r, n); /* some of them twice */
		taken[n] = true;
		if (i == 0 || i == 700)
			compare(&r);
	}
	compare(&r);
	for (i = 0; i < 2000; i++) {
		n = 1 + (unsigned int)(next_random() % NUMBERS);
		track_ranks_give(&r, n);
		taken[n] = false;
	}
	track_ranks_give(&r, (uint64_t)NUMBERS + 1000000);
	compare(&r);
	for (i = 1; i <= NUMBERS; i++) {
		track_ranks_take(&r, i);
		taken[i] = true;
	}
	compare(&r);
	CHECK_EQ(track_ranks_below(&r, (uint64_t)NUMBERS + 1000000), 1000000 - 1);
	track_ranks_close(&r);
	return check_end();
}
